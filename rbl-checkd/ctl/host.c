/*
 * rblctl host: the record of a host, the last result of each of its lists, and
 * its history.  A host that is given by its SID alone is searched in every
 * account.
 */

#include "host.h"
#include "base/xalloc.h"
#include "rbl_validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE        200                /* accounts per lookup */
#define HISTORY_MAX  "1000"             /* more than the store keeps */


static const ctl_column_t  host_columns[] = {
    { "id", "host" }, { "account", "account" }, { "value", "value" },
    { "name", "name" }, { "type", "type" }, { "parent", "range" },
    { "status", "status" }, { "profile", "profile" }, { "groups", "groups" },
    { "listed_count", "listed" }, { "first_listed", "listed since" },
    { "unknown_count", "unknown" }, { "checked", "last checked" },
    { "next_check", "next check" },
    { "stopped", "not checked since the plan expired" },
    { "created", "created" }, { NULL, NULL }
};

static const ctl_column_t  lists_row[] = {
    { "zone", "LIST" }, { "status", "STATUS" }, { "since", "SINCE" },
    { "asked", "LAST ANSWER" }, { "error", "ERROR" }, { "errors", "ERRORS" },
    { "cleared", "NOT CONFIRMED SINCE" }, { "codes", "CODES" }, { NULL, NULL }
};

static const ctl_column_t  history_row[] = {
    { "time", "TIME" }, { "zone", "LIST" }, { "status", "STATUS" },
    { "codes", "CODES" }, { "check", "CHECK" }, { NULL, NULL }
};


static json_t *
host_json(const rbl_sid_t *account, const rbl_host_t *h)
{
    return json_pack("{so so so so so so so so so sI so sI so so so so}",
                     "id", ctl_text(h->id),
                     "account", ctl_text(rbl_sid_str(account)),
                     "value", ctl_text(h->value), "name", ctl_text(h->name),
                     "type", ctl_text(h->type),
                     "parent", ctl_text(h->parent),
                     "status", ctl_text(h->status),
                     "profile", ctl_text(h->profile),
                     "groups", ctl_texts(h->groups),
                     "listed_count", (json_int_t) h->listed_count,
                     "first_listed", ctl_time(h->first_listed),
                     "unknown_count", (json_int_t) h->unknown_count,
                     "checked", ctl_time(h->checked),
                     "next_check", ctl_time(h->next_check),
                     "stopped", ctl_time(h->stopped),
                     "created", ctl_time(h->created));
}


/*
 * Appends the changes of one entry of the history, the newest first: {id, {c,
 * PP, t, packed {list, zone, status, codes}...}}; the id has the time.
 */

static void
history_entry(json_t *rows, const redisReply *entry)
{
    size_t             n, from;
    json_t            *row;
    int64_t            time;
    rbl_mp_t           mp;
    rbl_str_t          id, list, zone, status, codes;
    const redisReply  *of;

    of = rbl_reply_rest(entry);
    id = rbl_reply_name(entry);
    time = id.p != NULL ? strtoll(id.p, NULL, 10) : 0;
    from = json_array_size(rows);
    rbl_mp_init(&mp, rbl_reply_str(rbl_reply_field(of, "t")));

    for (n = rbl_mp_array(&mp); n > 0 && !mp.failed; n--) {
        if (rbl_mp_array(&mp) != 4) {
            return;
        }

        list = rbl_mp_str(&mp);
        zone = rbl_mp_str(&mp);
        status = rbl_mp_str(&mp);
        codes = rbl_mp_str(&mp);

        row = json_pack("{so so so so so so}", "time", ctl_time(time),
                        "list", ctl_text(list), "zone", ctl_text(zone),
                        "status", ctl_text(status),
                        "codes", ctl_text(codes), "check",
                        ctl_text(rbl_reply_str(rbl_reply_field(of, "c"))));
        json_array_insert_new(rows, from, row);
    }
}


/* The transitions of a host, newest first.  NULL: error printed. */

static json_t *
history(ctl_t *ctl, const rbl_sid_t *account, rbl_str_t host)
{
    size_t       i, n;
    json_t      *rows;
    rbl_key_t    key;
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_COMMAND("XREVRANGE",
                        rbl_account_key(&key, &ctl->ks, "hist",
                                        rbl_sid_str(account), host),
                        RBL_STR("+"), RBL_STR("-"), RBL_STR("COUNT"),
                        RBL_STR(HISTORY_MAX)));
    if (reply == NULL) {
        return NULL;
    }

    rows = json_array();
    n = rbl_reply_len(reply);

    for (i = 0; i < n; i++) {
        history_entry(rows, rbl_reply_at(reply, i));
    }

    freeReplyObject(reply);

    return rows;
}


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


static int
show(ctl_t *ctl, json_t *v, json_t *lists, json_t *past)
{
    int  rc;

    if (ctl->json) {
        json_object_set_new(v, "lists", lists);
        json_object_set_new(v, "history", past);
        return ctl_print(ctl, host_columns, v);
    }

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
    int                      rc;
    json_t                  *past;
    rbl_sid_t                account, host;
    rbl_key_t                key;
    rbl_host_t               h;
    redisReply              *reply;
    rbl_host_lists_args_t    args;
    rbl_host_lists_reply_t   said;

    if (meant(ctl, &account, &host) != 0) {
        return CTL_ERROR;
    }

    args.acct = ctl_acct(ctl, &key, &account);
    args.host = rbl_sid_str(&host);

    reply = ctl_script(ctl, CTL_SCRIPT(host_lists, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_host_lists_reply(&said, reply);

    if (said.word != RBL_HOST_LISTS_OK) {
        rc = ctl_fail("account %s has no host %s", account.s, host.s);

    } else if (rbl_host_decode(&h, said.host) != RBL_OK) {
        rc = ctl_fail("account %s: the record of host %s is damaged",
                      account.s, host.s);

    } else {
        past = history(ctl, &account, rbl_sid_str(&host));
        rc = past == NULL ? CTL_ERROR
             : show(ctl, host_json(&account, &h), host_lists(&h, &said), past);
    }

    freeReplyObject(reply);

    return rc;
}
