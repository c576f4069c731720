/*
 * Records of the store (shared/record/rbl_mp.c, rbl_record.c).  The first byte
 * chooses the entity of the rest.
 *
 * A refused record leaves all fields empty; the views of an accepted one are
 * inside its bytes.  A result that is read, written and read again is the same,
 * and so is any integer or string, in the writer's only form.  A value's raw
 * bytes are as long as the bytes that skipping it passes.
 */

#include "fuzz.h"
#include "base/buf.h"
#include "rbl_record.h"

typedef union {
    rbl_account_t  account;
    rbl_token_t    token;
    rbl_app_t      app;
    rbl_host_t     host;
    rbl_profile_t  profile;
    rbl_list_t     list;
    rbl_hook_t     hook;
    rbl_try_t      try;
    rbl_event_t    event;
    rbl_listing_t  listing;
    rbl_result_t   result;
} any_t;

static rbl_str_t  raw;


static void
inside(rbl_str_t s)
{
    fuzz_check(s.n == 0
               || (s.p >= raw.p && s.n <= raw.n
                   && s.p <= raw.p + (raw.n - s.n)));
}


static void
same_result(const rbl_result_t *a, const rbl_result_t *b)
{
    fuzz_check(rbl_str_eq(a->list, b->list) && rbl_str_eq(a->type, b->type));
    fuzz_check(a->custom == b->custom && a->ms == b->ms);
    fuzz_check(rbl_str_eq(a->zone, b->zone));
    fuzz_check(rbl_str_eq(a->website, b->website));
    fuzz_check(rbl_str_eq(a->status, b->status));
    fuzz_check(rbl_str_eq(a->codes, b->codes));
    fuzz_check(rbl_str_eq(a->details, b->details));
    fuzz_check(rbl_str_eq(a->reason, b->reason));
    fuzz_check(rbl_str_eq(a->error, b->error));
}


static void
try_results(rbl_mp_t *mp)
{
    unsigned      n;
    rbl_mp_t      again;
    rbl_buf_t     buf;
    rbl_result_t  v, w;

    rbl_buf_init(&buf);

    for (n = 0; n < 64 && rbl_result_decode(&v, mp) == RBL_OK; n++) {
        inside(v.list);
        inside(v.codes);
        inside(v.error);

        rbl_buf_reset(&buf);
        rbl_result_encode(&buf.out, &v);
        fuzz_check(!buf.out.failed);

        rbl_mp_init(&again, rbl_buf_str(&buf));
        fuzz_check(rbl_result_decode(&w, &again) == RBL_OK);
        fuzz_check(again.pos == again.end);
        same_result(&v, &w);
    }

    rbl_buf_free(&buf);
}


static void
try_listings(rbl_str_t details)
{
    size_t         i, n;
    rbl_mp_t       mp;
    rbl_listing_t  v;

    rbl_mp_init(&mp, details);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && rbl_listing_decode(&v, &mp) == RBL_OK; i++) {
        inside(v.list);
        inside(v.zone);
        inside(v.details);
        inside(v.codes);
    }
}


static void
try_troubles(rbl_str_t troubled)
{
    size_t         i, n;
    rbl_mp_t       mp;
    rbl_trouble_t  v;

    rbl_mp_init(&mp, troubled);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && rbl_trouble_decode(&v, &mp) == RBL_OK; i++) {
        inside(v.list);
        inside(v.error);
    }
}


/* Writes each value of each kind with our writer, and reads it again. */
static void
try_values(rbl_mp_t *mp)
{
    int64_t    v;
    rbl_mp_t   at, again;
    rbl_buf_t  buf;
    rbl_str_t  s, first;

    rbl_buf_init(&buf);

    while (mp->pos < mp->end && !mp->failed) {
        rbl_buf_reset(&buf);

        at = *mp;
        v = rbl_mp_int(&at);
        if (!at.failed) {
            rbl_mp_put_int(&buf.out, v);
            rbl_mp_init(&again, rbl_buf_str(&buf));
            fuzz_check(rbl_mp_int(&again) == v && again.pos == again.end);
        }

        at = *mp;
        s = rbl_mp_str(&at);
        inside(s);
        if (!at.failed) {
            fuzz_check(buf.out.pos == buf.base);
            rbl_mp_put_str(&buf.out, s);
            rbl_mp_init(&again, rbl_buf_str(&buf));
            fuzz_check(rbl_str_eq(rbl_mp_str(&again), s));
            fuzz_check(again.pos == again.end && !again.failed);
        }

        at = *mp;
        first = rbl_mp_raw(&at);
        rbl_mp_skip(mp);
        fuzz_check(mp->failed == at.failed);
        fuzz_check(at.failed || at.pos == mp->pos);
        fuzz_check(at.failed || first.n > 0);
        inside(first);
    }

    rbl_buf_free(&buf);
}


#define TRY(field)                                                            \
    err = rbl_ ## field ## _decode(&v.field, raw);                            \
    size_of = sizeof(v.field);                                                \
    break


static void
try_record(unsigned kind)
{
    any_t                 v;
    size_t                i, size_of;
    rbl_err_t             err;
    const unsigned char  *bytes = (const unsigned char *) &v;

    memset(&v, 0xa5, sizeof(v));

    switch (kind) {

    case 0: TRY(account);
    case 1: TRY(token);
    case 2: TRY(app);
    case 3: TRY(profile);
    case 4: TRY(list);
    case 5: TRY(hook);
    case 6: TRY(event);
    case 10: TRY(try);
    default: TRY(host);
    }

    if (err != RBL_OK) {
        fuzz_check(err == RBL_ETYPE);

        for (i = 0; i < size_of; i++) {
            fuzz_check(bytes[i] == 0);
        }

        return;
    }

    if (size_of == sizeof(rbl_host_t) && kind == 7) {
        inside(v.host.id);
        inside(v.host.groups);
        inside(v.host.details);
        try_listings(v.host.details);
        try_troubles(v.host.troubled);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t    f;
    rbl_mp_t  mp;
    unsigned  kind;

    fuzz_init(&f, data, size);
    kind = fuzz_u8(&f) % 11;
    raw = fuzz_rest(&f);
    rbl_mp_init(&mp, raw);

    if (kind < 8 || kind == 10) {
        try_record(kind);

    } else if (kind == 8) {
        try_results(&mp);

    } else {
        try_values(&mp);
    }

    fuzz_done(&f);

    return 0;
}
