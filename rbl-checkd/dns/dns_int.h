/*
 * What the files of the query engine share.
 *
 * A question is in exactly one state, and in the list of that state; the engine
 * owns it from dns_ask to its call back or dns_cancel.  Each try that has been
 * sent and may still be answered is a flight; a question on the wire, or
 * waiting for its next try, may have several.  Verdicts without a response
 * (timeout, network, TCP failure) go to the `done` list; the prepare watcher of
 * the engine calls back and sends.  So a call back, which may ask and cancel at
 * will, runs only where no list is being walked.  Unused sockets are closed
 * there, too.
 *
 * Times are those of dns_clock().
 */

#ifndef DNS_INT_H_INCLUDED
#define DNS_INT_H_INCLUDED

#include "base/link.h"
#include "engine.h"
#include "referral.h"
#include "trace.h"
#include "wire.h"

#include <sys/socket.h>

#define DNS_MAX_TRIES  5
#define DNS_POOL       8            /* sockets in use per resolver */
#define DNS_POOL_FEW   2            /* and per server of a zone */
#define DNS_RETIRED    64           /* and waiting for their last replies */
#define DNS_SOCKETS    2048         /* of servers of zones, all together; no
                                       more than half of what the process may
                                       have open */
#define DNS_BATCH      64           /* datagrams per system call */
#define DNS_RECV_SIZE  4096         /* longer replies are asked for by TCP */
#define DNS_ID_SLOTS   1024         /* of a resolver; powers of two */
#define DNS_ID_FEW     64
#define DNS_SERVERS    1024         /* slots of the table; power of two */
#define DNS_ZONES      1024         /* likewise */
#define DNS_DEPTH      4            /* referrals that a query may follow */
#define DNS_LAME       60.0         /* s that a lame server is passed by */
#define DNS_LATE       5.0          /* and one whose reply is overdue */
#define DNS_CLASSES    256          /* power of two */
#define DNS_OWNERS     256          /* power of two */
#define DNS_RANDOM     512

#define DNS_TICK       0.004        /* s, of the timer wheel */
#define DNS_WHEEL      1024         /* ticks; power of two */
#define DNS_RTO_LEAST  0.3

#define DNS_PAUSE  0.2

/*
 * One class gets max_in_flight / DNS_SHARE at a time, at least one; and one
 * account for all its own lists, of max_in_flight and of max_tcp.  All own
 * lists together get the DNS_OWN_PART-th part, so that the rest is left to
 * system lists.  One system list gets the DNS_TCP_SHARE-th part of max_tcp.
 */
#define DNS_SHARE      8
#define DNS_OWN_PART   2
#define DNS_TCP_SHARE  4

#define DNS_MUTE  8             /* timeouts in a row: the list is mute */

typedef struct dns_owner_s     dns_owner_t;
typedef struct dns_class_s     dns_class_t;
typedef struct dns_socket_s    dns_socket_t;
typedef struct dns_server_s    dns_server_t;
typedef struct dns_set_s       dns_set_t;
typedef struct dns_zone_s      dns_zone_t;
typedef struct dns_tcp_s       dns_tcp_t;
typedef struct dns_flight_s    dns_flight_t;
typedef struct dns_batch_s     dns_batch_t;
typedef struct dns_find_s      dns_find_t;

typedef enum {
    DNS_WAITING = 0,        /* for its turn: in the queue of its class */
    DNS_ON_WIRE,            /* in engine->wire */
    DNS_PAUSED,             /* there too: all resolvers refused */
    DNS_TCP_WAITING,        /* in the TCP queue of its class */
    DNS_TCP,                /* in engine->tcp */
    DNS_SEEKING,            /* waits until its zone's servers are known */
    DNS_ALIAS,              /* in engine->wire: `sub` is under way */
    DNS_DONE                /* in engine->done, verdict in `status` */
} dns_state_t;

/* How long answers take (RFC 6298), s. */
typedef struct {
    double    srtt, var;        /* 0: none has come */
    unsigned  backoff;          /* tries overdue since the last one */
} dns_rtt_t;

/* A try that may still be answered: in the id table of its socket. */
struct dns_flight_s {
    dns_question_t  *q;
    dns_socket_t    *socket;        /* NULL: none */
    dns_flight_t    *id_next;
    double           sent;
    uint32_t         upper;         /* if mixed: bits of upper-case letters */
    uint16_t         id;
    unsigned         edns:1;
    unsigned         mixed:1;       /* in mixed case (case.c) */
    unsigned         counted:1;     /* among the server's in flight; only
                                       one of a question is, at a server */
};

struct dns_question_s {
    link_t         link;            /* first: lists hold this */
    link_t         timer;           /* in the wheel */
    dns_engine_t  *engine;
    dns_class_t   *class;
    dns_tcp_t     *tcp;
    dns_set_t     *set;             /* that may be asked; NULL: not known */
    dns_zone_t    *zone;            /* whose `set` is; NULL: the resolvers' */
    dns_question_t  *sub;           /* asks for an alias' target */
    uint32_t       sub_ttl;         /* of the alias */
    dns_done_pt    done;
    void          *data;
    double         due;             /* of the timer */
    double         first;           /* first send; 0: not sent yet */
    double         expires;         /* deadline of all tries */
    dns_state_t    state;
    dns_status_t   status;
    uint16_t       id;              /* over TCP */
    uint16_t       type;
    uint8_t        attempt;         /* tries used up */
    uint8_t        sends;
    uint8_t        open;            /* flights */
    uint8_t        at;              /* in the set: of the last try, or of the
                                       answer */
    uint8_t        depth;           /* referrals followed */
    uint8_t        slot;            /* of the last try, in its pool */
    uint8_t        refused;         /* bits: servers out of reach */
    uint8_t        unable;          /* bits: servers that cannot tell */
    uint32_t       origin;          /* depth: who referred first */
    unsigned       timed_out:1;
    unsigned       gone:1;          /* DNS_UNFOUND: see dns_answer_t */
    unsigned       no_edns:1;       /* the server does not know it */
    unsigned       edns:1;          /* of the last try */
    unsigned       look:1;          /* engine->referral is wanted too */
    unsigned       stay:1;          /* next try with the same server */
    unsigned       fixed:1;         /* and every other one too */
    unsigned       hedge:1;         /* waits for its turn while in flight */
    unsigned       failed:1;        /* `status` is an answer's */
    unsigned       probe:1;         /* of its payer */
    unsigned       trial:1;         /* the one that a mute list is tried with */
    unsigned       case_trial:1;    /* the last try is a trial (case.c) */
    unsigned       lower:1;         /* in lower case, whatever the server */
    unsigned       lower_why:2;     /* DNS_CASE_... */
    uint8_t        lower_at;        /* index in the set of that server */
    uint16_t       len;
    uint8_t       *name;            /* wire form; behind the flights */
    dns_flight_t   flight[];        /* one for each try there may be */
};

/*
 * An account's data queries, its probes, or all queries of system lists (the
 * engine's `system`).  It outlives its classes until its rate is forgotten.
 */
struct dns_owner_s {
    link_t         link;            /* in engine->owners, engine->resting, or
                                       in neither */
    link_t         ready;           /* classes that may send; with a hedge in
                                       front first */
    link_t         tcp_link;        /* in engine->tcp_owners, or not */
    link_t         tcp_ready;       /* classes that wait for a TCP place */
    dns_owner_t   *next;            /* in the table */
    dns_engine_t  *engine;
    uint64_t       account;         /* 0: system lists */
    unsigned       probe:1;
    unsigned       refs;            /* classes */
    unsigned       questions;       /* of all of them, in any state */
    unsigned       n_ready;
    unsigned       in_flight, n_tcp;
    double         due;             /* the time at which its rate is used up to
                                       this point; see owner.c */
};

struct dns_class_s {
    link_t        link;             /* its owner's ready list, or throttled */
    link_t        queue;
    link_t        tcp_link;         /* in the owner's tcp_ready, or not */
    link_t        tcp_queue;
    dns_class_t  *next;             /* in the table */
    dns_owner_t  *owner;
    unsigned      refs;             /* questions, in any state */
    unsigned      in_flight;        /* of them with flights */
    unsigned      n_tcp;
    unsigned      lost;             /* data queries timed out in a row */
    unsigned      trials;           /* data queries that try a mute list */
    double        trial_at;         /* not before this; 0: now */
    double        trial_wait;
    uint64_t      replies;          /* of all lists, when that row began */
    dns_rtt_t     rtt;
    unsigned      probe_lost:1;     /* the last probe timed out */
    unsigned      listed:1;         /* in the ready or throttled list */
    unsigned      throttled:1;      /* in the latter */
    double        turn;             /* when the next question is due */
    char          name[];
};

struct dns_socket_s {
    link_t           link;          /* retired sockets */
    ev_io            io;
    dns_engine_t    *engine;
    dns_server_t    *server;
    unsigned         uses;
    unsigned         n;             /* flights in `ids` */
    unsigned         retired:1;
    unsigned         segments:1;    /* one send may be several questions */
    uint8_t          slot;
    unsigned         n_ids;         /* power of two */
    dns_flight_t    *ids[];
};

/*
 * One address.  What is known of a server is known to one account's zones, or
 * the system's, alone: accounts cannot spoil it for others.
 */
struct dns_server_s {
    dns_server_t            *next;          /* in the table */
    dns_engine_t            *engine;
    uint32_t                 id;
    uint32_t                 serial;        /* the last one seen */
    uint64_t                 account;
    unsigned                 refs;          /* sets */
    unsigned                 recursive:1;
    unsigned                 has_serial:1;
    double                   used;          /* the last send */
    struct sockaddr_storage  sa;
    socklen_t                len;
    dns_server_counters_t  counters;
    dns_rtt_t                rtt;
    unsigned                 in_flight;
    unsigned                 fails;         /* tries lost in a row */
    double                   down_until;
    unsigned                 edns_lost;     /* tries with EDNS since the last
                                               reply to one */
    unsigned                 edns_heard:1;  /* there was one */
    unsigned                 plain:1;       /* only queries without EDNS are
                                               answered */
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

/* What one recvmmsg works on; allocated once. */
typedef struct {
    struct mmsghdr   msg[DNS_BATCH];
    struct iovec     iov[DNS_BATCH];
    uint8_t          in[DNS_BATCH][DNS_RECV_SIZE];
} dns_inbox_t;

struct dns_engine_s {
    struct ev_loop  *loop;
    dns_config_t     conf;
    dns_counters_t   counters;
    double           now;

    dns_set_t       *resolvers;
    dns_server_t    *server[DNS_SERVERS];
    uint32_t         next_id;
    unsigned         n_sockets, max_sockets;    /* of servers of zones */
    dns_zone_t      *zone[DNS_ZONES];
    unsigned         n_zones;       /* of accounts' lists */
    ev_timer         sweeper;       /* closes what is not used */
    double           period[DNS_MAX_TRIES]; /* of each try */
    double           rest[DNS_MAX_TRIES];   /* and of all behind it too */
    link_t           wire;
    link_t           done;

    link_t           wheel[DNS_WHEEL];
    ev_timer         ticker;
    uint64_t         tick;          /* the last one that has been looked at */
    uint64_t         tick_set;      /* that the ticker is set for */
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

    link_t           throttled;     /* classes before their turn */
    unsigned         n_hedges;      /* questions that wait while in flight */
    ev_timer         pace;
    double           pace_at;       /* 0: not running */
    uint32_t         seed;
    dns_class_t     *classes[DNS_CLASSES];

    link_t    tcp, tcp_owners;
    unsigned  n_tcp;
    unsigned  tcp_wake:1;           /* a query may get a place */

    uint8_t          random[DNS_RANDOM];
    size_t           n_random;      /* octets not used yet */
    unsigned         reap:1;        /* a retired socket has become empty */
    dns_inbox_t     *inbox;
    dns_batch_t     *batch;         /* batch.c */
    dns_answer_t     answer;
    dns_referral_t   referral;      /* of the same reply, if `referred` */
    unsigned         referred:1;
};

/* engine.c */

/* Frees the questions in a list. */
void dns_list_free(link_t *list);

/* The verdict, told later; the question is off every list. */
void dns_finish_later(dns_question_t *q, dns_status_t status);

/* As dns_ask, at the resolvers, on the account's budgets. */
dns_question_t *dns_ask_look(dns_engine_t *engine, uint64_t account,
    const dns_name_t *name, uint16_t type, dns_done_pt done, void *data);

/* Reads a reply into engine->answer, and engine->referral if it is wanted. */
dns_wire_t dns_read(dns_question_t *q, const uint8_t *msg, size_t n);

/* The verdict in engine->answer, told now.  The question is gone. */
void dns_finish(dns_question_t *q);

/*
 * There is work for the prepare watcher, which may have had its turn: the
 * loop must not sleep before the next one.
 */
void dns_wake(dns_engine_t *engine);

/* try.c */

/* A try, off every list, ended without a reply: another one, or the verdict. */
void dns_try_lost(dns_question_t *q, dns_status_t why);

/* The question is off every list and queue, and nothing of it is under way. */
void dns_try_leave(dns_question_t *q);

/*
 * A matching reply is in engine->answer; its flight has been forgotten.
 * `mixed`: that had mixed case.
 */
void dns_try_answered(dns_question_t *q, dns_wire_t result, unsigned mixed);

/* The wheel says that it is time. */
void dns_try_due(dns_question_t *q);

/* Ends all tries and the timer. */
void dns_try_end(dns_question_t *q);

/* wheel.c */

void dns_wheel_init(dns_engine_t *engine);
void dns_wheel_put(dns_question_t *q, double at);

/* rtt.c */

/* A reply has come after so many seconds; none has come in time. */
void dns_rtt_took(const dns_question_t *q, dns_server_t *r, double took);
void dns_rtt_overdue(dns_class_t *class);

/* When an answer is overdue, s; class NULL: of any kind. */
double dns_rtt_wait(const dns_engine_t *engine, const dns_class_t *class,
    const dns_server_t *r);

/* pace.c */

int dns_pace_init(dns_engine_t *engine);
void dns_pace_free(dns_engine_t *engine);

/* The class of the payer, one reference taken; NULL: out of memory. */
dns_class_t *dns_class_get(dns_engine_t *engine, const dns_payer_t *payer);
void dns_class_put(dns_class_t *class);

/* Has it a name, and so limits? */
int dns_class_limited(const dns_class_t *class);

/*
 * A list is mute when its data queries have timed out in a row while queries
 * for other lists had responses.  Then one query is tried at a time, each after
 * a longer pause, and all others are hopeless.  Probes do not count, and are
 * sent as usual; a probe with a response, after one without, ends the pause.
 */
int dns_class_mute(const dns_class_t *class);
int dns_class_hopeless(const dns_question_t *q);

/* The question is sent; it gets a reply; it is over, timed out or not. */
void dns_class_sends(dns_question_t *q);
void dns_class_heard(const dns_question_t *q);
void dns_class_end(const dns_question_t *q, int timed_out);

/* Into the queue of its class; a retry goes before the others. */
void dns_pace_queue(dns_question_t *q, int retry);
void dns_pace_unqueue(dns_question_t *q);

/* It waits as if it had never been sent. */
void dns_pace_alone(dns_question_t *q);

/* The question has its first flight, has lost its last. */
void dns_pace_on_wire(dns_question_t *q);
void dns_pace_off_wire(dns_question_t *q);

/* Sends what may be sent now. */
void dns_pace_run(dns_engine_t *engine);

/* owner.c */

void dns_owner_init(dns_engine_t *engine);
void dns_owner_free(dns_engine_t *engine);

/* That of the payer; NULL: out of memory.  Classes count in `refs`. */
dns_owner_t *dns_owner_get(dns_engine_t *engine, const dns_payer_t *payer);

/* The same, if there is one; NULL: there is none. */
const dns_owner_t *dns_owner_find(const dns_engine_t *engine,
    const dns_payer_t *payer);

/* It has a class that may send: it is among the owners, unless it rests. */
void dns_owner_wake(dns_owner_t *owner);

/*
 * May it have one more question in flight: by its own share, and by that of
 * all own lists?
 */
int dns_owner_room(const dns_owner_t *owner);
int dns_owner_part(const dns_engine_t *engine);

/* When its rate allows the next query; it sends one. */
double dns_owner_due(const dns_owner_t *owner);
void dns_owner_spend(dns_owner_t *owner);

/* May it have one more TCP connection? */
int dns_owner_tcp_room(const dns_owner_t *owner);

/* socket.c */

/* Two random octets; -1: the system has none. */
int dns_random(dns_engine_t *engine, uint16_t *value);

/* 0, or -1: out of memory. */
int dns_socket_init(dns_engine_t *engine);
void dns_socket_free(dns_engine_t *engine);

/* Puts the question into the batch. */
void dns_socket_send(dns_question_t *q, unsigned n);

/* dns_socket_lost: the flight could not be sent; dns_socket_refused: no server
   listens at the address of the socket. */
void dns_socket_lost(dns_flight_t *f);
void dns_socket_refused(dns_socket_t *s);

void dns_socket_reap(dns_engine_t *engine);

/* All sockets of a server that waits for nothing. */
void dns_socket_close_all(dns_server_t *r);

/* batch.c */

/* 0, or -1: out of memory. */
int dns_batch_init(dns_engine_t *engine);
void dns_batch_free(dns_engine_t *engine);

/* The socket by which the batch leaves; NULL: the batch is empty. */
dns_socket_t *dns_batch_socket(const dns_engine_t *engine);

/* Of that socket, if there is one.  The batch goes out when full or flushed. */
void dns_batch_add(dns_flight_t *f);
void dns_batch_flush(dns_engine_t *engine);

/* flight.c */

/* Where the flight with that id is chained, or would be: then NULL. */
dns_flight_t **dns_flight_find(dns_socket_t *s, unsigned id);

/* The question leaves by this socket, with an id that is free there. */
dns_flight_t *dns_flight_begin(dns_question_t *q, dns_socket_t *s,
    uint16_t id);

/* Stops waiting for its response. */
void dns_flight_end(dns_flight_t *f);

/* tcp.c */

/* The question, off every list, goes on over TCP. */
void dns_tcp_ask(dns_question_t *q);

/* Gives free places to those that wait. */
void dns_tcp_run(dns_engine_t *engine);

/* Ends and frees the exchange; its question stays in engine->tcp. */
void dns_tcp_close(dns_tcp_t *tcp);

#include "servers.h"

#endif /* DNS_INT_H_INCLUDED */
