/*
 * The directives of an nginx configuration that rblctl doctor looks at.
 */

#ifndef CTL_DOCTOR_NGINX_H_INCLUDED
#define CTL_DOCTOR_NGINX_H_INCLUDED

#include <stddef.h>

#define NGINX_LINES  1024               /* directives that are kept */
#define NGINX_WORDS  10                 /* of one, with its name */

typedef struct {
    unsigned     server;                /* number of its server block, from 1;
                                           0: outside of all */
    unsigned     n;
    const char  *word[NGINX_WORDS];
} nginx_line_t;

typedef struct {
    char          *words;               /* owned */
    unsigned       servers;
    unsigned       n;
    nginx_line_t   line[NGINX_LINES];
} nginx_t;

/* Reads what `nginx -T` has printed.  The caller frees `words`. */
void nginx_read(nginx_t *nginx, const char *text);

/* The next directive of that name after line `after`, or the first one if that
   is NULL, in a server, or anywhere if that is NGINX_ANY.  NULL: no more. */
#define NGINX_ANY  ((unsigned) -1)
const nginx_line_t *nginx_next(const nginx_t *nginx, const char *name,
    unsigned server, const nginx_line_t *after);

/* The first argument of a directive in a server, or else outside of all of
   them; NULL: there is none. */
const char *nginx_value(const nginx_t *nginx, const char *name,
    unsigned server);

#endif /* CTL_DOCTOR_NGINX_H_INCLUDED */
