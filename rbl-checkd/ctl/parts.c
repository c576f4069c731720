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

    return rbl_nodes_of(ctl->store.nodes, ctl_key(ctl, &key, p, "accounts"));
}


unsigned
ctl_ranges(char *buf, size_t size, unsigned n,
    int (*in)(const void *data, unsigned i), const void *data)
{
    int       len;
    size_t    at;
    unsigned  i, from, found;

    buf[0] = '\0';

    for (i = 0, found = 0, at = 0; i < n; i++) {
        if (!in(data, i)) {
            continue;
        }

        for (from = i; i + 1 < n && in(data, i + 1); i++) {
            /* void */
        }

        found += i - from + 1;
        len = snprintf(buf + at, size - at, from == i ? "%s%u" : "%s%u-%u",
                       at ? " " : "", from, i);

        if (at + (size_t) len + 4 >= size) {
            snprintf(buf + at, size - at, "...");

        } else {
            at += (size_t) len;
        }
    }

    return found;
}


typedef struct {
    const ctl_t      *ctl;
    unsigned          node;
    const ctl_why_t  *why;              /* only these that are away for that
                                           reason; NULL: all */
} parts_of_t;


static int
parts_of(const void *data, unsigned p)
{
    const parts_of_t  *of = data;

    return parts_node(of->ctl, p) == of->node
           && (of->why == NULL
               || strcmp(of->ctl->store.away[p].text, of->why->text) == 0);
}


unsigned
ctl_parts_text(const ctl_t *ctl, char buf[CTL_PARTS_TEXT], unsigned node)
{
    parts_of_t  of = { ctl, node, NULL };

    return ctl_ranges(buf, CTL_PARTS_TEXT, ctl->ks.partitions, parts_of, &of);
}


const char *
ctl_server_text(const ctl_t *ctl, char buf[CTL_NODE_TEXT], unsigned node)
{
    char  host[RBL_HOST_PORT_TEXT];

    if (ctl->conf.place.kind == RBL_PLACE_ONE || node == RBL_NODE_NONE) {
        snprintf(buf, CTL_NODE_TEXT, "the store at %.300s", ctl->conf.store);

    } else {
        snprintf(buf, CTL_NODE_TEXT, "the server at %s",
                 rbl_host_port_text(host, &ctl->store.nodes->node[node].at));
    }

    return buf;
}


/* "partitions 0-20 (10.0.0.1:6379)" */
static void
parts_name(const ctl_t *ctl, char buf[CTL_NODE_TEXT], const char *parts,
    unsigned n, unsigned node)
{
    char  host[RBL_HOST_PORT_TEXT];

    rbl_copy(host, sizeof(host), RBL_STR("no server"));

    if (node != RBL_NODE_NONE) {
        (void) rbl_host_port_text(host, &ctl->store.nodes->node[node].at);
    }

    snprintf(buf, CTL_NODE_TEXT, "%s %s (%s)",
             n == 1 ? "partition" : "partitions", parts, host);
}


int
ctl_of_slot(const ctl_why_t *why)
{
    return why->said == RBL_REPLY_SLOT || why->said == RBL_REPLY_MOVED;
}


const char *
ctl_part_text(const ctl_t *ctl, char buf[CTL_NODE_TEXT],
    const ctl_tried_t *tried)
{
    char      parts[CTL_PARTS_TEXT], host[RBL_HOST_PORT_TEXT];
    unsigned  n;

    if (!parts_split(ctl)) {
        return ctl_server_text(ctl, buf, tried->node);
    }

    /* before init, or before it is known, the only key is that of meta */

    if (ctl->ks.partitions == 0) {
        snprintf(buf, CTL_NODE_TEXT, "%s:meta (%s)", ctl->ks.prefix,
                 tried->node == RBL_NODE_NONE ? "no server"
                 : rbl_host_port_text(host,
                                      &ctl->store.nodes->node[tried->node].at));
        return buf;
    }

    if (ctl_of_slot(&tried->why) && tried->part < ctl->ks.partitions) {
        n = 1;
        snprintf(parts, sizeof(parts), "%u", tried->part);

    } else {
        n = ctl_parts_text(ctl, parts, tried->node);
    }

    if (n == 0) {
        return ctl_server_text(ctl, buf, tried->node);
    }

    parts_name(ctl, buf, parts, n, tried->node);

    return buf;
}


unsigned
ctl_partition(const ctl_t *ctl, rbl_str_t key)
{
    unsigned     p;
    rbl_str_t    tag;
    const char  *open;

    open = key.n ? memchr(key.p, '{', key.n) : NULL;

    if (open == NULL || (size_t) (open - key.p) + RBL_TAG_LEN >= key.n) {
        return ctl->ks.partitions;
    }

    tag = (rbl_str_t) { open + 1, RBL_TAG_LEN };

    return rbl_tag_partition(&p, &ctl->ks, tag) == RBL_OK
           ? p : ctl->ks.partitions;
}


void
ctl_survey(ctl_t *ctl)
{
    unsigned      p;
    rbl_key_t     key;
    redisReply   *reply;
    ctl_tried_t   tried;

    for (p = 0; parts_split(ctl) && p < ctl->ks.partitions; p++) {
        reply = ctl_try(ctl, RBL_NODE_NONE, RBL_COMMAND("EXISTS",
                        ctl_key(ctl, &key, p, "accounts")), &tried);

        if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
            ctl->store.away[p] = tried.why;

        } else {
            ctl->store.away[p].text[0] = '\0';
        }

        freeReplyObject(reply);
    }
}


int
ctl_away(const ctl_t *ctl, unsigned p)
{
    return p < ctl->ks.partitions && ctl->store.away[p].text[0] != '\0';
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


/* Was it told with a partition before it? */
static int
parts_told(unsigned p, const parts_of_t *of)
{
    unsigned  i;

    for (i = 0; i < p && !parts_of(of, i); i++) {
        /* void */
    }

    return i < p;
}


int
ctl_away_note(const ctl_t *ctl, const char *what)
{
    int         lines;
    char        parts[CTL_PARTS_TEXT], name[CTL_NODE_TEXT];
    unsigned    p, n;
    parts_of_t  of = { ctl, 0, NULL };

    for (p = 0, lines = 0; p < ctl->ks.partitions; p++) {
        of.node = parts_node(ctl, p);
        of.why = &ctl->store.away[p];

        if (!ctl_away(ctl, p) || parts_told(p, &of)) {
            continue;
        }

        n = ctl_ranges(parts, sizeof(parts), ctl->ks.partitions, parts_of,
                       &of);
        parts_name(ctl, name, parts, n, of.node);
        ctl_note("%s %s: %s", name, what, of.why->text);
        lines++;
    }

    return lines;
}


int
ctl_print_parts(ctl_t *ctl, const char *columns, json_t *value)
{
    int  rc;

    rc = ctl_print(ctl, columns, value);

    return ctl_away_note(ctl, "cannot be used, and is not shown") == 0
           ? rc : CTL_ERROR;
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

    for (node = node == RBL_NODE_NONE ? 0 : node + 1; node < store->nodes->n;
         node++)
    {
        if (store->nodes->node[node].used && store->gone[node].text[0] == '\0')
        {
            return node;
        }
    }

    return RBL_NODE_NONE;
}


unsigned
ctl_slots_missing(const ctl_t *ctl)
{
    unsigned  slot, n;

    for (slot = 0, n = 0; slot < RBL_SLOTS; slot++) {
        n += ctl->store.nodes->of[slot] == RBL_NODE_NONE;
    }

    return n;
}


int
ctl_all_slots(ctl_t *ctl)
{
    unsigned  n;

    /* a node of a new cluster knows the others soon */

    while ((n = ctl_slots_missing(ctl)) != 0 && ctl_wait(ctl)) {
        (void) ctl_look(ctl);
    }

    if (n != 0) {
        ctl_fail("%u slot%s of the cluster ha%s no node, and nothing was"
                 " changed: rblctl store plan shows what is missing", n,
                 n == 1 ? "" : "s", n == 1 ? "s" : "ve");
    }

    return n == 0 ? 0 : -1;
}


/* Does a slot leave the node, or come to it?  A node names such slots in the
   line of itself only, as "[93->-ID]" or "[93-<-ID]".  One that is away moves
   nothing. */
static int
parts_moving(ctl_t *ctl, unsigned node)
{
    int           rc;
    redisReply   *reply;
    ctl_tried_t   tried;

    reply = ctl_try(ctl, node, RBL_COMMAND("CLUSTER", RBL_STR("NODES")),
                    &tried);

    if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
        ctl_tried_fail(ctl, &tried, reply);
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

    if (rc == 0 && ctl_look(ctl) == 0) {
        rc = store->moved
             && memcmp(store->were, store->nodes->of, RBL_SLOTS) != 0;
        memcpy(store->were, store->nodes->of, RBL_SLOTS);
        store->moved = 1;
    }

    return rc;
}
