/*
 * Accounts whose plan has expired.
 */

#ifndef CTL_LAPSE_H_INCLUDED
#define CTL_LAPSE_H_INCLUDED

#include "ctl.h"

/* Adds to `v` since when the plan has been expired, and how many hosts are
   still checked; nothing if it is not expired.  -1: error printed. */
int ctl_lapse_show(ctl_t *ctl, const rbl_sid_t *sid, json_t *v);

#endif /* CTL_LAPSE_H_INCLUDED */
