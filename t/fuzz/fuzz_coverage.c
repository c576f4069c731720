/*
 * Answers of the lists of hosts (shared/record/rbl_coverage.c, rbl_answers.c,
 * rbl_host_state.c).  One byte: how long the field "answers" of the host is;
 * the field; the record "coverage" of its account.
 *
 * No part is larger than its whole, and no answer is later than the check.
 * Each list has one of four states, and a list that is neither clear nor listed
 * has a reason.  Answers that are read, written and read again are the same.
 */

#include "fuzz.h"
#include "rbl_host_state.h"

#define NOW      1800000000             /* s */
#define CHECKED  (NOW * INT64_C(1000) + 123)


static void
try_numbers(rbl_str_t raw)
{
    unsigned        i;
    rbl_coverage_t  c;

    if (rbl_coverage_read(&c, raw, 3600, NOW) != RBL_OK) {
        fuzz_check(c.asked == 0 && c.answered == 0 && c.n_silent == 0);
        return;
    }

    fuzz_check(c.answered <= c.asked && c.critical_asked <= c.asked);
    fuzz_check(c.critical_answered <= c.critical_asked);
    fuzz_check(c.critical_long <= c.critical_asked - c.critical_answered);
    fuzz_check(c.n_silent <= RBL_COVERAGE_NAMED
               && (int64_t) c.n_silent <= c.asked - c.answered);

    for (i = 0; i < c.n_silent; i++) {
        fuzz_check(rbl_sid_like(RBL_SID_LIST, rbl_sid_str(&c.silent[i])));
    }
}


/* Reads the answers again that it writes; returns how many bytes they take. */

static size_t
again(rbl_answer_t *to, const rbl_answer_t *a, size_t n)
{
    size_t          i, rest;
    unsigned char  *buf;

    buf = malloc(RBL_ANSWERS_HEAD + RBL_ANSWERS_REST(n));
    fuzz_check(buf != NULL);
    memset(buf, 0, RBL_ANSWERS_HEAD);

    rest = rbl_answers_rest(buf + RBL_ANSWERS_HEAD, a, n, CHECKED);
    fuzz_check(rest <= RBL_ANSWERS_REST(n));
    fuzz_check(rbl_answers_read(to, n, (rbl_str_t) { (char *) buf,
                                RBL_ANSWERS_HEAD + rest }, CHECKED) == RBL_OK);

    for (i = 0; i < n; i++) {
        fuzz_check(a[i].at >= 0 && a[i].at <= CHECKED);
        fuzz_check(a[i].given == to[i].given && a[i].error == to[i].error);
        fuzz_check(to[i].at <= a[i].at);
    }

    free(buf);

    return rest;
}


/* Answers that were written once stay as they are. */

static void
try_again(const rbl_answer_t *a, size_t n)
{
    size_t               i, first, second;
    static rbl_answer_t  b[RBL_ANSWERS_LISTS], c[RBL_ANSWERS_LISTS];

    first = again(b, a, n);
    second = again(c, b, n);

    for (i = 0; first == second && i < n; i++) {
        fuzz_check(b[i].at == c[i].at);
    }
}


static void
try_states(const rbl_host_t *h, rbl_str_t raw)
{
    size_t                    i;
    rbl_sid_t                 sid;
    rbl_host_state_t          state;
    static rbl_host_lists_t   lists;

    rbl_host_lists(&lists, h, raw);
    fuzz_check(lists.order.n <= RBL_ANSWERS_LISTS);

    if (lists.order.n != 0) {
        try_again(lists.answer, lists.order.n);
    }

    for (i = 0; i <= lists.order.n; i++) {
        if (i < lists.order.n) {
            rbl_sid_from_digest(&sid, RBL_SID_LIST,
                                rbl_coverage_list(&lists.order, i));
        }

        rbl_host_state(&state, &lists, i < lists.order.n ? rbl_sid_str(&sid)
                                       : RBL_STR("RBx"), (int64_t) i % 2);

        fuzz_check(state.asked >= 0 && state.asked <= CHECKED);
        fuzz_check(rbl_str_is(state.status, "clear") ? state.error.n == 0
                   && state.asked == CHECKED
                   : (rbl_str_is(state.status, "unknown")
                      || rbl_str_is(state.status, "skipped"))
                     && state.error.n != 0);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t      f;
    rbl_str_t   raw;
    rbl_host_t  h;

    memset(&h, 0, sizeof(h));
    fuzz_init(&f, data, size);

    h.status = RBL_STR("active");
    h.details = h.troubled = RBL_STR("\x90");
    h.checked = CHECKED;
    h.answers = fuzz_take(&f, fuzz_u8(&f));
    raw = fuzz_rest(&f);

    try_numbers(raw);
    try_states(&h, raw);
    fuzz_done(&f);

    return 0;
}
