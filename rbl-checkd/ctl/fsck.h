/*
 * rblctl fsck: what its files share.  The scripts fsck_*.lua judge and mend:
 * each looks at some of what an account or a partition has at one moment, so
 * that a busy store gives no false alarm.  What is here walks through the
 * store in slices and gives them what there is to look at.
 */

#ifndef CTL_FSCK_H_INCLUDED
#define CTL_FSCK_H_INCLUDED

#include "ctl.h"

#define FSCK_SLICE   10                 /* words given to a script */
#define FSCK_CURSOR  24

typedef struct {
    ctl_t    *ctl;
    int       repair;
    int       stopped;                  /* the rest cannot be judged */
    int       judged;                   /* accounts */
    int       found, left;              /* faults, those not repaired */
    json_t   *rows;                     /* the faults */
    json_t   *reported;                 /* their names -> true */
    json_t   *accounts;                 /* SID -> what fsck_state says */
    json_t   *events;                   /* "<AC>:<EV>" -> [targets] */
    json_t   *counted;                  /* likewise -> what it counted then */
    int       again;                    /* of these alone */
    size_t    done;                     /* by the script that said MORE */
} fsck_t;

/* Reports a fault that no script found; repairs nothing. -1: out of memory. */
int fsck_report(fsck_t *f, rbl_str_t account, const char *kind, rbl_str_t where,
    const char *text);

/*
 * Runs a script on `key`; puts the key, and whether to repair, into argv.
 * Reports its faults.  Returns its word, or -1: failed, and said.
 */
typedef enum {
    FSCK_OK = 0,
    FSCK_BAD,
    FSCK_NONE,
    FSCK_MAYBE,
    FSCK_MORE                           /* f->done things are judged */
} fsck_word_t;

int fsck_script(fsck_t *f, rbl_str_t key, const rbl_script_t *script,
    int argc, rbl_str_t *argv);

/*
 * The same, unless a watched key was written.  1: it was, and the script did
 * not run; 0; -1.  No key is watched after this.
 */
int fsck_watched(fsck_t *f, rbl_str_t key, const rbl_script_t *script,
    int argc, rbl_str_t *argv);

/*
 * Gives `n` things to a script, FSCK_SLICE at a time, after `head` if it has
 * any length.  0, or -1.
 */
int fsck_slices(fsck_t *f, const rbl_script_t *script, rbl_str_t key,
    rbl_str_t head, size_t n, const rbl_str_t *things);

/* Where a scan goes on, "0": nowhere. */
void fsck_cursor(char cursor[FSCK_CURSOR], const redisReply *reply);

/* The account that is meant by the command; n 0: all are. */
rbl_str_t fsck_only(const fsck_t *f);

/* fsck_scan.c: every key of the store, and the accounts that they tell of. */
int fsck_scan(fsck_t *f);

/* Events whose deliveries have not come out even. */
int fsck_events(fsck_t *f);

/*
 * Looks at an account once, at its record first.  FSCK_OK; FSCK_BAD: the rest
 * of it cannot be judged; FSCK_NONE: there is no such account, nor an index of
 * it; -1: failed, and said.
 */
int fsck_state(fsck_t *f, rbl_str_t account);

/* fsck_walk.c: what partitions and accounts have. */
int fsck_partition_types(fsck_t *f, unsigned p);
int fsck_account_types(fsck_t *f, rbl_str_t account);
int fsck_accounts_index(fsck_t *f, unsigned p);
int fsck_account(fsck_t *f, rbl_str_t account);
int fsck_partition(fsck_t *f, unsigned p);

/* Passes the members of a sorted set to a script, after `head`.  0, or -1. */
int fsck_zset(fsck_t *f, const rbl_script_t *script, const char *head,
    rbl_str_t zset, rbl_str_t key);

/*
 * fsck_refs.c: how often profiles and groups of an account are used.  Adds
 * the SIDs of its ranges to the array.
 */
int fsck_refs(fsck_t *f, rbl_str_t account, json_t *ranges);

/* fsck_range.c: the addresses of a range and the number of listed ones. */
int fsck_range(fsck_t *f, rbl_str_t account, rbl_str_t range);

#endif /* CTL_FSCK_H_INCLUDED */
