/*
 * Values of single keys: tests of texts, and types that only one key has.
 */

#include "base/netaddr.h"
#include "config_int.h"
#include "rbl_contact.h"


int
config_prefix_ok(const char *text)
{
    rbl_keyspace_t  ks;

    return rbl_keyspace_init(&ks, rbl_str(text)) == RBL_OK;
}


int
config_loopback(const rbl_addr_t *addr)
{
    return (addr->family == RBL_FAMILY_IPV4 && addr->b[0] == 127)
           || (addr->family == RBL_FAMILY_IPV6
               && memcmp(addr->b, &in6addr_loopback, 16) == 0);
}


int
config_base_ok(const char *text)
{
    char        buf[RBL_VALUE_MAX];
    rbl_str_t   name;
    rbl_url_t   url;
    rbl_addr_t  addr;

    return rbl_url_parse(&url, rbl_str(text)) == RBL_OK
           && address_host(&addr, buf, &name, url.host) == RBL_OK
           && strpbrk(text, "?#") == NULL && text[strlen(text) - 1] != '/'
           && (url.tls || config_loopback(&addr));
}


/* The sender: a number, the id of a service, or an alphanumeric name. */

int
config_sender_ok(const char *text)
{
    char       buf[RBL_CONTACT_MAX];
    rbl_str_t  number;

    return text[0] == '+'
           ? rbl_contact_parse(buf, &number, RBL_CONTACT_SMS, rbl_str(text),
                               NULL, 0)
             == RBL_OK
           : config_matches(text, "^[A-Za-z0-9 ]+$");
}


int
config_smtp_ok(const char *text)
{
    config_smtp_t  server;

    return config_smtp_server(&server, text) == 0;
}


int
config_set_mailbox(config_setting_t *s)
{
    char       buf[RBL_CONTACT_MAX];
    rbl_str_t  mailbox;

    return rbl_contact_parse(buf, &mailbox, RBL_CONTACT_EMAIL,
                             rbl_str(s->value), NULL, 0)
           == RBL_OK ? config_copy(s, buf) : -1;
}


static int
no_place(config_setting_t *s, const char *why)
{
    return config_wrong(s, "\"%.100s\": %s", s->value, why);
}


int
config_set_store(config_setting_t *s)
{
    const char   *why;
    rbl_place_t   place;

    why = rbl_place_parse(&place, rbl_str(s->value));

    if (why != NULL) {
        return no_place(s, why);
    }

    if (config_copy(s, s->value) != 0) {
        return -1;
    }

    s->conf->place = place;
    return 0;
}


int
config_set_store_nodes(config_setting_t *s)
{
    const char  *why;

    why = rbl_place_map_add(&s->conf->store_map, rbl_str(s->value));

    return why == NULL ? 0 : no_place(s, why);
}


int
config_set_resolver(config_setting_t *s)
{
    char                      buf[1024], *word, *last;
    unsigned                  n;
    struct sockaddr_storage   sa[DNS_MAX_RESOLVERS];

    if (strlen(s->value) >= sizeof(buf)) {
        return -1;
    }

    memcpy(buf, s->value, strlen(s->value) + 1);
    n = 0;

    for (word = strtok_r(buf, " \t", &last); word != NULL;
         word = strtok_r(NULL, " \t", &last))
    {
        if (n == DNS_MAX_RESOLVERS || dns_server_parse(&sa[n++], word) != 0) {
            return -1;
        }
    }

    if (n == 0) {
        return -1;
    }

    memcpy(s->at, sa, n * sizeof(sa[0]));
    s->conf->dns.n_resolvers = n;
    s->conf->system = CONFIG_SYSTEM_NO;
    return 0;
}
