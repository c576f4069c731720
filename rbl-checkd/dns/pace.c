/*
 * The order of sending.
 *
 * An owner is the system, with all system lists, or an account with its own
 * lists.  A pacing class has the queries of one owner for one list; one
 * nameless class has those without a list.  Queries wait in the queue of their
 * class.  Classes with waiting queries are in the ready list of their owner,
 * which sends one query of each in turn, or in the throttled list until the
 * time of their next query.  A class that has its share on the wire is in
 * neither list.  So a dead list, whose queries all stay on the wire until they
 * time out, does not take the slots of others.
 *
 * The system goes first.  Accounts with own lists send one query each in turn,
 * as long as they have room.  An account that has its share on the wire, or has
 * used up its rate, is skipped.
 *
 * Accounts have budgets for the queries of their own lists: in flight, over TCP
 * and per second, over all their zones.  An account has two owners: one for its
 * data queries, and one for the probes (test points and random names), which
 * have a fifth of the rate.  The rate of an owner is kept by one time, `due`:
 * each query moves it on by 1 / rate, and it may be as far ahead of the clock
 * as the burst is long.  A whole burst is enough for ten checks with 200 lists,
 * or for the test points of 200 lists.
 *
 * The rate of a class is kept as the time of its next query; queries may be
 * sent up to PACE_SLACK earlier, so that high rates do not depend on the
 * resolution of timers.
 *
 * The tables own the owners and classes.  Both outlive their queries, since
 * the rate must be remembered.  They are freed when another one joins their
 * slot and they are no longer needed.
 */

#include "base/xalloc.h"
#include "dns_int.h"
#include "rbl_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWNER_PROBES       5        /* probes get one fifth of the rate */
#define OWNER_BURST        20.0     /* s of the rate that may be sent at once */
#define OWNER_PROBE_BURST  60.0

#define TRIAL_MIN  1.0
#define TRIAL_MAX  30.0

#define PACE_SLACK  0.01
#define PACE_TICK   0.002


/* --- owners --------------------------------------------------------------- */

static void
owner_set(dns_owner_t *owner, dns_engine_t *engine)
{
    owner->engine = engine;
    link_init(&owner->link);
    link_init(&owner->ready);
    link_init(&owner->tcp_link);
    link_init(&owner->tcp_ready);
}


static size_t
owner_slot(const dns_payer_t *payer)
{
    return (size_t) (payer->account ^ payer->account >> 32) % DNS_OWNERS;
}


static int
owner_is(const dns_owner_t *owner, const dns_payer_t *payer)
{
    return owner->account == payer->account && owner->probe == payer->probe;
}


/* Owners without classes are freed when their whole burst is available
   again. */
static int
owner_idle(const dns_owner_t *owner)
{
    return owner->refs == 0 && link_empty(&owner->link)
           && owner->due <= owner->engine->now;
}


/* The owner for the payer; NULL: there is none, and none is to be made. */
static dns_owner_t *
owner_get(dns_engine_t *engine, const dns_payer_t *payer, int make)
{
    dns_owner_t  **at, *owner;

    if (payer == NULL || payer->account == 0) {
        return &engine->system;
    }

    at = &engine->owner[owner_slot(payer)];

    while ((owner = *at) != NULL) {
        if (owner_is(owner, payer)) {
            return owner;
        }

        if (owner_idle(owner)) {
            *at = owner->next;
            link_remove(&owner->tcp_link);
            free(owner);
            continue;
        }

        at = &owner->next;
    }

    if (!make) {
        return NULL;
    }

    owner = xcalloc(1, sizeof(dns_owner_t));
    owner_set(owner, engine);
    owner->account = payer->account;
    owner->probe = payer->probe;
    *at = owner;

    return owner;
}


/* Adds the owner to those that may send, if it has a class that may; not if its
   rate is used up. */
static void
owner_wake(dns_owner_t *owner)
{
    if (owner->account != 0 && owner->n_ready != 0
        && link_empty(&owner->link))
    {
        link_add(&owner->engine->owners, &owner->link);
        owner->engine->n_owners++;
    }
}


static unsigned
owner_share(unsigned all, unsigned part)
{
    return all / part ? all / part : 1;
}


/* Is one more query in flight within the share of the owner, and of all own
   lists? */
static int
owner_room(const dns_owner_t *owner)
{
    return owner->account == 0
           || owner->in_flight < owner_share(owner->engine->conf.max_in_flight,
                                             DNS_SHARE);
}


static int
owner_part(const dns_engine_t *engine)
{
    return engine->own_in_flight < owner_share(engine->conf.max_in_flight,
                                               DNS_OWN_PART);
}


/* System lists leave an eighth of the slots to own lists. */
int
dns_owner_tcp_room(const dns_owner_t *owner)
{
    unsigned             max;
    const dns_engine_t  *engine;

    engine = owner->engine;
    max = engine->conf.max_tcp;

    if (engine->n_tcp >= max) {
        return 0;
    }

    if (owner->account == 0) {
        return owner->n_tcp < max - max / DNS_SHARE;
    }

    return owner->n_tcp < owner_share(max, DNS_SHARE)
           && engine->own_tcp < owner_share(max, DNS_OWN_PART);
}


static double
owner_rate(const dns_owner_t *owner)
{
    double  rate;

    rate = owner->account == 0 ? 0 : owner->engine->conf.own_rate;

    return owner->probe ? rate / OWNER_PROBES : rate;
}


/* The time at which the rate allows the next query. */
static double
owner_due(const dns_owner_t *owner)
{
    return owner->due - (owner->probe ? OWNER_PROBE_BURST : OWNER_BURST);
}


static void
owner_spend(dns_owner_t *owner)
{
    double  rate;

    rate = owner_rate(owner);

    if (rate > 0) {
        owner->due = (owner->due > owner->engine->now ? owner->due
                      : owner->engine->now) + 1 / rate;
    }
}


double
dns_behind(dns_engine_t *engine, const dns_payer_t *payer)
{
    double              behind, rate;
    const dns_owner_t  *owner;

    owner = owner_get(engine, payer, 0);
    rate = owner != NULL ? owner_rate(owner) : 0;

    if (rate <= 0) {
        return 0;
    }

    behind = owner_due(owner) - clock_now()
             + (owner->queries - owner->in_flight) / rate;

    return behind > 0 ? behind : 0;
}


static void
owner_free(dns_engine_t *engine)
{
    unsigned      i;
    dns_owner_t  *owner, *next;

    for (i = 0; i < DNS_OWNERS; i++) {
        for (owner = engine->owner[i]; owner; owner = next) {
            next = owner->next;
            free(owner);
        }
    }
}


/* --- classes -------------------------------------------------------------- */

int
dns_class_limited(const dns_class_t *class)
{
    return class->name[0] != '\0';
}


static dns_class_t **
class_slot(dns_engine_t *engine, const dns_owner_t *owner, const char *name)
{
    uint64_t  hash;

    hash = rbl_hash(rbl_str(name), engine->seed);
    hash ^= owner->account + owner->probe;

    return &engine->classes[hash % DNS_CLASSES];
}


/* Finds the class, and frees classes of its slot that are no longer needed;
   NULL: none. */
static dns_class_t *
class_find(dns_engine_t *engine, const dns_payer_t *payer, const char *name)
{
    dns_class_t        **at, *class;
    const dns_owner_t   *owner;

    owner = owner_get(engine, payer, 0);

    if (owner == NULL) {
        return NULL;
    }

    at = class_slot(engine, owner, name);

    while ((class = *at) != NULL) {
        if (class->owner == owner && strcmp(class->name, name) == 0) {
            return class;
        }

        if (class->refs == 0 && !class->listed
            && class->turn < engine->now)
        {
            *at = class->next;
            link_remove(&class->tcp_link);
            class->owner->refs--;
            free(class);
            continue;
        }

        at = &class->next;
    }

    return NULL;
}


dns_class_t *
dns_class_get(dns_engine_t *engine, const dns_payer_t *payer)
{
    size_t         n;
    const char    *name;
    dns_class_t  **at, *class;
    dns_owner_t   *owner;

    name = payer != NULL && payer->zone != NULL ? payer->zone : "";
    class = class_find(engine, payer, name);

    if (class != NULL) {
        class->refs++;
        class->owner->queries++;
        return class;
    }

    owner = owner_get(engine, payer, 1);
    at = class_slot(engine, owner, name);
    n = strlen(name) + 1;
    class = xcalloc(1, sizeof(dns_class_t) + n);
    memcpy(class->name, name, n);
    link_init(&class->queue);
    link_init(&class->tcp_link);
    link_init(&class->tcp_queue);
    class->owner = owner;
    owner->refs++;
    class->refs = 1;
    owner->queries++;
    class->next = *at;
    *at = class;

    return class;
}


void
dns_class_put(dns_class_t *class)
{
    class->refs--;
    class->owner->queries--;
}


static int
class_mute(const dns_class_t *class)
{
    return class->lost >= DNS_MUTE && dns_class_limited(class)
           && class->owner->engine->counters.replies > class->replies;
}


int
dns_class_hopeless(const dns_query_t *q)
{
    const dns_class_t  *class;

    class = q->class;

    return class->lost >= DNS_MUTE && !q->probe && q->sends == 0
           && (class->trials != 0 || q->engine->now < class->trial_at)
           && class_mute(class);
}


static void
class_sends(dns_query_t *q)
{
    if (!q->probe && !q->trial && class_mute(q->class)) {
        q->trial = 1;
        q->class->trials++;
    }
}


/* A probe of a silent list got a response: the list works again. */
static void
class_back(const dns_query_t *q)
{
    dns_class_t  *class;
    dns_payer_t   payer;

    memset(&payer, 0, sizeof(payer));
    payer.account = q->class->owner->account;
    class = class_find(q->engine, &payer, q->class->name);

    if (class != NULL) {
        class->trial_at = class->trial_wait = 0;
    }
}


void
dns_class_heard(const dns_query_t *q)
{
    if (q->probe && q->class->probe_lost) {
        q->class->probe_lost = 0;
        class_back(q);
    }

    if (!q->probe) {
        q->class->lost = 0;
        q->class->trial_at = q->class->trial_wait = 0;
    }
}


static void
class_pause(dns_class_t *class)
{
    double  wait;

    wait = class->trial_wait * 2;
    wait = wait > TRIAL_MIN ? wait : TRIAL_MIN;
    class->trial_wait = wait < TRIAL_MAX ? wait : TRIAL_MAX;
    class->trial_at = class->owner->engine->now + class->trial_wait;
}


void
dns_class_end(const dns_query_t *q, int timed_out)
{
    dns_class_t  *class;

    class = q->class;
    class->trials -= q->trial;
    class->probe_lost |= q->probe && timed_out && q->sends != 0;

    if (q->trial && timed_out) {
        class_pause(class);
    }

    if (timed_out && !q->probe && q->sends != 0 && class->lost++ == 0) {
        class->replies = q->engine->counters.replies;
    }
}


int
dns_mute(dns_engine_t *engine, const dns_payer_t *payer)
{
    const dns_class_t  *class;

    class = class_find(engine, payer, payer->zone);

    return class != NULL && class_mute(class);
}


/* --- queues --------------------------------------------------------------- */

/* Is the next query of the queue already in flight? */
static int
pace_hedged(const dns_class_t *class)
{
    return !link_empty(&class->queue)
           && ((dns_query_t *) class->queue.next)->hedge;
}


/* A class that needs no slot goes first, since an owner without room looks no
   further. */
static void
pace_ready(dns_class_t *class)
{
    dns_owner_t  *owner;

    owner = class->owner;
    class->listed = 1;
    link_add(pace_hedged(class) ? owner->ready.next : &owner->ready,
             &class->link);
    owner->n_ready++;
    owner_wake(owner);
}


static void
pace_set_timer(dns_engine_t *engine, double at)
{
    double  wait;

    if (engine->pace_at != 0 && engine->pace_at <= at) {
        return;
    }

    wait = at - engine->now;
    wait = wait > PACE_TICK ? wait : PACE_TICK;

    timer_in(&engine->pace, wait);
    engine->pace_at = at;
}


/* Does the class have its share on the wire? */
static int
pace_full(const dns_engine_t *engine, const dns_class_t *class)
{
    return dns_class_limited(class)
           && class->in_flight >= owner_share(engine->conf.max_in_flight,
                                              DNS_SHARE);
}


static double
pace_due(const dns_class_t *class)
{
    return class->turn - PACE_SLACK;
}


/* Wakes the accounts that may send again; returns the earliest time of the
   others. */
static double
pace_wake_owners(dns_engine_t *engine)
{
    double        next;
    link_t       *link, *after;
    dns_owner_t  *owner;

    next = INFINITY;

    for (link = engine->resting.next; link != &engine->resting; link = after) {
        after = link->next;
        owner = link_of(link, dns_owner_t, link);

        if (owner_due(owner) <= engine->now) {
            link_remove(link);
            owner_wake(owner);

        } else if (owner_due(owner) < next) {
            next = owner_due(owner);
        }
    }

    return next;
}


/* Looks at all throttled classes, since there are few lists. */
static void
pace_timer(void *data)
{
    double         next;
    link_t        *link, *after;
    dns_class_t   *class;
    dns_engine_t  *engine;

    engine = data;
    engine->now = clock_now();
    engine->pace_at = 0;
    next = pace_wake_owners(engine);

    for (link = engine->throttled.next; link != &engine->throttled;
         link = after)
    {
        after = link->next;
        class = (dns_class_t *) link;

        if (pace_due(class) <= engine->now) {
            link_remove(link);
            class->throttled = 0;
            pace_ready(class);

        } else if (pace_due(class) < next) {
            next = pace_due(class);
        }
    }

    if (next < INFINITY) {
        pace_set_timer(engine, next);
    }
}


int
dns_pace_init(dns_engine_t *engine,
    void (*send)(dns_query_t *q, unsigned at),
    void (*fail)(dns_query_t *q, dns_status_t status))
{
    uint16_t  high, low;

    engine->send = send;
    engine->fail = fail;
    link_init(&engine->owners);
    link_init(&engine->resting);
    link_init(&engine->tcp_owners);
    link_init(&engine->throttled);
    owner_set(&engine->system, engine);
    timer_init(&engine->pace, engine->loop, pace_timer, engine);

    if (dns_random(engine, &high) != 0 || dns_random(engine, &low) != 0) {
        return -1;
    }

    engine->seed = (uint32_t) high << 16 | low;
    return 0;
}


void
dns_list_free(link_t *list)
{
    link_t  *link, *next;

    for (link = list->next; link != list; link = next) {
        next = link->next;
        dns_set_put(((dns_query_t *) link)->set);
        dns_set_put(((dns_query_t *) link)->from);
        free(link);
    }

    link_init(list);
}


void
dns_pace_free(dns_engine_t *engine)
{
    unsigned      i;
    dns_class_t  *class, *next;

    timer_stop(&engine->pace);

    for (i = 0; i < DNS_CLASSES; i++) {
        for (class = engine->classes[i]; class; class = next) {
            next = class->next;
            dns_list_free(&class->queue);
            dns_list_free(&class->tcp_queue);
            free(class);
        }
    }

    owner_free(engine);
}


void
dns_pace_queue(dns_query_t *q, int retry)
{
    dns_class_t  *class;

    class = q->class;
    q->state = DNS_WAITING;
    q->engine->counters.waiting++;
    dns_wake(q->engine);
    link_add(retry ? class->queue.next : &class->queue, &q->link);
    link_remove(&q->timer);

    if (q->open) {
        q->hedge = 1;
        q->engine->n_hedges++;
        q->engine->own_hedges += class->owner->account != 0;
        dns_wheel_put(q, q->expires);
    }

    if (class->listed && !class->throttled && q->hedge) {
        link_remove(&class->link);
        class->owner->n_ready--;
        pace_ready(class);

    } else if (!class->listed
               && (q->hedge || !pace_full(q->engine, class)))
    {
        pace_ready(class);
    }

    if (q->hedge) {
        owner_wake(class->owner);
    }
}


void
dns_pace_on_wire(dns_query_t *q)
{
    dns_owner_t  *owner;

    owner = q->class->owner;
    q->class->in_flight++;
    owner->in_flight++;
    q->engine->own_in_flight += owner->account != 0;
    q->engine->counters.in_flight++;
}


void
dns_pace_off_wire(dns_query_t *q)
{
    dns_class_t  *class;
    dns_owner_t  *owner;

    class = q->class;
    owner = class->owner;
    class->in_flight--;
    owner->in_flight--;
    q->engine->own_in_flight -= owner->account != 0;
    q->engine->counters.in_flight--;

    if (!class->listed && !link_empty(&class->queue)) {
        pace_ready(class);
        dns_wake(q->engine);
    }

    owner_wake(owner);
}


void
dns_pace_alone(dns_query_t *q)
{
    q->engine->n_hedges -= q->hedge;
    q->engine->own_hedges -= q->hedge && q->class->owner->account != 0;
    q->hedge = 0;
}


/*
 * An empty class stays in its list until its turn; only dns_pace_run() takes
 * classes out.
 */
void
dns_pace_unqueue(dns_query_t *q)
{
    link_remove(&q->link);
    dns_pace_alone(q);
    q->engine->counters.waiting--;
}


/* --- sending -------------------------------------------------------------- */

/* Are all resolvers full?  Zones have their own servers. */
static int
pace_all_full(const dns_engine_t *engine)
{
    unsigned  i;

    if (engine->conf.direct) {
        return 0;
    }

    for (i = 0; i < engine->resolvers->n; i++) {
        if (engine->resolvers->server[i]->in_flight
            < engine->conf.max_in_flight)
        {
            return 0;
        }
    }

    return 1;
}


static void
pace_send(dns_engine_t *engine, dns_class_t *class, dns_query_t *q,
    unsigned at)
{
    engine->counters.hedged += q->hedge;
    dns_pace_unqueue(q);
    pace_ready(class);

    if (engine->conf.zone_rate > 0 && dns_class_limited(class)) {
        class->turn = (class->turn > engine->now ? class->turn : engine->now)
                      + 1 / engine->conf.zone_rate;
    }

    class_sends(q);
    owner_spend(class->owner);
    dns_server_use(q->set->server[at]);
    engine->send(q, at);
}


/* Fails a query of a hopeless class at once: its check need not wait. */
static void
pace_fail(dns_class_t *class, dns_query_t *q)
{
    dns_pace_unqueue(q);
    pace_ready(class);
    q->engine->fail(q, DNS_TIMEOUT);
}


/* Sends one query of the owner.  1; 0: none may be sent now. */
static int
pace_one(dns_engine_t *engine, dns_owner_t *owner, int hedges)
{
    unsigned         blocked, at;
    dns_class_t     *class;
    dns_query_t     *q;

    blocked = 0;

    while (blocked < owner->n_ready) {
        class = (dns_class_t *) owner->ready.next;

        if (hedges && !pace_hedged(class)) {
            break;
        }

        link_remove(&class->link);
        owner->n_ready--;
        q = (dns_query_t *) class->queue.next;

        if (link_empty(&class->queue)
            || (!q->hedge && pace_full(engine, class)))
        {
            class->listed = 0;
            continue;
        }

        if (dns_class_hopeless(q)) {
            pace_fail(class, q);
            continue;
        }

        if (pace_due(class) > engine->now) {
            class->throttled = 1;
            link_add(&engine->throttled, &class->link);
            pace_set_timer(engine, pace_due(class));
            continue;
        }

        at = dns_set_pick(q);

        if (!dns_set_room(q, at)) {
            link_add(hedges ? owner->ready.next : &owner->ready,
                     &class->link);
            owner->n_ready++;

            if (hedges || (engine->n_hedges == 0 && pace_all_full(engine))) {
                break;
            }

            blocked++;
            continue;
        }

        pace_send(engine, class, q, at);
        return 1;
    }

    return 0;
}


/*
 * Serves the next account in turn.  1: it has sent; 0: it has not, and was put
 * behind the others, or waits for room or time.
 */
static int
pace_owner(dns_engine_t *engine)
{
    int           room, sent;
    dns_owner_t  *owner;

    owner = link_of(link_shift(&engine->owners), dns_owner_t, link);
    engine->n_owners--;

    if (owner_due(owner) > engine->now) {
        link_add(&engine->resting, &owner->link);
        pace_set_timer(engine, owner_due(owner));
        return 0;
    }

    room = owner_room(owner);
    sent = pace_one(engine, owner, !room || !owner_part(engine));

    if (sent || room) {
        owner_wake(owner);
    }

    return sent;
}


/* Sends a query for an own list.  1; 0: none may be sent now. */
static int
pace_own(dns_engine_t *engine)
{
    unsigned  i;

    if (!owner_part(engine) && engine->own_hedges == 0) {
        return 0;
    }

    for (i = engine->n_owners; i; i--) {
        if (pace_owner(engine)) {
            engine->since_own = 0;
            return 1;
        }
    }

    return 0;
}


/* Own lists get a free slot at least once in DNS_SHARE times. */
void
dns_pace_run(dns_engine_t *engine)
{
    int  sent;

    do {
        sent = 0;

        if (engine->since_own >= DNS_SHARE) {
            engine->since_own = 0;
            sent = pace_own(engine);
        }

        if (pace_one(engine, &engine->system, 0)) {
            engine->since_own++;
            sent = 1;

        } else if (!sent) {
            sent = pace_own(engine);
        }
    } while (sent);
}
