/*
 * Those who want to know wait for the store (asked), or to ask it once more
 * (again).
 */

#include "base/link.h"
#include "trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN  0.3                      /* s after which the store is asked
                                           once more */

struct trust_s {
    struct ev_loop  *loop;
    store_t         *store;
    dns_engine_t    *dns;
    health_t        *health;
    link_t           asked, again;
    ev_timer         timer;
};

typedef struct {
    link_t           link;
    trust_t         *trust;
    list_t          *list;
    rbl_family_t     family;
    uint32_t         server;
    double           good;              /* when it was seen in order */
    char             host[RBL_VALUE_MAX];
    trust_seen_t     seen;
    trust_done_pt    done;
    void            *data;
} wait_t;


static rbl_str_t
zone_key(const trust_t *trust, rbl_key_t *key, const list_t *list)
{
    const rbl_keyspace_t  *ks = store_keyspace(trust->store);
    rbl_str_t              zone = rbl_str(list->zone);

    /* Own lists have other codes, so other responses show a wildcard. */

    return list->custom ? rbl_key(key, ks, 0, "zone", RBL_STR("own"), zone)
                        : rbl_key(key, ks, 0, "zone", zone, RBL_STR(""));
}


static rbl_str_t
number_ms(char buf[24], double seconds)
{
    snprintf(buf, 24, "%.0f", seconds > 0 ? seconds * 1000 : 0);

    return rbl_str(buf);
}


/* `age`: s since it was seen in order. */

static void
ask_store(trust_t *trust, const list_t *list, rbl_family_t family,
    uint32_t number, double age, const trust_seen_t *seen, store_reply_pt done,
    void *data)
{
    char       ms[3 + TRUST_WAITS][24], resolver[DNS_SERVER_TEXT];
    double     now = dns_clock();
    unsigned   i, n;
    rbl_key_t  zone, key;

    struct {
        rbl_zone_ask_args_t  args;
        rbl_str_t            waits[TRUST_WAITS];
    } call;

    dns_server_text(trust->dns, number, resolver);
    n = seen->waits.n;
    call.args.zone = zone_key(trust, &zone, list);
    call.args.seen = rbl_key(&key, store_keyspace(trust->store), 0, "seen",
                             rbl_str(list->sid), seen->host);
    call.args.family = rbl_str(list_family_name(family));
    call.args.resolver = rbl_str(resolver);
    call.args.order = number_ms(ms[0], age);
    call.args.response = n == 0 ? RBL_STR("")
                         : seen->listed ? RBL_STR("listed") : RBL_STR("clear");
    call.args.age = n == 0 ? RBL_STR("") : number_ms(ms[1], now - seen->at);
    call.args.since = n == 0 || seen->waits.since == 0
                      ? RBL_STR("") : number_ms(ms[2], now - seen->waits.since);

    for (i = 0; i < n; i++) {
        call.waits[i] = number_ms(ms[3 + i], seen->waits.wait[i]);
    }

    /* an account's own lists may all have news at once */

    (list->custom ? store_script_late : store_script)(
        trust->store, &rbl_script_zone_ask, done, data,
        RBL_ARGC(call.args) + (int) n, call.args.argv);
}


/* --- what is told -------------------------------------------------------- */

static void
on_news(void *data, const health_news_t *news)
{
    char                  ttl[12], soa[12];
    trust_t              *trust = data;
    rbl_key_t             key;
    rbl_zone_told_args_t  args;

    static const trust_seen_t  nothing;

    if (news->what == HEALTH_NEWS_RECOVERED) {
        ask_store(trust, news->list, news->family, news->server, news->age,
                  &nothing, NULL, trust);
        return;
    }

    snprintf(ttl, sizeof(ttl), "%u", (unsigned) news->ttl);
    snprintf(soa, sizeof(soa), "%u", news->soa);
    args.zone = zone_key(trust, &key, news->list);
    args.family = rbl_str(list_family_name(news->family));
    args.ttl = args.entry = args.soa = RBL_STR("0");

    if (news->what == HEALTH_NEWS_WILDCARD) {
        args.ttl = rbl_str(ttl);

    } else {
        args.entry = news->entry ? RBL_STR("1") : RBL_STR("0");
        args.soa = rbl_str(soa);
    }

    store_call(trust->store, zone_told, NULL, trust, args);
}


/* --- those who ask ------------------------------------------------------- */

static void
wait_free(wait_t *w)
{
    link_remove(&w->link);
    list_unref(w->list);
    free(w);
}


static void
on_reply(void *data, const redisReply *reply)
{
    void                  *asker;
    wait_t                *w = data;
    int64_t                ms, soa;
    trust_told_t           told;
    trust_done_pt          done;
    rbl_zone_ask_reply_t   said;

    rbl_zone_ask_reply(&said, reply);

    if (said.word != RBL_ZONE_ASK_OK) {
        link_remove(&w->link);
        link_add(&w->trust->again, &w->link);

        if (!ev_is_active(&w->trust->timer)) {
            ev_timer_set(&w->trust->timer, AGAIN, 0);
            ev_timer_start(w->trust->loop, &w->trust->timer);
        }

        return;
    }

    ms = said.left;
    told.wild_until = ms > 0 ? dns_clock() + (double) ms / 1000 : 0;
    told.entry = said.entry != 0;
    soa = said.soa;
    told.soa = soa > 0 && soa < RBL_VALUE_MAX ? (unsigned) soa : 0;
    told.wait = (double) said.wait / 1000;

    done = w->done;
    asker = w->data;
    wait_free(w);
    done(asker, &told);
}


static void
send_ask(wait_t *w)
{
    link_add(&w->trust->asked, &w->link);
    ask_store(w->trust, w->list, w->family, w->server,
              dns_clock() - w->good, &w->seen, on_reply, w);
}


static void
on_again(struct ev_loop *loop, ev_timer *timer, int revents)
{
    link_t    waits;
    trust_t  *trust = timer->data;

    (void) loop;
    (void) revents;

    link_init(&waits);
    link_move(&waits, &trust->again);

    while (!link_empty(&waits)) {
        send_ask(link_of(link_shift(&waits), wait_t, link));
    }
}


int
trust_ask(trust_t *trust, const list_t *list, rbl_family_t family,
    uint32_t server, double good, const trust_seen_t *seen,
    trust_done_pt done, void *data)
{
    wait_t  *w;

    w = calloc(1, sizeof(wait_t));
    if (w == NULL) {
        return -1;
    }

    if (seen->host.n < sizeof(w->host)) {
        memcpy(w->host, seen->host.p, seen->host.n);
        w->seen = *seen;
        w->seen.host.p = w->host;
    }

    w->trust = trust;
    w->list = list_ref((list_t *) list);
    w->family = family;
    w->server = server;
    w->good = good;
    w->done = done;
    w->data = data;
    send_ask(w);

    return 0;
}


/* Those for `data`; NULL: all. */

static void
forget(trust_t *trust, link_t *waits, const void *data)
{
    link_t  *l, *after;
    wait_t  *w;

    for (l = waits->next; l != waits; l = after) {
        after = l->next;
        w = link_of(l, wait_t, link);

        if (data == NULL || w->data == data) {
            store_forget(trust->store, w);
            wait_free(w);
        }
    }
}


void
trust_forget(trust_t *trust, const void *data)
{
    forget(trust, &trust->asked, data);
    forget(trust, &trust->again, data);
}


/* --- its life ------------------------------------------------------------ */

trust_t *
trust_new(struct ev_loop *loop, store_t *store, dns_engine_t *dns,
    health_t *health)
{
    trust_t  *trust;

    trust = health != NULL ? calloc(1, sizeof(trust_t)) : NULL;
    if (trust == NULL) {
        return NULL;
    }

    trust->loop = loop;
    trust->store = store;
    trust->dns = dns;
    trust->health = health;
    link_init(&trust->asked);
    link_init(&trust->again);
    ev_timer_init(&trust->timer, on_again, 0, 0);
    trust->timer.data = trust;
    health_listen(health, on_news, trust);

    return trust;
}


void
trust_free(trust_t *trust)
{
    if (trust == NULL) {
        return;
    }

    health_listen(trust->health, NULL, NULL);
    trust_forget(trust, NULL);
    ev_timer_stop(trust->loop, &trust->timer);
    free(trust);
}
