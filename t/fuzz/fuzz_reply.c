/*
 * Replies of the store (shared/record/rbl_reply.c).  The input builds a reply:
 * a byte for the type, one for the length, then the bytes or the elements.
 *
 * Every accessor returns its empty value for missing elements or other types;
 * only an error has a class.  The value of a field is the element after its
 * name.
 */

#include "fuzz.h"
#include "rbl_reply.h"

#define NODES     512
#define ELEMENTS  16

static redisReply    nodes[NODES];
static redisReply   *slots[NODES];
static unsigned      n_nodes, n_slots;

/* Names of fields, so that the fuzzer need not guess them. */
static const char *const  words[] = { "a", "c", "h", "OK", "1-0" };


static redisReply *
build(fuzz_t *f, unsigned depth)
{
    size_t       i, n;
    unsigned     tag;
    redisReply  *r;
    rbl_str_t    s;

    if (n_nodes == NODES) {
        return NULL;
    }

    r = &nodes[n_nodes++];
    memset(r, 0, sizeof(*r));
    tag = fuzz_u8(f);

    switch (tag % 7) {

    case 0:
    case 1:
        n = fuzz_u8(f);
        r->type = REDIS_REPLY_ARRAY;

        if (depth == 4 || n_slots + n > NODES || n > ELEMENTS) {
            return r;
        }

        r->element = slots + n_slots;
        r->elements = n;
        n_slots += (unsigned) n;

        for (i = 0; i < n; i++) {
            r->element[i] = build(f, depth + 1);
        }

        return r;

    case 2:
        r->type = REDIS_REPLY_INTEGER;
        r->integer = (int64_t) ((uint64_t) fuzz_u32(f) << 32 | fuzz_u32(f));
        return r;

    case 3:
        r->type = REDIS_REPLY_NIL;
        return r;

    case 4:
        if (f->n == FUZZ_COPIES) {
            r->type = REDIS_REPLY_NIL;
            return r;
        }

        s = rbl_str(words[fuzz_u8(f) % 5]);
        r->type = REDIS_REPLY_STRING;
        break;

    default:
        if (f->n > FUZZ_COPIES - 2) {
            r->type = REDIS_REPLY_NIL;
            return r;
        }

        r->type = tag % 7 == 5 ? REDIS_REPLY_STRING
                  : tag & 0x80 ? REDIS_REPLY_STATUS : REDIS_REPLY_ERROR;
        s = fuzz_take(f, fuzz_u8(f));
    }

    r->str = (char *) fuzz_z(f, s);
    r->len = s.n;

    return r;
}


static void
walk(const redisReply *r)
{
    size_t             i, n;
    rbl_str_t          s;
    const redisReply  *value;

    n = rbl_reply_len(r);
    s = rbl_reply_str(r);

    fuzz_check(n == 0 || r->type == REDIS_REPLY_ARRAY);
    fuzz_check(s.p == NULL || r->type == REDIS_REPLY_STRING
               || r->type == REDIS_REPLY_STATUS);
    fuzz_check(rbl_reply_at(r, n) == NULL);
    fuzz_check(rbl_reply_word(r).p != NULL);
    fuzz_check((rbl_reply_class(r) == RBL_REPLY_OK)
               == (r != NULL && r->type != REDIS_REPLY_ERROR));
    fuzz_check(rbl_reply_int(r, -7) != -7
               || r == NULL || r->type != REDIS_REPLY_INTEGER
               || r->integer == -7);

    value = rbl_reply_field(r, "h");

    for (i = 0; i < n; i++) {
        if (value != NULL && rbl_reply_at(r, i) == value) {
            fuzz_check(i % 2 == 1
                       && rbl_str_is(rbl_reply_str(rbl_reply_at(r, i - 1)),
                                     "h"));
        }

        walk(rbl_reply_at(r, i));
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t       f;
    redisReply  *r;

    fuzz_init(&f, data, size);
    n_nodes = n_slots = 0;

    r = build(&f, 0);
    walk(r);
    fuzz_done(&f);

    return 0;
}
