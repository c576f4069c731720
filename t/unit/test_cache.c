/*
 * The cache of responses: contents, times, and bounds in octets.  The test sets
 * the clock.
 */

#include "tap.h"

#include "check/lookup/cache.h"

#include <stdio.h>
#include <stdlib.h>

static dns_answer_t  answer, back;


static void
make(dns_status_t status, uint32_t ttl, unsigned n_a)
{
    unsigned  i;

    memset(&answer, 0, sizeof(answer));
    answer.status = status;
    answer.ttl = ttl;
    answer.ms = 12;
    answer.tries = 2;
    answer.server = 3;
    answer.n_a = n_a;

    for (i = 0; i < n_a; i++) {
        answer.a[i] = 0x7f000002 + i;
    }
}


static int
find(cache_t *cache, const char *name, double now)
{
    const cache_kept_t  *kept;

    kept = cache_find(cache, name, DNS_TYPE_A, now);

    if (kept == NULL) {
        return 0;
    }

    memset(&back, 0xa5, sizeof(back));
    cache_unpack(&back, kept, now);
    return 1;
}


static void
test_kept(void)
{
    cache_t  *cache;

    cache = cache_new(100000);
    make(DNS_NOERROR, 300, 3);
    answer.txt_len = 5;
    memcpy(answer.txt, "a\0b\xff" "c", 5);
    answer.n_aaaa = 1;
    answer.aaaa[0].s6_addr[15] = 1;
    cache_put(cache, "a.example", DNS_TYPE_A, &answer, 1000);

    ok(find(cache, "a.example", 1000) && back.status == DNS_NOERROR
       && back.n_a == 3 && back.a[2] == 0x7f000004 && back.ttl == 300
       && back.tries == 2 && back.server == 3 && back.ms > 11.9
       && back.ms < 12.1, "an answer");
    ok(back.txt_len == 5 && memcmp(back.txt, "a\0b\xff" "c", 5) == 0
       && back.n_aaaa == 1 && back.aaaa[0].s6_addr[15] == 1, "all of it");
    ok(cache_find(cache, "a.example", DNS_TYPE_TXT, 1000) == NULL
       && !find(cache, "b.example", 1000) && !find(cache, "a.exampl", 1000)
       && !find(cache, "", 1000), "nothing else");
    ok(find(cache, "a.example", 1100.5) && back.ttl == 199,
       "the rest of its time");
    ok(find(cache, "a.example", 1299.9) && back.ttl == 0, "to the last");
    ok(!find(cache, "a.example", 1300) && cache_entries(cache) == 0,
       "and no longer");
    ok(!find(cache, "a.example", 1299), "an expired entry stays expired");

    make(DNS_NXDOMAIN, 60, 0);
    answer.soa = 3;
    cache_put(cache, "a.example", DNS_TYPE_A, &answer, 2000);
    ok(find(cache, "a.example", 2059) && back.status == DNS_NXDOMAIN
       && back.n_a == 0 && back.ttl == 1 && back.soa == 3, "no such name");
    ok(!find(cache, "a.example", 1999), "not for a time before it came");
    cache_free(cache);
    cache_free(NULL);
}


static void
test_not_kept(void)
{
    cache_t  *cache;
    unsigned  status;

    cache = cache_new(100000);

    for (status = DNS_SERVFAIL; status < DNS_STATUSES; status++) {
        make(status, 300, 0);
        cache_put(cache, "a.example", DNS_TYPE_A, &answer, 10);
        ok(!find(cache, "a.example", 10), "no failure (%u)", status);
    }

    make(DNS_NOERROR, 0, 1);
    cache_put(cache, "a.example", DNS_TYPE_A, &answer, 10);
    ok(!find(cache, "a.example", 10) && cache_octets(cache) == 0,
       "nothing without a TTL");

    make(DNS_NOERROR, INT32_MAX, 1);
    cache_put(cache, "a.example", DNS_TYPE_A, &answer, 10);
    ok(find(cache, "a.example", 10 + CACHE_TTL_MAX - 1)
       && back.ttl == INT32_MAX - (CACHE_TTL_MAX - 1), "a long one");
    ok(!find(cache, "a.example", 10 + CACHE_TTL_MAX),
       "not for its whole TTL");
    cache_free(cache);
}


static void
test_replaced(void)
{
    cache_t  *cache;

    cache = cache_new(100000);
    make(DNS_NXDOMAIN, 60, 0);
    cache_put(cache, "a.example", DNS_TYPE_A, &answer, 10);
    make(DNS_NOERROR, 60, 1);
    cache_put(cache, "a.example", DNS_TYPE_A, &answer, 20);
    ok(find(cache, "a.example", 75) && back.n_a == 1
       && cache_entries(cache) == 1, "the newest counts");
    cache_free(cache);
}


/* Adds as many small responses as fit, then checks contents and size. */
static void
test_bound(size_t octets)
{
    char      name[64];
    cache_t  *cache;
    unsigned  i, n, kept, first, holes;
    uint64_t  most;

    cache = cache_new(octets);
    most = 0;
    n = 20000;

    for (i = 0; i < n; i++) {
        make(DNS_NOERROR, 3000, i % 7);
        snprintf(name, sizeof(name), "%u.%.*s.example", i, (int) (i % 13),
                 "xxxxxxxxxxxxx");
        cache_put(cache, name, DNS_TYPE_A, &answer, 1000 + i * 0.001);
        most = cache_octets(cache) > most ? cache_octets(cache) : most;
    }

    kept = holes = 0;
    first = n;

    for (i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "%u.%.*s.example", i, (int) (i % 13),
                 "xxxxxxxxxxxxx");

        if (find(cache, name, 1020)) {
            kept++;
            first = first < n ? first : i;

            if (back.n_a != i % 7) {
                holes++;
            }

        } else if (first < n) {
            holes++;
        }
    }

    ok(most <= octets && kept == cache_entries(cache),
       "%zu octets: not more (%u answers in %zu)", octets, kept,
       cache_octets(cache));
    ok(octets < 2000 || (kept > octets / 200 && most > octets / 2),
       "%zu octets: and no fewer than fit", octets);
    ok(holes == 0 && (kept == 0 || first + kept == n),
       "%zu octets: the newest ones", octets);
    cache_free(cache);
}


/* Entries with any lifetime, compared with a plain table. */
static void
test_random(void)
{
    char      name[16];
    double    now, until[100];
    cache_t  *cache;
    unsigned  i, k, tag[100], wrong, hits;
    uint64_t  seed;

    memset(until, 0, sizeof(until));
    memset(tag, 0, sizeof(tag));
    cache = cache_new(100000);
    now = 5000;
    wrong = hits = 0;
    seed = 1;

    for (i = 1; i < 200000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        k = (unsigned) (seed >> 33) % 100;
        snprintf(name, sizeof(name), "n%u", k);
        now += 0.01;

        if (find(cache, name, now)) {
            hits++;
            wrong += now >= until[k] || back.a[0] != tag[k];

        } else {
            wrong += now < until[k];
        }

        if (seed >> 62 == 0) {
            make(DNS_NOERROR, 1 + (unsigned) (seed >> 50) % 20, 1 + i % 8);
            answer.a[0] = tag[k] = i;
            until[k] = now + answer.ttl;
            cache_put(cache, name, DNS_TYPE_A, &answer, now);
        }
    }

    ok(wrong == 0 && hits > 50000, "%u hits, none of them wrong", hits);

    for (k = 0; k < 100; k++) {
        snprintf(name, sizeof(name), "n%u", k);
        find(cache, name, now + 100);
    }

    ok(cache_entries(cache) == 0 && cache_octets(cache) == 0,
       "empty in the end");
    cache_free(cache);
}


/* The largest possible response, in little room. */
static void
test_great(void)
{
    char      name[254];
    size_t    octets;
    cache_t  *cache;
    unsigned  kept;

    memset(name, 'x', 253);
    name[253] = '\0';
    make(DNS_NOERROR, 100, DNS_MAX_A);
    answer.n_aaaa = DNS_MAX_A;
    answer.txt_len = DNS_TXT_MAX;
    kept = 0;

    for (octets = 0; octets < 6000; octets += 8) {
        cache = cache_new(octets);
        name[0] = 'x';
        cache_put(cache, name, DNS_TYPE_A, &answer, 1);
        name[0] = 'y';
        cache_put(cache, name, DNS_TYPE_A, &answer, 2);
        kept += find(cache, name, 3);
        cache_free(cache);
    }

    ok(kept > 300, "the greatest answer, where there is room for it");
}


int
main(void)
{
    test_kept();
    test_not_kept();
    test_replaced();
    test_bound(0);
    test_bound(200);
    test_bound(1000);
    test_bound(100000);
    test_bound(1 << 20);
    test_random();
    test_great();

    return tap_done();
}
