/*
 * What the files of the store share: store_connect.c brings the connection up
 * and down, store.c sends commands and completes them, store_window.c holds
 * back what is too much at a time.
 *
 * A command is in the window's queue until it is sent, in `pending` while
 * hiredis has it, and in `failed` until its call back gets NULL.  Only the kick
 * timer passes on NULL and changes of state: nothing is freed inside a hiredis
 * call back, and no caller is called from inside a call of its own.
 */

#ifndef STORE_INT_H_INCLUDED
#define STORE_INT_H_INCLUDED

#include "store.h"

#include <hiredis/async.h>

#include "rbl_reply_guard.h"

#include "store_window.h"

struct store_cmd_s {
    store_cmd_t         *prev, *next;   /* NULL, NULL: in no list */
    store_t             *store;
    store_reply_pt       done;          /* NULL: nobody wants to know */
    void                *data;
    double               deadline;
    const rbl_script_t  *script;        /* NULL: a plain command */
    char                 verb[16];      /* of a plain command, for messages */
    unsigned             whole:1;       /* the source went with it */
    unsigned             late:1;        /* it waits behind the others */
    size_t               argc;          /* the verb too */
    size_t               named;         /* of a script: octets up to its keys */
    size_t               n;             /* octets */
    size_t               sent;          /* those in flight */
    char                 bytes[];       /* as it is sent */
};

typedef enum {
    STORE_DOWN = 0,                     /* no connection; the retry is armed */
    STORE_GREETING,                     /* connecting, AUTH, meta */
    STORE_READY,
    STORE_DROPPING                      /* the kick will end it */
} store_phase_t;

struct store_s {
    struct ev_loop     *loop;
    const config_t     *conf;
    double              wait;           /* s a command may take */
    store_state_pt      state;
    void               *data;
    rbl_keyspace_t      ks;
    redisAsyncContext  *ac;
    rbl_reply_reader_t  reader;         /* of ac */
    store_phase_t       phase;
    unsigned            ready_reported:1;
    unsigned            second:1;       /* for blocking reads: the first one
                                           does the complaining */
    store_queue_t       pending, failed;
    store_window_t      window;
    ev_prepare          flush;          /* writes before the loop sleeps */
    ev_timer            watch;          /* deadline of the oldest command */
    ev_timer            kick;
    ev_timer            retry;
    double              connect_deadline;
    double              backoff;
    unsigned            seed;
    char                why[160];       /* the last trouble that was logged */
};

/* store.c */
void store_send(store_t *store, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/* All that waits in the window fails: the connection is lost. */
void store_give_up(store_t *store);

/* store_connect.c */
void store_connect(store_t *store);
void store_kick(store_t *store);
void store_watch(store_t *store);

/* Ends the connection at the next turn; `why` is for the log. */
void store_drop(store_t *store, const char *why);

#endif /* STORE_INT_H_INCLUDED */
