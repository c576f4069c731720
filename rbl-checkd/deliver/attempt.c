/*
 * One attempt of one delivery: resolve the host, take an address that may be
 * used, sign, post, record.  Each step has one end, and the record is written
 * until the store takes it or the lease is over; delivery_done counts an
 * attempt once, however often it is told.
 *
 * An attempt owns a copy of everything the claim gave it.  URLs and secrets
 * are never logged; what the customer may read of an error does not tell an
 * address that was refused from one that did not answer.
 */

#include "deliver_int.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "../log.h"
#include "address.h"
#include "backoff.h"
#include "rbl_sid.h"
#include "sign.h"


#define ATTEMPT_NO_CONNECTION  "connection failed"
#define ATTEMPT_RECORD_AGAIN   1.0      /* s */
#define ATTEMPT_LEAST_TIME     0.1      /* s; 0 would mean for ever */

enum {
    CLAIM_MEMBER = 0,
    CLAIM_TYPE,
    CLAIM_URL,
    CLAIM_SECRET,
    CLAIM_ATTEMPT,
    CLAIM_FIRST,
    CLAIM_EVENT,
    CLAIM_BODY,
    CLAIM__N
};


static void attempt_record(attempt_t *a);


static rbl_str_t
attempt_copy(char **pos, rbl_str_t s)
{
    rbl_str_t  copy;

    memcpy(*pos, s.p, s.n);
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
    rbl_str_t   account, event, target;
    rbl_sid_t   sid;

    if (a->member.n < 2 * (RBL_SID_LEN + 1) + 3) {
        return -1;
    }

    account = (rbl_str_t) { a->member.p, RBL_SID_LEN };
    event = (rbl_str_t) { account.p + RBL_SID_LEN + 1, RBL_SID_LEN };
    target = (rbl_str_t) { event.p + RBL_SID_LEN + 1,
                           a->member.n - 2 * (RBL_SID_LEN + 1) };

    if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, account) != RBL_OK
        || rbl_sid_parse(&sid, RBL_SID_EVENT, event) != RBL_OK
        || !rbl_str_eq(event, a->event))
    {
        return -1;
    }

    snprintf(a->account, sizeof(a->account), "%.*s", (int) account.n,
             account.p);
    a->callback = memcmp(target.p, "CB", 2) == 0;

    return 0;
}


attempt_t *
attempt_new(deliver_t *d, unsigned part, ev_tstamp claimed,
    const redisReply *reply)
{
    char       *pos;
    size_t      i, size;
    int64_t     n, first;
    rbl_str_t   s[CLAIM__N];
    attempt_t  *a;

    size = 0;

    for (i = 0; i < CLAIM__N; i++) {
        s[i] = rbl_reply_str(rbl_reply_at(reply, i));

        if (i != CLAIM_ATTEMPT && i != CLAIM_FIRST) {
            if (s[i].p == NULL) {
                return NULL;
            }

            size += s[i].n + 1;
        }
    }

    n = rbl_reply_int(rbl_reply_at(reply, CLAIM_ATTEMPT), -1);
    first = rbl_reply_int(rbl_reply_at(reply, CLAIM_FIRST), -1);

    if (n < 0 || n > 1000000 || first < 0) {
        return NULL;
    }

    a = calloc(1, sizeof(attempt_t) + size);
    if (a == NULL) {
        return NULL;
    }

    link_init(&a->link);
    a->deliver = d;
    a->part = part;
    a->claimed = claimed;
    a->n = (unsigned) n;
    a->first = first;
    a->size = size;

    pos = a->bytes;
    a->member = attempt_copy(&pos, s[CLAIM_MEMBER]);
    a->url = attempt_copy(&pos, s[CLAIM_URL]);
    a->secret = attempt_copy(&pos, s[CLAIM_SECRET]);
    a->event = attempt_copy(&pos, s[CLAIM_EVENT]);
    a->body = attempt_copy(&pos, s[CLAIM_BODY]);

    if (attempt_set_ids(a) != 0) {
        attempt_free(a);
        return NULL;
    }

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

    if (a->state == ATTEMPT_RECORDING) {
        ev_timer_stop(a->deliver->loop, &a->timer);
        store_forget(a->deliver->store, a);
    }

    OPENSSL_cleanse(a->bytes, a->size);
    free(a);
}


/* Recorded, or so long not that somebody else has it now. */

static void
attempt_recorded(void *data, const redisReply *reply)
{
    attempt_t  *a = data;
    deliver_t  *d = a->deliver;

    if (reply != NULL) {
        if (rbl_reply_class(reply) != RBL_REPLY_OK) {
            log_error("delivery %.*s: the store refused the record: %.*s",
                      (int) a->member.n, a->member.p, (int) reply->len,
                      reply->str);
        }

        queue_over(a);
        return;
    }

    if (ev_now(d->loop) > a->claimed + d->lease) {
        log_warn("delivery %.*s: attempt %u could not be recorded",
                 (int) a->member.n, a->member.p, a->n + 1);
        queue_over(a);
        return;
    }

    ev_timer_set(&a->timer, ATTEMPT_RECORD_AGAIN, 0.0);
    ev_timer_start(d->loop, &a->timer);
}


static void
attempt_record_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    (void) loop;
    (void) revents;

    attempt_record(timer->data);
}


static void
attempt_record(attempt_t *a)
{
    deliver_t  *d = a->deliver;
    rbl_key_t   key;
    rbl_str_t   argv[7];

    argv[0] = rbl_key(&key, store_keyspace(d->store), a->part, "retry",
                      RBL_STR(""), RBL_STR(""));
    argv[1] = a->member;
    argv[2] = rbl_str(a->number);
    argv[3] = rbl_str(a->outcome);
    argv[4] = rbl_str(a->delay);
    argv[5] = rbl_str(a->status);
    argv[6] = rbl_str(a->error);

    store_script(d->store, &rbl_script_delivery_done, attempt_recorded, a, 1,
                 7, argv);
}


static void
attempt_end(attempt_t *a, const char *outcome, unsigned status, int64_t delay,
    const char *error)
{
    snprintf(a->outcome, sizeof(a->outcome), "%s", outcome);
    snprintf(a->number, sizeof(a->number), "%u", a->n);
    snprintf(a->status, sizeof(a->status), "%u", status);
    snprintf(a->delay, sizeof(a->delay), "%" PRId64, delay);
    a->error = error;

    a->state = ATTEMPT_RECORDING;
    ev_init(&a->timer, attempt_record_handler);
    a->timer.data = a;

    attempt_record(a);
}


static void
attempt_failed(attempt_t *a, unsigned status, int64_t retry_after,
    const char *error)
{
    int64_t    delay;
    backoff_t  b;

    b.attempt = a->n;
    b.callback = a->callback;
    b.first = a->first;
    b.now = (int64_t) (ev_time() * 1000);
    b.retry_after = retry_after;

    if (getrandom(&b.random, sizeof(b.random), 0) != sizeof(b.random)) {
        b.random = UINT32_MAX / 2;
    }

    delay = backoff_next(&b);

    if (delay < 0) {
        log_warn("delivery %.*s is given up after %u attempts: %s",
                 (int) a->member.n, a->member.p, a->n + 1, error);
        attempt_end(a, "dead", status, 0, error);
        return;
    }

    log_info("delivery %.*s: next attempt in %.1f s", (int) a->member.n,
             a->member.p, (double) delay / 1000.0);
    attempt_end(a, "retry", status, delay, error);
}


static void
attempt_answered(attempt_t *a, const transfer_result_t *result)
{
    log_info("delivery %.*s: attempt %u: HTTP %u in %.0f ms",
             (int) a->member.n, a->member.p, a->n + 1, result->status,
             result->seconds * 1000.0);

    if (result->status >= 200 && result->status <= 299) {
        attempt_end(a, "ok", result->status, 0, "");
        return;
    }

    if (result->status == 410) {
        log_notice("delivery %.*s: the receiver is gone (410)",
                   (int) a->member.n, a->member.p);
        attempt_end(a, "gone", result->status, 0, "HTTP status 410");
        return;
    }

    attempt_failed(a, result->status, result->retry_after,
                   result->status >= 300 && result->status <= 399
                   ? "redirects are not followed" : "HTTP status");
}


static void
attempt_posted(void *data, const transfer_result_t *result)
{
    attempt_t  *a = data;

    static const char *const  errors[] = {
        "", ATTEMPT_NO_CONNECTION, "timeout", "TLS failed",
        "no whole HTTP response"
    };

    a->transfer = NULL;

    if (result->end == TRANSFER_DONE && result->status != 0) {
        attempt_answered(a, result);
        return;
    }

    log_info("delivery %.*s: attempt %u failed in %.0f ms: %s",
             (int) a->member.n, a->member.p, a->n + 1,
             result->seconds * 1000.0, result->text);

    attempt_failed(a, 0, 0, result->end == TRANSFER_DONE
                            ? errors[TRANSFER_BROKEN] : errors[result->end]);
}


/* The URL again from what was judged, so that nothing reads it differently. */

static int
attempt_url(const attempt_t *a, char *url, size_t size)
{
    int               n;
    char              port[16];
    const rbl_url_t  *u = &a->parsed;

    port[0] = '\0';

    if (u->port != (u->tls ? 443u : 80u)) {
        snprintf(port, sizeof(port), ":%u", u->port);
    }

    n = snprintf(url, size, "%s://%s%s%s%.*s", u->tls ? "https" : "http",
                 a->host, port,
                 u->path.n > 0 && u->path.p[0] == '/' ? "" : "/",
                 (int) u->path.n, u->path.p);

    return n > 0 && (size_t) n < size ? 0 : -1;
}


static int
attempt_post(attempt_t *a, const rbl_addr_t *addr)
{
    char                url[DELIVER_URL_MAX];
    char                own[SIGN_MAX + 32], standard[SIGN_MAX + 32];
    char                id[RBL_SID_LEN + 32], stamp[64];
    sign_t              sign;
    int64_t             t;
    const char         *headers[7];
    transfer_request_t  request;

    t = (int64_t) time(NULL);

    if (attempt_url(a, url, sizeof(url)) != 0
        || sign_make(&sign, a->secret, a->event, t, a->body) != RBL_OK)
    {
        return -1;
    }

    snprintf(own, sizeof(own), "X-Webhook-Signature: %s", sign.own);
    snprintf(standard, sizeof(standard), "webhook-signature: %s",
             sign.standard);
    snprintf(id, sizeof(id), "webhook-id: %.*s", (int) a->event.n,
             a->event.p);
    snprintf(stamp, sizeof(stamp), "webhook-timestamp: %" PRId64, t);

    headers[0] = "Content-Type: application/json";
    headers[1] = own;
    headers[2] = id;
    headers[3] = stamp;
    headers[4] = standard;
    headers[5] = "Expect:";
    headers[6] = NULL;

    request.url = url;
    request.tls = a->parsed.tls;
    request.addr = *addr;
    request.port = a->parsed.port;
    request.headers = headers;
    request.body = a->body;
    request.timeout = a->deadline - ev_now(a->deliver->loop);
    request.connect_timeout = a->deliver->conf->deliver_connect_timeout;

    if (request.timeout < ATTEMPT_LEAST_TIME) {
        request.timeout = ATTEMPT_LEAST_TIME;
    }

    a->transfer = transfer_start(a->deliver->transfers, &request,
                                 attempt_posted, a);

    return a->transfer != NULL ? 0 : -1;
}


static void
attempt_resolved(void *data, const rbl_addr_t *addr, const char *why)
{
    attempt_t  *a = data;

    a->resolve = NULL;

    if (addr == NULL) {
        log_info("delivery %.*s: attempt %u: %s", (int) a->member.n,
                 a->member.p, a->n + 1, why);
        attempt_failed(a, 0, 0, ATTEMPT_NO_CONNECTION);
        return;
    }

    a->state = ATTEMPT_POSTING;

    if (attempt_post(a, addr) != 0) {
        attempt_failed(a, 0, 0, "internal error");
    }
}


/* NULL, or why the URL cannot be used, for the customer. */

static const char *
attempt_judge_url(attempt_t *a, resolve_request_t *request, char *buf)
{
    if (rbl_url_parse(&a->parsed, a->url) != RBL_OK) {
        return "not a valid URL";
    }

    if (!a->parsed.tls && !a->deliver->conf->deliver_http) {
        return "only https is allowed";
    }

    if (address_host(&request->literal, buf, &request->name, a->parsed.host)
        != RBL_OK)
    {
        return ATTEMPT_NO_CONNECTION;
    }

    if (request->literal.family == RBL_FAMILY_NONE) {
        snprintf(a->host, sizeof(a->host), "%.*s", (int) request->name.n,
                 request->name.p);
        return NULL;
    }

    rbl_addr_text(buf, &request->literal);
    snprintf(a->host, sizeof(a->host),
             request->literal.family == RBL_FAMILY_IPV6 ? "[%s]" : "%s", buf);

    return NULL;
}


void
attempt_start(attempt_t *a)
{
    char               buf[RBL_VALUE_MAX];
    deliver_t         *d = a->deliver;
    const char        *error;
    resolve_request_t  request;

    a->state = ATTEMPT_RESOLVING;
    a->deadline = ev_now(d->loop) + d->conf->deliver_timeout;

    memset(&request, 0, sizeof(request));
    error = attempt_judge_url(a, &request, buf);

    if (error != NULL) {
        log_info("delivery %.*s: attempt %u: the URL is refused",
                 (int) a->member.n, a->member.p, a->n + 1);
        attempt_failed(a, 0, 0, error);
        return;
    }

    request.loop = d->loop;
    request.dns = d->dns;
    request.conf = d->conf;
    request.port = a->parsed.port;
    request.turn = a->n;
    request.timeout = d->conf->deliver_timeout / 2;

    a->resolve = resolve_start(&request, attempt_resolved, a);

    if (a->resolve == NULL) {
        attempt_failed(a, 0, 0, "internal error");
    }
}
