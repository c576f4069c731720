/*
 * Answers of gateways (bill/gateway_*.c): any bytes.  The
 * first byte chooses gateway, task, and whether the list was read; the second
 * the status; the rest is the body.
 *
 * A payment has succeeded, or is declined, only by an answer that names it;
 * texts are printable, ids plain, addresses http or https.
 */

#include "fuzz.h"
#include "bill/gateway.h"
#include "rbl_money.h"

#define PY    "PY0123456789abcdef0123456789abcdef"
#define SEEN  "AC0123456789abcdef0123456789abcdef"

static const unsigned  codes[] = {
    200, 200, 200, 400, 401, 402, 403, 404, 409, 429, 500, 503, 201, 302
};


static int
has(rbl_str_t body, const char *text)
{
    return memmem(body.p, body.n, text, strlen(text)) != NULL;
}


static void
check_text(const char *p)
{
    for ( /* void */ ; *p != '\0'; p++) {
        fuzz_check(*p >= ' ' && *p < 0x7f);
    }
}


static void
check_outcome(const gateway_outcome_t *o, const gateway_job_t *job,
    const gateway_answer_t *answer)
{
    int  pays;

    pays = job->task == GATEWAY_CHARGE || job->task == GATEWAY_QUERY;
    check_text(o->text);
    check_text(o->reason);
    check_text(o->reference);
    check_text(o->url);
    check_text(o->brand);
    check_text(o->last4);
    fuzz_check(strpbrk(o->reference, " \"'<>&") == NULL);
    fuzz_check(o->url[0] == '\0' || strncasecmp(o->url, "http", 4) == 0);
    fuzz_check(o->result <= GATEWAY_AGAIN);
    fuzz_check(o->amount == 0 || rbl_str_is(job->payment.kind, "recharge"));
    fuzz_check(o->amount >= 0 && o->amount <= RBL_MONEY_MAX
               && o->amount % 10000 == 0);

    if (pays && (o->result == GATEWAY_SUCCEEDED
                 || o->result == GATEWAY_DECLINED))
    {
        /* an escape such as \u0050 may hide it */

        fuzz_check(has(answer->body, PY) || has(answer->body, "\\u"));
        fuzz_check(o->result != GATEWAY_SUCCEEDED || answer->status == 200);
        fuzz_check(o->result != GATEWAY_SUCCEEDED || o->reference[0] != '\0');
        fuzz_check(o->result != GATEWAY_DECLINED || o->reason[0] != '\0');
    }

    if (job->task == GATEWAY_CARD && o->result == GATEWAY_SUCCEEDED) {
        fuzz_check(o->month >= 1 && o->month <= 12 && o->year >= 2000
                   && o->year <= 9999);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t              f;
    unsigned            kind;
    config_t           *conf;
    gateway_job_t       job;
    const gateway_t    *gateway;
    gateway_answer_t    answer;
    gateway_outcome_t   outcome;

    fuzz_init(&f, data, size);
    conf = calloc(1, sizeof(config_t));
    fuzz_check(conf != NULL);
    kind = fuzz_u8(&f);
    gateway = kind & 1 ? &gateway_http : &gateway_stripe;
    snprintf(conf->gateway, sizeof(conf->gateway), "%s", gateway->name);
    snprintf(conf->gateway_key, sizeof(conf->gateway_key), "sk_test_none");

    memset(&job, 0, sizeof(job));
    memset(&outcome, 0, sizeof(outcome));
    job.conf = conf;
    job.task = kind & 1 ? GATEWAY_CHARGE + (kind >> 1) % 2
                        : GATEWAY_CHARGE + (kind >> 1) % 6;
    job.looked = (kind & 128) != 0;
    job.account = RBL_STR(SEEN);
    job.payment.id = RBL_STR(PY);
    job.payment.kind = kind & 64 ? RBL_STR("recharge") : RBL_STR("renewal");
    job.payment.amount = 25000000;
    job.payment.reference = RBL_STR("");
    job.setup.session = RBL_STR("cs_1");
    job.source.method = RBL_STR("pm_1");
    answer.status = codes[fuzz_u8(&f) % (sizeof(codes) / sizeof(codes[0]))];
    answer.body = fuzz_rest(&f);

    gateway->judge(&outcome, &job, &answer);
    check_outcome(&outcome, &job, &answer);

    free(conf);
    fuzz_done(&f);

    return 0;
}
