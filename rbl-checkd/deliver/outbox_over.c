/*
 * Entries of daemons that died, or that found no store for long: they are taken
 * over after the lease.
 */

#include "outbox_int.h"

#include <stdio.h>

#include "base/log.h"


#define OUTBOX_TAKEOVER  "64"           /* entries of a partition at a time */


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


void
outbox_take_over(outbox_t *ob)
{
    double      every;
    deliver_t  *d = ob->deliver;

    every = d->conf->lease / 4;
    ev_timer_init(&ob->takeover, outbox_takeover_handler, every, every);
    ob->takeover.data = ob;
    ev_timer_start(d->loop, &ob->takeover);
}
