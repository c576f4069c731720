/*
 * Counts the units of an SMS, and chooses the text that fits.
 */

#include "sms_text.h"

#include "clip.h"
#include "words.h"


#define SMS_ONE     160                 /* septets, if there is one part */
#define SMS_EACH    153                 /* of several */
#define SMS_ONE16   70                  /* code units of UTF-16 */
#define SMS_EACH16  67
#define SMS_WORD    60                  /* characters of a name */
#define SMS_LEFT    24                  /* units for ", and 123456 more" */

/* GSM 03.38: characters outside ASCII, and the ASCII ones that take two
   septets. */

static const char  sms_letters[] =
    "\xc2\xa3\xc2\xa5\xc3\xa8\xc3\xa9\xc3\xb9\xc3\xac\xc3\xb2\xc3\x87\xc3\x98"
    "\xc3\xb8\xc3\x85\xc3\xa5\xce\x94\xce\xa6\xce\x93\xce\x9b\xce\xa9\xce\xa0"
    "\xce\xa8\xce\xa3\xce\x98\xce\x9e\xc3\x86\xc3\xa6\xc3\x9f\xc3\x89\xc2\xa4"
    "\xc2\xa1\xc3\x84\xc3\x96\xc3\x91\xc3\x9c\xc2\xa7\xc2\xbf\xc3\xa4\xc3\xb6"
    "\xc3\xb1\xc3\xbc\xc3\xa0";
static const char  sms_two[] = "^{}\\[~]|";
static const char  sms_euro[] = "\xe2\x82\xac";


/* Septets of one character; 0: GSM 03.38 lacks it. */

static size_t
sms_letter(rbl_str_t c)
{
    size_t  i;

    if (c.n == 1) {
        if (*c.p != '\0' && strchr(sms_two, *c.p) != NULL) {
            return 2;
        }

        return ((*c.p >= ' ' && *c.p <= '~') || *c.p == '\n') && *c.p != '`';
    }

    if (rbl_str_is(c, sms_euro)) {
        return 2;
    }

    for (i = 0; c.n == 2 && i + 1 < sizeof(sms_letters); i += 2) {
        if (memcmp(c.p, sms_letters + i, 2) == 0) {
            return 1;
        }
    }

    return 0;
}


size_t
sms_septets(rbl_str_t text)
{
    size_t     n, septets;
    rbl_str_t  c;

    for (septets = 0; text.n > 0; text.p += c.n, text.n -= c.n) {
        c = clip_begin(text, 1, CLIP_CHARS);
        n = sms_letter(c);

        if (n == 0) {
            return 0;
        }

        septets += n;
    }

    return septets;
}


/* Does it fit into so many units less than there are? */

static int
sms_fits(rbl_str_t text, size_t reserve)
{
    size_t  n;

    n = sms_septets(text);

    if (n > 0) {
        return n + reserve <= SMS_ONE || n + reserve <= SMS_SEGMENTS * SMS_EACH;
    }

    n = clip_length(text, CLIP_UTF16);

    return n + reserve <= SMS_ONE16 || n + reserve <= SMS_SEGMENTS * SMS_EACH16;
}


static void
sms_word(rbl_out_t *out, rbl_str_t word)
{
    int  cut;

    words_line(out, clip_text(word, SMS_WORD, CLIP_CHARS, &cut));
    rbl_out_z(out, cut ? ".." : "");
}


/*
 * "192.0.2.7 (zen.spamhaus.org and 2 more)", "192.0.2.9 delisted", "192.0.2.8
 * not reported"; leaves out words of the title.
 */

static void
sms_host(rbl_out_t *out, const message_t *m, const message_host_t *host)
{
    const message_listing_t  *l;

    sms_word(out, host->value);

    if (host->state == MESSAGE_DELISTED && m->listed > 0) {
        rbl_out_z(out, " delisted");
    }

    if (host->state == MESSAGE_UNREPORTED && m->listed + m->delisted > 0) {
        rbl_out_z(out, " not reported");
    }

    if (host->why.n > 0) {
        rbl_out_z(out, " (list no longer used)");
    }

    if (host->state != MESSAGE_LISTED || host->n_listings == 0) {
        return;
    }

    l = &host->listing[0];
    rbl_out_z(out, " (");
    sms_word(out, words_list(l->name, l->zone));
    words_more(out, host->listed_count - 1);
    rbl_out_char(out, ')');
    rbl_out_z(out, host->flaps.n > 0 ? " flapping"
                   : l->fresh && l->off.n > 0 ? " relisted" : "");
}


static void
sms_hosts(rbl_buf_t *text, const message_t *m)
{
    size_t   i, before;
    int64_t  left;

    left = m->listed + m->delisted + m->unreported;

    for (i = 0; i < m->n_hosts && m->host[i].state != MESSAGE_CLEAR; i++) {
        before = rbl_buf_str(text).n;
        rbl_out_z(&text->out, i == 0 ? ": " : ", ");
        sms_host(&text->out, m, &m->host[i]);

        if (!sms_fits(rbl_buf_str(text),
                      left > (int64_t) i + 1 ? SMS_LEFT : 0))
        {
            text->out.pos = text->base + before;
            break;
        }
    }

    left -= (int64_t) i;

    if (i > 0 && left > 0) {
        rbl_out_z(&text->out, ", and ");
        rbl_out_int(&text->out, left);
        rbl_out_z(&text->out, " more");
    }
}


/* A text that is too long even without hosts is cut anywhere. */

static void
sms_cut(rbl_buf_t *text)
{
    rbl_str_t  s;

    s = rbl_buf_str(text);

    if (!sms_fits(s, 0)) {
        s = clip_begin(s, SMS_SEGMENTS * SMS_EACH16, CLIP_UTF16);
        text->out.pos = text->base + s.n;
    }
}


void
sms_text(rbl_buf_t *text, const message_t *message)
{
    if (message->code.n > 0) {
        sms_word(&text->out, message->code);
        rbl_out_z(&text->out, " is the code that confirms this number for"
                              " blocklist monitoring. If you did not ask for"
                              " it, ignore this.");

    } else {
        rbl_out_z(&text->out, "Blocklists: ");

        if (message->n_hosts > 0) {
            words_hosts(&text->out, message);
            sms_hosts(text, message);

        } else {
            sms_word(&text->out, message->title);
        }
    }

    sms_cut(text);
}
