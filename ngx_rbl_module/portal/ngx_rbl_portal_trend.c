/*
 * trend: the last days of an account, hosts by the weight of their heaviest
 * listing, the lists that list most of its hosts, and its groups.
 * lists/mine: all active lists, with how many hosts each one lists.
 * list/trend: the last days of a list.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_codes.h"
#include "rbl_coverage.h"
#include "rbl_days.h"
#include "rbl_ops.h"
#include "rbl_time.h"
#include "rbl_view.h"


#define NGX_RBL_TREND_DAYS    30        /* default */
#define NGX_RBL_TREND_LEAST   7
#define NGX_RBL_TREND_LISTS   "20"
#define NGX_RBL_DAY_MS        86400000
#define NGX_RBL_MINE_MOST     512       /* lists */

enum {                                  /* fields of a row of lists */
    NGX_RBL_TREND_ID = 0,
    NGX_RBL_TREND_HOSTS,
    NGX_RBL_TREND_NEW,
    NGX_RBL_TREND_RECORD
};

enum {                                  /* of a row of groups */
    NGX_RBL_TREND_GROUP = 0,
    NGX_RBL_TREND_LISTED,
    NGX_RBL_TREND_CHANGE
};

enum {                                  /* of a row of lists/mine */
    NGX_RBL_MINE_RECORD = 0,
    NGX_RBL_MINE_HOSTS,
    NGX_RBL_MINE_NEW
};

typedef struct {
    rbl_trends_read_t    trends;
    rbl_list_day_t       day[RBL_DAYS_MAX];
    rbl_coverage_list_t  covered[NGX_RBL_MINE_MOST];
    size_t               n_covered;
} ngx_rbl_mine_t;


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


/* How many days are wanted. */

static int
ngx_rbl_trend_most(const rbl_run_t *run)
{
    int64_t  most;

    return rbl_int_parse(&most, rbl_text(run, 0), 1, RBL_DAYS_MAX) == RBL_OK
           ? (int) most : NGX_RBL_TREND_DAYS;
}


static void
ngx_rbl_trend_date(rbl_doc_t *doc, int64_t date)
{
    char       buf[RBL_TIME_LEN];
    rbl_str_t  text;

    text = rbl_time_rfc3339(buf, date * NGX_RBL_DAY_MS);
    text.n = sizeof("2026-11-30") - 1;
    rbl_doc_str(doc, "date", text);
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
    rbl_day_t       *day;
    rbl_days_now_t   now;

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

    n = rbl_days_read(day, ngx_rbl_trend_most(run), today, said->days, &now);

    if (n < 0) {
        run->by->note(run, "The days of an account are damaged.");
        n = rbl_days_read(day, ngx_rbl_trend_most(run), NULL, said->days, &now);
    }

    rbl_doc_array(doc, "days");

    for (i = 0; i < n; i++) {
        rbl_doc_object(doc, NULL);
        ngx_rbl_trend_date(doc, day[i].date);
        rbl_doc_int(doc, "listed", day[i].listed);
        rbl_doc_int(doc, "critical", day[i].critical);
        rbl_doc_int(doc, "unknown", day[i].unknown);
        rbl_doc_int(doc, "new", day[i].begun);
        rbl_doc_int(doc, "ended", day[i].ended);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


/* Hosts that were listed when yesterday ended; null: that is not known. */

static void
ngx_rbl_trend_yesterday(const rbl_run_t *run, rbl_doc_t *doc,
    const rbl_days_show_reply_t *said, const rbl_today_t *today, int64_t hosts)
{
    if (run->stopped || today == NULL || today->made == said->date) {
        rbl_doc_json(doc, "yesterday", RBL_STR("null"));
    } else {
        rbl_doc_int(doc, "yesterday", hosts > 0 ? hosts : 0);
    }
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
        ngx_rbl_trend_yesterday(run, doc, said, today,
                                today && today->date == said->date
                                ? was[weight] : hosts);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


/* NULL: out of memory, refused. */

static ngx_rbl_mine_t *
ngx_rbl_mine_new(rbl_run_t *run, rbl_str_t trends, rbl_str_t coverage)
{
    ngx_rbl_mine_t  *mine;

    mine = rbl_room(run, sizeof(ngx_rbl_mine_t));

    if (mine == NULL) {
        return NULL;
    }

    if (rbl_trends_read(&mine->trends, trends) != RBL_OK) {
        run->by->note(run, "The days of the lists of an account are damaged.");
    }

    mine->n_covered = rbl_coverage_lists(mine->covered, NGX_RBL_MINE_MOST,
                                         coverage, ngx_rbl_of(run)->interval,
                                         run->now / 1000);

    return mine;
}


/* Hosts that a list listed at the end of each of the last days. */

static void
ngx_rbl_mine_days(rbl_doc_t *doc, ngx_rbl_mine_t *mine, rbl_str_t list,
    int64_t date, int64_t hosts)
{
    int             i, n;
    rbl_list_now_t  now;

    now.list = list;
    now.date = date;
    now.hosts = hosts;
    now.begun = NULL;
    now.n_begun = 0;
    n = rbl_trends_days(mine->day, NGX_RBL_TREND_DAYS, &mine->trends, &now);

    rbl_doc_array(doc, "days");

    for (i = 0; i < n; i++) {
        rbl_doc_int(doc, NULL, mine->day[i].hosts);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_trend_lists(rbl_run_t *run, rbl_doc_t *doc,
    const rbl_days_show_reply_t *said)
{
    size_t             i;
    int64_t            hosts;
    rbl_list_t         list;
    ngx_rbl_mine_t    *mine;
    const redisReply  *row;

    mine = ngx_rbl_mine_new(run, said->trends, RBL_STR(""));

    if (mine == NULL) {
        return;
    }

    rbl_doc_array(doc, "lists");

    for (i = 0; i < rbl_reply_len(said->lists); i++) {
        row = rbl_reply_at(said->lists, i);

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
        hosts = rbl_reply_int(rbl_reply_at(row, NGX_RBL_TREND_HOSTS), 0);
        rbl_doc_int(doc, "hosts", hosts);
        rbl_doc_int(doc, "new", rbl_reply_int(rbl_reply_at(row,
                                                  NGX_RBL_TREND_NEW), 0));
        ngx_rbl_mine_days(doc, mine, list.id, said->date, hosts);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_trend_groups(const rbl_run_t *run, rbl_doc_t *doc,
    const rbl_days_show_reply_t *said, const rbl_today_t *today)
{
    size_t             i;
    int64_t            hosts;
    const redisReply  *row;

    rbl_doc_array(doc, "groups");

    for (i = 0; i < rbl_reply_len(said->groups); i++) {
        row = rbl_reply_at(said->groups, i);
        hosts = run->stopped ? 0 : rbl_reply_int(
                    rbl_reply_at(row, NGX_RBL_TREND_LISTED), 0);

        rbl_doc_object(doc, NULL);
        rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_at(row,
                                                 NGX_RBL_TREND_GROUP)));
        rbl_doc_int(doc, "hosts", hosts);
        ngx_rbl_trend_yesterday(run, doc, said, today, hosts
                                - rbl_reply_int(rbl_reply_at(row,
                                                    NGX_RBL_TREND_CHANGE), 0));
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
    ngx_rbl_trend_lists(run, doc, &said);
    ngx_rbl_trend_groups(run, doc, &said, today);
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


/* When the list has answered for a host of the account. */

static void
ngx_rbl_mine_covered(const rbl_run_t *run, rbl_doc_t *doc,
    const ngx_rbl_mine_t *mine, rbl_str_t list)
{
    size_t         i;
    unsigned char  sid[16];

    i = rbl_sid_to_digest(sid, list) == RBL_OK ? 0 : mine->n_covered;

    while (i < mine->n_covered
           && memcmp(mine->covered[i].sid, sid, sizeof(sid)) != 0)
    {
        i++;
    }

    rbl_doc_int(doc, "asked", i < mine->n_covered);
    rbl_doc_int(doc, "answers", i < mine->n_covered
                                && mine->covered[i].answered);
    rbl_run_at(run, doc, "answered", i < mine->n_covered
                                     ? mine->covered[i].last * 1000 : 0);
}


static void
ngx_rbl_mine_list(rbl_run_t *run, rbl_doc_t *doc, ngx_rbl_mine_t *mine,
    const redisReply *row, int64_t date)
{
    int64_t     hosts;
    rbl_list_t  list;

    if (rbl_list_decode(&list, rbl_reply_str(
                            rbl_reply_at(row, NGX_RBL_MINE_RECORD)))
        != RBL_OK)
    {
        run->by->note(run, "The record of a list is damaged.");
        return;
    }

    hosts = run->stopped ? 0 : rbl_reply_int(
                                   rbl_reply_at(row, NGX_RBL_MINE_HOSTS), 0);

    rbl_doc_object(doc, NULL);
    rbl_view_list(doc, "list", &list);
    rbl_doc_z(doc, "weight", rbl_weight_word(rbl_weight_of_list(list.weight)));
    rbl_doc_int(doc, "hosts", hosts);
    rbl_doc_int(doc, "new", rbl_reply_int(rbl_reply_at(row, NGX_RBL_MINE_NEW),
                                          0));
    ngx_rbl_mine_covered(run, doc, mine, list.id);
    ngx_rbl_mine_days(doc, mine, list.id, date, hosts);
    rbl_doc_close(doc);
}


static void
ngx_rbl_mine_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                   i;
    ngx_rbl_mine_t          *mine;
    rbl_lists_mine_reply_t   said;

    rbl_lists_mine_reply(&said, reply);
    mine = ngx_rbl_mine_new(run, said.trends, said.coverage);

    if (mine == NULL) {
        return;
    }

    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.rows); i++) {
        ngx_rbl_mine_list(run, doc, mine, rbl_reply_at(said.rows, i),
                          said.date);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_lists_mine = {
    .script = &rbl_script_lists_mine,
    .message = "OK",
    .answer = ngx_rbl_mine_answer,
    .slow = 1
};


static void
ngx_rbl_list_trend_days(rbl_run_t *run, rbl_doc_t *doc, ngx_rbl_mine_t *mine,
    const rbl_list_now_t *now)
{
    int      i, n;
    int64_t  left;

    n = rbl_trends_days(mine->day, ngx_rbl_trend_most(run), &mine->trends,
                        now);
    rbl_doc_array(doc, "days");

    for (i = 0; i < n; i++) {
        left = i == 0 ? 0 : mine->day[i - 1].hosts + mine->day[i].begun
                            - mine->day[i].hosts;
        rbl_doc_object(doc, NULL);
        ngx_rbl_trend_date(doc, mine->day[i].date);
        rbl_doc_int(doc, "hosts", mine->day[i].hosts);
        rbl_doc_int(doc, "new", mine->day[i].begun);
        rbl_doc_int(doc, "left", left > 0 ? left : 0);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_list_trend_answer(rbl_run_t *run, rbl_doc_t *doc,
    const redisReply *reply)
{
    size_t                  i;
    int64_t                 begun[7], new;
    ngx_rbl_mine_t         *mine;
    rbl_list_now_t          now;
    rbl_list_days_reply_t   said;

    rbl_list_days_reply(&said, reply);
    mine = ngx_rbl_mine_new(run, said.trends, said.coverage);

    if (mine == NULL) {
        return;
    }

    now.list = rbl_sid_str(&run->id);
    now.date = said.date;
    now.hosts = run->stopped ? 0 : said.hosts;
    now.begun = begun;
    now.n_begun = sizeof(begun) / sizeof(begun[0]);

    for (i = 0, new = 0; i < now.n_begun; i++) {
        begun[i] = rbl_reply_int(rbl_reply_at(said.begun, i), 0);
        new += begun[i];
    }

    rbl_doc_object(doc, "data");
    rbl_doc_int(doc, "hosts", now.hosts);
    rbl_doc_int(doc, "new", new);
    ngx_rbl_mine_covered(run, doc, mine, now.list);
    ngx_rbl_list_trend_days(run, doc, mine, &now);
    rbl_doc_close(doc);
}


static const rbl_outcome_t  ngx_rbl_list_trend_refusals[] = {
    RBL_UNKNOWN_ID("LIST", "list"),
    { NULL, 0, NULL }
};


const rbl_op_t  rbl_op_list_trend = {
    .script = &rbl_script_list_days,
    .fields = ngx_rbl_trend_fields,
    .kinds = { RBL_SID_LIST },
    .message = "OK",
    .answer = ngx_rbl_list_trend_answer,
    .refusals = ngx_rbl_list_trend_refusals
};
