/*
 * rblctl: the servers of the store.  They are those of the daemon's store
 * (store/store.h), whose loop runs here while a command waits for a server.
 */

#include "client.h"

#include "base/clock.h"

#include <ev.h>
#include <signal.h>
#include <stdio.h>

#define NODES_ASK       0.5             /* s, to ask where the store is */
#define NODES_PATIENCE  5.0             /* s that a part may be away, at most;
                                           2.5 store_timeout */
#define NODES_PAUSE     0.1             /* s between attempts */

typedef struct {
    int          done;
    redisReply  *reply;
} nodes_asked_t;


int
ctl_why(ctl_why_t *why, rbl_reply_class_t said, rbl_str_t text)
{
    while (text.n > 0 && text.p[text.n - 1] == '.') {
        text.n--;
    }

    why->said = said;
    snprintf(why->text, sizeof(why->text), "%.*s",
             (int) (text.n < 200 ? text.n : 200), text.n ? text.p : "");

    return -1;
}


/* Time limit of a question. */
static double
nodes_limit(const ctl_t *ctl)
{
    double  timeout = ctl->conf.store_timeout;

    return timeout < NODES_ASK ? timeout : NODES_ASK;
}


/* Time limit of a command. */
static double
node_limit(const ctl_t *ctl)
{
    return ctl->conf.store_timeout * 10;
}


/* Runs the loop until something happens.  A server that has closed a connection
   must not end rblctl; a reader of its output may. */
static void
nodes_run(ctl_t *ctl)
{
    void (*before)(int);

    before = signal(SIGPIPE, SIG_IGN);
    ev_run(ctl->store.loop, EVRUN_ONCE);
    signal(SIGPIPE, before);
}


static void
on_pause(struct ev_loop *loop, ev_timer *w, int revents)
{
    (void) loop;
    (void) w;
    (void) revents;
}


int
ctl_wait(ctl_t *ctl)
{
    double    patience = ctl->conf.store_timeout * 2.5;
    ev_timer  pause;

    if (ctl->store.until == 0) {
        ctl->store.until = clock_now()
            + (patience < NODES_PATIENCE ? patience : NODES_PATIENCE);
    }

    if (clock_now() >= ctl->store.until) {
        return 0;
    }

    ev_timer_init(&pause, on_pause, NODES_PAUSE, 0);
    ev_timer_start(ctl->store.loop, &pause);

    while (ev_is_active(&pause)) {
        nodes_run(ctl);
    }

    return 1;
}


void
ctl_waited(ctl_t *ctl)
{
    if (ctl->store.until != 0 && clock_now() < ctl->store.until) {
        ctl->store.until = 0;
    }
}


int
ctl_passes(const ctl_t *ctl, const ctl_why_t *why)
{
    if (ctl->conf.place.kind == RBL_PLACE_ONE) {
        return 0;
    }

    switch (why->said) {

    case RBL_REPLY_OK:
    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_MOVED:
    case RBL_REPLY_SLOT:
    case RBL_REPLY_READONLY:
        return 1;

    default:
        return strncmp(why->text, "NOREPLICAS", 10) == 0;
    }
}


int
ctl_ready(ctl_t *ctl, unsigned node, ctl_why_t *why)
{
    ctl_store_t   *store;
    store_seen_t   seen;

    store = &ctl->store;

    if (node == RBL_NODE_NONE
        || (store->nodes->kind == RBL_PLACE_CLUSTER
            && !rbl_nodes_wanted(store->nodes, node)))
    {
        ctl_why(why, RBL_REPLY_SLOT, RBL_STR("no node has their slots"));
        return 0;
    }

    for ( ;; ) {
        seen = store_see(store->store, node);

        if (seen.connection != 0) {
            return 1;
        }

        if (seen.why[0] != '\0') {
            ctl_why(why, seen.said, rbl_str(seen.why));
            return 0;
        }

        nodes_run(ctl);
    }
}


static void
on_reply(void *data, const redisReply *reply)
{
    nodes_asked_t  *asked = data;

    asked->done = 1;
    asked->reply = reply != NULL ? store_take(reply) : NULL;
}


redisReply *
ctl_ask(ctl_t *ctl, unsigned node, const rbl_script_t *script, int argc,
    const rbl_str_t *argv, ctl_why_t *why)
{
    const char     *lost;
    nodes_asked_t   asked = { 0, NULL };

    store_send_at(ctl->store.store, node, script, on_reply, &asked, argc,
                  argv);

    while (!asked.done) {
        nodes_run(ctl);
    }

    if (asked.reply == NULL) {
        lost = store_see(ctl->store.store, node).why;
        ctl_why(why, RBL_REPLY_OK,
                rbl_str(lost[0] != '\0' ? lost : "the connection is lost"));

    } else if (asked.reply->type == REDIS_REPLY_ERROR) {
        ctl_why(why, rbl_reply_class(asked.reply),
                rbl_reply_error(asked.reply));
    }

    return asked.reply;
}


/* Asks a node for the map of slots. */
static int
look_at(ctl_t *ctl, unsigned node)
{
    int           rc;
    ctl_why_t     ignored;
    redisReply   *reply;
    ctl_store_t  *store;

    store = &ctl->store;
    store->tool.reply = nodes_limit(ctl);
    reply = ctl_ask(ctl, node, NULL, RBL_COMMAND("CLUSTER", RBL_STR("SLOTS")),
                    &ignored);
    store->tool.reply = node_limit(ctl);

    rc = reply != NULL && reply->type != REDIS_REPLY_ERROR
         && store_slots(store->store, node, reply) == NULL ? 0 : -1;
    freeReplyObject(reply);

    return rc;
}


int
ctl_look(ctl_t *ctl)
{
    unsigned  i;

    for (i = 0; i < ctl->store.nodes->n; i++) {
        if (store_see(ctl->store.store, i).connection != 0
            && look_at(ctl, i) == 0)
        {
            return 0;
        }
    }

    return -1;
}


/*
 * All configured nodes of a cluster are asked: if one of them belongs to
 * another cluster, nothing says which one is right.
 */
static int
seeds_ready(ctl_t *ctl, unsigned n, ctl_why_t *why)
{
    char               text[2][RBL_HOST_PORT_TEXT], said[sizeof(why->text)];
    unsigned           i, known;
    ctl_why_t          other;
    const rbl_node_t  *node;

    known = RBL_NODE_NONE;

    for (i = 0; i < n; i++) {
        node = &ctl->store.nodes->node[i];

        if (ctl_ready(ctl, i, &other)) {
            known = i;

        } else if (strcmp(other.text, "it belongs to another cluster") == 0) {
            snprintf(said, sizeof(said), "%.100s and %.100s belong to"
                     " different clusters",
                     rbl_host_port_text(text[0],
                                        &ctl->store.nodes->node[known].at),
                     rbl_host_port_text(text[1], &node->at));
            ctl_why(why, RBL_REPLY_ERROR, rbl_str(said));
            return 0;

        } else {
            snprintf(said, sizeof(said), "%.100s: %.120s",
                     rbl_host_port_text(text[0], &node->at), other.text);
            ctl_why(why, other.said, rbl_str(said));
        }
    }

    return known != RBL_NODE_NONE;
}


int
ctl_find(ctl_t *ctl, ctl_why_t *why)
{
    int           one, found;
    unsigned      n;
    ctl_store_t  *store;

    store = &ctl->store;
    one = ctl->conf.place.kind == RBL_PLACE_ONE;

    /* one Redis is asked nothing, and may be slow to answer even AUTH */

    store->tool.connect = one ? ctl->conf.store_timeout : nodes_limit(ctl);
    store->tool.greet = one ? node_limit(ctl) : nodes_limit(ctl);
    store->tool.reply = node_limit(ctl);
    store->tool.far = (ctl->command->need & CTL_LOOKS) != 0;

    store->loop = ev_loop_new(EVFLAG_AUTO);
    if (store->loop == NULL) {
        return ctl_why(why, RBL_REPLY_ERROR, RBL_STR("no event loop"));
    }

    store->store = store_tool(store->loop, &ctl->conf, &store->tool);
    store->nodes = store_nodes(store->store);
    n = store->nodes->n;

    do {
        found = ctl->conf.place.kind == RBL_PLACE_CLUSTER
                ? seeds_ready(ctl, n, why) : ctl_ready(ctl, 0, why);
    } while (!found && ctl_passes(ctl, why) && ctl_wait(ctl));

    return found ? 0 : -1;
}
