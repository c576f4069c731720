/*
 * Tables of the metrics, and their arrays.
 */

#include "rbl_metrics.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNTER  RBL_METRIC_COUNTER
#define GAUGE    RBL_METRIC_GAUGE
#define ONE      RBL_METRIC_ONE
#define MILLI    RBL_METRIC_MILLI
#define MICRO    RBL_METRIC_MICRO

#define ANSWER(n, name)                                                       \
    [RBL_M_ANSWERS + (n)] = { "answers", name, "answers_total", "class",      \
        name, COUNTER, ONE, "Queries that ended, by outcome." }

#define LOOKUP(NAME, name)                                                    \
    [RBL_M_LOOKUPS_##NAME] = { "lookups", name, "lookups_total", "way", name, \
        COUNTER, ONE, "Lookups of checks, by the source of the result." }

#define DELIVERY(NAME, name)                                                  \
    [RBL_M_##NAME] = { "deliveries", name, "delivery_attempts_total",         \
        "result", name, COUNTER, ONE, "Delivery attempts." }

#define PAYMENTS(n, state)                                                    \
    [RBL_M_PAYMENTS + (n)] = { "payments", state, "payments", "state", state, \
        GAUGE, ONE, "Payments that are not done, of all accounts." }

#define PAYMENTS_AGE(n, state)                                                \
    [RBL_M_PAYMENTS_AGE + (n)] = { "payments", state "_ms",                   \
        "payment_age_seconds", "state", state, GAUGE, MILLI,                  \
        "Time since the oldest of these was opened." }


const rbl_metric_t  rbl_metrics[RBL_M__N] = {
    [RBL_M_CHECKS_COMPLETED] = { "checks", "completed", "checks_total",
        "result", "completed", COUNTER, ONE, "Checks that this daemon ended." },
    [RBL_M_CHECKS_FAILED] = { "checks", "failed", "checks_total", "result",
        "failed", COUNTER, ONE, "Checks that this daemon ended." },
    [RBL_M_CHECKS_LEFT] = { "checks", "left", "checks_total", "result",
        "left", COUNTER, ONE, "Checks that this daemon ended." },
    [RBL_M_CHECKS_IN_FLIGHT] = { "checks", "in_flight", "checks_in_flight",
        NULL, NULL, GAUGE, ONE, "Checks in flight." },
    [RBL_M_CHECKS_MAX] = { "checks", "max", "checks_max", NULL, NULL, GAUGE,
        ONE, "Maximum number of checks in flight." },
    [RBL_M_CHECKS_RATE] = { "checks", "per_1000s", "checks_per_second", NULL,
        NULL, GAUGE, MILLI, "Checks that ended per second, lately." },

    [RBL_M_QUESTIONS] = { "questions", "asked", "questions_total", NULL, NULL,
        COUNTER, ONE, "Queries to resolvers." },
    [RBL_M_QUESTIONS_IN_FLIGHT] = { "questions", "in_flight",
        "questions_in_flight", NULL, NULL, GAUGE, ONE,
        "Queries in flight." },
    [RBL_M_QUESTIONS_WAITING] = { "questions", "waiting",
        "questions_waiting", NULL, NULL, GAUGE, ONE,
        "Queries that wait to be sent." },
    [RBL_M_TRIES] = { "questions", "tries", "question_tries_total", NULL,
        NULL, COUNTER, ONE, "Queries sent, including retries." },
    [RBL_M_TRIES_TIMED_OUT] = { "questions", "timed_out",
        "question_timeouts_total", NULL, NULL, COUNTER, ONE,
        "Attempts without a response in time." },
    [RBL_M_TCP] = { "questions", "tcp", "question_tcp_total", NULL, NULL,
        COUNTER, ONE, "Queries repeated over TCP." },
    [RBL_M_DROPPED] = { "questions", "dropped", "replies_dropped_total", NULL,
        NULL, COUNTER, ONE, "Responses that match no query." },

    ANSWER(0, "noerror"),
    ANSWER(1, "nxdomain"),
    ANSWER(2, "servfail"),
    ANSWER(3, "refused"),
    ANSWER(4, "badreply"),
    ANSWER(5, "timeout"),
    ANSWER(6, "truncated"),
    ANSWER(7, "network"),

    LOOKUP(ASKED, "asked"),
    LOOKUP(KEPT, "cached"),
    LOOKUP(JOINED, "joined"),
    LOOKUP(REFUSED, "refused"),
    [RBL_M_CACHE_ENTRIES] = { "cache", "entries", "cache_entries", NULL, NULL,
        GAUGE, ONE, "Responses in the cache." },
    [RBL_M_CACHE_OCTETS] = { "cache", "bytes", "cache_bytes", NULL, NULL,
        GAUGE, ONE, "Size of the cache in bytes." },

    DELIVERY(DELIVERED, "delivered"),
    DELIVERY(RETRIED, "failed"),
    DELIVERY(DEAD, "given_up"),
    [RBL_M_DELIVERIES_OPEN] = { "deliveries", "open", "deliveries_open", NULL,
        NULL, GAUGE, ONE, "Delivery attempts in flight." },
    [RBL_M_DIGESTS] = { "deliveries", "digests", "digests_total", NULL, NULL,
        COUNTER, ONE, "Digests that became messages to contacts." },

    [RBL_M_QUEUE_MANUAL] = { "queue", "manual_ms", "queue_age_seconds",
        "queue", "manual", GAUGE, MILLI,
        "Time that the first entry of the queue has waited." },
    [RBL_M_QUEUE_DUE] = { "queue", "due_ms", "queue_age_seconds", "queue",
        "due", GAUGE, MILLI,
        "Time that the first entry of the queue has waited." },

    [RBL_M_STORE_REPLICAS] = { "store", "replicas", "store_replicas", NULL,
        NULL, GAUGE, ONE, "Replicas that are connected to the masters." },
    [RBL_M_STORE_LAG] = { "store", "lag_ms", "store_replica_lag_seconds",
        NULL, NULL, GAUGE, MILLI,
        "Time for which the most silent replica has not responded." },
    [RBL_M_STORE_SENTINELS] = { "store", "sentinels", "store_sentinels", NULL,
        NULL, GAUGE, ONE, "Sentinels that respond." },

    [RBL_M_LISTS_FROZEN] = { "frozen", "lists", "lists_frozen", NULL, NULL,
        GAUGE, ONE, "Frozen lists: their new listings are not reported." },

    PAYMENTS(0, "open"),
    PAYMENTS(1, "failed"),
    PAYMENTS(2, "unknown"),
    PAYMENTS(3, "operator"),
    PAYMENTS_AGE(0, "open"),
    PAYMENTS_AGE(1, "failed"),
    PAYMENTS_AGE(2, "unknown"),
    PAYMENTS_AGE(3, "operator"),

    [RBL_M_STORE_MEMORY] = { "store_memory", "used", "store_memory_bytes",
        NULL, NULL, GAUGE, ONE, "Memory that the masters use." },
    [RBL_M_STORE_MEMORY_MAX] = { "store_memory", "max",
        "store_memory_max_bytes", NULL, NULL, GAUGE, ONE,
        "Memory that the masters may use, if all have a limit." }
};

#define LIST_ANSWER(NAME, name)                                               \
    [RBL_ML_##NAME] = { "answers", name, "list_answers_total", "class", name, \
        COUNTER, ONE, "Queries to the list that ended." }

#define LIST_RESULT(NAME, name)                                               \
    [RBL_ML_##NAME] = { "results", name, "list_results_total", "verdict",     \
        name, COUNTER, ONE, "Results of checks at the list." }

const rbl_metric_t  rbl_list_metrics[RBL_ML__N] = {
    LIST_ANSWER(ANSWERED, "answered"),
    LIST_ANSWER(REFUSED, "refused"),
    LIST_ANSWER(FAILED, "failed"),
    LIST_RESULT(LISTED, "listed"),
    LIST_RESULT(CLEAR, "clear"),
    LIST_RESULT(UNKNOWN, "unknown"),
    [RBL_ML_TIME] = { "latency", "sum_us", "list_latency_seconds_total", NULL,
        NULL, COUNTER, MICRO, "Total time of its responses." },
    [RBL_ML_SLOWEST] = { "latency", "max_us", "list_latency_max_seconds",
        NULL, NULL, GAUGE, MICRO, "Time of its slowest response in the last"
                                  " minute." },
    [RBL_ML_QUOTA_LEFT] = { "quota", "left", "list_quota_left", NULL, NULL,
        GAUGE, ONE, "Queries that the quota of the list allows today." },
    [RBL_ML_FROZEN] = { "quota", "frozen", "list_frozen", NULL, NULL, GAUGE,
        ONE, "1: the list is frozen, its new listings are not reported." },
    [RBL_ML_SINCE] = { "state", "since_ms", "list_health_since_seconds", NULL,
        NULL, GAUGE, MILLI, "When the state of the list began, in seconds since"
                            " 1970." }
};

const rbl_metric_t  rbl_resolver_metrics[RBL_MR_LATENCY] = {
    [RBL_MR_ANSWERED] = { "answers", "answered", "resolver_answers_total",
        "class", "answered", COUNTER, ONE,
        "Queries to the resolver that ended." },
    [RBL_MR_FAILED] = { "answers", "failed", "resolver_answers_total",
        "class", "failed", COUNTER, ONE,
        "Queries to the resolver that ended." },
    [RBL_MR_TIME] = { "latency", "sum_us", "resolver_latency_seconds", NULL,
        NULL, COUNTER, MICRO, "Time of its responses." }
};

const int64_t  rbl_latency_bounds[RBL_LATENCY_BOUNDS] = {
    1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000,
    2000000, 5000000
};


/* Reads the rest of an entry of `total` elements: integers; n of them are
   known. */

static void
rbl_metrics_read(int64_t *number, size_t n, size_t total, rbl_mp_t *mp)
{
    size_t  i;

    for (i = 0; i < total && !mp->failed; i++) {
        if (i < n) {
            number[i] = rbl_mp_int(mp);

        } else {
            rbl_mp_skip(mp);
        }
    }
}


rbl_err_t
rbl_metrics_decode(int64_t number[RBL_M__N], rbl_str_t raw)
{
    rbl_mp_t  mp;

    memset(number, 0, RBL_M__N * sizeof(int64_t));
    rbl_mp_init(&mp, raw);
    rbl_metrics_read(number, RBL_M__N, rbl_mp_array(&mp), &mp);

    if (mp.failed) {
        memset(number, 0, RBL_M__N * sizeof(int64_t));
        return RBL_ETYPE;
    }

    return RBL_OK;
}


rbl_err_t
rbl_list_metrics_decode(rbl_list_metrics_t *v, rbl_mp_t *mp)
{
    size_t  total;

    memset(v, 0, sizeof(rbl_list_metrics_t));
    total = rbl_mp_array(mp);

    if (total < 4) {
        mp->failed = 1;
        return RBL_ETYPE;
    }

    v->list = rbl_mp_str(mp);
    v->zone = rbl_mp_str(mp);
    v->health = rbl_mp_str(mp);
    v->reason = rbl_mp_str(mp);
    rbl_metrics_read(v->number, RBL_ML__N, total - 4, mp);

    if (mp->failed) {
        memset(v, 0, sizeof(rbl_list_metrics_t));
        return RBL_ETYPE;
    }

    return RBL_OK;
}


rbl_err_t
rbl_resolver_metrics_decode(rbl_resolver_metrics_t *v, rbl_mp_t *mp)
{
    size_t  total;

    memset(v, 0, sizeof(rbl_resolver_metrics_t));
    total = rbl_mp_array(mp);

    if (total < 1) {
        mp->failed = 1;
        return RBL_ETYPE;
    }

    v->address = rbl_mp_str(mp);
    rbl_metrics_read(v->number, RBL_MR__N, total - 1, mp);

    if (mp->failed) {
        memset(v, 0, sizeof(rbl_resolver_metrics_t));
        return RBL_ETYPE;
    }

    return RBL_OK;
}


static void
rbl_metrics_write(rbl_out_t *out, const int64_t *number, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        rbl_mp_put_int(out, number[i]);
    }
}


void
rbl_metrics_encode(rbl_out_t *out, const int64_t *number, size_t n)
{
    rbl_mp_put_array(out, n);
    rbl_metrics_write(out, number, n);
}


void
rbl_list_metrics_encode(rbl_out_t *out, const rbl_list_metrics_t *v)
{
    rbl_mp_put_array(out, 4 + RBL_ML__N);
    rbl_mp_put_str(out, v->list);
    rbl_mp_put_str(out, v->zone);
    rbl_mp_put_str(out, v->health);
    rbl_mp_put_str(out, v->reason);
    rbl_metrics_write(out, v->number, RBL_ML__N);
}


void
rbl_resolver_metrics_encode(rbl_out_t *out, const rbl_resolver_metrics_t *v)
{
    rbl_mp_put_array(out, 1 + RBL_MR__N);
    rbl_mp_put_str(out, v->address);
    rbl_metrics_write(out, v->number, RBL_MR__N);
}


const char *
rbl_metric_text(char buf[32], int64_t number, rbl_metric_unit_t unit)
{
    int        digits;
    uint64_t   n;

    if (unit == RBL_METRIC_ONE) {
        snprintf(buf, 32, "%" PRId64, number);
        return buf;
    }

    n = number < 0 ? -(uint64_t) number : (uint64_t) number;
    digits = unit == RBL_METRIC_MILLI ? 3 : 6;
    snprintf(buf, 32, "%s%" PRIu64 ".%0*" PRIu64, number < 0 ? "-" : "",
             n / unit, digits, n % unit);

    return buf;
}
