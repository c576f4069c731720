/*
 * Cards and marks of listings as objects: words for programs, and texts for
 * people.
 */

#include "rbl_view_card.h"

#include "rbl_time.h"
#include "rbl_view.h"

#define RBL_CARD_WORDS  2048            /* octets of a text */


static void
rbl_view_way(rbl_doc_t *d, const rbl_way_t *way)
{
    rbl_doc_str(d, "mail", way->mail);
    rbl_doc_int(d, "ages", way->ages);
    rbl_doc_int(d, "takes", way->takes);
    rbl_doc_str(d, "note", way->note);
    rbl_doc_str(d, "source", way->source);
    rbl_doc_str(d, "read", way->read);
}


void
rbl_view_ways(rbl_doc_t *d, const char *key, rbl_str_t removal)
{
    size_t     n;
    rbl_mp_t   mp;
    rbl_way_t  way;

    rbl_mp_init(&mp, removal);
    rbl_doc_array(d, key);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_way_decode(&way, &mp) != RBL_OK) {
            break;
        }

        rbl_doc_object(d, NULL);
        (void) rbl_view_texts(d, "codes", way.codes);
        rbl_doc_str(d, "how", way.how);
        rbl_doc_str(d, "cause", way.cause);
        rbl_doc_str(d, "url", way.url);
        rbl_view_way(d, &way);
        rbl_doc_close(d);
    }

    rbl_doc_close(d);
}


static rbl_out_t
rbl_view_words(char *buf)
{
    return (rbl_out_t) { buf, buf + RBL_CARD_WORDS, NULL, 0 };
}


/* Adds the text that was written; "" if it had no room. */

static void
rbl_view_written(rbl_doc_t *d, const char *key, const char *buf,
    const rbl_out_t *out)
{
    rbl_doc_str(d, key, out->failed ? RBL_STR("")
                : (rbl_str_t) { buf, (size_t) (out->pos - buf) });
}


static void
rbl_view_card_text(rbl_doc_t *d, const rbl_card_t *card,
    const rbl_list_t *list, const rbl_host_t *host,
    const rbl_listing_t *listing, const rbl_timezone_t *tz)
{
    char              buf[RBL_CARD_WORDS], means[RBL_CARD_CODES];
    char              since[RBL_TIME_LEN];
    rbl_out_t         out;
    rbl_card_about_t  about;

    about.host = host->value;
    about.name = host->name;
    about.list = list->name.n > 0 ? list->name : list->zone;
    about.codes = rbl_card_codes(means, list->codes, listing->codes);
    about.since = rbl_time_text(since, listing->since, tz);

    out = rbl_view_words(buf);
    rbl_card_text(&out, card, &about);
    rbl_view_written(d, "text", buf, &out);
}


void
rbl_view_card(rbl_doc_t *d, const char *key, const rbl_list_t *list,
    const rbl_host_t *host, const rbl_listing_t *listing,
    const rbl_timezone_t *tz)
{
    char        buf[RBL_CARD_WORDS], url[RBL_CARD_URL], ends[RBL_TIME_LEN];
    size_t      i;
    rbl_out_t   out;
    rbl_card_t  card;

    rbl_card(&card, list, listing->codes, listing->since);

    rbl_doc_object(d, key);
    rbl_doc_z(d, "how", card.how->name);
    rbl_doc_z(d, "how_text", card.how->text);
    rbl_doc_z(d, "cause", card.cause->name);
    rbl_doc_z(d, "cause_text", card.cause->text);
    rbl_doc_array(d, "look");

    for (i = 0; i < RBL_CARD_LOOK; i++) {
        rbl_doc_z(d, NULL, card.cause->look[i]);
    }

    rbl_doc_close(d);

    out = rbl_view_words(buf);
    rbl_card_when(&out, &card);
    rbl_view_written(d, "when", buf, &out);
    rbl_doc_str(d, "ends", rbl_time_text(ends, card.ends, tz));
    rbl_doc_str(d, "url", rbl_card_link(url, &card, host->value));
    rbl_view_way(d, &card.way);
    rbl_view_card_text(d, &card, list, host, listing, tz);
    rbl_doc_close(d);
}


static void
rbl_view_noted(rbl_doc_t *d, const char *at_key, int64_t at, const char *by_key,
    rbl_str_t by, const rbl_timezone_t *tz)
{
    char  text[RBL_TIME_LEN];

    rbl_doc_str(d, at_key, rbl_time_text(text, at, tz));
    rbl_doc_str(d, by_key, by);
}


void
rbl_view_mark(rbl_doc_t *d, const char *key, const rbl_mark_t *mark,
    int64_t now, const rbl_timezone_t *tz)
{
    char       buf[RBL_CARD_WORDS];
    rbl_out_t  out;

    rbl_doc_object(d, key);
    rbl_view_noted(d, "asked", mark->asked, "asked_by", mark->asked_by, tz);
    rbl_view_noted(d, "expected", mark->expected, "expected_by",
                   mark->expected_by, tz);
    rbl_doc_str(d, "ticket", mark->ticket);
    rbl_view_noted(d, "ticketed", mark->ticketed, "ticketed_by",
                   mark->ticketed_by, tz);

    out = rbl_view_words(buf);
    rbl_mark_text(&out, mark, now);
    rbl_view_written(d, "text", buf, &out);
    rbl_doc_close(d);
}
