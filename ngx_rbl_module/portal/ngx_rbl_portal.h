/*
 * The calls of the portal.
 */

#ifndef _NGX_RBL_PORTAL_H_INCLUDED_
#define _NGX_RBL_PORTAL_H_INCLUDED_

#include "ngx_rbl_session.h"


/* ngx_rbl_portal_session.c */
extern const ngx_rbl_family_t  ngx_rbl_family_sessions;
extern const ngx_rbl_op_t  ngx_rbl_op_session_start;
extern const ngx_rbl_op_t  ngx_rbl_op_session_end;

/* The user of a session that has begun. */
typedef struct {
    rbl_str_t  id, mail, name, role;
} ngx_rbl_session_user_t;

/* Answers a sign-in, and sets the cookie. */
void ngx_rbl_session_answer(ngx_rbl_ctx_t *ctx,
    u_char cookie[NGX_RBL_COOKIE_LEN], const ngx_rbl_session_user_t *user);

/* True if a cookie may be set: the connection has TLS, or does not leave the
   machine. */
ngx_uint_t ngx_rbl_session_private(ngx_rbl_ctx_t *ctx);
/* ngx_rbl_portal_link.c */
extern const ngx_rbl_op_t  ngx_rbl_op_session_link;

/* ngx_rbl_portal_host.c */
extern const ngx_rbl_op_t  ngx_rbl_op_host_lists;
extern const ngx_rbl_op_t  ngx_rbl_op_host_history;
extern const ngx_rbl_op_t  ngx_rbl_op_changes;

/* ngx_rbl_portal_me.c */
extern const ngx_rbl_op_t  ngx_rbl_op_me;

/* ngx_rbl_portal_service.c */
extern const ngx_rbl_op_t  ngx_rbl_op_service;

/* Writes "verdict" and "conditions" for users, or with reasons and remedies for
   operators. */
void ngx_rbl_service_write(ngx_rbl_ctx_t *ctx, ngx_uint_t whole);

/* ngx_rbl_portal_users.c */
extern const ngx_rbl_family_t  ngx_rbl_family_users;
extern const ngx_rbl_op_t  ngx_rbl_op_users;
extern const ngx_rbl_op_t  ngx_rbl_op_user_add;
extern const ngx_rbl_op_t  ngx_rbl_op_user_link;
extern const ngx_rbl_op_t  ngx_rbl_op_user_role;
extern const ngx_rbl_op_t  ngx_rbl_op_user_delete;

/* ngx_rbl_portal_hooks.c */
extern const ngx_rbl_family_t  ngx_rbl_family_hooks;
extern const ngx_rbl_op_t  ngx_rbl_op_hooks;
extern const ngx_rbl_op_t  ngx_rbl_op_hook;

/* ngx_rbl_portal_hook_write.c */
extern const ngx_rbl_op_t  ngx_rbl_op_hook_add;
extern const ngx_rbl_op_t  ngx_rbl_op_hook_update;
extern const ngx_rbl_op_t  ngx_rbl_op_hook_rotate;
extern const ngx_rbl_op_t  ngx_rbl_op_hook_enable;
extern const ngx_rbl_op_t  ngx_rbl_op_hook_disable;
extern const ngx_rbl_op_t  ngx_rbl_op_hook_delete;

/* Makes a secret that signs events or callbacks, in the pool of the request.
   NGX_DECLINED: refused. */
ngx_int_t ngx_rbl_portal_secret(ngx_rbl_ctx_t *ctx, rbl_str_t *secret);

/* ngx_rbl_portal_hook_send.c */
extern const ngx_rbl_op_t  ngx_rbl_op_hook_test;
extern const ngx_rbl_op_t  ngx_rbl_op_hook_replay;

/* ngx_rbl_portal_hook_log.c */
extern const ngx_rbl_op_t  ngx_rbl_op_delivery_log;
extern const ngx_rbl_op_t  ngx_rbl_op_hook_dead;

/* ngx_rbl_portal_apps.c */
extern const ngx_rbl_family_t  ngx_rbl_family_apps;
extern const ngx_rbl_op_t  ngx_rbl_op_app;

/* ngx_rbl_portal_app_write.c */
extern const ngx_rbl_op_t  ngx_rbl_op_app_add;
extern const ngx_rbl_op_t  ngx_rbl_op_app_rotate;
extern const ngx_rbl_op_t  ngx_rbl_op_app_revoke;
extern const ngx_rbl_op_t  ngx_rbl_op_token_revoke;
extern const ngx_rbl_op_t  ngx_rbl_op_app_allow;
extern const ngx_rbl_op_t  ngx_rbl_op_app_limit;

/* ngx_rbl_portal_app_stats.c */
extern const ngx_rbl_family_t  ngx_rbl_family_app_errors;
extern const ngx_rbl_op_t  ngx_rbl_op_app_stats;
extern const ngx_rbl_op_t  ngx_rbl_op_app_errors;

/* ngx_rbl_portal_list.c */
extern const ngx_rbl_family_t  ngx_rbl_family_lists;
extern const ngx_rbl_op_t  ngx_rbl_op_portal_list;
extern const ngx_rbl_op_t  ngx_rbl_op_lists_state;

/* ngx_rbl_portal_audit.c */
extern const ngx_rbl_op_t  ngx_rbl_op_audit;
/* ngx_rbl_portal_account.c */
extern const ngx_rbl_family_t  ngx_rbl_family_account;
extern const ngx_rbl_op_t  ngx_rbl_op_account;
extern const ngx_rbl_op_t  ngx_rbl_op_account_update;

/* ngx_rbl_portal_contact.c */
extern const ngx_rbl_op_t  ngx_rbl_op_contact_test;
extern const ngx_rbl_op_t  ngx_rbl_op_contact_types;

/* ngx_rbl_portal_passkeys.c */
extern const ngx_rbl_family_t  ngx_rbl_family_passkeys;
extern const ngx_rbl_op_t  ngx_rbl_op_passkeys;
extern const ngx_rbl_op_t  ngx_rbl_op_passkey_begin;
extern const ngx_rbl_op_t  ngx_rbl_op_passkey_add;
extern const ngx_rbl_op_t  ngx_rbl_op_passkey_rename;
extern const ngx_rbl_op_t  ngx_rbl_op_passkey_delete;

/* ngx_rbl_portal_passkey_in.c */
extern const ngx_rbl_family_t  ngx_rbl_family_signed;
extern const ngx_rbl_op_t  ngx_rbl_op_session_begin;
extern const ngx_rbl_op_t  ngx_rbl_op_session_passkey;
/* ngx_rbl_portal_find.c */
extern const ngx_rbl_family_t  ngx_rbl_family_find;
extern const ngx_rbl_op_t  ngx_rbl_op_hosts_find;
extern const ngx_rbl_op_t  ngx_rbl_op_counts;

/* ngx_rbl_portal_paste.c */
extern const ngx_rbl_op_t  ngx_rbl_op_hosts_read;

/* ngx_rbl_portal_status.c */
extern const ngx_rbl_op_t  ngx_rbl_op_operator_status;

/* ngx_rbl_portal_system.c */
extern const ngx_rbl_op_t  ngx_rbl_op_operator_lists;

/* ngx_rbl_portal_system_write.c */
extern const ngx_rbl_family_t  ngx_rbl_family_system;
extern const ngx_rbl_op_t  ngx_rbl_op_list_enable;
extern const ngx_rbl_op_t  ngx_rbl_op_list_disable;
extern const ngx_rbl_op_t  ngx_rbl_op_list_thaw;
extern const ngx_rbl_op_t  ngx_rbl_op_list_override;
extern const ngx_rbl_op_t  ngx_rbl_op_list_kill;
extern const ngx_rbl_op_t  ngx_rbl_op_list_unkill;

/* ngx_rbl_portal_accounts.c */
extern const ngx_rbl_family_t  ngx_rbl_family_accounts;
extern const ngx_rbl_op_t  ngx_rbl_op_operator_accounts;

/* ngx_rbl_portal_bill.c */
extern const ngx_rbl_family_t  ngx_rbl_family_bill;
extern const ngx_rbl_op_t  ngx_rbl_op_billing;

/* ngx_rbl_portal_bill_log.c */
extern const ngx_rbl_family_t  ngx_rbl_family_payments;
extern const ngx_rbl_op_t  ngx_rbl_op_bill_payments;
extern const ngx_rbl_op_t  ngx_rbl_op_bill_ledger;
extern const ngx_rbl_op_t  ngx_rbl_op_bill_table;

/* ngx_rbl_portal_bill_write.c */
extern const ngx_rbl_op_t  ngx_rbl_op_bill_update;
extern const ngx_rbl_op_t  ngx_rbl_op_bill_source_add;
extern const ngx_rbl_op_t  ngx_rbl_op_bill_source_remove;

#endif /* _NGX_RBL_PORTAL_H_INCLUDED_ */
