/*
 * Sends the store many commands in one turn of the loop, on the daemon's own
 * connection (rbl-checkd/store/store.c), and repeats those without a reply:
 *
 *     storeload STORE KEY COMMANDS
 *
 * Each appends its number to a list; every 40th has 20,000 more bytes, and in
 * between it calls scripts that the store does not know at first.  Prints the
 * numbers of replies and of repetitions.
 */

#include "store/store.h"
#include "rbl_script_list.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX     1000
#define LARGE   40                      /* one of so many */
#define SCRIPT  7
#define PAD     20000

typedef struct {
    unsigned  number;
    unsigned  calls;                    /* of its callback */
    unsigned  asked:1;
    unsigned  answered:1;
} command_t;

static struct ev_loop  *loop;
static store_t         *store;
static command_t        commands[MAX];
static unsigned         n, answered, again, odd;
static const char      *list;
static char             pad[PAD];


static void
on_reply(void *data, const redisReply *reply)
{
    command_t  *c = data;

    c->calls++;
    odd += !c->asked || c->answered;
    c->asked = 0;

    if (reply == NULL) {
        again++;
        return;
    }

    odd += reply->type == REDIS_REPLY_ERROR;
    c->answered = 1;

    if (++answered == n) {
        ev_break(loop, EVBREAK_ALL);
    }
}


static void
give(command_t *c)
{
    int        len;
    char       text[PAD + 16];
    rbl_key_t  key;
    rbl_str_t  argv[3];

    c->asked = 1;

    if (c->number % SCRIPT == 0) {
        argv[0] = rbl_key(&key, store_keyspace(store), 0, "leases",
                          RBL_STR(""), RBL_STR(""));
        store_script(store, &rbl_script_queue_age, on_reply, c, 1, argv);
        return;
    }

    len = snprintf(text, sizeof(text), "%u%.*s", c->number,
                   c->number % LARGE == 1 ? PAD : 0, pad);
    argv[0] = RBL_STR("RPUSH");
    argv[1] = rbl_str(list);
    argv[2] = (rbl_str_t) { text, (size_t) len };
    store_command(store, on_reply, c, 3, argv);
}


static void
on_state(void *data, int ready)
{
    unsigned  i;

    (void) data;

    for (i = 0; ready && i < n; i++) {
        if (!commands[i].answered && !commands[i].asked) {
            give(&commands[i]);
        }
    }
}


int
main(int argc, char **argv)
{
    char      err[512];
    unsigned  i;
    config_t  conf;

    if (argc != 4) {
        fprintf(stderr, "usage: storeload STORE KEY COMMANDS\n");
        return 2;
    }

    config_defaults(&conf);

    if (config_set(&conf, "store", argv[1], err, sizeof(err)) != 0) {
        fprintf(stderr, "%s\n", err);
        return 2;
    }

    list = argv[2];
    n = (unsigned) strtoul(argv[3], NULL, 10);
    n = n < MAX ? n : MAX;
    memset(pad, ' ', PAD);

    for (i = 0; i < n; i++) {
        commands[i].number = i;
    }

    loop = ev_default_loop(0);
    store = store_new(loop, &conf, on_state, NULL);
    if (store == NULL) {
        return 1;
    }

    ev_run(loop, 0);
    store_free(store);
    printf("answered %u, again %u, odd %u\n", answered, again, odd);

    return 0;
}
