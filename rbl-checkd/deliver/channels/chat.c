/*
 * The words that chats get.  A line is made in a buffer of its own first, and
 * only goes out if it fits whole, so that no markup is ever cut.
 */

#include "chat.h"

#include "deliver/message/siblings.h"
#include "deliver/message/words.h"

#include <inttypes.h>
#include <stdio.h>


#define CHAT_NAME_MAX    80             /* characters, before escaping */
#define CHAT_REASON_MAX  240
#define CHAT_URL_MAX     512            /* octets */
#define CHAT_REST        40             /* units that "And n more" takes */


void
chat_escape(rbl_out_t *out, rbl_str_t text, const char *(*find)(char c))
{
    size_t       i;
    const char  *escaped;

    for (i = 0; i < text.n; i++) {
        escaped = find(text.p[i]);

        if (escaped != NULL) {
            rbl_out_z(out, escaped);

        } else {
            rbl_out_char(out, text.p[i]);
        }
    }
}


void
chat_backslash(rbl_out_t *out, rbl_str_t text, const char *special)
{
    size_t  i;

    for (i = 0; i < text.n; i++) {
        if (text.p[i] != '\0' && strchr(special, text.p[i]) != NULL) {
            rbl_out_char(out, '\\');
        }

        rbl_out_char(out, text.p[i]);
    }
}


const char *
chat_entity(char c)
{
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
}


int
chat_is_url(rbl_str_t url)
{
    size_t  i;

    if (url.n > CHAT_URL_MAX || url.n < 10
        || (memcmp(url.p, "https://", 8) != 0
            && memcmp(url.p, "http://", 7) != 0))
    {
        return 0;
    }

    for (i = 0; i < url.n; i++) {
        if (url.p[i] <= ' ' || url.p[i] > '~') {
            return 0;
        }
    }

    return 1;
}


void
chat_encode(rbl_out_t *out, rbl_str_t url, const char *special)
{
    size_t  i;
    char    buf[4];

    for (i = 0; i < url.n; i++) {
        if (strchr(special, url.p[i]) == NULL) {
            rbl_out_char(out, url.p[i]);
            continue;
        }

        snprintf(buf, sizeof(buf), "%%%02X", (unsigned) url.p[i]);
        rbl_out_z(out, buf);
    }
}


void
chat_url(rbl_out_t *out, rbl_str_t url)
{
    chat_encode(out, url, "\"'`<>()[]{}|\\^*_~");
}


void
chat_href(rbl_out_t *out, rbl_str_t url, const char *(*find)(char c))
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    chat_url(&buf.out, url);
    chat_escape(out, rbl_buf_str(&buf), find);
    rbl_buf_free(&buf);
}


const char *
chat_state(char buf[CHAT_STATE_MAX], const message_host_t *host)
{
    if (host->state == MESSAGE_LISTED) {
        snprintf(buf, CHAT_STATE_MAX, "listed on %" PRId64 " %s",
                 host->listed_count,
                 host->listed_count == 1 ? "list" : "lists");
        return buf;
    }

    return host->state == MESSAGE_DELISTED ? "no longer listed"
           : host->state == MESSAGE_UNREPORTED ? "no longer reported"
           : "on no list";
}


/* "And 12 more hosts.", or nothing if all are shown. */

static const char *
chat_more(char buf[CHAT_LAST], const message_t *message, size_t told)
{
    int64_t  all;

    all = message->listed + message->delisted + message->unreported
          + message->clear;

    if (all < (int64_t) message->n_hosts) {
        all = (int64_t) message->n_hosts;
    }

    all -= (int64_t) told;
    buf[0] = '\0';

    if (all > 0) {
        snprintf(buf, CHAT_LAST, "And %" PRId64 " more %s.", all,
                 all == 1 ? "host" : "hosts");
    }

    return buf;
}


void
chat_clip(rbl_doc_t *doc, const char *key, rbl_str_t text, size_t max,
    clip_unit_t unit)
{
    int        cut;
    rbl_str_t  s;

    s = clip_text(text, max, unit, &cut);
    RBL_DOC_TEXT(doc, key, s, cut ? RBL_STR(CLIP_ELLIPSIS) : RBL_STR(""));
}


void
chat_line(rbl_out_t *out, rbl_str_t text, size_t max,
    void (*write)(rbl_out_t *out, rbl_str_t text))
{
    int     cut;
    size_t  i, n;

    text = clip_text(text, max, CLIP_CHARS, &cut);

    for (i = 0; i < text.n; i += n + 1) {
        for (n = 0; i + n < text.n; n++) {
            if ((unsigned char) text.p[i + n] < ' ' || text.p[i + n] == 0x7f) {
                break;
            }
        }

        write(out, (rbl_str_t) { text.p + i, n });

        if (i + n < text.n) {
            rbl_out_char(out, ' ');
        }
    }

    if (cut) {
        rbl_out_z(out, CLIP_ELLIPSIS);
    }
}


static void
chat_strong(rbl_out_t *out, const chat_markup_t *markup, rbl_str_t text)
{
    rbl_out_z(out, markup->strong[0]);
    chat_line(out, text, RBL_VALUE_MAX, markup->text);
    rbl_out_z(out, markup->strong[1]);
}


static void
chat_heading(rbl_out_t *out, const chat_markup_t *markup,
    const message_host_t *host)
{
    char       state[CHAT_STATE_MAX];
    rbl_buf_t  words;

    chat_strong(out, markup, host->value);

    if (host->name.n > 0 && !rbl_str_eq(host->name, host->value)) {
        rbl_out_z(out, " (");
        chat_line(out, host->name, CHAT_NAME_MAX, markup->text);
        rbl_out_z(out, ")");
    }

    rbl_out_z(out, " is ");
    rbl_out_z(out, chat_state(state, host));

    if (host->why.n > 0) {
        rbl_out_z(out, ": ");
        chat_line(out, host->why, CHAT_REASON_MAX, markup->text);
    }

    if (host->state == MESSAGE_LISTED && host->first_listed.n > 0) {
        rbl_out_z(out, " since ");
        chat_line(out, host->first_listed, CHAT_NAME_MAX, markup->text);
    }

    rbl_out_z(out, host->n_listings + host->n_past > 0 ? ":\n" : ".\n");

    if (host->flaps.n > 0) {
        rbl_buf_init(&words);
        words_flaps(&words.out, host);
        chat_strong(out, markup, rbl_buf_str(&words));
        rbl_out_z(out, "\n");
        rbl_buf_free(&words);
    }
}


/* Siblings: their line, and their addresses. */

static void
chat_siblings(rbl_out_t *out, const chat_markup_t *markup,
    const message_t *message, size_t i, size_t n)
{
    rbl_buf_t  words;

    rbl_buf_init(&words);
    siblings_line(&words.out, message, i, n);
    chat_strong(out, markup, rbl_buf_str(&words));
    rbl_buf_reset(&words);
    rbl_out_z(out, ": ");
    siblings_values(&words.out, message, i);
    chat_line(out, rbl_buf_str(&words), CHAT_REASON_MAX, markup->text);
    rbl_buf_free(&words);
    rbl_out_z(out, "\n");
}


static void
chat_link(rbl_out_t *out, const chat_markup_t *markup, rbl_str_t url,
    const char *label)
{
    if (chat_is_url(url)) {
        rbl_out_z(out, " ");
        markup->link(out, url, label);
    }
}


static void
chat_list(rbl_out_t *out, const chat_markup_t *markup, rbl_str_t zone,
    rbl_str_t name)
{
    rbl_out_z(out, "\xe2\x80\xa2 ");
    chat_strong(out, markup, zone);

    if (name.n > 0 && !rbl_str_eq(name, zone)) {
        rbl_out_z(out, " (");
        chat_line(out, name, CHAT_NAME_MAX, markup->text);
        rbl_out_z(out, ")");
    }
}


/* both: the host has new listings and others. */

static void
chat_listing(rbl_out_t *out, const chat_markup_t *markup,
    const message_listing_t *l, int both)
{
    rbl_buf_t  words;

    chat_list(out, markup, l->zone, l->name);

    if (both && l->fresh) {
        rbl_out_z(out, ", new");
    }

    if (l->off.n > 0) {
        rbl_buf_init(&words);
        words_relisted(&words.out, l);
        rbl_out_z(out, ", ");
        chat_strong(out, markup, rbl_buf_str(&words));
        rbl_buf_free(&words);
    }

    if (l->reason.n > 0) {
        rbl_out_z(out, ": ");
        chat_line(out, l->reason, CHAT_REASON_MAX, markup->text);
    }

    if (l->details.n > 0 && !chat_is_url(l->details)
        && !rbl_str_eq(l->details, l->reason))
    {
        rbl_out_z(out, l->reason.n > 0 ? "; " : ": ");
        chat_line(out, l->details, CHAT_REASON_MAX, markup->text);
    }

    if (l->marked.n > 0) {
        rbl_out_z(out, "; ");
        chat_line(out, l->marked, CHAT_REASON_MAX, markup->text);
    }

    chat_link(out, markup, l->details, "Details");
    chat_link(out, markup, l->delisting, "Delisting");
    rbl_out_z(out, "\n");
}


/* An ended listing of n hosts: the i-th, and its siblings. */

static void
chat_past(rbl_out_t *out, const chat_markup_t *markup,
    const message_t *message, size_t i, size_t n, size_t past)
{
    rbl_buf_t              period;
    const message_past_t  *p = &message->host[i].past[past];

    rbl_buf_init(&period);
    siblings_period(&period.out, message, i, n, past);
    chat_list(out, markup, p->zone, p->name);
    rbl_out_z(out, ": no longer listed, listed for ");
    chat_line(out, rbl_buf_str(&period), CHAT_NAME_MAX, markup->text);
    rbl_out_z(out, "\n");
    rbl_buf_free(&period);
}


/* Takes the line over if it fits.  Its units, 0 if it does not. */

static size_t
chat_take(rbl_out_t *out, const chat_markup_t *markup, rbl_buf_t *line,
    size_t room)
{
    size_t     n;
    rbl_str_t  s;

    s = rbl_buf_str(line);
    n = clip_length(s, markup->unit);

    if (n > room) {
        n = 0;

    } else {
        rbl_out_str(out, s);
    }

    rbl_buf_reset(line);

    return n;
}


static size_t
chat_listings(rbl_out_t *out, const chat_markup_t *markup, rbl_buf_t *line,
    const message_host_t *host, size_t room)
{
    int      both;
    char     buf[CHAT_LAST];
    size_t   i, n, used;
    int64_t  more;

    used = 0;
    both = message_both(host);

    for (i = 0; i < host->n_listings; i++) {
        if (room - used < CHAT_REST) {
            break;
        }

        chat_listing(&line->out, markup, &host->listing[i], both);
        n = chat_take(out, markup, line, room - used - CHAT_REST);

        if (n == 0) {
            break;
        }

        used += n;
    }

    more = host->listed_count - (int64_t) i;

    if (more > 0 && host->n_listings > 0) {
        snprintf(buf, sizeof(buf), "And %" PRId64 " more.\n", more);
        rbl_out_z(&line->out, buf);
        used += chat_take(out, markup, line, room - used);
    }

    return used;
}


static size_t
chat_ends(rbl_out_t *out, const chat_markup_t *markup, rbl_buf_t *line,
    const message_t *message, size_t i, size_t n, size_t room)
{
    size_t  k, taken, used;

    used = 0;

    for (k = 0; k < message->host[i].n_past; k++) {
        chat_past(&line->out, markup, message, i, n, k);
        taken = chat_take(out, markup, line, room - used);

        if (taken == 0) {
            break;
        }

        used += taken;
    }

    return used;
}


/* Lines of at most `max` units about n hosts: the i-th, and its siblings.
   Returns their units; 0: not even one line fits. */

static size_t
chat_host(rbl_out_t *out, const chat_markup_t *markup,
    const message_t *message, size_t i, size_t n, size_t max)
{
    size_t                 used;
    rbl_buf_t              line;
    const message_host_t  *host = &message->host[i];

    rbl_buf_init(&line);

    if (n > 1) {
        chat_siblings(&line.out, markup, message, i, n);

    } else {
        chat_heading(&line.out, markup, host);
    }

    used = chat_take(out, markup, &line, max);

    if (used > 0) {
        used += chat_listings(out, markup, &line, host, max - used);
        used += chat_ends(out, markup, &line, message, i, n, max - used);
    }

    rbl_buf_free(&line);

    return used;
}


void
chat_hosts(void *to, const chat_markup_t *markup, const message_t *message,
    size_t room)
{
    char       more[CHAT_LAST];
    size_t     i, n, same, told, places, max;
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    told = places = 0;

    for (i = 0; i < message->n_hosts && places < markup->hosts
                && room >= markup->least; i++)
    {
        same = siblings_count(message, i);

        if (same == 0) {
            continue;
        }

        max = room - markup->between;
        n = chat_host(&buf.out, markup, message, i, same,
                      max < markup->each ? max : markup->each);

        if (n == 0) {
            break;
        }

        markup->put(to, &message->host[i], rbl_buf_str(&buf));
        rbl_buf_reset(&buf);
        room -= n + markup->between;
        told += same;
        places++;
    }

    if (chat_more(more, message, told)[0] != '\0') {
        markup->put(to, NULL, rbl_str(more));
    }

    rbl_buf_free(&buf);
}
