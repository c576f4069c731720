/*
 * Reads the records of each host of a digest and of its lists.  A deleted list
 * is described by the host's record.
 */

#include "base/xalloc.h"
#include "digest_int.h"

#include <assert.h>
#include <stdlib.h>

#include "rbl_codes.h"
#include "rbl_query.h"
#include "rbl_time.h"
#include "rbl_validate.h"


#define DIGEST_ROOM   16384
#define DIGEST_TEXT   1024              /* of a reason or a link */
#define DIGEST_CODES  16                /* of a listing */

struct digest_room_s {
    digest_room_t  *next;
    size_t          used;
    char            bytes[DIGEST_ROOM];
};


/* Zeroed.  A room holds the largest part. */

static void *
digest_room(digest_work_t *w, size_t size)
{
    void           *p;
    digest_room_t  *room;

    size = (size + 15) & ~(size_t) 15;
    assert(size <= DIGEST_ROOM);

    if (w->rooms == NULL || sizeof(w->rooms->bytes) - w->rooms->used < size) {
        room = xcalloc(1, sizeof(*room));
        room->next = w->rooms;
        w->rooms = room;
    }

    p = w->rooms->bytes + w->rooms->used;
    w->rooms->used += size;

    return p;
}


static rbl_str_t
digest_keep(digest_work_t *w, rbl_str_t s)
{
    char  *p;

    if (s.n == 0) {
        return RBL_STR("");
    }

    p = digest_room(w, s.n);
    memcpy(p, s.p, s.n);

    return (rbl_str_t) { p, s.n };
}


static rbl_str_t
digest_time(digest_work_t *w, int64_t ms)
{
    char  buf[RBL_TIME_LEN];

    return digest_keep(w, rbl_time_text(buf, ms, w->zone));
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


void
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


/* NULL: it is gone, or behind another zone now. */

static const rbl_list_t *
digest_list(const digest_work_t *w, const rbl_listing_t *v)
{
    rbl_list_t         key;
    const rbl_list_t  *found;

    key.id = v->list;
    found = bsearch(&key, w->list, w->n_lists, sizeof(rbl_list_t),
                    digest_list_cmp);

    return found != NULL && rbl_str_eq(found->zone, v->zone) ? found : NULL;
}


static int
digest_is_url(rbl_str_t s)
{
    return (s.n > 8 && memcmp(s.p, "https://", 8) == 0)
           || (s.n > 7 && memcmp(s.p, "http://", 7) == 0);
}


/* The meaning of the codes at the list, or else the codes. */

static rbl_str_t
digest_means(digest_work_t *w, const rbl_list_t *list, rbl_str_t packed)
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

    s = digest_keep(w, text[0] != '\0' ? rbl_str(text) : rbl_buf_str(&raw));
    rbl_buf_free(&raw);

    return s;
}


static rbl_str_t
digest_delisting(digest_work_t *w, const rbl_list_t *list, rbl_str_t value)
{
    char       buf[DIGEST_TEXT];
    rbl_str_t  url;

    if (list == NULL
        || rbl_lookup_url(buf, sizeof(buf), &url, list->delist, value)
           != RBL_OK)
    {
        return RBL_STR("");
    }

    return digest_keep(w, url);
}


static void
digest_listing(digest_work_t *w, message_listing_t *l, const rbl_listing_t *v,
    rbl_str_t host)
{
    const rbl_list_t  *list;

    list = digest_list(w, v);

    l->id = v->list;
    l->zone = v->zone;
    l->name = list != NULL ? list->name : RBL_STR("");
    l->website = v->website;
    l->details = v->details;
    l->reason = v->details.n > 0 && !digest_is_url(v->details)
                ? v->details : digest_means(w, list, v->codes);
    l->delisting = digest_delisting(w, list, host);
    l->severity = message_severity(list != NULL ? list->tier : RBL_STR(""));
    l->since = digest_time(w, v->since);
}


/* The worst ones first. */

static void
digest_sort(message_listing_t *l, size_t n)
{
    size_t             i, k;
    message_listing_t  one;

    for (i = 1; i < n; i++) {
        one = l[i];

        for (k = i; k > 0 && message_worse(one.severity, l[k - 1].severity);
             k--)
        {
            l[k] = l[k - 1];
        }

        l[k] = one;
    }
}


int
digest_host(digest_work_t *w, message_host_t *h, rbl_str_t raw,
    message_state_t state)
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

    if (state != MESSAGE_LISTED) {
        return 0;
    }

    h->first_listed = digest_time(w, host.first_listed);
    h->listed_count = host.listed_count;

    rbl_mp_init(&mp, host.details);
    n = rbl_mp_array(&mp);
    n = n < MESSAGE_LISTINGS ? n : MESSAGE_LISTINGS;
    h->listing = digest_room(w, n * sizeof(message_listing_t));

    for (i = 0; i < n && rbl_listing_decode(&v, &mp) == RBL_OK; i++) {
        digest_listing(w, &h->listing[i], &v, host.value);
    }

    h->n_listings = i;
    digest_sort(h->listing, i);

    return 0;
}


void
digest_rooms_free(digest_work_t *w)
{
    digest_room_t  *room;

    while ((room = w->rooms) != NULL) {
        w->rooms = room->next;
        free(room);
    }

    free(w->list);
}
