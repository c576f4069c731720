/*
 * One entry of the outbox: joins its parts, decodes the event and renders its
 * body once.  Events for receivers and callbacks get first attempts (first.c);
 * those for contacts become deliveries by event_fanout.  The scripts record an
 * entry only if their XACK succeeds, so two daemons may work on one entry
 * without harm.
 *
 * An entry that cannot be delivered, or that a script refuses as a whole, goes
 * raw into the account's dead letters and is acknowledged: it never comes back.
 * If a script fails after its XACK, it makes the dead letter itself.
 *
 * An entry owns a copy of its bytes; it lives until its last reply.
 */

#include "base/xalloc.h"
#include "entry.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "base/log.h"
#include "deliver/message/body.h"
#include "deliver/message/message.h"
#include "rbl_hex.h"
#include "rbl_sid.h"


#define ENTRY_RAW_MAX    1048576        /* limit of a dead letter */
#define ENTRY_WHY_MAX    200


/*
 * Frees the attempts that were recorded with the entry.  Records those that
 * ended since.  Those that wait or run continue as claimed deliveries.
 */

void
entry_forget(entry_t *e)
{
    unsigned    i;
    attempt_t  *a;

    link_remove(&e->first_link);

    for (i = 0; i < e->n_deliveries; i++) {
        free(e->deliveries[i].what);
        a = e->deliveries[i].attempt;

        if (a == NULL) {
            continue;
        }

        a->entry = NULL;

        if (a->state != ATTEMPT_OVER) {
            continue;
        }

        if (a->counted == NULL) {
            attempt_free(a);

        } else {
            attempt_record(a);
        }
    }

    free(e->deliveries);
    e->deliveries = NULL;
    e->n_deliveries = 0;
}


static void
entry_free(entry_t *e)
{
    entry_forget(e);
    payload_put(e->body);
    link_remove(&e->held.link);
    link_remove(&e->link);
    e->set->n--;
    free(e);
}


void
entry_end(entry_t *e, int good)
{
    unsigned      part;
    entry_set_t  *set;

    set = e->set;
    part = e->part;
    entry_free(e);

    set->done(set->data, part, good);
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
    rbl_str_t   outbox;

    outbox = store_key(store, &key, e->part, "outbox");

    /* in this order: an entry that is only acknowledged would stay for ever */

    store_command(store, NULL, NULL, RBL_COMMAND("XDEL", outbox, e->id));
    store_command(store, entry_dropped, e,
                  RBL_COMMAND("XACK", outbox, RBL_STR(DELIVER_GROUP), e->id));
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


/* The part that may be kept: no text that could contain the code of a
   confirmation, or a link. */

static rbl_str_t
entry_keepable(const entry_t *e)
{
    rbl_str_t  raw = e->raw;

    if (raw.n > ENTRY_RAW_MAX) {
        raw.n = ENTRY_RAW_MAX;
    }

    if (memmem(raw.p, raw.n, MESSAGE_CONFIRM, sizeof(MESSAGE_CONFIRM) - 1)
        || memmem(raw.p, raw.n, MESSAGE_LINK, sizeof(MESSAGE_LINK) - 1))
    {
        return RBL_STR("");
    }

    return raw;
}


/* Stores an undeliverable entry as a dead letter, if its account is known. */

void
entry_bury(entry_t *e, const char *why)
{
    store_t    *store = e->set->deliver->store;
    rbl_key_t   key;
    rbl_sid_t   sid;

    log_error("malformed outbox entry %.*s in partition %u: "
              "%s", (int) e->id.n, e->id.p, e->part, why);

    if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, e->account) != RBL_OK) {
        entry_drop(e);
        return;
    }

    store_command(store, entry_buried, e, RBL_COMMAND("XADD",
                  rbl_key(&key, store_keyspace(store), e->part, "dead",
                          rbl_sid_str(&sid), RBL_STR("")),
                  RBL_STR("MAXLEN"), RBL_STR("~"), RBL_STR("10000"),
                  RBL_STR("*"), RBL_STR("to"), RBL_STR(""), RBL_STR("raw"),
                  entry_keepable(e), RBL_STR("s"), RBL_STR("0"), RBL_STR("x"),
                  rbl_str(why)));
}


void
entry_dead(entry_t *e, rbl_str_t why)
{
    log_error("outbox entry %.*s of partition %u is a dead letter: %.*s",
              (int) e->id.n, e->id.p, e->part,
              (int) (why.n < ENTRY_WHY_MAX ? why.n : ENTRY_WHY_MAX),
              why.p != NULL ? why.p : "");

    entry_end(e, 0);
}


static void
entry_fanned_out(void *data, const redisReply *reply)
{
    entry_t                  *e = data;
    rbl_event_fanout_reply_t  said;

    if (reply == NULL) {
        entry_end(e, 0);
        return;
    }

    rbl_event_fanout_reply(&said, reply);

    switch (said.word) {

    case RBL_EVENT_FANOUT_OK:
        if (said.n > 0) {
            turns_soon(e->set->deliver->claims, e->part);
        }

        entry_end(e, 1);
        break;

    case RBL_EVENT_FANOUT_DEAD:
        entry_dead(e, said.why);
        break;

    default:
        entry_bury(e, "the script failed");
    }
}


/* As contacts keep it of their code: of the SID and the code.  The event of a
   link has the digest itself. */

static int
entry_digest(unsigned char digest[32], const rbl_event_t *event)
{
    int        n;
    char       text[128];
    size_t     i;
    rbl_str_t  hex;

    hex = message_link_digest(event);

    if (hex.n > 0) {
        for (i = 0; i < 32; i++) {
            digest[i] = (unsigned char) (rbl_hex_value(hex.p[2 * i]) << 4
                                         | rbl_hex_value(hex.p[2 * i + 1]));
        }

        return 0;
    }

    n = snprintf(text, sizeof(text), "%.*s%.*s", (int) event->contact.n,
                 event->contact.p, (int) event->code.n, event->code.p);

    return n >= 0 && n < (int) sizeof(text)
           && EVP_Digest(text, (size_t) n, digest, NULL, EVP_sha256(), NULL)
              == 1
           ? 0 : -1;
}


static const char *
entry_fan_out(entry_t *e)
{
    store_t                 *store = e->set->deliver->store;
    rbl_key_t                key;
    unsigned char            digest[32];
    const rbl_event_t       *event = &e->event;
    rbl_event_fanout_args_t  args;

    if (event->contact.n > 0 && entry_digest(digest, event) != 0) {
        return "malformed contact";
    }

    args.outbox = store_key(store, &key, e->part, "outbox");
    args.id = e->id;
    args.account = e->account;
    args.event = event->id;
    args.type = event->type;
    args.body = payload_str(e->body);
    args.contact = event->contact;
    args.digest = event->contact.n > 0
                  ? (rbl_str_t) { (const char *) digest, sizeof(digest) }
                  : RBL_STR("");

    store_call(store, event_fanout, entry_fanned_out, e, args);

    return NULL;
}


/* NULL, or why it cannot be delivered. */

static const char *
entry_read(entry_t *e)
{
    rbl_buf_t              body;
    rbl_err_t              err;
    rbl_sid_t              sid;
    deliver_t             *d = e->set->deliver;
    const rbl_timezone_t  *zone;

    if (rbl_sid_parse(&sid, RBL_SID_ACCOUNT, e->account) != RBL_OK) {
        return "malformed account";
    }

    if (rbl_event_decode(&e->event, e->raw) != RBL_OK) {
        return "not an event record";
    }

    rbl_buf_init(&body);
    zone = timezones_find(d->timezones, e->event.timezone);
    err = (message_is_event(e->event.type) ? message_event : body_render)
              (&body.out, &e->event, zone);

    if (err == RBL_OK) {
        e->body = payload_new(rbl_buf_str(&body));
    }

    rbl_buf_free(&body);

    return e->body != NULL ? NULL : "its body cannot be made";
}


int
entry_known(const entry_set_t *set, unsigned part, rbl_str_t id)
{
    const link_t   *l;
    const entry_t  *e;

    for (l = set->entries.next; l != &set->entries; l = l->next) {
        e = link_of(l, entry_t, link);

        if (e->part == part && rbl_str_eq(e->id, id)) {
            return 1;
        }
    }

    return 0;
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


static void
entry_result(rbl_result_t *r, const rbl_listing_t *l)
{
    r->zone = l->zone;
    r->website = l->website;
    r->status = RBL_STR("listed");
    r->codes = l->codes;
    r->details = l->details;
    r->reason = RBL_STR("");
}


/* `current` has the order of `told`, but may lack some of its lists. */

static int
entry_join(rbl_out_t *out, rbl_str_t told, rbl_str_t current)
{
    size_t         left, n;
    rbl_mp_t       results, listings;
    rbl_result_t   r;
    rbl_listing_t  l;

    rbl_mp_init(&results, told);
    rbl_mp_init(&listings, current);
    n = rbl_mp_array(&results);
    left = rbl_mp_array(&listings);
    rbl_mp_put_array(out, left);

    for ( /* void */ ; left > 0; left--) {
        if (rbl_listing_decode(&l, &listings) != RBL_OK) {
            return -1;
        }

        do {
            if (n-- == 0 || rbl_result_decode(&r, &results) != RBL_OK) {
                return -1;
            }
        } while (!rbl_str_eq(r.list, l.list));

        if (!rbl_str_is(r.status, "listed")) {
            entry_result(&r, &l);
        }

        rbl_result_encode(out, &r);
    }

    return results.failed || listings.failed ? -1 : 0;
}


static rbl_str_t
entry_field(const redisReply *fields, const char *name)
{
    return rbl_reply_str(rbl_reply_field(fields, name));
}


/*
 * Appends the event record; malformed results make it malformed.  Its results
 * are those that are listed, and those that are unknown and have a current
 * listing, which they then show.  Events with large results have several fields
 * (shared/lua/part/_events.lua), since joining them takes the store long.
 */

static void
entry_event(rbl_buf_t *out, const redisReply *fields)
{
    rbl_buf_t  joined;
    rbl_str_t  results, current;

    rbl_out_str(&out->out, entry_field(fields, "d"));

    results = entry_field(fields, "r");
    if (results.n == 0) {
        return;
    }

    current = entry_field(fields, "s");
    rbl_buf_init(&joined);

    if (current.n > 0) {
        if (entry_join(&joined.out, results, current) != 0) {
            rbl_buf_reset(&joined);
        }

        results = rbl_buf_str(&joined);
    }

    rbl_mp_put_str(&out->out, results);
    rbl_out_str(&out->out, entry_field(fields, "h"));
    rbl_out_str(&out->out, entry_field(fields, "c"));
    rbl_out_str(&out->out, entry_field(fields, "t"));

    rbl_buf_free(&joined);
}


entry_t *
entry_new(entry_set_t *set, unsigned part, const redisReply *reply)
{
    char              *pos;
    entry_t           *e;
    rbl_buf_t          event;
    rbl_str_t          id, account, raw;
    const redisReply  *fields;

    id = rbl_reply_name(reply);
    if (id.p == NULL) {
        return NULL;
    }

    fields = rbl_reply_rest(reply);
    account = rbl_reply_str(rbl_reply_field(fields, "a"));
    rbl_buf_init(&event);
    entry_event(&event, fields);
    raw = rbl_buf_str(&event);

    e = xcalloc(1, sizeof(entry_t) + id.n + account.n + raw.n);
    pos = e->bytes;
    e->set = set;
    e->part = part;
    e->gone = rbl_reply_len(fields) == 0;
    e->since = clock_now();
    e->id = entry_keep(&pos, id);
    e->account = entry_keep(&pos, account);
    e->raw = entry_keep(&pos, raw);
    rbl_buf_free(&event);

    link_init(&e->first_link);
    link_init(&e->held.link);
    link_add(&set->entries, &e->link);
    set->n++;

    return e;
}


int
entry_start(entry_t *e)
{
    const char  *why;

    if (e->gone) {
        entry_drop(e);
        return 0;
    }

    why = entry_read(e);

    if (why == NULL && !message_is_event(e->event.type)) {
        return 1;
    }

    why = why == NULL ? entry_fan_out(e) : why;

    if (why != NULL) {
        entry_bury(e, why);
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
