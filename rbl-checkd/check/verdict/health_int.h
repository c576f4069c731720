/*
 * Declarations of health's files.  health.c has the waiting callers and the
 * states.  health_entry.c has the entries, and reports news of them to other
 * daemons.  health_run.c queries the test points and a sample, and judges the
 * SOA records of a resolver; health_judge.c judges responses.  health_reach.c
 * notes responses and their absence.  health_dns.c distinguishes a dead list
 * from a dead resolver, and reports it.
 */

#ifndef HEALTH_INT_H_INCLUDED
#define HEALTH_INT_H_INCLUDED

#include "base/link.h"
#include "base/timer.h"
#include "check/lists/names.h"
#include "health.h"

#define HEALTH_ENTRIES     4096         /* kept; more only while all are busy */
#define HEALTH_SLOTS       1024         /* a power of two */
#define HEALTH_KEEP        600.0        /* s that a good verdict is kept */
#define HEALTH_PACE        0.25         /* s between two runs of one entry */
#define HEALTH_GATHER      0.001        /* s in which requests join one run */
#define HEALTH_BAD_MIN     30.0         /* s between the runs of a bad list */
#define HEALTH_BAD_MAX     3600.0
#define HEALTH_LOST_MIN    5.0          /* of lists of a bad resolver */
#define HEALTH_LOST_MAX    30.0
#define HEALTH_DNS_SURE    10.0         /* from the first response until DNS
                                           works again */
#define HEALTH_BLAME       3            /* lists that fail through one */
#define HEALTH_SEARCHED    600.0        /* s for which health_apart holds */
#define HEALTH_WILD_MAX    604800       /* s that a resolver caches a
                                           response */
#define HEALTH_WILD_SLACK  2.0
#define HEALTH_RECALL      3600.0       /* s for which evidence of other daemons
                                           holds */

#define HEALTH_POINTS      5            /* positive, negative, random, and two
                                           of a sample */

/* The outcome of one test point; a higher value is worse. */
typedef enum {
    POINT_NONE = 0,                     /* not queried */
    POINT_OK,
    POINT_MISSING,                      /* the list does not know it */
    POINT_SILENT,                       /* no response, or none that counts */
    POINT_BLOCKED,
    POINT_WILDCARD
} point_state_t;

typedef struct {
    point_state_t      state;
    rbl_list_reason_t  why;
    unsigned       empty:1;             /* missing, but the name exists */
    unsigned       wildcard:1;          /* a name was listed that no list should
                                           contain */
    unsigned       tcp:1;               /* silent over TCP */
    unsigned       moved:1;             /* silent, since the server is no longer
                                           one of the list's */
} health_found_t;

typedef struct health_entry_s  health_entry_t;

typedef struct {
    health_entry_t   *entry;
    dns_query_t      *query;            /* NULL: none is under way */
    int               kind;             /* names_point_t */
    uint32_t          ttl;              /* of a wildcard's listing */
    health_found_t    found;
} health_point_t;

struct health_q_s {
    link_t           link;              /* in entry->waiting, or in ready */
    health_t        *health;
    health_need_t    need;
    double           after;             /* a run that began before does not
                                           count */
    health_done_pt   done;
    void            *data;
    health_verdict_t verdict;
};

/* A run of the test points. */
typedef struct {
    double            began;            /* the last one; 0: never */
    unsigned          open;             /* queries under way; 0: no run */
    double            sent;             /* when the last of them was sent */
    uint32_t          ttl;              /* the largest of negative responses */
    unsigned          soa;              /* of such as have the most labels */
    health_q_t       *sibling;          /* is the list good for IPv4? */
    struct health_sample_s  *sample;    /* NULL: none */
    health_point_t    point[HEALTH_POINTS];
} health_run_t;

/* The result of the last run that has ended, or of a test without a run. */
typedef struct {
    health_state_t    state;
    rbl_list_reason_t why;
    double            at;               /* when it began; 0: none */
    unsigned          empty:1;          /* responses were empty */
    unsigned          proven:1;         /* the positive test point passed */
    unsigned          silent:1;         /* a test point had no response, and
                                           nothing is worse; or the servers of
                                           the list were not found */
    unsigned          denied:1;         /* and the resolver gave responses: it
                                           may deny all names */
    unsigned          tcp:1;            /* silent over TCP only */
} health_result_t;

/* The query for the SOA record of the list's zone. */
typedef struct {
    dns_query_t      *query;            /* NULL: none is under way */
    unsigned          owner;            /* beside it, as in the run */
    uint32_t          minimum;
    unsigned          none:1;           /* there was none of any kind */
    unsigned          over:1;           /* it has ended once */
} health_soa_query_t;

/* The last reports to other daemons. */
typedef struct {
    double            life;             /* when its test point or zone was */
    uint32_t          ttl;              /* of the positive test point */
    double            ttl_at;           /* when that was; 0: never */
} health_reported_t;

struct health_entry_s {
    health_entry_t   *next;             /* in its slot */
    link_t            use;              /* in health->used */
    health_t         *health;
    size_t            index;            /* in health->all */
    list_t           *list;
    const char       *owner;            /* of the list (names_owner) */
    rbl_family_t      family;
    uint32_t          server;           /* HEALTH_NO_SERVER: the list is
                                           unreachable */
    unsigned          group;            /* in health->resolver */
    unsigned          has_negative:1;   /* test points that the list has */
    unsigned          has_positive:1;
    unsigned          had_point:1;      /* it has had the positive test point
                                           that it need not have */
    unsigned          lost:1;           /* and has lost it */
    double            recalled;         /* when the evidence of other daemons
                                           came last */
    double            disagreed;        /* when that was logged last */
    double            watched;          /* when the list's other servers were
                                           looked at */
    health_reported_t  news;

    unsigned          mute:1;           /* its queries time out, though its test
                                           points may get responses */
    double            mute_since;
    health_state_t    state;            /* the list's own */
    rbl_list_reason_t why;
    double            since;
    double            checked;          /* when that was found; 0: to be tested
                                           again */
    double            retry, wait;      /* of a bad one */

    health_verdict_t  v;                /* as runs have found it; the rest is
                                           derived (verdict_of) */
    double            tried;            /* start of the last run with a
                                           sample */
    unsigned          deepest;          /* most labels of SOAs ever */
    unsigned          wild:1;           /* the last sample was listed: only one
                                           that is not ends it */
    uint32_t          wild_ttl;         /* the largest TTL of its wildcard's
                                           listings since it was good; 0:
                                           none */

    link_t            waiting;          /* health_q_t */
    loop_timer_t      timer;            /* the next run */
    double            suspect;          /* time of a suspicion that the list or
                                           the resolver has failed; 0: none */
    health_run_t      run;
    health_result_t   last;
    health_soa_query_t  soa;
};

/* A query to a resolver itself. */
typedef struct {
    health_t      *health;
    unsigned       group;
    dns_query_t   *query;               /* NULL: none is under way */
} health_ask_t;

/* How a resolver treats SOA records. */
typedef enum {
    SOA_UNTRIED = 0,
    SOA_KEEPS,
    SOA_REWRITES,
    SOA_STRIPS,
    SOA_HIDES
} health_soa_t;

typedef struct {
    health_t  *health;
    double    since;                    /* to blame; 0: it is not */
    double    retry, wait;
    unsigned  empty:1;                  /* positive test points came back
                                           empty */
    unsigned  soas:1;                   /* it has given an SOA, of any list */
    unsigned  no_soa;                   /* lists without any SOA through it */
    health_soa_t  soa;
    double    peers;                    /* when other lists were tested because
                                           of a suspicion */
    loop_timer_t  grace;                /* of suspected lists */
    double    heard;                    /* when a list responded last, not with
                                           given servers */
    double    heard_given;              /* and one with given servers */
    double    proven;                   /* when a positive test point passed; 0:
                                           never */
    health_dns_t       dns;             /* as it was reported */
    health_dns_kind_t  suspect;         /* kind, if the resolvers answer */
    double             first;           /* the first response since; 0: none */
    unsigned           asking, answers; /* the resolvers themselves: queries
                                           under way, responses */
    health_ask_t       ask[DNS_MAX_RESOLVERS];
} health_resolver_t;

struct health_s {
    struct ev_loop     *loop;
    dns_engine_t       *dns;
    health_news_pt      listen;         /* NULL: no listener */
    void               *listener;
    double              bad_min;        /* s before the first retry */
    size_t              n, room;
    health_entry_t    **all;
    health_entry_t     *slot[HEALTH_SLOTS];
    link_t              used;           /* the entries; last: used last */
    unsigned            lost;           /* entries without a server */
    double              started;
    double              searched;       /* the last response, or its absence,
                                           of a list whose servers have to be
                                           found; 0: none */
    link_t              ready;          /* verdicts that wait for the loop */
    loop_timer_t        ready_timer;
    health_resolver_t   resolver[DNS_MAX_RESOLVERS];
};

/* health_judge.c: rules without a network, a clock or a log. */

/* Judges the response to a test point: positive 1, or negative 0. */
health_found_t health_judge(const rbl_codes_t *codes, int positive,
    const dns_answer_t *answer);

/* The state that follows from the test points of a run. */
health_state_t health_sum(const health_found_t *found, size_t n,
    rbl_list_reason_t *why);

/* The result of a sample, or of both draws of a repeated one. */
typedef enum {
    SAMPLE_PASSED = 0,
    SAMPLE_AGAIN,                       /* draw once more */
    SAMPLE_WILD
} sample_verdict_t;

#define HEALTH_DRAWS       2

/* `hit`: sets of networks of names_network, of each draw. */
sample_verdict_t health_sample_judge(rbl_family_t family, const unsigned *hit,
    unsigned draws);

/* health_entry.c */

/* The entry, made if there is none; NULL: no such resolver. */
health_entry_t *health_entry(health_t *health, const list_t *list,
    rbl_family_t family, uint32_t server);
/* NULL: there is none. */
health_entry_t *health_entry_find(health_t *health, const list_t *list,
    rbl_family_t family, uint32_t server);
void health_entry_free(health_entry_t *e);

/*
 * The list was wildcarding, with that TTL; reports this to other daemons; the
 * list has recovered.
 */
void health_wild_listing(health_entry_t *e, uint32_t ttl);
void health_report_wild(const health_entry_t *e);
void health_wild_over(health_entry_t *e);

/*
 * Reports that it has had a test point which it need not have, or its zone:
 * `news` 1, it was just found; 0: at intervals.
 */
void health_life(health_entry_t *e, int news);

/* The positive test point has passed: reports a TTL that is larger than any
   before, and the largest at intervals. */
void health_ttl(health_entry_t *e);

/*
 * Checks whether the list has become mute (dns_mute), or has ceased to be: a
 * list that responds only to its test points is as useless as one that is down.
 */
void health_hear(health_entry_t *e);

/* health_run.c */

/* Queries the test points, with a sample or without.  health_blame gets the
   outcome later. */
void health_run(health_entry_t *e, int sample);
void health_run_over(health_entry_t *e);    /* no query could be sent */
void health_run_stop(health_entry_t *e);

/* Finds which test points the list of the entry has; call it for each new
   list. */
void health_points(health_entry_t *e);

/* A line of the trace about the entry's list and server. */
#define health_trace(e, ...)                                                  \
    trace_server((e)->health->dns, (e)->list, (e)->family, (e)->server,       \
                 __VA_ARGS__)

/*
 * health_dns.c: the operator gave the servers of the list, so its responses
 * say nothing of lists whose servers have to be found: these servers may be on
 * this machine.  0 while no list is in use whose servers have to be found.
 */
int health_apart(const health_t *health, const list_t *list);

/* When a list responded last that is not apart; 0: never. */
double health_heard_at(const health_t *health, unsigned group);

/* DNS is to blame, so that nothing is known of the entry's list. */
int health_lost(const health_entry_t *e);

/* A run has ended with the result `found`. */
void health_blame(health_entry_t *e);
void health_blame_init(health_t *health);
void health_blame_stop(health_t *health);

/* The resolver, or in direct mode the network, works again. */
void health_blame_clear(health_t *health, unsigned group);

/* A list has responded. */
void health_dns_heard(health_t *health, unsigned group);

/*
 * May queries be sent through the entry's resolver?  0: it is to blame, and its
 * next probe is not due, or not with this list.
 */
int health_resolver_go(const health_entry_t *e, double now);

/* health.c */

/* The entry's state is certain now: logs it, sets the back-off, calls back
   those that wait. */
void health_settle(health_entry_t *e, health_state_t state,
    rbl_list_reason_t why);

/* Calls back those that wait, or starts the next run for them. */
void health_serve(health_entry_t *e);

/* A list without test points of any kind needs no query: its verdict. */
int health_is_free(const health_entry_t *e, double now, health_verdict_t *v);

/* Is the state still valid? */
int health_is_known(const health_entry_t *e, double now);

#endif /* HEALTH_INT_H_INCLUDED */
