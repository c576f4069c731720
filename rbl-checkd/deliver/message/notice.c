/*
 * Notices: a table of texts.  A "$name" in a text is a value of the event:
 * names of plans and webhooks are the operator's and the customer's, a reason
 * is the store's or the gateway's, the URL of a payment is the gateway's.
 */

#include "notice.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "message.h"
#include "rbl_money.h"
#include "rbl_sid.h"
#include "rbl_time.h"

#define NOTICE_VALUE  200               /* fits any sentence made here */

typedef struct {
    const rbl_timezone_t  *zone;
    rbl_event_t            event;
    rbl_billing_t          billing;
    rbl_sold_t             sold;
    rbl_payment_t          payment;
    rbl_source_t           source;
    char                   text[NOTICE_VALUE];
} notice_t;

/* "failed:limit" is the notice "failed" in that case (notice_case). */
static const struct {
    const char  *word, *weight, *title, *text;
} notices[] = {
    { "hook", "normal",
      "Webhook \"$name\" was disabled",
      "The webhook \"$name\" ($about) was disabled at $now: $why.\n\nNothing"
      " is sent to it now. Its undelivered events, and those of the next"
      " five days, are kept: when the receiver works again, have the webhook"
      " enabled and its events sent again.\n" },

    { "due", "normal",
      "$amount USD are due for the plan \"$plan\"",
      "The payment of $amount USD for the plan \"$plan\" is due. Pay it to"
      " the operator of this service, with the reference"
      " $payment.\n\n$checks\n" },
    { "paid", "info",
      "$amount USD are paid for the plan \"$plan\"",
      "The payment of $amount USD for the plan \"$plan\" has arrived. Its"
      " reference is $payment.\n\nThe plan is paid until $until.\n" },
    { "paid:balance", "info",
      "$amount USD are paid for the plan \"$plan\"",
      "The payment of $amount USD for the plan \"$plan\" has arrived. Its"
      " reference is $payment.\n\nThe balance is $balance USD.\n" },

    { "failed", "normal",
      "The payment of $amount USD for the plan \"$plan\" was not made",
      "The payment of $amount USD for the plan \"$plan\" was not made:"
      " $reason. Nothing was charged.\n\nThe next attempt is made at $next."
      " For another one before, add a payment source on the billing page of"
      " the portal, or choose another one there.\n\n$checks\n" },
    { "failed:last", "normal",
      "The payment of $amount USD for the plan \"$plan\" was not made",
      "The payment of $amount USD for the plan \"$plan\" was not made:"
      " $reason. Nothing was charged, and the service makes no other"
      " attempt.\n\nAdd a payment source on the billing page of the portal,"
      " or choose another one there: then the payment is tried"
      " again.\n\n$checks\n" },
    { "failed:balance", "normal",
      "The payment of $amount USD for the plan \"$plan\" was not made",
      "The payment of $amount USD for the balance of the plan \"$plan\" was"
      " not made: $reason. Nothing was charged, and this payment is not tried"
      " again.\n\nTo pay in another way, top up the balance on the billing"
      " page of the portal.\n\n$checks\n" },
    { "failed:authentication_required", "normal",
      "The payment of $amount USD for the plan \"$plan\" needs you",
      "The payment of $amount USD for the plan \"$plan\" was not made, and"
      " nothing was charged: the bank wants the holder of the card to"
      " confirm it.\n\nAdd the card again on the billing page of the portal."
      " The bank then asks for the confirmation, and the payment is"
      " made.\n\n$checks\n" },
    { "failed:under_way", "normal",
      "The payment of $amount USD for the plan \"$plan\" is still under way",
      "The payment of $amount USD for the plan \"$plan\" is still under way,"
      " and it may yet be charged. Please do not pay it in another"
      " way.\n\n$checks\n" },
    { "failed:unpaid", "normal",
      "The plan \"$plan\" is not paid",
      "The payment of $amount USD for the plan \"$plan\", reference"
      " $payment, was not made in time.\n\n$checks\n" },
    { "failed:limit", "normal",
      "The balance is not recharged any more today",
      "The balance of the plan \"$plan\" is $balance USD, and was recharged"
      " as often as a day allows. It is recharged again after midnight"
      " (UTC).\n\n$checks\n" },
    { "customer", "normal",
      "The payment of $amount USD for the plan \"$plan\" needs you",
      "The payment of $amount USD for the plan \"$plan\" waits for you."
      " Confirm it here:\n\n$url\n" },
    { "operator", "normal",
      "The payment of $amount USD for the plan \"$plan\" is not clear",
      "The payment of $amount USD for the plan \"$plan\" was sent at least"
      " two days ago, and the gateway has not said whether it was made.\n\nThe"
      " operator of this service finds out how it ended. Do not pay in"
      " another way meanwhile.\n" },

    { "ends", "normal",
      "The plan \"$plan\" ends in $days",
      "The plan \"$plan\" is paid until $expires, and does not renew itself:"
      " its renewal is off.\n\n$checks\n" },
    { "ends:source", "normal",
      "The plan \"$plan\" ends in $days",
      "The plan \"$plan\" is paid until $expires, and does not renew itself:"
      " there is no payment source that could be charged. Add one on the"
      " billing page of the portal.\n\n$checks\n" },
    { "card", "normal",
      "The card $card expires in $days",
      "The card $card, which pays for the plan \"$plan\", expires at the end"
      " of $month.\n\nUnless the bank renews it, add another one on the"
      " billing page of the portal.\n" },

    { "low", "normal",
      "The balance is $balance USD",
      "The balance of the plan \"$plan\" is $balance USD, which is below the"
      " alert threshold of $alert USD.\n\n$checks\n" },
    { "recharge", "normal",
      "Plan \"$plan\" is no longer recharged",
      "Recharging the balance of the plan \"$plan\" has failed $total times"
      " in a row, and is off since $now.\n\n$checks Choose a payment source"
      " that works, then turn the recharge on again.\n" },
    { "recharge:final", "normal",
      "Plan \"$plan\" is no longer recharged",
      "Recharging the balance of the plan \"$plan\" was declined for good,"
      " and is off since $now.\n\n$checks Choose a payment source that"
      " works, then turn the recharge on again.\n" },

    { "expired", "normal",
      "Plan \"$plan\" has expired",
      "The plan \"$plan\" has expired: it was not paid by $now.\n\n$kept"
      " Nothing is deleted: the checks go on when the plan is paid.\n" },
    { "active", "info",
      "Plan \"$plan\" is active again",
      "The plan \"$plan\" is active again since $now.\n\nAll hosts are"
      " checked within one check interval. Until then their state is"
      " unknown.\n" }
};

#define NOTICES  (sizeof(notices) / sizeof(notices[0]))


/* --- values -------------------------------------------------------------- */

__attribute__((format(printf, 2, 3)))
static rbl_str_t
notice_print(notice_t *n, const char *fmt, ...)
{
    va_list  ap;

    va_start(ap, fmt);
    vsnprintf(n->text, sizeof(n->text), fmt, ap);
    va_end(ap);

    return rbl_str(n->text);
}


/*
 * When the checks stop: after the grace of a period, or with the balance.  They
 * go on if a plan that costs more is not paid.
 */

static rbl_str_t
notice_checks(notice_t *n)
{
    char  when[RBL_TIME_LEN];
    int   by_check = n->sold.expires == 0;

    if (rbl_str_is(n->payment.kind, "upgrade")) {
        return RBL_STR("The plan begins when that is paid.");
    }

    if (by_check && n->billing.balance > 0) {
        return RBL_STR("The checks stop when the balance is used up.");
    }

    if (by_check || n->sold.stops <= n->event.date) {
        return RBL_STR("The checks have stopped until it is paid.");
    }

    (void) rbl_time_text(when, n->sold.stops, n->zone);

    return notice_print(n, "The checks stop at %s unless it is paid.", when);
}


/* Which hosts are still checked. */

static rbl_str_t
notice_kept(notice_t *n)
{
    static const char  rest[] = " A host that is not checked is unknown, not"
                                " clear; its listings are those of its last"
                                " check.";
    int64_t            kept = n->event.total;

    if (kept < 0) {
        return RBL_STR("All hosts are still checked, but no host can be added"
                       " and no check be started.");
    }

    return kept == 0
           ? notice_print(n, "No host is checked from now on.%s", rest)
           : notice_print(n, "From now on only the oldest hosts are checked, at"
                          " most %lld.%s", (long long) kept, rest);
}


static rbl_str_t
notice_card(notice_t *n)
{
    return notice_print(n, "%.*s ...%.*s", (int) n->source.brand.n,
                        n->source.brand.p, (int) n->source.last4.n,
                        n->source.last4.p);
}


static rbl_str_t
notice_month(notice_t *n)
{
    return notice_print(n, "%02lld/%lld", (long long) n->source.month,
                        (long long) n->source.year);
}


static rbl_str_t
notice_days(notice_t *n)
{
    return notice_print(n, "%lld day%s", (long long) n->billing.days,
                        n->billing.days == 1 ? "" : "s");
}


static rbl_str_t
notice_total(notice_t *n)
{
    return notice_print(n, "%lld", (long long) n->event.total);
}


static const struct {
    const char  *name;
    enum {
        NOTICE_TEXT, NOTICE_MONEY, NOTICE_TIME, NOTICE_MADE
    }            kind;
    size_t       at;                    /* in notice_t */
    rbl_str_t  (*make)(notice_t *n);
} notice_values[] = {
    { "about", NOTICE_TEXT, offsetof(notice_t, event.check), NULL },
    { "alert", NOTICE_MONEY, offsetof(notice_t, billing.alert), NULL },
    { "amount", NOTICE_MONEY, offsetof(notice_t, payment.amount), NULL },
    { "balance", NOTICE_MONEY, offsetof(notice_t, billing.balance), NULL },
    { "card", NOTICE_MADE, 0, notice_card },
    { "checks", NOTICE_MADE, 0, notice_checks },
    { "days", NOTICE_MADE, 0, notice_days },
    { "expires", NOTICE_TIME, offsetof(notice_t, sold.expires), NULL },
    { "kept", NOTICE_MADE, 0, notice_kept },
    { "month", NOTICE_MADE, 0, notice_month },
    { "name", NOTICE_TEXT, offsetof(notice_t, event.value), NULL },
    { "next", NOTICE_TIME, offsetof(notice_t, billing.next), NULL },
    { "now", NOTICE_TIME, offsetof(notice_t, event.date), NULL },
    { "payment", NOTICE_TEXT, offsetof(notice_t, payment.id), NULL },
    { "plan", NOTICE_TEXT, offsetof(notice_t, sold.plan), NULL },
    { "reason", NOTICE_TEXT, offsetof(notice_t, billing.reason), NULL },
    { "total", NOTICE_MADE, 0, notice_total },
    { "until", NOTICE_TIME, offsetof(notice_t, payment.ends), NULL },
    { "url", NOTICE_TEXT, offsetof(notice_t, payment.url), NULL },
    { "why", NOTICE_TEXT, offsetof(notice_t, event.message), NULL }
};


static rbl_str_t
notice_value(notice_t *n, rbl_str_t name)
{
    size_t       i;
    const void  *at;

    for (i = 0; !rbl_str_is(name, notice_values[i].name); i++) {
        /* void */
    }

    at = (const char *) n + notice_values[i].at;

    switch (notice_values[i].kind) {

    case NOTICE_TEXT:
        return *(const rbl_str_t *) at;

    case NOTICE_MONEY:
        return rbl_money_text(n->text, *(const int64_t *) at);

    case NOTICE_TIME:
        return rbl_time_text(n->text, *(const int64_t *) at, n->zone);

    default:
        return notice_values[i].make(n);
    }
}


/* Writes one of the texts above. */

static void
notice_text(rbl_doc_t *doc, const char *key, notice_t *n, const char *text)
{
    size_t  len;

    rbl_doc_text_open(doc, key);

    while (*text != '\0') {
        len = strcspn(text, "$");
        rbl_doc_text_part(doc, (rbl_str_t) { text, len });
        text += len;

        if (*text == '$') {
            text++;
            for (len = 0; islower((unsigned char) text[len]); len++) {
                /* void */
            }

            rbl_doc_text_part(doc, notice_value(n, (rbl_str_t) { text, len }));
            text += len;
        }
    }

    rbl_doc_text_close(doc);
}


/* --- the notice ---------------------------------------------------------- */

/* 0, or -1: malformed. */

static int
notice_decode(notice_t *n)
{
    rbl_str_t  raw = n->event.data;

    return rbl_billing_decode(&n->billing, raw) == RBL_OK
           && rbl_sold_decode(&n->sold, n->billing.sold) == RBL_OK
           && (n->billing.payment.n == 0
               || rbl_payment_decode(&n->payment, n->billing.payment)
                  == RBL_OK)
           && (n->billing.source.n == 0
               || rbl_source_decode(&n->source, n->billing.source) == RBL_OK)
           ? 0 : -1;
}


/* After an attempt that has failed, a payment is open or failed. */

static int
notice_under_way(const notice_t *n)
{
    rbl_str_t  state = n->payment.state;

    return rbl_str_is(state, "sent") || rbl_str_is(state, "processing")
           || rbl_str_is(state, "unknown") || rbl_str_is(state, "customer");
}


/* The case of a notice that has several texts; "": it has one. */

static rbl_str_t
notice_case(const notice_t *n)
{
    rbl_str_t  reason = n->billing.reason;
    rbl_str_t  word = n->event.message;
    int        last = n->billing.next == 0;

    if (rbl_str_is(word, "failed")) {
        return notice_under_way(n) ? RBL_STR("under_way")
               : rbl_str_is(reason, "unpaid") || rbl_str_is(reason, "limit")
               ? reason
               : last && n->payment.ends == 0 ? RBL_STR("balance")
               : rbl_str_is(reason, "authentication_required") ? reason
               : last ? RBL_STR("last") : RBL_STR("");
    }

    return rbl_str_is(word, "paid") && n->payment.ends == 0
           ? RBL_STR("balance")
           : rbl_str_is(word, "ends") && n->sold.renew ? RBL_STR("source")
           : rbl_str_is(word, "recharge") && n->event.total <= 1
           ? RBL_STR("final") : RBL_STR("");
}


/* The row of that name; NOTICES: there is none. */

static size_t
notice_find(rbl_str_t word, rbl_str_t of)
{
    int     len;
    char    name[64];
    size_t  i;

    len = snprintf(name, sizeof(name), "%.*s%s%.*s", (int) word.n, word.p,
                   of.n > 0 ? ":" : "", (int) of.n, of.n > 0 ? of.p : "");

    for (i = 0; i < NOTICES; i++) {
        if (len < (int) sizeof(name) && strcmp(notices[i].word, name) == 0) {
            break;
        }
    }

    return i;
}


/* Is it the word of a notice about a bill? */

static int
notice_word(rbl_str_t word)
{
    return word.n > 0 && memchr(word.p, ':', word.n) == NULL
           && !rbl_str_is(word, notices[0].word);
}


/* Its row, and its values; NOTICES: it is not sound. */

static size_t
notice_read(notice_t *n, const rbl_event_t *event)
{
    rbl_sid_t  sid;

    memset(n, 0, sizeof(notice_t));
    n->event = *event;

    if (event->data.n == 0) {
        return rbl_sid_parse(&sid, RBL_SID_HOOK, event->check) == RBL_OK
               ? notice_find(RBL_STR("hook"), RBL_STR("")) : NOTICES;
    }

    return notice_decode(n) == 0 && notice_word(event->message)
           ? notice_find(event->message, notice_case(n)) : NOTICES;
}


int
notice_sound(const rbl_event_t *event)
{
    notice_t  n;

    return notice_read(&n, event) < NOTICES;
}


const char *
notice_write(rbl_doc_t *doc, const rbl_event_t *event,
    const rbl_timezone_t *zone)
{
    size_t    i;
    notice_t  n;

    i = notice_read(&n, event);
    n.zone = zone;
    notice_text(doc, "title", &n, notices[i].title);
    notice_text(doc, "message", &n, notices[i].text);

    return notices[i].weight;
}
