/*
 * Asks all Sentinels for the master, one after the other, before each connect
 * (rbl_views.h), and when the caller wants to know how they are.  Sentinels are
 * asked without AUTH at first.
 */

#include "base/log.h"
#include "store_int.h"

#include <stdio.h>

#define LIMIT        0.5                /* s for one Sentinel */
#define LIMIT_AGAIN  0.1                /* for one that was silent while others
                                           answered */


static void
say(store_t *store, int warn, const char *what)
{
    char  name[STORE_NAME];

    log_msg(store_quiet(store->sentinel) ? LOG_L_DEBUG
            : warn ? LOG_L_WARN : LOG_L_NOTICE,
            "%s: %s", store_name(name, store->sentinel), what);
}


static void
ask(store_link_t *link, const char *what, store_reply_pt done)
{
    store_send(link, done, link,
               RBL_COMMAND("SENTINEL", rbl_str(what),
                           rbl_str(link->store->conf->place.name)));
}


static void
on_state(void *data, const redisReply *reply)
{
    store_link_t  *link = data;
    store_t       *store = link->store;

    if (!store_greeting(link, reply)) {
        return;
    }

    rbl_views_state(&store->views, &store->nodes, reply, &link->at);
    store->answered = 1;
    store_drop(link, "");
}


static void
on_named(void *data, const redisReply *reply)
{
    const char    *why;
    store_link_t  *link = data;
    store_t       *store = link->store;

    if (!store_greeting(link, reply)) {
        return;
    }

    if (rbl_reply_class(reply) == RBL_REPLY_NOAUTH && !store->authed
        && store->conf->store_password[0] != '\0')
    {
        store->authed = 1;
        store_send_auth(link, NULL);
        ask(link, "GET-MASTER-ADDR-BY-NAME", on_named);
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        store_drop_refused(link, reply, rbl_reply_error(reply));
        return;
    }

    why = rbl_views_named(&store->views, &store->nodes, reply, &link->at);

    if (why != NULL) {
        store_drop(link, why);

    } else {
        ask(link, "MASTER", on_state);
    }
}


static void
greet(store_link_t *link)
{
    link->store->authed = 0;
    ask(link, "GET-MASTER-ADDR-BY-NAME", on_named);
}


static void
ask_next(store_t *store)
{
    double  most, limit = store->conf->store_timeout;

    most = store->bad[store->asked] && store->others
           && store->link[0]->phase == STORE_LOOKING ? LIMIT_AGAIN : LIMIT;
    store->answered = 0;
    store->sentinel->why[0] = '\0';
    store_open(store->sentinel, &store->conf->place.hosts[store->asked],
               limit < most ? limit : most);
}


/* A look-up that is under way may have heard old views: it begins again. */

static void
begin(store_t *store)
{
    store->asked = 0;
    store->asking = 1;
    store->restart = store->sentinel->phase != STORE_DOWN;
    rbl_views_init(&store->views);

    if (store->restart) {
        store_drop(store->sentinel, "");

    } else {
        ask_next(store);
    }
}


/* A look-up of the master; then its link is opened. */

static void
look(store_link_t *link)
{
    link->phase = STORE_LOOKING;
    link->at.host[0] = '\0';
    begin(link->store);
}


void
store_sentinels_look(store_t *store)
{
    if (store->sentinel != NULL && !store->asking
        && store->link[0]->phase == STORE_READY)
    {
        begin(store);
    }
}


const store_sentinels_t *
store_sentinels(const store_t *store)
{
    return &store->seen;
}


static void
end(store_t *store)
{
    unsigned            i;
    store_sentinels_t  *seen = &store->seen;

    store->asking = 0;
    seen->n = store->conf->place.n;

    for (i = 0, seen->up = 0; i < seen->n; i++) {
        seen->up += !store->bad[i];
    }

    seen->named = store->views.n;
    seen->replicas = store->views.replicas;
    seen->few = seen->up < seen->n ? seen->few + 1 : 0;
    seen->split = seen->named > 1 ? seen->split + 1 : 0;
}


static void
note(store_t *store)
{
    unsigned char  *bad = &store->bad[store->asked];

    if (store->answered && *bad) {
        say(store, 0, "it names the master again");

    } else if (!store->answered && !*bad) {
        say(store, 1, store->sentinel->why);
    }

    *bad = !store->answered;
}


/* No Sentinel names a master: the log has their reasons already, a tool gets
   that of the last one. */

static const char *
none(const store_t *store, char text[STORE_WHY], const char *why)
{
    char                 at[RBL_HOST_PORT_TEXT];
    const store_link_t  *last = store->sentinel;

    if (store->tool == NULL) {
        return why;
    }

    snprintf(text, STORE_WHY, "Sentinel %s: %.120s",
             rbl_host_port_text(at, &last->at), last->why);

    return text;
}


/* The connection to a Sentinel has ended. */

void
store_sentinel_kick(store_t *store)
{
    char           text[STORE_WHY];
    const char    *why;
    store_link_t  *link = store->link[0];

    if (!store->asking || store->sentinel->phase != STORE_DOWN) {
        return;
    }

    if (store->restart) {
        begin(store);
        return;
    }

    note(store);

    if (++store->asked < store->conf->place.n) {
        ask_next(store);
        return;
    }

    store->others = store->views.n > 0;
    end(store);

    if (link->phase != STORE_LOOKING) {
        return;
    }

    why = rbl_views_take(&store->views, &store->nodes, store->tries);

    if (why != NULL) {
        store_trouble(link, store->views.n == 0 ? none(store, text, why)
                                                : why);
        link->phase = STORE_DOWN;
        return;
    }

    store->tries++;
    store_open(link, &store->nodes.node[0].at, store_connect_limit(store));
}


static void
met(store_link_t *link)
{
    store_link_up(link);
    link->store->tries = 0;
}


static const store_link_kind_t  sentinel = { .greet = greet, .sentinel = 1 };
static const store_link_kind_t  master = {
    .seek = look, .greet = store_greet, .met = met
};


void
store_sentinel_init(store_t *store)
{
    store->sentinel = store_link_new(store, &sentinel, 0);
    store->link[0] = store_link_new(store, &master, 0);
    store_link_fresh(store->link[0]);
}
