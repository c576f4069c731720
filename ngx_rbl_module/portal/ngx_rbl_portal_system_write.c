/*
 * operator/list/...: changes of a system list by an operator, with the scripts
 * of rblctl lists.
 *
 * Each partition has a copy of the list, so the script runs in all of them, in
 * a round each on the slow link.  It may refuse in the first one, partition 0.
 * After a failure halfway the call may be repeated, with the same result.  The
 * round before these writes the audit log of the operators.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_mp.h"


#define NGX_RBL_CHANGE_VALUE   32       /* bytes of a packed value */

enum {                                  /* fields of override */
    NGX_RBL_OVERRIDE_NONE = 0,
    NGX_RBL_OVERRIDE_INTERVAL,
    NGX_RBL_OVERRIDE_RATE,
    NGX_RBL_OVERRIDE_QUOTA,
    NGX_RBL_OVERRIDE_TIER,
    NGX_RBL_OVERRIDES
};

typedef struct {
    ngx_uint_t                 changing;    /* 0: the audit log is written */
    ngx_uint_t                 from, to;    /* partitions: this one, the end */
    rbl_lists_override_each_t  override[NGX_RBL_OVERRIDES];
    char                       packed[NGX_RBL_OVERRIDES][NGX_RBL_CHANGE_VALUE];
} ngx_rbl_change_t;


static void
ngx_rbl_change_proceed(ngx_rbl_ctx_t *ctx)
{
    rbl_lists_change_args_t  args;

    args.list = rbl_sid_str(&ctx->run.id);
    args.enable = rbl_digit(ctx->route->op == &ngx_rbl_op_list_enable);

    ngx_rbl_run(ctx, lists_change, &args, 0);
}


/* The script in the next partition. */

static void
ngx_rbl_change_next(ngx_rbl_ctx_t *ctx)
{
    int                    argc;
    rbl_key_t              key;
    rbl_str_t             *argv, none = RBL_STR("");
    ngx_rbl_batch_t       *batch;
    ngx_rbl_change_t      *change;
    const rbl_script_t    *script;
    const rbl_keyspace_t  *ks;

    change = ctx->data;
    script = ctx->run.script;
    ks = ngx_rbl_store_keyspace(ctx->store);
    argc = script->argc + (int) ctx->run.n_rest;
    argv = ngx_palloc(ctx->request->pool, argc * sizeof(rbl_str_t));
    batch = ngx_rbl_next(ctx);

    if (argv == NULL || batch == NULL) {
        ngx_rbl_internal(ctx);
        return;
    }

    ngx_memcpy(argv, ctx->run.argv, script->argc * sizeof(rbl_str_t));

    if (ctx->run.n_rest) {
        ngx_memcpy(argv + script->argc, ctx->run.rest,
                   ctx->run.n_rest * sizeof(rbl_str_t));
    }

    argv[0] = script == &rbl_script_list_thaw
              ? rbl_key(&key, ks, change->from, "list",
                        rbl_sid_str(&ctx->run.id), none)
              : rbl_key(&key, ks, change->from, "lists", none, none);
    ngx_rbl_batch_script(batch, script, argc, argv);
    ngx_rbl_slow(ctx);
}


static void
ngx_rbl_change_result(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply)
{
    ngx_rbl_change_t  *change;

    change = ctx->data;
    ctx->partly = 1;

    change->from += change->changing;
    change->changing = 1;

    if (change->from < change->to) {
        ngx_rbl_change_next(ctx);
        return;
    }

    ngx_rbl_open(ctx, 0, ctx->route->op->message);
    ngx_rbl_close(ctx);
}


#define NGX_RBL_CHANGE                                                        \
    .proceed = ngx_rbl_change_proceed, .result = ngx_rbl_change_result

/* The largest values, as in rblctl(8). */
#define NGX_RBL_INTERVAL_MOST  (30 * 86400)
#define NGX_RBL_RATE_MOST      1000000
#define NGX_RBL_QUOTA_MOST     1000000000000


static ngx_int_t
ngx_rbl_override_number(rbl_str_t text, int64_t most)
{
    int64_t  n;

    return rbl_int_parse(&n, text, 0, most) == RBL_OK ? NGX_OK : NGX_DECLINED;
}


static int
ngx_rbl_override_interval(rbl_run_t *run, rbl_str_t *text)
{
    return ngx_rbl_override_number(*text, NGX_RBL_INTERVAL_MOST);
}


static int
ngx_rbl_override_rate(rbl_run_t *run, rbl_str_t *text)
{
    return ngx_rbl_override_number(*text, NGX_RBL_RATE_MOST);
}


static int
ngx_rbl_override_quota(rbl_run_t *run, rbl_str_t *text)
{
    return ngx_rbl_override_number(*text, NGX_RBL_QUOTA_MOST);
}


static int
ngx_rbl_override_tier(rbl_run_t *run, rbl_str_t *text)
{
    ngx_uint_t  i;

    static const char *const  tiers[] = {
        "critical", "high", "normal", "policy", "neighbourhood", "notspam",
        "allow", "utility", NULL
    };

    for (i = 0; tiers[i] != NULL; i++) {
        if (rbl_str_is(*text, tiers[i])) {
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static const rbl_field_t  ngx_rbl_override_fields[] = {
    RBL_TEXT("none", 0, rbl_flag, RBL_ARG(lists_override, reset)),
    RBL_TEXT("min_interval", 0, ngx_rbl_override_interval, 0),
    RBL_TEXT("rate", 0, ngx_rbl_override_rate, 0),
    RBL_TEXT("day_quota", 0, ngx_rbl_override_quota, 0),
    RBL_TEXT("tier", 0, ngx_rbl_override_tier, 0),
    RBL_END
};

static const rbl_field_t  ngx_rbl_kill_fields[] = {
    RBL_TEXT("reason", RBL_NEEDED, rbl_label,
             RBL_ARG(lists_kill, reason)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_system_refusals[] = {
    RBL_UNKNOWN_ID("LIST", "list"),
    { "NONE", NGX_HTTP_CONFLICT, "This list is not frozen." },
    { "KEYED", NGX_HTTP_CONFLICT,
      "This list needs a key. Please enable it with rblctl lists enable." },
    { "CATALOGUE", NGX_HTTP_CONFLICT,
      "The catalogue has killed this list: only a catalogue that has it among "
      "its lists brings it back." },
    { "FULL", NGX_HTTP_CONFLICT,
      "There are as many system lists as there may be. Please kill another one "
      "first." },
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_system = {
    .resource = "list",
    .kind = RBL_SID_LIST,
    .refusals = ngx_rbl_system_refusals
};


static void
ngx_rbl_change_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_change_t  *change;

    change = ngx_rbl_data(ctx, sizeof(ngx_rbl_change_t));

    if (change == NULL) {
        return;
    }

    ngx_rbl_write_prepare(ctx);

    if (ctx->run.refusal == 0) {
        change->to = ngx_rbl_store_keyspace(ctx->store)->partitions;
    }
}


const ngx_rbl_op_t  ngx_rbl_op_list_enable = {
    .script = &rbl_script_lists_status,
    .value = "active",
    .prepare = ngx_rbl_change_prepare,
    NGX_RBL_CHANGE,
    .message = "List enabled successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_list_disable = {
    .script = &rbl_script_lists_status,
    .value = "disabled",
    .prepare = ngx_rbl_change_prepare,
    NGX_RBL_CHANGE,
    .message = "List disabled successfully."
};


/* The state that daemons share is in one partition.  Any freeze is meant. */

static void
ngx_rbl_thaw_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_change_t  *change;

    ngx_rbl_change_prepare(ctx);

    if (ctx->run.refusal == 0) {
        change = ctx->data;
        change->from = rbl_partition(ngx_rbl_store_keyspace(ctx->store),
                                     rbl_sid_str(&ctx->run.id));
        change->to = change->from + 1;
        ctx->run.argv[RBL_ARG(list_thaw, since)] = RBL_STR("");
    }
}


const ngx_rbl_op_t  ngx_rbl_op_list_thaw = {
    .script = &rbl_script_list_thaw,
    .prepare = ngx_rbl_thaw_prepare,
    NGX_RBL_CHANGE,
    .message = "List unfrozen successfully."
};


/* Passes the packed value of a given field to the script. */

static void
ngx_rbl_override_put(ngx_rbl_ctx_t *ctx, ngx_uint_t field)
{
    int64_t                     number;
    rbl_out_t                   out;
    rbl_str_t                   text, name;
    ngx_rbl_change_t           *change;
    rbl_lists_override_each_t  *each;

    change = ctx->data;
    text = rbl_text(&ctx->run, field);

    if (text.p == NULL) {
        return;
    }

    each = &change->override[ctx->run.n_rest / RBL_ARGC(*each)];

    ngx_memzero(&out, sizeof(rbl_out_t));
    out.pos = change->packed[field];
    out.end = out.pos + NGX_RBL_CHANGE_VALUE;

    if (field < NGX_RBL_OVERRIDE_TIER) {
        (void) rbl_int_parse(&number, text, 0, NGX_RBL_QUOTA_MOST);
        rbl_mp_put_int(&out, number);

    } else {
        rbl_mp_put_str(&out, text);
    }

    name.p = ngx_rbl_override_fields[field].name.p;
    name.n = ngx_rbl_override_fields[field].name.n;

    each->field = name;
    each->value.p = change->packed[field];
    each->value.n = out.pos - change->packed[field];
    ctx->run.n_rest += RBL_ARGC(*each);
}


static void
ngx_rbl_override_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_uint_t         i;
    ngx_rbl_change_t  *change;

    ngx_rbl_change_prepare(ctx);

    if (ctx->run.refusal) {
        return;
    }

    change = ctx->data;

    for (i = NGX_RBL_OVERRIDE_INTERVAL; i < NGX_RBL_OVERRIDES; i++) {
        ngx_rbl_override_put(ctx, i);
    }

    ctx->run.rest = change->override[0].argv;

    if (ctx->run.n_rest == 0
        && !rbl_str_is(ctx->run.argv[RBL_ARG(lists_override, reset)], "1"))
    {
        ngx_rbl_refuse(ctx, NGX_HTTP_BAD_REQUEST,
                       "Nothing to change was given.");
    }
}


const ngx_rbl_op_t  ngx_rbl_op_list_override = {
    .script = &rbl_script_lists_override,
    .fields = ngx_rbl_override_fields,
    .prepare = ngx_rbl_override_prepare,
    NGX_RBL_CHANGE,
    .message = "List changed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_list_kill = {
    .script = &rbl_script_lists_kill,
    .fields = ngx_rbl_kill_fields,
    .prepare = ngx_rbl_change_prepare,
    NGX_RBL_CHANGE,
    .message = "List killed successfully."
};

const ngx_rbl_op_t  ngx_rbl_op_list_unkill = {
    .script = &rbl_script_lists_kill,
    .value = "",
    .prepare = ngx_rbl_change_prepare,
    NGX_RBL_CHANGE,
    .message = "List brought back successfully."
};
