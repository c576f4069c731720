/*
 * One run of the test points of an entry, with a sample or without, and how the
 * resolver treats SOA records.
 *
 * A sample is of names that no list should contain.  A server that is
 * wildcarding for half of its queries passes a sample of 22 names, and the test
 * points, less often than once in a million times; the names alternate between
 * the two domains.  Some lists do list a network of the root name servers: such
 * hits are confined to that network.
 */

#include "base/log.h"
#include "base/xalloc.h"
#include "dns/trace.h"
#include "health_int.h"

#include <stdlib.h>
#include <sys/random.h>

#define SAMPLE_N   22
#define SOA_LISTS  3                    /* without any SOA: it hides them */

static const names_point_t  kinds[HEALTH_POINTS] = {
    NAMES_POSITIVE, NAMES_NEGATIVE, NAMES_RANDOM, NAMES_SAMPLE, NAMES_SAMPLE
};

static const health_found_t  none = { .state = POINT_NONE };

typedef struct {
    struct health_sample_s  *sample;
    dns_query_t             *query;     /* NULL: none is under way */
    unsigned                 network;
} sample_q_t;

struct health_sample_s {
    health_entry_t  *entry;
    unsigned         draws;
    unsigned         unanswered;
    unsigned         hit[HEALTH_DRAWS];
    uint32_t         ttl;               /* the largest of a listing */
    sample_q_t       ask[SAMPLE_N];
};


/* To be called after each response of a run. */
static void run_answered(health_entry_t *e, const dns_answer_t *answer);


/* --- names ---------------------------------------------------------------- */

/* Not secret: only another one each time. */
static uint64_t
run_random(void)
{
    uint64_t  x;

    if (getrandom(&x, sizeof(x), 0) != (ssize_t) sizeof(x)) {
        x = (uint64_t) (clock_now() * 1e9);
    }

    return x;
}


/*
 * The domains of a list with addresses are in the same zone, so the test
 * address shows that the zone is not empty.
 */
static int
positive_name(const health_entry_t *e, names_t *name)
{
    int  by_address;

    by_address = e->family == RBL_FAMILY_DOMAIN
                 && (e->list->families & RBL_FAMILY_IPV4) != 0;

    if ((names_must(e->list) || !by_address)
        && names_point(name, e->list, e->family, NAMES_POSITIVE, 0))
    {
        return 1;
    }

    return by_address
           && names_point(name, e->list, RBL_FAMILY_IPV4, NAMES_POSITIVE, 0);
}


void
health_points(health_entry_t *e)
{
    names_t  name;

    e->owner = names_owner(e->list->zone);
    e->has_positive = (e->had_point || names_must(e->list))
                      && positive_name(e, &name);
    e->has_negative = names_point(&name, e->list, e->family, NAMES_NEGATIVE,
                                  0)
                      || names_point(&name, e->list, e->family,
                                     NAMES_RANDOM, 0);
}


/*
 * 1: the list need not have a positive test point, or it is an IPv6 list that
 * passes for IPv4: it has one for IPv6 only if it lists such addresses.
 */
static int
may_lack(const health_entry_t *e)
{
    return !names_must(e->list)
           || (e->family == RBL_FAMILY_IPV6
               && (e->list->families & RBL_FAMILY_IPV4) != 0);
}


/* --- the sample ----------------------------------------------------------- */

static void
on_sample(void *data, const dns_answer_t *answer)
{
    sample_q_t              *ask = data;
    health_found_t           found;
    struct health_sample_s  *s = ask->sample;

    ask->query = NULL;
    found = health_judge(s->entry->list->codes, 0, answer);

    if (found.state == POINT_WILDCARD) {
        health_trace(s->entry, "a name of the sample fails: %s",
                     rbl_list_reasons[found.why].text);
        s->hit[s->draws - 1] |= 1u << ask->network;
        s->ttl = found.wildcard && answer->ttl > s->ttl ? answer->ttl : s->ttl;

    } else if (found.state != POINT_OK) {
        s->unanswered++;
    }

    run_answered(s->entry, answer);
}


static void
sample_draw(struct health_sample_s *s)
{
    size_t           i;
    names_t          name;
    uint64_t         random;
    dns_payer_t      payer;
    health_entry_t  *e = s->entry;

    payer = list_payer(e->list, 1);
    s->draws++;

    for (i = 0; i < SAMPLE_N; i++) {
        random = run_random();

        if (e->family == RBL_FAMILY_DOMAIN) {
            random = (random & ~UINT64_C(1)) | (i & 1);
        }

        s->ask[i].sample = s;
        s->ask[i].network = names_network(e->family, random);

        if (names_point(&name, e->list, e->family, NAMES_ROOT, random)) {
            s->ask[i].query = dns_ask_at(e->health->dns, e->server, name.s,
                                         DNS_TYPE_A, &payer, on_sample,
                                         &s->ask[i]);
        }

        if (s->ask[i].query != NULL) {
            e->run.open++;

        } else {
            s->unanswered++;
        }
    }
}


static int
sample_again(health_entry_t *e)
{
    unsigned                 before = e->run.open;
    struct health_sample_s  *s = e->run.sample;

    if (s == NULL || s->unanswered != 0
        || health_sample_judge(e->family, s->hit, s->draws) != SAMPLE_AGAIN)
    {
        return 0;
    }

    health_trace(e,
                 "the list may really list these names: a second sample"
                 " decides");
    sample_draw(s);

    return e->run.open != before;
}


static void
sample_stop(health_entry_t *e)
{
    size_t                   i;
    struct health_sample_s  *s = e->run.sample;

    if (s == NULL) {
        return;
    }

    for (i = 0; i < SAMPLE_N; i++) {
        dns_cancel(s->ask[i].query);
    }

    free(s);
    e->run.sample = NULL;
}


/* --- SOA records ---------------------------------------------------------- */

/*
 * How a resolver treats SOA records.  Resolver mode needs the MINIMUM of
 * negative responses, and a resolver that has forged it could make a listing
 * end too soon.  So once a list has passed through a resolver, the list's zone
 * is asked for its SOA record itself, and the two are compared:
 *
 *     keeps      both have the same MINIMUM
 *     rewrites   they do not: none is believed
 *     strips     only negative responses have none
 *     hides      there is none at all, of several lists
 *
 * Without one, negative responses are taken to be kept for an hour.
 */

static void
soa_found(health_entry_t *e, health_soa_t found, const char *what)
{
    char  text[DNS_SERVER_TEXT];

    e->health->resolver[e->group].soa = found;
    dns_server_text(e->health->dns, e->server, text);
    dns_trace(e->health->dns, "resolver %s %s", text, what);

    if (found == SOA_KEEPS) {
        log_info("resolver %s %s", text, what);
        return;
    }

    log_notice("resolver %s %s: the end of a listing takes an hour or longer"
               " (found at list %s)", text, what, e->list->zone);
}


static void
on_soa(void *data, const dns_answer_t *answer)
{
    uint32_t            minimum;
    health_entry_t     *e = data;
    health_resolver_t  *r = &e->health->resolver[e->group];

    e->soa.query = NULL;
    e->soa.over = 1;

    if (r->soa != SOA_UNTRIED || !dns_answered(answer->status)) {
        return;
    }

    minimum = answer->minimum < HEALTH_NONE_MAX ? answer->minimum
                                                : HEALTH_NONE_MAX;

    if (!answer->has_serial && e->soa.owner == 0) {
        r->no_soa += !e->soa.none;
        e->soa.none = 1;

        if (r->no_soa == SOA_LISTS) {
            soa_found(e, SOA_HIDES, "hides SOA records");
        }

    } else if (e->soa.owner == 0) {
        soa_found(e, SOA_STRIPS, "strips SOA records from negative responses");

    } else if (answer->has_serial && minimum != e->soa.minimum) {
        soa_found(e, SOA_REWRITES, "rewrites SOA records");

    } else if (answer->has_serial) {
        soa_found(e, SOA_KEEPS, "keeps SOA records");
    }
}


static void
soa_ask(health_entry_t *e)
{
    dns_payer_t  payer;

    if (dns_direct(e->health->dns) || e->list->custom || e->soa.query != NULL
        || e->health->resolver[e->group].soa != SOA_UNTRIED)
    {
        return;
    }

    e->soa.owner = e->run.soa;
    e->soa.minimum = e->run.ttl;
    payer = list_payer(e->list, 1);
    e->soa.query = dns_ask_at(e->health->dns, e->server, e->list->ask,
                              DNS_TYPE_SOA, &payer, on_soa, e);
}


/* --- the end of a run ----------------------------------------------------- */

/* All is answered. */
static void
run_found(health_entry_t *e, health_state_t state, rbl_list_reason_t why)
{
    health_trace(e, "test points end: %s (%s)", health_state_names[state],
                 rbl_list_reasons[why].text);
    e->run.open = 0;
    e->last.state = state;
    e->last.why = why;
    e->last.at = e->run.began;

    health_blame(e);
}


/*
 * If only IPv4 has its test point, the list may have no IPv6 data, unless it
 * once had a test point for IPv6, too.
 */
static void
on_sibling(void *data, const health_verdict_t *verdict)
{
    health_entry_t  *e = data;

    e->run.sibling = NULL;

    if (verdict->state == HEALTH_GOOD && !e->had_point) {
        e->v.passed = e->run.began;
        run_found(e, HEALTH_UNSUPPORTED, RBL_LIST_NO_FAMILY);

    } else {
        run_found(e, HEALTH_DOWN, e->run.point[0].found.why);
    }
}


/*
 * A sample counts as a whole, and only as a sign of a wildcard: some lists
 * contain unassigned networks.
 */
static void
run_sample(health_entry_t *e)
{
    size_t           i;
    health_point_t  *point = e->run.point;

    if (point[3].found.state == POINT_WILDCARD
        && point[4].found.state == POINT_WILDCARD)
    {
        return;
    }

    for (i = 3; i < HEALTH_POINTS; i++) {
        if (point[i].found.state == POINT_WILDCARD) {
            health_trace(e, "one such name alone shows no wildcard");
        }

        point[i].found = none;
    }
}


/*
 * Takes the verdict of the large sample.  Hits count however many names were
 * not answered.  After a sample that was listed, only another one shows that
 * the wildcard is gone.
 */
static void
run_large(health_entry_t *e)
{
    sample_verdict_t         verdict;
    struct health_sample_s  *s = e->run.sample;

    if (s == NULL) {
        return;
    }

    verdict = health_sample_judge(e->family, s->hit, s->draws);

    if (verdict == SAMPLE_WILD) {
        health_trace(e, "the sample is listed: the server is wildcarding");
        e->wild = 1;
        health_wild_listing(e, s->ttl);

    } else if (s->unanswered == 0 && verdict == SAMPLE_PASSED) {
        health_trace(e, "the sample passes");
        e->wild = 0;
        e->v.sampled = e->run.began;

    } else {
        health_trace(e, "the sample does not count: some names had no"
                     " response");
    }

    sample_stop(e);
}


/* The TTL of a wildcard's listings bounds the time that caches keep them. */
static void
run_wild_ttl(health_entry_t *e)
{
    size_t  i;

    run_sample(e);
    run_large(e);

    for (i = 1; i < HEALTH_POINTS; i++) {
        if (e->run.point[i].found.wildcard) {
            health_wild_listing(e, e->run.point[i].ttl);
        }
    }
}


/*
 * A list that need not have a positive test point may lack it; but once it has
 * had one, no listing ends there without it.
 */
static void
run_entry(health_entry_t *e, health_found_t *positive)
{
    if (names_must(e->list)) {
        return;
    }

    if (!e->had_point) {
        *positive = positive->state == POINT_OK ? *positive : none;

    } else if (positive->state == POINT_MISSING) {
        health_trace(e, "the list has lost its test point");
        e->lost = 1;
        *positive = none;
    }
}


/* A delegated part of its zone belongs to the list, too. */
static unsigned
own_soa(const health_entry_t *e)
{
    unsigned     labels = 2;            /* the root's, and the last */
    const char  *p;

    for (p = e->list->zone; *p != '\0'; p++) {
        labels += *p == '.';
    }

    return e->run.soa < labels ? e->run.soa : labels;
}


/* The list has passed: the result of its test points is valid until the next
   run. */
static void
run_good(health_entry_t *e, point_state_t positive)
{
    int       news;
    unsigned  own;

    e->v.passed = e->run.began;
    e->v.sent = e->run.sent;

    if (positive == POINT_OK) {
        health_ttl(e);
    }

    if (e->run.soa >= e->v.negative_soa || !e->has_positive) {
        e->v.negative_soa = e->run.soa;
    }

    e->v.negative_ttl = e->run.ttl > e->v.negative_ttl
                      || e->run.soa >= e->v.negative_soa ? e->run.ttl
                                                       : e->v.negative_ttl;

    own = own_soa(e);
    news = own > e->deepest;
    e->deepest = news ? own : e->deepest;

    if (may_lack(e) && positive == POINT_OK) {
        news |= !e->had_point;
        e->had_point = 1;
        e->lost = 0;
        health_points(e);
    }

    if (may_lack(e) || !e->has_positive) {
        health_life(e, news);
    }
}


static health_state_t
run_sum(health_entry_t *e, health_found_t *found, rbl_list_reason_t *why)
{
    size_t          i;
    health_state_t  state;

    for (i = 0; i < HEALTH_POINTS; i++) {
        found[i] = e->run.point[i].found;
    }

    run_entry(e, &found[0]);
    state = health_sum(found, HEALTH_POINTS, why);

    if (e->wild && state != HEALTH_WILDCARDING) {
        state = HEALTH_WILDCARDING;
        *why = RBL_LIST_SAMPLE;
    }

    if (state == HEALTH_GOOD) {
        run_good(e, found[0].state);
        soa_ask(e);
    }

    return state;
}


/* Is the missing response the only failure of the list?  A server that left the
   list cannot respond. */
static void
run_silent(health_entry_t *e, const health_found_t *found)
{
    size_t         i;
    unsigned       moved;
    point_state_t  worst;

    worst = POINT_NONE;
    moved = 0;
    e->last.tcp = 1;

    for (i = 0; i < HEALTH_POINTS; i++) {
        worst = found[i].state > worst ? found[i].state : worst;
        moved |= found[i].moved;
        e->last.tcp &= found[i].state != POINT_SILENT || found[i].tcp;
    }

    e->last.silent = worst == POINT_SILENT && !moved;
}


static void
run_end(health_entry_t *e)
{
    health_state_t     state;
    health_found_t     found[HEALTH_POINTS];
    rbl_list_reason_t  why;

    run_wild_ttl(e);
    state = run_sum(e, found, &why);
    e->last.proven = found[0].state == POINT_OK;

    if (e->last.proven) {
        e->health->resolver[e->group].proven = clock_now();
    }

    e->last.empty = found[0].state == POINT_MISSING && found[0].empty;

    run_silent(e, found);

    if (state == HEALTH_DOWN && found[0].state == POINT_MISSING
        && found[1].state <= POINT_OK && found[2].state <= POINT_OK
        && may_lack(e))
    {
        e->run.open = 1;
        e->run.sibling = health_ask(e->health, e->list, RBL_FAMILY_IPV4,
                                e->server, HEALTH_KNOWN, on_sibling, e);
        if (e->run.sibling != NULL) {
            return;
        }
    }

    run_found(e, state, why);
}


/* The response may belong to any of several attempts, so the time of the last
   one counts. */
static void
run_answered(health_entry_t *e, const dns_answer_t *answer)
{
    double  sent;

    sent = clock_now() - (answer->tries > 1 ? 0 : answer->ms / 1000);
    e->run.sent = sent > e->run.sent ? sent : e->run.sent;

    if (--e->run.open == 0 && !sample_again(e)) {
        run_end(e);
    }
}


/* --- test points ---------------------------------------------------------- */

/*
 * The time for which a cache keeps that a name does not exist.  The TTL of the
 * SOA decreases there, and may be shared by several names, but its MINIMUM
 * bounds the whole TTL (RFC 2308, section 5).  An SOA of the zone above does
 * not count, since it is from a time when the list's zone was gone.
 */
static void
keep_negative(health_entry_t *e, const dns_answer_t *answer)
{
    uint32_t  ttl;

    if (answer->soa != 0) {
        e->health->resolver[e->group].soas = 1;
    }

    if (answer->has_serial) {
        e->v.serial = answer->serial;
        e->v.has_serial = 1;
    }

    if (answer->n_a != 0 || answer->soa < e->run.soa) {
        return;
    }

    ttl = answer->minimum < HEALTH_NONE_MAX ? answer->minimum : HEALTH_NONE_MAX;

    if (answer->soa > e->run.soa || ttl > e->run.ttl) {
        e->run.ttl = ttl;
        e->run.soa = answer->soa;
    }
}


static void
keep_positive(health_entry_t *e, const dns_answer_t *answer)
{
    uint32_t  ttl;

    ttl = answer->ttl < HEALTH_TTL_MAX ? answer->ttl : HEALTH_TTL_MAX;
    e->v.positive_ttl = ttl > e->v.positive_ttl ? ttl : e->v.positive_ttl;
}


/* The kind of a test point, in words. */
static const char *
point_name(int kind)
{
    switch (kind) {

    case NAMES_POSITIVE:
        return "the positive test point";

    case NAMES_NEGATIVE:
        return "the negative test point";

    case NAMES_RANDOM:
        return "a random name";

    default:
        return "a name that no list should have";
    }
}


static void
trace_point(const health_point_t *point)
{
    const char  *ok;

    ok = point->kind == NAMES_POSITIVE ? "is listed, as it must be"
                                       : "is not listed, as it must be";

    if (point->found.state == POINT_OK) {
        health_trace(point->entry, "%s %s", point_name(point->kind), ok);

    } else {
        health_trace(point->entry, "%s fails: %s", point_name(point->kind),
                     rbl_list_reasons[point->found.why].text);
    }
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    health_entry_t  *e;
    health_point_t  *point = data;

    e = point->entry;
    point->query = NULL;
    point->found = health_judge(e->list->codes, point->kind == NAMES_POSITIVE,
                                answer);

    if (point->found.state == POINT_OK && point->kind == NAMES_POSITIVE) {
        keep_positive(e, answer);

    } else if (point->found.state == POINT_OK) {
        keep_negative(e, answer);

    } else if (point->found.wildcard) {
        point->ttl = answer->ttl;
    }

    trace_point(point);
    health_heard(e->health, e->list, e->family, e->server, answer->status);
    run_answered(e, answer);
}


/*
 * The names of a sample are of two kinds that hardly any list contains: a list
 * that contains both contains everything.  A list may have no negative test
 * point; if it has one, a wildcard in its zone does not cover the siblings of
 * its positive test point (RFC 4592).
 */
static int
run_name(health_entry_t *e, size_t nth, names_t *name)
{
    uint64_t  random;

    if (kinds[nth] == NAMES_POSITIVE) {
        return positive_name(e, name);
    }

    random = run_random();

    if (kinds[nth] == NAMES_SAMPLE) {
        random = (random & ~UINT64_C(1)) | (nth & 1);
    }

    return names_point(name, e->list, e->family, kinds[nth], random);
}


/* A name that cannot be queried counts as one without response. */
static void
run_ask(health_entry_t *e, size_t nth)
{
    names_t          name;
    dns_payer_t      payer;
    health_point_t  *point = &e->run.point[nth];

    point->entry = e;
    point->kind = kinds[nth];
    point->found = none;
    point->ttl = 0;

    if (!run_name(e, nth, &name)) {
        return;
    }

    payer = list_payer(e->list, 1);
    point->query = dns_ask_at(e->health->dns, e->server, name.s, DNS_TYPE_A,
                                 &payer, on_answer, point);
    if (point->query == NULL) {
        point->found.state = POINT_SILENT;
        point->found.why = RBL_LIST_NOT_SENT;
        return;
    }

    e->run.open++;
}


/* The timer may be set to begin a run.  It would end this one. */
void
health_run(health_entry_t *e, int sample)
{
    size_t  i;

    timer_stop(&e->timer);
    health_trace(e, "test points%s are queried",
                 sample || e->wild ? " and a sample" : "");
    e->run.began = clock_now();
    e->v.has_serial = 0;
    e->run.ttl = e->run.soa = 0;
    e->run.sent = 0;

    for (i = 0; i < HEALTH_POINTS; i++) {
        run_ask(e, i);
    }

    if (sample || e->wild) {
        e->tried = e->run.began;
        e->run.sample = xcalloc(1, sizeof(struct health_sample_s));
        e->run.sample->entry = e;
        sample_draw(e->run.sample);
    }

    if (e->run.open == 0) {
        e->run.open = 1;
        timer_in(&e->timer, 0);
    }
}


void
health_run_over(health_entry_t *e)
{
    e->run.open = 0;
    run_end(e);
}


void
health_run_stop(health_entry_t *e)
{
    size_t  i;

    for (i = 0; i < HEALTH_POINTS; i++) {
        dns_cancel(e->run.point[i].query);
        e->run.point[i].query = NULL;
    }

    sample_stop(e);
    dns_cancel(e->soa.query);
    e->soa.query = NULL;
    health_drop(e->run.sibling);
    e->run.sibling = NULL;
    e->run.open = 0;
}
