/*
 * rblctl fsck: the ledger of an account beside its payments and its bill.  No
 * key is in the ledger twice, each entry has the balance after it, and the sum
 * is the balance.  Each payment that has succeeded has one entry, of its amount
 * and kind, while no other has one, and no two are for the same.  Each movement
 * of cash has its payment, refunds are those of the payment, and each
 * reference is known.  The bill is paid until the time that its payments are
 * for.  The rest of a period is credited once, only if the period was paid,
 * and never more than was paid for plans until then.  Nothing here is
 * repaired: what is right about money is in the operator's books.  A ledger
 * that was rewritten as a whole is not found: only a copy elsewhere shows that.
 */

#include "fsck.h"

#include "rbl_record.h"
#include "rbl_money.h"
#include "rbl_validate.h"

#include <stdio.h>

#define FSCK_ENTRY  "1000"              /* entries of the ledger a command */
#define FSCK_ID     48

/* A period is a month or a year (ms). */
#define FSCK_SHORTEST  (INT64_C(28) * 86400000)
#define FSCK_LONGEST   (INT64_C(366) * 86400000)

typedef struct {
    fsck_t     *f;
    rbl_str_t   account;
    json_t     *keys;                   /* of the ledger -> [payment, amount,
                                           movement] */
    json_t     *paid;                   /* keys of payments, and of the rests
                                           of their periods */
    json_t     *refunds;                /* payment -> sum */
    json_t     *references;             /* of the ledger */
    int64_t     begins, ends;           /* of the bill; equal: not paid */
    int64_t     until, ended;           /* the latest that is paid; the end of
                                           the one that begins then, or 0 */
    json_t     *faults;                 /* [[where, text]...] */
    int64_t     balance;
    int64_t     plans;                  /* paid for them, less the rests */
    char        last[FSCK_ID];          /* of the ledger; "" */
} fsck_bill_t;


static void
bill_fault(fsck_bill_t *b, rbl_str_t where, const char *text)
{
    json_array_append_new(b->faults,
                          json_pack("[os]", ctl_text(where), text));
}


/* From which account to which money may go. */
static const char  bill_sold[] = "cash>revenue";        /* a period is paid */
static const char  bill_added[] = "cash>credit";        /* paid in advance */
static const char  bill_used[] = "credit>revenue";      /* by checks */
static const char  bill_rest[] = "revenue>credit";      /* of a period */
static const char  bill_unsold[] = "revenue>cash";      /* refunds of both */
static const char  bill_taken[] = "credit>cash";

static const char *const  bill_moves[] = {
    bill_sold, bill_added, bill_used, bill_rest, bill_unsold, bill_taken,
    "adjust>credit", "credit>adjust", NULL
};


static int
bill_is_refund(const char *move)
{
    return move == bill_unsold || move == bill_taken;
}


/* The movement of an entry; NULL: there is no such one. */
static const char *
entry_move(rbl_str_t debit, rbl_str_t credit)
{
    char    move[FSCK_ID];
    size_t  i;

    snprintf(move, sizeof(move), "%.*s>%.*s", (int) debit.n, debit.p,
             (int) credit.n, credit.p);

    for (i = 0; bill_moves[i] != NULL; i++) {
        if (strcmp(move, bill_moves[i]) == 0) {
            break;
        }
    }

    return bill_moves[i];
}


/* Whether the text is the balance that the ledger has come to. */
static int
bill_is_balance(const fsck_bill_t *b, rbl_str_t text)
{
    char  balance[CTL_DECIMAL];

    return rbl_str_eq(text.n ? text : RBL_STR("0"),
                      ctl_decimal(balance, b->balance));
}


static void
bill_entry(fsck_bill_t *b, const redisReply *entry)
{
    int64_t            amount;
    rbl_str_t          id, key, debit, credit, about, reference;
    const char        *move;
    const redisReply  *fields;

    id = rbl_reply_str(rbl_reply_at(entry, 0));
    fields = rbl_reply_at(entry, 1);
    key = ctl_entry_value(fields, "k");
    debit = ctl_entry_value(fields, "d");
    credit = ctl_entry_value(fields, "c");
    about = ctl_entry_value(fields, "r");
    reference = ctl_entry_value(fields, "x");
    snprintf(b->last, sizeof(b->last), "%.*s", (int) id.n, id.p);

    move = entry_move(debit, credit);

    if (rbl_int_parse(&amount, ctl_entry_value(fields, "a"), 1,
                      RBL_MONEY_MAX) != RBL_OK
        || move == NULL || key.n == 0 || !rbl_text_ok(key)
        || (move == bill_used) != rbl_str_begins(key, "use:")
        || (move == bill_rest) != rbl_str_begins(key, "rest:")
        || bill_is_refund(move) != rbl_str_begins(key, "rf:"))
    {
        bill_fault(b, id, "is no movement of money");
        return;
    }

    if (json_object_getn(b->keys, key.p, key.n) != NULL) {
        bill_fault(b, id, "is in the ledger twice");
    }

    json_object_setn_new(b->keys, key.p, key.n,
                         json_pack("[oIs]", ctl_text(about),
                                   (json_int_t) amount, move));

    if (bill_is_refund(move) && about.n > 0) {
        json_object_setn_new(b->refunds, about.p, about.n,
                             json_integer(amount + json_integer_value(
                                 json_object_getn(b->refunds, about.p,
                                                  about.n))));
    }

    if (reference.n > 0) {
        json_object_setn_new(b->references, reference.p, reference.n,
                             json_true());
    }

    b->balance += rbl_str_is(credit, "credit") ? amount
                  : rbl_str_is(debit, "credit") ? -amount : 0;
    b->plans += move == bill_sold ? amount : move == bill_rest ? -amount : 0;

    if (move == bill_rest && b->plans < 0) {
        bill_fault(b, id, "credits more than was paid for plans");
    }

    if (!bill_is_balance(b, ctl_entry_value(fields, "b"))) {
        bill_fault(b, id, "has another balance than the entries up to it");
    }
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


/* Whether the entry is that of the payment. */
static int
bill_fits(const json_t *entry, const rbl_payment_t *p)
{
    const char  *move;

    move = rbl_str_is(p->kind, "renewal") || rbl_str_is(p->kind, "upgrade")
           ? bill_sold : bill_added;

    return rbl_str_is(p->id, json_string_value(json_array_get(entry, 0)))
           && json_integer_value(json_array_get(entry, 1)) == p->amount
           && strcmp(json_string_value(json_array_get(entry, 2)), move) == 0;
}


/* Notes until when a payment has paid. */
static void
bill_period(fsck_bill_t *b, rbl_str_t sid, const rbl_payment_t *p)
{
    int64_t  length;

    length = p->ends - p->begins;

    if (rbl_str_is(p->kind, "renewal")
        && (length < FSCK_SHORTEST || length > FSCK_LONGEST))
    {
        bill_fault(b, sid, "pays for a time that is no month and no year");
    }

    b->until = p->ends > b->until ? p->ends : b->until;
    b->ended = p->begins == b->begins ? p->ends : b->ended;
}


static int
bill_payment(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    int             succeeded;
    char            rest[FSCK_ID * 2];
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

    } else if (succeeded && !bill_fits(has, &p)) {
        bill_fault(b, sid, "is in the ledger as another payment");
    }

    if (json_object_getn(b->paid, p.key.p, p.key.n) != NULL) {
        bill_fault(b, sid, "is for the same as another payment");
    }

    json_object_setn_new(b->paid, p.key.p, p.key.n, json_true());

    if (succeeded && rbl_str_is(p.kind, "renewal")) {
        snprintf(rest, sizeof(rest), "rest:%.*s:%lld:%lld",
                 (int) b->account.n, b->account.p, (long long) p.begins,
                 (long long) p.ends);
        json_object_set_new(b->paid, rest, json_true());
    }

    if (p.refunded != json_integer_value(json_object_getn(b->refunds, sid.p,
                                                          sid.n)))
    {
        bill_fault(b, sid, "has other refunds than the ledger");
    }

    json_object_deln(b->refunds, sid.p, sid.n);

    if (succeeded) {
        bill_period(b, sid, &p);
    }

    return 0;
}


/* Reads what the bill says is paid.  0, -1. */
static int
bill_read(fsck_bill_t *b)
{
    rbl_key_t    key;
    rbl_bill_t   bill;
    redisReply  *reply;

    reply = ctl_command(b->f->ctl, RBL_COMMAND("GET",
                        rbl_account_key(&key, &b->f->ctl->ks, "bill",
                                        b->account, RBL_STR(""))));
    if (reply == NULL) {
        return -1;
    }

    if (reply->type == REDIS_REPLY_NIL) {
        b->begins = b->ends = 0;

    } else if (rbl_bill_decode(&bill, rbl_reply_str(reply)) != RBL_OK) {
        bill_fault(b, RBL_STR("bill"), "cannot be read: restore it from a"
                   " backup");

    } else {
        b->begins = bill.begins;
        b->ends = bill.ends;
    }

    freeReplyObject(reply);

    return 0;
}


/* Compares the ledger with all payments. */
static void
bill_compare(fsck_bill_t *b)
{
    json_t      *entry;
    const char  *key, *move;

    json_object_foreach(b->keys, key, entry) {
        move = json_string_value(json_array_get(entry, 2));

        if (json_object_get(b->paid, key) != NULL) {
            continue;
        }

        if (strcmp(move, bill_rest) == 0) {
            bill_fault(b, rbl_str(key), "is of a period that was not paid");

        } else if (strcmp(move, bill_sold) == 0
                   || strcmp(move, bill_added) == 0)
        {
            bill_fault(b, rbl_str(json_string_value(json_array_get(entry, 0))),
                       "is in the ledger, and there is no such payment");
        }
    }

    json_object_foreach(b->refunds, key, entry) {
        bill_fault(b, rbl_str(key), "is refunded, and there is no such"
                   " payment");
    }

    if (b->begins < b->ends
        && (b->ends > b->until || (b->ended && b->ended != b->ends)))
    {
        bill_fault(b, RBL_STR("bill"), "is paid until another time than its"
                   " payments");
    }
}


/* Looks whether the index of references has those of the ledger.  0, -1. */
static int
bill_references(fsck_bill_t *b)
{
    int          known;
    char         cursor[CTL_DECIMAL];
    size_t       i, missing;
    json_t      *seen;
    rbl_key_t    key;
    rbl_str_t    field;
    redisReply  *reply;

    seen = json_object();
    (void) ctl_decimal(cursor, 0);

    do {
        reply = ctl_command(b->f->ctl, RBL_COMMAND("HSCAN",
                            rbl_account_key(&key, &b->f->ctl->ks, "booked",
                                            b->account, RBL_STR("")),
                            rbl_str(cursor), RBL_STR("COUNT"),
                            RBL_STR(FSCK_ENTRY)));
        if (reply == NULL) {
            json_decref(seen);
            return -1;
        }

        rbl_copy(cursor, sizeof(cursor),
                 rbl_reply_str(rbl_reply_at(reply, 0)));

        for (i = 0; i < rbl_reply_len(rbl_reply_at(reply, 1)); i += 2) {
            field = rbl_reply_str(rbl_reply_at(rbl_reply_at(reply, 1), i));
            known = json_object_getn(b->references, field.p, field.n) != NULL;

            if (known) {
                json_object_setn_new(seen, field.p, field.n, json_true());

            } else {
                bill_fault(b, RBL_STR("booked"), "has a reference that the"
                           " ledger does not have");
            }
        }

        freeReplyObject(reply);
    } while (strcmp(cursor, "0") != 0);

    missing = json_object_size(b->references) - json_object_size(seen);
    json_decref(seen);

    if (missing > 0) {
        bill_fault(b, RBL_STR("booked"), "lacks a reference of the ledger");
    }

    return 0;
}


/* Compares the balance with the sum.  0, -1. */
static int
bill_balance(fsck_bill_t *b)
{
    int64_t      used;
    rbl_key_t    key;
    rbl_str_t    text;
    redisReply  *reply;

    reply = ctl_command(b->f->ctl, RBL_COMMAND("HMGET",
                        rbl_account_key(&key, &b->f->ctl->ks, "money",
                                        b->account, RBL_STR("")),
                        RBL_STR("balance"), RBL_STR("used")));
    if (reply == NULL) {
        return -1;
    }

    if (!bill_is_balance(b, rbl_reply_str(rbl_reply_at(reply, 0)))) {
        bill_fault(b, RBL_STR("money"), "is not the sum of the ledger");
    }

    text = rbl_reply_str(rbl_reply_at(reply, 1));

    if (text.n > 0 && rbl_int_parse(&used, text, 0, RBL_MONEY_MAX) != RBL_OK) {
        bill_fault(b, RBL_STR("money"), "has a use that cannot be");
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

    if (bill_ledger(b) != 0 || bill_balance(b) != 0 || bill_read(b) != 0
        || bill_references(b) != 0
        || ctl_each(b->f->ctl,
                    rbl_account_key(&key, &b->f->ctl->ks, "payments",
                                    b->account, RBL_STR("")),
                    rbl_partition(&b->f->ctl->ks, b->account), "pay",
                    b->account, bill_payment, b) != 0)
    {
        return -1;
    }

    bill_compare(b);
    memcpy(last, b->last, sizeof(last));

    return bill_ledger(b) != 0 ? -1 : strcmp(last, b->last) != 0;
}


static void
bill_report(fsck_bill_t *b)
{
    size_t   i;
    json_t  *fault;

    json_array_foreach(b->faults, i, fault) {
        fsck_report(b->f, b->account, "ledger",
                    rbl_str(json_string_value(json_array_get(fault, 0))),
                    json_string_value(json_array_get(fault, 1)));
    }
}


int
fsck_bill(fsck_t *f, rbl_str_t account, rbl_str_t none)
{
    int          rc;
    fsck_bill_t  b;

    (void) none;

    memset(&b, 0, sizeof(b));
    b.f = f;
    b.account = account;
    b.keys = json_object();
    b.paid = json_object();
    b.refunds = json_object();
    b.references = json_object();
    b.faults = json_array();
    rc = bill_look(&b);

    if (rc == 0) {
        bill_report(&b);
    }

    json_decref(b.keys);
    json_decref(b.paid);
    json_decref(b.refunds);
    json_decref(b.references);
    json_decref(b.faults);

    return rc;
}
