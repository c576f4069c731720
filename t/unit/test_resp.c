/*
 * Replies and their limits: the octets of a store arrive in one piece and byte
 * by byte.  Commands: in the form that the store reads.
 */

#include "rbl_resp.h"
#include "tap.h"


#define L4  "*1\r\n*1\r\n*1\r\n*1\r\n"

static const struct {
    const char  *name;
    const char  *text;
    int          good;
} replies[] = {
    { "a status", "+OK\r\n", 1 },
    { "an error", "-ERR x\r\n", 1 },
    { "an empty text", "$0\r\n\r\n", 1 },
    { "a text without its end", "$1\r\nxy\r\n", 0 },
    { "a size that is none", "$-2\r\n", 0 },
    { "a number that is none", ":1a\r\n", 0 },
    { "the largest number", ":9223372036854775807\r\n", 1 },
    { "the smallest number", ":-9223372036854775808\r\n", 1 },
    { "a larger number", ":9223372036854775808\r\n", 0 },
    { "a line with LF alone", "+a\nb\r\n", 0 },
    { "no array", "*-1\r\n", 1 },
    { "an empty one", "*0\r\n", 1 },
    { "one in one", "*1\r\n*2\r\n:1\r\n$1\r\nx\r\n", 1 },
    { "more than any reply has", "*2097153\r\n", 0 },
    { "as many as an int holds", "*2147483647\r\n", 0 },
    { "two levels, too many in all", "*2000000\r\n*2000000\r\n", 0 },
    { "not too many yet", "*3\r\n*1000000\r\n", 1 },
    { "three levels", "*1000000\r\n*1000000\r\n*1000000\r\n", 0 },
    { "seven levels", L4 "*1\r\n*1\r\n*1\r\n:1\r\n", 1 },
    { "eight levels", L4 L4, 0 },
    { "a map", "%1\r\n+a\r\n+b\r\n", 0 },
    { "a set", "~1\r\n+a\r\n", 0 },
    { "a push", ">1\r\n+a\r\n", 0 },
    { "a double", ",1.5\r\n", 0 },
    { "a double in an array", "*1\r\n,1.5\r\n", 0 },
    { "a boolean", "#t\r\n", 0 },
    { "a large number", "(1\r\n", 0 },
    { "a string with its format", "=5\r\ntxt:a\r\n", 0 },
};


static void
append(rbl_replies_t *in, const char *text, size_t n)
{
    memcpy(rbl_bytes_room(&in->bytes, n), text, n);
    in->bytes.to += n;
}


/* 1: a reply or an incomplete one, 0: refused. */

static int
feed(const char *text, size_t step)
{
    int            rc;
    size_t         i, n, len = strlen(text);
    redisReply     reply;
    rbl_replies_t  in;

    memset(&in, 0, sizeof(in));
    rc = 0;

    for (i = 0; i < len && rc == 0; i += n) {
        n = len - i < step ? len - i : step;
        append(&in, text + i, n);
        rc = rbl_replies_next(&in, &reply);
        ok((rc == -1) == (in.refused != NULL), "a refusal has a reason");
    }

    rbl_replies_free(&in);

    return rc != -1;
}


/* The limits count each reply separately, and a long one keeps no memory. */

static void
test_many_replies(void)
{
    int            i, n, whole;
    redisReply     reply;
    rbl_replies_t  in;

    memset(&in, 0, sizeof(in));
    whole = 0;

    for (n = 0; n < 30; n++) {
        append(&in, "*100000\r\n", 9);

        for (i = 0; i < 100000; i++) {
            append(&in, ":1\r\n", 4);
        }

        whole += rbl_replies_next(&in, &reply) == 1
                 && rbl_reply_len(&reply) == 100000
                 && rbl_reply_int(rbl_reply_at(&reply, 99999), 0) == 1;
    }

    ok(whole == 30, "thirty long replies are read");
    append(&in, "+OK\r\n", 5);
    ok(rbl_replies_next(&in, &reply) == 1 && in.size < 1000,
       "their memory goes with them");
    rbl_replies_free(&in);
}


static void
test_values(void)
{
    redisReply     reply;
    rbl_replies_t  in;

    static const char  text[] =
        "*5\r\n$1\r\na\r\n:-7\r\n*2\r\n$0\r\n\r\n$-1\r\n*0\r\n-ERR no\r\n"
        "+OK\r\n";

    memset(&in, 0, sizeof(in));
    append(&in, text, sizeof(text) - 1);
    ok(rbl_replies_next(&in, &reply) == 1 && rbl_reply_len(&reply) == 5,
       "an array");
    ok(rbl_str_is(rbl_reply_str(rbl_reply_at(&reply, 0)), "a"), "a text");
    ok(rbl_reply_int(rbl_reply_at(&reply, 1), 0) == -7, "a number");
    ok(rbl_reply_len(rbl_reply_at(&reply, 2)) == 2
       && rbl_reply_str(rbl_reply_at(rbl_reply_at(&reply, 2), 0)).p != NULL
       && rbl_reply_str(rbl_reply_at(rbl_reply_at(&reply, 2), 1)).p == NULL,
       "an empty text and none");
    ok(rbl_reply_at(&reply, 3)->type == REDIS_REPLY_ARRAY
       && rbl_reply_len(rbl_reply_at(&reply, 3)) == 0, "an empty array");
    ok(rbl_str_is(rbl_reply_error(rbl_reply_at(&reply, 4)), "ERR no"),
       "an error");
    ok(rbl_replies_next(&in, &reply) == 1
       && rbl_str_is(rbl_reply_str(&reply), "OK"), "the next reply");
    ok(rbl_replies_next(&in, &reply) == 0, "there is none behind it");
    rbl_replies_free(&in);
}


static int
is_text(const char *bytes, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(bytes, text, n) == 0;
}


static void
test_commands(void)
{
    char          to[512];
    size_t        n, tail;
    rbl_str_t     argv[] = { RBL_STR("k"), RBL_STR("") };
    rbl_script_t  script = { .name = "s", .source = "return 1",
                             .source_len = 8, .nkeys = 1, .argc = 2,
                             .sha1 = "0123456789abcdef0123456789abcdef01234567"
                           };

    n = rbl_resp_command(to, &tail, NULL, RBL_STR(""), 2, argv);
    ok(is_text(to, n, "*2\r\n$1\r\nk\r\n$0\r\n\r\n"), "a command");
    ok(n <= rbl_resp_size(NULL, RBL_STR(""), 2, argv), "its size");
    ok(rbl_str_is(rbl_resp_verb((rbl_str_t) { to, n }), "k"), "its name");

    n = rbl_resp_command(to, &tail, &script, RBL_STR("g"), 2, argv);
    ok(is_text(to, n, "*6\r\n$7\r\nEVALSHA\r\n$40\r\n"
                      "0123456789abcdef0123456789abcdef01234567\r\n"
                      "$1\r\n2\r\n$1\r\nk\r\n$1\r\ng\r\n$0\r\n\r\n"),
       "a call with a guard");
    ok(n <= rbl_resp_size(&script, RBL_STR("g"), 2, argv), "its size");

    n = rbl_resp_eval(to + 256, &script, (rbl_str_t) { to, n }, tail);
    ok(is_text(to + 256, n, "*6\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n"
                            "$1\r\n2\r\n$1\r\nk\r\n$1\r\ng\r\n$0\r\n\r\n"),
       "with its source");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        ok(feed(replies[i].text, 1000) == replies[i].good, "%s",
           replies[i].name);
        ok(feed(replies[i].text, 1) == replies[i].good, "%s, byte by byte",
           replies[i].name);
    }

    test_many_replies();
    test_values();
    test_commands();

    return tap_done();
}
