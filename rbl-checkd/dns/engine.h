/*
 * The question engine: asks resolvers over UDP (TCP on truncation) and says
 * what came back.  It knows nothing of lists.  One engine per process, driven
 * by libev; not thread-safe.
 *
 * A question goes out on a connected UDP socket with a random id; sockets are
 * retired after a number of uses, so that source ports change.  A reply counts
 * only if it came on that socket and its id, QR, opcode, single question
 * (name without regard to case, type, class) match; anything else is counted
 * and dropped.  EDNS 1232.
 *
 * A question is asked `tries` times, each time by another socket and id, and
 * by the next resolver where there are several.  The next try leaves as soon
 * as an answer is overdue by what resolver and pacing class have needed before
 * (RFC 6298, between 0.3 s and `timeout`), but every try is listened to until
 * the last one's time is up: whoever is slow and alive is heard.  The first
 * good answer counts, and a failure only when no other try is under way.
 *
 * Pacing: at most `max_in_flight`
 * questions on the wire per resolver, at most `zone_rate` a second for one
 * pacing class, and of one class at most an eighth of `max_in_flight` at a
 * time, so that a dead list leaves room for the others.  The rest waits its
 * turn inside the engine.
 *
 * While many questions are on their way the loop looks for what has come in
 * at most every 200 us: the engine sets its io_collect_interval.
 */

#ifndef DNS_ENGINE_H_INCLUDED
#define DNS_ENGINE_H_INCLUDED

#include <ev.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "rbl_metrics.h"

#define DNS_MAX_RESOLVERS  8
#define DNS_MAX_A          64      /* addresses that a name may be used by */
#define DNS_MAX_CODES      4096    /* A records: as many as 64 KiB can hold */
#define DNS_TXT_MAX        1024
#define DNS_RESOLVER_TEXT  64

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
    DNS_NETWORK             /* no resolver could be sent to */
} dns_status_t;

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
    unsigned         alias:1;           /* it is another name's, by CNAME */
    double           ms;                /* from first send to verdict */
    unsigned         tries;
    unsigned         resolver;          /* that of the last try */
} dns_answer_t;

typedef struct dns_engine_s    dns_engine_t;
typedef struct dns_question_s  dns_question_t;

/*
 * Who pays for a query.  Budgets are kept per account, over all its own lists:
 * queries in flight, TCP connections and queries a second.  System lists have
 * none of these budgets, and their queries do not wait for those of own lists.
 */
typedef struct {
    const char  *zone;      /* of the list: its pacing class */
    uint64_t     account;   /* whose own list it is, a number that no other
                               account has; 0: a system list */
    unsigned     probe:1;   /* a test point or a random name, which the daemon
                               asks for its own sake */
} dns_payer_t;

/* The answer lives during the call.  New questions may be asked from it. */
typedef void (*dns_done_pt)(void *data, const dns_answer_t *answer);

typedef struct {
    unsigned                 n_resolvers;
    struct sockaddr_storage  resolver[DNS_MAX_RESOLVERS];
    double                   timeout;        /* s, of the first try */
    unsigned                 tries;          /* 1..5; later tries wait longer:
                                                timeout * 1.5^n; all of them
                                                together the sum of that */
    unsigned                 max_in_flight;  /* per resolver */
    double                   zone_rate;      /* questions a second per pacing
                                                class; 0: no limit */
    double                   own_rate;       /* queries a second for all own
                                                lists of one account; 0: no
                                                limit */
    unsigned                 socket_uses;    /* then it is retired */
    unsigned                 max_tcp;        /* parallel TCP fallbacks */
} dns_config_t;

typedef struct {
    uint64_t  questions, sent, replies, dropped, timeouts, tcp;
    uint64_t  hedged;       /* of `sent`: while an earlier try was waited for */
    uint64_t  by_status[DNS_NETWORK + 1];
    unsigned  in_flight, waiting;
} dns_counters_t;

/* Classes of latency: rbl_latency_bounds, and all that is slower. */
#define DNS_LATENCIES  (RBL_LATENCY_BOUNDS + 1)

typedef struct {
    uint64_t  sent, replies, timeouts;
    uint64_t  by_status[DNS_NETWORK + 1];   /* verdicts, by the last resolver
                                               that had a part in them */
    uint64_t  latency[DNS_LATENCIES];       /* of replies, each class alone */
    double    seconds;                      /* of all these together */
    double    srtt, rto;                    /* s; 0: no reply yet */
    unsigned  in_flight;
    unsigned  down:1;                       /* left alone for the moment */
} dns_resolver_counters_t;

/* NULL: out of memory, or a configuration out of range. */
dns_engine_t *dns_engine_new(struct ev_loop *loop, const dns_config_t *conf);

/* Drops every question without calling back; not to be called from one. */
void dns_engine_free(dns_engine_t *engine);

/*
 * Asks.  `name` without trailing dot, at most 253 octets, labels at most 63
 * (copied).  `payer` (copied) may be NULL: nothing is paced then.
 * The call back always comes exactly once, never from inside dns_ask, unless
 * the question is cancelled.  NULL: bad name or out of memory, no call back.
 */
dns_question_t *dns_ask(dns_engine_t *engine, const char *name, uint16_t type,
    const dns_payer_t *payer, dns_done_pt done, void *data);

/*
 * The same, but only that resolver is ever asked (its number in the
 * configuration), healthy or not.
 */
dns_question_t *dns_ask_at(dns_engine_t *engine, unsigned resolver,
    const char *name, uint16_t type, const dns_payer_t *payer,
    dns_done_pt done, void *data);

/* Was it sent at least once? */
int dns_sent(const dns_question_t *q);

/*
 * Do the queries for that list time out, while others are answered?  Then one
 * is tried now and then, and the others end with DNS_TIMEOUT at once.  The
 * first reply ends it.
 */
int dns_mute(const dns_engine_t *engine, const dns_payer_t *payer);

/* The call back will not come; the question must not have been answered. */
void dns_cancel(dns_question_t *q);

const dns_counters_t *dns_engine_counters(const dns_engine_t *engine);

/* By its number in the configuration; NULL: there is none. */
const dns_resolver_counters_t *dns_engine_resolver(dns_engine_t *engine,
    unsigned n);

/* Seconds that only ever grow; all times of the checker are of this clock. */
double dns_clock(void);

/* May it be asked: is it a name as dns_ask wants it? */
int dns_name_ok(const char *name);

/*
 * "127.0.0.1", "127.0.0.1@5353", "::1@53", "[::1]:53" -> address.
 * 0, or -1: not of that form.  Port 53 if none is given.
 */
int dns_resolver_parse(struct sockaddr_storage *sa, const char *text);

/* That resolver's address in the same form; "" if there is none. */
void dns_resolver_text(const dns_engine_t *engine, unsigned resolver,
    char buf[DNS_RESOLVER_TEXT]);

#endif /* DNS_ENGINE_H_INCLUDED */
