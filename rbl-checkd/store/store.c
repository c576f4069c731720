/*
 * Commands of the store and their completion.  Each command is one block of
 * memory, which this file owns from store_command until its call back has run.
 */

#include "base/log.h"
#include "resp.h"
#include "store_int.h"

#include <stdio.h>
#include <stdlib.h>

static void on_reply(redisAsyncContext *ac, void *r, void *privdata);


/* Out of memory ends the process, as it does in hiredis. */

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


/* Passes a command to hiredis; if hiredis refuses it, it fails like any
   other. */

static void
give(store_t *store, store_cmd_t *cmd, rbl_str_t bytes)
{
    if (redisAsyncFormattedCommand(store->ac, on_reply, cmd, bytes.p, bytes.n)
        != REDIS_OK)
    {
        fail(store, cmd);
        return;
    }

    store_window_sent(&store->window, cmd, bytes.n);
    cmd->deadline = ev_now(store->loop) + store->conf->store_timeout;
    store_put(&store->pending, cmd);
    store_watch(store);
    ev_prepare_start(store->loop, &store->flush);
}


/* Sends a script with its source in place of its digest. */

static void
send_source(store_t *store, store_cmd_t *cmd)
{
    char       *bytes;
    size_t      size;
    rbl_out_t   out;
    rbl_str_t   source;

    source = (rbl_str_t) { cmd->script->source, cmd->script->source_len };
    size = RESP_SIZE(2, source.n + sizeof("EVAL")) + cmd->n;
    bytes = need(size);

    out = (rbl_out_t) { bytes, bytes + size, NULL, 0 };
    resp_array(&out, cmd->argc);
    resp_bulk(&out, RBL_STR("EVAL"));
    resp_bulk(&out, source);
    rbl_out_bytes(&out, cmd->bytes + cmd->named, cmd->n - cmd->named);

    give(store, cmd, resp_end(&out, bytes));
    free(bytes);
}


static void
hand_over(store_t *store, store_cmd_t *cmd)
{
    if (cmd->whole) {
        send_source(store, cmd);

    } else {
        give(store, cmd, (rbl_str_t) { cmd->bytes, cmd->n });
    }
}


/* Sends the commands that fit into the window. */

static void
hand_over_some(store_t *store)
{
    store_cmd_t  *cmd;

    while ((cmd = store_window_next(&store->window)) != NULL) {
        hand_over(store, cmd);
    }
}


void
store_give_up(store_t *store)
{
    store_cmd_t  *cmd;

    while ((cmd = store_window_drop(&store->window)) != NULL) {
        fail(store, cmd);
    }
}


/* Makes a command with room for `n` bytes, which the caller writes. */

static store_cmd_t *
make_cmd(store_t *store, store_reply_pt done, void *data, size_t size)
{
    store_cmd_t  *cmd;

    cmd = need(sizeof(store_cmd_t) + size);
    memset(cmd, 0, sizeof(store_cmd_t));
    cmd->store = store;
    cmd->done = done;
    cmd->data = data;

    return cmd;
}


static size_t
bytes_of(int argc, const rbl_str_t *argv)
{
    int     i;
    size_t  n;

    n = 0;

    for (i = 0; i < argc; i++) {
        n += argv[i].n;
    }

    return n;
}


static void
put_all(rbl_out_t *out, int argc, const rbl_str_t *argv)
{
    int  i;

    for (i = 0; i < argc; i++) {
        resp_bulk(out, argv[i]);
    }
}


static store_cmd_t *
plain_cmd(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    size_t        size;
    rbl_out_t     out;
    store_cmd_t  *cmd;

    size = RESP_SIZE(argc, bytes_of(argc, argv));
    cmd = make_cmd(store, done, data, size);
    snprintf(cmd->verb, sizeof(cmd->verb), "%.*s", (int) argv[0].n,
             argv[0].p);

    out = (rbl_out_t) { cmd->bytes, cmd->bytes + size, NULL, 0 };
    resp_array(&out, (size_t) argc);
    put_all(&out, argc, argv);
    cmd->n = resp_end(&out, cmd->bytes).n;

    return cmd;
}


/* Sends a command of the greeting, which bypasses the window. */

void
store_send(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    hand_over(store, plain_cmd(store, done, data, argc, argv));
}


static void
offer(store_t *store, store_cmd_t *cmd)
{
    if (store_window_add(&store->window, cmd) != 0) {
        fail(store, cmd);
        return;
    }

    hand_over_some(store);
}


void
store_command(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    if (store->phase != STORE_READY) {
        fail(store, make_cmd(store, done, data, 0));
        return;
    }

    offer(store, plain_cmd(store, done, data, argc, argv));
}


static void
send_script(store_t *store, unsigned late, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc, const rbl_str_t *argv)
{
    char          text[RBL_OUT_INT];
    size_t        size;
    rbl_out_t     out;
    rbl_str_t     sha1;
    store_cmd_t  *cmd;

    if (store->phase != STORE_READY) {
        fail(store, make_cmd(store, done, data, 0));
        return;
    }

    sha1 = rbl_str(script->sha1);
    size = RESP_SIZE(argc + 3, bytes_of(argc, argv) + sizeof("EVALSHA")
                               + sha1.n + RBL_OUT_INT);
    cmd = make_cmd(store, done, data, size);
    cmd->script = script;
    cmd->late = late;
    cmd->argc = (size_t) argc + 3;

    out = (rbl_out_t) { cmd->bytes, cmd->bytes + size, NULL, 0 };
    resp_array(&out, cmd->argc);
    resp_bulk(&out, RBL_STR("EVALSHA"));
    resp_bulk(&out, sha1);
    cmd->named = (size_t) (out.pos - cmd->bytes);
    resp_bulk(&out, rbl_out_int_text(text, script->nkeys));
    put_all(&out, argc, argv);
    cmd->n = resp_end(&out, cmd->bytes).n;

    offer(store, cmd);
}


void
store_script(store_t *store, const rbl_script_t *script, store_reply_pt done,
    void *data, int argc, const rbl_str_t *argv)
{
    send_script(store, 0, script, done, data, argc, argv);
}


void
store_script_late(store_t *store, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc, const rbl_str_t *argv)
{
    send_script(store, 1, script, done, data, argc, argv);
}


/* 1: the caller gets the reply, 0: the caller gets NULL, -1: the command is
   sent again. */

static int
judge(store_t *store, store_cmd_t *cmd, const redisReply *reply)
{
    rbl_str_t  why;

    switch (rbl_reply_class(reply)) {

    case RBL_REPLY_NOSCRIPT:
        if (cmd->script == NULL || cmd->whole) {
            return 1;
        }

        if (store->phase != STORE_READY) {
            return 0;
        }

        cmd->whole = 1;
        store_window_back(&store->window, cmd);
        return -1;

    case RBL_REPLY_READONLY:
        store_drop(store, "the store has become a replica");
        return 0;

    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_MOVED:
    case RBL_REPLY_SLOT:
    case RBL_REPLY_NOWRITE:
    case RBL_REPLY_NOAUTH:
    case RBL_REPLY_NOPERM:
        if (store->phase == STORE_READY) {
            why = rbl_reply_error(reply);
            log_warn("the store refuses %s: %.*s",
                     cmd->script != NULL ? cmd->script->name : cmd->verb,
                     (int) why.n, why.p);
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

    /* SUBSCRIBE is the last command of its connection, and has many replies. */

    if (r != NULL && store->reader.guard.messages) {
        cmd->deadline = 0;
        cmd->done(cmd->data, r);
        store_watch(store);
        return;
    }

    store_cut(&store->pending, cmd);
    store_window_ended(&store->window, cmd);

    if (r == NULL) {
        fail(store, cmd);
        return;
    }

    /* During the greeting the greeter judges the replies. */

    rc = store->phase == STORE_GREETING ? 1 : judge(store, cmd, r);

    if (rc == 0) {
        fail(store, cmd);

    } else if (rc == 1) {
        if (cmd->done != NULL) {
            cmd->done(cmd->data, r);
        }

        free(cmd);
    }

    if (store->phase == STORE_READY) {
        hand_over_some(store);
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
    forget(&store->window.waiting, data);
    forget(&store->window.late, data);
    forget(&store->pending, data);
    forget(&store->failed, data);
}


int
store_ready(const store_t *store)
{
    return store->phase == STORE_READY && store->ready_reported;
}


const rbl_keyspace_t *
store_keyspace(const store_t *store)
{
    return &store->ks;
}
