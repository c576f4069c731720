/*
 * Can a list be believed?  The controls of RFC 5782 section 5, asked per list,
 * family and resolver, through the same engine as real questions, and what
 * follows from them.
 *
 * The positive control tells that an answer "not listed" has a meaning, the
 * negative one that an answer "listed" has.  The negative control is another
 * name each time, so that no resolver's cache answers it.  The positive one
 * cannot be: when its answer was fetched is worked out from its TTL, which
 * runs down in a cache.  Two names more, that nobody has a reason to list, tell
 * of a wildcard, which does not cover what stands beside the test entry.
 *
 * When the controls of several lists fail through one resolver and none is in
 * order, the resolver is to blame, not the lists.
 *
 * Times are those of dns_clock().
 */

#ifndef HEALTH_H_INCLUDED
#define HEALTH_H_INCLUDED

#include <ev.h>

#include "../dns/engine.h"
#include "lists.h"
#include "rbl_validate.h"

typedef enum {
    HEALTH_UNTRIED = 0,
    HEALTH_GOOD,            /* controls as they should be, or none are known
                               to exist for this list */
    HEALTH_BLOCKED,         /* refuses to answer this resolver */
    HEALTH_LYING,           /* lists what nobody lists, or answers outside
                               127/8 */
    HEALTH_DOWN,            /* no answer, or its test entry is gone */
    HEALTH_UNSUPPORTED,     /* no data of this family, while another is good */
    HEALTH_RESOLVER         /* the resolver is to blame */
} health_state_t;

extern const char *const  health_state_names[];     /* "untried", "good", ... */

typedef struct {
    health_state_t  state;
    double          recovered;  /* when it was last seen to be good again
                                   after it was not; 0: never */
    double          negative;   /* when the negative control was last asked and
                                   found in order; 0: never */
    double          positive;   /* the same of the positive one: when its answer
                                   was fetched from the list; 0: not known */
    double          expires;    /* when a resolver that has cached the positive
                                   one will fetch it again */
    uint32_t        negative_ttl;   /* how long it keeps that a name is not
                                       there, at most; 0: not known */
    unsigned        negative_soa;   /* and labels of its SOA's owner; 0: not
                                       known */
    double          lies;       /* until when listings may still be kept that
                                   it told while it was lying; 0: none */
    uint32_t        positive_ttl;   /* the whole one of the test entry */
    unsigned        unproven:1; /* no test entry is known: nothing but time
                                   tells that the list is not empty */
    unsigned        dead:1;     /* it had one, or a zone of its own, and has it
                                   no more */
    unsigned        unasked:1;  /* there is no control of any kind */
    unsigned        ageless:1;  /* the resolver strips what would tell how old
                                   "not there" is: no SOA from it, of any list.
                                   Where others have one, a list that has none
                                   is in no cache (RFC 2308, 5) */
} health_verdict_t;

typedef enum {
    HEALTH_KNOWN,           /* as it was found within the last minutes */
    HEALTH_NEGATIVE,        /* the negative control, asked from now on */
    HEALTH_BOTH             /* and the positive one too */
} health_need_t;

typedef struct health_s    health_t;
typedef struct health_q_s  health_q_t;

typedef void (*health_done_pt)(void *data, const health_verdict_t *verdict);

/* NULL: out of memory. */
health_t *health_new(struct ev_loop *loop, dns_engine_t *dns);
void health_free(health_t *health);

/*
 * What a process that begins anew cannot find out, told as it is found, from
 * inside of whatever has found it.
 */
typedef enum {
    HEALTH_NEWS_LIE,        /* the list listed what nobody lists; again as often
                               as it is seen */
    HEALTH_NEWS_TRUTH,      /* it does not any more */
    HEALTH_NEWS_LIFE        /* of a list that has no test entry, or need not
                               have one; again once a day */
} health_news_what_t;

typedef struct {
    health_news_what_t   what;
    const list_t        *list;
    rbl_family_t         family;
    unsigned             resolver;
    uint32_t             ttl;           /* of a lie */
    double               age;           /* s since it was seen in order */
    unsigned             entry;         /* 1: it has a test entry */
    unsigned             soa;           /* dns_answer_t: the most labels of what
                                           it does not have; 0: not known */
} health_news_t;

typedef void (*health_news_pt)(void *data, const health_news_t *news);

/* One listens; NULL: nobody. */
void health_listen(health_t *health, health_news_pt listen, void *data);

/* A list that lies has listed something with that TTL, which may be a lie. */
void health_note_listing(health_t *health, const list_t *list,
    rbl_family_t family, unsigned resolver, uint32_t ttl);

/* How soon a bad list is asked again (s), at first; 30 until this is called. */
void health_retry_after(health_t *health, double seconds);

/*
 * What is known within the last minutes.  0: nothing, it has to be asked for
 * (HEALTH_KNOWN).
 */
int health_look(health_t *health, const list_t *list, rbl_family_t family,
    unsigned resolver, health_verdict_t *verdict);

/*
 * An answer of the list was none that counts: its controls are asked, if they
 * were not lately, so that its state is known and the operator told.
 */
void health_doubt(health_t *health, const list_t *list, rbl_family_t family,
    unsigned resolver);

/*
 * The call back comes exactly once, never from inside this call, unless the
 * question is dropped.  Controls are asked for all that wait together.
 * NULL: out of memory.
 */
health_q_t *health_ask(health_t *health, const list_t *list,
    rbl_family_t family, unsigned resolver, health_need_t need,
    health_done_pt done, void *data);
void health_drop(health_q_t *q);

/*
 * The same with a sample of addresses or names that nobody has a reason to
 * list; a list that knows nearly all of them is lying.
 */
health_q_t *health_sample(health_t *health, const list_t *list,
    rbl_family_t family, unsigned resolver, health_done_pt done, void *data);

/*
 * Was another list than this one found in order through the resolver since
 * then, so that the resolver is not to blame for what this one does?
 */
int health_vouches(const health_t *health, unsigned resolver,
    const list_t *list, double since);

/* The resolver after that one; behind the last the first. */
unsigned health_resolver_next(const health_t *health, unsigned resolver);

/* What is known now, without asking; walks, *at 0 at first.  0: no more. */
typedef struct {
    const char      *sid, *zone;
    rbl_family_t     family;
    unsigned         resolver;
    health_state_t   state;
    double           since;     /* when the state began */
} health_known_t;

int health_each(const health_t *health, size_t *at, health_known_t *known);

#endif /* HEALTH_H_INCLUDED */
