/*
 * From the host of a URL to one address that may be used.
 */

#ifndef DELIVER_RESOLVE_H_INCLUDED
#define DELIVER_RESOLVE_H_INCLUDED

#include <ev.h>

#include "config/config.h"
#include "dns/engine.h"

typedef struct resolve_s  resolve_t;

/* The error of a delivery to a name without an address. */
#define RESOLVE_UNKNOWN  "the name cannot be resolved"

/*
 * `addr` NULL: no address, and `why` is the reason for the log; otherwise `why`
 * is NULL.  `known`: the name has an address, usable or not.  All are valid
 * during the call; the query is freed after it.
 */
typedef void (*resolve_done_pt)(void *data, const rbl_addr_t *addr,
    const char *why, int known);

typedef struct {
    struct ev_loop  *loop;
    dns_engine_t    *dns;
    const config_t  *conf;              /* its reach */
    rbl_addr_t       literal;           /* family NONE: it is a name */
    rbl_str_t        name;              /* as A-labels */
    unsigned         port;
    int              trusted;           /* any address may be used */
    unsigned         attempt;           /* its number chooses one of several
                                           addresses */
    double           timeout;           /* s */
} resolve_request_t;

/*
 * 0: the call back comes exactly once, unless it is cancelled; for an address
 * at once, from inside, and *resolve is NULL.  -1: the name cannot be queried.
 */
int resolve_start(const resolve_request_t *request, resolve_t **resolve,
    resolve_done_pt done, void *data);
void resolve_cancel(resolve_t *r);

#endif /* DELIVER_RESOLVE_H_INCLUDED */
