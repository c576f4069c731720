/*
 * rblctl host: a host, its state at each of its lists, and its history.  A host
 * that is given by its SID alone is searched in every account.
 */

#include "op.h"

#include "base/xalloc.h"
#include "rbl_validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE  200                      /* accounts per lookup */


static const ctl_column_t  host_columns[] = {
    { "host.id", "host" }, { "account", "account" }, { "host.host", "value" },
    { "host.name", "name" }, { "host.type", "type" },
    { "host.parent", "range" }, { "host.status", "status" },
    { "host.rbl_profile", "profile" }, { "host.contact_group", "groups" },
    { "host.listed_count", "listed" }, { "host.first_listed", "listed since" },
    { "host.unknown_count", "unknown" },
    { "host.last_checked", "last checked" },
    { "host.next_check", "next check" },
    { "host.not_checked_since", "not checked since the plan expired" },
    { "created", "created" }, { NULL, NULL }
};

static const ctl_column_t  lists_row[] = {
    { "host", "LIST" }, { "status", "STATUS" }, { "since", "SINCE" },
    { "asked", "LAST ANSWER" }, { "error", "ERROR" }, { "errors", "ERRORS" },
    { "cleared", "NOT CONFIRMED SINCE" }, { "codes", "CODES" }, { NULL, NULL }
};

static const ctl_column_t  history_row[] = {
    { "time", "TIME" }, { "host", "LIST" }, { "status", "STATUS" },
    { "codes", "CODES" }, { "check", "CHECK" }, { NULL, NULL }
};


/* Finds the account of the host among these.  1: *account set, 0: none, -1:
   error printed. */

static int
look_in(ctl_t *ctl, const redisReply *sids, rbl_sid_t *account,
    const rbl_sid_t *host)
{
    int          rc, argc;
    size_t       i, n;
    rbl_str_t    argv[SLICE + 1];
    rbl_key_t   *keys;
    redisReply  *reply;

    n = rbl_reply_len(sids);
    if (n == 0 || n > SLICE) {
        return 0;
    }

    keys = xcalloc(n, sizeof(rbl_key_t));
    argc = 0;
    argv[argc++] = RBL_STR("MGET");

    for (i = 0; i < n; i++) {
        argv[argc++] = rbl_account_key(&keys[i], &ctl->ks, "r",
                                       rbl_reply_str(rbl_reply_at(sids, i)),
                                       rbl_sid_str(host));
    }

    reply = ctl_command(ctl, argc, argv);
    rc = reply == NULL ? -1 : 0;

    for (i = 0; i < n && rc == 0; i++) {
        if (rbl_reply_str(rbl_reply_at(reply, i)).p != NULL
            && rbl_sid_parse(account, RBL_SID_ACCOUNT,
                             rbl_reply_str(rbl_reply_at(sids, i)))
               == RBL_OK)
        {
            rc = 1;
        }
    }

    freeReplyObject(reply);
    free(keys);

    return rc;
}


/* Finds the account of a host.  0; -1: none, or failure; error printed. */

static int
account_of(ctl_t *ctl, rbl_sid_t *account, const rbl_sid_t *host)
{
    int          rc;
    char         from[CTL_DECIMAL], to[CTL_DECIMAL];
    int64_t      at;
    size_t       n;
    unsigned     p;
    rbl_key_t    key;
    rbl_str_t    none = RBL_STR("");
    redisReply  *sids;

    ctl_survey(ctl);

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (ctl_away(ctl, p)) {
            continue;
        }

        for (at = 0, n = SLICE; n == SLICE; at += SLICE) {
            sids = ctl_command(ctl, RBL_COMMAND("ZRANGE",
                               rbl_key(&key, &ctl->ks, p, "accounts", none,
                                       none), ctl_decimal(from, at),
                               ctl_decimal(to, at + SLICE - 1)));
            if (sids == NULL) {
                return -1;
            }

            n = rbl_reply_len(sids);
            rc = look_in(ctl, sids, account, host);
            freeReplyObject(sids);

            if (rc != 0) {
                return rc > 0 ? 0 : -1;
            }
        }
    }

    if (ctl_away_note(ctl, "cannot be used, and may have the host") == 0) {
        ctl_fail("there is no host %s", host->s);
    }

    return -1;
}


/* Finds the host by its value.  0; -1: none, several, or failure; error
   printed. */

static int
host_of(ctl_t *ctl, const rbl_sid_t *account, rbl_sid_t *host, rbl_str_t text)
{
    int           n;
    char          buf[RBL_VALUE_MAX], fields[3][RBL_VALUE_MAX + 16];
    size_t        i;
    rbl_addr_t    addr;
    rbl_key_t     key;
    rbl_str_t     value, word[3];
    redisReply   *reply;
    rbl_sid_t     sid[3];
    rbl_subnet_t  net;

    static const char *const  types[] = { "rbl", "uribl", "ip_range" };

    if (rbl_addr_parse(&addr, text) == RBL_OK) {
        value = rbl_addr_text(buf, &addr);

    } else if (rbl_subnet_parse(&net, text) == RBL_OK) {
        value = rbl_subnet_text(buf, &net);

    } else if (rbl_domain_parse(buf, &value, text) != RBL_OK) {
        ctl_fail("\"%.*s\" is not a SID of a host, an address, a range or a"
                 " domain",
                 (int) text.n, text.p);
        return -1;
    }

    for (i = 0; i < 3; i++) {
        n = snprintf(fields[i], sizeof(fields[i]), "%s|%.*s", types[i],
                     (int) value.n, value.p);
        word[i] = (rbl_str_t) { fields[i], (size_t) n };
    }

    reply = ctl_command(ctl, RBL_COMMAND("HMGET",
                        rbl_account_key(&key, &ctl->ks, "uniq",
                                        rbl_sid_str(account), RBL_STR("")),
                        word[0], word[1], word[2]));
    if (reply == NULL) {
        return -1;
    }

    for (i = 0, n = 0; i < 3; i++) {
        if (rbl_sid_parse(&sid[n], RBL_SID_HOST,
                          rbl_reply_str(rbl_reply_at(reply, i))) == RBL_OK)
        {
            n++;
        }
    }

    freeReplyObject(reply);

    if (n == 0) {
        ctl_fail("account %s has no host %.*s", account->s, (int) value.n,
                 value.p);

    } else if (n > 1) {
        ctl_fail("%.*s is a host at lists of addresses and one at lists of"
                 " URLs: name one by its SID, %s or %s", (int) value.n,
                 value.p, sid[0].s, sid[1].s);

    } else {
        *host = sid[0];
    }

    return n == 1 ? 0 : -1;
}


/* Sets the account and host that the arguments name.  0; -1: error printed. */

static int
meant(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *host)
{
    if (ctl->n_args == 1) {
        return ctl_sid(host, RBL_SID_HOST, ctl->args[0]) != 0
               || account_of(ctl, account, host) != 0 ? -1 : 0;
    }

    if (ctl_sid(account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, account) != 0)
    {
        return -1;
    }

    return rbl_sid_parse(host, RBL_SID_HOST, ctl->args[1]) == RBL_OK
           ? 0 : host_of(ctl, account, host, ctl->args[1]);
}


/* Prints a host, with its lists and its history.  Takes the reference. */

static int
show(ctl_t *ctl, json_t *v)
{
    int      rc;
    json_t  *lists, *past;

    if (ctl->json) {
        return ctl_print(ctl, host_columns, v);
    }

    lists = json_incref(json_object_get(v, "lists"));
    past = json_incref(json_object_get(v, "history"));

    rc = ctl_print(ctl, host_columns, v);
    putchar('\n');
    rc |= ctl_print(ctl, lists_row, lists);

    if (json_array_size(past) > 0) {
        putchar('\n');
        return rc | ctl_print(ctl, history_row, past);
    }

    json_decref(past);

    return rc;
}


int
ctl_host(ctl_t *ctl)
{
    json_t     *v, *past;
    rbl_sid_t   account, host;

    if (meant(ctl, &account, &host) != 0) {
        return CTL_ERROR;
    }

    v = ctl_op_data(ctl_op_run(ctl, &rbl_op_host_lists, rbl_sid_str(&account),
                               rbl_sid_str(&host), 0, NULL));
    past = v == NULL ? NULL
           : ctl_op_data(ctl_op_run(ctl, &rbl_op_host_history,
                                    rbl_sid_str(&account), rbl_sid_str(&host),
                                    0, NULL));
    if (past == NULL) {
        json_decref(v);
        return CTL_ERROR;
    }

    json_object_set_new(v, "account", json_string(account.s));
    json_object_set_new(v, "history", past);

    return show(ctl, v);
}
