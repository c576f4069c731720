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
int ctl_list_load(ctl_t *ctl, rbl_str_t name, rbl_list_t *l,
    redisReply **reply);

/* Prints one list, with or without its servers. */
int ctl_list_show(ctl_t *ctl, rbl_str_t name, int servers);

/*
 * State of lists outside their records: which lists have a key (never the key
 * itself), what the operator has set, and the counters of the daemons.
 */
typedef struct {
    redisReply  *keys, *hand;
    json_t      *counters;              /* SID -> sums over all daemons */
} ctl_lists_known_t;

/* 0; -1: error printed. */
int ctl_lists_known(ctl_t *ctl, ctl_lists_known_t *known);
void ctl_lists_known_free(ctl_lists_known_t *known);

/* Does the zone have a key? */
int ctl_list_has_key(const ctl_lists_known_t *known, rbl_str_t zone);

/*
 * Adds "key", "by_hand", the state and the counters of one list; -1: error
 * printed.
 */
int ctl_list_state(ctl_t *ctl, const ctl_lists_known_t *known,
    const rbl_list_t *l, json_t *object);

/* lists_servers.c */

/*
 * Finds the name servers of the list with that record and queries the test
 * points of each, by family.  Returns an array of objects, which the caller
 * owns; NULL: error printed.
 */
json_t *ctl_list_servers(ctl_t *ctl, rbl_str_t raw);

/* `keyless`: the list needs a key and has none. */
int ctl_list_servers_print(ctl_t *ctl, const json_t *rows, int keyless);

/* lists_change.c */

/*
 * Runs a script of one list in every partition until one refuses; puts the
 * partition's key into argv.  Returns the last reply; NULL: error printed.
 */
redisReply *ctl_list_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    rbl_str_t *argv);

/* 0; 1: there is no such list, or it is killed; -1: error printed. */
int ctl_list_status(ctl_t *ctl, const rbl_sid_t *sid, const char *status);

/* Prints the list of that name, or an error; rc is the result of
   ctl_list_status. */
int ctl_list_changed(ctl_t *ctl, int rc);

/* Does the zone contain {key}? */
int ctl_list_keyed(const rbl_list_t *l);

#endif /* CTL_LISTS_H_INCLUDED */
