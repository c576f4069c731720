/*
 * Reads the words that say where a store is.
 */

#include "rbl_place.h"
#include "rbl_validate.h"

#include <stdio.h>

#define PLACE_SENTINEL  "sentinel:"
#define PLACE_CLUSTER   "cluster:"
#define PLACE_UNIX      "unix:"
#define PLACE_TLS       "tls:"


/* Cuts `word` off the beginning of a text.  1; 0: it does not begin so. */

static int
place_skip(rbl_str_t *text, const char *word)
{
    if (!rbl_str_begins(*text, word)) {
        return 0;
    }

    text->p += strlen(word);
    text->n -= strlen(word);

    return 1;
}


/* An address or a name: what follows decides. */

static int
place_host_ok(rbl_str_t host, int brackets)
{
    size_t      i;
    rbl_addr_t  addr;

    if (brackets) {
        return rbl_addr_parse(&addr, host) == RBL_OK
               && memchr(host.p, ':', host.n) != NULL;
    }

    for (i = 0; i < host.n; i++) {
        if (host.p[i] <= ' ' || host.p[i] > '~'
            || strchr(":,=@/[]{}\"'\\", host.p[i]) != NULL)
        {
            return 0;
        }
    }

    return host.n > 0 && host.n < RBL_HOST_MAX;
}


rbl_err_t
rbl_host_port_parse(rbl_host_port_t *to, rbl_str_t text)
{
    int          brackets;
    int64_t      port;
    rbl_str_t    host, number;
    const char  *colon;

    colon = text.n ? memrchr(text.p, ':', text.n) : NULL;

    if (colon == NULL) {
        return RBL_EINVAL;
    }

    host = (rbl_str_t) { text.p, (size_t) (colon - text.p) };
    number = (rbl_str_t) { colon + 1, text.n - host.n - 1 };
    brackets = host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';

    if (brackets) {
        host.p++;
        host.n -= 2;
    }

    if (!place_host_ok(host, brackets)
        || rbl_int_parse(&port, number, 1, 65535) != RBL_OK)
    {
        return RBL_EINVAL;
    }

    memset(to, 0, sizeof(rbl_host_port_t));
    rbl_copy(to->host, sizeof(to->host), host);
    to->port = (unsigned) port;

    return RBL_OK;
}


int
rbl_host_port_eq(const rbl_host_port_t *a, const rbl_host_port_t *b)
{
    return a->port == b->port && strcmp(a->host, b->host) == 0;
}


const char *
rbl_host_port_text(char buf[RBL_HOST_PORT_TEXT], const rbl_host_port_t *address)
{
    if (address->port == 0) {
        rbl_copy(buf, RBL_HOST_PORT_TEXT, rbl_str(address->host));

    } else {
        (void) snprintf(buf, RBL_HOST_PORT_TEXT,
                        strchr(address->host, ':') ? "[%s]:%u" : "%s:%u",
                        address->host, address->port);
    }

    return buf;
}


static const char *
place_socket(rbl_place_t *place, rbl_str_t path)
{
    if (path.n == 0 || path.p[0] != '/' || path.n >= RBL_HOST_MAX
        || memchr(path.p, '\0', path.n) != NULL)
    {
        return "unix: needs the absolute path of a socket, at most 107 bytes";
    }

    rbl_copy(place->hosts[0].host, RBL_HOST_MAX, path);
    place->n = 1;

    return NULL;
}


static const char *
place_hosts(rbl_place_t *place, rbl_str_t text)
{
    do {
        if (place->n == RBL_PLACE_HOSTS) {
            return "it names more than 16 servers";
        }

        if (rbl_host_port_parse(&place->hosts[place->n],
                                rbl_until(&text, ','))
            != RBL_OK)
        {
            return "it must be ADDRESS:PORT, unix:/PATH,"
                   " sentinel:NAME@ADDRESS:PORT,... or"
                   " cluster:ADDRESS:PORT,...";
        }

        place->n++;

    } while (text.n != 0);

    return NULL;
}


/* Redis allows these characters in the name of a master. */

static const char *
place_master(rbl_place_t *place, rbl_str_t *text)
{
    size_t     i;
    rbl_str_t  name;

    name = rbl_until(text, '@');

    if (text->p == NULL) {
        return "sentinel: needs the name of the master, and \"@\", before the"
               " addresses";
    }

    for (i = 0; i < name.n; i++) {
        if (name.p[i] <= ' ' || name.p[i] > '~') {
            break;
        }
    }

    if (name.n == 0 || i < name.n || name.n >= RBL_PLACE_NAME) {
        return "the name of the master must have 1 to 63 characters of ASCII";
    }

    rbl_copy(place->name, sizeof(place->name), name);

    return NULL;
}


const char *
rbl_place_parse(rbl_place_t *place, rbl_str_t text)
{
    const char  *why;

    memset(place, 0, sizeof(rbl_place_t));
    place->tls = (unsigned) place_skip(&text, PLACE_TLS);

    if (place_skip(&text, PLACE_UNIX)) {
        return place->tls ? "a socket is not encrypted"
                          : place_socket(place, text);
    }

    if (place_skip(&text, PLACE_SENTINEL)) {
        place->kind = RBL_PLACE_SENTINEL;
        why = place_master(place, &text);

        return why != NULL ? why : place_hosts(place, text);
    }

    if (place_skip(&text, PLACE_CLUSTER)) {
        place->kind = RBL_PLACE_CLUSTER;
        return place_hosts(place, text);
    }

    why = place_hosts(place, text);

    return why == NULL && place->n > 1
           ? "several addresses need sentinel: or cluster: before them" : why;
}


const char *
rbl_place_map_add(rbl_place_map_t *map, rbl_str_t text)
{
    rbl_addr_t       addr;
    rbl_host_port_t  from, to;

    if (rbl_host_port_parse(&from, rbl_until(&text, '=')) != RBL_OK
        || rbl_host_port_parse(&to, text) != RBL_OK
        || rbl_addr_parse(&addr, rbl_str(to.host)) != RBL_OK)
    {
        return "it must be ANNOUNCED:PORT=ADDRESS:PORT, and the second one an"
               " address";
    }

    if (map->n == RBL_PLACE_PAIRS) {
        return "there are more than 64 pairs";
    }

    map->pair[map->n].announced = from;
    map->pair[map->n].real = to;
    map->n++;

    return NULL;
}


rbl_host_port_t
rbl_place_real(const rbl_place_map_t *map, const rbl_host_port_t *announced)
{
    unsigned  i;

    for (i = 0; map != NULL && i < map->n; i++) {
        if (rbl_host_port_eq(&map->pair[i].announced, announced)) {
            return map->pair[i].real;
        }
    }

    return *announced;
}
