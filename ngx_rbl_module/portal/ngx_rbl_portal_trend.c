/*
 * trend: the last days of an account, hosts by the weight of their heaviest
 * listing, and the lists that list most of its hosts.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_codes.h"
#include "rbl_days.h"
#include "rbl_ops.h"
#include "rbl_time.h"


#define NGX_RBL_TREND_DAYS    30        /* default */
#define NGX_RBL_TREND_LEAST   7
#define NGX_RBL_TREND_LISTS   "20"
#define NGX_RBL_DAY_MS        86400000

enum {                                  /* fields of a row of lists */
    NGX_RBL_TREND_ID = 0,
    NGX_RBL_TREND_HOSTS,
    NGX_RBL_TREND_NEW,
    NGX_RBL_TREND_RECORD
};


static const rbl_field_t  ngx_rbl_trend_fields[] = {
    RBL_NUMBER("days", NGX_RBL_TREND_LEAST, RBL_DAYS_MAX, 0, 0),
    RBL_END
};


static int
ngx_rbl_trend_prepare(rbl_run_t *run)
{
    run->argv[RBL_ARG(days_show, most)] = RBL_STR(NGX_RBL_TREND_LISTS);

    return 0;
}


/* If no host is checked, none is known to be listed. */

static int64_t
ngx_rbl_trend_hosts(const rbl_run_t *run, const rbl_days_show_reply_t *said,
    rbl_weight_t weight)
{
    return run->stopped ? 0 : rbl_reply_int(rbl_reply_at(said->weights,
                                                         weight - 1), 0);
}


static void
ngx_rbl_trend_days(rbl_run_t *run, rbl_doc_t *doc,
    const rbl_days_show_reply_t *said, const rbl_today_t *today)
{
    int              i, n;
    char             buf[RBL_TIME_LEN];
    int64_t          most;
    rbl_day_t       *day;
    rbl_str_t        text;
    rbl_days_now_t   now;

    if (rbl_int_parse(&most, rbl_text(run, 0), 1, RBL_DAYS_MAX) != RBL_OK) {
        most = NGX_RBL_TREND_DAYS;
    }

    now.day.date = said->date;
    now.day.listed = run->stopped ? 0 : said->listed;
    now.day.critical = ngx_rbl_trend_hosts(run, said, RBL_WEIGHT_CRITICAL);
    now.day.unknown = said->unknown;
    now.answered = said->answered;
    now.silent = said->silent;
    day = rbl_room(run, RBL_DAYS_MAX * sizeof(rbl_day_t));

    if (day == NULL) {
        return;
    }

    n = rbl_days_read(day, (int) most, today, said->days, &now);

    if (n < 0) {
        run->by->note(run, "The days of an account are damaged.");
        n = rbl_days_read(day, (int) most, NULL, said->days, &now);
    }

    rbl_doc_array(doc, "days");

    for (i = 0; i < n; i++) {
        text = rbl_time_rfc3339(buf, day[i].date * NGX_RBL_DAY_MS);
        text.n = sizeof("2026-11-30") - 1;
        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "date", text);
        rbl_doc_int(doc, "listed", day[i].listed);
        rbl_doc_int(doc, "critical", day[i].critical);
        rbl_doc_int(doc, "unknown", day[i].unknown);
        rbl_doc_int(doc, "new", day[i].begun);
        rbl_doc_int(doc, "ended", day[i].ended);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


/* The largest weight first.  If nothing has changed today, yesterday ended as
   it is now. */

static void
ngx_rbl_trend_weights(const rbl_run_t *run, rbl_doc_t *doc,
    const rbl_days_show_reply_t *said, const rbl_today_t *today)
{
    size_t        i;
    int64_t       hosts;
    rbl_weight_t  weight;

    const int64_t  was[] = { 0, today ? today->info_was : 0,
        today ? today->normal_was : 0, today ? today->high_was : 0,
        today ? today->critical_was : 0 };

    rbl_doc_array(doc, "weights");

    for (i = 0; i < RBL_WEIGHTS; i++) {
        weight = (rbl_weight_t) (RBL_WEIGHTS - i);
        hosts = ngx_rbl_trend_hosts(run, said, weight);

        rbl_doc_object(doc, NULL);
        rbl_doc_z(doc, "weight", rbl_weight_word(weight));
        rbl_doc_int(doc, "hosts", hosts);

        if (run->stopped || today == NULL || today->made == said->date) {
            rbl_doc_json(doc, "yesterday", RBL_STR("null"));
        } else {
            rbl_doc_int(doc, "yesterday", today->date == said->date
                                          ? was[weight] : hosts);
        }

        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_trend_lists(rbl_doc_t *doc, const redisReply *lists)
{
    size_t             i;
    rbl_list_t         list;
    const redisReply  *row;

    rbl_doc_array(doc, "lists");

    for (i = 0; i < rbl_reply_len(lists); i++) {
        row = rbl_reply_at(lists, i);

        if (rbl_list_decode(&list, rbl_reply_str(
                                rbl_reply_at(row, NGX_RBL_TREND_RECORD)))
            != RBL_OK)
        {
            continue;
        }

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_at(row,
                                                 NGX_RBL_TREND_ID)));
        rbl_doc_str(doc, "host", list.zone);
        rbl_doc_str(doc, "name", list.name);
        rbl_doc_z(doc, "weight", rbl_weight_word(rbl_weight_of_list(
                                                     list.weight)));
        rbl_doc_int(doc, "hosts", rbl_reply_int(rbl_reply_at(row,
                                                    NGX_RBL_TREND_HOSTS), 0));
        rbl_doc_int(doc, "new", rbl_reply_int(rbl_reply_at(row,
                                                  NGX_RBL_TREND_NEW), 0));
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_trend_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_today_t            record, *today;
    rbl_days_show_reply_t  said;

    rbl_days_show_reply(&said, reply);
    today = rbl_today_decode(&record, said.today) == RBL_OK ? &record : NULL;

    rbl_doc_object(doc, "data");
    ngx_rbl_trend_days(run, doc, &said, today);
    ngx_rbl_trend_weights(run, doc, &said, today);
    rbl_doc_int(doc, "total_lists", said.names);
    ngx_rbl_trend_lists(doc, said.lists);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_trend = {
    .script = &rbl_script_days_show,
    .fields = ngx_rbl_trend_fields,
    .message = "OK",
    .prepare = ngx_rbl_trend_prepare,
    .answer = ngx_rbl_trend_answer,
    .slow = 1
};
