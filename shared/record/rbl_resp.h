/*
 * RESP2, the protocol of the store: commands as they are sent, and replies,
 * decoded where they were received.  hiredis has the types of replies; it makes
 * an allocation for each element and each text.
 */

#ifndef RBL_RESP_H_INCLUDED
#define RBL_RESP_H_INCLUDED

#include "rbl_reply.h"
#include "rbl_script.h"


/*
 * A command, or, with a script, its call by EVALSHA: argv then holds the keys,
 * then the arguments.  guard: a further key of a script, behind its own ones
 * (rbl_nodes_guard); empty: none.
 *
 * rbl_resp_size returns the bytes that rbl_resp_command needs at most, and that
 * one the bytes that it wrote.  tail: of a script, the offset of the number of
 * keys.
 */
size_t rbl_resp_size(const rbl_script_t *script, rbl_str_t guard, int argc,
    const rbl_str_t *argv);
size_t rbl_resp_command(char *to, size_t *tail, const rbl_script_t *script,
    rbl_str_t guard, int argc, const rbl_str_t *argv);

/* The same for a call that was made by rbl_resp_command, as EVAL with the
   script's source. */
size_t rbl_resp_eval_size(const rbl_script_t *script, rbl_str_t call);
size_t rbl_resp_eval(char *to, const rbl_script_t *script, rbl_str_t call,
    size_t tail);

/* The name of a command, which is no call of a script. */
rbl_str_t rbl_resp_verb(rbl_str_t command);


/* Bytes that wait: appended at the end, taken from the front.  Zeroed, there
   are none. */
typedef struct {
    char        *start;                 /* of the buffer; or NULL */
    size_t       room;                  /* its size */
    size_t       from;                  /* offset of the first byte */
    size_t       to;                    /* of the end */
} rbl_bytes_t;

/* Returns the end of the bytes, with room for so many more, up to `room`; the
   caller adds those that it has appended to `to`.  NULL: out of memory. */
char *rbl_bytes_room(rbl_bytes_t *b, size_t least);
void rbl_bytes_free(rbl_bytes_t *b);


/*
 * Limits of a reply, which twelve bytes from a faulty store may announce: the
 * connection ends before there is memory for it.
 */
#define RBL_REPLY_ELEMENTS  2097152     /* elements, on all levels */
#define RBL_REPLY_PARENTS   6           /* arrays around one that has
                                           elements */

/* The replies that arrive: the receiver appends to `bytes`.  Zeroed, there are
   none. */
typedef struct {
    rbl_bytes_t  bytes;
    size_t       followed;              /* so many belong to the next reply */

    unsigned     depth;                 /* arrays that are not complete */
    int64_t      left[RBL_REPLY_PARENTS + 2];   /* elements that they lack */
    size_t       announced;             /* elements of this reply */
    const char  *refused;               /* why it cannot be decoded; or NULL */

    void        *elements;              /* of the current reply */
    size_t       size;                  /* so many fit */
} rbl_replies_t;

/* Decodes the next reply, which is valid until the next call for these replies.
   1: there is one, 0: it is not complete, -1: `refused` is set. */
int rbl_replies_next(rbl_replies_t *replies, redisReply *reply);
void rbl_replies_free(rbl_replies_t *replies);

#endif /* RBL_RESP_H_INCLUDED */
