/*
 * Waits at the end of a command that has changed an account, or the meta data,
 * until the replicas have the change, because a failover could undo it
 * otherwise.
 */

#include "client.h"

#include "rbl_role.h"

#define DURABLE_WAIT  "1000"            /* ms */


/* How many replicas the node has, or had when it was connected: one that is
   gone may be the master by now. */
static int64_t
ctl_replicas(ctl_link_t *link)
{
    int64_t      near;
    ctl_why_t    why;
    redisReply  *reply;

    reply = ctl_link_send(link, RBL_COMMAND("INFO", RBL_STR("REPLICATION")),
                          &why);
    near = rbl_replicas_near(reply);
    freeReplyObject(reply);

    return near > link->replicas ? near : link->replicas;
}


/* So many of them have all changes. */
static int64_t
ctl_replicas_have(ctl_link_t *link, int64_t replicas)
{
    char         text[RBL_OUT_INT];
    int64_t      n;
    ctl_why_t    why;
    redisReply  *reply;

    reply = ctl_link_send(link, RBL_COMMAND("WAIT",
                                            rbl_out_int_text(text, replicas),
                                            RBL_STR(DURABLE_WAIT)), &why);
    n = rbl_reply_int(reply, 0);
    freeReplyObject(reply);

    return n;
}


/* Do all Sentinels hold the server to be the master still? */
static int
ctl_is_still(ctl_t *ctl, unsigned i)
{
    ctl_why_t  why;

    return ctl->conf.place.kind != RBL_PLACE_SENTINEL
           || (ctl_look(ctl, &why) == 0
               && ctl->store.nodes.node[i].changed
                  == ctl->store.link[i].changed);
}


static int
ctl_node_durable(ctl_t *ctl, unsigned i)
{
    int64_t      n, have;
    ctl_link_t  *link;

    link = &ctl->store.link[i];

    if (link->redis == NULL) {
        return 1;
    }

    n = ctl_replicas(link);

    if (n == 0) {
        return 1;
    }

    have = link->redis != NULL ? ctl_replicas_have(link, n) : 0;

    return have >= n || (have > 0 && ctl_is_still(ctl, i));
}


int
ctl_durable(ctl_t *ctl)
{
    unsigned  i;

    if (ctl->conf.place.kind == RBL_PLACE_ONE || !ctl->store.durable) {
        return 0;
    }

    for (i = 0; i < ctl->store.nodes.n; i++) {
        if (!ctl_node_durable(ctl, i)) {
            ctl_fail("the change was made, but no replica confirms it within"
                     " a second: a failover could undo it. Look at rblctl"
                     " status, and whether the change is still there.");
            return -1;
        }
    }

    return 0;
}
