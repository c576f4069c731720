/*
 * rblctl status: the verdict (verdict.c), the store and its content, and the
 * daemons that have claimed jobs within the last day, with their counters.
 */

#include "ctl.h"

#include "rbl_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>


#define STATUS_CONTENT                                                        \
    "prefix, initialised, partitions, schema, accounts, lists, lists_active," \
    " outbox, retry:deliveries, payments:payments to settle"

static const char  status_columns[] =
    "store, version, role, memory, policy:eviction,"
    " persistent:append-only file, " STATUS_CONTENT;

static const char  cluster_columns[] = "store, " STATUS_CONTENT;

static const ctl_table_t  status_tables[] = {
    { "servers",
      "node:SERVER, state, version, memory, policy:EVICTION,"
      " persistent:APPEND-ONLY, replicas, parts:PARTITIONS" },
    { "daemons",
      "name:DAEMON, pending:RUNNING, idle:IDLE (s), version, up,"
      " ended:CHECKS, a_second, questions.asked:QUESTIONS,"
      " questions.in_flight, questions.waiting, waits:QUEUE (s),"
      " deliveries.delivered" },
    { NULL, NULL }
};


/* One server is the store, and its properties are those of the store. */
static json_t *
ctl_status_store(ctl_t *ctl)
{
    json_t  *v, *servers, *first;

    servers = ctl_servers(ctl);
    v = json_pack("{ss ss so}", "store", ctl->conf.store,
                  "prefix", ctl->conf.store_prefix, "servers", servers);
    first = json_array_get(servers, 0);

    if (v != NULL && ctl->conf.place.kind != RBL_PLACE_CLUSTER) {
        static const char *const  own[] = {
            "version", "role", "memory", "policy", "persistent"
        };

        size_t  i;

        for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
            json_object_set(v, own[i], json_object_get(first, own[i]));
        }
    }

    return v;
}


/*
 * Adds the daemons of a slice of a partition to the known ones, by name.  `at`
 * is the start of the slice, rank and cursor, and becomes that of the next.
 */
static int
ctl_status_slice(ctl_t *ctl, rbl_str_t lists, char at[2][24], json_t *daemons)
{
    size_t       i;
    json_t      *d;
    int64_t      idle, pending;
    rbl_str_t    name;
    redisReply  *reply;

    rbl_daemons_show_args_t   args;
    rbl_daemons_show_reply_t  said;

    args.lists = lists;
    args.rank = rbl_str(at[0]);
    args.cursor = rbl_str(at[1]);

    reply = ctl_script(ctl, CTL_SCRIPT(daemons_show, args));
    if (reply == NULL) {
        return -1;
    }

    rbl_daemons_show_reply(&said, reply);
    snprintf(at[0], 24, "%lld", (long long)
             (said.word == RBL_DAEMONS_SHOW_OK ? said.rank : -1));
    snprintf(at[1], 24, "%.*s", said.cursor.n ? (int) said.cursor.n : 2,
             said.cursor.n ? said.cursor.p : "-1");

    for (i = 3; i + 2 < rbl_reply_len(reply); i += 3) {
        name = rbl_reply_str(rbl_reply_at(reply, i));
        idle = rbl_reply_int(rbl_reply_at(reply, i + 1), 0) / 1000;
        pending = rbl_reply_int(rbl_reply_at(reply, i + 2), 0);

        if (name.n == 0 || !rbl_text_ok(name)) {
            continue;
        }

        d = json_object_get(daemons, name.p);
        if (d == NULL) {
            d = json_pack("{so si sI}", "name", ctl_text(name), "pending", 0,
                          "idle", (json_int_t) idle);
            json_object_set_new(daemons, name.p, d);
        }

        json_object_set_new(d, "pending",
            json_integer(json_integer_value(json_object_get(d, "pending"))
                         + pending));

        if (idle < json_integer_value(json_object_get(d, "idle"))) {
            json_object_set_new(d, "idle", json_integer(idle));
        }
    }

    freeReplyObject(reply);

    return 0;
}


static int
ctl_status_daemons(ctl_t *ctl, json_t *daemons)
{
    char       at[2][24];
    unsigned   p;
    rbl_key_t  key;

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (ctl_away(ctl, p)) {
            continue;
        }

        memset(at, 0, sizeof(at));
        at[0][0] = at[1][0] = '0';

        do {
            if (ctl_status_slice(ctl, ctl_key(ctl, &key, p, "lists"), at,
                                 daemons)
                != 0)
            {
                return -1;
            }

        } while (strcmp(at[0], "-1") != 0 || strcmp(at[1], "-1") != 0);
    }

    return 0;
}


static int
ctl_status_sums(ctl_t *ctl, json_t *v)
{
    size_t     i;
    int64_t    n, sum;
    unsigned   p, first, last;
    rbl_key_t  key;

    static const struct {
        const char  *name, *verb, *key;
        int          once;              /* the same in every partition */
    } sums[] = {
        { "accounts", "ZCARD", "accounts", 0 },
        { "lists", "ZCARD", "lists", 1 },
        { "outbox", "XLEN", "outbox", 0 },
        { "retry", "ZCARD", "retry", 0 },
        { "payments", "ZCARD", "unpaid:operator", 0 }
    };

    first = ctl_here(ctl);

    for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        last = sums[i].once ? first + 1 : ctl->ks.partitions;

        for (p = first, sum = 0; p < last; p++) {
            if (ctl_away(ctl, p)) {
                continue;
            }

            n = ctl_count(ctl, sums[i].verb,
                          ctl_key(ctl, &key, p, sums[i].key));
            if (n < 0) {
                return -1;
            }

            sum += n;
        }

        json_object_set_new(v, sums[i].name, json_integer(sum));
    }

    return 0;
}


static int
ctl_status_lists(ctl_t *ctl, json_t *v)
{
    rbl_mp_t     mp;
    rbl_key_t    key;
    redisReply  *reply;

    reply = ctl_command(ctl, RBL_COMMAND("GET",
                        ctl_key(ctl, &key, ctl_here(ctl), "defaults")));
    if (reply == NULL) {
        return -1;
    }

    rbl_mp_init(&mp, rbl_reply_str(reply));
    json_object_set_new(v, "lists_active",
                        json_integer((json_int_t) rbl_mp_array(&mp)));
    freeReplyObject(reply);

    return 0;
}


static int64_t
ctl_status_number(const json_t *d, const char *group, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(d, group), key));
}


/* "3d 4h", "4h 5m", "5m 6s" */
static json_t *
ctl_status_up(const json_t *started)
{
    char           text[64];
    long           s;
    struct tm      tm;
    const char    *from;

    from = json_string_value(started);
    memset(&tm, 0, sizeof(tm));

    if (from == NULL || strptime(from, "%Y-%m-%dT%H:%M:%S", &tm) == NULL) {
        return json_string("");
    }

    s = (long) (time(NULL) - timegm(&tm));
    s = s > 0 ? s : 0;

    if (s >= 86400) {
        snprintf(text, sizeof(text), "%ldd %ldh", s / 86400, s / 3600 % 24);

    } else if (s >= 3600) {
        snprintf(text, sizeof(text), "%ldh %ldm", s / 3600, s / 60 % 60);

    } else {
        snprintf(text, sizeof(text), "%ldm %lds", s / 60, s % 60);
    }

    return json_string(text);
}


/* Adds the columns that are made of several numbers of a daemon. */
static void
ctl_status_columns(json_t *d)
{
    char     rate[32];
    int64_t  age, due;

    age = ctl_status_number(d, "queue", "manual_ms");
    due = ctl_status_number(d, "queue", "due_ms");
    age = (age > due ? age : due) / 1000;
    (void) rbl_metric_text(rate, ctl_status_number(d, "checks", "per_1000s"),
                           RBL_METRIC_MILLI);
    rate[strlen(rate) - 2] = '\0';     /* one decimal is enough */

    json_object_set_new(d, "up",
                        ctl_status_up(json_object_get(d, "started")));
    json_object_set_new(d, "ended",
        json_integer(ctl_status_number(d, "checks", "completed")
                     + ctl_status_number(d, "checks", "failed")));
    json_object_set_new(d, "a_second", json_string(rate));
    json_object_set_new(d, "waits", json_integer(age));
}


/* Adds the counters of each daemon, and its conditions. */
static int
ctl_status_counted(ctl_t *ctl, json_t *daemons, rbl_conditions_t *conditions)
{
    size_t   i;
    json_t  *all, *m, *d;

    if (ctl_away(ctl, 0)) {
        return 0;                       /* it has them */
    }

    all = ctl_daemons(ctl, conditions);
    if (all == NULL) {
        return -1;
    }

    json_array_foreach(all, i, m) {
        d = json_object_get(daemons,
                            json_string_value(json_object_get(m, "name")));
        if (d == NULL) {
            continue;
        }

        json_object_update(d, m);

        if (!ctl->json) {
            ctl_status_columns(d);
        }
    }

    json_decref(all);

    return 0;
}


static int
ctl_status_print(ctl_t *ctl, json_t *v, json_t *daemons)
{
    int                rc, none;
    json_t            *rows, *d;
    const char        *name;
    rbl_place_kind_t   kind;

    rows = json_array();
    json_object_foreach(daemons, name, d) {
        json_array_append(rows, d);
    }

    json_decref(daemons);
    json_object_set_new(v, "daemons", rows);
    none = json_array_size(rows) == 0 && ctl_here(ctl) < ctl->ks.partitions;
    kind = ctl->conf.place.kind;

    if (!ctl->json) {
        ctl_verdict_print(v);
    }

    /* the lines of a store that is one server are those of the server */

    rc = ctl_print_tables(ctl, kind == RBL_PLACE_CLUSTER ? cluster_columns
                                                         : status_columns,
                          status_tables + (kind == RBL_PLACE_ONE), v);

    if (none && !ctl->json) {
        printf("\nNo daemon has claimed a job here yet.\n");
    }

    return rc;
}


/* Adds the content of the store, as far as it is there.  0; -1: error
   printed. */
static int
ctl_status_content(ctl_t *ctl, json_t *v, json_t *daemons,
    rbl_conditions_t *conditions)
{
    if (ctl_here(ctl) == ctl->ks.partitions) {
        return 0;
    }

    return ctl_status_sums(ctl, v) != 0 || ctl_status_lists(ctl, v) != 0
           || ctl_status_daemons(ctl, daemons) != 0
           || ctl_status_counted(ctl, daemons, conditions) != 0 ? -1 : 0;
}


int
ctl_status(ctl_t *ctl)
{
    int               rc, verdict;
    json_t           *v, *daemons;
    rbl_meta_t        meta;
    rbl_conditions_t  conditions;

    rbl_conditions_init(&conditions);
    rc = ctl_meta_read(ctl, &meta);

    if (rc == 0) {
        rc = ctl_meta_take(ctl, &meta);
    }

    if (rc == 0) {
        ctl_survey(ctl);
    }

    v = rc < 0 && ctl->conf.place.kind != RBL_PLACE_CLUSTER
        ? NULL : ctl_status_store(ctl);
    if (v == NULL) {
        return CTL_ERROR;
    }

    daemons = json_object();

    if (rc >= 0) {
        json_object_set_new(v, "initialised", json_boolean(rc == 0));
    }

    if (rc == 0) {
        json_object_set_new(v, "partitions", json_integer(meta.partitions));
        json_object_set_new(v, "schema", json_integer(meta.schema));
        rc = ctl_status_content(ctl, v, daemons, &conditions);

        if (meta.schema < RBL_SCHEMA_VERSION) {
            ctl_note("the store has schema %lld; rblctl upgrade makes it %d",
                     (long long) meta.schema, RBL_SCHEMA_VERSION);
        }
    }

    ctl_servers_note(json_object_get(v, "servers"));
    (void) ctl_away_note(ctl, "cannot be used");
    verdict = rc < 0 ? CTL_ERROR : ctl_verdict(ctl, v, rc == 0, &conditions);

    return ctl_status_print(ctl, v, daemons) != CTL_OK ? CTL_ERROR : verdict;
}
