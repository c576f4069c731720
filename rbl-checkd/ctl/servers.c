/*
 * rblctl: what the servers of the store say of themselves (INFO), and which
 * part of the store each has.
 */

#include "client.h"

#include "rbl_role.h"

#include <stdio.h>
#include <stdlib.h>

#define SERVERS_RANGES  400


typedef struct {
    const rbl_nodes_t  *nodes;
    unsigned            node;
} servers_of_t;


static int
servers_of(const void *data, unsigned slot)
{
    const servers_of_t  *of = data;

    return of->nodes->of[slot] == of->node;
}


/* Adds what INFO says. */
static void
servers_info(json_t *row, const redisReply *reply)
{
    char             version[RBL_SERVER_TEXT];
    size_t           i;
    rbl_str_t        info;
    rbl_replicas_t   replicas;

    static const struct {
        const char  *member, *line;
    } texts[] = {
        { "role", "role" }, { "memory", "used_memory_human" },
        { "policy", "maxmemory_policy" }
    };

    info = rbl_reply_str(reply);
    rbl_replicas(&replicas, reply);
    rbl_server_text(version, info);
    json_object_set_new(row, "version", ctl_text(rbl_str(version)));

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_object_set_new(row, texts[i].member,
                            ctl_text(rbl_info_value(info, texts[i].line)));
    }

    json_object_set_new(row, "persistent", json_boolean(rbl_str_is(
                        rbl_info_value(info, "aof_enabled"), "1")));
    json_object_set_new(row, "replicas", json_integer(replicas.replicas));
    json_object_set_new(row, "good", replicas.good < 0
                        ? json_null() : json_integer(replicas.good));
}


static json_t *
servers_row(ctl_t *ctl, unsigned node)
{
    char                parts[CTL_PARTS_TEXT], ranges[SERVERS_RANGES];
    char                host[RBL_HOST_PORT_TEXT];
    json_t             *row;
    unsigned            n, slots;
    redisReply         *reply;
    ctl_tried_t         tried;
    const ctl_store_t  *store = &ctl->store;
    servers_of_t        of = { store->nodes, node };

    n = ctl_parts_text(ctl, parts, node);
    slots = ctl_ranges(ranges, sizeof(ranges), RBL_SLOTS, servers_of, &of);

    reply = NULL;

    if (node == RBL_NODE_NONE) {
        ctl_why(&tried.why, RBL_REPLY_SLOT, RBL_STR("no node has these slots"));
        snprintf(host, sizeof(host), "none");

    } else {
        reply = ctl_try(ctl, node, RBL_WORDS(RBL_STR("INFO")), &tried);
        (void) rbl_host_port_text(host, &store->nodes->node[node].at);
    }

    row = json_pack("{ss si ss si ss}", "node", host, "slots", (int) slots,
                    "ranges", ranges, "count", (int) n, "parts", parts);

    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        json_object_set_new(row, "state", ctl_text(rbl_str(tried.why.text)));

    } else {
        json_object_set_new(row, "state", json_string("ok"));
        servers_info(row, reply);
    }

    freeReplyObject(reply);

    return row;
}


json_t *
ctl_servers(ctl_t *ctl)
{
    json_t             *rows;
    unsigned            node;
    const rbl_nodes_t  *nodes;

    rows = json_array();
    nodes = ctl->store.nodes;

    for (node = 0; node < nodes->n; node++) {
        if (nodes->node[node].used) {
            json_array_append_new(rows, servers_row(ctl, node));
        }
    }

    if (ctl_slots_missing(ctl) != 0) {
        json_array_append_new(rows, servers_row(ctl, RBL_NODE_NONE));
    }

    return rows;
}


void
ctl_servers_note(const json_t *servers)
{
    size_t         i;
    const json_t  *row;

    json_array_foreach(servers, i, row) {
        if (json_integer_value(json_object_get(row, "replicas")) > 0
            && json_is_null(json_object_get(row, "good")))
        {
            ctl_note("min-replicas-to-write is not set at %s: a failover can"
                     " lose acknowledged writes (rbl-availability(7))",
                     json_string_value(json_object_get(row, "node")));
        }
    }
}
