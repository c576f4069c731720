/*
 * The operator configures the address of the gateway, so any address is
 * allowed.  Each request opens a new connection: on a reused connection that
 * has been closed, libcurl would send the request again without asking.
 */

#include "payer.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "deliver/transport/exchange.h"
#include "gateway.h"
#include "rbl_money.h"

#define PAYER_FLIGHT  16u               /* requests at a time */
#define PAYER_MARGIN  1.0               /* s beyond the requests of a job */
#define PAYER_STEPS   64u               /* requests of one job */

struct payer_s {
    struct ev_loop   *loop;
    const config_t   *conf;
    const gateway_t  *gateway;
    dns_engine_t     *dns;
    transfer_pool_t  *pool;
    store_t          *store;
    store_t          *sure;             /* for attempts: with several servers a
                                           store of its own (store_wait) */
    visits_t         *visits;
    link_t            pays;
    unsigned          n_pays;
    int               safe;             /* the store writes to disk */
    unsigned          asked;            /* nodes that have not said so yet */
    int               forgets;          /* one does not write to disk */
};

/* A job for one account; its requests are sent one after the other. */
typedef struct {
    link_t         link;
    payer_t       *payer;
    visit_t       *visit;
    gateway_job_t  job;
    rbl_buf_t      bytes;               /* that the job's texts are views of */
    unsigned       steps;
    request_t     *request;
    exchange_t     exchange;
    rbl_buf_t      whole;               /* body of the answer */
} pay_t;


static void
pay_free(pay_t *pay)
{
    exchange_cancel(&pay->exchange);
    request_free(pay->request);
    rbl_buf_free(&pay->whole);
    link_remove(&pay->link);
    pay->payer->n_pays--;
    rbl_buf_free(&pay->bytes);
    free(pay);
}


static void
pay_end(pay_t *pay, rbl_str_t why, int again)
{
    visit_t  *visit = pay->visit;

    pay_free(pay);
    visit_stepped(visit, why, again);
}


/* The answer is recorded; there may be more to ask. */

static void
on_answer(void *data, const redisReply *reply)
{
    pay_t                     *pay = data;
    rbl_payment_t             *p = &pay->job.payment;
    rbl_bill_answer_reply_t    said;

    rbl_bill_answer_reply(&said, reply);

    if (said.word == RBL_BILL_ANSWER_OTHER) {
        log_error("account %s: payment %.*s is %.*s, reference \"%.*s\"; the"
                  " gateway has said something else: see the gateway's own"
                  " list", pay->visit->account.s, (int) p->id.n, p->id.p,
                  (int) said.state.n, said.state.p,
                  (int) said.reference.n, said.reference.p);

    } else if (rbl_str_is(said.state, "operator")) {
        log_error("account %s: payment %.*s: the gateway has not said for"
                  " days how it ended: find out, then rblctl bill settle",
                  pay->visit->account.s, (int) p->id.n, p->id.p);
    }

    pay_end(pay, visit_refusal(reply), said.word == RBL_BILL_ANSWER_OK);
}


static void
on_recorded(void *data, const redisReply *reply)
{
    pay_end(data, visit_refusal(reply), reply != NULL
            && rbl_reply_class(reply) == RBL_REPLY_OK);
}


static const char *
result_name(gateway_result_t result)
{
    static const char *const  names[] = {
        "unknown", "succeeded", "processing", "declined", "customer",
        "misconfigured", "missing", "unknown"
    };

    return names[result];
}


static void
pay_log(const pay_t *pay, const gateway_outcome_t *o)
{
    char                  money[RBL_MONEY_LEN];
    const char           *account = pay->visit->account.s;
    const gateway_job_t  *job = &pay->job;

    if (o->result == GATEWAY_MISCONFIGURED) {
        log_error("account %s: gateway %s: %s", account,
                  pay->payer->gateway->name, o->text);
    }

    if (o->result == GATEWAY_SUCCEEDED && o->amount > 0) {
        log_warn("account %s: payment %.*s: the gateway has charged %s USD, as"
                 " before the store was restored: this amount is booked",
                 account, (int) job->payment.id.n, job->payment.id.p,
                 rbl_money_text(money, o->amount).p);
    }

    if (job->task == GATEWAY_CHARGE || job->task == GATEWAY_QUERY) {
        log_info("account %s: payment %.*s, attempt %lld: %s%s%s%s%s", account,
                 (int) job->payment.id.n, job->payment.id.p,
                 (long long) job->payment.attempt + 1, result_name(o->result),
                 o->reason[0] ? ", " : "", o->reason,
                 o->text[0] ? ": " : "", o->text);
    }
}


static rbl_str_t
pay_key(const pay_t *pay, rbl_key_t *key)
{
    return rbl_account_key(key, store_keyspace(pay->payer->store), "acct",
                           rbl_sid_str(&pay->visit->account), RBL_STR(""));
}


static void
pay_answered(pay_t *pay, const gateway_outcome_t *o)
{
    char                    attempt[RBL_OUT_INT], amount[RBL_OUT_INT];
    char                    month[RBL_OUT_INT], year[RBL_OUT_INT];
    rbl_key_t               key;
    rbl_bill_answer_args_t  args;

    args.acct = pay_key(pay, &key);
    args.payment = pay->job.payment.id;
    args.attempt = rbl_out_int_text(attempt, pay->job.payment.attempt + 1);
    args.result = rbl_str(result_name(o->result));
    args.reference = rbl_str(o->reference);
    args.amount = o->amount > 0 ? rbl_out_int_text(amount, o->amount)
                                : RBL_STR("");
    args.brand = rbl_str(o->brand);
    args.last4 = rbl_str(o->last4);
    args.month = pay->payer->gateway->names && o->month > 0
                 ? rbl_out_int_text(month, o->month) : RBL_STR("");
    args.year = rbl_out_int_text(year, o->year);
    args.reason = rbl_str(o->reason);
    args.final = o->final ? RBL_STR("1") : RBL_STR("0");
    args.text = rbl_str(o->text);
    args.url = rbl_str(o->url);
    store_call(pay->payer->store, bill_answer, on_answer, pay, args);
}


static void
pay_session(pay_t *pay, const gateway_outcome_t *o)
{
    int         made;
    char        text[3][RBL_OUT_INT];
    rbl_key_t   key;

    rbl_bill_session_args_t  args;

    made = o->result == GATEWAY_PROCESSING || o->result == GATEWAY_SUCCEEDED;
    args.acct = pay_key(pay, &key);
    args.made = rbl_out_int_text(text[0], pay->job.setup.made);
    args.state = o->result == GATEWAY_SUCCEEDED ? RBL_STR("done")
                 : o->result == GATEWAY_PROCESSING ? RBL_STR("open")
                 : o->result == GATEWAY_DECLINED ? RBL_STR("failed")
                 : RBL_STR("");
    args.session = made ? rbl_str(o->reference) : pay->job.setup.session;
    args.url = made ? rbl_str(o->url) : pay->job.setup.url;
    args.text = rbl_str(o->text);
    args.customer = rbl_str(o->customer);
    args.method = rbl_str(o->method);
    args.live = o->live ? RBL_STR("1") : RBL_STR("0");
    args.type = rbl_str(o->type);
    args.brand = rbl_str(o->brand);
    args.last4 = rbl_str(o->last4);
    args.month = rbl_out_int_text(text[1], o->month);
    args.year = rbl_out_int_text(text[2], o->year);
    store_call(pay->payer->store, bill_session, on_recorded, pay, args);
}


/* A card that cannot be read, or forgotten, is asked for again later. */

static void
pay_card(pay_t *pay, const gateway_outcome_t *o)
{
    char                  month[RBL_OUT_INT], year[RBL_OUT_INT];
    rbl_key_t             key;
    rbl_bill_card_args_t  args;

    if (o->result != GATEWAY_SUCCEEDED) {
        pay_end(pay, RBL_STR(""), 1);
        return;
    }

    args.acct = pay_key(pay, &key);
    args.source = pay->job.source.id;
    args.gone = pay->job.task == GATEWAY_DETACH ? RBL_STR("1") : RBL_STR("");
    args.brand = rbl_str(o->brand);
    args.last4 = rbl_str(o->last4);
    args.month = rbl_out_int_text(month, o->month);
    args.year = rbl_out_int_text(year, o->year);
    store_call(pay->payer->store, bill_card, on_recorded, pay, args);
}


static void
pay_record(pay_t *pay, const gateway_outcome_t *outcome)
{
    pay_log(pay, outcome);

    switch (pay->job.task) {

    case GATEWAY_CHARGE:
    case GATEWAY_QUERY:
        pay_answered(pay, outcome);
        break;

    case GATEWAY_CARD:
    case GATEWAY_DETACH:
        pay_card(pay, outcome);
        break;

    default:
        pay_session(pay, outcome);
        break;
    }
}


static void
pay_said(pay_t *pay, gateway_result_t result, const char *text)
{
    gateway_outcome_t  outcome;

    memset(&outcome, 0, sizeof(outcome));
    gateway_say(&outcome, result, text);
    pay_record(pay, &outcome);
}


/* Sends the next request of the job.  A card that the gateway has named is as
   it was then. */

static void
pay_ask(pay_t *pay)
{
    exchange_t  *x = &pay->exchange;

    if (pay->job.task == GATEWAY_CARD && pay->payer->gateway->names) {
        pay_said(pay, GATEWAY_SUCCEEDED, "");
        return;
    }

    request_free(pay->request);
    pay->request = request_new();

    if (pay->payer->gateway->make(pay->request, &pay->job) != RBL_OK) {
        pay_said(pay, GATEWAY_MISCONFIGURED, "the request cannot be made");
        return;
    }

    request_made(pay->request);
    pay->request->trusted = 1;
    pay->request->fresh = 1;
    rbl_buf_reset(&pay->whole);

    x->request = pay->request;
    x->attempt = pay->steps;
    x->deadline = clock_now() + 2 * x->timeout;

    if (exchange_start(x) != NULL) {
        pay_said(pay, GATEWAY_MISCONFIGURED, "the URL is not valid");
    }
}


static void
on_http(void *data, const transfer_result_t *result)
{
    pay_t              *pay = data;
    gateway_answer_t    answer;
    const gateway_t    *gateway = pay->payer->gateway;
    gateway_outcome_t   outcome;

    if (result->end != TRANSFER_DONE || result->status == 0) {
        log_info("gateway %s: %s", gateway->name, result->text);
        pay_said(pay, GATEWAY_UNKNOWN,
                 result->end == TRANSFER_RESOLVE ? "the name cannot be resolved"
                 : result->end == TRANSFER_INTERNAL ? result->text
                 : "no answer");
        return;
    }

    answer.status = result->status;
    answer.body = result->body;
    memset(&outcome, 0, sizeof(outcome));
    gateway->judge(&outcome, &pay->job, &answer);
    log_debug("gateway %s: HTTP %u in %.0f ms", gateway->name, result->status,
              result->seconds * 1000.0);

    if (outcome.result != GATEWAY_AGAIN) {
        pay_record(pay, &outcome);

    } else if (++pay->steps < PAYER_STEPS) {
        pay_ask(pay);

    } else {
        pay_said(pay, GATEWAY_UNKNOWN, "the answers have no end");
    }
}


static gateway_task_t
pay_task(rbl_str_t name)
{
    unsigned  i;

    static const char *const  names[] = {
        "", "charge", "query", "session", "look", "card", "detach"
    };

    for (i = sizeof(names) / sizeof(names[0]) - 1; i > 0; i--) {
        if (rbl_str_is(name, names[i])) {
            break;
        }
    }

    return (gateway_task_t) i;
}


/* Copies the reply, which is gone when the answer comes.  0, or -1. */

static int
pay_read(pay_t *pay, const rbl_bill_send_reply_t *said)
{
    rbl_err_t       err;
    rbl_str_t       record;
    gateway_job_t  *job = &pay->job;

    rbl_out_str(&pay->bytes.out, said->record);
    rbl_out_str(&pay->bytes.out, said->customer);

    record = rbl_buf_str(&pay->bytes);
    record.n = said->record.n;
    job->conf = pay->payer->conf;
    job->account = rbl_sid_str(&pay->visit->account);
    job->customer.p = record.p + record.n;
    job->customer.n = said->customer.n;
    job->task = pay_task(said->task);

    switch (job->task) {

    case GATEWAY_CHARGE:
    case GATEWAY_QUERY:
        err = rbl_payment_decode(&job->payment, record);
        break;

    case GATEWAY_CARD:
    case GATEWAY_DETACH:
        err = rbl_source_decode(&job->source, record);
        break;

    default:
        err = rbl_setup_decode(&job->setup, record);
        break;
    }

    return err == RBL_OK ? 0 : -1;
}


static void
pay_barred(const pay_t *pay, rbl_str_t payment)
{
    int  live = gateway_live(pay->payer->conf);

    log_error("account %s: payment %.*s: all cards were added with a key of"
              " the %s mode, and gateway_key_file has one of the %s mode:"
              " nothing is charged until a card is added",
              pay->visit->account.s, (int) payment.n, payment.p,
              live ? "test" : "live", live ? "live" : "test");
}


static void
on_waited(void *data, const redisReply *reply)
{
    pay_t      *pay = data;
    rbl_key_t   key;

    if (store_waited(pay->payer->sure, pay_key(pay, &key), reply)) {
        pay_ask(pay);

    } else {
        pay_end(pay, RBL_STR("no replica of the store has the attempt"), 0);
    }
}


/* An attempt that a failover undid would be made again by another key. */

static void
on_send(void *data, const redisReply *reply)
{
    pay_t                  *pay = data;
    visit_t                *visit;
    rbl_key_t               key;
    rbl_bill_send_reply_t   said;

    rbl_bill_send_reply(&said, reply);

    if (said.word == RBL_BILL_SEND_OK && said.barred.n > 0) {
        pay_barred(pay, said.barred);
    }

    if (said.word == RBL_BILL_SEND_APART) {
        visit = pay->visit;
        pay_free(pay);
        visit_apart(visit);
        return;
    }

    if (said.word != RBL_BILL_SEND_OK || said.task.n == 0) {
        pay_end(pay, visit_refusal(reply), 0);
        return;
    }

    if (pay_read(pay, &said) != 0) {
        pay_end(pay, RBL_STR("its record is damaged"), 0);
        return;
    }

    if (store_replicated(pay->payer->sure, pay_key(pay, &key))) {
        store_wait(pay->payer->sure, pay_key(pay, &key), on_waited, pay);

    } else {
        pay_ask(pay);
    }
}


static void
payer_step(void *data, store_t *store, visit_t *visit)
{
    char                  lease[RBL_OUT_INT], clock[RBL_OUT_INT];
    pay_t                *pay;
    payer_t              *payer = data;
    rbl_key_t             key;
    rbl_bill_send_args_t  args;
    const config_t       *conf = payer->conf;

    (void) store;

    if (!payer->safe) {
        visit_stepped(visit, RBL_STR(""), 0);
        return;
    }

    pay = xcalloc(1, sizeof(pay_t));
    pay->payer = payer;
    pay->visit = visit;
    rbl_buf_init(&pay->bytes);
    rbl_buf_init(&pay->whole);
    pay->exchange.loop = payer->loop;
    pay->exchange.dns = payer->dns;
    pay->exchange.conf = conf;
    pay->exchange.pool = payer->pool;
    pay->exchange.whole = &pay->whole;
    pay->exchange.timeout = conf->gateway_timeout;
    pay->exchange.connect_timeout = conf->gateway_timeout;
    pay->exchange.done = on_http;
    pay->exchange.data = pay;
    link_add(&payer->pays, &pay->link);
    payer->n_pays++;

    args.acct = pay_key(pay, &key);
    args.gateway = rbl_str(conf->gateway);
    args.live = gateway_live(conf) ? RBL_STR("1") : RBL_STR("0");
    args.lease = rbl_out_int_text(lease, (int64_t) (1000
                                  * (2 * conf->gateway_timeout
                                     + PAYER_MARGIN)));
    args.clock = visits_clock(clock);
    store_call(payer->sure, bill_send, on_send, pay, args);
}


static const visits_kind_t  payer_kind = {
    "paydue", "payments", PAYER_FLIGHT, 1, payer_step
};


/* A payment that was made and is forgotten is found only by its key: the store
   must not forget. */

static void
on_persistence(void *data, const redisReply *reply)
{
    rbl_str_t  text;
    payer_t   *payer = data;

    payer->asked--;
    text = rbl_reply_str(reply);

    if (text.n == 0 || memmem(text.p, text.n, "aof_enabled:1", 13) == NULL) {
        payer->forgets = 1;
    }

    if (text.n > 0 && payer->forgets) {
        log_error("nothing is charged: the store has \"appendonly no\", and"
                  " may forget payments; it needs \"appendonly yes\" and"
                  " \"appendfsync always\"");
    }

    payer->safe = payer->asked == 0 && !payer->forgets;

    if (payer->safe) {
        visits_wake(payer->visits);
    }
}


void
payer_state(payer_t *payer, int ready)
{
    payer->safe = 0;
    payer->forgets = 0;
    store_forget(payer->store, payer);

    if (ready) {
        payer->asked = store_command_all(payer->store, on_persistence, payer,
                           RBL_COMMAND("INFO", RBL_STR("PERSISTENCE")));
    }
}


payer_t *
payer_new(struct ev_loop *loop, const config_t *conf, store_t *store,
    dns_engine_t *dns)
{
    payer_t          *payer;
    transfer_pool_t  *pool;

    pool = transfer_pool_new(loop, conf->deliver_ca, PAYER_FLIGHT);
    if (pool == NULL) {
        return NULL;
    }

    payer = xcalloc(1, sizeof(payer_t));
    link_init(&payer->pays);
    payer->store = store;
    payer->loop = loop;
    payer->conf = conf;
    payer->gateway = gateway_find(conf);
    payer->dns = dns;
    payer->pool = pool;
    payer->visits = visits_new(loop, store, &payer_kind, payer);
    payer->sure = conf->place.kind == RBL_PLACE_ONE
                  ? store : store_second(loop, conf, NULL, NULL);

    if (!gateway_live(conf)) {
        log_warn("gateway %s: the key is of its test mode: no money moves",
                 conf->gateway);
    }

    return payer;
}


void
payer_stop(payer_t *payer)
{
    visits_stop(payer->visits);
}


unsigned
payer_in_flight(const payer_t *payer)
{
    return payer->n_pays;
}


void
payer_free(payer_t *payer)
{
    pay_t  *pay;

    if (payer == NULL) {
        return;
    }

    while (!link_empty(&payer->pays)) {
        pay = link_of(payer->pays.next, pay_t, link);
        store_forget(payer->store, pay);
        store_forget(payer->sure, pay);
        pay_free(pay);
    }

    store_forget(payer->store, payer);

    if (payer->sure != payer->store) {
        store_free(payer->sure);
    }

    visits_free(payer->visits);
    transfer_pool_free(payer->pool);
    free(payer);
}
