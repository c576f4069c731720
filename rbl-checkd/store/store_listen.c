/*
 * A store whose only link subscribes to the news as the end of its greeting,
 * and then only receives messages.  The one SUBSCRIBE stays in `pending`.
 *
 * It follows another store, which knows the nodes: in a cluster it subscribes
 * at any ready node, since the nodes pass on what is published, and leaves a
 * node that the other store has lost.
 */

#include "base/jitter.h"
#include "store_int.h"


/* [word, channel, text]; the first one confirms the subscription. */

static void
on_message(void *data, const redisReply *reply)
{
    rbl_str_t      word, text;
    store_link_t  *link = data;

    if (reply == NULL) {
        return;
    }

    word = rbl_reply_word(reply);
    text = rbl_reply_str(rbl_reply_at(reply, 2));

    if (reply->type == REDIS_REPLY_ERROR) {
        store_drop_refused(link, reply, rbl_reply_error(reply));

    } else if (rbl_str_is(word, "message") && text.p != NULL) {
        link->store->message(link->store->data, text);

    } else if (rbl_str_is(word, "subscribe") && link->subscribing) {
        link->subscribing = 0;
        store_link_up(link);

    } else {
        store_drop(link, "it sent a subscriber what is not a message");
    }
}


static void
subscribe(store_link_t *link)
{
    rbl_key_t  key;

    link->subscribing = 1;
    link->messages = 1;
    store_send(link, on_message, link,
               RBL_COMMAND("SUBSCRIBE",
                           rbl_news_channel(&key, &link->store->ks)));
}


/* The node has slots, and no failover has replaced it. */

static int
usable(const store_t *of, unsigned i)
{
    return store_link_ready(of, i) && of->nodes.node[i].used
           && of->link[i]->changed == of->nodes.node[i].changed;
}


static void
seek(store_link_t *link)
{
    unsigned        i, k;
    store_t        *store = link->store;
    const store_t  *of = store->of;

    if (of->nodes.kind == RBL_PLACE_ONE) {
        store_open_node(link);
        return;
    }

    k = (unsigned) (jitter() * of->nodes.n);

    for (i = 0; i < of->nodes.n; i++, k++) {
        if (usable(of, k % of->nodes.n)) {
            store->followed = k % of->nodes.n;
            store_open(link, &of->nodes.node[store->followed].at,
                       store_connect_limit(store));
            return;
        }
    }

    store_plan_retry(link);
}


static const store_link_kind_t  subscription = {
    .seek = seek, .greet = store_greet, .met = subscribe
};


void
store_listen_kick(const store_t *store)
{
    const store_t  *listener = store->listener;

    if (listener != NULL && store->nodes.kind != RBL_PLACE_ONE
        && !usable(store, listener->followed))
    {
        store_drop(listener->link[0], "its node is away");
    }
}


store_t *
store_listen(store_t *of, store_message_pt message, void *data)
{
    store_t  *store;

    store = store_make(of->loop, of->conf, RBL_PLACE_ONE, NULL, data);
    store->second = 1;
    store->message = message;
    store->of = of;
    store_make_one(store, &subscription);
    of->listener = store;

    return store;
}
