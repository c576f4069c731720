/*
 * Statistics of an application: keys of a range, fields of a key.
 */

#include "rbl_usage.h"
#include "tap.h"

#define HOUR  3600
#define DAY   86400


static rbl_usage_t  usage;


/* Reads a reply with one field. */
static void
read_field(int64_t part, const char *name, const char *value)
{
    redisReply  reply, e[2], *element[2] = { &e[0], &e[1] };

    memset(&reply, 0, sizeof(reply));
    memset(e, 0, sizeof(e));

    reply.type = REDIS_REPLY_ARRAY;
    reply.elements = 2;
    reply.element = element;
    e[0].type = e[1].type = REDIS_REPLY_STRING;
    e[0].str = (char *) name;
    e[0].len = strlen(name);
    e[1].str = (char *) value;
    e[1].len = strlen(value);

    rbl_usage_read(&usage, part, &reply);
}


static void
test_hours(void)
{
    char       buf[RBL_USAGE_NAME];
    rbl_sid_t  app;
    rbl_sum_t  all;

    (void) rbl_sid_parse(&app, RBL_SID_APP,
                         RBL_STR("AP0123456789abcdef0123456789abcdef"));

    rbl_usage_begin(&usage, 0, 24, 20000 * (int64_t) DAY + 5 * HOUR + 7);

    ok(rbl_usage_part(&usage) == 19999, "24 hours begin on the day before");
    ok(rbl_usage_parts(&usage) == 2, "and have two keys");
    is_str(rbl_usage_name(buf, &usage, &app, 19999),
           "AP0123456789abcdef0123456789abcdef:h19999", "of this name");
    ok(rbl_usage_time(&usage, 23)
       == (20000 * (int64_t) DAY + 5 * HOUR) * 1000, "the last hour");

    read_field(20000, "5", "7");
    read_field(20000, "5e", "2");
    read_field(19999, "6", "1");
    ok(usage.sum[23].requests == 7 && usage.sum[23].errors == 2,
       "requests and errors of the last hour");
    ok(usage.sum[0].requests == 1, "those of the first one");

    read_field(19999, "5", "9");
    read_field(20000, "6", "9");
    read_field(20000, "", "9");
    read_field(20000, "e", "9");
    read_field(20000, "-1", "9");
    read_field(20000, "5x", "9");
    read_field(20000, "99999999999999999999", "9");
    read_field(20000, "4", "x");
    read_field(20000, "4", "-9");
    rbl_usage_read(&usage, 20000, NULL);

    all = rbl_usage_all(&usage);
    ok(all.requests == 8 && all.errors == 2, "others do not count");
}


static void
test_ranges(void)
{
    int64_t  i;

    for (i = 0; i < 24; i++) {
        rbl_usage_begin(&usage, 0, RBL_USAGE_HOURS_MAX,
                        20000 * (int64_t) DAY + i * HOUR);
        ok(rbl_usage_parts(&usage) <= 32,
           "keys of all hours, at hour %d", (int) i);
    }

    rbl_usage_begin(&usage, 1, RBL_USAGE_DAYS_MAX, 20000 * (int64_t) DAY);
    ok(rbl_usage_part(&usage) == (20000 - 395) / 32, "396 days: the first key");
    ok(rbl_usage_parts(&usage) <= 14, "and their number");
    ok(rbl_usage_time(&usage, 395) == 20000 * (int64_t) DAY * 1000,
       "the last day");

    read_field(625, "20000", "3");
    read_field(612, "19605e", "4");
    ok(usage.sum[395].requests == 3 && usage.sum[0].errors == 4,
       "fields are days since 1970");
}


int
main(void)
{
    test_hours();
    test_ranges();

    return tap_done();
}
