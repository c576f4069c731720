/*
 * Reads the outbox of every partition and turns each entry into deliveries.
 *
 * It has a connection of its own, for XREADGROUP blocks it; everything else
 * goes over the daemon's.  It reads on while few attempts wait.
 * After a start and after every trouble it first reads its own pending entries
 * ("0"), then new ones (">").
 *
 * Owned here: the connection, the keys and the set of entries on their way.
 */

#include "outbox_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "store/group.h"


#define OUTBOX_COUNT      8u            /* entries of a partition a read, */
#define OUTBOX_BATCH      128u          /* or so many of all together */
#define OUTBOX_BLOCK      1.0           /* s */
#define OUTBOX_BLOCK_MS   "1000"
#define OUTBOX_AGAIN      1.0           /* s after trouble */
#define OUTBOX_OPEN       1024u         /* entries on their way */


static void outbox_read(outbox_t *ob);
static void outbox_groups(outbox_t *ob);


static void
outbox_later(outbox_t *ob, double wait)
{
    ev_timer_stop(ob->deliver->loop, &ob->again);
    ev_timer_set(&ob->again, wait, 0.0);
    ev_timer_start(ob->deliver->loop, &ob->again);
}


/* After an error: the entries concerned are pending for this daemon, or will
   be. */

static void
outbox_trouble(outbox_t *ob)
{
    ob->backlog = 1;
    ob->failed = 1;
}


/*
 * Own pending entries are read when none of them is on its way; new ones while
 * there is room for them.
 */

static int
outbox_may_read(const outbox_t *ob)
{
    const deliver_t  *d = ob->deliver;

    if (ob->reading || ob->groups > 0 || ob->n_parts == 0
        || ev_is_active(&ob->again) || !store_ready(ob->store))
    {
        return 0;
    }

    return ob->set.n == 0
           || (!ob->backlog && ob->set.n < OUTBOX_OPEN && queue_has_room(d));
}


void
outbox_more(outbox_t *ob)
{
    if (ob->failed && !ob->reading) {
        ob->failed = 0;
        outbox_later(ob, OUTBOX_AGAIN);

    } else if (outbox_may_read(ob)) {
        outbox_read(ob);
    }
}


static void
outbox_entry_done(void *data, int good)
{
    outbox_t  *ob = data;

    if (!good) {
        outbox_trouble(ob);
    }

    outbox_more(ob);
}


static size_t
outbox_take_all(outbox_t *ob, unsigned part, const redisReply *entries)
{
    size_t  i, n;

    n = rbl_reply_len(entries);

    for (i = 0; i < n; i++) {
        if (entry_start(&ob->set, part, rbl_reply_at(entries, i)) != 0) {
            outbox_trouble(ob);
        }
    }

    return n;
}


/* Streams are in the order of the request. */

static size_t
outbox_streams(outbox_t *ob, const redisReply *reply)
{
    size_t             i, n;
    unsigned           p;
    rbl_str_t          key;
    const redisReply  *stream;

    n = 0;
    p = 0;

    for (i = 0; i < rbl_reply_len(reply); i++) {
        stream = rbl_reply_at(reply, i);
        key = rbl_reply_name(stream);

        while (p < ob->n_parts
               && !rbl_str_eq(key, outbox_key(&ob->parts[p])))
        {
            p++;
        }

        if (p == ob->n_parts) {
            break;
        }

        n += outbox_take_all(ob, p, rbl_reply_rest(stream));
    }

    return n;
}


static void
outbox_got(void *data, const redisReply *reply)
{
    size_t     n;
    rbl_str_t  why;
    outbox_t  *ob = data;

    ob->reading = 0;

    if (reply == NULL) {

        /* the store may have given us entries that never came */

        outbox_trouble(ob);
        outbox_more(ob);
        return;
    }

    switch (rbl_reply_class(reply)) {

    case RBL_REPLY_OK:
        n = outbox_streams(ob, reply);
        first_ask(ob->deliver->first);

        if (n == 0 && ob->own) {
            ob->backlog = 0;
        }

        break;

    case RBL_REPLY_NOGROUP:
        outbox_groups(ob);
        return;

    default:
        why = rbl_reply_error(reply);
        log_error("cannot read the outbox: %.*s", (int) why.n, why.p);
        outbox_trouble(ob);
    }

    outbox_more(ob);
}


static void
outbox_read(outbox_t *ob)
{
    size_t     n;
    unsigned   p;
    char       count[16];
    rbl_str_t  id, *argv = ob->argv;

    snprintf(count, sizeof(count), "%u",
             OUTBOX_BATCH / ob->n_parts > OUTBOX_COUNT
             ? OUTBOX_BATCH / ob->n_parts : OUTBOX_COUNT);

    n = 0;
    argv[n++] = RBL_STR("XREADGROUP");
    argv[n++] = RBL_STR("GROUP");
    argv[n++] = RBL_STR(DELIVER_GROUP);
    argv[n++] = rbl_str(ob->deliver->conf->name);
    argv[n++] = RBL_STR("COUNT");
    argv[n++] = rbl_str(count);
    argv[n++] = RBL_STR("BLOCK");
    argv[n++] = RBL_STR(OUTBOX_BLOCK_MS);
    argv[n++] = RBL_STR("STREAMS");

    for (p = 0; p < ob->n_parts; p++) {
        argv[n++] = outbox_key(&ob->parts[p]);
    }

    ob->own = ob->backlog;
    id = ob->own ? RBL_STR("0") : RBL_STR(">");

    for (p = 0; p < ob->n_parts; p++) {
        argv[n++] = id;
    }

    ob->reading = 1;
    store_command(ob->store, outbox_got, ob, (int) n, argv);
}


static void
outbox_group_made(void *data, const redisReply *reply)
{
    outbox_t  *ob = data;

    ob->groups--;

    /* BUSYGROUP, it is there already, is the ordinary case */

    if (reply == NULL
        || (rbl_reply_class(reply) != RBL_REPLY_OK
            && strncmp(reply->str, "BUSYGROUP", 9) != 0))
    {
        outbox_trouble(ob);
    }

    outbox_more(ob);
}


static void
outbox_groups(outbox_t *ob)
{
    unsigned   p;
    rbl_str_t  key, group = RBL_STR(DELIVER_GROUP);

    ob->groups += ob->n_parts;

    for (p = 0; p < ob->n_parts; p++) {
        key = outbox_key(&ob->parts[p]);
        store_command(ob->store, outbox_group_made, ob,
                      RBL_COMMAND("XGROUP", RBL_STR("CREATE"), key, group,
                                  RBL_STR("0"), RBL_STR("MKSTREAM")));
        group_trim(ob->store, key, group);
    }
}


static int
outbox_set_parts(outbox_t *ob)
{
    unsigned               p;
    const rbl_keyspace_t  *ks;

    ks = store_keyspace(ob->store);

    if (ob->n_parts > 0 || ks->partitions == 0) {
        return ob->n_parts > 0 ? 0 : -1;
    }

    ob->parts = calloc(ks->partitions, sizeof(outbox_part_t));
    ob->argv = calloc(9 + 2 * ks->partitions, sizeof(rbl_str_t));

    if (ob->parts == NULL || ob->argv == NULL) {
        free(ob->parts);
        free(ob->argv);
        ob->parts = NULL;
        ob->argv = NULL;
        return -1;
    }

    ob->n_parts = ks->partitions;

    for (p = 0; p < ob->n_parts; p++) {
        ob->parts[p].ob = ob;
        ob->parts[p].n = p;
        ob->parts[p].cursor[0] = '0';
        rbl_key(&ob->parts[p].key, ks, p, "outbox", RBL_STR(""), RBL_STR(""));
    }

    return 0;
}


static void
outbox_state(void *data, int ready)
{
    outbox_t  *ob = data;

    ev_timer_stop(ob->deliver->loop, &ob->again);

    if (!ready) {
        return;
    }

    if (outbox_set_parts(ob) != 0) {
        log_error("cannot read the outbox: out of memory");
        return;
    }

    ob->backlog = 1;
    outbox_groups(ob);
}


static void
outbox_again_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    (void) loop;
    (void) revents;

    outbox_more(timer->data);
}


void
outbox_wake(outbox_t *ob)
{
    if (ev_is_active(&ob->again)) {
        outbox_later(ob, 0.0);
    }
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

    ob = calloc(1, sizeof(outbox_t));
    if (ob == NULL) {
        return NULL;
    }

    ob->deliver = d;
    ob->backlog = 1;
    ob->set.deliver = d;
    ob->set.done = outbox_entry_done;
    ob->set.data = ob;
    link_init(&ob->set.entries);

    ev_init(&ob->again, outbox_again_handler);
    ob->again.data = ob;

    ob->store = store_new(d->loop, d->conf, OUTBOX_BLOCK, outbox_state, ob);
    if (ob->store == NULL) {
        free(ob);
        return NULL;
    }

    outbox_take_over(ob);

    return ob;
}


/* Entries that the store delivers to a closing connection are pending, and will
   be taken over. */

void
outbox_stop(outbox_t *ob)
{
    unsigned  p;

    ev_timer_stop(ob->deliver->loop, &ob->again);
    ev_timer_stop(ob->deliver->loop, &ob->takeover);

    for (p = 0; p < ob->n_parts; p++) {
        store_forget(ob->deliver->store, &ob->parts[p]);
    }

    if (ob->store != NULL) {
        store_forget(ob->store, ob);
        store_free(ob->store);
        ob->store = NULL;
    }

    /* entries on their way end, and no batch follows */

    ob->reading = 1;
}


void
outbox_free(outbox_t *ob)
{
    outbox_stop(ob);
    entry_clear(&ob->set);
    free(ob->parts);
    free(ob->argv);
    free(ob);
}
