/*
 * Pacing classes: the queries of one owner for one list.
 *
 * The table owns them.  A class outlives its queries, since its next turn must
 * be remembered.  Classes that are no longer needed are freed when a new class
 * joins their slot.
 */

#include "base/xalloc.h"
#include "dns_int.h"

#include <stdlib.h>
#include <string.h>

#define TRIAL_MIN  1.0
#define TRIAL_MAX  30.0


int
dns_class_limited(const dns_class_t *class)
{
    return class->name[0] != '\0';
}


static uint32_t
class_hash(uint32_t hash, const dns_owner_t *owner, const char *name)
{
    hash ^= (uint32_t) owner->account + owner->probe;

    while (*name) {
        hash = (hash ^ (uint8_t) *name++) * 16777619u;
    }

    return (hash ^ hash >> 15) % DNS_CLASSES;
}


/* Finds the class in its slot and frees classes that are no longer needed;
   NULL: none. */
static dns_class_t *
class_find(dns_engine_t *engine, dns_class_t **at, const dns_owner_t *owner,
    const char *name)
{
    dns_class_t  *class;

    while ((class = *at) != NULL) {
        if (class->owner == owner && strcmp(class->name, name) == 0) {
            return class;
        }

        if (class->refs == 0 && !class->listed
            && class->turn < engine->now)
        {
            *at = class->next;
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
    owner = dns_owner_get(engine, payer);
    at = &engine->classes[class_hash(engine->seed, owner, name)];
    class = class_find(engine, at, owner, name);

    if (class != NULL) {
        class->refs++;
        class->owner->queries++;
        return class;
    }

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


int
dns_class_mute(const dns_class_t *class)
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
           && dns_class_mute(class);
}


void
dns_class_sends(dns_query_t *q)
{
    if (!q->probe && !q->trial && dns_class_mute(q->class)) {
        q->trial = 1;
        q->class->trials++;
    }
}


/* NULL: no such class. */

static dns_class_t *
class_of(const dns_engine_t *engine, const dns_payer_t *payer)
{
    dns_class_t        *class;
    const dns_owner_t  *owner;

    owner = dns_owner_find(engine, payer);
    class = owner == NULL ? NULL
            : engine->classes[class_hash(engine->seed, owner, payer->zone)];

    while (class != NULL && (class->owner != owner
                             || strcmp(class->name, payer->zone) != 0))
    {
        class = class->next;
    }

    return class;
}


/* A probe of a silent list got a response: the list works again. */

static void
class_back(const dns_query_t *q)
{
    dns_class_t  *class;
    dns_payer_t   payer;

    memset(&payer, 0, sizeof(payer));
    payer.zone = q->class->name;
    payer.account = q->class->owner->account;
    payer.probe = 0;

    class = class_of(q->engine, &payer);

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
dns_mute(const dns_engine_t *engine, const dns_payer_t *payer)
{
    const dns_class_t  *class;

    class = class_of(engine, payer);

    return class != NULL && dns_class_mute(class);
}
