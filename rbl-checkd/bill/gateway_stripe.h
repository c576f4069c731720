/*
 * Stripe: gateway_stripe.c makes the requests, gateway_stripe_judge.c judges
 * the answers.
 */

#ifndef BILL_GATEWAY_STRIPE_H_INCLUDED
#define BILL_GATEWAY_STRIPE_H_INCLUDED

#include "gateway.h"

/* Does the next request read the payments of the customer? */
int stripe_lists(const gateway_job_t *job);

/* See gateway_t. */
void stripe_judge(gateway_outcome_t *outcome, gateway_job_t *job,
    const gateway_answer_t *answer);

#endif /* BILL_GATEWAY_STRIPE_H_INCLUDED */
