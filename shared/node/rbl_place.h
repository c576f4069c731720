/*
 * Where a store is, as all programs are told it:
 *
 *   ADDRESS:PORT, [ADDRESS]:PORT, unix:/PATH     one Redis
 *   sentinel:NAME@ADDRESS:PORT,...               the master of that name; the
 *                                                addresses are of Sentinels
 *   cluster:ADDRESS:PORT,...                     a Redis Cluster; the addresses
 *                                                are of some of its nodes
 *
 * All but unix: may have tls: before them; then all connections are encrypted,
 * also those to Sentinels.  Names of hosts may stand for addresses; the program
 * that reads them resolves them at its start.  No I/O.
 */

#ifndef RBL_PLACE_H_INCLUDED
#define RBL_PLACE_H_INCLUDED

#include "rbl_common.h"

#define RBL_PLACE_NAME   64             /* name of a master, with NUL */
#define RBL_PLACE_HOSTS  16
#define RBL_PLACE_PAIRS  64
#define RBL_HOST_MAX     108            /* path of a socket, address or name,
                                           with NUL; struct sockaddr_un */

/* A server.  port 0: host is the path of a socket. */
typedef struct {
    char      host[RBL_HOST_MAX];       /* IPv6 without brackets; "": none */
    unsigned  port;
} rbl_host_port_t;

typedef enum {
    RBL_PLACE_ONE = 0,
    RBL_PLACE_SENTINEL,
    RBL_PLACE_CLUSTER
} rbl_place_kind_t;

/*
 * Addresses that servers announce of themselves, and those under which this
 * program reaches them, if an address translation lies between.
 */
typedef struct {
    unsigned  n;
    struct {
        rbl_host_port_t  announced, real;
    } pair[RBL_PLACE_PAIRS];
} rbl_place_map_t;

typedef struct {
    rbl_place_kind_t  kind;
    unsigned          tls;              /* 1: encrypted */
    char              name[RBL_PLACE_NAME];
    unsigned          n;
    rbl_host_port_t   hosts[RBL_PLACE_HOSTS];
} rbl_place_t;


/* Returns NULL, or what is wrong, for a message after the text. */
const char *rbl_place_parse(rbl_place_t *place, rbl_str_t text);

/* Adds "ANNOUNCED=REAL", each HOST:PORT.  Returns as rbl_place_parse. */
const char *rbl_place_map_add(rbl_place_map_t *map, rbl_str_t text);

/* Parses "HOST:PORT", HOST an address, a name, or "[IPv6]".  RBL_EINVAL. */
rbl_err_t rbl_host_port_parse(rbl_host_port_t *to, rbl_str_t text);

int rbl_host_port_eq(const rbl_host_port_t *a, const rbl_host_port_t *b);

/* The real address of an announced one, or the same. */
rbl_host_port_t rbl_place_real(const rbl_place_map_t *map,
    const rbl_host_port_t *announced);

#define RBL_HOST_PORT_TEXT  (RBL_HOST_MAX + 10)

/* Writes "192.0.2.1:6379", "[2001:db8::1]:6379" or the path; returns buf. */
const char *rbl_host_port_text(char buf[RBL_HOST_PORT_TEXT],
    const rbl_host_port_t *address);

#endif /* RBL_PLACE_H_INCLUDED */
