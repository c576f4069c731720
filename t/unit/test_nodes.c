/*
 * Where a store is, and what servers say about nodes and slots.
 */

#include "rbl_keys.h"
#include "rbl_nodes.h"
#include "rbl_views.h"
#include "resp.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

#define ID_A  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ID_C  "cccccccccccccccccccccccccccccccccccccccc"


static const struct {
    const char        *text;
    int                good;
    rbl_place_kind_t   kind;
    unsigned           n;
    const char        *first;
} places[] = {
    { "127.0.0.1:6379", 1, RBL_PLACE_ONE, 1, "127.0.0.1:6379" },
    { "[2001:db8::1]:6379", 1, RBL_PLACE_ONE, 1, "[2001:db8::1]:6379" },
    { "redis.example.org:6379", 1, RBL_PLACE_ONE, 1,
      "redis.example.org:6379" },
    { "unix:/run/redis.sock", 1, RBL_PLACE_ONE, 1, "/run/redis.sock" },
    { "sentinel:rbl@192.0.2.1:26379,192.0.2.2:26379", 1, RBL_PLACE_SENTINEL,
      2, "192.0.2.1:26379" },
    { "cluster:192.0.2.1:6379,[2001:db8::2]:6379,c:6379", 1,
      RBL_PLACE_CLUSTER, 3, "192.0.2.1:6379" },
    { "tls:127.0.0.1:6379", 1, RBL_PLACE_ONE, 1, "127.0.0.1:6379" },
    { "tls:sentinel:rbl@192.0.2.1:26379", 1, RBL_PLACE_SENTINEL, 1,
      "192.0.2.1:26379" },
    { "tls:unix:/run/redis.sock", 0, RBL_PLACE_ONE, 0, NULL },
    { "", 0, RBL_PLACE_ONE, 0, NULL },
    { ":6379", 0, RBL_PLACE_ONE, 0, NULL },
    { "127.0.0.1", 0, RBL_PLACE_ONE, 0, NULL },
    { "127.0.0.1:0", 0, RBL_PLACE_ONE, 0, NULL },
    { "127.0.0.1:65536", 0, RBL_PLACE_ONE, 0, NULL },
    { "127.0.0.1:63 79", 0, RBL_PLACE_ONE, 0, NULL },
    { "2001:db8::1:6379", 0, RBL_PLACE_ONE, 0, NULL },
    { "[192.0.2.1]:6379", 0, RBL_PLACE_ONE, 0, NULL },
    { "[]:6379", 0, RBL_PLACE_ONE, 0, NULL },
    { "a b:6379", 0, RBL_PLACE_ONE, 0, NULL },
    { "192.0.2.1:6379,192.0.2.2:6379", 0, RBL_PLACE_ONE, 0, NULL },
    { "192.0.2.1:6379,", 1, RBL_PLACE_ONE, 1, "192.0.2.1:6379" },
    { "unix:", 0, RBL_PLACE_ONE, 0, NULL },
    { "unix:redis.sock", 0, RBL_PLACE_ONE, 0, NULL },
    { "sentinel:192.0.2.1:26379", 0, RBL_PLACE_ONE, 0, NULL },
    { "sentinel:@192.0.2.1:26379", 0, RBL_PLACE_ONE, 0, NULL },
    { "sentinel:rbl@", 0, RBL_PLACE_ONE, 0, NULL },
    { "sentinel:rbl@unix:/x", 0, RBL_PLACE_ONE, 0, NULL },
    { "cluster:", 0, RBL_PLACE_ONE, 0, NULL },
    { "cluster:a:1,,b:1", 0, RBL_PLACE_ONE, 0, NULL },
    { "cluster:a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1,j:1,k:1,l:1,m:1,n:1,o:1,"
      "p:1,q:1", 0, RBL_PLACE_ONE, 0, NULL },
};


static void
test_places(void)
{
    size_t       i;
    const char  *why;
    rbl_place_t  place;
    char         buf[RBL_HOST_PORT_TEXT];

    for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        why = rbl_place_parse(&place, rbl_str(places[i].text));
        ok((why == NULL) == places[i].good, "\"%s\" is %s", places[i].text,
           places[i].good ? "a place" : "none");

        if (why != NULL) {
            ok(why[0] != '\0', "and the reason is named: %s", why);
            continue;
        }

        ok(place.kind == places[i].kind && place.n == places[i].n,
           "its kind, and its %u servers", places[i].n);
        ok(place.tls == (strncmp(places[i].text, "tls:", 4) == 0),
           "encrypted or not");
        is_str(rbl_str(rbl_host_port_text(buf, &place.hosts[0])),
               places[i].first,
               "the first one");
    }
}


static rbl_host_port_t
address(const char *text)
{
    rbl_host_port_t  at;

    memset(&at, 0, sizeof(at));
    ok(rbl_host_port_parse(&at, rbl_str(text)) == RBL_OK, "%s", text);

    return at;
}


static const struct {
    const char  *asked;
    const char  *reply;
    const char  *master;                /* NULL: refused */
} masters[] = {
    { "192.0.2.9:26379", "*2|$9|192.0.2.1|$4|6379|", "192.0.2.1:6379" },
    { "192.0.2.9:26379", "*2|$11|2001:db8::1|$4|6379|",
      "[2001:db8::1]:6379" },
    { "192.0.2.9:26379", "*2|$10|2001:db8::|$4|6380|", "[2001:db8::]:6380" },
    { "192.0.2.9:26379", "*2|$9|127.0.0.1|$4|6379|", NULL },
    { "127.0.0.1:26379", "*2|$9|127.0.0.1|$4|6379|", "127.0.0.1:6379" },
    { "192.0.2.9:26379", "*2|$7|0.0.0.0|$4|6379|", NULL },
    { "192.0.2.9:26379", "*2|$9|224.0.0.1|$4|6379|", NULL },
    { "192.0.2.9:26379", "*2|$5|redis|$4|6379|", NULL },
    { "192.0.2.9:26379", "*2|$8|10.0.0.1|$4|6379|", "198.51.100.1:7001" },
    { "192.0.2.9:26379", "*2|$5|inner|$4|6379|", "198.51.100.1:7002" },
    { "192.0.2.9:26379", "*2|$9|192.0.2.1|$1|0|", NULL },
    { "192.0.2.9:26379", "*2|$9|192.0.2.1|$5|65536|", NULL },
    { "192.0.2.9:26379", "*2|$9|192.0.2.1|$2|-1|", NULL },
    { "192.0.2.9:26379", "*1|$9|192.0.2.1|", NULL },
    { "192.0.2.9:26379", "*-1|", NULL },
    { "192.0.2.9:26379", ":1|", NULL },
    { "192.0.2.9:26379", "-NOAUTH Authentication required.|", NULL },
};


static void
test_masters(void)
{
    size_t           i;
    char             buf[RBL_HOST_PORT_TEXT];
    const char      *why;
    rbl_nodes_t      nodes;
    redisReply      *reply;
    rbl_views_t      views;
    rbl_place_map_t  map;
    rbl_host_port_t  asked;

    map.n = 0;
    ok(rbl_place_map_add(&map, RBL_STR("10.0.0.1:6379=198.51.100.1:7001"))
       == NULL, "a pair");
    ok(rbl_place_map_add(&map, RBL_STR("inner:6379=198.51.100.1:7002"))
       == NULL, "a pair with a name");
    ok(rbl_place_map_add(&map, RBL_STR("10.0.0.1:6379=outer:7001")) != NULL,
       "the real side must be an address");
    ok(rbl_place_map_add(&map, RBL_STR("10.0.0.1:6379")) != NULL,
       "a pair has two sides");

    for (i = 0; i < sizeof(masters) / sizeof(masters[0]); i++) {
        rbl_nodes_init(&nodes, RBL_PLACE_SENTINEL, &map);
        asked = address(masters[i].asked);
        reply = resp_parse(masters[i].reply);
        rbl_views_init(&views);
        why = rbl_views_named(&views, &nodes, reply, &asked);

        if (why == NULL) {
            why = rbl_views_take(&views, &nodes, 0);
        }

        ok((why == NULL) == (masters[i].master != NULL), "%s: %s",
           masters[i].reply, why ? why : "is taken");

        if (why == NULL && masters[i].master != NULL) {
            is_str(rbl_str(rbl_host_port_text(buf, &nodes.node[0].at)),
                   masters[i].master, "as this address");
        }

        freeReplyObject(reply);
    }
}


/* The answers of one Sentinel: the port that it names, and its state. */
typedef struct {
    unsigned     names;                 /* at 192.0.2.1; 0: it is away */
    unsigned     of;                    /* its state is of this port; 0: it
                                           does not say */
    unsigned     epoch;
    const char  *flags;
} said_t;

static const struct {
    const char  *what;
    unsigned     tries;
    said_t       said[3];
    unsigned     port;                  /* 0: none is taken */
} views[] = {
    { "all agree", 0, { { 1, 1, 4, "master" }, { 1, 1, 4, "master" },
      { 1, 1, 4, "master" } }, 1 },
    { "the newest configuration counts", 0, { { 1, 1, 4, "master" },
      { 2, 2, 5, "master" }, { 1, 1, 4, "master" } }, 2 },
    { "one that leads a failover is enough", 0, { { 1, 1, 4, "master" },
      { 1, 1, 4, "master" }, { 1, 1, 4, "master,failover_in_progress" } }, 0 },
    { "so is one that holds the master down", 0, { { 1, 1, 4, "master" },
      { 1, 1, 4, "s_down,master" }, { 1, 1, 4, "master" } }, 0 },
    { "objectively, too", 0, { { 1, 1, 4, "s_down,o_down,master" },
      { 0 }, { 0 } }, 0 },
    { "the new master may be used before it is announced", 0, {
      { 1, 1, 4, "master" }, { 2, 1, 5, "master,failover_in_progress" },
      { 1, 1, 4, "master" } }, 2 },
    { "a server that was replaced does not matter", 0, { { 2, 2, 5, "master" },
      { 1, 1, 4, "s_down,master" }, { 0 } }, 2 },
    { "other flags do not matter", 0, { { 1, 1, 4, "master,disconnected" },
      { 1, 1, 4, "s_downer,master" }, { 0 } }, 1 },
    { "one that says no state", 0, { { 1, 0, 0, "" }, { 0 }, { 0 } }, 1 },
    { "one that says no state is not newer", 0, { { 1, 0, 0, "" },
      { 2, 2, 0, "master" }, { 0 } }, 2 },
    { "the newest that is held is not replaced by an older one", 0, {
      { 2, 2, 5, "s_down,master" }, { 1, 1, 4, "master" }, { 0 } }, 0 },
    { "one that cannot be used at once", 3, { { 2, 2, 5, "master" },
      { 1, 1, 4, "master" }, { 0 } }, 2 },
    { "one that cannot be used again and again", 4, { { 2, 2, 5, "master" },
      { 1, 1, 4, "master" }, { 0 } }, 1 },
    { "then the newest again", 8, { { 2, 2, 5, "master" },
      { 1, 1, 4, "master" }, { 0 } }, 2 },
    { "no Sentinel names one", 0, { { 0 }, { 0 }, { 0 } }, 0 },
};


static void
test_views(void)
{
    size_t            i, k;
    char              text[200];
    const char       *why;
    redisReply       *reply;
    rbl_nodes_t       nodes;
    rbl_views_t       all;
    const said_t     *said;
    rbl_host_port_t   asked = address("192.0.2.9:26379");

    for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        rbl_nodes_init(&nodes, RBL_PLACE_SENTINEL, NULL);
        rbl_views_init(&all);

        for (k = 0; k < 3; k++) {
            said = &views[i].said[k];

            if (said->names == 0) {
                continue;
            }

            snprintf(text, sizeof(text), "*2|$9|192.0.2.1|$1|%u|",
                     said->names);
            reply = resp_parse(text);
            (void) rbl_views_named(&all, &nodes, reply, &asked);
            freeReplyObject(reply);

            snprintf(text, sizeof(text), "*8|$2|ip|$9|192.0.2.1|$4|port|$1|%u|"
                     "$5|flags|$%zu|%s|$12|config-epoch|$1|%u|", said->of,
                     strlen(said->flags), said->flags, said->epoch);
            reply = resp_parse(said->of ? text : "-ERR No such master|");
            rbl_views_state(&all, &nodes, reply, &asked);
            freeReplyObject(reply);
        }

        why = rbl_views_take(&all, &nodes, views[i].tries);
        ok((why == NULL) == (views[i].port != 0)
           && nodes.node[0].at.port == views[i].port, "%s (%s)",
           views[i].what, why ? why : "taken");
    }
}


#define NODE(port, id)  "*3|$9|192.0.2.1|:" #port "|$40|" id "|"
#define RANGE(a, b)     "*3|:" #a "|:" #b "|"
#define TWO  "*2|" RANGE(0, 8191) NODE(7001, ID_A)                             \
             RANGE(8192, 16383) NODE(7002, ID_B)


static const char *
slots(rbl_nodes_t *nodes, const char *text)
{
    const char  *why;
    redisReply  *reply;

    reply = resp_parse(text);
    why = rbl_nodes_slots(nodes, reply, 0);
    freeReplyObject(reply);

    return why;
}


static unsigned
port_of(const rbl_nodes_t *nodes, unsigned slot)
{
    return nodes->of[slot] == RBL_NODE_NONE
           ? 0 : nodes->node[nodes->of[slot]].at.port;
}


/* A map of one range with so many servers. */

static const char *
servers(rbl_nodes_t *nodes, unsigned n)
{
    int   at;
    char  text[1024];

    at = snprintf(text, sizeof(text), "*1|*%u|:0|:16383|" NODE(7002, ID_B),
                  2 + n);

    for (/* void */; n > 1; n--) {
        at += snprintf(text + at, sizeof(text) - (size_t) at, "*0|");
    }

    return slots(nodes, text);
}


static const char *const  no_maps[] = {
    "*0|", ":1|", "-ERR This instance has cluster support disabled|", "*-1|",
    "*1|*2|:0|:1|",
    "*1|*3|:5|:4|" NODE(7001, ID_A),
    "*1|*3|:0|:16384|" NODE(7001, ID_A),
    "*1|*3|:-1|:3|" NODE(7001, ID_A),
    "*1|*3|$1|a|:3|" NODE(7001, ID_A),
    "*1|*3|:0|:3|*1|$9|192.0.2.1|",
    "*2|" RANGE(0, 100) NODE(7001, ID_A) RANGE(100, 16383) NODE(7002, ID_B),
    "*2|" RANGE(100, 16383) NODE(7001, ID_A) RANGE(0, 100) NODE(7002, ID_B),
    "*2|" RANGE(0, 16383) NODE(7001, ID_A) RANGE(7, 7) NODE(7002, ID_B),
    "*1|" RANGE(0, 16383) NODE(7003, ID_C),
};


static void
test_slots(void)
{
    size_t           i;
    unsigned         changed;
    rbl_nodes_t      nodes;
    rbl_host_port_t  seed;

    rbl_nodes_init(&nodes, RBL_PLACE_CLUSTER, NULL);
    seed = address("192.0.2.1:7001");
    ok(rbl_nodes_seed(&nodes, &seed) == 0, "the seed is node 0");
    ok(port_of(&nodes, 0) == 0, "no slot is known");

    ok(slots(&nodes, TWO) == NULL, "a map with two masters");
    ok(port_of(&nodes, 0) == 7001 && port_of(&nodes, 8191) == 7001
       && port_of(&nodes, 8192) == 7002 && port_of(&nodes, 16383) == 7002,
       "each has its slots");
    ok(nodes.n == 2, "the seed is one of them");

    for (i = 0; i < sizeof(no_maps) / sizeof(no_maps[0]); i++) {
        ok(slots(&nodes, no_maps[i]) != NULL, "refused: %s", no_maps[i]);
        ok(port_of(&nodes, 8191) == 7001, "and nothing has changed");
    }

    changed = nodes.node[1].changed;
    ok(slots(&nodes, "*2|" RANGE(0, 99) NODE(7003, ID_C)
                     RANGE(100, 16383) NODE(7002, ID_B)) == NULL,
       "a map of the same cluster with a new master");
    ok(port_of(&nodes, 0) == 7003 && port_of(&nodes, 100) == 7002,
       "is taken");
    ok(nodes.node[1].changed == changed && nodes.node[1].at.port == 7002,
       "a node that stays keeps its place");
    ok(rbl_nodes_wanted(&nodes, 0), "a seed without slots is wanted");

    ok(slots(&nodes, "*2|" RANGE(0, 99) NODE(7004, ID_A)
                     RANGE(100, 200) NODE(7002, ID_B)) == NULL,
       "a map with a gap");
    ok(port_of(&nodes, 300) == 0, "has slots without a node");
    ok(nodes.n == 3 && port_of(&nodes, 0) == 7004,
       "an unused node gives its place to the new one");

    ok(slots(&nodes, "*2|*3|:0|:99|*2|$1|x|:7001|"
                     RANGE(100, 200) NODE(7002, ID_B)) == NULL,
       "a node with a name for its address");
    ok(port_of(&nodes, 0) == 0 && port_of(&nodes, 100) == 7002,
       "cannot be taken, the others are");

    ok(slots(&nodes, "*1|*3|:0|:99|*3|$0||:7002|$40|" ID_B "|") == NULL
       && strcmp(nodes.node[nodes.of[0]].at.host, "192.0.2.1") == 0,
       "an empty address is the one that was asked");

    ok(servers(&nodes, 65) != NULL && port_of(&nodes, 100) == 0,
       "refused: a range with 65 servers");
    ok(servers(&nodes, 64) == NULL && port_of(&nodes, 100) == 7002,
       "64 are taken");
}


static const struct {
    const char  *text;
    unsigned     port;                  /* 0: refused */
} moves[] = {
    { "-MOVED 3999 192.0.2.1:7002|", 7002 },
    { "-MOVED 3999 192.0.2.7:7001|", 7001 },
    { "-MOVED 3999 2001:db8::1:7005|", 7005 },
    { "-MOVED 3999 :7002|", 7002 },
    { "-MOVED 16384 192.0.2.1:7002|", 0 },
    { "-MOVED -1 192.0.2.1:7002|", 0 },
    { "-MOVED 3999 192.0.2.1:0|", 0 },
    { "-MOVED 3999 192.0.2.1|", 0 },
    { "-MOVED 3999|", 0 },
    { "-MOVED |", 0 },
    { "-MOVED 3999 host:7002|", 0 },
    { "-MOVED 3999 127.0.0.1:7002|", 0 },
    { "-ASK 3999 192.0.2.1:7002|", 0 },
    { "+MOVED 3999 192.0.2.1:7002|", 0 },
};


static void
test_moves(void)
{
    size_t        i;
    unsigned      at;
    rbl_nodes_t   nodes;
    redisReply   *reply;
    rbl_host_port_t  seed;

    seed = address("192.0.2.1:7001");

    for (i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
        rbl_nodes_init(&nodes, RBL_PLACE_CLUSTER, NULL);
        (void) rbl_nodes_seed(&nodes, &seed);
        (void) slots(&nodes, TWO);

        reply = resp_parse(moves[i].text);
        at = rbl_nodes_moved(&nodes, reply, 0);
        freeReplyObject(reply);

        ok(moves[i].port == 0 ? at == RBL_NODE_NONE
           : at != RBL_NODE_NONE && nodes.node[at].at.port == moves[i].port,
           "%s", moves[i].text);
        ok(port_of(&nodes, 3999) == (moves[i].port ? moves[i].port : 7001),
           "the slot's node then");
    }
}


static void
test_keys(void)
{
    char             text[64];
    char             guard[RBL_KEY_MAX];
    unsigned         i, p, at, masters_of[3] = { 0, 0, 0 };
    rbl_key_t        key;
    rbl_nodes_t      nodes;
    rbl_keyspace_t   ks;
    rbl_host_port_t  seed;
    rbl_str_t        read[] = { RBL_STR("XREADGROUP"), RBL_STR("GROUP"),
                                RBL_STR("deliver"), RBL_STR("{name"),
                                RBL_STR("STREAMS"),
                                RBL_STR("rbl:{07N}:outbox") };
    rbl_str_t        meta[] = { RBL_STR("HMGET"), RBL_STR("rbl:meta") };
    rbl_str_t        time[] = { RBL_STR("TIME") };

    ok(rbl_keyspace_init(&ks, RBL_STR("rbl")) == RBL_OK
       && rbl_keyspace_set_partitions(&ks, 64) == RBL_OK, "64 partitions");

    seed = address("192.0.2.1:7001");
    rbl_nodes_init(&nodes, RBL_PLACE_CLUSTER, NULL);
    (void) rbl_nodes_seed(&nodes, &seed);
    (void) slots(&nodes, "*3|" RANGE(0, 5460) NODE(7001, ID_A)
                         RANGE(5461, 10922) NODE(7002, ID_B)
                         RANGE(10923, 16383) NODE(7003, ID_C));

    for (p = 0; p < 64; p++) {
        at = rbl_nodes_of(&nodes, rbl_key(&key, &ks, p, "due", RBL_STR(""),
                                          RBL_STR("")));
        masters_of[at % 3]++;
    }

    snprintf(text, sizeof(text), "%u %u %u", masters_of[0], masters_of[1],
             masters_of[2]);
    is_str(rbl_str(text), "21 22 21",
           "three masters have the partitions evenly");

    for (p = 0; p < 4; p++) {
        i = rbl_nodes_copy(&nodes, p);
        ok(p == 3 ? i == RBL_META_COPIES
           : rbl_nodes_of(&nodes, rbl_meta_copy_key(&key, &ks, i)) == p,
           "node %u: a copy of the meta data (%u)", p, i);
    }

    ok(rbl_slot(RBL_STR("rbl:meta")) == 6717
       && rbl_nodes_of(&nodes, RBL_STR("rbl:meta")) == 1,
       "a key without a tag has the slot of all of it");

    ok(rbl_nodes_of_words(&nodes, 6, read) == rbl_nodes_of(&nodes, read[5]),
       "words: the first key with a tag");
    ok(rbl_nodes_of_words(&nodes, 2, meta) == 1,
       "else the word after the command");
    ok(rbl_str_is(rbl_nodes_guard(guard, RBL_STR("p.1:{abc}:due:{x}")),
                  "p.1:{abc}:acct:-"), "the key that never exists");
    ok(rbl_nodes_of_words(&nodes, 1, time) == RBL_NODE_NONE,
       "a command without a key has no node of its own");

    rbl_nodes_init(&nodes, RBL_PLACE_ONE, NULL);
    ok(rbl_nodes_of(&nodes, RBL_STR("x")) == 0, "one Redis has all keys");
}


static void
test_ids(void)
{
    rbl_nodes_t      nodes;
    redisReply      *a, *b, *no;
    rbl_host_port_t  seed, other;

    a = resp_parse("$40|" ID_A "|");
    b = resp_parse("$40|" ID_B "|");
    no = resp_parse("-ERR unknown|");

    seed = address("192.0.2.1:7001");
    other = address("192.0.2.2:7001");
    rbl_nodes_init(&nodes, RBL_PLACE_CLUSTER, NULL);
    (void) rbl_nodes_seed(&nodes, &seed);

    ok(!rbl_nodes_is(&nodes, no, 0), "no id");
    ok(rbl_nodes_is(&nodes, a, 0) && rbl_nodes_is(&nodes, a, 0),
       "the first id is kept");
    ok(!rbl_nodes_is(&nodes, b, 0), "another server at its address");
    (void) rbl_nodes_seed(&nodes, &other);
    ok(rbl_nodes_is(&nodes, b, 1), "that is no matter of another node");

    freeReplyObject(a);
    freeReplyObject(b);
    freeReplyObject(no);
}


int
main(void)
{
    test_places();
    test_masters();
    test_views();
    test_slots();
    test_moves();
    test_keys();
    test_ids();

    return tap_done();
}
