/*
 * The keys for queries to lists.
 */

#include "config_int.h"

#include <stdio.h>

#define RESOLV_CONF     "/etc/resolv.conf"
#define RESOLV_DEFAULT  "127.0.0.1"


int
config_set_resolver(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    char           buf[1024], *word, *last;
    dns_config_t   dns;

    (void) key;
    (void) err;
    (void) size;

    if (strlen(value) >= sizeof(buf)) {
        return -1;
    }

    memcpy(buf, value, strlen(value) + 1);
    dns.n_resolvers = 0;

    for (word = strtok_r(buf, " \t", &last); word != NULL;
         word = strtok_r(NULL, " \t", &last))
    {
        if (dns.n_resolvers == DNS_MAX_RESOLVERS
            || dns_server_parse(&dns.resolver[dns.n_resolvers], word) != 0)
        {
            return -1;
        }

        dns.n_resolvers++;
    }

    if (dns.n_resolvers == 0) {
        return -1;
    }

    memcpy(conf->dns.resolver, dns.resolver,
           dns.n_resolvers * sizeof(dns.resolver[0]));
    conf->dns.n_resolvers = dns.n_resolvers;
    return 0;
}


int
config_set_lookup(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    (void) key;
    (void) err;
    (void) size;

    if (strcmp(value, "direct") != 0 && strcmp(value, "resolver") != 0) {
        return -1;
    }

    conf->dns.direct = value[0] == 'd';
    return 0;
}


int
config_set_server_allow(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    dns_config_t  *dns = &conf->dns;

    (void) key;
    (void) err;
    (void) size;

    if (dns->n_allow == DNS_MAX_ALLOW
        || rbl_subnet_parse(&dns->allow[dns->n_allow], rbl_str(value))
           != RBL_OK)
    {
        return -1;
    }

    dns->n_allow++;
    return 0;
}


/* Skips addresses with a scope (fe80::1%eth0). */

void
config_system_resolvers(config_t *conf)
{
    FILE          *f;
    char           line[256], word[64];
    dns_config_t  *dns = &conf->dns;

    dns->n_resolvers = 0;
    f = fopen(RESOLV_CONF, "re");

    while (f != NULL && dns->n_resolvers < DNS_MAX_RESOLVERS
           && fgets(line, sizeof(line), f) != NULL)
    {
        if (sscanf(line, "nameserver %63s", word) == 1
            && dns_server_parse(&dns->resolver[dns->n_resolvers], word) == 0)
        {
            dns->n_resolvers++;
        }
    }

    if (f != NULL) {
        fclose(f);
    }

    if (dns->n_resolvers == 0) {
        (void) dns_server_parse(&dns->resolver[0], RESOLV_DEFAULT);
        dns->n_resolvers = 1;
    }
}
