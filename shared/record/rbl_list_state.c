/*
 * State of a list beside its record: shared by the daemons, reported by each.
 */

#include "rbl_list_state.h"

#include "rbl_mp.h"


#define RBL_BACK_OFF_MAX  3600000       /* ms (shared/lua/list/_list.lua) */
#define RBL_DAY           86400000      /* ms */

enum {                                  /* of RBL_LIST_STATE_FIELDS */
    RBL_LIST_DAY = 0,
    RBL_LIST_USED,
    RBL_LIST_SINCE,
    RBL_LIST_TILL,
    RBL_LIST_FROZEN,
    RBL_LIST_TURNED,
    RBL_LIST_OF,
    RBL_LIST_FIELDS
};


const char *const  rbl_list_tests[RBL_LIST_TESTS] = {
    "good", "down", "blocked", "wildcarding", "unsupported", "resolver",
    "unreachable", "untried"
};


/* A count of another day is void.  An end of the refusal that is further away
   than any can be means that the clock was set back. */

void
rbl_list_state_read(rbl_list_state_t *state, const redisReply *reply,
    int64_t now)
{
    size_t   i;
    int64_t  at[RBL_LIST_FIELDS];

    for (i = 0; i < RBL_LIST_FIELDS; i++) {
        at[i] = rbl_reply_int(rbl_reply_at(reply, i), 0);
        at[i] = at[i] > 0 ? at[i] : 0;
    }

    if (at[RBL_LIST_DAY] == now / RBL_DAY) {
        state->used = at[RBL_LIST_USED];
    }

    if (at[RBL_LIST_TILL] > now && at[RBL_LIST_TILL] <= now + RBL_BACK_OFF_MAX)
    {
        state->since = at[RBL_LIST_SINCE];
        state->till = at[RBL_LIST_TILL];
    }

    state->frozen = at[RBL_LIST_FROZEN];

    if (state->frozen > 0) {
        state->turned = at[RBL_LIST_TURNED];
        state->of = at[RBL_LIST_OF];
    }
}


static void
rbl_list_test(rbl_list_state_t *state, const rbl_list_metrics_t *m)
{
    size_t            i;
    int64_t           since;
    rbl_list_test_t  *test;

    for (i = 0; i < RBL_LIST_TESTS; i++) {
        if (rbl_str_is(m->health, rbl_list_tests[i])) {
            break;
        }
    }

    if (i == RBL_LIST_TESTS) {
        return;
    }

    test = &state->test[i];
    since = m->number[RBL_ML_SINCE] > 0 ? m->number[RBL_ML_SINCE] : 0;

    if (!test->found || (since > 0 && since < test->since)) {
        test->found = 1;
        test->since = since;
        test->reason = rbl_list_reason(m->reason);
    }
}


static void
rbl_list_add(rbl_list_state_t *state, const rbl_list_metrics_t *m)
{
    size_t   i;
    int64_t  v;

    state->reports++;
    rbl_list_test(state, m);

    for (i = 0; i < RBL_ML__N; i++) {
        v = m->number[i] > 0 ? m->number[i] : 0;    /* below 0: not known */

        if (i != RBL_ML_SLOWEST) {
            state->sum[i] = (int64_t) ((uint64_t) state->sum[i] + (uint64_t) v);

        } else if (v > state->sum[i]) {
            state->sum[i] = v;
        }
    }
}


/* A daemon reports the lists about in the order of the store: the search for
   one begins behind the last. */

void
rbl_list_reports(rbl_list_state_t *states, size_t n, const rbl_str_t *sids,
    rbl_str_t record)
{
    size_t              i, at, left;
    rbl_mp_t            mp;
    rbl_daemon_t        daemon;
    rbl_list_metrics_t  m;

    if (record.n == 0 || record.n > RBL_DAEMON_MAX
        || rbl_daemon_decode(&daemon, record) != RBL_OK)
    {
        return;
    }

    rbl_mp_init(&mp, daemon.lists);
    left = rbl_mp_array(&mp);
    left = left < RBL_METRICS_LISTS ? left : RBL_METRICS_LISTS;

    for (at = 0; left > 0 && rbl_list_metrics_decode(&m, &mp) == RBL_OK;
         left--)
    {
        for (i = 0; i < n; i++, at++) {
            if (rbl_str_eq(sids[at % n], m.list)) {
                rbl_list_add(&states[at % n], &m);
                break;
            }
        }
    }
}


int64_t
rbl_list_left(const rbl_list_state_t *state, const rbl_list_t *list)
{
    return list->day_quota <= 0 ? -1
           : state->used < list->day_quota ? list->day_quota - state->used
           : 0;
}
