/*
 * Addresses of translators: which prefix the addresses of ipv4only.arpa show,
 * and what is inside of an address.
 */

#include "base/nat64.h"
#include "base/netaddr.h"
#include "deliver/transport/address.h"

#include <arpa/inet.h>
#include <string.h>

#include "tap.h"


static struct in6_addr
in6(const char *text)
{
    struct in6_addr  a;

    memset(&a, 0, sizeof(a));

    if (inet_pton(AF_INET6, text, &a) != 1) {
        printf("Bail out! %s\n", text);
    }

    return a;
}


static rbl_addr_t
addr(const char *text)
{
    rbl_addr_t  a;

    memset(&a, 0, sizeof(a));
    (void) rbl_addr_parse(&a, rbl_str(text));

    return a;
}


static void
learn(const char *a, const char *b)
{
    struct in6_addr  all[2];

    all[0] = in6(a);
    all[1] = in6(b);
    (void) nat64_learn(all, 2);
}


/* Each prefix length of RFC 6052, and addresses that show none. */

static void
test_prefix(void)
{
    size_t           i;
    struct in6_addr  a, net;
    nat64_prefix_t   prefix;

    static const struct {
        const char  *addr, *net;
        unsigned     bits;              /* 0: none */
    } t[] = {
        { "2a00:aaaa:c000:aa::", "2a00:aaaa::", 32 },
        { "2a00:aaaa:bbc0:0:aa::", "2a00:aaaa:bb00::", 40 },
        { "2a00:aaaa:bbc0::ab:0:0:0", "2a00:aaaa:bb00::", 40 },
        { "2a00:aaaa:bbbb:c000:0:aa00::", "2a00:aaaa:bbbb::", 48 },
        { "2a00:aaaa:bbbb:ccc0:0:aa::", "2a00:aaaa:bbbb:cc00::", 56 },
        { "2a00:aaaa:bbbb:cccc:c0:0:aa00:0", "2a00:aaaa:bbbb:cccc::", 64 },
        { "2a00:aaaa:bbbb:cccc::c000:aa", "2a00:aaaa:bbbb:cccc::", 96 },
        { "2a00:aaaa:bbbb:cccc:00dd:eeee:192.0.0.171",
          "2a00:aaaa:bbbb:cccc:dd:eeee::", 96 },
        { "64:ff9b:1::c000:aa", "64:ff9b:1::", 96 },
        { "64:ff9b:1:c000:0:aa00::", "64:ff9b:1::", 48 },
        { "2a00:aaaa:c000:aa::c000:aa", "2a00:aaaa:c000:aa::", 96 },

        /* other addresses */
        { "2a00:aaaa::c000:a9", NULL, 0 },
        { "2a00:aaaa::c000:ac", NULL, 0 },
        { "2a00:aaaa::808:808", NULL, 0 },
        { "2a00:aaaa::", NULL, 0 },
        { "2a00:aaaa:c000:aa:1::", NULL, 0 },
        { "2a00:aaaa:c000:aa:100::", NULL, 0 },
        { "2a00:aaaa:bbbb:cccc:1c0:0:aa00:0", NULL, 0 },
        { "2a00:aaaa:bbbb:c000:0:ab::", NULL, 0 },

        /* the well-known prefix, private and other special space */
        { "64:ff9b::c000:aa", NULL, 0 },
        { "fd00::c000:aa", NULL, 0 },
        { "fc00:1:2:3::c000:aa", NULL, 0 },
        { "fe80::c000:aa", NULL, 0 },
        { "ff02::c000:aa", NULL, 0 },
        { "::c000:aa", NULL, 0 },
        { "::ffff:192.0.0.170", NULL, 0 },
        { "2001:db8::c000:aa", NULL, 0 },
        { "2002:a00:1::c000:aa", NULL, 0 },
        { "2001:0:c000:aa::", NULL, 0 },
        { "fd00:1:c000:aa::", NULL, 0 },
        { "64:ff9b:c000:aa::", NULL, 0 }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        a = in6(t[i].addr);

        if (t[i].bits == 0) {
            ok(nat64_prefix(&prefix, &a) == -1, "%s shows no prefix",
               t[i].addr);
            continue;
        }

        net = in6(t[i].net);
        ok(nat64_prefix(&prefix, &a) == 0 && prefix.bits == t[i].bits
           && memcmp(prefix.net, &net, sizeof(net)) == 0,
           "%s shows %s/%u", t[i].addr, t[i].net, t[i].bits);
    }
}


static int
holds(const char *text, const char *want)
{
    rbl_addr_t  a, inside, v4;

    a = addr(text);

    if (!nat64_inside(&inside, &a)) {
        return 0;
    }

    v4 = addr(want);

    return address_equal(&inside, &v4);
}


static int
is_public(const char *text)
{
    rbl_addr_t  a = addr(text);

    return address_special(&a) == NULL;
}


static void
test_inside(void)
{
    rbl_addr_t      a, inside;
    config_reach_t  reach;

    learn("2a00::1", "2a00::2");
    ok(holds("64:ff9b::8.8.8.8", "8.8.8.8"), "the well-known prefix is known");
    a = addr("64:ff9b:0:1::8.8.8.8");
    ok(!nat64_inside(&inside, &a), "an address beside it is none");
    ok(is_public("64:ff9b::8.8.8.8") && !is_public("64:ff9b::10.0.0.1")
       && !is_public("64:ff9b::127.0.0.1")
       && !is_public("64:ff9b::169.254.169.254"),
       "an address is judged by the one inside");
    ok(!is_public("64:ff9b:1::8.8.8.8") && is_public("2a00:1::10.0.0.1"),
       "prefixes that were not learned are not looked into");

    learn("64:ff9b:1::c000:aa", "2a00:1::c000:ab");
    ok(is_public("64:ff9b:1::8.8.8.8") && !is_public("64:ff9b:1::10.0.0.1"),
       "the prefix for local use is looked into when it is learned");
    ok(!is_public("2a00:1::10.0.0.1") && is_public("2a00:1::8.8.8.8")
       && is_public("2a00:1::1:a00:1"),
       "and a prefix of the network");

    learn("2a00:aaaa:c000:aa::", "fd00::c000:aa");
    ok(holds("2a00:aaaa:808:808::", "8.8.8.8")
       && holds("2a00:aaaa:a00:1:ff00::", "0.0.0.0")
       && holds("2a00:aaaa:a00:1::1", "0.0.0.0"),
       "an address with other octets behind has nothing inside");
    ok(!is_public("fd00::8.8.8.8") && !is_public("64:ff9b:1::8.8.8.8"),
       "private space is not opened, and former prefixes are forgotten");

    memset(&reach, 0, sizeof(reach));
    reach.n_deny = 1;
    (void) rbl_subnet_parse(&reach.deny[0], RBL_STR("8.8.8.0/24"));
    a = addr("64:ff9b::8.8.8.8");
    ok(address_refused(&a, 443, &reach) != NULL,
       "deliver_deny is about the address inside, too");
    a = addr("64:ff9b::8.8.9.8");
    ok(address_refused(&a, 443, &reach) == NULL,
       "and about no other address");
    a = addr("64:ff9b::127.0.0.1");
    ok(address_is_own(&a) == 1, "this machine's address inside is its own");

    (void) nat64_learn(NULL, 0);
    ok(is_public("2a00:aaaa:a00:1::"), "no address teaches no prefix");
}


int
main(void)
{
    test_prefix();
    test_inside();

    return tap_done();
}
