/*
 * A look: INFO, TIME and CLUSTER NODES of every node that is ready.  The facts
 * change when all have answered; a look with a lost answer is dropped.
 */

#include "conditions_store.h"

#include "base/clock.h"
#include "base/xalloc.h"
#include "rbl_role.h"

#include <stdlib.h>
#include <time.h>

#define EVERY  30.0                     /* s */
#define SOON   5.0                      /* s, while something is missing */
#define SLOW   2000                     /* ms; a reply that took longer does not
                                           tell the time */

struct conditions_store_s {
    store_t         *store;
    rbl_place_kind_t  kind;
    double           looked;            /* 0: never */
    unsigned         open;              /* replies to come */
    int              lost;
    int64_t          asked;             /* ms */
    store_facts_t    now, next;
};


static int64_t
clock_ms(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_REALTIME, &ts);

    return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}


static int
moving(const rbl_shape_t *shape)
{
    return shape->open > 0 || shape->idle > 0;
}


static void
landed(conditions_store_t *s, const redisReply *reply)
{
    s->lost |= reply == NULL;

    if (--s->open == 0 && !s->lost) {
        s->next.most = s->next.replicas > s->now.most ? s->next.replicas
                                                      : s->now.most;
        s->next.unmoved = moving(&s->now.shape);
        s->now = s->next;
    }
}


static double
every(const conditions_store_t *s)
{
    const store_facts_t      *f = &s->now;
    const store_sentinels_t  *sentinels = store_sentinels(s->store);

    return f->replicas < f->most || f->shape.away > 0 || moving(&f->shape)
           || sentinels->up < sentinels->n || sentinels->named > 1
           || (int64_t) f->replicas < sentinels->replicas ? SOON : EVERY;
}


static void
on_shape(void *data, const redisReply *reply)
{
    conditions_store_t  *s = data;

    rbl_shape_add(&s->next.shape, reply);
    landed(s, reply);
}


static void
on_replication(void *data, const redisReply *reply)
{
    rbl_replicas_t       replicas;
    conditions_store_t  *s = data;

    if (rbl_role(reply) == RBL_ROLE_MASTER) {
        rbl_replicas(&replicas, reply);
        s->next.replicas += (unsigned) replicas.replicas;
        s->next.bare += replicas.replicas == 0;
        s->next.lag = replicas.lag > s->next.lag ? replicas.lag : s->next.lag;
        s->next.nodes++;
    }

    landed(s, reply);
}


/* "maxmemory_policy:noeviction" */

static void
on_memory(void *data, const redisReply *reply)
{
    static const char    name[] = "maxmemory_policy:";

    rbl_str_t            info = rbl_reply_str(reply), v;
    const char          *p;
    conditions_store_t  *s = data;

    p = info.p != NULL ? memmem(info.p, info.n, name, sizeof(name) - 1) : NULL;

    if (p != NULL && s->next.policy[0] == '\0') {
        v.p = p + sizeof(name) - 1;
        v.n = strcspn(v.p, "\r\n");

        if (!rbl_str_is(v, "noeviction")) {
            rbl_copy(s->next.policy, sizeof(s->next.policy), v);
        }
    }

    landed(s, reply);
}


static void
on_time(void *data, const redisReply *reply)
{
    int64_t              now = clock_ms(), there, ahead;
    conditions_store_t  *s = data;

    there = rbl_reply_time(reply) / 1000;
    ahead = now - there;

    if (there > 0 && now - s->asked >= 0 && now - s->asked < SLOW
        && llabs(ahead) > llabs(s->next.ahead))
    {
        s->next.ahead = ahead;
    }

    landed(s, reply);
}


const store_facts_t *
conditions_store_look(conditions_store_t *s)
{
    double  now = clock_now();

    if (s->open == 0 && store_ready(s->store)
        && (s->looked == 0 || now - s->looked >= every(s)))
    {
        s->looked = now;
        s->lost = 0;
        s->asked = clock_ms();
        memset(&s->next, 0, sizeof(store_facts_t));
        s->open = store_command_all(s->store, on_replication, s,
                      RBL_COMMAND("INFO", RBL_STR("REPLICATION")));
        s->open += store_command_all(s->store, on_memory, s,
                      RBL_COMMAND("INFO", RBL_STR("MEMORY")));
        s->open += store_command_all(s->store, on_time, s,
                      RBL_WORDS(RBL_STR("TIME")));

        if (s->kind == RBL_PLACE_CLUSTER) {
            s->open += store_command_all(s->store, on_shape, s,
                          RBL_COMMAND("CLUSTER", RBL_STR("NODES")));
        }

        store_sentinels_look(s->store);
    }

    return &s->now;
}


const store_facts_t *
conditions_store_known(const conditions_store_t *s)
{
    return &s->now;
}


conditions_store_t *
conditions_store_new(store_t *store, rbl_place_kind_t kind)
{
    conditions_store_t  *s;

    s = xcalloc(1, sizeof(conditions_store_t));
    s->store = store;
    s->kind = kind;

    return s;
}


void
conditions_store_free(conditions_store_t *s)
{
    store_forget(s->store, s);
    free(s);
}
