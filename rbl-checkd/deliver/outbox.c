/*
 * Reads the outbox of every partition and turns each entry into deliveries.
 *
 * A read is of one partition, since a cluster has them on different nodes, and
 * never blocks.  All partitions are read at an interval; one is read at once
 * after a check of this process has ended in it, and as long as it has more
 * entries.  Reads stop while many attempts wait.
 *
 * After a start and after trouble, a partition first gives this daemon's own
 * pending entries ("0"), then new ones (">").  Trouble of a partition stops
 * only its own reads.
 *
 * It has a connection of its own: its reads would wait behind the many commands
 * of deliveries, which costs a fifth of their rate.
 *
 * Entries of daemons that died, or that found no store for long, are taken over
 * after the lease.
 *
 * Owned here: the connection, the keys and the set of entries on their way.
 */

#include "base/xalloc.h"
#include "first.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"


#define OUTBOX_COUNT      8u            /* entries of a partition a read, */
#define OUTBOX_BATCH      128u          /* or so many of all together */
#define OUTBOX_EVERY      0.1           /* s between reads of all partitions, */
#define OUTBOX_AGAIN      1.0           /* s after trouble */
#define OUTBOX_OPEN       1024u         /* entries on their way */
#define OUTBOX_TAKEOVER   "64"          /* entries of a partition at a time */

typedef struct {
    turn_t      turn;                   /* read, or XGROUP CREATE */
    rbl_key_t   key;
    char        cursor[48];             /* of XAUTOCLAIM */
    ev_tstamp   later;                  /* no read before, after trouble */
    unsigned    open;                   /* entries on their way */
    unsigned    backlog:1;              /* own pending entries first */
    unsigned    own:1;                  /* the read in flight is for them */
} outbox_part_t;

struct outbox_s {
    deliver_t      *deliver;
    store_t        *store;
    safe_t         *safe;
    turns_t        *turns;
    ev_timer        takeover;
    entry_set_t     set;
};


static outbox_part_t *
outbox_part(const outbox_t *ob, unsigned n)
{
    return (outbox_part_t *) turns_part(ob->turns, n);
}


static rbl_str_t
outbox_key(const outbox_part_t *part)
{
    return (rbl_str_t) { part->key.s, part->key.n };
}


/* The entries concerned are pending for this daemon, or will be. */

static void
outbox_trouble(outbox_part_t *part)
{
    part->backlog = 1;
    part->later = clock_now() + OUTBOX_AGAIN;
}


static void
outbox_refused(outbox_part_t *part, const redisReply *reply)
{
    rbl_str_t  why;

    outbox_trouble(part);

    if (reply != NULL) {
        why = rbl_reply_error(reply);
        log_error("cannot read the outbox of partition %u: %.*s", part->turn.n,
                  (int) why.n, why.p);
    }
}


static void
outbox_start(entry_t *e)
{
    if (entry_start(e)) {
        first_add(e->set->deliver->first, e);
    }
}


/* If it is not safe, it stays pending, and is read again. */

static void
outbox_safe(safe_item_t *item, int good)
{
    entry_t  *e = link_of(item, entry_t, held);

    if (good && !e->set->deliver->stopped) {
        outbox_start(e);

    } else {
        entry_end(e, 0);
    }
}


/* 0, or -1: malformed. */

static int
outbox_take(outbox_part_t *part, const redisReply *reply)
{
    entry_t   *e;
    outbox_t  *ob = part->turn.data;

    e = entry_new(&ob->set, part->turn.n, reply);
    if (e == NULL) {
        return -1;
    }

    part->open++;
    e->held.done = outbox_safe;

    if (!safe_hold(ob->safe, outbox_key(part), &e->held)) {
        outbox_start(e);
    }

    return 0;
}


/* Entries, or claims, that were held are on their way. */

static void
outbox_rest(void *data)
{
    outbox_t  *ob = data;

    first_ask(ob->deliver->first);
    outbox_more(ob);
    queue_rest(ob->deliver);
}


int
outbox_hold(outbox_t *ob, unsigned part, safe_item_t *item)
{
    rbl_key_t  key;

    return safe_hold(ob->safe,
                     store_key(ob->store, &key, part, "outbox"), item);
}


static void
outbox_entry_done(void *data, unsigned part, int good)
{
    outbox_t  *ob = data;

    outbox_part(ob, part)->open--;

    if (!good) {
        outbox_trouble(outbox_part(ob, part));
    }

    outbox_more(ob);
}


/* All partitions are read at the same times. */

static void
outbox_rested(outbox_part_t *part, int more)
{
    double     every;
    outbox_t  *ob = part->turn.data;

    every = turns_interval(ob->turns);
    turns_done(&part->turn, more ? 0 : (double) ((int64_t) (clock_now() / every)
                                                 + 1) * every);
    outbox_more(ob);
}


static unsigned
outbox_count(const outbox_t *ob)
{
    unsigned  n = OUTBOX_BATCH / turns_parts(ob->turns);

    return n > OUTBOX_COUNT ? n : OUTBOX_COUNT;
}


/* {{key, entries}}, or nil.  1: there may be more. */

static int
outbox_entries(outbox_part_t *part, const redisReply *reply)
{
    size_t             i, n;
    outbox_t          *ob = part->turn.data;
    const redisReply  *entries;

    entries = rbl_reply_rest(rbl_reply_at(reply, 0));
    n = rbl_reply_len(entries);

    for (i = 0; i < n; i++) {
        if (outbox_take(part, rbl_reply_at(entries, i)) != 0) {
            outbox_trouble(part);
        }
    }

    first_ask(ob->deliver->first);

    if (part->own && n == 0) {
        part->backlog = 0;
    }

    return part->own || n == outbox_count(ob);
}


static void
outbox_group_made(void *data, const redisReply *reply)
{
    outbox_part_t  *part = data;

    /* BUSYGROUP, it is there already, is the ordinary case */

    if (reply == NULL
        || (rbl_reply_class(reply) != RBL_REPLY_OK
            && strncmp(reply->str, "BUSYGROUP", 9) != 0))
    {
        outbox_refused(part, reply);
    }

    outbox_rested(part, 1);
}


static void
outbox_group(outbox_part_t *part)
{
    outbox_t  *ob = part->turn.data;

    store_command(ob->store, outbox_group_made, part,
                  RBL_COMMAND("XGROUP", RBL_STR("CREATE"), outbox_key(part),
                              RBL_STR(DELIVER_GROUP), RBL_STR("0"),
                              RBL_STR("MKSTREAM")));
}


static void
outbox_got(void *data, const redisReply *reply)
{
    int             more;
    outbox_part_t  *part = data;

    more = 0;

    switch (reply != NULL ? rbl_reply_class(reply) : RBL_REPLY_ERROR) {

    case RBL_REPLY_OK:
        more = outbox_entries(part, reply);
        break;

    case RBL_REPLY_NOGROUP:
        outbox_group(part);
        return;

    default:
        /* without a reply, the store may have given us entries that never
           came */

        outbox_refused(part, reply);
    }

    outbox_rested(part, more);
}


/*
 * Own pending entries are read when none of the partition is on its way; new
 * ones while there is room for them.
 */

static int
outbox_may_read(const outbox_part_t *part)
{
    const outbox_t  *ob = part->turn.data;

    if (part->later > clock_now()) {
        return 0;
    }

    return part->backlog ? part->open == 0
           : ob->set.n == 0
             || (ob->set.n < OUTBOX_OPEN && queue_has_room(ob->deliver));
}


static int
outbox_read(turn_t *turn)
{
    char            count[RBL_OUT_INT];
    outbox_t       *ob = turn->data;
    outbox_part_t  *part = (outbox_part_t *) turn;

    if (!outbox_may_read(part)) {
        return 0;
    }

    part->own = part->backlog;
    store_command(ob->store, outbox_got, part,
                  RBL_COMMAND("XREADGROUP", RBL_STR("GROUP"),
                              RBL_STR(DELIVER_GROUP),
                              rbl_str(ob->deliver->conf->name),
                              RBL_STR("COUNT"),
                              rbl_out_int_text(count, outbox_count(ob)),
                              RBL_STR("STREAMS"), outbox_key(part),
                              part->own ? RBL_STR("0") : RBL_STR(">")));

    return 1;
}


/* By default each daemon process has a new name.  Those that have nothing
   pending and were not seen for a day are removed. */

static void
outbox_trim(outbox_part_t *part)
{
    outbox_t                  *ob = part->turn.data;
    rbl_consumers_trim_args_t  args;

    args.stream = outbox_key(part);
    args.group = RBL_STR(DELIVER_GROUP);
    args.idle = RBL_STR("86400000");

    store_call(ob->store, consumers_trim, NULL, NULL, args);
}


static void
outbox_part_init(turn_t *turn)
{
    outbox_t       *ob = turn->data;
    outbox_part_t  *part = (outbox_part_t *) turn;

    turn->busy = 1;
    part->backlog = 1;
    part->cursor[0] = '0';
    store_key(ob->store, &part->key, turn->n, "outbox");
    outbox_group(part);
    outbox_trim(part);
}


static const turns_kind_t  outbox_turns = {
    .size = sizeof(outbox_part_t),
    .spread = 1,
    .take = outbox_read,
    .init = outbox_part_init
};


void
outbox_more(outbox_t *ob)
{
    turns_run(ob->turns);
}


void
outbox_wake(outbox_t *ob, unsigned part)
{
    turns_soon(ob->turns, part);
    turns_run(ob->turns);
}


/* Some of ours may have been idle for so long, if the store was away. */

static size_t
outbox_take_idle(outbox_part_t *part, const redisReply *entries)
{
    size_t             i, n;
    outbox_t          *ob = part->turn.data;
    const redisReply  *entry;

    n = 0;

    for (i = 0; i < rbl_reply_len(entries); i++) {
        entry = rbl_reply_at(entries, i);

        if (!entry_known(&ob->set, part->turn.n, rbl_reply_name(entry))
            && outbox_take(part, entry) == 0)
        {
            n++;
        }
    }

    return n;
}


/* [cursor, entries, deleted ids] */

static void
outbox_taken_over(void *data, const redisReply *reply)
{
    size_t          n;
    rbl_str_t       cursor;
    outbox_t       *ob;
    outbox_part_t  *part = data;

    if (reply == NULL || rbl_reply_class(reply) != RBL_REPLY_OK) {
        return;
    }

    cursor = rbl_reply_name(reply);

    if (cursor.n > 0 && cursor.n < sizeof(part->cursor)) {
        memcpy(part->cursor, cursor.p, cursor.n);
        part->cursor[cursor.n] = '\0';
    }

    ob = part->turn.data;
    n = outbox_take_idle(part, rbl_reply_rest(reply));

    if (n > 0) {
        first_ask(ob->deliver->first);
        log_notice("took over %zu outbox entries of partition %u", n,
                   part->turn.n);
    }
}


static void
outbox_takeover_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    char            idle[24];
    unsigned        p;
    outbox_t       *ob = timer->data;
    deliver_t      *d = ob->deliver;
    outbox_part_t  *part;

    (void) loop;
    (void) revents;

    snprintf(idle, sizeof(idle), "%.0f", d->conf->lease * 1000.0);

    for (p = 0; p < turns_parts(ob->turns); p++) {
        part = outbox_part(ob, p);
        store_command(ob->store, outbox_taken_over, part,
                      RBL_COMMAND("XAUTOCLAIM", outbox_key(part),
                                  RBL_STR(DELIVER_GROUP),
                                  rbl_str(d->conf->name), rbl_str(idle),
                                  rbl_str(part->cursor), RBL_STR("COUNT"),
                                  RBL_STR(OUTBOX_TAKEOVER)));
    }
}


static void
outbox_state(void *data, int ready)
{
    unsigned   p;
    outbox_t  *ob = data;

    if (!ready) {
        return;
    }

    for (p = 0; p < turns_parts(ob->turns); p++) {
        outbox_part(ob, p)->later = 0;
    }

    turns_all_soon(ob->turns);
}


store_t *
outbox_store(const outbox_t *ob)
{
    return ob->store;
}


unsigned
outbox_pending(const outbox_t *ob)
{
    return ob->set.n;
}


outbox_t *
outbox_new(deliver_t *d)
{
    outbox_t  *ob;

    ob = xcalloc(1, sizeof(outbox_t));
    ob->deliver = d;
    ob->set.deliver = d;
    ob->set.done = outbox_entry_done;
    ob->set.data = ob;
    link_init(&ob->set.entries);

    ob->store = store_second(d->loop, d->conf, outbox_state, ob);
    ob->safe = safe_new(ob->store, outbox_rest, ob);
    ob->turns = turns_new(d->loop, ob->store, &outbox_turns, OUTBOX_EVERY, ob);
    ev_timer_init(&ob->takeover, outbox_takeover_handler, d->conf->lease / 4,
                  d->conf->lease / 4);
    ob->takeover.data = ob;
    ev_timer_start(d->loop, &ob->takeover);

    return ob;
}


/* Entries on their way end.  Entries of a read in flight are pending, and will
   be taken over. */

void
outbox_stop(outbox_t *ob)
{
    turns_stop(ob->turns);
    turns_forget(ob->turns);
    ev_timer_stop(ob->deliver->loop, &ob->takeover);
}


void
outbox_free(outbox_t *ob)
{
    outbox_stop(ob);
    entry_clear(&ob->set);
    safe_free(ob->safe);
    turns_free(ob->turns);
    store_free(ob->store);
    free(ob);
}
