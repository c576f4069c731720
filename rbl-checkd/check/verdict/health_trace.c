/*
 * Lines of the trace about test points.
 */

#include "health_int.h"


/* The kind of a test point, in words. */

static const char *
point_name(int kind)
{
    switch (kind) {

    case NAMES_POSITIVE:
        return "the positive test point";

    case NAMES_NEGATIVE:
        return "the negative test point";

    case NAMES_RANDOM:
        return "a random name";

    default:
        return "a name that no list should have";
    }
}


void
health_trace_point(const health_point_t *point)
{
    const char  *ok;

    ok = point->kind == NAMES_POSITIVE ? "is listed, as it must be"
                                       : "is not listed, as it must be";

    if (point->found.state == POINT_OK) {
        health_trace(point->entry, "%s %s", point_name(point->kind), ok);

    } else {
        health_trace(point->entry, "%s fails: %s", point_name(point->kind),
                     rbl_list_reasons[point->found.why].text);
    }
}


void
health_trace_sample(const health_entry_t *e, sample_verdict_t verdict,
    int sound)
{
    health_trace(e, "%s", verdict == SAMPLE_WILD
                 ? "the sample is listed: the server is wildcarding"
                 : sound ? "the sample passes"
                 : "the sample does not count: some names had no response");
}


void
health_trace_state(const health_entry_t *e)
{
    const char  *why = rbl_list_reasons[e->why].text;

    if (!health_bad(e->state)) {
        health_trace(e, "is %s (%s): its responses count",
                     health_state_names[e->state], why);

    } else {
        health_trace(e, "is %s (%s): %s; tested again after %.0f s",
                     health_state_names[e->state], why,
                     dns_direct(e->health->dns)
                     ? "distrusted, its responses are discarded"
                     : "its responses are no verdict", e->wait);
    }
}
