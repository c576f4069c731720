/*
 * The channels of chats (deliver/channel_*.c, chat.c): stored messages and
 * responses of any bytes.  The first bytes choose the channel, whether it is a
 * message or a response, and its status; the rest is its bytes.
 *
 * A message becomes JSON within the service's limits; the text on a response is
 * printable, and a wait is within a day.
 */

#include "fuzz.h"
#include "deliver/channels/chat.h"

#include <jansson.h>


static const channel_t *const  chats[] = {
    &channel_pagerduty, &channel_slack, &channel_discord, &channel_telegram
};


static size_t
units(const json_t *text, clip_unit_t unit)
{
    fuzz_check(json_is_string(text));

    return clip_length((rbl_str_t) { json_string_value(text),
                                     json_string_length(text) }, unit);
}


static void
check_pagerduty(const json_t *root)
{
    const json_t  *payload;

    payload = json_object_get(root, "payload");
    fuzz_check(units(json_object_get(root, "dedup_key"), CLIP_CHARS) <= 255);

    if (payload != NULL) {
        fuzz_check(units(json_object_get(payload, "summary"), CLIP_CHARS)
                   <= 1024);
        fuzz_check(units(json_object_get(payload, "source"), CLIP_CHARS)
                   <= 255);
    }
}


static void
check_slack(const json_t *root)
{
    size_t         i, n, sum;
    const json_t  *blocks, *block;

    blocks = json_object_get(root, "blocks");
    n = json_array_size(blocks);
    fuzz_check(n > 0 && n <= 50);

    for (i = 0, sum = 0; i < n; i++) {
        block = json_object_get(json_array_get(blocks, i), "text");
        sum += units(json_object_get(block, "text"), CLIP_CHARS);
    }

    fuzz_check(sum <= 13000);
}


static void
check_discord(const json_t *root)
{
    size_t         i, n, sum;
    const json_t  *embeds;

    embeds = json_object_get(root, "embeds");
    n = json_array_size(embeds);
    fuzz_check(n > 0 && n <= 10);
    fuzz_check(units(json_object_get(root, "content"), CLIP_UTF16) <= 2000);

    for (i = 0, sum = 0; i < n; i++) {
        sum += units(json_object_get(json_array_get(embeds, i),
                                     "description"), CLIP_UTF16);
    }

    fuzz_check(sum <= 6000);
}


static void
try_message(const channel_t *channel, rbl_str_t body)
{
    json_t        *root;
    config_t      *conf;
    rbl_err_t      err;
    json_error_t   error;
    channel_job_t  job;
    request_t     *request;

    conf = calloc(1, sizeof(config_t));
    fuzz_check(conf != NULL);
    snprintf(conf->telegram_token, sizeof(conf->telegram_token), "1:a");

    memset(&job, 0, sizeof(job));
    job.conf = conf;
    job.to = RBL_STR("-1");
    job.event = RBL_STR("EV00000000000000000000000000000001");
    job.body = body;

    request = request_new();
    fuzz_check(request != NULL);
    err = channel_make(channel, request, &job);

    if (err == RBL_OK) {
        root = json_loadb(request->body.p, request->body.n, 0, &error);
        fuzz_check(root != NULL);

        if (channel == &channel_pagerduty) {
            check_pagerduty(root);

        } else if (channel == &channel_slack) {
            check_slack(root);

        } else if (channel == &channel_discord) {
            check_discord(root);

        } else {
            fuzz_check(units(json_object_get(root, "text"), CLIP_UTF16)
                       <= 4096);
        }

        json_decref(root);

    } else {
        fuzz_check(err == RBL_EINVAL && request->why[0] != '\0');
    }

    request_free(request);
    free(conf);
}


static void
try_answer(const channel_t *channel, unsigned status, rbl_str_t body)
{
    const char         *p;
    channel_answer_t    answer;
    channel_verdict_t   verdict;
    channel_outcome_t   outcome;

    memset(&answer, 0, sizeof(answer));
    memset(&outcome, 0, sizeof(outcome));
    answer.status = status;
    answer.text = "";
    answer.body = body;
    answer.headers = body;

    verdict = channel_judge(channel, &answer, &outcome);
    fuzz_check(verdict == CHANNEL_DELIVERED || outcome.why[0] != '\0');
    fuzz_check(verdict != CHANNEL_DELIVERED
               || (status >= 200 && status <= 299));
    fuzz_check(outcome.wait >= 0 && outcome.wait <= BACKOFF_WAIT_MAX);

    for (p = outcome.why; *p != '\0'; p++) {
        fuzz_check((unsigned char) *p >= ' ' && *p != 0x7f);
    }

    (void) channel_answer_header(&answer, "Retry-After");
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t            f;
    unsigned          kind, status;
    const channel_t  *channel;

    fuzz_init(&f, data, size);
    kind = fuzz_u8(&f);
    channel = chats[kind % (sizeof(chats) / sizeof(chats[0]))];

    if (kind & 4) {
        status = fuzz_u8(&f) * 2;
        try_answer(channel, status + 100, fuzz_rest(&f));

    } else {
        try_message(channel, fuzz_rest(&f));
    }

    fuzz_done(&f);

    return 0;
}
