/*
 * One check.  It owns its items, one for each list; an item owns the question
 * that is under way for it, first for the A records, then for the TXT of a
 * listing.  Verdicts are final once given: a TXT that does not come changes
 * nothing.
 */

#include "check.h"
#include "rbl_query.h"
#include "text.h"

#include <stdlib.h>
#include <sys/random.h>

#define VERDICTS  (RBL_SKIPPED + 1)

typedef struct {
    check_t         *check;
    dns_question_t  *question;          /* NULL: none is under way */
    check_result_t   result;
    char             name[RBL_VALUE_MAX];
} item_t;

struct check_s {
    const check_env_t  *env;
    rbl_family_t        family;
    rbl_str_t           value;
    char                value_buf[RBL_VALUE_MAX];
    check_progress_pt   progress;
    void               *data;
    ev_timer            deadline;
    ev_timer            end;            /* tells that nothing is left */
    size_t              n, done;
    size_t              verdicts[VERDICTS];
    item_t              item[];
};


static void
settle(item_t *item, rbl_verdict_t verdict, rbl_lookup_err_t error)
{
    item->result.verdict = verdict;
    item->result.error = error;
    item->check->verdicts[verdict]++;
}


/* The call back may free the check: nothing is touched behind it. */

static void
complete(item_t *item)
{
    check_t  *check = item->check;

    item->result.done = 1;
    check->done++;

    if (check->done == check->n) {
        ev_timer_stop(check->env->loop, &check->deadline);
        ev_timer_stop(check->env->loop, &check->end);
        check->progress(check->data, check, 1);
        return;
    }

    check->progress(check->data, check, 0);
}


static void
on_txt(void *data, const dns_answer_t *answer)
{
    item_t  *item = data;

    item->question = NULL;

    if (answer->status == DNS_NOERROR && answer->txt_len != 0) {
        (void) check_clean(item->result.reason, sizeof(item->result.reason),
                           (rbl_str_t) { answer->txt, answer->txt_len });
    }

    complete(item);
}


static void
judge_addresses(item_t *item, const dns_answer_t *answer)
{
    unsigned           i;
    rbl_verdict_t      verdict;
    check_result_t    *r = &item->result;
    rbl_lookup_err_t   error;

    verdict = rbl_codes_verdict(&r->list->codes, answer->a, answer->n_a,
                                &error, r->means, sizeof(r->means));

    for (i = 0; i < answer->n_a && i < CHECK_CODES_MAX; i++) {
        r->codes[i] = answer->a[i];
    }

    r->n_codes = i;
    settle(item, verdict, error);
}


static void
judge(item_t *item, const dns_answer_t *answer)
{
    static const rbl_lookup_err_t  errors[] = {
        [DNS_SERVFAIL] = RBL_ERR_SERVFAIL,
        [DNS_REFUSED] = RBL_ERR_REFUSED,
        [DNS_BADREPLY] = RBL_ERR_BADREPLY,
        [DNS_TIMEOUT] = RBL_ERR_TIMEOUT,
        [DNS_TRUNCATED] = RBL_ERR_TRUNCATED,
        [DNS_NETWORK] = RBL_ERR_NETWORK
    };

    switch (answer->status) {

    case DNS_NOERROR:
        judge_addresses(item, answer);
        break;

    case DNS_NXDOMAIN:
        settle(item, RBL_CLEAR, RBL_ERR_NONE);
        break;

    default:
        settle(item, RBL_UNKNOWN, errors[answer->status]);
    }
}


static void
on_addresses(void *data, const dns_answer_t *answer)
{
    item_t   *item = data;
    check_t  *check = item->check;

    item->question = NULL;
    item->result.ms = answer->ms;
    item->result.ttl = answer->ttl;
    judge(item, answer);

    if (item->result.verdict == RBL_LISTED) {
        item->question = dns_ask(check->env->dns, item->name, DNS_TYPE_TXT,
                                 item->result.list->zone, on_txt, item);
        if (item->question != NULL) {
            return;
        }
    }

    complete(item);
}


/* 0: a question is under way, 1: the verdict stands already. */

static int
ask(item_t *item)
{
    rbl_str_t      name;
    check_t       *check = item->check;
    const list_t  *list = item->result.list;

    if ((list->families & (int64_t) check->family) == 0) {
        settle(item, RBL_SKIPPED, RBL_ERR_NONE);
        return 1;
    }

    switch (rbl_query_name(item->name, &name, check->family, check->value,
                           rbl_str(list->zone), RBL_STR("")))
    {
    case RBL_OK:
        break;

    case RBL_ETOOBIG:
        settle(item, RBL_UNKNOWN, RBL_ERR_NAME);
        return 1;

    default:                            /* a zone that wants a key */
        settle(item, RBL_SKIPPED, RBL_ERR_NONE);
        return 1;
    }

    item->question = dns_ask(check->env->dns, item->name, DNS_TYPE_A,
                             list->zone, on_addresses, item);
    if (item->question == NULL) {
        settle(item, RBL_UNKNOWN, RBL_ERR_NAME);
        return 1;
    }

    return 0;
}


/* In random order, so that no list is always the first or the last. */

static int
ask_all(check_t *check)
{
    size_t    i, j, t, *order;
    uint64_t  seed;

    order = malloc((check->n + 1) * sizeof(size_t));
    if (order == NULL) {
        return -1;
    }

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t) sizeof(seed)) {
        seed = (uintptr_t) check;
    }

    for (i = 0; i < check->n; i++) {
        order[i] = i;
    }

    for (i = check->n; i > 1; i--) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        j = (size_t) (seed >> 33) % i;
        t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }

    for (i = 0; i < check->n; i++) {
        if (ask(&check->item[order[i]])) {
            check->item[order[i]].result.done = 1;
            check->done++;
        }
    }

    free(order);
    return 0;
}


static void
on_end(struct ev_loop *loop, ev_timer *w, int revents)
{
    check_t  *check = w->data;

    (void) revents;

    ev_timer_stop(loop, &check->deadline);
    check->progress(check->data, check, 1);
}


/* Time is up: what has no verdict is unknown; listings stay listings. */

static void
on_deadline(struct ev_loop *loop, ev_timer *w, int revents)
{
    size_t    i;
    item_t   *item;
    check_t  *check = w->data;

    (void) revents;

    for (i = 0; i < check->n; i++) {
        item = &check->item[i];

        if (item->result.done) {
            continue;
        }

        if (item->question != NULL) {
            dns_cancel(item->question);
            item->question = NULL;
        }

        if (item->result.verdict != RBL_LISTED) {
            settle(item, RBL_UNKNOWN, RBL_ERR_TIMEOUT);
        }

        item->result.done = 1;
        check->done++;
    }

    ev_timer_stop(loop, &check->end);
    check->progress(check->data, check, 1);
}


check_t *
check_start(const check_env_t *env, rbl_family_t family, rbl_str_t value,
    const list_t *const *lists, size_t n, const check_standing_t *standing,
    size_t n_standing, double timeout, check_progress_pt progress, void *data)
{
    size_t    i;
    check_t  *check;

    (void) standing;
    (void) n_standing;

    if (value.n >= RBL_VALUE_MAX) {
        return NULL;
    }

    check = calloc(1, sizeof(check_t) + n * sizeof(item_t));
    if (check == NULL) {
        return NULL;
    }

    check->env = env;
    check->family = family;
    check->progress = progress;
    check->data = data;
    check->n = n;

    memcpy(check->value_buf, value.p, value.n);
    check->value = (rbl_str_t) { check->value_buf, value.n };

    for (i = 0; i < n; i++) {
        check->item[i].check = check;
        check->item[i].result.list = lists[i];
    }

    ev_timer_init(&check->end, on_end, 0, 0);
    ev_timer_init(&check->deadline, on_deadline, timeout, 0);
    check->end.data = check->deadline.data = check;

    if (ask_all(check) != 0) {
        check_free(check);
        return NULL;
    }

    if (check->done == n) {
        ev_timer_start(env->loop, &check->end);

    } else {
        ev_timer_start(env->loop, &check->deadline);
    }

    return check;
}


void
check_free(check_t *check)
{
    size_t  i;

    if (check == NULL) {
        return;
    }

    for (i = 0; i < check->n; i++) {
        if (check->item[i].question != NULL) {
            dns_cancel(check->item[i].question);
        }
    }

    ev_timer_stop(check->env->loop, &check->end);
    ev_timer_stop(check->env->loop, &check->deadline);
    free(check);
}


size_t
check_count(const check_t *check)
{
    return check->n;
}


const check_result_t *
check_result(const check_t *check, size_t i)
{
    return i < check->n ? &check->item[i].result : NULL;
}


size_t
check_done(const check_t *check)
{
    return check->done;
}


size_t
check_verdicts(const check_t *check, rbl_verdict_t verdict)
{
    return check->verdicts[verdict];
}


rbl_str_t
check_details(const check_t *check, size_t i, char buf[CHECK_DETAILS_MAX])
{
    rbl_str_t              out;
    const check_result_t  *r;

    r = check_result(check, i);
    buf[0] = '\0';
    out = (rbl_str_t) { buf, 0 };

    if (r == NULL || r->verdict != RBL_LISTED) {
        return out;
    }

    if (r->list->lookup[0] != '\0'
        && rbl_lookup_url(buf, CHECK_DETAILS_MAX, &out,
                          rbl_str(r->list->lookup), check->value)
           == RBL_OK)
    {
        return out;
    }

    out.p = buf;
    out.n = check_cut(buf, CHECK_DETAILS_MAX,
                      rbl_str(r->reason[0] != '\0' ? r->reason : r->means));
    return out;
}
