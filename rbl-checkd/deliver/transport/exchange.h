/*
 * A request on its way to a URL, and the answer: judges the URL, resolves its
 * host, takes a permitted address, makes the transfer.  The URL is rebuilt from
 * its judged parts, so that curl cannot read it differently.
 */

#ifndef DELIVER_EXCHANGE_H_INCLUDED
#define DELIVER_EXCHANGE_H_INCLUDED

#include "config/config.h"
#include "dns/engine.h"
#include "transfer.h"

typedef struct exchange_lookup_s  exchange_lookup_t;

/* The caller owns it, and zeroes it before its first use. */
typedef struct {
    /* Set before the start; what they point to must outlive the exchange. */
    struct ev_loop     *loop;
    dns_engine_t       *dns;
    const config_t     *conf;           /* its reach */
    transfer_pool_t    *pool;
    const request_t    *request;
    rbl_buf_t          *whole;          /* as in transfer_request_t */
    unsigned            attempt;        /* its number chooses one of several
                                           addresses */
    ev_tstamp           deadline;       /* of clock_now; the look-up has half of
                                           the time until then */
    double              timeout;        /* s, of the transfer, at most */
    double              connect_timeout;
    transfer_done_pt    done;
    void               *data;

    /* Of exchange.c. */
    ev_tstamp           begun;
    exchange_lookup_t  *lookup;         /* one of these, or neither */
    transfer_t         *transfer;
    rbl_url_t           url;            /* views of the request's */
    char                host[RBL_VALUE_MAX + 2];    /* as in a URL */
} exchange_t;

/*
 * NULL: `done` comes exactly once, perhaps at once, from inside, unless it is
 * cancelled; after that the exchange may start again.  Otherwise why the URL
 * cannot be used, for the customer.
 */
const char *exchange_start(exchange_t *x);

/* Nothing, if it is not on its way. */
void exchange_cancel(exchange_t *x);

#endif /* DELIVER_EXCHANGE_H_INCLUDED */
