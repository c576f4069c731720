/*
 * The configuration file (config/).  The input is the file.
 *
 * An accepted file leaves every number in the range of its key, every text
 * terminated, a usable address of the store, and a lease of more than twice a
 * check's time.  A refused file gives one line that begins with the file's
 * name.
 */

#include "config/config_int.h"
#include "fuzz.h"


static double
value_of(const config_key_t *key, const void *at)
{
    double  v;

    if (key->member == CONFIG_UNSIGNED) {
        return *(const unsigned *) at;
    }

    if (key->member == CONFIG_SIZE) {
        return (double) *(const size_t *) at;
    }

    fuzz_check(key->set == config_set_number && key->member == CONFIG_DOUBLE);
    memcpy(&v, at, sizeof(v));
    return v;
}


static void
check_values(const config_t *conf)
{
    double               v;
    size_t               i, n;
    const char          *at;
    const config_key_t  *key;

    for (i = 0; i < config_n_keys; i++) {
        key = &config_keys[i];
        at = (const char *) conf + key->offset;

        if (key->number != NULL) {
            v = value_of(key, at);
            fuzz_check(v >= key->min && v <= key->max);

        } else if (key->words != NULL) {
            for (n = 0; key->words[n] != NULL; n++) { /* void */ }

            fuzz_check(*(const unsigned *) (const void *) at < n);

        } else if (!key->repeat && key->set != config_set_resolver) {
            fuzz_check(strnlen(at, key->size) < key->size);
        }
    }
}


static void
check_whole(const config_t *conf)
{
    unsigned          i;
    char              text[RBL_VALUE_MAX];
    rbl_subnet_t      net;
    config_smtp_t     server;
    rbl_place_t       place;

    if (conf->smtp_url[0] != '\0') {
        fuzz_check(config_smtp_server(&server, conf->smtp_url) == 0);
        fuzz_check(server.port > 0 && server.port <= 65535);
        fuzz_check(strchr(conf->smtp_from, '@') != NULL);
        fuzz_check(conf->smtp_user[0] == '\0' || server.loopback
                   || config_smtp_tls(conf) == CONFIG_TLS_REQUIRED);
    }

    fuzz_check(config_base_ok(conf->pagerduty_url));
    fuzz_check(config_base_ok(conf->telegram_url));
    fuzz_check(conf->sns_url[0] == '\0' || config_base_ok(conf->sns_url));
    fuzz_check((conf->sms_account[0] == '\0') == (conf->sms_from[0] == '\0'));

    fuzz_check(rbl_place_parse(&place, rbl_str(conf->store)) == NULL
               && memcmp(&place, &conf->place, sizeof(place)) == 0);
    fuzz_check(conf->store_map.n <= RBL_PLACE_PAIRS);
    fuzz_check(conf->lease > 2 * conf->check_timeout);
    fuzz_check(conf->dns.n_resolvers > 0
               && conf->dns.n_resolvers <= DNS_MAX_RESOLVERS);
    fuzz_check(conf->reach.n_allow <= CONFIG_MAX_ALLOW
               && conf->reach.n_deny <= CONFIG_MAX_DENY);

    for (i = 0; i < conf->dns.n_resolvers; i++) {
        fuzz_check(conf->dns.resolver[i].ss_family == AF_INET
                   || conf->dns.resolver[i].ss_family == AF_INET6);
    }

    for (i = 0; i < conf->reach.n_allow; i++) {
        fuzz_check(rbl_subnet_parse(&net, rbl_subnet_text(text,
                       &conf->reach.allow[i].net)) == RBL_OK);
        fuzz_check(conf->reach.allow[i].port <= 65535);
    }

    for (i = 0; i < conf->reach.n_deny; i++) {
        fuzz_check(rbl_subnet_parse(&net, rbl_subnet_text(text,
                       &conf->reach.deny[i])) == RBL_OK);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int       rc;
    char      path[32], err[CONFIG_ERR_MAX];
    config_t  conf;

    /* a value may name a file to read: no devices, and none of plans */

    if (memmem(data, size, "/dev/", 5) || memmem(data, size, "/proc/", 6)
        || memmem(data, size, "bill_plans", 10))
    {
        return 0;
    }

    (void) fuzz_file(path, data, size);
    config_defaults(&conf);
    memset(err, 0x5a, sizeof(err));
    rc = config_read(&conf, path, err, sizeof(err));

    if (rc == 0) {
        check_values(&conf);
        check_whole(&conf);
        return 0;
    }

    fuzz_check(rc == -1 && strnlen(err, sizeof(err)) < sizeof(err));
    fuzz_check(strncmp(err, path, strlen(path)) == 0);
    fuzz_check(err[strlen(path)] == ':' && strchr(err, '\n') == NULL);

    return 0;
}
