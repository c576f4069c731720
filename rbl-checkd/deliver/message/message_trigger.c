/*
 * Messages to contacts about their hosts: the text for people, then the same
 * for programs.
 */

#include "card.h"
#include "message.h"
#include "siblings.h"
#include "title.h"
#include "words.h"

#include "base/buf.h"
#include "rbl_codes.h"
#include "rbl_doc.h"


#define TEXT_LISTINGS  10               /* of a host, in words */

static const char *const  message_states[] = {
    "clear", "listed", "delisted", "unreported"
};

rbl_str_t
message_state(message_state_t state)
{
    return rbl_str(message_states[state]);
}


int
message_worse(rbl_str_t a, rbl_str_t b)
{
    return rbl_weight_parse(a) > rbl_weight_parse(b);
}


int
message_is_url(rbl_str_t s)
{
    return (s.n > 8 && memcmp(s.p, "https://", 8) == 0)
           || (s.n > 7 && memcmp(s.p, "http://", 7) == 0);
}


/* The highest weight of the message. */

static rbl_str_t
trigger_weight(const message_t *m)
{
    size_t     i, k;
    rbl_str_t  worst;

    worst = RBL_STR("info");

    for (i = 0; i < m->n_hosts; i++) {
        for (k = 0; k < m->host[i].n_listings; k++) {
            if (message_worse(m->host[i].listing[k].weight, worst)) {
                worst = m->host[i].listing[k].weight;
            }
        }
    }

    return worst;
}


/* The new ones stand first (digest_hosts.c). */

int
message_both(const message_host_t *host)
{
    return host->n_listings > 1 && host->listing[0].fresh
           && !host->listing[host->n_listings - 1].fresh;
}


/* "  - ZEN (zen.example)" */

static void
text_list(rbl_out_t *out, rbl_str_t name, rbl_str_t zone)
{
    rbl_out_z(out, "  - ");
    words_line(out, words_list(name, zone));

    if (name.n > 0 && !rbl_str_eq(name, zone)) {
        rbl_out_z(out, " (");
        words_line(out, zone);
        rbl_out_char(out, ')');
    }
}


static void
text_listing(rbl_out_t *out, const message_listing_t *l, card_told_t *told)
{
    text_list(out, l->name, l->zone);
    rbl_out_z(out, ", ");
    words_line(out, l->weight);
    rbl_out_z(out, ", since ");
    words_line(out, l->since);

    if (l->off.n > 0) {
        rbl_out_z(out, ", ");
        words_relisted(out, l);
    }

    rbl_out_char(out, '\n');

    words_field(out, "    Marked: ", l->marked);
    words_field(out, "    Reason: ", l->reason);

    if (!rbl_str_eq(l->details, l->reason)) {
        words_field(out, "    Look-up: ", l->details);
    }

    words_field(out, "    Delisting: ", l->delisting);
    card_text(out, l, told);
}


static void
text_past(rbl_out_t *out, const message_t *m, size_t at, size_t n)
{
    size_t                 i;
    rbl_buf_t              period;
    const message_host_t  *h = &m->host[at];

    rbl_buf_init(&period);

    if (h->n_past > 0 && h->state == MESSAGE_LISTED) {
        rbl_out_z(out, "  No longer listed by:\n");
    }

    for (i = 0; i < h->n_past && i < TEXT_LISTINGS; i++) {
        text_list(out, h->past[i].name, h->past[i].zone);
        rbl_out_z(out, ", listed for ");
        siblings_period(&period.out, m, at, n, i);
        words_line(out, rbl_buf_str(&period));
        rbl_buf_reset(&period);
        rbl_out_char(out, '\n');
    }

    if (h->n_past > i) {
        rbl_out_z(out, "  and ");
        words_count(out, (int64_t) (h->n_past - i), " list more\n",
                    " lists more\n");
    }

    rbl_buf_free(&period);
}


static void
text_flaps(rbl_out_t *out, const message_host_t *h)
{
    if (h->flaps.n > 0) {
        rbl_out_z(out, "  ");
        words_flaps(out, h);
        rbl_out_char(out, '\n');
    }
}


static void
text_listings(rbl_out_t *out, const message_host_t *h, card_told_t *told)
{
    int     both;
    size_t  i;

    both = message_both(h);

    for (i = 0; i < h->n_listings && i < TEXT_LISTINGS; i++) {
        if (both && (i == 0 || h->listing[i].fresh != h->listing[i - 1].fresh))
        {
            rbl_out_z(out, i == 0 ? "  New:\n" : "  Listed before:\n");
        }

        text_listing(out, &h->listing[i], told);
    }

    if (h->listed_count > (int64_t) i) {
        rbl_out_z(out, "  and ");
        words_count(out, h->listed_count - (int64_t) i, " list more\n",
                    " lists more\n");
    }
}


/* The lines before the lists of a host. */

static void
text_head(rbl_out_t *out, const message_host_t *h)
{
    words_line(out, h->value);

    if (h->name.n > 0 && !rbl_str_eq(h->name, h->value)) {
        rbl_out_z(out, " (");
        words_line(out, h->name);
        rbl_out_char(out, ')');
    }

    if (h->state == MESSAGE_LISTED) {
        rbl_out_z(out, " is on ");
        words_count(out, h->listed_count, " list", " lists");
        rbl_out_z(out, ", listed since ");
        words_line(out, h->first_listed);
        rbl_out_char(out, ':');

    } else if (h->why.n > 0) {
        rbl_out_z(out, ": ");
        words_line(out, h->why);
    }

    rbl_out_char(out, '\n');
    text_flaps(out, h);
}


/* The same of siblings: their line, and their addresses. */

static void
text_siblings(rbl_out_t *out, const message_t *m, size_t i, size_t n)
{
    rbl_buf_t  line;

    rbl_buf_init(&line);
    siblings_line(&line.out, m, i, n);
    words_line(out, rbl_buf_str(&line));
    rbl_buf_reset(&line);
    rbl_out_z(out, "\n  ");
    siblings_values(&line.out, m, i);
    words_line(out, rbl_buf_str(&line));
    rbl_out_char(out, '\n');
    rbl_buf_free(&line);
}


/* The entry of n hosts: the i-th, and its siblings. */

static void
text_host(rbl_out_t *out, const message_t *m, size_t i, size_t n,
    card_told_t *told)
{
    const message_host_t  *h = &m->host[i];

    if (n > 1) {
        text_siblings(out, m, i, n);

    } else {
        text_head(out, h);
    }

    if (h->state == MESSAGE_LISTED) {
        text_listings(out, h, told);
    }

    text_past(out, m, i, n);
}


/* Writes the hosts of one state, under a heading; counts those left out. */

static void
text_hosts(rbl_buf_t *text, const message_t *m, message_state_t state,
    int64_t whole, const char *heading)
{
    size_t       i, n;
    int64_t      told;
    rbl_out_t   *out = &text->out;
    card_told_t  cards;

    if (whole <= 0) {
        return;
    }

    rbl_out_z(out, rbl_buf_str(text).n > 0 ? "\n" : "");
    rbl_out_z(out, heading);
    rbl_out_z(out, ":\n\n");
    memset(&cards, 0, sizeof(cards));
    told = 0;

    for (i = 0; i < m->n_hosts; i++) {
        if (m->host[i].state != state) {
            continue;
        }

        if (rbl_buf_str(text).n > MESSAGE_TEXT_MAX) {
            break;
        }

        n = siblings_count(m, i);
        told += (int64_t) n;

        if (n > 0) {
            text_host(out, m, i, n, &cards);
        }
    }

    if (whole > told) {
        rbl_out_z(out, told > 0 ? "and " : "");
        words_count(out, whole - told, told > 0 ? " host more\n" : " host\n",
                    told > 0 ? " hosts more\n" : " hosts\n");
    }
}


static void
trigger_text(rbl_buf_t *text, const message_t *m)
{
    text_hosts(text, m, MESSAGE_LISTED, m->listed, "Listed");
    text_hosts(text, m, MESSAGE_DELISTED, m->delisted, "No longer listed");
    text_hosts(text, m, MESSAGE_UNREPORTED, m->unreported,
               "Was listed, and is no longer reported");
    text_hosts(text, m, MESSAGE_CLEAR, m->clear, "Checked and not listed");
}


static void
trigger_listing(rbl_doc_t *doc, const message_listing_t *l)
{
    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", l->id);
    rbl_doc_str(doc, "host", l->zone);
    rbl_doc_str(doc, "name", l->name);
    rbl_doc_str(doc, "website", l->website);
    rbl_doc_str(doc, "details", l->details);
    rbl_doc_str(doc, "reason", l->reason);
    rbl_doc_str(doc, "delisting", l->delisting);
    rbl_doc_str(doc, "weight", l->weight);
    rbl_doc_str(doc, "since", l->since);
    rbl_doc_int(doc, "new", l->fresh != 0);

    if (l->off.n > 0) {
        rbl_doc_str(doc, "relisted", l->off);
    }

    if (l->how.n > 0) {
        rbl_doc_str(doc, "how", l->how);
        rbl_doc_str(doc, "cause", l->cause);
        rbl_doc_str(doc, "advice", l->advice);
        rbl_doc_str(doc, "note", l->note);
        rbl_doc_str(doc, "mail", l->mail);
        rbl_doc_str(doc, "request", l->request);
    }

    if (l->marked.n > 0) {
        rbl_doc_str(doc, "marked", l->marked);
    }

    rbl_doc_close(doc);
}


static void
trigger_past(rbl_doc_t *doc, const message_past_t *p)
{
    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", p->id);
    rbl_doc_str(doc, "host", p->zone);
    rbl_doc_str(doc, "name", p->name);
    rbl_doc_str(doc, "since", p->since);
    rbl_doc_str(doc, "until", p->till);
    rbl_doc_str(doc, "period", p->period);
    rbl_doc_close(doc);
}


static void
trigger_host(rbl_doc_t *doc, const message_host_t *h)
{
    size_t  i;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", h->id);
    rbl_doc_str(doc, "host", h->value);
    rbl_doc_str(doc, "name", h->name);
    rbl_doc_str(doc, "status", message_state(h->state));
    rbl_doc_str(doc, "first_listed", h->first_listed);
    rbl_doc_int(doc, "listed_count", h->listed_count);
    rbl_doc_array(doc, "listings");

    for (i = 0; i < h->n_listings && i < MESSAGE_LISTINGS; i++) {
        trigger_listing(doc, &h->listing[i]);
    }

    rbl_doc_close(doc);

    if (h->n_past > 0) {
        rbl_doc_array(doc, "ended");

        for (i = 0; i < h->n_past && i < MESSAGE_PAST; i++) {
            trigger_past(doc, &h->past[i]);
        }

        rbl_doc_close(doc);
    }

    if (h->flaps.n > 0) {
        rbl_doc_str(doc, "flapping_since", h->flaps);
        rbl_doc_int(doc, "changes", h->changes);
        rbl_doc_int(doc, "held", h->held);
    }

    if (h->range.n > 0) {
        rbl_doc_str(doc, "range", h->range);
        rbl_doc_int(doc, "range_hosts", h->range_hosts);
    }

    if (h->why.n > 0) {
        rbl_doc_z(doc, "reason", "list_ended");
        rbl_doc_str(doc, "why", h->why);
    }

    rbl_doc_close(doc);
}


static size_t
trigger_host_size(const message_host_t *h)
{
    size_t                    i, n;
    const message_listing_t  *l;

    n = 128 + h->value.n + h->name.n + h->why.n;

    for (i = 0; i < h->n_listings && i < MESSAGE_LISTINGS; i++) {
        l = &h->listing[i];
        n += 256 + l->zone.n + l->name.n + l->website.n + l->details.n
             + l->reason.n + l->delisting.n + l->advice.n + l->note.n
             + l->mail.n + l->request.n + l->marked.n;
    }

    for (i = 0; i < h->n_past && i < MESSAGE_PAST; i++) {
        n += 192 + h->past[i].zone.n + h->past[i].name.n;
    }

    return n;
}


static void
trigger_hosts(rbl_doc_t *doc, const message_t *m)
{
    size_t  i, size;

    rbl_doc_array(doc, "hosts");
    size = 0;

    for (i = 0; i < m->n_hosts && i < MESSAGE_HOSTS; i++) {
        size += trigger_host_size(&m->host[i]);

        if (i > 0 && size > MESSAGE_MAX) {
            break;
        }

        trigger_host(doc, &m->host[i]);
    }

    rbl_doc_close(doc);
}


/* The page with the host, or with all hosts.  A host that is no longer reported
   may be gone. */

static void
trigger_portal(rbl_out_t *out, const message_t *m)
{
    rbl_out_str(out, m->portal);
    rbl_out_z(out, m->portal.p[m->portal.n - 1] == '/' ? "" : "/");

    if (m->n_hosts == 1 && m->host[0].state != MESSAGE_UNREPORTED) {
        rbl_out_z(out, "#/host/");
        rbl_out_str(out, m->host[0].id);

    } else {
        rbl_out_z(out, "#/hosts");
    }
}


/* Where to look, if there is one place only; else in the portal. */

static rbl_str_t
trigger_url(const message_t *m, rbl_str_t portal)
{
    return m->n_hosts == 1 && m->host[0].n_listings == 1
           && message_is_url(m->host[0].listing[0].details)
           ? m->host[0].listing[0].details : portal;
}


void
message_trigger(rbl_out_t *out, const message_t *message)
{
    rbl_buf_t  title, text, portal;
    rbl_doc_t  doc;

    rbl_buf_init(&title);
    rbl_buf_init(&text);
    rbl_buf_init(&portal);
    title_text(&title.out, message);
    trigger_text(&text, message);

    if (message->portal.n > 0) {
        trigger_portal(&portal.out, message);
        rbl_out_z(&text.out, "\nPortal: ");
        rbl_out_str(&text.out, rbl_buf_str(&portal));
        rbl_out_char(&text.out, '\n');
    }

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", message->event);
    rbl_doc_z(&doc, "event_type", MESSAGE_TRIGGER);
    rbl_doc_str(&doc, "title", rbl_buf_str(&title));
    rbl_doc_str(&doc, "message", rbl_buf_str(&text));
    rbl_doc_str(&doc, "url", trigger_url(message, rbl_buf_str(&portal)));
    trigger_hosts(&doc, message);
    rbl_doc_int(&doc, "listed", message->listed);
    rbl_doc_int(&doc, "delisted", message->delisted);
    rbl_doc_str(&doc, "weight", trigger_weight(message));
    rbl_doc_int(&doc, "clear", message->clear);
    rbl_doc_int(&doc, "unreported", message->unreported);

    if (message->alert.n > 0) {
        rbl_doc_str(&doc, "alert", message->alert);
    }

    if (message->portal.n > 0) {
        rbl_doc_str(&doc, "portal", rbl_buf_str(&portal));
    }

    rbl_doc_end(&doc);

    rbl_buf_free(&title);
    rbl_buf_free(&text);
    rbl_buf_free(&portal);
}
