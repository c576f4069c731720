/*
 * Requests wait for a reply of the store, or for their timer, to be repeated.
 */

#include "base/link.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAIN     0.3                   /* s until the store is called again */
#define HOST_MAX  65
#define NO_TTL    (-1.0)
#define RESOLVER  (DNS_SERVER_TEXT + HOST_MAX + 1)

struct evidence_s {
    struct ev_loop  *loop;
    store_t         *store;
    dns_engine_t    *dns;
    health_t        *health;
    link_t           waits;
    char             host[HOST_MAX];    /* name of this machine */
};

struct evidence_wait_s {
    link_t            link;
    evidence_t       *evidence;
    loop_timer_t      timer;            /* calls the store again */
    list_t           *list;
    rbl_family_t      family;
    uint32_t          server;
    double            good;             /* when it passed its test points */
    char              host[RBL_VALUE_MAX];
    evidence_seen_t   seen;
    evidence_done_pt  done;
    void             *data;
};


static rbl_str_t
zone_key(const evidence_t *evidence, rbl_key_t *key, const list_t *list)
{
    const rbl_keyspace_t  *ks = store_keyspace(evidence->store);
    rbl_str_t              zone = rbl_str(list->zone);

    /* Own lists have other codes, so other responses show a wildcard.  The
       zones of two accounts with keys only look the same. */

    if (list->custom && list_keyed(list)) {
        zone = rbl_str(list->sid);
    }

    return list->custom ? rbl_key(key, ks, 0, "zone", RBL_STR("own"), zone)
                        : rbl_key(key, ks, 0, "zone", zone, RBL_STR(""));
}


static rbl_str_t
number_ms(char buf[24], double seconds)
{
    snprintf(buf, 24, "%.0f", seconds > 0 ? seconds * 1000 : 0);

    return rbl_str(buf);
}


/* A resolver of this machine has a cache of its own. */

static rbl_str_t
resolver_name(const evidence_t *evidence, uint32_t number,
    char buf[RESOLVER])
{
    size_t  n;

    dns_server_text(evidence->dns, number, buf);

    if (strncmp(buf, "127.", 4) == 0 || strncmp(buf, "::1", 3) == 0) {
        n = strlen(buf);
        snprintf(buf + n, RESOLVER - n, " %s", evidence->host);
    }

    return rbl_str(buf);
}


/* `age`: s since it passed its test points.  `ttl`: the largest of its positive
   one (s), or NO_TTL. */

static void
ask_store(evidence_t *evidence, const list_t *list, rbl_family_t family,
    uint32_t number, double age, double ttl, const evidence_seen_t *seen,
    store_reply_pt done, void *data)
{
    char       ms[4 + EVIDENCE_WAITS][24], resolver[RESOLVER];
    double     now = clock_now();
    unsigned   i, n;
    rbl_key_t  zone, key;

    struct {
        rbl_zone_ask_args_t  args;
        rbl_str_t            waits[EVIDENCE_WAITS];
    } call;

    n = seen->waits.n;
    call.args.zone = zone_key(evidence, &zone, list);
    call.args.seen = rbl_key(&key, store_keyspace(evidence->store), 0, "seen",
                             rbl_str(list->sid), seen->host);
    call.args.family = rbl_str(list_family_name(family));
    call.args.resolver = resolver_name(evidence, number, resolver);
    call.args.order = number_ms(ms[0], age);
    call.args.response = n == 0 ? RBL_STR("")
                         : seen->listed ? RBL_STR("listed") : RBL_STR("clear");
    call.args.age = n == 0 ? RBL_STR("") : number_ms(ms[1], now - seen->at);
    call.args.since = n == 0 || seen->waits.since == 0
                      ? RBL_STR("") : number_ms(ms[2], now - seen->waits.since);
    call.args.ttl = ttl < 0 ? RBL_STR("") : number_ms(ms[3], ttl);
    call.args.any = seen->waits.any ? RBL_STR("1") : RBL_STR("0");

    for (i = 0; i < n; i++) {
        call.waits[i] = number_ms(ms[4 + i], seen->waits.wait[i]);
    }

    /* an account's own lists may all have news at once */

    (list->custom ? store_script_late : store_script)(
        evidence->store, &rbl_script_zone_ask, done, data,
        RBL_ARGC(call.args) + (int) n, call.args.argv);
}


/* --- evidence of this daemon --------------------------------------------- */

static void
on_news(void *data, const health_news_t *news)
{
    int                   wild = news->what == HEALTH_NEWS_WILDCARD;
    char                  ttl[RBL_OUT_INT], soa[RBL_OUT_INT];
    evidence_t           *evidence = data;
    rbl_key_t             key;
    rbl_zone_told_args_t  args;

    static const evidence_seen_t  nothing;

    if (news->what == HEALTH_NEWS_RECOVERED || news->what == HEALTH_NEWS_TTL) {
        ask_store(evidence, news->list, news->family, news->server, news->age,
                  news->what == HEALTH_NEWS_TTL ? news->ttl : NO_TTL, &nothing,
                  NULL, evidence);
        return;
    }

    args.zone = zone_key(evidence, &key, news->list);
    args.family = rbl_str(list_family_name(news->family));
    args.ttl = rbl_out_int_text(ttl, wild ? news->ttl : 0);
    args.entry = !wild && news->has_point ? RBL_STR("1") : RBL_STR("0");
    args.soa = rbl_out_int_text(soa, wild ? 0 : news->soa);
    store_call(evidence->store, zone_told, NULL, evidence, args);
}


/* --- requests ------------------------------------------------------------ */

static void
wait_free(evidence_wait_t *w)
{
    timer_stop(&w->timer);
    link_remove(&w->link);
    list_unref(w->list);
    free(w);
}


static void
wait_end(evidence_wait_t *w, const evidence_known_t *known)
{
    void              *asker = w->data;
    evidence_done_pt   done = w->done;

    wait_free(w);
    done(asker, known);
}


static void
on_reply(void *data, const redisReply *reply)
{
    evidence_wait_t                *w = data;
    int64_t                ms, soa;
    evidence_known_t       known;
    rbl_zone_ask_reply_t   said;

    rbl_zone_ask_reply(&said, reply);

    if (said.word != RBL_ZONE_ASK_OK
        && store_away(w->evidence->store, 0) > STORE_AWAY_LONG)
    {
        wait_end(w, NULL);
        return;
    }

    if (said.word != RBL_ZONE_ASK_OK) {
        timer_in(&w->timer, AGAIN);
        return;
    }

    ms = said.left;
    known.wild_until = ms > 0 ? clock_now() + (double) ms / 1000 : 0;
    known.had_point = said.entry != 0;
    soa = said.soa;
    known.soa = soa > 0 && soa < RBL_VALUE_MAX ? (unsigned) soa : 0;
    known.wait = (double) said.wait / 1000;

    wait_end(w, &known);
}


static void
send_ask(void *data)
{
    evidence_wait_t  *w = data;

    ask_store(w->evidence, w->list, w->family, w->server,
              clock_now() - w->good,
              w->seen.waits.any ? w->seen.waits.ttl : NO_TTL, &w->seen,
              on_reply, w);
}


evidence_wait_t *
evidence_ask(evidence_t *evidence, const list_t *list, rbl_family_t family,
    uint32_t server, double good, const evidence_seen_t *seen,
    evidence_done_pt done, void *data)
{
    evidence_wait_t  *w;

    w = xcalloc(1, sizeof(evidence_wait_t));

    if (seen->host.n > 0 && seen->host.n < sizeof(w->host)) {
        memcpy(w->host, seen->host.p, seen->host.n);
        w->seen = *seen;
        w->seen.host.p = w->host;
    }

    w->evidence = evidence;
    w->list = list_ref((list_t *) list);
    w->family = family;
    w->server = server;
    w->good = good;
    w->done = done;
    w->data = data;
    timer_init(&w->timer, evidence->loop, send_ask, w);
    link_add(&evidence->waits, &w->link);
    send_ask(w);

    return w;
}


void
evidence_forget(evidence_wait_t *w)
{
    if (w != NULL) {
        store_forget(w->evidence->store, w);
        wait_free(w);
    }
}


/* --- its life ------------------------------------------------------------ */

evidence_t *
evidence_new(struct ev_loop *loop, store_t *store, dns_engine_t *dns,
    health_t *health)
{
    evidence_t  *evidence;

    evidence = xcalloc(1, sizeof(evidence_t));
    evidence->loop = loop;
    evidence->store = store;
    evidence->dns = dns;
    evidence->health = health;
    (void) gethostname(evidence->host, sizeof(evidence->host) - 1);
    link_init(&evidence->waits);
    health_listen(health, on_news, evidence);

    return evidence;
}


void
evidence_free(evidence_t *evidence)
{
    if (evidence == NULL) {
        return;
    }

    health_listen(evidence->health, NULL, NULL);

    while (!link_empty(&evidence->waits)) {
        evidence_forget(link_of(evidence->waits.next, evidence_wait_t, link));
    }

    free(evidence);
}
