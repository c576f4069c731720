/*
 * A sample of what nobody lists, for a list that is suspected to list the
 * world; then the controls as ever.
 */

#include "health_int.h"

#include <stdlib.h>

#define SAMPLE      16
#define SAMPLE_LIE  12                  /* some list networks that nobody has */

typedef struct {
    struct health_sample_s  *sample;
    dns_question_t          *question;
} sample_q_t;

struct health_sample_s {
    health_q_t      *q;
    list_t          *list;
    rbl_family_t     family;
    unsigned         resolver;
    unsigned         open, listed;
    uint32_t         ttl;               /* the largest of a listing */
    ev_timer         timer;             /* nothing could be asked */
    sample_q_t       ask[SAMPLE];
};


void
health_sample_stop(health_q_t *q)
{
    size_t                   i;
    struct health_sample_s  *s = q->sample;

    if (s == NULL) {
        return;
    }

    for (i = 0; i < SAMPLE; i++) {
        if (s->ask[i].question != NULL) {
            dns_cancel(s->ask[i].question);
        }
    }

    ev_timer_stop(q->health->loop, &s->timer);
    list_unref(s->list);
    free(s);
    q->sample = NULL;
}


/*
 * What was told until now may be a lie where the last sample was.  Networks
 * that nobody has are on some lists: such a listing alone is none.
 */

static void
judge_entry(health_entry_t *e, const struct health_sample_s *s, int lying)
{
    if (e == NULL) {
        return;
    }

    if (lying) {
        health_lie(e, s->ttl);

    } else if (e->sample) {
        e->recovered = dns_clock();
        health_truth(e);
    }

    e->sample = (unsigned) lying & 1;
}


static void
sample_end(struct health_sample_s *s)
{
    int              lying;
    health_q_t      *q = s->q;
    health_entry_t  *e;

    lying = s->listed >= SAMPLE_LIE;
    e = health_entry(q->health, s->list, s->family, s->resolver);
    judge_entry(e, s, lying);
    health_q_unlink(q);
    health_sample_stop(q);

    if (e == NULL || lying) {
        if (e != NULL) {
            e->found = HEALTH_LYING;
            e->found_at = dns_clock();
            health_settle(e, HEALTH_LYING, "it lists nearly everything");
            health_serve(e);
        }

        memset(&q->verdict, 0, sizeof(q->verdict));
        q->verdict.state = lying ? HEALTH_LYING : HEALTH_UNTRIED;
        health_tell(q);
        return;
    }

    q->after = dns_clock();
    q->entry = e;
    health_q_link(&e->waiting, q);
    health_serve(e);
}


static void
on_answer(void *data, const dns_answer_t *answer)
{
    health_found_t           found;
    sample_q_t              *ask = data;
    struct health_sample_s  *s = ask->sample;

    ask->question = NULL;
    found = health_judge(s->list->codes, 0, answer);
    s->listed += found.control == CONTROL_LYING;
    s->ttl = found.lie && answer->ttl > s->ttl ? answer->ttl : s->ttl;

    if (--s->open == 0) {
        sample_end(s);
    }
}


static void
on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
    (void) loop;
    (void) revents;

    sample_end(w->data);
}


static void
sample_ask(health_t *health, struct health_sample_s *s)
{
    size_t       i;
    names_t      name;
    dns_payer_t  payer;

    payer = list_payer(s->list, 1);

    for (i = 0; i < SAMPLE; i++) {
        s->ask[i].sample = s;

        if (names_control(&name, s->list, s->family, NAMES_SAMPLE,
                          health_random(health)))
        {
            s->ask[i].question = dns_ask_at(health->dns, s->resolver, name.s,
                                            DNS_TYPE_A, &payer, on_answer,
                                            &s->ask[i]);
            s->open += s->ask[i].question != NULL;
        }
    }

    if (s->open == 0) {
        ev_timer_start(health->loop, &s->timer);
    }
}


health_q_t *
health_sample(health_t *health, const list_t *list, rbl_family_t family,
    unsigned resolver, health_done_pt done, void *data)
{
    health_q_t              *q;
    struct health_sample_s  *s;

    q = calloc(1, sizeof(health_q_t));
    s = calloc(1, sizeof(struct health_sample_s));
    if (q == NULL || s == NULL) {
        free(q);
        free(s);
        return NULL;
    }

    q->health = health;
    q->need = HEALTH_BOTH;
    q->done = done;
    q->data = data;
    q->sample = s;
    health_q_link(&health->samples, q);

    s->q = q;
    s->list = list_ref((list_t *) list);
    s->family = family;
    s->resolver = resolver;
    ev_timer_init(&s->timer, on_timer, 0, 0);
    s->timer.data = s;

    sample_ask(health, s);

    return q;
}
