/*
 * An operation: a duty for an account that is one script of the store.  Its
 * table says which fields it takes, who judges them, and which argument of the
 * script each is; it has the refusals and the answer, too.  The portal runs an
 * operation for a call and rblctl for a command: both bring the values of the
 * fields, send the script, and show the answer.
 *
 * The fields are read in this order:
 *
 *   1. A field that is NEEDED and missing is refused, in the table's order.
 *   2. Each field is judged, in the table's order.
 */

#ifndef RBL_OP_H_INCLUDED
#define RBL_OP_H_INCLUDED

#include "rbl_doc.h"
#include "rbl_reply.h"
#include "rbl_script.h"
#include "rbl_secret.h"
#include "rbl_sid.h"
#include "rbl_timezone.h"

#define RBL_FIELDS_MAX     12           /* fields of one operation */
#define RBL_FIELD_KINDS    3            /* kinds of things of one operation */
#define RBL_REFUSAL_MAX    512          /* octets of the text of a refusal */
#define RBL_PAGE_SIZE      20           /* default */
#define RBL_PAGE_MAX       1000000000000    /* behind the end of any list */

typedef struct rbl_op_s   rbl_op_t;
typedef struct rbl_run_s  rbl_run_t;


/* Flags of a field. */
#define RBL_LIST    1                   /* may be given several times */
#define RBL_NEEDED  2                   /* refused if missing or empty */
#define RBL_LATER   4                   /* the same, after the fields before it
                                           were judged */
#define RBL_TOLD    8                   /* text: the argument before it is "1"
                                           if it was given, or "0" */
#define RBL_ZERO    16                  /* text: "0" if it was not given */
#define RBL_EMPTY   32                  /* an empty value means none */
#define RBL_ONE     64                  /* SIDs: at most one */
#define RBL_SECRET  128                 /* its value is not in the audit log */

/*
 * `judge` gets a text that was given and may replace it, for example by its
 * canonical form.  Other than 0: the text is wrong; the operation is refused
 * with the usual text or that of rbl_expect, unless `judge` has refused it.  A
 * field that was not given is "".
 *
 * SIDs of a `kind`, separated by commas, stand behind the arguments of the
 * script.  `arg` is then "1" if they were given, or "0"; with RBL_ONE it is the
 * SID.
 *
 * A number is whole, and from `min` to `max`.  If it was not given, `arg` is
 * `def`, or "" if that is 0.
 */
typedef struct {
    rbl_str_t         name;             /* n 0: end of the table */
    unsigned          flags;
    size_t            arg;              /* 0: none */
    int             (*judge)(rbl_run_t *run, rbl_str_t *text);
    rbl_sid_kind_t    kind;             /* 0: it is a text or a number */
    int64_t           min, max, def;    /* max 0: it is no number */
} rbl_field_t;

/* Rows of a table of fields. */
#define RBL_TEXT(name, flags, judge, arg)                                     \
    { { name, sizeof(name) - 1 }, flags, arg, judge, 0, 0, 0, 0 }
#define RBL_SIDS(name, flags, kind, arg)                                      \
    { { name, sizeof(name) - 1 }, flags, arg, NULL, kind, 0, 0, 0 }
#define RBL_NUMBER(name, min, max, def, arg)                                  \
    { { name, sizeof(name) - 1 }, 0, arg, NULL, 0, min, max, def }
#define RBL_END                                                               \
    { { NULL, 0 }, 0, 0, NULL, 0, 0, 0, 0 }

/* An argument of a script as a number; 0, the key, is no field's. */
#define RBL_ARG(script, member)                                               \
    (offsetof(rbl_##script##_args_t, member) / sizeof(rbl_str_t))

/* The first arguments of a script: the account's key, the SID of what is meant,
   and rbl_op_t.value if there is one. */
enum {
    RBL_ARG_ACCT = 0,
    RBL_ARG_ID,
    RBL_ARG_VALUE
};


/* Maps a word of a script's reply to a refusal.  The text may have marks for
   the fields that come with the word, in their order: %L for a number, which
   with 429 is the time after which to retry (s), and %s for a text.  A NULL
   word ends the table. */
typedef struct {
    const char  *word;
    unsigned     status;                /* of HTTP */
    const char  *text;
} rbl_outcome_t;

/* The refusal of an id is these, and between them the resource. */
#define RBL_UNKNOWN_HEAD  "Invalid "
#define RBL_UNKNOWN_TAIL  " id provided."

#define RBL_UNKNOWN_ID(word, resource)                                        \
    { word, 404, RBL_UNKNOWN_HEAD resource RBL_UNKNOWN_TAIL }

#define RBL_INVALID(word, field)                                              \
    { word, 400, "Invalid " field " value provided. Please try again." }


/* Where the script of an operation on a system list runs: each partition has a
   copy of the list, and its own the state that daemons share. */
typedef enum {
    RBL_SYSTEM_NONE = 0,                /* it is for an account */
    RBL_SYSTEM_ALL,                     /* in each partition, in any order; a
                                           refusal of one is that of all */
    RBL_SYSTEM_ONE                      /* in the partition of the list */
} rbl_system_e;


struct rbl_op_s {
    const rbl_script_t   *script;
    const rbl_field_t    *fields;       /* NULL: none */
    rbl_sid_kind_t        kinds[RBL_FIELD_KINDS];   /* of what is meant; 0: no
                                                       more */
    int                   makes;        /* 1: it makes one of the first kind */
    int                   operators;    /* 1: also of the operators' account,
                                           which has users only */
    rbl_system_e          system;       /* it is about a list of the system */
    const char           *value;        /* argument behind the id; NULL: none */
    const char           *message;

    /* Arguments that rbl_op_prepare makes; 0: there is none. */
    size_t                ranks;        /* ranks of the first and, behind it,
                                           of the last record of a page */
    int64_t               page_most;    /* records of a page, at most; 0: as
                                           many as the program permits */
    size_t                operated;     /* "1" if an operator runs it, or "0" */
    size_t                token;        /* field and, behind it, digest of a
                                           token or link: rbl_new_token_t, in
                                           run->data */
    size_t                secret;       /* signs events or callbacks */

    /* Completes the arguments after the fields; NULL: nothing is left.  0; -1:
       refused. */
    int                 (*prepare)(rbl_run_t *run);

    /* Writes what stands behind the message in the answer, of a reply that
       begins with OK; NULL: nothing. */
    void                (*answer)(rbl_run_t *run, rbl_doc_t *doc,
                             const redisReply *reply);

    const rbl_outcome_t  *refusals;     /* of the other words; NULL: none */
    int                   slow;         /* 1: it may hold the store for more
                                           than some 100 us */
};


typedef struct rbl_value_s  rbl_value_t;

struct rbl_value_s {
    rbl_str_t     text;                 /* valid UTF-8, trimmed */
    rbl_value_t  *next;                 /* next element of a list */
};

typedef struct {
    rbl_value_t  *first;                /* NULL: not given */
    rbl_value_t  *last;
} rbl_given_t;


/* The program that runs operations. */
typedef struct {
    void  *(*alloc)(rbl_run_t *run, size_t n);  /* NULL: out of memory,
                                                   refused */
    void   (*refuse)(rbl_run_t *run, unsigned status, const char *text);
    void   (*note)(rbl_run_t *run, const char *text);   /* of what is left out
                                                           of an answer */
} rbl_runner_t;

/* A run of an operation. */
struct rbl_run_s {
    const rbl_runner_t     *by;
    const rbl_field_t      *fields;
    const rbl_script_t     *script;

    int64_t                 now;        /* ms */
    const rbl_timezone_t   *timezone;   /* of times in the answer; NULL: as
                                           RFC 3339 */
    int64_t                 page_most;  /* records of a page, at most */
    rbl_str_t               account;    /* SID; for the answer */
    int                     path;       /* URLs are shown with their path */
    int                     operator;   /* an operator runs it: rblctl */
    unsigned                view;       /* of hosts (rbl_view.h) */
    int64_t                 stopped;    /* for rbl_host_read */
    rbl_str_t               back;       /* URL to which a gateway leads back */

    rbl_sid_t               id;         /* of what is meant; n 0: nothing */
    rbl_given_t             given[RBL_FIELDS_MAX];
    rbl_str_t              *argv;       /* script->argc; "" at first */
    rbl_str_t              *rest;       /* n_rest behind them */
    size_t                  n_rest;
    void                   *data;       /* of the operation */
    int64_t                 page;       /* set by rbl_run_page */
    int64_t                 page_size;

    rbl_str_t               mail;       /* of the user `id`, who must be put
                                           into the index of addresses then, */
    int64_t                 confirmed;  /* confirmed at this time (ms; 0: not),
                                           */
    int                     removed;    /* or 1: removed from it */

    unsigned                refusal;    /* status; 0: none */
    const char             *expects;    /* set by rbl_expect */
};


/* Memory for as long as the run.  NULL: refused (500). */
void *rbl_room(rbl_run_t *run, size_t n);

/* Refuses; this replaces an earlier refusal.  The text may have bytes that were
   given. */
void rbl_refuse(rbl_run_t *run, unsigned status, const char *text);

/* For a judge: says what the value must be, "a whole number" for example, and
   returns -1.  The text is a literal, or in memory of the run. */
int rbl_expect(rbl_run_t *run, const char *what);

/* For a judge: an integer, between these. */
int rbl_between(rbl_run_t *run, rbl_str_t text, int64_t min, int64_t max,
    int64_t *v);

/* Refuses with 400 and the standard text.  `which` names the field. */
void rbl_invalid(rbl_run_t *run, const char *which);
void rbl_missing(rbl_run_t *run, const char *which);

/* Refuses by the word of a script's reply.  0; -1: the table does not have
   it. */
int rbl_refuse_by(rbl_run_t *run, const rbl_outcome_t *refusals,
    const redisReply *reply);

/* The text of a field; p is NULL if the field is not given. */
rbl_str_t rbl_text(const rbl_run_t *run, size_t field);

/*
 * Returns the number of elements of a list, and the elements in memory of the
 * run.  Commas split elements; empty elements count.  -1: out of memory,
 * refused.
 */
int rbl_list(rbl_run_t *run, size_t field, rbl_str_t **elements);

/* The text of a field, judged.  -1: refused. */
int rbl_judged(rbl_run_t *run, const rbl_field_t *field, rbl_str_t *text);

/* Reads all fields into argv and rest, which it makes.  -1: refused. */
int rbl_run_fields(rbl_run_t *run);

/* Completes the arguments after rbl_run_fields.  -1: refused. */
int rbl_op_prepare(rbl_run_t *run, const rbl_op_t *op);

/* Reads page and page_size, which are the first two fields.  Larger numbers, of
   any length, are the largest.  -1: refused. */
int rbl_run_page(rbl_run_t *run);

/* Begins the answer of a page of `total` records: numbers, and the array of
   records, which the caller closes. */
void rbl_page_open(const rbl_run_t *run, rbl_doc_t *doc, const char *name,
    int64_t total);

/* script->argc arguments and those behind them as one array; NULL: refused. */
rbl_str_t *rbl_run_argv(rbl_run_t *run);

/* Writes a time (ms), or "" for 0. */
void rbl_run_at(const rbl_run_t *run, rbl_doc_t *doc, const char *key,
    int64_t ms);

/* A new token or link. */
#define RBL_TOKEN_LEN  64               /* hex digits */

typedef struct {
    char           text[RBL_TOKEN_LEN];
    char           field[RBL_TOKEN_FIELD];
    unsigned char  digest[32];
} rbl_new_token_t;

/* True for the id of an entry of a stream, "1795167000000-0".  The second one
   judges a field that is one. */
#define RBL_ENTRY_ID  42                /* "(", two numbers, "-" */
int rbl_entry_id(rbl_str_t text);
int rbl_entry(rbl_run_t *run, rbl_str_t *text);

/* A number of one digit as an argument. */
rbl_str_t rbl_digit(unsigned n);

/* An integer as an argument.  -1: refused. */
int rbl_run_int(rbl_run_t *run, rbl_str_t *text, int64_t n);

/* For rows: a label of 1 to RBL_LABEL_MAX characters; an address of mail; a
   flag, which becomes "0" or "1". */
int rbl_label(rbl_run_t *run, rbl_str_t *text);
int rbl_mail(rbl_run_t *run, rbl_str_t *text);
int rbl_flag(rbl_run_t *run, rbl_str_t *text);

/* Page and page size. */
extern const rbl_field_t  rbl_page_fields[];

#endif /* RBL_OP_H_INCLUDED */
