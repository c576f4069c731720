/*
 * Declarations of the store's files: store.c has the store and its parts,
 * store_map.c the nodes of a cluster, store_sentinel.c the look-up of a master,
 * store_listen.c the subscription; of a link, store_link.c sends commands and
 * completes them, store_connect.c opens and closes the connection,
 * store_greet.c greets, store_tls.c encrypts, store_window.c holds back
 * commands that exceed the window.
 *
 * A command is in the window's queue until it is sent, in `pending` while
 * hiredis has it, and in `failed` until its call back gets NULL.  Only the kick
 * timer passes on NULL and changes of state, and closes connections: nothing is
 * freed inside a hiredis call back, and no caller is called back from inside
 * its own call.
 */

#ifndef STORE_INT_H_INCLUDED
#define STORE_INT_H_INCLUDED

#include "store.h"

#include <hiredis/async.h>

#include "base/clock.h"
#include "rbl_meta.h"
#include "rbl_reply_guard.h"
#include "rbl_role.h"
#include "rbl_views.h"

#include "store_window.h"

#define STORE_WHY      160
#define STORE_HISTORY  41               /* master_replid, with NUL */
#define STORE_REFUSED  10.0             /* s between refusals of one series */

typedef struct store_link_s  store_link_t;

struct store_cmd_s {
    store_cmd_t         *prev, *next;   /* NULL, NULL: in no list */
    store_link_t        *link;          /* NULL: failed before it had one */
    store_reply_pt       done;          /* NULL: no call back */
    void                *data;
    double               given, deadline;
    const rbl_script_t  *script;        /* NULL: a plain command */
    char                 verb[16];      /* of a plain command, for messages */
    unsigned             whole:1;       /* sent with its source */
    unsigned             late:1;        /* waits behind the others */
    unsigned             moved:1;       /* has followed a MOVED */
    size_t               argc;          /* including the verb */
    size_t               named;         /* of a script: bytes before its keys */
    size_t               n;             /* size in bytes */
    size_t               sent;          /* bytes in flight */
    char                 bytes[];       /* in wire format */
};

typedef enum {
    STORE_DOWN = 0,                     /* no connection; the retry is armed, if
                                           the node is wanted */
    STORE_LOOKING,                      /* the Sentinels are asked */
    STORE_GREETING,                     /* connecting, AUTH, meta */
    STORE_READY,
    STORE_DROPPING                      /* the kick will close it */
} store_phase_t;

/* A connection to a node, or to a Sentinel. */
struct store_link_s {
    store_t            *store;
    unsigned            node;           /* index in `nodes`; of a Sentinel in
                                           the hosts of the configuration */
    unsigned            changed;        /* of the node, when it was opened */
    rbl_host_port_t     at;
    redisAsyncContext  *ac;
    rbl_reply_reader_t  reader;         /* reply reader of ac */
    store_phase_t       phase;
    unsigned            subscribing:1;  /* has sent SUBSCRIBE */
    unsigned            unsafe:1;       /* its writes need no replica */
    unsigned            stale:1;        /* what it replies counts no more */
    unsigned            late:1;         /* its last greeting was refused because
                                           it took too long */
    int64_t             replicas;       /* most that it had since it greeted */
    double              counted;        /* when it was asked for them;
                                           clock_now */
    double              opened;         /* when it began to connect;
                                           clock_now */
    store_queue_t       pending;
    store_window_t      window;
    ev_prepare          flush;          /* writes before the loop sleeps */
    ev_timer            watch;          /* deadline of the oldest command */
    ev_timer            retry;
    double              connect_deadline;
    double              refused, refused_since;     /* the last refusal of a
                                                       write, and the first of
                                                       its series; clock_now */
    unsigned            refusals;       /* of the series */
    double              backoff;
    char                why[STORE_WHY]; /* the last trouble, which was logged */
    rbl_reply_class_t   said;           /* it was this refusal; RBL_REPLY_OK:
                                           another trouble */
    unsigned            connection;     /* number of the last one */
    char                history[STORE_HISTORY];     /* of its data; "": not
                                                       known */
};

/* Where a partition of a cluster is. */
typedef struct {
    unsigned char       node;           /* the last one that was ready;
                                           RBL_NODE_NONE: none yet */
    double              away;           /* since then (clock_now); 0: it is
                                           not */
} store_part_t;

struct store_s {
    struct ev_loop     *loop;
    const config_t     *conf;
    store_state_pt      state;          /* NULL: of a subscription */
    void               *data;
    const store_tool_t *tool;           /* NULL: the store of a daemon */
    rbl_keyspace_t      ks;
    int64_t             schema;         /* 0: not known */
    rbl_nodes_t         nodes;
    store_link_t       *link[RBL_NODES_MAX];    /* of each node; NULL: none
                                                   yet */
    store_queue_t       failed;
    ev_timer            kick;
    unsigned            ready_reported:1;
    unsigned            renewed:1;      /* a part is ready again */
    unsigned            failovers;
    unsigned            second:1;       /* only the first store logs trouble */
    unsigned            seed;

    /* store_map.c */
    ev_timer            map;            /* when the nodes are asked */
    const store_link_t *map_asked;      /* NULL: no call is under way */
    unsigned            map_next;       /* node to ask next */
    double              map_at;         /* time of the last call */
    char                map_why[STORE_WHY];
    unsigned            n_away;         /* partitions */
    unsigned            said_away:1;
    store_part_t        part[RBL_PARTITIONS_MAX];

    /* store_sentinel.c */
    store_link_t       *sentinel;
    rbl_views_t         views;          /* of this look-up */
    unsigned char       bad[RBL_PLACE_HOSTS];       /* 1: its trouble was
                                                       logged */
    unsigned            asked;          /* how many in this look-up */
    unsigned            tries;          /* masters in a row that could not be
                                           used */
    store_sentinels_t   seen;           /* by the last look-up */
    unsigned            asking:1;       /* a look-up is under way */
    unsigned            restart:1;      /* it has to begin again */
    unsigned            answered:1;     /* the one that is asked now has */
    unsigned            others:1;       /* one has in the last look-up */
    unsigned            authed:1;       /* AUTH was sent to the Sentinel */

    /* store_listen.c */
    store_message_pt    message;        /* NULL: no subscription */
    store_t            *of;             /* the store that is subscribed to */
    unsigned            followed;       /* its node */
    store_t            *listener;       /* the subscription to this store */
};

/* store.c */
store_t *store_make(struct ev_loop *loop, const config_t *conf,
    rbl_place_kind_t kind, store_state_pt state, void *data);
int store_link_ready(const store_t *store, unsigned node);
void store_kick(store_t *store);
void store_fail(store_t *store, store_cmd_t *cmd);

/* store_link.c */
void store_link_forget(store_link_t *link, const void *data);
void store_queue_forget(store_queue_t *queue, const void *data);
void store_link_command(store_link_t *link, store_reply_pt done, void *data,
    int argc, const rbl_str_t *argv);
void store_link_script(store_link_t *link, unsigned late,
    const rbl_script_t *script, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);
void store_fail_new(store_t *store, store_reply_pt done, void *data);

/* Sends a command that bypasses the window, as the greeting does. */
void store_send(store_link_t *link, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/* Fails all commands that wait in the window, since the connection is lost. */
void store_give_up(store_link_t *link);

/* store_connect.c: a new link, and a fresh one, connect in the next turn of the
   loop; one that ended fails its commands, and may be freed after that. */
store_link_t *store_link_new(store_t *store, unsigned node);
void store_link_fresh(store_link_t *link);
void store_link_end(store_link_t *link);
void store_link_well(store_link_t *link);
void store_open(store_link_t *link, const rbl_host_port_t *at, double timeout);
void store_connected(store_link_t *link);       /* with TLS: after the
                                                   handshake */
double store_connect_limit(const store_t *store);
void store_let_go(store_link_t *link);
void store_plan_retry(store_link_t *link);
void store_watch(store_link_t *link);

/* Logs a trouble once, not at every attempt. */
void store_trouble(store_link_t *link, const char *why);

/* "store X, node Y", for the log; returns buf. */
#define STORE_NAME  (1024 + RBL_HOST_PORT_TEXT + 32)
const char *store_name(char buf[STORE_NAME], const store_link_t *link);
int store_quiet(const store_link_t *link);

/* Closes the connection in the next turn of the loop; `why` is for the log. */
void store_drop(store_link_t *link, const char *why);

/* store_tls.c: in place of hiredis' adapter.  -1: OpenSSL has no memory. */
int store_tls_attach(store_link_t *link, redisAsyncContext *ac);
void store_tls_write(redisAsyncContext *ac);

/* store_greet.c */
void store_greet(store_link_t *link);
void store_greeted(store_link_t *link);
void store_send_auth(store_link_t *link, store_reply_pt done);
void store_ask_meta(store_t *store);

/* store_map.c: a cluster. */
void store_map_init(store_t *store);
void store_map_stale(store_t *store);           /* asks soon */
void store_map_kick(store_t *store);
const char *store_map_take(store_link_t *link, const redisReply *slots);

/* store_sentinel.c */
void store_look(store_t *store);
void store_sentinel_kick(store_t *store);
void store_sentinel_greet(store_link_t *link);

/* A server that stood still may have been replaced meanwhile: true behind
   Sentinels, if more than so many seconds have passed since `from`. */
int store_sentinel_stale(const store_link_t *link, double from, double most);

/* store_listen.c: the end of a subscription's greeting; which address; whether
   the node that the listener of a store follows is still right. */
void store_subscribe(store_link_t *link);
const rbl_host_port_t *store_follow(store_t *store);
void store_listen_kick(const store_t *store);

#endif /* STORE_INT_H_INCLUDED */
