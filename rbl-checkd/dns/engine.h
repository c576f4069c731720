/*
 * The query engine: sends DNS queries over UDP (TCP on truncation) and reports
 * the responses.  It knows nothing of blocklists.  One engine per process,
 * driven by libev; not thread-safe.
 *
 * Servers.  In resolver mode every query goes to the configured recursive
 * resolvers, with RD set, and any response counts.  In direct mode a query that
 * has a payer goes to the authoritative servers of the payer's zone, with RD
 * clear, and only authoritative responses count; the resolvers get the queries
 * for the addresses of these servers, for the targets of aliases that leave the
 * zone, and those without a payer.  The servers of a zone are its NS records'
 * addresses, or those that the zone above delegates it to, kept for their TTL
 * (5 minutes to a day), or those that the payer gives.  The engine follows
 * referrals below the zone.
 *
 * A query leaves on a connected UDP socket with a random id; sockets are
 * retired after a number of uses, so that source ports change.  A response
 * counts only if it came on that socket and its id, QR, opcode, single question
 * (name without regard to case, type, class) match; anything else is counted
 * and dropped.  EDNS 1232.
 *
 * A query has up to `tries` attempts, each by another socket and id, and to
 * another server if there are several.  The next attempt leaves as soon as a
 * response is overdue by the response times of the server and the pacing class
 * (RFC 6298, between 0.3 s and `timeout`).  A response to any attempt is
 * accepted until the last attempt has timed out, so that slow servers are not
 * missed.  The first good response counts; a failure counts only when no other
 * attempt is under way.
 *
 * Pacing: at most `max_in_flight` queries on the wire per server, at most
 * `zone_rate` a second for one pacing class, and of one class at most an eighth
 * of `max_in_flight` at a time, so that a dead list leaves room for the others.
 * Other queries wait inside the engine.
 *
 * While many queries are in flight, the loop polls at most every 200 us: the
 * engine sets its io_collect_interval.
 */

#ifndef DNS_ENGINE_H_INCLUDED
#define DNS_ENGINE_H_INCLUDED

#include <ev.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "rbl_metrics.h"
#include "rbl_validate.h"

#define DNS_MAX_RESOLVERS  8
#define DNS_MAX_SERVERS    8       /* of one zone */
#define DNS_MAX_ALLOW      32
#define DNS_MAX_A          64      /* public addresses behind one name */
#define DNS_MAX_CODES      4096    /* A records: as many as 64 KiB can hold */
#define DNS_TXT_MAX        1024
#define DNS_SERVER_TEXT  72

#define DNS_TYPE_A         1
#define DNS_TYPE_NS        2
#define DNS_TYPE_SOA       6
#define DNS_TYPE_MX        15
#define DNS_TYPE_TXT       16
#define DNS_TYPE_AAAA      28

typedef enum {
    DNS_NOERROR = 0,        /* with or without records of the queried type */
    DNS_NXDOMAIN,
    DNS_SERVFAIL,
    DNS_REFUSED,
    DNS_BADREPLY,           /* FORMERR, NOTIMP, other rcodes, or a reply that
                               matched and does not parse */
    DNS_TIMEOUT,            /* no matching response to any attempt */
    DNS_TRUNCATED,          /* truncated, and TCP gave no complete response */
    DNS_NETWORK,            /* no server could be reached */
    DNS_UNFOUND             /* direct mode: the zone's servers are not known */
} dns_status_t;

#define DNS_STATUSES  (DNS_UNFOUND + 1)

/* Does it say something of the name? */
#define dns_answered(status)                                                  \
    ((status) == DNS_NOERROR || (status) == DNS_NXDOMAIN)

typedef struct {
    dns_status_t     status;
    dns_status_t     search;            /* DNS_UNFOUND: the end of the search
                                           for the zone's servers: how the
                                           resolvers failed; NOERROR: they
                                           know none that may be used;
                                           NXDOMAIN: the parent denies the
                                           zone */
    unsigned         n_a;
    uint32_t         a[DNS_MAX_CODES];  /* host order; only the queried type, at
                                           the end of the CNAME chain */
    unsigned         n_aaaa;
    struct in6_addr  aaaa[DNS_MAX_A];
    size_t           txt_len;
    char             txt[DNS_TXT_MAX];  /* strings of one record joined,
                                           records by "\n"; raw bytes, cut */
    uint32_t         ttl;               /* least TTL of the records; negative
                                           response: from the SOA (RFC 2308); 0:
                                           unknown */
    unsigned         soa;               /* negative response: labels of the
                                           SOA's owner, with the root's; 0: no
                                           SOA, or it is of an alias' target */
    uint32_t         serial;            /* of the SOA in answer or authority */
    uint32_t         minimum;           /* MINIMUM of the SOA, which caches do
                                           not count down */
    unsigned         has_serial:1;      /* the response had an SOA of the
                                           zone */
    unsigned         aa:1;              /* authoritative */
    unsigned         alias:1;           /* the records belong to another name,
                                           by CNAME */
    unsigned         found:1;           /* there are records of the type */
    double           ms;                /* from first send to verdict */
    unsigned         tries;
    uint32_t         server;            /* id of the server that responded, or
                                           of the last attempt; after a referral
                                           the one that referred; see
                                           dns_servers */
} dns_answer_t;

typedef struct dns_engine_s    dns_engine_t;
typedef struct dns_query_s  dns_query_t;

/*
 * The payer of a query.  Budgets are kept per account, over all its own lists:
 * queries in flight, TCP connections and queries per second.  System lists have
 * none of these budgets, and their queries do not wait for those of own lists.
 * The caller sets all fields; unused ones are zero.
 */
typedef struct {
    const char  *zone;      /* of the list: its pacing class */
    uint64_t     account;   /* owner of the list, a unique number; 0: a system
                               list */
    unsigned     probe:1;   /* a test point or a random name, which is part of
                               no check */
    unsigned     tcp:1;     /* dns_ask_at: over TCP from the beginning; any
                               failure of it is DNS_TRUNCATED */

    /* Direct mode; account and zone name the zone's servers. */
    const char  *name;      /* the queried zone, with its key; NULL: as
                               `zone` */
    unsigned     n_servers;     /* at most DNS_MAX_SERVERS; 0: the engine finds
                                   the servers; otherwise only these are
                                   queried */
    const struct sockaddr_storage  *server;
} dns_payer_t;

/* The answer is valid during the call, which may make new queries. */
typedef void (*dns_done_pt)(void *data, const dns_answer_t *answer);

/* A line of the trace (trace.h), without a newline; valid during the call. */
typedef void (*dns_trace_pt)(void *data, const char *line, size_t n);

typedef struct {
    unsigned                 direct;         /* 1: query the zones' servers */
    unsigned                 n_allow;
    rbl_subnet_t             allow[DNS_MAX_ALLOW];   /* addresses of servers
                                                that need not be public */
    unsigned                 n_resolvers;
    struct sockaddr_storage  resolver[DNS_MAX_RESOLVERS];
    double                   timeout;        /* s, of the first attempt */
    unsigned                 tries;          /* 1..5; attempt n takes timeout *
                                                1.5^n; the query takes their sum
                                                at most */
    unsigned                 max_in_flight;  /* per server */
    double                   zone_rate;      /* queries per second per pacing
                                                class; 0: no limit */
    double                   own_rate;       /* queries a second for all own
                                                lists of one account; 0: no
                                                limit */
    unsigned                 socket_uses;    /* queries before a socket is
                                                retired */
    unsigned                 max_tcp;        /* parallel TCP fallbacks */
    dns_trace_pt             trace;          /* NULL: no trace */
    void                    *trace_data;
} dns_config_t;

typedef struct {
    uint64_t  queries, sent, replies, dropped, timeouts, tcp;
    uint64_t  hedged;       /* of `sent`: while an earlier attempt was in
                               flight */
    uint64_t  by_status[DNS_STATUSES];
    unsigned  in_flight, waiting;
} dns_counters_t;

/* Classes of latency: rbl_latency_bounds, and one for all slower responses. */
#define DNS_LATENCIES  (RBL_LATENCY_BOUNDS + 1)

typedef struct {
    uint64_t  sent, replies, timeouts;
    uint64_t  by_status[DNS_STATUSES];      /* verdicts, by the last server
                                               involved */
    uint64_t  latency[DNS_LATENCIES];       /* responses per class, not
                                               cumulative */
    double    seconds;                      /* sum of the response times */
    double    srtt, rto;                    /* s; 0: no response yet */
    unsigned  in_flight;
    unsigned  down:1;                       /* paused after failures */
} dns_server_counters_t;

/* NULL: a configuration out of range, or the system gave no random octets. */
dns_engine_t *dns_engine_new(struct ev_loop *loop, const dns_config_t *conf);

/*
 * Replaces the resolvers; direct mode only.  Queries under way stay with the
 * former ones.  An address that was a resolver before gets the same id.
 */
void dns_engine_resolvers(dns_engine_t *engine,
    const struct sockaddr_storage *sa, unsigned n);

/* Drops every query without calling back; must not be called from a call
   back. */
void dns_engine_free(dns_engine_t *engine);

/*
 * Queries the servers of payer->zone, or the resolvers if the payer is NULL or
 * the mode is not direct.  `name` (copied) has no trailing dot, at most 253
 * octets, labels of at most 63.  `payer` (copied) may be NULL: then there is no
 * pacing.  The call back comes exactly once, never from inside dns_ask, unless
 * the query is cancelled.  NULL: bad name, or the accounts' lists have too many
 * zones; no call back.
 *
 * While the engine looks for the servers of a zone its queries wait some
 * seconds at most; then they end with DNS_UNFOUND.
 */
dns_query_t *dns_ask(dns_engine_t *engine, const char *name, uint16_t type,
    const dns_payer_t *payer, dns_done_pt done, void *data);

/*
 * The same, but queries only that server of payer->zone, trusted or not, up or
 * down; not direct, or payer NULL: the resolver with that id.  If the zone
 * has no server with that id now, the status is DNS_UNFOUND.
 */
dns_query_t *dns_ask_at(dns_engine_t *engine, uint32_t server,
    const char *name, uint16_t type, const dns_payer_t *payer,
    dns_done_pt done, void *data);

/* Does the engine query the lists' own servers? */
int dns_direct(const dns_engine_t *engine);

/* Is the trace enabled?  Otherwise no lines need be made. */
int dns_tracing(const dns_engine_t *engine);

/*
 * The ids of the servers of payer->zone that are known now, trusted or not.
 * Returns their number; 0: none are known yet (dns_ask finds them).  Not
 * direct, or payer NULL: the resolvers, whose ids are their numbers in the
 * configuration, from 0 on, until they are replaced.  An id belongs to one
 * address and account, and is never reused during the life of the engine; a
 * zone that moves gets other ids.
 */
unsigned dns_servers(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t ids[DNS_MAX_SERVERS]);

/*
 * dns_ask uses a distrusted server of that zone only if no trusted one is left.
 * Servers begin trusted.  The setting lasts while the server belongs to the
 * zone.  An unknown id is ignored.
 */
void dns_server_trust(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t server, int trusted);

/* Was the query sent at least once? */
int dns_sent(const dns_query_t *q);

/*
 * Do the queries for that list time out, while other lists respond?  Then one
 * query is sent from time to time, and the others end with DNS_TIMEOUT at once.
 * The first response ends this.
 */
int dns_mute(dns_engine_t *engine, const dns_payer_t *payer);

/*
 * Seconds until the budget of the payer's account permits another query, behind
 * those that wait already; 0: at once, and for system lists.
 */
double dns_behind(dns_engine_t *engine, const dns_payer_t *payer);

/* Cancels the call back, which must not have run yet.  NULL: no effect. */
void dns_cancel(dns_query_t *q);

const dns_counters_t *dns_engine_counters(const dns_engine_t *engine);

/* Counters of the server with that id; NULL: no such server. */
const dns_server_counters_t *dns_server_counters(dns_engine_t *engine,
    uint32_t server);

/* Is the name valid for dns_ask? */
int dns_name_ok(const char *name);

/*
 * Parses "127.0.0.1", "127.0.0.1@5353", "::1@53", "[::1]:53",
 * "fe80::1%eth0".  0, or -1: invalid, or there is no such interface.  The
 * default port is 53.
 */
int dns_server_parse(struct sockaddr_storage *sa, const char *text);

/* Has this machine a route to the address?  Sends nothing; other errors than a
   missing route are ignored. */
int dns_address_routed(const struct sockaddr_storage *sa);

/* The address of that server in the same form; "" if there is no such
   server. */
void dns_server_text(const dns_engine_t *engine, uint32_t server,
    char buf[DNS_SERVER_TEXT]);

#endif /* DNS_ENGINE_H_INCLUDED */
