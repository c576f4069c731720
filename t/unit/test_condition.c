/*
 * Conditions: the table is complete, rows of daemons and of the reader become
 * one list with the worst first, and hostile records do no harm.
 */

#include "base/buf.h"
#include "rbl_condition.h"
#include "tap.h"

static rbl_conditions_t  all;
static rbl_reader_t      nothing = { "", "", "", 0, 0, 0, 0, 0, 0 };

#define is_int(got, want, ...)  ok((got) == (want), __VA_ARGS__)
#define is_text(got, want, name)  is_str(rbl_str(got), want, name)


/* A row in the record of a daemon. */

typedef struct {
    rbl_condition_id_t  id;
    rbl_service_t       severity;
    int64_t             since;
    const char         *reason;
} told_t;

static void
daemon_says(const char *name, const told_t *told, size_t n)
{
    size_t            i;
    rbl_buf_t         buf;
    rbl_conditions_t  own;

    rbl_conditions_init(&own);

    for (i = 0; i < n; i++) {
        (void) rbl_conditions_set(&own, told[i].id, told[i].severity,
                                  told[i].since, rbl_str(told[i].reason),
                                  NULL);
    }

    rbl_buf_init(&buf);
    rbl_conditions_encode(&buf.out, &own);
    is_int(rbl_conditions_add(&all, rbl_str(name), rbl_buf_str(&buf)), RBL_OK,
           "the record of daemon %s is read", name);
    rbl_buf_free(&buf);
}


static const rbl_condition_t *
row_of(const char *name)
{
    unsigned                i;
    static rbl_condition_t  none;

    for (i = 0; i < all.n; i++) {
        if (strcmp(all.row[i].name, name) == 0) {
            return &all.row[i];
        }
    }

    return &none;
}


static void
test_table(void)
{
    unsigned                     i, k;
    const rbl_condition_kind_t  *kind;

    for (i = 0; i < RBL_CONDITION__N; i++) {
        kind = &rbl_condition_kinds[i];
        ok(kind->name != NULL && strlen(kind->name) < RBL_CONDITION_NAME
           && kind->remedy != NULL
           && strlen(kind->remedy) < RBL_CONDITION_REMEDY
           && kind->users != NULL && kind->worst != RBL_SERVICE_GOOD,
           "condition %u has a name, a severity and texts", i);

        for (k = 0; k < i; k++) {
            ok(strcmp(kind->name, rbl_condition_kinds[k].name) != 0,
               "condition %s has a name of its own", kind->name);
        }
    }
}


static void
test_healthy(void)
{
    rbl_conditions_init(&all);
    daemon_says("one", NULL, 0);
    is_int(rbl_conditions_add(&all, RBL_STR("old"), RBL_STR("")), RBL_OK,
           "a daemon of an older release is read");
    is_int(rbl_conditions_end(&all, &nothing), RBL_SERVICE_GOOD,
           "two daemons without a condition are good");
    is_int(all.n, 0, "a healthy system names no condition");
}


static void
test_dns(void)
{
    const told_t  one = { RBL_CONDITION_DNS, RBL_SERVICE_BROKEN, 2000, "a" };
    const told_t  two = { RBL_CONDITION_DNS, RBL_SERVICE_BROKEN, 1000, "b" };

    rbl_conditions_init(&all);
    daemon_says("one", &one, 1);
    is_int(rbl_conditions_end(&all, &nothing), RBL_SERVICE_BROKEN,
           "DNS away at the only daemon is broken");
    is_text(row_of("dns")->reason, "one: a", "the reason names the daemon");

    rbl_conditions_init(&all);
    daemon_says("one", &one, 1);
    daemon_says("two", NULL, 0);
    is_int(rbl_conditions_end(&all, &nothing), RBL_SERVICE_DEGRADED,
           "DNS away at one of two daemons is degraded");

    rbl_conditions_init(&all);
    daemon_says("one", &one, 1);
    daemon_says("two", &two, 1);
    is_int(rbl_conditions_end(&all, &nothing), RBL_SERVICE_BROKEN,
           "DNS away at both daemons is broken");
    is_int(all.n, 1, "both daemons have one row");
    is_int(row_of("dns")->since, 1000, "the row has the earliest time");
    is_text(row_of("dns")->reason, "one: a; two: b",
           "the row has the reasons of both daemons");
    is_text(row_of("dns")->remedy,
           rbl_condition_kinds[RBL_CONDITION_DNS].remedy,
           "the row has the remedy of the table");
}


static void
test_order(void)
{
    rbl_reader_t  reader = nothing;
    const told_t  told[] = {
        { RBL_CONDITION_CLOCKS, RBL_SERVICE_DEGRADED, 1, "c" },
        { RBL_CONDITION_LATE_CHECKS, RBL_SERVICE_DEGRADED, 1, "l" },
        { RBL_CONDITION_DNS, RBL_SERVICE_BROKEN, 1, "d" }
    };

    rbl_conditions_init(&all);
    daemon_says("one", told, 3);
    reader.refuses = "MISCONF";
    reader.refuses_since = 5;
    is_int(rbl_conditions_end(&all, &reader), RBL_SERVICE_BROKEN,
           "the worst row is the verdict");
    is_text(all.row[0].name, "store_refuses", "the store comes first");
    is_text(all.row[1].name, "dns", "a broken row comes before degraded ones");
    is_text(all.row[2].name, "late_checks", "then degraded ones by the table");
    is_text(all.row[3].name, "clocks", "the last row of the table is last");
    is_int(row_of("store_refuses")->since, 5, "a row of the reader has a time");
}


/* Each error of Redis has its remedy. */

static void
test_refusals(void)
{
    size_t        i;
    rbl_reader_t  reader = nothing;

    static const struct {
        const char  *why, *remedy;
    } cases[] = {
        { "NOREPLICAS Not enough good replicas to write.", "replication" },
        { "127.0.0.1:6379 refuses changes: NOREPLICAS x", "replication" },
        { "MISCONF Redis is configured to save", "on the disk" },
        { "OOM command not allowed", "raise maxmemory" },
        { "MASTERDOWN", "disk, memory limit and replicas" },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rbl_conditions_init(&all);
        reader.refuses = cases[i].why;
        (void) rbl_conditions_end(&all, &reader);
        ok(strstr(row_of("store_refuses")->remedy, cases[i].remedy) != NULL,
           "\"%s\" has its own remedy", cases[i].why);
    }
}


static void
test_reader(void)
{
    rbl_reader_t  reader = nothing;

    rbl_conditions_init(&all);
    is_int(rbl_conditions_end(&all, &reader), RBL_SERVICE_BROKEN,
           "no daemon is broken");
    is_text(all.row[0].name, "no_daemon", "the row names it");
    ok(strstr(all.row[0].reason, "yet") != NULL, "no daemon has ever reported");

    rbl_conditions_init(&all);
    reader.daemon_seen = 7;
    (void) rbl_conditions_end(&all, &reader);
    is_int(row_of("no_daemon")->since, 7, "the daemon was last seen then");

    rbl_conditions_init(&all);
    reader.blind = 1;
    is_int(rbl_conditions_end(&all, &reader), RBL_SERVICE_GOOD,
           "records that cannot be read do not mean that no daemon works");

    rbl_conditions_init(&all);
    reader.away = "connection refused";
    is_int(rbl_conditions_end(&all, &reader), RBL_SERVICE_BROKEN,
           "a store that is away is broken");
    is_int(all.n, 1, "nothing is known beside a store that is away");

    rbl_conditions_init(&all);
    reader.partly = 1;
    is_int(rbl_conditions_end(&all, &reader), RBL_SERVICE_DEGRADED,
           "a part of the store that is away is degraded");

    rbl_conditions_init(&all);
    reader = nothing;
    reader.emptied = "no meta";
    is_int(rbl_conditions_end(&all, &reader), RBL_SERVICE_BROKEN,
           "an emptied store is broken");
    is_text(all.row[0].name, "store_emptied",
            "the row names the emptied store");
    is_int(all.n, 1, "an emptied store has no row about daemons");
}


/* Records that no daemon writes. */

static void
test_hostile(void)
{
    char       name[] = "x__", text[5000];
    unsigned   i;
    rbl_buf_t  buf;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    rbl_buf_init(&buf);
    rbl_mp_put_array(&buf.out, 60);

    for (i = 0; i < 60; i++) {
        name[2] = (char) ('a' + i % 26);
        rbl_mp_put_array(&buf.out, 6);
        rbl_mp_put_z(&buf.out, i == 0 ? "Bad\"name" : i == 1 ? text : name);
        rbl_mp_put_int(&buf.out, i == 2 ? 77 : 1);
        rbl_mp_put_int(&buf.out, -1);
        rbl_mp_put_z(&buf.out, text);
        rbl_mp_put_z(&buf.out, text);
        rbl_mp_put_int(&buf.out, 0);
    }

    rbl_conditions_init(&all);
    is_int(rbl_conditions_add(&all, RBL_STR("one"), rbl_buf_str(&buf)), RBL_OK,
           "many rows of unknown names are read");
    rbl_buf_free(&buf);
    (void) rbl_conditions_end(&all, &nothing);
    ok(all.n > 0 && all.n <= RBL_CONDITIONS_MAX, "the rows are bounded");
    is_int(row_of("Bad\"name")->daemons, 0, "a name with a quote is left out");
    is_int(row_of("x_c")->severity, RBL_SERVICE_BROKEN,
           "an unknown severity is broken");
    is_int(row_of("x_d")->since, 0, "a negative time is not known");
    is_int((int64_t) strlen(row_of("x_d")->reason), RBL_CONDITION_REASON - 1,
           "a reason is cut");
    is_text(rbl_condition_users(row_of("x_d")),
           "The service works in part.", "an unknown name has a sentence");

    rbl_conditions_init(&all);
    is_int(rbl_conditions_add(&all, RBL_STR("one"), RBL_STR("\x92\x01\x02")),
           RBL_ETYPE, "rows of another type are an error");
    is_int(rbl_conditions_end(&all, &nothing), RBL_SERVICE_GOOD,
           "rows of another type are no condition");
    rbl_conditions_init(&all);
    is_int(rbl_conditions_add(&all, RBL_STR("one"), RBL_STR("\xff")),
           RBL_ETYPE, "another type than an array is an error");
}


/* A name twice in one record counts once. */

static void
test_twice(void)
{
    int        i;
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    rbl_mp_put_array(&buf.out, 2);

    for (i = 0; i < 2; i++) {
        rbl_mp_put_array(&buf.out, 5);
        rbl_mp_put_z(&buf.out, "dns");
        rbl_mp_put_int(&buf.out, 2);
        rbl_mp_put_int(&buf.out, 1);
        rbl_mp_put_z(&buf.out, "a");
        rbl_mp_put_z(&buf.out, "b");
    }

    rbl_conditions_init(&all);
    (void) rbl_conditions_add(&all, RBL_STR("one"), rbl_buf_str(&buf));
    (void) rbl_conditions_add(&all, RBL_STR("two"), RBL_STR(""));
    rbl_buf_free(&buf);
    is_int(rbl_conditions_end(&all, &nothing), RBL_SERVICE_DEGRADED,
           "a daemon that says it twice does not speak for another one");
    is_text(row_of("dns")->reason, "one: a", "the second row is left out");
}


int
main(void)
{
    test_table();
    test_healthy();
    test_dns();
    test_order();
    test_refusals();
    test_reader();
    test_hostile();
    test_twice();

    return tap_done();
}
