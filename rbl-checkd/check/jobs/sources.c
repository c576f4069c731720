/*
 * The addresses are looked up before each report, since a machine may have got
 * another one.
 */

#include "sources.h"
#include "base/netaddr.h"
#include "base/timer.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPORT_EVERY  3600.0
#define MEMBER_MAX    (RBL_VALUE_MAX + 64)

struct sources_s {
    const config_t  *conf;
    store_t         *store;
    loop_timer_t     timer;
};

/* a.root-servers.net: where a resolver begins. */
static const char *const  roots[] = {
    "198.41.0.4@53", "2001:503:ba3e::2:30@53"
};


/* The address that datagrams to `to` leave with; -1: there is no way. */

static int
local_address(rbl_addr_t *addr, const struct sockaddr_storage *to)
{
    int                      fd, rc;
    unsigned                 port;
    socklen_t                n;
    struct sockaddr_storage  sa;

    n = to->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                  : sizeof(struct sockaddr_in);
    fd = socket(to->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }

    memset(&sa, 0, sizeof(sa));
    rc = connect(fd, (const struct sockaddr *) to, n);

    if (rc == 0) {
        n = sizeof(sa);
        rc = getsockname(fd, (struct sockaddr *) &sa, &n);
    }

    close(fd);

    return rc == 0
           ? address_from_sockaddr(addr, &port, (struct sockaddr *) &sa) : -1;
}


static size_t
add(rbl_addr_t *addr, size_t n, const rbl_addr_t *more)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (address_equal(&addr[i], more)) {
            return n;
        }
    }

    if (n < SOURCES_MAX) {
        addr[n++] = *more;
    }

    return n;
}


size_t
sources_addresses(const config_t *conf, rbl_addr_t addr[SOURCES_MAX])
{
    size_t                   i, n;
    int                      near;
    rbl_addr_t               own;
    struct sockaddr_storage  root;

    if (conf->n_source != 0) {
        memcpy(addr, conf->source, conf->n_source * sizeof(rbl_addr_t));
        return conf->n_source;
    }

    n = 0;
    near = 0;

    for (i = 0; i < conf->dns.n_resolvers; i++) {
        if (local_address(&own, &conf->dns.resolver[i]) != 0) {
            continue;
        }

        if (address_loopback(&own)) {
            near = 1;

        } else {
            n = add(addr, n, &own);
        }
    }

    for (i = 0; near && i < sizeof(roots) / sizeof(roots[0]); i++) {
        if (dns_server_parse(&root, roots[i]) == 0
            && local_address(&own, &root) == 0 && !address_loopback(&own))
        {
            n = add(addr, n, &own);
        }
    }

    return n;
}


static void
report(void *data)
{
    int                    len;
    char                   host[64], ip[RBL_VALUE_MAX];
    char                   member[SOURCES_MAX][MEMBER_MAX];
    size_t                 i, n;
    unsigned               p;
    rbl_key_t              key;
    rbl_str_t              text, none = RBL_STR("");
    sources_t             *sources = data;
    rbl_addr_t             addr[SOURCES_MAX];
    const rbl_keyspace_t  *ks;

    struct {
        rbl_daemon_greet_args_t  args;
        rbl_str_t                members[SOURCES_MAX];
    } call;

    if (gethostname(host, sizeof(host)) != 0) {
        host[0] = '\0';
    }

    host[sizeof(host) - 1] = '\0';
    n = sources_addresses(sources->conf, addr);

    for (i = 0; i < n; i++) {
        text = rbl_addr_text(ip, &addr[i]);
        len = snprintf(member[i], MEMBER_MAX, "%.*s %s", (int) text.n, text.p,
                       host);
        call.members[i] = (rbl_str_t) { member[i], (size_t) len };
    }

    ks = store_keyspace(sources->store);

    for (p = 0; p < ks->partitions; p++) {
        call.args.addresses = rbl_key(&key, ks, p, "daemons:addr", none, none);
        store_script(sources->store, &rbl_script_daemon_greet, NULL, sources,
                     RBL_ARGC(call.args) + (int) n, call.args.argv);
    }
}


sources_t *
sources_new(struct ev_loop *loop, const config_t *conf, store_t *store)
{
    sources_t  *sources;

    sources = xcalloc(1, sizeof(sources_t));
    sources->conf = conf;
    sources->store = store;
    timer_init(&sources->timer, loop, report, sources);

    return sources;
}


void
sources_free(sources_t *sources)
{
    if (sources == NULL) {
        return;
    }

    store_forget(sources->store, sources);
    timer_stop(&sources->timer);
    free(sources);
}


void
sources_state(sources_t *sources, int ready)
{
    if (ready) {
        timer_every(&sources->timer, REPORT_EVERY, REPORT_EVERY);
        report(sources);

    } else {
        timer_stop(&sources->timer);
    }
}
