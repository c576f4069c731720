/*
 * Requests for the health of lists in a simulated world.
 */

#ifndef HEALTH_ASK_H_INCLUDED
#define HEALTH_ASK_H_INCLUDED

#include "health_world.h"

#define IN_TIME  20.0

static health_t  *health;
static unsigned   inside;


/* --- asking ------------------------------------------------------------- */

typedef struct {
    int               n;
    health_verdict_t  v;
} told_t;

static list_t *
list_of(const char *zone, int64_t families, const char *control)
{
    list_t  *list;

    list = list_make(RBL_STR(""), RBL_STR("rbl"), control == NULL,
                     rbl_str(zone), RBL_STR(""), families);
    snprintf(list->sid, sizeof(list->sid), "BL%s", zone);
    if (control != NULL) {
        list->control = (char *) control;
    }

    return list;
}


static zone_t *
world(const char *zone, unsigned resolver, way_t way, uint32_t ttl)
{
    zone_t  *z = &zones[n_zones++];

    memset(z, 0, sizeof(zone_t));
    z->zone = zone;
    z->resolver = resolver;
    z->way = way;
    z->ttl = ttl;

    return z;
}


static void
on_told(void *data, const health_verdict_t *v)
{
    told_t  *t = data;

    t->n += 1 + inside * 100;
    t->v = *v;
}


static void
run_until(const told_t *t, int n)
{
    double  end = clock_now() + IN_TIME;

    while (t->n < n && clock_now() < end) {
        ev_run(loop, EVRUN_ONCE);
    }
}


static health_q_t *
put(const list_t *list, rbl_family_t family, unsigned resolver,
    health_need_t need, told_t *t)
{
    health_q_t  *q;

    inside = 1;
    q = health_ask(health, list, family, resolver, need, on_told, t);
    inside = 0;

    return q;
}


static health_verdict_t
ask(const list_t *list, rbl_family_t family, unsigned resolver,
    health_need_t need)
{
    told_t  t = { 0 };

    put(list, family, resolver, need, &t);
    run_until(&t, 1);
    if (t.n != 1) {
        t.v.state = (health_state_t) -1;
    }

    return t.v;
}


#define V4  RBL_FAMILY_IPV4
#define V6  RBL_FAMILY_IPV6
#define DOM RBL_FAMILY_DOMAIN


static void
fresh(void)
{
    health_free(health);
    health = health_new(loop, NULL);
    n_zones = 0;
    asked = 0;
}

#endif /* HEALTH_ASK_H_INCLUDED */
