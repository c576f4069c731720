/*
 * Makes and frees attempts, and writes their entries in the log of a receiver,
 * of an application's callbacks or of a contact (schema.txt, try).  An attempt
 * owns a copy of everything that it was given, but for the body, which it
 * shares.
 */

#include "base/xalloc.h"
#include "deliver_int.h"

#include <openssl/crypto.h>
#include <stdlib.h>

#include "deliver/message/message.h"
#include "rbl_mp.h"
#include "rbl_sid.h"


#define ATTEMPT_TRY_FIELDS  11
#define ATTEMPT_ANSWER_MAX  1024u       /* octets of an answer, logged */


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
    const rbl_delivery_claim_delivery_t *row, payload_t *body)
{
    char       *pos;
    size_t      size;
    attempt_t  *a;

    size = row->member.n + row->type.n + row->to.n + row->secret.n
           + row->old.n + row->event.n + row->contact.n + 7;

    a = xcalloc(1, sizeof(attempt_t) + size);
    link_init(&a->link);
    link_init(&a->receiver_link);
    link_init(&a->account_link);
    rbl_buf_init(&a->log);
    a->deliver = d;
    a->part = part;
    a->claimed = claimed;
    a->n = (unsigned) row->attempt;
    a->size = size;

    pos = a->bytes;
    a->member = attempt_copy(&pos, row->member);
    a->type = attempt_copy(&pos, row->type);
    a->job.to = attempt_copy(&pos, row->to);
    a->job.secret = attempt_copy(&pos, row->secret);
    a->job.old = attempt_copy(&pos, row->old);
    a->job.event = attempt_copy(&pos, row->event);
    a->body = payload_get(body);
    a->job.body = payload_str(a->body);
    a->job.conf = d->conf;
    a->job.first = row->first;
    a->contact = attempt_copy(&pos, row->contact);
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
    payload_t                     *body;
    rbl_delivery_claim_delivery_t  row;

    rbl_delivery_claim_delivery(&row, reply);

    if (row.member.p == NULL || row.type.p == NULL || row.to.p == NULL
        || row.secret.p == NULL || row.event.p == NULL || row.body.p == NULL
        || row.contact.p == NULL || row.old.p == NULL
        || row.attempt < 0 || row.attempt > 1000000 || row.first < 0)
    {
        return NULL;
    }

    body = payload_new(row.body);

    if (rbl_str_is(row.type, MESSAGE_LINK)) {
        message_link_open(body->bytes, body->n, row.secret);
    }

    a = attempt_new(d, part, claimed, &row, body);
    payload_put(body);

    return a;
}


void
attempt_free(attempt_t *a)
{
    exchange_cancel(&a->exchange);

    if (a->mail != NULL) {
        smtp_cancel(a->mail);
    }

    request_free(a->request);

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


void
attempt_landed(attempt_t *a)
{
    link_remove(&a->receiver_link);
    link_remove(&a->account_link);
}


void
attempt_hide_code(const attempt_t *a, char *text)
{
    if (message_is_secret(a->type)) {
        message_hide_code(text, a->job.body);
    }
}


void
attempt_log_answer(attempt_t *a, const channel_answer_t *answer)
{
    size_t     n;
    rbl_str_t  s;

    s = answer->body.n > 0 ? answer->body : rbl_str(answer->text);
    n = s.n < ATTEMPT_ANSWER_MAX ? s.n : ATTEMPT_ANSWER_MAX;

    free(a->answer);                    /* that of a request before it */
    a->answer = xmalloc(n + 1);

    /* as a text, in which a code can be hidden */

    for (a->n_answer = 0; a->n_answer < n; a->n_answer++) {
        a->answer[a->n_answer] = s.p[a->n_answer] != '\0'
                                 ? s.p[a->n_answer] : '?';
    }

    a->answer[n] = '\0';
    attempt_hide_code(a, a->answer);
    a->n_answer = strlen(a->answer);
}


void
attempt_log(attempt_t *a, const char *outcome, unsigned status, int64_t delay,
    const char *error)
{
    rbl_out_t  *out = &a->log.out;

    rbl_mp_put_array(out, ATTEMPT_TRY_FIELDS);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_int(out, (int64_t) (ev_time() * 1000.0));
    rbl_mp_put_str(out, a->job.event);
    rbl_mp_put_str(out, a->type);
    rbl_mp_put_int(out, (int64_t) a->n + 1);
    rbl_mp_put_z(out, outcome);
    rbl_mp_put_int(out, status);
    rbl_mp_put_int(out, (int64_t) ((clock_now() - a->began) * 1000.0));
    rbl_mp_put_int(out, delay);
    rbl_mp_put_z(out, error);
    rbl_mp_put_str(out, (rbl_str_t) { a->answer, a->n_answer });
}
