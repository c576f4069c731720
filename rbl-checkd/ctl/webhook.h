/*
 * rblctl webhook: declarations of its files.  webhook.c makes and lists
 * receivers, webhook_change.c shows and changes one, webhook_log.c shows its
 * attempts and dead letters, webhook_send.c sends.
 */

#ifndef CTL_WEBHOOK_H_INCLUDED
#define CTL_WEBHOOK_H_INCLUDED

#include "ctl.h"

#include "rbl_hook.h"

/* Views of the types in a list with commas; returns their number or -1. */
int ctl_hook_types(const char *text, rbl_str_t *types);

int ctl_hook_url(rbl_str_t text);       /* 0; -1: invalid, error printed */

/* Reads the first two arguments, account and receiver; -1: error printed. */
int ctl_hook_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *hook);

/* The same, but the second may also be an application or a contact. */
int ctl_hook_target(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *target);

/* The key of that name of a receiver. */
rbl_str_t ctl_hook_key(ctl_t *ctl, rbl_key_t *key, const char *name,
    const rbl_sid_t *account, const rbl_sid_t *hook);

/* Runs a script of one receiver; puts its key and its first argument, the
   receiver's SID, into argv.  NULL: error printed. */
redisReply *ctl_hook_script(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_sid_t *hook, const rbl_script_t *script, int argc,
    rbl_str_t *argv);

/* 0; -1: the account has no such receiver; error printed. */
int ctl_hook_exists(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_sid_t *target);

/* The last n attempts, of one event unless `event` is ""; NULL: error
   printed. */
json_t *ctl_hook_tries(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_sid_t *target, int64_t n, rbl_str_t event);

#endif /* CTL_WEBHOOK_H_INCLUDED */
