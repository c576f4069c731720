/*
 * For the tests of channels: messages, the JSON that a channel makes of them,
 * and its verdicts on answers.
 */

#ifndef CHAT_WORLD_H_INCLUDED
#define CHAT_WORLD_H_INCLUDED

#include <jansson.h>
#include <stdlib.h>

#include "deliver/channels/chat.h"
#include "tap.h"

#define EV  "EV00000000000000000000000000000001"

#define WORLD_HOSTS     200
#define WORLD_LISTINGS  50

typedef struct {
    message_t          m;
    message_host_t     host[WORLD_HOSTS];
    message_listing_t  listing[WORLD_LISTINGS];     /* the same for every
                                                       host */
    message_past_t     past;                        /* likewise */
    rbl_buf_t          json;
    config_t           conf;
} world_t;

/* The texts of a hostile message. */
static const char *const  world_hostile[] = {
    "<!channel> @everyone *b* _i_ ~s~ `c` | > # - [x](https://evil.example/)",
    "&&&&&&&&&&<<<<<<<<<<>>>>>>>>>>\"\"\"\"\"\"\"\"\"\"''''''''''",
    "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80 \xc3\xa4\xe2\x82\xac",
    "line one\nline two\r\ttab</b></a><script>\\u0000 \x7f",
    "https://example.net/?q=<x>\"&y=|z)]}"
};


__attribute__((unused))
static void
world_init(world_t *w)
{
    memset(w, 0, sizeof(world_t));
    config_defaults(&w->conf);
    rbl_buf_init(&w->json);
    w->m.event = RBL_STR(EV);
}


__attribute__((unused))
static message_listing_t
world_listing(const char *zone)
{
    message_listing_t  l;

    memset(&l, 0, sizeof(l));
    l.id = RBL_STR("RB00000000000000000000000000000003");
    l.zone = rbl_str(zone);
    l.name = RBL_STR("Example list");
    l.website = RBL_STR("https://www.example.net/");
    l.details = RBL_STR("https://look.example/?q=192.0.2.7&x=1");
    l.reason = RBL_STR("spam <source> & more");
    l.delisting = RBL_STR("https://off.example/");
    l.weight = RBL_STR("high");
    l.since = RBL_STR("2026-11-20 09:30:00 UTC");

    return l;
}


/* Makes the i-th host, listed on n lists of the world. */

__attribute__((unused))
static message_host_t *
world_host(world_t *w, size_t i, const char *value, message_state_t state,
    size_t n)
{
    message_host_t  *h = &w->host[i];

    memset(h, 0, sizeof(message_host_t));
    h->id = RBL_STR("HT00000000000000000000000000000004");
    h->value = rbl_str(value);
    h->name = RBL_STR("mail");
    h->state = state;
    h->first_listed = state == MESSAGE_LISTED
                      ? RBL_STR("2026-11-20 09:30:00 UTC") : RBL_STR("");
    h->listed_count = (int64_t) n;
    h->n_listings = n;
    h->listing = w->listing;
    w->m.host = w->host;
    w->m.n_hosts = i + 1;

    return h;
}


/* Makes the stored message of the world. */

__attribute__((unused))
static rbl_str_t
world_message(world_t *w)
{
    size_t  i;

    w->m.listed = 0;
    w->m.delisted = 0;
    w->m.unreported = 0;

    for (i = 0; i < w->m.n_hosts; i++) {
        w->m.listed += w->host[i].state == MESSAGE_LISTED;
        w->m.delisted += w->host[i].state == MESSAGE_DELISTED;
        w->m.unreported += w->host[i].state == MESSAGE_UNREPORTED;
    }

    rbl_buf_reset(&w->json);
    message_trigger(&w->json.out, &w->m);

    return rbl_buf_str(&w->json);
}


__attribute__((unused))
static rbl_str_t
world_confirm(world_t *w)
{
    rbl_event_t  event;

    memset(&event, 0, sizeof(event));
    event.id = RBL_STR(EV);
    event.type = RBL_STR("contact.confirm");
    event.date = INT64_C(1795167000000);
    event.contact = RBL_STR("CO00000000000000000000000000000002");
    event.code = RBL_STR("k7m2xq");

    rbl_buf_reset(&w->json);
    ok(message_event(&w->json.out, &event, &rbl_timezone_utc) == RBL_OK,
       "a confirmation");

    return rbl_buf_str(&w->json);
}


/* Fills every text with a hostile one, in turn. */

__attribute__((unused))
static void
world_spoil(world_t *w, char *text, size_t size, const char *with,
    size_t n_hosts, size_t n_listings)
{
    size_t             i, len;
    message_listing_t  l;

    len = strlen(with);

    for (i = 0; i + len < size; i += len) {
        memcpy(text + i, with, len);
    }

    memset(&l, 0, sizeof(l));
    l.id = RBL_STR("RB00000000000000000000000000000003");
    l.name = l.zone = l.details = l.reason = (rbl_str_t) { text, i };
    l.delisting = l.since = l.weight = l.website = l.name;
    l.off = l.marked = l.name;
    w->past.zone = w->past.name = w->past.period = l.name;

    for (i = 0; i < n_listings; i++) {
        w->listing[i] = l;
    }

    for (i = 0; i < n_hosts; i++) {
        world_host(w, i, "x", MESSAGE_LISTED, n_listings);
        w->host[i].value = w->host[i].name = l.name;
        w->host[i].first_listed = w->host[i].flaps = l.name;
        w->host[i].past = &w->past;
        w->host[i].n_past = 1;
    }
}


/* The request of the channel for a stored message; NULL: none. */

__attribute__((unused))
static json_t *
world_made(world_t *w, const channel_t *channel, const char *to,
    rbl_str_t message, request_t **request)
{
    json_t         *root;
    json_error_t    error;
    channel_job_t   job;

    memset(&job, 0, sizeof(job));
    job.conf = &w->conf;
    job.to = rbl_str(to);
    job.secret = RBL_STR("");
    job.event = RBL_STR(EV);
    job.body = message;
    job.first = INT64_C(1795167000000);

    *request = request_new();

    if (channel_make(channel, *request, &job) != RBL_OK) {
        return NULL;
    }

    root = json_loadb((*request)->body.p, (*request)->body.n, 0, &error);
    ok(root != NULL, "it is JSON");

    return root;
}


/* Puts every hostile text into messages of so many hosts and lists. */

__attribute__((unused))
static void
world_hostiles(world_t *w, const channel_t *channel, const char *to,
    const size_t (*sizes)[2], size_t n,
    void (*check)(const json_t *root, const char *name))
{
    char        text[2000], name[64];
    size_t      i, j;
    json_t     *root;
    request_t  *r;

    for (i = 0; i < sizeof(world_hostile) / sizeof(world_hostile[0]); i++) {
        for (j = 0; j < n; j++) {
            world_spoil(w, text, i % 2 ? sizeof(text) : 100, world_hostile[i],
                        sizes[j][0], sizes[j][1]);
            root = world_made(w, channel, to, world_message(w), &r);
            snprintf(name, sizeof(name), "%zu, %zu hosts, %zu lists", i,
                     sizes[j][0], sizes[j][1]);
            check(root, name);
            json_decref(root);
            request_free(r);
        }
    }
}


/* Finds a text by its path: members and "[0]", as "blocks[0].text.text"; or
   "". */

__attribute__((unused))
static rbl_str_t
world_at(const json_t *root, const char *path)
{
    char           name[64];
    size_t         n;
    const json_t  *v = root;

    while (*path != '\0') {
        if (*path == '[') {
            v = json_array_get(v, (size_t) atoi(path + 1));
            path = strchr(path, ']') + 1;

        } else {
            path += *path == '.';
            n = strcspn(path, ".[");
            snprintf(name, sizeof(name), "%.*s", (int) n, path);
            v = json_object_get(v, name);
            path += n;
        }
    }

    return json_is_string(v) ? rbl_str(json_string_value(v)) : RBL_STR("");
}


typedef struct {
    unsigned            status;
    const char         *body;
    channel_verdict_t   verdict;
    int64_t             wait;
    const char         *why;            /* NULL: not checked */
    const char         *value;
} world_answer_t;

__attribute__((unused))
static void
world_judge(const channel_t *channel, const world_answer_t *t, size_t n)
{
    size_t             i;
    channel_answer_t   a;
    channel_outcome_t  o;

    for (i = 0; i < n; i++) {
        memset(&a, 0, sizeof(a));
        memset(&o, 0, sizeof(o));
        a.status = t[i].status;
        a.text = "";
        a.body = rbl_str(t[i].body);

        ok(channel_judge(channel, &a, &o) == t[i].verdict,
           "%u %.60s: the verdict",
           t[i].status, t[i].body);
        ok(o.wait == t[i].wait, "%u %.60s: the wait", t[i].status, t[i].body);
        ok(strcmp(o.value, t[i].value ? t[i].value : "") == 0,
           "%u %.60s: the value", t[i].status, t[i].body);

        if (t[i].why != NULL) {
            is_str(rbl_str(o.why), t[i].why, "and why");
        }
    }
}


/* Invalid answers must be judged only by their status. */

__attribute__((unused))
static void
world_nonsense(const channel_t *channel)
{
    size_t             i;
    channel_answer_t   a;
    channel_outcome_t  o;

    static const char *const  bodies[] = {
        "", "{", "[", "null", "{}", "[]", "\xff\xfe", "<html>busy</html>",
        "{\"ok\":\"no\",\"message\":5,\"description\":[],\"code\":\"x\"}",
        "{\"errors\":{},\"parameters\":[],\"retry_after\":\"soon\"}",
        "{\"retry_after\":1e999}", "{\"retry_after\":-5}",
        "{\"retry_after\":99999999999999999999999}",
        "{\"parameters\":{\"retry_after\":-1,\"migrate_to_chat_id\":\"x\"}}",
        "{\"parameters\":{\"migrate_to_chat_id\":0}}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    };

    for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        memset(&a, 0, sizeof(a));
        memset(&o, 0, sizeof(o));
        a.text = "";
        a.body = rbl_str(bodies[i]);

        a.status = 500;
        ok(channel_judge(channel, &a, &o) == CHANNEL_RETRY, "500 %s",
           bodies[i]);
        a.status = 429;
        ok(channel_judge(channel, &a, &o) == CHANNEL_RETRY && o.wait >= 0
           && o.wait <= BACKOFF_WAIT_MAX, "429 %s", bodies[i]);
        a.status = 400;
        ok(channel_judge(channel, &a, &o) == CHANNEL_DEAD && o.value[0] == '\0',
           "400 %s", bodies[i]);
    }
}

#endif /* CHAT_WORLD_H_INCLUDED */
