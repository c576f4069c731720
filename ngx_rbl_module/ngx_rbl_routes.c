/*
 * The table of all calls.  A row whose path ends with "/" takes an id as the
 * last segment; rows without an id go first, so "host/add" is never taken for
 * the id of a host.
 */

#include "ngx_rbl_module.h"

#include "ngx_rbl_api.h"
#include "ngx_rbl_portal.h"


const ngx_rbl_route_t  ngx_rbl_calls[] = {

    { ngx_string("hosts"), ngx_string("hosts"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_hosts },

    { ngx_string("listings"), ngx_string("listings"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_listings },

    { ngx_string("listings"), ngx_string("listings"),
      NGX_HTTP_GET, NGX_RBL_PLAIN, &ngx_rbl_op_listings_plain, NULL },

    { ngx_string("host/add"), ngx_string("host/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_add,
      &ngx_rbl_family_hosts },

    { ngx_string("check/start"), ngx_string("check/start"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT|NGX_RBL_STARTS, &ngx_rbl_op_check_start,
      &ngx_rbl_family_checks },

    { ngx_string("check/status"), ngx_string("check/status"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_check_status,
      &ngx_rbl_family_checks },

    { ngx_string("check/status/"), ngx_string("check/status"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_check_status,
      &ngx_rbl_family_checks },

    { ngx_string("host/update/"), ngx_string("host/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_update,
      &ngx_rbl_family_hosts },

    { ngx_string("host/pause/"), ngx_string("host/pause"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_pause,
      &ngx_rbl_family_hosts },

    { ngx_string("host/resume/"), ngx_string("host/resume"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_resume,
      &ngx_rbl_family_hosts },

    { ngx_string("host/delete/"), ngx_string("host/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_host_delete,
      &ngx_rbl_family_hosts },

    { ngx_string("rblprofiles"), ngx_string("rblprofiles"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/add"), ngx_string("rblprofile/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_add,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/update/"), ngx_string("rblprofile/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_update,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/delete/"), ngx_string("rblprofile/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_delete,
      &ngx_rbl_family_profiles },

    { ngx_string("rblprofile/"), ngx_string("rblprofile"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofiles"), ngx_string("rblprofiles"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/add"), ngx_string("rblprofile/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_add,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/update/"), ngx_string("rblprofile/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_update,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/delete/"), ngx_string("rblprofile/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_profile_delete,
      &ngx_rbl_family_profiles },

    { ngx_string("monitoringprofile/"), ngx_string("rblprofile"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_profiles },

    { ngx_string("rbls"), ngx_string("rbls"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbls,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/add"), ngx_string("rbl/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_add,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/update/"), ngx_string("rbl/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_update,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/pause/"), ngx_string("rbl/pause"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_pause,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/resume/"), ngx_string("rbl/resume"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_resume,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/delete/"), ngx_string("rbl/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl_delete,
      &ngx_rbl_family_rbls },

    { ngx_string("rbl/"), ngx_string("rbl"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_rbl,
      &ngx_rbl_family_rbls },

    { ngx_string("acls"), ngx_string("acls"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_acls, NULL },

    { ngx_string("contacts"), ngx_string("contacts"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/add"), ngx_string("contact/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_add,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/update/"), ngx_string("contact/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_update,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/pause/"), ngx_string("contact/pause"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_pause,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/resume/"), ngx_string("contact/resume"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_resume,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/resend/"), ngx_string("contact/resend"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_resend,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/confirm/"), ngx_string("contact/confirm"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_contact_confirm,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/delete/"), ngx_string("contact/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_contact_delete,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/types"), ngx_string("contact/types"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_contact_types, NULL },

    { ngx_string("contact/test/"), ngx_string("contact/test"),
      NGX_HTTP_POST, NGX_RBL_PORTAL, &ngx_rbl_op_contact_test,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/log/"), ngx_string("contact/log"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_delivery_log,
      &ngx_rbl_family_contacts },

    { ngx_string("contact/"), ngx_string("contact"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_contacts },

    { ngx_string("contactgroups"), ngx_string("contactgroups"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_list,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroup/add"), ngx_string("contactgroup/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_add,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroup/update/"), ngx_string("contactgroup/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_update,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroup/delete/"), ngx_string("contactgroup/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_delete,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroup/"), ngx_string("contactgroup"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroups/add"), ngx_string("contactgroup/add"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_add,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroups/update/"), ngx_string("contactgroup/update"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_update,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroups/delete/"), ngx_string("contactgroup/delete"),
      NGX_HTTP_POST, NGX_RBL_DOCUMENT, &ngx_rbl_op_group_delete,
      &ngx_rbl_family_groups },

    { ngx_string("contactgroups/"), ngx_string("contactgroup"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_groups },

    { ngx_string("host/lists/"), ngx_string("host/lists"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_host_lists,
      &ngx_rbl_family_hosts },

    { ngx_string("host/history/"), ngx_string("host/history"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_host_history,
      &ngx_rbl_family_hosts },

    { ngx_string("host/"), ngx_string("host"),
      NGX_HTTP_GET, NGX_RBL_DOCUMENT, &ngx_rbl_op_one,
      &ngx_rbl_family_hosts },

    { ngx_string("session/start"), ngx_string("session/start"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_SIGN_IN|NGX_RBL_DURABLE,
      &ngx_rbl_op_session_start,
      &ngx_rbl_family_sessions },

    { ngx_string("session/end"), ngx_string("session/end"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_VIEWERS|NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_session_end,
      &ngx_rbl_family_sessions },

    { ngx_string("me"), ngx_string("me"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_HOME, &ngx_rbl_op_me, NULL },

    { ngx_string("service"), ngx_string("service"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_HOME, &ngx_rbl_op_service, NULL },

    { ngx_string("changes"), ngx_string("changes"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_changes, NULL },

    { ngx_string("users"), ngx_string("users"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_SELF,
      &ngx_rbl_op_users,
      &ngx_rbl_family_users },

    { ngx_string("user/add"), ngx_string("user/add"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_RECENT|NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_user_add,
      &ngx_rbl_family_users },

    { ngx_string("user/link/"), ngx_string("user/link"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_RECENT|NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_user_link,
      &ngx_rbl_family_users },

    { ngx_string("user/role/"), ngx_string("user/role"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_RECENT|NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_user_role,
      &ngx_rbl_family_users },

    { ngx_string("user/delete/"), ngx_string("user/delete"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_RECENT|NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_user_delete,
      &ngx_rbl_family_users },
    { ngx_string("webhooks"), ngx_string("webhooks"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_hooks,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/add"), ngx_string("webhook/add"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_hook_add,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/update/"), ngx_string("webhook/update"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_hook_update,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/rotate/"), ngx_string("webhook/rotate"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_hook_rotate,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/enable/"), ngx_string("webhook/enable"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_DURABLE, &ngx_rbl_op_hook_enable,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/disable/"), ngx_string("webhook/disable"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_DURABLE, &ngx_rbl_op_hook_disable,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/delete/"), ngx_string("webhook/delete"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_DURABLE, &ngx_rbl_op_hook_delete,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/test/"), ngx_string("webhook/test"),
      NGX_HTTP_POST, NGX_RBL_PORTAL, &ngx_rbl_op_hook_test,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/log/"), ngx_string("webhook/log"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_delivery_log,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/dead/"), ngx_string("webhook/dead"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_hook_dead,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/replay/"), ngx_string("webhook/replay"),
      NGX_HTTP_POST, NGX_RBL_PORTAL, &ngx_rbl_op_hook_replay,
      &ngx_rbl_family_hooks },

    { ngx_string("webhook/"), ngx_string("webhook"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_hook,
      &ngx_rbl_family_hooks },

    { ngx_string("apps"), ngx_string("apps"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_list,
      &ngx_rbl_family_apps },

    { ngx_string("app/add"), ngx_string("app/add"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_app_add,
      &ngx_rbl_family_apps },

    { ngx_string("app/rotate/"), ngx_string("app/rotate"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_app_rotate,
      &ngx_rbl_family_apps },

    { ngx_string("app/revoke/"), ngx_string("app/revoke"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_DURABLE, &ngx_rbl_op_app_revoke,
      &ngx_rbl_family_apps },

    { ngx_string("app/allow/"), ngx_string("app/allow"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_app_allow,
      &ngx_rbl_family_apps },

    { ngx_string("app/limit/"), ngx_string("app/limit"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_app_limit,
      &ngx_rbl_family_apps },

    { ngx_string("app/stats/"), ngx_string("app/stats"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_app_stats,
      &ngx_rbl_family_apps },

    { ngx_string("app/errors/"), ngx_string("app/errors"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_app_errors,
      &ngx_rbl_family_app_errors },

    { ngx_string("app/"), ngx_string("app"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_app,
      &ngx_rbl_family_apps },

    { ngx_string("token/revoke/"), ngx_string("token/revoke"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_DURABLE, &ngx_rbl_op_token_revoke,
      &ngx_rbl_family_apps },

    { ngx_string("lists/state"), ngx_string("lists/state"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_lists_state,
      &ngx_rbl_family_lists },

    { ngx_string("list/"), ngx_string("list"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_portal_list,
      &ngx_rbl_family_lists },

    { ngx_string("audit"), ngx_string("audit"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_ADMINS|NGX_RBL_HOME,
      &ngx_rbl_op_audit, NULL },

    { ngx_string("account"), ngx_string("account"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_account,
      &ngx_rbl_family_account },

    { ngx_string("account/update"), ngx_string("account/update"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_OWNERS,
      &ngx_rbl_op_account_update,
      &ngx_rbl_family_account },

    { ngx_string("session/begin"), ngx_string("session/begin"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_SIGN_IN|NGX_RBL_DURABLE,
      &ngx_rbl_op_session_begin,
      &ngx_rbl_family_signed },

    { ngx_string("session/passkey"), ngx_string("session/passkey"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_SIGN_IN|NGX_RBL_DURABLE,
      &ngx_rbl_op_session_passkey,
      &ngx_rbl_family_signed },

    { ngx_string("passkeys"), ngx_string("passkeys"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_SELF, &ngx_rbl_op_passkeys,
      &ngx_rbl_family_passkeys },

    { ngx_string("passkey/begin"), ngx_string("passkey/begin"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_VIEWERS|NGX_RBL_RECENT
      |NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_passkey_begin,
      &ngx_rbl_family_passkeys },

    { ngx_string("passkey/add"), ngx_string("passkey/add"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_VIEWERS|NGX_RBL_RECENT
      |NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_passkey_add,
      &ngx_rbl_family_passkeys },

    { ngx_string("passkey/rename/"), ngx_string("passkey/rename"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_VIEWERS|NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_passkey_rename,
      &ngx_rbl_family_passkeys },

    { ngx_string("passkey/delete/"), ngx_string("passkey/delete"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_VIEWERS|NGX_RBL_RECENT
      |NGX_RBL_SELF|NGX_RBL_DURABLE,
      &ngx_rbl_op_passkey_delete,
      &ngx_rbl_family_passkeys },

    { ngx_string("session/link"), ngx_string("session/link"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_SIGN_IN|NGX_RBL_DURABLE,
      &ngx_rbl_op_session_link, NULL },

    { ngx_string("hosts/read"), ngx_string("hosts/read"),
      NGX_HTTP_POST, NGX_RBL_PORTAL, &ngx_rbl_op_hosts_read, NULL },

    { ngx_string("hosts/find"), ngx_string("hosts/find"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_hosts_find,
      &ngx_rbl_family_find },

    { ngx_string("counts"), ngx_string("counts"),
      NGX_HTTP_GET, NGX_RBL_PORTAL, &ngx_rbl_op_counts, NULL },

    { ngx_string("operator/status"), ngx_string("operator/status"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_OPERATOR,
      &ngx_rbl_op_operator_status, NULL },

    { ngx_string("operator/accounts"), ngx_string("operator/accounts"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_OPERATOR,
      &ngx_rbl_op_operator_accounts,
      &ngx_rbl_family_accounts },

    { ngx_string("operator/lists"), ngx_string("operator/lists"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_OPERATOR,
      &ngx_rbl_op_operator_lists,
      &ngx_rbl_family_system },

    { ngx_string("operator/list/enable/"), ngx_string("operator/list/enable"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_OPERATOR,
      &ngx_rbl_op_list_enable,
      &ngx_rbl_family_system },

    { ngx_string("operator/list/disable/"), ngx_string("operator/list/disable"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_OPERATOR|NGX_RBL_RECENT,
      &ngx_rbl_op_list_disable,
      &ngx_rbl_family_system },

    { ngx_string("operator/list/thaw/"), ngx_string("operator/list/thaw"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_OPERATOR,
      &ngx_rbl_op_list_thaw,
      &ngx_rbl_family_system },

    { ngx_string("operator/list/override/"),
      ngx_string("operator/list/override"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_OPERATOR|NGX_RBL_RECENT,
      &ngx_rbl_op_list_override,
      &ngx_rbl_family_system },

    { ngx_string("operator/list/kill/"), ngx_string("operator/list/kill"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_OPERATOR|NGX_RBL_RECENT,
      &ngx_rbl_op_list_kill,
      &ngx_rbl_family_system },

    { ngx_string("operator/list/unkill/"), ngx_string("operator/list/unkill"),
      NGX_HTTP_POST, NGX_RBL_PORTAL|NGX_RBL_OPERATOR|NGX_RBL_RECENT,
      &ngx_rbl_op_list_unkill,
      &ngx_rbl_family_system },

    { ngx_string("billing"), ngx_string("billing"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_OWNERS, &ngx_rbl_op_billing,
      &ngx_rbl_family_bill },

    { ngx_string("billing/payments"), ngx_string("billing/payments"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_OWNERS, &ngx_rbl_op_bill_payments,
      &ngx_rbl_family_payments },

    { ngx_string("billing/ledger"), ngx_string("billing/ledger"),
      NGX_HTTP_GET, NGX_RBL_PORTAL|NGX_RBL_OWNERS, &ngx_rbl_op_bill_ledger,
      NULL },

    { ngx_string("billing/ledger"), ngx_string("billing/ledger"),
      NGX_HTTP_GET, NGX_RBL_TABLE|NGX_RBL_OWNERS, &ngx_rbl_op_bill_table,
      NULL },

    { ngx_string("billing/update"), ngx_string("billing/update"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_bill_update,
      &ngx_rbl_family_bill },

    { ngx_string("billing/source/add"), ngx_string("billing/source/add"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_bill_source_add,
      &ngx_rbl_family_bill },

    { ngx_string("billing/source/remove/"),
      ngx_string("billing/source/remove"),
      NGX_HTTP_POST,
      NGX_RBL_PORTAL|NGX_RBL_OWNERS|NGX_RBL_RECENT|NGX_RBL_DURABLE,
      &ngx_rbl_op_bill_source_remove,
      &ngx_rbl_family_bill },

    { ngx_null_string, ngx_null_string, 0, 0, NULL, NULL }
};
