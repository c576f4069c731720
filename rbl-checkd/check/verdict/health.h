/*
 * Health of lists: each list, family and server is tested by the test points of
 * RFC 5782, section 5, bypassing all own caches, and the state of the list
 * follows from the responses.  A server is one of the list's own servers in
 * direct mode, and a recursive resolver otherwise (dns_servers).
 *
 * "Not listed" is trusted only if the positive test point passes, "listed" only
 * if the negative one does.  Together with the negative one a random name is
 * queried, which no cache can have, and two names that no list should contain,
 * since a wildcard does not cover the siblings of existing names (RFC 4592).  A
 * sample of 22 such names is queried before a listing is announced: it finds a
 * server that is wildcarding for only half of its queries.  An account's own
 * list without a positive test point has no sample: there could be hundreds of
 * them, and their account's budget is for its hosts.
 *
 * In direct mode the engine learns which servers pass (dns_server_trust).  A
 * list whose name servers cannot be found is unreachable.  When several lists
 * are silent or unreachable and none responds, DNS is at fault, not the lists;
 * in resolver mode the resolver is at fault (health_dns).  Lists whose servers
 * the operator gave are used meanwhile, behind a resolver while they pass: they
 * may be on this machine, and say nothing of DNS while lists are in use whose
 * servers have to be found.
 *
 * Times are those of clock_now().
 */

#ifndef HEALTH_H_INCLUDED
#define HEALTH_H_INCLUDED

#include <ev.h>

#include "check/lists/lists.h"
#include "dns/engine.h"
#include "rbl_list_reason.h"
#include "rbl_validate.h"

typedef enum {
    HEALTH_UNTRIED = 0,
    HEALTH_GOOD,            /* its test points pass, or none are known to
                               exist for this list */
    HEALTH_BLOCKED,         /* refuses queries of this resolver */
    HEALTH_WILDCARDING,     /* lists every name, or responds with addresses
                               outside 127/8 */
    HEALTH_DOWN,            /* no response, or its positive test point is
                               gone */
    HEALTH_UNSUPPORTED,     /* no data of this family, while another is good */
    HEALTH_RESOLVER,        /* DNS is to blame: see health_dns */
    HEALTH_UNREACHABLE      /* direct mode: its name servers cannot be found */
} health_state_t;

#define HEALTH_TTL_MAX     86400u       /* s that a resolver keeps an address */
#define HEALTH_NONE_MAX    3600u        /* and that a name does not exist */

extern const char *const  health_state_names[];     /* "untried", "good", ... */

typedef struct {
    health_state_t  state;
    double          recovered;  /* when it was last found to be good again
                                   after it was not, in resolver mode through
                                   any resolver; 0: never */
    double          passed;     /* when the last run of test points began that
                                   the server passed; 0: never */
    double          sampled;    /* the same of a run with a sample */
    double          sent;       /* of that run: when the last of its queries was
                                   sent, at the latest */
    uint32_t        positive_ttl;   /* s that a cache keeps the positive test
                                       point at most */
    uint32_t        negative_ttl;   /* the same for names that do not exist */
    unsigned        negative_soa;   /* and labels of its SOA's owner; 0: not
                                       known */
    double          wild_until; /* until when caches may keep listings of the
                                   time when it was wildcarding; 0: none */
    uint32_t        serial;     /* of its SOA in the last run */
    unsigned        has_serial:1;
    unsigned        keeps_soa:1;    /* the resolver is known to pass on SOA
                                       records as they are */
    unsigned        soa_asked:1;    /* that will be known in a moment */
    unsigned        unproven:1; /* no positive test point is known: only time
                                   shows that the list is not empty */
    unsigned        dead:1;     /* it had one, or a zone of its own, and has
                                   lost it */
    unsigned        unasked:1;  /* it has no test points of any kind */
    unsigned        recalled:1; /* the evidence of other daemons is known
                                   (health_recall) */
} health_verdict_t;

typedef enum {
    HEALTH_KNOWN,           /* as it was found within the last minutes */
    HEALTH_BOTH,            /* all test points, queried from now on */
    HEALTH_SAMPLE,          /* and a sample */
    HEALTH_FORCE            /* also of a list that has no test points */
} health_need_t;

typedef struct health_s    health_t;
typedef struct health_q_s  health_q_t;

typedef void (*health_done_pt)(void *data, const health_verdict_t *verdict);

health_t *health_new(struct ev_loop *loop, dns_engine_t *dns);
void health_free(health_t *health);

/*
 * Evidence that a process cannot find again after a restart.  The call back
 * comes from inside the call that has found it.
 */
typedef enum {
    HEALTH_NEWS_WILDCARD,   /* the list was wildcarding; reported each time */
    HEALTH_NEWS_RECOVERED,  /* the wildcard is gone */
    HEALTH_NEWS_TTL,        /* resolver mode: the largest TTL of its positive
                               test point; reported when it grows, and once a
                               day */
    HEALTH_NEWS_LIFE        /* of a list that has no test point, or need not
                               have one; reported once a day */
} health_news_what_t;

typedef struct {
    health_news_what_t   what;
    const list_t        *list;
    rbl_family_t         family;
    uint32_t             server;
    uint32_t             ttl;           /* of a wildcard's listing, or of the
                                           test point */
    double               age;           /* s since it passed its test points */
    unsigned             has_point;     /* 1: it has its positive test point */
    unsigned             soa;           /* dns_answer_t: the most labels of the
                                           SOA's owner in negative responses;
                                           0: not known */
} health_news_t;

typedef void (*health_news_pt)(void *data, const health_news_t *news);

/* Sets the one listener; NULL: none. */
void health_listen(health_t *health, health_news_pt listen, void *data);

/* A list has listed a host with that TTL.  While the list is wildcarding, the
   listing may be false. */
void health_note_listing(health_t *health, const list_t *list,
    rbl_family_t family, uint32_t server, uint32_t ttl);

/* First interval between runs of a list that fails (s); 30 without a call. */
void health_retry_after(health_t *health, double seconds);

/*
 * The state found within the last minutes.  0: not known, call health_ask with
 * HEALTH_KNOWN.
 */
int health_look(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, health_verdict_t *verdict);

/*
 * The list has responded.  Failures (SERVFAIL, timeouts) do not count, nor, in
 * resolver mode, refusals.
 */
void health_heard(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, dns_status_t status);

/* Seconds since a list responded last, or since the start. */
double health_quiet(const health_t *health);

/* 1: no list has responded since the start. */
int health_unheard(const health_t *health);

/*
 * Resolver mode: seconds since the positive test point of a list was found
 * through the resolver (its number), or since the start.
 */
double health_unproven(const health_t *health, unsigned resolver);

/*
 * Direct mode: a query to the list ended with DNS_UNFOUND, and `search` is why
 * (dns_answer_t).  The list is unreachable until it responds or its servers are
 * found.  Returns its state: HEALTH_UNREACHABLE, or HEALTH_RESOLVER if DNS is
 * at fault.
 */
health_state_t health_unfound(health_t *health, const list_t *list,
    dns_status_t search);

/*
 * A response of the list was no verdict.  Queries its test points, unless that
 * was done lately, so that the state is known and logged.
 */
void health_doubt(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server);

/* The same, also if the list is known to fail and its next test is not due. */
void health_test(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server);

/*
 * The call back comes exactly once, never from inside this call, unless the
 * request is dropped.  One run of test points serves all waiting callers.
 * NULL: no such resolver.
 */
health_q_t *health_ask(health_t *health, const list_t *list,
    rbl_family_t family, uint32_t server, health_need_t need,
    health_done_pt done, void *data);
void health_drop(health_q_t *q);        /* NULL: no effect */

/* Does the state make the list's responses worthless? */
int health_bad(health_state_t state);

/*
 * The servers of the list disagree.  1: log it; 0: that was logged lately.
 */
int health_disagree(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server);

/*
 * Evidence of other daemons (evidence.h): the list has had its test point
 * (entry), and an SOA with that many labels.
 */
void health_recall(health_t *health, const list_t *list, rbl_family_t family,
    uint32_t server, int had_point, unsigned soa);

/*
 * Direct mode: tests servers of the list again that failed, when it is time.
 * To be called now and then while the list is in use.
 */
void health_watch(health_t *health, const list_t *list, rbl_family_t family);

/*
 * Has another list passed through the same resolver since then (direct mode:
 * any other list), so that neither the resolver nor the network is to blame for
 * this list's failure?
 */
int health_vouches(const health_t *health, uint32_t server,
    const list_t *list, double since);

/* The list's server after that one; behind the last the first. */
uint32_t health_server_next(const health_t *health, const list_t *list,
    uint32_t server);

/* Steps through the present results, without any query; *at is 0 at first.  0:
   no more. */
typedef struct {
    const char         *sid, *zone;
    rbl_family_t        family;
    uint32_t            server; /* HEALTH_NO_SERVER: none is known */
    health_state_t      state;
    unsigned            unsure:1;   /* the first failure: in a moment it is
                                       known whether DNS is at fault */
    rbl_list_reason_t   why;
    double              since;  /* when the state began */
} health_known_t;

#define HEALTH_NO_SERVER  UINT32_MAX

int health_each(const health_t *health, size_t *at, health_known_t *known);

/*
 * Does DNS work here?  The state begins when lists fail and none responds; it
 * ends with a response that comes ten seconds after the first one, or later, so
 * that a network that works for a second each minute does not work.
 */
typedef enum {
    HEALTH_DNS_WORKS = 0,
    HEALTH_DNS_RESOLVER,    /* a resolver gives no or false responses */
    HEALTH_DNS_UDP,         /* direct mode: the resolver answers, the servers of
                               the lists do not */
    HEALTH_DNS_TCP          /* the same, over TCP only */
} health_dns_kind_t;

extern const char *const  health_dns_names[];       /* "works", "resolver" */

typedef struct {
    health_dns_kind_t  kind;
    int64_t            since;       /* ms since 1970 */
    unsigned           lists;       /* that showed it */
    unsigned           denies:1;    /* the resolver denies all names */
    char               server[DNS_SERVER_TEXT];     /* a resolver, or a name
                                                       server of a list */
    char               why[384];    /* a clause */
    char               command[384];    /* that shows the fault */
} health_dns_t;

/* Several resolvers may be at fault: gets the first of them, and returns their
   number; 0 or 1 in direct mode. */
unsigned health_dns(const health_t *health, health_dns_t *dns);

#endif /* HEALTH_H_INCLUDED */
