/*
 * A second parser for the kind of XML that our writer makes: a declaration,
 * elements without attributes, text with references.  All other XML is rejected
 * here.
 */

#ifndef FUZZ_XML_H_INCLUDED
#define FUZZ_XML_H_INCLUDED

#include "rbl_utf8.h"

#include <string.h>

#define XML_HEAD   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define XML_DEPTH  16

static const struct {
    const char  *text;
    char         is;
} xml_references[] = {
    { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&#13;", '\r' }
};


/* Returns the length of one character of text at p, and the character; 0: not
   allowed. */
static size_t
xml_char(const char *p, const char *end, const char **is, size_t *len)
{
    size_t         i, n;
    unsigned char  c;

    c = (unsigned char) *p;

    if (c == '&') {
        for (i = 0; i < 4; i++) {
            n = strlen(xml_references[i].text);

            if ((size_t) (end - p) >= n
                && memcmp(p, xml_references[i].text, n) == 0)
            {
                *is = &xml_references[i].is;
                *len = 1;
                return n;
            }
        }

        return 0;
    }

    n = rbl_utf8_len((const unsigned char *) p, (const unsigned char *) end);

    if (c == '<' || c == '>' || (c < 0x20 && c != '\t' && c != '\n')
        || (n == 3 && c == 0xef && memcmp(p + 1, "\xbf\xbd", 2) > 0
            && (unsigned char) p[1] == 0xbf))
    {
        return 0;
    }

    *is = p;
    *len = n;

    return n;
}


static int
xml_name_ok(const char *p, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (!((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z')
              || p[i] == '_'
              || (i > 0 && (p[i] == '-' || (p[i] >= '0' && p[i] <= '9')))))
        {
            return 0;
        }
    }

    return n > 0;
}


static int
xml_well_formed(const char *p, size_t size)
{
    size_t       n, depth, len;
    const char  *end, *is, *gt, *open[XML_DEPTH];
    size_t       width[XML_DEPTH];

    if (size < strlen(XML_HEAD) || memcmp(p, XML_HEAD, strlen(XML_HEAD))) {
        return 0;
    }

    end = p + size;
    p += strlen(XML_HEAD);
    depth = 0;

    do {
        if (p == end) {
            return 0;
        }

        if (*p != '<') {
            n = depth ? xml_char(p, end, &is, &len) : 0;
            if (n == 0) {
                return 0;
            }

            p += n;
            continue;
        }

        gt = memchr(p, '>', (size_t) (end - p));
        if (gt == NULL) {
            return 0;
        }

        if (p[1] == '/') {
            n = (size_t) (gt - p - 2);
            if (depth == 0 || width[depth - 1] != n
                || memcmp(open[depth - 1], p + 2, n) != 0)
            {
                return 0;
            }

            depth--;

        } else {
            n = (size_t) (gt - p - 1);
            if (depth == XML_DEPTH || !xml_name_ok(p + 1, n)) {
                return 0;
            }

            open[depth] = p + 1;
            width[depth++] = n;
        }

        p = gt + 1;
    } while (depth > 0);

    return p == end;
}


/* True if the first element of that name holds just that text. */
__attribute__((unused))
static int
xml_holds(const char *p, size_t size, const char *name, const char *text,
    size_t n)
{
    size_t       step, len, k;
    const char  *end, *is;

    end = p + size;
    k = strlen(name);

    for ( /* void */ ; ; p++) {
        if ((size_t) (end - p) < k + 2) {
            return 0;
        }

        if (*p == '<' && memcmp(p + 1, name, k) == 0 && p[k + 1] == '>') {
            break;
        }
    }

    for (p += k + 2; p < end && *p != '<'; p += step) {
        step = xml_char(p, end, &is, &len);

        if (step == 0 || len > n) {
            return 0;
        }

        /* U+FFFE and U+FFFF are valid text, but not in XML */

        if (memcmp(is, text, len) != 0
            && !(len == 3 && memcmp(is, "\xef\xbf\xbd", 3) == 0
                 && memcmp(text, "\xef\xbf", 2) == 0
                 && (unsigned char) text[2] >= 0xbe))
        {
            return 0;
        }

        text += len;
        n -= len;
    }

    return n == 0;
}

#endif /* FUZZ_XML_H_INCLUDED */
