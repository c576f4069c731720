/*
 * rblctl lists: changes of one list by the operator.  Each partition has a copy
 * of the list, so a change goes to every partition; after a failure halfway the
 * command may be repeated, with the same result.  Daemons see the change within
 * a second.
 */

#include "lists.h"


redisReply *
ctl_list_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    rbl_str_t *argv)
{
    unsigned     p;
    rbl_key_t    key;
    rbl_str_t    none = RBL_STR("");
    redisReply  *reply;

    if (ctl_complete(ctl) != 0) {
        return NULL;
    }

    for (p = 0; /* void */; freeReplyObject(reply)) {
        *argv = rbl_key(&key, &ctl->ks, p, "lists", none, none);
        reply = ctl_script(ctl, script, argc, argv);
        if (reply == NULL) {
            ctl_fail("changed in %u of %u partitions: do it again", p,
                     ctl->ks.partitions);
            return NULL;
        }

        if (++p == ctl->ks.partitions
            || !rbl_str_is(rbl_reply_word(reply), "OK"))
        {
            return reply;
        }
    }
}


int
ctl_list_changed(ctl_t *ctl, int rc)
{
    return rc < 0 ? CTL_ERROR
           : rc > 0 ? ctl_fail("there is no list %s, or it is killed; rblctl"
                               " lists show names them all", ctl->args[0].p)
           : ctl_list_show(ctl, ctl->args[0], 0);
}


int
ctl_list_status(ctl_t *ctl, const rbl_sid_t *sid, const char *status)
{
    redisReply                *reply;
    rbl_lists_status_args_t    args;
    rbl_lists_status_reply_t   said;

    args.list = rbl_sid_str(sid);
    args.status = rbl_str(status);

    reply = ctl_list_script(ctl, CTL_SCRIPT(lists_status, args));
    if (reply == NULL) {
        return -1;
    }

    rbl_lists_status_reply(&said, reply);
    freeReplyObject(reply);

    return said.word != RBL_LISTS_STATUS_OK;
}


static int
ctl_lists_status(ctl_t *ctl, const char *status)
{
    rbl_sid_t  sid;

    if (ctl_list_argument(&sid, ctl->args[0]) != 0) {
        return CTL_ERROR;
    }

    return ctl_list_changed(ctl, ctl_list_status(ctl, &sid, status));
}


int
ctl_lists_enable(ctl_t *ctl)
{
    int                 needed;
    rbl_list_t          l;
    redisReply         *reply;
    ctl_lists_known_t   known;

    if (ctl_lists_known(ctl, &known) != 0) {
        return CTL_ERROR;
    }

    if (ctl_list_load(ctl, ctl->args[0], &l, &reply) != 0) {
        ctl_lists_known_free(&known);
        return CTL_ERROR;
    }

    needed = ctl_list_keyed(&l) && !ctl_list_has_key(&known, l.zone);
    freeReplyObject(reply);
    ctl_lists_known_free(&known);

    if (needed) {
        return ctl_fail("%s needs a key, and has none: rblctl lists key %s"
                        " takes it from standard input", ctl->args[0].p,
                        ctl->args[0].p);
    }

    return ctl_lists_status(ctl, "active");
}


int
ctl_lists_disable(ctl_t *ctl)
{
    return ctl_lists_status(ctl, "disabled");
}


static int
ctl_lists_killed(ctl_t *ctl, rbl_str_t reason)
{
    rbl_sid_t                sid;
    redisReply              *reply;
    rbl_lists_kill_args_t    args;
    rbl_lists_kill_reply_t   said;

    if (ctl_list_argument(&sid, ctl->args[0]) != 0) {
        return CTL_ERROR;
    }

    args.list = rbl_sid_str(&sid);
    args.reason = reason;
    reply = ctl_list_script(ctl, CTL_SCRIPT(lists_kill, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_lists_kill_reply(&said, reply);
    freeReplyObject(reply);

    switch (said.word) {

    case RBL_LISTS_KILL_CATALOGUE:
        return ctl_fail("%s was killed by the file that was loaded: one that"
                        " has it among its lists brings it back",
                        ctl->args[0].p);

    case RBL_LISTS_KILL_FULL:
        return ctl_fail("%s stays killed: there are as many system lists as"
                        " there may be; kill another one first",
                        ctl->args[0].p);

    default:
        return ctl_list_changed(ctl, said.word != RBL_LISTS_KILL_OK);
    }
}


int
ctl_lists_kill(ctl_t *ctl)
{
    rbl_str_t  reason;

    reason = rbl_trim(ctl->args[1]);

    if (!rbl_text_ok(reason) || reason.n == 0
        || rbl_utf8_count(reason) > RBL_LABEL_MAX)
    {
        return ctl_fail("the reason must be 1 to %d characters of UTF-8"
                        " without control characters", RBL_LABEL_MAX);
    }

    return ctl_lists_killed(ctl, reason);
}


int
ctl_lists_unkill(ctl_t *ctl)
{
    return ctl_lists_killed(ctl, RBL_STR(""));
}


int
ctl_lists_thaw(ctl_t *ctl)
{
    rbl_sid_t              sid;
    rbl_key_t              key;
    rbl_list_t             l;
    redisReply            *reply;
    rbl_list_thaw_args_t   args;
    rbl_list_thaw_reply_t  said;

    if (ctl_list_argument(&sid, ctl->args[0]) != 0
        || ctl_list_load(ctl, ctl->args[0], &l, &reply) != 0)
    {
        return CTL_ERROR;
    }

    freeReplyObject(reply);
    args.list = rbl_key(&key, &ctl->ks,
                        rbl_partition(&ctl->ks, rbl_sid_str(&sid)), "list",
                        rbl_sid_str(&sid), RBL_STR(""));
    args.since = RBL_STR("");
    reply = ctl_script(ctl, CTL_SCRIPT(list_thaw, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_list_thaw_reply(&said, reply);
    freeReplyObject(reply);

    return said.word == RBL_LIST_THAW_OK
           ? ctl_list_show(ctl, ctl->args[0], 0)
           : ctl_fail("%s is not frozen", ctl->args[0].p);
}
