/*
 * What the two files of the reader know of one another: the entry at hand, and
 * its members one by one.  A mistake is told at once and counted.
 */

#ifndef CTL_LISTS_READ_H_INCLUDED
#define CTL_LISTS_READ_H_INCLUDED

#include "lists_file.h"

#define LISTS_FILE_TEXT  1024
#define LISTS_FILE_URL   512

typedef struct {
    const char    *path;
    const char    *array;               /* "lists", "killed" */
    size_t         index;
    rbl_str_t      zone;                /* of the entry at hand */
    int            mistakes;
    json_t        *seen;                /* zone -> true */
    lists_file_t  *file;
} lists_read_t;

__attribute__((format(printf, 3, 4)))
void mistake(lists_read_t *r, const char *field, const char *fmt, ...);

rbl_str_t value_str(const json_t *v);       /* p NULL: not a string */

/* Index of the word, or -1. */
int one_of(rbl_str_t s, const char *const *words);

/* A text member; "" if it is not there, p NULL after a mistake. */
rbl_str_t member_text(lists_read_t *r, const json_t *entry, const char *name,
    size_t max);
rbl_str_t member_url(lists_read_t *r, const json_t *entry, const char *name);
rbl_str_t member_type(lists_read_t *r, const json_t *entry);
rbl_str_t member_tier(lists_read_t *r, const json_t *entry);
rbl_str_t member_scope(lists_read_t *r, const json_t *entry);
rbl_str_t member_kind(lists_read_t *r, const json_t *entry);
rbl_str_t member_control(lists_read_t *r, const json_t *entry);

/* Bits; 0 after a mistake. */
int64_t member_families(lists_read_t *r, const json_t *entry, rbl_str_t type);

/* The array of rules; NULL if there is none. */
const json_t *member_codes(lists_read_t *r, const json_t *entry);
int member_enabled(lists_read_t *r, const json_t *entry);

#endif /* CTL_LISTS_READ_H_INCLUDED */
