/*
 * TAP for the C unit tests: one header, no library.
 */

#ifndef TAP_H_INCLUDED
#define TAP_H_INCLUDED

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int  tap_n, tap_failed;

__attribute__((format(printf, 4, 5), unused))
static int
tap_ok(int good, const char *file, int line, const char *fmt, ...)
{
    va_list  ap;

    printf("%sok %d - ", good ? "" : "not ", ++tap_n);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");

    if (!good) {
        tap_failed++;
        printf("#   failed at %s line %d\n", file, line);
    }

    fflush(stdout);
    return good;
}


__attribute__((unused))
static int
tap_is(const char *got, size_t n, const char *want, const char *file, int line,
    const char *name)
{
    int  good;

    good = n == strlen(want) && memcmp(got, want, n) == 0;
    tap_ok(good, file, line, "%s", name);

    if (!good) {
        printf("#      got: '%.*s'\n# expected: '%s'\n", (int) n,
               got ? got : "", want);
    }

    return good;
}


__attribute__((unused))
static int
tap_done(void)
{
    printf("1..%d\n", tap_n);
    return tap_failed != 0;
}

#define ok(good, ...)  tap_ok((good) != 0, __FILE__, __LINE__, __VA_ARGS__)
#define is_str(s, want, name)                                                 \
    tap_is((s).p, (s).n, want, __FILE__, __LINE__, name)

#endif /* TAP_H_INCLUDED */
