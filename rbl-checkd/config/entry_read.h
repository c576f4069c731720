/*
 * Reads a file of entries (block lists, plans) in JSON: checks every member of
 * every entry and reports all mistakes, one line each, before it fails.
 */

#ifndef ENTRY_READ_H_INCLUDED
#define ENTRY_READ_H_INCLUDED

#include <jansson.h>

#include "rbl_validate.h"

#define ENTRY_TEXT  1024
#define ENTRY_LINE  2048                /* of a mistake */

/* Gets a line about a mistake, without its end. */
typedef void (*entry_say_pt)(const char *line);

typedef struct {
    entry_say_pt  say;
    const char   *path;
    const char   *array;                /* "lists", "killed", "plans"; NULL:
                                           `path` names the source, which is no
                                           file */
    size_t        index;
    rbl_str_t     label;                /* zone or name of the current entry; n
                                           0: it has none */
    int           mistakes;
    json_t       *seen;                 /* label -> true */
} entry_read_t;

#define ENTRY_LIMIT_MAX     100000000   /* of hosts and other counts */
#define ENTRY_INTERVAL_MAX  (30 * 86400)

/* Begins to read a file.  NULL: it cannot be read or is no JSON; that was
   reported. */
json_t *entry_open(entry_read_t *r, const char *path, entry_say_pt say);

/* 0, or -1: there were mistakes. */
int entry_close(entry_read_t *r);

/* Reports a mistake at once and counts it. */
__attribute__((format(printf, 3, 4)))
void mistake(entry_read_t *r, const char *field, const char *fmt, ...);

/* Reports the members of an entry that are not in `known`. */
void entry_members(entry_read_t *r, const json_t *entry,
    const char *const *known);

/* Reports a label that an earlier entry has already. */
void entry_once(entry_read_t *r, const char *field);

rbl_str_t value_str(const json_t *v);       /* p NULL: not a string */

/* Parses "900", "15m", "1h": 1 s to 30 days.  -1: invalid. */
int entry_seconds(int64_t *seconds, rbl_str_t text);

/* Index of the word, or -1. */
int one_of(rbl_str_t s, const char *const *words);

/* A text member; "" if it is absent; p is NULL after a mistake. */
rbl_str_t member_text(entry_read_t *r, const json_t *entry, const char *name,
    size_t max);

/* A whole number from 0 to max; 0 if it is absent and not needed, -1 after a
   mistake. */
int64_t member_number(entry_read_t *r, const json_t *entry, const char *name,
    int64_t max, int needed);

/* A text for one of a few words; empty only if `empty` is set. */
rbl_str_t member_word(entry_read_t *r, const json_t *entry, const char *name,
    const char *const *words, int empty);

#endif /* ENTRY_READ_H_INCLUDED */
