/*
 * The lists as the checker uses them: decoded from the store's records or from
 * lists.json, with their code tables parsed once.  Counted references: a
 * check keeps those it asks while a newer table takes their place.
 */

#ifndef LISTS_H_INCLUDED
#define LISTS_H_INCLUDED

#include "rbl_codes.h"
#include "rbl_record.h"

/* Which names of a host a list of domains is asked for. */
typedef enum {
    LIST_NAMES_BOTH = 0,    /* the whole name and its registered domain */
    LIST_NAMES_FULL,
    LIST_NAMES_REGISTERED
} list_names_t;

typedef struct {
    unsigned      refs;
    char          sid[40];
    char          type[8];
    int           custom;
    int64_t       families;
    char          status[16];
    char         *zone, *name, *website, *lookup, *delist, *tier, *control;
    list_names_t  names;
    int64_t       min_interval;         /* s between questions for one host;
                                           0: none */
    int64_t       rate;                 /* questions a second; 0: no limit */
    int64_t       day_quota;            /* questions a day (UTC); 0: no limit */
    rbl_codes_t   codes;
    char         *bytes;                /* owns all texts above */
} list_t;

/* From a record of the store; NULL: out of memory or not a list. */
list_t *list_from_record(rbl_str_t raw);

/* A list known only by what a job tells (custom, or not in the table yet). */
list_t *list_make(rbl_str_t sid, rbl_str_t type, int custom, rbl_str_t zone,
    rbl_str_t website, int64_t families);

list_t *list_ref(list_t *list);
void list_unref(list_t *list);

/* A table by SID. */
typedef struct lists_s  lists_t;

lists_t *lists_new(void);
void lists_free(lists_t *lists);
int lists_add(lists_t *lists, list_t *list);    /* takes over the reference;
                                                   -1: out of memory */
list_t *lists_find(const lists_t *lists, rbl_str_t sid);
size_t lists_count(const lists_t *lists);
list_t *lists_at(const lists_t *lists, size_t i);

#endif /* LISTS_H_INCLUDED */
