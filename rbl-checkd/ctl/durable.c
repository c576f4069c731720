/*
 * Waits at the end of a command until a replica has its changes, because a
 * failover could undo them otherwise.
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


/* 0: no replica has answered in time.  A user without the right to wait changes
   nothing that is worth it. */
static int
ctl_replica_has(ctl_link_t *link)
{
    int          has;
    ctl_why_t    why;
    redisReply  *reply;

    reply = ctl_link_send(link, RBL_COMMAND("WAIT", RBL_STR("1"),
                                            RBL_STR(DURABLE_WAIT)), &why);
    has = reply != NULL
          && (rbl_reply_class(reply) == RBL_REPLY_NOPERM
              || rbl_reply_int(reply, 0) > 0);
    freeReplyObject(reply);

    return has;
}


int
ctl_durable(ctl_t *ctl)
{
    unsigned     i;
    ctl_link_t  *link;

    if (ctl->conf.place.kind == RBL_PLACE_ONE || !ctl->store.wrote) {
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
