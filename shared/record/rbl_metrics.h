/*
 * Metrics of a daemon (record `daemon` of schema.txt): their order in the
 * record, and their names in Prometheus' text format, in JSON and in rblctl.
 * The daemon counts and packs them; nginx and rblctl show them.
 *
 * A metric is only added at the end of its kind.  Metrics that a record lacks
 * read as 0; metrics that this release does not know are skipped.  A metric
 * that is unknown or does not apply is -1.
 */

#ifndef RBL_METRICS_H_INCLUDED
#define RBL_METRICS_H_INCLUDED

#include "rbl_mp.h"

#define RBL_METRICS_TTL        20000    /* lifetime of a record, ms */
#define RBL_METRICS_LISTS      256      /* in a record, at most */
#define RBL_DAEMON_MAX         65536    /* octets of a record, at most */
#define RBL_METRICS_RESOLVERS  8
#define RBL_LATENCY_BOUNDS     12       /* latency buckets of resolvers */

#define RBL_M_PAYMENT_STATES  4

enum {
    RBL_M_CHECKS_COMPLETED = 0,
    RBL_M_CHECKS_FAILED,
    RBL_M_CHECKS_LEFT,                  /* to another daemon */
    RBL_M_CHECKS_IN_FLIGHT,
    RBL_M_CHECKS_MAX,
    RBL_M_CHECKS_RATE,                  /* a thousand seconds */
    RBL_M_QUESTIONS,
    RBL_M_QUESTIONS_IN_FLIGHT,
    RBL_M_QUESTIONS_WAITING,
    RBL_M_TRIES,
    RBL_M_TRIES_TIMED_OUT,
    RBL_M_TCP,
    RBL_M_DROPPED,
    RBL_M_ANSWERS,                      /* in the order of dns_status_t */
    RBL_M_ANSWERS_LAST = RBL_M_ANSWERS + 7,
    RBL_M_LOOKUPS_ASKED,
    RBL_M_LOOKUPS_KEPT,
    RBL_M_LOOKUPS_JOINED,
    RBL_M_LOOKUPS_REFUSED,
    RBL_M_CACHE_ENTRIES,
    RBL_M_CACHE_OCTETS,
    RBL_M_DELIVERED,
    RBL_M_RETRIED,
    RBL_M_DEAD,
    RBL_M_DELIVERIES_OPEN,
    RBL_M_QUEUE_MANUAL,                 /* ms */
    RBL_M_QUEUE_DUE,                    /* ms */
    RBL_M_LISTS_FROZEN,
    RBL_M_DIGESTS,
    RBL_M_STORE_REPLICAS,               /* these three: the store's */
    RBL_M_STORE_LAG,                    /* ms */
    RBL_M_STORE_SENTINELS,
    RBL_M_PAYMENTS,                     /* open, failed, unknown, operator:
                                           numbers, then ms of the oldest */
    RBL_M_PAYMENTS_AGE = RBL_M_PAYMENTS + RBL_M_PAYMENT_STATES,
    RBL_M_STORE_MEMORY = RBL_M_PAYMENTS_AGE + RBL_M_PAYMENT_STATES,
    RBL_M_STORE_MEMORY_MAX,             /* bytes; all masters together */
    RBL_M__N
};

enum {
    RBL_ML_ANSWERED = 0,
    RBL_ML_REFUSED,
    RBL_ML_FAILED,
    RBL_ML_LISTED,
    RBL_ML_CLEAR,
    RBL_ML_UNKNOWN,
    RBL_ML_TIME,                        /* us, of answered queries */
    RBL_ML_SLOWEST,                     /* us, within the last minute */
    RBL_ML_QUOTA_LEFT,
    RBL_ML_FROZEN,
    RBL_ML_SINCE,                       /* ms since 1970 */
    RBL_ML__N
};

enum {
    RBL_MR_ANSWERED = 0,
    RBL_MR_FAILED,
    RBL_MR_TIME,                        /* us, of all replies */
    RBL_MR_LATENCY,                     /* one per bucket, and the rest */
    RBL_MR__N = RBL_MR_LATENCY + RBL_LATENCY_BOUNDS + 1
};

typedef enum {
    RBL_METRIC_COUNTER = 0,
    RBL_METRIC_GAUGE
} rbl_metric_kind_t;

/* Divisor to Prometheus' base unit. */
typedef enum {
    RBL_METRIC_ONE = 1,
    RBL_METRIC_MILLI = 1000,
    RBL_METRIC_MICRO = 1000000
} rbl_metric_unit_t;

typedef struct {
    const char         *group, *key;    /* in JSON */
    const char         *family;         /* after "rbl_checkd_"; rows of one
                                           family are consecutive */
    const char         *label, *value;  /* distinguishes the rows; or NULL */
    rbl_metric_kind_t   kind;
    rbl_metric_unit_t   unit;
    const char         *help;
} rbl_metric_t;

extern const rbl_metric_t  rbl_metrics[RBL_M__N];
extern const rbl_metric_t  rbl_list_metrics[RBL_ML__N];
extern const rbl_metric_t  rbl_resolver_metrics[RBL_MR_LATENCY];

/* Upper bounds of the buckets, in us. */
extern const int64_t  rbl_latency_bounds[RBL_LATENCY_BOUNDS];

/* Reads the metrics of a packed array.  RBL_ETYPE: another type is in it; all
   are 0 then. */
rbl_err_t rbl_metrics_decode(int64_t number[RBL_M__N], rbl_str_t raw);

/* The next entry of `lists` or `resolvers`, from the position of a reader. */
typedef struct {
    rbl_str_t  list, zone, health;
    rbl_str_t  reason;                  /* name of rbl_list_reasons */
    int64_t    number[RBL_ML__N];
} rbl_list_metrics_t;

typedef struct {
    rbl_str_t  address;
    int64_t    number[RBL_MR__N];
} rbl_resolver_metrics_t;

rbl_err_t rbl_list_metrics_decode(rbl_list_metrics_t *v, rbl_mp_t *mp);
rbl_err_t rbl_resolver_metrics_decode(rbl_resolver_metrics_t *v,
    rbl_mp_t *mp);

void rbl_list_metrics_encode(rbl_out_t *out, const rbl_list_metrics_t *v);
void rbl_resolver_metrics_encode(rbl_out_t *out,
    const rbl_resolver_metrics_t *v);

/* Writes a packed array of integers. */
void rbl_metrics_encode(rbl_out_t *out, const int64_t *number, size_t n);

/* Writes the value in its base unit: "12", "0.25".  Returns buf. */
const char *rbl_metric_text(char buf[32], int64_t number,
    rbl_metric_unit_t unit);

#endif /* RBL_METRICS_H_INCLUDED */
