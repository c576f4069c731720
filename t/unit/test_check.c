/*
 * The parts of checking that need no network: texts from outside, stream
 * entries, the scheduler's clock.
 */

#include "check/jobs_entry.h"
#include "check/schedule.h"
#include "check/text.h"

#include <hiredis/read.h>
#include <stdlib.h>

#include "tap.h"

#define AC  "AC00000000000000000000000000000000"
#define HT  "HT0123456789abcdef0123456789abcdef"
#define PP  "PP0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"


static void
clean_is(const char *raw, size_t n, size_t size, const char *want,
    const char *name)
{
    char    *buf;
    size_t   len;

    buf = malloc(size);
    len = check_clean(buf, size, (rbl_str_t) { raw, n });
    is_str(((rbl_str_t) { buf, len }), want, name);
    ok(buf[len] == '\0' && rbl_text_ok((rbl_str_t) { buf, len }),
       "clean: %s", name);
    free(buf);
}

#define CLEAN(lit, size, want, name)                                          \
    clean_is(lit, sizeof(lit) - 1, size, want, name)


static void
test_clean(void)
{
    CLEAN("", 10, "", "nothing");
    CLEAN("plain", 10, "plain", "plain");
    CLEAN("  \r\n plain \n\0", 10, "plain", "outer space");
    CLEAN("one\ntwo", 20, "one; two", "two records");
    CLEAN("a\x01\x7f\tb", 20, "a   b", "controls");
    CLEAN("a\0b", 20, "a b", "NUL");
    CLEAN("\xc2\x9b" "31m", 20, " 31m", "C1 control");
    CLEAN("\xff", 20, "\xef\xbf\xbd", "no UTF-8");
    CLEAN("\xc3", 20, "\xef\xbf\xbd", "half a character");
    CLEAN("\xed\xa0\x80", 20, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
          "a surrogate");
    CLEAN("\xc3\xa4", 20, "\xc3\xa4", "a letter of two octets");
    CLEAN("abcdef", 4, "abc", "cut");
    CLEAN("ab\xc3\xa4", 4, "ab", "cut before a character");
    CLEAN("ab\xc3\xa4", 5, "ab\xc3\xa4", "a character that just fits");
    CLEAN("\xff\xff", 4, "\xef\xbf\xbd", "a mark that just fits");
    CLEAN("abc", 1, "", "no room");
}


static void
test_cut(void)
{
    char  buf[4];

    ok(check_cut(buf, 4, RBL_STR("abc")) == 3 && strcmp(buf, "abc") == 0,
       "all of it");
    ok(check_cut(buf, 4, RBL_STR("abcd")) == 3 && strcmp(buf, "abc") == 0,
       "what fits");
    ok(check_cut(buf, 4, RBL_STR("ab\xc3\xa4")) == 2
       && strcmp(buf, "ab") == 0, "whole characters");
    ok(check_cut(buf, 4, RBL_STR("")) == 0 && buf[0] == '\0', "nothing");
}


/* A reply from its text in the protocol. */

static redisReply *
reply_of(const char *text)
{
    void         *r = NULL;
    redisReader  *reader;

    reader = redisReaderCreate();
    redisReaderFeed(reader, text, strlen(text));
    redisReaderGetReply(reader, &r);
    redisReaderFree(reader);

    return r;
}


static int
entry(job_t *job, const char *text, unsigned partition)
{
    int              rc;
    redisReply      *r;
    rbl_keyspace_t   ks;

    rbl_keyspace_init(&ks, RBL_STR("rbl"));
    rbl_keyspace_set_partitions(&ks, 16);

    r = reply_of(text);
    rc = jobs_entry(job, &ks, partition, r);
    freeReplyObject(r);

    return rc;
}

#define ENTRY(fields)  "*2\r\n$3\r\n1-0\r\n" fields
#define A(v)  "$1\r\na\r\n$34\r\n" v "\r\n"
#define C(v)  "$1\r\nc\r\n$66\r\n" v "\r\n"
#define H(v)  "$1\r\nh\r\n$34\r\n" v "\r\n"
#define NO_H  "$1\r\nh\r\n$0\r\n\r\n"


static void
test_entry(void)
{
    job_t  job;

    ok(entry(&job, ENTRY("*6\r\n" A(AC) C(PP) H(HT)), 0) == 0
       && strcmp(job.account.s, AC) == 0 && strcmp(job.check.s, PP) == 0
       && strcmp(job.host.s, HT) == 0 && strcmp(job.id, "1-0") == 0,
       "a job of a host");
    ok(entry(&job, ENTRY("*6\r\n" A(AC) C(PP) NO_H), 0) == 0
       && job.host.n == 0, "a job of a value");
    ok(entry(&job, ENTRY("*6\r\n" NO_H C(PP) A(AC)), 0) == 0,
       "in another order");
    ok(entry(&job, ENTRY("*6\r\n" A(AC) C(PP) NO_H), 1) == -1,
       "an account of another partition");
    ok(strcmp(job.id, "1-0") == 0, "the id is known all the same");
    ok(entry(&job, ENTRY("*4\r\n" A(AC) C(PP)), 0) == -1, "no host field");
    ok(entry(&job, ENTRY("*4\r\n" A(AC) NO_H), 0) == -1, "no check");
    ok(entry(&job, ENTRY("*4\r\n" C(PP) NO_H), 0) == -1, "no account");
    ok(entry(&job, ENTRY("*6\r\n" A(HT) C(PP) NO_H), 0) == -1,
       "another kind of SID");
    ok(entry(&job, ENTRY("*-1\r\n"), 0) == -1 && job.id[0] != '\0',
       "an entry that was deleted");
    ok(entry(&job, "*2\r\n$1\r\n1\r\n*0\r\n", 0) == -1 && job.id[0] == '\0',
       "an id that is none");
    ok(entry(&job, "$-1\r\n", 0) == -1, "nothing");
    ok(entry(&job, ":1\r\n", 0) == -1, "a number");
    ok(jobs_entry(&job, NULL, 0, NULL) == -1, "no reply");
}


static void
test_ids(void)
{
    ok(jobs_id_ok(RBL_STR("1700000000000-0")), "a stream id");
    ok(jobs_id_ok(RBL_STR("18446744073709551615-18446744073709551615")),
       "the greatest one");
    ok(!jobs_id_ok(RBL_STR("1")) && !jobs_id_ok(RBL_STR("1-"))
       && !jobs_id_ok(RBL_STR("-1")) && !jobs_id_ok(RBL_STR("1-2-3"))
       && !jobs_id_ok(RBL_STR("1-x")) && !jobs_id_ok(RBL_STR("")),
       "no stream ids");
    ok(!jobs_id_ok((rbl_str_t)
       { "1111111111111111111111111-1111111111111111111111111", 51 }),
       "one that is too long");
}


static void
test_schedule(void)
{
    ok(schedule_wait(8, 8, -1) <= 0, "all were due: there may be more");
    ok(schedule_wait(8, 0, -1) > 0.3 && schedule_wait(8, 0, -1) < 0.5,
       "nothing is planned: a new host waits less than 0.5 s");
    ok(schedule_wait(8, 3, 3600000) < 0.5, "nor with much time left");
    ok(schedule_wait(8, 0, 200) > 0.19 && schedule_wait(8, 0, 200) < 0.21,
       "what is due soon is waited for");
    ok(schedule_wait(8, 0, 0) > 0.01, "but never without a pause");
}


int
main(void)
{
    test_clean();
    test_cut();
    test_entry();
    test_ids();
    test_schedule();

    return tap_done();
}
