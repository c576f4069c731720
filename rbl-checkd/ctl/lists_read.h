/*
 * The members of an entry in a file of block lists, one by one.
 */

#ifndef CTL_LISTS_READ_H_INCLUDED
#define CTL_LISTS_READ_H_INCLUDED

#include "ctl.h"

#define LISTS_FILE_URL      512
#define LISTS_FILE_WEBSITE  128             /* each result of a check contains
                                               it */

#define LISTS_INTERVAL_MAX  (30 * 86400)
#define LISTS_RATE_MAX      1000000
#define LISTS_QUOTA_MAX     1000000000000

/* Each reads a text member; "" if it is absent; p is NULL after a mistake. */
rbl_str_t member_url(entry_read_t *r, const json_t *entry, const char *name,
    size_t max);
rbl_str_t member_tier(entry_read_t *r, const json_t *entry);
rbl_str_t member_control(entry_read_t *r, const json_t *entry);

/* The names that are queried; only a list of domains may have this member. */
rbl_str_t member_names(entry_read_t *r, const json_t *entry, int64_t families);

/* Bits; 0 after a mistake. */
int64_t member_families(entry_read_t *r, const json_t *entry, rbl_str_t type);

/* The array of rules; NULL if it is absent. */
const json_t *member_codes(entry_read_t *r, const json_t *entry);
int member_enabled(entry_read_t *r, const json_t *entry);

#endif /* CTL_LISTS_READ_H_INCLUDED */
