/*
 * The lists of one check.
 */

#ifndef CHECK_LISTS_H_INCLUDED
#define CHECK_LISTS_H_INCLUDED

#include "base/buf.h"
#include "check/lists/lists.h"
#include "check/lists/table.h"
#include "current.h"

#define CHECK_LISTS_DIGEST  16
#define CHECK_LISTS_MEMBER  20          /* bytes */

typedef struct {
    size_t    n;
    size_t    due;                      /* the first ones, which this check
                                           queries */
    list_t  **list;                     /* a reference to each */
    size_t   *place;                    /* of each, in the order of the store */
    rbl_buf_t  members;                 /* as check_finish.lua takes them */
    char      digest[CHECK_LISTS_DIGEST + 1];
                                        /* of members, hex digits; "":
                                           unknown */
} check_lists_t;

void check_lists_drop(check_lists_t *lists);

/*
 * Takes a packed array of {SID, type, custom, zone, website}; custom lists
 * belong to the account with this SID.  A system list that the table does not
 * have is skipped, or, with `wait`, waited for.  1: done; 0: look at the table
 * first; -1: malformed.
 */
int check_lists_unpack(check_lists_t *lists, const table_t *table,
    rbl_str_t account, rbl_str_t packed, int64_t family, int wait);

/* Takes all system lists for a host's type ("": any) and the family. */
void check_lists_system(check_lists_t *lists, const table_t *table,
    rbl_str_t type, int64_t family);

/*
 * For a scheduled check at `now` (ms) of a host that was checked last at
 * `before`: leaves out lists whose minimum interval is not over, unless their
 * last result is open (current_open).  Without this call all are due.
 */
void check_lists_due(check_lists_t *lists, rbl_str_t host, int64_t before,
    int64_t now, const current_t *current);

#endif /* CHECK_LISTS_H_INCLUDED */
