/*
 * Look-ups: equal queries are sent once, cached while valid, counted against
 * the quota; call backs come once each, never from inside a call.  This program
 * replaces the engine, the quota and the clock; the event loop is real.
 */

#include "tap.h"

#include "check/lookup/lookup.h"

#include <stdlib.h>

#define MAX  64

struct dns_query_s {
    dns_done_pt   done;
    void         *data;
    char          name[256];
    uint16_t      type;
    unsigned      open:1;
};

static struct ev_loop   *loop;
static lookup_t         *lookup;
static double            fake_s = 1000;

static dns_query_t    sent[MAX];            /* queries to the engine */
static unsigned          n_sent, n_cancelled;

static quota_answer_t    grant;             /* answer of the quota */
static quota_done_pt     quota_done;
static void             *quota_data;
static double            quota_patience;
static unsigned          n_taken, n_forgotten, n_told, n_blocked,
                         n_refused;

typedef struct {
    lookup_q_t        *q;
    unsigned           called;
    rbl_lookup_err_t   error;
    int                answered;
    dns_status_t       status;
    uint32_t           a, ttl;
    unsigned           n_a, kept;
    double             at;
    unsigned           cancels;             /* the call back cancels this one */
    unsigned           asks;                /* new look-ups made by the call
                                               back */
} asker_t;

static asker_t   asker[MAX];
static unsigned  inside, nested;
static list_t   *list;


double
clock_now(void)
{
    return fake_s;
}


int
dns_name_ok(const char *name)
{
    return name[0] != '\0' && strstr(name, "..") == NULL;
}


int
dns_sent(const dns_query_t *q)
{
    return q->open;
}


dns_query_t *
dns_ask(dns_engine_t *engine, const char *name, uint16_t type,
    const dns_payer_t *payer, dns_done_pt done, void *data)
{
    dns_query_t     *q;

    (void) engine;

    if (n_sent == MAX || payer->zone == NULL) {
        return NULL;
    }

    q = &sent[n_sent++];
    q->done = done;
    q->data = data;
    q->type = type;
    q->open = 1;
    snprintf(q->name, sizeof(q->name), "%s", name);

    return q;
}


void
dns_cancel(dns_query_t *q)
{
    if (q != NULL) {
        q->open = 0;
        n_cancelled++;
    }
}


quota_answer_t
quota_take(quota_t *quota, const list_t *l, double patience,
    quota_done_pt done, void *data, quota_wait_t **wait)
{
    (void) quota;
    (void) l;

    n_taken++;
    *wait = grant == QUOTA_WAIT ? data : NULL;
    quota_done = done;
    quota_data = data;
    quota_patience = patience;
    return grant;
}


void
quota_forget(quota_wait_t *wait)
{
    if (wait != NULL) {
        n_forgotten += (void *) wait == quota_data;
        quota_data = NULL;
    }
}


void
quota_response(quota_t *quota, const list_t *l, quota_response_t response,
    unsigned resolver)
{
    (void) quota;
    (void) l;
    (void) resolver;

    n_told++;
    n_blocked += response != QUOTA_RESPONSE_ANSWER;
    n_refused += response == QUOTA_RESPONSE_REFUSED;
}


static void
begin(int with_quota, size_t octets)
{
    memset(sent, 0, sizeof(sent));
    memset(asker, 0, sizeof(asker));
    n_sent = n_cancelled = n_taken = n_forgotten = n_told = n_blocked = 0;
    n_refused = 0;
    nested = 0;
    grant = QUOTA_GO;
    lookup = lookup_new(loop, NULL, with_quota ? (quota_t *) &grant : NULL,
                        octets);
}


static void on_answer(void *data, const lookup_answer_t *reply);


static int
ask_type(unsigned n, const char *name, uint16_t type, double patience)
{
    inside = 1;
    asker[n].q = lookup_ask(lookup, list, name, type, patience, 0, on_answer,
                            &asker[n]);
    inside = 0;

    return asker[n].q != NULL;
}


static int
ask(unsigned n, const char *name)
{
    return ask_type(n, name, DNS_TYPE_A, 5);
}


static void
cancel(unsigned n)
{
    lookup_cancel(asker[n].q);
    asker[n].q = NULL;
}


static void
on_answer(void *data, const lookup_answer_t *reply)
{
    asker_t  *a;

    a = data;
    a->called++;
    a->q = NULL;
    a->error = reply->error;
    a->at = reply->at;
    a->kept = reply->kept;
    a->answered = reply->answer != NULL;
    nested += inside;

    if (reply->answer) {
        a->status = reply->answer->status;
        a->ttl = reply->answer->ttl;
        a->n_a = reply->answer->n_a;
        a->a = reply->answer->a[0];
    }

    if (a->cancels && asker[a->cancels].q != NULL) {
        cancel(a->cancels);
    }

    if (a->asks) {
        a->asks--;
        ask((unsigned) (a - asker), "a.zone");
    }
}


static void
run(void)
{
    ev_run(loop, EVRUN_NOWAIT);
}


/* The engine's response to its nth query. */
static void
answer(unsigned n, dns_status_t status, uint32_t a, uint32_t ttl)
{
    dns_answer_t  *reply;

    reply = calloc(1, sizeof(dns_answer_t));
    reply->status = status;
    reply->n_a = a != 0;
    reply->a[0] = a;
    reply->ttl = ttl;
    sent[n].open = 0;
    sent[n].done(sent[n].data, reply);
    free(reply);
}


static void
end(const char *name)
{
    ok(nested == 0, "%s: never from inside", name);
    lookup_free(lookup);
    lookup = NULL;
}


static void
test_plain(void)
{
    begin(0, 10000);
    ok(!ask(0, "a..zone") && !ask(0, ""), "bad names");
    ok(ask(0, "a.zone") && n_sent == 1 && sent[0].type == DNS_TYPE_A
       && strcmp(sent[0].name, "a.zone") == 0, "queried");
    run();
    ok(asker[0].called == 0, "no call back before the answer");
    answer(0, DNS_NOERROR, 0x7f000002, 100);
    ok(asker[0].called == 1 && asker[0].error == RBL_ERR_NONE
       && asker[0].status == DNS_NOERROR && asker[0].a == 0x7f000002
       && asker[0].ttl == 100 && !asker[0].kept && asker[0].at == fake_s,
       "the call back");

    fake_s += 40;
    ok(ask(0, "a.zone") && n_sent == 1 && asker[0].called == 1,
       "a second query: not sent");
    run();
    ok(asker[0].called == 2 && asker[0].kept && asker[0].a == 0x7f000002
       && asker[0].ttl == 60 && asker[0].at == fake_s - 40,
       "the cached answer, and its time");
    ask_type(1, "a.zone", DNS_TYPE_TXT, 5);
    ok(n_sent == 2, "another type is another query");
    cancel(1);

    fake_s += 60;
    ask(0, "a.zone");
    ok(n_sent == 3, "an expired answer");
    answer(2, DNS_NXDOMAIN, 0, 0);
    ask(0, "a.zone");
    ok(n_sent == 4, "an answer without a TTL is not kept");
    answer(3, DNS_NXDOMAIN, 0, 30);
    ask(0, "a.zone");
    run();
    ok(n_sent == 4 && asker[0].kept && asker[0].status == DNS_NXDOMAIN,
       "no such name, with one");
    ok(lookup_counters(lookup)->asked == 4 && lookup_counters(lookup)->hits == 2
       && lookup_counters(lookup)->entries == 1
       && lookup_counters(lookup)->octets > 40, "the counters");
    end("plain");

    begin(0, 0);
    ask(0, "a.zone");
    answer(0, DNS_NOERROR, 0x7f000002, 100);
    ask(0, "a.zone");
    ok(n_sent == 2, "no cache, nothing kept");
    end("no cache");
}


static void
test_not_kept(void)
{
    unsigned           i, n;
    static const struct {
        dns_status_t  status;
        uint32_t      a;
        const char   *name;
    } t[] = {
        { DNS_SERVFAIL, 0, "SERVFAIL" }, { DNS_REFUSED, 0, "REFUSED" },
        { DNS_BADREPLY, 0, "a bad reply" }, { DNS_TIMEOUT, 0, "a time-out" },
        { DNS_TRUNCATED, 0, "truncated" }, { DNS_NETWORK, 0, "no network" },
        { DNS_NOERROR, 0x7ffffffe, "127.255.255.254" },
        { DNS_NOERROR, 0x7f000001, "127.0.0.1" },
        { DNS_NOERROR, 0x01020304, "an address outside 127/8" },
        { DNS_NOERROR, 0x7f000009, "an error of the list's table" }
    };

    begin(0, 10000);
    n = 0;

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        ask(0, "a.zone");
        answer(n++, t[i].status, t[i].a, 100);
        ask(0, "a.zone");
        ok(n_sent == n + 1 && asker[0].status == t[i].status,
           "reported and not cached: %s", t[i].name);
        answer(n++, DNS_TIMEOUT, 0, 0);
    }

    end("not kept");
}


static void
test_joined(void)
{
    unsigned  i;

    begin(1, 10000);

    for (i = 0; i < 10; i++) {
        ask(i, "a.zone");
    }

    ok(n_sent == 1 && n_taken == 1 && lookup_counters(lookup)->joined == 9,
       "ten callers, one query");
    cancel(0);
    cancel(5);
    ok(n_cancelled == 0, "two callers cancel");
    asker[1].cancels = 2;
    asker[3].asks = 1;
    answer(0, DNS_NOERROR, 0x7f000002, 100);
    ok(asker[0].called == 0 && asker[5].called == 0 && asker[2].called == 0,
       "the cancelled get no call back");
    ok(asker[1].called == 1 && asker[3].called == 1 && asker[9].called == 1
       && n_told == 1, "the others do");
    run();
    ok(asker[3].called == 2 && asker[3].kept && n_sent == 1,
       "and one that queries again at once too");

    ask(0, "b.zone");
    ask(1, "b.zone");
    cancel(1);
    cancel(0);
    ok(n_cancelled == 1, "no caller is left: cancelled");
    ask(0, "b.zone");
    ok(n_sent == 3, "and queried again");

    ask(4, "a.zone");
    ask(6, "a.zone");
    asker[4].cancels = 6;
    run();
    ok(asker[4].called == 2 && asker[6].called == 1,
       "cancelled before the cached answer");
    ask(7, "a.zone");
    end("joined");
    run();
    ok(asker[7].called == 1 && asker[0].called == 0,
       "freed: no call back");
}


static void
test_quota(void)
{
    begin(1, 10000);
    grant = QUOTA_USED_UP;
    ok(ask(0, "a.zone") && asker[0].called == 0, "used up");
    run();
    ok(asker[0].called == 1 && asker[0].error == RBL_ERR_QUOTA
       && !asker[0].answered, "the error");
    grant = QUOTA_BLOCKED;
    ask(0, "a.zone");
    run();
    ok(asker[0].error == RBL_ERR_BLOCKED && n_sent == 0
       && lookup_counters(lookup)->refused == 2, "backs off");

    grant = QUOTA_WAIT;
    ask(0, "a.zone");
    ask(1, "a.zone");
    ok(n_taken == 3 && n_sent == 0 && quota_patience > 4.9
       && quota_patience < 5.1, "waits, once");
    quota_done(quota_data, QUOTA_GO);
    ok(n_sent == 1, "granted");
    answer(0, DNS_NOERROR, 0x7f000002, 0);
    ok(asker[0].called == 3 && asker[1].called == 1 && asker[1].a != 0
       && n_told == 1 && n_blocked == 0, "the answer");

    ask(0, "a.zone");
    cancel(0);
    ok(n_forgotten == 1, "cancelled while it waits");
    ask(0, "a.zone");
    quota_done(quota_data, QUOTA_BLOCKED);
    run();
    ok(asker[0].called == 4 && asker[0].error == RBL_ERR_BLOCKED,
       "blocked while it waits");

    ask(0, "a.zone");
    ask(2, "c.zone");
    end("quota");
    ok(n_forgotten == 2 || quota_data == NULL, "freed while it waits");
}


/* A later caller waits longer. */
static void
test_patience(void)
{
    begin(1, 0);
    grant = QUOTA_WAIT;
    ask(0, "a.zone");
    fake_s += 3;
    ask(1, "a.zone");
    fake_s += 2;
    quota_done(quota_data, QUOTA_USED_UP);
    ok(n_taken == 2 && quota_patience > 2.9 && quota_patience < 3.1,
       "not in time for the first: a token for the second");
    run();
    ok(asker[0].called == 1 && asker[0].error == RBL_ERR_QUOTA
       && asker[1].called == 0, "the first gets the error");
    quota_done(quota_data, QUOTA_GO);
    answer(0, DNS_NXDOMAIN, 0, 0);
    ok(asker[1].called == 1 && asker[1].status == DNS_NXDOMAIN,
       "the second gets its answer");

    ask(0, "a.zone");
    fake_s += 1;
    ask(1, "a.zone");
    quota_done(quota_data, QUOTA_USED_UP);
    run();
    ok(n_taken == 3 && asker[0].error == RBL_ERR_QUOTA
       && asker[1].error == RBL_ERR_QUOTA && asker[1].called == 2,
       "used up before that: for both");

    ask(0, "a.zone");
    fake_s += 5;
    quota_done(quota_data, QUOTA_USED_UP);
    run();
    ok(n_taken == 4 && asker[0].called == 3, "no caller left to wait");
    end("patience");
}


static void
test_told(void)
{
    begin(1, 0);
    ask(0, "a.zone");
    answer(0, DNS_REFUSED, 0, 0);
    ok(n_told == 1 && n_blocked == 1 && n_refused == 1,
       "the quota gets REFUSED");
    ask(0, "a.zone");
    answer(1, DNS_NOERROR, 0x7ffffffe, 2100);
    ok(n_told == 2 && n_blocked == 2 && n_refused == 1, "an error code");
    ask(0, "a.zone");
    answer(2, DNS_TIMEOUT, 0, 0);
    ask(0, "a.zone");
    answer(3, DNS_SERVFAIL, 0, 0);
    ok(n_told == 2, "not a timeout");
    ask(0, "a.zone");
    answer(4, DNS_NXDOMAIN, 0, 5);
    ok(n_told == 3 && n_blocked == 2, "an answer");
    ask(0, "a.zone");
    answer(5, DNS_NOERROR, 0x01020304, 5);
    ok(n_told == 3, "not an answer that is not the list's");
    end("told");
}


int
main(void)
{
    static rbl_codes_t  codes;

    loop = ev_default_loop(0);
    list = list_make(RBL_STR("BL1"), RBL_STR("rbl"), 0, RBL_STR("zone"),
                     RBL_STR(""), RBL_FAMILY_IPV4);
    rbl_codes_add(&codes, RBL_STR("127.0.0.2=SBL"));
    rbl_codes_add(&codes, RBL_STR("!127.0.0.9=full"));
    list->codes = &codes;

    test_plain();
    test_not_kept();
    test_joined();
    test_quota();
    test_patience();
    test_told();

    ok(list->refs == 1, "no reference to the list is left");
    list_unref(list);
    ev_loop_destroy(loop);

    return tap_done();
}
