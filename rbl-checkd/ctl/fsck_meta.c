/*
 * rblctl fsck: the copies of the meta data (rbl_meta.h).  A program that starts
 * while the node of <prefix>:meta is away believes them.
 */

#include "client.h"
#include "fsck.h"

#include <stdio.h>


static int
meta_copy(fsck_t *f, unsigned i, const rbl_meta_t *meta)
{
    char         where[24];
    rbl_key_t    key;
    rbl_meta_t   copy;
    redisReply  *reply;
    ctl_tried_t  tried;

    reply = ctl_try(f->ctl, RBL_NODE_NONE, RBL_COMMAND("HMGET",
                    rbl_meta_copy_key(&key, &f->ctl->ks, i), RBL_META_FIELDS),
                    &tried);

    if (reply == NULL) {
        return 0;                       /* its part is away, which is printed */
    }

    if (reply->type == REDIS_REPLY_ERROR) {
        ctl_tried_fail(f->ctl, &tried, reply);
        return -1;
    }

    rbl_meta_read(&copy, reply);
    freeReplyObject(reply);

    if (copy.schema == meta->schema && copy.partitions == meta->partitions
        && copy.oldest == meta->oldest)
    {
        return 0;
    }

    if (f->repair && meta->schema == RBL_SCHEMA_VERSION
        && ctl_meta_copy(f->ctl, i, meta->partitions) != 0)
    {
        return -1;
    }

    snprintf(where, sizeof(where), "copy %u", i);

    fsck_add(f, RBL_STR(""), RBL_STR("meta"), rbl_str(where),
             copy.schema == -1
             ? RBL_STR("of the meta data is missing")
             : RBL_STR("of the meta data is not what the store has"),
             f->repair && meta->schema == RBL_SCHEMA_VERSION);

    return 0;
}


int
fsck_meta(fsck_t *f)
{
    int         rc;
    unsigned    i;
    rbl_meta_t  meta;

    rc = ctl_meta_main(f->ctl, &meta);

    if (rc == 1) {                      /* fsck began with a copy */
        fsck_report(f, RBL_STR(""), "meta", RBL_STR("meta"),
                    "is missing: rblctl init makes it of its copies");
        return 0;
    }

    if (rc != 0 || meta.schema < RBL_SCHEMA_VERSION) {
        return rc < 0 ? -1 : 0;
    }

    for (i = 0; i < RBL_META_COPIES && rc == 0; i++) {
        rc = meta_copy(f, i, &meta);
    }

    return rc;
}
