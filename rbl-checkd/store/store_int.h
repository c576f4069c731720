/*
 * Declarations of the store's files.  Three layers.  Each calls those below,
 * which answer by callbacks (store_link_kind_t) and by the kick:
 *
 *  - a link to one server: store_connect.c opens and closes its connection,
 *    store_wire.c moves the bytes, store_link.c sends commands and completes
 *    them, store_window.c holds back commands that exceed the window;
 *  - store_greet.c: the greeting of a node;
 *  - store.c: one store, its links and the way of a command to one, with
 *    store_map.c (the nodes of a cluster), store_sentinel.c (which is the
 *    master), store_listen.c (a subscription), store_tool.c (for rblctl).
 *
 * A command is in the window's queue until it is sent, in `pending` until its
 * reply comes, and in `failed` until its call back gets NULL.  Only the kick
 * timer passes on NULL and changes of state, and closes connections: nothing is
 * freed while replies are read, and no caller is called back from inside its
 * own call.
 */

#ifndef STORE_INT_H_INCLUDED
#define STORE_INT_H_INCLUDED

#include "store.h"

#include "base/clock.h"
#include "base/timer.h"
#include "rbl_meta.h"
#include "rbl_resp.h"
#include "rbl_role.h"
#include "rbl_views.h"

#include "store_window.h"

#define STORE_WHY      160
#define STORE_HISTORY  41               /* master_replid, with NUL */
#define STORE_REFUSED  10.0             /* s between refusals of one series */

typedef struct store_link_s  store_link_t;
typedef struct store_wire_s  store_wire_t;      /* store_wire.c */

struct store_cmd_s {
    link_t               queue;         /* in the one that has it */
    store_link_t        *link;          /* NULL: failed before it had one */
    store_reply_pt       done;          /* NULL: no call back */
    void                *data;
    double               given, deadline;
    const rbl_script_t  *script;        /* NULL: a plain command */
    unsigned             whole:1;       /* sent with its source */
    unsigned             late:1;        /* waits behind the others */
    unsigned             moved:1;       /* has followed a MOVED */
    size_t               tail;          /* rbl_resp_command */
    size_t               n;             /* size in bytes */
    size_t               sent;          /* bytes in flight */
    char                 bytes[];       /* in the form of RESP */
};

typedef enum {
    STORE_DOWN = 0,                     /* no connection; the retry is armed, if
                                           the node is wanted */
    STORE_LOOKING,                      /* the Sentinels are asked */
    STORE_GREETING,                     /* connecting, AUTH, meta */
    STORE_READY,
    STORE_DROPPING                      /* the kick will close it */
} store_phase_t;

/* Callbacks of a link, by the kind of its server. */
typedef struct {
    /* It is time to connect: store_open, or store_plan_retry if the address is
       not known now.  Not of a Sentinel, which is never tried again. */
    void  (*seek)(store_link_t *link);

    /* Sends the greeting. */
    void  (*greet)(store_link_t *link);

    /* The node is what it should be: store_link_up.  Not of a Sentinel. */
    void  (*met)(store_link_t *link);

    /* Of a cluster, else NULL: a command was refused with MOVED.  1: it is on
       its way to another node.  stale: the map of slots is out of date. */
    int   (*moved)(store_link_t *link, store_cmd_t *cmd,
        const redisReply *moved);
    void  (*stale)(store_t *store);

    unsigned  sentinel:1;               /* a Sentinel: its trouble is that of
                                           the look-up */
} store_link_kind_t;

/* A connection to a server. */
struct store_link_s {
    const store_link_kind_t  *kind;
    store_t            *store;
    unsigned            node;           /* index in `nodes`; of a Sentinel in
                                           the hosts of the configuration */
    unsigned            changed;        /* of the node, when it was opened */
    rbl_host_port_t     at;
    store_wire_t       *wire;           /* NULL: no connection */
    store_phase_t       phase;
    unsigned            subscribing:1;  /* has sent SUBSCRIBE, which is not
                                           confirmed */
    unsigned            messages:1;     /* has sent SUBSCRIBE */
    unsigned            unsafe:1;       /* its writes need no replica */
    unsigned            touched:1;      /* SET before WAIT was accepted */
    unsigned            stale:1;        /* what it replies counts no more */
    unsigned            late:1;         /* its last greeting was refused because
                                           it took too long */
    int64_t             replicas;       /* most that it had since it greeted */
    double              counted;        /* when it was asked for them;
                                           clock_now */
    double              opened;         /* when it began to connect;
                                           clock_now */
    link_t              pending;        /* commands */
    store_window_t      window;
    loop_timer_t        watch;          /* deadline of the oldest command */
    loop_timer_t        retry;
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

/* The links read it, put failed commands into it, and set what they find out:
   meta data, nodes, renewed. */
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
    link_t              failed;         /* commands */
    loop_timer_t        kick;
    unsigned            ready_reported:1;
    unsigned            renewed:1;      /* a part is ready again */
    unsigned            failovers;
    unsigned            second:1;       /* only the first store logs trouble */

    /* store_map.c */
    loop_timer_t        map;            /* when the nodes are asked */
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
    store_message_pt    message;
    store_t            *of;             /* the store that is subscribed to */
    unsigned            followed;       /* its node */
    store_t            *listener;       /* the subscription to this store */
};

/* store_connect.c: a new link connects after store_link_fresh, in the next turn
   of the loop; one that ended fails its commands, and may be freed after
   that. */
store_link_t *store_link_new(store_t *store, const store_link_kind_t *kind,
    unsigned node);
void store_link_fresh(store_link_t *link);
void store_link_up(store_link_t *link);
void store_link_end(store_link_t *link);
void store_open(store_link_t *link, const rbl_host_port_t *at, double timeout);
void store_open_node(store_link_t *link);
void store_connected(store_link_t *link);       /* with TLS: after the
                                                   handshake */
double store_connect_limit(const store_t *store);
void store_let_go(store_link_t *link);
void store_plan_retry(store_link_t *link);
void store_watch(store_link_t *link);

/* The work that must wait until no reply is being read. */
void store_kick(store_t *store);
void store_fail(store_t *store, store_cmd_t *cmd);

/* Fails all commands that wait in the window, since the connection is lost. */
void store_give_up(store_link_t *link);

/* Logs a trouble once, not at every attempt. */
void store_trouble(store_link_t *link, const char *why);

/* "store X, node Y", for the log; returns buf. */
#define STORE_NAME  (1024 + RBL_HOST_PORT_TEXT + 32)
const char *store_name(char buf[STORE_NAME], const store_link_t *link);
int store_quiet(const store_link_t *link);

/* Closes the connection in the next turn of the loop; `why` is for the log.
   store_drop_refused: it is the text of a reply. */
void store_drop(store_link_t *link, const char *why);
void store_drop_refused(store_link_t *link, const redisReply *reply,
    rbl_str_t text);

/* A server that stood still may have been replaced meanwhile: true behind
   Sentinels, if more than so many seconds have passed since `from`. */
int store_stood_still(const store_link_t *link, double from, double most);

/* store_wire.c: begins to connect to the address of the link, and ends by
   store_drop; NULL: `why` is set.  store_wire_send copies the command. */
store_wire_t *store_wire_open(store_link_t *link, char why[STORE_WHY]);
void store_wire_send(store_wire_t *wire, rbl_str_t command);
void store_wire_close(store_wire_t *wire);

/* store_link.c; store_link_reply: the next reply has come. */
void store_link_reply(store_link_t *link, const redisReply *reply);
void store_link_forget(store_link_t *link, const void *data);
void store_queue_forget(const link_t *queue, const void *data);
void store_link_command(store_link_t *link, store_reply_pt done, void *data,
    int argc, const rbl_str_t *argv);
void store_link_script(store_link_t *link, unsigned late,
    const rbl_script_t *script, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);
void store_fail_new(store_t *store, store_reply_pt done, void *data);

/* Sends a command of another link before all others. */
void store_link_adopt(store_link_t *link, store_cmd_t *cmd);

/* Sends a command that bypasses the window, as the greeting does. */
void store_send(store_link_t *link, store_reply_pt done, void *data, int argc,
    const rbl_str_t *argv);

/* store_greet.c: AUTH, if there is a password, and the rest; `met` follows.
   store_greeting: a reply has come, and the greeting goes on. */
int store_greeting(const store_link_t *link, const redisReply *reply);
void store_greet(store_link_t *link);
void store_greet_auth(store_link_t *link);
void store_greet_role(store_link_t *link);
void store_send_auth(store_link_t *link, store_reply_pt done);

/* Asks for the meta data or their copy.  store_take_meta: NULL, or what is
   wrong with them; why: room for a message. */
void store_ask_meta(store_link_t *link, rbl_str_t key, store_reply_pt done);
const char *store_take_meta(store_t *store, const redisReply *reply,
    char why[RBL_META_WHY]);

/* store.c: a store without links, and its only one. */
store_t *store_make(struct ev_loop *loop, const config_t *conf,
    rbl_place_kind_t kind, store_state_pt state, void *data);
void store_make_one(store_t *store, const store_link_kind_t *kind);
int store_link_ready(const store_t *store, unsigned node);

/* store_map.c: a cluster. */
void store_map_init(store_t *store);
void store_map_kick(store_t *store);
const char *store_map_take(store_link_t *link, const redisReply *slots);

/* store_sentinel.c */
void store_sentinel_init(store_t *store);
void store_sentinel_kick(store_t *store);

/* store_listen.c: whether the node that the listener of a store follows is
   still right. */
void store_listen_kick(const store_t *store);

#endif /* STORE_INT_H_INCLUDED */
