/*
 * Typed, bounds-checked access to replies of the store.  NULL replies and wrong
 * types are accepted; each function then returns its empty value.
 */

#ifndef RBL_REPLY_H_INCLUDED
#define RBL_REPLY_H_INCLUDED

#include <hiredis/read.h>
#include <hiredis/hiredis.h>

#include "rbl_common.h"

/* Returns a string or status reply; p is NULL if it is nil or another type. */
rbl_str_t rbl_reply_str(const redisReply *r);

/* Returns an integer, or a string of decimal digits; otherwise `def`. */
int64_t rbl_reply_int(const redisReply *r, int64_t def);

/* Returns the number of elements of an array reply; 0 for another type. */
size_t rbl_reply_len(const redisReply *r);

/* Returns the i-th element; NULL: none. */
const redisReply *rbl_reply_at(const redisReply *r, size_t i);

/* Returns the value of a field in a flat HGETALL or stream-entry array; NULL:
   none. */
const redisReply *rbl_reply_field(const redisReply *r, const char *name);

/*
 * A pair of a name and what belongs to it: {id, fields} of a stream's entry,
 * {key, entries} of a stream, {cursor, page} of a scan, {member, score}.
 */
rbl_str_t rbl_reply_name(const redisReply *pair);
const redisReply *rbl_reply_rest(const redisReply *pair);

/* Returns the time in the id of a stream's entry, "<ms>-<n>"; 0: it is none. */
int64_t rbl_reply_entry_ms(rbl_str_t id);

/* Returns the reply of TIME in microseconds since 1970; 0: it is none. */
int64_t rbl_reply_time(const redisReply *r);

/* Returns the first word of a script's result ("OK", ...); "": none. */
rbl_str_t rbl_reply_word(const redisReply *r);

/* Returns the number after the word, for refusals of any script; 0: none. */
int64_t rbl_reply_number(const redisReply *r);

/*
 * Returns the text of an error, at most 200 bytes and without the command's
 * arguments that Redis may repeat, so it may be logged.  "nonsense" if it is
 * not an error.
 */
rbl_str_t rbl_reply_error(const redisReply *r);

/* Returns why AUTH was refused, in our own words: nothing of the reply is
   repeated. */
rbl_str_t rbl_reply_auth_error(const redisReply *r);

typedef enum {
    RBL_REPLY_OK = 0,       /* not an error reply */
    RBL_REPLY_NOSCRIPT,     /* send it again with EVAL */
    RBL_REPLY_NOTREADY,     /* LOADING, MASTERDOWN, BUSY: nothing was executed;
                               a retry may succeed */
    RBL_REPLY_MOVED,        /* of a cluster: another node has this slot; nothing
                               was executed (rbl_nodes.h) */
    RBL_REPLY_SLOT,         /* ASK, TRYAGAIN, CLUSTERDOWN: the slot cannot be
                               used now; nothing was executed */
    RBL_REPLY_READONLY,     /* a replica: nothing was executed */
    RBL_REPLY_NOWRITE,      /* OOM, MISCONF, NOREPLICAS: writes are refused,
                               reads work */
    RBL_REPLY_NOAUTH,       /* NOAUTH, WRONGPASS: configuration */
    RBL_REPLY_NOPERM,       /* the user lacks a right for this command; the
                               connection stays usable.  A script that lacks a
                               right answers ERROR, because it may have been
                               executed in part */
    RBL_REPLY_NOGROUP,      /* the consumer group is missing: create it */
    RBL_REPLY_ERROR         /* any other: an internal error */
} rbl_reply_class_t;

/* No reply (NULL) is RBL_REPLY_ERROR: the command may have been executed. */
rbl_reply_class_t rbl_reply_class(const redisReply *r);

/* True if this text of an error says that the user lacks a right for a command
   inside a script.  The class of such an error is RBL_REPLY_ERROR. */
int rbl_reply_script_denied(const char *error);

#endif /* RBL_REPLY_H_INCLUDED */
