/*
 * One entry of the outbox: decodes the event, renders its body once and lets
 * event_fanout make the deliveries.  The XACK inside that script is the guard:
 * whoever has it makes them, so an entry may be worked on twice without harm.
 *
 * An entry that cannot be told, or that the script fails on, goes raw into the
 * account's dead letters and is acknowledged: it never comes back.
 *
 * An entry owns a copy of its bytes; it lives until its last reply.
 */

#include "entry.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "../log.h"
#include "body.h"
#include "message.h"
#include "rbl_sid.h"


#define ENTRY_CALLBACKS  1024           /* of one event */
#define ENTRY_RAW_MAX    1048576        /* what a dead letter keeps */
#define ENTRY_ARGS       9              /* before the callbacks */


struct entry_s {
    link_t        link;
    entry_set_t  *set;
    unsigned      part;
    int           batch;
    rbl_str_t     id, account, raw;     /* into bytes */
    char          bytes[];
};


static void
entry_free(entry_t *e)
{
    link_remove(&e->link);
    e->set->n--;
    free(e);
}


static void
entry_end(entry_t *e, int good)
{
    int           batch;
    entry_set_t  *set;

    set = e->set;
    batch = e->batch;
    entry_free(e);

    set->done(set->data, batch, good);
}


static void
entry_dropped(void *data, const redisReply *reply)
{
    entry_end(data, rbl_reply_class(reply) == RBL_REPLY_OK);
}


static void
entry_drop(entry_t *e)
{
    store_t    *store = e->set->deliver->store;
    rbl_key_t   key;
    rbl_str_t   argv[4];

    argv[1] = rbl_key(&key, store_keyspace(store), e->part, "outbox",
                      RBL_STR(""), RBL_STR(""));

    /* in this order: an entry that is only acknowledged would stay for ever */

    argv[0] = RBL_STR("XDEL");
    argv[2] = e->id;
    store_command(store, NULL, NULL, 3, argv);

    argv[0] = RBL_STR("XACK");
    argv[2] = RBL_STR(DELIVER_GROUP);
    argv[3] = e->id;
    store_command(store, entry_dropped, e, 4, argv);
}


static void
entry_buried(void *data, const redisReply *reply)
{
    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        entry_end(data, 0);
        return;
    }

    entry_drop(data);
}


/* What may stay of it: nothing that could hold the code of a confirmation. */

static rbl_str_t
entry_keepable(const entry_t *e)
{
    rbl_str_t  raw = e->raw;

    if (raw.n > ENTRY_RAW_MAX) {
        raw.n = ENTRY_RAW_MAX;
    }

    if (memmem(raw.p, raw.n, MESSAGE_CONFIRM, sizeof(MESSAGE_CONFIRM) - 1)) {
        return RBL_STR("");
    }

    return raw;
}


/* Keeps what cannot be delivered as a dead letter, if its account is known. */

static void
entry_bury(entry_t *e, const char *why)
{
    size_t      n;
    store_t    *store = e->set->deliver->store;
    rbl_key_t   key;
    rbl_sid_t   sid;
    rbl_str_t   argv[17];

    log_error("outbox entry %.*s of partition %u is no event that can be "
              "delivered: %s", (int) e->id.n, e->id.p, e->part, why);

    if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, e->account) != RBL_OK) {
        entry_drop(e);
        return;
    }

    n = 0;
    argv[n++] = RBL_STR("XADD");
    argv[n++] = rbl_key(&key, store_keyspace(store), e->part, "dead",
                        rbl_sid_str(&sid), RBL_STR(""));
    argv[n++] = RBL_STR("MAXLEN");
    argv[n++] = RBL_STR("~");
    argv[n++] = RBL_STR("10000");
    argv[n++] = RBL_STR("*");
    argv[n++] = RBL_STR("to");
    argv[n++] = RBL_STR("");
    argv[n++] = RBL_STR("raw");
    argv[n++] = entry_keepable(e);
    argv[n++] = RBL_STR("s");
    argv[n++] = RBL_STR("0");
    argv[n++] = RBL_STR("x");
    argv[n++] = rbl_str(why);

    store_command(store, entry_buried, e, (int) n, argv);
}


static void
entry_fanned_out(void *data, const redisReply *reply)
{
    entry_t  *e = data;

    if (reply == NULL) {
        entry_end(e, 0);
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK
        || !rbl_str_is(rbl_reply_word(reply), "OK"))
    {
        entry_bury(e, "the script failed");
        return;
    }

    if (rbl_reply_int(rbl_reply_at(reply, 1), 0) > 0) {
        deliver_kick(e->set->deliver, e->part);
    }

    entry_end(e, 1);
}


/* Appends URL and application of each callback; the number of strings. */

static int
entry_callbacks(rbl_str_t *argv, size_t n, rbl_str_t packed)
{
    int         argc;
    size_t      i;
    rbl_mp_t    mp;
    rbl_sid_t   app;
    rbl_str_t   url, sid;

    argc = 0;
    rbl_mp_init(&mp, packed);
    rbl_mp_array(&mp);

    for (i = 0; i < n; i++) {
        if (rbl_mp_array(&mp) != 2) {
            return -1;
        }

        url = rbl_mp_str(&mp);
        sid = rbl_mp_str(&mp);

        if (mp.failed || rbl_sid_parse(&app, RBL_SID_APP, sid) != RBL_OK) {
            return -1;
        }

        argv[argc++] = url;
        argv[argc++] = sid;
    }

    return argc;
}


static size_t
entry_callback_count(rbl_str_t packed)
{
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    return n < ENTRY_CALLBACKS ? n : ENTRY_CALLBACKS;
}


/* As contacts keep it of their code: of the SID and the code. */

static int
entry_digest(unsigned char digest[32], const rbl_event_t *event)
{
    int   n;
    char  text[128];

    n = snprintf(text, sizeof(text), "%.*s%.*s", (int) event->contact.n,
                 event->contact.p, (int) event->code.n, event->code.p);

    return n >= 0 && n < (int) sizeof(text)
           && EVP_Digest(text, (size_t) n, digest, NULL, EVP_sha256(), NULL)
              == 1
           ? 0 : -1;
}


static const char *
entry_fan_out(entry_t *e, const rbl_event_t *event, rbl_str_t body)
{
    int             more;
    size_t          n;
    store_t        *store = e->set->deliver->store;
    rbl_key_t       key;
    rbl_str_t      *argv;
    unsigned char   digest[32];

    n = entry_callback_count(event->callbacks);
    argv = calloc(ENTRY_ARGS + 2 * n, sizeof(rbl_str_t));
    if (argv == NULL
        || (event->contact.n > 0 && entry_digest(digest, event) != 0))
    {
        free(argv);
        return "out of memory";
    }

    argv[0] = rbl_key(&key, store_keyspace(store), e->part, "outbox",
                      RBL_STR(""), RBL_STR(""));
    argv[1] = e->id;
    argv[2] = e->account;
    argv[3] = event->id;
    argv[4] = event->type;
    argv[5] = body;
    argv[6] = event->hooks ? RBL_STR("1") : RBL_STR("0");
    argv[7] = event->contact;
    argv[8] = event->contact.n > 0
              ? (rbl_str_t) { (const char *) digest, sizeof(digest) }
              : RBL_STR("");
    more = entry_callbacks(argv + ENTRY_ARGS, n, event->callbacks);

    if (more >= 0) {
        store_script(store, &rbl_script_event_fanout, entry_fanned_out, e, 1,
                     ENTRY_ARGS + more, argv);
    }

    free(argv);

    return more >= 0 ? NULL : "malformed callbacks";
}


static rbl_err_t
entry_render(rbl_out_t *out, const rbl_event_t *event, const rbl_zone_t *zone)
{
    return rbl_str_is(event->type, MESSAGE_CONFIRM)
           ? message_confirm(out, event, zone)
           : rbl_str_is(event->type, MESSAGE_NOTICE)
           ? message_notice(out, event, zone)
           : body_render(out, event, zone);
}


static void
entry_process(entry_t *e)
{
    rbl_buf_t     body;
    rbl_sid_t     sid;
    const char   *why;
    deliver_t    *d = e->set->deliver;
    rbl_event_t   event;

    rbl_buf_init(&body);

    if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, e->account) != RBL_OK) {
        why = "malformed account";

    } else if (rbl_event_decode(&event, e->raw) != RBL_OK) {
        why = "not an event record";

    } else if (entry_render(&body.out, &event,
                            zones_find(d->zones, event.timezone))
               != RBL_OK)
    {
        why = "its body cannot be made";

    } else {
        why = entry_fan_out(e, &event, rbl_buf_str(&body));
    }

    if (why != NULL) {
        entry_bury(e, why);
    }

    rbl_buf_free(&body);
}


static rbl_str_t
entry_keep(char **pos, rbl_str_t s)
{
    rbl_str_t  kept = { *pos, s.n };

    if (s.n > 0) {
        memcpy(*pos, s.p, s.n);
        *pos += s.n;
    }

    return kept;
}


int
entry_start(entry_set_t *set, unsigned part, const redisReply *reply,
    int batch)
{
    char              *pos;
    entry_t           *e;
    rbl_str_t          id, account, raw;
    const redisReply  *fields;

    id = rbl_reply_str(rbl_reply_at(reply, 0));
    if (id.p == NULL) {
        return -1;
    }

    fields = rbl_reply_at(reply, 1);
    account = rbl_reply_str(rbl_reply_field(fields, "a"));
    raw = rbl_reply_str(rbl_reply_field(fields, "d"));

    e = calloc(1, sizeof(entry_t) + id.n + account.n + raw.n);
    if (e == NULL) {
        return -1;
    }

    pos = e->bytes;
    e->set = set;
    e->part = part;
    e->batch = batch;
    e->id = entry_keep(&pos, id);
    e->account = entry_keep(&pos, account);
    e->raw = entry_keep(&pos, raw);

    link_add(&set->entries, &e->link);
    set->n++;

    if (rbl_reply_len(fields) == 0) {
        entry_drop(e);

    } else {
        entry_process(e);
    }

    return 0;
}


void
entry_clear(entry_set_t *set)
{
    entry_t  *e;

    while (!link_empty(&set->entries)) {
        e = link_of(set->entries.next, entry_t, link);
        store_forget(set->deliver->store, e);
        entry_free(e);
    }
}
