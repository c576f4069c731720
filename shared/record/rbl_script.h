/*
 * The scripts of the store: every write is one of them.
 * The table is generated from shared/lua/ at build time (lua2c.sh); a script's
 * KEYS, ARGV, result and errors stand in its head comment.
 *
 * Convention: KEYS[1] fixes the partition; every other key is derived from its
 * hash tag.  The result is an array whose first element is a word: "OK", or
 * the name of the refusal; nothing was changed by a refused call.
 */

#ifndef RBL_SCRIPT_H_INCLUDED
#define RBL_SCRIPT_H_INCLUDED

#include "rbl_common.h"

typedef struct {
    const char  *name;
    const char  *sha1;                  /* 40 hex digits */
    const char  *source;
    size_t       source_len;
} rbl_script_t;

/* rbl_script_host_add and so on: a name that does not exist does not link. */
#include "rbl_script_list.h"            /* generated: extern declarations */

extern const rbl_script_t *const  rbl_scripts[];    /* NULL at the end */

#endif /* RBL_SCRIPT_H_INCLUDED */
