/* Messages and answers of Slack. */

#include "chat_world.h"

#define URL  "https://hooks.slack.com/services/T0/B0/x"


static world_t  w;


static void
test_message(void)
{
    json_t     *root;
    request_t  *r;

    world_init(&w);
    w.listing[0] = world_listing("zen.example");
    w.listing[1] = world_listing("bl_x.example");
    w.listing[1].name = RBL_STR("");
    w.listing[1].details = RBL_STR("because");
    w.listing[1].delisting = RBL_STR("");
    world_host(&w, 0, "192.0.2.7", MESSAGE_LISTED, 2);
    world_host(&w, 1, "192.0.2.9", MESSAGE_DELISTED, 0);

    root = world_made(&w, &channel_slack, URL, world_message(&w), &r);
    is_str(r->to, URL, "to the webhook");
    ok(r->fresh && channel_slack.keyless && !r->trusted,
       "the service cannot detect a repeat");
    is_str(world_at(root, "text"),
           "1 host listed, 1 host delisted: 192.0.2.7, 192.0.2.9",
           "the text of notifications");
    is_str(world_at(root, "blocks[0].type"), "header", "a header");
    is_str(world_at(root, "blocks[0].text.type"), "plain_text", "is plain");
    is_str(world_at(root, "blocks[0].text.text"),
           "1 host listed, 1 host delisted: 192.0.2.7, 192.0.2.9",
           "the title");
    is_str(world_at(root, "blocks[1].type"), "section", "a section");
    is_str(world_at(root, "blocks[1].text.type"), "mrkdwn", "with markup");
    is_str(world_at(root, "blocks[1].text.text"),
           "*192.0.2.7* (mail) is listed on 2 lists since "
           "2026-11-20 09:30:00 UTC:\n"
           "\xe2\x80\xa2 *zen.example* (Example list): "
           "spam &lt;source&gt; &amp; more "
           "<https://look.example/?q=192.0.2.7&amp;x=1|Details> "
           "<https://off.example/|Delisting>\n"
           "\xe2\x80\xa2 *bl\xe2\x80\x8b_\xe2\x80\x8bx.example*: "
           "spam &lt;source&gt; &amp; more; because\n", "of the first host");
    is_str(world_at(root, "blocks[2].text.text"),
           "*192.0.2.9* (mail) is no longer listed.\n", "the second");
    ok(json_array_size(json_object_get(root, "blocks")) == 3, "no more");

    json_decref(root);
    request_free(r);
}


/* A host that flaps, with a new listing beside an old one and an ended one;
   then addresses of a range. */

static void
test_news(void)
{
    size_t           i;
    json_t          *root;
    request_t       *r;
    message_host_t  *h;

    static const char *const  values[] = {
        "192.0.2.1", "192.0.2.2", "192.0.2.3"
    };

    world_init(&w);
    w.listing[0] = world_listing("zen.example");
    w.listing[0].fresh = 1;
    w.listing[0].off = RBL_STR("2 d 3 h");
    w.listing[1] = world_listing("bl.example");
    w.listing[1].id = RBL_STR("RB00000000000000000000000000000004");
    w.listing[1].marked = RBL_STR("ticket <4711>");
    w.past.zone = RBL_STR("off.example");
    w.past.period = RBL_STR("3 d 4 h");
    h = world_host(&w, 0, "192.0.2.7", MESSAGE_LISTED, 2);
    h->flaps = RBL_STR("2026-11-19 08:00:00 UTC");
    h->changes = 5;
    h->past = &w.past;
    h->n_past = 1;

    root = world_made(&w, &channel_slack, URL, world_message(&w), &r);
    is_str(world_at(root, "blocks[1].text.text"),
           "*192.0.2.7* (mail) is listed on 2 lists since "
           "2026-11-20 09:30:00 UTC:\n"
           "*Flapping since 2026-11-19 08:00:00 UTC (5 changes).*\n"
           "\xe2\x80\xa2 *zen.example* (Example list), new, "
           "*relisted (was off it for 2 d 3 h)*: "
           "spam &lt;source&gt; &amp; more "
           "<https://look.example/?q=192.0.2.7&amp;x=1|Details> "
           "<https://off.example/|Delisting>\n"
           "\xe2\x80\xa2 *bl.example* (Example list): "
           "spam &lt;source&gt; &amp; more; ticket &lt;4711&gt; "
           "<https://look.example/?q=192.0.2.7&amp;x=1|Details> "
           "<https://off.example/|Delisting>\n"
           "\xe2\x80\xa2 *off.example*: no longer listed, listed for"
           " 3 d 4 h\n", "news of a host");
    json_decref(root);
    request_free(r);

    w.listing[0].off = RBL_STR("");

    for (i = 0; i < 3; i++) {
        h = world_host(&w, i, values[i], MESSAGE_LISTED, 1);
        h->range = RBL_STR("192.0.2.0/28");
        h->range_hosts = 16;
    }

    root = world_made(&w, &channel_slack, URL, world_message(&w), &r);
    is_str(world_at(root, "blocks[1].text.text"),
           "*192.0.2.0/28: 3 of 16 by Example list*: 192.0.2.1, 192.0.2.2,"
           " 192.0.2.3\n"
           "\xe2\x80\xa2 *zen.example* (Example list): "
           "spam &lt;source&gt; &amp; more "
           "<https://look.example/?q=192.0.2.7&amp;x=1|Details> "
           "<https://off.example/|Delisting>\n", "addresses of a range");
    ok(json_array_size(json_object_get(root, "blocks")) == 2,
       "siblings have one block");
    json_decref(root);
    request_free(r);
}


/* A long text about lists that are no longer used is whole. */

static void
test_unreported(void)
{
    json_t     *root;
    request_t  *r;

    world_init(&w);
    world_host(&w, 0, "192.0.2.7", MESSAGE_UNREPORTED, 0)->why =
        RBL_STR("lists Example list of senders, Example list of networks,"
                " Example list of names and 2 more are no longer used");

    root = world_made(&w, &channel_slack, URL, world_message(&w), &r);
    is_str(world_at(root, "blocks[1].text.text"),
           "*192.0.2.7* (mail) is no longer reported: lists Example list of"
           " senders, Example list of networks, Example list of names and 2"
           " more are no longer used.\n", "which lists are no longer used");

    json_decref(root);
    request_free(r);
}


static void
test_confirm(void)
{
    json_t     *root;
    request_t  *r;

    root = world_made(&w, &channel_slack, URL, world_confirm(&w), &r);
    is_str(world_at(root, "blocks[0].text.text"),
           "Confirm this contact for blocklist monitoring", "its title");
    is_str(world_at(root, "blocks[1].text.type"), "plain_text", "plain");
    ok(strstr(world_at(root, "blocks[1].text.text").p, "\n    k7m2xq\n")
       != NULL, "with the code");
    json_decref(root);
    request_free(r);
}


/* Only the channel's own links are tags of Slack. */

static int
tags_ok(rbl_str_t text)
{
    size_t  i, n;

    for (i = 0; i < text.n; i++) {
        if (text.p[i] == '>') {
            return 0;
        }

        if (text.p[i] == '<') {
            n = strcspn(text.p + i, ">");

            if (strncmp(text.p + i, "<http", 5) != 0
                || memchr(text.p + i + 1, '<', n - 1) != NULL
                || (strncmp(text.p + i + n - 8, "|Details", 8) != 0
                    && strncmp(text.p + i + n - 10, "|Delisting", 10) != 0))
            {
                return 0;
            }

            i += n;
        }
    }

    return 1;
}


static void
check_limits(const json_t *root, const char *name)
{
    int            good;
    char           path[64];
    size_t         i, n, sum;
    rbl_str_t      text;
    const json_t  *blocks;

    blocks = json_object_get(root, "blocks");
    n = json_array_size(blocks);
    sum = 0;
    good = n > 1 && n <= 50;

    for (i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "blocks[%zu].text.text", i);
        text = world_at(root, path);
        sum += clip_length(text, CLIP_CHARS);
        good = good && text.n > 0
               && clip_length(text, CLIP_CHARS) <= (i == 0 ? 150 : 3000)
               && (i == 0 || tags_ok(text));
    }

    ok(good && sum <= 13000, "%s: %zu blocks, %zu characters", name, n, sum);
    ok(tags_ok(world_at(root, "text")), "%s: the text", name);
}


static void
test_hostile(void)
{
    static const size_t  sizes[][2] = {
        { 1, 0 }, { 1, 1 }, { 1, 50 }, { 2, 20 }, { 48, 1 }, { 49, 0 },
        { 60, 3 }, { 200, 50 }
    };

    world_hostiles(&w, &channel_slack, URL, sizes,
                   sizeof(sizes) / sizeof(sizes[0]), check_limits);
}


static void
test_more(void)
{
    char        path[64];
    size_t      i;
    json_t     *root;
    rbl_str_t   message;
    request_t  *r;

    for (i = 0; i < 60; i++) {
        world_host(&w, i, "192.0.2.1", MESSAGE_DELISTED, 0);
    }

    message = world_message(&w);
    root = world_made(&w, &channel_slack, URL, message, &r);
    i = json_array_size(json_object_get(root, "blocks"));
    ok(i == 50, "as many blocks as may be");
    snprintf(path, sizeof(path), "blocks[%zu].text.text", i - 1);
    is_str(world_at(root, path), "And 12 more hosts.", "the rest is counted");
    json_decref(root);
    request_free(r);
}


static void
test_malformed(void)
{
    request_t  *r;

    ok(world_made(&w, &channel_slack, URL, RBL_STR("{}"), &r) == NULL
       && strcmp(r->why, "the message is malformed") == 0, "no message");
    request_free(r);
}


static void
test_judge(void)
{
    static const world_answer_t  t[] = {
        { 200, "ok", CHANNEL_DELIVERED, 0, "", NULL },
        { 200, "ok\n", CHANNEL_DELIVERED, 0, NULL, NULL },
        { 200, "", CHANNEL_DEAD, 0, "Slack said: 200", NULL },
        { 200, "no_text", CHANNEL_DEAD, 0, "Slack said: 200 no_text", NULL },
        { 400, "invalid_payload", CHANNEL_DEAD, 0,
          "Slack said: 400 invalid_payload", NULL },
        { 400, "user_not_found", CHANNEL_DEAD, 0, NULL, NULL },
        { 400, "invalid_blocks", CHANNEL_DEAD, 0, NULL, NULL },
        { 403, "action_prohibited", CHANNEL_DEAD, 0, NULL, NULL },
        { 404, "channel_not_found", CHANNEL_DEAD, 0, NULL, NULL },
        { 410, "channel_is_archived", CHANNEL_DISABLE, 0,
          "Slack said: 410 channel_is_archived", NULL },
        { 403, "invalid_token", CHANNEL_DISABLE, 0, NULL, NULL },
        { 404, "no_service", CHANNEL_DISABLE, 0, NULL, NULL },
        { 404, "no_team", CHANNEL_DISABLE, 0, NULL, NULL },
        { 404, "no_active_hooks", CHANNEL_DISABLE, 0, NULL, NULL },
        { 500, "rollup_error", CHANNEL_RETRY, 0,
          "Slack said: 500 rollup_error", NULL },
        { 500, "no_service", CHANNEL_RETRY, 0, NULL, NULL },
        { 429, "rate_limited", CHANNEL_RETRY, 0, NULL, NULL },
        { 502, "<html>", CHANNEL_RETRY, 0, NULL, NULL },
        { 301, "", CHANNEL_DEAD, 0, NULL, NULL }
    };

    world_judge(&channel_slack, t, sizeof(t) / sizeof(t[0]));
    world_nonsense(&channel_slack);
}


static void
test_workflow(void)
{
    size_t      i;
    json_t     *root;
    request_t  *r;

    static const char *const  urls[] = {
        "https://hooks.slack.com/triggers/T0/1/x",
        "https://hooks.slack.com/workflows/T0/A0/1/x",
        "https://hooks.slack-gov.com/triggers/T0/1/x"
    };

    for (i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        root = world_made(&w, &channel_slack, urls[i], world_confirm(&w), &r);
        is_str(r->to, urls[i], "the request goes to the workflow");
        ok(json_object_size(root) == 1, "a workflow gets one value");
        ok(strstr(world_at(root, "text").p, "\n    k7m2xq\n") != NULL,
           "a workflow gets the message with the code");
        json_decref(root);
        request_free(r);
    }
}


int
main(void)
{
    test_message();
    test_workflow();
    test_news();
    test_unreported();
    test_confirm();
    test_hostile();
    test_more();
    test_malformed();
    test_judge();
    rbl_buf_free(&w.json);

    return tap_done();
}
