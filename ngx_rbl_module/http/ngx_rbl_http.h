/*
 * A request: its context, the shape of calls and routes, and the functions that
 * read parameters, query the store and write the response.
 */

#ifndef _NGX_RBL_HTTP_H_INCLUDED_
#define _NGX_RBL_HTTP_H_INCLUDED_

#include "ngx_rbl_conf.h"
#include "ngx_rbl_sink.h"

#include "rbl_doc.h"
#include "rbl_record.h"
#include "rbl_sid.h"
#include "rbl_validate.h"
#include "rbl_zone.h"


#define NGX_RBL_VERSION        "3.6"

#define NGX_RBL_BODY_MAX       65536    /* octets of a body that pass */
#define NGX_RBL_FIELDS_MAX     8        /* fields of one call */
#define NGX_RBL_PAGE_SIZE      20       /* when none is given */
#define NGX_RBL_COMMAND_ARGS   6        /* of ngx_rbl_ask */
#define NGX_RBL_KEYS_BEFORE    5        /* verb, account, token, totals, mark;
                                           of ngx_rbl_record_keys */
#define NGX_RBL_LIMITS         4        /* of an application */
#define NGX_RBL_TOTALS         2        /* of an answer, at most */
#define NGX_RBL_TOTAL_MAX      1000000000000   /* no index is larger */


typedef struct ngx_rbl_ctx_s  ngx_rbl_ctx_t;
typedef struct ngx_rbl_login_s  ngx_rbl_login_t;
typedef struct ngx_rbl_stream_s  ngx_rbl_stream_t;
typedef struct ngx_rbl_place_s  ngx_rbl_place_t;

typedef enum {
    NGX_RBL_JSON = 0,
    NGX_RBL_XML,
    NGX_RBL_NAGIOS,
    NGX_RBL_ZABBIX
} ngx_rbl_format_e;

/* Flags of a route: its formats, and what it does. */
#define NGX_RBL_DOCUMENT  (1 << NGX_RBL_JSON | 1 << NGX_RBL_XML)
#define NGX_RBL_PLAIN     (1 << NGX_RBL_NAGIOS | 1 << NGX_RBL_ZABBIX)
#define NGX_RBL_STARTS    (1 << 8)      /* it starts checks */


/* What a call reads from query and body; everything else is ignored. */

typedef struct {
    ngx_str_t   name;                   /* len 0: end of the table */
    ngx_uint_t  list;                   /* may be given several times */
} ngx_rbl_field_t;

typedef struct ngx_rbl_value_s  ngx_rbl_value_t;

struct ngx_rbl_value_s {
    rbl_str_t         text;             /* valid UTF-8, trimmed */
    ngx_rbl_value_t  *next;             /* of a list */
};

typedef struct {
    ngx_rbl_value_t  *first;            /* NULL: not given */
    ngx_rbl_value_t  *last;
} ngx_rbl_given_t;


/* A word of a script as a refusal.  The format may have one %L, for the number
   that the script gave with the word; of a 429 that is when to try again (s).
   NULL ends a table. */

typedef struct {
    const char             *word;
    ngx_uint_t              status;
    const char             *fmt;
} ngx_rbl_outcome_t;

#define NGX_RBL_UNKNOWN_ID(word, resource)                                    \
    { word, NGX_HTTP_NOT_FOUND, "Invalid " resource " id provided." }

#define NGX_RBL_INVALID(word, field)                                          \
    { word, NGX_HTTP_BAD_REQUEST,                                             \
      "Invalid " field " value provided. Please try again." }


/*
 * A call of the API.  Each function may refuse (ngx_rbl_refuse); the later
 * ones are not called then.  `prepare` looks at the fields and may add reads
 * (ngx_rbl_ask) that go out together with the credentials, which have proved
 * good lately or just now (ngx_rbl_round.c).  `read` gets their replies, i from
 * 0, only when the credentials were right.  After them `proceed`, which may be
 * NULL, may put a script or reads into a second round (ngx_rbl_call,
 * ngx_rbl_next); so may `read`.  `result` gets the second round's replies.
 * One of them answers, between ngx_rbl_open and ngx_rbl_close.
 *
 * Where the second round is one script, `refusals` say what its words mean but
 * for OK (and ACCOUNT, the account is gone); `result` is then for what is left,
 * or NULL: the whole answer is `message`.
 *
 * With `records` account and token come last, in one command with the records
 * that `prepare` asked for (ngx_rbl_ask_records).  `read` is then called before
 * it is known who asks, and only notes what it gets; `records` gets the
 * records, n is 0 if none were asked for.  They end with the call.
 */

typedef struct {
    const ngx_rbl_field_t    *fields;
    void                    (*prepare)(ngx_rbl_ctx_t *ctx);
    void                    (*read)(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
                                  const redisReply *reply);
    void                    (*proceed)(ngx_rbl_ctx_t *ctx);
    void                    (*result)(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
                                  const redisReply *reply);
    void                    (*records)(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
                                  redisReply **record);
    const ngx_rbl_outcome_t  *refusals;
    const char               *message;
} ngx_rbl_op_t;


/*
 * A family of records, for ngx_rbl_api_read.c.  `write` renders one record as
 * an object; 0: it cannot be decoded, which was logged.  What rendering needs
 * beside the records is one command, which `more` puts into the batch for n of
 * them; `more_read` notes its reply, which comes before the records.
 */

typedef struct {
    const char      *resource;          /* in texts */
    rbl_sid_kind_t   kind;
    const char      *index;             /* zset of the account */
    struct {
        const char  *index;             /* NULL: no such total */
        const char  *name;
    }                total[NGX_RBL_TOTALS];
    ngx_uint_t       pages;             /* which total makes the pages */
    size_t           guess;             /* octets of one in an answer */
    int            (*write)(ngx_rbl_ctx_t *ctx, rbl_str_t raw);
    void           (*more)(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
                         ngx_uint_t n, const rbl_str_t *sids);
    void           (*more_read)(ngx_rbl_ctx_t *ctx, const redisReply *reply);
    ngx_uint_t       paid;              /* 1: only for accounts that pay */
} ngx_rbl_family_t;


typedef struct {
    ngx_str_t            path;          /* below the base; an id follows a "/"
                                           at the end */
    ngx_str_t            endpoint;      /* for $rbl_endpoint */
    ngx_uint_t           method;        /* NGX_HTTP_GET (HEAD too) or POST */
    ngx_uint_t           flags;         /* NGX_RBL_DOCUMENT and others */
    const ngx_rbl_op_t  *op;
    const ngx_rbl_family_t  *family;    /* NULL: the call is of none */
} ngx_rbl_route_t;


/* What an account's hosts are marked with (ngx_rbl_mark.c); all 0: nothing. */

typedef struct {
    uint64_t  half[2];
} ngx_rbl_mark_t;


/* The state of a first round and of the second one behind it.  All of it is 0
   when the first round is repeated. */

typedef struct {
    ngx_rbl_given_t         given[NGX_RBL_FIELDS_MAX];

    ngx_uint_t              asks;       /* commands of the first round */
    ngx_uint_t              account_at; /* which of them asks for the account */
    ngx_uint_t              n_records;  /* that come with it */
    rbl_str_t              *records;    /* their keys */

    unsigned                authenticated:1;
    unsigned                limited:1;  /* has to be counted */
    unsigned                proving:1;  /* it asks for account and token
                                           alone */
    unsigned                again:1;    /* the first round is to be repeated */
    unsigned                writes:1;   /* the second round changes things */
    unsigned                counted:1;  /* asks for totals with the account */
    unsigned                totalled:1; /* and they are there */
    unsigned                marking:1;  /* asks for the mark with them */
} ngx_rbl_round_t;


struct ngx_rbl_ctx_s {
    ngx_http_request_t     *request;
    ngx_rbl_loc_conf_t     *conf;
    ngx_rbl_store_t        *store;

    const ngx_rbl_route_t  *route;      /* NULL: unknown path */
    ngx_rbl_format_e        format;
    ngx_str_t               id;         /* as written in the path */
    ngx_uint_t              allow;      /* methods, for 405 */

    rbl_sid_t               account;    /* as claimed, lower case */
    rbl_sid_t               app;        /* once authenticated */
    rbl_sid_t               profile;    /* of the account: the default ones, */
    rbl_sid_t               group;      /* once authenticated */
    const rbl_zone_t       *zone;       /* of the account, likewise */
    int64_t                 interval;   /* of its checks (s), likewise, if the
                                           account was asked for */
    int64_t                 created;    /* when it was (ms), likewise */
    u_char                  digest[32]; /* SHA-256 of the token given */

    int64_t                 limits[NGX_RBL_LIMITS];     /* of the token */
    int64_t                 rate_limit; /* for RateLimit headers; 0: none */
    int64_t                 rate_left;
    int64_t                 rate_reset; /* in seconds */

    ngx_rbl_round_t         round;

    rbl_str_t               body;

    ngx_uint_t              n_auth;     /* keys of it that tell who asks */
    ngx_rbl_login_t        *login;      /* of these credentials */
    rbl_totals_t            totals;     /* if totalled: of the account */
    rbl_totals_t            made;       /* if remade: the same, of a round
                                           before this one */
    ngx_rbl_mark_t          mark;       /* likewise, if marking */
    int64_t                 shown_from; /* between these times (ms) the hosts */
    int64_t                 shown_until;    /* that were written look so */

    ngx_rbl_batch_t        *batch;      /* being made or in flight */
    ngx_rbl_batch_t        *gate;       /* counts the request, before: */
    ngx_rbl_batch_t        *next;       /* the second round, being made */
    ngx_rbl_reply_pt        next_reply; /* of that batch */
    ngx_rbl_done_pt         next_done;
    ngx_msec_t              asked;      /* when the round in flight began */
    ngx_msec_t              store_time;

    int64_t                 work;       /* id of the request's work */
    ngx_msec_t              work_until; /* the request waits for it */

    ngx_uint_t              refusal;    /* status code; 0: none */
    ngx_uint_t              retry_after;    /* seconds, of 429 and 503 */
    ngx_str_t               message;

    ngx_rbl_sink_t          sink;
    rbl_doc_t               doc;
    ngx_uint_t              status;     /* code of the answer sent */

    void                   *data;       /* of the call */
    void                  (*body_done)(ngx_rbl_ctx_t *ctx, ngx_int_t rc);

    ngx_uint_t              page_most;  /* records of a page that are large; 0:
                                           as many as are asked for */
    ngx_rbl_stream_t       *stream;     /* NULL: the answer is in one piece */
    ngx_rbl_place_t        *place;      /* that it has or waits for; or NULL */

    unsigned                suspended:1;
    unsigned                denied:1;   /* asks from the wrong place */
    unsigned                placed:1;   /* may ask from some places only */
    unsigned                proved:1;   /* such a round is over */
    unsigned                admitted:1; /* it was counted */
    unsigned                paid:1;     /* the account is on a paid plan */
    unsigned                answered:1; /* ngx_rbl_close was called */
    unsigned                remade:1;   /* they were not, and were made */
    unsigned                repeated:2; /* how often it was */
    unsigned                working:1;  /* its work is not over yet */
    unsigned                worked:1;   /* it is over */
    unsigned                remembered:1;   /* who asks: from the worker, if
                                           the totals say that it holds */
};


/* ngx_rbl_ask.c */

/*
 * Adds to the first round a command on a key of the account: `verb`, the key
 * `name`:<AC>[:<sid>], then up to NGX_RBL_COMMAND_ARGS arguments.
 */
void ngx_rbl_ask(ngx_rbl_ctx_t *ctx, const char *verb, const char *name,
    rbl_str_t sid, ngx_uint_t argc, const rbl_str_t *argv);

/*
 * The same on a key `name` that the account's partition has for all of its
 * accounts, in either round: `batch` is ctx->batch or that of the second one.
 */
void ngx_rbl_ask_system(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    const char *verb, const char *name, ngx_uint_t argc,
    const rbl_str_t *argv);

/*
 * The keys of n records of `owner` (the account's SID, or "SYS"), in ctx's
 * pool, with NGX_RBL_KEYS_BEFORE free places before the first.  NULL: no memory
 * (refused).
 */
rbl_str_t *ngx_rbl_record_keys(ngx_rbl_ctx_t *ctx, rbl_str_t owner,
    ngx_uint_t n, const rbl_str_t *sids);

/* Asks for records of the account in the first round, of a call with
   `records`; once at most.  The keys are ctx->round.records. */
void ngx_rbl_ask_records(ngx_rbl_ctx_t *ctx, ngx_uint_t n,
    const rbl_str_t *sids);

/* Adds MGET of keys that ngx_rbl_record_keys has made. */
void ngx_rbl_batch_records(ngx_rbl_batch_t *batch, ngx_uint_t n,
    rbl_str_t *keys);

/*
 * Puts a script that changes something into the second round.  argv[0] is
 * left free by the caller for the account's key.
 */
void ngx_rbl_call(ngx_rbl_ctx_t *ctx, const rbl_script_t *script, int argc,
    rbl_str_t *argv);

/* Room for arguments of that size, and n SIDs (-1: none) behind them.  NULL:
   refused. */
void *ngx_rbl_args(ngx_rbl_ctx_t *ctx, size_t size, ngx_int_t n,
    const rbl_sid_t *sids);

/* A script by its name, with its own arguments (rbl_script.h), and n that stand
   behind them. */
#define ngx_rbl_run(ctx, name, args, n)                                       \
    ngx_rbl_call(ctx, &rbl_script_##name, RBL_ARGC(*(args)) + (int) (n),      \
                 ((rbl_##name##_args_t *) { args })->argv)

/* The second round goes by the slow link; once, after ngx_rbl_call. */
void ngx_rbl_slow(ngx_rbl_ctx_t *ctx);

/* The second round's batch, made when first asked for.  NULL: refused (500) */
ngx_rbl_batch_t *ngx_rbl_next(ngx_rbl_ctx_t *ctx);

/* The first round once more, behind the second if there is one, from which
   nothing is read then.  NGX_DECLINED: it is the fourth time (refused, 500). */
ngx_int_t ngx_rbl_again(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_client.c: the client's side of the connection */

/* Notices a client that goes away during a round. */
void ngx_rbl_watch(ngx_http_request_t *r);

/* Ends the request.  rc: result of sending the answer, or an HTTP status. */
void ngx_rbl_end(ngx_http_request_t *r, ngx_int_t rc);


/* ngx_rbl_route.c */

/* The table of all calls, the last row is all zero; kept, not copied. */
void ngx_rbl_routes_set(const ngx_rbl_route_t *routes);

/* Finds route, format and id of a path; NGX_DECLINED: no such call. */
ngx_int_t ngx_rbl_route(ngx_rbl_ctx_t *ctx);

/* Rows by number, for counting: 0 is no row, and NULL the end of the table. */
ngx_uint_t ngx_rbl_route_number(const ngx_rbl_route_t *route);
const ngx_str_t *ngx_rbl_route_endpoint(ngx_uint_t number);


/* ngx_rbl_body.c */

/*
 * Reads the body, at most NGX_RBL_BODY_MAX octets, into ctx->body; then or
 * later ctx->body_done is called with NGX_OK or an HTTP status, after which the
 * caller returns NGX_DONE.  An HTTP status: it was not and will not be called.
 */
ngx_int_t ngx_rbl_body_read(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_params.c */

/* Fills ctx->round.given from query and body, or refuses.  NGX_ERROR: no
   memory. */
ngx_int_t ngx_rbl_params_parse(ngx_rbl_ctx_t *ctx);


/* ngx_rbl_fields.c */

/* Zeroed memory for a call's own state, as ctx->data; NULL: refused (500). */
void *ngx_rbl_data(ngx_rbl_ctx_t *ctx, size_t size);

/* The text of a field; p NULL: not given. */
rbl_str_t ngx_rbl_text(ngx_rbl_ctx_t *ctx, ngx_uint_t field);

/*
 * The elements of a list, commas split, in ctx's pool.  Returns their number;
 * NGX_ERROR: no memory (refused).  Empty elements are elements.
 */
ngx_int_t ngx_rbl_list(ngx_rbl_ctx_t *ctx, ngx_uint_t field,
    rbl_str_t **elements);

/* A list of SIDs of one kind, in ctx's pool; their number.  NGX_DECLINED: one
   is not of that form (refused); NGX_ERROR: no memory (refused). */
ngx_int_t ngx_rbl_sids(ngx_rbl_ctx_t *ctx, ngx_uint_t field,
    rbl_sid_kind_t kind, rbl_sid_t **sids);

/* A name of 1 to RBL_LABEL_MAX characters; NGX_DECLINED: refused. */
ngx_int_t ngx_rbl_label(ngx_rbl_ctx_t *ctx, rbl_str_t name);

/* A flag that stays as it is if not given; NGX_DECLINED: refused. */
ngx_int_t ngx_rbl_flag(ngx_rbl_ctx_t *ctx, ngx_uint_t field, int *flag);

/*
 * A SID in a path, of a resource of that name; NGX_DECLINED: refused (404).
 * The text is the same as for an id that is well-formed and unknown.
 */
ngx_int_t ngx_rbl_path_sid(ngx_rbl_ctx_t *ctx, rbl_sid_kind_t kind,
    const char *resource, rbl_sid_t *sid);
void ngx_rbl_unknown_id(ngx_rbl_ctx_t *ctx, const char *resource);

/* Refuses: 400 with the usual text.  `which` names the field. */
void ngx_rbl_invalid(ngx_rbl_ctx_t *ctx, const char *which);
void ngx_rbl_missing(ngx_rbl_ctx_t *ctx, const char *which);


/* ngx_rbl_response.c */

/*
 * Decides that the call is refused, instead of what was decided before.  The
 * format is nginx's; bytes of a client or of the store are arguments only.
 */
void ngx_rbl_refuse(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt,
    ...);

/* The same, 429 or 503, with the seconds after which it may be tried again; 0:
   it must not be, and no Retry-After is sent.  ngx_rbl_refuse says one. */
void ngx_rbl_refuse_later(ngx_rbl_ctx_t *ctx, ngx_uint_t status,
    ngx_uint_t seconds, const char *fmt, ...);

/* Refuses by the word of a script's reply, if a table has it. */
void ngx_rbl_refuse_by(ngx_rbl_ctx_t *ctx, const ngx_rbl_outcome_t *refusals,
    const redisReply *reply);

/* Refuses: 500, out of memory or a fault of ours. */
void ngx_rbl_internal(ngx_rbl_ctx_t *ctx);

/* Begins an answer of 200: a sink with room for `guess` octets, envelope. */
void ngx_rbl_open(ngx_rbl_ctx_t *ctx, size_t guess, const char *message);
void ngx_rbl_close(ngx_rbl_ctx_t *ctx);

/* A sink without an envelope, for the plain formats. */
void ngx_rbl_open_plain(ngx_rbl_ctx_t *ctx);

/* Sends the headers of what was answered or refused, as ngx_http_send_header
   does.  Then, unless that failed or there are only headers, the body.
   ctx->status is 0 if there was no memory for an answer. */
ngx_int_t ngx_rbl_send_head(ngx_rbl_ctx_t *ctx);
ngx_int_t ngx_rbl_send_body(ngx_rbl_ctx_t *ctx);

/* Sends the header of an answer of so many octets; -1: not known yet. */
ngx_int_t ngx_rbl_send_headers(ngx_rbl_ctx_t *ctx, off_t length);

/* Adds a header to the answer; NULL: no memory. */
ngx_table_elt_t *ngx_rbl_header(ngx_http_request_t *r, ngx_str_t *key,
    ngx_str_t *value);

/* Milliseconds since 1970. */
int64_t ngx_rbl_now(void);


/* ngx_rbl_etag.c */

/* Gives the answer that is in the sink an ETag, if it is to have one, and says
   whether nginx may answer 304 instead. */
ngx_int_t ngx_rbl_etag(ngx_rbl_ctx_t *ctx);

#endif /* _NGX_RBL_HTTP_H_INCLUDED_ */
