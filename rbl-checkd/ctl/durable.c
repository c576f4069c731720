/*
 * Waits at the end of a command that has changed an account, or the meta data,
 * until a replica has the change, because a failover could undo it otherwise.
 */

#include "client.h"

#include "rbl_role.h"

#define DURABLE_WAIT  "1000"            /* ms */


/* Has the node replicas? */
static int
ctl_replicated(ctl_link_t *link)
{
    ctl_why_t       why;
    redisReply     *reply;
    rbl_replicas_t  replicas;

    reply = ctl_link_send(link, RBL_COMMAND("INFO", RBL_STR("REPLICATION")),
                          &why);
    rbl_replicas(&replicas, reply);
    freeReplyObject(reply);

    return replicas.replicas > 0;
}


/* 0: no replica has answered in time. */
static int
ctl_replica_has(ctl_link_t *link)
{
    int          has;
    ctl_why_t    why;
    redisReply  *reply;

    reply = ctl_link_send(link, RBL_COMMAND("WAIT", RBL_STR("1"),
                                            RBL_STR(DURABLE_WAIT)), &why);
    has = rbl_reply_int(reply, 0) > 0;
    freeReplyObject(reply);

    return has;
}


int
ctl_durable(ctl_t *ctl)
{
    unsigned     i;
    ctl_link_t  *link;

    if (ctl->conf.place.kind == RBL_PLACE_ONE || !ctl->store.durable) {
        return 0;
    }

    for (i = 0; i < ctl->store.nodes.n; i++) {
        link = &ctl->store.link[i];

        if (link->redis != NULL && ctl_replicated(link)
            && !ctl_replica_has(link))
        {
            ctl_fail("the change was made, but no replica confirms it within"
                     " a second: a failover could undo it. Look at rblctl"
                     " status, and whether the change is still there.");
            return -1;
        }
    }

    return 0;
}
