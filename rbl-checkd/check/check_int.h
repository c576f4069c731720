/*
 * What check.c (one check, its lists and its deadline) and item.c with
 * item_gate.c (one list of it, from the question to the verdict) know of one
 * another.
 */

#ifndef CHECK_INT_H_INCLUDED
#define CHECK_INT_H_INCLUDED

#include "check.h"
#include "gate.h"
#include "names.h"

#define VERDICTS  (RBL_SKIPPED + 1)

typedef struct item_s  item_t;

/* One name that is asked for the value, and what the list said to it. */
typedef struct {
    item_t            *item;
    lookup_q_t        *question;        /* NULL: none is under way */
    rbl_verdict_t      raw;
    rbl_lookup_err_t   error;
    double             at, told;        /* when it came, and to us */
    uint32_t           ttl;
    unsigned           soa;             /* dns_answer_t */
    unsigned           resolver;
    unsigned           n_a;
    uint32_t           a[CHECK_CODES_MAX];
} part_t;

struct item_s {
    check_t         *check;
    check_result_t   result;
    int              stands;            /* what the list said last: listed */
    int              same_zone;         /* and so did this zone */
    double           cleared;           /* of dns_clock(); 0: never */
    unsigned         n, open;           /* names, those not answered yet */
    part_t           part[NAMES_MAX];
    unsigned         gate;              /* which is at the gate */
    health_q_t      *health;            /* NULL: nothing is asked there */
    double           good;              /* when the list was seen in order */
    int              trusting;          /* what others have found is asked */
    int              guarded;           /* the guard is */
    lookup_q_t      *reason;            /* the TXT; NULL: none is under way */
    int              reasoned;          /* it has come, or never will */
};

struct check_s {
    const check_env_t  *env;
    names_host_t        host;
    rbl_family_t        family;
    rbl_str_t           value;
    char                value_buf[RBL_VALUE_MAX];
    double              patience;
    check_progress_pt   progress;
    void               *data;
    ev_timer            deadline;
    ev_timer            end;            /* tells that nothing is left */
    size_t              n, done;
    size_t              own_text;       /* bytes that a reason of a custom list
                                           may have */
    size_t              verdicts[VERDICTS];
    item_t              item[];
};

/* item.c: it has its verdict, and what is under way may go on. */
void item_settle(item_t *item, rbl_verdict_t verdict, rbl_lookup_err_t error);

/* It is listed; done once its TXT has come. */
void item_announce(item_t *item);

/* item_gate.c: its names from item->gate on have their answers. */
void item_at_gate(item_t *item);

/* Time is up: it gets a verdict with what is known. */
void item_late(item_t *item);

/* 0: questions are under way, 1: it has its verdict already. */
int item_ask(item_t *item);

/* Nothing of it comes any more. */
void item_stop(item_t *item);

/* check.c: the item has its verdict.  The check may be gone afterwards. */
void check_item_done(item_t *item);

#endif /* CHECK_INT_H_INCLUDED */
