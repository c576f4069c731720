/*
 * SIDs and the keys made of them (shared/text/rbl_sid.c, rbl_keys.c).  Lines:
 * prefix, SID of an account, another SID, number of partitions.
 *
 * A SID is accepted as one kind only, in lower case, which is canonical.  Keys
 * stay inside their room and have the account's partition, which exists.
 */

#include "fuzz.h"
#include "rbl_keys.h"
#include "rbl_sid.h"
#include "rbl_validate.h"


/* Returns how many kinds accept it: 0 or 1. */
static int
try_sid(rbl_str_t text)
{
    int        k, n;
    size_t     i;
    rbl_sid_t  sid, again;

    n = 0;

    for (k = RBL_SID_ACCOUNT; k <= RBL_SID_PASSKEY; k++) {
        if (rbl_sid_parse(&sid, (rbl_sid_kind_t) k, text) != RBL_OK) {
            fuzz_check(sid.n == 0 && sid.s[0] == '\0');
            continue;
        }

        n++;
        fuzz_check(sid.n == text.n && strlen(sid.s) == sid.n);
        fuzz_check(strspn(sid.s + 2, "0123456789abcdef") == sid.n - 2);

        for (i = 0; i < sid.n; i++) {
            fuzz_check((sid.s[i] | 0x20) == (text.p[i] | 0x20));
        }

        fuzz_check(rbl_sid_parse(&again, (rbl_sid_kind_t) k, rbl_sid_str(&sid))
                   == RBL_OK);
        fuzz_check(rbl_str_eq(rbl_sid_str(&again), rbl_sid_str(&sid)));
    }

    fuzz_check(n <= 1);

    return n;
}


static void
try_keys(const rbl_keyspace_t *ks, rbl_str_t account, rbl_str_t other)
{
    char       tag[RBL_PREFIX_MAX + 16];
    int        n;
    unsigned   p;
    rbl_key_t  key;
    rbl_str_t  s;

    p = rbl_partition(ks, account);
    fuzz_check(p < ks->partitions);

    n = snprintf(tag, sizeof(tag), "%s:{%.*s}:check:", ks->prefix,
                 RBL_TAG_LEN, ks->tags[p]);
    s = rbl_account_key(&key, ks, "check", account, other);

    fuzz_check(s.p == key.s && s.n == key.n && s.n < RBL_KEY_MAX);
    fuzz_check(s.n == 0 || (s.n >= (size_t) n && memcmp(s.p, tag, (size_t) n)
                                                 == 0));
    fuzz_check(s.n != 0 || strlen(ks->prefix) + account.n + other.n + 24
                           >= RBL_KEY_MAX);

    s = rbl_meta_key(&key, ks);
    fuzz_check(s.n == strlen(ks->prefix) + 5);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t          f;
    int64_t         n;
    rbl_sid_t       account;
    rbl_str_t       prefix, sid, other;
    rbl_keyspace_t  ks;

    fuzz_init(&f, data, size);
    prefix = fuzz_line(&f);
    sid = fuzz_line(&f);
    other = fuzz_line(&f);

    (void) try_sid(sid);

    if (try_sid(other) == 0 && other.n > 40) {
        other.n = 40;
    }

    if (rbl_keyspace_init(&ks, prefix) == RBL_OK
        && rbl_int_parse(&n, fuzz_line(&f), 0, INT64_MAX) == RBL_OK
        && rbl_keyspace_set_partitions(&ks, n) == RBL_OK
        && rbl_sid_parse(&account, RBL_SID_ACCOUNT, sid) == RBL_OK)
    {
        fuzz_check(n > 0 && n <= RBL_PARTITIONS_MAX && (n & (n - 1)) == 0);
        try_keys(&ks, rbl_sid_str(&account), other);
    }

    fuzz_done(&f);

    return 0;
}
