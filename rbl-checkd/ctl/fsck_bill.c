/*
 * rblctl fsck: the ledger of an account, from its entries alone.  No key is in
 * it twice, its sum is the balance, and each payment that has succeeded has one
 * entry, while no other has one.  Nothing here is repaired: what is right about
 * money is in the operator's books.
 */

#include "fsck.h"

#include "rbl_bill.h"
#include "rbl_money.h"
#include "rbl_validate.h"

#include <stdio.h>

#define FSCK_TRIES  5
#define FSCK_ENTRY  "1000"              /* entries of the ledger a command */
#define FSCK_ID     48

typedef struct {
    fsck_t     *f;
    rbl_str_t   account;
    json_t     *keys;                   /* of the ledger -> payment */
    json_t     *faults;                 /* [[where, text]...] */
    int64_t     balance;
    char        last[FSCK_ID];          /* of the ledger; "" */
} fsck_bill_t;


static void
bill_fault(fsck_bill_t *b, rbl_str_t where, const char *text)
{
    json_array_append_new(b->faults,
                          json_pack("[os]", ctl_text(where), text));
}


static int
entry_account(rbl_str_t name)
{
    return rbl_str_is(name, "cash") || rbl_str_is(name, "credit")
           || rbl_str_is(name, "revenue");
}


static void
bill_entry(fsck_bill_t *b, const redisReply *entry)
{
    int64_t            amount;
    rbl_str_t          id, key, debit, credit;
    const redisReply  *fields;

    id = rbl_reply_str(rbl_reply_at(entry, 0));
    fields = rbl_reply_at(entry, 1);
    key = ctl_entry_value(fields, "k");
    debit = ctl_entry_value(fields, "d");
    credit = ctl_entry_value(fields, "c");
    snprintf(b->last, sizeof(b->last), "%.*s", (int) id.n, id.p);

    if (rbl_int_parse(&amount, ctl_entry_value(fields, "a"), 1,
                      RBL_MONEY_MAX) != RBL_OK
        || !entry_account(debit) || !entry_account(credit)
        || rbl_str_eq(debit, credit) || key.n == 0 || !rbl_text_ok(key))
    {
        bill_fault(b, id, "is no movement of money");
        return;
    }

    if (json_object_getn(b->keys, key.p, key.n) != NULL) {
        bill_fault(b, id, "is in the ledger twice");
    }

    json_object_setn_new(b->keys, key.p, key.n,
                         ctl_text(ctl_entry_value(fields, "r")));
    b->balance += rbl_str_is(credit, "credit") ? amount
                  : rbl_str_is(debit, "credit") ? -amount : 0;
}


/* Reads the ledger from its beginning, or behind b->last.  0, -1. */
static int
bill_ledger(fsck_bill_t *b)
{
    char         from[FSCK_ID + 1];
    size_t       i, n;
    rbl_key_t    key;
    redisReply  *reply;

    do {
        snprintf(from, sizeof(from), "%s%s", b->last[0] ? "(" : "-", b->last);
        reply = ctl_command(b->f->ctl, RBL_COMMAND("XRANGE",
                            rbl_account_key(&key, &b->f->ctl->ks, "ledger",
                                            b->account, RBL_STR("")),
                            rbl_str(from), RBL_STR("+"), RBL_STR("COUNT"),
                            RBL_STR(FSCK_ENTRY)));
        if (reply == NULL) {
            return -1;
        }

        n = rbl_reply_len(reply);

        for (i = 0; i < n; i++) {
            bill_entry(b, rbl_reply_at(reply, i));
        }

        freeReplyObject(reply);
    } while (n > 0);

    return 0;
}


static int
bill_payment(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    int             succeeded;
    json_t         *has;
    fsck_bill_t    *b = data;
    rbl_payment_t   p;

    (void) ctl;

    if (rbl_payment_decode(&p, raw) != RBL_OK || p.key.n == 0) {
        bill_fault(b, sid, "cannot be read: restore it from a backup");
        return 0;
    }

    succeeded = rbl_str_is(p.state, "succeeded");
    has = json_object_getn(b->keys, p.key.p, p.key.n);

    if (succeeded && has == NULL) {
        bill_fault(b, sid, "has succeeded and is not in the ledger");

    } else if (!succeeded && has != NULL) {
        bill_fault(b, sid, "is in the ledger and has not succeeded");
    }

    return 0;
}


/* Compares the balance with the sum.  0, -1. */
static int
bill_balance(fsck_bill_t *b)
{
    int          minus;
    int64_t      balance;
    rbl_key_t    key;
    rbl_str_t    text;
    redisReply  *reply;

    reply = ctl_command(b->f->ctl, RBL_COMMAND("HGET",
                        rbl_account_key(&key, &b->f->ctl->ks, "money",
                                        b->account, RBL_STR("")),
                        RBL_STR("balance")));
    if (reply == NULL) {
        return -1;
    }

    text = rbl_reply_str(reply);
    balance = 0;
    minus = text.n > 0 && text.p[0] == '-';
    text.p += minus;
    text.n -= (size_t) minus;

    if ((text.n > 0 && rbl_int_parse(&balance, text, 0, INT64_MAX) != RBL_OK)
        || (minus ? -balance : balance) != b->balance)
    {
        bill_fault(b, RBL_STR("money"), "is not the sum of the ledger");
    }

    freeReplyObject(reply);

    return 0;
}


/* 1: the ledger has grown meanwhile; 0: b->faults are its faults; -1. */
static int
bill_look(fsck_bill_t *b)
{
    char       last[FSCK_ID];
    rbl_key_t  key;

    if (bill_ledger(b) != 0 || bill_balance(b) != 0
        || ctl_each(b->f->ctl,
                    rbl_account_key(&key, &b->f->ctl->ks, "payments",
                                    b->account, RBL_STR("")),
                    rbl_partition(&b->f->ctl->ks, b->account), "pay",
                    b->account, bill_payment, b) != 0)
    {
        return -1;
    }

    memcpy(last, b->last, sizeof(last));

    return bill_ledger(b) != 0 ? -1 : strcmp(last, b->last) != 0;
}


static int
bill_report(fsck_bill_t *b)
{
    size_t   i;
    json_t  *fault;

    json_array_foreach(b->faults, i, fault) {
        if (fsck_report(b->f, b->account, "ledger",
                        rbl_str(json_string_value(json_array_get(fault, 0))),
                        json_string_value(json_array_get(fault, 1))) != 0)
        {
            return -1;
        }
    }

    return 0;
}


int
fsck_bill(fsck_t *f, rbl_str_t account)
{
    int          i, rc;
    fsck_bill_t  b;

    for (i = 0, rc = 1; i < FSCK_TRIES && rc > 0; i++) {
        memset(&b, 0, sizeof(b));
        b.f = f;
        b.account = account;
        b.keys = json_object();
        b.faults = json_array();
        rc = bill_look(&b);

        if (rc == 0) {
            rc = bill_report(&b);
        }

        json_decref(b.keys);
        json_decref(b.faults);
    }

    if (rc == 1) {
        ctl_note("the ledger of account %.*s grows faster than it can be read:"
                 " it was not checked", (int) account.n, account.p);
    }

    return rc < 0 ? -1 : 0;
}
