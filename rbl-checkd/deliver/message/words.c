/*
 * Words of messages.
 */

#include "words.h"


void
words_line(rbl_out_t *out, rbl_str_t text)
{
    size_t         i;
    unsigned char  c;

    for (i = 0; i < text.n; i++) {
        c = (unsigned char) text.p[i];
        rbl_out_char(out, c < ' ' || c == 0x7f ? ' ' : (char) c);
    }
}


void
words_field(rbl_out_t *out, const char *name, rbl_str_t text)
{
    if (text.n > 0) {
        rbl_out_z(out, name);
        words_line(out, text);
        rbl_out_char(out, '\n');
    }
}


void
words_count(rbl_out_t *out, int64_t n, const char *one, const char *many)
{
    rbl_out_int(out, n);
    rbl_out_z(out, n == 1 ? one : many);
}


void
words_more(rbl_out_t *out, int64_t n)
{
    if (n > 0) {
        rbl_out_z(out, " and ");
        rbl_out_int(out, n);
        rbl_out_z(out, " more");
    }
}


void
words_hosts(rbl_out_t *out, const message_t *m)
{
    if (m->listed > 0) {
        words_count(out, m->listed, " host listed", " hosts listed");
    }

    if (m->delisted > 0) {
        rbl_out_z(out, m->listed > 0 ? ", " : "");
        words_count(out, m->delisted, " host delisted", " hosts delisted");
    }

    if (m->unreported > 0) {
        rbl_out_z(out, m->listed > 0 || m->delisted > 0 ? ", " : "");
        words_count(out, m->unreported, " host no longer reported",
                    " hosts no longer reported");
    }

    if (m->listed == 0 && m->delisted == 0 && m->unreported == 0) {
        words_count(out, m->clear, " host not listed", " hosts not listed");
    }
}


void
words_relisted(rbl_out_t *out, const message_listing_t *listing)
{
    rbl_out_z(out, "relisted (was off it for ");
    words_line(out, listing->off);
    rbl_out_char(out, ')');
}


void
words_flaps(rbl_out_t *out, const message_host_t *host)
{
    rbl_out_z(out, "Flapping since ");
    words_line(out, host->flaps);
    rbl_out_z(out, " (");
    words_count(out, host->changes, " change)", " changes)");
    rbl_out_z(out, host->held ? "; further changes are reported when there was"
                              " none for 6 hours." : ".");
}


rbl_str_t
words_list(rbl_str_t name, rbl_str_t zone)
{
    return name.n > 0 ? name : zone;
}
