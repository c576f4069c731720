/*
 * rblctl doctor: reads the output of `nginx -T`: words, ";" and blocks.
 */

#include "doctor_nginx.h"

#include "base/xalloc.h"

#include <ctype.h>
#include <string.h>


typedef struct {
    nginx_t       *nginx;
    const char    *p;                   /* what is not read yet */
    char          *to;                  /* where the next word goes */
    unsigned       depth, at;           /* of blocks; of the server block */
    unsigned       server;              /* its number; 0: in none */
    nginx_line_t   line;
} reader_t;


/* Copies a word, without quotes.  Its end needs the octet of the white space or
   the mark behind it, so the copies are not larger than the text. */
static void
read_word(reader_t *r)
{
    char        quote;
    const char  *word = r->to;

    quote = *r->p == '"' || *r->p == '\'' ? *r->p++ : '\0';

    while (quote != '\0' ? *r->p != quote && *r->p != '\0'
           : !isspace((unsigned char) *r->p) && strchr(";{", *r->p) == NULL)
    {
        if (*r->p == '\\' && r->p[1] != '\0') {
            r->p++;

        } else if (quote == '\0' && r->p[0] == '$' && r->p[1] == '{') {
            *r->to++ = *r->p++;         /* a variable begins no block */
        }

        *r->to++ = *r->p++;
    }

    r->p += quote != '\0' && *r->p != '\0';
    *r->to++ = '\0';

    if (r->line.n < NGINX_WORDS) {
        r->line.word[r->line.n++] = word;
    }
}


/* Is it looked at? */
static int
read_wanted(const char *name)
{
    size_t  i;

    static const char *const  wanted[] = {
        "listen", "server_name", "ssl_certificate"
    };

    for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (strcmp(name, wanted[i]) == 0) {
            return 1;
        }
    }

    return strncmp(name, "rbl_", 4) == 0;
}


/* A directive is over. */
static void
read_line(reader_t *r)
{
    nginx_t  *nginx = r->nginx;

    if (r->line.n > 0 && nginx->n < NGINX_LINES
        && read_wanted(r->line.word[0]))
    {
        r->line.server = r->server;
        nginx->line[nginx->n++] = r->line;
    }

    r->line.n = 0;
}


static void
read_mark(reader_t *r)
{
    switch (*r->p++) {

    case '{':
        r->depth++;

        if (r->line.n > 0 && r->server == 0
            && strcmp(r->line.word[0], "server") == 0)
        {
            r->server = ++r->nginx->servers;
            r->at = r->depth;
        }

        r->line.n = 0;
        break;

    case '}':
        if (r->server != 0 && r->depth == r->at) {
            r->server = 0;
        }

        r->depth -= r->depth > 0;
        r->line.n = 0;
        break;

    default:
        read_line(r);
    }
}


void
nginx_read(nginx_t *nginx, const char *text)
{
    reader_t  r = { .nginx = nginx, .p = text };

    memset(nginx, 0, sizeof(nginx_t));
    r.to = nginx->words = xmalloc(strlen(text) + 2);

    while (*r.p != '\0') {
        if (isspace((unsigned char) *r.p)) {
            r.p++;

        } else if (*r.p == '#') {
            r.p += strcspn(r.p, "\n");

        } else if (strchr(";{}", *r.p) != NULL) {
            read_mark(&r);

        } else {
            read_word(&r);
        }
    }
}


const nginx_line_t *
nginx_next(const nginx_t *nginx, const char *name, unsigned server,
    const nginx_line_t *after)
{
    const nginx_line_t  *line;

    line = after == NULL ? nginx->line : after + 1;

    for ( /* void */ ; line < nginx->line + nginx->n; line++) {
        if (strcmp(line->word[0], name) == 0
            && (server == NGINX_ANY || server == line->server))
        {
            return line;
        }
    }

    return NULL;
}


const char *
nginx_value(const nginx_t *nginx, const char *name, unsigned server)
{
    const nginx_line_t  *line;

    line = nginx_next(nginx, name, server, NULL);
    line = line == NULL && server != 0 ? nginx_next(nginx, name, 0, NULL)
                                       : line;

    return line != NULL && line->n > 1 ? line->word[1] : NULL;
}
