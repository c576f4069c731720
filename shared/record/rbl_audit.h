/*
 * The audit log of an account: its changes, each with the user or program that
 * made it.
 *
 * A script whose head says "--- audit" takes a last argument that names its
 * caller.  These functions make the argument, and callers append it to those of
 * rbl_NAME_args_t.  The script adds an entry to the log together with the
 * change.  The script audit_show reads the log.
 */

#ifndef RBL_AUDIT_H_INCLUDED
#define RBL_AUDIT_H_INCLUDED

#include "rbl_record.h"
#include "rbl_script.h"
#include "rbl_sid.h"

#define RBL_AUDIT_VALUE   200           /* octets of a value, the rest is cut */
#define RBL_AUDIT_VALUES  1024          /* octets of all fields together */
#define RBL_AUDIT_BY_MAX  2048          /* fits any argument */
#define RBL_AUDIT_SECRET  RBL_STR("****")   /* for a value that is secret */
#define RBL_AUDIT_LOOKS   "300"         /* entries that audit_show looks at */

/* The argument, being made. */
typedef struct {
    char        text[RBL_AUDIT_BY_MAX];
    rbl_out_t   out;
    char       *count;                  /* of names and values: 16 bits */
    size_t      n;
    size_t      left;                   /* octets of fields that may follow */
} rbl_audit_by_t;

/* Begins the argument; by->fields is not used.  Fields may follow, and
   rbl_audit_by_end returns it. */
void rbl_audit_by(rbl_audit_by_t *b, const rbl_by_t *by);
void rbl_audit_field(rbl_audit_by_t *b, rbl_str_t name, rbl_str_t value);
rbl_str_t rbl_audit_by_end(rbl_audit_by_t *b);

/* An entry of the log. */
typedef struct {
    rbl_str_t    id;                    /* "<ms>-<n>" */
    int64_t      at;                    /* ms */
    const char  *kind;                  /* user, operator, application or
                                           rblctl */
    rbl_by_t     by;
    rbl_str_t    target, target_name;
    int64_t      count;                 /* changes that it is about */
} rbl_audit_t;

/* Decodes an entry of a reply of audit_show.  RBL_ETYPE: it is damaged. */
rbl_err_t rbl_audit_decode(rbl_audit_t *v, const redisReply *entry);

/* Sets a SID of any kind but a check's, in lower case, for the filters of
   audit_show.  RBL_EINVAL: malformed. */
rbl_err_t rbl_audit_sid(rbl_sid_t *sid, rbl_str_t text);

/* Reads the next name and value of by.fields; 0: there are no more. */
typedef struct {
    rbl_mp_t  mp;
    size_t    left;
} rbl_audit_fields_t;

void rbl_audit_fields(rbl_audit_fields_t *f, const rbl_audit_t *entry);
int rbl_audit_next(rbl_audit_fields_t *f, rbl_str_t *name, rbl_str_t *value);

#endif /* RBL_AUDIT_H_INCLUDED */
