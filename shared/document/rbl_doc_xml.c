/*
 * XML back end of the document writer.  Characters that XML 1.0 forbids
 * (controls except tab, LF and CR, U+FFFE, U+FFFF) become U+FFFD, as invalid
 * UTF-8 does.  CR is written as a reference, because a parser would read it as
 * LF.
 */

#include "rbl_doc_back.h"
#include "rbl_utf8.h"


#define RBL_XML_TAG_ROOM  3             /* angle brackets, slash */


/* "<" and ">" differ in one bit: with that bit set, one comparison finds
   both. */

static const unsigned char *
rbl_xml_run(const unsigned char *p, const unsigned char *end)
{
    uint64_t  w;

    while (end - p >= 8) {
        memcpy(&w, p, 8);

        if ((w & RBL_BYTES_TOP) | RBL_BYTES_BELOW(w, 0x20)
            | RBL_BYTES_EQ(w, '&') | RBL_BYTES_EQ(w | RBL_BYTES(2), '>'))
        {
            break;
        }

        p += 8;
    }

    while (p < end && *p >= 0x20 && *p < 0x80
           && *p != '&' && *p != '<' && *p != '>')
    {
        p++;
    }

    return p;
}


static size_t
rbl_xml_char_len(const unsigned char *p, const unsigned char *end)
{
    size_t  n;

    n = rbl_utf8_len(p, end);

    if (n == 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe) {
        return 0;
    }

    return n;
}


/* Writes the replacement of the character at p; returns the end of the
   character. */

static const unsigned char *
rbl_xml_escape(rbl_out_t *out, const unsigned char *p,
    const unsigned char *end)
{
    size_t  n;

    switch (*p) {

    case '&':
        rbl_out_bytes(out, "&amp;", 5);
        return p + 1;

    case '<':
        rbl_out_bytes(out, "&lt;", 4);
        return p + 1;

    case '>':
        rbl_out_bytes(out, "&gt;", 4);
        return p + 1;

    case '\r':
        rbl_out_bytes(out, "&#13;", 5);
        return p + 1;

    case '\t':
    case '\n':
        rbl_out_char(out, (char) *p);
        return p + 1;

    default:
        rbl_out_bytes(out, RBL_DOC_REPLACEMENT, 3);
        n = rbl_utf8_len(p, end);
        return p + (n ? n : 1);
    }
}


void
rbl_xml_text(rbl_out_t *out, rbl_str_t s)
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
        p = rbl_xml_run(p, end);

        while (p < end && *p >= 0x80 && (n = rbl_xml_char_len(p, end)) > 0) {
            p = rbl_xml_run(p + n, end);
        }

        rbl_out_bytes(out, run, (size_t) (p - run));

        if (p < end) {
            p = rbl_xml_escape(out, p, end);
        }
    }
}


static void
rbl_xml_tag(rbl_out_t *out, const char *key, int closing)
{
    char    *p;
    size_t   n;

    if (key == NULL) {
        key = "item";
    }

    n = strlen(key);

    if (out->failed
        || (size_t) (out->end - out->pos) < n + RBL_XML_TAG_ROOM)
    {
        rbl_out_char(out, '<');

        if (closing) {
            rbl_out_char(out, '/');
        }

        rbl_out_bytes(out, key, n);
        rbl_out_char(out, '>');
        return;
    }

    p = out->pos;
    *p++ = '<';

    if (closing) {
        *p++ = '/';
    }

    memcpy(p, key, n);
    p += n;
    *p++ = '>';

    out->pos = p;
}


void
rbl_xml_open(rbl_out_t *out, const char *key)
{
    rbl_xml_tag(out, key, 0);
}


void
rbl_xml_close(rbl_out_t *out, const char *key)
{
    rbl_xml_tag(out, key, 1);
}
