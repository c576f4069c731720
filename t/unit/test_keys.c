/*
 * Keys of the store and partitions.
 */

#include "rbl_keys.h"
#include "tap.h"


#define L32  "0123456789abcdef0123456789abcdef"


static const struct {
    const char  *prefix;
    int          good;
} prefixes[] = {
    { "rbl", 1 }, { "a", 1 }, { "A-b_c.9", 1 },
    { "01234567890123456789012345678901", 1 },
    { "012345678901234567890123456789012", 0 },
    { "", 0 }, { "a b", 0 }, { "a:b", 0 }, { "{a}", 0 }, { "\xc3\xa9", 0 },
};

static const struct {
    int64_t  n;
    int      good;
} partitions[] = {
    { 1, 1 }, { 2, 1 }, { 16, 1 }, { 1024, 1 }, { 2048, 0 }, { 0, 0 },
    { -1, 0 }, { -16, 0 }, { 3, 0 }, { INT64_MIN, 0 }, { INT64_MAX, 0 },
    { INT64_C(1) << 32, 0 },
};


/* Each partition lies in the middle of its part of the slots. */

static void
test_tags(rbl_keyspace_t *ks)
{
    int        good;
    unsigned   n, p, found;
    rbl_str_t  tag = { NULL, RBL_TAG_LEN };

    ok(rbl_slot(RBL_STR("123456789")) == 0x31c3,
       "the slot of the specification");

    for (n = 1; n <= RBL_PARTITIONS_MAX; n *= 2) {
        rbl_keyspace_set_partitions(ks, n);

        for (p = 0, good = 1; p < n; p++) {
            tag.p = ks->tags[p];
            good = good && rbl_slot(tag) == (2 * p + 1) * (RBL_SLOTS / 2) / n
                   && rbl_tag_partition(&found, ks, tag) == RBL_OK
                   && found == p;
        }

        ok(good, "the tags of %u partitions", n);
    }

    ok(rbl_tag_partition(&found, ks, RBL_STR("zzz")) == RBL_EINVAL,
       "a tag that no partition has");
    ok(rbl_tag_partition(&found, ks, RBL_STR("04s0")) == RBL_EINVAL,
       "too long");
    ok(rbl_tag_partition(&found, ks, RBL_STR("")) == RBL_EINVAL, "none");
}


int
main(void)
{
    char            big[RBL_KEY_MAX];
    size_t          i;
    rbl_key_t       key;
    rbl_str_t       none = { NULL, 0 };
    rbl_keyspace_t  ks;

    for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        ok((rbl_keyspace_init(&ks, rbl_str(prefixes[i].prefix)) == RBL_OK)
           == prefixes[i].good, "prefix '%s'", prefixes[i].prefix);
    }

    ok(rbl_keyspace_init(&ks, (rbl_str_t) { "a\0b", 3 }) == RBL_EINVAL,
       "NUL in a prefix");

    rbl_keyspace_init(&ks, RBL_STR("rbl"));

    for (i = 0; i < sizeof(partitions) / sizeof(partitions[0]); i++) {
        ok((rbl_keyspace_set_partitions(&ks, partitions[i].n) == RBL_OK)
           == partitions[i].good, "%lld partitions",
           (long long) partitions[i].n);
    }

    rbl_keyspace_set_partitions(&ks, 16);
    ok(rbl_partition(&ks, RBL_STR("AC" L32)) == 3, "partition of 0123");
    is_str(rbl_hash_key(&key, &ks, "mail",
                        (const unsigned char *)
                        "\x01\x23\x45\x67\x89\xab\xcd\xef"
                        "\x01\x23\x45\x67\x89\xab\xcd\xef" "0123456789abcdef"),
           "rbl:{4x6}:mail:" L32, "a key of a hash, in its partition");
    ok(rbl_partition(&ks, RBL_STR("ACffff" L32)) == 15, "of ffff");
    ok(rbl_partition(&ks, RBL_STR("ACFFFA" L32)) == 10, "of FFFA");
    ok(rbl_partition(&ks, RBL_STR("ACxyz")) == 0, "of no SID");
    ok(rbl_partition(&ks, RBL_STR("")) == 0, "of nothing");
    ok(rbl_partition(&ks, RBL_STR("AC" "000g")) == 0, "of no hex");
    rbl_keyspace_set_partitions(&ks, 1024);
    ok(rbl_partition(&ks, RBL_STR("ACffff" L32)) == 1023, "of 1,024");

    is_str(rbl_meta_key(&key, &ks), "rbl:meta", "meta");
    is_str(rbl_meta_copy_key(&key, &ks, 0), "rbl:{53t}:meta", "its copies");
    is_str(rbl_meta_copy_key(&key, &ks, 63), "rbl:{3MA}:meta", "the last");
    rbl_keyspace_set_partitions(&ks, 16);
    is_str(rbl_key(&key, &ks, 0, "due", none, none), "rbl:{04s}:due", "due");
    is_str(rbl_key(&key, &ks, 1, "r", RBL_STR("SYS"), RBL_STR("RB1")),
           "rbl:{003}:r:SYS:RB1", "a system list");
    is_str(rbl_key(&key, &ks, 2, "r", none, RBL_STR("x")), "rbl:{5lW}:r:x",
           "an empty part is left out");
    is_str(rbl_account_key(&key, &ks, "hosts", RBL_STR("AC" L32), none),
           "rbl:{4x6}:hosts:AC" L32, "an account's hosts");
    is_str(rbl_key(&key, &ks, 16, "due", none, none), "",
           "there is no such partition");
    is_str(rbl_account_key(&key, &ks, "r", RBL_STR("AC" L32),
                           RBL_STR("HT" L32)),
           "rbl:{4x6}:r:AC" L32 ":HT" L32, "a host");
    ok(key.s[key.n] == '\0', "with a NUL");

    memset(big, 'x', sizeof(big));
    is_str(rbl_key(&key, &ks, 7, "r", (rbl_str_t) { big, RBL_KEY_MAX - 12 },
                   none), "", "too long by one");
    ok(rbl_key(&key, &ks, 7, "r", (rbl_str_t) { big, RBL_KEY_MAX - 13 }, none).n
       == RBL_KEY_MAX - 1, "just fits");
    is_str(rbl_key(&key, &ks, 7, "r", (rbl_str_t) { big, RBL_KEY_MAX },
                   RBL_STR("b")), "", "no part after one that did not fit");

    test_tags(&ks);

    return tap_done();
}
