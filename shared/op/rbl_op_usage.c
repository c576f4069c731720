/*
 * The statistics and the error log that nginx collects for an application
 * (rbl_keys.h: stats, errors).
 */

#include "rbl_ops.h"

#include "rbl_record.h"
#include "rbl_usage.h"
#include "rbl_validate.h"

#include <stdlib.h>


enum {                                  /* fields of stats */
    RBL_STATS_HOURS = 0,
    RBL_STATS_DAYS
};

enum {                                  /* field of errors, behind those of a
                                           page */
    RBL_ERRORS_CODE = 2
};


static const rbl_outcome_t  rbl_usage_refusals[] = {
    RBL_UNKNOWN_ID("APP", "application"),
    { NULL, 0, NULL }
};


static const rbl_field_t  rbl_stats_fields[] = {
    RBL_NUMBER("hours", 1, RBL_USAGE_HOURS_MAX, 0, 0),
    RBL_NUMBER("days", 1, RBL_USAGE_DAYS_MAX, 0, 0),
    RBL_END
};


/* The names of the keys stand behind the arguments of the script. */

static int
rbl_stats_prepare(rbl_run_t *run)
{
    int           days;
    char         *name;
    size_t        i;
    int64_t       n;
    rbl_str_t     text[2];
    rbl_usage_t  *usage;

    text[0] = rbl_text(run, RBL_STATS_HOURS);
    text[1] = rbl_text(run, RBL_STATS_DAYS);
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

    usage = run->data = rbl_room(run, sizeof(rbl_usage_t));

    if (usage == NULL) {
        return -1;
    }

    rbl_usage_begin(usage, days, n, run->now / 1000);

    run->n_rest = (size_t) rbl_usage_parts(usage);
    run->rest = rbl_room(run, run->n_rest * sizeof(rbl_str_t));
    name = rbl_room(run, run->n_rest * RBL_USAGE_NAME);

    for (i = 0; run->refusal == 0 && i < run->n_rest; i++) {
        run->rest[i] = rbl_usage_name(name + i * RBL_USAGE_NAME, usage,
                                      &run->id,
                                      rbl_usage_part(usage) + (int64_t) i);
    }

    return run->refusal ? -1 : 0;
}


static void
rbl_stats_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    int64_t                  i;
    rbl_sum_t                all;
    rbl_usage_t             *usage;
    rbl_app_stats_reply_t    said;

    usage = run->data;
    rbl_app_stats_reply(&said, reply);

    for (i = 0; i < rbl_usage_parts(usage); i++) {
        rbl_usage_read(usage, rbl_usage_part(usage) + i,
                       rbl_reply_at(said.parts, (size_t) i));
    }

    all = rbl_usage_all(usage);

    rbl_doc_str(doc, "account", said.account);
    rbl_doc_str(doc, "id", rbl_sid_str(&run->id));
    rbl_doc_z(doc, "unit", usage->days ? "day" : "hour");
    rbl_doc_int(doc, "requests", all.requests);
    rbl_doc_int(doc, "errors", all.errors);
    rbl_doc_array(doc, "data");

    for (i = 0; i < usage->n; i++) {
        rbl_doc_object(doc, NULL);
        rbl_run_at(run, doc, "time", rbl_usage_time(usage, i));
        rbl_doc_int(doc, "requests", usage->sum[i].requests);
        rbl_doc_int(doc, "errors", usage->sum[i].errors);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
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
    rbl_doc_object(doc, NULL);
    rbl_run_at(run, doc, "time", error->time);
    rbl_doc_str(doc, "method", error->method);
    rbl_doc_str(doc, "path", error->path);
    rbl_doc_int(doc, "code", error->code);
    rbl_doc_str(doc, "message", error->message);
    rbl_doc_str(doc, "address", error->address);
    rbl_doc_close(doc);
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
        if (rbl_refusal_decode(&all[n], rbl_reply_str(
                                   rbl_reply_at(said.refusals, i)))
            != RBL_OK)
        {
            run->by->note(run, "An entry of the error log is damaged.");
            continue;
        }

        n += code == 0 || code == all[n].code;
    }

    qsort(all, n, sizeof(*all), rbl_error_order);

    k = code ? (run->page - 1) * run->page_size : 0;
    end = code && k + run->page_size < (int64_t) n ? k + run->page_size
                                                   : (int64_t) n;

    rbl_page_open(run, doc, "total_errors", code ? (int64_t) n : said.total);

    for ( /* void */ ; k < end; k++) {
        rbl_error_write(run, doc, &all[k]);
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
