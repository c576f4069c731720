/*
 * Declarations of the query engine's files.
 *
 * A dns_query_t is a query with its attempts.  It is in exactly one state, and
 * in the list of that state.  The engine owns it from dns_ask to its call back
 * or dns_cancel.  An attempt that was sent and may still get a response is a
 * flight; a query on the wire, or waiting for its next attempt, may have
 * several flights.  Verdicts without a response (timeout, network, TCP failure)
 * go to the `done` list; the prepare watcher of the engine calls back and
 * sends.  So a call back, which may make and cancel any query, runs only while
 * no list is being walked.  Unused sockets are closed there, too.
 *
 * engine.c, udp.c, tcp.c, zone.c and find.c are one machine, and call each
 * other.  The other files know nothing of these five: wheel.c and pace.c call
 * what the engine gives them.
 *
 * Times are those of clock_now().
 */

#ifndef DNS_INT_H_INCLUDED
#define DNS_INT_H_INCLUDED

#include "base/link.h"
#include "base/timer.h"
#include "engine.h"
#include "referral.h"
#include "trace.h"
#include "wire.h"

#include <sys/socket.h>

#define DNS_MAX_TRIES  5
#define DNS_POOL       8            /* sockets per resolver in use */
#define DNS_BATCH      64           /* datagrams per system call */
#define DNS_SERVERS    1024         /* slots of the table; power of two */
#define DNS_ZONES      1024         /* slots of the table; power of two */
#define DNS_DEPTH      4            /* referrals that a query may follow */
#define DNS_LAME       60.0         /* s without queries to a lame server */
#define DNS_LATE       5.0          /* s the same, to a server whose response is
                                       overdue */
#define DNS_CLASSES    256          /* power of two */
#define DNS_OWNERS     256          /* power of two */
#define DNS_RANDOM     512

#define DNS_TICK       0.004        /* s, of the timer wheel */
#define DNS_WHEEL      1024         /* ticks; power of two */

/*
 * One class gets at most max_in_flight / DNS_SHARE slots, and at least one.
 * One account gets the same share of max_in_flight and of max_tcp for all its
 * own lists.  All own lists get the DNS_OWN_PART-th part, so that the rest is
 * left to system lists.  One system list gets the DNS_TCP_SHARE-th part of
 * max_tcp.
 */
#define DNS_SHARE      8
#define DNS_OWN_PART   2
#define DNS_TCP_SHARE  4

#define DNS_MUTE  8             /* consecutive timeouts that make a list mute */

typedef struct dns_owner_s     dns_owner_t;
typedef struct dns_class_s     dns_class_t;
typedef struct dns_socket_s    dns_socket_t;
typedef struct dns_server_s    dns_server_t;
typedef struct dns_set_s       dns_set_t;
typedef struct dns_zone_s      dns_zone_t;
typedef struct dns_tcp_s       dns_tcp_t;
typedef struct dns_flight_s    dns_flight_t;
typedef struct dns_batch_s     dns_batch_t;
typedef struct dns_inbox_s     dns_inbox_t;
typedef struct dns_find_s      dns_find_t;

typedef enum {
    DNS_WAITING = 0,        /* in the queue of its class */
    DNS_ON_WIRE,            /* in engine->wire */
    DNS_PAUSED,             /* in engine->wire too: all resolvers refused */
    DNS_TCP_WAITING,        /* in the TCP queue of its class */
    DNS_TCP,                /* in engine->tcp */
    DNS_SEEKING,            /* until the servers of its zone are known */
    DNS_ALIAS,              /* in engine->wire: `sub` is under way */
    DNS_DONE                /* in engine->done, verdict in `status` */
} dns_state_t;

/* Response times in seconds (RFC 6298). */
typedef struct {
    double    srtt, var;        /* 0: no response yet */
    unsigned  backoff;          /* overdue attempts since the last response */
} dns_rtt_t;

/* An attempt that may still get a response, in the id table of its socket. */
struct dns_flight_s {
    dns_query_t     *q;
    dns_socket_t    *socket;        /* NULL: free */
    dns_flight_t    *id_next;
    double           sent;
    uint32_t         upper;         /* mixed case: bits of the upper-case
                                       letters */
    uint16_t         id;
    unsigned         edns:1;
    unsigned         mixed:1;       /* in mixed case (case.c) */
    unsigned         counted:1;     /* in the server's in flight; at a server at
                                       most one flight of a query is
                                       counted */
};

struct dns_query_s {
    link_t         link;            /* must be first: lists hold it */
    link_t         timer;           /* in the wheel */
    dns_engine_t  *engine;
    dns_class_t   *class;
    dns_tcp_t     *tcp;
    dns_set_t     *set;             /* servers to query; NULL: unknown */
    dns_zone_t    *zone;            /* owner of `set`; NULL: resolvers */
    dns_query_t     *sub;           /* query for an alias' target */
    uint32_t       sub_ttl;         /* TTL of the alias */
    dns_done_pt    done;
    void          *data;
    double         due;             /* of the timer */
    double         first;           /* time of the first send; 0: not sent */
    double         expires;         /* deadline of all attempts */
    dns_state_t    state;
    dns_status_t   status;
    dns_status_t   search;          /* DNS_UNFOUND: see dns_answer_t */
    uint16_t       id;              /* of the TCP query */
    uint16_t       type;
    uint8_t        attempt;         /* attempts made */
    uint8_t        sends;
    uint8_t        open;            /* number of flights */
    uint8_t        at;              /* index in the set of the server of the
                                       last attempt, or of the response */
    uint8_t        depth;           /* referrals followed */
    uint8_t        slot;            /* pool slot of the last attempt */
    uint8_t        refused;         /* bits: unreachable servers */
    uint8_t        unable;          /* bits: servers without a usable
                                       response */
    uint32_t       origin;          /* depth > 0: server of the first
                                       referral */
    dns_set_t     *from;            /* depth > 0: set of the server of the last
                                       one */
    uint8_t        from_at;         /* index of that server */
    unsigned       timed_out:1;
    unsigned       no_edns:1;       /* the server does not support it */
    unsigned       edns:1;          /* in the last attempt */
    unsigned       look:1;          /* engine->referral is needed too */
    unsigned       stay:1;          /* the next attempt uses the same server */
    unsigned       moved:1;         /* it was sent again by a new socket */
    unsigned       fixed:1;         /* all attempts use the same server */
    unsigned       hedge:1;         /* waits in its queue while in flight */
    unsigned       failed:1;        /* `status` is from a response */
    unsigned       probe:1;         /* as in its payer */
    unsigned       trial:1;         /* the single query to a mute list */
    unsigned       case_trial:1;    /* the last attempt is a trial (case.c) */
    unsigned       lower:1;         /* lower case for any server */
    unsigned       lower_why:2;     /* DNS_CASE_... */
    uint8_t        lower_at;        /* index of that server in the set */
    uint16_t       len;
    uint8_t       *name;            /* wire form; stored after the flights */
    dns_flight_t   flight[];        /* one for each possible attempt */
};

/*
 * Queries of an account's own lists, its probes, or all queries of system lists
 * (the engine's `system`).  An owner outlives its classes until its rate is
 * forgotten.
 */
struct dns_owner_s {
    link_t         link;            /* in engine->owners, engine->resting, or
                                       in neither */
    link_t         ready;           /* classes that may send; one with a hedge
                                       goes first */
    link_t         tcp_link;        /* in engine->tcp_owners, or not */
    link_t         tcp_ready;       /* classes that wait for a TCP slot */
    dns_owner_t   *next;            /* in the table */
    dns_engine_t  *engine;
    uint64_t       account;         /* 0: system lists */
    unsigned       probe:1;
    unsigned       refs;            /* number of classes */
    unsigned       queries;         /* of all its classes, in any state */
    unsigned       n_ready;
    unsigned       in_flight, n_tcp;
    double         due;             /* the time at which its rate is used up to
                                       this point; see pace.c */
};

struct dns_class_s {
    link_t        link;             /* in its owner's ready list, or in
                                       throttled */
    link_t        queue;
    link_t        tcp_link;         /* in the owner's tcp_ready, or not */
    link_t        tcp_queue;
    dns_class_t  *next;             /* in the table */
    dns_owner_t  *owner;
    unsigned      refs;             /* number of queries, in any state */
    unsigned      in_flight;        /* queries with flights */
    unsigned      n_tcp;
    unsigned      lost;             /* consecutive timeouts of data queries */
    unsigned      trials;           /* data queries sent to a mute list */
    double        trial_at;         /* time of the next such query; 0: now */
    double        trial_wait;
    uint64_t      replies;          /* responses of all lists when the timeouts
                                       began */
    dns_rtt_t     rtt;
    unsigned      probe_lost:1;     /* the last probe timed out */
    unsigned      listed:1;         /* in the ready or throttled list */
    unsigned      throttled:1;      /* in the throttled list */
    double        turn;             /* time of the next query */
    char          name[];
};

struct dns_socket_s {
    link_t           link;          /* retired sockets */
    ev_io            io;
    dns_engine_t    *engine;
    dns_server_t    *server;
    unsigned         uses;
    double           heard;         /* when it was opened, or had its last
                                       response */
    unsigned         n;             /* number of flights in `ids` */
    unsigned         retired:1;
    unsigned         segments:1;    /* one send may hold several queries */
    uint8_t          slot;
    unsigned         n_ids;         /* power of two */
    dns_flight_t    *ids[];
};

/*
 * One address.  Each account, and the system, has its own servers, so that no
 * account can affect the state of a server for others.
 */
struct dns_server_s {
    dns_server_t            *next;          /* in the table */
    dns_engine_t            *engine;
    uint32_t                 id;
    uint64_t                 account;
    unsigned                 refs;          /* number of sets */
    unsigned                 recursive:1;
    double                   used;          /* time of the last send */
    struct sockaddr_storage  sa;
    dns_server_counters_t    counters;
    dns_rtt_t                rtt;
    unsigned                 in_flight;
    unsigned                 fails;         /* consecutive attempts without a
                                               response */
    double                   down_until;
    unsigned                 edns_lost;     /* attempts with EDNS since the last
                                               response to one */
    unsigned                 edns_heard:1;  /* EDNS got a response once */
    unsigned                 plain:1;       /* it responds only to queries
                                               without EDNS */
    double                   edns_retry, edns_wait;
    unsigned                 case_keeps:1;  /* it gets mixed case */
    unsigned                 case_rests:1;  /* the last trial failed */
    unsigned                 case_trials;   /* without a result */
    unsigned                 case_lost;     /* dropped responses, and trials
                                               without a response */
    double                   case_next;     /* no trial before this time */
    dns_socket_t            *pool[DNS_POOL];
    link_t                   retired;
    unsigned                 n_retired;
};

struct dns_engine_s {
    struct ev_loop  *loop;
    dns_config_t     conf;
    dns_counters_t   counters;
    double           now;

    dns_set_t       *resolvers;
    dns_server_t    *server[DNS_SERVERS];
    uint32_t         next_id;
    unsigned         n_sockets, max_sockets;    /* for servers of zones */
    dns_zone_t      *zone[DNS_ZONES];
    unsigned         n_zones;       /* zones of accounts' lists */
    loop_timer_t     sweeper;       /* closes unused sockets */
    double           period[DNS_MAX_TRIES]; /* duration of each attempt */
    double           rest[DNS_MAX_TRIES];   /* sum from each attempt to the
                                               last */
    link_t           wire;
    link_t           done;

    link_t           wheel[DNS_WHEEL];
    loop_timer_t     ticker;
    uint64_t         tick;          /* last tick processed */
    uint64_t         tick_set;      /* tick of the ticker's timer */
    unsigned         turning:1;

    ev_prepare       prepare;
    ev_idle          idle;          /* active: the loop must not sleep */

    dns_owner_t      system;
    dns_owner_t     *owner[DNS_OWNERS];
    link_t           owners;        /* accounts with classes that may send */
    link_t           resting;       /* accounts that have used up their rate */
    unsigned         n_owners;      /* in `owners` */
    unsigned         own_in_flight, own_tcp;
    unsigned         own_hedges;    /* of n_hedges */
    unsigned         since_own;     /* sent for system lists since then */

    link_t           throttled;     /* classes that wait for their turn */
    unsigned         n_hedges;      /* queries that wait in a queue while in
                                       flight */
    loop_timer_t     pace;
    double           pace_at;       /* 0: not running */
    uint32_t         seed;
    dns_class_t     *classes[DNS_CLASSES];

    link_t    tcp, tcp_owners;
    unsigned  n_tcp;
    unsigned  tcp_wake:1;           /* a query may get a slot */

    uint8_t          random[DNS_RANDOM];
    size_t           n_random;      /* random octets left */
    unsigned         reap:1;        /* a retired socket has no more flights */
    dns_inbox_t     *inbox;         /* udp.c */
    dns_batch_t     *batch;
    dns_answer_t     answer;
    dns_referral_t   referral;      /* of the same response, if `referred` */
    unsigned         referred:1;

    /* Calls from lower files: wheel.c, when the deadline of a query has passed;
       pace.c, when a query may be sent, or fails without that. */
    void           (*due)(dns_query_t *q);
    void           (*send)(dns_query_t *q, unsigned at);
    void           (*fail)(dns_query_t *q, dns_status_t status);
};

/*
 * To be called when there is work for the prepare watcher, which may already
 * have run: keeps the loop from sleeping before it runs again.
 */
static inline void
dns_wake(dns_engine_t *engine)
{
    if (!ev_is_active(&engine->idle)) {
        ev_idle_start(engine->loop, &engine->idle);
    }
}


/* engine.c */

/* As dns_ask, but queries these servers, or the resolvers (NULL), within the
   budgets of the account, and the response may be a referral.  Never NULL. */
dns_query_t *dns_ask_look(dns_engine_t *engine, dns_set_t *set,
    uint64_t account, const dns_name_t *name, uint16_t type, dns_done_pt done,
    void *data);

/* Reads a response into engine->answer, and engine->referral if needed. */
dns_wire_t dns_read(dns_query_t *q, const uint8_t *msg, size_t n);

/*
 * A matching response is in engine->answer; its flight has ended.  `mixed`: the
 * flight had mixed case.
 */
void dns_query_answered(dns_query_t *q, dns_wire_t result, unsigned mixed);

/* An attempt ended without a response, and the query is off every list: starts
   another attempt, or sets the verdict. */
void dns_query_lost(dns_query_t *q, dns_status_t why);

/* Takes the query off its list or queue, and ends all its attempts. */
void dns_query_leave(dns_query_t *q);

/* Reports the verdict in engine->answer now, and frees the query. */
void dns_finish(dns_query_t *q);

/* Sets the verdict, which is reported later; the query must be off every
   list. */
void dns_finish_later(dns_query_t *q, dns_status_t status);

/* conf.c */

/* Are all values in their ranges? */
int dns_conf_ok(const dns_config_t *conf);

/* random.c */

/* Two random octets; -1: the system failed to provide them. */
int dns_random(dns_engine_t *engine, uint16_t *value);

/* wheel.c */

void dns_wheel_init(dns_engine_t *engine, void (*due)(dns_query_t *q));

/* Sets the deadline of a query. */
void dns_wheel_put(dns_query_t *q, double at);

/* pace.c */

/* `send` sends a query to the server with that index; `fail` ends one.  -1: the
   system gave no random octets. */
int dns_pace_init(dns_engine_t *engine,
    void (*send)(dns_query_t *q, unsigned at),
    void (*fail)(dns_query_t *q, dns_status_t status));
void dns_pace_free(dns_engine_t *engine);

/* Frees the queries in a list. */
void dns_list_free(link_t *list);

/* May the owner have one more TCP connection? */
int dns_owner_tcp_room(const dns_owner_t *owner);

/* The class of the payer, with one more reference. */
dns_class_t *dns_class_get(dns_engine_t *engine, const dns_payer_t *payer);
void dns_class_put(dns_class_t *class);

/* Does the class have a name, and therefore limits? */
int dns_class_limited(const dns_class_t *class);

/*
 * A list is mute when its data queries have timed out in a row while queries
 * for other lists had responses.  Then one query is sent at a time, each after
 * a longer pause, and all others, which are hopeless, fail at once.  Probes do
 * not count, and are sent as usual; a probe with a response, after one without,
 * ends the pause.
 */
int dns_class_hopeless(const dns_query_t *q);

/* Count a query that gets a response, or is over, with or without a timeout. */
void dns_class_heard(const dns_query_t *q);
void dns_class_end(const dns_query_t *q, int timed_out);

/* Adds the query to the queue of its class; a retry goes first. */
void dns_pace_queue(dns_query_t *q, int retry);
void dns_pace_unqueue(dns_query_t *q);

/* Makes the query wait like one that was never sent. */
void dns_pace_alone(dns_query_t *q);

/* The query got its first flight, or lost its last. */
void dns_pace_on_wire(dns_query_t *q);
void dns_pace_off_wire(dns_query_t *q);

/* Sends all queries that may be sent now. */
void dns_pace_run(dns_engine_t *engine);

/* batch.c */

dns_batch_t *dns_batch_new(void);
void dns_batch_free(dns_batch_t *batch);

/* The socket of the batch; NULL: the batch is empty. */
dns_socket_t *dns_batch_socket(const dns_batch_t *batch);

/* Adds a flight, whose socket must be that of the batch if there is one.  1:
   the batch is full and has to be sent; 0. */
int dns_batch_add(dns_batch_t *batch, dns_flight_t *f);

/* Sends the batch, which is not empty.  Returns the number of flights that
   could not be sent, and sets `unsent` to these and errno. */
unsigned dns_batch_send(dns_batch_t *batch, dns_flight_t ***unsent);

/* udp.c */

void dns_udp_init(dns_engine_t *engine);

/* Frees all servers. */
void dns_udp_free(dns_engine_t *engine);

/* Adds the query to the batch; dns_udp_flush sends that. */
void dns_udp_send(dns_query_t *q, unsigned n);
void dns_udp_flush(dns_engine_t *engine);

/* Stops waiting for the response of a flight. */
void dns_flight_end(dns_flight_t *f);

/* All sockets of the server are used no more. */
void dns_udp_retire(dns_server_t *r);

/* Closes the retired sockets without flights. */
void dns_udp_reap(dns_engine_t *engine);

/* Closes the sockets of servers that have not been used for a while, and frees
   those of these servers that no set has. */
void dns_udp_sweep(dns_engine_t *engine);

/* tcp.c */

/* Repeats the query, which must be off every list, over TCP. */
void dns_tcp_ask(dns_query_t *q);

/* Gives free slots to waiting queries. */
void dns_tcp_run(dns_engine_t *engine);

/* Ends and frees the exchange; its query stays in engine->tcp. */
void dns_tcp_close(dns_tcp_t *tcp);

#include "servers.h"

#endif /* DNS_INT_H_INCLUDED */
