/*
 * Lists and tables of lists.  A list is one block of texts behind a counted
 * structure; the rules of its codes are views into that block.
 */

#include "lists.h"
#include "base/xalloc.h"
#include "dns/trace.h"
#include "rbl_hash.h"
#include "rbl_name.h"
#include "rbl_query.h"
#include "sidmap.h"

#include <stdarg.h>
#include <stdlib.h>

#define INTERVAL_MAX  (365 * 86400)     /* s */

struct lists_s {
    size_t    n, room;
    list_t  **list;
    sidmap_t  map;
};


static char *
keep(char **at, rbl_str_t s)
{
    char  *p = *at;

    if (s.n != 0) {
        memcpy(p, s.p, s.n);
    }

    p[s.n] = '\0';
    *at += s.n + 1;

    return p;
}


static int
keep_small(char *buf, size_t size, rbl_str_t s)
{
    if (s.n >= size || (s.n != 0 && memchr(s.p, '\0', s.n) != NULL)) {
        return -1;
    }

    keep(&buf, s);
    return 0;
}


/* "" and "both" are the same; an unknown word means both. */

static list_names_t
names_of(rbl_str_t word)
{
    return rbl_str_is(word, "full") ? LIST_NAMES_FULL
           : rbl_str_is(word, "registered") ? LIST_NAMES_REGISTERED
           : LIST_NAMES_BOTH;
}


/* Skips invalid addresses. */

static void
set_servers(list_t *list, rbl_str_t text)
{
    char       word[DNS_SERVER_TEXT];
    rbl_str_t  server;

    if (text.n == 0) {
        return;
    }

    list->server = xcalloc(DNS_MAX_SERVERS, sizeof(struct sockaddr_storage));

    while (text.n != 0 && list->n_servers < DNS_MAX_SERVERS) {
        server = rbl_until(&text, ' ');
        rbl_copy(word, sizeof(word), server);

        if (server.n < sizeof(word)
            && dns_server_parse(&list->server[list->n_servers], word) == 0)
        {
            list->n_servers++;
        }
    }
}


static int64_t
limit_of(int64_t v)
{
    return v > 0 ? v : 0;
}


static void
keep_texts(list_t *list, const rbl_list_t *r)
{
    char  *at;

    list->bytes = xmalloc(r->zone.n + r->name.n + r->website.n + r->lookup.n
                          + r->control.n + r->codes.n + 6);
    at = list->bytes;
    list->zone = keep(&at, r->zone);
    list->name = keep(&at, r->name);
    list->website = keep(&at, r->website);
    list->lookup = keep(&at, r->lookup);
    list->control = keep(&at, r->control);
    (void) keep(&at, r->codes);
}


/* A rule that cannot be read makes the list useless: it might be an error. */

static int
parse_codes(list_t *list, rbl_str_t codes)
{
    size_t    n;
    rbl_mp_t  mp;

    if (codes.n == 0) {
        return 0;
    }

    list->parsed = xcalloc(1, sizeof(rbl_codes_t));
    list->codes = list->parsed;
    rbl_mp_init(&mp, codes);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_codes_add(list->parsed, rbl_mp_str(&mp)) != RBL_OK
            || mp.failed)
        {
            return -1;
        }
    }

    return mp.failed ? -1 : 0;
}


static void
destroy(list_t *list)
{
    if (list->ask != NULL) {
        explicit_bzero(list->ask, list->ask_n);
        free(list->ask);
    }

    free(list->server);
    free(list->parsed);
    free(list->bytes);
    free(list);
}


/* Makes the queried zone. */

static void
set_ask(list_t *list, rbl_str_t key)
{
    char       buf[RBL_VALUE_MAX];
    rbl_str_t  ask;

    (void) rbl_query_zone(buf, &ask, rbl_str(list->zone), key);

    list->ask = xstrndup(ask.p, ask.n);
    list->ask_n = ask.n;
    explicit_bzero(buf, sizeof(buf));
}


static list_t *
make(const rbl_list_t *r)
{
    static const rbl_codes_t  no_codes;

    list_t     *list;
    rbl_str_t   codes;

    list = xcalloc(1, sizeof(list_t));
    list->refs = 1;
    list->codes = &no_codes;
    list->custom = r->custom != 0;
    list->families = r->families;
    list->weight = rbl_weight_of_list(r->weight);
    list->names = names_of(r->names);
    list->min_interval = limit_of(r->min_interval);
    list->rate = limit_of(r->rate);
    list->day_quota = limit_of(r->day_quota);
    set_servers(list, r->servers);

    if (keep_small(list->sid, sizeof(list->sid), r->id) != 0
        || keep_small(list->type, sizeof(list->type), r->type) != 0
        || keep_small(list->status, sizeof(list->status), r->status) != 0)
    {
        destroy(list);
        return NULL;
    }

    keep_texts(list, r);
    codes.p = list->control + r->control.n + 1;
    codes.n = r->codes.n;

    if (strlen(list->zone) != r->zone.n || parse_codes(list, codes) != 0) {
        destroy(list);
        return NULL;
    }

    if (!list_keyed(list)) {
        set_ask(list, RBL_STR(""));
    }

    return list;
}


const char *
list_family_name(rbl_family_t family)
{
    return family == RBL_FAMILY_IPV4 ? "ipv4"
           : family == RBL_FAMILY_IPV6 ? "ipv6" : "domain";
}


int
list_keyed(const list_t *list)
{
    return rbl_zone_slot(rbl_str(list->zone)).p != NULL;
}


rbl_str_t
list_key(const list_t *list)
{
    size_t     n;
    rbl_str_t  slot, key = RBL_STR("");

    slot = rbl_zone_slot(rbl_str(list->zone));
    n = strlen(list->zone) - slot.n;

    if (slot.p != NULL && list->ask != NULL && list->ask_n > n) {
        key.p = list->ask + (slot.p - list->zone);
        key.n = list->ask_n - n;
    }

    return key;
}


int
list_key_ok(rbl_str_t key)
{
    return rbl_label_ok(key) && memchr(key.p, '_', key.n) == NULL;
}


int
list_key_set(list_t *list, rbl_str_t key)
{
    if (!list_key_ok(key)) {
        return -1;
    }

    if (list->ask == NULL) {
        set_ask(list, key);
    }

    return 0;
}


void
list_key_own(list_t *list, rbl_str_t key)
{
    if (key.n != 0 && list_keyed(list) && list->ask == NULL) {
        set_ask(list, key);
    }
}


void
list_key_find(list_t *list, const redisReply *keys)
{
    rbl_str_t  key;

    if (list_keyed(list)) {
        key = rbl_reply_str(rbl_reply_field(keys, list->zone));
        (void) list_key_set(list, key);
    }
}


/* Where in the interval the list's turn for this host is (ms). */

static int64_t
phase(const list_t *list, rbl_str_t host, int64_t interval)
{
    uint64_t  h;

    h = rbl_hash(rbl_str(list->sid), rbl_hash(host, 0));

    return (int64_t) (h % (uint64_t) interval);
}


int
list_due(const list_t *list, rbl_str_t host, int64_t before, int64_t now)
{
    int64_t  at, interval;

    if (list->min_interval == 0 || list->min_interval > INTERVAL_MAX
        || before <= 0 || now < before)
    {
        return 1;
    }

    interval = list->min_interval * 1000;
    at = phase(list, host, interval);

    return (now + at) / interval != (before + at) / interval;
}


list_t *
list_from_record(rbl_str_t raw)
{
    rbl_list_t  r;

    return rbl_list_decode(&r, raw) == RBL_OK ? make(&r) : NULL;
}


list_t *
list_make(rbl_str_t sid, rbl_str_t type, int custom, rbl_str_t zone,
    rbl_str_t website, int64_t families)
{
    rbl_list_t  r;

    memset(&r, 0, sizeof(r));
    r.id = sid;
    r.type = type;
    r.custom = custom;
    r.zone = zone;
    r.name = zone;
    r.website = website;
    r.families = families;
    r.status = RBL_STR("active");

    return make(&r);
}


dns_payer_t
list_payer(const list_t *list, int probe)
{
    return (dns_payer_t) {
        .zone = list->zone,
        .name = list->ask,
        .account = list->account,
        .probe = (unsigned) probe & 1,
        .n_servers = list->n_servers,
        .server = list->server
    };
}


void
trace_list(const dns_engine_t *dns, const list_t *list, const char *fmt, ...)
{
    va_list           ap;
    dns_trace_line_t  line;

    if (!dns_tracing(dns)) {
        return;
    }

    dns_trace_begin(&line);
    dns_trace_add(&line, "list %s: ", list->zone);
    va_start(ap, fmt);
    dns_trace_vadd(&line, fmt, ap);
    va_end(ap);
    dns_trace_end(dns, &line);
}


void
trace_server(const dns_engine_t *dns, const list_t *list, rbl_family_t family,
    uint32_t server, const char *fmt, ...)
{
    char              text[DNS_SERVER_TEXT];
    va_list           ap;
    dns_trace_line_t  line;

    if (!dns_tracing(dns)) {
        return;
    }

    dns_server_text(dns, server, text);
    dns_trace_begin(&line);
    dns_trace_add(&line, "list %s, %s, %s %s: ", list->zone,
                  list_family_name(family),
                  dns_direct(dns) ? "server" : "through resolver", text);
    va_start(ap, fmt);
    dns_trace_vadd(&line, fmt, ap);
    va_end(ap);
    dns_trace_end(dns, &line);
}


list_t *
list_ref(list_t *list)
{
    list->refs++;
    return list;
}


void
list_unref(list_t *list)
{
    if (list != NULL && --list->refs == 0) {
        destroy(list);
    }
}


lists_t *
lists_new(void)
{
    return xcalloc(1, sizeof(lists_t));
}


void
lists_free(lists_t *lists)
{
    size_t  i;

    if (lists == NULL) {
        return;
    }

    for (i = 0; i < lists->n; i++) {
        list_unref(lists->list[i]);
    }

    free(lists->list);
    sidmap_free(&lists->map);
    free(lists);
}


list_t *
lists_find(const lists_t *lists, rbl_str_t sid)
{
    return sidmap_find(&lists->map, sid);
}


void
lists_add(lists_t *lists, list_t *list)
{
    size_t   i;
    list_t  *old;

    old = lists_find(lists, rbl_str(list->sid));
    sidmap_add(&lists->map, list->sid, list);

    if (old != NULL) {
        for (i = 0; lists->list[i] != old; i++) { /* void */ }

        lists->list[i] = list;
        list_unref(old);
        return;
    }

    if (lists->n == lists->room) {
        lists->room = lists->room ? lists->room * 2 : 64;
        lists->list = xrealloc(lists->list, lists->room * sizeof(list_t *));
    }

    lists->list[lists->n++] = list;
}


size_t
lists_count(const lists_t *lists)
{
    return lists->n;
}


list_t *
lists_at(const lists_t *lists, size_t i)
{
    return i < lists->n ? lists->list[i] : NULL;
}
