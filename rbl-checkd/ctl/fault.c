/*
 * The client of the store: what is printed of a refusal, or of a server that is
 * away, with a hint for the operator.
 */

#include "client.h"


/* A script that fails halfway has applied its earlier changes. */
static const char *
ctl_hint_script(const ctl_t *ctl, const char *error)
{
    if (!rbl_reply_script_denied(error)) {
        return strstr(error, "script: ") != NULL
               ? "A part may have been done: run rblctl fsck."
               : "Nothing was changed.";
    }

    return ctl->command->need & CTL_OWN_USER
           ? "fsck has a user of its own, rblctl-fsck of redis-rbl.acl."
           : "Its ACL (redis-rbl.acl) gives this user too little, and a part"
             " may have been done: run rblctl fsck.";
}


static const char *
ctl_hint(const ctl_t *ctl, rbl_reply_class_t said, const char *error)
{
    switch (said) {

    case RBL_REPLY_NOTREADY:
        return "It is busy or still loading: try again in a moment.";

    case RBL_REPLY_MOVED:
    case RBL_REPLY_SLOT:
        return "It is a node of a cluster: write cluster: before its address.";

    case RBL_REPLY_READONLY:
        return "It is a replica: name the master.";

    case RBL_REPLY_NOWRITE:
        return "It refuses writes: look at its memory limit, its disk and its"
               " replicas.";

    case RBL_REPLY_NOAUTH:
        return "Set store_user and store_password_file.";

    case RBL_REPLY_NOPERM:
        return "Its ACL (redis-rbl.acl) gives this user too little.";

    default:
        return ctl_hint_script(ctl, error);
    }
}


/* The server is there, but refuses the command. */
static void
ctl_refused_fail(const ctl_t *ctl, const ctl_tried_t *tried,
    const char *error)
{
    char         node[CTL_NODE_TEXT];
    const char  *hint;

    hint = ctl_hint(ctl, tried->why.said, error);

    if (ctl->conf.place.kind == RBL_PLACE_ONE) {
        ctl_fail("the store at %s refuses: %s. %s", ctl->conf.store,
                 tried->why.text, hint);

    } else {
        ctl_fail("%s refuses: %s. %s",
                 ctl_server_text(ctl, node, tried->node), tried->why.text,
                 hint);
    }
}


void
ctl_tried_fail(const ctl_t *ctl, const ctl_tried_t *tried, redisReply *reply)
{
    char         node[CTL_NODE_TEXT];
    const char  *why;

    why = strncmp(tried->why.text, "ASK ", 4) == 0
          || strncmp(tried->why.text, "TRYAGAIN", 8) == 0
          ? "its slot is being moved to another node" : tried->why.text;

    if (tried->lost) {
        ctl_fail("%s does not answer: %s. Whether the command was done is not"
                 " known.", ctl_server_text(ctl, node, tried->node),
                 tried->why.text);

    } else if (ctl_passes(ctl, &tried->why)) {
        ctl_fail("%s cannot be used: %s. %s",
                 ctl_part_text(ctl, node, tried), why,
                 ctl->store.wrote ? "A part may have been done: do it again."
                                  : "Nothing was changed.");

    } else if (tried->why.said == RBL_REPLY_OK) {
        ctl_fail("cannot reach the store at %s: %s. Is its server running?",
                 ctl->conf.store, tried->why.text);

    } else {
        ctl_refused_fail(ctl, tried,
                         reply != NULL && reply->str != NULL ? reply->str
                                                             : "");
    }

    freeReplyObject(reply);
}
