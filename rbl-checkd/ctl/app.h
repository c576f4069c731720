/*
 * rblctl app and rblctl token: declarations of their files.  app.c makes, lists
 * and ends applications, app_token.c their tokens, app_admit.c sets their
 * access control, app_stats.c shows their counters.
 */

#ifndef CTL_APP_H_INCLUDED
#define CTL_APP_H_INCLUDED

#include "ctl.h"

#include "rbl_secret.h"

typedef struct {
    char           token[CTL_SECRET_SIZE];
    unsigned char  digest[32];
    char           field[RBL_TOKEN_FIELD + 1];
} ctl_token_t;

int ctl_token_new(ctl_token_t *t);      /* 0; -1: error printed */
rbl_str_t ctl_token_digest(const ctl_token_t *t);

/* The tokens of an account, a reply of app_tokens; NULL: error printed. */
redisReply *ctl_tokens(ctl_t *ctl, const rbl_sid_t *account);

/* Steps through the tokens of one application.  `at` is 0 for the first call.
   Returns 0 if there are no more. */
int ctl_token_next(const redisReply *tokens, rbl_str_t app, size_t *at,
    rbl_str_t *field, rbl_token_t *token);

/* An array of those of one application, the oldest first: token, status,
   created. */
json_t *ctl_token_rows(const redisReply *tokens, rbl_str_t app);

/* Reads the first two arguments, account and application.  -1: error
   printed. */
int ctl_app_arguments(ctl_t *ctl, rbl_sid_t *account, rbl_sid_t *app);

/* Prints that there is no such active application; returns CTL_ERROR. */
int ctl_app_none(const rbl_sid_t *account, const rbl_sid_t *app);

/* Prints the outcome of a command, as far as v has the members. */
int ctl_app_print(ctl_t *ctl, json_t *v);

#endif /* CTL_APP_H_INCLUDED */
