/*
 * Response times by RFC 6298: of a server as a whole and of each pacing class,
 * since one resolver serves fast and slow lists.  Every attempt has its own id,
 * so late responses are measured too.
 */

#include "dns_int.h"

#define RTT_BACKOFF_MAX  6


static void
rtt_sample(dns_rtt_t *rtt, double took)
{
    double  off;

    rtt->backoff = 0;

    if (rtt->srtt == 0) {
        rtt->srtt = took > 1e-6 ? took : 1e-6;
        rtt->var = took / 2;
        return;
    }

    off = rtt->srtt > took ? rtt->srtt - took : took - rtt->srtt;
    rtt->var += (off - rtt->var) / 4;
    rtt->srtt += (took - rtt->srtt) / 8;
}


void
dns_rtt_took(const dns_query_t *q, dns_server_t *r, double took)
{
    unsigned  i;

    took = took > 0 ? took : 0;
    rtt_sample(&q->class->rtt, took);

    /* A slow own list must not delay the retries of others. */
    if (dns_tells(q)) {
        rtt_sample(&r->rtt, took);
    }

    for (i = 0; i < RBL_LATENCY_BOUNDS; i++) {
        if (took * 1e6 <= (double) rbl_latency_bounds[i]) {
            break;
        }
    }

    r->counters.latency[i]++;
    r->counters.seconds += took;
    r->counters.replies++;
}


void
dns_rtt_overdue(dns_class_t *class)
{
    if (class->rtt.backoff < RTT_BACKOFF_MAX) {
        class->rtt.backoff++;
    }
}


double
dns_rtt_wait(const dns_engine_t *engine, const dns_class_t *class,
    const dns_server_t *r)
{
    double  wait, of_class;

    if (r->rtt.srtt == 0) {
        return engine->conf.timeout;
    }

    wait = r->rtt.srtt + 4 * r->rtt.var;
    of_class = class == NULL ? 0 : class->rtt.srtt + 4 * class->rtt.var;
    wait = of_class > wait ? of_class : wait;
    wait = wait > DNS_RTO_LEAST ? wait : DNS_RTO_LEAST;
    wait *= class == NULL ? 1 : 1u << class->rtt.backoff;

    return wait < engine->conf.timeout ? wait : engine->conf.timeout;
}
