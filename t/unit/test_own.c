/*
 * Names that lists of accounts may query.
 */

#include "rbl_own.h"
#include "tap.h"

#define N(a)  (sizeof(a) / sizeof((a)[0]))

static const rbl_str_t  refuse[] = {
    { "corp.example.net", 16 }, { "Deep.Lists.Corp", 15 }, { "both.corp", 9 }
};

static const rbl_str_t  allow[] = {
    { "lists.corp", 10 }, { "open.corp.example.net", 21 }, { "both.corp", 9 },
    { "inside.lan", 10 }
};

static const struct {
    const char  *name;
    const char  *under;         /* NULL: permitted */
} plain[] = {
    { "dnsbl.example.org", NULL },
    { "2.0.0.127.zen.example.com", NULL },
    { "arpa.example.net", NULL },
    { "local.example.net", NULL },
    { "notlocal.xlocal", NULL },
    { "localhost", "localhost" },               /* a single label */
    { "net", "net" },
    { "", "" },
    { ".", "" },
    { "a.localhost", "localhost" },
    { "a.b.LocalHost", "LocalHost" },
    { "printer.local", "local" },
    { "printer.local.", "local" },
    { "dnsbl.example", NULL },
    { "dnsbl.test", NULL },
    { "x.invalid", "invalid" },
    { "x.onion", "onion" },
    { "x.alt", "alt" },
    { "x.internal", "internal" },
    { "x.intranet", "intranet" },
    { "x.private", "private" },
    { "x.corp", "corp" },
    { "x.home", "home" },
    { "x.lan", "lan" },
    { "host.localdomain", "localdomain" },
    { "router.home.arpa", "arpa" },
    { "_dns.resolver.arpa", "arpa" },
    { "10.in-addr.arpa", "arpa" },
    { "16.172.in-addr.arpa", "arpa" },
    { "168.192.in-addr.arpa", "arpa" },
    { "254.169.in-addr.arpa", "arpa" },
    { "64.100.in-addr.arpa", "arpa" },
    { "127.in-addr.arpa", "arpa" },
    { "2.0.192.in-addr.arpa", "arpa" },
    { "in-addr.arpa", "arpa" },
    { "d.f.ip6.arpa", "arpa" },
    { "8.e.f.ip6.arpa", "arpa" },
    { "8.b.d.0.1.0.0.2.ip6.arpa", "arpa" },
    { "ipv4only.arpa", "arpa" },
    { "service.arpa", "arpa" }
};

static const struct {
    const char  *name;
    const char  *under;
} ruled[] = {
    { "corp.example.net", "corp.example.net" },
    { "db.CORP.example.net", "CORP.example.net" },
    { "notcorp.example.net", NULL },
    { "example.net", NULL },
    { "open.corp.example.net", NULL },
    { "a.open.corp.example.net", NULL },
    { "a.lists.corp", NULL },
    { "lists.corp", NULL },
    { "deep.lists.corp", "deep.lists.corp" },
    { "a.deep.lists.corp", "deep.lists.corp" },
    { "a.both.corp", "both.corp" },
    { "a.corp", "corp" },
    { "a.inside.lan", NULL },
    { "a.outside.lan", "lan" }
};


static void
look(const rbl_own_t *own, const char *name, const char *want)
{
    int          good;
    rbl_str_t    under;
    const char  *why;

    why = NULL;
    good = rbl_own_ok(own, rbl_str(name), &under, &why);

    if (want == NULL) {
        ok(good, "\"%s\" may be queried", name);
        return;
    }

    ok(!good && why != NULL, "\"%s\" may not: it %s", name,
       why != NULL ? why : "?");
    is_str(under, want, "the zone above");
}


int
main(void)
{
    size_t           i;
    rbl_own_t        ours;
    const rbl_own_t  none = { NULL, 0, NULL, 0 };

    ours.refuse = refuse;
    ours.n_refuse = N(refuse);
    ours.allow = allow;
    ours.n_allow = N(allow);

    for (i = 0; i < N(plain); i++) {
        look(&none, plain[i].name, plain[i].under);
    }

    for (i = 0; i < N(ruled); i++) {
        look(&ours, ruled[i].name, ruled[i].under);
    }

    return tap_done();
}
