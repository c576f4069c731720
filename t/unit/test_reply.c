/*
 * Typed access to replies, built by hand: valid ones, wrong types, none.
 */

#include "rbl_reply.h"
#include "tap.h"


static redisReply
reply(int type, const char *text, long long v)
{
    redisReply  r;

    memset(&r, 0, sizeof(r));
    r.type = type;
    r.integer = v;
    r.str = (char *) (uintptr_t) text;
    r.len = text ? strlen(text) : 0;

    return r;
}


static const struct {
    const char         *text;
    rbl_reply_class_t   cls;
} errors[] = {
    { "NOSCRIPT No matching script.", RBL_REPLY_NOSCRIPT },
    { "LOADING Redis is loading the dataset in memory", RBL_REPLY_NOTREADY },
    { "MASTERDOWN Link with MASTER is down", RBL_REPLY_NOTREADY },
    { "CLUSTERDOWN The cluster is down", RBL_REPLY_SLOT },
    { "TRYAGAIN Multiple keys request during rehashing", RBL_REPLY_SLOT },
    { "ASK 3999 127.0.0.1:6381", RBL_REPLY_SLOT },
    { "MOVED 3999 127.0.0.1:6381", RBL_REPLY_MOVED },
    { "BUSY Redis is busy running a script.", RBL_REPLY_NOTREADY },
    { "NOREPLICAS Not enough good replicas to write.", RBL_REPLY_NOWRITE },
    { "READONLY You can't write against a read only replica.",
      RBL_REPLY_READONLY },
    { "OOM command not allowed when used memory > 'maxmemory'.",
      RBL_REPLY_NOWRITE },
    { "MISCONF Redis is configured to save RDB snapshots",
      RBL_REPLY_NOWRITE },
    { "NOAUTH Authentication required.", RBL_REPLY_NOAUTH },
    { "WRONGPASS invalid username-password pair", RBL_REPLY_NOAUTH },
    { "NOPERM this user has no permissions", RBL_REPLY_NOPERM },
    { "ERR The user executing the script can't run this command",
      RBL_REPLY_ERROR },
    { "ERR ACL failure in script: User x has no permissions",
      RBL_REPLY_ERROR },
    { "NOGROUP No such key or consumer group", RBL_REPLY_NOGROUP },
    { "BUSYGROUP Consumer Group name already exists", RBL_REPLY_ERROR },
    { "WRONGTYPE Operation against a key", RBL_REPLY_ERROR },
    { "ERR unknown command", RBL_REPLY_ERROR },
    { "LOADING", RBL_REPLY_NOTREADY },
    { "LOADINGX", RBL_REPLY_ERROR },
    { "loading x", RBL_REPLY_ERROR },
    { "", RBL_REPLY_ERROR },
    { NULL, RBL_REPLY_ERROR },
};


static void
test_class(void)
{
    size_t      i;
    redisReply  r;

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        r = reply(REDIS_REPLY_ERROR, errors[i].text, 0);
        ok(rbl_reply_class(&r) == errors[i].cls, "class of '%s'",
           errors[i].text ? errors[i].text : "NULL");
    }

    r = reply(REDIS_REPLY_STATUS, "LOADING", 0);
    ok(rbl_reply_class(&r) == RBL_REPLY_OK, "a status is no error");
    r = reply(REDIS_REPLY_NIL, NULL, 0);
    ok(rbl_reply_class(&r) == RBL_REPLY_OK, "nil is no error");
    ok(rbl_reply_class(NULL) == RBL_REPLY_ERROR, "no reply is one");
}


static const struct {
    const char  *text, *said;
} said[] = {
    { "ERR unknown command 'AUTH', with args beginning with: 'u' 'secret' ",
      "ERR unknown command 'AUTH'" },
    { "ERR unknown command `AUTH`, with args beginning with: `secret`, ",
      "ERR unknown command `AUTH`" },
    { "ERR no command AUTH with arguments u, secret", "ERR no command AUTH" },
    { "ERR wrong number of arguments for 'get' command",
      "ERR wrong number of arguments for 'get' command" },
    { " with args: secret", "" },
    { "", "" },
    { NULL, "nonsense" },
};


static void
test_error(void)
{
    char        text[1000];
    size_t      i;
    redisReply  r;

    for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        r = reply(REDIS_REPLY_ERROR, said[i].text, 0);
        is_str(rbl_reply_error(&r), said[i].said, said[i].said);
        ok(memmem(rbl_reply_auth_error(&r).p, rbl_reply_auth_error(&r).n,
                  "secret", 6) == NULL, "no part of AUTH is shown");
    }

    r = reply(REDIS_REPLY_STATUS, "secret", 0);
    is_str(rbl_reply_error(&r), "nonsense", "a status is no error");
    is_str(rbl_reply_error(NULL), "nonsense", "nor is no reply");
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    r = reply(REDIS_REPLY_ERROR, text, 0);
    ok(rbl_reply_error(&r).n == 200, "a long one is cut");
    r = reply(REDIS_REPLY_ERROR, "WRONGPASS secret", 0);
    is_str(rbl_reply_auth_error(&r), "WRONGPASS, the user or the password is"
           " not right", "a wrong password");
}


static const struct {
    const char  *text;
    int64_t      v;
} ints[] = {
    { "0", 0 }, { "42", 42 }, { "9223372036854775807", INT64_MAX },
    { "9223372036854775808", -9 }, { "-1", -9 }, { "", -9 }, { "1.5", -9 },
    { " 1", -9 }, { "1x", -9 }, { NULL, -9 },
};


static void
test_scalars(void)
{
    size_t      i;
    redisReply  r;

    for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
        r = reply(REDIS_REPLY_STRING, ints[i].text, 0);
        ok(rbl_reply_int(&r, -9) == ints[i].v, "'%s' as a number",
           ints[i].text ? ints[i].text : "NULL");
    }

    r = reply(REDIS_REPLY_INTEGER, NULL, -5);
    ok(rbl_reply_int(&r, -9) == -5, "an integer");
    ok(rbl_reply_str(&r).p == NULL, "is no string");
    ok(rbl_reply_len(&r) == 0, "is no array");
    r = reply(REDIS_REPLY_NIL, NULL, 0);
    ok(rbl_reply_int(&r, -9) == -9 && rbl_reply_str(&r).p == NULL,
       "nil is neither");
    r = reply(REDIS_REPLY_ERROR, "12", 0);
    ok(rbl_reply_int(&r, -9) == -9 && rbl_reply_str(&r).p == NULL,
       "an error is neither");
    ok(rbl_reply_int(NULL, -9) == -9 && rbl_reply_str(NULL).p == NULL,
       "no reply is neither");
    r = reply(REDIS_REPLY_STATUS, "PONG", 0);
    is_str(rbl_reply_str(&r), "PONG", "status");
    r = reply(REDIS_REPLY_STRING, "a\0b", 0);
    r.len = 3;
    ok(rbl_reply_str(&r).n == 3, "a string with NUL");
}


static void
test_arrays(void)
{
    redisReply   e[5], *element[5], array, empty;
    unsigned     i;

    e[0] = reply(REDIS_REPLY_STRING, "OK", 0);
    e[1] = reply(REDIS_REPLY_STRING, "one", 0);
    e[2] = reply(REDIS_REPLY_STRING, "two", 0);
    e[3] = reply(REDIS_REPLY_INTEGER, NULL, 2);
    e[4] = reply(REDIS_REPLY_STRING, "odd", 0);

    for (i = 0; i < 5; i++) {
        element[i] = &e[i];
    }

    array = reply(REDIS_REPLY_ARRAY, NULL, 0);
    array.elements = 5;
    array.element = element;
    empty = reply(REDIS_REPLY_ARRAY, NULL, 0);

    ok(rbl_reply_len(&array) == 5 && rbl_reply_len(&empty) == 0
       && rbl_reply_len(NULL) == 0, "lengths");
    ok(rbl_reply_at(&array, 4) == &e[4], "the last element");
    ok(rbl_reply_at(&array, 5) == NULL && rbl_reply_at(NULL, 0) == NULL
       && rbl_reply_at(&array, (size_t) -1) == NULL, "beyond the end");

    ok(rbl_reply_field(&array, "OK") == &e[1], "first field");
    ok(rbl_reply_field(&array, "two") == &e[3], "second field");
    ok(rbl_reply_field(&array, "one") == NULL, "a value is no name");
    ok(rbl_reply_field(&array, "odd") == NULL, "a name without a value");
    ok(rbl_reply_field(NULL, "OK") == NULL, "a field of nothing");

    ok(rbl_str_is(rbl_reply_name(&array), "OK")
       && rbl_reply_rest(&array) == &e[1], "a pair");
    ok(rbl_reply_name(NULL).p == NULL && rbl_reply_rest(NULL) == NULL,
       "no pair");

    is_str(rbl_reply_word(&array), "OK", "word");
    is_str(rbl_reply_word(&empty), "", "no word in an empty array");
    is_str(rbl_reply_word(&e[0]), "", "no word in a string");
    is_str(rbl_reply_word(NULL), "", "no word in nothing");
    element[0] = &e[3];
    is_str(rbl_reply_word(&array), "", "a number is no word");
    ok(rbl_reply_field(&array, "OK") == NULL, "nor a name");
    element[0] = NULL;
    is_str(rbl_reply_word(&array), "", "an element that is missing");
}


static void
test_time(void)
{
    redisReply   r, e[2], *elements[2] = { &e[0], &e[1] };

    r = reply(REDIS_REPLY_ARRAY, NULL, 0);
    r.elements = 2;
    r.element = elements;
    e[0] = reply(REDIS_REPLY_STRING, "1795167000", 0);
    e[1] = reply(REDIS_REPLY_STRING, "123456", 0);
    ok(rbl_reply_time(&r) == INT64_C(1795167000123456), "a time");

    e[1] = reply(REDIS_REPLY_STRING, "1000000", 0);
    ok(rbl_reply_time(&r) == 0, "too many microseconds");
    e[1] = reply(REDIS_REPLY_NIL, NULL, 0);
    ok(rbl_reply_time(&r) == 0, "no microseconds");
    e[0] = reply(REDIS_REPLY_STRING, "9223372036854775807", 0);
    e[1] = reply(REDIS_REPLY_STRING, "0", 0);
    ok(rbl_reply_time(&r) == 0, "a time that has no room");
    ok(rbl_reply_time(NULL) == 0, "no time");
}


int
main(void)
{
    test_class();
    test_error();
    test_scalars();
    test_arrays();

    test_time();

    return tap_done();
}
