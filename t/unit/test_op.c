/*
 * Operations: fields by their table, refusals, values, pages; and the judges of
 * webhooks, deliveries, applications, users and billing, case by case.
 */

#include "rbl_ops.h"
#include "tap.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct room_s  room_t;

struct room_s {
    room_t       *next;
    max_align_t   text[];
};

static char     refused[RBL_REFUSAL_MAX];
static room_t  *rooms;                  /* until the program ends */


static void *
test_alloc(rbl_run_t *run, size_t n)
{
    room_t  *room;

    (void) run;

    room = calloc(1, sizeof(*room) + n + 1);
    room->next = rooms;
    rooms = room;

    return room->text;
}


static void
test_refuse(rbl_run_t *run, unsigned status, const char *text)
{
    (void) status;

    ok(run->refusal == status, "a refusal sets the status of the run");
    snprintf(refused, sizeof(refused), "%s", text);
}


static void
test_note(rbl_run_t *run, const char *text)
{
    (void) run;
    (void) text;
}


static const rbl_runner_t  runner = { test_alloc, test_refuse, test_note };


/* A run of an operation; the values are "name=value", and NULL ends them. */
static int
begin(rbl_run_t *run, const rbl_op_t *op, const char *const *given)
{
    size_t        i, n;
    const char   *eq;
    rbl_value_t  *value;

    memset(run, 0, sizeof(*run));
    refused[0] = '\0';
    run->by = &runner;
    run->fields = op->fields;
    run->script = op->script;
    run->now = INT64_C(1795167000000);
    run->page_most = 100;

    for ( /* void */ ; *given != NULL; given++) {
        eq = strchr(*given, '=');
        n = (size_t) (eq - *given);

        for (i = 0; op->fields[i].name.n > 0; i++) {
            if (op->fields[i].name.n == n
                && memcmp(op->fields[i].name.p, *given, n) == 0)
            {
                value = test_alloc(run, sizeof(*value));
                value->text = rbl_str(eq + 1);

                if (run->given[i].first == NULL) {
                    run->given[i].first = value;

                } else {
                    run->given[i].last->next = value;
                }

                run->given[i].last = value;
            }
        }
    }

    return rbl_run_fields(run) != 0 ? -1 : rbl_op_prepare(run, op);
}

#define GIVEN(...)  ((const char *const []) { __VA_ARGS__ })


static void
test_order(void)
{
    rbl_run_t  run;

    ok(begin(&run, &rbl_op_hook_add, GIVEN("url=x", NULL)) != 0,
       "a field that is needed and missing is refused");
    is_str(rbl_str(refused), "No name value provided. Please try again.",
           "a missing field comes before a wrong one");
    ok(begin(&run, &rbl_op_hook_add, GIVEN("name= ", "url=x", NULL)) != 0
       && run.refusal == 400, "a wrong URL is refused with 400");
    ok(memcmp(refused, "Invalid url value", 17) == 0,
       "the refusal names the URL");
    ok(begin(&run, &rbl_op_hook_add,
             GIVEN("name=n", "url=https://h.example/", NULL)) == 0,
       "a name and a URL make a webhook");
    is_str(run.argv[RBL_ARG(hook_put, name)], "n",
           "the name is an argument of the script");
    ok(run.n_rest == 0, "without types there are no arguments behind");
    ok(run.argv[RBL_ARG(hook_put, secret)].n == RBL_SECRET_LEN
       && memcmp(run.argv[RBL_ARG(hook_put, secret)].p, "whsec_", 6) == 0,
       "the secret is made");
}


static void
test_lists(void)
{
    size_t     i;
    rbl_run_t  run;

    static const char *const  bad[] = {
        "types=rbl.host.liste", "types=rbl.host.listed,",
        "types=webhook.test", "types=,rbl.host.listed", "types=,"
    };

    ok(begin(&run, &rbl_op_hook_update,
             GIVEN("types=rbl.host.listed , rbl.host.delisted",
                   "types=billing.renewal.failed", NULL)) == 0
       && run.n_rest == 3, "commas and repeated fields make a list of three");
    is_str(run.rest[1], "rbl.host.delisted", "elements of a list are trimmed");
    is_str(run.argv[RBL_ARG(hook_update, typed)], "1",
           "the script learns that types were given");

    ok(begin(&run, &rbl_op_hook_update, GIVEN("types=", NULL)) == 0
       && run.n_rest == 0, "an empty list of types is every type");
    ok(begin(&run, &rbl_op_hook_update, GIVEN("name=n", NULL)) == 0
       && rbl_str_is(run.argv[RBL_ARG(hook_update, typed)], "0"),
       "without the field the types stay");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(begin(&run, &rbl_op_hook_update, GIVEN(bad[i], NULL)) != 0,
           "refused: %s", bad[i]);
    }
}


static void
test_times(void)
{
    size_t     i;
    rbl_run_t  run;

    static const char *const  good[] = {
        "from=2026-11-20T09:30:00", "from=2026-11-20T09:30:00Z",
        "from=2026-11-20T09:30:00+00:00"
    };
    static const char *const  bad[] = {
        "from=", "from=x", "from=2026", "from=2026-11-20T", "from=2026-13-01",
        "from=2026-11-20 09:30:00", "from=2026-11-20T09:30:00+01:00",
        "from=2026-11-20T09:30:00.5Z", "from=1969-11-20"
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ok(begin(&run, &rbl_op_hook_replay, GIVEN(good[i], NULL)) == 0
           && rbl_str_is(run.argv[RBL_ARG(hook_replay, from)],
                         "1795167000000"), "%s", good[i]);
    }

    ok(begin(&run, &rbl_op_hook_replay, GIVEN("from=2026-11-20", NULL)) == 0
       && rbl_str_is(run.argv[RBL_ARG(hook_replay, from)], "1795132800000"),
       "a day begins at midnight");
    ok(rbl_str_is(run.argv[RBL_ARG(hook_replay, to)], "1795167000999"),
       "without an end it is the present second");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(begin(&run, &rbl_op_hook_replay, GIVEN(bad[i], NULL)) != 0
           && strstr(refused, "it must be a time in UTC") != NULL,
           "refused: %s", bad[i]);
    }
}


static void
test_replay(void)
{
    rbl_run_t  run;

    static const char *const  one = "event=EV00000000000000000000000000000001";

    ok(begin(&run, &rbl_op_hook_replay, GIVEN(NULL)) != 0,
       "a replay of nothing is refused");
    ok(begin(&run, &rbl_op_hook_replay, GIVEN("all=0", NULL)) != 0,
       "a flag that is off selects nothing");
    ok(begin(&run, &rbl_op_hook_replay, GIVEN(one, "all=1", NULL)) != 0,
       "two selections are refused");
    ok(begin(&run, &rbl_op_hook_replay,
             GIVEN("all=1", "to=2026-11-20", NULL)) != 0,
       "an end without a beginning is refused");
    ok(begin(&run, &rbl_op_hook_replay, GIVEN(one, NULL)) == 0,
       "one event is a selection");
    is_str(run.argv[RBL_ARG(hook_replay, from)], "0",
           "the search begins with the oldest letter");
    ok(begin(&run, &rbl_op_hook_replay,
             GIVEN("all=1", "after=1795167000000-0", NULL)) == 0,
       "a replay goes on behind a letter");
    is_str(run.argv[RBL_ARG(hook_replay, from)], "(1795167000000-0",
           "the letter itself is left out");
}


static void
test_ids(void)
{
    size_t  i;

    static const char *const  bad[] = {
        "", "-", "1", "1-", "-1", "1-2-3", "a-1", "1-x", "+1-1", " 1-1",
        "1234567890123456789012-1", "1-123456789012345678901"
    };

    ok(rbl_entry_id(RBL_STR("0-0")), "0-0 is the id of an entry");
    ok(rbl_entry_id(RBL_STR("1795167000000-12")), "a time and a number are");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(!rbl_entry_id(rbl_str(bad[i])), "\"%s\" is none", bad[i]);
    }
}


static void
test_pages(void)
{
    size_t     i;
    rbl_run_t  run;

    static const struct {
        const char  *given;
        const char  *first, *last;      /* NULL: refused */
    } cases[] = {
        { "page=1", "0", "19" }, { "page=3", "40", "59" },
        { "page_size=7", "0", "6" }, { "page_size=1000", "0", "99" },
        { "page_size=99999999999999999999999", "0", "99" },
        { "page=99999999999999999999999", "19999999999980",
          "19999999999999" },
        { "page=0", NULL, NULL }, { "page=x", NULL, NULL },
        { "page=-1", NULL, NULL }, { "page=", NULL, NULL },
        { "page_size=0", NULL, NULL }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (cases[i].first == NULL) {
            ok(begin(&run, &rbl_op_hooks, GIVEN(cases[i].given, NULL)) != 0
               && run.refusal == 400, "refused: %s", cases[i].given);
            continue;
        }

        ok(begin(&run, &rbl_op_hooks, GIVEN(cases[i].given, NULL)) == 0
           && rbl_str_is(run.argv[RBL_ARG(hook_list, first)], cases[i].first)
           && rbl_str_is(run.argv[RBL_ARG(hook_list, last)], cases[i].last),
           "%s: from %s to %s", cases[i].given, cases[i].first, cases[i].last);
    }
}


static void
test_numbers(void)
{
    size_t     i;
    rbl_run_t  run;

    static const char *const  bad[] = {
        "hour=-1", "hour=", "hour=x", "hour=1.5", "hour=1000000001",
        "reads=1000001", "starts= 1"
    };

    ok(begin(&run, &rbl_op_app_limit, GIVEN("hour=0", "reads=1000000", NULL))
       == 0, "limits from 0 to the largest are taken");
    is_str(run.argv[RBL_ARG(app_limit, writes)], "",
           "a limit that is not given is empty");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(begin(&run, &rbl_op_app_limit, GIVEN(bad[i], NULL)) != 0
           && strstr(refused, "it must be a whole number from 0 to") != NULL,
           "refused: %s", bad[i]);
    }

    ok(begin(&run, &rbl_op_app_stats, GIVEN("hours=1", "days=1", NULL)) != 0,
       "hours and days exclude each other");
    ok(begin(&run, &rbl_op_app_stats, GIVEN("days=396", NULL)) == 0
       && run.n_rest >= 13 && run.n_rest <= 14,
       "13 months are 13 or 14 keys of 32 days");
    ok(begin(&run, &rbl_op_hook_rotate, GIVEN(NULL)) == 0
       && rbl_str_is(run.argv[RBL_ARG(hook_secret, stays)], "86400"),
       "an old secret stays for a day");
    ok(begin(&run, &rbl_op_hook_rotate, GIVEN("overlap=7200", NULL)) == 0
       && rbl_str_is(run.argv[RBL_ARG(hook_secret, stays)], "7200"),
       "an overlap is in seconds");
}


static void
test_networks(void)
{
    rbl_run_t  run;

    ok(begin(&run, &rbl_op_app_allow,
             GIVEN("allow=192.0.2.1,192.0.2.1/32, ::ffff:192.0.2.1,unix:",
                   NULL)) == 0 && run.n_rest == 2,
       "networks that are the same count once");
    is_str(run.rest[0], "192.0.2.1/32", "a network has its canonical form");
    ok(begin(&run, &rbl_op_app_allow, GIVEN("allow=", NULL)) == 0
       && run.n_rest == 0, "an empty list allows every address");
    ok(begin(&run, &rbl_op_app_allow, GIVEN("allow=10.1.2.3/8", NULL)) != 0
       && strstr(refused, "The network is 10.0.0.0/8.") != NULL,
       "a network with host bits is refused, and named");
    ok(begin(&run, &rbl_op_app_allow, GIVEN(NULL)) != 0,
       "a call without networks is refused");
}


static void
test_users(void)
{
    rbl_run_t               run;
    const rbl_new_token_t  *made;

    ok(begin(&run, &rbl_op_user_add,
             GIVEN("mail=A@Example.test", "role=owner", NULL)) == 0,
       "an address and a role make a user");
    is_str(run.argv[RBL_ARG(user_put, mail)], "A@example.test",
           "the domain of an address is in lower case");
    is_str(run.argv[RBL_ARG(user_put, sure)], "0",
           "a user of the portal is not sure of the address of another");
    made = run.data;
    ok(run.argv[RBL_ARG(user_put, field)].n == RBL_TOKEN_FIELD
       && run.argv[RBL_ARG(user_put, digest)].n == 32
       && strspn(made->text, "0123456789abcdef") >= RBL_TOKEN_LEN,
       "a link of 64 digits is made");
    ok(begin(&run, &rbl_op_user_add, GIVEN("mail=x", "role=owner", NULL)) != 0
       && strstr(refused, "it must be an e-mail address") != NULL,
       "what is no address is refused");
    ok(begin(&run, &rbl_op_user_role, GIVEN("role=root", NULL)) != 0
       && strstr(refused, "owner, admin or viewer") != NULL,
       "an unknown role is refused");
}


static void
test_billing(void)
{
    size_t     i;
    rbl_run_t  run;

    static const char *const  bad[] = {
        "alert=", "alert=-1", "alert=5.001", "alert=05", "alert=1e3",
        "renew=on", "renew=", "source=", "source=PS"
    };

    static const char *const  charges[] = {
        "amount=0.49", "amount=10000.01", "amount=0", "amount=-1",
        "amount=0.001", "amount=1e9", "amount=", "limit=1"
    };

    ok(begin(&run, &rbl_op_bill_update,
             GIVEN("alert=0.05", "falls_below=0", "renew=true", NULL)) == 0,
       "amounts and a flag are choices about a bill");
    is_str(run.argv[RBL_ARG(bill_terms, alert)], "50000",
           "an amount becomes micro-USD");
    is_str(run.argv[RBL_ARG(bill_terms, falls)], "0", "0 is an amount");
    is_str(run.argv[RBL_ARG(bill_terms, to)], "",
           "what is not given stays as it was");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(begin(&run, &rbl_op_bill_update, GIVEN(bad[i], NULL)) != 0
           && run.refusal == 400, "refused: %s", bad[i]);
    }

    for (i = 0; i < sizeof(charges) / sizeof(charges[0]); i++) {
        ok(begin(&run, &rbl_op_bill_topup,
                 GIVEN(charges[i], "idempotency_key=0123456789abcdef", NULL))
           != 0 && run.refusal == 400, "a top-up refuses %s", charges[i]);
    }

    ok(begin(&run, &rbl_op_bill_topup,
             GIVEN("amount=10000.00", "idempotency_key=0123456789abcde", NULL))
       != 0, "a top-up refuses a key of 15 characters");
    ok(begin(&run, &rbl_op_bill_topup,
             GIVEN("amount=10000.00", "idempotency_key=0123456789abcdef",
                   NULL)) == 0,
       "a top-up takes an amount and a key of 16 characters");

    ok(begin(&run, &rbl_op_bill_ledger, GIVEN("limit=201", NULL)) != 0,
       "a page of the ledger has at most 200 movements");
    ok(begin(&run, &rbl_op_bill_ledger, GIVEN("before=1-0", NULL)) == 0,
       "a page of the ledger begins before an entry");
    is_str(run.argv[RBL_ARG(bill_ledger, most)], "50",
           "a page of the ledger has 50 movements by default");
}


static void
test_refusals(void)
{
    rbl_run_t  run;

    static const rbl_outcome_t  table[] = {
        { "LIMIT", 409, "%L of %s, %s." }, { NULL, 0, NULL }
    };

    redisReply   part[] = {
        { .type = REDIS_REPLY_STRING, .str = "LIMIT", .len = 5 },
        { .type = REDIS_REPLY_INTEGER, .integer = 100 },
        { .type = REDIS_REPLY_STRING, .str = "a text", .len = 6 }
    };
    redisReply  *element[] = { &part[0], &part[1], &part[2] };
    redisReply   reply = { .type = REDIS_REPLY_ARRAY, .elements = 2,
                           .element = element };

    (void) begin(&run, &rbl_op_hook_add, GIVEN(NULL));
    run.refusal = 0;

    ok(rbl_refuse_by(&run, rbl_hook_refusals, &reply) == 0
       && run.refusal == 409, "the word of a reply chooses the refusal");
    is_str(rbl_str(refused), "An account may have at most 100 webhooks.",
           "the number of the reply stands in its text");
    (void) rbl_refuse_by(&run, table, &reply);
    is_str(rbl_str(refused), "100 of , .", "what a reply lacks is empty");
    reply.elements = 3;
    (void) rbl_refuse_by(&run, table, &reply);
    is_str(rbl_str(refused), "100 of a text, .",
           "the texts of the reply stand in the text in their order");
    part[0].str = "OTHER";
    ok(rbl_refuse_by(&run, rbl_hook_refusals, &reply) != 0,
       "an unknown word is no refusal");
    ok(rbl_refuse_by(&run, NULL, &reply) != 0, "without a table there is none");
}


int
main(void)
{
    test_order();
    test_lists();
    test_times();
    test_replay();
    test_ids();
    test_pages();
    test_numbers();
    test_networks();
    test_users();
    test_billing();
    test_refusals();

    return tap_done();
}
