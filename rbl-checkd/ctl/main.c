/*
 * rblctl, the operator's command line: options, the table of commands, and
 * the way to the one that is meant.  What a command needs (nothing, the
 * store, an initialised store) stands in the table and is there before it
 * runs.
 */

#include "ctl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CTL_CONFIG_FILE  CONFIG_DIR "/rblctl.conf"


static const ctl_option_t  none_options[] = { { NULL, 0 } };

static const ctl_option_t  global_options[] = {
    { "json", 0 }, { "store", 1 }, { "prefix", 1 }, { "user", 1 },
    { "password-file", 1 }, { "config", 1 }, { "help", 0 }, { NULL, 0 }
};

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

static const ctl_option_t  fsck_options[] = { { "repair", 0 }, { NULL, 0 } };

static const ctl_option_t  key_options[] = {
    { "file", 1 }, { "remove", 0 }, { NULL, 0 }
};

static const ctl_option_t  override_options[] = {
    { "names", 1 }, { "min-interval", 1 }, { "rate", 1 }, { "day-quota", 1 },
    { "tier", 1 }, { "control", 1 }, { "codes", 1 }, { "none", 0 },
    { NULL, 0 }
};

static const ctl_option_t  check_options[] = {
    { "lists", 1 }, { "resolver", 1 }, { NULL, 0 }
};

static const ctl_command_t  ctl_commands[] = {
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
    { "lists load", "FILE", "load block lists (conf/lists.json)",
      none_options, 1, 1, CTL_READY, ctl_lists_load },
    { "lists show", "[ZONE|SID]", "show all block lists, or one",
      none_options, 0, 1, CTL_READY, ctl_lists_show },
    { "lists enable", "ZONE", "ask a list from now on",
      none_options, 1, 1, CTL_READY, ctl_lists_enable },
    { "lists disable", "ZONE", "ask a list no more",
      none_options, 1, 1, CTL_READY, ctl_lists_disable },
    { "lists key", "ZONE [--file FILE]|--remove",
      "give a list the key that it wants, from standard input or a file",
      key_options, 1, 1, CTL_READY, ctl_lists_key },
    { "lists override", "ZONE [--names both|full|registered]"
      " [--min-interval TIME] [--rate N] [--day-quota N] [--tier TIER]"
      " [--control MODE] [--codes FILE] [--none]",
      "change what the catalogue says of a list, until told otherwise",
      override_options, 1, 1, CTL_READY, ctl_lists_override },
    { "lists kill", "ZONE REASON", "end a list, whatever is loaded",
      none_options, 2, 2, CTL_READY, ctl_lists_kill },
    { "lists unkill", "ZONE", "bring a list back that was killed by hand",
      none_options, 1, 1, CTL_READY, ctl_lists_unkill },
    { "lists thaw", "ZONE", "believe a list again that lists too many at once",
      none_options, 1, 1, CTL_READY, ctl_lists_thaw },
    { "check", "HOST [--lists FILE] [--resolver ADDRESS]",
      "check a host now; exit status 0 clear, 1 listed, 2 unknown",
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


__attribute__((format(printf, 1, 0)))
static void
ctl_say(const char *fmt, va_list ap)
{
    char  line[1024];

    vsnprintf(line, sizeof(line), fmt, ap);

    fflush(stdout);
    fputs("rblctl: ", stderr);
    ctl_put(stderr, line, strlen(line));
    fputc('\n', stderr);
}


int
ctl_fail(const char *fmt, ...)
{
    va_list  ap;

    va_start(ap, fmt);
    ctl_say(fmt, ap);
    va_end(ap);

    return CTL_ERROR;
}


void
ctl_note(const char *fmt, ...)
{
    va_list  ap;

    va_start(ap, fmt);
    ctl_say(fmt, ap);
    va_end(ap);
}


static void
ctl_help(FILE *out)
{
    const ctl_command_t  *c;

    fputs("usage: rblctl [-c FILE] [--store ADDRESS] [--prefix PREFIX]"
          " [--user NAME]\n              [--password-file FILE] [--json]"
          " COMMAND\n\n", out);

    for (c = ctl_commands; c->words != NULL; c++) {
        fprintf(out, "  %s%s%s\n        %s\n", c->words,
                c->usage[0] ? " " : "", c->usage, c->text);
    }

    fputs("\nADDRESS is host:port or unix:/path (also from RBL_STORE), NAME a"
          " user\nof the store.  What is not given is taken from "
          CTL_CONFIG_FILE "\nor, if there is none, from " CONFIG_FILE
          ".\nThe exit status is 0, or 3 after an error.\n", out);
}


const char *
ctl_option(const ctl_t *ctl, const char *name)
{
    int  i;

    /* the last one wins */

    for (i = ctl->n_options - 1; i >= 0; i--) {
        if (strcmp(ctl->options[i].name, name) == 0) {
            return ctl->options[i].value;
        }
    }

    return NULL;
}


static const ctl_option_t *
ctl_option_find(const ctl_option_t *o, const char *name, size_t n)
{
    for ( /* void */ ; o->name != NULL; o++) {
        if (strlen(o->name) == n && strncmp(o->name, name, n) == 0) {
            return o;
        }
    }

    return NULL;
}


/* An option that any command knows, or the command meant.  NULL: none. */
static const ctl_option_t *
ctl_option_known(const ctl_t *ctl, const char *name, size_t n)
{
    const ctl_option_t   *o;
    const ctl_command_t  *c;

    o = ctl_option_find(global_options, name, n);
    if (o != NULL || ctl->command != NULL) {
        return o ? o : ctl_option_find(ctl->command->options, name, n);
    }

    for (c = ctl_commands; c->words != NULL && o == NULL; c++) {
        o = ctl_option_find(c->options, name, n);
    }

    return o;
}


/* Takes the option at argv[i]; the index of the last word taken, or -1. */
static int
ctl_option_take(ctl_t *ctl, int i, int argc, char **argv)
{
    size_t               n;
    const char          *word, *value;
    const ctl_option_t  *o;

    word = strcmp(argv[i], "-c") == 0 ? "--config"
           : strcmp(argv[i], "-h") == 0 ? "--help" : argv[i];

    if (word[1] != '-') {
        ctl_fail("unknown option %s", word);
        return -1;
    }

    word += 2;
    n = strcspn(word, "=");
    o = ctl_option_known(ctl, word, n);

    if (o == NULL) {
        ctl_fail("unknown option --%s%s%s", word,
                 ctl->command ? " of " : "",
                 ctl->command ? ctl->command->words : "");
        return -1;
    }

    value = word[n] == '=' ? word + n + 1 : NULL;

    if (o->value && value == NULL) {
        value = ++i < argc ? argv[i] : NULL;
        if (value == NULL) {
            ctl_fail("--%s needs a value", o->name);
            return -1;
        }

    } else if (!o->value && value != NULL) {
        ctl_fail("--%s takes no value", o->name);
        return -1;
    }

    if (ctl->n_options == CTL_MAX_OPTIONS) {
        ctl_fail("too many options");
        return -1;
    }

    ctl->options[ctl->n_options].name = o->name;
    ctl->options[ctl->n_options++].value = value ? value : "";

    return i;
}


/* Number of words of the command that matched, 0: none. */
static int
ctl_command_match(const ctl_command_t *c, int n, char *const *words)
{
    int          i;
    size_t       len;
    const char  *p;

    p = c->words;

    for (i = 0; *p != '\0'; i++) {
        len = strcspn(p, " ");
        if (i == n || strlen(words[i]) != len
            || strncmp(words[i], p, len) != 0)
        {
            return 0;
        }

        p += len + (p[len] == ' ');
    }

    return i;
}


static int
ctl_command_find(ctl_t *ctl, int n, char **words)
{
    int                   i, taken;
    const ctl_command_t  *c;

    for (c = ctl_commands; c->words != NULL; c++) {
        taken = ctl_command_match(c, n, words);
        if (taken == 0) {
            continue;
        }

        ctl->command = c;
        ctl->n_args = n - taken;

        if (ctl->n_args < c->min || ctl->n_args > c->max) {
            break;
        }

        for (i = 0; i < ctl->n_args; i++) {
            ctl->args[i] = rbl_str(words[taken + i]);
        }

        return 0;
    }

    if (c->words != NULL) {
        ctl_fail("usage: rblctl %s%s%s", c->words, c->usage[0] ? " " : "",
                 c->usage);
    } else {
        ctl_fail("unknown command \"%.40s%s%.40s\"; rblctl --help names them"
                 " all", words[0], n > 1 ? " " : "", n > 1 ? words[1] : "");
    }

    return -1;
}


static int
ctl_options_fit(const ctl_t *ctl)
{
    int          i;
    const char  *name;

    for (i = 0; i < ctl->n_options; i++) {
        name = ctl->options[i].name;
        if (ctl_option_known(ctl, name, strlen(name)) == NULL) {
            ctl_fail("unknown option --%s of %s", name, ctl->command->words);
            return -1;
        }
    }

    return 0;
}


/* 0; 1: help was asked for; -1: failed, and said. */
static int
ctl_parse(ctl_t *ctl, int argc, char **argv)
{
    int    i, n, plain;
    char  *words[8];

    plain = 0;

    for (i = 1, n = 0; i < argc; i++) {
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = 1;

        } else if (!plain && argv[i][0] == '-' && argv[i][1] != '\0') {
            i = ctl_option_take(ctl, i, argc, argv);
            if (i < 0) {
                return -1;
            }

        } else if (n == (int) (sizeof(words) / sizeof(words[0]))) {
            ctl_fail("too many arguments");
            return -1;

        } else {
            words[n++] = argv[i];
        }
    }

    if (n == 0 || ctl_option(ctl, "help") != NULL) {
        return 1;
    }

    return ctl_command_find(ctl, n, words) || ctl_options_fit(ctl) ? -1 : 0;
}


/*
 * The configuration to read; NULL: none.  One that is there but closed to
 * this user is an error to whoever needs the store, and nothing to the rest.
 */
static const char *
ctl_config_file(const ctl_t *ctl)
{
    int          mode;
    const char  *path;

    path = ctl_option(ctl, "config");
    if (path != NULL) {
        return path;
    }

    mode = ctl->command->need == CTL_OFFLINE ? R_OK : F_OK;

    return access(CTL_CONFIG_FILE, mode) == 0 ? CTL_CONFIG_FILE
           : access(CONFIG_FILE, mode) == 0 ? CONFIG_FILE : NULL;
}


static int
ctl_configure(ctl_t *ctl)
{
    char         err[512];
    size_t       i;
    const char  *value;

    static const struct {
        const char  *option, *key;
    } set[] = {
        { "store", "store" }, { "prefix", "store_prefix" },
        { "user", "store_user" }, { "password-file", "store_password_file" }
    };

    config_defaults(&ctl->conf);

    value = ctl_config_file(ctl);
    if (value != NULL && config_read(&ctl->conf, value, err, sizeof(err))) {
        ctl_fail("%s", err);
        return -1;
    }

    for (i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
        value = ctl_option(ctl, set[i].option);
        if (value == NULL && i == 0) {
            value = getenv("RBL_STORE");
        }

        if (value != NULL
            && config_set(&ctl->conf, set[i].key, value, err, sizeof(err)))
        {
            ctl_fail("%s", err);
            return -1;
        }
    }

    if (rbl_keyspace_init(&ctl->ks, rbl_str(ctl->conf.store_prefix))
        != RBL_OK)
    {
        ctl_fail("the prefix must be 1 to %d of A-Z a-z 0-9 _ . -",
                 RBL_PREFIX_MAX);
        return -1;
    }

    return 0;
}


int
main(int argc, char **argv)
{
    int           rc;
    static ctl_t  ctl;

    rc = ctl_parse(&ctl, argc, argv);
    if (rc != 0) {
        if (rc > 0) {
            ctl_help(argc > 1 ? stdout : stderr);
        }

        return rc > 0 && argc > 1 && ctl_option(&ctl, "help") ? CTL_OK
                                                              : CTL_ERROR;
    }

    ctl.json = ctl_option(&ctl, "json") != NULL;

    if (ctl_configure(&ctl) != 0
        || (ctl.command->need >= CTL_STORE && ctl_connect(&ctl) != 0)
        || (ctl.command->need >= CTL_READY && ctl_meta(&ctl) != 0))
    {
        rc = CTL_ERROR;
    } else {
        rc = ctl.command->run(&ctl);
    }

    if (ctl.redis != NULL) {
        redisFree(ctl.redis);
    }

    if (fflush(stdout) != 0 || ferror(stdout)) {
        return ctl_fail("cannot write to standard output");
    }

    return rc;
}
