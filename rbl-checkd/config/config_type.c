/*
 * Types of values: texts, words and numbers; a directory, a file, or a file
 * whose first line is a secret (no message shows any part of a secret); keys
 * that may be given in several lines, where each line adds an entry; and types
 * that only one key has.
 */

#include "base/netaddr.h"
#include "config_int.h"
#include "rbl_contact.h"
#include "rbl_name.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBER_MAX  1000000000000       /* exact in a double */

#define KIB  1024.0

#define CREDENTIAL  512                 /* bytes of a path */

const config_number_t  config_counts = {
    "a whole number", 1, { { "", 1 } }
};

const config_number_t  config_durations = {
    "a duration such as 500ms, 2s, 5m, 6h or 7d,", 5,
    { { "ms", 0.001 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 } }
};

const config_number_t  config_sizes = {
    "a size such as 512k, 64m or 1g,", 4,
    { { "", 1 }, { "k", KIB }, { "m", KIB * KIB }, { "g", KIB * KIB * KIB } }
};


int
config_matches(const char *text, const char *pattern)
{
    int      rc;
    regex_t  regex;

    if (regcomp(&regex, pattern, REG_EXTENDED|REG_NOSUB) != 0) {
        return 0;
    }

    rc = regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);

    return rc == 0;
}


/* Copies a text into the key's buffer.  0, or -1: empty, too long, or not what
   test and pattern want. */

static int
config_copy(config_setting_t *s, const char *text)
{
    size_t               n;
    const config_key_t  *key = s->key;

    n = strlen(text);

    if (n == 0 || n >= key->size || (key->test != NULL && !key->test(text))
        || (key->pattern != NULL && !config_matches(text, key->pattern)))
    {
        return -1;
    }

    memcpy(s->at, text, n + 1);
    return 0;
}


int
config_set_text(config_setting_t *s)
{
    return config_copy(s, s->value);
}


int
config_set_word(config_setting_t *s)
{
    int  i;

    for (i = 0; s->key->words[i] != NULL; i++) {
        if (strcmp(s->value, s->key->words[i]) == 0) {
            *(int *) s->at = i;
            return 0;
        }
    }

    return -1;
}


/* Digits and a unit, in the range of the key. */

static int
number(const config_setting_t *s, double *v)
{
    size_t                  i, digits;
    int64_t                 n;
    const config_key_t     *key = s->key;
    const config_number_t  *type = key->number;

    digits = strspn(s->value, "0123456789");

    if (rbl_int_parse(&n, (rbl_str_t) { s->value, digits }, 0, NUMBER_MAX)
        != RBL_OK)
    {
        return -1;
    }

    for (i = 0; i < type->n; i++) {
        if (strcmp(s->value + digits, type->unit[i].name) == 0) {
            *v = (double) n * type->unit[i].value;
            return *v >= key->min && *v <= key->max ? 0 : -1;
        }
    }

    return -1;
}


int
config_set_number(config_setting_t *s)
{
    double  v;

    if (number(s, &v) != 0) {
        return -1;
    }

    switch (s->key->member) {

    case CONFIG_UNSIGNED:
        *(unsigned *) s->at = (unsigned) v;
        break;

    case CONFIG_SIZE:
        *(size_t *) s->at = (size_t) v;
        break;

    default:
        *(double *) s->at = v;
        break;
    }

    return 0;
}


/* Writes the largest unit that gives a whole number; of nothing, 0 or 0s. */

static void
number_text(char *buf, size_t size, const config_number_t *type, double value)
{
    size_t   i;
    int64_t  n, unit;

    n = (int64_t) (value / type->unit[0].value + 0.5);

    for (i = type->n - 1; /* void */ ; i--) {
        unit = (int64_t) (type->unit[i].value / type->unit[0].value + 0.5);

        if (i == 0
            || (n % unit == 0 && (n >= unit || type->unit[i].value <= 1)))
        {
            break;
        }
    }

    snprintf(buf, size, "%lld%s", (long long) (n / unit), type->unit[i].name);
}


void
config_allowed(char *buf, size_t size, const config_key_t *key)
{
    char  min[32], max[32];

    if (key->allowed != NULL) {
        snprintf(buf, size, "%s", key->allowed);
        return;
    }

    number_text(min, sizeof(min), key->number, key->min);
    number_text(max, sizeof(max), key->number, key->max);
    snprintf(buf, size, "%s from %s to %s", key->number->form, min, max);
}


/*
 * A credential of the service manager (LoadCredential=) replaces the file of
 * the same name, so that the file may belong to root alone.
 */

static int
find_credential(char own[CREDENTIAL], const char *path)
{
    const char  *dir, *name;

    dir = getenv("CREDENTIALS_DIRECTORY");
    name = strrchr(path, '/');

    return dir != NULL && name != NULL
           && snprintf(own, CREDENTIAL, "%s%s", dir, name) < CREDENTIAL
           && access(own, R_OK) == 0;
}


static int
unreadable(config_setting_t *s, const char *what)
{
    return config_wrong(s, "the %s cannot be read: %s", what, strerror(errno));
}


static int
take_line(config_setting_t *s, FILE *f)
{
    int     rc;
    char    line[512];
    size_t  n;

    n = fread(line, 1, sizeof(line) - 1, f);
    line[n] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    rc = config_copy(s, line);
    explicit_bzero(line, sizeof(line));

    return rc;
}


static int
set_content(config_setting_t *s, const char *path, int owner_only)
{
    int           rc;
    FILE         *f;
    struct stat   st;

    f = fopen(path, "re");

    if (f == NULL || fstat(fileno(f), &st) != 0) {
        rc = unreadable(s, "file");

    } else if (owner_only && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        rc = config_wrong(s, "others than its owner can use the file; chmod "
                          "600 makes it private");
    } else {
        rc = take_line(s, f);
    }

    if (f != NULL) {
        fclose(f);
    }

    return rc;
}


int
config_set_file(config_setting_t *s)
{
    int            own;
    char           credential[CREDENTIAL];
    const char    *path;
    config_path_t  kind = s->key->path;

    own = kind != CONFIG_READABLE && find_credential(credential, s->value);
    path = own ? credential : s->value;

    if (kind == CONFIG_PASSWORD || kind == CONFIG_SECRET) {
        return set_content(s, path, kind == CONFIG_SECRET && !own);
    }

    return access(path, R_OK) == 0 ? config_copy(s, path)
                                   : unreadable(s, "file");
}


int
config_set_directory(config_setting_t *s)
{
    struct stat  st;

    /* the default directory may be missing: that is an error only where it is
       used */

    if (strcmp(s->value, s->key->def) == 0) {
        return config_copy(s, s->value);
    }

    if (stat(s->value, &st) != 0) {
        return unreadable(s, "directory");
    }

    return S_ISDIR(st.st_mode) ? config_copy(s, s->value) : -1;
}


/*
 * "192.0.2.0/24" or "fd00::/8"; with a port "192.0.2.0/24:8443" or
 * "[fd00::/8]:8443".
 */

static int
parse_range(void *entry, rbl_str_t text)
{
    int64_t          port;
    rbl_str_t        net;
    const char      *colon;
    config_range_t  *range = entry;

    net = text;
    port = 0;
    colon = memrchr(text.p, ':', text.n);

    if (text.n > 0 && text.p[0] == '[') {
        if (colon == NULL || colon[-1] != ']') {
            return -1;
        }

        net = (rbl_str_t) { text.p + 1, (size_t) (colon - text.p) - 2 };

    } else if (colon != NULL && colon == memchr(text.p, ':', text.n)) {
        net.n = (size_t) (colon - text.p);

    } else {
        colon = NULL;
    }

    if (colon != NULL
        && rbl_int_parse(&port,
                         (rbl_str_t) { colon + 1, (size_t) (text.p + text.n
                                                            - colon - 1) },
                         1, 65535)
           != RBL_OK)
    {
        return -1;
    }

    range->port = (unsigned) port;

    return rbl_subnet_parse(&range->net, net) == RBL_OK
           && (colon == NULL
               || (text.p[0] == '[') == (range->net.addr.family
                                         == RBL_FAMILY_IPV6))
           ? 0 : -1;
}


/* Adds an entry, which `parse` makes of the value. */

static int
add_entry(config_setting_t *s, size_t size,
    int (*parse)(void *entry, rbl_str_t text))
{
    unsigned  *n;

    n = (unsigned *) (void *) ((char *) s->conf + s->key->count);

    if (*n >= s->key->size / size
        || parse((char *) s->at + *n * size, rbl_str(s->value)) != 0)
    {
        return -1;
    }

    ++*n;
    return 0;
}


static int
parse_address(void *entry, rbl_str_t text)
{
    return rbl_addr_parse(entry, text) == RBL_OK ? 0 : -1;
}


int
config_set_address(config_setting_t *s)
{
    return add_entry(s, sizeof(rbl_addr_t), parse_address);
}


static int
parse_subnet(void *entry, rbl_str_t text)
{
    return rbl_subnet_parse(entry, text) == RBL_OK ? 0 : -1;
}


int
config_set_subnet(config_setting_t *s)
{
    return add_entry(s, sizeof(rbl_subnet_t), parse_subnet);
}


int
config_set_range(config_setting_t *s)
{
    return add_entry(s, sizeof(config_range_t), parse_range);
}


static int
parse_zone(void *entry, rbl_str_t text)
{
    rbl_str_t  last;

    if (rbl_name_labels(text, &last) == 0) {
        return -1;
    }

    memcpy(entry, text.p, text.n + 1);
    return 0;
}


int
config_set_zone(config_setting_t *s)
{
    return add_entry(s, RBL_DOMAIN_MAX + 1, parse_zone);
}


static size_t
zone_views(rbl_str_t *view, const config_zones_t *zones)
{
    unsigned  i;

    for (i = 0; i < zones->n; i++) {
        view[i] = rbl_str(zones->name[i]);
    }

    return zones->n;
}


void
config_own(config_own_t *own, const config_t *conf)
{
    own->rule.refuse = own->refuse;
    own->rule.n_refuse = zone_views(own->refuse, &conf->refuse_zone);
    own->rule.allow = own->allow;
    own->rule.n_allow = zone_views(own->allow, &conf->allow_zone);
}


int
config_prefix_ok(const char *text)
{
    rbl_keyspace_t  ks;

    return rbl_keyspace_init(&ks, rbl_str(text)) == RBL_OK;
}


int
config_page_ok(const char *text)
{
    char        buf[RBL_VALUE_MAX];
    rbl_str_t   name;
    rbl_url_t   url;
    rbl_addr_t  addr;

    return rbl_url_parse(&url, rbl_str(text)) == RBL_OK
           && address_host(&addr, buf, &name, url.host) == RBL_OK
           && strpbrk(text, "?#") == NULL
           && (url.tls || address_loopback(&addr));
}


/* Browsers take localhost for this machine, too. */

int
config_portal_ok(const char *text)
{
    rbl_url_t  url;

    return config_page_ok(text)
           || (rbl_url_parse(&url, rbl_str(text)) == RBL_OK
               && strpbrk(text, "?#") == NULL
               && rbl_str_is(url.host, "localhost"));
}


int
config_base_ok(const char *text)
{
    return config_page_ok(text) && text[strlen(text) - 1] != '/';
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
