/*
 * Hosts in text that people paste.  A line is taken apart into fields, and what
 * the fields are decides which of them are hosts.
 */

#include "rbl_paste.h"


/* White space that rbl_trim does not know: a byte order mark, spaces that do
   not break or have no width. */

static const char *const  rbl_paste_spaces[] = {
    "\xef\xbb\xbf", "\xc2\xa0", "\xe2\x80\x8b", "\xe2\x80\x8e", "\xe2\x80\xaf"
};

#define RBL_PASTE_NESTED  3             /* pairs of quotes or brackets */

#define RBL_PASTE_SPACES                                                      \
    (sizeof(rbl_paste_spaces) / sizeof(rbl_paste_spaces[0]))


static int
rbl_paste_ends(rbl_str_t s, const char *z)
{
    size_t  n;

    n = strlen(z);

    return s.n >= n && memcmp(s.p + s.n - n, z, n) == 0;
}


static rbl_str_t
rbl_paste_trim(rbl_str_t s)
{
    size_t  i, before;

    do {
        s = rbl_trim(s);
        before = s.n;

        for (i = 0; i < RBL_PASTE_SPACES; i++) {
            if (rbl_str_begins(s, rbl_paste_spaces[i])) {
                s.p += strlen(rbl_paste_spaces[i]);
                s.n -= strlen(rbl_paste_spaces[i]);
            }

            if (rbl_paste_ends(s, rbl_paste_spaces[i])) {
                s.n -= strlen(rbl_paste_spaces[i]);
            }
        }
    } while (s.n < before);

    return s;
}


static int
rbl_paste_blank(char c)
{
    return c == ' ' || c == '\t';
}


/* Without a pair of quotes or brackets around all of it. */

static rbl_str_t
rbl_paste_bare(rbl_str_t s)
{
    int                 i;
    const char         *at;
    static const char   open[] = "\"'[<(", close[] = "\"']>)";

    for (i = 0; i < RBL_PASTE_NESTED; i++) {
        s = rbl_paste_trim(s);

        if (s.n < 2 || *s.p == '\0') {
            return s;
        }

        at = strchr(open, *s.p);

        if (at == NULL
            || memchr(s.p + 1, close[at - open], s.n - 1) != s.p + s.n - 1)
        {
            return s;
        }

        s.p++;
        s.n -= 2;
    }

    return rbl_paste_trim(s);
}


static int
rbl_paste_is_quote(char c)
{
    return c == '"' || c == '\'';
}


/* Where a quoted text that begins at i ends: behind its quote; i + 1 if there
   is none. */

static size_t
rbl_paste_quoted(rbl_str_t s, size_t i)
{
    const char  *end;

    end = s.n - i > 1 ? memchr(s.p + i + 1, s.p[i], s.n - i - 1) : NULL;

    return end ? (size_t) (end - s.p) + 1 : i + 1;
}


/* Cuts a comment off. */

static rbl_str_t
rbl_paste_code(rbl_str_t s)
{
    size_t  i;

    if (rbl_str_begins(s, ";") || rbl_str_begins(s, "//")) {
        s.n = 0;
    }

    for (i = 0; i < s.n; i++) {

        if (rbl_paste_is_quote(s.p[i]) && (i == 0 || s.p[i - 1] == ','
                                           || s.p[i - 1] == ';'
                                           || rbl_paste_blank(s.p[i - 1])))
        {
            i = rbl_paste_quoted(s, i) - 1;

        } else if (s.p[i] == '#') {
            s.n = i;
        }
    }

    return rbl_paste_trim(s);
}


static int
rbl_paste_separates(char c, int spaces)
{
    return c == ',' || c == ';' || c == '\t' || (spaces && c == ' ');
}


/* Takes the field off *rest that begins it; blanks separate, or not. */

static rbl_str_t
rbl_paste_field(rbl_str_t *rest, int spaces)
{
    size_t     i;
    rbl_str_t  field;

    *rest = rbl_paste_trim(*rest);
    i = rest->n && rbl_paste_is_quote(*rest->p) ? rbl_paste_quoted(*rest, 0)
                                                : 0;

    while (i < rest->n && !rbl_paste_separates(rest->p[i], spaces)) {
        i++;
    }

    field.p = rest->p;
    field.n = i;

    i += i < rest->n;
    rest->p += i;
    rest->n -= i;

    return rbl_paste_bare(field);
}


static rbl_paste_kind_t
rbl_paste_kind(rbl_str_t value)
{
    char        buf[RBL_VALUE_MAX];
    rbl_str_t   domain, bits = value;
    rbl_addr_t  a;

    if (rbl_addr_parse(&a, rbl_until(&bits, '/')) == RBL_OK) {
        return bits.p ? RBL_PASTE_SUBNET : RBL_PASTE_ADDRESS;
    }

    return bits.p == NULL && !rbl_range_like(value)
           && rbl_domain_parse(buf, &domain, value) == RBL_OK
           && rbl_domain_top_ok(domain) ? RBL_PASTE_DOMAIN : RBL_PASTE_NONE;
}


/* Empty fields are left out. */

static size_t
rbl_paste_split(rbl_paste_t *out, rbl_str_t line, int spaces)
{
    size_t     n;
    rbl_str_t  field;

    for (n = 0; line.n > 0; n += field.n > 0) {
        field = rbl_paste_field(&line, spaces);

        out[n].value = field;
        out[n].kind = rbl_paste_kind(field);
        out[n].name = (rbl_str_t) { NULL, 0 };
    }

    return n;
}


/* "192.0.2.0 255.255.255.0" and "192.0.2.1 - 192.0.2.9" are not two hosts. */

static int
rbl_paste_whole(rbl_str_t line, const rbl_paste_t *field, size_t n)
{
    return rbl_range_like(line)
           || (n > 1 && field[1].kind == RBL_PASTE_ADDRESS
               && rbl_str_begins(field[1].value, "255."))
           || (n > 1 && rbl_str_begins(field[1].value, "/"));
}


/* Are there fields with another separator than a space? */

static int
rbl_paste_is_csv(rbl_str_t line)
{
    rbl_str_t  rest;

    rest = line;
    (void) rbl_paste_field(&rest, 0);

    return rest.n > 0;
}


/*
 * The one host of a line: its address, or its first field.  Without commas the
 * name is all that stands behind or before it.
 */

static size_t
rbl_paste_one(rbl_paste_t *out, size_t n, rbl_str_t line, int csv, size_t at)
{
    rbl_str_t    name = { NULL, 0 };
    rbl_paste_t  host;

    host = out[at];

    if (n > 1) {
        name = out[at == 0 ? 1 : 0].value;
    }

    if (n > 1 && !csv && at == 0) {
        name.n = (size_t) (line.p + line.n - name.p);

    } else if (n > 1 && !csv) {
        name.n = (size_t) (host.value.p - name.p);
    }

    host.name = rbl_paste_bare(name);
    out[0] = host;

    return 1;
}


size_t
rbl_paste_most(rbl_str_t line)
{
    size_t  i, n;

    n = 1;

    for (i = 0; i < line.n; i++) {
        n += rbl_paste_separates(line.p[i], 1);
    }

    return n;
}


size_t
rbl_paste_line(rbl_paste_t *out, rbl_str_t line)
{
    int     csv;
    size_t  i, n, at, numbers, hosts;

    line = rbl_paste_bare(rbl_paste_code(rbl_paste_trim(line)));
    csv = rbl_paste_is_csv(line);
    n = rbl_paste_split(out, line, !csv);

    numbers = hosts = at = 0;

    for (i = 0; i < n; i++) {
        hosts += out[i].kind != RBL_PASTE_NONE;

        if (out[i].kind == RBL_PASTE_ADDRESS
            || out[i].kind == RBL_PASTE_SUBNET)
        {
            at = numbers++ == 0 ? i : at;
        }
    }

    if (n == 0 || (hosts == n && numbers != 1
                   && !rbl_paste_whole(line, out, n)))
    {
        return n;
    }

    if (rbl_paste_whole(line, out, n) || out[at].kind == RBL_PASTE_NONE
        || numbers > 1)
    {
        out[0].kind = RBL_PASTE_NONE;
        out[0].value = line;
        out[0].name = (rbl_str_t) { NULL, 0 };

        return 1;
    }

    return rbl_paste_one(out, n, line, csv, at);
}
