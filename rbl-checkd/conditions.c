/*
 * The faults here, from top to bottom: each function judges some conditions,
 * from facts that other parts of the daemon know.
 */

#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "conditions.h"
#include "rbl_role.h"
#include "rbl_validate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG_PAUSE  60.0                 /* s between two lines of a kind */
#define LATE       (5 * 60 * 1000)      /* ms that checks and messages wait */
#define APART      5000                 /* ms between two clocks */
#define LAG        10                   /* s that a replica is silent */
#define KNOWN      100                  /* replicas that Sentinels may know */
#define LOOKS      2                    /* of Sentinels, in a row */
#define MAIL_KEEP  (3 * 3600.0)         /* s; the longest pause between two
                                           attempts of a mail is shorter */
#define NAMES      3                    /* lists in a reason */
#define EVERY      30.0                 /* s between two looks at the store */
#define SOON       5.0                  /* s, while something is missing */
#define SLOW       2000                 /* ms; a reply that took longer does not
                                           tell the time */

typedef struct {
    const rbl_condition_t  *row;        /* NULL: it is not so now */
    int64_t                 since;      /* ms; 0: it was not so before */
    double                  logged;     /* when the last line was written */
    int                     said;       /* that line said that it is so */
} known_t;

struct conditions_s {
    const checker_t   *checker;
    int64_t            now;             /* ms */
    known_t            known[RBL_CONDITION__N];
    rbl_conditions_t   rows;

    /* The look at the store. */
    double             looked;          /* 0: never */
    unsigned           open;            /* replies to come */
    int                lost;
    int64_t            asked;           /* ms */
    store_facts_t      facts, next;
};

/* Lists in a reason: their number, and the names of the first ones. */
typedef struct {
    unsigned  n;
    char      names[NAMES * 96];
} lists_named_t;


/* Adds a row.  since 0: since it was first seen. */

__attribute__((format(printf, 6, 7)))
static void
row(conditions_t *c, rbl_condition_id_t id, rbl_service_t severity,
    int64_t since, const char *remedy, const char *fmt, ...)
{
    char      reason[RBL_CONDITION_REASON];
    known_t  *known = &c->known[id];
    va_list   ap;

    va_start(ap, fmt);
    vsnprintf(reason, sizeof(reason), fmt, ap);
    va_end(ap);

    if (since != 0 || known->since == 0) {
        known->since = since != 0 ? since : c->now;
    }

    known->row = rbl_conditions_set(&c->rows, id, severity, known->since,
                                    rbl_str(reason), remedy);
}


/* --- DNS ----------------------------------------------------------------- */

static int
active(const list_t *list)
{
    return strcmp(list->status, "active") == 0;
}


/* Do most lists go without DNS, since the operator gave their servers? */

static int
most_apart(const checker_t *checker)
{
    size_t                  i, apart, all;
    const list_t           *list;
    const list_counters_t  *c;

    for (i = apart = all = 0; i < table_count(checker->table); i++) {
        list = table_at(checker->table, i);
        c = counters_find(checker->env.counters, list->sid);
        all += active(list);
        apart += active(list) && list->n_servers != 0
                 && (c == NULL
                     || metrics_health_of(c)->state != HEALTH_RESOLVER);
    }

    return apart * 2 > all;
}


static void
look_dns(conditions_t *c)
{
    int               partly;
    char              remedy[RBL_CONDITION_REMEDY + 32];
    unsigned          bad;
    health_dns_t      dns;
    const checker_t  *checker = c->checker;

    bad = health_dns(checker->env.health, &dns);

    if (bad > 0) {
        partly = most_apart(checker)
                 || (!dns_direct(checker->dns)
                     && bad < checker->conf->dns.n_resolvers);
        snprintf(remedy, sizeof(remedy), "try: %s", dns.command);
        row(c, RBL_CONDITION_DNS, partly ? RBL_SERVICE_DEGRADED
                                         : RBL_SERVICE_BROKEN,
            dns.since, remedy, "%s", dns.why);
    }
}


static void
look_resolvers(conditions_t *c)
{
    unsigned  system = c->checker->conf->system;

    if (system == CONFIG_SYSTEM_NONE || system == CONFIG_SYSTEM_LOST) {
        row(c, RBL_CONDITION_NAMESERVER, RBL_SERVICE_DEGRADED, 0, NULL,
            CONFIG_RESOLV " has no usable nameserver; %s",
            system == CONFIG_SYSTEM_NONE ? "127.0.0.1 is used"
                                         : "the former ones are used");
    }
}


/* --- lists --------------------------------------------------------------- */

static void
name_list(lists_named_t *named, const list_t *list)
{
    size_t  at = strlen(named->names);

    if (named->n++ < NAMES) {
        snprintf(named->names + at, sizeof(named->names) - at, "%s%.90s",
                 at > 0 ? ", " : "", list->zone);

    } else if (named->n == NAMES + 1) {
        snprintf(named->names + at, sizeof(named->names) - at, " ...");
    }
}


/* Does the list give no usable answer, by its own fault?  1; 0; -1: it was not
   tried, or that is not known yet. */

static int
silent(const checker_t *checker, const list_t *list)
{
    const list_counters_t  *counters;

    counters = counters_find(checker->env.counters, list->sid);

    if (counters == NULL || !counters->tried || counters->unsure) {
        return -1;
    }

    switch (metrics_health_of(counters)->state) {

    case HEALTH_UNTRIED:
        return -1;

    case HEALTH_RESOLVER:
    case HEALTH_GOOD:
    case HEALTH_UNSUPPORTED:
        return 0;

    default:
        return 1;
    }
}


/* Lists that were not queried yet may answer, or not. */

static void
look_silent(conditions_t *c, const lists_named_t *bad, unsigned tried,
    unsigned all)
{
    char  rest[48] = "";

    if (bad->n * 2 <= tried) {
        return;
    }

    if (tried < all) {
        snprintf(rest, sizeof(rest), "; not queried yet: %u", all - tried);
    }

    row(c, RBL_CONDITION_SILENT_LISTS, bad->n == tried ? RBL_SERVICE_BROKEN
                                                       : RBL_SERVICE_DEGRADED,
        0, NULL, "%u of %u lists do not answer: %s%s", bad->n, all, bad->names,
        rest);
}


/* A daemon that has just started knows nothing of DNS.  Lists with a quota are
   not queried to learn that (idle.h). */

static void
look_untried(conditions_t *c, unsigned tried, unsigned askable)
{
    health_dns_t     dns;
    const health_t  *health = c->checker->env.health;

    if (tried == 0 && askable > 0 && health_unheard(health)
        && health_dns(health, &dns) == 0)
    {
        row(c, RBL_CONDITION_DNS_UNTRIED, RBL_SERVICE_DEGRADED, 0, NULL,
            "no list has answered since the start");
    }
}


static void
look_lists(conditions_t *c)
{
    int               is;
    size_t            i;
    unsigned          tried, all, askable;
    const list_t     *list;
    lists_named_t     bad = { 0, "" }, critical = { 0, "" }, keys = { 0, "" };
    const checker_t  *checker = c->checker;

    tried = all = 0;
    askable = !table_loaded(checker->table);       /* there may be some */

    for (i = 0; i < table_count(checker->table); i++) {
        list = table_at(checker->table, i);

        if (!active(list)) {
            continue;
        }

        if (list_keyed(list) && list->ask == NULL) {
            name_list(&keys, list);
        }

        is = silent(checker, list);
        tried += is >= 0;
        askable += list->day_quota == 0;
        all++;

        if (is > 0) {
            name_list(&bad, list);

            if (list->weight == RBL_WEIGHT_CRITICAL) {
                name_list(&critical, list);
            }
        }
    }

    look_untried(c, tried, askable);
    look_silent(c, &bad, tried, all);

    if (critical.n > 0) {
        row(c, RBL_CONDITION_CRITICAL_LISTS, RBL_SERVICE_DEGRADED, 0, NULL,
            "critical lists that do not answer: %s", critical.names);
    }

    if (keys.n > 0) {
        row(c, RBL_CONDITION_CREDENTIAL, RBL_SERVICE_DEGRADED, 0, NULL,
            "active lists without their key: %s", keys.names);
    }
}


/* --- what waits ---------------------------------------------------------- */

static void
look_queues(conditions_t *c, const metrics_queues_t *queues)
{
    double   unmailed = queues->deliver == NULL
                        ? 0 : deliver_counters(queues->deliver)->unmailed;
    int64_t  late;

    late = queues->manual_ms > queues->due_ms ? queues->manual_ms
                                              : queues->due_ms;

    if (late > LATE) {
        row(c, RBL_CONDITION_LATE_CHECKS, RBL_SERVICE_DEGRADED,
            c->now - late, NULL, "checks have waited for %lld minutes",
            (long long) late / 60000);
    }

    if (queues->deliver_ms > LATE) {
        row(c, RBL_CONDITION_DELIVERIES, RBL_SERVICE_DEGRADED,
            c->now - queues->deliver_ms, NULL,
            "events and messages have waited for %lld minutes%s",
            (long long) queues->deliver_ms / 60000, queues->deliver == NULL
            ? "; this daemon delivers none (deliver off)" : "");
    }

    if (unmailed != 0 && clock_now() - unmailed < MAIL_KEEP) {
        row(c, RBL_CONDITION_MAIL_SERVER, RBL_SERVICE_DEGRADED, 0, NULL,
            "contacts want mails, and no SMTP server is configured");
    }
}


/* --- the store ----------------------------------------------------------- */

static int
moving(const rbl_shape_t *shape)
{
    return shape->open > 0 || shape->idle > 0;
}


static void
landed(conditions_t *c, const redisReply *reply)
{
    c->lost |= reply == NULL;

    if (--c->open == 0 && !c->lost) {
        c->next.most = c->next.replicas > c->facts.most ? c->next.replicas
                                                        : c->facts.most;
        c->next.unmoved = moving(&c->facts.shape);
        c->facts = c->next;
    }
}


static double
every(const conditions_t *c)
{
    const store_facts_t      *f = &c->facts;
    const store_sentinels_t  *sentinels = store_sentinels(c->checker->store);

    return f->replicas < f->most || f->shape.away > 0 || moving(&f->shape)
           || sentinels->up < sentinels->n || sentinels->named > 1
           || (int64_t) f->replicas < sentinels->replicas ? SOON : EVERY;
}


static void
on_shape(void *data, const redisReply *reply)
{
    conditions_t  *c = data;

    rbl_shape_add(&c->next.shape, reply);
    landed(c, reply);
}


static void
on_replication(void *data, const redisReply *reply)
{
    conditions_t    *c = data;
    rbl_replicas_t   replicas;

    if (rbl_role(reply) == RBL_ROLE_MASTER) {
        rbl_replicas(&replicas, reply);
        c->next.replicas += (unsigned) replicas.replicas;
        c->next.bare += replicas.replicas == 0;
        c->next.lag = replicas.lag > c->next.lag ? replicas.lag : c->next.lag;
        c->next.nodes++;
    }

    landed(c, reply);
}


/* 0: the server does not say it. */

static int64_t
info_number(rbl_str_t info, const char *name)
{
    int64_t  n;

    return rbl_int_parse(&n, rbl_info_value(info, name), 0, INT64_MAX) == RBL_OK
           ? n : 0;
}


static void
add_memory(store_facts_t *facts, rbl_str_t info)
{
    int64_t  most = info_number(info, "maxmemory");

    facts->memory += info_number(info, "used_memory");
    facts->memory_max += most;
    facts->limits += most > 0;
}


/* "maxmemory_policy:noeviction" */

static void
on_memory(void *data, const redisReply *reply)
{
    static const char  name[] = "maxmemory_policy:";

    rbl_str_t      info = rbl_reply_str(reply), v;
    const char    *p;
    conditions_t  *c = data;

    p = info.p != NULL ? memmem(info.p, info.n, name, sizeof(name) - 1) : NULL;

    if (p != NULL && c->next.policy[0] == '\0') {
        v.p = p + sizeof(name) - 1;
        v.n = strcspn(v.p, "\r\n");

        if (!rbl_str_is(v, "noeviction")) {
            rbl_copy(c->next.policy, sizeof(c->next.policy), v);
        }
    }

    add_memory(&c->next, info);
    landed(c, reply);
}


static void
on_time(void *data, const redisReply *reply)
{
    int64_t        now = clock_date(), there, ahead;
    conditions_t  *c = data;

    there = rbl_reply_time(reply) / 1000;
    ahead = now - there;

    if (there > 0 && now - c->asked >= 0 && now - c->asked < SLOW
        && llabs(ahead) > llabs(c->next.ahead))
    {
        c->next.ahead = ahead;
    }

    landed(c, reply);
}


/*
 * A look: INFO, TIME and CLUSTER NODES of every node that is ready.  The facts
 * change when all have answered; a look with a lost answer is dropped.
 */

static void
ask_store(conditions_t *c)
{
    double    now = clock_now();
    store_t  *store = c->checker->store;

    if (c->open == 0 && store_ready(store)
        && (c->looked == 0 || now - c->looked >= every(c)))
    {
        c->looked = now;
        c->lost = 0;
        c->asked = clock_date();
        memset(&c->next, 0, sizeof(store_facts_t));
        c->open = store_command_all(store, on_replication, c,
                      RBL_COMMAND("INFO", RBL_STR("REPLICATION")));
        c->open += store_command_all(store, on_memory, c,
                      RBL_COMMAND("INFO", RBL_STR("MEMORY")));
        c->open += store_command_all(store, on_time, c,
                      RBL_WORDS(RBL_STR("TIME")));

        if (c->checker->conf->place.kind == RBL_PLACE_CLUSTER) {
            c->open += store_command_all(store, on_shape, c,
                          RBL_COMMAND("CLUSTER", RBL_STR("NODES")));
        }

        store_sentinels_look(store);
    }
}


static void
look_replicas(conditions_t *c, const store_facts_t *facts)
{
    int       one;
    unsigned  most = facts->most;
    int64_t   known = store_sentinels(c->checker->store)->replicas;

    one = c->checker->conf->place.kind == RBL_PLACE_ONE;
    most = known > most && known < KNOWN ? (unsigned) known : most;

    if (facts->shape.away > 0) {
        row(c, RBL_CONDITION_STORE_REPLICAS, RBL_SERVICE_DEGRADED, 0, NULL,
            "servers that their cluster cannot reach: %u, such as %s",
            facts->shape.away, facts->shape.away_at);

    } else if (facts->nodes > 0 && facts->replicas < most) {
        row(c, RBL_CONDITION_STORE_REPLICAS, RBL_SERVICE_DEGRADED, 0, NULL,
            "%u of %u replicas are connected", facts->replicas, most);

    } else if (!one && facts->bare > 0) {
        row(c, RBL_CONDITION_STORE_REPLICAS, RBL_SERVICE_DEGRADED, 0, NULL,
            "%u of %u masters have no replica", facts->bare, facts->nodes);

    } else if (facts->lag >= LAG) {
        row(c, RBL_CONDITION_STORE_REPLICAS, RBL_SERVICE_DEGRADED, 0, NULL,
            "a replica has been silent for %lld s", (long long) facts->lag);
    }
}


/* A move of slots is no fault while it goes on. */

static void
look_slots(conditions_t *c, const store_facts_t *facts)
{
    char                remedy[RBL_CONDITION_REMEDY];
    char                reason[RBL_CONDITION_REASON];
    const rbl_shape_t  *shape = &facts->shape;

    if (facts->unmoved && rbl_shape_fault(shape, reason, remedy)) {
        row(c, RBL_CONDITION_STORE_SLOTS, RBL_SERVICE_DEGRADED, 0, remedy,
            "%s", reason);
    }
}


static void
look_sentinels(conditions_t *c, const store_sentinels_t *s)
{
    if (s->few >= LOOKS) {
        row(c, RBL_CONDITION_STORE_SENTINELS, RBL_SERVICE_DEGRADED, 0, NULL,
            "%u of %u Sentinels answer", s->up, s->n);

    } else if (s->split >= LOOKS) {
        row(c, RBL_CONDITION_STORE_SENTINELS, RBL_SERVICE_DEGRADED, 0, NULL,
            "the Sentinels name %u masters", s->named);
    }
}


static void
look_store(conditions_t *c)
{
    const store_facts_t  *facts = &c->facts;

    ask_store(c);

    if (facts->policy[0] != '\0') {
        row(c, RBL_CONDITION_STORE_EVICTING, RBL_SERVICE_DEGRADED, 0, NULL,
            "Redis may delete data: maxmemory-policy is %s", facts->policy);
    }

    look_replicas(c, facts);
    look_slots(c, facts);
    look_sentinels(c, store_sentinels(c->checker->store));

    if (facts->ahead > APART || facts->ahead < -APART) {
        row(c, RBL_CONDITION_CLOCKS, RBL_SERVICE_DEGRADED, 0, NULL,
            "the clock here is %lld s %s that of the store",
            (long long) (facts->ahead < 0 ? -facts->ahead : facts->ahead)
            / 1000, facts->ahead < 0 ? "behind" : "ahead of");
    }
}


/* --- begin and end ------------------------------------------------------- */

/* health_dns.c has its own lines about DNS; after each start it is untried. */

static void
report(conditions_t *c, rbl_condition_id_t id)
{
    double                  now = clock_now();
    known_t                *known = &c->known[id];
    const char             *name = rbl_condition_kinds[id].name;
    const rbl_condition_t  *is = known->row;

    if (is == NULL) {
        known->since = 0;
    }

    if (id == RBL_CONDITION_DNS || id == RBL_CONDITION_DNS_UNTRIED
        || (is != NULL) == known->said
        || (known->logged != 0 && now - known->logged < LOG_PAUSE))
    {
        return;
    }

    if (is != NULL) {
        log_warn("%s (%s): %s; %s", name, rbl_service_names[is->severity],
                 is->reason, is->remedy);

    } else {
        log_notice("%s: this is over", name);
    }

    known->said = is != NULL;
    known->logged = now;
}


const rbl_conditions_t *
conditions_look(conditions_t *c, const metrics_queues_t *queues)
{
    unsigned  i;

    c->now = clock_date();
    rbl_conditions_init(&c->rows);

    for (i = 0; i < RBL_CONDITION__N; i++) {
        c->known[i].row = NULL;
    }

    look_dns(c);
    look_resolvers(c);
    look_lists(c);
    look_queues(c, queues);
    look_store(c);

    for (i = 0; i < RBL_CONDITION__N; i++) {
        report(c, (rbl_condition_id_t) i);
    }

    return &c->rows;
}


const store_facts_t *
conditions_facts(const conditions_t *c)
{
    return &c->facts;
}


conditions_t *
conditions_new(const checker_t *checker)
{
    conditions_t  *c;

    c = xcalloc(1, sizeof(conditions_t));
    c->checker = checker;

    return c;
}


void
conditions_free(conditions_t *c)
{
    store_forget(c->checker->store, c);
    free(c);
}
