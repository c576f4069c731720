/*
 * The command line of rbl-checkd.
 */

#ifndef OPTIONS_H_INCLUDED
#define OPTIONS_H_INCLUDED

typedef struct {
    const char  *file;                  /* the configuration */
    int          test;                  /* 1: check it, no more */
} options_t;

/* -1: go on; otherwise the exit status, all is said. */
int options_read(options_t *o, int argc, char **argv);

#endif /* OPTIONS_H_INCLUDED */
