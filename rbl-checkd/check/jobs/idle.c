/*
 * Queries of a daemon that hears nothing, or nothing but that names do not
 * exist.  The lists take turns.
 */

#include "idle.h"

#include "base/timer.h"
#include "base/xalloc.h"
#include "check/lists/names.h"

#include <stdlib.h>
#include <string.h>

#define FIRST   1.0                     /* s after the start */
#define EVERY   5.0                     /* s */
#define QUIET  20.0                     /* s without a response, or proof */
#define LISTS  3

typedef struct {
    idle_t        *idle;
    list_t        *list;
    rbl_family_t   family;
    dns_query_t   *query;               /* NULL: none is under way */
    dns_status_t   status, search;      /* of its response */
    uint32_t       server;
} idle_ask_t;

struct idle_s {
    const checker_t  *checker;
    loop_timer_t      timer;
    size_t            next;             /* in the table of lists */
    unsigned          n, open;
    unsigned          heard:1;
    idle_ask_t        ask[LISTS];
};


static void
forget(idle_t *idle)
{
    unsigned  i;

    for (i = 0; i < idle->n; i++) {
        dns_cancel(idle->ask[i].query);
        idle->ask[i].query = NULL;
        list_unref(idle->ask[i].list);
    }

    idle->n = idle->open = 0;
}


static void on_answer(void *data, const dns_answer_t *answer);


/* Half a millisecond of the clock makes a name that no cache has. */

static uint64_t
fresh(void)
{
    return (uint64_t) (clock_now() * 2000) * UINT64_C(0x9e3779b97f4a7c15);
}


/* A name that the list does not have; a resolver has no response for it. */

static int
ask_list(idle_ask_t *ask, dns_engine_t *dns)
{
    int           kind;
    unsigned      family;
    names_t       name;
    dns_payer_t   payer;

    payer = list_payer(ask->list, 1);

    for (kind = NAMES_RANDOM; kind <= NAMES_SAMPLE; kind++) {
        for (family = RBL_FAMILY_IPV4; family <= RBL_FAMILY_DOMAIN;
             family <<= 1)
        {
            if (names_point(&name, ask->list, (rbl_family_t) family,
                            (names_point_t) kind, fresh()))
            {
                ask->family = (rbl_family_t) family;
                ask->query = dns_ask(dns, name.s, DNS_TYPE_A, &payer,
                                     on_answer, ask);
                return ask->query != NULL;
            }
        }
    }

    return 0;
}


static int
is_other(const idle_t *idle, const list_t *list)
{
    unsigned     i;
    const char  *owner;

    owner = names_owner(list->zone);

    for (i = 0; i < idle->n; i++) {
        if (strcmp(names_owner(idle->ask[i].list->zone), owner) == 0) {
            return 0;
        }
    }

    return 1;
}


static int
usable(const list_t *list)
{
    return strcmp(list->status, "active") == 0 && list->day_quota == 0;
}


/* 1: there are lists that say something of DNS; then the others, whose servers
   the operator gave, are left out (health.h). */

static int
searched(const idle_t *idle)
{
    size_t         i;
    const list_t  *list;

    for (i = 0; i < table_count(idle->checker->table); i++) {
        list = table_at(idle->checker->table, i);

        if (usable(list) && list->n_servers == 0) {
            return 1;
        }
    }

    return 0;
}


/* The list whose turn it is; NULL: it is left out.  found: see searched. */

static list_t *
turn(idle_t *idle, int found)
{
    list_t         *list;
    const table_t  *table = idle->checker->table;

    list = table_at(table, idle->next++ % table_count(table));

    return usable(list) && !(found && list->n_servers != 0) ? list : NULL;
}


/* Queries lists until there are `n`. */

static void
ask_lists(idle_t *idle, unsigned n)
{
    int            found;
    size_t         i, count;
    list_t        *list;
    idle_ask_t    *ask;

    count = table_count(idle->checker->table);
    found = searched(idle);

    for (i = 0; i < count && idle->n < n; i++) {
        list = turn(idle, found);

        if (list == NULL || !is_other(idle, list)) {
            continue;
        }

        ask = &idle->ask[idle->n];
        ask->idle = idle;
        ask->list = list_ref(list);

        if (ask_list(ask, idle->checker->dns)) {
            idle->n++;
            idle->open++;

        } else {
            list_unref(ask->list);
        }
    }
}


static void
test(idle_t *idle)
{
    unsigned      i;
    idle_ask_t   *ask;
    health_t     *health = idle->checker->env.health;

    for (i = 0; i < idle->n; i++) {
        ask = &idle->ask[i];

        if (ask->status == DNS_UNFOUND) {
            (void) health_unfound(health, ask->list, ask->search);

        } else {
            health_test(health, ask->list, ask->family, ask->server);
        }
    }
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    health_dns_t   dns;
    idle_ask_t    *ask = data;
    idle_t        *idle = ask->idle;
    health_t      *health = idle->checker->env.health;

    ask->query = NULL;
    ask->status = answer->status;
    ask->search = answer->search;
    ask->server = answer->server;
    idle->open--;

    if (answer->status != DNS_UNFOUND) {
        health_heard(health, ask->list, ask->family, answer->server,
                     answer->status);
    }

    idle->heard |= health_quiet(health) < EVERY;

    if (idle->open != 0) {
        return;
    }

    health_dns(health, &dns);

    if (!idle->heard && idle->n == 1 && dns.kind == HEALTH_DNS_WORKS) {
        ask_lists(idle, LISTS);
    }

    if (idle->open == 0) {
        if (!idle->heard) {
            test(idle);
        }

        forget(idle);
    }
}


/* Tests the next list with a positive test point through the resolver. */

static void
prove(idle_t *idle, unsigned resolver)
{
    int            found;
    size_t         i, count;
    unsigned       family;
    names_t        name;
    const list_t  *list;

    count = table_count(idle->checker->table);
    found = searched(idle);

    for (i = 0; i < count; i++) {
        list = turn(idle, found);

        if (list == NULL) {
            continue;
        }

        for (family = RBL_FAMILY_IPV4; family <= RBL_FAMILY_DOMAIN;
             family <<= 1)
        {
            if (names_point(&name, list, (rbl_family_t) family,
                            NAMES_POSITIVE, 0))
            {
                health_test(idle->checker->env.health, list,
                            (rbl_family_t) family, resolver);
                return;
            }
        }
    }
}


static void
on_timer(void *data)
{
    double           limit;
    unsigned         i;
    health_dns_t     dns;
    idle_t          *idle = data;
    const health_t  *health = idle->checker->env.health;

    health_dns(health, &dns);
    limit = health_unheard(health) ? 0
            : dns.kind != HEALTH_DNS_WORKS ? EVERY / 2 : QUIET;

    if (idle->n == 0 && health_quiet(health) >= limit) {
        idle->heard = 0;
        ask_lists(idle, 1);
    }

    if (dns.kind != HEALTH_DNS_WORKS || dns_direct(idle->checker->dns)) {
        return;
    }

    for (i = 0; i < idle->checker->conf->dns.n_resolvers; i++) {
        if (health_unproven(health, i) >= QUIET) {
            prove(idle, i);
        }
    }
}


idle_t *
idle_new(const checker_t *checker)
{
    idle_t  *idle;

    idle = xcalloc(1, sizeof(idle_t));
    idle->checker = checker;
    timer_init(&idle->timer, checker->loop, on_timer, idle);
    timer_every(&idle->timer, FIRST, EVERY);

    return idle;
}


void
idle_free(idle_t *idle)
{
    if (idle == NULL) {
        return;
    }

    forget(idle);
    timer_stop(&idle->timer);
    free(idle);
}
