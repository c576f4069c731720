/*
 * Headers in encoded words (always "B": shorter for most scripts, and without
 * rules of its own), bodies in quoted-printable.
 */

#include "mime.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <time.h>

#include "rbl_utf8.h"


#define MIME_LINE     76
#define MIME_WORD     60                /* longer words of ASCII are encoded */
#define MIME_OPEN     "=?UTF-8?B?"
#define MIME_CLOSE    "?="
#define MIME_AROUND   (sizeof(MIME_OPEN MIME_CLOSE) - 1)

/* No line of quoted-printable can match it: there, hex digits or a line end
   follow "=". */
#define MIME_BOUNDARY  "=_"

static const char  mime_hex[] = "0123456789ABCDEF";
static const char  mime_bad[] = "\xef\xbf\xbd";


/*
 * Sets *c to the next character; returns the octets that it takes in the text.
 */

static size_t
mime_next(rbl_str_t *c, rbl_str_t text)
{
    size_t                n;
    const unsigned char  *p = (const unsigned char *) text.p;

    n = rbl_utf8_len(p, p + text.n);
    *c = n > 0 ? (rbl_str_t) { text.p, n } : RBL_STR(mime_bad);

    return n > 0 ? n : 1;
}


/* Words of ASCII that need no encoding? */

static int
mime_plain(rbl_str_t text)
{
    size_t  i, word;

    word = 0;

    for (i = 0; i < text.n; i++) {
        if (text.p[i] < ' ' || text.p[i] > '~') {
            return 0;
        }

        word = text.p[i] == ' ' ? 0 : word + 1;

        if (word > MIME_WORD
            || (text.p[i] == '=' && i + 1 < text.n && text.p[i + 1] == '?'))
        {
            return 0;
        }
    }

    return text.n > 0 && text.p[0] != ' ' && text.p[text.n - 1] != ' ';
}


static void
mime_fold_words(rbl_out_t *out, size_t col, rbl_str_t text)
{
    size_t       n;
    const char  *space;

    while (text.n > 0) {
        space = memchr(text.p + 1, ' ', text.n - 1);
        n = space != NULL ? (size_t) (space - text.p) : text.n;

        /* a line of nothing but spaces would be none */

        if (col + n > MIME_LINE && text.p[0] == ' ' && n > 1) {
            rbl_out_z(out, "\r\n");
            col = 0;
        }

        rbl_out_bytes(out, text.p, n);
        col += n;
        text.p += n;
        text.n -= n;
    }
}


static void
mime_word(rbl_out_t *out, const unsigned char *p, size_t n)
{
    unsigned char  text[MIME_LINE + 1];

    rbl_out_z(out, MIME_OPEN);
    rbl_out_bytes(out, text, (size_t) EVP_EncodeBlock(text, p, (int) n));
    rbl_out_z(out, MIME_CLOSE);
}


/* Each word holds whole characters. */

static void
mime_encode_words(rbl_out_t *out, size_t col, rbl_str_t text)
{
    size_t         n, taken, room;
    rbl_str_t      c;
    unsigned char  octets[MIME_LINE];

    room = (MIME_LINE - MIME_AROUND - col) / 4 * 3;
    n = 0;

    while (text.n > 0) {
        taken = mime_next(&c, text);
        text.p += taken;
        text.n -= taken;

        if ((unsigned char) c.p[0] < ' ' || c.p[0] == 0x7f) {
            c = RBL_STR(" ");
        }

        if (n + c.n > room) {
            mime_word(out, octets, n);
            rbl_out_z(out, "\r\n ");
            room = (MIME_LINE - MIME_AROUND - 1) / 4 * 3;
            n = 0;
        }

        memcpy(octets + n, c.p, c.n);
        n += c.n;
    }

    if (n > 0) {
        mime_word(out, octets, n);
    }
}


void
mime_header(rbl_out_t *out, const char *name, rbl_str_t text)
{
    rbl_out_z(out, name);
    rbl_out_z(out, ": ");

    if (mime_plain(text)) {
        mime_fold_words(out, strlen(name) + 2, text);

    } else {
        mime_encode_words(out, strlen(name) + 2, text);
    }

    rbl_out_z(out, "\r\n");
}


/* The octets that quoted-printable has for c, which is followed by `next`. */

static size_t
mime_quote(char q[3], unsigned char c, int next)
{
    if ((c > ' ' && c <= '~' && c != '=')
        || ((c == ' ' || c == '\t') && next != '\n' && next != -1))
    {
        q[0] = (char) c;
        return 1;
    }

    q[0] = '=';
    q[1] = mime_hex[c >> 4];
    q[2] = mime_hex[c & 15];

    return 3;
}


void
mime_quoted_printable(rbl_out_t *out, rbl_str_t text)
{
    char    q[3];
    int     next;
    size_t  i, n, col;

    col = 0;

    for (i = 0; i < text.n; i++) {
        next = i + 1 < text.n ? (unsigned char) text.p[i + 1] : -1;

        if (text.p[i] == '\n') {
            rbl_out_z(out, "\r\n");
            col = 0;
            continue;
        }

        n = mime_quote(q, (unsigned char) text.p[i], next);

        if (col + n >= MIME_LINE) {
            rbl_out_z(out, "=\r\n");
            col = 0;
        }

        rbl_out_bytes(out, q, n);
        col += n;
    }

    if (col > 0) {
        rbl_out_z(out, "\r\n");
    }
}


void
mime_parts_begin(rbl_out_t *out, rbl_str_t id)
{
    rbl_out_z(out, "Content-Type: multipart/alternative;\r\n boundary=\""
                   MIME_BOUNDARY);
    rbl_out_str(out, id);
    rbl_out_z(out, "\"\r\n\r\n");
}


void
mime_body(rbl_out_t *out, const char *type, rbl_str_t text)
{
    rbl_out_z(out, "Content-Type: ");
    rbl_out_z(out, type);
    rbl_out_z(out, "; charset=utf-8\r\n"
                   "Content-Transfer-Encoding: quoted-printable\r\n\r\n");
    mime_quoted_printable(out, text);
}


void
mime_part(rbl_out_t *out, rbl_str_t id, const char *type, rbl_str_t text)
{
    rbl_out_z(out, "--" MIME_BOUNDARY);
    rbl_out_str(out, id);
    rbl_out_z(out, "\r\n");
    mime_body(out, type, text);
    rbl_out_z(out, "\r\n");
}


void
mime_parts_end(rbl_out_t *out, rbl_str_t id)
{
    rbl_out_z(out, "--" MIME_BOUNDARY);
    rbl_out_str(out, id);
    rbl_out_z(out, "--\r\n");
}


rbl_str_t
mime_date(char buf[MIME_DATE_LEN], int64_t ms)
{
    int        n;
    time_t     sec;
    struct tm  tm;

    static const char  days[] = "SunMonTueWedThuFriSat";
    static const char  months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    sec = (time_t) (ms / 1000);

    if (ms < 0 || gmtime_r(&sec, &tm) == NULL || tm.tm_year > 8099) {
        sec = 0;
        gmtime_r(&sec, &tm);
    }

    n = snprintf(buf, MIME_DATE_LEN, "%.3s, %d %.3s %d %02d:%02d:%02d +0000",
                 days + 3 * tm.tm_wday, tm.tm_mday, months + 3 * tm.tm_mon,
                 1900 + tm.tm_year, tm.tm_hour, tm.tm_min, tm.tm_sec);

    return (rbl_str_t) { buf, (size_t) n };
}
