/*
 * rblctl webhook: receivers of an account's events.  The secret of a receiver
 * is printed once, by the command that made it.
 */

#include "webhook.h"

#include <openssl/crypto.h>
#include <stdio.h>


static const ctl_column_t  hook_columns[] = {
    { "account", "account" }, { "id", "webhook" }, { "name", "name" },
    { "url", "url" }, { "types", "types" }, { "secret", "secret" },
    { NULL, NULL }
};

static const ctl_column_t  hook_row[] = {
    { "id", "WEBHOOK" }, { "name", "NAME" }, { "url", "URL" },
    { "types", "TYPES" }, { "status", "STATUS" }, { "created", "CREATED" },
    { NULL, NULL }
};


int
ctl_hook_types(const char *text, rbl_str_t *types)
{
    int        n;
    rbl_str_t  s;

    if (text == NULL) {
        return 0;
    }

    for (n = 0; ; text += s.n + 1) {
        s.p = text;
        s.n = strcspn(text, ",");

        if (!rbl_hook_type_known(s) || n == RBL_HOOK_TYPES_MAX) {
            ctl_fail("\"%.*s\" is not an event type; they are rbl.host.check."
                     "started, rbl.host.check.completed, rbl.host.listed,"
                     " rbl.host.delisted, and those of billing",
                     (int) (s.n > 60 ? 60 : s.n), s.p);
            return -1;
        }

        types[n++] = s;

        if (text[s.n] == '\0') {
            return n;
        }
    }
}


int
ctl_hook_url(rbl_str_t text)
{
    rbl_url_t  url;

    if (rbl_url_parse(&url, text) != RBL_OK) {
        ctl_fail("\"%.80s\" is not a URL that can be sent to: http or https,"
                 " a host, no user name and no fragment", text.p);
        return -1;
    }

    return 0;
}


static int
ctl_hook_print(ctl_t *ctl, const rbl_sid_t *account, const rbl_sid_t *hook,
    rbl_str_t name, rbl_str_t url, int n, const rbl_str_t *types,
    const char *secret)
{
    int      i;
    json_t  *list;

    list = json_array();
    for (i = 0; i < n; i++) {
        json_array_append_new(list, ctl_text(types[i]));
    }

    return ctl_print(ctl, hook_columns,
                     json_pack("{ss ss so so so ss}", "account", account->s,
                               "id", hook->s, "name", ctl_text(name),
                               "url", ctl_text(url), "types", list,
                               "secret", secret));
}


int
ctl_webhook_add(ctl_t *ctl)
{
    int          n, rc;
    char         secret[CTL_SECRET_SIZE];
    rbl_sid_t    account, hook;
    rbl_key_t    key;
    redisReply  *reply;

    rbl_hook_put_reply_t  said;

    struct {
        rbl_hook_put_args_t  args;
        rbl_str_t            types[RBL_HOOK_TYPES_MAX];
    } call;

    n = ctl_hook_types(ctl_option(ctl, "types"), call.types);

    if (n < 0 || ctl_customer(&account, ctl->args[0]) != 0
        || ctl_name(&call.args.name, "a webhook", ctl->args[1]) != 0
        || ctl_hook_url(ctl->args[2]) != 0
        || ctl_secret_make(secret) != 0)
    {
        return CTL_ERROR;
    }

    if (rbl_sid_make(&hook, RBL_SID_HOOK) != RBL_OK) {
        return ctl_fail("the kernel gives no random bytes");
    }

    call.args.acct = ctl_acct(ctl, &key, &account);
    call.args.hook = rbl_sid_str(&hook);
    call.args.url = ctl->args[2];
    call.args.secret = rbl_str(secret);

    reply = ctl_script(ctl, &rbl_script_hook_put, RBL_ARGC(call.args) + n,
                       call.args.argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_hook_put_reply(&said, reply);

    rc = said.word == RBL_HOOK_PUT_OK
         ? ctl_hook_print(ctl, &account, &hook, call.args.name, call.args.url,
                          n, call.types, secret)
         : said.word == RBL_HOOK_PUT_LIMIT
         ? ctl_fail("an account may have at most %lld webhooks",
                    (long long) said.max)
         : ctl_fail("there is no account %s", account.s);

    freeReplyObject(reply);
    OPENSSL_cleanse(secret, sizeof(secret));

    return rc;
}


static int
ctl_hook_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    rbl_hook_t  hook;

    (void) ctl;

    if (rbl_hook_decode(&hook, raw) != RBL_OK) {
        ctl_fail("the record of webhook %.*s is damaged", (int) sid.n,
                 sid.p ? sid.p : "");
        return 0;
    }

    return json_array_append_new(data,
               json_pack("{so so so so so so}", "id", ctl_text(hook.id),
                         "name", ctl_text(hook.name),
                         "url", ctl_text(hook.url),
                         "types", ctl_texts(hook.types),
                         "status", ctl_text(hook.status),
                         "created", ctl_time(hook.created)));
}


int
ctl_webhook_list(ctl_t *ctl)
{
    return ctl_account_records(ctl, "hooks", "s", ctl_hook_each, hook_row);
}
