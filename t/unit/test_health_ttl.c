/*
 * When was a control fetched from its list, as its TTLs tell?
 */

#include "tap.h"

#include "check/health_int.h"


/* Pairs of when and TTL; what is the earliest that it may have been fetched? */

static void
test_ttl(void)
{
    size_t        i, k;
    health_ttl_t  t;

    static const struct {
        const char  *name;
        double       at[6];
        uint32_t     ttl[6];
        double       want[6];
    } cases[] = {
        { "an authoritative server", { 100, 101.5, 200, 700 },
          { 300, 300, 300, 300 }, { 0, 101.5, 200, 700 } },
        { "one that is asked seldom", { 100, 700, 1300 }, { 300, 300, 300 },
          { 0, 100, 700 } },
        { "an authoritative server asked in a hurry",
          { 100, 100.3, 100.6, 100.9, 101.3 }, { 300, 300, 300, 300, 300 },
          { 0, 0, 0, 0, 101.3 } },
        { "a cache", { 100, 101.5, 150, 399 }, { 300, 298, 250, 1 },
          { 0, 0, 0, 0 } },
        { "a cache that has fetched it again", { 100, 250, 500, 501.5, 520 },
          { 200, 50, 290, 288, 270 }, { 0, 0, 250, 250, 250 } },
        { "two caches", { 100, 101.5, 103, 104.5 }, { 100, 250, 97, 247 },
          { 0, 0, 0, 0 } },
        { "no TTL", { 100, 101.5, 200 }, { 0, 0, 0 }, { 0, 101.5, 200 } },
        { "no TTL, asked seldom", { 100, 200, 300 }, { 0, 0, 0 },
          { 0, 100, 200 } },
        { "the last second of a cache", { 100, 105, 106.5, 110 },
          { 5, 0, 4, 0 }, { 0, 0, 105, 105 } },
        { "that of a cache whose list is known",
          { 100, 101.5, 106, 107, 112.9, 113.9 }, { 5, 5, 5, 4, 0, 5 },
          { 0, 101.5, 106, 106, 107.9, 113.9 } },
        { "a TTL that the list has given up", { 100, 101.5, 200, 201.5, 250 },
          { 60, 60, 0, 0, 0 }, { 0, 101.5, 140, 201.5, 250 } },
        { "a server, then a cache", { 100, 101.5, 103, 150 },
          { 300, 300, 290, 300 }, { 0, 101.5, 93, 150 } },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&t, 0, sizeof(t));

        for (k = 0; k < 6 && cases[i].at[k] != 0; k++) {
            health_ttl(&t, cases[i].at[k], cases[i].at[k], cases[i].ttl[k]);
            ok(t.fetched > cases[i].want[k] - 0.01
               && t.fetched < cases[i].want[k] + 0.01,
               "%s, answer %zu: %.1f", cases[i].name, k + 1, t.fetched);
        }
    }
}


int
main(void)
{
    test_ttl();

    return tap_done();
}
