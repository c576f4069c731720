/*
 * rblctl: the parts of a cluster, and which of them are away.  A command that
 * walks through all partitions looks before it begins, so that it waits once
 * and can name all parts that it leaves out.
 */

#include "client.h"

#include <stdio.h>
#include <stdlib.h>


static int
parts_split(const ctl_t *ctl)
{
    return ctl->conf.place.kind == RBL_PLACE_CLUSTER;
}


static unsigned
parts_node(const ctl_t *ctl, unsigned p)
{
    rbl_key_t  key;
    rbl_str_t  none = RBL_STR("");

    return rbl_nodes_of(&ctl->store.nodes,
                        rbl_key(&key, &ctl->ks, p, "accounts", none, none));
}


const char *
ctl_parts_text(const ctl_t *ctl, char buf[CTL_PARTS_TEXT], unsigned node,
    unsigned *n)
{
    int       len;
    size_t    at;
    unsigned  p, from;

    at = 0;
    *n = 0;
    buf[0] = '\0';

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (parts_node(ctl, p) != node) {
            continue;
        }

        for (from = p; p + 1 < ctl->ks.partitions
                       && parts_node(ctl, p + 1) == node; p++)
        {
            /* void */
        }

        *n += p - from + 1;
        len = snprintf(buf + at, CTL_PARTS_TEXT - at,
                       from == p ? "%s%u" : "%s%u-%u", at ? " " : "", from, p);

        if (at + (size_t) len + 4 >= CTL_PARTS_TEXT) {
            snprintf(buf + at, CTL_PARTS_TEXT - at, "...");

        } else {
            at += (size_t) len;
        }
    }

    return buf;
}


const char *
ctl_server_text(const ctl_t *ctl, char buf[CTL_NODE_TEXT], unsigned node)
{
    char  host[RBL_HOST_PORT_TEXT];

    if (ctl->conf.place.kind == RBL_PLACE_ONE || node == RBL_NODE_NONE) {
        snprintf(buf, CTL_NODE_TEXT, "the store at %.300s", ctl->conf.store);

    } else {
        snprintf(buf, CTL_NODE_TEXT, "the server at %s",
                 rbl_host_port_text(host, &ctl->store.nodes.node[node].at));
    }

    return buf;
}


const char *
ctl_node_text(const ctl_t *ctl, char buf[CTL_NODE_TEXT], unsigned node)
{
    char      parts[CTL_PARTS_TEXT], host[RBL_HOST_PORT_TEXT];
    unsigned  n;

    n = 0;

    if (parts_split(ctl)) {
        (void) ctl_parts_text(ctl, parts, node, &n);
    }

    rbl_copy(host, sizeof(host), RBL_STR("no server"));

    if (node != RBL_NODE_NONE) {
        (void) rbl_host_port_text(host, &ctl->store.nodes.node[node].at);
    }

    if (n > 0) {
        snprintf(buf, CTL_NODE_TEXT, "partition%s %s (%s)", n == 1 ? "" : "s",
                 parts, host);

    } else if (parts_split(ctl) && ctl->ks.partitions == 0) {
        snprintf(buf, CTL_NODE_TEXT, "%s:meta (%s)", ctl->ks.prefix, host);

    } else {
        return ctl_server_text(ctl, buf, node);
    }

    return buf;
}


void
ctl_survey(ctl_t *ctl)
{
    unsigned      p;
    rbl_key_t     key;
    rbl_str_t     none = RBL_STR("");
    redisReply   *reply;
    ctl_tried_t   tried;

    for (p = 0; parts_split(ctl) && p < ctl->ks.partitions; p++) {
        reply = ctl_try(ctl, RBL_NODE_NONE, RBL_COMMAND("EXISTS",
                        rbl_key(&key, &ctl->ks, p, "accounts", none, none)),
                        &tried);
        ctl->store.away[p] = reply == NULL || reply->type == REDIS_REPLY_ERROR;

        if (ctl->store.away[p] && tried.node != RBL_NODE_NONE) {
            ctl->store.gone[tried.node] = tried.why;
        }

        freeReplyObject(reply);
    }
}


int
ctl_away(const ctl_t *ctl, unsigned p)
{
    return ctl->store.away[p];
}


unsigned
ctl_here(const ctl_t *ctl)
{
    unsigned  p;

    for (p = 0; p < ctl->ks.partitions && ctl_away(ctl, p); p++) {
        /* void */
    }

    return p;
}


int
ctl_away_note(const ctl_t *ctl, const char *what)
{
    int       n;
    char      text[CTL_NODE_TEXT];
    unsigned  p, node;

    unsigned char  told[RBL_NODE_NONE + 1];

    n = 0;
    memset(told, 0, sizeof(told));

    for (p = 0; p < ctl->ks.partitions; p++) {
        node = parts_node(ctl, p);

        if (ctl_away(ctl, p) && !told[node]) {
            ctl_note("%s %s: %s", ctl_node_text(ctl, text, node), what,
                     node == RBL_NODE_NONE ? "no node has their slots"
                                           : ctl->store.gone[node].text);
            told[node] = 1;
            n++;
        }
    }

    return n;
}


int
ctl_complete(ctl_t *ctl)
{
    ctl_survey(ctl);

    return ctl_away_note(ctl, "cannot be used, and nothing was changed") == 0
           ? 0 : -1;
}


unsigned
ctl_next_node(const ctl_t *ctl, unsigned node)
{
    const ctl_store_t  *store;

    store = &ctl->store;

    for (node = node == RBL_NODE_NONE ? 0 : node + 1; node < store->nodes.n;
         node++)
    {
        if (store->nodes.node[node].used && store->gone[node].text[0] == '\0')
        {
            return node;
        }
    }

    return RBL_NODE_NONE;
}


int
ctl_key_away(const ctl_t *ctl, rbl_str_t key)
{
    unsigned     p;
    rbl_str_t    tag;
    const char  *open;

    open = memchr(key.p, '{', key.n);
    tag = (rbl_str_t) { open + 1, RBL_TAG_LEN };

    return open != NULL && (size_t) (open - key.p) + RBL_TAG_LEN < key.n
           && rbl_tag_partition(&p, &ctl->ks, tag) == RBL_OK
           && ctl_away(ctl, p);
}


unsigned
ctl_slots_missing(const ctl_t *ctl)
{
    unsigned  slot, n;

    for (slot = 0, n = 0; slot < RBL_SLOTS; slot++) {
        n += ctl->store.nodes.of[slot] == RBL_NODE_NONE;
    }

    return n;
}


/* Does a slot leave the node, or come to it?  A node names such slots in the
   line of itself only, as "[93->-ID]" or "[93-<-ID]". */
static int
parts_moving(ctl_t *ctl, unsigned node)
{
    int          rc;
    redisReply  *reply;

    reply = ctl_command_at(ctl, node, RBL_COMMAND("CLUSTER",
                           RBL_STR("NODES")));
    if (reply == NULL) {
        return -1;
    }

    rc = rbl_reply_str(reply).p != NULL
         && (strstr(reply->str, "-<-") != NULL
             || strstr(reply->str, "->-") != NULL);
    freeReplyObject(reply);

    return rc;
}


int
ctl_moving(ctl_t *ctl)
{
    int            rc;
    unsigned       node;
    ctl_why_t      ignored;
    ctl_store_t   *store;

    store = &ctl->store;
    rc = 0;

    if (!parts_split(ctl)) {
        return 0;
    }

    for (node = ctl_next_node(ctl, RBL_NODE_NONE);
         node != RBL_NODE_NONE && rc == 0; node = ctl_next_node(ctl, node))
    {
        rc = parts_moving(ctl, node);
    }

    if (rc == 0 && ctl_look(ctl, &ignored) == 0) {
        rc = store->moved
             && memcmp(store->were, store->nodes.of, RBL_SLOTS) != 0;
        memcpy(store->were, store->nodes.of, RBL_SLOTS);
        store->moved = 1;
    }

    return rc;
}
