/*
 * rblctl store plan: which server has which part of the store.
 */

#include "client.h"

#include "rbl_role.h"

#include <stdio.h>
#include <stdlib.h>

#define PLAN_HOST  "107"                /* width of a host for sscanf */

_Static_assert(RBL_HOST_MAX == 108, "PLAN_HOST");


static const char  cluster_columns[] =
    "store, partitions, even, missing:slots without a node,"
    " empty:nodes without partitions";

static const ctl_table_t  cluster_tables[] = {
    { "nodes",
      "node, state, slots, ranges, count:PARTITIONS, parts:WHICH, replicas" },
    { NULL, NULL }
};

static const char  master_columns[] =
    "store, master, state, role, replicas, good:near enough to write,"
    " min_replicas:min-replicas-to-write";

static const ctl_table_t  master_tables[] = {
    { "nodes", "node:REPLICA, state, lag:LAG (s)" }, { NULL, NULL }
};


/*
 * Adds a master without slots, from a line of CLUSTER NODES: ID, address,
 * flags, master, three numbers, "connected", slots.
 */
static void
plan_empty_line(json_t *rows, const char *line)
{
    char  at[RBL_HOST_MAX], flags[64], slots[2];

    if (sscanf(line, "%*s %" PLAN_HOST "[^@ ]@%*s %63s %*s %*s %*s %*s %*s %1s",
               at, flags, slots)
        != 2
        || strstr(flags, "master") == NULL)
    {
        return;
    }

    json_array_append_new(rows, json_pack("{so ss si ss si ss}",
                          "node", ctl_text(rbl_str(at)), "state",
                          strstr(flags, "fail") != NULL
                          ? "its cluster cannot reach it" : "it has no slots",
                          "slots", 0, "ranges", "", "count", 0, "parts", ""));
}


/* 0; -1: error printed. */
static int
plan_empty(ctl_t *ctl, json_t *rows)
{
    char         *line, *last;
    unsigned      node;
    redisReply   *reply;
    ctl_tried_t   tried;

    reply = NULL;

    for (node = ctl_next_node(ctl, RBL_NODE_NONE);
         node != RBL_NODE_NONE && reply == NULL;
         node = ctl_next_node(ctl, node))
    {
        reply = ctl_try(ctl, node, RBL_COMMAND("CLUSTER", RBL_STR("NODES")),
                        &tried);
    }

    if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
        ctl_tried_fail(ctl, &tried, reply);
        return -1;
    }

    line = rbl_reply_str(reply).p != NULL ? strtok_r(reply->str, "\n", &last)
                                          : NULL;

    for ( /* void */ ; line != NULL; line = strtok_r(NULL, "\n", &last)) {
        plan_empty_line(rows, line);
    }

    freeReplyObject(reply);

    return 0;
}


/* Adds to the object what the rows say together. */
static void
plan_sum(json_t *v, const json_t *rows)
{
    size_t         i;
    json_t        *empty;
    json_int_t     n, least, most;
    const json_t  *row;

    empty = json_array();
    least = RBL_PARTITIONS_MAX;
    most = 0;

    json_array_foreach(rows, i, row) {
        if (strcmp(json_string_value(json_object_get(row, "node")), "none")
            == 0)
        {
            continue;
        }

        n = json_integer_value(json_object_get(row, "count"));
        least = n < least ? n : least;
        most = n > most ? n : most;

        if (n == 0) {
            json_array_append(empty, json_object_get(row, "node"));
        }
    }

    json_object_set_new(v, "even", json_boolean(most - least <= 1));
    json_object_set_new(v, "empty", empty);
}


static int
plan_cluster(ctl_t *ctl, json_t *servers)
{
    json_t  *v;

    if (plan_empty(ctl, servers) != 0) {
        json_decref(servers);
        return CTL_ERROR;
    }

    v = json_pack("{ss si si}", "store", ctl->conf.store,
                  "partitions", (int) ctl->ks.partitions,
                  "missing", (int) ctl_slots_missing(ctl));

    if (ctl->ks.partitions > 0) {
        plan_sum(v, servers);
    }

    json_object_set_new(v, "nodes", servers);

    return ctl_print_tables(ctl, cluster_columns, cluster_tables, v);
}


/* "ip=127.0.0.1,port=6380,state=online,offset=56,lag=0" */
static json_t *
plan_replica(const char *value)
{
    char             node[RBL_HOST_PORT_TEXT], state[32] = "";
    long long        lag = 0;
    rbl_host_port_t  at;

    memset(&at, 0, sizeof(at));
    (void) sscanf(value, "ip=%" PLAN_HOST "[^,\r\n],port=%5u,"
                  "state=%31[^,\r\n],offset=%*[0-9],lag=%18lld", at.host,
                  &at.port, state, &lag);

    return json_pack("{so so sI}", "node",
                     ctl_text(rbl_str(rbl_host_port_text(node, &at))),
                     "state", ctl_text(rbl_str(state)),
                     "lag", (json_int_t) lag);
}


/* NULL: error printed. */
static json_t *
plan_replicas(ctl_t *ctl)
{
    char         name[16];
    int          i;
    json_t      *rows;
    rbl_str_t    value;
    redisReply  *reply;

    reply = ctl_command_at(ctl, 0, RBL_COMMAND("INFO",
                           RBL_STR("REPLICATION")));
    if (reply == NULL) {
        return NULL;
    }

    rows = json_array();

    for (i = 0; /* void */; i++) {
        snprintf(name, sizeof(name), "slave%d", i);
        value = rbl_info_value(rbl_reply_str(reply), name);

        if (value.n == 0) {
            break;
        }

        json_array_append_new(rows, plan_replica(value.p));
    }

    freeReplyObject(reply);

    return rows;
}


static int
plan_master(ctl_t *ctl, json_t *servers)
{
    size_t         i;
    json_t        *v, *rows;
    const json_t  *row, *good;

    static const char *const  own[] = { "state", "role", "replicas", "good" };

    rows = plan_replicas(ctl);
    if (rows == NULL) {
        json_decref(servers);
        return CTL_ERROR;
    }

    row = json_array_get(servers, 0);
    good = json_object_get(row, "good");
    v = json_pack("{ss}", "store", ctl->conf.store);
    json_object_set(v, "master", json_object_get(row, "node"));

    for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        json_object_set(v, own[i], json_object_get(row, own[i]));
    }

    json_object_set_new(v, "min_replicas",
                        json_string(json_is_integer(good) ? "set"
                                                          : "not set"));
    json_decref(servers);

    json_object_set_new(v, "nodes", rows);

    return ctl_print_tables(ctl, master_columns, master_tables, v);
}


int
ctl_store_plan(ctl_t *ctl)
{
    int          rc;
    json_t      *servers;
    rbl_meta_t   meta;

    /* the slots are shown before rblctl init, too */

    rc = ctl_meta_read(ctl, &meta);

    if ((rc < 0 && ctl->conf.place.kind != RBL_PLACE_CLUSTER)
        || (rc == 0 && ctl_meta_take(ctl, &meta) != 0))
    {
        return CTL_ERROR;
    }

    servers = ctl_servers(ctl);
    ctl_servers_note(servers);

    return ctl->conf.place.kind == RBL_PLACE_CLUSTER
           ? plan_cluster(ctl, servers) : plan_master(ctl, servers);
}
