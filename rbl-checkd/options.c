/*
 * The command line.
 */

#include "config/config.h"
#include "options.h"
#include "rbl_version.h"

#include <stdio.h>
#include <unistd.h>


static void
usage(FILE *f)
{
    fputs("usage: rbl-checkd [-c FILE] [-f]   run in the foreground\n"
          "       rbl-checkd -t [-c FILE]     check the configuration, exit\n"
          "       rbl-checkd -D               print a commented configuration\n"
          "       rbl-checkd -V | -h          print the version, or this text\n"
          "FILE is by default " CONFIG_FILE ".\n", f);
}


int
options_read(options_t *o, int argc, char **argv)
{
    int  c;

    o->file = CONFIG_FILE;
    o->test = 0;

    while ((c = getopt(argc, argv, "c:tDfVh")) != -1) {
        switch (c) {
        case 'c':
            o->file = optarg;
            break;

        case 't':
            o->test = 1;
            break;

        case 'f':
            break;

        case 'D':
            config_print_defaults(stdout);
            return fflush(stdout) == 0 ? 0 : 1;

        case 'V':
            puts("rbl-checkd " RBL_VERSION);
            return 0;

        case 'h':
            usage(stdout);
            return 0;

        default:
            usage(stderr);
            return 2;
        }
    }

    if (optind != argc) {
        usage(stderr);
        return 2;
    }

    return -1;
}
