/*
 * Commands of a link and their completion.  Each command is one block of
 * memory, which the store owns from store_command until its call back has run.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "store_int.h"

#include <stdio.h>
#include <stdlib.h>

/* Less than Sentinels need for a failover (down-after-milliseconds). */
#define SILENCE_LATE  1.2               /* s */


static void
give(store_link_t *link, store_cmd_t *cmd, rbl_str_t bytes)
{
    const store_tool_t  *tool = link->store->tool;

    store_wire_send(link->wire, bytes);
    store_window_sent(&link->window, cmd, bytes.n);
    cmd->given = clock_now();
    cmd->deadline = cmd->given + (tool != NULL ? tool->reply
                                  : link->store->conf->store_timeout);
    link_add(&link->pending, &cmd->queue);
    store_watch(link);
}


static rbl_str_t
bytes_of(const store_cmd_t *cmd)
{
    return (rbl_str_t) { cmd->bytes, cmd->n };
}


/* Sends a script with its source in place of its digest. */

static void
send_source(store_link_t *link, store_cmd_t *cmd)
{
    char    *bytes;
    size_t   n;

    bytes = xmalloc(rbl_resp_eval_size(cmd->script, bytes_of(cmd)));
    n = rbl_resp_eval(bytes, cmd->script, bytes_of(cmd), cmd->tail);
    give(link, cmd, (rbl_str_t) { bytes, n });
    free(bytes);
}


static void
hand_over(store_link_t *link, store_cmd_t *cmd)
{
    if (cmd->whole) {
        send_source(link, cmd);

    } else {
        give(link, cmd, bytes_of(cmd));
    }
}


/* Sends the commands that fit into the window. */

static void
hand_over_some(store_link_t *link)
{
    store_cmd_t  *cmd;

    while ((cmd = store_window_next(&link->window)) != NULL) {
        hand_over(link, cmd);
    }
}


/* Makes a command with room for `n` bytes, which the caller writes. */

static store_cmd_t *
make_cmd(store_link_t *link, store_reply_pt done, void *data, size_t size)
{
    store_cmd_t  *cmd;

    cmd = xmalloc(sizeof(store_cmd_t) + size);
    memset(cmd, 0, sizeof(store_cmd_t));
    cmd->link = link;
    cmd->done = done;
    cmd->data = data;

    return cmd;
}


/* script NULL: argv is a plain command. */

static store_cmd_t *
write_cmd(store_link_t *link, const rbl_script_t *script, store_reply_pt done,
    void *data, int argc, const rbl_str_t *argv)
{
    char          buf[RBL_KEY_MAX];
    rbl_str_t     guard;
    store_cmd_t  *cmd;

    guard = script != NULL && link->store->nodes.kind == RBL_PLACE_CLUSTER
            ? rbl_nodes_guard(buf, argv[0]) : RBL_STR("");
    cmd = make_cmd(link, done, data, rbl_resp_size(script, guard, argc, argv));
    cmd->script = script;
    cmd->n = rbl_resp_command(cmd->bytes, &cmd->tail, script, guard, argc,
                              argv);

    return cmd;
}


/* The name of a command or script, for messages. */

static rbl_str_t
name_of(const store_cmd_t *cmd)
{
    return cmd->script != NULL ? rbl_str(cmd->script->name)
                               : rbl_resp_verb(bytes_of(cmd));
}


/* Sends a command of the greeting, which bypasses the window. */

void
store_send(store_link_t *link, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    hand_over(link, write_cmd(link, NULL, done, data, argc, argv));
}


static void
offer(store_link_t *link, store_cmd_t *cmd)
{
    if (store_window_add(&link->window, cmd) != 0) {
        store_fail(link->store, cmd);
        return;
    }

    hand_over_some(link);
}


void
store_link_command(store_link_t *link, store_reply_pt done, void *data,
    int argc, const rbl_str_t *argv)
{
    offer(link, write_cmd(link, NULL, done, data, argc, argv));
}


void
store_link_adopt(store_link_t *link, store_cmd_t *cmd)
{
    cmd->link = link;
    store_window_back(&link->window, cmd);
    hand_over_some(link);
}


/* A command that has no link to go to. */

void
store_fail_new(store_t *store, store_reply_pt done, void *data)
{
    store_fail(store, make_cmd(NULL, done, data, 0));
}


void
store_link_script(store_link_t *link, unsigned late,
    const rbl_script_t *script, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv)
{
    store_cmd_t  *cmd;

    cmd = write_cmd(link, script, done, data, argc, argv);
    cmd->late = late;
    offer(link, cmd);
}


static void
count_refusal(store_link_t *link)
{
    double  now = clock_now();

    if (link->refused == 0 || now - link->refused > STORE_REFUSED) {
        link->refused_since = now;
        link->refusals = 0;
    }

    link->refused = now;
    link->refusals++;
}


static void
refused(const store_link_t *link, const store_cmd_t *cmd,
    const redisReply *reply)
{
    int                again;
    char               name[STORE_NAME];
    rbl_str_t          why, verb;
    rbl_reply_class_t  c;

    if (link->phase != STORE_READY) {
        return;
    }

    verb = name_of(cmd);
    why = rbl_reply_error(reply);
    c = rbl_reply_class(reply);

    if (link->store->nodes.kind == RBL_PLACE_ONE) {
        log_warn("the store refuses %.*s: %.*s", (int) verb.n, verb.p,
                 (int) why.n, why.p);
        return;
    }

    /* a slot that is away is not worth a warning for each command, nor is a
       failover that leaves too few replicas for a while */

    again = c == RBL_REPLY_NOWRITE
            && (link->refusals > 1 || link->store->second);
    log_msg(c == RBL_REPLY_SLOT || again ? LOG_L_INFO : LOG_L_WARN,
            "%s: it refuses %.*s: %.*s", store_name(name, link), (int) verb.n,
            verb.p, (int) why.n, why.p);
}


/* 1: the caller gets the reply, 0: the caller gets NULL, -1: the command is
   sent again. */

static int
judge(store_link_t *link, store_cmd_t *cmd, const redisReply *reply)
{
    rbl_reply_class_t  c;

    c = rbl_reply_class(reply);

    if (link->store->tool != NULL && c != RBL_REPLY_NOSCRIPT) {
        return 1;
    }

    switch (c) {

    case RBL_REPLY_NOSCRIPT:
        if (cmd->script == NULL || cmd->whole) {
            return 1;
        }

        if (link->phase != STORE_READY) {
            return 0;
        }

        cmd->whole = 1;
        store_window_back(&link->window, cmd);
        return -1;

    case RBL_REPLY_READONLY:
        store_drop(link, "the store has become a replica");
        return 0;

    case RBL_REPLY_NOWRITE:
        count_refusal(link);
        refused(link, cmd, reply);

        if (link->store->nodes.kind == RBL_PLACE_SENTINEL
            && strncmp(reply->str, "NOREPLICAS", 10) == 0)
        {
            store_drop(link, "too few replicas are near (NOREPLICAS)");
        }

        return 0;

    case RBL_REPLY_MOVED:
        if (link->kind->moved != NULL) {
            return link->kind->moved(link, cmd, reply) ? -1 : 0;
        }

        refused(link, cmd, reply);
        return 0;

    case RBL_REPLY_SLOT:
        if (link->kind->stale != NULL) {
            link->kind->stale(link->store);
        }

        refused(link, cmd, reply);
        return 0;

    case RBL_REPLY_NOTREADY:
    case RBL_REPLY_NOAUTH:
    case RBL_REPLY_NOPERM:
        refused(link, cmd, reply);
        return 0;

    default:
        return 1;
    }
}


void
store_link_reply(store_link_t *link, const redisReply *reply)
{
    int           rc;
    store_cmd_t  *cmd = store_first(&link->pending);

    if (cmd == NULL) {
        store_drop(link, "it sent a reply that no command waits for");
        return;
    }

    /* SUBSCRIBE is the last command of its connection, and has many replies. */

    if (link->messages) {
        cmd->deadline = 0;
        cmd->done(cmd->data, reply);
        store_watch(link);
        return;
    }

    link_remove(&cmd->queue);
    store_window_ended(&link->window, cmd);

    if (link->phase == STORE_READY
        && store_stood_still(link, cmd->given, SILENCE_LATE))
    {
        store_drop(link, "it stood still, and may have been replaced");
        link->stale = 1;
    }

    /* During the greeting the greeter judges the replies. */

    rc = link->phase == STORE_GREETING ? 1
         : link->stale ? 0 : judge(link, cmd, reply);

    if (rc == 0) {
        store_fail(link->store, cmd);

    } else if (rc == 1) {
        if (cmd->done != NULL) {
            cmd->done(cmd->data, reply);
        }

        free(cmd);
    }

    if (link->phase == STORE_READY) {
        hand_over_some(link);
    }

    store_watch(link);
}


void
store_queue_forget(const link_t *queue, const void *data)
{
    link_t       *l;
    store_cmd_t  *cmd;

    for (l = queue->next; l != queue; l = l->next) {
        cmd = link_of(l, store_cmd_t, queue);

        if (cmd->data == data) {
            cmd->done = NULL;
        }
    }
}


void
store_link_forget(store_link_t *link, const void *data)
{
    store_queue_forget(&link->window.waiting, data);
    store_queue_forget(&link->window.late, data);
    store_queue_forget(&link->pending, data);
}
