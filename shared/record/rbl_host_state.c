/*
 * The state of a host, and its state at each of its lists.
 */

#include "rbl_host_state.h"

#include "rbl_codes.h"
#include "rbl_mp.h"
#include "rbl_sid.h"


#define RBL_FLAP_QUIET  INT64_C(21600000)       /* ms, as _flap.lua */

const char *const  rbl_state_names[RBL_STATES] = {
    "clear", "listed", "unknown", "uncovered", "paused", "range"
};


rbl_state_t
rbl_state_of(const rbl_host_t *h)
{
    if (!rbl_str_is(h->status, "active")) {
        return RBL_STATE_PAUSED;
    }

    if (rbl_str_is(h->type, "ip_range")) {
        return RBL_STATE_RANGE;
    }

    if (h->stopped > 0) {
        return RBL_STATE_UNKNOWN;
    }

    if (h->listed_count > 0) {
        return RBL_STATE_LISTED;
    }

    if (h->uncovered == 1) {
        return RBL_STATE_UNCOVERED;
    }

    return h->unknown_count > 0 || h->checked == 0 ? RBL_STATE_UNKNOWN
                                                   : RBL_STATE_CLEAR;
}


rbl_err_t
rbl_host_read(rbl_host_t *h, rbl_str_t raw, int64_t stopped)
{
    rbl_err_t  err;

    err = rbl_host_decode(h, raw);

    if (err == RBL_OK && h->stopped == 0 && stopped > 0) {
        h->stopped = stopped;
        h->next_check = 0;
    }

    return err;
}


int64_t
rbl_host_flaps(const rbl_host_t *h, int64_t now)
{
    rbl_mp_t    mp;
    rbl_flap_t  flap;

    rbl_mp_init(&mp, h->flap);

    if (h->flap.n < 2 || rbl_flap_decode(&flap, &mp) != RBL_OK
        || flap.changed <= now - RBL_FLAP_QUIET
        || flap.changed >= now + RBL_FLAP_QUIET)
    {
        return 0;
    }

    return flap.since;
}


/* Finds the entry of a list, whose SID is its first field, in a packed array,
   and puts a reader before it.  0: none. */

static int
rbl_host_entry(rbl_mp_t *at, rbl_str_t entries, rbl_str_t list)
{
    size_t    n, fields;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, entries);

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        *at = mp;
        fields = rbl_mp_array(&mp);

        if (fields > 0 && rbl_str_eq(rbl_mp_str(&mp), list)) {
            return !mp.failed;
        }

        for ( /* void */ ; fields > 1 && !mp.failed; fields--) {
            rbl_mp_skip(&mp);
        }
    }

    return 0;
}


void
rbl_host_lists(rbl_host_lists_t *lists, const rbl_host_t *h, rbl_str_t coverage)
{
    size_t   i;
    int64_t  unknown;

    lists->host = h;

    if (rbl_coverage_order(&lists->order, coverage, h->answers) != RBL_OK
        || !rbl_answers_of(h->answers, h->checked)
        || rbl_answers_read(lists->answer, lists->order.n, h->answers,
                            h->checked) != RBL_OK)
    {
        lists->order.n = 0;
    }

    /* A program that does not know the field leaves it as it was. */

    for (i = 0, unknown = 0; i < lists->order.n; i++) {
        unknown += lists->answer[i].error != RBL_ERR_NONE;
    }

    if (unknown != h->unknown_count) {
        lists->order.n = 0;
    }
}


/* NULL: it was not among the lists of the last check. */

static const rbl_answer_t *
rbl_host_answer(const rbl_host_lists_t *lists, rbl_str_t list)
{
    size_t         i;
    unsigned char  id[16];

    if (rbl_sid_to_digest(id, list) != RBL_OK) {
        return NULL;
    }

    for (i = 0; i < lists->order.n; i++) {
        if (memcmp(rbl_coverage_list(&lists->order, i), id, sizeof(id)) == 0) {
            return &lists->answer[i];
        }
    }

    return NULL;
}


/* Without a listing.  The answer may be missing. */

static void
rbl_host_unlisted(rbl_host_state_t *state, const rbl_host_lists_t *lists,
    rbl_str_t list, const rbl_answer_t *a, int64_t min_interval)
{
    rbl_mp_t           mp;
    rbl_trouble_t      t;
    const rbl_host_t  *h = lists->host;

    state->status = RBL_STR("unknown");

    if (!rbl_str_is(h->status, "active")) {
        state->error = RBL_STR("paused");

    } else if (h->stopped > 0) {
        state->error = RBL_STR("stopped");
        state->since = h->stopped;

    } else if ((a == NULL || a->error != RBL_ERR_NONE)
               && rbl_host_entry(&mp, h->troubled, list)
               && rbl_trouble_decode(&t, &mp) == RBL_OK)
    {
        state->error = t.error;
        state->since = t.since;
        state->errors = t.count;

    } else if (a == NULL) {
        state->error = h->checked != 0 && lists->order.n == 0
                       ? RBL_STR("unrecorded") : RBL_STR("unasked");

    } else if (a->given) {
        state->status = RBL_STR("clear");

    } else if (a->error == RBL_ERR_NONE) {
        state->status = RBL_STR("skipped");
        state->error = min_interval > 0 ? RBL_STR("interval")
                                        : RBL_STR("unsupported");
    }
}


void
rbl_host_state(rbl_host_state_t *state, const rbl_host_lists_t *lists,
    rbl_str_t list, int64_t min_interval)
{
    rbl_mp_t             mp;
    const rbl_answer_t  *a;

    memset(state, 0, sizeof(*state));
    state->status = RBL_STR("listed");
    state->error = RBL_STR("");

    a = rbl_host_answer(lists, list);

    if (a != NULL) {
        state->asked = a->at;
        state->error = rbl_str(rbl_lookup_err_names[a->error]);
    }

    if (rbl_host_entry(&mp, lists->host->details, list)
        && rbl_listing_decode(&state->listing, &mp) == RBL_OK)
    {
        state->since = state->listing.since;
        state->asked = state->listing.asked;
        state->errors = state->listing.errors;
        return;
    }

    memset(&state->listing, 0, sizeof(state->listing));
    rbl_host_unlisted(state, lists, list, a, min_interval);
}
