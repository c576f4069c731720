/*
 * Common declarations of check.c (one check, its lists and its deadline) and of
 * item.c, item_gate.c and item_confirm.c (one list of it, from the query to the
 * verdict).
 */

#ifndef CHECK_INT_H_INCLUDED
#define CHECK_INT_H_INCLUDED

#include "base/timer.h"
#include "check.h"
#include "check/lists/names.h"
#include "check/verdict/gate.h"

#define VERDICTS  (RBL_SKIPPED + 1)

typedef struct item_s     item_t;
typedef struct confirm_s  confirm_t;

/* One name that is queried for the value, and the response of the list. */
typedef struct {
    item_t            *item;
    lookup_q_t        *query;           /* NULL: none is under way */
    rbl_verdict_t      raw;
    rbl_lookup_err_t   error;
    double             at;              /* when the response came */
    double             received;        /* when it came to this check; the cache
                                           may have kept it */
    uint32_t           ttl;
    unsigned           soa;             /* dns_answer_t */
    uint32_t           minimum;         /* the same in seconds; 0 without an
                                           SOA */
    uint32_t           server;
    unsigned           n_a;
    uint32_t           a[CHECK_CODES_MAX];
} part_t;

struct item_s {
    check_t         *check;
    check_result_t   result;
    int              current;           /* the host has a current listing */
    int              same_zone;         /* of this zone */
    int              pending;           /* a new listing is not confirmed */
    double           cleared;           /* of clock_now(); 0: never */
    unsigned         n, open;           /* names; names without a response */
    part_t           part[NAMES_MAX];
    unsigned         gate;              /* which is at the gate */
    health_q_t      *health;            /* NULL: no request is under way */
    confirm_t       *confirm;           /* NULL: news are not being confirmed */
    unsigned         again;             /* queries repeated because a server
                                           had failed */
    double           good;              /* when the list passed its test
                                           points */
    gate_t           news;              /* the verdict that needs evidence */
    evidence_wait_t *evidence;          /* NULL: no request is under way */
    guard_wait_t    *guarded;           /* the same */
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
    unsigned            how;            /* CHECK_* */
    check_progress_pt   progress;
    void               *data;
    loop_timer_t        deadline;
    size_t              n, done;
    size_t              own_text;       /* bytes that a reason of a custom list
                                           may have */
    size_t              verdicts[VERDICTS];
    item_t              item[];
};

/* A line of the trace about the item's list. */
#define item_trace(item, ...)                                                 \
    trace_list((item)->check->env->dns, (item)->result.list, __VA_ARGS__)

/* item.c: sets the verdict; queries under way may continue. */
void item_settle(item_t *item, rbl_verdict_t verdict, rbl_lookup_err_t error);

/* The value is listed; the item is done when its TXT has come. */
void item_announce(item_t *item);

/* item_gate.c: to be called when the names from item->gate on have their
   responses. */
void item_at_gate(item_t *item);

/* Fills in the gate's input from the present part. */
void item_gate_answer(gate_answer_t *a, const item_t *item);

/* Continues with the decision of the gate. */
void item_go_on(item_t *item, const gate_t *g);

/* item_confirm.c: item_go_on comes, not at once. */
void item_confirm(item_t *item, const char *name, health_need_t need);
void item_confirm_stop(item_t *item);

/* item.c: evaluates the response, and chooses the codes to show. */
void item_judge(part_t *p, const dns_answer_t *answer);
void item_keep_codes(item_t *item, const part_t *p);

/*
 * Queries all names once more, without the cache, because the server that
 * responded has failed and another one may not.  0: not possible.
 */
int item_again(item_t *item);

/* Queries the TXT of a name, unless that was done. */
void item_reason(item_t *item, const names_t *name);

/* To be called at the deadline: sets a verdict from the present responses. */
void item_late(item_t *item);

/* 0: queries are under way, 1: the verdict is known already. */
int item_ask(item_t *item);

/* Stops all queries and requests of the item; no call back comes afterwards. */
void item_stop(item_t *item);

/* check.c: to be called when the item has its verdict.  May free the check. */
void check_item_done(item_t *item);

#endif /* CHECK_INT_H_INCLUDED */
