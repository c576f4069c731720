/*
 * Commands that are operations: a row names the operation, and the fields that
 * the words of the command are; options are fields of the same name.
 */

#include "op.h"


static const char  hook_rows[] =
    "id:WEBHOOK, name, url, types, status, created";

static const char  hook_lines[] =
    "id:webhook, name, url, types, status, disabled, reason,"
    " old_secret_until, failing_since, failed:failed attempts, quiet_until,"
    " pending:pending events, created";

static const char  hook_added[] = "id:webhook, name, url, types, secret";

static const char  hook_rotated[] = "secret, old_secret_until";

static const char  alert_rows[] =
    "contact.id:CONTACT, contact.type:TYPE, contact.contact:VALUE,"
    " contact.schedule:SCHEDULE, contact.status:STATUS, weight:LEAST WEIGHT,"
    " rhythm, quiet, after:MINUTES, checks";

static const char  mute_rows[] =
    "id:MUTE, target, name, group_name:GROUP, open, begins, ends, repeat,"
    " minutes, until, active, reason, by, made";

static const char  mute_lines[] =
    "id:mute, target, name, group_name:group, begins, ends, repeat, minutes,"
    " until, reason";

static const char  profile_rows[] =
    "profile.id:PROFILE, profile.name:NAME, profile.is_default:DEFAULT,"
    " profile.uses_defaults:FOLLOWS, profile.total_entries:LISTS, except";

static const char  profile_lines[] =
    "profile.id:profile, profile.name:name, profile.is_default:default,"
    " profile.uses_defaults:follows the system lists,"
    " profile.total_entries:lists, except";

static const char  app_rows[] =
    "id:APPLICATION, name, status, total_tokens:TOKENS, created, limits.hour,"
    " limits.reads, limits.writes, limits.starts, allow";

static const char  app_lines[] =
    "id:application, name, status, created, allow:allowed networks,"
    " limits.hour:requests an hour, limits.reads:reads a second,"
    " limits.writes:writes a second, limits.starts:check starts a second";

static const char  app_added[] = "id:application, name, token, secret";

static const char  app_rotated[] = "id:application, token";

static const char  user_rows[] =
    "id:USER, mail, name, role, created, seen:SIGNED IN, confirmed";

static const char  account_lines[] =
    "id:account, name, status, timezone:time zone, plan, paid,"
    " hosts.max:max hosts, contacts.max:max contacts,"
    " checks.max:max checks a day, interval:interval (s),"
    " min_interval:shortest (s), profile:default profile,"
    " contact_group:default group, hosts.used:hosts, listed,"
    " apps:applications, webhooks, created";

static const char  bill_lines[] =
    "account, plan, price:price (USD), period, gateway, state,"
    " begins:paid from, expires:paid until, change.plan:next plan,"
    " change.begins:next plan begins, renew:renews itself,"
    " payment.id:open payment, balance:balance (USD), alert:tell below,"
    " falls_below:recharge below, recharge_to, lapsed:expired since,"
    " checked:hosts still checked";

const char  ctl_source_rows[] =
    "id:SOURCE, type, brand, last4, exp_month:MONTH, exp_year:YEAR";

static const char  balance_lines[] = "balance:balance (USD)";

const ctl_op_t  ctl_ops[] = {
    { "user list", &rbl_op_users, "", user_rows, NULL },
    { "user delete", &rbl_op_user_delete, "", NULL, NULL },
    { "operator list", &rbl_op_users, "", user_rows, NULL },
    { "operator delete", &rbl_op_user_delete, "", NULL, NULL },
    { "app add", &rbl_op_app_add, "name", app_added, NULL },
    { "app list", &rbl_op_apps, "", app_rows, NULL },
    { "app rotate", &rbl_op_app_rotate, "", app_rotated, NULL },
    { "app revoke", &rbl_op_app_revoke, "", NULL, NULL },
    { "app allow", &rbl_op_app_allow, NULL, app_lines, &rbl_op_app },
    { "app limit", &rbl_op_app_limit, NULL, app_lines, &rbl_op_app },
    { "token revoke", &rbl_op_token_revoke, "token", NULL, NULL },
    { "webhook add", &rbl_op_hook_add, "name url", hook_added, NULL },
    { "webhook list", &rbl_op_hooks, "", hook_rows, NULL },
    { "webhook show", &rbl_op_hook, "", hook_lines, NULL },
    { "webhook rename", &rbl_op_hook_update, "name", hook_lines, &rbl_op_hook },
    { "webhook url", &rbl_op_hook_update, "url", hook_lines, &rbl_op_hook },
    { "webhook types", &rbl_op_hook_update, NULL, hook_lines, &rbl_op_hook },
    { "webhook rotate", &rbl_op_hook_rotate, "", hook_rotated, NULL },
    { "webhook enable", &rbl_op_hook_enable, "", hook_lines, &rbl_op_hook },
    { "webhook disable", &rbl_op_hook_disable, "", hook_lines, &rbl_op_hook },
    { "webhook delete", &rbl_op_hook_delete, "", NULL, NULL },
    { "contact list", &rbl_op_alerts, "", alert_rows, NULL },
    { "contact alert", &rbl_op_alert, "", alert_rows, &rbl_op_alert_show },
    { "mute list", &rbl_op_mutes, "", mute_rows, NULL },
    { "mute add", &rbl_op_mute_add, "until reason", mute_lines, NULL },
    { "mute end", &rbl_op_mute_end, "", NULL, NULL },
    { "profile list", &rbl_op_profiles, "", profile_rows, NULL },
    { "profile show", &rbl_op_profile, "", profile_lines, NULL },
    { "profile add", &rbl_op_profile_new, NULL, profile_lines, NULL },
    { "profile except", &rbl_op_profile_change, NULL, profile_lines,
      &rbl_op_profile },
    { "account show", &rbl_op_account, "", account_lines, NULL },
    { "account timezone", &rbl_op_account_update, NULL, account_lines,
      &rbl_op_account },
    { "account interval", &rbl_op_account_update, NULL, account_lines,
      &rbl_op_account },
    { "bill show", &rbl_op_bill, "", bill_lines, NULL },
    { "bill renew", &rbl_op_bill_update, NULL, bill_lines, &rbl_op_bill },
    { "bill retry", &rbl_op_bill_retry, "", bill_lines, &rbl_op_bill },
    { "bill recharge", &rbl_op_bill_update, NULL, bill_lines, &rbl_op_bill },
    { "bill alert", &rbl_op_bill_update, NULL, bill_lines, &rbl_op_bill },
    { "bill source default", &rbl_op_bill_update, "source", bill_lines,
      &rbl_op_bill },
    { "bill source remove", &rbl_op_bill_source_remove, "", ctl_source_rows,
      &rbl_op_bill_sources },
    { "bill paid", &bill_op_paid, "", bill_lines, &rbl_op_bill },
    { "bill settle", &bill_op_settle, "result", bill_lines, &rbl_op_bill },
    { "bill refund", &bill_op_refund, "amount", NULL, NULL },
    { "bill topup", &bill_op_topup, "amount", balance_lines, NULL },
    { "bill adjust", &bill_op_adjust, "amount reason", balance_lines, NULL },
    { "lists enable", &rbl_op_list_enable, "", NULL, NULL },
    { "lists disable", &rbl_op_list_disable, "", NULL, NULL },
    { "lists kill", &rbl_op_list_kill, "reason", NULL, NULL },
    { "lists unkill", &rbl_op_list_unkill, "", NULL, NULL },
    { "lists thaw", &rbl_op_list_thaw, "", NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL }
};
