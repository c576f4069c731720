/*
 * How many manual checks of each account are in flight in this process.
 */

#ifndef JOBS_SHARE_H_INCLUDED
#define JOBS_SHARE_H_INCLUDED

#include "rbl_sid.h"

typedef struct {
    rbl_sid_t  account;
    unsigned   n;
} jobs_share_t;

typedef struct {
    jobs_share_t  *share;
    unsigned       n, max;
} jobs_shares_t;

/* Room for so many accounts. */
void jobs_shares_init(jobs_shares_t *s, unsigned max);
void jobs_shares_free(jobs_shares_t *s);

void jobs_shares_add(jobs_shares_t *s, const rbl_sid_t *account);
void jobs_shares_drop(jobs_shares_t *s, const rbl_sid_t *account);

/* Writes the accounts with at least `least` checks, up to `max`; returns their
   number. */
unsigned jobs_shares_busy(const jobs_shares_t *s, unsigned least,
    rbl_str_t *accounts, unsigned max);

#endif /* JOBS_SHARE_H_INCLUDED */
