/* Digests: from the replies of the store to messages. */

#include "deliver/digest_make.h"

#include "deliver/message/message.h"
#include "rbl_mp.h"
#include "tap.h"

#define AC  "AC00000000000000000000000000000001"
#define CO  "CO00000000000000000000000000000002"
#define EV  "EV00000000000000000000000000000003"
#define RB  "RB0000000000000000000000000000000"
#define HT  "HT000000000000000000000000000000"

#define NOW  INT64_C(1795167000000)     /* 2026-11-20 09:30:00 UTC */

/* Hosts that have a message of their own (digest_claim.lua). */
enum { NONE = 0, ALL, UNLISTED };


/* Replies, made by hand. */

#define REPLIES  2000

static redisReply   replies[REPLIES];
static redisReply  *elements[REPLIES];
static rbl_buf_t    bytes[REPLIES];
static size_t       n_replies, n_elements, n_bytes;


static redisReply *
reply_str(rbl_str_t s)
{
    redisReply  *r = &replies[n_replies++];

    memset(r, 0, sizeof(*r));
    r->type = REDIS_REPLY_STRING;
    r->str = (char *) (uintptr_t) s.p;
    r->len = s.n;

    return r;
}


static redisReply *
reply_int(int64_t n)
{
    redisReply  *r = &replies[n_replies++];

    memset(r, 0, sizeof(*r));
    r->type = REDIS_REPLY_INTEGER;
    r->integer = n;

    return r;
}


/* Makes an array for n elements. */

static redisReply *
reply_array(size_t n)
{
    redisReply  *r = &replies[n_replies++];

    memset(r, 0, sizeof(*r));
    r->type = REDIS_REPLY_ARRAY;
    r->element = elements + n_elements;
    n_elements += n;

    return r;
}


static void
add(redisReply *array, redisReply *r)
{
    array->element[array->elements++] = r;
}


static void
forget(void)
{
    while (n_bytes > 0) {
        rbl_buf_free(&bytes[--n_bytes]);
    }

    n_replies = 0;
    n_elements = 0;
}


static rbl_out_t *
record(size_t fields)
{
    rbl_buf_t  *b = &bytes[n_bytes++];

    rbl_buf_init(b);
    rbl_mp_put_array(&b->out, fields);
    rbl_mp_put_int(&b->out, 1);

    return &b->out;
}


static redisReply *
recorded(void)
{
    return reply_str(rbl_buf_str(&bytes[n_bytes - 1]));
}


static redisReply *
list(const char *sid, const char *zone, const char *weight, const char *rule,
    const char *delist)
{
    rbl_out_t  *out = record(18);

    rbl_mp_put_z(out, sid);
    rbl_mp_put_z(out, "rbl");
    rbl_mp_put_z(out, zone);
    rbl_mp_put_z(out, "A list");
    rbl_mp_put_z(out, "https://list.example/");
    rbl_mp_put_int(out, 1);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_z(out, "active");
    rbl_mp_put_z(out, "");
    rbl_mp_put_array(out, rule[0] != '\0');

    if (rule[0] != '\0') {
        rbl_mp_put_z(out, rule);
    }

    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, delist);
    rbl_mp_put_z(out, weight);
    rbl_mp_put_z(out, "ip");
    rbl_mp_put_z(out, "block");
    rbl_mp_put_z(out, "ip");
    rbl_mp_put_z(out, "");

    return recorded();
}


static void
listing(rbl_out_t *out, const char *sid, const char *zone, const char *details,
    const char *code)
{
    rbl_mp_put_array(out, 6);
    rbl_mp_put_z(out, sid);
    rbl_mp_put_z(out, zone);
    rbl_mp_put_z(out, "https://list.example/");
    rbl_mp_put_z(out, details);
    rbl_mp_put_array(out, 1);
    rbl_mp_put_z(out, code);
    rbl_mp_put_int(out, NOW);
}


/* The beginning of a host's record, up to its n listings. */

static rbl_out_t *
host_begin(const char *sid, const char *value, size_t n)
{
    rbl_out_t  *out = record(17);

    rbl_mp_put_z(out, sid);
    rbl_mp_put_z(out, value);
    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, "rbl");
    rbl_mp_put_int(out, 1);
    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, "active");
    rbl_mp_put_z(out, "RP");
    rbl_mp_put_array(out, 0);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_int(out, NOW);
    rbl_mp_put_int(out, n > 0 ? NOW : 0);
    rbl_mp_put_int(out, (int64_t) n);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_int(out, NOW);
    rbl_mp_put_array(out, n);

    return out;
}


static redisReply *
digest_reply(int apart, int listed, int delisted, int clear,
    redisReply *hosts, redisReply *lists)
{
    redisReply  *r = reply_array(17);

    add(r, reply_str(RBL_STR(AC ":" CO)));
    add(r, reply_int(apart));
    add(r, reply_str(RBL_STR(EV)));
    add(r, reply_str(RBL_STR("UTC")));
    add(r, reply_int(listed));
    add(r, reply_int(delisted));
    add(r, reply_int(clear));
    add(r, hosts);
    add(r, lists);

    return r;
}


static timezones_t  *zones;


static void
test_listings(void)
{
    digest_t     d;
    message_t    m;
    rbl_out_t   *out;
    redisReply  *hosts, *lists;

    hosts = reply_array(8);
    lists = reply_array(8);
    out = host_begin(HT "01", "192.0.2.7", 4);
    listing(out, RB "1", "one.example", "spam", "127.0.0.2");
    listing(out, RB "2", "two.example", "https://two.example/?192.0.2.7",
            "127.0.0.2");
    listing(out, RB "3", "gone.example", "", "127.0.0.9");
    listing(out, RB "4", "old.example", "", "127.0.0.9");
    add(hosts, recorded());
    add(hosts, reply_int(0));
    (void) host_begin(HT "02", "192.0.2.8", 0);
    add(hosts, recorded());
    add(hosts, reply_int(1));
    add(hosts, reply_str(RBL_STR("\xc1")));
    add(hosts, reply_int(2));
    add(lists, list(RB "4", "new.example", "critical", "", ""));
    add(lists, list(RB "2", "two.example", "critical", "127.0.0.2=botnet",
                    "https://off.example/?ip=%s"));
    add(lists, reply_str(RBL_STR("x")));
    add(lists, list(RB "1", "one.example", "policy", "", "https://off/"));

    ok(digest_make(&d, digest_reply(NONE, 1, 1, 0, hosts, lists), zones,
                   "")
       == RBL_OK, "a digest is made");
    is_str(d.member, AC ":" CO, "of its contact");
    is_str(d.event, EV, "with its event");
    ok(d.n == 1, "one message");
    is_str(rbl_sid_str(&d.message[0].event), EV, "with the same");
    is_str(d.message[0].host, "", "of more than one host");

    ok(message_read(&m, rbl_buf_str(&d.message[0].body)) == RBL_OK, "read");
    ok(m.n_hosts == 2 && m.host[0].n_listings == 4, "the readable part");
    is_str(m.title, "1 host listed, 1 host delisted: 192.0.2.7, 192.0.2.8",
           "the numbers and the hosts");
    is_str(m.host[0].listing[0].zone, "two.example", "the worst list first");
    is_str(m.host[0].listing[0].name, "A list", "its name");
    is_str(m.host[0].listing[0].reason, "botnet", "the meaning of its code");
    is_str(m.host[0].listing[0].delisting, "https://off.example/?ip=192.0.2.7",
           "its delisting link");
    is_str(m.host[0].listing[1].zone, "gone.example", "then a deleted list");
    is_str(m.host[0].listing[1].name, "", "has no name");
    is_str(m.host[0].listing[1].reason, "127.0.0.9", "but its code");
    is_str(m.host[0].listing[2].zone, "old.example",
           "and one that has another zone now");
    is_str(m.host[0].listing[3].zone, "one.example", "the least one");
    is_str(m.host[0].listing[3].reason, "spam", "its reason");
    is_str(m.host[0].listing[3].delisting, "https://off/",
           "its delisting link");
    is_str(m.host[0].listing[3].since, "2026-11-20 09:30:00 UTC", "since");
    message_free(&m);
    digest_free(&d);
    forget();
}


/* News of a host: the contact does not know them (digest_claim.lua). */

static void
test_news(void)
{
    size_t       i;
    digest_t     d;
    message_t    m;
    rbl_out_t   *out;
    redisReply  *hosts, *lists, *news, *reply;

    hosts = reply_array(4);
    lists = reply_array(2);
    news = reply_array(3);
    out = host_begin(HT "01", "192.0.2.7", 3);
    listing(out, RB "1", "one.example", "spam", "127.0.0.2");
    listing(out, RB "2", "two.example", "spam", "127.0.0.2");
    listing(out, RB "3", "three.example", "spam", "127.0.0.2");
    add(hosts, recorded());
    add(hosts, reply_int(0));
    add(lists, list(RB "1", "one.example", "critical", "", ""));
    add(lists, list(RB "4", "four.example", "normal", "", ""));
    add(news, reply_str(RBL_STR("01")));

    rbl_buf_init(&bytes[n_bytes]);
    out = &bytes[n_bytes++].out;
    rbl_mp_put_array(out, 1);
    rbl_mp_put_array(out, 7);
    rbl_mp_put_z(out, RB "4");
    rbl_mp_put_z(out, "four.example");
    rbl_mp_put_int(out, NOW - INT64_C(76) * 3600000);
    rbl_mp_put_int(out, NOW);
    rbl_mp_put_int(out, 2);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_int(out, 0);
    add(news, recorded());

    out = record(9);

    for (i = 1; i < 9; i++) {
        rbl_mp_put_int(out, i == 6 ? NOW : i == 8 ? 5 : 1);
    }

    add(news, recorded());
    reply = digest_reply(NONE, 1, 0, 0, hosts, lists);
    add(reply, reply_int(0));
    add(reply, reply_str(RBL_STR("")));
    add(reply, reply_int(0));
    add(reply, news);
    add(reply, reply_int(1));

    ok(digest_make(&d, reply, zones, "") == RBL_OK && d.n == 1, "news");
    ok(message_read(&m, rbl_buf_str(&d.message[0].body)) == RBL_OK
       && m.n_hosts == 1 && m.host[0].n_listings == 3, "read");
    is_str(m.host[0].listing[0].zone, "two.example", "a new listing is first");
    is_str(m.host[0].listing[1].zone, "three.example", "one without a digit");
    is_str(m.host[0].listing[2].zone, "one.example", "then what stood before");
    ok(m.host[0].listing[1].fresh && !m.host[0].listing[2].fresh
       && m.host[0].n_past == 1, "what is new, and what has ended");
    is_str(m.host[0].past[0].name, "A list", "the list");
    is_str(m.host[0].past[0].period, "3 d 4 h", "how long it was");
    is_str(m.host[0].flaps, "2026-11-20 09:30:00 UTC", "the host flaps");
    ok(m.host[0].changes == 5 && m.host[0].held, "so much has changed");
    message_free(&m);
    digest_free(&d);
    forget();
}


/* Behind the hosts and lists: nothing unreported, no alert, no news, marks, the
   time, ranges. */

static redisReply *
digest_more(redisReply *r, redisReply *marks, redisReply *ranges)
{
    add(r, reply_int(0));
    add(r, reply_str(RBL_STR("")));
    add(r, reply_int(0));
    add(r, reply_array(1));
    add(r, reply_int(0));
    add(r, marks);
    add(r, reply_int(NOW + 2 * 86400000));
    add(r, ranges);

    return r;
}


/* A host with two listings; the second one is marked. */

static void
test_marks(void)
{
    digest_t     d;
    message_t    m;
    rbl_out_t   *out;
    redisReply  *hosts, *marks;

    hosts = reply_array(2);
    out = host_begin(HT "01", "192.0.2.7", 2);
    listing(out, RB "1", "one.example", "", "127.0.0.2");
    listing(out, RB "2", "two.example", "", "127.0.0.2");
    add(hosts, recorded());
    add(hosts, reply_int(0));

    marks = reply_array(4);
    add(marks, reply_str(RBL_STR(HT "02")));
    add(marks, reply_str(RBL_STR("x")));
    add(marks, reply_str(RBL_STR(HT "01")));
    rbl_buf_init(&bytes[n_bytes]);
    out = &bytes[n_bytes++].out;
    rbl_mp_put_array(out, 1);
    rbl_mp_put_array(out, 8);
    rbl_mp_put_z(out, RB "2");
    rbl_mp_put_int(out, NOW);
    rbl_mp_put_z(out, "Ann");
    rbl_mp_put_int(out, 0);
    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, "4711");
    rbl_mp_put_int(out, NOW);
    rbl_mp_put_z(out, "Ann");
    add(marks, recorded());

    ok(digest_make(&d, digest_more(digest_reply(NONE, 1, 0, 0, hosts,
                                                reply_array(1)),
                                   marks, reply_array(1)), zones, "")
       == RBL_OK, "a digest with marks is made");
    ok(message_read(&m, rbl_buf_str(&d.message[0].body)) == RBL_OK,
       "the message with marks can be read");
    is_str(m.host[0].listing[0].marked, "",
           "a listing without marks says nothing of any");
    is_str(m.host[0].listing[1].marked,
           "removal asked 2 d ago by Ann, ticket 4711",
           "a marked listing says what was noted");
    ok(memmem(m.text.p, m.text.n,
              "    Marked: removal asked 2 d ago by Ann, ticket 4711\n", 54)
       != NULL, "the text of the message has the marks");
    message_free(&m);
    digest_free(&d);
    forget();
}


/* So many listed hosts and a clear one. */

static redisReply *
storm(int apart, int listed, size_t told)
{
    char         sid[40];
    size_t       i;
    rbl_out_t   *out;
    redisReply  *hosts;

    hosts = reply_array(2 * told + 2);

    for (i = 0; i < told; i++) {
        snprintf(sid, sizeof(sid), HT "%02x", (unsigned) i & 0xff);
        out = host_begin(sid, "192.0.2.7", 1);
        listing(out, RB "1", "one.example", "spam", "127.0.0.2");
        add(hosts, recorded());
        add(hosts, reply_int(0));
    }

    (void) host_begin(HT "fe", "192.0.2.8", 0);
    add(hosts, recorded());
    add(hosts, reply_int(2));

    return digest_reply(apart, listed, 0, 1, hosts, reply_array(1));
}


static void
test_per_host(void)
{
    digest_t   d, again;
    message_t  m;

    ok(digest_make(&d, storm(NONE, 1, 1), zones, "") == RBL_OK && d.n == 1,
       "all hosts are in one message");
    digest_free(&d);
    ok(digest_make(&d, storm(ALL, 2, 2), zones, "") == RBL_OK
       && d.n == 2, "each host has a message, but a clear one has none");
    ok(digest_make(&again, storm(ALL, 2, 2), zones, "") == RBL_OK, "once more");
    is_str(rbl_sid_str(&again.message[1].event), d.message[1].event.s,
           "with the same events");
    ok(!rbl_str_eq(rbl_sid_str(&d.message[0].event),
                   rbl_sid_str(&d.message[1].event)), "each its own");
    is_str(d.message[1].host, HT "01", "of that host");
    ok(message_read(&m, rbl_buf_str(&d.message[1].body)) == RBL_OK
       && m.n_hosts == 1 && m.listed == 1 && m.clear == 0, "of it alone");
    is_str(m.host[0].id, HT "01", "in the body too");
    message_free(&m);
    digest_free(&again);
    digest_free(&d);

    ok(digest_make(&d, storm(UNLISTED, 26, 26), zones, "") == RBL_OK
       && d.n == 1, "many are one message");
    is_str(d.message[0].host, "", "of no one host");
    digest_free(&d);
    ok(digest_make(&d, storm(ALL, 0, 0), zones, "") == RBL_OK
       && d.n == 0, "nothing but clear ones is no message");
    digest_free(&d);
    forget();
}


/* A host that was deleted while it was listed has its own message. */

static void
test_unreported(void)
{
    digest_t     d;
    message_t    m;
    redisReply  *hosts, *r;

    hosts = reply_array(4);
    (void) host_begin(HT "01", "192.0.2.7", 0);
    add(hosts, recorded());
    add(hosts, reply_int(3));
    (void) host_begin(HT "02", "192.0.2.8", 0);
    add(hosts, recorded());
    add(hosts, reply_int(4));           /* an invalid state */

    r = digest_reply(ALL, 0, 0, 0, hosts, reply_array(1));
    add(r, reply_int(1));
    ok(digest_make(&d, r, zones, "") == RBL_OK && d.n == 1,
       "a deleted host is a message");
    is_str(d.message[0].host, "", "which stays needed");
    ok(message_read(&m, rbl_buf_str(&d.message[0].body)) == RBL_OK, "read");
    ok(m.n_hosts == 1 && m.unreported == 1 && m.delisted == 0
       && m.host[0].state == MESSAGE_UNREPORTED, "with its state");
    message_free(&m);
    digest_free(&d);

    r = digest_reply(NONE, INT32_MAX, 0, 0, hosts, reply_array(1));
    add(r, reply_int(INT64_MAX));
    ok(digest_make(&d, r, zones, "") == RBL_OK && d.n == 1, "absurd numbers");
    ok(message_read(&m, rbl_buf_str(&d.message[0].body)) == RBL_OK, "read");
    ok(m.listed == MESSAGE_COUNT_MAX && m.unreported == MESSAGE_COUNT_MAX,
       "are limited");
    message_free(&m);
    digest_free(&d);
    forget();
}


/* The news of a host that has lost n listings of lists which are no longer
   used: the first ones are at these zones, further ones at own<i>.example. */

static void
disused(redisReply *news, size_t n, const char *first, const char *second)
{
    size_t      i;
    char        sid[8], zone[24];
    rbl_out_t  *out;

    add(news, reply_str(RBL_STR("")));
    rbl_buf_init(&bytes[n_bytes]);
    out = &bytes[n_bytes++].out;
    rbl_mp_put_array(out, n);

    for (i = 0; i < n; i++) {
        snprintf(sid, sizeof(sid), "RB%zu", i);
        snprintf(zone, sizeof(zone), "own%zu.example", i);
        rbl_mp_put_array(out, 7);
        rbl_mp_put_z(out, i == 0 && first ? RB "1" : sid);
        rbl_mp_put_z(out, i == 0 && first ? first
                          : i == 1 && second ? second : zone);
        rbl_mp_put_int(out, NOW - 3600000);
        rbl_mp_put_int(out, NOW);
        rbl_mp_put_int(out, 2);
        rbl_mp_put_int(out, 0);
        rbl_mp_put_int(out, 1);
    }

    add(news, recorded());
    add(news, reply_str(RBL_STR("")));
}


/* The texts of hosts that lists have lost which are no longer used. */

static void
test_disused(void)
{
    size_t       i;
    digest_t     d;
    message_t    m;
    redisReply  *hosts, *lists, *news, *r;

    hosts = reply_array(6);
    lists = reply_array(1);
    news = reply_array(9);

    for (i = 0; i < 3; i++) {
        (void) host_begin(i == 0 ? HT "01" : i == 1 ? HT "02" : HT "03",
                          "192.0.2.7", 0);
        add(hosts, recorded());
        add(hosts, reply_int(3));
    }

    disused(news, 1, "a.example", NULL);
    disused(news, 2, "a.example", "own.example");
    disused(news, 5, NULL, NULL);
    add(lists, list(RB "1", "a.example", "normal", "", ""));

    r = digest_reply(NONE, 0, 0, 0, hosts, lists);
    add(r, reply_int(3));
    add(r, reply_str(RBL_STR("")));
    add(r, reply_int(0));
    add(r, news);
    ok(digest_make(&d, r, zones, "") == RBL_OK && d.n == 1,
       "hosts that lists which are not used had listed are a message");
    ok(message_read(&m, rbl_buf_str(&d.message[0].body)) == RBL_OK
       && m.n_hosts == 3 && m.unreported == 3, "the message has the hosts");
    is_str(m.host[0].why, "list A list is no longer used",
           "the text names the list");
    is_str(m.host[1].why, "lists A list and own.example are no longer used",
           "a list that is gone is named by its zone");
    is_str(m.host[2].why, "lists own0.example, own1.example, own2.example and 2"
                          " more are no longer used",
           "of many lists the first ones are named");
    ok(m.host[0].n_listings == 0 && m.host[0].n_past == 0,
       "the host has no listings, and none that its list has ended");
    message_free(&m);
    digest_free(&d);
    forget();
}


static void
test_malformed(void)
{
    digest_t     d;
    redisReply  *r;

    ok(digest_make(&d, NULL, zones, "") == RBL_ETYPE, "nothing");
    ok(digest_make(&d, reply_array(1), zones, "") == RBL_ETYPE,
       "an empty array");
    r = storm(NONE, 1, 1);
    r->element[2] = reply_str(RBL_STR("EV1"));
    ok(digest_make(&d, r, zones, "") == RBL_ETYPE, "no event");
    r = storm(NONE, 1, 1);
    r->element[7] = reply_str(RBL_STR("x"));
    r->element[8] = reply_int(1);
    r->element[3] = reply_int(1);
    ok(digest_make(&d, r, zones, "") == RBL_OK && d.n == 1,
       "no hosts, no lists, no zone: the numbers are reported");
    digest_free(&d);
    r = storm(NONE, -1, 0);
    r->element[1] = reply_str(RBL_STR("x"));
    r->element[6] = reply_str(RBL_STR("x"));
    ok(digest_make(&d, r, zones, "") == RBL_OK && d.n == 0, "no numbers");
    digest_free(&d);
    forget();
}


int
main(void)
{
    zones = timezones_new("/usr/share/zoneinfo");
    test_listings();
    test_news();
    test_marks();
    test_per_host();
    test_unreported();
    test_disused();
    test_malformed();
    timezones_free(zones);

    return tap_done();
}
