/*
 * Typed, bounds-checked access to replies of the store.  NULL replies and
 * wrong types are ordinary input and give the "nothing" of each function.
 */

#ifndef RBL_REPLY_H_INCLUDED
#define RBL_REPLY_H_INCLUDED

#include <hiredis/read.h>
#include <hiredis/hiredis.h>

#include "rbl_common.h"

/* A string or status reply; p NULL if it is nil or of another type. */
rbl_str_t rbl_reply_str(const redisReply *r);

/* An integer, or a string of decimal digits; `def` otherwise. */
int64_t rbl_reply_int(const redisReply *r, int64_t def);

/* Number of elements of an array reply; 0 if it is none. */
size_t rbl_reply_len(const redisReply *r);

/* The i-th element; NULL if there is none. */
const redisReply *rbl_reply_at(const redisReply *r, size_t i);

/* The value of a field in a flat HGETALL or stream-entry array, or NULL. */
const redisReply *rbl_reply_field(const redisReply *r, const char *name);

/*
 * A pair of a name and what belongs to it: {id, fields} of a stream's entry,
 * {key, entries} of a stream, {cursor, page} of a scan, {member, score}.
 */
rbl_str_t rbl_reply_name(const redisReply *pair);
const redisReply *rbl_reply_rest(const redisReply *pair);

/* Reply of TIME in microseconds since 1970; 0: it is none. */
int64_t rbl_reply_time(const redisReply *r);

/* First word of a script's result ("OK", ...); "" if it is not one. */
rbl_str_t rbl_reply_word(const redisReply *r);

/* The number behind it, for refusals of any script; 0: there is none. */
int64_t rbl_reply_number(const redisReply *r);

/*
 * What an error says, at most 200 bytes of it and without the arguments of the
 * command that some repeat: it may be logged.  "nonsense" if it is no error.
 */
rbl_str_t rbl_reply_error(const redisReply *r);

/* Why AUTH is refused, in words of ours: nothing of the answer is repeated. */
rbl_str_t rbl_reply_auth_error(const redisReply *r);

typedef enum {
    RBL_REPLY_OK = 0,       /* not an error reply */
    RBL_REPLY_NOSCRIPT,     /* send it again with EVAL */
    RBL_REPLY_NOTREADY,     /* LOADING, MASTERDOWN, CLUSTERDOWN, TRYAGAIN,
                               BUSY: nothing was done, later it may */
    RBL_REPLY_READONLY,     /* a replica: nothing was done */
    RBL_REPLY_NOWRITE,      /* OOM, MISCONF, NOREPLICAS: writes are refused,
                               reads go on */
    RBL_REPLY_NOAUTH,       /* NOAUTH, WRONGPASS: configuration */
    RBL_REPLY_NOPERM,       /* the user lacks a right that this one command
                               needs; the connection is as good as before.
                               A script that lacks one answers ERROR, for it
                               may have done a part */
    RBL_REPLY_NOGROUP,      /* consumer group is missing: create it */
    RBL_REPLY_ERROR         /* any other: our own fault */
} rbl_reply_class_t;

/* No reply at all (NULL) is RBL_REPLY_ERROR: nothing says that it was done. */
rbl_reply_class_t rbl_reply_class(const redisReply *r);

#endif /* RBL_REPLY_H_INCLUDED */
