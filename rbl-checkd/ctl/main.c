/*
 * rblctl, the operator's command line: parses options and runs the command.
 * The table of commands says what each needs (nothing, the store, an
 * initialised store); main.c provides it before the command runs.
 */

#include "base/xalloc.h"
#include "ctl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CTL_CONFIG_FILE  CONFIG_DIR "/rblctl.conf"


/* Options of all commands. */
static const char  global_usage[] =
    "[--json] [--store STORE] [--prefix PREFIX] [--user NAME]"
    " [--password-file FILE] [--config FILE] [--help]";


static void
ctl_help_command(FILE *out, const ctl_command_t *c)
{
    fprintf(out, "  %s%s%s\n        %s\n", c->words, c->usage[0] ? " " : "",
            c->usage, c->text);
}


static void
ctl_help(FILE *out)
{
    const ctl_command_t  *c;

    fputs("usage: rblctl [-c FILE] [--store STORE] [--prefix PREFIX]"
          " [--user NAME]\n              [--password-file FILE] [--json]"
          " COMMAND\n\n", out);

    for (c = ctl_commands; c->words != NULL; c++) {
        ctl_help_command(out, c);
    }

    fputs("\nSTORE (also from RBL_STORE) is HOST:PORT or unix:/PATH for one"
          " Redis,\nsentinel:NAME@HOST:PORT,... for the master NAME that these"
          " Sentinels know, or\ncluster:HOST:PORT,... for a Redis Cluster with"
          " these nodes.  NAME is a user of\nthe store.  What is not given is"
          " taken from " CTL_CONFIG_FILE "\nor, if there is none, from "
          CONFIG_FILE ".\nThe exit status is 0, or 3 after an error.\n", out);
}


/* A global option, or one of the command; of any while it is not known. */
static ctl_option_kind_t
ctl_option_known(const ctl_t *ctl, const char *name, size_t n)
{
    ctl_option_kind_t     kind;
    const ctl_command_t  *c;

    kind = ctl_option_kind(global_usage, name, n);

    if (kind == CTL_NO_OPTION && ctl->command != NULL) {
        return ctl_option_kind(ctl->command->usage, name, n);
    }

    for (c = ctl_commands; c->words != NULL && kind == CTL_NO_OPTION; c++) {
        kind = ctl_option_kind(c->usage, name, n);
    }

    return kind;
}


/* Takes the option at argv[i]; returns the index of the last word taken, or
   -1. */
static int
ctl_option_take(ctl_t *ctl, int i, int argc, char **argv)
{
    char               *name;
    size_t              n;
    const char         *value;
    ctl_option_kind_t   kind;

    static char  config[] = "--config", help[] = "--help";

    name = strcmp(argv[i], "-c") == 0 ? config
           : strcmp(argv[i], "-h") == 0 ? help : argv[i];

    if (name[1] != '-') {
        ctl_fail("unknown option %s", name);
        return -1;
    }

    name += 2;
    n = strcspn(name, "=");
    kind = ctl_option_known(ctl, name, n);

    if (kind == CTL_NO_OPTION) {
        ctl_fail("unknown option --%s", name);
        return -1;
    }

    value = name[n] == '=' ? name + n + 1 : NULL;
    name[n] = '\0';

    if (kind != CTL_FLAG && value == NULL) {
        value = ++i < argc ? argv[i] : NULL;
        if (value == NULL) {
            ctl_fail("--%s needs a value", name);
            return -1;
        }

    } else if (kind == CTL_FLAG && value != NULL) {
        ctl_fail("--%s takes no value", name);
        return -1;
    }

    if (ctl->n_options == CTL_MAX_OPTIONS) {
        ctl_fail("too many options");
        return -1;
    }

    ctl->options[ctl->n_options].name = name;
    ctl->options[ctl->n_options++].value = value ? value : "";

    return i;
}


/* Number of words that the command begins with; *left: its words after
   these. */
static int
ctl_command_match(const ctl_command_t *c, int n, char *const *words,
    const char **left)
{
    int          i;
    size_t       len;
    const char  *p = c->words;

    for (i = 0; i < n && *p != '\0'; i++) {
        len = strcspn(p, " ");

        if (strlen(words[i]) != len || strncmp(words[i], p, len) != 0) {
            break;
        }

        p += len + (p[len] == ' ');
    }

    *left = p;

    return i;
}


static int
ctl_unknown(int n, char **words)
{
    ctl_fail("unknown command \"%.40s%s%.40s\"; rblctl --help names them all",
             words[0], n > 1 ? " " : "", n > 1 ? words[1] : "");

    return -1;
}


/* Prints the commands that begin with the words, or the one that they call.
   1; -1: error printed. */
static int
ctl_help_of(int n, char **words)
{
    int                   found = 0;
    const char           *left;
    const ctl_command_t  *c;

    for (c = ctl_commands; c->words != NULL; c++) {
        if (ctl_command_match(c, n, words, &left) == n || *left == '\0') {
            ctl_help_command(stdout, c);
            found = 1;
        }
    }

    return found ? 1 : ctl_unknown(n, words);
}


static int
ctl_command_find(ctl_t *ctl, int n, char **words)
{
    int                   i, taken;
    const char           *left;
    const ctl_command_t  *c;

    for (c = ctl_commands; c->words != NULL; c++) {
        taken = ctl_command_match(c, n, words, &left);
        if (*left != '\0') {
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

    if (c->words == NULL) {
        return ctl_unknown(n, words);
    }

    ctl_fail("usage: rblctl %s%s%s", c->words, c->usage[0] ? " " : "",
             c->usage);

    return -1;
}


static int
ctl_options_fit(const ctl_t *ctl)
{
    int          i;
    const char  *name;

    for (i = 0; i < ctl->n_options; i++) {
        name = ctl->options[i].name;
        if (ctl_option_known(ctl, name, strlen(name)) == CTL_NO_OPTION) {
            ctl_fail("unknown option --%s of %s", name, ctl->command->words);
            return -1;
        }
    }

    return 0;
}


/* An amount below 0 is none, and neither is "-". */
static int
ctl_is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0'
           && (word[1] < '0' || word[1] > '9');
}


/* 0; 1: help was printed; -1: error printed. */
static int
ctl_parse(ctl_t *ctl, int argc, char **argv)
{
    int    i, n, plain;
    char  *words[8];

    plain = 0;

    for (i = 1, n = 0; i < argc; i++) {
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = 1;

        } else if (!plain && ctl_is_option(argv[i])) {
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

    if (n == 0) {
        ctl_help(ctl_option(ctl, "help") ? stdout : stderr);
        return ctl_option(ctl, "help") ? 1 : -1;
    }

    if (ctl_option(ctl, "help")) {
        return ctl_help_of(n, words);
    }

    return ctl_command_find(ctl, n, words) || ctl_options_fit(ctl) ? -1 : 0;
}


/*
 * The configuration to read; NULL: none.  If the file exists but this user may
 * not read it, commands that need the store fail, and the others run.
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

    mode = !(ctl->command->need & CTL_STORE) ? R_OK : F_OK;

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


/* Without this, the connection to the store could get the number of a standard
   descriptor that is closed, and the output would go to the store.  A write to
   one of these fails. */
static void
ctl_descriptors(void)
{
    int  fd;

    do {
        fd = open("/dev/null", O_RDONLY|O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);

    if (fd >= 0) {
        close(fd);
    }
}


/* Returns the exit status: output that was not written is an error.  After an
   error, its line is there already. */
static int
ctl_end(int rc)
{
    return rc != CTL_ERROR && (fflush(stdout) != 0 || ferror(stdout))
           ? ctl_fail("cannot write to standard output") : rc;
}


_Static_assert(CTL_ERROR == XALLOC_STATUS, "errors have one exit status");


int
main(int argc, char **argv)
{
    int           rc;
    static ctl_t  ctl;

    ctl_descriptors();
    xalloc_libraries();
    rc = ctl_parse(&ctl, argc, argv);
    if (rc != 0) {
        return ctl_end(rc > 0 ? CTL_OK : CTL_ERROR);
    }

    ctl.json = ctl_option(&ctl, "json") != NULL;

    if ((!(ctl.command->need & CTL_BARE) && ctl_configure(&ctl) != 0)
        || ((ctl.command->need & CTL_STORE) && ctl_connect(&ctl) != 0)
        || ((ctl.command->need & CTL_META) && ctl_meta(&ctl) != 0))
    {
        rc = CTL_ERROR;
    } else {
        rc = ctl.command->run(&ctl);
    }

    if (rc == CTL_OK && ctl_durable(&ctl) != 0) {
        rc = CTL_ERROR;
    }

    ctl_disconnect(&ctl);

    return ctl_end(rc);
}
