/*
 * Query names.  The public suffix list is the only state that outlives a call:
 * it is read once and never changes.
 */

#include "names.h"
#include "rbl_query.h"

#include <libpsl.h>
#include <stdio.h>

/* A random part of a name: "c" and 13 letters and digits. */
#define LABEL_SIZE  15

typedef enum {
    MODE_UNKNOWN = 0,       /* custom lists: it may have a test point */
    MODE_IP,
    MODE_IP_POSITIVE,
    MODE_NAME,
    MODE_NONE
} point_mode_t;

static psl_ctx_t  *suffixes;            /* NULL: not read */


void
names_open(void)
{
    if (suffixes == NULL) {
        suffixes = psl_latest(NULL);
    }
}


void
names_close(void)
{
    psl_free(suffixes);                 /* nothing, for the built-in one */
    suffixes = NULL;
}


static void
name_set(names_t *name, rbl_str_t s)
{
    memcpy(name->s, s.p, s.n);
    name->s[s.n] = '\0';
    name->n = s.n;
}


/* A name under a public suffix, and one label more; NULL: nothing such. */

static const char *
registrable(const char *name)
{
    const psl_ctx_t  *psl;

    psl = suffixes != NULL ? suffixes : psl_builtin();

    return psl != NULL ? psl_registrable_domain(psl, name) : NULL;
}


const char *
names_owner(const char *zone)
{
    const char  *owner;

    owner = registrable(zone);

    return owner != NULL ? owner : zone;
}


/* The registered domain, or nothing if it is not shorter. */

static void
registered(names_host_t *host)
{
    const char  *s;

    s = registrable(host->whole.s);

    if (s != NULL && s != host->whole.s) {
        name_set(&host->registered, rbl_str(s));
    }
}


int
names_host(names_host_t *host, rbl_family_t family, rbl_str_t value)
{
    char        text[RBL_VALUE_MAX];
    rbl_str_t   out;
    rbl_addr_t  addr;

    host->family = family;
    host->whole.n = host->registered.n = 0;

    if (family == RBL_FAMILY_DOMAIN) {
        if (rbl_domain_parse(host->whole.s, &out, value) != RBL_OK) {
            return -1;
        }

        host->whole.n = out.n;
        registered(host);
        return 0;
    }

    if (rbl_addr_parse(&addr, value) != RBL_OK
        || (addr.family != family
            && !(family == RBL_FAMILY_IPV6
                 && memchr(value.p, ':', value.n) != NULL)))
    {
        return -1;
    }

    host->family = addr.family;
    out = rbl_addr_text(text, &addr);

    if (rbl_query_host(host->whole.s, &out, addr.family, out) != RBL_OK) {
        return -1;
    }

    host->whole.n = out.n;

    return 0;
}


/* Lists of domains are never queried for an address, whatever their record
   says. */

static int
takes(const list_t *list, rbl_family_t family)
{
    return (list->families & (int64_t) family) != 0 && list->ask != NULL
           && (family == RBL_FAMILY_DOMAIN
               || strcmp(list->type, "uribl") != 0);
}


/* The name of `part` at the list; -1: it would be too long. */

static int
name_at(names_t *out, const list_t *list, const names_t *part)
{
    rbl_str_t  name;

    if (part->n == 0 || list->ask_n == 0
        || rbl_query_name(out->s, &name, (rbl_str_t) { part->s, part->n },
                          (rbl_str_t) { list->ask, list->ask_n })
           != RBL_OK)
    {
        return -1;
    }

    out->n = name.n;
    return 0;
}


int
names_make(names_t *out, const list_t *list, const names_host_t *host,
    rbl_lookup_err_t *err)
{
    int             i, n;
    const names_t  *of[NAMES_MAX];

    *err = RBL_ERR_NONE;

    if (!takes(list, host->family)) {
        return 0;
    }

    n = 0;

    if (host->registered.n == 0 || list->names != LIST_NAMES_REGISTERED) {
        of[n++] = &host->whole;
    }

    if (host->registered.n != 0 && list->names != LIST_NAMES_FULL) {
        of[n++] = &host->registered;
    }

    for (i = 0; i < n; i++) {
        if (name_at(&out[i], list, of[i]) != 0) {
            *err = RBL_ERR_NAME;
            return 0;
        }
    }

    return n;
}


static point_mode_t
mode_of(const list_t *list)
{
    return strcmp(list->control, "ip") == 0 ? MODE_IP
           : strcmp(list->control, "ip-positive-only") == 0 ? MODE_IP_POSITIVE
           : strncmp(list->control, "name:", 5) == 0 ? MODE_NAME
           : strcmp(list->control, "none") == 0 ? MODE_NONE : MODE_UNKNOWN;
}


int
names_must(const list_t *list)
{
    return mode_of(list) != MODE_UNKNOWN;
}


static void
random_label(char label[LABEL_SIZE], uint64_t random)
{
    size_t  i;

    static const char  letters[] = "abcdefghijklmnopqrstuvwxyz234567";

    label[0] = 'c';

    for (i = 1; i < LABEL_SIZE - 1; i++) {
        label[i] = letters[random & 31];
        random >>= 5;
    }

    label[i] = '\0';
}


/* Writes 127.a.b.c in the form for lists of IPv4 or of IPv6 addresses. */

static void
loopback(char *text, size_t size, rbl_family_t family, uint32_t low)
{
    if (family == RBL_FAMILY_IPV4) {
        snprintf(text, size, "127.%u.%u.%u", low >> 16 & 255, low >> 8 & 255,
                 low & 255);
        return;
    }

    snprintf(text, size, "::ffff:7f%02x:%x", low >> 16 & 255, low & 0xffff);
}


unsigned
names_network(rbl_family_t family, uint64_t random)
{
    return (unsigned) (random & 0xffffff)
           % (family == RBL_FAMILY_DOMAIN ? 2 : NAMES_NETWORKS);
}


/*
 * Addresses near those of the 13 root name servers, whose networks serve
 * nothing else and send no mail.
 */

static void
root_address(char *text, size_t size, rbl_family_t family, uint64_t random)
{
    unsigned  net;

    static const char *const  ipv4[NAMES_NETWORKS] = {
        "198.41.0", "170.247.170", "192.33.4", "199.7.91", "192.203.230",
        "192.5.5", "192.112.36", "198.97.190", "192.36.148", "192.58.128",
        "193.0.14", "199.7.83", "202.12.27"
    };

    static const char *const  ipv6[NAMES_NETWORKS] = {
        "2001:503:ba3e", "2801:1b8:10", "2001:500:2", "2001:500:2d",
        "2001:500:a8", "2001:500:2f", "2001:500:12", "2001:500:1", "2001:7fe",
        "2001:503:c27", "2001:7fd", "2001:500:9f", "2001:dc3"
    };

    net = names_network(family, random);

    if (family == RBL_FAMILY_IPV4) {
        snprintf(text, size, "%s.%u", ipv4[net],
                 (unsigned) (random >> 40 & 255));

    } else {
        snprintf(text, size, "%s::%x:%x", ipv6[net],
                 (unsigned) (random >> 48 & 0xffff),
                 (unsigned) (random >> 32 & 0xffff));
    }
}


/* Half of them are addresses that are not assigned. */

static void
quiet_address(char *text, size_t size, rbl_family_t family, uint64_t random)
{
    if (random & 1) {
        root_address(text, size, family, random >> 1);

    } else if (family == RBL_FAMILY_IPV4) {
        snprintf(text, size, "%u.%u.%u.%u",
                 240 + (unsigned) (random >> 1 & 7),
                 (unsigned) (random >> 40 & 255),
                 (unsigned) (random >> 48 & 255),
                 (unsigned) (random >> 56 & 255));

    } else {
        snprintf(text, size, "4000::%x:%x",
                 (unsigned) (random >> 48 & 0xffff),
                 (unsigned) (random >> 32 & 0xffff));
    }
}


static int
point_address(char *text, size_t size, const list_t *list,
    rbl_family_t family, names_point_t kind, uint64_t random)
{
    point_mode_t  mode = mode_of(list);

    switch (kind) {

    case NAMES_POSITIVE:
        loopback(text, size, family, 2);
        return mode != MODE_NONE;

    case NAMES_NEGATIVE:
        loopback(text, size, family, 1);
        return mode != MODE_IP_POSITIVE && mode != MODE_NONE;

    case NAMES_RANDOM:
        loopback(text, size, family,
                 (uint32_t) (random >> 32 & 0x7fffff) | 0x800000);
        return mode != MODE_IP_POSITIVE && mode != MODE_NONE;

    case NAMES_SAMPLE:
        quiet_address(text, size, family, random);
        return 1;

    default:
        root_address(text, size, family, random);
        return 1;
    }
}


static int
point_domain(char *text, size_t size, const list_t *list,
    names_point_t kind, uint64_t random)
{
    char          label[LABEL_SIZE];
    point_mode_t  mode = mode_of(list);

    if (kind == NAMES_POSITIVE) {
        return (mode == MODE_NAME || mode == MODE_UNKNOWN)
               && (size_t) snprintf(text, size, "%s", mode == MODE_NAME
                                    ? list->control + 5 : "test") < size;
    }

    random_label(label, random >> 1);
    snprintf(text, size, "%s.%s", label,
             kind >= NAMES_SAMPLE && random & 1 ? "root-servers.net"
             : "invalid");

    return kind >= NAMES_SAMPLE
           || (kind == NAMES_RANDOM && mode != MODE_IP_POSITIVE
               && mode != MODE_NONE);
}


int
names_point(names_t *out, const list_t *list, rbl_family_t family,
    names_point_t kind, uint64_t random)
{
    int        found;
    char       text[RBL_VALUE_MAX];
    names_t    part;
    rbl_str_t  name;

    if (!takes(list, family)) {
        return 0;
    }

    found = family == RBL_FAMILY_DOMAIN
            ? point_domain(text, sizeof(text), list, kind, random)
            : point_address(text, sizeof(text), list, family, kind, random);

    if (!found
        || rbl_query_host(part.s, &name, family, rbl_str(text)) != RBL_OK)
    {
        return 0;
    }

    part.n = name.n;

    return name_at(out, list, &part) == 0;
}
