/*
 * The sink, the buffer and MessagePack: every width, written and read, and
 * hostile input in blocks of exactly its size, so that a sanitizer reports any
 * access beyond.
 */

#include "base/buf.h"
#include "rbl_mp.h"
#include "tap.h"

#include <stdlib.h>


#define BYTES(lit)  ((rbl_str_t) { (lit), sizeof(lit) - 1 })


/* A sink that opens windows of `size` bytes of one block. */

typedef struct {
    rbl_out_t   out;
    char       *block;
    size_t      size, room;
} windows_t;


static int
windows_more(rbl_out_t *out)
{
    size_t      n;
    windows_t  *w;

    w = (windows_t *) out;
    n = w->size < w->room ? w->size : w->room;

    w->room -= n;
    out->end = out->pos + n;

    return n ? 0 : -1;
}


static void
windows_init(windows_t *w, size_t size, size_t room)
{
    memset(w, 0, sizeof(*w));
    w->block = malloc(room ? room : 1);
    w->size = size;
    w->room = room;
    w->out.pos = w->out.end = w->block;
    w->out.more = windows_more;
}


static void
write_all(rbl_out_t *out)
{
    rbl_out_z(out, "abc");
    rbl_out_char(out, '|');
    rbl_out_int(out, 0);
    rbl_out_int(out, -7);
    rbl_out_int(out, INT64_MAX);
    rbl_out_int(out, INT64_MIN);
    rbl_out_str(out, RBL_STR("xyz"));
    rbl_out_bytes(out, NULL, 0);
}


static void
test_out(void)
{
    int                 good;
    size_t              size, n;
    windows_t           w;
    static const char   want[] =
        "abc|0-79223372036854775807-9223372036854775808xyz";

    n = sizeof(want) - 1;
    good = 1;

    for (size = 1; size <= n; size++) {
        windows_init(&w, size, n);
        write_all(&w.out);

        good &= !w.out.failed && memcmp(w.block, want, n) == 0;
        free(w.block);
    }

    ok(good, "windows of any size");
    good = 1;

    for (size = 0; size < n; size++) {
        windows_init(&w, 5, size);
        write_all(&w.out);

        good &= w.out.failed && w.out.pos == w.block + size
                && memcmp(w.block, want, size) == 0;
        free(w.block);
    }

    ok(good, "a sink that ends anywhere");

    windows_init(&w, 9, 9);
    w.out.failed = 1;
    write_all(&w.out);
    ok(w.out.pos == w.block, "a failed sink is left alone");
    free(w.block);

    memset(&w, 0, sizeof(w));
    rbl_out_char(&w.out, 'x');
    ok(w.out.failed, "a sink without more()");
}


static void
test_buf(void)
{
    int        i, good;
    rbl_buf_t  b;

    rbl_buf_init(&b);
    ok(rbl_buf_str(&b).n == 0 && rbl_buf_str(&b).p != NULL, "empty buffer");
    rbl_buf_reset(&b);

    for (i = 0; i < 100000; i++) {
        rbl_out_bytes(&b.out, "0123456789", 10);
    }

    good = !b.out.failed && rbl_buf_str(&b).n == 1000000;

    for (i = 0; good && i < 1000000; i++) {
        good = b.base[i] == '0' + i % 10;
    }

    ok(good, "a million bytes");

    rbl_buf_reset(&b);
    ok(rbl_buf_str(&b).n == 0 && b.base != NULL, "reset keeps the room");

    rbl_out_z(&b.out, "again");
    is_str(rbl_buf_str(&b), "again", "written after reset");

    rbl_buf_free(&b);
    ok(b.base == NULL, "freed");
    rbl_buf_free(&b);
}


static void
test_ints(void)
{
    size_t          i;
    int64_t         v;
    rbl_mp_t        mp;
    rbl_buf_t       b;

    static const struct {
        int64_t  v;
        size_t   len;
    } ints[] = {
        { 0, 1 }, { 127, 1 }, { 128, 2 }, { 255, 2 }, { 256, 3 },
        { 65535, 3 }, { 65536, 5 }, { 4294967295, 5 }, { 4294967296, 9 },
        { INT64_MAX, 9 }, { -1, 1 }, { -32, 1 }, { -33, 2 }, { -128, 2 },
        { -129, 3 }, { -32768, 3 }, { -32769, 5 }, { INT32_MIN, 5 },
        { (int64_t) INT32_MIN - 1, 9 }, { INT64_MIN, 9 }
    };

    rbl_buf_init(&b);

    for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
        rbl_buf_reset(&b);
        rbl_mp_put_int(&b.out, ints[i].v);
        rbl_mp_init(&mp, rbl_buf_str(&b));
        v = rbl_mp_int(&mp);

        ok(v == ints[i].v && !mp.failed && mp.pos == mp.end
           && rbl_buf_str(&b).n == ints[i].len, "int %lld", (long long) v);
    }

    rbl_buf_free(&b);
}


static void
test_sizes(void)
{
    char                 *big;
    size_t                i, n;
    rbl_mp_t              mp;
    rbl_buf_t             b;
    rbl_str_t             s;
    static const size_t   sizes[] = {
        0, 1, 15, 16, 31, 32, 255, 256, 65535, 65536
    };

    big = malloc(65536);
    memset(big, 'x', 65536);
    rbl_buf_init(&b);

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        rbl_buf_reset(&b);
        rbl_mp_put_str(&b.out, (rbl_str_t) { big, sizes[i] });
        rbl_mp_init(&mp, rbl_buf_str(&b));
        s = rbl_mp_str(&mp);

        ok(!mp.failed && mp.pos == mp.end && s.n == sizes[i]
           && memcmp(s.p, big, s.n) == 0, "string of %zu", sizes[i]);

        rbl_buf_reset(&b);
        rbl_mp_put_array(&b.out, sizes[i]);

        for (n = 0; n < sizes[i]; n++) {
            rbl_mp_put_int(&b.out, 1);
        }

        rbl_mp_init(&mp, rbl_buf_str(&b));
        n = rbl_mp_array(&mp);
        ok(n == sizes[i] && !mp.failed, "array of %zu", sizes[i]);

        rbl_mp_init(&mp, rbl_buf_str(&b));
        s = rbl_mp_raw(&mp);
        ok(rbl_str_eq(s, rbl_buf_str(&b)) && mp.pos == mp.end,
           "raw array of %zu", sizes[i]);
    }

    rbl_buf_free(&b);
    free(big);
}


typedef enum { AS_INT, AS_STR, AS_ARRAY, AS_SKIP } as_t;


static const struct {
    const char  *name;
    rbl_str_t    in;
    as_t         as;
    int          good;
    int64_t      v;                     /* the number, or the length */
} reads[] = {
    { "nothing", BYTES(""), AS_SKIP, 0, 0 },
    { "nil is no int", BYTES("\xc0"), AS_INT, 0, 0 },
    { "nil is no string", BYTES("\xc0"), AS_STR, 0, 0 },
    { "nil is skipped", BYTES("\xc0"), AS_SKIP, 1, 0 },
    { "true is skipped", BYTES("\xc3"), AS_SKIP, 1, 0 },
    { "c1 is nothing", BYTES("\xc1"), AS_SKIP, 0, 0 },
    { "bin 8", BYTES("\xc4\x02" "ab"), AS_STR, 1, 2 },
    { "bin 16", BYTES("\xc5\x00\x02" "ab"), AS_STR, 1, 2 },
    { "bin 32", BYTES("\xc6\x00\x00\x00\x02" "ab"), AS_STR, 1, 2 },
    { "str 32", BYTES("\xdb\x00\x00\x00\x02" "ab"), AS_STR, 1, 2 },
    { "str 32 of 4 GiB", BYTES("\xdb\xff\xff\xff\xff" "ab"), AS_STR, 0, 0 },
    { "str is no int", BYTES("\xa1" "1"), AS_INT, 0, 0 },
    { "int is no str", BYTES("\x01"), AS_STR, 0, 0 },
    { "uint64 too large", BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
      AS_INT, 0, 0 },
    { "uint64 too large is skipped",
      BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), AS_SKIP, 1, 0 },
    { "int8", BYTES("\xd0\x80"), AS_INT, 1, -128 },
    { "float32 2^63", BYTES("\xca\x5f\x00\x00\x00"), AS_INT, 0, 0 },
    { "float32 -2^63", BYTES("\xca\xdf\x00\x00\x00"), AS_INT, 1, INT64_MIN },
    { "float32 1.0", BYTES("\xca\x3f\x80\x00\x00"), AS_INT, 1, 1 },
    { "float64 1.0", BYTES("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"), AS_INT,
      1, 1 },
    { "float64 -3.0", BYTES("\xcb\xc0\x08\x00\x00\x00\x00\x00\x00"), AS_INT,
      1, -3 },
    { "float64 1.5", BYTES("\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00"), AS_INT,
      0, 0 },
    { "float64 NaN", BYTES("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"), AS_INT,
      0, 0 },
    { "float64 inf", BYTES("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"), AS_INT,
      0, 0 },
    { "float64 -inf", BYTES("\xcb\xff\xf0\x00\x00\x00\x00\x00\x00"), AS_INT,
      0, 0 },
    { "float64 1e300", BYTES("\xcb\x7e\x37\xe4\x3c\x88\x00\x75\x9c"), AS_INT,
      0, 0 },
    { "float64 1.5 is skipped",
      BYTES("\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00"), AS_SKIP, 1, 0 },
    { "array 32 of 4 G", BYTES("\xdd\xff\xff\xff\xff\x01"), AS_ARRAY, 0, 0 },
    { "array 32 of 4 G is not skipped", BYTES("\xdd\xff\xff\xff\xff\x01"),
      AS_SKIP, 0, 0 },
    { "array 16", BYTES("\xdc\x00\x02\x01\x02"), AS_ARRAY, 1, 2 },
    { "array with too few values", BYTES("\x93\x01\x02"), AS_ARRAY, 0, 0 },
    { "array whose value is cut", BYTES("\x92\x01\xa5" "ab"), AS_SKIP, 0, 0 },
    { "map is no array", BYTES("\x81\x01\x02"), AS_ARRAY, 0, 0 },
    { "map is skipped", BYTES("\x81\xa1" "a\x91\x02"), AS_SKIP, 1, 0 },
    { "map 16 is skipped", BYTES("\xde\x00\x01\x01\x02"), AS_SKIP, 1, 0 },
    { "map 32 of 4 G", BYTES("\xdf\xff\xff\xff\xff\x01\x02"), AS_SKIP, 0, 0 },
    { "map without a value", BYTES("\x81\x01"), AS_SKIP, 0, 0 },
    { "fixext 1", BYTES("\xd4\x01\x02"), AS_SKIP, 1, 0 },
    { "fixext 16 is cut", BYTES("\xd8\x01\x02"), AS_SKIP, 0, 0 },
    { "ext 8", BYTES("\xc7\x02\x01" "ab"), AS_SKIP, 1, 0 },
    { "ext 32 of 4 GiB", BYTES("\xc9\xff\xff\xff\xff\x01" "ab"), AS_SKIP, 0,
      0 },
    { "ext is no string", BYTES("\xd4\x01\x02"), AS_STR, 0, 0 },
    { "eight levels", BYTES("\x91\x91\x91\x91\x91\x91\x91\x91\x01"), AS_SKIP,
      1, 0 },
    { "nine levels", BYTES("\x91\x91\x91\x91\x91\x91\x91\x91\x91\x01"),
      AS_SKIP, 0, 0 },
    { "empty at the ninth level",
      BYTES("\x91\x91\x91\x91\x91\x91\x91\x91\x90"), AS_SKIP, 1, 0 },
};


static void
test_reads(void)
{
    char       *copy;
    size_t      i;
    int64_t     v;
    rbl_mp_t    mp;

    for (i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        copy = malloc(reads[i].in.n ? reads[i].in.n : 1);
        memcpy(copy, reads[i].in.p, reads[i].in.n);
        rbl_mp_init(&mp, (rbl_str_t) { copy, reads[i].in.n });
        v = 0;

        switch (reads[i].as) {

        case AS_INT:
            v = rbl_mp_int(&mp);
            break;

        case AS_STR:
            v = (int64_t) rbl_mp_str(&mp).n;
            break;

        case AS_ARRAY:
            v = (int64_t) rbl_mp_array(&mp);
            break;

        case AS_SKIP:
            rbl_mp_skip(&mp);
            break;
        }

        ok(mp.failed == !reads[i].good && v == reads[i].v,
           "%s", reads[i].name);
        ok(mp.failed || reads[i].as == AS_ARRAY || mp.pos == mp.end,
           "%s: to its end", reads[i].name);

        free(copy);
    }

    rbl_mp_init(&mp, BYTES("\xa1"));
    (void) rbl_mp_str(&mp);
    mp.pos = (const unsigned char *) "\x01";
    mp.end = mp.pos + 1;
    ok(rbl_mp_int(&mp) == 0 && mp.failed, "a failed reader stays so");
    ok(rbl_mp_raw(&mp).n == 0 && rbl_mp_array(&mp) == 0, "in all it does");
}


/* Every first byte with every length up to 20, filled with it. */

static void
test_any(void)
{
    int         good;
    char       *in;
    size_t      n;
    unsigned    tag, fill;
    rbl_mp_t    mp;

    good = 1;

    for (tag = 0; tag < 256; tag++) {
        for (n = 1; n <= 20; n++) {
            for (fill = 0; fill < 256; fill += 51) {
                in = malloc(n);
                memset(in, (int) fill, n);
                in[0] = (char) tag;

                rbl_mp_init(&mp, (rbl_str_t) { in, n });
                rbl_mp_skip(&mp);

                good &= mp.pos <= mp.end;
                free(in);
            }
        }
    }

    ok(good, "any first byte stays in its window");
}


int
main(void)
{
    test_out();
    test_buf();
    test_ints();
    test_sizes();
    test_reads();
    test_any();

    return tap_done();
}
