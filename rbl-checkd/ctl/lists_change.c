/*
 * rblctl lists: changes of one list by the operator.  Each partition has a copy
 * of the list, so a change goes to every partition; after a failure halfway the
 * command may be repeated, with the same result.  Daemons see the change within
 * a second.
 *
 * The key of a list is a secret that it requires in query names.  It comes from
 * standard input or a file, never from the command line; it goes only to the
 * store, and is never shown.
 */

#include "lists.h"

#include "check/lists/lists.h"
#include "op.h"

#include <errno.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

#define LINE_SIZE  256


int
ctl_lists_enable(ctl_t *ctl)
{
    int          needed;
    rbl_sid_t    sid;
    rbl_list_t   l;
    redisReply  *reply, *keys;

    keys = ctl_lists_keys(ctl);

    if (keys == NULL || ctl_list_load(ctl, ctl->args[0], &sid, &l, &reply) != 0)
    {
        freeReplyObject(keys);
        return CTL_ERROR;
    }

    needed = ctl_list_keyed(&l) && !ctl_list_has_key(keys, l.zone);
    freeReplyObject(reply);
    freeReplyObject(keys);

    if (needed) {
        return ctl_fail("%s needs a key, and has none: rblctl lists key %s"
                        " takes it from standard input", ctl->args[0].p,
                        ctl->args[0].p);
    }

    return ctl_op_with(ctl, 0, NULL);
}


int
ctl_lists_thaw(ctl_t *ctl)
{
    rbl_sid_t    sid;
    rbl_list_t   l;
    redisReply  *reply;

    if (ctl_list_load(ctl, ctl->args[0], &sid, &l, &reply) != 0) {
        return CTL_ERROR;
    }

    freeReplyObject(reply);

    return ctl_op_with(ctl, 0, NULL);
}


/* Reads the first line, cut to its size.  0; -1: error printed. */
static int
read_line(rbl_str_t *text, char line[LINE_SIZE], FILE *f, const char *what)
{
    int     c;
    size_t  n;

    n = 0;

    while ((c = getc(f)) != EOF && c != '\n') {
        if (n < LINE_SIZE) {
            line[n++] = (char) c;
        }
    }

    if (n == 0 && c == EOF) {
        ctl_fail("%s: %s", what, ferror(f) ? strerror(errno) : "is empty");
        return -1;
    }

    text->p = line;
    text->n = n;

    return 0;
}


/* Reads the key; a terminal does not echo it. */
static int
read_input(rbl_str_t *text, char line[LINE_SIZE])
{
    int             rc, tty;
    struct termios  was, quiet;

    tty = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &was) == 0;

    if (tty) {
        fputs("Key: ", stderr);
        quiet = was;
        quiet.c_lflag &= ~(tcflag_t) ECHO;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }

    rc = read_line(text, line, stdin, "standard input");

    if (tty) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &was);
        fputc('\n', stderr);
    }

    return rc;
}


static int
read_key(const ctl_t *ctl, char line[LINE_SIZE], rbl_str_t *key)
{
    int          rc;
    FILE        *f;
    const char  *path;

    path = ctl_option(ctl, "file");

    if (path == NULL) {
        rc = read_input(key, line);

    } else {
        f = fopen(path, "re");
        if (f == NULL) {
            ctl_fail("%s: %s", path, strerror(errno));
            return -1;
        }

        rc = read_line(key, line, f, path);
        fclose(f);
    }

    if (rc != 0) {
        return -1;
    }

    *key = rbl_trim(*key);

    if (!list_key_ok(*key)) {
        ctl_fail("a key must be 1 to 63 letters, digits and hyphens, without a"
                 " hyphen at either end");
        return -1;
    }

    return 0;
}


static int
key_put(ctl_t *ctl, const rbl_sid_t *sid, rbl_str_t secret)
{
    rbl_key_t               key;
    redisReply             *reply;
    rbl_lists_key_args_t    args;
    rbl_lists_key_reply_t   said;

    args.lists = ctl_key(ctl, &key, 0, "lists");
    args.list = rbl_sid_str(sid);
    args.secret = secret;
    reply = ctl_script(ctl, CTL_SCRIPT(lists_key, args));
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_lists_key_reply(&said, reply);
    freeReplyObject(reply);

    return said.word == RBL_LISTS_KEY_OK
           ? ctl_list_show(ctl, ctl->args[0], 0)
           : ctl_fail("there is no list %s that wants a key; rblctl lists show"
                      " names them all", ctl->args[0].p);
}


/* A killed list is not queried either.  0; -1: error printed. */
static int
key_disable(ctl_t *ctl, const rbl_sid_t *sid)
{
    redisReply               *reply;
    rbl_lists_status_args_t   args;

    args.list = rbl_sid_str(sid);
    args.status = RBL_STR("disabled");

    reply = ctl_op_system(ctl, &rbl_op_list_disable, args.list, RBL_ARGC(args),
                          args.argv);
    freeReplyObject(reply);

    return reply != NULL ? 0 : -1;
}


int
ctl_lists_key(ctl_t *ctl)
{
    int          rc, keyed;
    char         line[LINE_SIZE];
    rbl_sid_t    sid;
    rbl_str_t    key = RBL_STR("");
    rbl_list_t   l;
    redisReply  *reply;

    if (ctl_list_load(ctl, ctl->args[0], &sid, &l, &reply) != 0) {
        return CTL_ERROR;
    }

    keyed = ctl_list_keyed(&l);
    freeReplyObject(reply);

    if (!keyed) {
        return ctl_fail("%s wants no key: there is no {key} in its zone",
                        ctl->args[0].p);
    }

    /* A list without its key cannot be queried: no check may wait for it. */

    if (ctl_option(ctl, "remove") != NULL) {
        return key_disable(ctl, &sid) == 0 ? key_put(ctl, &sid, key)
                                           : CTL_ERROR;
    }

    rc = read_key(ctl, line, &key) == 0 ? key_put(ctl, &sid, key) : CTL_ERROR;
    explicit_bzero(line, sizeof(line));

    return rc;
}
