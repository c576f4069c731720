/*
 * The query engine: sends DNS queries over UDP (TCP on truncation) and reports
 * the responses.  It knows nothing of blocklists.  One engine per process,
 * driven by libev; not thread-safe.
 *
 * Servers.  In resolver mode every query goes to the configured recursive
 * resolvers, with RD set, and any response counts.  In direct mode a query that
 * has a payer goes to the authoritative servers of the payer's zone, with RD
 * clear, and only authoritative responses count; the resolvers are asked where
 * those servers are, for the targets of aliases that leave the zone, and for
 * queries without a payer.  The servers of a zone are its NS records'
 * addresses, kept for their TTL (5 minutes to a day), or those that the payer
 * gives.  The engine follows referrals below the zone.
 *
 * A query leaves on a connected UDP socket with a random id; sockets are
 * retired after a number of uses, so that source ports change.  A response
 * counts only if it came on that socket and its id, QR, opcode, single question
 * (name without regard to case, type, class) match; anything else is counted
 * and dropped.  EDNS 1232.
 *
 * A query is tried `tries` times, each time by another socket and id, and at
 * another server where there are several.  The next try leaves as soon as a
 * response is overdue by what server and pacing class have needed before
 * (RFC 6298, between 0.3 s and `timeout`), but every try is listened to until
 * the last one's time is up, so that slow servers are heard.  The first good
 * response counts, and a failure only when no other try is under way.
 *
 * Pacing: at most `max_in_flight` queries on the wire per server, at most
 * `zone_rate` a second for one pacing class, and of one class at most an eighth
 * of `max_in_flight` at a time, so that a dead list leaves room for the others.
 * The rest waits inside the engine.
 *
 * While many queries are on their way the loop looks for what has come in at
 * most every 200 us: the engine sets its io_collect_interval.
 */

#ifndef DNS_ENGINE_H_INCLUDED
#define DNS_ENGINE_H_INCLUDED

#include <ev.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "rbl_metrics.h"
#include "rbl_validate.h"

#define DNS_MAX_RESOLVERS  8
#define DNS_MAX_SERVERS    8       /* of one zone */
#define DNS_MAX_ALLOW      32
#define DNS_MAX_A          64      /* addresses that a name may be used by */
#define DNS_MAX_CODES      4096    /* A records: as many as 64 KiB can hold */
#define DNS_TXT_MAX        1024
#define DNS_SERVER_TEXT  64

#define DNS_TYPE_A         1
#define DNS_TYPE_NS        2
#define DNS_TYPE_SOA       6
#define DNS_TYPE_TXT       16
#define DNS_TYPE_AAAA      28

typedef enum {
    DNS_NOERROR = 0,        /* with or without answers of the asked type */
    DNS_NXDOMAIN,
    DNS_SERVFAIL,
    DNS_REFUSED,
    DNS_BADREPLY,           /* FORMERR, NOTIMP, other rcodes, or a reply that
                               matched and does not parse */
    DNS_TIMEOUT,            /* no matching reply to any try */
    DNS_TRUNCATED,          /* truncated, and TCP gave no whole answer */
    DNS_NETWORK,            /* no server could be sent to */
    DNS_UNFOUND             /* direct mode: the zone's servers are not known */
} dns_status_t;

#define DNS_STATUSES  (DNS_UNFOUND + 1)

typedef struct {
    dns_status_t     status;
    unsigned         n_a;
    uint32_t         a[DNS_MAX_CODES];  /* host order; only the asked type,
                                           after following the CNAME chain */
    unsigned         n_aaaa;
    struct in6_addr  aaaa[DNS_MAX_A];
    size_t           txt_len;
    char             txt[DNS_TXT_MAX];  /* strings of one record joined,
                                           records by "\n"; raw bytes, cut */
    uint32_t         ttl;               /* least TTL of the answer; negative:
                                           from the SOA (RFC 2308); 0 unknown */
    unsigned         soa;               /* negative: labels of the SOA's owner,
                                           with the root's; 0: there is none,
                                           or it is that of an alias' target */
    uint32_t         serial;            /* of the SOA in answer or authority */
    uint32_t         minimum;           /* its MINIMUM, which caches do not
                                           count down */
    unsigned         has_serial:1;      /* there was an SOA of the zone */
    unsigned         aa:1;              /* authoritative */
    unsigned         gone:1;            /* DNS_UNFOUND: the parent's servers
                                           say that there is no such zone */
    unsigned         alias:1;           /* it is another name's, by CNAME */
    double           ms;                /* from first send to verdict */
    unsigned         tries;
    uint32_t         server;            /* id of the server that responded, or
                                           of the last try; after a referral
                                           the one that referred; see
                                           dns_servers */
} dns_answer_t;

typedef struct dns_engine_s    dns_engine_t;
typedef struct dns_question_s  dns_question_t;

/*
 * Who pays for a query.  Budgets are kept per account, over all its own lists:
 * queries in flight, TCP connections and queries a second.  System lists have
 * none of these budgets, and their queries do not wait for those of own lists.
 * Set all fields; those that are not needed to zero.
 */
typedef struct {
    const char  *zone;      /* of the list: its pacing class */
    uint64_t     account;   /* whose own list it is, a number that no other
                               account has; 0: a system list */
    unsigned     probe:1;   /* a test point or a random name, which the daemon
                               asks for its own sake */

    /* Direct mode; account and zone name the zone's servers. */
    const char  *name;      /* the zone as it is asked, with its key; NULL: as
                               `zone` */
    unsigned     n_servers;     /* at most DNS_MAX_SERVERS; 0: the engine finds
                                   the servers; else only these are asked */
    const struct sockaddr_storage  *server;
} dns_payer_t;

/* The answer lives during the call.  New queries may be made from it. */
typedef void (*dns_done_pt)(void *data, const dns_answer_t *answer);

/* A line of the trace (trace.h), without an end; it lives during the call. */
typedef void (*dns_trace_pt)(void *data, const char *line, size_t n);

typedef struct {
    unsigned                 direct;         /* 1: ask the zones' servers */
    unsigned                 n_allow;
    rbl_subnet_t             allow[DNS_MAX_ALLOW];   /* addresses of servers
                                                that need not be public */
    unsigned                 n_resolvers;
    struct sockaddr_storage  resolver[DNS_MAX_RESOLVERS];
    double                   timeout;        /* s, of the first try */
    unsigned                 tries;          /* 1..5; later tries wait longer:
                                                timeout * 1.5^n; all of them
                                                together the sum of that */
    unsigned                 max_in_flight;  /* per server */
    double                   zone_rate;      /* questions a second per pacing
                                                class; 0: no limit */
    double                   own_rate;       /* queries a second for all own
                                                lists of one account; 0: no
                                                limit */
    unsigned                 socket_uses;    /* then it is retired */
    unsigned                 max_tcp;        /* parallel TCP fallbacks */
    dns_trace_pt             trace;          /* NULL: nobody listens */
    void                    *trace_data;
} dns_config_t;

typedef struct {
    uint64_t  questions, sent, replies, dropped, timeouts, tcp;
    uint64_t  hedged;       /* of `sent`: while an earlier try was waited for */
    uint64_t  by_status[DNS_STATUSES];
    unsigned  in_flight, waiting;
} dns_counters_t;

/* Classes of latency: rbl_latency_bounds, and all that is slower. */
#define DNS_LATENCIES  (RBL_LATENCY_BOUNDS + 1)

typedef struct {
    uint64_t  sent, replies, timeouts;
    uint64_t  by_status[DNS_STATUSES];      /* verdicts, by the last server
                                               that had a part in them */
    uint64_t  latency[DNS_LATENCIES];       /* of replies, each class alone */
    double    seconds;                      /* of all these together */
    double    srtt, rto;                    /* s; 0: no reply yet */
    unsigned  in_flight;
    unsigned  down:1;                       /* left alone for the moment */
} dns_server_counters_t;

/* NULL: out of memory, or a configuration out of range. */
dns_engine_t *dns_engine_new(struct ev_loop *loop, const dns_config_t *conf);

/* Drops every question without calling back; not to be called from one. */
void dns_engine_free(dns_engine_t *engine);

/*
 * Asks the servers of payer->zone, or the resolvers if the payer is NULL or the
 * mode is not direct.  `name` without trailing dot, at most 253 octets, labels
 * at most 63 (copied).  `payer` (copied) may be NULL: nothing is paced then.
 * The call back always comes exactly once, never from inside dns_ask, unless
 * the query is cancelled.  NULL: bad name or out of memory, no call back.
 *
 * While the servers of a zone are being found its queries wait, bounded by some
 * seconds; then they end with DNS_UNFOUND.
 */
dns_question_t *dns_ask(dns_engine_t *engine, const char *name, uint16_t type,
    const dns_payer_t *payer, dns_done_pt done, void *data);

/*
 * The same, but only that server of payer->zone is queried, trusted or not, up
 * or down; not direct, or payer NULL: the resolver with that number.  If the
 * zone has no server with that id (now) the answer is DNS_UNFOUND.
 */
dns_question_t *dns_ask_at(dns_engine_t *engine, uint32_t server,
    const char *name, uint16_t type, const dns_payer_t *payer,
    dns_done_pt done, void *data);

/* Are the lists' own servers asked? */
int dns_direct(const dns_engine_t *engine);

/* Does anybody listen to the trace?  Only then lines need be made. */
int dns_tracing(const dns_engine_t *engine);

/*
 * The ids of the servers of payer->zone that are known now, trusted or not:
 * how many; 0: none are known yet (dns_ask finds them).  Not direct, or payer
 * NULL: the resolvers, whose ids are their numbers in the configuration, from
 * 0 on.  An id belongs to one address and account, and is never given twice
 * while the engine lives; a zone that moves gets others.
 */
unsigned dns_servers(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t ids[DNS_MAX_SERVERS]);

/*
 * A distrusted server of that zone is asked by dns_ask only if no trusted one
 * is left.  Servers begin trusted.  What is said lasts while the server belongs
 * to the zone.  An unknown id: nothing happens.
 */
void dns_server_trust(dns_engine_t *engine, const dns_payer_t *payer,
    uint32_t server, int trusted);

/* Was it sent at least once? */
int dns_sent(const dns_question_t *q);

/*
 * Do the queries for that list time out, while others are answered?  Then one
 * is tried now and then, and the others end with DNS_TIMEOUT at once.  The
 * first reply ends it.
 */
int dns_mute(const dns_engine_t *engine, const dns_payer_t *payer);

/*
 * Seconds until the budget of the payer's account lets another query go out,
 * behind those that wait already; 0: at once, and for system lists.
 */
double dns_behind(const dns_engine_t *engine, const dns_payer_t *payer);

/* The call back will not come; the question must not have been answered. */
void dns_cancel(dns_question_t *q);

const dns_counters_t *dns_engine_counters(const dns_engine_t *engine);

/* Of the server with that id; NULL: there is none. */
const dns_server_counters_t *dns_server_counters(dns_engine_t *engine,
    uint32_t server);

/* One server of one zone; valid during the call. */
typedef struct {
    const char                   *zone;     /* payer->zone */
    uint64_t                      account;
    const char                   *text;     /* its address */
    uint32_t                      server;
    unsigned                      trusted:1;
    unsigned                      has_serial:1;
    uint32_t                      serial;   /* last one seen in a response */
    const dns_server_counters_t  *counters;
} dns_server_of_t;

/* Walks over all servers of all zones that are known; resolvers are none. */
void dns_servers_each(dns_engine_t *engine,
    void (*each)(void *data, const dns_server_of_t *server), void *data);

/* Seconds that only ever grow; all times of the checker are of this clock. */
double dns_clock(void);

/* May it be asked: is it a name as dns_ask wants it? */
int dns_name_ok(const char *name);

/*
 * "127.0.0.1", "127.0.0.1@5353", "::1@53", "[::1]:53" -> address.
 * 0, or -1: not of that form.  Port 53 if none is given.
 */
int dns_server_parse(struct sockaddr_storage *sa, const char *text);

/* That server's address in the same form; "" if there is none. */
void dns_server_text(const dns_engine_t *engine, uint32_t server,
    char buf[DNS_SERVER_TEXT]);

#endif /* DNS_ENGINE_H_INCLUDED */
