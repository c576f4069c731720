/*
 * What an answer is worth, by the health of the list that gave it: rules only,
 * no network and no clock (decisions.md 6, facts/dnsbl.md 3).
 *
 *     answer            needs             becomes
 *     unknown           nothing           unknown
 *     clear             HEALTH_KNOWN      clear if the list is good
 *     clear, stands     HEALTH_BOTH       clear if the list is good and it is
 *                                         sure that it was when it said so;
 *                                         without a test entry of this family,
 *                                         or by answers of an unknown age, if
 *                                         it has said so for a day; what others
 *                                         have found has the last word
 *     listed, stands    HEALTH_KNOWN      listed unless the list is lying
 *     listed, new       HEALTH_NEGATIVE   listed if the list is good, and it
 *                                         is sure that it was when it said so;
 *                                         what others have found, and then the
 *                                         guard, have the last word
 *
 * Everything else is unknown, and changes nothing.
 */

#ifndef GATE_H_INCLUDED
#define GATE_H_INCLUDED

#include "health.h"
#include "rbl_codes.h"
#include "trust.h"

/* Times are those of dns_clock(). */
typedef struct {
    rbl_verdict_t  raw;
    int            stands;      /* the last known answer was "listed" */
    double         cleared;     /* of one that stands: since when the list says
                                   that it has ended; 0: it did not yet */
    double         at;          /* when the answer came */
    double         told;        /* now */
    uint32_t       ttl;         /* what is left of it */
    unsigned       soa;         /* whose it is, without addresses: labels of
                                   the SOA's owner; 0: not known */
    int            addresses;   /* it has some: none but the list says that */
} gate_answer_t;

typedef struct {
    rbl_verdict_t     verdict;
    rbl_lookup_err_t  error;
    int               trust;    /* what others have found has to be asked */
    int               guard;    /* and then the guard */
    double            recheck;  /* s; 0: as ever */
} gate_t;

#define GATE_RECHECK      30.0  /* s, where nothing tells a better time */
#define GATE_RECHECK_MIN  2.0
#define GATE_RECHECK_NEW  3.0   /* s, of an end that the store hears of now */
#define GATE_RECHECK_MAX  3600.0
#define GATE_FROZEN       60.0          /* until it is asked whether a frozen
                                           list has been thawed */
#define GATE_UNPROVEN     86400.0       /* s for which an end is told that no
                                           test entry confirms */

/* 0: the answer needs no health, or *need. */
int gate_need(const gate_answer_t *a, health_need_t *need);

gate_t gate_judge(const gate_answer_t *a, const health_verdict_t *v);

/* What others have found, of a verdict that gate_judge wanted it for. */
gate_t gate_trust(const gate_answer_t *a, const trust_told_t *told);

/* The health did not come in time. */
gate_t gate_late(const gate_answer_t *a);

#endif /* GATE_H_INCLUDED */
