/*
 * Commands of the store and their completion.  Each command is one block of
 * memory, owned here from store_command until its call back has run.
 */

#include "store_int.h"
#include "log.h"

#include <stdio.h>
#include <stdlib.h>

static void on_reply(redisAsyncContext *ac, void *r, void *privdata);


void
store_put(store_queue_t *queue, store_cmd_t *cmd)
{
    cmd->next = NULL;
    cmd->prev = queue->last;

    if (queue->last != NULL) {
        queue->last->next = cmd;

    } else {
        queue->first = cmd;
    }

    queue->last = cmd;
}


void
store_cut(store_queue_t *queue, store_cmd_t *cmd)
{
    if (cmd->prev != NULL) {
        cmd->prev->next = cmd->next;

    } else {
        queue->first = cmd->next;
    }

    if (cmd->next != NULL) {
        cmd->next->prev = cmd->prev;

    } else {
        queue->last = cmd->prev;
    }

    cmd->prev = cmd->next = NULL;
}


/* hiredis ends the process when memory is gone; so does this. */

static void *
need(size_t n)
{
    void  *p;

    p = malloc(n);
    if (p == NULL) {
        log_error("out of memory (%zu bytes)", n);
        abort();
    }

    return p;
}


static void
fail(store_t *store, store_cmd_t *cmd)
{
    store_put(&store->failed, cmd);
    store_kick(store);
}


/* Gives a command to hiredis; a refusal is a failed command like any other. */

static void
hand_over(store_t *store, store_cmd_t *cmd, int argc, const rbl_str_t *argv)
{
    int           i, rc;
    size_t       *len;
    const char  **arg;

    arg = need((size_t) argc * (sizeof(char *) + sizeof(size_t)));
    len = (size_t *) (arg + argc);

    for (i = 0; i < argc; i++) {
        arg[i] = argv[i].n != 0 ? argv[i].p : "";
        len[i] = argv[i].n;
    }

    rc = redisAsyncCommandArgv(store->ac, on_reply, cmd, argc, arg, len);
    free(arg);

    if (rc != REDIS_OK) {
        fail(store, cmd);
        return;
    }

    cmd->deadline = ev_now(store->loop) + store->wait;
    store_put(&store->pending, cmd);
    store_watch(store);
    ev_prepare_start(store->loop, &store->flush);
}


static store_cmd_t *
make_cmd(store_t *store, store_reply_pt done, void *data, size_t extra)
{
    store_cmd_t  *cmd;

    cmd = need(sizeof(store_cmd_t) + extra);
    memset(cmd, 0, sizeof(store_cmd_t));
    cmd->store = store;
    cmd->done = done;
    cmd->data = data;

    return cmd;
}


void
store_send(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    store_cmd_t  *cmd;

    cmd = make_cmd(store, done, data, 0);
    snprintf(cmd->verb, sizeof(cmd->verb), "%.*s", (int) argv[0].n,
             argv[0].p);
    hand_over(store, cmd, argc, argv);
}


void
store_command(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    if (store->phase != STORE_READY) {
        fail(store, make_cmd(store, done, data, 0));
        return;
    }

    store_send(store, done, data, argc, argv);
}


static void
send_script(store_t *store, store_cmd_t *cmd)
{
    int         n;
    char        nkeys[16];
    rbl_str_t  *argv;

    n = snprintf(nkeys, sizeof(nkeys), "%d", cmd->nkeys);

    argv = need((size_t) (cmd->argc + 3) * sizeof(rbl_str_t));
    argv[0] = cmd->whole ? RBL_STR("EVAL") : RBL_STR("EVALSHA");
    argv[1] = cmd->whole
              ? (rbl_str_t) { cmd->script->source, cmd->script->source_len }
              : rbl_str(cmd->script->sha1);
    argv[2] = (rbl_str_t) { nkeys, (size_t) n };
    memcpy(argv + 3, cmd->argv, (size_t) cmd->argc * sizeof(rbl_str_t));

    hand_over(store, cmd, cmd->argc + 3, argv);
    free(argv);
}


void
store_script(store_t *store, const rbl_script_t *script, store_reply_pt done,
    void *data, int nkeys, int argc, const rbl_str_t *argv)
{
    int           i;
    char         *p;
    size_t        bytes;
    store_cmd_t  *cmd;

    if (store->phase != STORE_READY) {
        fail(store, make_cmd(store, done, data, 0));
        return;
    }

    bytes = 0;
    for (i = 0; i < argc; i++) {
        bytes += argv[i].n;
    }

    cmd = make_cmd(store, done, data,
                   (size_t) argc * sizeof(rbl_str_t) + bytes);
    cmd->script = script;
    cmd->nkeys = nkeys;
    cmd->argc = argc;

    /* The arguments are kept, should the store not know the script. */

    p = (char *) (cmd->argv + argc);
    for (i = 0; i < argc; i++) {
        cmd->argv[i] = (rbl_str_t) { p, argv[i].n };
        if (argv[i].n != 0) {
            memcpy(p, argv[i].p, argv[i].n);
            p += argv[i].n;
        }
    }

    send_script(store, cmd);
}


/* 1: the caller gets the reply, 0: the caller gets NULL, -1: sent again. */

static int
judge(store_t *store, store_cmd_t *cmd, const redisReply *reply)
{
    switch (rbl_reply_class(reply)) {

    case RBL_REPLY_NOSCRIPT:
        if (cmd->script == NULL || cmd->whole) {
            return 1;
        }

        if (store->phase != STORE_READY) {
            return 0;
        }

        cmd->whole = 1;
        send_script(store, cmd);
        return -1;

    case RBL_REPLY_READONLY:
        store_drop(store, "the store has become a replica");
        return 0;

    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_NOMEMORY:
    case RBL_REPLY_NOAUTH:
    case RBL_REPLY_NOPERM:
        if (store->phase == STORE_READY) {
            log_warn("the store refuses %s: %.120s",
                     cmd->script != NULL ? cmd->script->name : cmd->verb,
                     reply->str);
        }

        return 0;

    default:
        return 1;
    }
}


static void
on_reply(redisAsyncContext *ac, void *r, void *privdata)
{
    int           rc;
    store_t      *store;
    store_cmd_t  *cmd = privdata;

    (void) ac;

    store = cmd->store;
    store_cut(&store->pending, cmd);

    if (r == NULL) {
        fail(store, cmd);
        return;
    }

    /* While greeting, the greeter judges for itself. */

    rc = store->phase == STORE_GREETING ? 1 : judge(store, cmd, r);

    if (rc == 0) {
        fail(store, cmd);

    } else if (rc == 1) {
        if (cmd->done != NULL) {
            cmd->done(cmd->data, r);
        }

        free(cmd);
    }

    store_watch(store);
}


static void
forget(store_queue_t *queue, const void *data)
{
    store_cmd_t  *cmd;

    for (cmd = queue->first; cmd != NULL; cmd = cmd->next) {
        if (cmd->data == data) {
            cmd->done = NULL;
        }
    }
}


void
store_forget(store_t *store, void *data)
{
    forget(&store->pending, data);
    forget(&store->failed, data);
}


int
store_ready(const store_t *store)
{
    return store->phase == STORE_READY && store->told_ready;
}


const rbl_keyspace_t *
store_keyspace(const store_t *store)
{
    return &store->ks;
}
