/*
 * Limits of a reply: hiredis' reader gets the octets of a store, in one piece
 * and byte by byte.
 */

#include <stdlib.h>

#include "rbl_reply.h"
#include "rbl_reply_guard.h"
#include "tap.h"


#define L4  "*1\r\n*1\r\n*1\r\n*1\r\n"

static const struct {
    const char  *name;
    const char  *text;
    int          good;
} replies[] = {
    { "a status", "+OK\r\n", 1 },
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


/* 1: a reply or an incomplete one, 0: refused. */

static int
feed(const char *text, size_t step)
{
    int                 rc;
    void               *reply;
    size_t              i, n, len = strlen(text);
    redisContext        c;
    rbl_reply_reader_t  reader;

    memset(&c, 0, sizeof(c));
    c.reader = redisReaderCreate();
    rbl_reply_reader(&reader, &c, NULL);
    reply = NULL;
    rc = REDIS_OK;

    for (i = 0; i < len && rc == REDIS_OK; i += n) {
        n = len - i < step ? len - i : step;
        rc = redisReaderFeed(c.reader, text + i, n);
        rc = rc == REDIS_OK ? redisReaderGetReply(c.reader, &reply) : rc;
    }

    freeReplyObject(reply);
    redisReaderFree(c.reader);

    return rc == REDIS_OK;
}


/* The limits count each reply separately. */

static void
test_many_replies(void)
{
    int                 i, n, whole;
    void               *reply;
    redisContext        c;
    rbl_reply_reader_t  reader;

    memset(&c, 0, sizeof(c));
    c.reader = redisReaderCreate();
    rbl_reply_reader(&reader, &c, NULL);
    whole = 0;

    for (n = 0; n < 30; n++) {
        (void) redisReaderFeed(c.reader, "*100000\r\n", 9);
        for (i = 0; i < 100000; i++) {
            (void) redisReaderFeed(c.reader, ":1\r\n", 4);
        }

        reply = NULL;
        if (redisReaderGetReply(c.reader, &reply) == REDIS_OK
            && rbl_reply_len(reply) == 100000)
        {
            whole++;
        }

        freeReplyObject(reply);
    }

    ok(whole == 30, "thirty long replies are read");
    redisReaderFree(c.reader);
}


/* A reply without a call is refused; a late reply is not. */

static void
test_unasked(void)
{
    size_t              i;
    void               *reply;
    redisContext        c;
    redisCallback       waiting;
    redisCallbackList   asked;
    rbl_reply_reader_t  reader;

    static const char  *texts[] = {
        "+OK\r\n", "-ERR x\r\n", ":1\r\n", "$-1\r\n", "$1\r\nx\r\n",
        "*0\r\n", "*-1\r\n", "*1\r\n"
    };

    memset(&waiting, 0, sizeof(waiting));

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        memset(&c, 0, sizeof(c));
        c.reader = redisReaderCreate();
        asked.head = asked.tail = &waiting;
        rbl_reply_reader(&reader, &c, &asked);
        reply = NULL;
        (void) redisReaderFeed(c.reader, "*2\r\n:1\r\n", 8);
        (void) redisReaderGetReply(c.reader, &reply);
        (void) redisReaderFeed(c.reader, ":1\r\n", 4);
        ok(redisReaderGetReply(c.reader, &reply) == REDIS_OK && reply != NULL,
           "a requested reply is read");
        freeReplyObject(reply);
        asked.head = asked.tail = NULL;
        (void) redisReaderFeed(c.reader, texts[i], strlen(texts[i]));
        ok(redisReaderGetReply(c.reader, &reply) == REDIS_ERR,
           "an unrequested %.2s", texts[i]);
        ok(strcmp(rbl_reply_lost(&reader.guard, ""),
                  "it sent a reply that no command waits for") == 0,
           "the reason has it");
        redisReaderFree(c.reader);
    }
}


/* hiredis asserts the form of what a subscriber gets. */

static void
test_messages(void)
{
    size_t              i;
    void               *reply;
    redisContext        c;
    rbl_reply_reader_t  reader;

    static const struct {
        const char  *text;
        int          good;
    } texts[] = {
        { "*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n", 1 },
        { "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$1\r\ny\r\n", 1 },
        { "-NOPERM x\r\n", 1 },
        { "+OK\r\n", 0 }, { ":1\r\n", 0 }, { "$1\r\nx\r\n", 0 },
        { "$-1\r\n", 0 }, { "*-1\r\n", 0 }, { "*0\r\n", 0 }, { "*1\r\n", 0 },
        { "*2\r\n", 0 }, { "*4\r\n", 0 }, { "*3\r\n:1\r\n", 0 },
        { "*3\r\n+message\r\n", 0 }, { "*3\r\n$7\r\nMESSAGE\r\n", 0 },
        { "*3\r\n$11\r\nunsubscribe\r\n", 0 }, { "*3\r\n*3\r\n", 0 },
        { "*3\r\n$8\r\npmessage\r\n", 0 }, { "*3\r\n$-1\r\n", 0 },
        { "*3\r\n$7\r\nmessage\r\n:1\r\n", 0 },
        { "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$-1\r\n", 0 },
        { "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n*1\r\n", 0 },
    };

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        memset(&c, 0, sizeof(c));
        c.reader = redisReaderCreate();
        rbl_reply_reader(&reader, &c, NULL);
        rbl_reply_messages(&reader.guard);
        reply = NULL;
        (void) redisReaderFeed(c.reader, texts[i].text, strlen(texts[i].text));
        ok((redisReaderGetReply(c.reader, &reply) == REDIS_OK) == texts[i].good,
           "a subscriber's reply %zu", i);
        ok(texts[i].good == (reader.guard.refused == NULL), "and its reason");
        freeReplyObject(reply);
        redisReaderFree(c.reader);
    }
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
    test_unasked();
    test_messages();

    return tap_done();
}
