/*
 * times ZONE: the times that a daemon finds for contacts and mutes in a time
 * zone (rbl_rhythm.h).  It reads lines of fields that are separated by "|", and
 * answers each with a line, the time in ms.
 *
 *     go|RHYTHM|QUIET|NOW
 *     window|RULE|MINUTES|FROM|NOW
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rbl_rhythm.h"

#define FIELDS  5


int
main(int argc, char **argv)
{
    int              n;
    char             path[256], line[256], *rest, *field[FIELDS];
    int64_t          ms;
    rbl_timezone_t   tz;

    if (argc != 2) {
        fprintf(stderr, "usage: times ZONE\n");
        return 2;
    }

    snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s", argv[1]);

    if (rbl_timezone_load(&tz, path) != 0) {
        fprintf(stderr, "%s: no such time zone\n", path);
        return 1;
    }

    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        rest = line;

        for (n = 0; n < FIELDS && rest != NULL; n++) {
            field[n] = strsep(&rest, "|");
        }

        if (n == 4 && strcmp(field[0], "go") == 0) {
            ms = rbl_rhythm_next(rbl_str(field[1]), rbl_str(field[2]),
                                 atoll(field[3]), &tz);

        } else if (n == 5 && strcmp(field[0], "window") == 0) {
            ms = rbl_window_next(rbl_str(field[1]), atoll(field[2]),
                                 atoll(field[3]), atoll(field[4]), &tz);

        } else {
            ms = -1;
        }

        printf("%lld\n", (long long) ms);
        fflush(stdout);
    }

    return 0;
}
