/*
 * The state of a host, and its state at each of its lists.
 */

#include "rbl_host_state.h"

#include "rbl_mp.h"


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


/* Finds the entry of host.details; 0: none. */

static int
rbl_host_listing(rbl_listing_t *v, const rbl_host_t *h, rbl_str_t list)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, h->details);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_listing_decode(v, &mp) != RBL_OK) {
            return 0;
        }

        if (rbl_str_eq(v->list, list)) {
            return 1;
        }
    }

    return 0;
}


/* The same for host.troubled. */

static int
rbl_host_trouble(rbl_trouble_t *v, const rbl_host_t *h, rbl_str_t list)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, h->troubled);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_trouble_decode(v, &mp) != RBL_OK) {
            return 0;
        }

        if (rbl_str_eq(v->list, list)) {
            return 1;
        }
    }

    return 0;
}


int64_t
rbl_host_unknown(const rbl_host_t *h)
{
    size_t         n;
    int64_t        unknown;
    rbl_mp_t       mp;
    rbl_trouble_t  t;
    rbl_listing_t  l;

    unknown = 0;

    rbl_mp_init(&mp, h->troubled);
    for (n = rbl_mp_array(&mp);
         n > 0 && rbl_trouble_decode(&t, &mp) == RBL_OK;
         n--)
    {
        unknown++;
    }

    rbl_mp_init(&mp, h->details);
    for (n = rbl_mp_array(&mp);
         n > 0 && rbl_listing_decode(&l, &mp) == RBL_OK;
         n--)
    {
        unknown += l.errors > 0;
    }

    return unknown;
}


/* The record does not keep the time of the last query to a list with a minimum
   interval. */

void
rbl_host_state(rbl_host_state_t *state, const rbl_host_t *h, rbl_str_t list,
    int64_t min_interval, int64_t named)
{
    rbl_trouble_t  t;

    memset(state, 0, sizeof(*state));
    state->status = RBL_STR("");
    state->error = RBL_STR("");

    if (rbl_host_listing(&state->listing, h, list)) {
        state->status = RBL_STR("listed");
        state->since = state->listing.since;
        state->asked = state->listing.asked;
        state->errors = state->listing.errors;
        return;
    }

    memset(&state->listing, 0, sizeof(state->listing));

    if (rbl_host_trouble(&t, h, list)) {
        state->status = RBL_STR("unknown");
        state->error = t.error;
        state->since = t.since;
        state->errors = t.count;
        return;
    }

    if (h->stopped > 0) {
        state->status = RBL_STR("unknown");
        state->since = h->stopped;
        state->asked = min_interval > 0 ? 0 : h->checked;
        return;
    }

    if (h->checked != 0 && h->unknown_count <= named) {
        state->status = RBL_STR("clear");
        state->asked = min_interval > 0 ? 0 : h->checked;
    }
}
