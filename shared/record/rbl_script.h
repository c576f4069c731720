/*
 * The scripts of the store: every write is one of them.
 * The table is generated from shared/lua/ at build time (lua2c.sh); a script's
 * keys, arguments and replies stand in its head, and from that seam.awk makes
 *
 *     rbl_NAME_args_t     keys and arguments: members with their names, and the
 *                         same as argv[]; RBL_ARGC(args) of them.  What may be
 *                         any number of comes behind them.
 *     rbl_NAME_reply_t    its `word`, RBL_NAME_OK and so on, RBL_NAME_NONE for
 *                         anything else (no reply, an error; RBL_NAME_NOTHING
 *                         if NONE is one of its words), and the fields of
 *                         that word; those of others, and what is missing or of
 *                         another type, are nothing: 0, p NULL, NULL
 *     rbl_NAME_reply      fills that; it points into the reply
 *     rbl_NAME_ROW_t, rbl_NAME_ROW    likewise of an array within a reply,
 *                         which has no word
 *
 * Convention: the first key fixes the partition; every other key is derived
 * from its hash tag.  The reply is an array whose first element is a word:
 * "OK", or the name of the refusal; nothing was changed by a refused call.
 */

#ifndef RBL_SCRIPT_H_INCLUDED
#define RBL_SCRIPT_H_INCLUDED

#include <stdint.h>

#include "rbl_common.h"
#include "rbl_reply.h"

typedef struct {
    const char  *name;
    const char  *sha1;                  /* 40 hex digits */
    const char  *source;
    size_t       source_len;
    int          nkeys;
} rbl_script_t;

/*
 * A plain command of Redis as the two arguments argc and argv of a function:
 * RBL_COMMAND("HGET", key, RBL_STR("sum")); RBL_WORDS takes the name too.  The
 * words live as long as the block in which it stands.
 */
#define RBL_WORDS(...)                                                        \
    (int) (sizeof((rbl_str_t[]) { __VA_ARGS__ }) / sizeof(rbl_str_t)),        \
    (rbl_str_t[]) { __VA_ARGS__ }
#define RBL_COMMAND(name, ...)  RBL_WORDS(RBL_STR(name), __VA_ARGS__)

#define RBL_ARGC(args)  ((int) (sizeof((args).argv) / sizeof((args).argv[0])))

typedef enum {
    RBL_REPLY_TEXT,
    RBL_REPLY_INT,
    RBL_REPLY_ARRAY
} rbl_reply_type_t;

/* A field that follows the word of that number, and its offset. */
typedef struct {
    unsigned  word;                     /* from 1; 0 ends a table */
    unsigned  at;                       /* element of the reply */
    unsigned  type;
    unsigned  offset;
} rbl_reply_field_t;

typedef struct {
    const char *const        *words;    /* ends with NULL; NULL for a row */
    const rbl_reply_field_t  *fields;
    size_t                    size;     /* of the reply structure */
} rbl_reply_form_t;

/* For rbl_NAME_reply and rbl_NAME_ROW. */
void rbl_reply_decode(void *to, const rbl_reply_form_t *form,
    const redisReply *reply);

/* rbl_script_host_add and so on; an unknown name does not link. */
#include "rbl_script_list.h"            /* generated: extern declarations */

extern const rbl_script_t *const  rbl_scripts[];    /* ends with NULL */

#endif /* RBL_SCRIPT_H_INCLUDED */
