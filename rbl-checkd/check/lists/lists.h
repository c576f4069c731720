/*
 * The lists as the checker uses them: decoded from the store's records or from
 * lists.json, with their code tables parsed once.  References are counted: a
 * check keeps its lists while a newer table replaces them.
 */

#ifndef LISTS_H_INCLUDED
#define LISTS_H_INCLUDED

#include "dns/engine.h"
#include "rbl_codes.h"
#include "rbl_record.h"
#include "rbl_reply.h"
#include "rbl_validate.h"

/* The names of a host that a list of domains is queried for. */
typedef enum {
    LIST_NAMES_BOTH = 0,    /* the whole name and its registered domain */
    LIST_NAMES_FULL,
    LIST_NAMES_REGISTERED
} list_names_t;

typedef struct {
    unsigned      refs;
    char          sid[40];
    char          type[8];
    int           custom;
    uint64_t      account;              /* owner, as a number; 0: a system
                                           list */
    int64_t       families;
    char          status[16];
    char         *zone, *name, *website, *lookup;
    char         *control;              /* mode of the test points (names.h) */
    char         *ask;                  /* the queried zone with its key, so not
                                           for logs or answers; NULL: its key is
                                           missing; "": invalid zone */
    size_t        ask_n;
    rbl_weight_t  weight;
    list_names_t  names;
    int64_t       min_interval;         /* s between queries for one host; 0:
                                           none */
    int64_t       rate;                 /* queries per second; 0: no limit */
    int64_t       day_quota;            /* queries per day (UTC); 0: no limit */
    unsigned      n_servers;            /* given by the operator; 0: those of
                                           the zone */
    struct sockaddr_storage  *server;   /* NULL: none, as of own lists; a check
                                           may have hundreds of these */
    const rbl_codes_t  *codes;          /* `parsed`, or none: custom lists */
    rbl_codes_t  *parsed;               /* NULL: there are none */
    char         *bytes;                /* owns all texts but `ask` */
} list_t;

/* From a record of the store; NULL: not a list. */
list_t *list_from_record(rbl_str_t raw);

/* A list that is known only from a job (custom, or not in the table yet);
   NULL: an argument is too long, or the zone has a NUL. */
list_t *list_make(rbl_str_t sid, rbl_str_t type, int custom, rbl_str_t zone,
    rbl_str_t website, int64_t families);

/* "ipv4", "ipv6", "domain". */
const char *list_family_name(rbl_family_t family);

/* Does the zone contain {key}, or **** if it is an own list? */
int list_keyed(const list_t *list);

/*
 * Gives a list its key, before other code uses the list.  A list that needs no
 * key is left unchanged.  -1: invalid key (list_key_ok).
 */
int list_key_set(list_t *list, rbl_str_t key);

/* Gives an own list with a key in its zone that key. */
void list_key_own(list_t *list, rbl_str_t key);

/*
 * Gives the list its key from the reply of HGETALL lists:keys.  A list that
 * needs none, or whose key is missing or invalid, remains unchanged.
 */
void list_key_find(list_t *list, const redisReply *keys);

/* The key in list->ask, valid during the life of the list; n 0: none. */
rbl_str_t list_key(const list_t *list);

/* A label of letters, digits and hyphens, of at most 63 octets. */
int list_key_ok(rbl_str_t key);

/*
 * Is the list queried in a check of this host that is due at `now` (ms), if it
 * was last checked at `before`?  With a minimum interval each pair of host and
 * list has its own time within it, so that queries are spread over the interval
 * and no time need be stored.  before 0: not checked yet.
 */
int list_due(const list_t *list, rbl_str_t host, int64_t before, int64_t now);

/* The payer of a query to the list; `probe` as in dns_payer_t. */
dns_payer_t list_payer(const list_t *list, int probe);

/*
 * Lines of the trace (dns/trace.h) about lists: rules and decisions.  Nothing
 * happens without a listener.
 */

/* "list ZONE: ..." */
__attribute__((format(printf, 3, 4)))
void trace_list(const dns_engine_t *dns, const list_t *list, const char *fmt,
    ...);

/* "list ZONE, FAMILY, server ADDRESS: ...", or "through resolver ADDRESS" */
__attribute__((format(printf, 5, 6)))
void trace_server(const dns_engine_t *dns, const list_t *list,
    rbl_family_t family, uint32_t server, const char *fmt, ...);

list_t *list_ref(list_t *list);
void list_unref(list_t *list);

/* A table by SID. */
typedef struct lists_s  lists_t;

lists_t *lists_new(void);
void lists_free(lists_t *lists);
void lists_add(lists_t *lists, list_t *list);   /* takes over the reference */
list_t *lists_find(const lists_t *lists, rbl_str_t sid);
size_t lists_count(const lists_t *lists);
list_t *lists_at(const lists_t *lists, size_t i);

#endif /* LISTS_H_INCLUDED */
