/*
 * Asks the gateway: sends the requests of one job, one after the other.
 */

#ifndef BILL_GATEWAY_ASK_H_INCLUDED
#define BILL_GATEWAY_ASK_H_INCLUDED

#include <ev.h>

#include "deliver/transport/exchange.h"
#include "gateway.h"

typedef struct {
    struct ev_loop   *loop;
    const config_t   *conf;
    const gateway_t  *gateway;
    dns_engine_t     *dns;
    transfer_pool_t  *pool;
} gateway_line_t;

typedef struct gateway_ask_s  gateway_ask_t;

typedef void (*gateway_done_pt)(void *data, const gateway_outcome_t *outcome);

/*
 * The call back comes exactly once and never from inside, unless it is
 * cancelled.  The job and its texts must live until then.
 */
gateway_ask_t *gateway_ask(const gateway_line_t *line, gateway_job_t *job,
    gateway_done_pt done, void *data);
void gateway_ask_cancel(gateway_ask_t *ask);

#endif /* BILL_GATEWAY_ASK_H_INCLUDED */
