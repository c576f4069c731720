/*
 * The table of keys and its values; files are tested through rbl-checkd -t.
 */

#include "base/log.h"
#include "config/config_int.h"

#include <stdlib.h>

#include "tap.h"


static int
duration(double *seconds, const char *text)
{
    static const config_key_t  key = {
        "key", { .set = config_set_number, .number = &config_durations,
                 .max = 1e6 }, "", "", ""
    };

    config_setting_t  s = { .key = &key, .value = text, .at = seconds };

    return key.set(&s);
}


static void
test_durations(void)
{
    size_t  i;
    double  s;

    static const struct {
        const char  *text;
        double       seconds;
    } good[] = {
        { "0s", 0 }, { "1ms", 0.001 }, { "500ms", 0.5 }, { "2s", 2 },
        { "5m", 300 }, { "6h", 21600 }, { "7d", 604800 }
    };

    static const char *const  bad[] = {
        "", "s", "2", "-2s", "+2s", "2 s", "2S", "2.5s", "2sec", "0x2s",
        "99999999999999999999s", "2s "
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ok(duration(&s, good[i].text) == 0
           && s > good[i].seconds - 1e-9 && s < good[i].seconds + 1e-9,
           "duration \"%s\"", good[i].text);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(duration(&s, bad[i]) == -1, "no duration: \"%s\"", bad[i]);
    }
}


static void
test_defaults(void)
{
    size_t     i;
    char       err[CONFIG_ERR_MAX];
    config_t   conf;

    memset(&conf, 0xff, sizeof(conf));
    config_defaults(&conf);

    ok(strcmp(conf.store, "127.0.0.1:6379") == 0, "default store");
    ok(strcmp(conf.store_prefix, "rbl") == 0, "default prefix");
    ok(conf.store_user[0] == '\0' && conf.store_password[0] == '\0',
       "no user, no password");
    ok(conf.checks_max == 256 && conf.lease > 59.9 && conf.lease < 60.1,
       "default limits");
    ok(conf.lease > 2 * conf.check_timeout, "the default lease is long enough");
    ok(conf.log_level == LOG_L_NOTICE, "default level");
    ok(conf.schedule == 1 && conf.deliver == 1 && conf.deliver_http == 0,
       "default flags");
    ok(conf.reach.n_allow == 0 && conf.reach.n_deny == 0
       && conf.deliver_ca[0] == '\0', "nothing is allowed or denied");
    ok(conf.n_source == 0, "no address that lists see");
    ok(conf.dns.n_resolvers >= 1 && conf.dns.tries == 2, "default resolver");
    ok(conf.name[0] != '\0' && strlen(conf.name) < sizeof(conf.name),
       "a name of its own: %s", conf.name);

    for (i = 0; i < config_n_keys; i++) {
        if (config_keys[i].def[0] != '\0') {
            ok(config_set(&conf, config_keys[i].name, config_keys[i].def, err,
                          sizeof(err)) == 0,
               "the default of %s is allowed", config_keys[i].name);
        }

        ok(config_find(config_keys[i].name) == &config_keys[i],
           "%s is in the table once", config_keys[i].name);
    }
}


static void
test_set(void)
{
    char      err[CONFIG_ERR_MAX], tiny[8], path[300];
    config_t  conf;

    config_defaults(&conf);

    ok(config_set(&conf, "checks_max", "7", err, sizeof(err)) == 0
       && conf.checks_max == 7, "a number is set");
    ok(config_set(&conf, "checks_max", "0", err, sizeof(err)) == -1
       && conf.checks_max == 7, "a refused value changes nothing");
    ok(strcmp(err, "checks_max: a whole number from 1 to 10000") == 0,
       "and is reported: %s", err);
    ok(config_set(&conf, "resolver", "127.0.0.2 127.0.0.3@5", err,
                  sizeof(err)) == 0 && conf.dns.n_resolvers == 2,
       "resolvers are replaced");
    ok(config_set(&conf, "resolver", "127.0.0.4 x", err, sizeof(err)) == -1
       && conf.dns.n_resolvers == 2, "all or none of them");
    ok(config_set(&conf, "dns_zone_rate", "5", err, sizeof(err)) == 0
       && conf.dns.zone_rate > 4.9 && conf.dns.zone_rate < 5.1, "a rate");
    ok(config_set(&conf, "cache_size", "512k", err, sizeof(err)) == 0
       && conf.cache_size == 524288
       && config_set(&conf, "cache_size", "4g", err, sizeof(err)) == 0
       && conf.cache_size == (size_t) 4 << 30
       && config_set(&conf, "cache_size", "0", err, sizeof(err)) == 0
       && conf.cache_size == 0
       && config_set(&conf, "cache_size", "17", err, sizeof(err)) == 0
       && conf.cache_size == 17, "sizes");
    ok(config_set(&conf, "cache_size", "5g", err, sizeof(err)) == -1
       && strstr(err, "from 0 to 4g") != NULL
       && config_set(&conf, "cache_size", "4294967297k", err, sizeof(err))
          == -1
       && config_set(&conf, "cache_size", "1M", err, sizeof(err)) == -1
       && config_set(&conf, "cache_size", "1mk", err, sizeof(err)) == -1
       && config_set(&conf, "cache_size", "m", err, sizeof(err)) == -1
       && config_set(&conf, "cache_size", "-1", err, sizeof(err)) == -1
       && config_set(&conf, "cache_size", "", err, sizeof(err)) == -1
       && conf.cache_size == 17, "no sizes");
    ok(config_set(&conf, "no_such", "5", tiny, sizeof(tiny)) == -1
       && strlen(tiny) == sizeof(tiny) - 1, "messages are cut to their room");

    memset(path, 'x', sizeof(path));
    path[0] = '/';
    path[255] = '\0';
    ok(config_set(&conf, "log", path, err, sizeof(err)) == 0,
       "a path that just fits");
    path[255] = 'x';
    path[256] = '\0';
    ok(config_set(&conf, "log", path, err, sizeof(err)) == -1,
       "a path that does not");
}


static int
set_store(config_t *conf, const char *key, const char *value, char *err)
{
    return config_set(conf, key, value, err, CONFIG_ERR_MAX);
}


static void
test_store(void)
{
    char      err[CONFIG_ERR_MAX];
    config_t  conf;

    config_defaults(&conf);
    ok(conf.place.kind == RBL_PLACE_ONE && conf.place.n == 1
       && strcmp(conf.place.hosts[0].host, "127.0.0.1") == 0
       && conf.place.hosts[0].port == 6379, "the default is parsed");

    ok(set_store(&conf, "store", "unix:/a b", err) == 0
       && strcmp(conf.store, "unix:/a b") == 0 && conf.place.hosts[0].port == 0
       && strcmp(conf.place.hosts[0].host, "/a b") == 0, "a socket");
    ok(set_store(&conf, "store", "cluster:10.0.0.1:1,[::1]:2", err) == 0
       && conf.place.kind == RBL_PLACE_CLUSTER && conf.place.n == 2,
       "a cluster");
    ok(set_store(&conf, "store", "sentinel:rbl@127.1:26379", err) == 0
       && conf.place.kind == RBL_PLACE_SENTINEL
       && strcmp(conf.place.name, "rbl") == 0, "Sentinels, by a host name");
    ok(set_store(&conf, "store", "[]:1", err) == -1
       && strstr(err, "store: \"[]:1\": it must be ADDRESS:PORT") == err
       && strcmp(conf.store, "sentinel:rbl@127.1:26379") == 0
       && conf.place.kind == RBL_PLACE_SENTINEL,
       "a refused value changes nothing: %s", err);

    /* getaddrinfo knows this form without a resolver */

    ok(config_resolve_store(&conf, err, sizeof(err)) == 0
       && strcmp(conf.place.hosts[0].host, "127.0.0.1") == 0
       && conf.place.hosts[0].port == 26379
       && strcmp(conf.store, "sentinel:rbl@127.1:26379") == 0,
       "the name is resolved");
    ok(set_store(&conf, "store", "no-such-host.invalid:1", err) == 0
       && config_resolve_store(&conf, err, sizeof(err)) == -1
       && strstr(err, "store: the name \"no-such-host.invalid\" cannot be"
                 " resolved: ") == err, "an unknown name: %s", err);

    ok(set_store(&conf, "store_nodes", "a:1=10.0.0.1:2", err) == 0
       && set_store(&conf, "store_nodes", "b:1=10.0.0.2:2", err) == 0
       && conf.store_map.n == 2, "announced addresses");
    ok(set_store(&conf, "store_nodes", "a:1=b:2", err) == -1
       && strstr(err, "store_nodes: \"a:1=b:2\": it must be") == err
       && conf.store_map.n == 2, "a name is none: %s", err);
}


/* The usable name servers of files like /etc/resolv.conf. */
static void
test_nameservers(void)
{
    FILE                    *f;
    char                     path[] = "/tmp/test_config.XXXXXX";
    size_t                   i;
    unsigned                 n;
    struct sockaddr_storage  sa[DNS_MAX_RESOLVERS];

    static const struct {
        const char  *what, *text;
        unsigned     n;
    } t[] = {
        { "an empty file", "", 0 },
        { "one", "nameserver 192.0.2.1\n", 1 },
        { "several, and other lines", "search a.example\nnameserver\t192.0.2.1"
          "\noptions edns0\nnameserver 2001:db8::1\n", 2 },
        { "no line feed at the end", "nameserver 192.0.2.1", 1 },
        { "line ends of Windows", "nameserver 192.0.2.1\r\n", 1 },
        { "a comment behind", "nameserver 192.0.2.1 # x\n", 1 },
        { "comments", "# nameserver 192.0.2.1\n; nameserver 192.0.2.2\n", 0 },
        { "a torn word", "nameserv", 0 },
        { "a torn line", "nameserver", 0 },
        { "a torn address", "nameserver 192.0.2", 0 },
        { "no space", "nameserver192.0.2.1\n", 0 },
        { "a name", "nameserver ns.example\n", 0 },
        { "a link", "nameserver fe80::1%lo\n", 1 },
        { "an unknown link", "nameserver fe80::1%none0\n", 0 },
        { "no link", "nameserver fe80::1\n", 0 },
        { "a link for another address", "nameserver 2001:db8::1%lo\n", 0 },
        { "a hundred", NULL, DNS_MAX_RESOLVERS }
    };

    close(mkstemp(path));

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        f = fopen(path, "w");

        for (n = 0; t[i].text == NULL && n < 100; n++) {
            fprintf(f, "nameserver 192.0.2.%u\n", n);
        }

        fputs(t[i].text != NULL ? t[i].text : "", f);
        fclose(f);
        ok(config_nameservers(path, sa) == t[i].n, "%s: %u name servers",
           t[i].what, t[i].n);
    }

    f = fopen(path, "w");
    fprintf(f, "%0300d nameserver 192.0.2.1\nnameserver 192.0.2.2\n", 0);
    fclose(f);
    ok(config_nameservers(path, sa) == 1, "a long line is no name server");
    unlink(path);
    ok(config_nameservers(path, sa) == 0, "a missing file has none");
}


int
main(void)
{
    test_nameservers();
    test_durations();
    test_defaults();
    test_set();
    test_store();

    return tap_done();
}
