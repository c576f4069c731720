/*
 * A request: its context, the shape of calls and routes, and the functions that
 * read parameters, query the store and write the response.
 */

#ifndef _NGX_RBL_HTTP_H_INCLUDED_
#define _NGX_RBL_HTTP_H_INCLUDED_

#include "ngx_rbl_conf.h"
#include "ngx_rbl_sink.h"

#include "rbl_audit.h"
#include "rbl_doc.h"
#include "rbl_host_state.h"
#include "rbl_op.h"
#include "rbl_record.h"
#include "rbl_sid.h"
#include "rbl_validate.h"
#include "rbl_timezone.h"


#define NGX_RBL_VERSION        "3.6"

#define NGX_RBL_BODY_MAX       65536    /* bytes of a request body */
#define NGX_RBL_COMMAND_ARGS   6        /* arguments of ngx_rbl_ask */
#define NGX_RBL_KEYS_BEFORE    6        /* verb, account, token, chosen, totals,
                                           mark; for ngx_rbl_record_keys */
#define NGX_RBL_TOTALS         2        /* totals in an answer, at most */
#define NGX_RBL_TOTAL_MAX      1000000000000   /* largest index */


typedef struct ngx_rbl_ctx_s  ngx_rbl_ctx_t;
typedef struct ngx_rbl_login_s  ngx_rbl_login_t;
typedef struct ngx_rbl_stream_s  ngx_rbl_stream_t;
typedef struct ngx_rbl_place_s  ngx_rbl_place_t;

typedef enum {
    NGX_RBL_JSON = 0,
    NGX_RBL_XML,
    NGX_RBL_NAGIOS,
    NGX_RBL_ZABBIX,
    NGX_RBL_CSV                         /* in the portal only */
} ngx_rbl_format_e;

/*
 * Flags of a route: its formats, its effects, and who may call it.  A user with
 * the role viewer may make only those for VIEWERS and the calls by GET that are
 * not for ADMINS, and users with the role admin all calls but those for OWNERS.
 */
#define NGX_RBL_DOCUMENT  (1 << NGX_RBL_JSON | 1 << NGX_RBL_XML)
#define NGX_RBL_PLAIN     (1 << NGX_RBL_NAGIOS | 1 << NGX_RBL_ZABBIX)
#define NGX_RBL_STARTS    (1 << 8)      /* starts checks */
#define NGX_RBL_PORTAL_ONLY  (1 << 9)
#define NGX_RBL_PORTAL    (1 << NGX_RBL_JSON | NGX_RBL_PORTAL_ONLY)
#define NGX_RBL_TABLE     (1 << NGX_RBL_CSV | NGX_RBL_PORTAL_ONLY)
#define NGX_RBL_SIGN_IN   (1 << 10)     /* without a session; see
                                           ngx_rbl_op_t */
#define NGX_RBL_OPEN      (1 << 20)     /* without a session and the store;
                                           see ngx_rbl_op_t */
#define NGX_RBL_VIEWERS   (1 << 11)
#define NGX_RBL_OWNERS    (1 << 12)
#define NGX_RBL_ADMINS    (1 << 14)
#define NGX_RBL_RECENT    (1 << 13)     /* within 10 minutes of the sign-in */
#define NGX_RBL_DURABLE   (1 << 19)     /* a failover must not undo it
                                           ("Durable calls" in README.md) */

/*
 * Operators act in the account that the request names (ngx_rbl_visit.c).  In
 * their own they may make only the calls for HOME.  A call for SELF is about
 * the user or the user's own account, and takes no account.
 */
#define NGX_RBL_HOME      (1 << 16)
#define NGX_RBL_SELF      (1 << 17 | NGX_RBL_HOME)
#define NGX_RBL_OPERATOR  (1 << 18 | NGX_RBL_SELF)  /* only for operators */

/* Roles of a user of the portal, each with the rights of those before it. */
typedef enum {
    NGX_RBL_ROLE_NONE = 0,
    NGX_RBL_ROLE_VIEWER,
    NGX_RBL_ROLE_ADMIN,
    NGX_RBL_ROLE_OWNER
} ngx_rbl_role_e;


#define NGX_RBL_LAPSED                                                        \
    { "LAPSED", NGX_HTTP_FORBIDDEN, "The plan has expired." }


/*
 * A call of the API.  Each function may refuse (ngx_rbl_refuse); then the later
 * ones are not called.
 *
 * `prepare` checks the fields and may add reads (ngx_rbl_ask), which are sent
 * together with the reads of account and token if the credentials were proven
 * before (ngx_rbl_request.c).  `read` gets their replies, i from 0, only if the
 * credentials are valid.  After them `proceed`, which may be NULL, may add a
 * script or reads to a second round (ngx_rbl_call, ngx_rbl_next); `read` may do
 * so, too.  `result` gets the replies of the second round.  One of these
 * functions writes the answer, between ngx_rbl_open and ngx_rbl_close.
 *
 * A call with a script, of its own or of its operation, has it as the second
 * round (ngx_rbl_write.h).  The `refusals` of the operation or of the route's
 * family map the words of its reply to refusals, except OK, ACCOUNT (the
 * account is gone), WORK and BUSY (ngx_rbl_request.c).  `result` writes the
 * answer; without it the answer is that of the operation, or `message`.
 *
 * A call that signs in (NGX_RBL_SIGN_IN) has no credentials.  Its `prepare`
 * adds a round; `result` gets the reply, and may add the next one.  `failed`,
 * which may be NULL, is called for a round that fails.  NGX_OK: the call has
 * its next round or its answer; NGX_DECLINED: it is refused.
 *
 * A call for everybody (NGX_RBL_OPEN) is answered by `prepare` from the
 * configuration: it is by GET, and reads no fields.
 *
 * With `records`, account and token are read last, in one command with the
 * records that `prepare` requested (ngx_rbl_ask_records).  `read` is then
 * called before the request is authenticated, and only stores what it gets.
 * `records` gets the records; n is 0 if none were requested.  The records are
 * valid during the call.
 */

typedef struct {
    const rbl_op_t           *op;       /* NULL: none; else it has fields,
                                           script, value and message */
    const rbl_field_t        *fields;   /* NULL: none; others are ignored */
    void                    (*prepare)(ngx_rbl_ctx_t *ctx);
    void                    (*read)(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
                                  const redisReply *reply);
    void                    (*proceed)(ngx_rbl_ctx_t *ctx);
    void                    (*result)(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
                                  const redisReply *reply);
    void                    (*records)(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
                                  redisReply **record);
    ngx_int_t               (*failed)(ngx_rbl_ctx_t *ctx);
    const rbl_script_t       *script;   /* NULL: none */
    const char               *value;    /* behind the id; NULL: none */
    const char               *message;
} ngx_rbl_op_t;


/*
 * A family of records.  `write` renders one record as an object; it returns 0
 * and logs if the record cannot be decoded.  If rendering needs more data than
 * the records, `more` adds one command for n records to the batch, and
 * `more_read` stores its reply, which arrives before the records, in ctx->more.
 */

typedef struct {
    const char      *resource;          /* name in messages */
    rbl_sid_kind_t   kind;
    const char      *index;             /* zset of the account */
    struct {
        const char  *index;             /* NULL: no such total */
        const char  *name;
    }                total[NGX_RBL_TOTALS];
    ngx_uint_t       pages;             /* the total that gives the number of
                                           pages */
    size_t           guess;             /* bytes of one in an answer,
                                           estimated */
    int            (*write)(ngx_rbl_ctx_t *ctx, const char *key,
                         rbl_str_t raw);
    void           (*more)(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
                         ngx_uint_t n, const rbl_str_t *sids);
    void           (*more_read)(ngx_rbl_ctx_t *ctx, const redisReply *reply);
    const rbl_outcome_t  *refusals; /* of the scripts that change one */
    ngx_uint_t       paid;              /* 1: requires a paid plan */
} ngx_rbl_family_t;


typedef struct {
    ngx_str_t            path;          /* relative to the base; ends in "/" if
                                           an id follows */
    ngx_str_t            endpoint;      /* for $rbl_endpoint */
    ngx_uint_t           method;        /* NGX_HTTP_GET (HEAD too) or POST */
    ngx_uint_t           flags;         /* NGX_RBL_DOCUMENT and others */
    const ngx_rbl_op_t  *op;
    const ngx_rbl_family_t  *family;    /* NULL: none */
} ngx_rbl_route_t;


/* The version stamp of an account's hosts (ngx_rbl_pages.c); all 0: none. */

typedef struct {
    uint64_t  half[2];
} ngx_rbl_mark_t;


/* The user of a session. */

typedef struct {
    rbl_sid_t       sid;                /* n 0: none */
    ngx_rbl_role_e  role;
    int64_t         since;              /* sign-in (ms) */
    u_char          identity[32];       /* if `bound`: SHA-256 of the address
                                           that nginx must vouch for */
    unsigned        bound:1;
} ngx_rbl_user_t;


/* State of a first round and its second round.  It is zeroed when the first
   round is repeated. */

typedef struct {
    ngx_uint_t              asks;       /* commands of the first round */
    ngx_uint_t              account_at; /* index of the command that reads the
                                           account */
    ngx_uint_t              n_records;  /* records read by that command */
    rbl_str_t              *records;    /* their keys */

    unsigned                authenticated:1;
    unsigned                limited:1;  /* must be counted by the rate limit */
    unsigned                proving:1;  /* reads only account and token */
    unsigned                again:1;    /* the first round must be repeated */
    unsigned                writes:1;   /* the second round writes */
    unsigned                counted:1;  /* reads the totals with the account */
    unsigned                totalled:1; /* the totals were present */
    unsigned                marking:1;  /* reads the version stamp with them */
} ngx_rbl_round_t;


struct ngx_rbl_ctx_s {
    rbl_run_t               run;        /* must be first: ngx_rbl_of; its
                                           refusal is that of the call */
    ngx_http_request_t     *request;
    ngx_rbl_loc_conf_t     *conf;
    ngx_rbl_store_t        *store;

    const ngx_rbl_route_t  *route;      /* NULL: unknown path */
    ngx_rbl_format_e        format;
    ngx_str_t               id;         /* as written in the path */
    ngx_uint_t              allow;      /* methods, for 405 */

    rbl_sid_t               account;    /* as claimed, or acted in; lower
                                           case */
    rbl_sid_t               actor;      /* the user's account, if the request
                                           acts in another one; else n 0 */
    rbl_sid_t               visit;      /* the account that it names, judged */
    rbl_sid_t               app;        /* set once authenticated; rbl_api
                                           only */
    rbl_sid_t               profile;    /* defaults of the account; */
    rbl_sid_t               group;      /* set once authenticated */
    const rbl_timezone_t   *timezone;   /* of the account; likewise; NULL in
                                           the portal, whose times are RFC
                                           3339 */
    int64_t                 interval;   /* check interval of the account (s);
                                           likewise, if the account was read */
    int64_t                 created;    /* creation of the account (ms);
                                           likewise */
    int64_t                 lapsed;     /* its plan has expired since (ms); 0 */
    int64_t                 kept;       /* see rbl_account_t */
    u_char                  digest[32]; /* SHA-256 of the token, or of the
                                           session */
    ngx_rbl_user_t          user;       /* of the session; rbl_portal only; set
                                           once authenticated */
    rbl_str_t               mail;       /* of the user; likewise, of a POST or
                                           a visit */

    int64_t                 limits[RBL_LIMITS];     /* of the token */
    int64_t                 rate_limit; /* for the RateLimit headers; 0: none */
    int64_t                 rate_left;
    int64_t                 rate_reset; /* in seconds */

    ngx_rbl_round_t         round;

    rbl_str_t               body;

    ngx_uint_t              n_auth;     /* elements of the reply before the
                                           records */
    ngx_rbl_login_t        *login;      /* credential cache slot */
    rbl_totals_t            totals;     /* of the account, if totalled */
    rbl_totals_t            made;       /* if remade: the totals of an earlier
                                           round */
    ngx_rbl_mark_t          mark;       /* of the hosts, if marking */
    int64_t                 shown_from; /* the written hosts look the same */
    int64_t                 shown_until;    /* between these times (ms) */
    rbl_str_t               objects;    /* of a page, as written, if they are in
                                           one buffer */
    uint64_t                objects_hash;   /* 0: not known */

    ngx_rbl_batch_t        *batch;      /* being built or in flight */
    ngx_rbl_batch_t        *gate;       /* the rate limit's or one for another
                                           partition, sent before: */
    ngx_rbl_batch_t        *next;       /* the second round, being built */
    ngx_rbl_reply_pt        next_reply; /* of `next` */
    ngx_rbl_done_pt         next_done;
    ngx_rbl_done_pt         after_done; /* of a round that may fail */
    ngx_msec_t              asked;      /* start of the round in flight */
    ngx_msec_t              store_time;

    int64_t                 work;       /* id of the work in slices */
    ngx_msec_t              work_until; /* the request waits until then */

    ngx_uint_t              retry_after;    /* seconds, of 429 and 503 */
    ngx_str_t               message;

    ngx_rbl_sink_t          sink;
    rbl_doc_t               doc;
    ngx_uint_t              status;     /* HTTP status of the response */

    void                   *data;       /* state of the call */
    void                   *more;       /* of the family, to render records */
    void                  (*body_done)(ngx_rbl_ctx_t *ctx, ngx_int_t rc);

    ngx_uint_t              page_most;  /* records of a page of large records;
                                           0: as many as requested */
    ngx_rbl_stream_t       *stream;     /* NULL: the response is in one piece */
    ngx_rbl_place_t        *place;      /* held or waited for; or NULL */

    unsigned                suspended:1;
    unsigned                denied:1;   /* address not allowed */
    unsigned                placed:1;   /* has an allow list */
    unsigned                proved:1;   /* the round of proof is over */
    unsigned                admitted:1; /* counted by the rate limit */
    unsigned                paid:1;     /* on a paid plan, not expired */
    unsigned                settled:1;  /* see rbl_account_t */
    unsigned                visiting:1; /* names an account; acts in the user's
                                           own as yet */
    unsigned                stale:1;    /* refused (401) because the sign-in is
                                           not recent */
    unsigned                answered:1; /* ngx_rbl_close was called */
    unsigned                remade:1;   /* the totals were missing and have been
                                           made */
    unsigned                repeated:2; /* repetitions of the first round */
    unsigned                working:1;  /* the work in slices is not over */
    unsigned                worked:1;   /* the work is over */
    unsigned                partly:1;   /* a change of several partitions has
                                           begun */
    unsigned                remembered:1;   /* account and token come from the
                                               credential cache, if the totals
                                               confirm it */
};


/* The request of a run. */
#define ngx_rbl_of(run)  ((ngx_rbl_ctx_t *) (run))

/* Whether the caller sees the paths of URLs, as for rbl_url_shown: tokens and
   viewers do not. */
#define ngx_rbl_sees_path(ctx)  ((ctx)->user.role >= NGX_RBL_ROLE_ADMIN)

/* The time since which no host is checked, as the plan of the account has
   expired, or since which the records of the hosts do not say which are; 0. */
#define ngx_rbl_stopped(ctx)                                                  \
    ((ctx)->kept == 0 || !(ctx)->settled ? (ctx)->lapsed : 0)

/* Of rbl_view_host. */
#define ngx_rbl_host_view(ctx)                                                \
    (!(ctx)->conf->portal ? 0                                                 \
     : RBL_VIEW_STATE | ((ctx)->lapsed ? RBL_VIEW_LAPSED : 0))


/* ngx_rbl_ask.c */

/* The key `name`:<AC>[:<sid>] of the account. */
rbl_str_t ngx_rbl_account_key(const ngx_rbl_ctx_t *ctx, rbl_key_t *key,
    const char *name, rbl_str_t sid);

/*
 * Adds a command on a key of the account to the first round: `verb`, the key
 * `name`:<AC>[:<sid>], then up to NGX_RBL_COMMAND_ARGS arguments.
 */
void ngx_rbl_ask(ngx_rbl_ctx_t *ctx, const char *verb, const char *name,
    rbl_str_t sid, ngx_uint_t argc, const rbl_str_t *argv);

/* The same for the number of hosts in a state. */
void ngx_rbl_ask_state(ngx_rbl_ctx_t *ctx, rbl_state_t state);

/* The same for an index (zset): its size; the first member with its score; the
   members of these ranks. */
void ngx_rbl_ask_count(ngx_rbl_ctx_t *ctx, const char *name);
void ngx_rbl_ask_first(ngx_rbl_ctx_t *ctx, const char *name);
void ngx_rbl_ask_range(ngx_rbl_ctx_t *ctx, const char *name, int64_t first,
    int64_t last);

/*
 * The same for a key `name` that all accounts of the partition share, in either
 * round: `batch` is ctx->batch or the batch of the second round.
 */
void ngx_rbl_ask_system(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    const char *verb, const char *name, ngx_uint_t argc,
    const rbl_str_t *argv);

/*
 * Returns the keys of n records of `owner` (the account's SID, or "SYS"), in
 * ctx's pool, with NGX_RBL_KEYS_BEFORE free elements before the first.  NULL:
 * out of memory (refused).
 */
rbl_str_t *ngx_rbl_record_keys(ngx_rbl_ctx_t *ctx, rbl_str_t owner,
    ngx_uint_t n, const rbl_str_t *sids);

/* Reads records of the account in the first round of a call that has `records`.
   To be called at most once.  The keys are in ctx->round.records. */
void ngx_rbl_ask_records(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    const rbl_str_t *sids);

/* Adds MGET of keys made by ngx_rbl_record_keys. */
void ngx_rbl_batch_records(ngx_rbl_batch_t *batch, ngx_uint_t n,
    rbl_str_t *keys);

/*
 * The second round: returns its batch, and makes it if needed (NULL: out of
 * memory, refused, 500); adds to it a script or command as it is, or a command
 * as ngx_rbl_ask does.
 */
ngx_rbl_batch_t *ngx_rbl_next(ngx_rbl_ctx_t *ctx);
void ngx_rbl_next_script(ngx_rbl_ctx_t *ctx, const rbl_script_t *script,
    int argc, const rbl_str_t *argv);
void ngx_rbl_next_command(ngx_rbl_ctx_t *ctx, int argc,
    const rbl_str_t *argv);
void ngx_rbl_next_ask(ngx_rbl_ctx_t *ctx, const char *verb, const char *name,
    rbl_str_t sid, ngx_uint_t argc, const rbl_str_t *argv);

/* Adds MGET of the keys `name`:<AC>:<part> of n parts to the second round. */
void ngx_rbl_next_records(ngx_rbl_ctx_t *ctx, const char *name, ngx_uint_t n,
    const rbl_str_t *parts);

/*
 * Adds a script to the second round; that of a POST writes.  The caller leaves
 * argv[0] free for the account's key.
 */
void ngx_rbl_call(ngx_rbl_ctx_t *ctx, const rbl_script_t *script, int argc,
    rbl_str_t *argv);

/* Calls a script by its name, with its arguments (rbl_script.h) and n more
   behind them. */
#define ngx_rbl_run(ctx, name, args, n)                                       \
    ngx_rbl_call(ctx, &rbl_script_##name, RBL_ARGC(*(args)) + (int) (n),      \
                 ((rbl_##name##_args_t *) { args })->argv)

/* Sends the second round on the slow link.  To be called once, after
   ngx_rbl_call. */
void ngx_rbl_slow(ngx_rbl_ctx_t *ctx);

/* Returns a batch for keys that are not of the account's partition.  It is sent
   after the round whose reply is being read and has been answered; it may fail.
   To be called once at a time.  NULL: out of memory (refused, 500). */
ngx_rbl_batch_t *ngx_rbl_aside(ngx_rbl_ctx_t *ctx);

/* Repeats the first round, after the second round if there is one; replies of
   that second round are ignored.  NGX_DECLINED: this would be the fourth
   repetition (refused, 500). */
ngx_int_t ngx_rbl_again(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_by.c */

/* Makes the last argument of audited scripts (rbl_audit.h), in `b`, with the
   values given for these fields.  fields: of the call, or NULL. */
rbl_str_t ngx_rbl_by(const ngx_rbl_ctx_t *ctx, rbl_audit_by_t *b,
    rbl_str_t call, const rbl_field_t *fields);


/* ngx_rbl_client.c: the client's side of the connection */

/* Watches for a client that closes its connection during a round. */
void ngx_rbl_watch(ngx_http_request_t *r);

/* Ends the request.  rc: result of sending the response, or an HTTP status. */
void ngx_rbl_end(ngx_http_request_t *r, ngx_int_t rc);


/* ngx_rbl_route.c */

#define NGX_RBL_ROUTES_MAX  191

/* Sets the table of all calls, whose paths begin with a small letter.  The last
   row is zeroed.  The table is not copied. */
void ngx_rbl_routes_set(const ngx_rbl_route_t *routes);

/* Sets route, format and id from the path.  NGX_DECLINED: no such call. */
ngx_int_t ngx_rbl_route(ngx_rbl_ctx_t *ctx);

/* Routes by number, for the counters.  Number 0 is no route;
   ngx_rbl_route_endpoint returns NULL at the end of the table. */
ngx_uint_t ngx_rbl_route_number(const ngx_rbl_route_t *route);
const ngx_str_t *ngx_rbl_route_endpoint(ngx_uint_t number);


/* ngx_rbl_body.c */

/*
 * Reads the body, at most NGX_RBL_BODY_MAX bytes, into ctx->body.
 * ctx->body_done is called, inside this call or later, with NGX_OK or an HTTP
 * status; the caller then returns NGX_DONE.  If this function returns an HTTP
 * status, ctx->body_done is not called.
 */
ngx_int_t ngx_rbl_body_read(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_params.c */

/* Sets ctx->run.given from the query and the body, or refuses.  NGX_ERROR:
   out of memory. */
ngx_int_t ngx_rbl_params_parse(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_fields.c */

/* Allocates zeroed memory for the state of a call, as ctx->data.  NULL: out of
   memory (refused, 500). */
void *ngx_rbl_data(ngx_rbl_ctx_t *ctx, size_t size);

/* A copy of a text in the pool; p NULL: out of memory. */
rbl_str_t ngx_rbl_keep(ngx_pool_t *pool, rbl_str_t text);

/*
 * Reads a SID from the path, of the named resource.  NGX_DECLINED: refused
 * (404), with the same text as for a well-formed id that does not exist.
 */
ngx_int_t ngx_rbl_path_sid(ngx_rbl_ctx_t *ctx, rbl_sid_kind_t kind,
    const char *resource, rbl_sid_t *sid);
void ngx_rbl_unknown_id(ngx_rbl_ctx_t *ctx, const char *resource);

/* ngx_rbl_response.c */

/*
 * Refuses the call; this replaces an earlier refusal.  The format is that of
 * ngx_sprintf; bytes of a client or of the store may only be arguments.
 */
void ngx_rbl_refuse(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt,
    ...);

/* As ngx_rbl_refuse, with 429 or 503, and the seconds after which the client
   may retry.  0: no Retry-After is sent.  ngx_rbl_refuse sends 1. */
void ngx_rbl_refuse_later(ngx_rbl_ctx_t *ctx, ngx_uint_t status,
    ngx_uint_t seconds, const char *fmt, ...);

/* Refuses by the word of a script's reply if the table has that word. */
void ngx_rbl_refuse_by(ngx_rbl_ctx_t *ctx, const rbl_outcome_t *refusals,
    const redisReply *reply);

/* Refuses with 401. */
void ngx_rbl_unauthorized(ngx_rbl_ctx_t *ctx);

/* Refuses with 500: out of memory or an internal error. */
void ngx_rbl_internal(ngx_rbl_ctx_t *ctx);

/* Begins a response with status 200: opens a sink of `guess` bytes and writes
   the envelope. */
void ngx_rbl_open(ngx_rbl_ctx_t *ctx, size_t guess, const char *message);
void ngx_rbl_close(ngx_rbl_ctx_t *ctx);

/* Opens a sink without an envelope, for the plain formats. */
void ngx_rbl_open_plain(ngx_rbl_ctx_t *ctx);

/* Sends the headers of the response or refusal, as ngx_http_send_header does,
   then the body, unless sending failed or the response has only headers.
   ctx->status is 0 if there was no memory for a response. */
ngx_int_t ngx_rbl_send_head(ngx_rbl_ctx_t *ctx);
ngx_int_t ngx_rbl_send_body(ngx_rbl_ctx_t *ctx);

/* Sends the header of a response of that many bytes; -1: not known. */
ngx_int_t ngx_rbl_send_headers(ngx_rbl_ctx_t *ctx, off_t length);

/* Milliseconds since the epoch. */
int64_t ngx_rbl_now(void);


/* ngx_rbl_headers.c */

/* Adds the headers that every response has, those of rate limits and those of
   a refusal, which may also end keep-alive.  NGX_ERROR: out of memory. */
ngx_int_t ngx_rbl_headers(ngx_rbl_ctx_t *ctx);

/* Adds a header to the response.  NULL: out of memory. */
ngx_table_elt_t *ngx_rbl_header(ngx_http_request_t *r, ngx_str_t *key,
    ngx_str_t *value);


/* ngx_rbl_etag.c */

/* Adds an ETag to the response in the sink, if the response may have one, and
   tells nginx whether it may answer 304 instead. */
ngx_int_t ngx_rbl_etag(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_HTTP_H_INCLUDED_ */
