/*
 * The JSON back end of the document writer.  Runs of bytes that stand for
 * themselves are found a word at a time and copied whole.
 */

#include "rbl_doc_back.h"
#include "rbl_utf8.h"


#define RBL_JSON_KEY_ROOM  5            /* comma, two quotes, colon, open */


/* Must a byte of this word be looked at? */

static int
rbl_json_special(uint64_t w)
{
    return ((w & RBL_BYTES_TOP) | RBL_BYTES_BELOW(w, 0x20)
            | RBL_BYTES_EQ(w, '"') | RBL_BYTES_EQ(w, '\\')) != 0;
}


static int
rbl_json_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}


static const unsigned char *
rbl_json_run(const unsigned char *p, const unsigned char *end)
{
    uint64_t  w;

    while (end - p >= 8) {
        memcpy(&w, p, 8);

        if (rbl_json_special(w)) {
            break;
        }

        p += 8;
    }

    while (p < end && rbl_json_plain(*p)) {
        p++;
    }

    return p;
}


static void
rbl_json_escape(rbl_out_t *out, unsigned char c)
{
    char               buf[6];
    const char        *found;
    static const char  plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    static const char  hex[] = "0123456789abcdef";

    buf[0] = '\\';

    found = memchr(plain, c, sizeof(plain) - 1);

    if (found != NULL) {
        buf[1] = letter[found - plain];
        rbl_out_bytes(out, buf, 2);
        return;
    }

    memcpy(buf + 1, "u00", 3);
    buf[4] = hex[c >> 4];
    buf[5] = hex[c & 0x0f];

    rbl_out_bytes(out, buf, 6);
}


void
rbl_json_text(rbl_out_t *out, rbl_str_t s)
{
    size_t                n;
    const unsigned char  *p, *run, *end;

    if (s.n == 0) {
        return;
    }

    p = (const unsigned char *) s.p;
    end = p + s.n;

    while (p < end && !out->failed) {
        run = p;
        p = rbl_json_run(p, end);

        /* valid sequences belong to the run */

        while (p < end && *p >= 0x80 && (n = rbl_utf8_len(p, end)) > 0) {
            p = rbl_json_run(p + n, end);
        }

        rbl_out_bytes(out, run, (size_t) (p - run));

        if (p == end) {
            return;
        }

        if (*p >= 0x80) {
            rbl_out_bytes(out, RBL_DOC_REPLACEMENT, 3);

        } else {
            rbl_json_escape(out, *p);
        }

        p++;
    }
}


char *
rbl_json_copy(char *p, rbl_str_t s)
{
    char        *end;
    uint64_t     w;
    const char  *last;

    end = p + s.n;

    if (s.n < 8) {
        while (p < end) {
            if (!rbl_json_plain((unsigned char) *s.p)) {
                return NULL;
            }

            *p++ = *s.p++;
        }

        return end;
    }

    /* the last word may overlap the one before it */

    last = s.p + s.n - 8;

    for ( ;; ) {
        memcpy(&w, s.p, 8);

        if (rbl_json_special(w)) {
            return NULL;
        }

        memcpy(p, &w, 8);

        if (s.p == last) {
            return end;
        }

        s.p += 8;
        p += 8;

        if (s.p > last) {
            s.p = last;
            p = end - 8;
        }
    }
}


/* As rbl_json_open, into room that is known to suffice. */

static char *
rbl_json_head(char *p, const char *key, size_t n, int next, char open)
{
    size_t  i;

    if (next) {
        *p++ = ',';
    }

    if (key != NULL) {
        *p++ = '"';

        for (i = 0; i < n; i++) {
            p[i] = key[i];
        }

        p += n;
        *p++ = '"';
        *p++ = ':';
    }

    if (open) {
        *p++ = open;
    }

    return p;
}


void
rbl_json_open(rbl_out_t *out, const char *key, int next, char open)
{
    size_t  n;

    n = key ? strlen(key) : 0;

    if (rbl_out_fits(out, n + RBL_JSON_KEY_ROOM)) {
        out->pos = rbl_json_head(out->pos, key, n, next, open);
        return;
    }

    if (next) {
        rbl_out_char(out, ',');
    }

    if (key != NULL) {
        rbl_out_char(out, '"');
        rbl_out_bytes(out, key, n);
        rbl_out_bytes(out, "\":", 2);
    }

    if (open) {
        rbl_out_char(out, open);
    }
}
