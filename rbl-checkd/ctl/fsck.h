/*
 * rblctl fsck: declarations of its files.  The scripts fsck_*.lua find and
 * repair faults: each looks at a part of an account or a partition in one
 * moment, so that a busy store causes no false alarm.  A script walks through
 * sets and hashes in slices, and C calls it until nothing is left.  C finds the
 * keys, adds up what was counted in slices, and compares different partitions.
 */

#ifndef CTL_FSCK_H_INCLUDED
#define CTL_FSCK_H_INCLUDED

#include "ctl.h"

typedef struct {
    ctl_t       *ctl;
    int          repair;
    int          stopped;               /* the rest cannot be checked */
    int          skipped;               /* a partition that is away matters */
    int          judged;                /* accounts checked */
    int          found, left;           /* faults; those not repaired */
    json_t      *rows;                  /* the faults */
    json_t      *reported;              /* names of the faults -> true */
    json_t      *accounts;              /* SID -> result of fsck_state */
    json_t      *events;                /* "<AC>:<EV>" -> [counter,
                                           target...] */
    json_t      *counts;                /* by scripts: name -> sum */
    json_t      *names;                 /* that scripts have found */
    rbl_str_t    mail_account;          /* whose users are looked for */
} fsck_t;

/* fsck_script.c.  Reports a fault. */
void fsck_add(fsck_t *f, rbl_str_t account, rbl_str_t kind, rbl_str_t where,
    rbl_str_t text, int mended);

/* Reports a fault that no script found, without a repair. */
void fsck_report(fsck_t *f, rbl_str_t account, const char *kind,
    rbl_str_t where, const char *text);

/*
 * Runs a script on `key`; puts the key and the repair flag into argv.  Runs it
 * again for what it leaves, and reports the faults it found.  Returns its word;
 * -1: error printed.
 */
typedef enum {
    FSCK_OK = 0,
    FSCK_BAD,
    FSCK_NONE
} fsck_word_t;

int fsck_script(fsck_t *f, rbl_str_t key, const rbl_script_t *script,
    int argc, rbl_str_t *argv);

/*
 * The same, once, unless a watched key was written.  1: it was, and the script
 * did not run; 0; -1.  No key is watched afterwards.
 */
int fsck_watched(fsck_t *f, rbl_str_t key, const rbl_script_t *script,
    int argc, rbl_str_t *argv);

/* The account that the command names; n 0: all accounts. */
rbl_str_t fsck_only(const fsck_t *f);

/* Make the first key of a script: of a partition, of an account. */
rbl_str_t fsck_base(const fsck_t *f, rbl_key_t *key, unsigned p);
rbl_str_t fsck_acct(const fsck_t *f, rbl_key_t *key, rbl_str_t account);

/* fsck_scan.c: finds every key of the store, and the accounts in their
   names. */
int fsck_scan(fsck_t *f);

/*
 * Checks an account once, its record first.  FSCK_OK; FSCK_BAD: the rest of it
 * cannot be checked; FSCK_NONE: there is no such account, nor an index of it;
 * -1: error printed.
 */
int fsck_state(fsck_t *f, rbl_str_t account);

/* Passes all keys of that name, of all accounts or of the selected one, to a
   function, in pages of SCAN. */
int fsck_keys(fsck_t *f, const char *name,
    int (*take)(fsck_t *f, const redisReply *page));

/* Do all slots stay where they are?  0; -1: printed that they do not. */
int fsck_still(fsck_t *f);

/*
 * fsck_mail.c: the index of users by their mail address.  It is in other
 * partitions than the users, so no script can compare both.  fsck_mail_users
 * looks for the users of an account in it, fsck_mail at all of its members.
 */
int fsck_mail_users(fsck_t *f, rbl_str_t account);
int fsck_mail(fsck_t *f);

/* fsck_meta.c: the copies of the meta data.  0, or -1. */
int fsck_meta(fsck_t *f);

/*
 * fsck_count.c: checks the counters of the uses of profiles and groups of an
 * account, its ledger, and the numbers of listed addresses of its ranges.
 */
int fsck_counted(fsck_t *f, rbl_str_t account);

#endif /* CTL_FSCK_H_INCLUDED */
