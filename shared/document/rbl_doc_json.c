/*
 * JSON back end of the document writer.  Runs of bytes that need no escape are
 * found a word at a time and copied at once.
 */

#include "rbl_doc_back.h"
#include "rbl_utf8.h"


#define RBL_JSON_KEY_ROOM  5            /* comma, two quotes, colon, first
                                           byte */


/* True if a byte of this word is not plain ASCII or needs an escape. */

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
    char                 *plain;
    size_t                n;
    const unsigned char  *p, *run, *end;

    if (s.n == 0) {
        return;
    }

    if (rbl_out_fits(out, s.n)) {
        plain = rbl_json_copy(out->pos, s);

        if (plain != NULL) {
            out->pos = plain;
            return;
        }
    }

    p = (const unsigned char *) s.p;
    end = p + s.n;

    while (p < end && !out->failed) {
        run = p;
        p = rbl_json_run(p, end);

        /* valid UTF-8 sequences belong to the run */

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


/*
 * Sixteen bytes at a time, as vectors of the compiler; without vector registers
 * the compiler uses words.
 */

typedef signed char  rbl_json_bytes_t __attribute__((vector_size(16)));
typedef int64_t      rbl_json_words_t __attribute__((vector_size(16)));


/* As rbl_json_special.  Bytes from 0x80 on are negative. */

static inline int
rbl_json_special_bytes(rbl_json_bytes_t b)
{
    rbl_json_words_t        m;
    const rbl_json_bytes_t  none = { 0 };

    m = (rbl_json_words_t) ((b < none + 0x20) | (b == none + '"')
                            | (b == none + '\\'));

    return (m[0] | m[1]) != 0;
}


/* n is at least 16; the last block may overlap the one before it. */

static char *
rbl_json_copy_long(char *p, const char *s, size_t n)
{
    size_t            i;
    rbl_json_bytes_t  b;

    for (i = 0; ; i = n - i < 32 ? n - 16 : i + 16) {
        memcpy(&b, s + i, 16);

        if (rbl_json_special_bytes(b)) {
            return NULL;
        }

        memcpy(p + i, &b, 16);

        if (i == n - 16) {
            return p + n;
        }
    }
}


char *
rbl_json_copy(char *p, rbl_str_t s)
{
    size_t            i;
    uint32_t          half[2];
    uint64_t          word[2];
    rbl_json_words_t  v;

    if (s.n >= 16) {
        return rbl_json_copy_long(p, s.p, s.n);
    }

    if (s.n >= 8) {
        memcpy(&word[0], s.p, 8);
        memcpy(&word[1], s.p + s.n - 8, 8);
        v = (rbl_json_words_t) { (int64_t) word[0], (int64_t) word[1] };

        if (rbl_json_special_bytes((rbl_json_bytes_t) v)) {
            return NULL;
        }

        memcpy(p, &word[0], 8);
        memcpy(p + s.n - 8, &word[1], 8);

        return p + s.n;
    }

    if (s.n >= 4) {
        memcpy(&half[0], s.p, 4);
        memcpy(&half[1], s.p + s.n - 4, 4);

        if (rbl_json_special((uint64_t) half[0] << 32 | half[1])) {
            return NULL;
        }

        memcpy(p, &half[0], 4);
        memcpy(p + s.n - 4, &half[1], 4);

        return p + s.n;
    }

    for (i = 0; i < s.n; i++) {
        if (!rbl_json_plain((unsigned char) s.p[i])) {
            return NULL;
        }

        p[i] = s.p[i];
    }

    return p + s.n;
}


/* As rbl_json_open, when the room is known to suffice. */

static char *
rbl_json_head(char *p, const char *key, size_t n, int next, char open)
{
    if (next) {
        *p++ = ',';
    }

    if (key != NULL) {
        *p++ = '"';
        memcpy(p, key, n);
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
rbl_json_open(rbl_out_t *out, const char *key, size_t n, int next,
    char open)
{
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
