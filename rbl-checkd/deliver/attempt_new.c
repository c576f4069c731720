/*
 * How an attempt comes and goes.  It owns a copy of everything that it was
 * given, but for the body, which it shares.
 */

#include "base/xalloc.h"
#include "deliver_int.h"

#include <openssl/crypto.h>
#include <stdlib.h>

#include "deliver/message/message.h"
#include "rbl_sid.h"


static rbl_str_t
attempt_copy(char **pos, rbl_str_t s)
{
    rbl_str_t  copy;

    if (s.n > 0) {
        memcpy(*pos, s.p, s.n);
    }

    copy.p = *pos;
    copy.n = s.n;
    *pos += s.n;
    *(*pos)++ = '\0';

    return copy;
}


/* "<AC>:<EV>:<target>", the event the same as in its own field. */

static int
attempt_set_ids(attempt_t *a)
{
    rbl_str_t  account, event, target;
    rbl_sid_t  sid;

    if (a->member.n < 2 * (RBL_SID_LEN + 1) + 3) {
        return -1;
    }

    account = (rbl_str_t) { a->member.p, RBL_SID_LEN };
    event = (rbl_str_t) { account.p + RBL_SID_LEN + 1, RBL_SID_LEN };
    target = (rbl_str_t) { event.p + RBL_SID_LEN + 1,
                           a->member.n - 2 * (RBL_SID_LEN + 1) };

    if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, account) != RBL_OK
        || rbl_sid_parse(&sid, RBL_SID_EVENT, event) != RBL_OK
        || !rbl_str_eq(event, a->job.event))
    {
        return -1;
    }

    memcpy(a->account, account.p, RBL_SID_LEN);     /* xcalloc ends it */
    a->target = target;
    a->short_lived = memcmp(target.p, "CB", 2) == 0 || a->contact.n > 0;

    return 0;
}


attempt_t *
attempt_new(deliver_t *d, unsigned part, ev_tstamp claimed,
    const attempt_given_t *given)
{
    char       *pos;
    size_t      size;
    attempt_t  *a;

    size = given->member.n + given->type.n + given->to.n + given->secret.n
           + given->old.n + given->event.n + given->contact.n + 7;

    a = xcalloc(1, sizeof(attempt_t) + size);
    link_init(&a->link);
    link_init(&a->receiver_link);
    link_init(&a->account_link);
    rbl_buf_init(&a->log);
    a->deliver = d;
    a->part = part;
    a->claimed = claimed;
    a->n = given->n;
    a->size = size;

    pos = a->bytes;
    a->member = attempt_copy(&pos, given->member);
    a->type = attempt_copy(&pos, given->type);
    a->job.to = attempt_copy(&pos, given->to);
    a->job.secret = attempt_copy(&pos, given->secret);
    a->job.old = attempt_copy(&pos, given->old);
    a->job.event = attempt_copy(&pos, given->event);
    a->body = payload_get(given->body);
    a->job.body = payload_str(a->body);
    a->job.conf = d->conf;
    a->job.first = given->first;
    a->contact = attempt_copy(&pos, given->contact);
    a->channel = channel_find(a->contact);

    if (attempt_set_ids(a) != 0) {
        attempt_free(a);
        return NULL;
    }

    return a;
}


attempt_t *
attempt_claimed(deliver_t *d, unsigned part, ev_tstamp claimed,
    const redisReply *reply)
{
    attempt_t                     *a;
    attempt_given_t                given;
    rbl_delivery_claim_delivery_t  row;

    rbl_delivery_claim_delivery(&row, reply);

    if (row.member.p == NULL || row.type.p == NULL || row.to.p == NULL
        || row.secret.p == NULL || row.event.p == NULL || row.body.p == NULL
        || row.contact.p == NULL || row.old.p == NULL
        || row.attempt < 0 || row.attempt > 1000000 || row.first < 0)
    {
        return NULL;
    }

    given.n = (unsigned) row.attempt;
    given.first = row.first;
    given.member = row.member;
    given.type = row.type;
    given.to = row.to;
    given.secret = row.secret;
    given.old = row.old;
    given.event = row.event;
    given.contact = row.contact;
    given.body = payload_new(row.body);

    if (rbl_str_is(row.type, MESSAGE_LINK)) {
        message_link_open(given.body->bytes, given.body->n, row.secret);
    }

    a = attempt_new(d, part, claimed, &given);
    payload_put(given.body);

    return a;
}


void
attempt_free(attempt_t *a)
{
    if (a->resolve != NULL) {
        resolve_cancel(a->resolve);
    }

    if (a->transfer != NULL) {
        transfer_cancel(a->transfer);
    }

    if (a->mail != NULL) {
        smtp_cancel(a->mail);
    }

    if (a->request != NULL) {
        channel_request_free(a->request);
    }

    if (a->state == ATTEMPT_RECORDING) {
        ev_timer_stop(a->deliver->loop, &a->timer);
    }

    if (a->state == ATTEMPT_RECORDING || a->state == ATTEMPT_MARKING) {
        store_forget(a->deliver->store, a);
    }

    subqueue_put(a->account_queue);
    subqueue_put(a->receiver_queue);
    payload_put(a->body);
    OPENSSL_cleanse(a->bytes, a->size);
    rbl_buf_free(&a->log);
    free(a->answer);
    free(a);
}
