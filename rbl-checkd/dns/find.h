/*
 * The addresses of the name servers of a zone, as a part of the search for them
 * (find.c).
 */

#ifndef DNS_FIND_H_INCLUDED
#define DNS_FIND_H_INCLUDED

#include "dns_int.h"

#define DNS_MAX_HOSTS  32           /* addresses of all names */

typedef struct dns_hosts_s  dns_hosts_t;

typedef struct {
    dns_hosts_t     *hosts;
    dns_query_t     *q;
    unsigned         ns;            /* index of the name */
} dns_host_t;

/* The caller sets the first members once, the rest is zero. */
struct dns_hosts_s {
    dns_engine_t      *engine;
    uint64_t           account;
    const dns_name_t  *trace;       /* the name that lines of the trace have */
    void             (*done)(void *data);
    void              *data;

    ev_timer           timer;
    dns_status_t       failure;     /* of the last query that failed; NOERROR:
                                       none did */
    uint32_t           ttl;         /* least of the names and addresses */
    unsigned           open;        /* queries of `ask` under way */
    dns_host_t         ask[2 * DNS_MAX_NS];
    unsigned           n_ns;
    unsigned           n;
    unsigned           of[DNS_MAX_HOSTS];       /* index of the name */
    struct sockaddr_storage  sa[DNS_MAX_HOSTS];
    unsigned           n_glue;
    dns_glue_t         glue[DNS_MAX_GLUE];
};

/*
 * Looks for the addresses of the first `most` names in the referral, then calls
 * `done`.  `glue`: the referral comes from
 * servers of the zone above, so that its glue may be used.
 */
void dns_hosts_begin(dns_hosts_t *h, const dns_referral_t *referral,
    unsigned most, int glue);
void dns_hosts_stop(dns_hosts_t *h);

/* Some of the addresses, of as many names as possible.  Returns their number,
   at most DNS_MAX_SERVERS. */
unsigned dns_hosts_choose(const dns_hosts_t *h, struct sockaddr_storage *sa);

/* The address of a name server with these octets, in network order. */
void dns_host_address(struct sockaddr_storage *sa, const void *octets,
    int v6);

/* May the address be queried: is it public, or allowed? */
int dns_host_public(const dns_config_t *conf,
    const struct sockaddr_storage *sa);

#endif /* DNS_FIND_H_INCLUDED */
