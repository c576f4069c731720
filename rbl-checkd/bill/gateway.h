/*
 * Gateways make payments: Stripe, or a server of the operator.  A gateway makes
 * a request from a job and judges the answer to it; it does no I/O.  payer.c
 * sends the requests and records the results.
 *
 * A result is `declined` only if nothing was charged for sure.  Whatever else
 * could mean that, a timeout, a page of a proxy, another amount, is `unknown`:
 * the payment is never made again with another key.
 */

#ifndef BILL_GATEWAY_H_INCLUDED
#define BILL_GATEWAY_H_INCLUDED

#include "base/request.h"
#include "config/config.h"
#include "rbl_record.h"

#define GATEWAY_ID_MAX    128
#define GATEWAY_WORD_MAX  64
#define GATEWAY_TEXT_MAX  256
#define GATEWAY_URL_MAX   2048

typedef enum {
    GATEWAY_NOTHING = 0,
    GATEWAY_CHARGE,
    GATEWAY_QUERY,                      /* how a payment has ended */
    GATEWAY_SESSION,                    /* make a page that adds a source */
    GATEWAY_LOOK,                       /* look at that page */
    GATEWAY_CARD,                       /* how a card looks now */
    GATEWAY_DETACH                      /* forget a card */
} gateway_task_t;

/* The same at every repeat. */
typedef struct {
    const config_t  *conf;
    gateway_task_t   task;
    rbl_str_t        account, customer;
    rbl_payment_t    payment;           /* of CHARGE and QUERY */
    rbl_setup_t      setup;             /* of SESSION and LOOK */
    rbl_source_t     source;            /* of CARD and DETACH */

    /* Kept by the gateway between the requests of one job. */
    int              looked;
    char             cursor[GATEWAY_ID_MAX];
    unsigned         pages;
} gateway_job_t;

/* Foreign bytes.  status 0: there is no answer. */
typedef struct {
    unsigned   status;
    rbl_str_t  body;
} gateway_answer_t;

typedef enum {
    GATEWAY_UNKNOWN = 0,                /* it may be done, or not */
    GATEWAY_SUCCEEDED,                  /* charged; a page was made, a source
                                           added, a card read or forgotten */
    GATEWAY_PROCESSING,                 /* it is being done */
    GATEWAY_DECLINED,                   /* for sure not charged; the page is
                                           gone */
    GATEWAY_CUSTOMER,                   /* the customer has to act at a URL */
    GATEWAY_MISCONFIGURED,              /* the operator has to act */
    GATEWAY_MISSING,                    /* the gateway has all payments of the
                                           customer but this one */
    GATEWAY_AGAIN                       /* another request of the same job
                                           follows */
} gateway_result_t;

/* Zeroed before an answer is judged.  Printable texts. */
typedef struct {
    gateway_result_t  result;
    int               final;            /* declined: no other attempt */
    char              reference[GATEWAY_ID_MAX];    /* payment, or page */
    int64_t           amount;           /* succeeded: what was charged (micro-
                                           USD); 0: what was asked for */
    char              reason[GATEWAY_WORD_MAX];     /* why it is declined */
    char              text[GATEWAY_TEXT_MAX];
    char              url[GATEWAY_URL_MAX];

    /* the source that was added, or read again; or the card that a gateway
       names; month 0: none */
    char              customer[GATEWAY_ID_MAX], method[GATEWAY_ID_MAX];
    char              type[GATEWAY_WORD_MAX], brand[GATEWAY_WORD_MAX];
    char              last4[5];
    int64_t           month, year;
    int               live;
} gateway_outcome_t;

typedef struct {
    const char  *name;

    /* Writes into the buffers of a new request.  NULL: it makes no requests.
       RBL_EINVAL: it cannot make this one. */
    rbl_err_t  (*make)(request_t *request, const gateway_job_t *job);
    void       (*judge)(gateway_outcome_t *outcome, gateway_job_t *job,
                        const gateway_answer_t *answer);
    int          names;                 /* it names the card of a payment in
                                           its answer, and is not asked */
} gateway_t;

extern const gateway_t  gateway_manual, gateway_stripe, gateway_http;

/* The configured one; NULL: none. */
const gateway_t *gateway_find(const config_t *conf);

/* Does its key move real money? */
int gateway_live(const config_t *conf);

/* "<payment>-<attempt>" */
void gateway_key(char key[GATEWAY_WORD_MAX], const rbl_payment_t *payment);

/* Cents of an amount; RBL_EINVAL: it is no number of cents. */
rbl_err_t gateway_cents(int64_t *cents, int64_t amount);

/*
 * Whether a payment that the gateway has made with the payment's own key fits
 * by its amount (micro-USD; 0: it cannot be read).  One that was declined fits
 * by any.  A recharge fits by any, too, which goes into the outcome: after a
 * restore of the store the same recharge is opened for another amount.
 */
int gateway_amount_fits(gateway_outcome_t *outcome, const gateway_job_t *job,
    int64_t amount);

/* Ends the judgement: a result and why. */
void gateway_say(gateway_outcome_t *outcome, gateway_result_t result,
    const char *text);

/* Copies foreign text, made printable and cut. */
void gateway_text(char *to, size_t size, rbl_str_t text);

#endif /* BILL_GATEWAY_H_INCLUDED */
