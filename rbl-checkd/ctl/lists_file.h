/*
 * A file of block lists (conf/lists.json) as packed records for the store.
 *
 *     { "version": 1, "lists": [ {...} ], "killed": [ {...} ] }
 *
 * An entry of lists: zone, name, type ("rbl", "uribl"), families (of "ipv4",
 * "ipv6", "domain") are required; website, enabled (true), codes (rules,
 * rbl_codes.h), lookup ("%s" is the host), delist, weight, scope, kind, control
 * ("ip", "ip-positive-only", "name:<domain>", "none"), names ("both", "full",
 * "registered": which names of a domain are queried), min_interval (seconds
 * between queries for one host), rate and day_quota (queries per second and per
 * day, of the whole site; 0 is no limit), terms (of "registration": of the
 * addresses that query it, "key", "noncommercial": such use only), removal and
 * note are optional.  removal is an array of objects, how an entry leaves the
 * list: how and cause are required (rbl_card.h has their words); codes, url,
 * mail, ages, takes, note, source and read are optional (schema.txt, way); the
 * one without codes is the last.
 *
 * An entry of killed: zone, reason.  A zone with {key} is never enabled here.
 * Any other member is a mistake, as is a duplicate zone.
 */

#ifndef CTL_LISTS_FILE_H_INCLUDED
#define CTL_LISTS_FILE_H_INCLUDED

#include "base/buf.h"
#include "ctl.h"

#define LISTS_FILE_MAX  1500            /* entries of both kinds */
#define LISTS_FILE_URL  512

typedef enum {
    LISTS_FILE_ACTIVE = 0,
    LISTS_FILE_DISABLED,
    LISTS_FILE_KILLED
} lists_file_status_t;

typedef struct {
    rbl_sid_t             sid;
    lists_file_status_t   status;
    char                 *record;       /* MessagePack; owned */
    size_t                size;
} lists_file_entry_t;

typedef struct {
    size_t               n;
    lists_file_entry_t  *entry;         /* in the order of the file */
    size_t               count[LISTS_FILE_KILLED + 1];
} lists_file_t;

/*
 * Reads the whole file.  -1: the file has mistakes and nothing is returned; a
 * line on standard error for each mistake names the entry and the field.
 */
int lists_file_read(lists_file_t *file, const char *path);
void lists_file_free(lists_file_t *file);

/* Each reads a text member of an entry; "" if it is absent; p is NULL after a
   mistake. */
rbl_str_t member_weight(entry_read_t *r, const json_t *entry);
rbl_str_t member_control(entry_read_t *r, const json_t *entry);

/* The names that are queried; only a list of domains may have this member. */
rbl_str_t member_names(entry_read_t *r, const json_t *entry, int64_t families);

/* The array of rules; NULL if it is absent. */
const json_t *member_codes(entry_read_t *r, const json_t *entry);

/* A URL of http or https; "" if it is absent or a mistake. */
rbl_str_t member_url(entry_read_t *r, const json_t *entry, const char *name,
    size_t max);

/* Packs the ways out of the list (lists_way.c). */
void member_removal(entry_read_t *r, rbl_buf_t *buf, const json_t *entry);

#endif /* CTL_LISTS_FILE_H_INCLUDED */
