/*
 * rblctl webhook: what its files share.  webhook.c makes and lists receivers,
 * webhook_change.c shows and changes one, webhook_log.c shows what was sent to
 * it and what was given up, webhook_send.c sends.
 */

#ifndef CTL_WEBHOOK_H_INCLUDED
#define CTL_WEBHOOK_H_INCLUDED

#include "ctl.h"

#define CTL_MAX_TYPES  16

/* Views of the types in a list with commas; their number or -1. */
int ctl_hook_types(const char *text, rbl_str_t *types);

int ctl_hook_url(rbl_str_t text);       /* 0; -1: it is none, and said */

/* The first two arguments, account and receiver; -1: failed, and said. */
int ctl_hook_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *hook);

/* The same, but the second may be an application or a contact too. */
int ctl_hook_target(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *target);

/* The key of something of that receiver. */
rbl_str_t ctl_hook_key(ctl_t *ctl, rbl_key_t *key, const char *name,
    const rbl_sid_t *account, const rbl_sid_t *hook);

/* A script of one receiver: its key and its first argument, the receiver's SID,
   are put into argv.  NULL: it was not done, and said. */
redisReply *ctl_hook_script(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_sid_t *hook, const rbl_script_t *script, int argc,
    rbl_str_t *argv);

/* 0; -1: the account has none of that SID, and said. */
int ctl_hook_exists(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_sid_t *target);

/* The last n attempts, of that event if it is not ""; NULL: failed, said. */
json_t *ctl_hook_tries(ctl_t *ctl, const rbl_sid_t *account,
    const rbl_sid_t *target, int64_t n, rbl_str_t event);

#endif /* CTL_WEBHOOK_H_INCLUDED */
