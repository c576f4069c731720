/*
 * A line of CLUSTER NODES: ID, address, flags, ID of its master, three numbers,
 * the state of its link, slots.  An open slot is "[77->-ID]" or "[77-<-ID]".
 */

#include "rbl_shape.h"
#include "rbl_validate.h"

#include <stdio.h>

enum { SHAPE_ID = 0, SHAPE_AT, SHAPE_FLAGS, SHAPE_MASTER, SHAPE_WORDS = 8 };

typedef struct {
    rbl_str_t  word[SHAPE_WORDS];
    rbl_str_t  slots;
} shape_line_t;


/* The part of an address that may be shown; "?": it is none. */

static void
shape_at(char to[RBL_SHAPE_AT], rbl_str_t word)
{
    size_t     i;
    rbl_str_t  at;

    static const char  set[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ.:-[]";

    at = rbl_until(&word, '@');

    for (i = 0; i < at.n && strchr(set, at.p[i]) != NULL && at.p[i]; i++) {
        /* void */
    }

    rbl_copy(to, RBL_SHAPE_AT, at.n > 0 && i == at.n && i < RBL_SHAPE_AT
                               ? at : RBL_STR("?"));
}


static size_t
shape_read(shape_line_t lines[RBL_SHAPE_LINES], rbl_str_t text)
{
    size_t     i, n;
    rbl_str_t  rest;

    for (n = 0; text.n > 0 && n < RBL_SHAPE_LINES; /* void */) {
        rest = rbl_until(&text, '\n');

        for (i = 0; i < SHAPE_WORDS; i++) {
            lines[n].word[i] = rbl_until(&rest, ' ');
        }

        lines[n].slots = rest;
        n += lines[n].word[SHAPE_WORDS - 1].n > 0
             && lines[n].word[SHAPE_ID].n < RBL_SHAPE_ID;
    }

    return n;
}


static void
shape_open(rbl_shape_t *shape, const shape_line_t *line)
{
    int64_t    slot;
    rbl_str_t  rest = line->slots, word;

    while (rest.n > 0) {
        word = rbl_until(&rest, ' ');

        if (word.n == 0 || *word.p != '[') {
            continue;
        }

        word.p++;
        word.n--;

        if (rbl_int_parse(&slot, rbl_until(&word, '-'), 0, 16383) == RBL_OK) {
            shape->open++;
            shape->slot = (unsigned) slot;
            shape_at(shape->open_at, line->word[SHAPE_AT]);
        }
    }
}


/* Does the master have slots, also open ones? */

static int
shape_serves(const shape_line_t *line)
{
    return line->slots.n > 0
           && rbl_words_have(line->word[SHAPE_FLAGS], "master");
}


static int
shape_is_id(rbl_str_t word)
{
    size_t  i;

    for (i = 0; i < word.n && memchr("0123456789abcdef", word.p[i], 16); i++) {
        /* void */
    }

    return i == RBL_SHAPE_ID - 1 && i == word.n;
}


static void
shape_poor(rbl_shape_t *shape, const shape_line_t *lines, size_t n)
{
    size_t  i, k, replicas, least;

    for (i = 0, least = SIZE_MAX; i < n; i++) {
        if (!shape_serves(&lines[i])) {
            continue;
        }

        for (k = 0, replicas = 0; k < n; k++) {
            replicas += rbl_str_eq(lines[k].word[SHAPE_MASTER],
                                   lines[i].word[SHAPE_ID]);
        }

        if (replicas < least && shape_is_id(lines[i].word[SHAPE_ID])) {
            least = replicas;
            rbl_copy(shape->poor, sizeof(shape->poor),
                     lines[i].word[SHAPE_ID]);
        }
    }
}


void
rbl_shape_init(rbl_shape_t *shape)
{
    memset(shape, 0, sizeof(rbl_shape_t));
}


/* The views of nodes agree but for open slots: the worst counts. */

void
rbl_shape_add(rbl_shape_t *shape, const redisReply *nodes)
{
    size_t        i, n;
    unsigned      away, idle;
    rbl_str_t     flags;
    shape_line_t  lines[RBL_SHAPE_LINES];

    n = shape_read(lines, rbl_reply_str(nodes));

    for (i = 0, away = 0, idle = 0; i < n; i++) {
        flags = lines[i].word[SHAPE_FLAGS];

        if (rbl_words_have(flags, "fail")) {
            away++;
            shape_at(shape->away_at, lines[i].word[SHAPE_AT]);

        } else if (rbl_words_have(flags, "master") && lines[i].slots.n == 0
                   && !rbl_words_have(flags, "fail?")
                   && !rbl_words_have(flags, "handshake"))
        {
            idle++;
            shape_at(shape->idle_at, lines[i].word[SHAPE_AT]);
        }

        shape_open(shape, &lines[i]);
    }

    shape->away = away > shape->away ? away : shape->away;
    shape->idle = idle > shape->idle ? idle : shape->idle;

    if (idle > 0) {
        shape_poor(shape, lines, n);
    }
}


int
rbl_shape_fault(const rbl_shape_t *shape, char reason[RBL_CONDITION_REASON],
    char remedy[RBL_CONDITION_REMEDY])
{
    if (shape->open > 0) {
        snprintf(reason, RBL_CONDITION_REASON, "a move of slots is not over:"
                 " slot %u at %s", shape->slot, shape->open_at);
        snprintf(remedy, RBL_CONDITION_REMEDY, "if no move goes on, end it;"
                 " try: redis-cli --cluster fix %s", shape->open_at);
        return 1;
    }

    if (shape->idle > 0) {
        snprintf(reason, RBL_CONDITION_REASON, "a master has no slots: %s",
                 shape->idle_at);
        snprintf(remedy, RBL_CONDITION_REMEDY, "make it a replica; try at %s:"
                 " redis-cli cluster replicate %s", shape->idle_at,
                 shape->poor);
        return 1;
    }

    return 0;
}
