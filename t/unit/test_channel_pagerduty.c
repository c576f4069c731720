/* Events and answers of PagerDuty. */

#include "chat_world.h"

#define KEY  "0123456789abcdef0123456789abcdef"


static world_t  w;


static void
test_host(void)
{
    json_t     *root;
    request_t  *r;

    world_init(&w);
    w.listing[0] = world_listing("zen.example");
    w.listing[1] = world_listing("bl.example");
    w.listing[1].weight = RBL_STR("critical");
    w.listing[1].delisting = RBL_STR("");
    world_host(&w, 0, "192.0.2.7", MESSAGE_LISTED, 2);

    root = world_made(&w, &channel_pagerduty, KEY, world_message(&w), &r);
    is_str(r->to, "https://events.pagerduty.com/v2/enqueue", "to the service");
    ok(r->trusted && !channel_pagerduty.keyless,
       "the service can detect a repeat");
    is_str(world_at(root, "routing_key"), KEY, "the routing key");
    is_str(world_at(root, "event_action"), "trigger", "a trigger");
    is_str(world_at(root, "dedup_key"),
           "rbl-HT00000000000000000000000000000004", "the key of the host");
    is_str(world_at(root, "payload.summary"),
           "192.0.2.7 (mail) is listed on 2 lists: zen.example, bl.example",
           "the summary");
    is_str(world_at(root, "payload.source"), "192.0.2.7", "the source");
    is_str(world_at(root, "payload.severity"), "critical",
           "the severity is the worst");
    is_str(world_at(root, "payload.custom_details.lists[0].host"),
           "zen.example", "the first list");
    is_str(world_at(root, "payload.custom_details.lists[1].reason"),
           "spam <source> & more", "the reason of the second");
    is_str(world_at(root, "links[0].href"), "https://off.example/", "a link");
    is_str(world_at(root, "links[0].text"), "Delisting at zen.example",
           "and its text");
    ok(json_array_size(json_object_get(root, "links")) == 1, "no other");
    json_decref(root);
    request_free(r);

    w.host[0].flaps = RBL_STR("2026-11-19 08:00:00 UTC");
    w.listing[0].off = RBL_STR("2 d 3 h");
    root = world_made(&w, &channel_pagerduty, KEY, world_message(&w), &r);
    is_str(world_at(root, "payload.summary"),
           "192.0.2.7 (mail) is listed on 2 lists, flapping since 2026-11-19"
           " 08:00:00 UTC: zen.example, bl.example", "a host flaps");
    is_str(world_at(root, "payload.custom_details.flapping_since"),
           "2026-11-19 08:00:00 UTC", "since when it flaps");
    is_str(world_at(root, "payload.custom_details.lists[0].relisted"),
           "2 d 3 h", "how long a list did not have it");
    json_decref(root);
    request_free(r);

    world_host(&w, 0, "192.0.2.7", MESSAGE_DELISTED, 0);
    root = world_made(&w, &channel_pagerduty, KEY, world_message(&w), &r);
    is_str(world_at(root, "event_action"), "resolve", "a resolve");
    is_str(world_at(root, "dedup_key"),
           "rbl-HT00000000000000000000000000000004", "with the same key");
    ok(json_object_get(root, "payload") == NULL, "and no payload");
    json_decref(root);
    request_free(r);

    world_host(&w, 0, "192.0.2.7", MESSAGE_CLEAR, 0);
    root = world_made(&w, &channel_pagerduty, KEY, world_message(&w), &r);
    is_str(world_at(root, "event_action"), "resolve", "of a clear one too");
    json_decref(root);
    request_free(r);

    world_host(&w, 0, "192.0.2.7", MESSAGE_UNREPORTED, 0);
    root = world_made(&w, &channel_pagerduty, KEY, world_message(&w), &r);
    is_str(world_at(root, "event_action"), "resolve", "of one that is deleted");
    is_str(world_at(root, "dedup_key"),
           "rbl-HT00000000000000000000000000000004", "with the same key");
    json_decref(root);
    request_free(r);
}


static void
test_many(void)
{
    size_t      i;
    json_t     *root;
    request_t  *r;

    for (i = 0; i < MESSAGE_HOSTS; i++) {
        world_host(&w, i, "192.0.2.7", MESSAGE_LISTED, 1);
    }

    root = world_made(&w, &channel_pagerduty, KEY, world_message(&w), &r);
    is_str(world_at(root, "event_action"), "trigger", "of many hosts");
    is_str(world_at(root, "dedup_key"), "rbl-" EV, "the key is the event");
    is_str(world_at(root, "payload.summary"), "50 hosts listed: 192.0.2.0/24",
           "summary");
    is_str(world_at(root, "payload.severity"), "error", "severity");
    is_str(world_at(root, "payload.custom_details.hosts[49]"), "192.0.2.7",
           "the hosts");
    json_decref(root);
    request_free(r);

    root = world_made(&w, &channel_pagerduty, KEY, world_confirm(&w), &r);
    is_str(world_at(root, "payload.summary"),
           "Confirm this contact for blocklist monitoring: k7m2xq",
           "a confirmation");
    is_str(world_at(root, "payload.severity"), "info", "is harmless");
    json_decref(root);
    request_free(r);
}


static void
test_hostile(void)
{
    char        text[2000];
    size_t      i, j, n;
    json_t     *root;
    request_t  *r;

    static const size_t  sizes[][2] = {
        { 1, 0 }, { 1, 1 }, { 1, 50 }, { 2, 20 }, { 200, 50 }
    };

    for (i = 0; i < sizeof(world_hostile) / sizeof(world_hostile[0]); i++) {
        for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
            world_spoil(&w, text, i % 2 ? sizeof(text) : 100,
                        world_hostile[i], sizes[j][0], sizes[j][1]);
            root = world_made(&w, &channel_pagerduty, KEY, world_message(&w),
                              &r);
            n = clip_length(world_at(root, "payload.summary"), CLIP_CHARS);
            ok(n > 0 && n <= 1024 && r->body.n < 500000,
               "%zu, %zu hosts, %zu lists: %zu octets", i, sizes[j][0],
               sizes[j][1], r->body.n);
            n = clip_length(world_at(root, "payload.source"), CLIP_CHARS);
            ok(n > 0 && n <= 255, "the source");
            json_decref(root);
            request_free(r);
        }
    }
}


static void
test_judge(void)
{
    static const world_answer_t  t[] = {
        { 202, "{\"status\":\"success\",\"message\":\"Event processed\","
               "\"dedup_key\":\"x\"}", CHANNEL_DELIVERED, 0, "", NULL },
        { 400, "{\"status\":\"invalid event\",\"message\":\"Event object is "
               "invalid\",\"errors\":[\"Length of 'routing_key' is incorrect"
               "\"]}", CHANNEL_DEAD, 0,
          "PagerDuty said: 400 Length of 'routing_key' is incorrect", NULL },
        { 400, "{\"message\":\"bad\"}", CHANNEL_DEAD, 0,
          "PagerDuty said: 400 bad", NULL },
        { 403, "", CHANNEL_DEAD, 0, NULL, NULL },
        { 404, "", CHANNEL_DEAD, 0, NULL, NULL },
        { 429, "{\"status\":\"throttle exceeded\",\"message\":\"Requests for "
               "this service are arriving too quickly.\"}", CHANNEL_RETRY, 0,
          NULL, NULL },
        { 500, "", CHANNEL_RETRY, 0, "PagerDuty said: 500", NULL },
        { 503, "<html>", CHANNEL_RETRY, 0, NULL, NULL }
    };

    world_judge(&channel_pagerduty, t, sizeof(t) / sizeof(t[0]));
    world_nonsense(&channel_pagerduty);
}


int
main(void)
{
    test_host();
    test_many();
    test_hostile();
    test_judge();
    rbl_buf_free(&w.json);

    return tap_done();
}
