/*
 * rblctl host: a host, its state at each of its lists, and its history.  A host
 * that is given by its SID alone is searched in every account.  rblctl mark:
 * what is noted about a listing of a host.
 */

#include "op.h"

#include "rbl_validate.h"

#include <stdio.h>


static const char  host_columns[] =
    "host.id:host, account, host.host:value, host.name, host.type,"
    " host.parent:range, host.status, host.rbl_profile:profile,"
    " host.contact_group:groups, host.listed_count:listed,"
    " host.first_listed:listed since, host.unknown_count:unknown,"
    " host.last_checked, host.next_check,"
    " host.not_checked_since:not checked since the plan expired,"
    " host.flapping_since, created";

static const char  mark_columns[] =
    "host, list, mark.asked:removal asked, mark.asked_by:asked by,"
    " mark.expected:expected, mark.expected_by:expected by, mark.ticket:ticket,"
    " mark.ticketed:ticket since, mark.ticketed_by:ticket by";

static const ctl_table_t  host_tables[] = {
    { "lists",
      "host:LIST, status, since, asked:LAST ANSWER, error, errors,"
      " cleared:NOT CONFIRMED SINCE, codes, card.how:REMOVAL,"
      " card.cause:CAUSE, mark.text:MARKED" },
    { "history", "time, host:LIST, status, codes, check, mark.text:MARKED" },
    { NULL, NULL }
};


/* The account has the host if there is the record.  1: found; 0. */

static int
found_in(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    (void) ctl;

    return raw.p != NULL
           && rbl_sid_parse(data, RBL_SID_ACCOUNT, sid) == RBL_OK;
}


/* Finds the account of a host.  0; -1: none, or failure; error printed. */

static int
account_of(ctl_t *ctl, rbl_sid_t *account, const rbl_sid_t *host)
{
    int  rc;

    rc = ctl_each_account(ctl, "r", rbl_sid_str(host), found_in, account);

    if (rc == 0
        && ctl_away_note(ctl, "cannot be used, and may have the host") == 0)
    {
        ctl_fail("there is no host %s", host->s);
    }

    return rc > 0 ? 0 : -1;
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
        if (rbl_sid_parse(host, RBL_SID_HOST, ctl->args[0]) != RBL_OK) {
            ctl_fail("\"%.80s\" is not the SID of a host: HT and 32 hex digits."
                     "  A host by its address or domain is in an account:"
                     " rblctl host ACCOUNT %.80s", ctl->args[0].p,
                     ctl->args[0].p);
            return -1;
        }

        return account_of(ctl, account, host);
    }

    if (ctl_sid(account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, account) != 0)
    {
        return -1;
    }

    return rbl_sid_parse(host, RBL_SID_HOST, ctl->args[1]) == RBL_OK
           ? 0 : host_of(ctl, account, host, ctl->args[1]);
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

    return ctl_print_tables(ctl, host_columns, host_tables, v);
}


/* Finds the list by its zone, or SID, among those of the host.  0; -1: error
   printed. */

static int
list_of(ctl_t *ctl, rbl_str_t account, rbl_str_t host, const char *text,
    rbl_sid_t *list)
{
    int           rc;
    size_t        i;
    json_t       *v, *l;
    const char   *id;

    if (rbl_sid_parse(list, RBL_SID_LIST, rbl_str(text)) == RBL_OK) {
        return 0;
    }

    v = ctl_op_data(ctl_op_run(ctl, &rbl_op_host_lists, account, host, 0,
                               NULL));
    if (v == NULL) {
        return -1;
    }

    id = "";

    json_array_foreach(json_object_get(v, "lists"), i, l) {
        if (strcasecmp(text, json_string_value(json_object_get(l, "host")))
            == 0)
        {
            id = json_string_value(json_object_get(l, "id"));
            break;
        }
    }

    rc = rbl_sid_parse(list, RBL_SID_LIST, rbl_str(id)) == RBL_OK ? 0 : -1;
    json_decref(v);

    if (rc != 0) {
        ctl_fail("\"%s\" is no list of host %.*s", text, (int) host.n, host.p);
    }

    return rc;
}


int
ctl_mark(ctl_t *ctl)
{
    int          i, n;
    json_t      *v;
    rbl_sid_t    account, host, list;
    ctl_given_t  given[RBL_FIELDS_MAX];

    static const char *const  options[] = { "asked", "expected", "ticket" };

    if (meant(ctl, &account, &host) != 0
        || list_of(ctl, rbl_sid_str(&account), rbl_sid_str(&host),
                   ctl->args[2].p, &list)
           != 0)
    {
        return CTL_ERROR;
    }

    given[0] = (ctl_given_t) { "list", list.s };
    n = 1;

    for (i = 0; i < 3; i++) {
        given[n] = (ctl_given_t) { options[i], ctl_option(ctl, options[i]) };
        n += given[n].value != NULL;
    }

    v = ctl_op_data(ctl_op_run(ctl, &rbl_op_host_mark, rbl_sid_str(&account),
                               rbl_sid_str(&host), n, given));

    return v == NULL ? CTL_ERROR : ctl_print(ctl, mark_columns, v);
}
