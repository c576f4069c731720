/*
 * rblctl queue: the waiting checks, one line for each partition and their sum.
 */

#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>

#define CTL_QUEUE_SLICE  250            /* accounts per call */


static const ctl_column_t  queue_row[] = {
    { "partition", "PARTITION" }, { "manual", "MANUAL" }, { "due", "DUE" },
    { "pending", "RUNNING" }, { "oldest", "OLDEST (s)" },
    { "soon", "WITHIN 60s" }, { "scheduled", "SCHEDULED" },
    { "outbox", "OUTBOX" }, { "deliveries", "DELIVERIES" },
    { "digests", "DIGESTS" }, { NULL, NULL }
};

typedef struct {
    int64_t  manual, due;               /* not claimed yet */
    int64_t  pending;                   /* claimed jobs that are not done */
    int64_t  oldest;                    /* ms that the oldest has waited */
    int64_t  soon, scheduled, outbox, deliveries, digests;
} ctl_queue_t;


/* Adds one slice of the accounts; returns the start of the next, -1: none. */
static int64_t
ctl_queue_slice(ctl_t *ctl, rbl_str_t lists, int64_t from, ctl_queue_t *q)
{
    char                      rank[24], n[24];
    redisReply               *reply;
    rbl_queue_count_args_t    args;
    rbl_queue_count_reply_t   said;

    snprintf(rank, sizeof(rank), "%lld", (long long) from);
    snprintf(n, sizeof(n), "%d", CTL_QUEUE_SLICE);
    args.lists = lists;
    args.rank = rbl_str(rank);
    args.accounts = rbl_str(n);

    reply = ctl_script(ctl, CTL_SCRIPT(queue_count, args));
    if (reply == NULL) {
        return -2;
    }

    rbl_queue_count_reply(&said, reply);
    freeReplyObject(reply);
    q->manual += said.manual;
    q->due += said.due;
    q->oldest = said.oldest > q->oldest ? said.oldest : q->oldest;
    q->soon += said.soon;
    q->scheduled += said.scheduled;

    return said.rank > from ? said.rank : -1;
}


static int
ctl_queue_read(ctl_t *ctl, unsigned p, ctl_queue_t *q)
{
    int64_t    from, begun;
    rbl_key_t  key;
    rbl_str_t  none = RBL_STR("");

    memset(q, 0, sizeof(*q));
    (void) rbl_key(&key, &ctl->ks, p, "lists", none, none);

    for (from = 0; from >= 0; /* void */) {
        from = ctl_queue_slice(ctl, rbl_str(key.s), from, q);
    }

    if (from != -1) {
        return -1;
    }

    q->pending = ctl_count(ctl, "ZCARD",
                           rbl_key(&key, &ctl->ks, p, "leases", none, none));
    begun = q->pending < 0 ? -1
        : ctl_count(ctl, "HLEN",
                    rbl_key(&key, &ctl->ks, p, "flight:due", none, none));
    q->pending = begun < 0 ? -1 : q->pending + begun;
    q->outbox = q->pending < 0 ? -1
        : ctl_count(ctl, "XLEN",
                    rbl_key(&key, &ctl->ks, p, "outbox", none, none));
    q->deliveries = q->outbox < 0 ? -1
        : ctl_count(ctl, "ZCARD",
                    rbl_key(&key, &ctl->ks, p, "retry", none, none));
    q->digests = q->deliveries < 0 ? -1
        : ctl_count(ctl, "ZCARD",
                    rbl_key(&key, &ctl->ks, p, "digests", none, none));

    return q->digests < 0 ? -1 : 0;
}


static json_t *
ctl_queue_json(json_t *name, const ctl_queue_t *q)
{
    return json_pack("{so sI sI sI sI sI sI sI sI sI}", "partition", name,
                     "manual", (json_int_t) q->manual,
                     "due", (json_int_t) q->due,
                     "pending", (json_int_t) q->pending,
                     "oldest", (json_int_t) (q->oldest / 1000),
                     "soon", (json_int_t) q->soon,
                     "scheduled", (json_int_t) q->scheduled,
                     "outbox", (json_int_t) q->outbox,
                     "deliveries", (json_int_t) q->deliveries,
                     "digests", (json_int_t) q->digests);
}


static void
ctl_queue_add(ctl_queue_t *sum, const ctl_queue_t *q)
{
    sum->manual += q->manual;
    sum->due += q->due;
    sum->pending += q->pending;
    sum->oldest = q->oldest > sum->oldest ? q->oldest : sum->oldest;
    sum->soon += q->soon;
    sum->scheduled += q->scheduled;
    sum->outbox += q->outbox;
    sum->deliveries += q->deliveries;
    sum->digests += q->digests;
}


int
ctl_queue(ctl_t *ctl)
{
    json_t       *rows;
    unsigned      p;
    ctl_queue_t   q, sum;

    memset(&sum, 0, sizeof(sum));
    rows = json_array();
    ctl_survey(ctl);

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (ctl_away(ctl, p)) {
            continue;
        }

        if (ctl_queue_read(ctl, p, &q) != 0) {
            json_decref(rows);
            return CTL_ERROR;
        }

        json_array_append_new(rows,
                              ctl_queue_json(json_integer((json_int_t) p),
                                             &q));
        ctl_queue_add(&sum, &q);
    }

    json_array_append_new(rows, ctl_queue_json(json_string("all"), &sum));

    return ctl_print_parts(ctl, queue_row, rows);
}
