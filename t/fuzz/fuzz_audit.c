/*
 * The audit log (shared/record/rbl_audit.c).  Lines: id of an entry, SID and
 * name of the changed object, name of the application.  The rest is the caller,
 * as the store has it.
 *
 * A decoded entry, written and read again, has the same fields, cut to the
 * limit between characters.
 */

#include "fuzz.h"
#include "rbl_audit.h"
#include "rbl_validate.h"

#define PARTS  5


static redisReply
text_reply(rbl_str_t s)
{
    return (redisReply) { .type = REDIS_REPLY_STRING, .str = (char *) s.p,
                          .len = s.n };
}


static rbl_err_t
decode(rbl_audit_t *v, const rbl_str_t part[PARTS])
{
    size_t       i;
    redisReply   text[PARTS], *element[PARTS];
    redisReply   entry = { .type = REDIS_REPLY_ARRAY, .elements = PARTS,
                           .element = element };

    for (i = 0; i < PARTS; i++) {
        text[i] = text_reply(part[i]);
        element[i] = &text[i];
    }

    return rbl_audit_decode(v, &entry);
}


/* `now` is the start of `was`, and only a limit has cut it. */
static void
same_start(rbl_str_t now, rbl_str_t was)
{
    fuzz_check(now.n <= RBL_AUDIT_VALUE && now.n <= was.n);
    fuzz_check(now.n == was.n || was.n > RBL_AUDIT_VALUE);
    fuzz_check(now.n == 0 || memcmp(now.p, was.p, now.n) == 0);
    fuzz_check(!rbl_text_ok(was) || rbl_text_ok(now));
}


static void
again(const rbl_audit_t *v, const rbl_str_t part[PARTS])
{
    size_t               n;
    rbl_str_t            name, value, name2, value2, copy[PARTS];
    rbl_audit_t          w;
    rbl_audit_by_t       b;
    rbl_audit_fields_t   f, g;

    rbl_audit_by(&b, &v->by);
    rbl_audit_fields(&f, v);

    for (n = 0; rbl_audit_next(&f, &name, &value); n++) {
        fuzz_check(n < v->by.fields.n);

        if (name.n < 32) {
            rbl_audit_field(&b, name, value);
        }
    }

    memcpy(copy, part, sizeof(copy));
    copy[1] = rbl_audit_by_end(&b);
    fuzz_check(!b.out.failed && copy[1].n <= RBL_AUDIT_BY_MAX);
    fuzz_check(decode(&w, copy) == RBL_OK);
    same_start(w.by.call, v->by.call);
    same_start(w.by.from, v->by.from);

    rbl_audit_fields(&f, v);
    rbl_audit_fields(&g, &w);

    while (rbl_audit_next(&g, &name2, &value2)) {
        do {
            fuzz_check(rbl_audit_next(&f, &name, &value));
        } while (!rbl_str_eq(name, name2)
                 || (value.n != value2.n && value.n <= RBL_AUDIT_VALUE)
                 || memcmp(value.p, value2.p, value2.n) != 0);

        same_start(value2, value);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t       f;
    rbl_str_t    part[PARTS];
    rbl_audit_t  v;

    fuzz_init(&f, data, size);
    part[0] = fuzz_line(&f);
    part[2] = fuzz_line(&f);
    part[3] = fuzz_line(&f);
    part[4] = fuzz_line(&f);
    part[1] = fuzz_rest(&f);

    if (decode(&v, part) == RBL_OK) {
        fuzz_check(v.at >= 0 && v.kind != NULL);
        again(&v, part);
    }

    fuzz_done(&f);

    return 0;
}
