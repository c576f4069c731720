/*
 * URLs that the daemon calls.  The checks are strict: a URL that two parsers
 * could read differently is refused before it is stored.
 */

#include "rbl_hex.h"
#include "rbl_name.h"


#define RBL_URL_MAX  2048


/* Checks for printable ASCII that RFC 3986 allows, and percent signs with two
   hex digits. */

static int
rbl_url_chars_ok(rbl_str_t s)
{
    char    c;
    size_t  i;

    for (i = 0; i < s.n; i++) {
        c = s.p[i];

        if (c <= ' ' || c > '~'
            || memchr("\"#<>\\^`{|}", c, sizeof("\"#<>\\^`{|}") - 1))
        {
            return 0;
        }

        if (c == '%'
            && (s.n - i < 3 || rbl_hex_value(s.p[i + 1]) < 0
                || rbl_hex_value(s.p[i + 2]) < 0))
        {
            return 0;
        }
    }

    return 1;
}


static rbl_err_t
rbl_url_scheme(rbl_url_t *url, rbl_str_t *rest)
{
    char    z[sizeof("https://")];
    size_t  n;

    n = rest->n < sizeof(z) - 1 ? rest->n : sizeof(z) - 1;
    rbl_name_lower(z, (rbl_str_t) { rest->p, n });

    if (n == 8 && memcmp(z, "https://", 8) == 0) {
        url->tls = 1;
        url->port = 443;

    } else if (n >= 7 && memcmp(z, "http://", 7) == 0) {
        n = 7;
        url->port = 80;

    } else {
        return RBL_EINVAL;
    }

    rest->p += n;
    rest->n -= n;

    return RBL_OK;
}


/*
 * A name, or an IPv4 address in four parts.  Forms that only some parsers read
 * as an address (127.1, 0x7f.0.0.1, 2130706433) are refused.
 */

static int
rbl_url_name_ok(rbl_str_t host)
{
    rbl_str_t   last, name;
    rbl_addr_t  a;

    name = host;

    if (name.n > 0 && name.p[name.n - 1] == '.') {
        name.n--;
    }

    if (rbl_name_labels(name, &last) == 0) {
        return 0;
    }

    if (rbl_label_numeric(last)
        || (last.n > 1 && last.p[0] == '0' && (last.p[1] | 0x20) == 'x'))
    {
        return rbl_addr_parse(&a, host) == RBL_OK;
    }

    return 1;
}


static rbl_err_t
rbl_url_literal(rbl_url_t *url, rbl_str_t *rest)
{
    rbl_addr_t  a;

    rest->p++;
    rest->n--;
    url->host = rbl_until(rest, ']');

    return rest->p != NULL
           && url->host.n && memchr(url->host.p, ':', url->host.n) != NULL
           && rbl_addr_parse(&a, url->host) == RBL_OK
           && rbl_until(rest, ':').n == 0 ? RBL_OK : RBL_EINVAL;
}


static rbl_err_t
rbl_url_authority(rbl_url_t *url, rbl_str_t rest)
{
    int64_t  port;

    if (rest.n && rest.p[0] == '[') {
        if (rbl_url_literal(url, &rest) != RBL_OK) {
            return RBL_EINVAL;
        }

    } else {
        url->host = rbl_until(&rest, ':');

        if (!rbl_url_name_ok(url->host)) {
            return RBL_EINVAL;
        }
    }

    if (rest.p == NULL) {
        return RBL_OK;
    }

    if (rest.n > 5 || rbl_int_parse(&port, rest, 1, 65535) != RBL_OK) {
        return RBL_EINVAL;
    }

    url->port = (unsigned) port;

    return RBL_OK;
}


rbl_err_t
rbl_url_parse(rbl_url_t *url, rbl_str_t text)
{
    size_t     n;
    rbl_str_t  authority;

    memset(url, 0, sizeof(*url));

    if (text.n > RBL_URL_MAX) {
        return RBL_ETOOBIG;
    }

    if (!rbl_url_chars_ok(text) || rbl_url_scheme(url, &text) != RBL_OK) {
        return RBL_EINVAL;
    }

    for (n = 0; n < text.n; n++) {
        if (text.p[n] == '/' || text.p[n] == '?') {
            break;
        }
    }

    authority.p = text.p;
    authority.n = n;

    url->path.p = text.p + n;
    url->path.n = text.n - n;

    if (url->path.n == 0) {
        url->path = RBL_STR("/");
    }

    return rbl_url_authority(url, authority);
}


rbl_str_t
rbl_url_shown(rbl_str_t text, int path)
{
    size_t     n;
    rbl_url_t  url;

    if (rbl_url_parse(&url, text) != RBL_OK) {
        return (rbl_str_t) { text.p, 0 };
    }

    for (n = strlen(url.tls ? "https://" : "http://"); n < text.n; n++) {
        if (text.p[n] == '?' || (text.p[n] == '/' && !path)) {
            n++;
            break;
        }
    }

    return (rbl_str_t) { text.p, n };
}
