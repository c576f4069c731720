/*
 * rblctl lists: what its files share.
 */

#ifndef CTL_LISTS_H_INCLUDED
#define CTL_LISTS_H_INCLUDED

#include "ctl.h"

/* The SID of a list that is named by it or by its zone; 0, -1. */
int ctl_list_argument(rbl_sid_t *sid, rbl_str_t text);

/*
 * The record of a list that is named by its zone or SID; the views live as long
 * as *reply, which is then the caller's.  0; -1: there is none, and said.
 */
int ctl_list_load(ctl_t *ctl, rbl_str_t name, rbl_list_t *l,
    redisReply **reply);

/* Prints one list, with its servers or without. */
int ctl_list_show(ctl_t *ctl, rbl_str_t name, int servers);

/*
 * What is known of lists beside their records: which have a key (never what it
 * is), what was said by hand, and what the daemons tell of them.
 */
typedef struct {
    redisReply  *keys, *hand;
    json_t      *counters;              /* SID -> counters of all daemons */
} ctl_lists_known_t;

/* 0; -1: failed, and said. */
int ctl_lists_known(ctl_t *ctl, ctl_lists_known_t *known);
void ctl_lists_known_free(ctl_lists_known_t *known);

/* Is there a key for the zone? */
int ctl_list_has_key(const ctl_lists_known_t *known, rbl_str_t zone);

/*
 * Adds "key", "by_hand", the state and the numbers of one list; -1: failed, and
 * said.
 */
int ctl_list_state(ctl_t *ctl, const ctl_lists_known_t *known,
    const rbl_list_t *l, json_t *object);

/* lists_servers.c */

/*
 * Finds the name servers of the list with that record and queries the test
 * points of each, by family.  An array of objects for the caller; NULL: failed,
 * and said.
 */
json_t *ctl_list_servers(ctl_t *ctl, rbl_str_t raw);

/* `keyless`: the list needs a key and has none. */
int ctl_list_servers_print(ctl_t *ctl, const json_t *rows, int keyless);

/* lists_change.c */

/*
 * Runs a script of one list in every partition, whose key is put into argv,
 * until one refuses.  The last reply; NULL: failed, and said.
 */
redisReply *ctl_list_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    rbl_str_t *argv);

/* 0; 1: there is no such list, or it is killed; -1: failed, and said. */
int ctl_list_status(ctl_t *ctl, const rbl_sid_t *sid, const char *status);

/* Prints the list of the name given, or says that there is none: rc is as that
   of ctl_list_status. */
int ctl_list_changed(ctl_t *ctl, int rc);

/* Does the zone hold a {key}? */
int ctl_list_keyed(const rbl_list_t *l);

#endif /* CTL_LISTS_H_INCLUDED */
