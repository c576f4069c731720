/*
 * rblctl lists: declarations of its files.
 */

#ifndef CTL_LISTS_H_INCLUDED
#define CTL_LISTS_H_INCLUDED

#include "ctl.h"

/* The SID of a list, given by its SID or its zone; 0, -1. */
int ctl_list_argument(rbl_sid_t *sid, rbl_str_t text);

/*
 * Loads the record of a list by its zone or SID; the views live as long as
 * *reply, which the caller then owns.  0; -1: no such list; error printed.
 */
int ctl_list_load(ctl_t *ctl, rbl_str_t name, rbl_sid_t *sid, rbl_list_t *l,
    redisReply **reply);

/* Prints one list, with or without its servers. */
int ctl_list_show(ctl_t *ctl, rbl_str_t name, int servers);

/* Does the zone contain {key}? */
int ctl_list_keyed(const rbl_list_t *l);

/* Zones that have a key (never the key itself).  NULL: error printed. */
redisReply *ctl_lists_keys(ctl_t *ctl);

/* Is the zone among them? */
int ctl_list_has_key(const redisReply *keys, rbl_str_t zone);

/* lists_servers.c */

/*
 * Finds the name servers of the list with that record and queries the test
 * points of each, by family.  Returns an array of objects, which the caller
 * owns; NULL: error printed.
 */
json_t *ctl_list_servers(ctl_t *ctl, rbl_str_t raw);

/* `keyless`: the list needs a key and has none. */
int ctl_list_servers_print(ctl_t *ctl, const json_t *rows, int keyless);

#endif /* CTL_LISTS_H_INCLUDED */
