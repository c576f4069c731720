/*
 * rblctl queue: the waiting checks, one line for each partition and their sum.
 */

#include "ctl.h"

#define CTL_QUEUE_SLICE  250            /* accounts per call */


static const char  queue_row[] =
    "partition, manual, due, pending:RUNNING, oldest:OLDEST (s),"
    " soon:WITHIN 60s, scheduled, outbox, deliveries, digests";

static const char *const  queue_columns[] = {
    "manual", "due", "pending", "oldest", "soon", "scheduled", "outbox",
    "deliveries", "digests", NULL
};

/* Columns that are counts of keys of a partition. */
static const struct {
    const char  *column, *command, *key;
} queue_counts[] = {
    { "pending", "ZCARD", "leases" }, { "pending", "HLEN", "flight:due" },
    { "outbox", "XLEN", "outbox" }, { "deliveries", "ZCARD", "retry" },
    { "digests", "ZCARD", "digests" }
};


/* Takes the reference of the name. */
static json_t *
queue_new(json_t *name)
{
    size_t   i;
    json_t  *row;

    row = json_pack("{so}", "partition", name);

    for (i = 0; queue_columns[i] != NULL; i++) {
        json_object_set_new(row, queue_columns[i], json_integer(0));
    }

    return row;
}


/* Adds a number to its column; the oldest is not the sum but the largest. */
static void
queue_add(json_t *row, const char *column, json_int_t n)
{
    json_int_t  was;

    was = json_integer_value(json_object_get(row, column));
    n = strcmp(column, "oldest") != 0 ? was + n : n > was ? n : was;
    json_object_set_new(row, column, json_integer(n));
}


/* Adds one slice of the accounts; *from becomes the start of the next, -1:
   none.  0; -1: error printed. */
static int
queue_slice(ctl_t *ctl, rbl_str_t lists, int64_t *from, json_t *row)
{
    char                      rank[CTL_DECIMAL], n[CTL_DECIMAL];
    redisReply               *reply;
    rbl_queue_count_args_t    args;
    rbl_queue_count_reply_t   said;

    args.lists = lists;
    args.rank = ctl_decimal(rank, *from);
    args.accounts = ctl_decimal(n, CTL_QUEUE_SLICE);

    reply = ctl_script(ctl, CTL_SCRIPT(queue_count, args));
    if (reply == NULL) {
        return -1;
    }

    rbl_queue_count_reply(&said, reply);
    freeReplyObject(reply);
    queue_add(row, "manual", said.manual);
    queue_add(row, "due", said.due);
    queue_add(row, "oldest", said.oldest / 1000);
    queue_add(row, "soon", said.soon);
    queue_add(row, "scheduled", said.scheduled);
    *from = said.rank > *from ? said.rank : -1;

    return 0;
}


static int
queue_read(ctl_t *ctl, unsigned p, json_t *row)
{
    size_t     i;
    int64_t    from, n;
    rbl_key_t  key;

    for (from = 0; from >= 0; /* void */) {
        if (queue_slice(ctl, ctl_key(ctl, &key, p, "lists"), &from, row) != 0)
        {
            return -1;
        }
    }

    for (i = 0; i < sizeof(queue_counts) / sizeof(queue_counts[0]); i++) {
        n = ctl_count(ctl, queue_counts[i].command,
                      ctl_key(ctl, &key, p, queue_counts[i].key));
        if (n < 0) {
            return -1;
        }

        queue_add(row, queue_counts[i].column, n);
    }

    return 0;
}


int
ctl_queue(ctl_t *ctl)
{
    size_t     i;
    json_t    *rows, *row, *sum;
    unsigned   p;

    rows = json_array();
    sum = queue_new(json_string("all"));
    ctl_survey(ctl);

    for (p = 0; p < ctl->ks.partitions; p++) {
        if (ctl_away(ctl, p)) {
            continue;
        }

        row = queue_new(json_integer((json_int_t) p));
        json_array_append_new(rows, row);

        if (queue_read(ctl, p, row) != 0) {
            json_decref(rows);
            json_decref(sum);
            return CTL_ERROR;
        }

        for (i = 0; queue_columns[i] != NULL; i++) {
            queue_add(sum, queue_columns[i], json_integer_value(
                          json_object_get(row, queue_columns[i])));
        }
    }

    json_array_append_new(rows, sum);

    return ctl_print_parts(ctl, queue_row, rows);
}
