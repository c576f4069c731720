/*
 * Keeps the table of system lists.  A look is a chain of commands (version,
 * sum, order, records, keys, sum once more); only one chain runs at a time, and
 * the table in use is replaced when a whole new one is ready.  The sum belongs
 * to the table only if nothing changed during the chain.
 */

#include "base/log.h"
#include "base/timer.h"
#include "base/xalloc.h"
#include "table.h"

#include <stdlib.h>

#define LOOK_EVERY  1.0
#define LISTS_MAX   4096

struct table_s {
    store_t         *store;
    lists_t         *lists;             /* NULL: not loaded yet */
    lists_t         *fresh;             /* read, its sum not yet confirmed */
    int64_t          version;           /* of `lists`; -1: none */
    char             sum[41], coming_sum[41];
    int64_t          coming;            /* of the chain that runs */
    loop_timer_t     timer;
    unsigned         busy:1;
};


/* 1 if nothing at all can be read. */

static unsigned
not_asked(rbl_str_t raw)
{
    rbl_list_t  l;

    if (raw.p == NULL || rbl_list_decode(&l, raw) != RBL_OK) {
        return 1;
    }

    log_warn("system list %.*s is not queried: unknown rules",
             (int) l.zone.n, l.zone.p);

    return 0;
}


static void
on_records(void *data, const redisReply *reply)
{
    size_t      i, n;
    list_t     *list;
    lists_t    *lists;
    table_t    *table = data;
    unsigned    damaged;
    rbl_str_t   raw;

    lists_free(table->fresh);
    table->fresh = NULL;

    n = rbl_reply_len(reply);
    if (n == 0) {
        return;
    }

    lists = lists_new();

    for (i = 0, damaged = 0; i < n; i++) {
        raw = rbl_reply_str(rbl_reply_at(reply, i));
        list = list_from_record(raw);

        if (list == NULL) {
            damaged += not_asked(raw);
            table->coming_sum[0] = '\0';

        } else {
            lists_add(lists, list);
        }
    }

    if (damaged > 0) {
        log_warn("%u system lists are not queried: malformed records",
                 damaged);
    }

    table->fresh = lists;
}


/* A list without its required key is not queried. */

static void
on_keys(void *data, const redisReply *reply)
{
    size_t    i, missing;
    list_t   *list;
    table_t  *table = data;

    if (table->fresh == NULL) {
        return;
    }

    if (reply == NULL || rbl_reply_class(reply) != RBL_REPLY_OK) {
        lists_free(table->fresh);
        table->fresh = NULL;
        return;
    }

    for (i = 0, missing = 0; i < lists_count(table->fresh); i++) {
        list = lists_at(table->fresh, i);
        list_key_find(list, reply);
        missing += list->ask == NULL && strcmp(list->status, "active") == 0;
    }

    if (missing != 0) {
        log_warn("%zu active lists are not queried: no key", missing);
    }
}


static void
on_sum_again(void *data, const redisReply *reply)
{
    rbl_str_t   sum;
    table_t    *table = data;

    table->busy = 0;

    if (table->fresh == NULL) {
        return;
    }

    sum = rbl_reply_str(reply);

    if (sum.p == NULL || !rbl_str_is(sum, table->coming_sum)) {
        table->coming_sum[0] = '\0';
    }

    lists_free(table->lists);
    table->lists = table->fresh;
    table->fresh = NULL;
    table->version = table->coming;
    memcpy(table->sum, table->coming_sum, sizeof(table->sum));
    log_info("%zu system lists, version %lld", lists_count(table->lists),
             (long long) table->version);
}


static void
ask_sum(table_t *table, store_reply_pt cb)
{
    rbl_key_t  key;

    store_command(table->store, cb, table,
                  RBL_COMMAND("HGET",
                              store_key(table->store, &key, 0, "defaults:for"),
                              RBL_STR("sum")));
}


static void
ask_keys(table_t *table)
{
    rbl_key_t  key;

    store_command(table->store, on_keys, table,
                  RBL_COMMAND("HGETALL",
                              store_key(table->store, &key, 0, "lists:keys")));
}


static void
no_lists(table_t *table)
{
    table->busy = 0;

    lists_free(table->lists);
    table->lists = lists_new();
    table->version = table->coming;
    table->sum[0] = '\0';
}


static void
on_order(void *data, const redisReply *reply)
{
    int         argc;
    size_t      i, n;
    table_t    *table = data;
    rbl_key_t  *keys;
    rbl_str_t  *argv;

    if (reply == NULL || reply->type != REDIS_REPLY_ARRAY) {
        table->busy = 0;
        return;
    }

    n = rbl_reply_len(reply);
    if (n == 0) {
        no_lists(table);
        return;
    }

    if (n > LISTS_MAX) {
        table->coming_sum[0] = '\0';
        log_warn("only the first %d of %zu system lists are used", LISTS_MAX,
                 n);
        n = LISTS_MAX;
    }

    keys = xcalloc(n, sizeof(rbl_key_t));
    argv = xcalloc(n + 1, sizeof(rbl_str_t));
    argc = 0;
    argv[argc++] = RBL_STR("MGET");

    for (i = 0; i < n; i++) {
        argv[argc++] = rbl_key(&keys[i], store_keyspace(table->store), 0, "r",
                               RBL_STR("SYS"),
                               rbl_reply_str(rbl_reply_at(reply, i)));
    }

    store_command(table->store, on_records, table, argc, argv);
    ask_keys(table);
    ask_sum(table, on_sum_again);

    free(keys);
    free(argv);
}


static void
on_sum(void *data, const redisReply *reply)
{
    rbl_str_t   sum;
    table_t    *table = data;

    sum = rbl_reply_str(reply);
    table->coming_sum[0] = '\0';

    if (sum.p != NULL && sum.n < sizeof(table->coming_sum)) {
        memcpy(table->coming_sum, sum.p, sum.n);
        table->coming_sum[sum.n] = '\0';
    }
}


static void
on_version(void *data, const redisReply *reply)
{
    rbl_key_t   key;
    table_t    *table = data;

    if (reply == NULL || rbl_reply_class(reply) != RBL_REPLY_OK) {
        table->busy = 0;
        return;
    }

    table->coming = rbl_reply_int(reply, 0);
    if (table->coming == table->version) {
        table->busy = 0;
        return;
    }

    ask_sum(table, on_sum);

    store_command(table->store, on_order, table,
                  RBL_COMMAND("ZRANGE",
                              store_key(table->store, &key, 0, "lists"),
                              RBL_STR("0"), RBL_STR("-1")));
}


void
table_refresh(table_t *table)
{
    rbl_key_t  key;

    if (table->busy || !store_ready(table->store)) {
        return;
    }

    table->busy = 1;
    store_command(table->store, on_version, table,
                  RBL_COMMAND("GET",
                              store_key(table->store, &key, 0, "lists:ver")));
}


static void
on_timer(void *data)
{
    table_refresh(data);
}


table_t *
table_new(struct ev_loop *loop, store_t *store)
{
    table_t  *table;

    table = xcalloc(1, sizeof(table_t));
    table->store = store;
    table->version = -1;
    timer_init(&table->timer, loop, on_timer, table);

    return table;
}


void
table_free(table_t *table)
{
    if (table == NULL) {
        return;
    }

    store_forget(table->store, table);
    timer_stop(&table->timer);
    lists_free(table->fresh);
    lists_free(table->lists);
    free(table);
}


void
table_state(table_t *table, int ready)
{
    if (!ready) {
        timer_stop(&table->timer);
        return;
    }

    /* Another store may be behind the address now. */

    table->version = -1;
    timer_every(&table->timer, LOOK_EVERY, LOOK_EVERY);
    table_refresh(table);
}


int
table_loaded(const table_t *table)
{
    return table->lists != NULL;
}


rbl_str_t
table_sum(const table_t *table)
{
    return rbl_str(table->lists != NULL ? table->sum : "");
}


size_t
table_count(const table_t *table)
{
    return table->lists != NULL ? lists_count(table->lists) : 0;
}


list_t *
table_at(const table_t *table, size_t i)
{
    return table->lists != NULL ? lists_at(table->lists, i) : NULL;
}


list_t *
table_find(const table_t *table, rbl_str_t sid)
{
    return table->lists != NULL ? lists_find(table->lists, sid) : NULL;
}
