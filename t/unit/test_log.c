/*
 * The rate limit of the log: each format has its own count, for any number of
 * formats.
 */

#include "base/log.h"

#include <stdlib.h>
#include <unistd.h>

#include "tap.h"


#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define FORMATS  200

static char  path[] = "/tmp/test_log.XXXXXX";
static char  formats[FORMATS][24];


/* Counts the lines of the log that contain this text. */

static unsigned
lines(const char *text)
{
    char      line[4096];
    FILE     *f;
    unsigned  n;

    n = 0;
    f = fopen(path, "r");

    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        n += strstr(line, text) != NULL;
    }

    if (f != NULL) {
        fclose(f);
    }

    return n;
}


/* Alternating formats: none resets the count of another. */

static void
check_pairs(void)
{
    unsigned  i, round;

    for (round = 0; round < 100; round++) {
        for (i = 0; i < 80; i++) {
            log_msg(LOG_L_WARN, formats[i], "");
        }
    }

    for (i = 0; i < 80; i++) {
        ok(lines(formats[i] + 2) == 20, "format %u: 20 lines, not %u", i,
           lines(formats[i] + 2));
    }
}


/* More formats than the log can count: the others share one limit. */

static void
check_flood(void)
{
    unsigned  i, n, round;

    for (round = 0; round < 100; round++) {
        for (i = 80; i < FORMATS; i++) {
            log_msg(LOG_L_ERROR, formats[i], "");
        }
    }

    n = lines("[error]");
    ok(n <= 50 * 20, "formats without a slot share a limit: %u lines", n);
    ok(n >= 40 * 20, "and the others have their own");

    log_close();
    ok(lines("messages left out of the kind") >= 80,
       "omitted lines are counted");
}


int
main(void)
{
    int       fd;
    unsigned  i;

    fd = mkstemp(path);
    ok(fd >= 0 && log_open(path, LOG_L_NOTICE) == 0, "a file");

    for (i = 0; i < FORMATS; i++) {
        snprintf(formats[i], sizeof(formats[i]), "%%sformat %03u.", i);
    }

    check_pairs();
    check_flood();
    close(fd);
    unlink(path);

    return tap_done();
}
