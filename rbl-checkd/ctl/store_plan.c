/*
 * rblctl store plan: which server has which part of the store.
 */

#include "client.h"

#include "rbl_role.h"

#include <stdio.h>
#include <stdlib.h>


static const ctl_column_t  cluster_columns[] = {
    { "store", "store" }, { "partitions", "partitions" },
    { "even", "even" }, { "missing", "slots without a node" },
    { "empty", "nodes without partitions" }, { NULL, NULL }
};

static const ctl_column_t  node_row[] = {
    { "node", "NODE" }, { "state", "STATE" }, { "slots", "SLOTS" },
    { "ranges", "RANGES" }, { "count", "PARTITIONS" }, { "parts", "WHICH" },
    { "replicas", "REPLICAS" }, { NULL, NULL }
};

static const ctl_column_t  master_columns[] = {
    { "store", "store" }, { "master", "master" }, { "state", "state" },
    { "role", "role" }, { "replicas", "replicas" },
    { "good", "near enough to write" },
    { "min_replicas", "min-replicas-to-write" }, { NULL, NULL }
};

static const ctl_column_t  replica_row[] = {
    { "node", "REPLICA" }, { "state", "STATE" }, { "lag", "LAG (s)" },
    { NULL, NULL }
};


static rbl_str_t
plan_word(rbl_str_t *line)
{
    rbl_str_t    word;
    const char  *space;

    word = *line;
    space = line->n ? memchr(line->p, ' ', line->n) : NULL;
    word.n = space ? (size_t) (space - line->p) : line->n;
    line->p += word.n + (space != NULL);
    line->n -= word.n + (space != NULL);

    return word;
}


/*
 * Adds a master without slots, from a line of CLUSTER NODES: ID, address,
 * flags, master, three numbers, "connected", slots.
 */
static void
plan_empty_line(json_t *rows, rbl_str_t line)
{
    int          i;
    rbl_str_t    word[8];
    const char  *at;

    memset(word, 0, sizeof(word));

    for (i = 0; i < 8; i++) {
        word[i] = plan_word(&line);
    }

    at = word[1].n ? memchr(word[1].p, '@', word[1].n) : NULL;

    if (at == NULL || line.n != 0 || word[2].n == 0
        || memmem(word[2].p, word[2].n, "master", 6) == NULL)
    {
        return;
    }

    word[1].n = (size_t) (at - word[1].p);
    json_array_append_new(rows, json_pack("{so ss si ss si ss}",
                          "node", ctl_text(word[1]), "state",
                          memmem(word[2].p, word[2].n, "fail", 4) != NULL
                          ? "its cluster cannot reach it" : "it has no slots",
                          "slots", 0, "ranges", "", "count", 0, "parts", ""));
}


/* 0; -1: error printed. */
static int
plan_empty(ctl_t *ctl, json_t *rows)
{
    unsigned      node;
    rbl_str_t     text, line;
    const char   *end;
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

    for (text = rbl_reply_str(reply); text.n > 0; /* void */) {
        end = memchr(text.p, '\n', text.n);
        line.p = text.p;
        line.n = end ? (size_t) (end - text.p) : text.n;
        text.p += line.n + (end != NULL);
        text.n -= line.n + (end != NULL);
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
plan_print(ctl_t *ctl, const ctl_column_t *columns, json_t *v, const char *name,
    const ctl_column_t *row, json_t *rows)
{
    int  rc;

    if (ctl->json) {
        json_object_set_new(v, name, rows);
        return ctl_print(ctl, NULL, v);
    }

    rc = ctl_print(ctl, columns, v);

    if (json_array_size(rows) == 0) {
        json_decref(rows);
        return rc;
    }

    putchar('\n');

    return rc | ctl_print(ctl, row, rows);
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

    return plan_print(ctl, cluster_columns, v, "nodes", node_row, servers);
}


/* "ip=127.0.0.1,port=6380,state=online,offset=56,lag=0" */
static json_t *
plan_replica(rbl_str_t value)
{
    char         host[RBL_HOST_MAX], node[RBL_HOST_PORT_TEXT], state[32];
    int64_t      port, lag;
    rbl_str_t    part;
    const char  *comma;

    rbl_host_port_t  at;

    host[0] = '\0';
    state[0] = '\0';
    port = 0;
    lag = 0;

    while (value.n > 0) {
        comma = memchr(value.p, ',', value.n);
        part = value;
        part.n = comma ? (size_t) (comma - value.p) : value.n;
        value.p += part.n + (comma != NULL);
        value.n -= part.n + (comma != NULL);

        if (part.n > 3 && memcmp(part.p, "ip=", 3) == 0) {
            rbl_copy(host, sizeof(host),
                     (rbl_str_t) { part.p + 3, part.n - 3 });

        } else if (part.n > 5 && memcmp(part.p, "port=", 5) == 0) {
            (void) rbl_int_parse(&port, (rbl_str_t) { part.p + 5, part.n - 5 },
                                 1, 65535);

        } else if (part.n > 6 && memcmp(part.p, "state=", 6) == 0) {
            rbl_copy(state, sizeof(state),
                     (rbl_str_t) { part.p + 6, part.n - 6 });

        } else if (part.n > 4 && memcmp(part.p, "lag=", 4) == 0) {
            (void) rbl_int_parse(&lag, (rbl_str_t) { part.p + 4, part.n - 4 },
                                 0, INT64_MAX);
        }
    }

    memset(&at, 0, sizeof(at));
    rbl_copy(at.host, sizeof(at.host), rbl_str(host));
    at.port = (unsigned) port;

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
        value = ctl_info_value(rbl_reply_str(reply), name);

        if (value.n == 0) {
            break;
        }

        json_array_append_new(rows, plan_replica(value));
    }

    freeReplyObject(reply);

    return rows;
}


static int
plan_master(ctl_t *ctl, json_t *servers)
{
    json_t        *v, *rows;
    const json_t  *row, *good;

    rows = plan_replicas(ctl);
    if (rows == NULL) {
        json_decref(servers);
        return CTL_ERROR;
    }

    row = json_array_get(servers, 0);
    good = json_object_get(row, "good");
    v = json_pack("{ss}", "store", ctl->conf.store);
    json_object_set(v, "master", json_object_get(row, "node"));
    json_object_set(v, "state", json_object_get(row, "state"));
    json_object_set(v, "role", json_object_get(row, "role"));
    json_object_set(v, "replicas", json_object_get(row, "replicas"));
    json_object_set(v, "good", json_object_get(row, "good"));
    json_object_set_new(v, "min_replicas",
                        json_string(json_is_integer(good) ? "set"
                                                          : "not set"));
    json_decref(servers);

    return plan_print(ctl, master_columns, v, "nodes", replica_row, rows);
}


int
ctl_store_plan(ctl_t *ctl)
{
    int          rc;
    json_t      *servers;
    rbl_meta_t   meta;

    if (ctl_connect(ctl) != 0) {
        return CTL_ERROR;
    }

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
