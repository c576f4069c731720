/*
 * Operations: fields by their table, arguments of the script, refusals.
 */

#include "rbl_op.h"

#include "rbl_validate.h"

#include <stdio.h>


void *
rbl_room(rbl_run_t *run, size_t n)
{
    void  *p;

    p = run->by->alloc(run, n);

    if (p == NULL) {
        run->refusal = 500;
    }

    return p;
}


void
rbl_refuse(rbl_run_t *run, unsigned status, const char *text)
{
    run->refusal = status;
    run->by->refuse(run, status, text);
}


void
rbl_invalid(rbl_run_t *run, const char *which)
{
    char  text[RBL_REFUSAL_MAX];

    snprintf(text, sizeof(text),
             "Invalid %s value provided. Please try again.", which);
    rbl_refuse(run, 400, text);
}


void
rbl_missing(rbl_run_t *run, const char *which)
{
    char  text[RBL_REFUSAL_MAX];

    snprintf(text, sizeof(text), "No %s value provided. Please try again.",
             which);
    rbl_refuse(run, 400, text);
}


/* Puts the fields of the reply behind its word into a text with marks. */

static void
rbl_refuse_with(rbl_run_t *run, const rbl_outcome_t *r,
    const redisReply *reply)
{
    char               text[RBL_REFUSAL_MAX];
    size_t             i, n;
    rbl_str_t          field;
    const char        *p, *mark;
    const redisReply  *next;

    n = 0;

    for (p = r->text, i = 1; (mark = strchr(p, '%')) != NULL; p = mark + 2) {
        next = rbl_reply_at(reply, i++);
        field = rbl_reply_str(next);

        n += (size_t) (mark[1] == 'L'
                       ? snprintf(text + n, sizeof(text) - n, "%.*s%lld",
                                  (int) (mark - p), p,
                                  (long long) rbl_reply_int(next, 0))
                       : snprintf(text + n, sizeof(text) - n, "%.*s%.*s",
                                  (int) (mark - p), p, (int) field.n,
                                  field.p ? field.p : ""));
        n = n < sizeof(text) ? n : sizeof(text) - 1;
    }

    snprintf(text + n, sizeof(text) - n, "%s", p);
    rbl_refuse(run, r->status, text);
}


int
rbl_refuse_by(rbl_run_t *run, const rbl_outcome_t *refusals,
    const redisReply *reply)
{
    rbl_str_t             word;
    const rbl_outcome_t  *r;

    word = rbl_reply_word(reply);

    for (r = refusals; r != NULL && r->word != NULL; r++) {
        if (rbl_str_is(word, r->word)) {
            rbl_refuse_with(run, r, reply);
            return 0;
        }
    }

    return -1;
}


rbl_str_t
rbl_text(const rbl_run_t *run, size_t field)
{
    rbl_str_t  none = { NULL, 0 };

    return run->given[field].first ? run->given[field].first->text : none;
}


rbl_str_t
rbl_digit(unsigned n)
{
    static const char  digits[] = "0123456789";

    return (rbl_str_t) { digits + n, 1 };
}


/* Splits a text at its commas into `out`, if there is one; returns the number
   of elements. */

static size_t
rbl_list_split(rbl_str_t text, rbl_str_t *out)
{
    size_t     n;
    rbl_str_t  part;

    n = 0;

    do {
        part = rbl_until(&text, ',');
        n++;

        if (out != NULL) {
            *out++ = rbl_trim(part);
        }
    } while (text.p != NULL);

    return n;
}


int
rbl_list(rbl_run_t *run, size_t field, rbl_str_t **elements)
{
    size_t              n;
    rbl_str_t          *out;
    const rbl_value_t  *value;

    n = 0;

    for (value = run->given[field].first; value; value = value->next) {
        n += rbl_list_split(value->text, NULL);
    }

    *elements = out = rbl_room(run, n * sizeof(rbl_str_t) + 1);

    if (out == NULL) {
        return -1;
    }

    for (value = run->given[field].first; value; value = value->next) {
        out += rbl_list_split(value->text, out);
    }

    return (int) n;
}


int
rbl_expect(rbl_run_t *run, const char *what)
{
    run->expects = what;

    return -1;
}


int
rbl_between(rbl_run_t *run, rbl_str_t text, int64_t min, int64_t max,
    int64_t *v)
{
    char  *what;

    if (rbl_int_parse(v, text, min, max) == RBL_OK) {
        return 0;
    }

    what = rbl_room(run, RBL_REFUSAL_MAX);

    if (what != NULL) {
        snprintf(what, RBL_REFUSAL_MAX, "a whole number from %lld to %lld",
                 (long long) min, (long long) max);
    }

    return rbl_expect(run, what);
}


/* Refuses a value that is wrong, unless that is done. */

static void
rbl_field_wrong(rbl_run_t *run, const rbl_field_t *field)
{
    char  why[RBL_REFUSAL_MAX];

    if (run->refusal == 0 && run->expects != NULL) {
        snprintf(why, sizeof(why), "Invalid %s value provided: it must be %s.",
                 field->name.p, run->expects);
        rbl_refuse(run, 400, why);

    } else if (run->refusal == 0) {
        rbl_invalid(run, field->name.p);
    }
}


int
rbl_judged(rbl_run_t *run, const rbl_field_t *field, rbl_str_t *text)
{
    run->expects = NULL;
    *text = rbl_text(run, (size_t) (field - run->fields));

    if (text->p == NULL || field->judge == NULL
        || field->judge(run, text) == 0)
    {
        return 0;
    }

    rbl_field_wrong(run, field);

    return -1;
}


static int
rbl_field_needed(rbl_run_t *run, const rbl_field_t *field)
{
    if (rbl_text(run, (size_t) (field - run->fields)).n > 0) {
        return 0;
    }

    rbl_missing(run, field->name.p);

    return -1;
}


/* Returns the number of SIDs of a list, and the SIDs in canonical form.  -1:
   one is malformed, or out of memory (both refused). */

static int
rbl_field_list_sids(rbl_run_t *run, const rbl_field_t *field, rbl_str_t **sids)
{
    int         i, n;
    rbl_sid_t  *sid;

    n = rbl_list(run, (size_t) (field - run->fields), sids);

    if (n < 0) {
        return -1;
    }

    sid = rbl_room(run, (size_t) n * sizeof(rbl_sid_t) + 1);

    if (sid == NULL) {
        return -1;
    }

    for (i = 0; i < n; i++, sid++) {
        if (rbl_sid_parse(sid, field->kind, (*sids)[i]) != RBL_OK) {
            rbl_invalid(run, field->name.p);
            return -1;
        }

        (*sids)[i] = rbl_sid_str(sid);
    }

    return n;
}


static int
rbl_field_sids(rbl_run_t *run, const rbl_field_t *field)
{
    int                 n;
    rbl_str_t          *sids;
    const rbl_value_t  *given;

    given = run->given[field - run->fields].first;

    n = 0;
    sids = NULL;

    if (given && (given->next || given->text.n
                  || !(field->flags & RBL_EMPTY)))
    {
        n = rbl_field_list_sids(run, field, &sids);
    }

    if (n > 1 && field->flags & RBL_ONE) {
        rbl_invalid(run, field->name.p);
        return -1;
    }

    if (n < 0) {
        return -1;
    }

    if (field->flags & RBL_ONE) {
        run->argv[field->arg] = n ? sids[0] : RBL_STR("");
        return 0;
    }

    if (field->arg) {
        run->argv[field->arg] = rbl_digit(given != NULL);
    }

    run->rest = sids;
    run->n_rest = (size_t) n;

    return 0;
}


static int
rbl_field_number(rbl_run_t *run, const rbl_field_t *field)
{
    int64_t    n;
    rbl_str_t  text;

    n = field->def;
    text = rbl_text(run, (size_t) (field - run->fields));

    if (text.p != NULL
        && rbl_between(run, text, field->min, field->max, &n) != 0)
    {
        rbl_field_wrong(run, field);
        return -1;
    }

    return field->arg == 0 || (text.p == NULL && n == 0) ? 0
           : rbl_run_int(run, &run->argv[field->arg], n);
}


static int
rbl_field_text(rbl_run_t *run, const rbl_field_t *field)
{
    rbl_str_t  text;

    if (field->flags & RBL_EMPTY
        && rbl_text(run, (size_t) (field - run->fields)).n == 0)
    {
        return 0;
    }

    if ((field->flags & RBL_LATER && rbl_field_needed(run, field) != 0)
        || rbl_judged(run, field, &text) != 0)
    {
        return -1;
    }

    if (field->flags & RBL_TOLD) {
        run->argv[field->arg - 1] = rbl_digit(text.p != NULL);
    }

    if (field->arg && text.p) {
        run->argv[field->arg] = text;

    } else if (field->flags & RBL_ZERO) {
        run->argv[field->arg] = RBL_STR("0");
    }

    return 0;
}


int
rbl_run_fields(rbl_run_t *run)
{
    int                 i, rc;
    const rbl_field_t  *f;

    run->rest = NULL;
    run->n_rest = 0;
    run->argv = rbl_room(run, (size_t) run->script->argc * sizeof(rbl_str_t));

    if (run->argv == NULL) {
        return -1;
    }

    for (i = 0; i < run->script->argc; i++) {
        run->argv[i] = RBL_STR("");
    }

    for (f = run->fields; f && f->name.n; f++) {
        if (f->flags & RBL_NEEDED && rbl_field_needed(run, f) != 0) {
            return -1;
        }
    }

    for (f = run->fields; f && f->name.n; f++) {
        rc = f->kind ? rbl_field_sids(run, f)
             : f->max ? rbl_field_number(run, f) : rbl_field_text(run, f);

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


rbl_str_t *
rbl_run_argv(rbl_run_t *run)
{
    size_t      argc;
    rbl_str_t  *argv;

    if (run->n_rest == 0) {
        return run->argv;
    }

    argc = (size_t) run->script->argc;
    argv = rbl_room(run, (argc + run->n_rest) * sizeof(rbl_str_t));

    if (argv != NULL) {
        memcpy(argv, run->argv, argc * sizeof(rbl_str_t));
        memcpy(argv + argc, run->rest, run->n_rest * sizeof(rbl_str_t));
    }

    return argv;
}
