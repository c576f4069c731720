/*
 * Evidence: what the daemons of the fleet have found about the zone of a list.
 * The store keeps it (zone_told, zone_ask), since a process knows only its own
 * observations:
 *
 * - The list was wildcarding, so caches may hold such responses.  A daemon that
 *   starts later, or uses another resolver, would take them for news.
 * - The list had an optional test point (names_must), or a zone of its own.
 *   Without it the list is dead.
 * - The largest TTL of its test point in any cache, and since when a daemon has
 *   looked at the test point through a resolver.
 *
 * Health reports new evidence (health_listen), and repeats it while it is true.
 * A check requests the evidence before it announces a listing or its end.
 */

#ifndef EVIDENCE_H_INCLUDED
#define EVIDENCE_H_INCLUDED

#include "check/lists/lists.h"
#include "health.h"
#include "store/store.h"

typedef struct evidence_s       evidence_t;
typedef struct evidence_wait_s  evidence_wait_t;

typedef struct {
    double    wild_until;   /* time (clock_now()) until which caches may
                               hold responses of its wildcard; 0: none */
    int       had_point;    /* it has had its test point of this family */
    unsigned  soa;          /* dns_answer_t: the most labels that the owner of
                               its SOA had; 0: not known */
    double    wait;         /* s until the news counts */
} evidence_known_t;

#define EVIDENCE_WAITS  2

/* A check must see news again after each of these waits (gate_resolver.c). */
typedef struct {
    unsigned   n;           /* number of waits; 0: the store keeps nothing */
    double     wait[EVIDENCE_WAITS];    /* s */
    double     since;       /* waits that began before this time (clock_now())
                               begin again; 0: none */
    int        any;         /* 1: through any resolver, and the first one is
                               that for the test point; 0: through the same
                               resolver */
    uint32_t   ttl;         /* of the test point (s), if `any` is set */
} evidence_waits_t;

typedef struct {
    rbl_str_t      host;
    int            listed;  /* the list responds: 1 listed, 0 clear */
    double         at;      /* when the response came */
    evidence_waits_t  waits;
} evidence_seen_t;

/* NULL: it cannot be known, as a part of the store is away. */
typedef void (*evidence_done_pt)(void *data, const evidence_known_t *known);

/* Listens to `health`, whose engine is `dns`. */
evidence_t *evidence_new(struct ev_loop *loop, store_t *store,
    dns_engine_t *dns, health_t *health);

/* Before its health; not from a call back. */
void evidence_free(evidence_t *evidence);

/*
 * Requests the evidence about the list, which passed its test points through
 * this resolver at `good` (clock_now()).  The call back comes once, never from
 * inside this call, unless forgotten; the result is valid until then.  If the
 * store does not reply, the call is repeated; a caller with a deadline forgets
 * the request.
 */
evidence_wait_t *evidence_ask(evidence_t *evidence, const list_t *list,
    rbl_family_t family, uint32_t server, double good,
    const evidence_seen_t *seen, evidence_done_pt done, void *data);

void evidence_forget(evidence_wait_t *wait);    /* NULL: no effect */

#endif /* EVIDENCE_H_INCLUDED */
