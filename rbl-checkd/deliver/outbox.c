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
 * Owned here: the connection, the keys and the set of entries on their way.
 */

#include "base/xalloc.h"
#include "outbox_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "store/group.h"


#define OUTBOX_COUNT      8u            /* entries of a partition a read, */
#define OUTBOX_BATCH      128u          /* or so many of all together */
#define OUTBOX_EVERY      0.1           /* s between reads of all partitions, */
#define OUTBOX_PARTS      64u           /* above so many of them: longer */
#define OUTBOX_AGAIN      1.0           /* s after trouble */
#define OUTBOX_OPEN       1024u         /* entries on their way */


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
        log_error("cannot read the outbox of partition %u: %.*s", part->n,
                  (int) why.n, why.p);
    }
}


/* It stays pending, and is read again. */

static void
outbox_safe(safe_item_t *item, int good)
{
    entry_t  *e = link_of(item, entry_t, held);

    if (good && !e->set->deliver->stopped) {
        entry_start(e);

    } else {
        entry_end(e, 0);
    }
}


int
outbox_take(outbox_part_t *part, const redisReply *reply)
{
    entry_t  *e;

    e = entry_new(&part->ob->set, part->n, reply);
    if (e == NULL) {
        return -1;
    }

    part->open++;
    e->held.done = outbox_safe;

    if (!safe_hold(part->ob->safe, outbox_key(part), &e->held)) {
        entry_start(e);
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
    deliver_rest(ob->deliver);
}


int
outbox_hold(outbox_t *ob, unsigned part, safe_item_t *item)
{
    rbl_key_t  key;

    return safe_hold(ob->safe,
                     rbl_key(&key, store_keyspace(ob->store), part, "outbox",
                             RBL_STR(""), RBL_STR("")), item);
}


static void
outbox_entry_done(void *data, unsigned part, int good)
{
    outbox_t  *ob = data;

    ob->parts[part].open--;

    if (!good) {
        outbox_trouble(&ob->parts[part]);
    }

    outbox_more(ob);
}


/* {{key, entries}}, or nil */

static void
outbox_entries(outbox_part_t *part, const redisReply *reply)
{
    size_t             i, n;
    const redisReply  *entries;

    entries = rbl_reply_rest(rbl_reply_at(reply, 0));
    n = rbl_reply_len(entries);

    for (i = 0; i < n; i++) {
        if (outbox_take(part, rbl_reply_at(entries, i)) != 0) {
            outbox_trouble(part);
        }
    }

    first_ask(part->ob->deliver->first);

    part->more |= part->own || n == part->ob->count;

    if (part->own && n == 0) {
        part->backlog = 0;
    }
}


static void
outbox_group_made(void *data, const redisReply *reply)
{
    outbox_part_t  *part = data;

    part->reading = 0;
    part->more = 1;

    /* BUSYGROUP, it is there already, is the ordinary case */

    if (reply == NULL
        || (rbl_reply_class(reply) != RBL_REPLY_OK
            && strncmp(reply->str, "BUSYGROUP", 9) != 0))
    {
        outbox_refused(part, reply);
    }

    outbox_more(part->ob);
}


static void
outbox_group(outbox_part_t *part)
{
    part->reading = 1;
    store_command(part->ob->store, outbox_group_made, part,
                  RBL_COMMAND("XGROUP", RBL_STR("CREATE"), outbox_key(part),
                              RBL_STR(DELIVER_GROUP), RBL_STR("0"),
                              RBL_STR("MKSTREAM")));
}


static void
outbox_got(void *data, const redisReply *reply)
{
    outbox_part_t  *part = data;

    part->reading = 0;

    switch (reply != NULL ? rbl_reply_class(reply) : RBL_REPLY_ERROR) {

    case RBL_REPLY_OK:
        outbox_entries(part, reply);
        break;

    case RBL_REPLY_NOGROUP:
        outbox_group(part);
        return;

    default:
        /* without a reply, the store may have given us entries that never
           came */

        outbox_refused(part, reply);
    }

    outbox_more(part->ob);
}


static void
outbox_read(outbox_part_t *part)
{
    char        count[16];
    deliver_t  *d = part->ob->deliver;

    snprintf(count, sizeof(count), "%u", part->ob->count);

    part->more = 0;
    part->reading = 1;
    part->own = part->backlog;
    store_command(part->ob->store, outbox_got, part,
                  RBL_COMMAND("XREADGROUP", RBL_STR("GROUP"),
                              RBL_STR(DELIVER_GROUP), rbl_str(d->conf->name),
                              RBL_STR("COUNT"), rbl_str(count),
                              RBL_STR("STREAMS"), outbox_key(part),
                              part->own ? RBL_STR("0") : RBL_STR(">")));
}


/*
 * Own pending entries are read when none of the partition is on its way; new
 * ones while there is room for them.
 */

static int
outbox_may_read(const outbox_part_t *part)
{
    const outbox_t   *ob = part->ob;
    const deliver_t  *d = ob->deliver;

    if (!part->more || part->reading || part->later > clock_now()) {
        return 0;
    }

    return part->backlog ? part->open == 0
           : ob->set.n == 0 || (ob->set.n < OUTBOX_OPEN && queue_has_room(d));
}


void
outbox_more(outbox_t *ob)
{
    unsigned        i;
    outbox_part_t  *part;

    if (ob->stopped || !store_ready(ob->store)) {
        return;
    }

    for (i = 0; i < ob->n_parts; i++) {
        part = &ob->parts[(ob->first + i) % ob->n_parts];

        if (outbox_may_read(part)) {
            outbox_read(part);
        }
    }
}


void
outbox_wake(outbox_t *ob, unsigned part)
{
    if (part < ob->n_parts) {
        ob->parts[part].more = 1;
        outbox_more(ob);
    }
}


static void
outbox_set_parts(outbox_t *ob)
{
    unsigned               p;
    outbox_part_t         *part;
    const rbl_keyspace_t  *ks;

    ks = store_keyspace(ob->store);
    ob->parts = xcalloc(ks->partitions, sizeof(outbox_part_t));
    ob->n_parts = ks->partitions;
    ob->count = OUTBOX_BATCH / ob->n_parts > OUTBOX_COUNT
                ? OUTBOX_BATCH / ob->n_parts : OUTBOX_COUNT;

    for (p = 0; p < ob->n_parts; p++) {
        part = &ob->parts[p];
        part->ob = ob;
        part->n = p;
        part->backlog = 1;
        part->cursor[0] = '0';
        rbl_key(&part->key, ks, p, "outbox", RBL_STR(""), RBL_STR(""));
        outbox_group(part);
        group_trim(ob->store, outbox_key(part),
                   RBL_STR(DELIVER_GROUP));
    }

    ob->tick.repeat = OUTBOX_EVERY;

    if (ob->n_parts > OUTBOX_PARTS) {
        ob->tick.repeat *= (double) ob->n_parts / OUTBOX_PARTS;
    }
}


static void
outbox_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
    unsigned   p;
    outbox_t  *ob = timer->data;

    (void) loop;
    (void) revents;

    if (ob->stopped || !store_ready(ob->store)) {
        return;
    }

    if (ob->n_parts == 0) {
        outbox_set_parts(ob);
    }

    for (p = 0; p < ob->n_parts; p++) {
        ob->parts[p].more = 1;
    }

    ob->first = (ob->first + 1) % ob->n_parts;
    outbox_more(ob);
}


static void
outbox_state(void *data, int ready)
{
    unsigned   p;
    outbox_t  *ob = data;

    if (!ready) {
        return;
    }

    for (p = 0; p < ob->n_parts; p++) {
        ob->parts[p].later = 0;
    }

    ev_feed_event(ob->deliver->loop, &ob->tick, EV_TIMER);
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
    ev_timer_init(&ob->tick, outbox_tick, 0, OUTBOX_EVERY);
    ob->tick.data = ob;
    ev_timer_start(d->loop, &ob->tick);
    outbox_take_over(ob);

    return ob;
}


/* Entries on their way end.  Entries of a read in flight are pending, and will
   be taken over. */

void
outbox_stop(outbox_t *ob)
{
    unsigned  p;

    ob->stopped = 1;
    ev_timer_stop(ob->deliver->loop, &ob->tick);
    ev_timer_stop(ob->deliver->loop, &ob->takeover);

    for (p = 0; p < ob->n_parts; p++) {
        store_forget(ob->store, &ob->parts[p]);
        store_forget(ob->deliver->store, &ob->parts[p]);
    }
}


void
outbox_free(outbox_t *ob)
{
    outbox_stop(ob);
    entry_clear(&ob->set);
    safe_free(ob->safe);
    store_free(ob->store);
    free(ob->parts);
    free(ob);
}
