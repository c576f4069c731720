/*
 * rblctl lists: changes of one list by hand.  There is one copy of it in each
 * partition, so a change goes to every one; it may be given again after a
 * failure half-way, with the same result.  Daemons see it within a second.
 */

#include "lists.h"


int
ctl_list_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    rbl_str_t *argv, char word[CTL_LIST_WORD])
{
    int          rc;
    unsigned     p;
    rbl_key_t    key;
    rbl_str_t    said, none = RBL_STR("");
    redisReply  *reply;

    for (p = 0, rc = 0; p < ctl->ks.partitions && rc == 0; p++) {
        reply = ctl_script(ctl, script,
                           rbl_key(&key, &ctl->ks, p, "lists", none, none),
                           argc, argv);
        if (reply == NULL) {
            ctl_fail("changed in %u of %u partitions: do it again", p,
                     ctl->ks.partitions);
            return -1;
        }

        said = rbl_reply_word(reply);
        rc = !rbl_str_is(said, "OK");

        if (rc != 0) {
            said.n = said.n < CTL_LIST_WORD ? said.n : CTL_LIST_WORD - 1;
            memcpy(word, said.p, said.n);
            word[said.n] = '\0';
        }

        freeReplyObject(reply);
    }

    return rc;
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
    char       word[CTL_LIST_WORD];
    rbl_str_t  argv[2];

    argv[0] = rbl_sid_str(sid);
    argv[1] = rbl_str(status);

    return ctl_list_script(ctl, &rbl_script_lists_status, 2, argv, word);
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
    int        rc;
    char       word[CTL_LIST_WORD];
    rbl_sid_t  sid;
    rbl_str_t  argv[2];

    if (ctl_list_argument(&sid, ctl->args[0]) != 0) {
        return CTL_ERROR;
    }

    argv[0] = rbl_sid_str(&sid);
    argv[1] = reason;
    rc = ctl_list_script(ctl, &rbl_script_lists_kill, 2, argv, word);

    if (rc > 0 && strcmp(word, "CATALOGUE") == 0) {
        return ctl_fail("%s was killed by the file that was loaded: one that"
                        " has it among its lists brings it back",
                        ctl->args[0].p);
    }

    if (rc > 0 && strcmp(word, "FULL") == 0) {
        return ctl_fail("%s stays killed: there are as many system lists as"
                        " there may be; kill another one first",
                        ctl->args[0].p);
    }

    return ctl_list_changed(ctl, rc);
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
    rbl_sid_t               sid;
    rbl_key_t               key;
    rbl_list_t              l;
    redisReply             *reply;
    rbl_list_thaw_args_t    args;
    rbl_list_thaw_reply_t   said;

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
    reply = ctl_script(ctl, &rbl_script_list_thaw, args.list, 1, &args.since);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_list_thaw_reply(&said, reply);
    freeReplyObject(reply);

    return said.word == RBL_LIST_THAW_OK
           ? ctl_list_show(ctl, ctl->args[0], 0)
           : ctl_fail("%s is not frozen", ctl->args[0].p);
}
