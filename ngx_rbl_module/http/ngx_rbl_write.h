/*
 * The fields of a call, by a table; and writes, which are calls that are one
 * script.  The table says what each value has to be and which argument of the
 * script it is.  A write reads its fields in this order:
 *
 *   1. A field that is NEEDED and missing is refused, in the table's order.
 *   2. Each field is judged, in the table's order.
 *   3. The id in the path is judged.  If the path has none, one is made.
 *
 * The id is the first argument of the script.  An example:
 *
 *     const ngx_rbl_op_t  ngx_rbl_op_host_pause = {
 *         .script = &rbl_script_host_status,
 *         .value = "paused",
 *         .message = "Host paused successfully."
 *     };
 */

#ifndef _NGX_RBL_WRITE_H_INCLUDED_
#define _NGX_RBL_WRITE_H_INCLUDED_

#include "ngx_rbl_http.h"


/* Flags of a field. */
#define NGX_RBL_LIST    1               /* may be given several times */
#define NGX_RBL_NEEDED  2               /* refused if missing or empty */
#define NGX_RBL_LATER   4               /* the same, after the fields before it
                                           were judged */
#define NGX_RBL_TOLD    8               /* text: the argument before it is "1"
                                           if it was given, or "0" */
#define NGX_RBL_ZERO    16              /* text: "0" if it was not given */
#define NGX_RBL_EMPTY   32              /* SIDs: an empty value means none */
#define NGX_RBL_ONE     64              /* SIDs: at most one */
#define NGX_RBL_SECRET  128             /* its value is not in the audit log */

/*
 * Rows of a table.  `judge` gets a text that was given and may replace it, for
 * example by its canonical form.  NGX_DECLINED: the text is wrong; the call is
 * refused with the usual text unless `judge` has refused it.  A field that was
 * not given is "".
 *
 * SIDs of a `kind`, separated by commas, stand behind the arguments of the
 * script.  `arg` is then "1" if they were given, or "0"; with NGX_RBL_ONE it is
 * the SID.
 */
#define NGX_RBL_TEXT(name, flags, judge, arg)                                 \
    { ngx_string(name), flags, arg, judge, 0 }
#define NGX_RBL_SIDS(name, flags, kind, arg)                                  \
    { ngx_string(name), flags, arg, NULL, kind }
#define NGX_RBL_END                                                           \
    { ngx_null_string, 0, 0, NULL, 0 }

/* The first arguments of every write: the account's key, the SID of what is
   changed, and the text of ngx_rbl_op_t.value if there is one. */
enum {
    NGX_RBL_ARG_ACCT = 0,
    NGX_RBL_ARG_ID,
    NGX_RBL_ARG_VALUE
};

/* An argument of a script as a number; 0, the key, is no field's. */
#define NGX_RBL_ARG(script, member)                                           \
    (offsetof(rbl_##script##_args_t, member) / sizeof(rbl_str_t))


/* ngx_rbl_fields.c */

/* Room for the canonical form of a value; NULL: refused (500). */
char *ngx_rbl_room(ngx_rbl_ctx_t *ctx, size_t size);

/* The text of a field, judged; NGX_DECLINED: refused. */
ngx_int_t ngx_rbl_judged(ngx_rbl_ctx_t *ctx, const ngx_rbl_field_t *field,
    rbl_str_t *text);

/* A domain, or if `addr` an address, in its canonical form; RBL_FAMILY_NONE: it
   is neither. */
rbl_family_t ngx_rbl_host_parse(char buf[RBL_VALUE_MAX], rbl_str_t *value,
    rbl_str_t text, ngx_uint_t addr);

/* The family of an address, with RBL_FAMILY_LOCAL if it is not public. */
rbl_family_t ngx_rbl_host_family(const rbl_addr_t *addr);

/* A family as an argument. */
rbl_str_t ngx_rbl_family_text(rbl_family_t family);

/* The refusal of a text that ngx_rbl_host_parse does not take. */
void ngx_rbl_invalid_host(ngx_rbl_ctx_t *ctx, rbl_str_t text);

/* A number of one digit as an argument. */
rbl_str_t ngx_rbl_digit(ngx_uint_t n);

/* For rows: a label of 1 to RBL_LABEL_MAX characters; a flag, which becomes "0"
   or "1". */
ngx_int_t ngx_rbl_label(ngx_rbl_ctx_t *ctx, rbl_str_t *text);
ngx_int_t ngx_rbl_flag(ngx_rbl_ctx_t *ctx, rbl_str_t *text);


/* ngx_rbl_write.c */

/* The state of a write; of one with more state, the first member. */

typedef struct {
    rbl_sid_t    id;
    rbl_str_t   *argv;                  /* script->argc; "" at first */
    rbl_str_t   *rest;                  /* n behind them */
    ngx_uint_t   n;
} ngx_rbl_write_t;

/* Makes the state, of that size, and reads the fields into it, or refuses. */
ngx_int_t ngx_rbl_write_fields(ngx_rbl_ctx_t *ctx, size_t size);

/* The functions of a write without a `prepare` or `proceed` of its own: one
   reads fields and id, one sends the script with the state's arguments. */
void ngx_rbl_write_prepare(ngx_rbl_ctx_t *ctx);
void ngx_rbl_write_proceed(ngx_rbl_ctx_t *ctx);

/* The same for a state of that size. */
void ngx_rbl_write_prepare_sized(ngx_rbl_ctx_t *ctx, size_t size);

/* `result` of a script whose reply is OK and a record of the family: answers
   with `message` and the record. */
void ngx_rbl_write_added(ngx_rbl_ctx_t *ctx, ngx_uint_t i,
    const redisReply *reply);

#endif /* _NGX_RBL_WRITE_H_INCLUDED_ */
