/*
 * The fleet carries out one request at a time, in their order
 * (request_take.lua).  A request is a few scripts, and each of them may run
 * twice: the SIDs of new records are in the request, and account_plan knows the
 * last request of its account.  A daemon that is killed leaves its lease, and
 * the next daemon begins with the first script.  A request fails after three
 * daemons have begun it.
 *
 * The audit log of the account has the changes, that of the operators the end
 * of the request, and both name the operator.
 */

#include "requests.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "config/plans.h"
#include "rbl_audit.h"
#include "rbl_contact.h"
#include "rbl_request.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REQUESTS_EVERY  2.0             /* s between looks */
#define REQUESTS_LEASE  "15000"         /* ms */
#define REQUESTS_TRIES  3
#define REQUESTS_PLANS  60.0            /* s between reports of the plans */
#define REQUESTS_ARGS   24              /* arguments of a script */
#define REQUESTS_LOG    60.0            /* s between lines about the store */

typedef void (*next_pt)(requests_t *rs);

struct requests_s {
    const config_t  *conf;
    store_t         *store;
    store_t         *sure;              /* for changes: with several servers a
                                           connection of its own, for what is
                                           behind a WAIT waits, too */
    loop_timer_t     timer;
    int              open;              /* a request, or a look, is at hand */
    int              stopped;

    rbl_buf_t        raw;               /* the request, and its parts */
    rbl_request_t    request;
    rbl_by_t         by;
    const char      *why;               /* why it is refused, or "" */
    int64_t          confirmed;         /* when the owner was, ms */
    rbl_key_t        changed;           /* by the last script */
    next_pt          next;              /* when no failover can undo that */

    plans_t          plans;
    rbl_buf_t        names;             /* of the plans, packed */
    struct stat      file;              /* ... when it was read; zeroed: it was
                                           not */
    double           told;              /* when the store was told the names */
    double           logged;            /* when a look failed; 0: none did */
};


/* Reads the file of plans if it has changed.  Without one there are none. */

static void
plans_line(const char *line)
{
    log_error("%s", line);
}


static int
plans_same(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec
           && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec
           && a->st_size == b->st_size && a->st_ino == b->st_ino;
}


static void
plans_look(requests_t *rs)
{
    size_t       i;
    struct stat  st;

    /* a pipe or device may never end */

    if (stat(rs->conf->bill_plans, &st) != 0 || !S_ISREG(st.st_mode)) {
        memset(&st, 0, sizeof(st));
    }

    if (plans_same(&st, &rs->file) && rs->names.base != NULL) {
        return;
    }

    rs->file = st;
    rs->told = 0;
    plans_free(&rs->plans);

    if (st.st_ino != 0
        && plans_read(&rs->plans, rs->conf->bill_plans, plans_line) != 0)
    {
        log_error("%s has mistakes: operators can choose none of its plans",
                  rs->conf->bill_plans);
        plans_free(&rs->plans);
    }

    rbl_buf_reset(&rs->names);
    rbl_mp_put_array(&rs->names.out, rs->plans.n);

    for (i = 0; i < rs->plans.n; i++) {
        rbl_mp_put_str(&rs->names.out, rs->plans.plan[i].name);
    }
}


/* The request is no longer at hand.  wait: for the next look (s). */

static void
leave(requests_t *rs, double wait)
{
    rs->open = 0;

    if (!rs->stopped) {
        timer_in(&rs->timer, wait);
    }
}


static rbl_str_t
reason(const redisReply *reply)
{
    return reply == NULL ? RBL_STR("no reply came in") : rbl_reply_error(reply);
}


/* Runs an audited script: args has its arguments, to which the caller is added.
   account "": it is about the account of the operators themselves. */

static void
run(requests_t *rs, const rbl_script_t *script, const rbl_str_t *args,
    rbl_str_t call, rbl_str_t account, store_reply_pt done)
{
    rbl_str_t             argv[REQUESTS_ARGS];
    rbl_by_t              by;
    rbl_audit_by_t        b;
    const rbl_request_t  *r = &rs->request;

    by = rs->by;
    by.call = call;
    by.account = account;
    rbl_audit_by(&b, &by);
    rbl_audit_field(&b, RBL_STR("request"), r->id);

    if (r->plan.n > 0) {
        rbl_audit_field(&b, RBL_STR("plan"), r->plan);
    }

    if (rs->why[0] != '\0') {
        rbl_audit_field(&b, RBL_STR("why"), rbl_str(rs->why));
    }

    memcpy(argv, args, (size_t) script->argc * sizeof(rbl_str_t));
    argv[script->argc] = rbl_audit_by_end(&b);
    store_script(rs->sure, script, done, rs, script->argc + 1, argv);
}


static rbl_str_t
account_key(const requests_t *rs, rbl_key_t *key, rbl_str_t account)
{
    return rbl_account_key(key, store_keyspace(rs->store), "acct", account,
                           RBL_STR(""));
}


static void
on_ended(void *data, const redisReply *reply)
{
    rbl_str_t                 why;
    requests_t               *rs = data;
    rbl_request_end_reply_t   said;

    rbl_request_end_reply(&said, reply);

    if (said.word == RBL_REQUEST_END_NO_REPLY) {
        why = reason(reply);
        log_warn("request %.*s of an operator: its end was not stored: %.*s",
                 (int) rs->request.id.n, rs->request.id.p, (int) why.n, why.p);
        leave(rs, REQUESTS_EVERY);
        return;
    }

    leave(rs, 0);                       /* there may be more */
}


/* Ends the request.  why: a word of OperatorRequests in openapi.json, or "". */

static void
finish(requests_t *rs, const char *state, const char *why)
{
    char                     call[64];
    rbl_key_t                key;
    rbl_request_end_args_t   args;
    const rbl_request_t     *r = &rs->request;

    rs->why = why;
    snprintf(call, sizeof(call), "operator/request/%s", state);
    args.acct = account_key(rs, &key, RBL_STR(RBL_SID_OPERATORS));
    args.account = r->account;
    args.id = r->id;
    args.state = rbl_str(state);
    args.why = rbl_str(why);

    log_notice("request %.*s of an operator: %.*s for account %.*s: %s%s%s",
               (int) r->id.n, r->id.p, (int) r->kind.n, r->kind.p,
               (int) r->account.n, r->account.p, state, *why ? ": " : "", why);
    run(rs, &rbl_script_request_end, args.argv, rbl_str(call), RBL_STR(""),
        on_ended);
}


/* The store did not reply, or refused.  The lease ends. */

static void
give_up(requests_t *rs, const redisReply *reply)
{
    rbl_str_t  why;

    why = reason(reply);
    log_warn("request %.*s of an operator is begun again later: %.*s",
             (int) rs->request.id.n, rs->request.id.p, (int) why.n, why.p);
    leave(rs, REQUESTS_EVERY);
}


static void
on_waited(void *data, const redisReply *reply)
{
    rbl_str_t    key;
    requests_t  *rs = data;

    key = (rbl_str_t) { rs->changed.s, rs->changed.n };

    if (store_waited(rs->sure, key, reply)) {
        rs->next(rs);

    } else {
        log_warn("request %.*s of an operator is begun again later: no replica"
                 " of the store has what it changed",
                 (int) rs->request.id.n, rs->request.id.p);
        leave(rs, REQUESTS_EVERY);
    }
}


/* A script has changed the node of rs->changed.  Goes on with `next` when no
   failover can undo that. */

static void
go_on(requests_t *rs, next_pt next)
{
    rbl_str_t  key;

    key = (rbl_str_t) { rs->changed.s, rs->changed.n };
    rs->next = next;

    if (store_replicated(rs->sure, key)) {
        store_wait(rs->sure, key, on_waited, rs);
    } else {
        next(rs);
    }
}


static void
done(requests_t *rs)
{
    finish(rs, "done", "");
}


static void
on_mail(void *data, const redisReply *reply)
{
    requests_t             *rs = data;
    rbl_mail_put_reply_t    said;

    rbl_mail_put_reply(&said, reply);

    if (said.word == RBL_MAIL_PUT_OK) {
        go_on(rs, done);
    } else {
        give_up(rs, reply);
    }
}


/* Puts the owner into the index of users by their address. */

static void
put_mail(requests_t *rs)
{
    char                  buf[RBL_CONTACT_MAX], ms[RBL_OUT_INT];
    char                  member[2 * RBL_SID_MAX + 2];
    rbl_str_t             mail;
    unsigned char         digest[32];
    rbl_mail_put_args_t   args;
    const rbl_request_t  *r = &rs->request;

    mail = rbl_contact_fold(buf, r->mail);

    if (EVP_Digest(mail.p, mail.n, digest, NULL, EVP_sha256(), NULL) != 1) {
        log_error("SHA-256 is not available");
        leave(rs, REQUESTS_EVERY);
        return;
    }

    snprintf(member, sizeof(member), "%.*s:%.*s", (int) r->account.n,
             r->account.p, (int) r->user.n, r->user.p);
    args.mail = rbl_hash_key(&rs->changed, store_keyspace(rs->store), "mail",
                             digest);
    args.member = rbl_str(member);
    args.confirmed = rbl_out_int_text(ms, rs->confirmed);
    store_call(rs->sure, mail_put, on_mail, rs, args);
}


/* A user with this SID and this address was made by an earlier attempt. */

static void
on_owner(void *data, const redisReply *reply)
{
    requests_t            *rs = data;
    rbl_user_put_reply_t   said;

    rbl_user_put_reply(&said, reply);

    switch (said.word) {
    case RBL_USER_PUT_OK:
        rs->confirmed = said.confirmed;
        go_on(rs, put_mail);
        break;

    case RBL_USER_PUT_MAIL:
        if (said.user.n == rs->request.user.n
            && memcmp(said.user.p, rs->request.user.p, said.user.n) == 0)
        {
            rs->confirmed = clock_date();
            go_on(rs, put_mail);
        } else {
            finish(rs, "refused", "mail");
        }

        break;

    case RBL_USER_PUT_LIMIT:
        finish(rs, "refused", "users");
        break;

    case RBL_USER_PUT_ACCOUNT:
        finish(rs, "refused", "account");
        break;

    default:
        give_up(rs, reply);
    }
}


/* As rblctl user add: the operator knows the owner. */

static void
put_owner(requests_t *rs)
{
    int                   account;
    rbl_user_put_args_t   args;
    const rbl_request_t  *r = &rs->request;

    account = rbl_str_is(r->kind, "account");
    args.acct = account_key(rs, &rs->changed, r->account);
    args.user = r->user;
    args.mail = r->mail;
    args.name = account ? RBL_STR("") : r->name;
    args.role = RBL_STR("owner");
    args.field = r->field;
    args.digest = r->digest;
    args.sure = RBL_STR("1");

    run(rs, &rbl_script_user_put, args.argv, RBL_STR("user/add"),
        RBL_STR(RBL_SID_OPERATORS), on_owner);
}


/* An account that is there was made by an earlier attempt: its SID is of 128
   random bits. */

static void
on_account(void *data, const redisReply *reply)
{
    requests_t               *rs = data;
    rbl_account_put_reply_t   said;

    rbl_account_put_reply(&said, reply);

    if (said.word == RBL_ACCOUNT_PUT_NO_REPLY) {
        give_up(rs, reply);

    } else {
        go_on(rs, rs->request.mail.n > 0 ? put_owner : done);
    }
}


static void
put_account(requests_t *rs, const plan_t *plan)
{
    plan_words_t             words;
    rbl_account_put_args_t   args;
    const rbl_request_t     *r = &rs->request;

    args.acct = account_key(rs, &rs->changed, r->account);
    args.name = r->name;
    args.timezone = RBL_STR("UTC");
    args.profile = r->profile;
    args.group = r->group;
    plan_put(&args, &words, plan, plan_interval(plan));

    run(rs, &rbl_script_account_put, args.argv, RBL_STR("account/add"),
        RBL_STR(RBL_SID_OPERATORS), on_account);
}


static void
on_plan(void *data, const redisReply *reply)
{
    requests_t                *rs = data;
    rbl_account_plan_reply_t   said;

    rbl_account_plan_reply(&said, reply);

    switch (said.word) {
    case RBL_ACCOUNT_PLAN_OK:
        go_on(rs, done);
        break;

    case RBL_ACCOUNT_PLAN_ACCOUNT:
        finish(rs, "refused", "account");
        break;

    case RBL_ACCOUNT_PLAN_BILL:
        finish(rs, "refused", "bill");
        break;

    default:
        give_up(rs, reply);
    }
}


static void
set_plan(requests_t *rs, const plan_t *plan)
{
    plan_words_t              words;
    rbl_account_plan_args_t   args;

    args.acct = account_key(rs, &rs->changed, rs->request.account);
    args.request = rs->request.id;
    plan_set(&args, &words, plan);

    run(rs, &rbl_script_account_plan, args.argv, RBL_STR("account/plan"),
        RBL_STR(RBL_SID_OPERATORS), on_plan);
}


static void
carry_out(requests_t *rs)
{
    const plan_t         *plan;
    const rbl_request_t  *r = &rs->request;

    static const plan_t  none = { .name = RBL_STR("free") };

    plan = &none;

    if (r->plan.n > 0) {
        plans_look(rs);
        plan = plans_find(&rs->plans, r->plan);
    }

    if (plan == NULL) {
        finish(rs, "refused", "plan");

    } else if (rbl_str_is(r->kind, "account")) {
        put_account(rs, plan);

    } else if (rbl_str_is(r->kind, "owner")) {
        put_owner(rs);

    } else {
        set_plan(rs, plan);
    }
}


/* Decides what becomes of a request that was just taken. */

static void
begin(requests_t *rs, rbl_str_t id, int64_t now)
{
    rbl_request_t  *r = &rs->request;

    rs->why = "";

    if (rbl_request_decode(r, rbl_buf_str(&rs->raw)) != RBL_OK
        || !rbl_request_sound(r, &rs->by))
    {
        memset(r, 0, sizeof(*r));
        memset(&rs->by, 0, sizeof(rs->by));
        r->id = id;
        r->kind = r->plan = rs->by.from = RBL_STR("");
        r->account = RBL_STR(RBL_SID_OPERATORS);
        rs->by.who = rs->by.name = RBL_STR("rbl-checkd");
        finish(rs, "refused", "damaged");

    } else if (r->tries == 1 && rbl_request_late(r, now)) {
        finish(rs, "expired", "");

    } else if (r->tries > REQUESTS_TRIES) {
        finish(rs, "failed", "tries");

    } else {
        carry_out(rs);
    }
}


static void
on_taken(void *data, const redisReply *reply)
{
    size_t                     n;
    rbl_str_t                  why, all;
    requests_t                *rs = data;
    rbl_request_take_reply_t   said;

    rbl_request_take_reply(&said, reply);

    if (said.word == RBL_REQUEST_TAKE_OK) {
        rs->told = rs->told != 0 ? rs->told : clock_now();

        /* the id stands behind the record, for one that cannot be read */

        n = said.request.n;
        rbl_buf_reset(&rs->raw);
        rbl_out_str(&rs->raw.out, said.request);
        rbl_out_str(&rs->raw.out, said.id);
        all = rbl_buf_str(&rs->raw);
        rs->raw.out.pos -= said.id.n;
        begin(rs, (rbl_str_t) { all.p + n, said.id.n }, said.now);
        return;
    }

    if (said.word == RBL_REQUEST_TAKE_NONE) {
        rs->told = rs->told != 0 ? rs->told : clock_now();

    } else if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK
               && (rs->logged == 0 || clock_now() - rs->logged >= REQUESTS_LOG))
    {
        rs->logged = clock_now();
        why = reason(reply);
        log_error("cannot look for requests of operators: %.*s", (int) why.n,
                  why.p);
    }

    leave(rs, REQUESTS_EVERY);
}


static void
on_look(void *data)
{
    rbl_key_t                 key;
    requests_t               *rs = data;
    rbl_request_take_args_t   args;

    if (rs->open) {
        return;
    }

    if (!store_ready(rs->store) || !store_ready(rs->sure)) {
        timer_in(&rs->timer, REQUESTS_EVERY);
        return;
    }

    plans_look(rs);

    if (clock_now() - rs->told >= REQUESTS_PLANS) {
        rs->told = 0;
    }

    rs->open = 1;
    args.acct = account_key(rs, &key, RBL_STR(RBL_SID_OPERATORS));
    args.lease = RBL_STR(REQUESTS_LEASE);
    args.plans = rs->told == 0 ? rbl_buf_str(&rs->names) : RBL_STR("");
    store_call(rs->store, request_take, on_taken, rs, args);
}


void
requests_wake(requests_t *rs)
{
    if (!rs->open && !rs->stopped) {
        timer_in(&rs->timer, 0);
    }
}


requests_t *
requests_new(struct ev_loop *loop, const config_t *conf, store_t *store)
{
    requests_t  *rs;

    rs = xcalloc(1, sizeof(requests_t));
    rs->conf = conf;
    rs->store = store;
    rs->sure = conf->place.kind == RBL_PLACE_ONE
               ? store : store_second(loop, conf, NULL, NULL);
    rbl_buf_init(&rs->raw);
    rbl_buf_init(&rs->names);
    timer_init(&rs->timer, loop, on_look, rs);
    timer_in(&rs->timer, REQUESTS_EVERY);

    return rs;
}


void
requests_stop(requests_t *rs)
{
    rs->stopped = 1;
    timer_stop(&rs->timer);
}


void
requests_free(requests_t *rs)
{
    if (rs == NULL) {
        return;
    }

    store_forget(rs->store, rs);
    store_forget(rs->sure, rs);

    if (rs->sure != rs->store) {
        store_free(rs->sure);
    }

    timer_stop(&rs->timer);
    plans_free(&rs->plans);
    rbl_buf_free(&rs->names);
    rbl_buf_free(&rs->raw);
    free(rs);
}
