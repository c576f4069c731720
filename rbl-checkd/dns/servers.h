/*
 * Servers, sets of servers, and zones.  dns_int.h includes this file at its
 * end.
 */

#ifndef DNS_SERVERS_H_INCLUDED
#define DNS_SERVERS_H_INCLUDED

#include "dns_int.h"

/* The servers of a zone, or the resolvers.  Fixed, except for their state. */
struct dns_set_s {
    unsigned       refs;
    unsigned       n;
    unsigned       recursive:1;             /* sends RD; any response counts */
    unsigned       given:1;                 /* by the payer: no referrals */
    uint8_t        distrusted;              /* bits of distrusted servers */
    double         lame[DNS_MAX_SERVERS];   /* lame until this time */
    dns_name_t     apex;
    unsigned       labels;                  /* of the apex, with the root's */
    dns_server_t  *server[DNS_MAX_SERVERS];
};

struct dns_zone_s {
    dns_zone_t    *next;            /* in the table */
    dns_engine_t  *engine;
    uint64_t       account;
    unsigned       refs;            /* number of queries */
    unsigned       referred:1;      /* found by a referral */
    dns_set_t     *set;             /* NULL: unknown */
    dns_find_t    *find;            /* search under way, or NULL */
    link_t         waiting;         /* queries that wait for its end */
    double         used;
    double         refresh, expires;
    double         retry, wait;     /* earliest time of the next search; length
                                       of the next pause, 0: the zone was
                                       found */
    double         doubt, doubt_wait;   /* the same, for searches since its
                                           servers fail */
    dns_status_t   search;          /* end of the last one: see
                                       dns_answer_t */
    dns_name_t     wire;
    char           name[];
};

/* server.c */

/* Seconds after which a response is overdue; class NULL: for any class. */
double dns_server_wait(const dns_server_t *r, const dns_class_t *class);

/* Does the next attempt to that server use EDNS?  Some servers, or middleboxes,
   drop queries that have it. */
int dns_server_edns(const dns_query_t *q, unsigned n);

/* Count a query that is sent, its response, an attempt that is overdue, and one
   that is lost. */
void dns_server_use(dns_server_t *r);
void dns_server_heard(const dns_flight_t *f);
void dns_server_overdue(const dns_query_t *q);
void dns_server_lost(dns_server_t *r, int refused);

/*
 * Makes a set of these addresses; `apex` NULL: resolvers.  The caller owns one
 * reference.
 */
dns_set_t *dns_set_new(dns_engine_t *engine, uint64_t account,
    const struct sockaddr_storage *sa, unsigned n, const dns_name_t *apex);
dns_set_t *dns_set_ref(dns_set_t *set);
void dns_set_put(dns_set_t *set);

/* The index of the server; `n`: it is not in the set. */
unsigned dns_set_at(const dns_set_t *set, const dns_server_t *r);
unsigned dns_set_at_id(const dns_set_t *set, uint32_t id);

/* Is any server of the set trusted? */
int dns_set_trusted(const dns_set_t *set);

/* The server of the query's next attempt. */
unsigned dns_set_pick(dns_query_t *q);

/* May the query be sent to that server, or are too many in flight? */
int dns_set_room(dns_query_t *q, unsigned n);

/* Are all servers that the query may use among these? */
int dns_set_all(const dns_query_t *q, unsigned mask);

static inline dns_server_t *
dns_at(const dns_query_t *q)
{
    return q->set->server[q->at];
}


/* A flight of the query at that server; NULL: there is none. */
static inline dns_flight_t *
dns_flight_at(dns_query_t *q, const dns_server_t *r)
{
    unsigned  i;

    for (i = 0; i < q->engine->conf.tries && q->open; i++) {
        if (q->flight[i].socket != NULL && q->flight[i].socket->server == r) {
            return &q->flight[i];
        }
    }

    return NULL;
}


/* Is a timeout evidence against the server, not only against an own list? */
static inline int
dns_tells(const dns_query_t *q)
{
    return !q->set->recursive || q->class->owner->account == 0;
}


/* case.c */

/* Why a query has lower case. */
enum {
    DNS_CASE_NONE = 0,          /* there was no trial */
    DNS_CASE_TRIED,             /* the response to the trial found nothing */
    DNS_CASE_LOST               /* the trial got no response */
};

/* Decides on the case of a new try. */
void dns_case_begin(dns_flight_t *f);

/* Converts the name of the query (wire form, lower case) to that case. */
void dns_case_mix(uint8_t *name, const dns_flight_t *f);

/* Is a matching response to be dropped, for the case of its name? */
int dns_case_mismatch(const dns_flight_t *f, const uint8_t *name);

/*
 * Learns from the response of dns_at(q) in engine->answer.  1: it does not
 * count, and the same server has to get the query again.
 */
int dns_case_again(dns_query_t *q, unsigned mixed);

/* The last try got no response in time. */
void dns_case_overdue(dns_query_t *q);

/* address.c */

/* The length of the address; comparison of addresses and ports. */
socklen_t dns_address_len(const struct sockaddr_storage *sa);
int dns_address_same(const struct sockaddr_storage *a,
    const struct sockaddr_storage *b);

/* "192.0.2.1@53" */
void dns_address_text(const struct sockaddr_storage *sa,
    char buf[DNS_SERVER_TEXT]);

/* zone.c */

/* Finds or makes the zone of the payer, and its set if known; 0, or -1: see
   dns_zone_of. */
int dns_zone_join(dns_query_t *q, const dns_payer_t *payer);
void dns_zone_leave(dns_query_t *q);

/* The zone of the payer; NULL: no valid name, or too many zones. */
dns_zone_t *dns_zone_of(dns_engine_t *engine, const dns_payer_t *payer);

/* Queues the query, now or when the servers of its zone are known. */
void dns_zone_ask(dns_query_t *q);

/*
 * Judges the response of an authoritative server in engine->answer.  1: the
 * query continues without the caller, on no list or behind other queries; 0:
 * the response stands, or has become DNS_SERVFAIL, since the server is lame.
 */
int dns_zone_judge(dns_query_t *q);

/* Reports the end of a query to its zone: whether the servers responded or
   failed. */
void dns_zone_done(const dns_query_t *q, dns_status_t status);

/*
 * The result of a search, `n` 0: nothing found, and `search` is the reason (see
 * dns_answer_t).  `ttl`: validity in seconds.
 */
void dns_zone_found(dns_zone_t *zone, const struct sockaddr_storage *sa,
    unsigned n, const dns_name_t *apex, uint32_t ttl, dns_status_t search);

/* The resolvers have changed: no search has to wait any longer. */
void dns_zone_retry(dns_engine_t *engine);

/* Ends all searches. */
void dns_zone_stop(dns_engine_t *engine);

/* Frees the zones that have had no query for a day, or all zones; no query may
   refer to these then. */
void dns_zone_sweep(dns_engine_t *engine, int all);

/* find.c */

/* Starts a search for the servers of the zone.  Ends with dns_zone_found, never
   from inside this call. */
dns_find_t *dns_find_new(dns_zone_t *zone);
void dns_find_free(dns_find_t *find);

/* The address of a name server with these octets, in network order. */
void dns_host_address(struct sockaddr_storage *sa, const void *octets,
    int v6);

/* May the address be queried: is it public, or allowed? */
int dns_host_public(const dns_config_t *conf,
    const struct sockaddr_storage *sa);

/* trace.c: lines of the trace; each function returns at once if the trace is
   disabled. */

const char *dns_trace_status(dns_status_t status);

/* "query NAME TYPE: ..."; "query NAME TYPE: server ADDRESS ..." */
__attribute__((format(printf, 2, 3)))
void dns_trace_query(const dns_query_t *q, const char *fmt, ...);
void dns_trace_query_at(const dns_query_t *q, const dns_server_t *r,
    const char *text);

/* The query was sent to dns_at(q). */
void dns_trace_sent(const dns_query_t *q, int tcp, int edns);

/* The content of the response of dns_at(q), as read by dns_read. */
void dns_trace_reply(const dns_query_t *q, const uint8_t *msg,
    dns_wire_t result, double took);
void dns_trace_dropped(const dns_server_t *r);

/* "name servers of NAME: <text> ADDRESS ADDRESS" */
void dns_trace_zone(const dns_engine_t *engine, const dns_name_t *name,
    const char *text, const struct sockaddr_storage *sa, unsigned n);

#endif /* DNS_SERVERS_H_INCLUDED */
