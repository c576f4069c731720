/*
 * Makes the messages of a digest: the details of a host are those of its
 * present record and of its lists; its change is from the digest.  A deleted
 * list is described by the host's record.
 */

#include "base/xalloc.h"
#include "digest_make.h"

#include <openssl/evp.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/link.h"
#include "deliver/message/message.h"
#include "rbl_card.h"
#include "rbl_codes.h"
#include "rbl_mark.h"
#include "rbl_script.h"
#include "rbl_time.h"
#include "rbl_validate.h"


/* Which hosts have a message of their own (digest_claim.lua). */
typedef enum {
    DIGEST_APART_NONE = 0,
    DIGEST_APART_ALL,
    DIGEST_APART_UNLISTED               /* the listed ones have one alert */
} digest_apart_t;

/* The numbers of the changes in the store. */
static const message_state_t  digest_states[] = {
    MESSAGE_LISTED, MESSAGE_DELISTED, MESSAGE_CLEAR, MESSAGE_UNREPORTED
};

#define DIGEST_STATES  (int64_t) (sizeof(digest_states) \
                                  / sizeof(digest_states[0]))


#define DIGEST_TEXT   1024              /* of a reason or a link */
#define DIGEST_CODES  16                /* of a listing */
#define DIGEST_ENDED  3                 /* lists that are no longer used, by
                                           their names */

/* Memory for a part of a message. */
typedef struct {
    link_t       link;
    max_align_t  bytes[];
} digest_part_t;

/* The marks of a host. */
typedef struct {
    rbl_str_t  host;                    /* SID */
    rbl_str_t  packed;
} digest_marks_t;

typedef struct {
    message_t              message;
    const rbl_timezone_t  *zone;
    int64_t                now;         /* ms */
    size_t                 n_marks;
    digest_marks_t        *marks;       /* of hosts, by their SIDs */
    size_t                 n_lists;
    rbl_list_t            *list;        /* by their SIDs */
    link_t                 parts;       /* digest_part_t, freed at once */
    const redisReply      *ranges;      /* of hosts */
    int                    failed;      /* a message has no SID */
} digest_work_t;


/* Zeroed. */

static void *
digest_part(digest_work_t *w, size_t size)
{
    digest_part_t  *part;

    part = xcalloc(1, sizeof(*part) + size);
    link_add(&w->parts, &part->link);

    return part->bytes;
}


static rbl_str_t
digest_keep(digest_work_t *w, rbl_str_t s)
{
    char  *p;

    if (s.n == 0) {
        return RBL_STR("");
    }

    p = digest_part(w, s.n);
    memcpy(p, s.p, s.n);

    return (rbl_str_t) { p, s.n };
}


static rbl_str_t
digest_time(digest_work_t *w, int64_t ms)
{
    char  buf[RBL_TIME_LEN];

    return digest_keep(w, rbl_time_text(buf, ms, w->zone));
}


static rbl_str_t
digest_span(digest_work_t *w, int64_t from, int64_t till)
{
    char  buf[RBL_TIME_LEN];

    return digest_keep(w, rbl_span_text(buf, till > from ? till - from : 0));
}


static int
digest_str_cmp(rbl_str_t a, rbl_str_t b)
{
    int     rc;
    size_t  n;

    n = a.n < b.n ? a.n : b.n;
    rc = n > 0 ? memcmp(a.p, b.p, n) : 0;

    return rc != 0 ? rc : (a.n > b.n) - (a.n < b.n);
}


static int
digest_list_cmp(const void *a, const void *b)
{
    const rbl_list_t  *x = a, *y = b;

    return digest_str_cmp(x->id, y->id);
}


/* Takes the lists of the reply; skips malformed ones. */

static void
digest_lists(digest_work_t *w, const redisReply *lists)
{
    size_t  i, n;

    n = rbl_reply_len(lists);
    w->list = xcalloc(n + 1, sizeof(rbl_list_t));

    for (i = 0; i < n; i++) {
        if (rbl_list_decode(&w->list[w->n_lists],
                            rbl_reply_str(rbl_reply_at(lists, i)))
            == RBL_OK)
        {
            w->n_lists++;
        }
    }

    qsort(w->list, w->n_lists, sizeof(rbl_list_t), digest_list_cmp);
}


static int
digest_marks_cmp(const void *a, const void *b)
{
    const digest_marks_t  *x = a, *y = b;

    return digest_str_cmp(x->host, y->host);
}


/* Takes the marks of the reply: of each host its SID, and the packed marks. */

static void
digest_marks(digest_work_t *w, const redisReply *marks)
{
    size_t  i;

    w->n_marks = rbl_reply_len(marks) / 2;
    w->marks = xcalloc(w->n_marks + 1, sizeof(digest_marks_t));

    for (i = 0; i < w->n_marks; i++) {
        w->marks[i].host = rbl_reply_str(rbl_reply_at(marks, 2 * i));
        w->marks[i].packed = rbl_reply_str(rbl_reply_at(marks, 2 * i + 1));
    }

    qsort(w->marks, w->n_marks, sizeof(digest_marks_t), digest_marks_cmp);
}


/* NULL: it is gone, or behind another zone now. */

static const rbl_list_t *
digest_list(const digest_work_t *w, rbl_str_t list, rbl_str_t zone)
{
    rbl_list_t         key;
    const rbl_list_t  *found;

    key.id = list;
    found = bsearch(&key, w->list, w->n_lists, sizeof(rbl_list_t),
                    digest_list_cmp);

    return found != NULL && rbl_str_eq(found->zone, zone) ? found : NULL;
}


/* The meaning of the codes at the list, or else the codes.  *plain: it says no
   more than that the host is listed. */

static rbl_str_t
digest_means(digest_work_t *w, const rbl_list_t *list, rbl_str_t packed,
    int *plain)
{
    char              text[DIGEST_TEXT];
    size_t            i, n, k;
    uint32_t          addr[DIGEST_CODES];
    rbl_mp_t          mp;
    rbl_buf_t         raw;
    rbl_str_t         s;
    rbl_addr_t        a;
    rbl_codes_t       codes;
    rbl_lookup_err_t  error;

    rbl_buf_init(&raw);
    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    for (i = 0, k = 0; i < n && k < DIGEST_CODES; i++) {
        s = rbl_mp_str(&mp);

        if (mp.failed || rbl_addr_parse(&a, s) != RBL_OK
            || a.family != RBL_FAMILY_IPV4)
        {
            break;
        }

        rbl_out_z(&raw.out, k > 0 ? ", " : "");
        rbl_out_str(&raw.out, s);
        addr[k++] = (uint32_t) a.b[0] << 24 | (uint32_t) a.b[1] << 16
                    | (uint32_t) a.b[2] << 8 | a.b[3];
    }

    memset(&codes, 0, sizeof(codes));
    rbl_mp_init(&mp, list != NULL ? list->codes : RBL_STR(""));
    n = list != NULL ? rbl_mp_array(&mp) : 0;

    for (i = 0; i < n; i++) {
        s = rbl_mp_str(&mp);
        (void) rbl_codes_add(&codes, s);
    }

    text[0] = '\0';

    if (codes.n > 0) {
        (void) rbl_codes_verdict(&codes, addr, k, &error, text, sizeof(text));
    }

    *plain = text[0] == '\0' || strcmp(text, "listed") == 0
             || strcmp(text, "unknown code") == 0;
    s = digest_keep(w, text[0] != '\0' ? rbl_str(text) : rbl_buf_str(&raw));
    rbl_buf_free(&raw);

    return s;
}


/* A text that is written in parts. */

static rbl_str_t
digest_written(digest_work_t *w, const char *buf, const rbl_out_t *out)
{
    return out->failed ? RBL_STR("") : digest_keep(w, (rbl_str_t) {
        buf, (size_t) (out->pos - buf) });
}


/* Adds the card of a listing.  An own list has none. */

static void
digest_card(digest_work_t *w, message_listing_t *l, const rbl_list_t *list,
    const rbl_listing_t *v, const rbl_host_t *host)
{
    char              buf[RBL_CARD_URL], codes[RBL_CARD_CODES];
    rbl_out_t         out;
    rbl_card_t        card;
    rbl_card_about_t  about;

    rbl_card(&card, list, v->codes, v->since);
    l->delisting = digest_keep(w, rbl_card_link(buf, &card, host->value));

    if (card.way.how.n == 0) {
        return;
    }

    l->how = rbl_str(card.how->name);
    l->cause = rbl_str(card.cause->name);
    l->note = card.way.note;
    l->mail = card.way.mail;

    out = (rbl_out_t) { buf, buf + sizeof(buf), NULL, 0 };
    rbl_card_when(&out, &card);
    l->advice = digest_written(w, buf, &out);

    about.host = host->value;
    about.name = host->name;
    about.list = l->name.n > 0 ? l->name : l->zone;
    about.codes = rbl_card_codes(codes, list->codes, v->codes);
    about.since = l->since;
    out = (rbl_out_t) { buf, buf + sizeof(buf), NULL, 0 };
    rbl_card_text(&out, &card, &about);
    l->request = digest_written(w, buf, &out);
}


/* That of the check that found it; an older record has none. */

static rbl_str_t
digest_weight(const rbl_list_t *list, const rbl_listing_t *v)
{
    rbl_weight_t  weight;

    weight = v->weight > 0 && v->weight <= RBL_WEIGHTS
             ? (rbl_weight_t) v->weight
             : rbl_weight_of_list(list != NULL ? list->weight : RBL_STR(""));

    return rbl_str(rbl_weight_word(weight));
}


/* The meaning of the codes, and the text of the list. */

static rbl_str_t
digest_reason(digest_work_t *w, const rbl_list_t *list,
    const rbl_listing_t *v)
{
    int        plain;
    rbl_buf_t  text;
    rbl_str_t  means, reason;

    means = digest_means(w, list, v->codes, &plain);

    if (v->details.n == 0 || message_is_url(v->details)) {
        return means;
    }

    if (plain) {
        return v->details;
    }

    rbl_buf_init(&text);
    rbl_out_str(&text.out, means);
    rbl_out_z(&text.out, ": ");
    rbl_out_str(&text.out, v->details);
    reason = digest_keep(w, rbl_buf_str(&text));
    rbl_buf_free(&text);

    return reason;
}


/* The marks of a listing in words; "": it has none. */

static rbl_str_t
digest_marked(digest_work_t *w, rbl_str_t host, rbl_str_t list)
{
    char             buf[RBL_MARK_TEXT];
    rbl_out_t        out;
    rbl_mark_t       mark;
    digest_marks_t   key, *found;

    key.host = host;
    found = bsearch(&key, w->marks, w->n_marks, sizeof(digest_marks_t),
                    digest_marks_cmp);

    if (found == NULL || rbl_mark_find(&mark, found->packed, list) != 1) {
        return RBL_STR("");
    }

    out = (rbl_out_t) { buf, buf + sizeof(buf), NULL, 0 };
    rbl_mark_text(&out, &mark, w->now);

    return digest_written(w, buf, &out);
}


static void
digest_listing(digest_work_t *w, message_listing_t *l, const rbl_listing_t *v,
    const rbl_host_t *host)
{
    const rbl_list_t  *list;

    list = digest_list(w, v->list, v->zone);

    l->id = v->list;
    l->zone = v->zone;
    l->name = list != NULL ? list->name : RBL_STR("");
    l->website = v->website;
    l->details = v->details;
    l->reason = digest_reason(w, list, v);
    l->weight = digest_weight(list, v);
    l->since = digest_time(w, v->since);
    l->off = v->off > 0 ? digest_span(w, v->off, v->since) : RBL_STR("");
    l->marked = digest_marked(w, host->id, v->list);

    if (list != NULL) {
        digest_card(w, l, list, v, host);
    }
}


static int
digest_before(const message_listing_t *a, const message_listing_t *b)
{
    return a->fresh != b->fresh ? a->fresh
                                : message_worse(a->weight, b->weight);
}


/* New ones first, of these the ones with the highest weight. */

static void
digest_sort(message_listing_t *l, size_t n)
{
    size_t             i, k;
    message_listing_t  one;

    for (i = 1; i < n; i++) {
        one = l[i];

        for (k = i; k > 0 && digest_before(&one, &l[k - 1]); k--) {
            l[k] = l[k - 1];
        }

        l[k] = one;
    }
}


/* News of a host: the contact does not know them (digest_claim.lua). */
typedef struct {
    rbl_str_t  fresh;                   /* a digit for each listing */
    rbl_str_t  past;
    rbl_str_t  flap;
    int        holds;                   /* what changes while it flaps */
} digest_news_t;


/* The listings that have ended. */

static void
digest_past(digest_work_t *w, message_host_t *h, rbl_str_t packed)
{
    size_t             i, n;
    rbl_mp_t           mp;
    rbl_past_t         v;
    message_past_t    *p;
    const rbl_list_t  *list;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);
    n = n < MESSAGE_PAST ? n : MESSAGE_PAST;
    h->past = digest_part(w, n * sizeof(message_past_t));

    for (i = 0; i < n && rbl_past_decode(&v, &mp) == RBL_OK; i++) {
        list = digest_list(w, v.list, v.zone);
        p = &h->past[i];
        p->id = v.list;
        p->zone = v.zone;
        p->name = list != NULL ? list->name : RBL_STR("");
        p->since = digest_time(w, v.since);
        p->till = digest_time(w, v.till);
        p->period = digest_span(w, v.since, v.till);
    }

    h->n_past = i;
}


static void
digest_flaps(digest_work_t *w, message_host_t *h, rbl_str_t packed, int holds)
{
    rbl_mp_t    mp;
    rbl_flap_t  flap;

    rbl_mp_init(&mp, packed);

    if (packed.n > 0 && rbl_flap_decode(&flap, &mp) == RBL_OK) {
        h->flaps = digest_time(w, flap.since);
        h->changes = flap.changes;
        h->held = holds;
    }
}


static int64_t
digest_number(int64_t n)
{
    return n <= 0 ? 0 : n < MESSAGE_COUNT_MAX ? n : MESSAGE_COUNT_MAX;
}


/* The range that has the host: SID, subnet and number of addresses of each. */

static void
digest_range(const digest_work_t *w, message_host_t *h, rbl_str_t parent)
{
    size_t  i;

    for (i = 0; i + 2 < rbl_reply_len(w->ranges); i += 3) {
        if (parent.n > 0
            && rbl_str_eq(rbl_reply_str(rbl_reply_at(w->ranges, i)), parent))
        {
            h->range = rbl_reply_str(rbl_reply_at(w->ranges, i + 1));
            h->range_hosts = digest_number(
                rbl_reply_int(rbl_reply_at(w->ranges, i + 2), 0));
        }
    }
}


/* "lists ZEN and SORBS are no longer used", "list ZEN is no longer used"; ""
   without listings. */

static rbl_str_t
digest_why(digest_work_t *w, rbl_str_t packed)
{
    size_t             i, n;
    rbl_mp_t           mp;
    rbl_buf_t          text;
    rbl_str_t          why;
    rbl_past_t         v;
    const rbl_list_t  *list;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);
    rbl_buf_init(&text);

    for (i = 0; i < n && i < DIGEST_ENDED
                && rbl_past_decode(&v, &mp) == RBL_OK; i++)
    {
        list = digest_list(w, v.list, v.zone);
        rbl_out_z(&text.out, i > 0 ? i + 1 == n ? " and " : ", "
                             : n > 1 ? "lists " : "list ");
        rbl_out_str(&text.out, list != NULL && list->name.n > 0 ? list->name
                                                                : v.zone);
    }

    if (i > 0 && n > i) {
        rbl_out_z(&text.out, " and ");
        rbl_out_int(&text.out, (int64_t) (n - i));
        rbl_out_z(&text.out, " more");
    }

    if (i > 0) {
        rbl_out_z(&text.out, n > 1 ? " are no longer used"
                                   : " is no longer used");
    }

    why = digest_keep(w, rbl_buf_str(&text));
    rbl_buf_free(&text);

    return why;
}


/* 0; -1: its record cannot be read. */

static int
digest_host(digest_work_t *w, message_host_t *h, rbl_str_t raw,
    message_state_t state, const digest_news_t *news)
{
    size_t         i, n;
    rbl_mp_t       mp;
    rbl_host_t     host;
    rbl_listing_t  v;

    if (rbl_host_decode(&host, raw) != RBL_OK) {
        return -1;
    }

    h->id = host.id;
    h->value = host.value;
    h->name = host.name;
    h->state = state;
    h->first_listed = RBL_STR("");
    digest_flaps(w, h, news->flap, news->holds);

    if (state == MESSAGE_UNREPORTED) {
        h->why = digest_why(w, news->past);

    } else {
        digest_past(w, h, news->past);
    }

    if (state != MESSAGE_LISTED) {
        return 0;
    }

    digest_range(w, h, host.parent);
    h->first_listed = digest_time(w, host.first_listed);
    h->listed_count = host.listed_count;

    rbl_mp_init(&mp, host.details);
    n = rbl_mp_array(&mp);
    n = n < MESSAGE_LISTINGS ? n : MESSAGE_LISTINGS;
    h->listing = digest_part(w, n * sizeof(message_listing_t));

    for (i = 0; i < n && rbl_listing_decode(&v, &mp) == RBL_OK; i++) {
        digest_listing(w, &h->listing[i], &v, &host);
        h->listing[i].fresh = i >= news->fresh.n || news->fresh.p[i] == '1';
    }

    h->n_listings = i;
    digest_sort(h->listing, i);

    return 0;
}


static void
digest_parts_free(digest_work_t *w)
{
    while (!link_empty(&w->parts)) {
        free(link_of(link_shift(&w->parts), digest_part_t, link));
    }

    free(w->list);
    free(w->marks);
}


static void
digest_hosts(digest_work_t *w, const rbl_digest_claim_digest_t *row)
{
    size_t          i, n;
    int64_t         state;
    message_t      *m = &w->message;
    digest_news_t   news;

    n = rbl_reply_len(row->hosts) / 2;
    n = n < MESSAGE_HOSTS ? n : MESSAGE_HOSTS;
    m->host = xcalloc(n + 1, sizeof(message_host_t));

    for (i = 0; i < n; i++) {
        state = rbl_reply_int(rbl_reply_at(row->hosts, 2 * i + 1), -1);
        news.fresh = rbl_reply_str(rbl_reply_at(row->news, 3 * i));
        news.past = rbl_reply_str(rbl_reply_at(row->news, 3 * i + 1));
        news.flap = rbl_reply_str(rbl_reply_at(row->news, 3 * i + 2));
        news.holds = row->holds == 1;

        if (state >= 0 && state < DIGEST_STATES
            && digest_host(w, &m->host[m->n_hosts],
                           rbl_reply_str(rbl_reply_at(row->hosts, 2 * i)),
                           digest_states[state], &news)
               == 0)
        {
            m->n_hosts++;
        }
    }
}


static int
digest_host_event(rbl_sid_t *sid, rbl_str_t event, const message_host_t *host)
{
    char           text[2 * RBL_SID_MAX];
    size_t         n = event.n + host->id.n;
    unsigned char  sum[EVP_MAX_MD_SIZE];

    if (n > sizeof(text)) {
        return -1;
    }

    memcpy(text, event.p, event.n);
    memcpy(text + event.n, host->id.p, host->id.n);

    if (EVP_Digest(text, n, sum, NULL, EVP_sha256(), NULL) != 1) {
        return -1;
    }

    rbl_sid_from_digest(sid, RBL_SID_EVENT, sum);

    return 0;
}


/* m->n_hosts hosts from m->host on, under the event that is set. */

static void
digest_add(digest_t *digest, message_t *m)
{
    digest_message_t  *made;

    made = &digest->message[digest->n++];
    rbl_buf_init(&made->body);
    m->event = rbl_sid_str(&made->event);
    made->host = m->listed == 1 && m->delisted == 0 && m->unreported == 0
                 && m->clear == 0 && m->n_hosts == 1
                 ? m->host[0].id : RBL_STR("");

    message_trigger(&made->body.out, m);
}


/*
 * Makes messages of the hosts from the i-th on.  A host that was and is clear
 * has no message at such a channel.
 */

static void
digest_each(digest_work_t *w, digest_t *digest, size_t i)
{
    message_t  one;

    for (; i < w->message.n_hosts; i++) {
        one = w->message;
        one.host = &w->message.host[i];
        one.n_hosts = 1;
        one.clear = 0;
        one.listed = one.host->state == MESSAGE_LISTED;
        one.delisted = one.host->state == MESSAGE_DELISTED;
        one.unreported = one.host->state == MESSAGE_UNREPORTED;

        if (one.host->state == MESSAGE_CLEAR) {
            continue;
        }

        if (digest_host_event(&digest->message[digest->n].event,
                              digest->event, one.host)
            != 0)
        {
            w->failed = 1;
            return;
        }

        digest_add(digest, &one);
    }
}


/*
 * Too many hosts are listed for a message each, so one message has them all.
 * The end of a listing has a message of its own nevertheless, since it ends an
 * earlier message about that host alone.
 */

static void
digest_storm(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    rbl_str_t alert)
{
    size_t     n;
    message_t  all;

    for (n = 0; n < w->message.n_hosts
                && w->message.host[n].state == MESSAGE_LISTED; n++)
    {
        /* void: these come first */
    }

    all = w->message;
    all.n_hosts = n;
    all.delisted = all.unreported = all.clear = 0;
    all.alert = alert.n > 0 ? alert : digest->event;
    digest->message[0].event = *event;
    digest_add(digest, &all);
    digest_each(w, digest, n);
}


/* None of the many hosts is listed now. */

static void
digest_storm_over(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    rbl_str_t alert)
{
    message_t  all;

    all = w->message;
    all.n_hosts = 0;
    all.listed = all.clear = 0;
    all.alert = alert;
    digest->message[digest->n].event = *event;
    digest_add(digest, &all);
}


static void
digest_per_host(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    const rbl_digest_claim_digest_t *row)
{
    if (row->apart == DIGEST_APART_UNLISTED) {
        digest_storm(w, digest, event, row->alert);
        return;
    }

    digest_each(w, digest, 0);

    if (row->alert.n > 0 && !w->failed && row->ends == 1) {
        digest_storm_over(w, digest, event, row->alert);
    }
}


static void
digest_messages(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    const rbl_digest_claim_digest_t *row)
{
    message_t  *m = &w->message;

    if (row->apart != DIGEST_APART_NONE) {
        digest_per_host(w, digest, event, row);
        return;
    }

    if (m->listed > 0 || m->delisted > 0 || m->unreported > 0
        || m->clear > 0)
    {
        digest->message[0].event = *event;
        digest_add(digest, m);
    }
}


rbl_err_t
digest_make(digest_t *digest, const redisReply *reply, timezones_t *timezones,
    const char *portal)
{
    rbl_sid_t                  event;
    digest_work_t              w;
    rbl_digest_claim_digest_t  row;

    memset(digest, 0, sizeof(digest_t));
    memset(&w, 0, sizeof(w));
    link_init(&w.parts);
    rbl_digest_claim_digest(&row, reply);
    digest->member = row.member;
    digest->event = row.event;

    if (digest->member.n != 2 * RBL_SID_LEN + 1
        || rbl_sid_parse(&event, RBL_SID_EVENT, digest->event) != RBL_OK)
    {
        return RBL_ETYPE;
    }

    w.zone = timezones_find(timezones, row.timezone);
    w.message.portal = rbl_str(portal);
    w.message.listed = digest_number(row.listed);
    w.message.delisted = digest_number(row.delisted);
    w.message.clear = digest_number(row.clear);
    w.message.unreported = digest_number(row.unreported);
    w.now = row.now;
    w.ranges = row.ranges;
    digest_lists(&w, row.lists);
    digest_marks(&w, row.marks);
    digest_hosts(&w, &row);

    digest->message = xcalloc(w.message.n_hosts + 1, sizeof(digest_message_t));
    digest_messages(&w, digest, &event, &row);

    digest_parts_free(&w);
    free(w.message.host);

    if (w.failed) {
        digest_free(digest);
        return RBL_ETYPE;
    }

    return RBL_OK;
}


void
digest_free(digest_t *digest)
{
    size_t  i;

    for (i = 0; i < digest->n; i++) {
        rbl_buf_free(&digest->message[i].body);
    }

    free(digest->message);
    digest->message = NULL;
    digest->n = 0;
}
