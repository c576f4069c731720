/*
 * The state of a host, and its state at each of its lists, from the record of
 * the host.
 */

#ifndef RBL_HOST_STATE_H_INCLUDED
#define RBL_HOST_STATE_H_INCLUDED

#include "rbl_answers.h"
#include "rbl_coverage.h"
#include "rbl_record.h"

/* As shared/lua/part/_state.lua numbers them, where scores of a state begin at
   its number times RBL_STATE_WIDTH. */
typedef enum {
    RBL_STATE_CLEAR = 0,
    RBL_STATE_LISTED,
    RBL_STATE_UNKNOWN,
    RBL_STATE_UNCOVERED,
    RBL_STATE_PAUSED,
    RBL_STATE_RANGE,                    /* its addresses have one each */
    RBL_STATES
} rbl_state_t;

#define RBL_STATE_WIDTH  10000000000000

extern const char *const  rbl_state_names[RBL_STATES];

/* The state of a host. */
rbl_state_t rbl_state_of(const rbl_host_t *h);

/* Since when a host flaps (shared/lua/part/_flap.lua, ms); 0: it does not. */
int64_t rbl_host_flaps(const rbl_host_t *h, int64_t now);

/* Decodes a record.  stopped: no host of the account is checked since then
   (ms), which the record need not say yet; or 0. */
rbl_err_t rbl_host_read(rbl_host_t *h, rbl_str_t raw, int64_t stopped);

/* The answers of all lists of a host; views of both records. */
typedef struct {
    const rbl_host_t      *host;
    rbl_coverage_order_t   order;       /* n 0: the record does not say */
    rbl_answer_t           answer[RBL_ANSWERS_LISTS];
} rbl_host_lists_t;

/* `coverage`: the record of the account, or "". */
void rbl_host_lists(rbl_host_lists_t *lists, const rbl_host_t *h,
    rbl_str_t coverage);

typedef struct {
    rbl_str_t      status;              /* listed, clear, unknown, skipped */
    int64_t        since;               /* of listed, and of unknown if that is
                                           recorded (ms); 0 */
    int64_t        asked;               /* last response (ms); 0: none is
                                           known */
    rbl_str_t      error;               /* class of the reason why the list gave
                                           no answer, below; "": it gave one */
    int64_t        errors;              /* consecutive checks without verdict;
                                           0: not recorded */
    rbl_listing_t  listing;             /* of listed; else zeroed */
} rbl_host_state_t;

/*
 * Sets the state at a list with that minimum interval (s).  A current listing
 * is listed, also while the list is unknown.  Clear is what gave an answer in
 * the last check.  `error` is a name of rbl_codes.h, or
 *     unasked     the list applies since the last check, or there was none
 *     unrecorded  the record does not say what the list answered
 *     paused      the host is
 *     stopped     the plan of its account has expired
 *     interval    skipped: the minimum interval was not over
 *     unsupported skipped: the list does not take such hosts
 */
void rbl_host_state(rbl_host_state_t *state, const rbl_host_lists_t *lists,
    rbl_str_t list, int64_t min_interval);

#endif /* RBL_HOST_STATE_H_INCLUDED */
