/* Messages and answers of Telegram. */

#include "chat_world.h"


static world_t  w;


static void
test_message(void)
{
    json_t     *root;
    request_t  *r;

    world_init(&w);
    w.listing[0] = world_listing("zen.example");
    w.listing[0].delisting = RBL_STR("https://off.example/\"><b>&");
    world_host(&w, 0, "192.0.2.7", MESSAGE_LISTED, 1);
    world_host(&w, 1, "192.0.2.9", MESSAGE_DELISTED, 0);

    ok(world_made(&w, &channel_telegram, "1", world_message(&w), &r) == NULL,
       "without a token");
    ok(strstr(r->why, "(telegram_token_file)") != NULL,
       "the reason names the option");
    request_free(r);

    snprintf(w.conf.telegram_token, sizeof(w.conf.telegram_token), "%s",
             "12:a-b_c");
    root = world_made(&w, &channel_telegram, "-1001234567890",
                      world_message(&w), &r);
    is_str(r->to, "https://api.telegram.org/bot12:a-b_c/sendMessage",
           "to the bot");
    ok(r->fresh && channel_telegram.keyless && r->trusted,
       "the service cannot detect a repeat");
    ok(json_integer_value(json_object_get(root, "chat_id"))
       == INT64_C(-1001234567890), "the chat is a number");
    is_str(world_at(root, "parse_mode"), "HTML", "in HTML");
    is_str(world_at(root, "text"),
           "<b>1 host listed, 1 host delisted: 192.0.2.7, 192.0.2.9</b>\n\n"
           "<b>192.0.2.7</b> (mail) is listed on 1 list since "
           "2026-11-20 09:30:00 UTC:\n"
           "\xe2\x80\xa2 <b>zen.example</b> (Example list): "
           "spam &lt;source&gt; &amp; more "
           "<a href=\"https://look.example/?q=192.0.2.7&amp;x=1\">Details</a> "
           "<a href=\"https://off.example/%22%3E%3Cb%3E&amp;\">Delisting</a>\n"
           "\n<b>192.0.2.9</b> (mail) is no longer listed.\n\n",
           "the text");
    ok(json_is_true(json_object_get(json_object_get(root,
           "link_preview_options"), "is_disabled")), "without previews");
    json_decref(root);
    request_free(r);

    root = world_made(&w, &channel_telegram, "@channel", world_confirm(&w),
                      &r);
    is_str(world_at(root, "chat_id"), "@channel", "a channel by its name");
    ok(strncmp(world_at(root, "text").p, "<b>Confirm this contact for "
               "blocklist monitoring</b>\n\n", 50) == 0, "a confirmation");
    ok(strstr(world_at(root, "text").p, "\n    k7m2xq\n") != NULL,
       "with the code");
    json_decref(root);
    request_free(r);
}


/* Only the channel's own tags, each closed, and complete entities. */

static int
html_ok(rbl_str_t text)
{
    int     open;
    size_t  i, n;

    static const char *const  known[] = {
        "&amp;", "&lt;", "&gt;", "&quot;", "<b>", "</b>", "<a href=\"http",
        "\">Details</a>", "\">Delisting</a>"
    };

    for (i = 0, open = 0; i < text.n; i++) {
        if (strchr("&<>\"", text.p[i]) == NULL) {
            continue;
        }

        for (n = 0; n < sizeof(known) / sizeof(known[0]); n++) {
            if (strncmp(text.p + i, known[n], strlen(known[n])) == 0) {
                break;
            }
        }

        if (n == sizeof(known) / sizeof(known[0])) {
            return 0;
        }

        open += (n == 4 || n == 6) - (n == 5 || n > 6);
        i += strlen(known[n]) - 1;

        if (open < 0 || open > 1) {
            return 0;
        }
    }

    return open == 0;
}


static void
test_hostile(void)
{
    char        text[2000];
    size_t      i, j, n;
    json_t     *root;
    request_t  *r;

    static const size_t  sizes[][2] = {
        { 1, 0 }, { 1, 1 }, { 1, 50 }, { 2, 20 }, { 9, 1 }, { 10, 0 },
        { 200, 50 }
    };

    for (i = 0; i < sizeof(world_hostile) / sizeof(world_hostile[0]); i++) {
        for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
            world_spoil(&w, text, i % 2 ? sizeof(text) : 100,
                        world_hostile[i], sizes[j][0], sizes[j][1]);
            root = world_made(&w, &channel_telegram, "1", world_message(&w),
                              &r);
            n = clip_length(world_at(root, "text"), CLIP_UTF16);
            ok(n > 20 && n <= 4096 && html_ok(world_at(root, "text")),
               "%zu, %zu hosts, %zu lists: %zu units", i, sizes[j][0],
               sizes[j][1], n);
            json_decref(root);
            request_free(r);
        }
    }
}


/* Words that become entities are not too long. */

static void
test_words(void)
{
    char        text[6000];
    size_t      i;
    json_t     *root;
    rbl_buf_t   buf;
    rbl_doc_t   doc;
    request_t  *r;

    for (i = 0; i < 3; i++) {
        memset(text, "a\"&"[i], sizeof(text));
        rbl_buf_init(&buf);
        rbl_doc_begin(&doc, &buf.out, RBL_JSON);
        rbl_doc_z(&doc, "event_sid", EV);
        rbl_doc_z(&doc, "event_type", "contact.confirm");
        rbl_doc_str(&doc, "title", (rbl_str_t) { text, sizeof(text) });
        rbl_doc_str(&doc, "message", (rbl_str_t) { text, sizeof(text) });
        rbl_doc_z(&doc, "url", "");
        rbl_doc_end(&doc);

        root = world_made(&w, &channel_telegram, "1", rbl_buf_str(&buf), &r);
        ok(clip_length(world_at(root, "text"), CLIP_UTF16) <= 4096
           && html_ok(world_at(root, "text")), "long words");
        json_decref(root);
        request_free(r);
        rbl_buf_free(&buf);
    }
}


static void
test_judge(void)
{
    static const world_answer_t  t[] = {
        { 200, "{\"ok\":true,\"result\":{}}", CHANNEL_DELIVERED, 0, "", NULL },
        { 200, "{\"ok\":true,\"result\":{\"text\":\"cut", CHANNEL_DELIVERED, 0,
          "", NULL },
        { 200, "{\"ok\":false,\"error_code\":429,\"description\":\"x\","
               "\"parameters\":{\"retry_after\":7}}", CHANNEL_RETRY, 7000,
          "Telegram said: 429 x", NULL },
        { 200, "{\"ok\":false,\"error_code\":403}", CHANNEL_DISABLE, 0, NULL,
          NULL },
        { 429, "{\"ok\":false,\"error_code\":429,\"description\":"
               "\"Too Many Requests: retry after 35\",\"parameters\":"
               "{\"retry_after\":35}}", CHANNEL_RETRY, 35000,
          "Telegram said: 429 Too Many Requests: retry after 35", NULL },
        { 429, "{\"ok\":false,\"error_code\":429,\"parameters\":"
               "{\"retry_after\":999999999999}}", CHANNEL_RETRY,
          BACKOFF_WAIT_MAX, NULL, NULL },
        { 400, "{\"ok\":false,\"error_code\":400,\"description\":"
               "\"Bad Request: group chat was upgraded to a supergroup chat\","
               "\"parameters\":{\"migrate_to_chat_id\":-1001234567890}}",
          CHANNEL_RETRY, 0, NULL, "-1001234567890" },
        { 400, "{\"ok\":false,\"error_code\":400,\"parameters\":"
               "{\"migrate_to_chat_id\":4503599627370496}}", CHANNEL_DEAD, 0,
          NULL, NULL },
        { 403, "{\"ok\":false,\"error_code\":403,\"parameters\":"
               "{\"migrate_to_chat_id\":5}}", CHANNEL_DISABLE, 0, NULL, NULL },
        { 400, "{\"ok\":false,\"error_code\":400,\"description\":"
               "\"Bad Request: chat not found\"}", CHANNEL_DEAD, 0,
          "Telegram said: 400 Bad Request: chat not found", NULL },
        { 400, "{\"ok\":false,\"error_code\":400,\"description\":"
               "\"Bad Request: can't parse entities\"}", CHANNEL_DEAD, 0, NULL,
          NULL },
        { 401, "{\"ok\":false,\"error_code\":401,\"description\":"
               "\"Unauthorized\"}", CHANNEL_DEAD, 0, NULL, NULL },
        { 403, "{\"ok\":false,\"error_code\":403,\"description\":"
               "\"Forbidden: bot was blocked by the user\"}", CHANNEL_DISABLE,
          0, "Telegram said: 403 Forbidden: bot was blocked by the user",
          NULL },
        { 404, "{\"ok\":false,\"error_code\":404,\"description\":"
               "\"Not Found\"}", CHANNEL_DEAD, 0, NULL, NULL },
        { 500, "{\"ok\":false,\"error_code\":500}", CHANNEL_RETRY, 0, NULL,
          NULL },
        { 502, "<html>", CHANNEL_RETRY, 0, "Telegram said: 502", NULL }
    };

    world_judge(&channel_telegram, t, sizeof(t) / sizeof(t[0]));
    world_nonsense(&channel_telegram);
}


static void
test_topic(void)
{
    json_t     *root;
    request_t  *r;

    root = world_made(&w, &channel_telegram, "-1001234567890:77",
                      world_confirm(&w), &r);
    ok(json_integer_value(json_object_get(root, "chat_id"))
       == INT64_C(-1001234567890), "the chat of a topic is a number");
    ok(json_integer_value(json_object_get(root, "message_thread_id")) == 77,
       "the topic is in the request");
    json_decref(root);
    request_free(r);

    root = world_made(&w, &channel_telegram, "@channel:1", world_confirm(&w),
                      &r);
    is_str(world_at(root, "chat_id"), "@channel",
           "the chat of a topic is a name");
    ok(json_integer_value(json_object_get(root, "message_thread_id")) == 1,
       "the topic of a named chat is in the request");
    json_decref(root);
    request_free(r);

    root = world_made(&w, &channel_telegram, "1", world_confirm(&w), &r);
    ok(json_object_get(root, "message_thread_id") == NULL,
       "a chat without a topic has none in the request");
    json_decref(root);
    request_free(r);
}


int
main(void)
{
    test_message();
    test_topic();
    test_hostile();
    test_words();
    test_judge();
    rbl_buf_free(&w.json);

    return tap_done();
}
