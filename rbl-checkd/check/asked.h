/*
 * The lists that one check asks.
 */

#ifndef ASKED_H_INCLUDED
#define ASKED_H_INCLUDED

#include "check/lists/lists.h"
#include "check/lists/table.h"
#include "current.h"

typedef struct {
    size_t    n;
    size_t    due;                      /* so many of them now, which are the
                                           first; the others are left out */
    list_t  **list;                     /* a reference to each */
} asked_t;

void asked_drop(asked_t *asked);

/*
 * Those of a packed array of {SID, type, custom, zone, website}; the custom
 * ones are the account's own, whose SID is given.  With `wait` a
 * system list that the table does not have is waited for, without it is
 * skipped.  1: these they are, 0: the table has to be looked at, -1: nonsense,
 * or no memory.
 */
int asked_told(asked_t *asked, const table_t *table, rbl_str_t account,
    rbl_str_t packed, int64_t family, int wait);

/*
 * All system lists that take a host's type ("": any) and the family.  1, or -1:
 * no memory.
 */
int asked_system(asked_t *asked, const table_t *table, rbl_str_t type,
    int64_t family);

/*
 * Of a scheduled check, `now` (ms), of a host that was checked last at
 * `before`: leaves out the lists whose minimum interval is not over, unless
 * their last question is still open.  All are due without this.
 */
void asked_due(asked_t *asked, rbl_str_t host, int64_t before, int64_t now,
    const current_t *current);

#endif /* ASKED_H_INCLUDED */
