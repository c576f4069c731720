/*
 * What is counted for each list: how questions ended and how long they took,
 * and what checks found.  Of the system lists RBL_METRICS_LISTS
 * are counted each by itself, less two: the others together, and the custom
 * ones together.
 *
 * A tally of NULL counts nothing.
 */

#ifndef TALLY_H_INCLUDED
#define TALLY_H_INCLUDED

#include "dns/engine.h"
#include "lists.h"
#include "rbl_metrics.h"

#define TALLY_FAMILIES  3
#define tally_family(family)  ((unsigned) (family) >> 1)

typedef struct tally_s  tally_t;

typedef struct {
    char      sid[40];                  /* "": several lists */
    char      zone[256];                /* "custom", "other" then; it never
                                           holds a key */
    int64_t   number[RBL_ML__N];
    double    slowest[2];               /* ms, of the last two turns */
    unsigned  tried;                    /* for who packs it: is anything known
                                           of its health?  By family: */
    unsigned  health[TALLY_FAMILIES];   /* health_state_t */
} tally_list_t;

tally_t *tally_new(void);               /* NULL: out of memory */
void tally_free(tally_t *tally);

/* A question to a list has ended; refused: that is what the answer means. */
void tally_answer(tally_t *tally, const list_t *list,
    const dns_answer_t *answer, int refused);

/* A check has come to a verdict. */
void tally_result(tally_t *tally, const list_t *list, rbl_verdict_t verdict);

/* Half a minute is over: what was slow before that is forgotten. */
void tally_turn(tally_t *tally);

/* That of a list. */
tally_list_t *tally_list(tally_t *tally, const list_t *list);

/* That of a system list which has one of its own; NULL: it has none. */
tally_list_t *tally_find(const tally_t *tally, const char *sid);

/* Walks over those of one list, then the two others; NULL: no more. */
tally_list_t *tally_next(tally_t *tally, size_t *at);

#endif /* TALLY_H_INCLUDED */
