/*
 * Declarations of the store's files: store_connect.c opens and closes the
 * connection, store.c sends commands and completes them, store_window.c holds
 * back commands that exceed the window, store_listen.c subscribes.
 *
 * A command is in the window's queue until it is sent, in `pending` while
 * hiredis has it, and in `failed` until its call back gets NULL.  Only the kick
 * timer passes on NULL and changes of state: nothing is freed inside a hiredis
 * call back, and no caller is called back from inside its own call.
 */

#ifndef STORE_INT_H_INCLUDED
#define STORE_INT_H_INCLUDED

#include "store.h"

#include <hiredis/async.h>

#include "rbl_reply_guard.h"

#include "store_window.h"

#define STORE_WHY  160

struct store_cmd_s {
    store_cmd_t         *prev, *next;   /* NULL, NULL: in no list */
    store_t             *store;
    store_reply_pt       done;          /* NULL: no call back */
    void                *data;
    double               deadline;
    const rbl_script_t  *script;        /* NULL: a plain command */
    char                 verb[16];      /* of a plain command, for messages */
    unsigned             whole:1;       /* sent with its source */
    unsigned             late:1;        /* waits behind the others */
    size_t               argc;          /* including the verb */
    size_t               named;         /* of a script: bytes before its keys */
    size_t               n;             /* size in bytes */
    size_t               sent;          /* bytes in flight */
    char                 bytes[];       /* in wire format */
};

typedef enum {
    STORE_DOWN = 0,                     /* no connection; the retry is armed */
    STORE_GREETING,                     /* connecting, AUTH, meta */
    STORE_READY,
    STORE_DROPPING                      /* the kick will close it */
} store_phase_t;

struct store_s {
    struct ev_loop     *loop;
    const config_t     *conf;
    store_state_pt      state;          /* NULL: of a subscription */
    store_message_pt    message;        /* NULL: no subscription */
    void               *data;
    rbl_keyspace_t      ks;
    redisAsyncContext  *ac;
    rbl_reply_reader_t  reader;         /* reply reader of ac */
    store_phase_t       phase;
    unsigned            ready_reported:1;
    unsigned            second:1;       /* only the first connection logs
                                           trouble */
    unsigned            subscribing:1;  /* has sent SUBSCRIBE */
    store_queue_t       pending, failed;
    store_window_t      window;
    ev_prepare          flush;          /* writes before the loop sleeps */
    ev_timer            watch;          /* deadline of the oldest command */
    ev_timer            kick;
    ev_timer            retry;
    double              connect_deadline;
    double              backoff;
    unsigned            seed;
    char                why[STORE_WHY]; /* the last trouble logged */
};

/* store.c */
void store_send(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/* Fails all commands that wait in the window, since the connection is lost. */
void store_give_up(store_t *store);

/* store_connect.c */
void store_connect(store_t *store);
void store_greeted(store_t *store);
void store_kick(store_t *store);
void store_watch(store_t *store);

/* Closes the connection in the next turn of the loop; `why` is for the log. */
void store_drop(store_t *store, const char *why);

/* store_listen.c: the end of a subscription's greeting. */
void store_subscribe(store_t *store);

#endif /* STORE_INT_H_INCLUDED */
