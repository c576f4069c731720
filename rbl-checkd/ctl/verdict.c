/*
 * rblctl status: the conditions of the service and the verdict
 * (rbl_condition.h), from the records of the daemons and from what rblctl sees
 * itself.
 */

#include "client.h"

#include "rbl_condition.h"
#include "rbl_shape.h"

#include <stdio.h>


/* Does the node with partition p refuse changes?  Writes why. */
static int
verdict_refuses(ctl_t *ctl, unsigned node, unsigned p,
    char why[RBL_CONDITION_REASON])
{
    int           refuses;
    char          server[CTL_NODE_TEXT];
    rbl_str_t     text;
    rbl_key_t     key;
    ctl_why_t     ignored;
    redisReply   *reply;

    reply = !ctl_ready(ctl, node, &ignored) ? NULL
            : ctl_ask(ctl, node, NULL, RBL_COMMAND("EVAL",
                      RBL_CONDITION_PROBE, RBL_STR("1"),
                      ctl_key(ctl, &key, p, "accounts")), &ignored);

    /* a replica refuses, too, and its master may be well */

    refuses = reply != NULL && rbl_reply_class(reply) == RBL_REPLY_NOWRITE;

    if (refuses) {
        text = rbl_reply_error(reply);
        snprintf(why, RBL_CONDITION_REASON, "%s refuses changes: %.*s",
                 ctl_server_text(ctl, server, node), (int) text.n, text.p);
    }

    freeReplyObject(reply);

    return refuses;
}


/* The first node that refuses changes. */
static void
verdict_probe(ctl_t *ctl, char why[RBL_CONDITION_REASON])
{
    unsigned       p, node;
    rbl_key_t      key;
    unsigned char  seen[RBL_NODES_MAX] = { 0 };

    why[0] = '\0';

    for (p = 0; p < ctl->ks.partitions; p++) {
        node = rbl_nodes_of(ctl->store.nodes,
                            ctl_key(ctl, &key, p, "accounts"));

        if (ctl_away(ctl, p) || node >= RBL_NODES_MAX || seen[node]) {
            continue;
        }

        seen[node] = 1;

        if (verdict_refuses(ctl, node, p, why)) {
            return;
        }
    }
}


/* When a daemon last asked for jobs; 0: never. */
static int64_t
verdict_seen(ctl_t *ctl)
{
    int64_t      seen;
    rbl_key_t    key;
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_COMMAND("ZREVRANGE",
                        ctl_key(ctl, &key, 0, "daemons"), RBL_STR("0"),
                        RBL_STR("0"), RBL_STR("WITHSCORES")));
    seen = rbl_reply_int(rbl_reply_at(reply, 1), 0);
    freeReplyObject(reply);

    return seen;
}


static unsigned
verdict_away(const ctl_t *ctl)
{
    unsigned  p, n;

    for (p = n = 0; p < ctl->ks.partitions; p++) {
        n += ctl_away(ctl, p) != 0;
    }

    return n;
}


/* Adds "verdict" and "conditions". */
static void
verdict_json(json_t *v, const rbl_conditions_t *all, rbl_service_t verdict)
{
    unsigned                i;
    json_t                 *rows;
    const rbl_condition_t  *row;

    rows = json_array();

    for (i = 0; i < all->n; i++) {
        row = &all->row[i];
        json_array_append_new(rows, json_pack("{ss ss so so so}",
            "name", row->name, "state", rbl_service_names[row->severity],
            "since", ctl_time(row->since),
            "reason", ctl_text(rbl_str(row->reason)),
            "remedy", ctl_text(rbl_str(row->remedy))));
    }

    json_object_set_new(v, "verdict",
                        json_string(rbl_service_names[verdict]));
    json_object_set_new(v, "conditions", rows);
}


/* A row if some of the Sentinels do not answer. */
static void
verdict_sentinels(ctl_t *ctl, rbl_conditions_t *all)
{
    char      why[64];
    unsigned  n;

    if (ctl->conf.place.kind != RBL_PLACE_SENTINEL) {
        return;
    }

    n = store_sentinels(ctl->store.store)->up;

    if (n < ctl->conf.place.n) {
        snprintf(why, sizeof(why), "%u of %u Sentinels answer", n,
                 (unsigned) ctl->conf.place.n);
        (void) rbl_conditions_set(all, RBL_CONDITION_STORE_SENTINELS,
                                  RBL_SERVICE_DEGRADED, 0, rbl_str(why), NULL);
    }
}


/* A row if a server of a cluster is away, and one if a move of slots has left
   something behind. */
static void
verdict_shape(ctl_t *ctl, rbl_conditions_t *all)
{
    char          why[RBL_CONDITION_REASON], remedy[RBL_CONDITION_REMEDY];
    unsigned      node;
    redisReply   *reply;
    ctl_tried_t   tried;
    rbl_shape_t   shape;

    if (ctl->conf.place.kind != RBL_PLACE_CLUSTER) {
        return;
    }

    rbl_shape_init(&shape);

    for (node = ctl_next_node(ctl, RBL_NODE_NONE); node != RBL_NODE_NONE;
         node = ctl_next_node(ctl, node))
    {
        reply = ctl_try(ctl, node, RBL_COMMAND("CLUSTER", RBL_STR("NODES")),
                        &tried);
        rbl_shape_add(&shape, reply);
        freeReplyObject(reply);
    }

    if (shape.away > 0) {
        snprintf(why, sizeof(why), "servers that their cluster cannot reach:"
                 " %u, such as %s", shape.away, shape.away_at);
        (void) rbl_conditions_set(all, RBL_CONDITION_STORE_REPLICAS,
                                  RBL_SERVICE_DEGRADED, 0, rbl_str(why), NULL);
    }

    if (rbl_shape_fault(&shape, why, remedy)) {
        (void) rbl_conditions_set(all, RBL_CONDITION_STORE_SLOTS,
                                  RBL_SERVICE_DEGRADED, 0, rbl_str(why),
                                  remedy);
    }
}


rbl_service_t
ctl_conditions(ctl_t *ctl, int initialised, rbl_conditions_t *all)
{
    char          refuses[RBL_CONDITION_REASON], away[RBL_CONDITION_REASON];
    unsigned      n;
    rbl_reader_t  reader = { "", "", "", 0, 0, 0, 0, 0, 0 };

    if (!initialised) {
        reader.emptied = "the store has no meta data: it is new, or it was"
                         " emptied";

    } else {
        verdict_probe(ctl, refuses);
        verdict_sentinels(ctl, all);
        verdict_shape(ctl, all);
        reader.refuses = refuses;
        reader.blind = ctl_away(ctl, 0);
        n = verdict_away(ctl);

        if (n > 0) {
            snprintf(away, sizeof(away), "%u of %u partitions cannot be"
                     " reached", n, ctl->ks.partitions);
            reader.away = away;
            reader.partly = n < ctl->ks.partitions;
        }

        if (all->daemons == 0 && !reader.blind) {
            reader.daemon_seen = verdict_seen(ctl);
        }
    }

    return rbl_conditions_end(all, &reader);
}


int
ctl_verdict(ctl_t *ctl, json_t *v, int initialised, rbl_conditions_t *all)
{
    rbl_service_t  verdict;

    verdict = ctl_conditions(ctl, initialised, all);
    verdict_json(v, all, verdict);

    return verdict == RBL_SERVICE_BROKEN ? CTL_BROKEN
           : verdict == RBL_SERVICE_DEGRADED ? CTL_DEGRADED : CTL_OK;
}


static void
verdict_put(const json_t *row, const char *key, const char *before)
{
    const char  *text;

    text = json_string_value(json_object_get(row, key));

    if (text != NULL && text[0] != '\0') {
        fputs(before, stdout);
        ctl_put(stdout, text, strlen(text));
    }
}


void
ctl_verdict_print(const json_t *v)
{
    size_t         i;
    const json_t  *row, *rows;

    rows = json_object_get(v, "conditions");
    verdict_put(v, "verdict", "");

    json_array_foreach(rows, i, row) {
        verdict_put(row, "name", i == 0 ? ": " : ", ");
    }

    putchar('\n');

    json_array_foreach(rows, i, row) {
        verdict_put(row, "name", "");
        verdict_put(row, "state", ": ");
        verdict_put(row, "since", " since ");
        verdict_put(row, "reason", ": ");
        verdict_put(row, "remedy", "; ");
        putchar('\n');
    }

    putchar('\n');
}
