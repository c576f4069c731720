/*
 * rblctl webhook: shows the state of one receiver and changes it.
 */

#include "webhook.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <time.h>


static const ctl_column_t  hook_lines[] = {
    { "account", "account" }, { "id", "webhook" }, { "name", "name" },
    { "url", "url" }, { "types", "types" }, { "status", "status" },
    { "disabled", "disabled" }, { "reason", "reason" },
    { "old_secret_until", "old secret until" },
    { "failing_since", "failing since" }, { "failed", "failed attempts" },
    { "quiet_until", "quiet until" }, { "created", "created" },
    { NULL, NULL }
};

static const ctl_column_t  secret_lines[] = {
    { "account", "account" }, { "id", "webhook" }, { "secret", "secret" },
    { "old_secret_until", "old secret until" }, { NULL, NULL }
};

static const ctl_column_t  deleted_lines[] = {
    { "account", "account" }, { "id", "deleted" }, { NULL, NULL }
};


int
ctl_hook_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *hook)
{
    return ctl_sid(account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
           || ctl_sid(hook, RBL_SID_HOOK, ctl->args[1]) != 0 ? -1 : 0;
}


int
ctl_hook_target(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *target)
{
    if (ctl_sid(account, RBL_SID_ACCOUNT, ctl->args[0]) != 0) {
        return -1;
    }

    if (rbl_sid_parse(target, RBL_SID_APP, ctl->args[1]) == RBL_OK
        || rbl_sid_parse(target, RBL_SID_CONTACT, ctl->args[1]) == RBL_OK)
    {
        return 0;
    }

    return ctl_sid(target, RBL_SID_HOOK, ctl->args[1]);
}


rbl_str_t
ctl_hook_key(ctl_t *ctl, rbl_key_t *key, const char *name,
    const rbl_sid_t *account, const rbl_sid_t *hook)
{
    return rbl_account_key(key, &ctl->ks, name, rbl_sid_str(account),
                           hook ? rbl_sid_str(hook) : RBL_STR(""));
}


redisReply *
ctl_hook_script(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *hook,
    const rbl_script_t *script, int argc, rbl_str_t *argv)
{
    rbl_key_t                key;
    rbl_str_t                word;
    redisReply              *reply;
    rbl_hook_delete_args_t  *first;     /* the common beginning of all
                                           arguments */

    first = (void *) argv;
    first->acct = ctl_acct(ctl, &key, account);
    first->hook = rbl_sid_str(hook);

    reply = ctl_script(ctl, script, argc, argv);
    if (reply == NULL) {
        return NULL;
    }

    word = rbl_reply_word(reply);

    if (rbl_str_is(word, "OK")) {
        return reply;
    }

    if (rbl_str_is(word, "DISABLED")) {
        ctl_fail("webhook %s is disabled: `webhook enable` comes first",
                 hook->s);

    } else {
        ctl_fail("account %s has no %s %s", account->s,
                 rbl_str_is(word, "APP") ? "application" : "webhook", hook->s);
    }

    freeReplyObject(reply);

    return NULL;
}


int
ctl_hook_exists(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *target)
{
    size_t       i;
    rbl_key_t    key;
    redisReply  *reply;

    static const struct {
        char         first;             /* first letter of the SID */
        const char  *index, *what;
    } kinds[] = {
        { 'W', "hooks", "webhook" }, { 'A', "apps", "application" },
        { 'C', "contacts", "contact" }
    };

    for (i = 0; i < 2 && kinds[i].first != target->s[0]; i++) {
        /* void */
    }

    reply = ctl_command(ctl, RBL_COMMAND("ZSCORE",
                        ctl_hook_key(ctl, &key, kinds[i].index, account, NULL),
                        rbl_sid_str(target)));
    if (reply == NULL) {
        return -1;
    }

    if (reply->type == REDIS_REPLY_NIL) {
        ctl_fail("account %s has no %s %s", account->s, kinds[i].what,
                 target->s);
        freeReplyObject(reply);
        return -1;
    }

    freeReplyObject(reply);

    return 0;
}


/* Reads the failures of a receiver.  0; -1: error printed. */
static int
ctl_hook_failures(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *hook,
    json_t *v)
{
    rbl_key_t            key;
    redisReply          *reply;
    rbl_hook_failing_t   failing;

    reply = ctl_command(ctl, RBL_COMMAND("HMGET",
                        ctl_hook_key(ctl, &key, "hook", account, hook),
                        RBL_HOOK_FAILING));
    if (reply == NULL) {
        return -1;
    }

    rbl_hook_failing(&failing, reply, (int64_t) time(NULL) * 1000);

    json_object_set_new(v, "failing_since", ctl_time(failing.since));
    json_object_set_new(v, "failed", json_integer((json_int_t) failing.fails));
    json_object_set_new(v, "quiet_until", ctl_time(failing.till));
    freeReplyObject(reply);

    return 0;
}


static int
ctl_hook_show(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *sid,
    rbl_str_t raw)
{
    int         off;
    json_t     *v;
    rbl_hook_t  hook;

    if (rbl_hook_decode(&hook, raw) != RBL_OK) {
        return ctl_fail("the record of webhook %s is damaged", sid->s);
    }

    off = !rbl_str_is(hook.status, "active");

    if (hook.old_until / 1000 < (int64_t) time(NULL)) {
        hook.old_until = 0;
    }

    v = json_pack("{ss so so so so so so so so so}", "account", account->s,
                  "id", ctl_text(hook.id), "name", ctl_text(hook.name),
                  "url", ctl_text(hook.url), "types", ctl_texts(hook.types),
                  "status", ctl_text(hook.status),
                  "disabled", ctl_time(off ? hook.disabled : 0),
                  "reason", ctl_text(off ? hook.reason : RBL_STR("")),
                  "old_secret_until", ctl_time(hook.old_until),
                  "created", ctl_time(hook.created));

    if (v != NULL && ctl_hook_failures(ctl, account, sid, v) != 0) {
        json_decref(v);
        return CTL_ERROR;
    }

    return ctl_print(ctl, hook_lines, v);
}


int
ctl_webhook_show(ctl_t *ctl)
{
    int          rc;
    rbl_sid_t    account, hook;
    rbl_key_t    key;
    redisReply  *reply;

    if (ctl_hook_arguments(ctl, &account, &hook) != 0
        || ctl_hook_exists(ctl, &account, &hook) != 0)
    {
        return CTL_ERROR;
    }

    reply = ctl_command(ctl, RBL_COMMAND("GET",
                        ctl_hook_key(ctl, &key, "s", &account, &hook)));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rc = ctl_hook_show(ctl, &account, &hook, rbl_reply_str(reply));
    freeReplyObject(reply);

    return rc;
}


/* Runs a script whose reply is the record, as that of hook_update; prints the
   record. */
static int
ctl_hook_change(ctl_t *ctl, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    int                       rc;
    rbl_sid_t                 account, hook;
    redisReply               *reply;
    rbl_hook_update_reply_t   said;

    if (ctl_hook_arguments(ctl, &account, &hook) != 0) {
        return CTL_ERROR;
    }

    reply = ctl_hook_script(ctl, &account, &hook, script, argc, argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_hook_update_reply(&said, reply);
    rc = ctl_hook_show(ctl, &account, &hook, said.record);
    freeReplyObject(reply);

    return rc;
}


/* The fields that stay are "". */
static int
ctl_hook_update(ctl_t *ctl, rbl_str_t name, rbl_str_t url, int n,
    const rbl_str_t *types)
{
    struct {
        rbl_hook_update_args_t  args;
        rbl_str_t               types[RBL_HOOK_TYPES_MAX];
    } call;

    call.args.name = name;
    call.args.url = url;
    call.args.typed = types ? RBL_STR("1") : RBL_STR("0");

    if (n > 0) {
        memcpy(call.types, types, (size_t) n * sizeof(rbl_str_t));
    }

    return ctl_hook_change(ctl, &rbl_script_hook_update,
                           RBL_ARGC(call.args) + n, call.args.argv);
}


int
ctl_webhook_rename(ctl_t *ctl)
{
    rbl_str_t  name;

    return ctl_name(&name, "a webhook", ctl->args[2]) != 0
           ? CTL_ERROR : ctl_hook_update(ctl, name, RBL_STR(""), 0, NULL);
}


int
ctl_webhook_url(ctl_t *ctl)
{
    return ctl_hook_url(ctl->args[2]) != 0
           ? CTL_ERROR
           : ctl_hook_update(ctl, RBL_STR(""), ctl->args[2], 0, NULL);
}


int
ctl_webhook_types(ctl_t *ctl)
{
    int        n;
    rbl_str_t  types[RBL_HOOK_TYPES_MAX];

    if ((ctl->n_args == 3) == (ctl_option(ctl, "all") != NULL)) {
        return ctl_fail("give the types, or --all for every type");
    }

    n = ctl_hook_types(ctl->n_args == 3 ? ctl->args[2].p : NULL, types);

    return n < 0 ? CTL_ERROR
           : ctl_hook_update(ctl, RBL_STR(""), RBL_STR(""), n, types);
}


static int
ctl_hook_status(ctl_t *ctl, const char *status)
{
    rbl_hook_status_args_t  args;

    args.status = rbl_str(status);

    return ctl_hook_change(ctl, CTL_SCRIPT(hook_status, args));
}


int
ctl_webhook_enable(ctl_t *ctl)
{
    return ctl_hook_status(ctl, "active");
}


int
ctl_webhook_disable(ctl_t *ctl)
{
    return ctl_hook_status(ctl, "disabled");
}


/* The time in ms for which the old secret remains valid; 0: not at all.  -1:
   error printed. */
static int
ctl_overlap(const ctl_t *ctl, int64_t *ms)
{
    int64_t      s;
    const char  *text;

    s = RBL_HOOK_OVERLAP;
    text = ctl_option(ctl, "overlap");

    if (text != NULL && strcmp(text, "0") == 0) {
        s = 0;

    } else if (text != NULL
               && ctl_interval(&s, "--overlap", rbl_str(text)) != 0)
    {
        return -1;
    }

    *ms = s * 1000;

    return 0;
}


int
ctl_webhook_rotate(ctl_t *ctl)
{
    int          rc;
    char         secret[CTL_SECRET_SIZE], ms[CTL_DECIMAL];
    int64_t      overlap;
    rbl_sid_t    account, hook;
    redisReply  *reply;

    rbl_hook_secret_args_t   args;
    rbl_hook_secret_reply_t  said;

    if (ctl_hook_arguments(ctl, &account, &hook) != 0
        || ctl_overlap(ctl, &overlap) != 0
        || ctl_secret_make(secret) != 0)
    {
        return CTL_ERROR;
    }

    args.secret = rbl_str(secret);
    args.stays = ctl_decimal(ms, overlap);
    rc = CTL_ERROR;

    reply = ctl_hook_script(ctl, &account, &hook,
                            CTL_SCRIPT(hook_secret, args));
    if (reply != NULL) {
        rbl_hook_secret_reply(&said, reply);
        rc = ctl_print(ctl, secret_lines,
                       json_pack("{ss ss ss so}", "account", account.s,
                           "id", hook.s, "secret", secret,
                           "old_secret_until", ctl_time(said.until)));
        freeReplyObject(reply);
    }

    OPENSSL_cleanse(secret, sizeof(secret));

    return rc;
}


int
ctl_webhook_delete(ctl_t *ctl)
{
    rbl_sid_t                account, hook;
    redisReply              *reply;
    rbl_hook_delete_args_t   args;

    if (ctl_hook_arguments(ctl, &account, &hook) != 0) {
        return CTL_ERROR;
    }

    reply = ctl_hook_script(ctl, &account, &hook,
                            CTL_SCRIPT(hook_delete, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    freeReplyObject(reply);

    return ctl_print(ctl, deleted_lines,
                     json_pack("{ss ss}", "account", account.s, "id",
                               hook.s));
}
