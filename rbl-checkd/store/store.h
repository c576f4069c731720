/*
 * The daemon's connection to the store: asynchronous, pipelined, on libev, by
 * hiredis and its libev adapter.  One object is one connection.  It connects,
 * authenticates, reads <prefix>:meta, checks the schema version, and reconnects
 * with back-off when the connection is lost.
 *
 * At most 8 KiB of commands are in flight at a time; others wait, in order
 * (store_window.h).
 *
 * Each command has exactly one call back: with the reply, or with NULL if the
 * command was not sent, or its outcome is unknown (timeout, connection lost),
 * or the server refused it temporarily (LOADING, OOM, ...).  Callers decide how
 * to proceed; every script may be run again.  The connection handles NOSCRIPT.
 */

#ifndef STORE_H_INCLUDED
#define STORE_H_INCLUDED

#include <ev.h>

#include "config/config.h"
#include "rbl_reply.h"
#include "rbl_script.h"

typedef struct store_s  store_t;

/* The reply is valid during the call.  Never called from inside a store_*
   call. */
typedef void (*store_reply_pt)(void *data, const redisReply *reply);

/* Called each time the connection becomes ready (1) or is lost (0). */
typedef void (*store_state_pt)(void *data, int ready);

typedef void (*store_message_pt)(void *data, rbl_str_t message);

/* NULL: out of memory. */
store_t *store_new(struct ev_loop *loop, const config_t *conf,
    store_state_pt state, void *data);

/* A further connection.  Its trouble is that of the first one, and logged at
   level debug. */
store_t *store_second(struct ev_loop *loop, const config_t *conf,
    store_state_pt state, void *data);

/*
 * Subscribes to the channel of news (rbl_keys.h); takes no commands.  Messages
 * that are sent while the connection is lost do not come.  NULL: out of memory.
 */
store_t *store_listen(struct ev_loop *loop, const config_t *conf,
    store_message_pt message, void *data);
void store_free(store_t *store);        /* pending commands get NULL */

int store_ready(const store_t *store);
const rbl_keyspace_t *store_keyspace(const store_t *store);

void store_command(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);
void store_script(store_t *store, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/* Runs a script by its name, with its own arguments (rbl_script.h). */
#define store_call(store, name, done, data, args)                             \
    store_script(store, &rbl_script_##name, done, data, RBL_ARGC(args),       \
                 ((const rbl_##name##_args_t *) { &(args) })->argv)

/* The same, but behind all other commands (store_window.h): for calls that one
   account can cause in numbers that would delay all others. */
void store_script_late(store_t *store, const rbl_script_t *script,
    store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/* Cancels all call backs for `data`. */
void store_forget(store_t *store, void *data);

#endif /* STORE_H_INCLUDED */
