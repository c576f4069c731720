/*
 * The addresses of acls.json: the configured ones unchanged, otherwise those of
 * the sockets, and never loopback ones.
 */

#include "check/jobs/sources.h"
#include "tap.h"

#include <arpa/inet.h>


static config_t  conf;


static void
set(const char *key, const char *value)
{
    char  err[256];

    ok(config_set(&conf, key, value, err, sizeof(err)) == 0, "%s %s", key,
       value);
}


static void
is_addr(const rbl_addr_t *addr, const char *text)
{
    char  buf[RBL_VALUE_MAX];

    is_str(rbl_addr_text(buf, addr), text, text);
}


static int
near(const rbl_addr_t *addr)
{
    char       buf[RBL_VALUE_MAX];
    rbl_str_t  text;

    text = rbl_addr_text(buf, addr);

    return rbl_str_is(text, "::1")
           || (text.n > 4 && memcmp(text.p, "127.", 4) == 0);
}


static void
test_configured(void)
{
    size_t      i;
    char        text[32];
    rbl_addr_t  addr[SOURCES_MAX];

    config_defaults(&conf);
    set("source_address", "192.0.2.1");
    set("source_address", "2001:DB8::0:7");

    ok(sources_addresses(&conf, addr) == 2, "two are configured");
    is_addr(&addr[0], "192.0.2.1");
    is_addr(&addr[1], "2001:db8::7");

    for (i = 2; i < CONFIG_MAX_SOURCE; i++) {
        snprintf(text, sizeof(text), "192.0.2.%zu", i);
        set("source_address", text);
    }

    ok(sources_addresses(&conf, addr) == CONFIG_MAX_SOURCE, "all of them");
    is_addr(&addr[CONFIG_MAX_SOURCE - 1], "192.0.2.15");
}


static void
test_found(void)
{
    size_t      i, n, loopback;
    rbl_addr_t  addr[SOURCES_MAX];

    config_defaults(&conf);
    set("resolver", "127.0.0.1 127.0.0.2@5335 ::1");
    n = sources_addresses(&conf, addr);
    loopback = 0;

    for (i = 0; i < n; i++) {
        loopback += near(&addr[i]) != 0;
    }

    ok(n <= 2 && loopback == 0,
       "resolvers here query from the addresses that lead outside: %zu", n);

    set("resolver", "192.0.2.53 192.0.2.54");
    n = sources_addresses(&conf, addr);
    ok(n <= 1, "an address is reported once: %zu", n);
}


int
main(void)
{
    test_configured();
    test_found();

    return tap_done();
}
