/*
 * Parts of a check that need no network: foreign texts, handles of jobs.
 */

#include "check/jobs/jobs_entry.h"
#include "check/lists/text.h"

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
    CLEAN("a\x01\x7f\tb", 20, "a   b", "control characters");
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
       "the part that fits");
    ok(check_cut(buf, 4, RBL_STR("ab\xc3\xa4")) == 2
       && strcmp(buf, "ab") == 0, "whole characters");
    ok(check_cut(buf, 4, RBL_STR("")) == 0 && buf[0] == '\0', "nothing");
}


static int
entry_of(job_t *job, rbl_str_t handle, unsigned partition)
{
    rbl_keyspace_t  ks;

    rbl_keyspace_init(&ks, RBL_STR("rbl"));
    rbl_keyspace_set_partitions(&ks, 16);

    return jobs_entry(job, &ks, partition, handle);
}


static int
entry(job_t *job, const char *handle, unsigned partition)
{
    return entry_of(job, rbl_str(handle), partition);
}


static void
test_entry(void)
{
    job_t  job;

    ok(entry(&job, AC ":" PP ":" HT ":m:1:host:7", 0) == 0
       && strcmp(job.account.s, AC) == 0 && strcmp(job.check.s, PP) == 0
       && strcmp(job.host.s, HT) == 0 && job.kind == JOB_MANUAL
       && job.attempts == 1
       && strcmp(job.handle, AC ":" PP ":" HT ":m:1:host:7") == 0,
       "a job of a host");
    ok(entry(&job, AC ":" PP "::m:12:x", 0) == 0 && job.host.n == 0
       && job.kind == JOB_MANUAL && job.attempts == 12, "a job of a value");
    ok(entry(&job, AC ":" PP "::m:1:x", 1) == -1,
       "an account of another partition");
    ok(strcmp(job.handle, AC ":" PP "::m:1:x") == 0,
       "its handle is known all the same");
    ok(entry(&job, AC ":" PP ":m:1:x", 0) == -1, "no host field");
    ok(entry(&job, AC ":::m:1:x", 0) == -1, "no check");
    ok(entry(&job, ":" PP "::m:1:x", 0) == -1, "no account");
    ok(entry(&job, HT ":" PP "::m:1:x", 0) == -1, "another kind of SID");
    ok(entry(&job, AC ":" PP "::x:1:x", 0) == -1
       && entry(&job, AC ":" PP ":" HT ":d:1:x", 0) == -1,
       "another kind of job");
    ok(entry(&job, AC ":" PP "::m::x", 0) == -1
       && entry(&job, AC ":" PP "::m:-1:x", 0) == -1
       && entry(&job, AC ":" PP "::m:9999999:x", 0) == -1, "no number");
    ok(entry(&job, AC ":" PP "::m:1:", 0) == -1
       && entry(&job, AC ":" PP "::m:1", 0) == -1, "no daemon");
    ok(entry(&job, "nonsense", 0) == -1 && job.handle[0] != '\0', "nonsense");
    ok(entry(&job, "", 0) == -1 && job.handle[0] == '\0', "nothing");
    ok(entry_of(&job, (rbl_str_t) { NULL, 0 }, 0) == -1, "no text");
    ok(entry_of(&job, RBL_STR("a\0b"), 0) == -1 && job.handle[0] == '\0',
       "a NUL");
}


static int
entry_due(job_t *job, const char *account, int64_t till, const char *host,
    const char *name, unsigned partition)
{
    rbl_keyspace_t  ks;

    rbl_keyspace_init(&ks, RBL_STR("rbl"));
    rbl_keyspace_set_partitions(&ks, 16);

    return jobs_entry_due(job, &ks, partition, rbl_str(account), till,
                          rbl_str(host), name);
}


static void
test_due(void)
{
    char       buf[JOB_HANDLE_MAX], want[JOB_HANDLE_MAX];
    char       name[JOB_HANDLE_MAX];
    job_t      job;
    rbl_sid_t  first;

    ok(entry_due(&job, AC, 1763655600000, HT, "host:7", 0) == 0
       && job.kind == JOB_DUE && job.attempts == 0 && job.alone == 0,
       "a host that is due");
    first = job.check;
    snprintf(want, sizeof(want), "%s:%s:%s:d:1763655600000:host:7", AC,
             first.s, HT);
    ok(strcmp(job.handle, want) == 0, "its handle");
    ok(entry_due(&job, AC, 1763655600000, HT, "host:7", 0) == 0
       && strcmp(job.check.s, first.s) != 0, "another check's SID");
    ok(jobs_entry_begun(&job, RBL_STR(PP), 2) == 0 && job.attempts == 2,
       "started a second time");
    ok(rbl_str_is(jobs_entry_end(&job, buf),
                  AC ":" PP ":" HT ":d:2:1763655600000:host:7"),
       "the handle of its end");
    jobs_entry_flight(&job, 2, buf);
    ok(strcmp(buf, PP ":2:1763655600000:host:7") == 0, "its flight");
    ok(jobs_entry_begun(&job, RBL_STR(PP), 0) == -1
       && jobs_entry_begun(&job, RBL_STR(PP), 10) == -1
       && jobs_entry_begun(&job, RBL_STR(HT), 1) == -1
       && jobs_entry_begun(&job, (rbl_str_t) { NULL, 0 }, 1) == -1,
       "started with invalid values");
    ok(entry_due(&job, AC, 1, HT, "x", 1) == -1, "another partition's");
    ok(entry_due(&job, AC, 0, HT, "x", 0) == -1
       && entry_due(&job, AC, -1, HT, "x", 0) == -1, "no lease");
    ok(entry_due(&job, HT, 1, HT, "x", 0) == -1
       && entry_due(&job, AC, 1, AC, "x", 0) == -1
       && entry_due(&job, AC, 1, "", "x", 0) == -1, "no host");

    memset(name, 'x', sizeof(name));
    name[JOB_HANDLE_MAX - 3 - strlen(AC ":" PP ":" HT ":d:1:")] = '\0';
    ok(entry_due(&job, AC, 1, HT, name, 0) == 0
       && jobs_entry_begun(&job, RBL_STR(PP), 9) == 0
       && jobs_entry_end(&job, buf).n == JOB_HANDLE_MAX - 1,
       "the longest name");
    name[strlen(name) + 1] = '\0';
    name[strlen(name)] = 'x';
    ok(entry_due(&job, AC, 1, HT, name, 0) == -1 && job.handle[0] == '\0',
       "a longer one");

    ok(entry(&job, AC ":" PP "::m:1:x", 0) == 0
       && rbl_str_is(jobs_entry_end(&job, buf), AC ":" PP "::m:1:x"),
       "the end of a manual one");
}


static void
test_long(void)
{
    char   buf[JOB_HANDLE_MAX + 1];
    job_t  job;

    memset(buf, 'x', sizeof(buf));
    memcpy(buf, AC ":" PP ":" HT ":m:1:", strlen(AC ":" PP ":" HT ":m:1:"));
    buf[JOB_HANDLE_MAX - 1] = '\0';
    ok(entry(&job, buf, 0) == 0, "the longest handle");
    buf[JOB_HANDLE_MAX - 1] = 'x';
    buf[JOB_HANDLE_MAX] = '\0';
    ok(entry(&job, buf, 0) == -1 && job.handle[0] == '\0', "a longer one");
}


int
main(void)
{
    test_clean();
    test_cut();
    test_entry();
    test_due();
    test_long();

    return tap_done();
}
