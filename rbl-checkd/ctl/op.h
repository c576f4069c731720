/*
 * Commands that are operations (shared/op/): words and options become fields,
 * and the answer becomes columns.
 */

#ifndef CTL_OP_H_INCLUDED
#define CTL_OP_H_INCLUDED

#include "ctl.h"

#include "base/buf.h"
#include "rbl_ops.h"

/* A field and its value; a NULL value: it is not given. */
typedef struct {
    const char  *name;
    const char  *value;
} ctl_given_t;

/* A command that is an operation. */
typedef struct {
    const char      *words;             /* of the command */
    const rbl_op_t  *op;
    const char      *fields;            /* behind account and SID, with spaces;
                                           NULL: the caller brings them */
    const char      *columns;           /* NULL: it prints what was done */
    const rbl_op_t  *shows;             /* what it prints then, after the
                                           member "note" of its answer; NULL:
                                           its own answer */
} ctl_op_t;

/* op_rows.c; ends with a row without words */
extern const ctl_op_t  ctl_ops[];
extern const char      ctl_source_rows[];       /* columns of payment sources */

/* bill_op.c */
extern const rbl_op_t  bill_op_paid, bill_op_settle, bill_op_topup,
                       bill_op_adjust, bill_op_refund;

/*
 * Runs an operation for an account and the thing `id`, which is "" without
 * one; for a system list `account` is what the list is called in errors.  The
 * value is the answer, an object as in the API, whose member
 * `id` is the SID of the thing.  NULL: error printed.
 */
json_t *ctl_op_run(ctl_t *ctl, const rbl_op_t *op, rbl_str_t account,
    rbl_str_t id, int n, const ctl_given_t *given);

/* Runs the script of an operation on a system list, in each partition until one
   refuses, or in its own; sets argv[0].  NULL: error printed. */
redisReply *ctl_op_system(ctl_t *ctl, const rbl_op_t *op, rbl_str_t list,
    int argc, rbl_str_t *argv);

/* A complete document, which is freed, as JSON.  NULL: error printed. */
json_t *ctl_document(rbl_buf_t *buf);

/* Takes the member "data" out of an answer, whose reference it takes; NULL: of
   NULL. */
json_t *ctl_op_data(json_t *answer);

/* All pages of a list of args[0], as one array.  NULL: error printed. */
json_t *ctl_op_pages(ctl_t *ctl, const rbl_op_t *op);

/*
 * The n newest rows of a log of args[0], newest first, read in pages of `page`
 * rows.  The first two fields given are set here: the number of rows, and
 * behind which to go on.  NULL: error printed.
 */
json_t *ctl_op_log(ctl_t *ctl, const rbl_op_t *op, rbl_str_t id, int64_t n,
    int64_t page, int n_given, const ctl_given_t *given);

/* The rows from the last to the first; takes the reference. */
json_t *ctl_op_reversed(json_t *rows);

/* Runs the operation of the command, for args[0], with these fields, and prints
   its answer: its columns, or if it has none what was done; of a system list
   the list as it is now. */
int ctl_op_with(ctl_t *ctl, int n, const ctl_given_t *given);

/* Prints what a command without fields shows of args[0], "bill show". */
int ctl_op_show(ctl_t *ctl, const char *words);

#endif /* CTL_OP_H_INCLUDED */
