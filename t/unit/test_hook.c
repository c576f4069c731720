/*
 * Webhook receivers: event types, failures, times of a span.
 */

#include "base/buf.h"
#include "rbl_hook.h"
#include "tap.h"


static void
test_types(void)
{
    ok(rbl_hook_type_known(RBL_STR("rbl.host.listed")), "a type");
    ok(!rbl_hook_type_known(RBL_STR("rbl.host.liste")), "its beginning");
    ok(!rbl_hook_type_known(RBL_STR("")), "nothing");
    ok(!rbl_hook_type_known(RBL_STR(RBL_HOOK_TEST_TYPE)),
       "no receiver asks for tests");
}


static void
test_failing(void)
{
    rbl_hook_failing_t  v;

    redisReply   text[] = {
        { .type = REDIS_REPLY_STRING, .str = "1000", .len = 4 },
        { .type = REDIS_REPLY_STRING, .str = "7", .len = 1 },
        { .type = REDIS_REPLY_STRING, .str = "5000", .len = 4 }
    };
    redisReply  *element[] = { &text[0], &text[1], &text[2] };
    redisReply   reply = { .type = REDIS_REPLY_ARRAY, .elements = 3,
                           .element = element };

    rbl_hook_failing(&v, &reply, 4000);
    ok(v.since == 1000 && v.fails == 7 && v.till == 5000, "one that fails");

    rbl_hook_failing(&v, &reply, 6000);
    ok(v.till == 0, "its pause is over");

    rbl_hook_failing(&v, NULL, 6000);
    ok(v.since == 0 && v.fails == 0 && v.till == 0, "no reply");
}


static void
test_body(void)
{
    rbl_buf_t  buf;
    rbl_sid_t  event;

    ok(rbl_sid_make(&event, RBL_SID_EVENT) == RBL_OK, "an event");
    rbl_buf_init(&buf);
    rbl_hook_test_body(&buf.out, &event, INT64_C(1795167000000));
    ok(!buf.out.failed && buf.out.pos[-1] == '}', "a body");
    ok(rbl_buf_str(&buf).n > 100
       && memcmp(rbl_buf_str(&buf).p, "{\"event_sid\":\"EV", 16) == 0,
       "begins with the event");
    rbl_buf_free(&buf);
}


static void
test_time(void)
{
    size_t   i;
    int64_t  ms;

    static const char *const  good[] = {
        "2026-11-20T09:30:00", "2026-11-20T09:30:00Z",
        "2026-11-20T09:30:00+00:00"
    };
    static const char *const  bad[] = {
        "", "x", "2026", "2026-11-20T", "2026-13-01", "2026-11-20 09:30:00",
        "2026-11-20T09:30:00+01:00", "2026-11-20T09:30:00.5Z"
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ok(rbl_hook_time(&ms, good[i]) == RBL_OK
           && ms == INT64_C(1795167000000), "%s", good[i]);
    }

    ok(rbl_hook_time(&ms, "2026-11-20") == RBL_OK
       && ms == INT64_C(1795132800000), "a day");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(rbl_hook_time(&ms, bad[i]) == RBL_EINVAL, "not \"%s\"", bad[i]);
    }
}


int
main(void)
{
    test_types();
    test_failing();
    test_body();
    test_time();

    return tap_done();
}
