/*
 * rblctl queue: what waits, one line a partition and their sum.
 */

#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CTL_SOON_MS  60000


static const ctl_column_t  queue_row[] = {
    { "partition", "PARTITION" }, { "manual", "MANUAL" }, { "due", "DUE" },
    { "pending", "RUNNING" }, { "oldest", "OLDEST (s)" },
    { "soon", "WITHIN 60s" }, { "scheduled", "SCHEDULED" },
    { "outbox", "OUTBOX" }, { "deliveries", "DELIVERIES" }, { NULL, NULL }
};

typedef struct {
    int64_t  manual, due;               /* jobs nobody took yet */
    int64_t  pending;                   /* jobs taken and not done */
    int64_t  oldest;                    /* ms, age of the oldest job */
    int64_t  soon, scheduled, outbox, deliveries;
} ctl_queue_t;


/* Jobs of a stream: all of them, those taken, and the age of the oldest. */
static int
ctl_queue_stream(ctl_t *ctl, rbl_str_t key, int64_t now, int64_t *all,
    int64_t *pending, int64_t *oldest)
{
    int64_t      born;
    rbl_str_t    id, argv[6];
    redisReply  *reply;

    *all = ctl_count(ctl, "XLEN", key);
    if (*all <= 0) {
        return *all < 0 ? -1 : 0;
    }

    argv[0] = RBL_STR("XRANGE");
    argv[1] = key;
    argv[2] = RBL_STR("-");
    argv[3] = RBL_STR("+");
    argv[4] = RBL_STR("COUNT");
    argv[5] = RBL_STR("1");

    reply = ctl_command(ctl, 6, argv);
    if (reply == NULL) {
        return -1;
    }

    id = rbl_reply_str(rbl_reply_at(rbl_reply_at(reply, 0), 0));
    born = id.p ? strtoll(id.p, NULL, 10) : 0;
    if (born > 0 && now - born > *oldest) {
        *oldest = now - born;
    }

    freeReplyObject(reply);

    /* a stream that no daemon has read yet has no group */

    argv[0] = RBL_STR("XINFO");
    argv[1] = RBL_STR("GROUPS");
    argv[2] = key;

    reply = ctl_command(ctl, 3, argv);
    if (reply == NULL) {
        return -1;
    }

    *pending += rbl_reply_int(rbl_reply_field(rbl_reply_at(reply, 0),
                                              "pending"), 0);
    freeReplyObject(reply);

    return 0;
}


static int64_t
ctl_queue_soon(ctl_t *ctl, rbl_str_t key, int64_t now)
{
    char         to[24];
    int64_t      n;
    redisReply  *reply;

    snprintf(to, sizeof(to), "%lld", (long long) (now + CTL_SOON_MS));
    reply = ctl_call(ctl, "ZCOUNT", key, RBL_STR("-inf"), rbl_str(to));
    if (reply == NULL) {
        return -1;
    }

    n = rbl_reply_int(reply, 0);
    freeReplyObject(reply);

    return n;
}


static int
ctl_queue_read(ctl_t *ctl, unsigned p, int64_t now, ctl_queue_t *q)
{
    int64_t    before;
    rbl_key_t  key;
    rbl_str_t  none = RBL_STR("");

    memset(q, 0, sizeof(*q));

    if (ctl_queue_stream(ctl, rbl_key(&key, &ctl->ks, p, "jobs:manual", none,
                                      none),
                         now, &q->manual, &q->pending, &q->oldest)
        != 0)
    {
        return -1;
    }

    q->manual -= before = q->pending;

    if (ctl_queue_stream(ctl, rbl_key(&key, &ctl->ks, p, "jobs:due", none,
                                      none),
                         now, &q->due, &q->pending, &q->oldest)
        != 0)
    {
        return -1;
    }

    q->due -= q->pending - before;

    (void) rbl_key(&key, &ctl->ks, p, "due", none, none);
    q->soon = ctl_queue_soon(ctl, rbl_str(key.s), now);
    q->scheduled = q->soon < 0 ? -1 : ctl_count(ctl, "ZCARD", rbl_str(key.s));
    q->outbox = q->scheduled < 0 ? -1
        : ctl_count(ctl, "XLEN",
                    rbl_key(&key, &ctl->ks, p, "outbox", none, none));
    q->deliveries = q->outbox < 0 ? -1
        : ctl_count(ctl, "ZCARD",
                    rbl_key(&key, &ctl->ks, p, "retry", none, none));

    return q->deliveries < 0 ? -1 : 0;
}


static json_t *
ctl_queue_json(json_t *name, const ctl_queue_t *q)
{
    return json_pack("{so sI sI sI sI sI sI sI sI}", "partition", name,
                     "manual", (json_int_t) q->manual,
                     "due", (json_int_t) q->due,
                     "pending", (json_int_t) q->pending,
                     "oldest", (json_int_t) (q->oldest / 1000),
                     "soon", (json_int_t) q->soon,
                     "scheduled", (json_int_t) q->scheduled,
                     "outbox", (json_int_t) q->outbox,
                     "deliveries", (json_int_t) q->deliveries);
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
}


int
ctl_queue(ctl_t *ctl)
{
    json_t       *rows;
    int64_t       now;
    unsigned      p;
    ctl_queue_t   q, sum;

    memset(&sum, 0, sizeof(sum));
    now = (int64_t) time(NULL) * 1000;
    rows = json_array();

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (ctl_queue_read(ctl, p, now, &q) != 0) {
            json_decref(rows);
            return CTL_ERROR;
        }

        json_array_append_new(rows,
                              ctl_queue_json(json_integer((json_int_t) p),
                                             &q));
        ctl_queue_add(&sum, &q);
    }

    json_array_append_new(rows, ctl_queue_json(json_string("all"), &sum));

    return ctl_print(ctl, queue_row, rows);
}
