/*
 * Declarations of the guard's files: the lists and their waiting callers
 * (guard.c), and their calls of list_turn (guard_turn.c).
 */

#ifndef GUARD_INT_H_INCLUDED
#define GUARD_INT_H_INCLUDED

#include "base/link.h"
#include "check/lists/sidmap.h"
#include "guard.h"

typedef enum {
    GUARD_IDLE = 0,
    GUARD_ASKING,
    GUARD_SAMPLING,
    GUARD_THAWING
} guard_state_t;

typedef struct {
    guard_t        *guard;
    char            sid[40];
    list_t         *list;               /* as it was given last */
    guard_state_t   state;
    link_t          waits;              /* the next batch */
    link_t          in_flight;          /* the batch under way */
    unsigned        clear;              /* not reported to the store yet */
    int64_t         turned;             /* listings in the window, by the
                                           store */
    int64_t         frozen;             /* since when, by the store */
    double          second;             /* start of the current second */
    unsigned        answers;            /* responses in it */
    health_q_t     *sample;
    double          since;              /* when it was requested */
    int             kept;               /* caches may still hold responses of
                                           its wildcard */
    ev_timer        timer;              /* the next batch */
    ev_timer        count;              /* reports clear responses alone */
} guard_list_t;

typedef struct {
    link_t          link;
    guard_done_pt   done;
    void           *data;
    rbl_family_t    family;
    uint32_t        server;
} guard_wait_t;

struct guard_s {
    struct ev_loop  *loop;
    store_t         *store;
    health_t        *health;
    sidmap_t         lists;
    link_t           custom;            /* the timer calls them back */
    ev_timer         timer;
};

/* Arms the timer, unless it is armed already. */
void guard_arm(struct ev_loop *loop, ev_timer *timer, double seconds);

/*
 * Calls back all of them, and frees them.  The call backs may make and forget
 * requests; new requests go into the next batch.
 */
void guard_reply(link_t *waits, int go);

void guard_turn_init(guard_list_t *gl);
void guard_turn_stop(guard_list_t *gl);     /* without call backs */

void guard_turn_clear(guard_list_t *gl);    /* counts a clear response */
/* Takes one more waiting caller; guard_turn.c owns it until its call back. */
void guard_turn_wait(guard_list_t *gl, guard_wait_t *w);

#endif /* GUARD_INT_H_INCLUDED */
