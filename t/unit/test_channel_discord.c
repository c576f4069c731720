/* Messages and answers of Discord. */

#include "chat_world.h"

#define URL  "https://discord.com/api/webhooks/1/x"


static world_t  w;


static void
test_message(void)
{
    json_t        *root;
    const json_t  *v;
    request_t     *r;

    world_init(&w);
    w.listing[0] = world_listing("zen.example");
    w.listing[1] = world_listing("bl_x.example");
    w.listing[1].delisting = RBL_STR("https://off.example/(a)[b]<c>\"");
    world_host(&w, 0, "192.0.2.7", MESSAGE_LISTED, 2);
    world_host(&w, 1, "192.0.2.9", MESSAGE_DELISTED, 0);

    root = world_made(&w, &channel_discord, URL, world_message(&w), &r);
    is_str(r->to, URL "?wait=true", "to the webhook, waiting for its response");
    ok(r->fresh && channel_discord.keyless && !r->trusted,
       "the service cannot detect a repeat");
    is_str(world_at(root, "content"),
           "1 host listed, 1 host delisted: 192.0.2.7, 192.0.2.9",
           "the content");
    is_str(world_at(root, "embeds[0].description"),
           "**192.0.2.7** (mail) is listed on 2 lists since "
           "2026-11-20 09:30:00 UTC:\n"
           "\xe2\x80\xa2 **zen.example** (Example list): "
           "spam \\<source\\> & more "
           "[Details](https://look.example/?q=192.0.2.7&x=1) "
           "[Delisting](https://off.example/)\n"
           "\xe2\x80\xa2 **bl\\_x.example** (Example list): "
           "spam \\<source\\> & more "
           "[Details](https://look.example/?q=192.0.2.7&x=1) "
           "[Delisting](https://off.example/%28a%29%5Bb%5D%3Cc%3E%22)\n",
           "the first host");
    is_str(world_at(root, "embeds[1].description"),
           "**192.0.2.9** (mail) is no longer listed.\n", "the second");
    v = json_object_get(root, "embeds");
    ok(json_array_size(v) == 2, "no more");
    ok(json_integer_value(json_object_get(json_array_get(v, 0), "color"))
       == 0xd93025, "a listing is red");
    ok(json_integer_value(json_object_get(json_array_get(v, 1), "color"))
       == 0x188038, "its end is green");
    v = json_object_get(json_object_get(root, "allowed_mentions"), "parse");
    ok(json_is_array(v) && json_array_size(v) == 0, "no user is mentioned");

    json_decref(root);
    request_free(r);

    root = world_made(&w, &channel_discord, URL, world_confirm(&w), &r);
    is_str(world_at(root, "content"),
           "Confirm this contact for blocklist monitoring", "a confirmation");
    ok(strstr(world_at(root, "embeds[0].description").p, "\n    k7m2xq\n")
       != NULL, "with the code");
    json_decref(root);
    request_free(r);
}


/* Outside of the channel's own links, all markup is escaped. */

static int
escaped(rbl_str_t text)
{
    size_t  i;

    for (i = 0; i < text.n; i++) {
        if (text.p[i] == '\\') {
            i++;

        } else if (strncmp(text.p + i, "[Details](http", 14) == 0
                   || strncmp(text.p + i, "[Delisting](http", 16) == 0)
        {
            i += strcspn(text.p + i, ")");

        } else if (strchr("[]<>@`~|#_", text.p[i]) != NULL) {
            return 0;
        }
    }

    return 1;
}


static void
check_limits(const json_t *root, const char *name)
{
    int        good;
    char       path[64];
    size_t     i, n, sum;
    rbl_str_t  text;

    n = json_array_size(json_object_get(root, "embeds"));
    sum = 0;
    good = n > 0 && n <= 10;

    for (i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "embeds[%zu].description", i);
        text = world_at(root, path);
        sum += clip_length(text, CLIP_UTF16);
        good = good && text.n > 0 && clip_length(text, CLIP_UTF16) <= 4096
               && escaped(text);
    }

    ok(good && sum <= 6000, "%s: %zu embeds, %zu characters", name, n, sum);
}


static void
test_hostile(void)
{
    static const size_t  sizes[][2] = {
        { 1, 0 }, { 1, 1 }, { 1, 50 }, { 2, 20 }, { 9, 1 }, { 10, 0 },
        { 11, 3 }, { 200, 50 }
    };

    world_hostiles(&w, &channel_discord, URL, sizes,
                   sizeof(sizes) / sizeof(sizes[0]), check_limits);
}


static void
test_more(void)
{
    size_t      i;
    json_t     *root;
    request_t  *r;

    for (i = 0; i < 60; i++) {
        world_host(&w, i, "192.0.2.1", MESSAGE_DELISTED, 0);
    }

    root = world_made(&w, &channel_discord, URL, world_message(&w), &r);
    ok(json_array_size(json_object_get(root, "embeds")) == 10,
       "as many embeds as may be");
    is_str(world_at(root, "embeds[9].description"), "And 51 more hosts.",
           "the rest is counted");
    json_decref(root);
    request_free(r);
}


static void
test_judge(void)
{
    static const world_answer_t  t[] = {
        { 200, "{\"id\":\"1\"}", CHANNEL_DELIVERED, 0, "", NULL },
        { 204, "", CHANNEL_DELIVERED, 0, "", NULL },
        { 404, "{\"message\":\"Unknown Webhook\",\"code\":10015}",
          CHANNEL_DISABLE, 0, "Discord said: 404 Unknown Webhook", NULL },
        { 404, "", CHANNEL_DISABLE, 0, "Discord said: 404", NULL },
        { 401, "{\"message\":\"Invalid Webhook Token\",\"code\":50027}",
          CHANNEL_DISABLE, 0, NULL, NULL },
        { 401, "{\"message\":\"401: Unauthorized\",\"code\":0}",
          CHANNEL_DEAD, 0, NULL, NULL },
        { 403, "{\"message\":\"Missing Permissions\",\"code\":50013}",
          CHANNEL_DEAD, 0, NULL, NULL },
        { 400, "{\"message\":\"Cannot send an empty message\","
               "\"code\":50006}",
          CHANNEL_DEAD, 0, "Discord said: 400 Cannot send an empty message",
          NULL },
        { 400, "{\"message\":\"Invalid Form Body\",\"code\":50035,"
               "\"errors\":{}}", CHANNEL_DEAD, 0, NULL, NULL },
        { 400, "{\"message\":\"Unknown Channel\",\"code\":10003}",
          CHANNEL_DEAD, 0, NULL, NULL },
        { 429, "{\"message\":\"You are being rate limited.\","
               "\"retry_after\":64.57,\"global\":false}",
          CHANNEL_RETRY, 64570, "Discord said: 429 You are being rate "
          "limited.", NULL },
        { 429, "{\"retry_after\":3,\"code\":20028}", CHANNEL_RETRY, 3001,
          NULL, NULL },
        { 429, "{\"retry_after\":1e30}", CHANNEL_RETRY, BACKOFF_WAIT_MAX,
          NULL, NULL },
        { 500, "{\"retry_after\":3}", CHANNEL_RETRY, 0, NULL, NULL },
        { 503, "<html>", CHANNEL_RETRY, 0, "Discord said: 503", NULL }
    };

    world_judge(&channel_discord, t, sizeof(t) / sizeof(t[0]));
    world_nonsense(&channel_discord);
}


static void
test_thread(void)
{
    json_t     *root;
    request_t  *r;

    root = world_made(&w, &channel_discord, URL "?thread_id=77",
                      world_confirm(&w), &r);
    is_str(r->to, URL "?thread_id=77&wait=true",
           "the request goes to the thread");
    json_decref(root);
    request_free(r);
}


int
main(void)
{
    test_message();
    test_thread();
    test_hostile();
    test_more();
    test_judge();
    rbl_buf_free(&w.json);

    return tap_done();
}
