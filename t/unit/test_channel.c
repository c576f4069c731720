/* Common functions of channels: requests, forms, and parsing of answers. */

#include "deliver/channels/channel.h"

#include "tap.h"


static channel_answer_t
answer(unsigned status, const char *headers)
{
    channel_answer_t  a;

    memset(&a, 0, sizeof(a));
    a.status = status;
    a.text = "";
    a.headers = rbl_str(headers);

    return a;
}


static void
test_headers(void)
{
    channel_answer_t  a;

    a = answer(429, "Server: x\r\nRetry-After:  7 \r\nX-Empty:\r\n"
                    "Retry-After-Not: 8\r\nretry-after: 9\r\nLast: 1");

    is_str(channel_answer_header(&a, "Retry-After"), "7", "the first one");
    is_str(channel_answer_header(&a, "retry-AFTER"), "7", "in any case");
    is_str(channel_answer_header(&a, "Retry"), "", "not by its beginning");
    is_str(channel_answer_header(&a, "X-Empty"), "", "an empty one");
    is_str(channel_answer_header(&a, "Last"), "1", "without an end");
    is_str(channel_answer_header(&a, "Nothing"), "", "none");

    a = answer(429, "");
    is_str(channel_answer_header(&a, "Last"), "", "no headers");
    a = answer(429, ":\r\n\r\n\n::\nLast");
    is_str(channel_answer_header(&a, "Last"), "", "nonsense");
}


static void
test_form(void)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    form_add(&buf, "To", RBL_STR("+4912"));
    form_add(&buf, "Body", RBL_STR("a b&c=d\r\n\xc3\xa4~._-Z9"));
    form_add(&buf, "x", rbl_str(""));
    is_str(rbl_buf_str(&buf),
           "To=%2B4912&Body=a%20b%26c%3Dd%0D%0A%C3%A4~._-Z9&x=", "a form");
    rbl_buf_reset(&buf);
    form_add(&buf, "x", RBL_STR("\0"));
    is_str(rbl_buf_str(&buf), "x=%00", "with a NUL");
    rbl_buf_free(&buf);
}


static rbl_err_t
service_write(request_t *request, const channel_job_t *job,
    rbl_str_t to, const message_t *message)
{
    (void) job;

    if (to.n > 0) {
        request->to = to;

    } else {
        channel_service(request, "https://api.example.net/v9", RBL_STR("/x"));
    }

    rbl_out_str(&request->body_made.out, message->title);

    return RBL_OK;
}


static void
test_service(void)
{
    channel_t      channel = { .write = service_write };
    channel_job_t  job;
    request_t     *r;

    memset(&job, 0, sizeof(job));
    job.body = RBL_STR("{\"event_sid\":\"EV1\",\"event_type\":\"x\","
                       "\"title\":\"body\",\"message\":\"\",\"url\":\"\"}");
    r = request_new();
    ok(channel_make(&channel, r, &job) == RBL_OK && r->trusted
       && !r->fresh, "a request to a service");
    is_str(r->to, "https://api.example.net/v9/x", "its URL");
    is_str(r->body, "body", "its body");
    ok(channel_never(r, "no") == RBL_EINVAL && strcmp(r->why, "no") == 0,
       "or never");
    request_free(r);

    r = request_new();
    job.to = RBL_STR("https://hooks.example.net/x");
    channel.keyless = 1;
    ok(channel_make(&channel, r, &job) == RBL_OK && !r->trusted
       && r->fresh, "to a customer's URL");
    is_str(r->to, "https://hooks.example.net/x", "which stays");
    request_free(r);

    r = request_new();
    job.body = RBL_STR("{");
    ok(channel_make(&channel, r, &job) == RBL_EINVAL
       && strcmp(r->why, "the message is malformed") == 0,
       "no request has a malformed message");
    request_free(r);
}


static void
test_judge(void)
{
    size_t             i;
    channel_answer_t   a;
    channel_outcome_t  o;

    static const struct {
        unsigned           status;
        channel_verdict_t  verdict;
    } t[] = {
        { 200, CHANNEL_DELIVERED }, { 202, CHANNEL_DELIVERED },
        { 204, CHANNEL_DELIVERED }, { 299, CHANNEL_DELIVERED },
        { 100, CHANNEL_DEAD }, { 301, CHANNEL_DEAD }, { 307, CHANNEL_DEAD },
        { 400, CHANNEL_DEAD }, { 401, CHANNEL_DEAD }, { 403, CHANNEL_DEAD },
        { 404, CHANNEL_DEAD }, { 410, CHANNEL_DEAD }, { 413, CHANNEL_DEAD },
        { 408, CHANNEL_RETRY }, { 425, CHANNEL_RETRY }, { 429, CHANNEL_RETRY },
        { 500, CHANNEL_RETRY }, { 502, CHANNEL_RETRY }, { 599, CHANNEL_RETRY }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        memset(&o, 0, sizeof(o));
        a = answer(t[i].status, "");
        ok(channel_judge_service(&a, &o, "The service") == t[i].verdict
           && o.wait == 0, "%u", t[i].status);
    }

    ok(strcmp(o.why, "The service said: 599") == 0,
       "and the reason has the status");
}


static void
test_why(void)
{
    char               words[400];
    size_t             i;
    channel_outcome_t  o;

    memset(&o, 0, sizeof(o));
    channel_why(&o, "X", 400, RBL_STR("a\r\nb\x1b[1m\x7f\xc2\x85\xff\xc3\xa4"));
    ok(strcmp(o.why, "X said: 400 a??b?[1m???\xc3\xa4") == 0,
       "control characters are replaced: %s", o.why);

    for (i = 0; i < sizeof(words); i += 2) {
        memcpy(words + i, "\xc3\xa4", 2);
    }

    for (i = 0; i < 4; i++) {
        channel_why(&o, "X", 400, (rbl_str_t) { words, 200 + 2 * i });
        ok(strlen(o.why) < CHANNEL_WORDS_MAX
           && strlen(o.why) > CHANNEL_WORDS_MAX - 8
           && strlen(o.why) % 2 == 0, "cut between characters");
    }
}


static void
test_header_lines(void)
{
    size_t      i;
    request_t  *request;

    static const char *const  bad[] = {
        "a\r\nX-Other: 1", "a\nX-Other: 1", "a\rb", "\r\n\r\nbody", "a\tb",
        "a\x01", "a\x7f"
    };

    request = request_new();

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(request_header(request, "X-Any", rbl_str(bad[i])) == RBL_EINVAL
           && request->n_headers == 0, "no header of bad value %zu", i);
    }

    ok(request_header(request, "X-Any", RBL_STR("a b\xc3\xbc")) == RBL_OK
       && request->n_headers == 1, "a line of text is one");
    request_free(request);
}


static void
test_endpoint(void)
{
    size_t         i;
    channel_job_t  job;
    request_t     *r;

    static const struct {
        const char  *to, *url, *user, *password;
    } t[] = {
        { "https://a.example/?k=1", "https://a.example/?k=1", "", "" },
        { "https://a.example/ user:pw", "https://a.example/", "user", "pw" },
        { "https://a.example user", "https://a.example", "user", "" },
        { "https://a.example/h u%40x:p%3Aw:%c3%a9", "https://a.example/h",
          "u@x", "p:w:\xc3\xa9" }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        memset(&job, 0, sizeof(job));
        job.to = rbl_str(t[i].to);
        job.event = RBL_STR("EV1");
        job.body = RBL_STR("{}");

        r = request_new();
        ok(channel_make(&channel_endpoint, r, &job) == RBL_OK,
           "a request is made: %s",
           t[i].to);
        is_str(r->to, t[i].url, "the URL has no name and password");
        is_str(((rbl_str_t) { r->user.n ? r->user.p : "", r->user.n }),
               t[i].user, "the name is decoded");
        is_str(((rbl_str_t) { r->password.n ? r->password.p : "",
                              r->password.n }), t[i].password,
               "the password is decoded");
        request_free(r);
    }
}


/* Each type of contact has a channel that can do its work. */

static void
test_all(void)
{
    size_t            i;
    const char       *name;
    const channel_t  *channel;

    for (i = 0; i < RBL_CONTACT_TYPES; i++) {
        name = rbl_contact_type_name((rbl_contact_type_t) i);
        channel = channel_find(rbl_str(name));

        ok(channel != NULL && channel->type == i, "%s has a channel", name);
        ok((channel->make != NULL) != (channel->write != NULL),
           "%s: it makes a request or writes one", name);
        ok(channel->judge != NULL || channel->service != NULL,
           "%s: it judges answers", name);
        ok(channel->repeats != NULL, "%s: it has a schedule", name);
    }
}


int
main(void)
{
    test_all();
    test_headers();
    test_endpoint();
    test_header_lines();
    test_form();
    test_service();
    test_judge();
    test_why();

    return tap_done();
}
