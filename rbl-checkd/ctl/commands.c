/*
 * The commands of rblctl and the options that each takes.
 */

#include "ctl.h"


static const ctl_option_t  none_options[] = { { NULL, 0 } };

static const ctl_option_t  init_options[] = {
    { "partitions", 1 }, { NULL, 0 }
};

static const ctl_option_t  account_options[] = {
    { "paid", 0 }, { "free", 0 }, { "max-hosts", 1 }, { "max-contacts", 1 },
    { "max-checks", 1 }, { "interval", 1 }, { "plan", 1 }, { "file", 1 },
    { "timezone", 1 }, { NULL, 0 }
};

static const ctl_option_t  plan_options[] = { { "file", 1 }, { NULL, 0 } };

static const ctl_option_t  rotate_options[] = { { "keep", 0 }, { NULL, 0 } };
static const ctl_option_t  allow_options[] = { { "none", 0 }, { NULL, 0 } };

static const ctl_option_t  limit_options[] = {
    { "hour", 1 }, { "reads", 1 }, { "writes", 1 }, { "starts", 1 },
    { "none", 0 }, { NULL, 0 }
};

static const ctl_option_t  errors_options[] = { { "last", 1 }, { NULL, 0 } };

static const ctl_option_t  stats_options[] = {
    { "hours", 1 }, { "days", 1 }, { NULL, 0 }
};

static const ctl_option_t  hook_options[] = { { "types", 1 }, { NULL, 0 } };
static const ctl_option_t  types_options[] = { { "all", 0 }, { NULL, 0 } };

static const ctl_option_t  overlap_options[] = {
    { "overlap", 1 }, { NULL, 0 }
};

static const ctl_option_t  test_options[] = { { "wait", 1 }, { NULL, 0 } };

static const ctl_option_t  log_options[] = {
    { "last", 1 }, { "event", 1 }, { NULL, 0 }
};

static const ctl_option_t  replay_options[] = {
    { "all", 0 }, { "from", 1 }, { "to", 1 }, { NULL, 0 }
};

static const ctl_option_t  fsck_options[] = { { "repair", 0 }, { NULL, 0 } };

static const ctl_option_t  show_options[] = { { "stored", 0 }, { NULL, 0 } };

static const ctl_option_t  key_options[] = {
    { "file", 1 }, { "remove", 0 }, { NULL, 0 }
};

static const ctl_option_t  override_options[] = {
    { "names", 1 }, { "min-interval", 1 }, { "rate", 1 }, { "day-quota", 1 },
    { "tier", 1 }, { "control", 1 }, { "codes", 1 }, { "server", 1 },
    { "none", 0 }, { NULL, 0 }
};

static const ctl_option_t  check_options[] = {
    { "lists", 1 }, { "resolver", 1 }, { "trace", 0 }, { NULL, 0 }
};

const ctl_command_t  ctl_commands[] = {
    { "init", "[--partitions N]",
      "prepare the store, once",
      init_options, 0, 0, CTL_STORE, ctl_init },
    { "account add", "NAME [--plan NAME] [--file FILE] [--paid|--free]"
      " [--max-hosts N] [--max-contacts N] [--max-checks N]"
      " [--interval SECONDS|15m|1h] [--timezone NAME]",
      "make an account, on a plan of the file; 0 is no limit, checks are"
      " hourly by default",
      account_options, 1, 1, CTL_READY, ctl_account_add },
    { "account show", "SID", "show an account and what it has",
      none_options, 1, 1, CTL_READY, ctl_account_show },
    { "account list", "", "list all accounts",
      none_options, 0, 0, CTL_READY, ctl_account_list },
    { "account suspend", "SID", "refuse its requests, stop its checks",
      none_options, 1, 1, CTL_READY, ctl_account_suspend },
    { "account resume", "SID", "end a suspension",
      none_options, 1, 1, CTL_READY, ctl_account_resume },
    { "account timezone", "SID NAME",
      "show its times in this zone, as Europe/Berlin; UTC by default",
      none_options, 2, 2, CTL_READY, ctl_account_timezone },
    { "account plan", "SID NAME [--file FILE]",
      "put it on a plan; what it has beyond the limits it keeps",
      plan_options, 2, 2, CTL_READY, ctl_account_plan },
    { "account interval", "SID SECONDS|15m|1h",
      "choose the time between checks, not below the plan's; from each host's"
      " next check on",
      none_options, 2, 2, CTL_READY, ctl_account_interval },
    { "plan list", "[--file FILE]",
      "list the plans of the file (/etc/rbl-checkd/plans.json), if it is sound",
      plan_options, 0, 0, CTL_OFFLINE, ctl_plan_list },
    { "plan show", "NAME [--file FILE]", "show a plan",
      plan_options, 1, 1, CTL_OFFLINE, ctl_plan_show },
    { "app add", "ACCOUNT NAME",
      "make an application; prints its token and secret, this once",
      none_options, 2, 2, CTL_READY, ctl_app_add },
    { "app rotate", "ACCOUNT APP [--keep]",
      "give it a new token; --keep: the old ones stay valid",
      rotate_options, 2, 2, CTL_READY, ctl_app_rotate },
    { "app revoke", "ACCOUNT APP", "end an application and its tokens",
      none_options, 2, 2, CTL_READY, ctl_app_revoke },
    { "app list", "ACCOUNT", "list the applications of an account",
      none_options, 1, 1, CTL_READY, ctl_app_list },
    { "app allow", "ACCOUNT APP CIDR,CIDR|--none",
      "take its requests from these networks alone",
      allow_options, 2, 3, CTL_READY, ctl_app_allow },
    { "app limit", "ACCOUNT APP [--hour N] [--reads N] [--writes N]"
      " [--starts N]|--none",
      "limit its requests an hour, and reads, writes, check starts a second",
      limit_options, 2, 2, CTL_READY, ctl_app_limit },
    { "app stats", "ACCOUNT APP [--hours N|--days N]",
      "draw its requests and errors, of 24 hours by default",
      stats_options, 2, 2, CTL_READY, ctl_app_stats },
    { "app errors", "ACCOUNT APP [--last N]",
      "show its last refusals, 20 by default, of at most 1000",
      errors_options, 2, 2, CTL_READY, ctl_app_errors },
    { "token list", "ACCOUNT APP",
      "list the tokens of an application, by digits of their SHA-256",
      none_options, 2, 2, CTL_READY, ctl_token_list },
    { "token revoke", "ACCOUNT APP DIGITS", "end one token of an application",
      none_options, 3, 3, CTL_READY, ctl_token_revoke },
    { "webhook add", "ACCOUNT NAME URL [--types TYPE,TYPE]",
      "add a receiver of events; prints its secret, this once",
      hook_options, 3, 3, CTL_READY, ctl_webhook_add },
    { "webhook list", "ACCOUNT", "list the receivers of an account",
      none_options, 1, 1, CTL_READY, ctl_webhook_list },
    { "webhook show", "ACCOUNT WEBHOOK", "show a receiver, and how it fares",
      none_options, 2, 2, CTL_READY, ctl_webhook_show },
    { "webhook rename", "ACCOUNT WEBHOOK NAME", "give it another name",
      none_options, 3, 3, CTL_READY, ctl_webhook_rename },
    { "webhook url", "ACCOUNT WEBHOOK URL", "send its events elsewhere",
      none_options, 3, 3, CTL_READY, ctl_webhook_url },
    { "webhook types", "ACCOUNT WEBHOOK TYPE,TYPE|--all",
      "choose which events it gets",
      types_options, 2, 3, CTL_READY, ctl_webhook_types },
    { "webhook rotate", "ACCOUNT WEBHOOK [--overlap TIME]",
      "give it a new secret; prints it, this once; the old one signs too for"
      " 24h, or so long",
      overlap_options, 2, 2, CTL_READY, ctl_webhook_rotate },
    { "webhook enable", "ACCOUNT WEBHOOK", "send to it again, at once",
      none_options, 2, 2, CTL_READY, ctl_webhook_enable },
    { "webhook disable", "ACCOUNT WEBHOOK",
      "send it nothing; its events become dead letters, for five days",
      none_options, 2, 2, CTL_READY, ctl_webhook_disable },
    { "webhook delete", "ACCOUNT WEBHOOK", "end a receiver and its log",
      none_options, 2, 2, CTL_READY, ctl_webhook_delete },
    { "webhook test", "ACCOUNT WEBHOOK [--wait TIME]",
      "send it an event of type webhook.test, once; exit status 1 if it is not"
      " delivered",
      test_options, 2, 2, CTL_READY, ctl_webhook_test },
    { "webhook log", "ACCOUNT WEBHOOK|APP|CONTACT [--last N] [--event SID]",
      "show its last attempts, 20 by default, of at most 1000; of an"
      " application: its callbacks",
      log_options, 2, 2, CTL_READY, ctl_webhook_log },
    { "webhook dead", "ACCOUNT [WEBHOOK|APP|CONTACT] [--last N]",
      "show what was given up, the last 20 by default",
      errors_options, 1, 2, CTL_READY, ctl_webhook_dead },
    { "webhook replay", "ACCOUNT WEBHOOK|APP EVENT|--all|--from TIME"
      " [--to TIME]",
      "deliver again what was given up: one event, all, or those of a span;"
      " TIME as 2026-11-20T09:30:00, in UTC, or 2h, so long ago",
      replay_options, 2, 3, CTL_READY, ctl_webhook_replay },
    { "lists load", "FILE", "load blocklists (conf/lists.json), at most 200",
      none_options, 1, 1, CTL_READY, ctl_lists_load },
    { "lists show", "[ZONE|SID] [--stored]",
      "show all blocklists; or one and its name servers, as they are now",
      show_options, 0, 1, CTL_READY, ctl_lists_show },
    { "lists enable", "ZONE", "ask a list from now on",
      none_options, 1, 1, CTL_READY, ctl_lists_enable },
    { "lists disable", "ZONE", "ask a list no more",
      none_options, 1, 1, CTL_READY, ctl_lists_disable },
    { "lists key", "ZONE [--file FILE]|--remove",
      "give a list the key that it wants, from standard input or a file",
      key_options, 1, 1, CTL_READY, ctl_lists_key },
    { "lists override", "ZONE [--names both|full|registered]"
      " [--min-interval TIME] [--rate N] [--day-quota N] [--tier TIER]"
      " [--control MODE] [--codes FILE] [--server ADDRESS[@PORT]] [--none]",
      "change what the catalogue says of a list, until told otherwise",
      override_options, 1, 1, CTL_READY, ctl_lists_override },
    { "lists kill", "ZONE REASON", "end a list, whatever is loaded",
      none_options, 2, 2, CTL_READY, ctl_lists_kill },
    { "lists unkill", "ZONE", "bring a list back that was killed by hand",
      none_options, 1, 1, CTL_READY, ctl_lists_unkill },
    { "lists thaw", "ZONE", "believe a list again that lists too many at once",
      none_options, 1, 1, CTL_READY, ctl_lists_thaw },
    { "check", "HOST [--lists FILE] [--resolver ADDRESS] [--trace]",
      "check a host now; --trace: show each query, response and rule; exit"
      " status 0 clear, 1 listed, 2 unknown",
      check_options, 1, 1, CTL_OFFLINE, ctl_check },
    { "host", "HOST | ACCOUNT HOST|VALUE",
      "show a host: its state at each list, and its history",
      none_options, 1, 2, CTL_READY, ctl_host },
    { "queue", "", "show what waits: checks and deliveries",
      none_options, 0, 0, CTL_READY, ctl_queue },
    { "fsck", "[ACCOUNT] [--repair]",
      "find what does not fit together in the store, and mend it; exit status"
      " 1 if there is something",
      fsck_options, 0, 1, CTL_READY, ctl_fsck },
    { "status", "", "show the store, the lists and the "
      "daemons, with what they have counted",
      none_options, 0, 0, CTL_STORE, ctl_status },
    { NULL, NULL, NULL, NULL, 0, 0, CTL_OFFLINE, NULL }
};
