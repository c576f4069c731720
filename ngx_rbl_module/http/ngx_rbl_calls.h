/*
 * The table of all calls: method, path, formats and rights (ngx_rbl_http.h,
 * without NGX_RBL_), call (ngx_rbl_op_...), family (ngx_rbl_family_...).  A
 * CALL_OP or ITEM_OP is just an operation (rbl_op_...).  An id follows the path
 * of an ITEM.  CALL_AS and ITEM_AS are other paths of a call, which keeps its
 * name in statistics and logs.  The first row that matches counts, so host/add
 * stands before host with an id.
 *
 * Without NGX_RBL_ROW(method, path, name, flags, op, family), and the same
 * NGX_RBL_OP_ROW, this declares the calls, operations and families.
 */

#ifndef NGX_RBL_ROW
#define NGX_RBL_ROW(method, path, name, flags, op, family)                    \
    extern const ngx_rbl_op_t      ngx_rbl_op_##op;                           \
    extern const ngx_rbl_family_t  ngx_rbl_family_##family;
#define NGX_RBL_OP_ROW(method, path, name, flags, op, family)                 \
    extern const rbl_op_t          rbl_op_##op;                               \
    extern const ngx_rbl_family_t  ngx_rbl_family_##family;
#endif

#define CALL(method, path, flags, op, family)                                 \
    NGX_RBL_ROW(method, path, path, flags, op, family)
#define ITEM(method, path, flags, op, family)                                 \
    NGX_RBL_ROW(method, path "/", path, flags, op, family)
#define CALL_OP(method, path, flags, op, family)                              \
    NGX_RBL_OP_ROW(method, path, path, flags, op, family)
#define ITEM_OP(method, path, flags, op, family)                              \
    NGX_RBL_OP_ROW(method, path "/", path, flags, op, family)
#define CALL_AS(method, path, name, flags, op, family)                        \
    NGX_RBL_ROW(method, path, name, flags, op, family)
#define ITEM_AS(method, path, name, flags, op, family)                        \
    NGX_RBL_ROW(method, path "/", name, flags, op, family)


CALL(GET, "hosts", DOCUMENT, list, hosts)
CALL(POST, "host/add", DOCUMENT, host_add, hosts)
CALL(POST, "hosts/read", PORTAL, hosts_read, none)
CALL(GET, "hosts/find", PORTAL, hosts_find, find)
CALL(GET, "hosts/ids", PORTAL, hosts_ids, find)
CALL(POST, "hosts/bulk", PORTAL, hosts_bulk, none)
CALL_OP(GET, "hosts/strips", PORTAL, host_strips, none)
ITEM(POST, "host/update", DOCUMENT, host_update, hosts)
ITEM(POST, "host/pause", DOCUMENT, host_pause, hosts)
ITEM(POST, "host/resume", DOCUMENT, host_resume, hosts)
ITEM(POST, "host/delete", DOCUMENT, host_delete, hosts)
ITEM_OP(GET, "host/lists", PORTAL, host_lists, hosts)
ITEM_OP(GET, "host/history", PORTAL, host_history, hosts)
ITEM_OP(GET, "host/alerts", PORTAL, host_alerts, hosts)
ITEM_OP(POST, "host/mark", PORTAL, host_mark, hosts)
ITEM(GET, "host", DOCUMENT, one, hosts)
CALL_OP(GET, "range/cells", PORTAL, range_cells, none)
CALL_OP(GET, "range/history", PORTAL, range_history, none)
CALL(GET, "listings", DOCUMENT, list, listings)
CALL(GET, "listings", PLAIN, listings_plain, none)

CALL(POST, "check/start", DOCUMENT|STARTS, check_start, checks)
CALL(GET, "check/status", DOCUMENT, check_status, checks)
ITEM(GET, "check/status", DOCUMENT, check_status, checks)

CALL(GET, "rblprofiles", DOCUMENT, list, profiles)
CALL(POST, "rblprofile/add", DOCUMENT, profile_add, profiles)
ITEM(POST, "rblprofile/update", DOCUMENT, profile_update, profiles)
ITEM(POST, "rblprofile/delete", DOCUMENT, profile_delete, profiles)
ITEM(GET, "rblprofile", DOCUMENT, one, profiles)

CALL_AS(GET, "monitoringprofiles", "rblprofiles", DOCUMENT, list, profiles)
CALL_AS(POST, "monitoringprofile/add", "rblprofile/add", DOCUMENT,
        profile_add, profiles)
ITEM_AS(POST, "monitoringprofile/update", "rblprofile/update", DOCUMENT,
        profile_update, profiles)
ITEM_AS(POST, "monitoringprofile/delete", "rblprofile/delete", DOCUMENT,
        profile_delete, profiles)
ITEM_AS(GET, "monitoringprofile", "rblprofile", DOCUMENT, one, profiles)

CALL_OP(GET, "profiles", PORTAL, profiles, profiles)
CALL_OP(POST, "profile/add", PORTAL, profile_new, profiles)
ITEM_OP(POST, "profile/update", PORTAL, profile_change, profiles)
ITEM_OP(GET, "profile", PORTAL, profile, profiles)

CALL(GET, "rbls", DOCUMENT, rbls, rbls)
CALL(POST, "rbl/add", DOCUMENT, rbl_add, rbls)
ITEM(POST, "rbl/update", DOCUMENT, rbl_update, rbls)
ITEM(POST, "rbl/pause", DOCUMENT, rbl_pause, rbls)
ITEM(POST, "rbl/resume", DOCUMENT, rbl_resume, rbls)
ITEM(POST, "rbl/delete", DOCUMENT, rbl_delete, rbls)
ITEM(GET, "rbl", DOCUMENT, rbl, rbls)
CALL(GET, "acls", DOCUMENT, acls, none)

CALL(GET, "contacts", DOCUMENT, list, contacts)
CALL(POST, "contact/add", DOCUMENT, contact_add, contacts)
ITEM(POST, "contact/update", DOCUMENT, contact_update, contacts)
ITEM(POST, "contact/pause", DOCUMENT, contact_pause, contacts)
ITEM(POST, "contact/resume", DOCUMENT, contact_resume, contacts)
ITEM(POST, "contact/resend", DOCUMENT, contact_resend, contacts)
ITEM(POST, "contact/confirm", DOCUMENT|DURABLE, contact_confirm, contacts)
ITEM(POST, "contact/delete", DOCUMENT, contact_delete, contacts)
CALL(GET, "contact/types", PORTAL, contact_types, none)
ITEM_OP(POST, "contact/test", PORTAL, contact_test, contacts)
ITEM_OP(GET, "contact/log", PORTAL, delivery_log, contacts)
ITEM_OP(GET, "contact/alerts", PORTAL, alert_show, contacts)
CALL_OP(GET, "contacts/alerts", PORTAL, alerts, contacts)
ITEM_OP(POST, "contact/alert", PORTAL, alert, contacts)
CALL_OP(GET, "mutes", PORTAL, mutes, mutes)
CALL_OP(POST, "mute/add", PORTAL, mute_add, mutes)
ITEM_OP(POST, "mute/end", PORTAL, mute_end, mutes)
ITEM(GET, "contact", DOCUMENT, one, contacts)

CALL(GET, "contactgroups", DOCUMENT, list, groups)
CALL(POST, "contactgroup/add", DOCUMENT, group_add, groups)
ITEM(POST, "contactgroup/update", DOCUMENT, group_update, groups)
ITEM(POST, "contactgroup/delete", DOCUMENT, group_delete, groups)
ITEM(GET, "contactgroup", DOCUMENT, one, groups)
CALL_AS(POST, "contactgroups/add", "contactgroup/add", DOCUMENT,
        group_add, groups)
ITEM_AS(POST, "contactgroups/update", "contactgroup/update", DOCUMENT,
        group_update, groups)
ITEM_AS(POST, "contactgroups/delete", "contactgroup/delete", DOCUMENT,
        group_delete, groups)
ITEM_AS(GET, "contactgroups", "contactgroup", DOCUMENT, one, groups)

CALL(POST, "session/start", PORTAL|SIGN_IN|DURABLE, session_start, sessions)
CALL(POST, "session/end", PORTAL|VIEWERS|SELF|DURABLE, session_end, sessions)
CALL(POST, "session/begin", PORTAL|SIGN_IN|DURABLE, session_begin, signed)
CALL(POST, "session/passkey", PORTAL|SIGN_IN|DURABLE, session_passkey, signed)
CALL(POST, "session/link", PORTAL|SIGN_IN|DURABLE, session_link, none)

CALL(GET, "passkeys", PORTAL|SELF, passkeys, passkeys)
CALL(POST, "passkey/begin", PORTAL|VIEWERS|RECENT|SELF|DURABLE,
     passkey_begin, passkeys)
CALL(POST, "passkey/add", PORTAL|VIEWERS|RECENT|SELF|DURABLE,
     passkey_add, passkeys)
ITEM(POST, "passkey/rename", PORTAL|VIEWERS|SELF|DURABLE,
     passkey_rename, passkeys)
ITEM(POST, "passkey/delete", PORTAL|VIEWERS|RECENT|SELF|DURABLE,
     passkey_delete, passkeys)

CALL(GET, "portal", PORTAL|OPEN, portal, none)
CALL(GET, "me", PORTAL|HOME, me, none)
CALL(GET, "service", PORTAL|HOME, service, none)
CALL_OP(GET, "changes", PORTAL, changes, none)
CALL_OP(GET, "audit", PORTAL|ADMINS|HOME, audit, none)
CALL_OP(GET, "counts", PORTAL, counts, none)
CALL_OP(GET, "trend", PORTAL, trend, none)

CALL_OP(GET, "users", PORTAL|OWNERS|SELF, users, users)
CALL(POST, "user/add", PORTAL|OWNERS|RECENT|SELF|DURABLE, user_add, users)
ITEM(POST, "user/link", PORTAL|OWNERS|RECENT|SELF|DURABLE, user_link, users)
ITEM_OP(POST, "user/role", PORTAL|OWNERS|RECENT|SELF|DURABLE, user_role, users)
ITEM(POST, "user/delete", PORTAL|OWNERS|RECENT|SELF|DURABLE, user_delete, users)

CALL_OP(GET, "apps/usage", PORTAL, apps_usage, apps)
CALL_OP(GET, "apps", PORTAL, apps, apps)
CALL_OP(POST, "app/add", PORTAL|RECENT|DURABLE, app_add, apps)
ITEM_OP(POST, "app/rotate", PORTAL|RECENT|DURABLE, app_rotate, apps)
ITEM_OP(POST, "app/revoke", PORTAL|DURABLE, app_revoke, apps)
ITEM_OP(POST, "app/allow", PORTAL|RECENT|DURABLE, app_allow, apps)
ITEM_OP(POST, "app/limit", PORTAL|RECENT|DURABLE, app_limit, apps)
ITEM_OP(GET, "app/stats", PORTAL, app_stats, apps)
ITEM_OP(GET, "app/errors", PORTAL, app_errors, apps)
ITEM_OP(GET, "app", PORTAL, app, apps)
ITEM_OP(POST, "token/revoke", PORTAL|DURABLE, token_revoke, apps)

CALL_OP(GET, "webhooks", PORTAL, hooks, hooks)
CALL_OP(POST, "webhook/add", PORTAL|RECENT|DURABLE, hook_add, hooks)
ITEM_OP(POST, "webhook/update", PORTAL|RECENT|DURABLE, hook_update, hooks)
ITEM_OP(POST, "webhook/rotate", PORTAL|RECENT|DURABLE, hook_rotate, hooks)
ITEM_OP(POST, "webhook/enable", PORTAL|DURABLE, hook_enable, hooks)
ITEM_OP(POST, "webhook/disable", PORTAL|DURABLE, hook_disable, hooks)
ITEM_OP(POST, "webhook/delete", PORTAL|DURABLE, hook_delete, hooks)
ITEM_OP(POST, "webhook/test", PORTAL, hook_test, hooks)
ITEM_OP(GET, "webhook/log", PORTAL, delivery_log, hooks)
ITEM_OP(GET, "webhook/dead", PORTAL, hook_dead, hooks)
ITEM_OP(POST, "webhook/replay", PORTAL, hook_replay, hooks)
ITEM_OP(GET, "webhook", PORTAL, hook, hooks)

CALL_OP(GET, "account", PORTAL, account, account)
CALL(POST, "account/update", PORTAL|OWNERS, account_update, account)

CALL(GET, "lists/state", PORTAL, lists_state, lists)
CALL_OP(GET, "lists/mine", PORTAL, lists_mine, lists)
ITEM_OP(GET, "list/trend", PORTAL, list_trend, lists)
ITEM(GET, "list", PORTAL, portal_list, lists)

CALL_OP(GET, "billing", PORTAL|OWNERS, bill, bill)
CALL_OP(GET, "billing/payments", PORTAL|OWNERS, bill_payments, bill)
CALL_OP(GET, "billing/ledger", PORTAL|OWNERS, bill_ledger, bill)
CALL(GET, "billing/payments", TABLE|OWNERS, bill_table, none)
CALL(GET, "billing/ledger", TABLE|OWNERS, bill_table, none)
CALL_OP(POST, "billing/topup", PORTAL|OWNERS|RECENT|DURABLE, bill_topup, bill)
CALL_OP(POST, "billing/update", PORTAL|OWNERS|RECENT|DURABLE, bill_update, bill)
CALL_OP(POST, "billing/retry", PORTAL|OWNERS|RECENT|DURABLE, bill_retry, bill)
CALL(POST, "billing/source/add", PORTAL|OWNERS|RECENT|DURABLE,
     bill_source_add, bill)
ITEM_OP(POST, "billing/source/remove", PORTAL|OWNERS|RECENT|DURABLE,
        bill_source_remove, bill)

CALL(GET, "operator/status", PORTAL|OPERATOR, operator_status, none)
CALL(GET, "operator/health", PORTAL|OPERATOR, operator_health, none)
CALL(GET, "operator/receivers", PORTAL|OPERATOR, operator_receivers, none)
CALL(GET, "operator/accounts", PORTAL|OPERATOR, operator_accounts, accounts)
CALL(GET, "operator/payments", PORTAL|OPERATOR, operator_payments, none)
CALL_OP(GET, "operator/requests", PORTAL|OPERATOR, requests, none)
CALL_OP(POST, "operator/account/add", PORTAL|OPERATOR|OWNERS|RECENT|DURABLE,
        request_account, accounts)
CALL_OP(POST, "operator/account/plan", PORTAL|OPERATOR|OWNERS|RECENT|DURABLE,
        request_plan, accounts)
CALL_OP(POST, "operator/owner/add", PORTAL|OPERATOR|OWNERS|RECENT|DURABLE,
        request_owner, accounts)
CALL(GET, "operator/lists", PORTAL|OPERATOR, operator_lists, system)
ITEM(POST, "operator/list/enable", PORTAL|OPERATOR, list_enable, system)
ITEM(POST, "operator/list/disable", PORTAL|OPERATOR|RECENT,
     list_disable, system)
ITEM(POST, "operator/list/thaw", PORTAL|OPERATOR, list_thaw, system)
ITEM(POST, "operator/list/override", PORTAL|OPERATOR|RECENT,
     list_override, system)
ITEM(POST, "operator/list/kill", PORTAL|OPERATOR|RECENT, list_kill, system)
ITEM(POST, "operator/list/unkill", PORTAL|OPERATOR|RECENT, list_unkill, system)

#undef NGX_RBL_ROW
#undef NGX_RBL_OP_ROW
#undef CALL
#undef ITEM
#undef CALL_OP
#undef ITEM_OP
#undef CALL_AS
#undef ITEM_AS
