/*
 * Addresses of a range that have one entry in a message.
 */

#include "siblings.h"

#include "words.h"

#include "rbl_time.h"
#include "rbl_validate.h"


/* Does the host have the listing, as new or as old? */

static int
siblings_have(const message_host_t *h, const message_listing_t *l)
{
    size_t  i;

    for (i = 0; i < h->n_listings; i++) {
        if (rbl_str_eq(h->listing[i].id, l->id)) {
            return h->listing[i].fresh == l->fresh;
        }
    }

    return 0;
}


/* The listing by this list that has ended; NULL: there is none. */

static const message_past_t *
siblings_past(const message_host_t *h, rbl_str_t list)
{
    size_t  i;

    for (i = 0; i < h->n_past; i++) {
        if (rbl_str_eq(h->past[i].id, list)) {
            return &h->past[i];
        }
    }

    return NULL;
}


/* Are the lists all that there is to say of an address of a range? */

static int
siblings_plain(const message_host_t *h)
{
    size_t  i;

    if (h->range.n == 0 || h->flaps.n > 0) {
        return 0;
    }

    if (h->state == MESSAGE_DELISTED) {
        return h->n_past > 0;
    }

    for (i = 0; i < h->n_listings; i++) {
        if (h->listing[i].off.n > 0 || h->listing[i].marked.n > 0) {
            return 0;
        }
    }

    return h->state == MESSAGE_LISTED && h->n_past == 0 && h->n_listings > 0
           && h->listed_count == (int64_t) h->n_listings;
}


/* Are both of one range, and on the same lists, or off the same lists? */

static int
siblings_are(const message_host_t *a, const message_host_t *b)
{
    size_t  i;

    if (!siblings_plain(a) || !siblings_plain(b) || a->state != b->state
        || !rbl_str_eq(a->range, b->range) || a->n_listings != b->n_listings
        || a->n_past != b->n_past)
    {
        return 0;
    }

    for (i = 0; i < a->n_listings; i++) {
        if (!siblings_have(b, &a->listing[i])) {
            return 0;
        }
    }

    for (i = 0; i < a->n_past; i++) {
        if (siblings_past(b, a->past[i].id) == NULL) {
            return 0;
        }
    }

    return 1;
}


size_t
siblings_count(const message_t *m, size_t i)
{
    int     first;
    size_t  k, n;

    first = 1;

    for (k = 0, n = 0; k < m->n_hosts; k++) {
        if (k == i || siblings_are(&m->host[i], &m->host[k])) {
            first = first && k >= i;
            n++;
        }
    }

    return n < SIBLINGS_LEAST ? 1 : first ? n : 0;
}


/* Does the message leave out hosts of the state, which may be siblings, too? */

static int
siblings_cut(const message_t *m, message_state_t state)
{
    size_t   i;
    int64_t  shown;

    for (i = 0, shown = 0; i < m->n_hosts; i++) {
        shown += m->host[i].state == state;
    }

    return (state == MESSAGE_LISTED ? m->listed : m->delisted) > shown;
}


void
siblings_line(rbl_out_t *out, const message_t *m, size_t i, size_t n)
{
    const message_host_t  *h = &m->host[i];

    rbl_out_str(out, h->range);
    rbl_out_z(out, siblings_cut(m, h->state) ? ": at least " : ": ");
    rbl_out_int(out, (int64_t) n);

    if (h->range_hosts >= (int64_t) n) {
        rbl_out_z(out, " of ");
        rbl_out_int(out, h->range_hosts);
    }

    if (h->state == MESSAGE_LISTED) {
        rbl_out_z(out, " by ");
        rbl_out_str(out, words_list(h->listing[0].name, h->listing[0].zone));
        words_more(out, h->listed_count - 1);

    } else {
        rbl_out_z(out, " no longer listed by ");
        rbl_out_str(out, words_list(h->past[0].name, h->past[0].zone));
        words_more(out, (int64_t) h->n_past - 1);
    }
}


void
siblings_period(rbl_out_t *out, const message_t *m, size_t i, size_t n,
    size_t past)
{
    int                    same;
    size_t                 k;
    rbl_str_t              own, other, longest;
    const message_host_t  *h = &m->host[i];

    own = longest = h->past[past].period;
    same = 1;

    for (k = i + 1; n > 1 && k < m->n_hosts; k++) {
        if (siblings_are(h, &m->host[k])) {
            other = siblings_past(&m->host[k], h->past[past].id)->period;
            same = same && rbl_str_eq(other, own);
            longest = rbl_span_read(other) > rbl_span_read(longest) ? other
                                                                    : longest;
        }
    }

    rbl_out_z(out, same ? "" : "up to ");
    rbl_out_str(out, longest);
}


/* By their addresses; the order of texts that are none stays. */

static int
siblings_before(rbl_str_t a, rbl_str_t b)
{
    rbl_addr_t  x, y;

    return rbl_addr_parse(&x, a) == RBL_OK && rbl_addr_parse(&y, b) == RBL_OK
           && memcmp(x.b, y.b, sizeof(x.b)) < 0;
}


void
siblings_values(rbl_out_t *out, const message_t *m, size_t i)
{
    size_t     k, n, at;
    rbl_str_t  values[MESSAGE_HOSTS];

    for (k = i, n = 0; k < m->n_hosts && n < MESSAGE_HOSTS; k++) {
        if (k != i && !siblings_are(&m->host[i], &m->host[k])) {
            continue;
        }

        for (at = n++; at > 0 && siblings_before(m->host[k].value,
                                                 values[at - 1]); at--)
        {
            values[at] = values[at - 1];
        }

        values[at] = m->host[k].value;
    }

    for (k = 0; k < n; k++) {
        rbl_out_z(out, k > 0 ? ", " : "");
        rbl_out_str(out, values[k]);
    }
}
