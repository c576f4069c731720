/*
 * The scripts of the store; every write is made by one of them.
 * The build generates the table from shared/lua/ (generate.pl).  A script's
 * head declares its keys, arguments and replies, and generate.pl generates:
 *
 *     rbl_NAME_args_t     keys and arguments: as named members, and as argv[],
 *                         which has RBL_ARGC(args) elements.  Arguments of any
 *                         number follow them.
 *     rbl_NAME_reply_t    `word`: RBL_NAME_OK and so on; RBL_NAME_NO_REPLY
 *                         without a valid reply; and the fields of that word.
 *                         Fields of other words, missing fields and fields of
 *                         another type are empty: 0, p NULL, NULL.
 *     rbl_NAME_reply      fills it, with pointers into the reply
 *     rbl_NAME_ROW_t, rbl_NAME_ROW    the same for an array within a reply,
 *                         which has no word
 *
 * Convention: the first key fixes the partition; every other key is derived
 * from its hash tag.  The reply is an array whose first element is a word:
 * "OK", or the name of the refusal; a refused call changes nothing.
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
    int          argc;                  /* keys and arguments: RBL_ARGC(args) */
    int          audited;               /* 1: who calls it is a further argument
                                           (rbl_audit.h), the last one */
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
