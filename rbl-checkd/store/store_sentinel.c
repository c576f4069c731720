/*
 * Asks Sentinels for the master, one after the other, before each connect.  The
 * first one that names a usable address is asked first the next time, unless
 * its master turns out to be none.  Sentinels are asked without AUTH at first.
 */

#include "base/log.h"
#include "store_int.h"

#include <stdio.h>

#define LIMIT  0.5                      /* s for one Sentinel */

static void ask_master(store_link_t *link);


static void
say(store_t *store, int warn, const char *what)
{
    char  name[STORE_NAME];

    log_msg(store_quiet(store->sentinel) ? LOG_L_DEBUG
            : warn ? LOG_L_WARN : LOG_L_NOTICE,
            "%s: %s", store_name(name, store->sentinel), what);
}


/* Puts the Sentinel that is asked now in front of the others. */

static void
to_head(store_t *store)
{
    unsigned char  chosen;

    chosen = store->order[store->asked];
    memmove(&store->order[1], &store->order[0], store->asked);
    store->order[0] = chosen;
}


static void
to_tail(store_t *store)
{
    unsigned       n = store->conf->place.n;
    unsigned char  first;

    first = store->order[0];
    memmove(&store->order[0], &store->order[1], n - 1);
    store->order[n - 1] = first;
}


static void
on_master(void *data, const redisReply *reply)
{
    const char    *why;
    rbl_str_t      text;
    store_link_t  *link = data;
    store_t       *store = link->store;

    if (link->phase != STORE_GREETING || reply == NULL) {
        return;
    }

    if (rbl_reply_class(reply) == RBL_REPLY_NOAUTH && !store->authed
        && store->conf->store_password[0] != '\0')
    {
        store->authed = 1;
        store_send_auth(link, NULL);
        ask_master(link);
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        text = rbl_reply_error(reply);
        snprintf(link->why, sizeof(link->why), "%.*s", (int) text.n, text.p);
        store_drop(link, link->why);
        return;
    }

    why = rbl_nodes_master(&store->nodes, reply, &link->at);
    store->found = why == NULL;
    store_drop(link, why != NULL ? why : "");
}


static void
ask_master(store_link_t *link)
{
    store_send(link, on_master, link,
               RBL_COMMAND("SENTINEL", RBL_STR("GET-MASTER-ADDR-BY-NAME"),
                           rbl_str(link->store->conf->place.name)));
}


void
store_sentinel_greet(store_link_t *link)
{
    link->store->authed = 0;
    ask_master(link);
}


static void
ask_next(store_t *store)
{
    double                  limit = store->conf->store_timeout;
    const rbl_host_port_t  *at;

    at = &store->conf->place.hosts[store->order[store->asked]];
    store->sentinel->why[0] = '\0';
    store_open(store->sentinel, at, limit < LIMIT ? limit : LIMIT);
}


/* A look-up of the master; then its link is opened. */

void
store_look(store_t *store)
{
    if (store->found && !store->trusted) {
        to_tail(store);
    }

    store->found = 0;
    store->asked = 0;
    store->link[0]->phase = STORE_LOOKING;
    store->link[0]->at.host[0] = '\0';
    ask_next(store);
}


static void
note(store_t *store)
{
    unsigned char  *bad = &store->bad[store->order[store->asked]];

    if (store->found && *bad) {
        say(store, 0, "it names the master again");

    } else if (!store->found && !*bad) {
        say(store, 1, store->sentinel->why);
    }

    *bad = !store->found;
}


/* The connection to a Sentinel has ended. */

void
store_sentinel_kick(store_t *store)
{
    store_link_t  *link = store->link[0];

    if (link->phase != STORE_LOOKING || store->sentinel->phase != STORE_DOWN) {
        return;
    }

    note(store);

    if (store->found) {
        to_head(store);
        store->trusted = 0;
        store_open(link, &store->nodes.node[0].at,
                   store->conf->store_timeout);

    } else if (++store->asked < store->conf->place.n) {
        ask_next(store);

    } else {
        store_trouble(link, "no Sentinel names a usable master");
        link->phase = STORE_DOWN;
    }
}
