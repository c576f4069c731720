/*
 * When a contact may get messages, a rhythm and quiet hours, and when a mute is
 * repeated, as texts of records and of calls.
 *
 *   rhythm   "" or "now", "hourly", "daily 08:00", "weekly mon 08:00"
 *   quiet    "" or "none", "22:00-06:30": each day from the first time until
 *            just before the second one
 *   rule     of a mute: "daily 22:00" or "weekly sat,sun 22:00"
 *
 * Times are those of the account's time zone.  A time that a change of summer
 * time leaves out is as much later; of one that is there twice the second one
 * is meant (rbl_time.h).
 */

#ifndef RBL_RHYTHM_H_INCLUDED
#define RBL_RHYTHM_H_INCLUDED

#include "rbl_timezone.h"

/* 1: it is such a text, in lower case, with two digits for hours and minutes.
   Quiet hours that never end, "08:00-08:00", are none. */
int rbl_rhythm_ok(rbl_str_t rhythm);
int rbl_quiet_ok(rbl_str_t quiet);

/*
 * The first moment (ms) at which a message about something that happened `now`
 * may go: `now`, or the next time of the rhythm after it, but not in quiet
 * hours.  A text that is none of these does not hold anything back.
 */
int64_t rbl_rhythm_next(rbl_str_t rhythm, rbl_str_t quiet, int64_t now,
    const rbl_timezone_t *tz);

#define RBL_WINDOW_MINUTES  1439        /* a mute that is repeated daily ends
                                           before it begins again */

/* 1: it is the rule of a mute. */
int rbl_window_ok(rbl_str_t rule);

/*
 * The first time (ms) of a rule that is not before `from` and that ends, 1 to
 * RBL_WINDOW_MINUTES later, after `now`: the mute may have begun.  -1: one of
 * these values is invalid.
 */
int64_t rbl_window_next(rbl_str_t rule, int64_t minutes, int64_t from,
    int64_t now, const rbl_timezone_t *tz);

#endif /* RBL_RHYTHM_H_INCLUDED */
