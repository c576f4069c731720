/*
 * The hosts of a digest, as a message has them.
 */

#include "base/xalloc.h"
#include "digest_hosts.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/buf.h"
#include "deliver/message/words.h"
#include "rbl_card.h"
#include "rbl_codes.h"
#include "rbl_mark.h"
#include "rbl_time.h"
#include "rbl_validate.h"


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


/* Zeroed. */

static void *
digest_part(digest_hosts_t *w, size_t size)
{
    digest_part_t  *part;

    part = xcalloc(1, sizeof(*part) + size);
    link_add(&w->parts, &part->link);

    return part->bytes;
}


static rbl_str_t
digest_keep(digest_hosts_t *w, rbl_str_t s)
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
digest_time(digest_hosts_t *w, int64_t ms)
{
    char  buf[RBL_TIME_LEN];

    return digest_keep(w, rbl_time_text(buf, ms, w->zone));
}


static rbl_str_t
digest_span(digest_hosts_t *w, int64_t from, int64_t till)
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
digest_lists(digest_hosts_t *w, const redisReply *lists)
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


/* NULL: it is gone, or behind another zone now. */

static const rbl_list_t *
digest_list(const digest_hosts_t *w, rbl_str_t list, rbl_str_t zone)
{
    rbl_list_t         key;
    const rbl_list_t  *found;

    key.id = list;
    found = bsearch(&key, w->list, w->n_lists, sizeof(rbl_list_t),
                    digest_list_cmp);

    return found != NULL && rbl_str_eq(found->zone, zone) ? found : NULL;
}


/* "": the list is gone, or has no name. */

static rbl_str_t
digest_list_name(const rbl_list_t *list)
{
    return list != NULL ? list->name : RBL_STR("");
}


/* The meaning of the codes at the list, or else the codes.  *plain: it says no
   more than that the host is listed. */

static rbl_str_t
digest_means(digest_hosts_t *w, const rbl_list_t *list, rbl_str_t packed,
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
digest_written(digest_hosts_t *w, const char *buf, const rbl_out_t *out)
{
    return out->failed ? RBL_STR("") : digest_keep(w, (rbl_str_t) {
        buf, (size_t) (out->pos - buf) });
}


/* Adds the card of a listing.  An own list has none. */

static void
digest_card(digest_hosts_t *w, message_listing_t *l, const rbl_list_t *list,
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
digest_reason(digest_hosts_t *w, const rbl_list_t *list,
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


/* The row of a SID in a flat array of such rows: where it begins, or where the
   array ends. */

static size_t
digest_row(const redisReply *rows, size_t width, rbl_str_t sid)
{
    size_t  i;

    for (i = 0; i < rbl_reply_len(rows); i += width) {
        if (rbl_str_eq(rbl_reply_str(rbl_reply_at(rows, i)), sid)) {
            break;
        }
    }

    return i;
}


/* A listing's marks, among those of its host, in words; "": it has none. */

static rbl_str_t
digest_marked(digest_hosts_t *w, rbl_str_t marks, rbl_str_t list)
{
    char        buf[RBL_MARK_TEXT];
    rbl_out_t   out;
    rbl_mark_t  mark;

    if (rbl_mark_find(&mark, marks, list) != 1) {
        return RBL_STR("");
    }

    out = (rbl_out_t) { buf, buf + sizeof(buf), NULL, 0 };
    rbl_mark_text(&out, &mark, w->row->now);

    return digest_written(w, buf, &out);
}


static void
digest_listing(digest_hosts_t *w, message_listing_t *l, const rbl_listing_t *v,
    const rbl_host_t *host, rbl_str_t marks)
{
    const rbl_list_t  *list;

    list = digest_list(w, v->list, v->zone);

    l->id = v->list;
    l->zone = v->zone;
    l->name = digest_list_name(list);
    l->website = v->website;
    l->details = v->details;
    l->reason = digest_reason(w, list, v);
    l->weight = digest_weight(list, v);
    l->since = digest_time(w, v->since);
    l->off = v->off > 0 ? digest_span(w, v->off, v->since) : RBL_STR("");
    l->marked = digest_marked(w, marks, v->list);

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


/* The listings that have ended. */

static void
digest_past(digest_hosts_t *w, message_host_t *h, rbl_str_t packed)
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
        p->name = digest_list_name(list);
        p->since = digest_time(w, v.since);
        p->till = digest_time(w, v.till);
        p->period = digest_span(w, v.since, v.till);
    }

    h->n_past = i;
}


static void
digest_flaps(digest_hosts_t *w, message_host_t *h, rbl_str_t packed)
{
    rbl_mp_t    mp;
    rbl_flap_t  flap;

    rbl_mp_init(&mp, packed);

    if (packed.n > 0 && rbl_flap_decode(&flap, &mp) == RBL_OK) {
        h->flaps = digest_time(w, flap.since);
        h->changes = flap.changes;
        h->held = w->row->holds == 1;
    }
}


/* The range that has the host, and how many addresses it has. */

static void
digest_range(const digest_hosts_t *w, message_host_t *h, rbl_str_t range)
{
    size_t  at;

    at = digest_row(w->row->ranges, 3, range);
    h->range = rbl_reply_str(rbl_reply_at(w->row->ranges, at + 1));
    h->range_hosts = message_number(
        rbl_reply_int(rbl_reply_at(w->row->ranges, at + 2), 0));
}


/* "lists ZEN and SORBS are no longer used", "list ZEN is no longer used"; ""
   without listings. */

static rbl_str_t
digest_why(digest_hosts_t *w, rbl_str_t packed)
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
        rbl_out_str(&text.out, words_list(digest_list_name(list), v.zone));
    }

    if (i > 0) {
        words_more(&text.out, (int64_t) (n - i));
        rbl_out_z(&text.out, n > 1 ? " are no longer used"
                                   : " is no longer used");
    }

    why = digest_keep(w, rbl_buf_str(&text));
    rbl_buf_free(&text);

    return why;
}


/* The listings that hold, of a packed record. */

static void
digest_listings(digest_hosts_t *w, message_host_t *h, const rbl_host_t *host,
    rbl_str_t fresh)
{
    size_t         i, n;
    rbl_mp_t       mp;
    rbl_str_t      marks;
    rbl_listing_t  v;

    marks = rbl_reply_str(rbl_reply_at(
        w->row->marks, digest_row(w->row->marks, 2, host->id) + 1));
    rbl_mp_init(&mp, host->details);
    n = rbl_mp_array(&mp);
    n = n < MESSAGE_LISTINGS ? n : MESSAGE_LISTINGS;
    h->listing = digest_part(w, n * sizeof(message_listing_t));

    for (i = 0; i < n && rbl_listing_decode(&v, &mp) == RBL_OK; i++) {
        digest_listing(w, &h->listing[i], &v, host, marks);
        h->listing[i].fresh = i >= fresh.n || fresh.p[i] == '1';
    }

    h->n_listings = i;
    digest_sort(h->listing, i);
}


/* The i-th host of the row: its record, its change, and its news.  0; -1: it
   cannot be read. */

static int
digest_host(digest_hosts_t *w, message_host_t *h, size_t i)
{
    int64_t            state;
    rbl_str_t          past;
    rbl_host_t         host;
    const redisReply  *hosts = w->row->hosts, *news = w->row->news;

    state = rbl_reply_int(rbl_reply_at(hosts, 2 * i + 1), -1);

    if (state < 0 || state >= DIGEST_STATES
        || rbl_host_decode(&host, rbl_reply_str(rbl_reply_at(hosts, 2 * i)))
           != RBL_OK)
    {
        return -1;
    }

    h->id = host.id;
    h->value = host.value;
    h->name = host.name;
    h->state = digest_states[state];
    h->first_listed = RBL_STR("");
    past = rbl_reply_str(rbl_reply_at(news, 3 * i + 1));
    digest_flaps(w, h, rbl_reply_str(rbl_reply_at(news, 3 * i + 2)));

    if (h->state == MESSAGE_UNREPORTED) {
        h->why = digest_why(w, past);
        return 0;
    }

    digest_past(w, h, past);

    if (h->state != MESSAGE_CLEAR) {
        digest_range(w, h, host.parent);
    }

    if (h->state == MESSAGE_LISTED) {
        h->first_listed = digest_time(w, host.first_listed);
        h->listed_count = host.listed_count;
        digest_listings(w, h, &host, rbl_reply_str(rbl_reply_at(news, 3 * i)));
    }

    return 0;
}


void
digest_hosts(digest_hosts_t *w, const rbl_digest_claim_digest_t *row,
    const rbl_timezone_t *zone)
{
    size_t  i, n;

    memset(w, 0, sizeof(digest_hosts_t));
    link_init(&w->parts);
    w->row = row;
    w->zone = zone;
    digest_lists(w, row->lists);
    n = rbl_reply_len(row->hosts) / 2;
    n = n < MESSAGE_HOSTS ? n : MESSAGE_HOSTS;
    w->host = xcalloc(n + 1, sizeof(message_host_t));

    for (i = 0; i < n; i++) {
        w->n += digest_host(w, &w->host[w->n], i) == 0;
    }
}


void
digest_hosts_free(digest_hosts_t *w)
{
    while (!link_empty(&w->parts)) {
        free(link_of(link_shift(&w->parts), digest_part_t, link));
    }

    free(w->list);
    free(w->host);
}
