/*
 * A connection that subscribes to the news as the end of its greeting, and then
 * only receives messages.  The one SUBSCRIBE stays in `pending`.
 */

#include "store_int.h"


/* [word, channel, text]; the first one confirms the subscription. */

static void
on_message(void *data, const redisReply *reply)
{
    store_t  *store = data;

    if (reply == NULL) {
        return;
    }

    if (rbl_str_is(rbl_reply_word(reply), "message")) {
        store->message(store->data, rbl_reply_str(rbl_reply_at(reply, 2)));

    } else if (store->phase == STORE_GREETING) {
        store->subscribing = 0;
        store_greeted(store);
    }
}


void
store_subscribe(store_t *store)
{
    rbl_key_t  key;

    store->subscribing = 1;
    rbl_reply_messages(&store->reader.guard);
    store_send(store, on_message, store,
               RBL_COMMAND("SUBSCRIBE",
                           rbl_news_channel(&key, &store->ks)));
}


store_t *
store_listen(struct ev_loop *loop, const config_t *conf,
    store_message_pt message, void *data)
{
    store_t  *store;

    store = store_second(loop, conf, NULL, data);

    if (store != NULL) {
        store->message = message;
    }

    return store;
}
