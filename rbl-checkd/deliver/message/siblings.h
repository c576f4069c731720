/*
 * Siblings: addresses of a range that the same lists list, or that the same
 * lists no longer list.  SIBLINGS_LEAST of them or more have one entry in a
 * message, with the range.
 */

#ifndef DELIVER_SIBLINGS_H_INCLUDED
#define DELIVER_SIBLINGS_H_INCLUDED

#include "message.h"

#define SIBLINGS_LEAST  3               /* hosts */

/*
 * How many hosts one entry of the message reports in the place of the i-th
 * host.  1: that host alone; more: it is the first of so many siblings; 0: an
 * earlier entry reports it.
 */
size_t siblings_count(const message_t *message, size_t i);

/* "192.0.2.0/24: 37 of 256 by ZEN and 1 more", or "37 of 256 no longer listed
   by ZEN": the n siblings that begin with the i-th host.  The caller escapes
   the name of the list. */
void siblings_line(rbl_out_t *out, const message_t *message, size_t i,
    size_t n);

/* How long an ended listing of the i-th host lasted, "6 h 2 min"; for n
   siblings, which may differ, "up to" the longest.  past: its index. */
void siblings_period(rbl_out_t *out, const message_t *message, size_t i,
    size_t n, size_t past);

/* Their addresses in their order, "192.0.2.7, 192.0.2.12", at most
   MESSAGE_HOSTS. */
void siblings_values(rbl_out_t *out, const message_t *message, size_t i);

#endif /* DELIVER_SIBLINGS_H_INCLUDED */
