/*
 * The entry of an attempt in the log of a receiver, of an application's
 * callbacks or of a contact (schema.txt, try).  The bytes are stored as they
 * are made here.
 */

#include "base/xalloc.h"
#include "deliver_int.h"

#include <stdlib.h>

#include "rbl_mp.h"

#define ATTEMPT_TRY_FIELDS  11


void
attempt_log_answer(attempt_t *a, const channel_answer_t *answer)
{
    size_t     n;
    rbl_str_t  s;

    s = answer->body.n > 0 ? answer->body : rbl_str(answer->text);
    n = s.n < ATTEMPT_ANSWER_MAX ? s.n : ATTEMPT_ANSWER_MAX;

    free(a->answer);                    /* that of a request before it */
    a->answer = xmalloc(n + 1);

    /* as a text, in which a code can be hidden */

    for (a->n_answer = 0; a->n_answer < n; a->n_answer++) {
        a->answer[a->n_answer] = s.p[a->n_answer] != '\0'
                                 ? s.p[a->n_answer] : '?';
    }

    a->answer[n] = '\0';
    attempt_hide_code(a, a->answer);
    a->n_answer = strlen(a->answer);
}


void
attempt_log(attempt_t *a, const char *outcome, unsigned status, int64_t delay,
    const char *error)
{
    rbl_out_t  *out = &a->log.out;

    rbl_mp_put_array(out, ATTEMPT_TRY_FIELDS);
    rbl_mp_put_int(out, 1);
    rbl_mp_put_int(out, (int64_t) (ev_time() * 1000.0));
    rbl_mp_put_str(out, a->job.event);
    rbl_mp_put_str(out, a->type);
    rbl_mp_put_int(out, (int64_t) a->n + 1);
    rbl_mp_put_z(out, outcome);
    rbl_mp_put_int(out, status);
    rbl_mp_put_int(out, (int64_t) ((clock_now() - a->began) * 1000.0));
    rbl_mp_put_int(out, delay);
    rbl_mp_put_z(out, error);
    rbl_mp_put_str(out, (rbl_str_t) { a->answer, a->n_answer });
}
