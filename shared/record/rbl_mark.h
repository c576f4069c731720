/*
 * Marks of a listing: that its removal was asked for, that it is expected, a
 * ticket; with who noted it and when.  Marks change nothing: only a mute keeps
 * contacts from being notified.
 */

#ifndef RBL_MARK_H_INCLUDED
#define RBL_MARK_H_INCLUDED

#include "rbl_out.h"
#include "rbl_record.h"

#define RBL_MARK_TEXT    1024           /* octets of the text of a mark */
#define RBL_MARK_TICKET  64             /* characters */

/*
 * Finds the marks of a list's listing in a packed array of "mark", or "".
 * 1: found; 0: there are none; -1: they cannot be read.
 */
int rbl_mark_find(rbl_mark_t *mark, rbl_str_t marks, rbl_str_t list);

/*
 * Writes the marks in words: "removal asked 2 d ago by NAME, ticket 4711".
 * now: ms.  Nothing if there is none.
 */
void rbl_mark_text(rbl_out_t *out, const rbl_mark_t *mark, int64_t now);

#endif /* RBL_MARK_H_INCLUDED */
