/*
 * A plain array: there are no more accounts in it than jobs in flight.
 */

#include "jobs_share.h"
#include "base/xalloc.h"

#include <stdlib.h>


void
jobs_shares_init(jobs_shares_t *s, unsigned max)
{
    s->share = xcalloc(max, sizeof(jobs_share_t));
    s->n = 0;
    s->max = max;
}


void
jobs_shares_free(jobs_shares_t *s)
{
    free(s->share);
    s->share = NULL;
    s->n = 0;
    s->max = 0;
}


static jobs_share_t *
find(const jobs_shares_t *s, const rbl_sid_t *account)
{
    unsigned  i;

    for (i = 0; i < s->n; i++) {
        if (rbl_str_eq(rbl_sid_str(&s->share[i].account),
                       rbl_sid_str(account)))
        {
            return &s->share[i];
        }
    }

    return NULL;
}


void
jobs_shares_add(jobs_shares_t *s, const rbl_sid_t *account)
{
    jobs_share_t  *share;

    share = find(s, account);

    if (share == NULL) {
        if (s->n == s->max) {
            return;
        }

        share = &s->share[s->n++];
        share->account = *account;
        share->n = 0;
    }

    share->n++;
}


void
jobs_shares_drop(jobs_shares_t *s, const rbl_sid_t *account)
{
    jobs_share_t  *share;

    share = find(s, account);

    if (share != NULL && --share->n == 0) {
        *share = s->share[--s->n];
    }
}


unsigned
jobs_shares_busy(const jobs_shares_t *s, unsigned least, rbl_str_t *accounts,
    unsigned max)
{
    unsigned  i, n;

    n = 0;

    for (i = 0; i < s->n && n < max; i++) {
        if (s->share[i].n >= least) {
            accounts[n++] = rbl_sid_str(&s->share[i].account);
        }
    }

    return n;
}
