/*
 * hosts/find: hosts by a text in their value or name, by state, group, profile
 * and listings, from a cursor on.
 * hosts/ids: the same, but only their ids.
 * hosts/strips: the last days of some hosts.
 * counts: how many hosts are in each state; listed ones by weight.
 * changes: the last ones, when lists began and ceased to list hosts.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_codes.h"
#include "rbl_host_state.h"
#include "rbl_ops.h"


#define NGX_RBL_FIND_LIMIT  "100"       /* default */
#define NGX_RBL_FIND_MAX    500
#define NGX_RBL_FIND_HOURS  8784        /* of a leap year */
#define NGX_RBL_FIND_GUESS  640         /* octets of a host in an answer */
#define NGX_RBL_AFTER_MAX   2400        /* a cursor has the name of a host in
                                           hex digits */
#define NGX_RBL_STRIPS_MOST  50
#define NGX_RBL_CHANGES_MOST  "50"


/* The script gets the number of the state. */

static int
ngx_rbl_find_state(rbl_run_t *run, rbl_str_t *text)
{
    rbl_state_t  state;

    for (state = RBL_STATE_CLEAR; state < RBL_STATE_RANGE; state++) {
        if (rbl_str_is(*text, rbl_state_names[state])) {
            *text = rbl_digit(state);
            return 0;
        }
    }

    return -1;
}


/* The script gets the number of the weight. */

static int
ngx_rbl_find_weight(rbl_run_t *run, rbl_str_t *text)
{
    rbl_weight_t  weight;

    weight = rbl_weight_parse(*text);

    if (weight == RBL_WEIGHT_NONE) {
        return -1;
    }

    *text = rbl_digit(weight);

    return 0;
}


static int
ngx_rbl_find_parent(rbl_run_t *run, rbl_str_t *text)
{
    rbl_sid_t  *sid;

    if (rbl_str_is(*text, "none")) {
        return 0;
    }

    sid = rbl_room(run, sizeof(rbl_sid_t));

    if (sid == NULL || rbl_sid_parse(sid, RBL_SID_HOST, *text) != RBL_OK) {
        return -1;
    }

    *text = rbl_sid_str(sid);

    return 0;
}


static int
ngx_rbl_find_since(rbl_run_t *run, rbl_str_t *text)
{
    int64_t  hours;

    return rbl_int_parse(&hours, *text, 1, NGX_RBL_FIND_HOURS) == RBL_OK ? 0
                                                                         : -1;
}


static int
ngx_rbl_find_sort(rbl_run_t *run, rbl_str_t *text)
{
    return rbl_str_is(*text, "created") || rbl_str_is(*text, "name")
           || rbl_str_is(*text, "address") || rbl_str_is(*text, "since") ? 0
                                                                         : -1;
}


/* The script judges the rest. */

static int
ngx_rbl_find_after(rbl_run_t *run, rbl_str_t *text)
{
    return text->n <= NGX_RBL_AFTER_MAX ? 0 : -1;
}


static int
ngx_rbl_find_limit(rbl_run_t *run, rbl_str_t *text)
{
    int64_t  limit;

    return rbl_int_parse(&limit, *text, 1, NGX_RBL_FIND_MAX) == RBL_OK ? 0 : -1;
}


static const rbl_field_t  ngx_rbl_find_fields[] = {
    RBL_TEXT("text", RBL_EMPTY, rbl_label, RBL_ARG(host_find, text)),
    RBL_TEXT("state", RBL_EMPTY, ngx_rbl_find_state, RBL_ARG(host_find, state)),
    RBL_SIDS("group", RBL_EMPTY|RBL_ONE, RBL_SID_GROUP,
             RBL_ARG(host_find, group)),
    RBL_SIDS("profile", RBL_EMPTY|RBL_ONE, RBL_SID_PROFILE,
             RBL_ARG(host_find, profile)),
    RBL_SIDS("list", RBL_EMPTY|RBL_ONE, RBL_SID_LIST,
             RBL_ARG(host_find, list)),
    RBL_TEXT("weight", RBL_EMPTY, ngx_rbl_find_weight,
             RBL_ARG(host_find, weight)),
    RBL_TEXT("since", RBL_EMPTY, ngx_rbl_find_since,
             RBL_ARG(host_find, since)),
    RBL_TEXT("parent", RBL_EMPTY, ngx_rbl_find_parent,
             RBL_ARG(host_find, parent)),
    RBL_TEXT("part", RBL_EMPTY, rbl_flag, RBL_ARG(host_find, part)),
    RBL_TEXT("sort", RBL_EMPTY, ngx_rbl_find_sort, RBL_ARG(host_find, sort)),
    RBL_TEXT("after", RBL_EMPTY, ngx_rbl_find_after,
             RBL_ARG(host_find, after)),
    RBL_TEXT("limit", RBL_EMPTY, ngx_rbl_find_limit,
             RBL_ARG(host_find, limit)),
    RBL_END
};

static const rbl_outcome_t  ngx_rbl_find_refusals[] = {
    RBL_INVALID("GROUP", "group"),
    RBL_INVALID("PROFILE", "profile"),
    RBL_INVALID("AFTER", "after"),
    { NULL, 0, NULL }
};


const ngx_rbl_family_t  ngx_rbl_family_find = {
    .guess = NGX_RBL_FIND_GUESS
};


static int
ngx_rbl_find_prepare(rbl_run_t *run)
{
    if (run->argv[RBL_ARG(host_find, limit)].n == 0) {
        run->argv[RBL_ARG(host_find, limit)] = RBL_STR(NGX_RBL_FIND_LIMIT);
    }

    return 0;
}


/* Where a page ends; begins its hosts. */

static void
ngx_rbl_find_begin(rbl_doc_t *doc, const rbl_host_find_reply_t *said)
{
    if (said->next.n) {
        rbl_doc_str(doc, "next", said->next);
    } else {
        rbl_doc_json(doc, "next", RBL_STR("null"));
    }

    rbl_doc_int(doc, "looked", said->looked);
    rbl_doc_array(doc, "data");
}


static void
ngx_rbl_find_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                 i;
    rbl_host_t             host;
    rbl_host_find_reply_t  said;

    rbl_host_find_reply(&said, reply);
    ngx_rbl_find_begin(doc, &said);

    for (i = 0; i < rbl_reply_len(said.hosts); i++) {
        if (rbl_run_host(run, doc, NULL, &host,
                         rbl_reply_str(rbl_reply_at(said.hosts, i)))
            != 0)
        {
            run->by->note(run, "The record of a host is damaged.");
        }
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_ids_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                 i;
    rbl_host_t             host;
    rbl_host_find_reply_t  said;

    rbl_host_find_reply(&said, reply);
    ngx_rbl_find_begin(doc, &said);

    for (i = 0; i < rbl_reply_len(said.hosts); i++) {
        if (rbl_host_decode(&host, rbl_reply_str(rbl_reply_at(said.hosts, i)))
            == RBL_OK)
        {
            rbl_doc_str(doc, NULL, host.id);
        }
    }

    rbl_doc_close(doc);
}


static const rbl_op_t  ngx_rbl_find = {
    .script = &rbl_script_host_find,
    .fields = ngx_rbl_find_fields,
    .message = "OK",
    .prepare = ngx_rbl_find_prepare,
    .answer = ngx_rbl_find_answer,
    .refusals = ngx_rbl_find_refusals,
    .slow = 1
};


static const rbl_op_t  ngx_rbl_ids = {
    .script = &rbl_script_host_find,
    .fields = ngx_rbl_find_fields,
    .message = "OK",
    .prepare = ngx_rbl_find_prepare,
    .answer = ngx_rbl_ids_answer,
    .refusals = ngx_rbl_find_refusals,
    .slow = 1
};


/* The plan is known once the account is. */

static void
ngx_rbl_find_proceed(ngx_rbl_ctx_t *ctx)
{
    if (ctx->lapsed && !ctx->settled) {
        ctx->run.argv[RBL_ARG(host_find, stopped)] = RBL_STR("1");
    }

    ngx_rbl_write_proceed(ctx);
}


const ngx_rbl_op_t  ngx_rbl_op_hosts_find = {
    .op = &ngx_rbl_find,
    .proceed = ngx_rbl_find_proceed
};

const ngx_rbl_op_t  ngx_rbl_op_hosts_ids = {
    .op = &ngx_rbl_ids,
    .proceed = ngx_rbl_find_proceed
};


static const rbl_field_t  ngx_rbl_strips_fields[] = {
    RBL_SIDS("hosts", RBL_EMPTY|RBL_LIST, RBL_SID_HOST, 0),
    RBL_END
};


static int
ngx_rbl_strips_prepare(rbl_run_t *run)
{
    if (run->n_rest <= NGX_RBL_STRIPS_MOST) {
        return 0;
    }

    rbl_invalid(run, "hosts");

    return -1;
}


/* A strip is a text; of a range it is an array of numbers. */

static void
ngx_rbl_strip(rbl_doc_t *doc, rbl_str_t sid, const redisReply *strip)
{
    rbl_str_t  days;

    days = rbl_reply_str(strip);

    if (days.n == 0 && rbl_reply_len(strip) == 0) {
        return;                         /* there is no such host */
    }

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", sid);

    if (days.n > 0) {
        rbl_doc_str(doc, "days", days);

    } else {
        rbl_doc_int(doc, "addresses", rbl_reply_int(rbl_reply_at(strip, 0), 0));
        rbl_doc_int(doc, "listed", rbl_reply_int(rbl_reply_at(strip, 1), 0));
        rbl_doc_int(doc, "unclear", rbl_reply_int(rbl_reply_at(strip, 2), 0));
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_strips_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                   i;
    rbl_host_strips_reply_t  said;

    rbl_host_strips_reply(&said, reply);
    rbl_doc_int(doc, "left", said.left);
    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.strips) && i < run->n_rest; i++) {
        ngx_rbl_strip(doc, run->rest[i], rbl_reply_at(said.strips, i));
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_host_strips = {
    .script = &rbl_script_host_strips,
    .fields = ngx_rbl_strips_fields,
    .message = "OK",
    .prepare = ngx_rbl_strips_prepare,
    .answer = ngx_rbl_strips_answer,
    .slow = 1
};


/* If no host is checked, all but the paused ones are unknown: the index may not
   have that yet. */

static void
ngx_rbl_counts_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    int64_t                 ranges, clear, hosts;
    rbl_weight_t            weight;
    rbl_host_count_reply_t  n;

    rbl_host_count_reply(&n, reply);

    clear = n.hosts - n.others;
    ranges = n.others - n.listed - n.unknown - n.uncovered - n.paused;

    if (run->stopped) {
        n.unknown += n.listed + n.uncovered + ngx_max(clear, 0);
        n.listed = n.uncovered = clear = 0;
    }

    rbl_doc_object(doc, "data");
    rbl_doc_int(doc, "hosts", n.hosts);
    rbl_doc_int(doc, "listed", n.listed);
    rbl_doc_int(doc, "unknown", n.unknown);
    rbl_doc_int(doc, "uncovered", n.uncovered);
    rbl_doc_int(doc, "paused", n.paused);
    rbl_doc_int(doc, "clear", ngx_max(clear, 0));
    rbl_doc_int(doc, "ranges", ngx_max(ranges, 0));

    for (weight = RBL_WEIGHTS; weight > RBL_WEIGHT_NONE; weight--) {
        hosts = run->stopped ? 0 : rbl_reply_int(rbl_reply_at(n.weights,
                                                              weight - 1), 0);
        rbl_doc_int(doc, rbl_weight_word(weight), hosts);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_counts = {
    .script = &rbl_script_host_count,
    .message = "OK",
    .answer = ngx_rbl_counts_answer
};


static int
ngx_rbl_changes_prepare(rbl_run_t *run)
{
    run->argv[RBL_ARG(host_changes, most)] = RBL_STR(NGX_RBL_CHANGES_MOST);

    return 0;
}


/* Each entry is a check: {id, {h, HT, v, value, n, number of changes, t, the
   first ones, packed}}. */

static void
ngx_rbl_changes_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                     i;
    const redisReply          *entry, *of;
    rbl_host_changes_reply_t   said;

    rbl_host_changes_reply(&said, reply);
    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.entries); i++) {
        entry = rbl_reply_at(said.entries, i);
        of = rbl_reply_rest(entry);

        rbl_doc_object(doc, NULL);
        rbl_entry_at(run, doc, entry);
        rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_field(of, "h")));
        rbl_doc_str(doc, "host", rbl_reply_str(rbl_reply_field(of, "v")));
        rbl_doc_int(doc, "total", rbl_reply_int(rbl_reply_field(of, "n"), 0));
        rbl_changes(doc, rbl_reply_str(rbl_reply_field(of, "t")));
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_changes = {
    .script = &rbl_script_host_changes,
    .message = "OK",
    .prepare = ngx_rbl_changes_prepare,
    .answer = ngx_rbl_changes_answer
};
