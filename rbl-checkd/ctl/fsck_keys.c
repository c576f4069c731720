/*
 * rblctl fsck: SCAN of the store, node by node.
 */

#include "fsck.h"

#include <stdio.h>

#define FSCK_SCAN_COUNT  "1000"


/* Scans one node. */
static int
fsck_keys_at(fsck_t *f, unsigned node, const char *match,
    int (*take)(fsck_t *f, const redisReply *page))
{
    int          rc;
    char         cursor[FSCK_CURSOR];
    redisReply  *reply;

    snprintf(cursor, sizeof(cursor), "0");

    do {
        reply = ctl_command_at(f->ctl, node, RBL_COMMAND("SCAN",
                               rbl_str(cursor), RBL_STR("MATCH"),
                               rbl_str(match), RBL_STR("COUNT"),
                               RBL_STR(FSCK_SCAN_COUNT)));
        if (reply == NULL) {
            return -1;
        }

        fsck_cursor(cursor, reply);
        rc = take(f, rbl_reply_rest(reply));
        freeReplyObject(reply);

    } while (rc == 0 && strcmp(cursor, "0") != 0);

    return rc;
}


/* A key that moves to a node that was scanned already is not seen. */
int
fsck_still(fsck_t *f)
{
    switch (ctl_moving(f->ctl)) {

    case 0:
        return 0;

    case 1:
        ctl_fail("slots move between the nodes of the cluster, so keys may be"
                 " missed: run fsck again after that");
        return -1;

    default:
        return -1;
    }
}


int
fsck_keys(fsck_t *f, const char *name,
    int (*take)(fsck_t *f, const redisReply *page))
{
    char       match[RBL_KEY_MAX];
    unsigned   node;
    rbl_str_t  only;

    only = fsck_only(f);
    snprintf(match, sizeof(match), "%s:{*}:%s*%.*s*", f->ctl->ks.prefix, name,
             (int) only.n, only.n ? only.p : "");

    if (fsck_still(f) != 0) {
        return -1;
    }

    for (node = ctl_next_node(f->ctl, RBL_NODE_NONE); node != RBL_NODE_NONE;
         node = ctl_next_node(f->ctl, node))
    {
        if (fsck_keys_at(f, node, match, take) != 0) {
            return -1;
        }
    }

    return fsck_still(f);
}
