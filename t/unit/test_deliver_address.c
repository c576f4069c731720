/* Permitted addresses and hosts of a customer's URL. */

#include "deliver/transport/address.h"

#include <arpa/inet.h>
#include <sys/resource.h>

#include "tap.h"


static const char *const  refused[] = {
    /* IPv4 */
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
    "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.1.2.3",
    "127.255.255.255", "168.63.129.16", "169.254.0.1", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.0.170", "192.0.2.1",
    "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1",
    "192.168.255.255", "192.175.48.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255",
    "240.0.0.1", "255.255.255.255",
    /* IPv4 inside IPv6 */
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "::ffff:0:0", "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a01:203", "64:ff9b:1::1", "2002:7f00:1::1",
    "2002:0808:0808::1", "2001:0:4136:e378::1", "2001:10::1",
    "2001:2::1", "2a00:1450::5efe:7f00:1", "2a00:1450::200:5efe:a00:1",
    /* IPv6 */
    "::", "::1", "100::1", "2001:db8::1", "2001:1ff::1", "2620:4f:8000::1",
    "3ffe::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "fc00::1",
    "fd00:ec2::254", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
    "ff0e::1"
};

static const char *const  public[] = {
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255",
    "100.128.0.0", "126.255.255.255", "128.0.0.1", "168.63.129.15",
    "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1",
    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
    "223.255.255.255", "::ffff:8.8.8.8", "2001:200::1",
    "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450:4001::1",
    "2003::1", "64:ff9b::8.8.8.8", "3ffd::1", "2001:db7:ffff::1",
    "2a00::5eff:0:1"
};

/* Hosts that libraries take for an address, and other invalid hosts. */

static const char *const  bad_hosts[] = {
    "2130706433", "017700000001", "0x7f000001", "0x7f.1", "0x7f.0x0.0x0.0x1",
    "0177.0.0.1", "127.1", "127.0.1", "0", "00", "1.2.3", "1.2.3.4.5",
    "256.1.1.1", "1.2.3.256", "1.2.3.08", "a.1", "a.0x1f", "a.0X1F",
    "example.0x", "localhost", "LOCALHOST", "localhost.", "intranet", "", ".",
    "a..b", "-a.example", "fe80::1%eth0", "[::1]", "a b.example",
    "1.2.3.4.", "::ffff:1.2.3"
};


static const config_reach_t  none;


static rbl_addr_t
addr(const char *text)
{
    rbl_addr_t  a;

    if (rbl_addr_parse(&a, rbl_str(text)) != RBL_OK) {
        memset(&a, 0, sizeof(a));
    }

    return a;
}


static void
check_tables(void)
{
    size_t      i;
    rbl_addr_t  a;

    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        a = addr(refused[i]);
        ok(a.family != RBL_FAMILY_NONE && address_special(&a) != NULL
           && address_refused(&a, 443, &none) != NULL, "refused: %s",
           refused[i]);
    }

    for (i = 0; i < sizeof(public) / sizeof(public[0]); i++) {
        a = addr(public[i]);
        ok(a.family != RBL_FAMILY_NONE && address_special(&a) == NULL
           && address_refused(&a, 443, &none) == NULL, "public: %s",
           public[i]);
    }

    memset(&a, 0, sizeof(a));
    ok(address_special(&a) != NULL, "no address is not public");
}


static void
check_ports(void)
{
    rbl_addr_t  a;

    a = addr("8.8.8.8");
    ok(address_refused(&a, 80, &none) == NULL, "port 80");
    ok(address_refused(&a, 1024, &none) == NULL, "port 1024");
    ok(address_refused(&a, 65535, &none) == NULL, "port 65535");
    ok(address_refused(&a, 22, &none) != NULL, "not port 22");
    ok(address_refused(&a, 25, &none) != NULL, "not port 25");
    ok(address_refused(&a, 53, &none) != NULL, "not port 53");
    ok(address_refused(&a, 1023, &none) != NULL, "not port 1023");
    ok(address_refused(&a, 6379, &none) != NULL, "not port 6379");
    ok(address_refused(&a, 27017, &none) != NULL, "not port 27017");
    ok(address_refused(&a, 8443, &none) == NULL, "port 8443");
    ok(address_refused(&a, 0, &none) != NULL, "not port 0");
}


/* A configuration with these subnets. */

static config_reach_t
reach(const char *allow, const char *port_of, unsigned port, const char *deny)
{
    config_reach_t  r;

    memset(&r, 0, sizeof(r));

    if (allow != NULL) {
        ok(rbl_subnet_parse(&r.allow[r.n_allow++].net, rbl_str(allow))
           == RBL_OK, "%s", allow);
    }

    if (port_of != NULL) {
        r.allow[r.n_allow].port = port;
        ok(rbl_subnet_parse(&r.allow[r.n_allow++].net, rbl_str(port_of))
           == RBL_OK, "%s:%u", port_of, port);
    }

    if (deny != NULL) {
        ok(rbl_subnet_parse(&r.deny[r.n_deny++], rbl_str(deny)) == RBL_OK,
           "%s", deny);
    }

    return r;
}


static int
allowed(const char *text, unsigned port, const config_reach_t *r)
{
    rbl_addr_t  a;

    a = addr(text);

    return address_refused(&a, port, r) == NULL;
}


static void
check_allow(void)
{
    config_reach_t  r;

    r = reach("10.1.0.0/16", NULL, 0, NULL);
    ok(allowed("10.1.2.3", 443, &r), "inside an allowed range");
    ok(allowed("10.1.2.3", 8080, &r), "at a port of receivers");
    ok(!allowed("10.1.2.3", 22, &r), "not at port 22");
    ok(!allowed("10.1.2.3", 25, &r), "not at port 25");
    ok(!allowed("10.1.2.3", 6379, &r), "not at port 6379");
    ok(allowed("::ffff:10.1.2.3", 443, &r), "mapped is the same");
    ok(!allowed("10.2.0.1", 443, &r), "beside it");

    r = reach("fd00::/8", NULL, 0, NULL);
    ok(allowed("fd00::1", 443, &r), "allowed IPv6");
    ok(!allowed("10.1.2.3", 443, &r), "only that range");
}


static void
check_allow_port(void)
{
    config_reach_t  r;

    r = reach(NULL, "10.1.0.0/16", 6379, NULL);
    ok(allowed("10.1.2.3", 6379, &r), "the port that is named");
    ok(!allowed("10.1.2.3", 443, &r), "and no other");
    ok(!allowed("10.1.2.3", 6380, &r), "not the next");
    ok(!allowed("8.8.8.8", 6379, &r), "nor elsewhere");
    ok(allowed("8.8.8.8", 443, &r), "public addresses as before");

    r = reach("10.0.0.0/8", "10.1.2.3/32", 25, NULL);
    ok(allowed("10.1.2.3", 25, &r), "one address has one more port");
    ok(allowed("10.1.2.3", 8443, &r), "beside those of its range");
    ok(!allowed("10.1.2.4", 25, &r), "the other addresses do not have it");
}


static void
check_deny(void)
{
    config_reach_t  r;

    r = reach(NULL, NULL, 0, "8.8.8.0/24");
    ok(!allowed("8.8.8.8", 443, &r), "public, but denied");
    ok(!allowed("::ffff:8.8.8.8", 443, &r), "and mapped");
    ok(allowed("8.8.9.8", 443, &r), "beside it");

    r = reach("10.0.0.0/8", "10.1.0.0/16", 443, "10.1.2.0/24");
    ok(!allowed("10.1.2.3", 443, &r), "denied wins over allowed");
    ok(allowed("10.1.3.3", 443, &r), "beside it");
}


static void
check_hosts(void)
{
    char        buf[RBL_VALUE_MAX];
    size_t      i;
    rbl_str_t   name;
    rbl_addr_t  a;

    for (i = 0; i < sizeof(bad_hosts) / sizeof(bad_hosts[0]); i++) {
        ok(address_host(&a, buf, &name, rbl_str(bad_hosts[i])) == RBL_EINVAL,
           "no host: '%s'", bad_hosts[i]);
    }

    ok(address_host(&a, buf, &name, RBL_STR("192.0.2.7")) == RBL_OK
       && a.family == RBL_FAMILY_IPV4, "a literal");
    ok(address_host(&a, buf, &name, RBL_STR("::ffff:127.0.0.1")) == RBL_OK
       && a.family == RBL_FAMILY_IPV4 && address_special(&a) != NULL,
       "a mapped literal is judged as IPv4");
    ok(address_host(&a, buf, &name, RBL_STR("2001:DB8::1")) == RBL_OK
       && a.family == RBL_FAMILY_IPV6, "an IPv6 literal");

    ok(address_host(&a, buf, &name, RBL_STR("Hooks.Example.COM.")) == RBL_OK
       && a.family == RBL_FAMILY_NONE, "a name");
    is_str(name, "hooks.example.com", "in its canonical form");
    ok(address_host(&a, buf, &name, RBL_STR("b\xc3\xbc" "cher.example"))
       == RBL_OK, "a name in Unicode");
    is_str(name, "xn--bcher-kva.example", "as A-labels");
    ok(address_host(&a, buf, &name, RBL_STR("0x7f.example")) == RBL_OK,
       "a label that looks like a number before the last");
}


static void
check_conversions(void)
{
    unsigned             port;
    rbl_addr_t           a, b;
    struct sockaddr      other;
    struct sockaddr_in   sin;
    struct sockaddr_in6  sin6;

    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons(8443);
    sin.sin_addr.s_addr = htonl(0x7f000001);
    ok(address_from_sockaddr(&a, &port, (struct sockaddr *) &sin) == 0
       && port == 8443 && a.family == RBL_FAMILY_IPV4, "from sockaddr_in");

    memset(&sin6, 0, sizeof(sin6));
    sin6.sin6_family = AF_INET6;
    sin6.sin6_port = htons(443);
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &sin6.sin6_addr);
    ok(address_from_sockaddr(&b, &port, (struct sockaddr *) &sin6) == 0
       && port == 443 && address_equal(&a, &b), "from a mapped sockaddr_in6");

    memset(&other, 0, sizeof(other));
    other.sa_family = AF_UNIX;
    ok(address_from_sockaddr(&b, &port, &other) == -1, "not a unix socket");

    a = addr("2001:db8::1");
    b = addr("2001:db8::2");
    ok(!address_equal(&a, &b) && address_equal(&a, &a), "equality");
    b = addr("32.1.13.184");
    ok(!address_equal(&a, &b), "families differ");
}


static void
check_own(void)
{
    rbl_addr_t      a, b;
    config_reach_t  r;
    struct rlimit   limit, zero;

    a = addr("127.0.0.1");
    b = addr("8.8.8.8");
    ok(address_is_own(&a) == 1, "127.0.0.1 is this machine's own");
    ok(address_is_own(&b) == 0, "8.8.8.8 is not");
    ok(address_refused_own(&a, 443, &none) != NULL, "and refused");
    ok(address_refused_own(&b, 443, &none) == NULL, "8.8.8.8 is not");
    r = reach("127.0.0.0/8", NULL, 0, NULL);
    ok(address_refused_own(&a, 443, &r) == NULL, "unless it is allowed");
    r = reach(NULL, "127.0.0.0/8", 8443, NULL);
    ok(address_refused_own(&a, 443, &r) != NULL, "at another port");
    ok(address_refused_own(&a, 8443, &r) == NULL, "at this one");

    /* if the kernel gives no list, any address may be one of this machine */

    ok(getrlimit(RLIMIT_NOFILE, &limit) == 0, "the limit of descriptors");
    zero = limit;
    zero.rlim_cur = 0;
    ok(setrlimit(RLIMIT_NOFILE, &zero) == 0, "is set to none");
    ok(address_is_own(&b) == -1, "own addresses cannot be read");
    ok(address_refused_own(&b, 443, &none) != NULL, "then all are refused");
    ok(address_refused_own(&a, 8443, &r) == NULL, "except an allowed one");
    ok(setrlimit(RLIMIT_NOFILE, &limit) == 0, "set back");
}


int
main(void)
{

    check_tables();
    check_ports();
    check_allow();
    check_allow_port();
    check_deny();
    check_hosts();
    check_conversions();
    check_own();

    return tap_done();
}
