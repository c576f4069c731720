/*
 * The command line of rbl-checkd.
 */

#ifndef OPTIONS_H_INCLUDED
#define OPTIONS_H_INCLUDED

typedef struct {
    const char  *file;                  /* the configuration */
    int          test;                  /* 1: only check the configuration */
} options_t;

/* -1: continue; otherwise the exit status, after all messages are printed. */
int options_read(options_t *o, int argc, char **argv);

#endif /* OPTIONS_H_INCLUDED */
