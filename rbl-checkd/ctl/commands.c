/*
 * The commands of rblctl.  The usage of each is also the table of its options
 * (ctl_option_kind), and has the names of its arguments for the audit log.
 */

#include "ctl.h"


const ctl_command_t  ctl_commands[] = {
    { "setup", "[--domain NAME [--certificate FILE --key FILE]] [--port N]"
      " [--account NAME] [--owner MAIL] [--operator MAIL] [--smtp URL --from"
      " MAIL [--smtp-user NAME --smtp-password-file FILE]] [--store STORE]"
      " [--dry-run|--show FILE]",
      "make a working service of the installed packages, or complete it; may be"
      " run again at any time; --dry-run: only tell what would be done",
      0, 0, CTL_BARE, ctl_setup },
    { "init", "[--partitions N]",
      "initialise the store; run once",
      0, 0, CTL_STORE, ctl_init },
    { "upgrade", "",
      "raise the schema of the store to that of this rblctl; run when all"
      " programs are new",
      0, 0, CTL_STORE, ctl_upgrade },
    { "store plan", "",
      "show which server has which part of the store, and its replicas",
      0, 0, CTL_STORE | CTL_LOOKS, ctl_store_plan },
    { "account add", "NAME [--plan NAME] [--file FILE] [--paid|--free]"
      " [--max-hosts N] [--max-contacts N] [--max-checks N]"
      " [--interval SECONDS|15m|1h] [--timezone NAME]",
      "create an account; --plan: on a plan of the plans file; a limit of 0 is"
      " no limit; checks are hourly by default",
      1, 1, CTL_READY, ctl_account_add },
    { "account show", "SID",
      "show an account and the numbers of its objects",
      1, 1, CTL_READY, ctl_op },
    { "account list", "",
      "list all accounts",
      0, 0, CTL_READY, ctl_account_list },
    { "account suspend", "SID",
      "suspend an account: its requests are refused and its checks stop",
      1, 1, CTL_READY, ctl_account_suspend },
    { "account resume", "SID",
      "end the suspension of an account",
      1, 1, CTL_READY, ctl_account_resume },
    { "account timezone", "SID NAME",
      "set the time zone of an account, such as Europe/Berlin; the default is"
      " UTC",
      2, 2, CTL_READY, ctl_account_timezone },
    { "account plan", "SID NAME [--file FILE]",
      "put an account on a plan; objects beyond the limits of the plan are"
      " kept",
      2, 2, CTL_READY, ctl_account_plan },
    { "account interval", "SID SECONDS|15m|1h",
      "set the time between checks of the account's hosts, not below that of"
      " its plan; it applies from the next check of each host",
      2, 2, CTL_READY, ctl_account_interval },
    { "bill plan", "SID NAME [--file FILE] [--now]",
      "put an account on a plan that it pays for: by the period, then a"
      " payment is opened, and the first period begins now, but after the plan"
      " has lapsed when it is paid; or by the check, from its balance.  Inside"
      " a paid period a plan that costs more a day begins when the difference"
      " is paid, a cheaper one at the end.  A plan without a price ends the"
      " bill.  While paid time or a balance is left, neither that nor a change"
      " between periods and checks is made, unless --now is given: the rest is"
      " credited to the balance",
      2, 2, CTL_READY, ctl_bill_plan },
    { "bill show", "SID",
      "show what an account pays for, and until when it has paid",
      1, 1, CTL_READY, ctl_op },
    { "bill list", "[--state STATE,...]",
      "list the payments of all accounts that are not done: open, sent,"
      " processing, customer (who has to act), unknown, operator (you find out"
      " how it ended), failed",
      0, 0, CTL_READY, ctl_bill_list },
    { "bill renew", "SID on|off",
      "turn automatic renewal on or off: with it, a payment is opened seven"
      " days before a period ends",
      2, 2, CTL_READY, ctl_bill_renew },
    { "bill retry", "SID",
      "charge the open payment at once, also after a final decline; of a plan"
      " that has lapsed, open a payment",
      1, 1, CTL_READY, ctl_op },
    { "bill paid", "SID PAYMENT [--amount USD] [--reference TEXT]",
      "book a payment that has arrived; the reference is that of your books."
      "  --amount: so much has arrived; the period is paid in full",
      2, 2, CTL_READY, ctl_op },
    { "bill settle",
      "SID PAYMENT succeeded|failed [--amount USD] [--reference TEXT]"
      " [--force]",
      "record how a payment ended that the gateway says nothing about; look"
      " into the gateway's own list first.  A payment that is not left to you"
      " fails only with --force.  --amount: so much was charged",
      3, 3, CTL_READY, ctl_op },
    { "bill refund", "SID PAYMENT AMOUNT --reference TEXT",
      "book that some of a payment, or all of it, was paid back; the money"
      " moves at the gateway or at your bank, and the reference is that of the"
      " refund",
      3, 3, CTL_READY, ctl_op },
    { "bill source add", "SID --back URL",
      "make a page of the gateway on which the customer adds a card; it leads"
      " to URL then, and bill sources shows its address",
      1, 1, CTL_READY, ctl_bill_source_add },
    { "bill source remove", "SID SOURCE",
      "remove a payment source",
      2, 2, CTL_READY, ctl_op },
    { "bill source default", "SID SOURCE",
      "choose the payment source that is charged",
      2, 2, CTL_READY, ctl_op },
    { "bill sources", "SID",
      "show the payment sources of an account",
      1, 1, CTL_READY, ctl_bill_sources },
    { "bill payments", "[SID] [--from DAY] [--to DAY] [--csv]",
      "list the payments of an account, or of all accounts: those done from a"
      " day (UTC, 2026-11-01) to before another one, or opened then if they"
      " are not done",
      0, 1, CTL_READY, ctl_bill_payments },
    { "bill ledger", "SID [--from DAY] [--to DAY] [--csv]",
      "print the ledger of an account: every movement of money, or those from a"
      " day (UTC, 2026-11-01) to before another one; use is of the day on which"
      " it was used",
      1, 1, CTL_READY, ctl_bill_ledger },
    { "bill topup", "SID AMOUNT [--reference TEXT]",
      "book money that an account has paid in advance for checks; a reference"
      " is booked once",
      2, 2, CTL_READY, ctl_op },
    { "bill adjust", "SID +AMOUNT|-AMOUNT REASON [--reference TEXT]",
      "change the balance of an account; the ledger has the reason.  A"
      " reference is booked once",
      3, 3, CTL_READY, ctl_op },
    { "bill recharge", "SID FALLS_BELOW RECHARGE_TO|off [--now]",
      "open a payment that brings the balance to an amount when it falls below"
      " another one; if it is below already, only with --now",
      2, 3, CTL_READY, ctl_bill_recharge },
    { "bill alert", "SID AMOUNT|off",
      "send billing.balance.alert when the balance falls below an amount",
      2, 2, CTL_READY, ctl_bill_alert },
    { "plan list", "[--file FILE]",
      "check the plans file (/etc/rbl-checkd/plans.json) and list its plans",
      0, 0, CTL_OFFLINE, ctl_plan_list },
    { "plan show", "NAME [--file FILE]",
      "show a plan",
      1, 1, CTL_OFFLINE, ctl_plan_show },
    { "app add", "ACCOUNT NAME",
      "create an application; prints its token and secret, only once",
      2, 2, CTL_READY, ctl_op },
    { "app rotate", "ACCOUNT APP [--keep]",
      "create a new token and revoke the old tokens of an application;"
      " --keep: the old tokens stay valid",
      2, 2, CTL_READY, ctl_op },
    { "app revoke", "ACCOUNT APP",
      "revoke an application and its tokens",
      2, 2, CTL_READY, ctl_op },
    { "app list", "ACCOUNT",
      "list the applications of an account",
      1, 1, CTL_READY, ctl_op },
    { "app allow", "ACCOUNT APP CIDR,CIDR|--none",
      "restrict an application to these networks; --none: allow all networks",
      2, 3, CTL_READY, ctl_app_allow },
    { "app limit", "ACCOUNT APP [--hour N] [--reads N] [--writes N]"
      " [--starts N]|--none",
      "set the rate limits of an application: requests per hour, and reads,"
      " writes and check starts per second; --none: no limits",
      2, 2, CTL_READY, ctl_app_limit },
    { "app stats", "ACCOUNT APP [--hours N|--days N]",
      "show the requests and errors of an application, by default of the last"
      " 24 hours",
      2, 2, CTL_READY, ctl_app_stats },
    { "app errors", "ACCOUNT APP [--last N]",
      "show the error log of an application: the last 20 entries by default,"
      " at most 1000",
      2, 2, CTL_READY, ctl_app_errors },
    { "token list", "ACCOUNT APP",
      "list the tokens of an application by digits of their SHA-256",
      2, 2, CTL_READY, ctl_token_list },
    { "token revoke", "ACCOUNT APP DIGITS",
      "revoke one token of an application",
      3, 3, CTL_READY, ctl_op },
    { "user add", "ACCOUNT MAIL --role owner|admin|viewer [--name NAME]"
      " [--url URL]",
      "add a user of the portal; prints a link that signs in once, within 15"
      " minutes",
      2, 2, CTL_READY, ctl_user_add },
    { "user list", "ACCOUNT",
      "list the users of an account",
      1, 1, CTL_READY, ctl_op },
    { "user link", "ACCOUNT USER [--url URL]",
      "print another link that signs the user in once, within 15 minutes",
      2, 2, CTL_READY, ctl_user_link },
    { "user delete", "ACCOUNT USER",
      "delete a user; the user's sessions end",
      2, 2, CTL_READY, ctl_op },
    { "operator add",
      "MAIL [--role owner|admin|viewer] [--name NAME] [--url URL]",
      "add an operator, who sees all accounts in the portal, by default with"
      " the role viewer; prints a link as user add does",
      1, 1, CTL_READY, ctl_operator_add },
    { "operator list", "",
      "list the operators",
      0, 0, CTL_READY, ctl_operator },
    { "operator link", "OPERATOR [--url URL]",
      "print another link that signs the operator in once, within 15 minutes",
      1, 1, CTL_READY, ctl_operator_link },
    { "operator delete", "OPERATOR",
      "delete an operator; the operator's sessions end",
      1, 1, CTL_READY, ctl_operator },
    { "webhook add", "ACCOUNT NAME URL [--types TYPE,TYPE]",
      "add a webhook receiver; prints its secret, only once",
      3, 3, CTL_READY, ctl_op },
    { "webhook list", "ACCOUNT",
      "list the webhook receivers of an account",
      1, 1, CTL_READY, ctl_op },
    { "webhook show", "ACCOUNT WEBHOOK",
      "show a webhook receiver and the state of its deliveries",
      2, 2, CTL_READY, ctl_op },
    { "webhook rename", "ACCOUNT WEBHOOK NAME",
      "rename a webhook receiver",
      3, 3, CTL_READY, ctl_op },
    { "webhook url", "ACCOUNT WEBHOOK URL",
      "change the URL of a webhook receiver",
      3, 3, CTL_READY, ctl_op },
    { "webhook types", "ACCOUNT WEBHOOK TYPE,TYPE|--all",
      "choose the event types of a webhook receiver; --all: all types",
      2, 3, CTL_READY, ctl_webhook_types },
    { "webhook rotate", "ACCOUNT WEBHOOK [--overlap TIME]",
      "create a new secret and print it, only once; the old secret also signs"
      " for 24h, or for the time of --overlap",
      2, 2, CTL_READY, ctl_op },
    { "webhook enable", "ACCOUNT WEBHOOK",
      "enable a webhook receiver; deliveries start at once",
      2, 2, CTL_READY, ctl_op },
    { "webhook disable", "ACCOUNT WEBHOOK",
      "disable a webhook receiver; its events become dead letters, for five"
      " days",
      2, 2, CTL_READY, ctl_op },
    { "webhook delete", "ACCOUNT WEBHOOK",
      "delete a webhook receiver and its log",
      2, 2, CTL_READY, ctl_op },
    { "webhook test", "ACCOUNT WEBHOOK [--wait TIME]",
      "send one event of type webhook.test; exit status 1 if it is not"
      " delivered",
      2, 2, CTL_READY, ctl_webhook_test },
    { "webhook log", "ACCOUNT WEBHOOK|APP|CONTACT [--last N] [--event SID]",
      "show the last delivery attempts, 20 by default, at most 1000; for an"
      " application: those of its callbacks",
      2, 2, CTL_READY, ctl_webhook_log },
    { "webhook dead", "ACCOUNT [WEBHOOK|APP|CONTACT] [--last N]",
      "show the last dead letters, 20 by default",
      1, 2, CTL_READY, ctl_webhook_dead },
    { "webhook replay", "ACCOUNT WEBHOOK|APP EVENT|--all|--from TIME"
      " [--to TIME]",
      "deliver dead letters again: one event, all, or those of a period; TIME"
      " is UTC, such as 2026-11-20T09:30:00, or an age, such as 2h",
      2, 3, CTL_READY, ctl_webhook_replay },
    { "contact list", "ACCOUNT",
      "list the contacts of an account, and what each is notified about, and"
      " when",
      1, 1, CTL_READY, ctl_op },
    { "contact alert", "ACCOUNT CONTACT [--weight critical|high|normal|info]"
      " [--rhythm TEXT] [--quiet HH:MM-HH:MM|none] [--after N] [--checks N]",
      "notify a contact only about listings of this weight or above; at times"
      " of a rhythm: now, hourly, \"daily 08:00\" or \"weekly mon 08:00\";"
      " never in quiet hours; once a listing has stood for so many minutes, or"
      " so many checks (1 to 5) have found it",
      2, 2, CTL_READY, ctl_op },
    { "mute list", "ACCOUNT",
      "list the mutes of an account, also those that have ended",
      1, 1, CTL_READY, ctl_op },
    { "mute add", "ACCOUNT UNTIL REASON [--target SID [--group SID]]"
      " [--begin WHEN] [--repeat TEXT --minutes N]",
      "tell the contacts of an account nothing until a time (UTC,"
      " 2026-11-20T17:00), or for 90m, 12h or 7d; --target: nothing of this"
      " host, range, contact group or list; --group: of that list only within"
      " this contact group; --begin: not before that time;"
      " --repeat: only \"daily 22:00\" or \"weekly sat,sun 22:00\", by the"
      " account's time zone, for so many minutes; UNTIL may then be never",
      3, 3, CTL_READY, ctl_op },
    { "mute end", "ACCOUNT MUTE",
      "end a mute now; contacts are told what they do not know",
      2, 2, CTL_READY, ctl_op },
    { "profile list", "ACCOUNT",
      "list the monitoring profiles of an account: how many lists each has,"
      " and which system lists it leaves out",
      1, 1, CTL_READY, ctl_op },
    { "profile show", "ACCOUNT PROFILE",
      "show a monitoring profile",
      2, 2, CTL_READY, ctl_op },
    { "profile add", "ACCOUNT NAME [--except LISTS]",
      "add a monitoring profile that follows the system lists; --except: all"
      " but these, zones or SIDs with commas",
      2, 2, CTL_READY, ctl_profile_add },
    { "profile except", "ACCOUNT PROFILE LISTS|--none",
      "have a monitoring profile follow the system lists but these, zones or"
      " SIDs with commas; --none: all of them",
      2, 3, CTL_READY, ctl_profile_except },
    { "lists load", "FILE",
      "load the blocklists of a catalogue (conf/lists.json), at most 200",
      1, 1, CTL_READY, ctl_lists_load },
    { "lists show", "[ZONE|SID] [--stored]",
      "show all blocklists, or one list and the present state of its name"
      " servers",
      0, 1, CTL_READY, ctl_lists_show },
    { "lists enable", "ZONE",
      "enable a list: the daemons query it",
      1, 1, CTL_READY, ctl_lists_enable },
    { "lists disable", "ZONE",
      "disable a list: the daemons do not query it",
      1, 1, CTL_READY, ctl_op },
    { "lists key", "ZONE [--file FILE]|--remove",
      "set the access key of a list, from standard input or a file; --remove:"
      " remove it",
      1, 1, CTL_READY, ctl_lists_key },
    { "lists override", "ZONE [--names both|full|registered]"
      " [--min-interval TIME] [--rate N] [--day-quota N] [--weight WEIGHT]"
      " [--control MODE] [--codes FILE] [--server ADDRESS[@PORT]] [--none]",
      "override the catalogue for a list, until the override is removed",
      1, 1, CTL_READY, ctl_lists_override },
    { "lists kill", "ZONE REASON",
      "end the use of a list, even if a catalogue contains it",
      2, 2, CTL_READY, ctl_op },
    { "lists unkill", "ZONE",
      "undo lists kill",
      1, 1, CTL_READY, ctl_op },
    { "lists thaw", "ZONE",
      "unfreeze a list",
      1, 1, CTL_READY, ctl_lists_thaw },
    { "check", "HOST [--lists FILE] [--resolver ADDRESS] [--trace]",
      "check a host now; --trace: show each query, response and rule; exit"
      " status 0 clear, 1 listed, 2 unknown",
      1, 1, CTL_OFFLINE, ctl_check },
    { "host", "HOST | ACCOUNT HOST|VALUE",
      "show a host, its state at each list, and its history",
      1, 2, CTL_READY, ctl_host },
    { "mark", "ACCOUNT HOST|VALUE LIST|ZONE [--asked true|false]"
      " [--expected true|false] [--ticket TEXT]",
      "note about a current listing of a host that its removal was asked for,"
      " that it is expected, or a ticket; without an option, show what is"
      " noted",
      3, 3, CTL_READY, ctl_mark },
    { "queue", "",
      "show how many checks and deliveries wait, and since when",
      0, 0, CTL_READY, ctl_queue },
    { "audit", "ACCOUNT [--limit N] [--who SID] [--target SID]",
      "show the audit log of an account: the last 20 entries by default, at"
      " most 4000; --who: those of a user or an application, --target: those of"
      " one object",
      1, 1, CTL_READY, ctl_audit },
    { "fsck", "[ACCOUNT] [--repair]",
      "check the consistency of the store; --repair: fix what it finds; exit"
      " status 1 if it finds a fault",
      0, 1, CTL_READY | CTL_OWN_USER, ctl_fsck },
    { "restored", "",
      "after a restore of a backup: end all sessions and sign-in links, and"
      " list the tokens, of all accounts",
      0, 0, CTL_READY, ctl_restored },
    { "status", "",
      "show the store, the lists, and the daemons with their counters",
      0, 0, CTL_STORE | CTL_LOOKS, ctl_status },
    { "doctor", "[--daemon FILE] [--nginx FILE] [--url URL] [--lists FILE]"
      " [--backups DIR]",
      "try everything that can make the service fail, from this machine, and"
      " show what is wrong and the line that mends it; --daemon, --nginx: their"
      " configurations, --url: of the portal, --lists: the catalogue,"
      " --backups: copies of the store",
      0, 0, CTL_OFFLINE | CTL_LOOKS, ctl_doctor },
    { NULL, NULL, NULL, 0, 0, CTL_OFFLINE, NULL }
};
