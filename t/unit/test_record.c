/*
 * Records: each field in its position, every truncation and every damaged byte
 * refused or at least harmless, results written and read.
 */

#include "base/buf.h"
#include "rbl_record.h"
#include "tap.h"

#include <stdlib.h>


/*
 * A record of `n` fields after the version: "s" a string with its position, "n"
 * its position as a number, "t" an array of one string.
 */

static void
make(rbl_buf_t *b, int64_t version, const char *kinds, unsigned extra)
{
    size_t             i, n;
    static const char  letters[] = "abcdefghijklmnopqrstuvwxyz";

    n = strlen(kinds);
    rbl_buf_reset(b);
    rbl_mp_put_array(&b->out, n + 1 + extra);
    rbl_mp_put_int(&b->out, version);

    for (i = 0; i < n; i++) {
        switch (kinds[i]) {

        case 's':
            rbl_mp_put_str(&b->out, (rbl_str_t) { &letters[i], 1 });
            break;

        case 'n':
            rbl_mp_put_int(&b->out, (int64_t) i + 1);
            break;

        default:
            rbl_mp_put_array(&b->out, 1);
            rbl_mp_put_z(&b->out, "x");
        }
    }

    for (i = 0; i < extra; i++) {
        rbl_mp_put_array(&b->out, 1);
        rbl_mp_put_z(&b->out, "from a newer version");
    }
}


#define MEMBER(name, NAME, types)  rbl_##name##_t  name;

typedef union {
    RBL_ENTITIES(MEMBER)
} any_t;

#define DECODER(name, NAME, types)                                            \
static rbl_err_t                                                              \
decode_##name(any_t *v, rbl_str_t raw)                                        \
{                                                                             \
    return rbl_##name##_decode(&v->name, raw);                                \
}

RBL_ENTITIES(DECODER)

#define ENTITY(name, NAME, types)                                             \
    { #name, decode_##name, types, sizeof(rbl_##name##_t), RBL_##NAME##__N,   \
      RBL_##NAME##__MIN },

static const struct {
    const char  *name;
    rbl_err_t  (*decode)(any_t *v, rbl_str_t raw);
    const char  *kinds;
    size_t       size;
    unsigned     n, least;
} entities[] = {
    RBL_ENTITIES(ENTITY)
};

#define ENTITIES  (sizeof(entities) / sizeof(entities[0]))


static int
all_zero(const void *p, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (((const char *) p)[i] != 0) {
            return 0;
        }
    }

    return 1;
}


static rbl_err_t
decode_copy(size_t e, any_t *v, rbl_str_t raw)
{
    char       *copy;
    rbl_err_t   rc;

    copy = malloc(raw.n ? raw.n : 1);
    memcpy(copy, raw.p, raw.n);
    memset(v, 0xa5, sizeof(*v));
    rc = entities[e].decode(v, (rbl_str_t) { copy, raw.n });
    free(copy);

    return rc;
}


static void
test_damage(size_t e)
{
    int         good;
    any_t       v;
    size_t      i, n;
    rbl_buf_t   b, bad;
    rbl_str_t   raw;

    rbl_buf_init(&b);
    rbl_buf_init(&bad);
    make(&b, 1, entities[e].kinds, 0);
    raw = rbl_buf_str(&b);

    good = 1;

    for (n = 0; n < raw.n; n++) {
        good &= decode_copy(e, &v, (rbl_str_t) { raw.p, n }) == RBL_ETYPE
                && all_zero(&v, entities[e].size);
    }

    ok(good, "%s: cut anywhere", entities[e].name);

    good = 1;

    for (i = 0; i < raw.n * 256; i++) {
        rbl_buf_reset(&bad);
        rbl_out_str(&bad.out, raw);
        bad.base[i / 256] = (char) (i % 256);

        good &= decode_copy(e, &v, rbl_buf_str(&bad)) == RBL_OK
                || all_zero(&v, entities[e].size);
    }

    ok(good, "%s: any byte damaged", entities[e].name);

    rbl_buf_reset(&bad);
    rbl_out_str(&bad.out, raw);
    rbl_out_char(&bad.out, 1);
    ok(decode_copy(e, &v, rbl_buf_str(&bad)) == RBL_ETYPE
       && all_zero(&v, entities[e].size), "%s: a byte too many",
       entities[e].name);

    rbl_buf_free(&b);
    rbl_buf_free(&bad);
}


/* Records of versions before the last fields were added. */

static void
test_older(size_t e)
{
    int        good;
    any_t      v;
    char       kinds[32];
    size_t     n;
    rbl_buf_t  b;

    rbl_buf_init(&b);
    good = 1;

    for (n = 0; n + 1 < entities[e].n; n++) {
        memcpy(kinds, entities[e].kinds, n);
        kinds[n] = '\0';
        make(&b, 1, kinds, 0);

        good &= decode_copy(e, &v, rbl_buf_str(&b))
                == (n + 1 >= entities[e].least ? RBL_OK : RBL_ETYPE);
    }

    ok(good, "%s: only fields that were added later may be missing",
       entities[e].name);

    rbl_buf_free(&b);
}


static void
test_missing(void)
{
    rbl_buf_t     b;
    rbl_daemon_t  daemon;

    rbl_buf_init(&b);
    make(&b, 1, "ssnnttt", 0);
    memset(&daemon, 0xa5, sizeof(daemon));

    ok(rbl_daemon_decode(&daemon, rbl_buf_str(&b)) == RBL_OK,
       "a daemon without the fields that were added");
    is_str(daemon.channels, "\x90", "a missing array is empty");
    is_str(daemon.conditions, "\x90", "each of them");

    rbl_buf_free(&b);
}


static void
test_entities(void)
{
    int         good;
    any_t       v;
    char        kinds[32];
    size_t      e, i;
    rbl_buf_t   b;

    rbl_buf_init(&b);

    for (e = 0; e < ENTITIES; e++) {
        make(&b, 1, entities[e].kinds, 0);
        ok(decode_copy(e, &v, rbl_buf_str(&b)) == RBL_OK, "%s: good",
           entities[e].name);

        make(&b, 1, entities[e].kinds, 2);
        ok(decode_copy(e, &v, rbl_buf_str(&b)) == RBL_OK,
           "%s: with fields of a newer version", entities[e].name);

        make(&b, 2, entities[e].kinds, 0);
        ok(decode_copy(e, &v, rbl_buf_str(&b)) == RBL_ETYPE
           && all_zero(&v, entities[e].size), "%s: unknown version",
           entities[e].name);

        good = 1;

        for (i = 0; entities[e].kinds[i]; i++) {
            memcpy(kinds, entities[e].kinds, strlen(entities[e].kinds) + 1);
            kinds[i] = kinds[i] == 's' ? 'n' : kinds[i] == 'n' ? 't' : 's';
            make(&b, 1, kinds, 0);

            good &= decode_copy(e, &v, rbl_buf_str(&b)) == RBL_ETYPE;
        }

        ok(good, "%s: any field of another type", entities[e].name);

        test_older(e);
        test_damage(e);
    }

    rbl_buf_free(&b);
}


/* Decodes a record of this size; its name takes nearly all of it. */

static rbl_err_t
large_host(size_t size)
{
    char        *name;
    rbl_buf_t    b;
    rbl_err_t    err;
    rbl_host_t   host;
    const char  *kind;

    rbl_buf_init(&b);
    name = calloc(1, size);
    rbl_mp_put_array(&b.out, 17);
    rbl_mp_put_int(&b.out, 1);

    size -= 3 + 1 + 5 + 15;             /* the array, 1, the name's length, the
                                           rest: a byte each */
    rbl_mp_put_str(&b.out, (rbl_str_t) { name, size });

    for (kind = "sssisssaiiiiiia"; *kind != '\0'; kind++) {
        if (*kind == 'i') {
            rbl_mp_put_int(&b.out, 0);

        } else if (*kind == 'a') {
            rbl_mp_put_array(&b.out, 0);

        } else {
            rbl_mp_put_str(&b.out, RBL_STR(""));
        }
    }

    err = rbl_host_decode(&host, rbl_buf_str(&b));
    free(name);
    rbl_buf_free(&b);

    return err;
}


static void
test_places(void)
{
    rbl_buf_t      b;
    rbl_host_t     host;
    rbl_hook_t     hook;
    rbl_list_t     list;
    rbl_chosen_t   chosen;
    rbl_account_t  account;

    rbl_buf_init(&b);

    make(&b, 1, "ssssnssstnnnnnnt", 0);
    rbl_host_decode(&host, rbl_buf_str(&b));
    is_str(host.id, "a", "host.id");
    is_str(host.type, "d", "host.type");
    is_str(host.profile, "h", "host.profile");
    is_str(host.groups, "\x91\xa1x", "host.groups");
    is_str(host.details, "\x91\xa1x", "host.details");
    ok(host.family == 5 && host.created == 10 && host.checked == 11
       && host.first_listed == 12 && host.listed_count == 13
       && host.unknown_count == 14 && host.next_check == 15,
       "the numbers of a host");
    ok(large_host(RBL_HOST_SIZE_MAX) == RBL_OK
       && large_host(RBL_HOST_SIZE_MAX + 1) == RBL_ETYPE,
       "a host record is so large and no larger");

    make(&b, 1, "sssssnnnnnnn", 0);
    rbl_account_decode(&account, rbl_buf_str(&b));
    is_str(account.plan, "e", "account.plan");
    ok(account.paid == 6 && account.interval == 9 && account.created == 10,
       "the numbers of an account");

    make(&b, 1, "ss", 0);
    rbl_chosen_decode(&chosen, rbl_buf_str(&b));
    is_str(chosen.group, "b", "chosen.group");

    make(&b, 1, "sssssnnsstssssss", 0);
    rbl_list_decode(&list, rbl_buf_str(&b));
    is_str(list.zone, "c", "list.zone");
    is_str(list.codes, "\x91\xa1x", "list.codes");
    is_str(list.control, "p", "list.control");

    make(&b, 1, "ssstssnsnns", 0);
    rbl_hook_decode(&hook, rbl_buf_str(&b));
    is_str(hook.types, "\x91\xa1x", "hook.types");
    is_str(hook.secret, "e", "hook.secret");

    rbl_buf_free(&b);
}


static void
test_results(void)
{
    int           good;
    size_t        n;
    rbl_mp_t      mp;
    rbl_buf_t     b;
    rbl_str_t     raw;
    rbl_result_t  in, out;

    memset(&in, 0, sizeof(in));
    in.list = RBL_STR("RB1");
    in.type = RBL_STR("rbl");
    in.custom = 1;
    in.zone = RBL_STR("bl.example");
    in.website = RBL_STR("https://bl.example/");
    in.status = RBL_STR("listed");
    in.codes = RBL_STR("\x91\xa9" "127.0.0.2");
    in.details = RBL_STR("details");
    in.reason = RBL_STR("reason");
    in.error = RBL_STR("");
    in.ms = 70000;

    rbl_buf_init(&b);
    rbl_result_encode(&b.out, &in);
    raw = rbl_buf_str(&b);

    rbl_mp_init(&mp, raw);
    ok(rbl_result_decode(&out, &mp) == RBL_OK && mp.pos == mp.end
       && rbl_str_eq(in.zone, out.zone) && rbl_str_eq(in.codes, out.codes)
       && rbl_str_eq(in.reason, out.reason) && out.custom == 1
       && out.ms == 70000 && out.error.n == 0, "a result there and back");

    good = 1;

    for (n = 0; n < raw.n; n++) {
        rbl_mp_init(&mp, (rbl_str_t) { raw.p, n });
        good &= rbl_result_decode(&out, &mp) == RBL_ETYPE && mp.failed
                && all_zero(&out, sizeof(out));
    }

    ok(good, "a result cut anywhere");

    rbl_buf_reset(&b);
    in.codes.n = 0;
    rbl_result_encode(&b.out, &in);
    rbl_mp_init(&mp, rbl_buf_str(&b));
    rbl_result_decode(&out, &mp);
    is_str(out.codes, "\x90", "no codes are an empty array");

    rbl_buf_free(&b);
}


/* A host keeps some of its changes. */

static void
test_changes(void)
{
    size_t      i;
    rbl_mp_t    mp;
    rbl_buf_t   b;
    rbl_past_t  past;
    rbl_flap_t  flap;

    rbl_buf_init(&b);
    rbl_mp_put_array(&b.out, 8);
    rbl_mp_put_z(&b.out, "RB1");
    rbl_mp_put_z(&b.out, "zone");
    rbl_mp_put_int(&b.out, 1700000000000);
    rbl_mp_put_int(&b.out, 1700000000001);
    rbl_mp_put_int(&b.out, 3);
    rbl_mp_put_int(&b.out, 1600000000000);
    rbl_mp_put_int(&b.out, 1);
    rbl_mp_put_z(&b.out, "from a newer version");
    rbl_mp_init(&mp, rbl_buf_str(&b));
    ok(rbl_past_decode(&past, &mp) == RBL_OK && mp.pos == mp.end
       && rbl_str_is(past.list, "RB1") && rbl_str_is(past.zone, "zone")
       && past.since == 1700000000000 && past.till == 1700000000001
       && past.weight == 3 && past.disused == 1, "a listing that ended");

    rbl_buf_reset(&b);
    rbl_mp_put_array(&b.out, 9);

    for (i = 0; i < 9; i++) {
        rbl_mp_put_int(&b.out, 1700000000000 + (int64_t) i);
    }

    rbl_mp_init(&mp, rbl_buf_str(&b));
    ok(rbl_flap_decode(&flap, &mp) == RBL_OK
       && flap.changed == 1700000000000 && flap.since == 1700000000006
       && flap.at == 1700000000007 && flap.changes == 1700000000008,
       "what shows whether a host flaps");
    rbl_mp_init(&mp, RBL_STR("\x90"));
    ok(rbl_flap_decode(&flap, &mp) == RBL_ETYPE, "nothing does");
    rbl_buf_free(&b);
}


static void
test_listings(void)
{
    size_t         i;
    rbl_mp_t       mp;
    rbl_buf_t      b;
    rbl_listing_t  listing;

    rbl_buf_init(&b);

    for (i = 0; i < 3; i++) {
        rbl_mp_put_array(&b.out, i == 0 ? 6 : i == 1 ? 9 : 15);
        rbl_mp_put_z(&b.out, "RB1");
        rbl_mp_put_z(&b.out, "zone");
        rbl_mp_put_z(&b.out, "site");
        rbl_mp_put_z(&b.out, "link");
        rbl_mp_put_array(&b.out, 0);
        rbl_mp_put_int(&b.out, 1700000000000);

        if (i > 0) {
            rbl_mp_put_int(&b.out, 1700000000001);
            rbl_mp_put_int(&b.out, 3);
            rbl_mp_put_int(&b.out, 1700000000002);
        }

        if (i > 1) {
            rbl_mp_put_int(&b.out, 4);
            rbl_mp_put_int(&b.out, 1700000000003);
            rbl_mp_put_array(&b.out, 1);
            rbl_mp_put_int(&b.out, 60);
            rbl_mp_put_int(&b.out, 1700000000004);
            rbl_mp_put_int(&b.out, 2);
            rbl_mp_put_z(&b.out, "from a newer version");
        }
    }

    rbl_mp_init(&mp, rbl_buf_str(&b));
    ok(rbl_listing_decode(&listing, &mp) == RBL_OK
       && listing.since == 1700000000000 && listing.asked == 0
       && listing.errors == 0 && listing.cleared == 0,
       "a listing without the time of its query");
    ok(rbl_listing_decode(&listing, &mp) == RBL_OK
       && listing.since == 1700000000000 && listing.asked == 1700000000001
       && listing.errors == 3 && listing.cleared == 1700000000002
       && listing.weight == 0 && listing.risen == 0 && listing.off == 0,
       "a listing");
    ok(rbl_listing_decode(&listing, &mp) == RBL_OK && mp.pos == mp.end
       && listing.weight == 4 && listing.risen == 1700000000003
       && listing.off == 1700000000004 && listing.counted == 2,
       "and the next");
    ok(rbl_listing_decode(&listing, &mp) == RBL_ETYPE
       && all_zero(&listing, sizeof(listing)), "and no more");

    rbl_mp_init(&mp, RBL_STR("\x91\xa1x"));
    ok(rbl_listing_decode(&listing, &mp) == RBL_ETYPE && mp.failed,
       "a listing of one field");

    rbl_buf_free(&b);
}


static void
test_troubles(void)
{
    size_t         i, n;
    rbl_mp_t       mp;
    rbl_buf_t      b;
    rbl_trouble_t  trouble;

    rbl_buf_init(&b);

    for (i = 3; i < 6; i++) {
        rbl_mp_put_array(&b.out, i);
        rbl_mp_put_z(&b.out, "RB1");
        rbl_mp_put_z(&b.out, "timeout");
        rbl_mp_put_int(&b.out, 1700000000000);

        for (n = 3; n < i; n++) {
            rbl_mp_put_int(&b.out, (int64_t) n);
        }
    }

    rbl_mp_init(&mp, rbl_buf_str(&b));
    ok(rbl_trouble_decode(&trouble, &mp) == RBL_ETYPE && mp.failed
       && all_zero(&trouble, sizeof(trouble)), "trouble without a count");

    rbl_mp_init(&mp, rbl_buf_str(&b));
    rbl_mp_skip(&mp);
    ok(rbl_trouble_decode(&trouble, &mp) == RBL_OK
       && rbl_str_is(trouble.list, "RB1")
       && rbl_str_is(trouble.error, "timeout")
       && trouble.since == 1700000000000 && trouble.count == 3, "trouble");
    ok(rbl_trouble_decode(&trouble, &mp) == RBL_OK && mp.pos == mp.end,
       "and trouble of a newer version");

    rbl_buf_free(&b);
}


int
main(void)
{
    test_entities();
    test_missing();
    test_places();
    test_results();
    test_listings();
    test_changes();
    test_troubles();

    return tap_done();
}
