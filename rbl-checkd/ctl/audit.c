/*
 * rblctl audit: shows the audit log of an account.  The entries of commands
 * name the login and the machine.
 */

#include "ctl.h"

#include "rbl_time.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CTL_AUDIT_LAST  20
#define CTL_AUDIT_MOST  4000            /* both streams of _audit.lua */
#define CTL_AUDIT_SLICE 100


static const ctl_column_t  audit_row[] = {
    { "at", "TIME" }, { "who", "WHO" }, { "from", "FROM" },
    { "call", "CALL" }, { "count", "TIMES" }, { "target", "TARGET" },
    { "name", "NAME" }, { "fields", "FIELDS" }, { NULL, NULL }
};


/* The login of the person: of root, the one who called sudo. */
static rbl_str_t
ctl_login(char buf[CTL_DECIMAL])
{
    const char           *sudo;
    const struct passwd  *pw;

    sudo = getuid() == 0 ? getenv("SUDO_USER") : NULL;

    if (sudo != NULL && sudo[0] != '\0') {
        return rbl_str(sudo);
    }

    pw = getpwuid(getuid());

    return pw != NULL ? rbl_str(pw->pw_name)
                      : ctl_decimal(buf, (int64_t) getuid());
}


/* The arguments behind the account and the SID of what is changed, by their
   names in the usage: "NAME", "TYPE,TYPE|--all". */
static void
ctl_by_args(const ctl_t *ctl, rbl_audit_by_t *b)
{
    int          i;
    char         name[32];
    size_t       n;
    rbl_sid_t    sid;
    const char  *word;

    word = ctl->command->usage;

    for (i = 0; i < ctl->n_args; i++) {
        for (n = 0; n < sizeof(name) && isupper((unsigned char) word[n]); n++) {
            name[n] = (char) tolower((unsigned char) word[n]);
        }

        if (i > 0 && (i > 1 || rbl_audit_sid(&sid, ctl->args[i]) != RBL_OK)) {
            rbl_audit_field(b, (rbl_str_t) { name, n },
                            n == 3 && memcmp(name, "url", 3) == 0
                            ? RBL_AUDIT_SECRET : ctl->args[i]);
        }

        word += strcspn(word, " ");
        word += *word == ' ';
    }
}


rbl_str_t
ctl_by(const ctl_t *ctl, rbl_audit_by_t *b)
{
    int                  i;
    char                 host[256], call[64], login[CTL_DECIMAL], *p;
    rbl_by_t             by;
    const ctl_option_t  *o;

    memset(host, 0, sizeof(host));
    (void) gethostname(host, sizeof(host) - 1);
    snprintf(call, sizeof(call), "%s", ctl->command->words);

    for (p = call; *p != '\0'; p++) {
        *p = *p == ' ' ? '/' : *p;
    }

    by.who = RBL_STR("rblctl");
    by.name = ctl_login(login);
    by.account = RBL_STR("");
    by.from = rbl_str(host);
    by.call = rbl_str(call);

    rbl_audit_by(b, &by);
    ctl_by_args(ctl, b);

    for (i = 0; i < ctl->n_options; i++) {
        for (o = ctl->command->options; o->name != NULL; o++) {
            if (strcmp(o->name, ctl->options[i].name) == 0) {
                rbl_audit_field(b, rbl_str(o->name),
                                rbl_str(o->value ? ctl->options[i].value
                                                 : "1"));
            }
        }
    }

    return rbl_audit_by_end(b);
}


static json_t *
ctl_audit_fields(ctl_t *ctl, const rbl_audit_t *entry)
{
    char                 line[3 * RBL_AUDIT_VALUES];
    size_t               n;
    json_t              *list;
    rbl_str_t            name, value;
    rbl_audit_fields_t   f;

    list = json_array();
    n = 0;
    rbl_audit_fields(&f, entry);

    while (rbl_audit_next(&f, &name, &value)) {
        if (ctl->json) {
            json_array_append_new(list, json_pack("{so so}", "name",
                                                  ctl_text(name), "value",
                                                  ctl_text(value)));
        } else if (name.n + value.n + 3 < sizeof(line) - n) {
            n += (size_t) snprintf(line + n, sizeof(line) - n, "%s%.*s=%.*s",
                                   n > 0 ? ", " : "", (int) name.n, name.p,
                                   (int) value.n, value.p);
        }
    }

    if (ctl->json) {
        return list;
    }

    json_decref(list);

    return ctl_text((rbl_str_t) { line, n });
}


/* Adds the rows of one slice. */
static void
ctl_audit_add(ctl_t *ctl, json_t *rows, const redisReply *entries)
{
    size_t       i;
    rbl_str_t    who;
    rbl_audit_t  entry;

    for (i = 0; i < rbl_reply_len(entries); i++) {
        if (rbl_audit_decode(&entry, rbl_reply_at(entries, i)) != RBL_OK) {
            ctl_fail("an entry of the log is damaged");
            continue;
        }

        who = entry.by.name.n > 0 && !ctl->json ? entry.by.name : entry.by.who;

        json_array_append_new(rows, json_pack(
            "{so ss so so so so sI so so so}",
            "at", ctl_time(entry.at), "kind", entry.kind,
            "who", ctl_text(who), "who_name", ctl_text(entry.by.name),
            "from", ctl_text(entry.by.from), "call", ctl_text(entry.by.call),
            "count", (json_int_t) entry.count,
            "target", ctl_text(entry.target),
            "name", ctl_text(entry.target_name),
            "fields", ctl_audit_fields(ctl, &entry)));
    }
}


/* The last n entries; args has the account and the filters.  NULL: error
   printed. */
static json_t *
ctl_audit_rows(ctl_t *ctl, int64_t n, rbl_audit_show_args_t args)
{
    char                     before[64], most[CTL_DECIMAL];
    int64_t                  left;
    json_t                  *rows;
    redisReply              *reply;
    rbl_audit_show_reply_t   said;

    rows = json_array();
    before[0] = '\0';

    args.looks = RBL_STR(RBL_AUDIT_LOOKS);

    do {
        left = n - (int64_t) json_array_size(rows);
        args.before = rbl_str(before);
        args.most = ctl_decimal(most, left < CTL_AUDIT_SLICE
                                      ? left : CTL_AUDIT_SLICE);

        reply = ctl_script(ctl, CTL_SCRIPT(audit_show, args));
        if (reply == NULL) {
            json_decref(rows);
            return NULL;
        }

        rbl_audit_show_reply(&said, reply);
        ctl_audit_add(ctl, rows, said.entries);
        snprintf(before, sizeof(before), "%.*s", (int) said.before.n,
                 said.before.p ? said.before.p : "");
        freeReplyObject(reply);

    } while (before[0] != '\0' && (int64_t) json_array_size(rows) < n);

    return rows;
}


/* Reads a SID that the option may have; "" without it. */
static int
ctl_audit_sid(const ctl_t *ctl, const char *option, rbl_sid_t *sid)
{
    const char  *text;

    memset(sid, 0, sizeof(*sid));
    text = ctl_option(ctl, option);

    return text == NULL || rbl_audit_sid(sid, rbl_str(text)) == RBL_OK
           ? CTL_OK : ctl_fail("--%s must be a SID, not \"%.40s\"", option,
                               text);
}


int
ctl_audit(ctl_t *ctl)
{
    json_t                 *rows;
    int64_t                 n;
    rbl_key_t               key;
    rbl_sid_t               account, who, target;
    rbl_audit_show_args_t   args;

    n = CTL_AUDIT_LAST;

    if (ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_number(ctl, "limit", &n, 1, CTL_AUDIT_MOST) != 0
        || ctl_audit_sid(ctl, "who", &who) != CTL_OK
        || ctl_audit_sid(ctl, "target", &target) != CTL_OK
        || ctl_account_exists(ctl, &account) != 0)
    {
        return CTL_ERROR;
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.who = rbl_sid_str(&who);
    args.target = rbl_sid_str(&target);

    rows = ctl_audit_rows(ctl, n, args);

    return rows == NULL ? CTL_ERROR : ctl_print(ctl, audit_row, rows);
}
