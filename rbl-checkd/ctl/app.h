/*
 * rblctl app and rblctl token: what their files share.  app.c makes, lists and
 * ends applications, app_token.c their tokens, app_admit.c sets their access
 * control, app_stats.c shows their counters.
 */

#ifndef CTL_APP_H_INCLUDED
#define CTL_APP_H_INCLUDED

#include "ctl.h"

#define CTL_TOKEN_FIELD   16            /* hex digits that name a token */
#define CTL_TOKEN_DIGITS  8             /* of them are shown */

typedef struct {
    char           token[CTL_SECRET_SIZE];
    unsigned char  digest[32];
    char           field[CTL_TOKEN_FIELD + 1];
} ctl_token_t;

int ctl_token_new(ctl_token_t *t);      /* 0; -1: failed, and said */
rbl_str_t ctl_token_digest(const ctl_token_t *t);

/* The tokens of an account, a reply of app_tokens; NULL: failed, and said. */
redisReply *ctl_tokens(ctl_t *ctl, const rbl_sid_t *account);

/* The tokens among them that are of an application, one by one.  `at` is 0 at
   first; 0: there are no more. */
int ctl_token_next(const redisReply *tokens, rbl_str_t app, size_t *at,
    rbl_str_t *field, rbl_token_t *token);

/* The first two arguments, account and application; -1: failed, and said. */
int ctl_app_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *app);

/* Says that there is no such application that is active; CTL_ERROR. */
int ctl_app_none(const rbl_sid_t *account, const rbl_sid_t *app);

/* Prints what a command has done: those of its members that it has. */
int ctl_app_print(ctl_t *ctl, json_t *v);

#endif /* CTL_APP_H_INCLUDED */
