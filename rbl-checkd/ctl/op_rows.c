/*
 * Commands that are operations: a row names the operation, and the fields that
 * the words of the command are; options are fields of the same name.
 */

#include "op.h"


static const ctl_column_t  hook_rows[] = {
    { "id", "WEBHOOK" }, { "name", "NAME" }, { "url", "URL" },
    { "types", "TYPES" }, { "status", "STATUS" }, { "created", "CREATED" },
    { NULL, NULL }
};

static const ctl_column_t  hook_lines[] = {
    { "id", "webhook" }, { "name", "name" }, { "url", "url" },
    { "types", "types" }, { "status", "status" }, { "disabled", "disabled" },
    { "reason", "reason" }, { "old_secret_until", "old secret until" },
    { "failing_since", "failing since" }, { "failed", "failed attempts" },
    { "quiet_until", "quiet until" }, { "pending", "pending events" },
    { "created", "created" }, { NULL, NULL }
};

static const ctl_column_t  hook_added[] = {
    { "id", "webhook" }, { "name", "name" }, { "url", "url" },
    { "types", "types" }, { "secret", "secret" }, { NULL, NULL }
};

static const ctl_column_t  hook_rotated[] = {
    { "secret", "secret" }, { "old_secret_until", "old secret until" },
    { NULL, NULL }
};

static const ctl_column_t  app_rows[] = {
    { "id", "APPLICATION" }, { "name", "NAME" }, { "status", "STATUS" },
    { "total_tokens", "TOKENS" }, { "created", "CREATED" },
    { "limits.hour", "HOUR" }, { "limits.reads", "READS" },
    { "limits.writes", "WRITES" }, { "limits.starts", "STARTS" },
    { "allow", "ALLOW" }, { NULL, NULL }
};

static const ctl_column_t  app_lines[] = {
    { "id", "application" }, { "name", "name" }, { "status", "status" },
    { "created", "created" }, { "allow", "allowed networks" },
    { "limits.hour", "requests an hour" },
    { "limits.reads", "reads a second" },
    { "limits.writes", "writes a second" },
    { "limits.starts", "check starts a second" }, { NULL, NULL }
};

static const ctl_column_t  app_added[] = {
    { "id", "application" }, { "name", "name" }, { "token", "token" },
    { "secret", "secret" }, { NULL, NULL }
};

static const ctl_column_t  app_rotated[] = {
    { "id", "application" }, { "token", "token" }, { NULL, NULL }
};

static const ctl_column_t  user_rows[] = {
    { "id", "USER" }, { "mail", "MAIL" }, { "name", "NAME" },
    { "role", "ROLE" }, { "created", "CREATED" }, { "seen", "SIGNED IN" },
    { "confirmed", "CONFIRMED" }, { NULL, NULL }
};

static const ctl_column_t  account_lines[] = {
    { "id", "account" }, { "name", "name" }, { "status", "status" },
    { "timezone", "time zone" }, { "plan", "plan" }, { "paid", "paid" },
    { "hosts.max", "max hosts" }, { "contacts.max", "max contacts" },
    { "checks.max", "max checks a day" }, { "interval", "interval (s)" },
    { "min_interval", "shortest (s)" }, { "profile", "default profile" },
    { "contact_group", "default group" }, { "hosts.used", "hosts" },
    { "listed", "listed" }, { "apps", "applications" },
    { "webhooks", "webhooks" }, { "created", "created" }, { NULL, NULL }
};

static const ctl_column_t  bill_lines[] = {
    { "account", "account" }, { "plan", "plan" }, { "price", "price (USD)" },
    { "period", "period" }, { "gateway", "gateway" }, { "state", "state" },
    { "begins", "paid from" }, { "expires", "paid until" },
    { "renew", "renews itself" }, { "payment.id", "open payment" },
    { "balance", "balance (USD)" }, { "alert", "tell below" },
    { "falls_below", "recharge below" }, { "recharge_to", "recharge to" },
    { "lapsed", "expired since" }, { "checked", "hosts still checked" },
    { NULL, NULL }
};

static const ctl_column_t  balance_lines[] = {
    { "balance", "balance (USD)" }, { NULL, NULL }
};

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
    { "account show", &rbl_op_account, "", account_lines, NULL },
    { "account timezone", &rbl_op_account_update, NULL, account_lines,
      &rbl_op_account },
    { "account interval", &rbl_op_account_update, NULL, account_lines,
      &rbl_op_account },
    { "bill show", &rbl_op_bill, "", bill_lines, NULL },
    { "bill renew", &rbl_op_bill_update, NULL, bill_lines, &rbl_op_bill },
    { "bill recharge", &rbl_op_bill_update, NULL, bill_lines, &rbl_op_bill },
    { "bill alert", &rbl_op_bill_update, NULL, bill_lines, &rbl_op_bill },
    { "bill source default", &rbl_op_bill_update, "source", bill_lines,
      &rbl_op_bill },
    { "bill paid", &bill_op_paid, "", bill_lines, &rbl_op_bill },
    { "bill settle", &bill_op_settle, "result", bill_lines, &rbl_op_bill },
    { "bill topup", &bill_op_topup, "amount", balance_lines, NULL },
    { "bill adjust", &bill_op_adjust, "amount reason", balance_lines, NULL },
    { NULL, NULL, NULL, NULL, NULL }
};
