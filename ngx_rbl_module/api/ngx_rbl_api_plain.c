/*
 * Listings in one line for Nagios and Zabbix.  OK requires that checks are
 * running: with a plan that has expired, with no daemon, with a check that is
 * long overdue, with no recent check that got a response from a list, with more
 * than half of the lists silent, with a service that is broken, or if no list
 * applies to any host, the answer is UNKNOWN, or -1.  It is WARNING if a
 * critical list is silent for long.  A listing is CRITICAL in any case; the
 * text then says how old the information may be.
 */

#include "ngx_rbl_api.h"
#include "ngx_rbl_list.h"
#include "ngx_rbl_verdict.h"


#define NGX_RBL_SILENCE    300000       /* ms without a daemon, or a check
                                           overdue */
#define NGX_RBL_INTERVALS  3            /* intervals that a check may be
                                           overdue, or that the last one may be
                                           old */

/* Do more than half of the lists that apply not answer? */
#define ngx_rbl_silent_most(c)  (2 * ((c)->asked - (c)->answered) > (c)->asked)

enum {
    NGX_RBL_PLAIN_LISTED = 0,
    NGX_RBL_PLAIN_UNCOVERED,
    NGX_RBL_PLAIN_DUE,
    NGX_RBL_PLAIN_CHECKED,
    NGX_RBL_PLAIN_HOSTS,
    NGX_RBL_PLAIN_PAUSED,
    NGX_RBL_PLAIN_RANGES,
    NGX_RBL_PLAIN_COVERAGE,
    NGX_RBL_PLAIN_DAEMON,
    NGX_RBL_PLAIN_TIME
};

typedef struct {
    int64_t    listed, uncovered;
    int64_t    checked;                 /* ms: last response of a list; 0:
                                           never, -1: unknown */
    int64_t    daemon;                  /* ms: a daemon was last seen; -1:
                                           never */
    int64_t    stopped;                 /* hosts, since the plan expired; or
                                           paused */
    int64_t    now;                     /* ms; 0: unknown */
    const rbl_condition_t  *broken;     /* NULL: the service is not */
    int64_t    active;                  /* hosts that are checked */
    ngx_rbl_progress_t  progress;
    rbl_coverage_t      lists;
    ngx_uint_t          replies;        /* that the second round brings */
} ngx_rbl_plain_t;


/* All times are of the clock of one node, so that they can be compared.
   Daemons look for jobs in every partition. */

static void
ngx_rbl_plain_prepare(ngx_rbl_ctx_t *ctx)
{
    if (ngx_rbl_data(ctx, sizeof(ngx_rbl_plain_t)) == NULL) {
        return;
    }

    ngx_rbl_ask_count(ctx, "listed");
    ngx_rbl_ask_state(ctx, RBL_STATE_UNCOVERED);
    ngx_rbl_ask_first(ctx, "due");
    ngx_rbl_ask(ctx, "GET", "checked", RBL_STR(""), 0, NULL);
    ngx_rbl_ask_count(ctx, "hosts");
    ngx_rbl_ask_state(ctx, RBL_STATE_PAUSED);
    ngx_rbl_ask_state(ctx, RBL_STATE_RANGE);
    ngx_rbl_ask(ctx, "GET", "coverage", RBL_STR(""), 0, NULL);

    ngx_rbl_ask_system(ctx, ctx->batch, "ZRANGE", "daemons", RBL_WORDS(
                       RBL_STR("0"), RBL_STR("0"), RBL_STR("REV"),
                       RBL_STR("WITHSCORES")));
    ngx_rbl_batch_command(ctx->batch, RBL_WORDS(RBL_STR("TIME")));
    ctx->round.asks++;
}


static void
ngx_rbl_plain_checked(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_str_t         text;
    ngx_rbl_plain_t  *plain;

    plain = ctx->data;
    plain->checked = -1;

    if (reply->type == REDIS_REPLY_NIL) {
        return;
    }

    /* Only scripts use what is behind the time. */
    text = rbl_reply_str(reply);

    if (rbl_int_parse(&plain->checked, rbl_until(&text, ' '), 0, INT64_MAX)
        != RBL_OK)
    {
        ngx_rbl_internal(ctx);
    }
}


/* An invalid number must not give "OK": the call then fails. */

static void
ngx_rbl_plain_read(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_plain_t  *plain;

    plain = ctx->data;

    switch (i) {

    case NGX_RBL_PLAIN_LISTED:
        plain->listed = ngx_rbl_total(ctx, reply);
        break;

    case NGX_RBL_PLAIN_UNCOVERED:
        plain->uncovered = ngx_rbl_total(ctx, reply);
        break;

    case NGX_RBL_PLAIN_DUE:
        plain->progress.due = ngx_rbl_first_score(ctx, reply);
        break;

    case NGX_RBL_PLAIN_CHECKED:
        ngx_rbl_plain_checked(ctx, reply);
        break;

    case NGX_RBL_PLAIN_HOSTS:
        plain->active = ngx_rbl_total(ctx, reply);
        break;

    case NGX_RBL_PLAIN_PAUSED:
    case NGX_RBL_PLAIN_RANGES:
        plain->active -= ngx_rbl_total(ctx, reply);
        break;

    case NGX_RBL_PLAIN_COVERAGE:
        ngx_rbl_progress_coverage(ctx, &plain->progress, reply);
        break;

    case NGX_RBL_PLAIN_DAEMON:
        plain->daemon = ngx_rbl_first_score(ctx, reply);
        break;

    case NGX_RBL_PLAIN_TIME:
        plain->now = rbl_reply_time(reply) / 1000000 * 1000;
        break;
    }
}


/* Adds a command for the records of the silent lists that are named. */

static void
ngx_rbl_silent_names(ngx_rbl_ctx_t *ctx, const rbl_coverage_t *c)
{
    ngx_uint_t             i;
    rbl_key_t             *key;
    rbl_str_t              argv[2 * RBL_COVERAGE_NAMED + 1], sid, ac;
    const rbl_keyspace_t  *ks;

    ks = ngx_rbl_store_keyspace(ctx->store);
    ac = rbl_sid_str(&ctx->account);

    key = ngx_palloc(ctx->request->pool, 2 * c->n_silent * sizeof(rbl_key_t));

    if (key == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    argv[0] = RBL_STR("MGET");

    for (i = 0; i < c->n_silent; i++, key += 2) {
        sid = rbl_sid_str(&c->silent[i]);
        argv[2 * i + 1] = rbl_key(&key[0], ks, rbl_partition(ks, ac), "r",
                                  RBL_STR("SYS"), sid);
        argv[2 * i + 2] = rbl_account_key(&key[1], ks, "r", ac, sid);
    }

    ngx_rbl_next_command(ctx, (int) i * 2 + 1, argv);
}


/* Writes "2 of 40 lists silent: a.example, b.example".  names: the reply to
   that command, or NULL. */

static void
ngx_rbl_silent_write(rbl_out_t *out, const rbl_coverage_t *c,
    const redisReply *names)
{
    size_t       i;
    rbl_str_t    raw;
    rbl_list_t   list;
    const char  *before;

    rbl_out_int(out, c->asked - c->answered);
    rbl_out_z(out, " of ");
    rbl_out_int(out, c->asked);
    rbl_out_z(out, c->asked == 1 ? " list silent" : " lists silent");

    before = ": ";

    for (i = 0; names != NULL && i < rbl_reply_len(names); i++) {
        raw = rbl_reply_str(rbl_reply_at(names, i));

        if (raw.p != NULL && rbl_list_decode(&list, raw) == RBL_OK) {
            rbl_out_z(out, before);
            rbl_out_str(out, list.zone);
            before = ", ";
        }
    }
}


static ngx_uint_t
ngx_rbl_plain_names(const ngx_rbl_ctx_t *ctx)
{
    const ngx_rbl_plain_t  *plain;

    plain = ctx->data;

    return ctx->format == NGX_RBL_NAGIOS && plain->listed == 0
           && plain->lists.n_silent > 0
           && (plain->lists.critical_long > 0
               || ngx_rbl_silent_most(&plain->lists));
}


/* The worst condition of the service, if that is broken.  For a missing daemon
   `unseen` has another bound, so that a restart of the only one is no alarm. */

static const rbl_condition_t *
ngx_rbl_plain_broken(const ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t               i;
    const rbl_condition_t   *row;
    const rbl_conditions_t  *all;

    all = ngx_rbl_verdict(ctx->conf->store_index);

    for (i = 0; all != NULL && i < all->n; i++) {
        row = &all->row[i];

        if (row->severity == RBL_SERVICE_BROKEN
            && ngx_strcmp(row->name,
                          rbl_condition_kinds[RBL_CONDITION_NO_DAEMON].name)
               != 0)
        {
            return row;
        }
    }

    return NULL;
}


static void
ngx_rbl_plain_hosts(rbl_out_t *out, int64_t n)
{
    rbl_out_int(out, n);
    rbl_out_z(out, n == 1 ? " host" : " hosts");
}


/* Writes the state, and what is listed.  1: WARNING. */

static ngx_uint_t
ngx_rbl_plain_first(rbl_out_t *out, const ngx_rbl_plain_t *plain,
    ngx_uint_t silent)
{
    ngx_uint_t  warn;

    if (plain->listed == 0 && silent) {
        rbl_out_z(out, "UNKNOWN -");
        return 0;
    }

    warn = plain->listed == 0 && plain->lists.critical_long > 0;

    rbl_out_z(out, plain->listed ? "CRITICAL - " : warn ? "WARNING - "
                                                        : "OK - ");
    ngx_rbl_plain_hosts(out, plain->listed);
    rbl_out_z(out, warn ? " listed" : " listed!");

    return warn;
}


/* Writes an age of at least five minutes. */

static void
ngx_rbl_plain_age(rbl_out_t *out, int64_t ms)
{
    int64_t  minutes;

    minutes = ms / 60000;

    if (minutes < 120) {
        rbl_out_int(out, minutes);
        rbl_out_z(out, " minutes.");

    } else if (minutes < 48 * 60) {
        rbl_out_int(out, minutes / 60);
        rbl_out_z(out, " hours.");

    } else {
        rbl_out_int(out, minutes / 1440);
        rbl_out_z(out, " days.");
    }
}


/* INT64_MAX: never. */

static void
ngx_rbl_plain_reason(rbl_out_t *out, const char *what, int64_t ms)
{
    rbl_out_z(out, " ");
    rbl_out_z(out, what);

    if (ms == INT64_MAX) {
        rbl_out_z(out, ".");

    } else {
        rbl_out_z(out, " for ");
        ngx_rbl_plain_age(out, ms);
    }
}


/* Writes the first reason why nothing new is known.  Ages in ms. */

static void
ngx_rbl_plain_why(rbl_out_t *out, const ngx_rbl_ctx_t *ctx, int64_t unseen,
    int64_t overdue, int64_t unchecked, int64_t bound)
{
    int64_t           age;
    ngx_rbl_plain_t  *plain;

    plain = ctx->data;

    if (plain->stopped > 0) {
        age = plain->now - ctx->lapsed;
        rbl_out_z(out, " The plan has expired:");
        ngx_rbl_plain_reason(out, ctx->kept ? "some hosts have not been checked"
                             : "hosts have not been checked",
                             age < 120000 ? INT64_MAX : age);

    } else if (unseen > NGX_RBL_SILENCE) {
        ngx_rbl_plain_reason(out, "No daemon has been seen", unseen);

    } else if (plain->broken != NULL) {
        rbl_out_z(out, " ");
        rbl_out_z(out, rbl_condition_users(plain->broken));

    } else if (overdue > bound) {
        ngx_rbl_plain_reason(out, "The oldest check has been due", overdue);

    } else if (unchecked > bound) {
        ngx_rbl_plain_reason(out, "No check of a host has had an answer",
                             unchecked);
    }
}


/* Without active hosts the time of the last check does not matter.  Before the
   first answer nothing is known.  An older version did not record the responses
   of lists: an unknown time is not treated as silence. */

static void
ngx_rbl_plain_answer(ngx_rbl_ctx_t *ctx, const redisReply *names)
{
    int64_t           now, unseen, overdue, unchecked, bound;
    rbl_out_t        *out;
    ngx_uint_t        silent, stale;
    ngx_rbl_plain_t  *plain;

    plain = ctx->data;
    now = plain->now;

    if (now <= 0) {
        ngx_rbl_internal(ctx);
        return;
    }

    bound = ngx_max(NGX_RBL_INTERVALS * ctx->interval * 1000, NGX_RBL_SILENCE);

    unseen = plain->daemon < 0 ? INT64_MAX : now - plain->daemon;
    overdue = plain->progress.due < 0 ? 0 : now - plain->progress.due;
    unchecked = plain->progress.due < 0 || plain->checked < 0 ? 0
                : plain->checked == 0 ? INT64_MAX : now - plain->checked;

    plain->broken = plain->progress.due < 0 ? NULL : ngx_rbl_plain_broken(ctx);

    stale = plain->stopped > 0 || unseen > NGX_RBL_SILENCE
            || overdue > bound || unchecked > bound || plain->broken != NULL;
    silent = stale || ngx_rbl_silent_most(&plain->lists)
             || (plain->uncovered > 0 && plain->uncovered >= plain->active);

    ngx_rbl_open_plain(ctx);

    out = &ctx->sink.out;

    if (ctx->format != NGX_RBL_NAGIOS) {
        rbl_out_int(out, plain->listed == 0 && silent ? -1 : plain->listed);
        return;
    }

    if (ngx_rbl_plain_first(out, plain, silent)
        || (plain->listed == 0 && !stale
            && ngx_rbl_silent_most(&plain->lists)))
    {
        rbl_out_z(out, silent ? " " : ", ");
        ngx_rbl_silent_write(out, &plain->lists, names);
        rbl_out_z(out, silent ? "." : "");
    }

    ngx_rbl_plain_why(out, ctx, unseen, overdue, unchecked, bound);

    if (plain->uncovered && !silent) {
        rbl_out_z(out, ", ");
        ngx_rbl_plain_hosts(out, plain->uncovered);
        rbl_out_z(out, " cannot be checked");

    } else if (plain->uncovered && plain->listed == 0) {
        rbl_out_z(out, " No list applies to ");
        ngx_rbl_plain_hosts(out, plain->uncovered);
        rbl_out_z(out, ".");
    }
}


/* An account whose plan has expired needs a second round: how many hosts are
   behind those that are still checked; and so do the names of silent lists.
   Without active hosts no list applies. */

static void
ngx_rbl_plain_proceed(ngx_rbl_ctx_t *ctx)
{
    char              text[RBL_OUT_INT + 1];
    ngx_uint_t        names;
    ngx_rbl_plain_t  *plain;

    plain = ctx->data;

    if (plain->progress.due >= 0) {
        ngx_rbl_progress_count(ctx, &plain->progress, &plain->lists,
                               plain->now);
    }

    names = ngx_rbl_plain_names(ctx);
    plain->replies = (ctx->lapsed != 0) + names;

    if (plain->replies == 0) {
        ngx_rbl_plain_answer(ctx, NULL);
        return;
    }

    if (ctx->lapsed) {
        (void) ngx_sprintf((u_char *) text, "(%L%Z", ctx->kept);
        ngx_rbl_next_ask(ctx, "ZCOUNT", "hosts", RBL_STR(""),
                         RBL_WORDS(rbl_str(text), RBL_STR("+inf")));
    }

    if (names) {
        ngx_rbl_silent_names(ctx, &plain->lists);
    }
}


static void
ngx_rbl_plain_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i, const redisReply *reply)
{
    ngx_rbl_plain_t  *plain;

    plain = ctx->data;

    if (i == 0 && ctx->lapsed) {
        plain->stopped = ngx_rbl_total(ctx, reply);
        reply = NULL;
    }

    if (ctx->run.refusal == 0 && i + 1 == plain->replies) {
        ngx_rbl_plain_answer(ctx, reply);
    }
}


const ngx_rbl_op_t  ngx_rbl_op_listings_plain = {
    .prepare = ngx_rbl_plain_prepare,
    .read = ngx_rbl_plain_read,
    .proceed = ngx_rbl_plain_proceed,
    .result = ngx_rbl_plain_result
};
