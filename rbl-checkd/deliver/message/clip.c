/*
 * Cutting texts between characters.
 */

#include "clip.h"

#include "rbl_utf8.h"


/* The octets of the character at p, and its units. */

static size_t
clip_step(const char *p, const char *end, clip_unit_t unit, size_t *units)
{
    size_t  n;

    n = rbl_utf8_len((const unsigned char *) p, (const unsigned char *) end);
    n = n == 0 ? 1 : n;

    *units = unit == CLIP_OCTETS ? n : unit == CLIP_UTF16 && n == 4 ? 2 : 1;

    return n;
}


size_t
clip_length(rbl_str_t text, clip_unit_t unit)
{
    size_t       n, units;
    const char  *p, *end;

    n = 0;
    end = text.p + text.n;

    for (p = text.p; p < end; /* void */ ) {
        p += clip_step(p, end, unit, &units);
        n += units;
    }

    return n;
}


rbl_str_t
clip_begin(rbl_str_t text, size_t max, clip_unit_t unit)
{
    size_t       len, units;
    const char  *p, *end;

    end = text.p + text.n;

    for (p = text.p; p < end; p += len) {
        len = clip_step(p, end, unit, &units);

        if (units > max) {
            break;
        }

        max -= units;
    }

    text.n = (size_t) (p - text.p);

    return text;
}


rbl_str_t
clip_text(rbl_str_t text, size_t max, clip_unit_t unit, int *cut)
{
    size_t     room;
    rbl_str_t  whole;

    whole = clip_begin(text, max, unit);
    *cut = whole.n < text.n;

    if (!*cut) {
        return text;
    }

    room = clip_length(RBL_STR(CLIP_ELLIPSIS), unit);
    *cut = max >= room;

    return clip_begin(text, *cut ? max - room : max, unit);
}


void
clip_out(rbl_out_t *out, rbl_str_t text, size_t max, clip_unit_t unit)
{
    int  cut;

    rbl_out_str(out, clip_text(text, max, unit, &cut));

    if (cut) {
        rbl_out_z(out, CLIP_ELLIPSIS);
    }
}
