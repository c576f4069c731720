/*
 * The decision: judges a response by the health of the list that gave it.
 * Rules only, no network and no clock.  The README of rbl-checkd explains them
 * (section "Truth").
 *
 * A response is news if it would begin or end a listing.  Direct mode knows
 * that every response is new; it confirms news at all servers of the list
 * (gate_direct.c).  Resolver mode does not know how old a response is; it waits
 * until no cache can hold it (gate_resolver.c).
 *
 * Unknown changes nothing.
 */

#ifndef GATE_H_INCLUDED
#define GATE_H_INCLUDED

#include "health.h"
#include "rbl_codes.h"
#include "evidence.h"

/* Times are those of clock_now(). */
typedef struct {
    rbl_verdict_t  raw;
    int            current;     /* the host has a current listing there */
    int            own;         /* an account's own list */
    double         cleared;     /* time of the first response that the current
                                   listing has ended; 0: none yet */
    int            pending;     /* earlier checks saw the new listing, which is
                                   not confirmed */
    int            doubted;     /* direct mode: they did, so that a response
                                   of one server alone ends nothing */
    double         at;          /* when the response came */
    double         now;
    uint32_t       ttl;         /* remaining TTL */
    uint32_t       minimum;     /* of the SOA in it; 0: none */
    unsigned       soa;         /* without addresses: labels of the SOA's owner;
                                   0: not known */
    int            addresses;   /* it has addresses: only the list itself gives
                                   these */
    int            once;        /* no later check follows: the value is not
                                   monitored */
} gate_answer_t;

typedef struct {
    rbl_verdict_t     verdict;
    rbl_lookup_err_t  error;
    int               evidence; /* request the evidence of other daemons next */
    int               guard;    /* and then the guard */
    evidence_waits_t  waits;    /* after which it must be seen again */
    double            recheck;  /* s; 0: the usual interval */
    const char       *why;      /* the rule, for the trace; static text */
} gate_t;

/* The response of one server of a list to the name that is news (direct
   mode). */
typedef struct {
    health_verdict_t  health;   /* by test points queried since */
    rbl_verdict_t     raw;      /* unknown: no response that counts */
    double            sent;     /* when the query for it was sent, at the
                                   earliest */
    int               has_serial;
    uint32_t          serial;   /* of the response, or of its test points */
} gate_vote_t;

#define GATE_RECHECK      30.0  /* s, if no better time is known */
#define GATE_RECHECK_MIN  1.0
#define GATE_RECHECK_MAX  3600.0
#define GATE_FROZEN       60.0  /* s until a frozen list is checked again */
#define GATE_UNPROVEN     86400.0       /* s for which a list must say that a
                                           listing has ended, if no test point
                                           confirms it */
#define GATE_SLACK        2.0   /* s by which TTLs and clocks may differ */

typedef enum {
    GATE_NO_VERDICT = 0,        /* it is neither clear nor listed, and needs no
                                   health */
    GATE_AS_KNOWN,              /* no news: it needs the health *need */
    GATE_NEWS                   /* it needs the health *need */
} gate_need_t;

/* Returns the kind of the response, and sets the health that it needs. */
gate_need_t gate_need(const gate_answer_t *a, health_need_t *need);

/* Judges responses that are no news, in both modes, and news in resolver
   mode. */
gate_t gate_judge(const gate_answer_t *a, const health_verdict_t *v);
gate_t gate_news(const gate_answer_t *a, const health_verdict_t *v);

/* Judges news in direct mode; `after`: when the responses were requested. */
gate_t gate_votes(const gate_answer_t *a, const gate_vote_t *votes,
    unsigned n, double after);

/* Was the name queried after the test points that support the response? */
int gate_in_order(const gate_vote_t *vote);

/* The reason why that server has no vote; NULL: it has one. */
const char *gate_no_vote(const gate_answer_t *a, const gate_vote_t *vote,
    double after);

/* The verdict with the evidence of all daemons, which `news` requested. */
gate_t gate_evidence(const gate_answer_t *a, const gate_t *news,
    const evidence_known_t *known);

/* To be used if the health did not come in time. */
gate_t gate_late(const gate_answer_t *a);

/* For the files of the gate. */
gate_t gate_unknown(rbl_lookup_err_t error, const char *why);
gate_t gate_known(rbl_verdict_t verdict, const char *why);
gate_t gate_unhealthy(health_state_t state);
gate_t gate_dead(void);

/*
 * The end of a listing at a list without a positive test point: by the length
 * of time alone.
 */
gate_t gate_unproven(const gate_answer_t *a);

/* An own list without a positive test point has no sample (health.h). */
int gate_unsampled(const gate_answer_t *a, const health_verdict_t *v);

/* Are its servers unavailable for a moment?  Then the waits continue. */
int gate_away(const health_verdict_t *v);

#endif /* GATE_H_INCLUDED */
