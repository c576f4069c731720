/*
 * The statistics and the error logs that nginx collects for applications
 * (rbl_keys.h: stats, errors).
 */

#include "rbl_ops.h"

#include "rbl_record.h"
#include "rbl_usage.h"
#include "rbl_validate.h"

#include <stdlib.h>


#define RBL_USED_APPS      20           /* applications of a page */
#define RBL_USED_HOURS     24           /* at most, of all of a page, */
#define RBL_USED_DAYS      31           /* likewise */
#define RBL_USED_REFUSALS  10           /* of each application, and shown of
                                           all */

enum {                                  /* fields behind those of a page */
    RBL_ERRORS_CODE = 2,                /* of errors */
    RBL_USED_FIELD = 2                  /* of apps/usage: hours, days */
};

typedef struct {
    rbl_refusal_t  refusal;
    rbl_str_t      id, name;            /* of the application */
} rbl_used_refusal_t;

/* Sums and refusals of the applications of a page. */
typedef struct {
    rbl_usage_t          usage;         /* of the one that is read */
    rbl_sum_t           *sum;           /* of all, usage.n */
    rbl_used_refusal_t  *refusal;
    size_t               n_refusals;
} rbl_used_t;


static const rbl_outcome_t  rbl_usage_refusals[] = {
    RBL_UNKNOWN_ID("APP", "application"),
    { NULL, 0, NULL }
};


static const rbl_field_t  rbl_stats_fields[] = {
    RBL_NUMBER("hours", 1, RBL_USAGE_HOURS_MAX, 0, 0),
    RBL_NUMBER("days", 1, RBL_USAGE_DAYS_MAX, 0, 0),
    RBL_END
};


/* Reads hours and days, two fields from this one on, and puts the names of the
   keys behind the arguments of the script: without an application their
   ends.  -1: refused. */

static int
rbl_usage_wanted(rbl_run_t *run, size_t field, rbl_usage_t *usage)
{
    int        days;
    char      *name;
    size_t     i, cut;
    int64_t    n;
    rbl_str_t  text[2];

    text[0] = rbl_text(run, field);
    text[1] = rbl_text(run, field + 1);
    days = text[1].p != NULL;

    if (days && text[0].p != NULL) {
        rbl_refuse(run, 400, "Please provide hours or days, not both.");
        return -1;
    }

    if (text[days].p == NULL
        || rbl_int_parse(&n, text[days], 1, INT64_MAX) != RBL_OK)
    {
        n = 24;
    }

    rbl_usage_begin(usage, days, n, run->now / 1000);

    cut = run->id.n > 0 ? 0 : RBL_SID_LEN + 1;
    run->n_rest = (size_t) rbl_usage_parts(usage);
    run->rest = rbl_room(run, run->n_rest * sizeof(rbl_str_t));
    name = rbl_room(run, run->n_rest * RBL_USAGE_NAME);

    for (i = 0; run->refusal == 0 && i < run->n_rest; i++) {
        run->rest[i] = rbl_usage_name(name + i * RBL_USAGE_NAME, usage,
                                      &run->id,
                                      rbl_usage_part(usage) + (int64_t) i);
        run->rest[i].p += cut;
        run->rest[i].n -= cut;
    }

    return run->refusal ? -1 : 0;
}


static int
rbl_stats_prepare(rbl_run_t *run)
{
    run->data = rbl_room(run, sizeof(rbl_usage_t));

    return run->data == NULL ? -1 : rbl_usage_wanted(run, 0, run->data);
}


/* Of an application: each a hash. */

static void
rbl_usage_parts_read(rbl_usage_t *usage, const redisReply *parts)
{
    int64_t  i;

    for (i = 0; i < rbl_usage_parts(usage); i++) {
        rbl_usage_read(usage, rbl_usage_part(usage) + i,
                       rbl_reply_at(parts, (size_t) i));
    }
}


/* usage: of the times of the sums. */

static void
rbl_sums_write(rbl_run_t *run, rbl_doc_t *doc, const char *key,
    const rbl_usage_t *usage, const rbl_sum_t *sum)
{
    int64_t  i;

    rbl_doc_array(doc, key);

    for (i = 0; i < usage->n; i++) {
        rbl_doc_object(doc, NULL);
        rbl_run_at(run, doc, "time", rbl_usage_time(usage, i));
        rbl_doc_int(doc, "requests", sum[i].requests);
        rbl_doc_int(doc, "errors", sum[i].errors);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
rbl_stats_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_sum_t                all;
    rbl_usage_t             *usage;
    rbl_app_stats_reply_t    said;

    usage = run->data;
    rbl_app_stats_reply(&said, reply);
    rbl_usage_parts_read(usage, said.parts);
    all = rbl_usage_all(usage);

    rbl_doc_str(doc, "account", said.account);
    rbl_doc_str(doc, "id", rbl_sid_str(&run->id));
    rbl_doc_z(doc, "unit", usage->days ? "day" : "hour");
    rbl_doc_int(doc, "requests", all.requests);
    rbl_doc_int(doc, "errors", all.errors);
    rbl_sums_write(run, doc, "data", usage, usage->sum);
}


const rbl_op_t  rbl_op_app_stats = {
    .script = &rbl_script_app_stats,
    .fields = rbl_stats_fields,
    .kinds = { RBL_SID_APP },
    .message = "OK",
    .prepare = rbl_stats_prepare,
    .answer = rbl_stats_answer,
    .refusals = rbl_usage_refusals,
    .slow = 1
};


static const rbl_field_t  rbl_errors_fields[] = {
    RBL_TEXT("page", 0, NULL, 0),
    RBL_TEXT("page_size", 0, NULL, 0),
    RBL_NUMBER("code", 100, 599, 0, 0),
    RBL_END
};


/* With a filter the whole log is read, which is limited. */

static int
rbl_errors_prepare(rbl_run_t *run)
{
    rbl_str_t  *first;

    if (rbl_text(run, RBL_ERRORS_CODE).p != NULL) {
        first = &run->argv[RBL_ARG(app_refusals, first)];
        first[0] = RBL_STR("0");
        first[1] = RBL_STR("-1");
    }

    return 0;
}


/* Refusals, or what begins with one. */

static int
rbl_error_order(const void *one, const void *two)
{
    const rbl_refusal_t  *a, *b;

    a = one;
    b = two;

    return (a->time < b->time) - (a->time > b->time);
}


static void
rbl_error_write(rbl_run_t *run, rbl_doc_t *doc, const rbl_refusal_t *error)
{
    rbl_run_at(run, doc, "time", error->time);
    rbl_doc_str(doc, "method", error->method);
    rbl_doc_str(doc, "path", error->path);
    rbl_doc_int(doc, "code", error->code);
    rbl_doc_str(doc, "message", error->message);
    rbl_doc_str(doc, "address", error->address);
}


/* 0: it is damaged. */

static int
rbl_error_read(rbl_run_t *run, rbl_refusal_t *error, const redisReply *entry)
{
    if (rbl_refusal_decode(error, rbl_reply_str(entry)) == RBL_OK) {
        return 1;
    }

    run->by->note(run, "An entry of the error log is damaged.");

    return 0;
}


/* Newest first.  Each worker adds its own errors once a second, so the entries
   that were read are sorted. */

static void
rbl_errors_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                      i, n;
    int64_t                     k, end, code;
    rbl_refusal_t              *all;
    rbl_app_refusals_reply_t    said;

    rbl_app_refusals_reply(&said, reply);

    all = rbl_room(run, (rbl_reply_len(said.refusals) + 1) * sizeof(*all));

    if (all == NULL) {
        return;
    }

    if (rbl_int_parse(&code, rbl_text(run, RBL_ERRORS_CODE), 0, 599)
        != RBL_OK)
    {
        code = 0;
    }

    for (i = 0, n = 0; i < rbl_reply_len(said.refusals); i++) {
        n += rbl_error_read(run, &all[n], rbl_reply_at(said.refusals, i))
             && (code == 0 || code == all[n].code);
    }

    qsort(all, n, sizeof(*all), rbl_error_order);

    k = code ? (run->page - 1) * run->page_size : 0;
    end = code && k + run->page_size < (int64_t) n ? k + run->page_size
                                                   : (int64_t) n;

    rbl_page_open(run, doc, "total_errors", code ? (int64_t) n : said.total);

    for ( /* void */ ; k < end; k++) {
        rbl_doc_object(doc, NULL);
        rbl_error_write(run, doc, &all[k]);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_app_errors = {
    .script = &rbl_script_app_refusals,
    .fields = rbl_errors_fields,
    .kinds = { RBL_SID_APP },
    .message = "OK",
    .ranks = RBL_ARG(app_refusals, first),
    .prepare = rbl_errors_prepare,
    .answer = rbl_errors_answer,
    .refusals = rbl_usage_refusals,
    .slow = 1
};


static const rbl_field_t  rbl_used_fields[] = {
    RBL_TEXT("page", 0, NULL, 0),
    RBL_TEXT("page_size", 0, NULL, 0),
    RBL_NUMBER("hours", 1, RBL_USED_HOURS, 0, 0),
    RBL_NUMBER("days", 1, RBL_USED_DAYS, 0, 0),
    RBL_END
};


static int
rbl_used_prepare(rbl_run_t *run)
{
    size_t       n;
    rbl_used_t  *used;

    used = run->data = rbl_room(run, sizeof(rbl_used_t));

    if (used == NULL || rbl_usage_wanted(run, RBL_USED_FIELD, &used->usage)) {
        return -1;
    }

    n = (size_t) used->usage.n * sizeof(rbl_sum_t);
    used->n_refusals = 0;
    used->sum = rbl_room(run, n);
    used->refusal = rbl_room(run, RBL_USED_APPS * RBL_USED_REFUSALS
                                  * sizeof(rbl_used_refusal_t));

    if (used->sum == NULL || used->refusal == NULL) {
        return -1;
    }

    memset(used->sum, 0, n);

    return 0;
}


/* Writes the sums of one application, behind its members. */

static void
rbl_used_sums(rbl_run_t *run, rbl_doc_t *doc, rbl_used_t *used,
    const redisReply *parts)
{
    int64_t       i, last;
    rbl_sum_t     all;
    rbl_usage_t  *usage;

    usage = &used->usage;
    memset(usage->sum, 0, sizeof(usage->sum));
    rbl_usage_parts_read(usage, parts);
    all = rbl_usage_all(usage);

    for (i = 0, last = -1; i < usage->n; i++) {
        used->sum[i].requests += usage->sum[i].requests;
        used->sum[i].errors += usage->sum[i].errors;
        last = usage->sum[i].requests > 0 ? i : last;
    }

    rbl_doc_int(doc, "requests", all.requests);
    rbl_doc_int(doc, "errors", all.errors);
    rbl_run_at(run, doc, "last", last < 0 ? 0 : rbl_usage_time(usage, last));
    rbl_doc_array(doc, "each");

    for (i = 0; i < usage->n; i++) {
        rbl_doc_int(doc, NULL, usage->sum[i].requests);
    }

    rbl_doc_close(doc);
}


static void
rbl_used_app(rbl_run_t *run, rbl_doc_t *doc, const redisReply *row)
{
    size_t                  i;
    rbl_app_t               app;
    rbl_used_t             *used;
    rbl_used_refusal_t     *to;
    rbl_apps_usage_app_t    said;

    used = run->data;
    rbl_apps_usage_app(&said, row);

    if (rbl_app_row(run, doc, &app, said.record) != 0) {
        return;
    }

    rbl_doc_int(doc, "total_tokens", said.tokens);
    rbl_used_sums(run, doc, used, said.parts);
    rbl_doc_close(doc);

    for (i = 0; i < rbl_reply_len(said.refusals)
                && used->n_refusals < RBL_USED_APPS * RBL_USED_REFUSALS; i++)
    {
        to = &used->refusal[used->n_refusals];
        to->id = app.id;
        to->name = app.name;
        used->n_refusals += (size_t) rbl_error_read(run, &to->refusal,
                                         rbl_reply_at(said.refusals, i));
    }
}


static void
rbl_used_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                    i;
    int64_t                   k;
    rbl_sum_t                 all = { 0, 0 };
    rbl_used_t               *used;
    rbl_apps_usage_reply_t    said;

    used = run->data;
    rbl_apps_usage_reply(&said, reply);
    rbl_page_open(run, doc, "total_applications", said.total);

    for (i = 0; i < rbl_reply_len(said.apps); i++) {
        rbl_used_app(run, doc, rbl_reply_at(said.apps, i));
    }

    rbl_doc_close(doc);

    for (k = 0; k < used->usage.n; k++) {
        all.requests += used->sum[k].requests;
        all.errors += used->sum[k].errors;
    }

    rbl_doc_z(doc, "unit", used->usage.days ? "day" : "hour");
    rbl_doc_int(doc, "requests", all.requests);
    rbl_doc_int(doc, "errors", all.errors);
    rbl_sums_write(run, doc, "times", &used->usage, used->sum);
    rbl_doc_array(doc, "refusals");
    qsort(used->refusal, used->n_refusals, sizeof(*used->refusal),
          rbl_error_order);

    for (i = 0; i < used->n_refusals && i < RBL_USED_REFUSALS; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_object(doc, "application");
        rbl_doc_str(doc, "id", used->refusal[i].id);
        rbl_doc_str(doc, "name", used->refusal[i].name);
        rbl_doc_close(doc);
        rbl_error_write(run, doc, &used->refusal[i].refusal);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_apps_usage = {
    .script = &rbl_script_apps_usage,
    .fields = rbl_used_fields,
    .message = "OK",
    .ranks = RBL_ARG(apps_usage, first),
    .page_most = RBL_USED_APPS,
    .prepare = rbl_used_prepare,
    .answer = rbl_used_answer,
    .slow = 1
};
