/*
 * DNS queries to given servers, all at the same time, over UDP or TCP: for the
 * question whether a server answers at all, which the query engine would hide
 * by its choice of servers, its retries and its TCP fallback.
 */

#ifndef CTL_DOCTOR_ASK_H_INCLUDED
#define CTL_DOCTOR_ASK_H_INCLUDED

#include "dns/wire.h"

#define ASK_MAX  48                     /* queries at a time */

typedef enum {
    ASK_OPEN = 0,
    ASK_ANSWERED,                       /* look at rcode */
    ASK_FAILED,                         /* look at error */
    ASK_SILENT,                         /* no answer in time */
    ASK_FOREIGN                         /* what came is no answer to it */
} ask_end_t;

typedef struct {
    struct sockaddr_storage  at;
    int        tcp;
    uint16_t   type;
    unsigned   shape;                   /* DNS_QUERY_ of wire.h */
    uint8_t    name[DNS_NAME_MAX];      /* in wire form */
    size_t     len;

    ask_end_t  end;
    int        error;                   /* errno */
    unsigned   rcode;
    unsigned   records;                 /* in the answer section */

    /* while it runs */
    int        fd;
    uint16_t   id;
    size_t     sent, got;               /* bytes, over TCP */
    uint8_t    in[4096];
} ask_t;

/* Sets server, type and name, "" for the root.  0, or -1: no such name. */
int ask_set(ask_t *ask, const struct sockaddr_storage *at, const char *name,
    uint16_t type, unsigned shape, int tcp);

/* Asks n servers, and waits at most so many seconds for each. */
void ask_all(ask_t *ask, unsigned n, double wait);

/* "refuses", "does not answer", "Connection refused"; valid until the next
   call.  NULL: it answered, with NOERROR or NXDOMAIN. */
const char *ask_trouble(const ask_t *ask);

#endif /* CTL_DOCTOR_ASK_H_INCLUDED */
