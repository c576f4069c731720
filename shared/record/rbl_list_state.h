/*
 * State of a list beside its record: the state that the daemons share
 * (list:<RB>), and the reports of each about its test points and queries.
 */

#ifndef RBL_LIST_STATE_H_INCLUDED
#define RBL_LIST_STATE_H_INCLUDED

#include "rbl_list_reason.h"
#include "rbl_metrics.h"
#include "rbl_record.h"
#include "rbl_reply.h"
#include "rbl_series.h"

#define RBL_LIST_TESTS  8               /* of rbl_list_tests */

/* Results of the test points, as rblctl(8) names them. */
extern const char *const  rbl_list_tests[RBL_LIST_TESTS];

/* A result that a daemon reports, with time and reason of the first one. */
typedef struct {
    int                found;
    int64_t            since;           /* ms */
    rbl_list_reason_t  reason;
} rbl_list_test_t;

typedef struct {
    int              away;              /* 1: the shared state is not read */
    int64_t          used;              /* of the quota of today */
    int64_t          since, till;       /* it refuses (ms); or 0 */
    int64_t          frozen;            /* since (ms); or 0 */
    int64_t          turned, of;        /* answers that froze it */
    rbl_list_test_t  test[RBL_LIST_TESTS];
    size_t           reports;           /* daemons that report it */
    int64_t          sum[RBL_ML__N];    /* of their counters; of RBL_ML_SLOWEST
                                           the largest */
    int64_t          responses[RBL_RESPONSES__N];   /* of the last 24 hours */
    char             hours[24];         /* the same, by the hour
                                           (rbl_responses_hour), the last one
                                           now */
    int64_t          responded;         /* when it last answered (ms); 0: not
                                           known */
} rbl_list_state_t;


/* Fields of list:<RB> for HMGET, in the order of rbl_list_state_read. */
#define RBL_LIST_STATE_FIELDS                                                 \
    RBL_STR("day"), RBL_STR("used"), RBL_STR("since"), RBL_STR("till"),       \
    RBL_STR("frozen"), RBL_STR("turned"), RBL_STR("of")

/* Reads the reply to HMGET, at that time (ms), into a zeroed state. */
void rbl_list_state_read(rbl_list_state_t *state, const redisReply *reply,
    int64_t now);

/* Adds the record of a daemon to the states of the n lists with these SIDs; a
   record that cannot be read is left out. */
void rbl_list_reports(rbl_list_state_t *states, size_t n,
    const rbl_str_t *sids, rbl_str_t record);

/* The rest of the quota of today; -1: the list has none. */
int64_t rbl_list_left(const rbl_list_state_t *state, const rbl_list_t *list);

#endif /* RBL_LIST_STATE_H_INCLUDED */
