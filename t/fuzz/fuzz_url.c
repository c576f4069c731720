/*
 * URLs of customers (shared/text/rbl_url.c) and the check of their host
 * (deliver/address.c).  The input is the URL.
 *
 * libcurl, which makes the request, parses an accepted URL the same way: the
 * same scheme, host and port, no user, no fragment.  Its parts joined again
 * parse to the same parts.  No library would read a host accepted as a name as
 * an address, and an address that is not public is never accepted.
 */

#include "fuzz.h"
#include "deliver/transport/address.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netdb.h>


static void
check_host(rbl_str_t host, const char *z)
{
    char              buf[RBL_VALUE_MAX];
    rbl_addr_t        a;
    rbl_str_t         name;
    unsigned char     raw[16];
    struct in_addr    in;
    struct addrinfo   hints, *list;

    if (address_host(&a, buf, &name, host) != RBL_OK) {
        return;
    }

    if (a.family != RBL_FAMILY_NONE) {
        fuzz_check(inet_pton(AF_INET, z, raw) == 1
                   || inet_pton(AF_INET6, z, raw) == 1);
        return;
    }

    fuzz_check(name.p == buf && strlen(buf) == name.n);
    fuzz_check(inet_aton(buf, &in) == 0);

    memset(&hints, 0, sizeof(hints));
    hints.ai_flags = AI_NUMERICHOST;
    fuzz_check(getaddrinfo(buf, NULL, &hints, &list) != 0);
}


static void
check_part(CURLU *u, CURLUPart part, unsigned flags, const char *want)
{
    char       *got;
    CURLUcode   rc;

    got = NULL;
    rc = curl_url_get(u, part, &got, flags);

    if (want == NULL) {
        fuzz_check(rc != CURLUE_OK);

    } else {
        fuzz_check(rc == CURLUE_OK && strcasecmp(got, want) == 0);
    }

    curl_free(got);
}


static void
check_curl(const rbl_url_t *url, const char *z)
{
    char    host[RBL_DOMAIN_MAX + 64], port[16];
    CURLU  *u;
    int     v6;

    v6 = memchr(url->host.p, ':', url->host.n) != NULL;
    snprintf(host, sizeof(host), v6 ? "[%.*s]" : "%.*s", (int) url->host.n,
             url->host.p);
    snprintf(port, sizeof(port), "%u", url->port);

    u = curl_url();
    fuzz_check(u != NULL);
    fuzz_check(curl_url_set(u, CURLUPART_URL, z, 0) == CURLUE_OK);

    check_part(u, CURLUPART_SCHEME, 0, url->tls ? "https" : "http");
    check_part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT, port);
    check_part(u, CURLUPART_USER, 0, NULL);
    check_part(u, CURLUPART_PASSWORD, 0, NULL);
    check_part(u, CURLUPART_FRAGMENT, 0, NULL);

    /* libcurl rewrites IPv6 addresses */

    if (!v6) {
        check_part(u, CURLUPART_HOST, 0, host);
    }

    curl_url_cleanup(u);
}


static void
check_again(const rbl_url_t *url)
{
    int         n, v6;
    char        text[4096];
    rbl_url_t   again;
    const char *slash;

    v6 = memchr(url->host.p, ':', url->host.n) != NULL;
    slash = url->path.p[0] == '?' ? "/" : "";
    n = snprintf(text, sizeof(text), "%s://%s%.*s%s:%u%s%.*s",
                 url->tls ? "https" : "http", v6 ? "[" : "",
                 (int) url->host.n, url->host.p, v6 ? "]" : "", url->port,
                 slash, (int) url->path.n, url->path.p);

    if (n > 2048) {
        return;
    }

    fuzz_check(rbl_url_parse(&again, (rbl_str_t) { text, (size_t) n })
               == RBL_OK);
    fuzz_check(again.tls == url->tls && again.port == url->port);
    fuzz_check(rbl_str_eq(again.host, url->host));
    fuzz_check(again.path.n == url->path.n + strlen(slash));
}


/* A second opinion on addresses that no request may reach. */
static void
check_address(const uint8_t *b)
{
    rbl_addr_t       a;
    uint32_t         v4;
    struct in6_addr  in6;

    v4 = (uint32_t) b[0] << 24 | (uint32_t) b[1] << 16
         | (uint32_t) b[2] << 8 | b[3];
    address_from_ipv4(&a, v4);

    if (v4 >> 24 == 127 || v4 >> 24 == 10 || v4 >> 24 == 0
        || v4 >> 20 == 0xac1 || v4 >> 16 == 0xc0a8 || v4 >> 16 == 0xa9fe
        || v4 >> 28 >= 14)
    {
        fuzz_check(address_special(&a) != NULL);
    }

    memcpy(&in6, b, 16);
    address_from_in6(&a, &in6);

    if (IN6_IS_ADDR_LOOPBACK(&in6) || IN6_IS_ADDR_LINKLOCAL(&in6)
        || IN6_IS_ADDR_SITELOCAL(&in6) || IN6_IS_ADDR_MULTICAST(&in6)
        || IN6_IS_ADDR_UNSPECIFIED(&in6) || IN6_IS_ADDR_V4COMPAT(&in6)
        || (b[0] & 0xfe) == 0xfc)
    {
        fuzz_check(address_special(&a) != NULL);
    }

    if (IN6_IS_ADDR_V4MAPPED(&in6)) {
        fuzz_check(a.family == RBL_FAMILY_IPV4);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t       f;
    rbl_str_t    text;
    rbl_url_t    url;
    const char  *z;

    fuzz_init(&f, data, size);
    text = fuzz_rest(&f);
    z = fuzz_z(&f, text);

    check_host(text, z);

    if (size >= 16) {
        check_address(data);
    }

    if (rbl_url_parse(&url, text) == RBL_OK) {
        fuzz_check(strlen(z) == text.n && text.n <= 2048);
        fuzz_check(url.port >= 1 && url.port <= 65535 && url.host.n > 0);
        fuzz_check(url.host.p > text.p
                   && url.host.p + url.host.n <= text.p + text.n);
        check_curl(&url, z);
        check_again(&url);
        check_host(url.host, fuzz_z(&f, url.host));
    }

    fuzz_done(&f);

    return 0;
}
