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
#include "rbl_codes.h"
#include "rbl_ops.h"


#define NGX_RBL_CHANGE_VALUE  32       /* bytes of a packed value */

enum {                                  /* fields of override */
    NGX_RBL_OVERRIDE_NONE = 0,
    NGX_RBL_OVERRIDE_INTERVAL,
    NGX_RBL_OVERRIDE_RATE,
    NGX_RBL_OVERRIDE_QUOTA,
    NGX_RBL_OVERRIDE_TIER,
    NGX_RBL_OVERRIDES
};

typedef struct {
    ngx_uint_t  changing;               /* 0: the audit log is written */
    ngx_uint_t  from, to;               /* partitions: this one, the end */
} ngx_rbl_change_t;

typedef struct {
    rbl_lists_override_each_t  each[NGX_RBL_OVERRIDES];
    char                       packed[NGX_RBL_OVERRIDES][NGX_RBL_CHANGE_VALUE];
} ngx_rbl_override_t;


const ngx_rbl_family_t  ngx_rbl_family_system = {
    .resource = "list",
    .kind = RBL_SID_LIST
};


static void
ngx_rbl_change_prepare(ngx_rbl_ctx_t *ctx)
{
    ngx_rbl_change_t      *change;
    const rbl_keyspace_t  *ks;

    change = ngx_rbl_data(ctx, sizeof(ngx_rbl_change_t));

    if (change == NULL) {
        return;
    }

    ngx_rbl_write_prepare(ctx);

    if (ctx->run.refusal) {
        return;
    }

    ks = ngx_rbl_store_keyspace(ctx->store);
    change->to = ks->partitions;

    if (ctx->route->op->op->system == RBL_SYSTEM_ONE) {
        change->from = rbl_partition(ks, rbl_sid_str(&ctx->run.id));
        change->to = change->from + 1;
    }
}


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
    rbl_key_t            key;
    rbl_str_t           *argv;
    ngx_rbl_change_t    *change;
    const rbl_script_t  *script;

    change = ctx->data;
    script = ctx->run.script;
    argv = rbl_run_argv(&ctx->run);

    if (argv == NULL) {
        return;
    }

    argv[0] = rbl_system_key(ctx->route->op->op, &key,
                             ngx_rbl_store_keyspace(ctx->store), change->from,
                             rbl_sid_str(&ctx->run.id));
    ngx_rbl_next_script(ctx, script, script->argc + (int) ctx->run.n_rest,
                        argv);
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

    } else {
        ngx_rbl_write_result(ctx, reply);
    }
}


#define NGX_RBL_CHANGE(name, of)                                              \
    const ngx_rbl_op_t  ngx_rbl_op_##name = {                                 \
        .op = of,                                                             \
        .prepare = ngx_rbl_change_prepare,                                    \
        .proceed = ngx_rbl_change_proceed,                                    \
        .result = ngx_rbl_change_result                                       \
    }

NGX_RBL_CHANGE(list_enable, &rbl_op_list_enable);
NGX_RBL_CHANGE(list_disable, &rbl_op_list_disable);
NGX_RBL_CHANGE(list_thaw, &rbl_op_list_thaw);
NGX_RBL_CHANGE(list_kill, &rbl_op_list_kill);
NGX_RBL_CHANGE(list_unkill, &rbl_op_list_unkill);


static int
ngx_rbl_override_number(rbl_str_t text, int64_t most)
{
    int64_t  n;

    return rbl_int_parse(&n, text, 0, most) == RBL_OK ? 0 : -1;
}


static int
ngx_rbl_override_interval(rbl_run_t *run, rbl_str_t *text)
{
    return ngx_rbl_override_number(*text, RBL_LIST_INTERVAL_MAX);
}


static int
ngx_rbl_override_rate(rbl_run_t *run, rbl_str_t *text)
{
    return ngx_rbl_override_number(*text, RBL_LIST_RATE_MAX);
}


static int
ngx_rbl_override_quota(rbl_run_t *run, rbl_str_t *text)
{
    return ngx_rbl_override_number(*text, RBL_LIST_QUOTA_MAX);
}


static int
ngx_rbl_override_weight(rbl_run_t *run, rbl_str_t *text)
{
    (void) run;

    return rbl_weight_parse(*text) != RBL_WEIGHT_NONE ? 0 : -1;
}


static const rbl_field_t  ngx_rbl_override_fields[] = {
    RBL_TEXT("none", 0, rbl_flag, RBL_ARG(lists_override, reset)),
    RBL_TEXT("min_interval", 0, ngx_rbl_override_interval, 0),
    RBL_TEXT("rate", 0, ngx_rbl_override_rate, 0),
    RBL_TEXT("day_quota", 0, ngx_rbl_override_quota, 0),
    RBL_TEXT("weight", 0, ngx_rbl_override_weight, 0),
    RBL_END
};


/* Passes the packed value of a given field to the script. */

static void
ngx_rbl_override_put(rbl_run_t *run, ngx_uint_t field,
    ngx_rbl_override_t *override)
{
    int64_t                     number;
    rbl_out_t                   out;
    rbl_str_t                   text;
    rbl_lists_override_each_t  *each;

    text = rbl_text(run, field);

    if (text.p == NULL) {
        return;
    }

    ngx_memzero(&out, sizeof(rbl_out_t));
    out.pos = override->packed[field];
    out.end = out.pos + NGX_RBL_CHANGE_VALUE;

    if (field < NGX_RBL_OVERRIDE_TIER) {
        (void) rbl_int_parse(&number, text, 0, RBL_LIST_QUOTA_MAX);
        rbl_mp_put_int(&out, number);

    } else {
        rbl_mp_put_str(&out, text);
    }

    each = &override->each[run->n_rest / RBL_ARGC(*each)];
    each->field = run->fields[field].name;
    each->value.p = override->packed[field];
    each->value.n = out.pos - override->packed[field];
    run->n_rest += RBL_ARGC(*each);
}


static int
ngx_rbl_override_prepare(rbl_run_t *run)
{
    ngx_uint_t           i;
    ngx_rbl_override_t  *override;

    override = rbl_room(run, sizeof(ngx_rbl_override_t));

    if (override == NULL) {
        return -1;
    }

    for (i = NGX_RBL_OVERRIDE_INTERVAL; i < NGX_RBL_OVERRIDES; i++) {
        ngx_rbl_override_put(run, i, override);
    }

    run->rest = override->each[0].argv;

    if (run->n_rest == 0
        && !rbl_str_is(run->argv[RBL_ARG(lists_override, reset)], "1"))
    {
        rbl_refuse(run, NGX_HTTP_BAD_REQUEST, "Nothing to change was given.");
        return -1;
    }

    return 0;
}


static const rbl_op_t  ngx_rbl_override = {
    .script = &rbl_script_lists_override,
    .fields = ngx_rbl_override_fields,
    .system = RBL_SYSTEM_ALL,
    .message = "List changed successfully.",
    .prepare = ngx_rbl_override_prepare,
    .refusals = rbl_list_refusals
};

NGX_RBL_CHANGE(list_override, &ngx_rbl_override);
