/*
 * The life of the deliverer and its claims: for each partition, due deliveries
 * are leased and put into the queue.  A claim is sent at the time of the next
 * due delivery as the store reported it, at the latest after the poll interval
 * (another daemon may have added one), and at once after a fan-out by this
 * daemon.
 *
 * Owns the outbox reader, the transfers, the mails and every attempt.
 */

#include "base/xalloc.h"
#include "deliver_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "deliver/transport/address.h"
#include "first.h"
#include "rbl_mp.h"


#define DELIVER_POLL        0.5         /* s between looks at a quiet queue */
#define DELIVER_CLAIM_MAX   32u         /* deliveries a claim */
#define DELIVER_ERROR_WAIT  5.0         /* s after a claim that failed */


typedef struct {
    turn_t       turn;
    unsigned     asked;                 /* deliveries, by the claim under way */
    ev_tstamp    claimed;               /* when that was sent */
    ev_tstamp    next;                  /* when to claim again */
    safe_item_t  held;                  /* its deliveries wait to be safe */
    link_t       attempts;
} deliver_part_t;


/* Reads the reply: OK, ms until the next, then the deliveries. */

static void
deliver_take(deliver_part_t *part, int64_t ms, const redisReply *reply)
{
    size_t      i, n;
    double      wait;
    attempt_t  *a;
    deliver_t  *d = part->turn.data;

    n = rbl_reply_len(reply);

    for (i = 2; i < n; i++) {
        a = attempt_claimed(d, part->turn.n, part->claimed,
                            rbl_reply_at(reply, i));

        if (a == NULL) {
            log_error("malformed delivery in partition %u", part->turn.n);
            continue;
        }

        link_add(&part->attempts, &a->link);
    }

    wait = turns_interval(d->claims);

    if (n - 2 >= part->asked) {
        wait = 0;

    } else if (ms >= 0 && (double) ms < wait * 1000.0) {
        wait = (double) ms / 1000.0;
    }

    part->next = clock_now() + wait;
}


/* Those that are not safe come back after their lease. */

static void
deliver_safe(safe_item_t *item, int good)
{
    attempt_t       *a;
    deliver_part_t  *part = link_of(item, deliver_part_t, held);
    deliver_t       *d = part->turn.data;

    d->n_asked -= part->asked;
    part->asked = 0;

    while (!link_empty(&part->attempts)) {
        a = link_of(link_shift(&part->attempts), attempt_t, link);

        if (good && !d->stopped) {
            queue_put(d, a);

        } else {
            attempt_free(a);
        }
    }

    turns_done(&part->turn, part->next);
}


static void
deliver_claimed(void *data, const redisReply *reply)
{
    rbl_str_t                   why;
    deliver_part_t             *part = data;
    deliver_t                  *d = part->turn.data;
    rbl_delivery_claim_reply_t  said;

    rbl_delivery_claim_reply(&said, reply);
    part->next = clock_now() + turns_interval(d->claims);

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot claim deliveries: %.*s", (int) why.n, why.p);
        part->next = clock_now() + DELIVER_ERROR_WAIT;

    } else if (said.word == RBL_DELIVERY_CLAIM_OK) {
        deliver_take(part, said.wait, reply);
    }

    if (link_empty(&part->attempts)
        || !outbox_hold(d->outbox, part->turn.n, &part->held))
    {
        deliver_safe(&part->held, 1);
        queue_rest(d);
    }
}


static int
deliver_claim(turn_t *turn)
{
    char                       most[RBL_OUT_INT], lease[24];
    unsigned                   room;
    deliver_t                 *d = turn->data;
    rbl_key_t                  key;
    deliver_part_t            *part = (deliver_part_t *) turn;
    rbl_delivery_claim_args_t  args;

    room = queue_room(d);

    if (room == 0) {
        return 0;
    }

    part->asked = room < DELIVER_CLAIM_MAX ? room : DELIVER_CLAIM_MAX;
    part->claimed = clock_now();
    d->n_asked += part->asked;

    snprintf(lease, sizeof(lease), "%.0f", d->lease * 1000.0);

    args.retry = store_key(d->store, &key, turn->n, "retry");
    args.most = rbl_out_int_text(most, part->asked);
    args.lease = rbl_str(lease);

    store_call(outbox_store(d->outbox), delivery_claim, deliver_claimed, part,
               args);

    return 1;
}


static void
deliver_part_init(turn_t *turn)
{
    deliver_part_t  *part = (deliver_part_t *) turn;

    part->held.done = deliver_safe;
    link_init(&part->held.link);
    link_init(&part->attempts);
}


static void
deliver_look(void *data)
{
    deliver_t  *d = data;

    queue_run(d);
    outbox_more(d->outbox);
}


static const turns_kind_t  deliver_claims = {
    .size = sizeof(deliver_part_t),
    .spread = 1,
    .take = deliver_claim,
    .init = deliver_part_init,
    .look = deliver_look
};


/* An attempt and its record fit in twice over. */

static double
deliver_lease(const config_t *conf)
{
    double  timeout;

    timeout = conf->deliver_timeout;

    if (conf->smtp_url[0] != '\0' && conf->smtp_timeout > timeout) {
        timeout = conf->smtp_timeout;
    }

    return 2 * timeout + 10.0;
}


static void
deliver_close(deliver_t *d)
{
    if (d->smtp != NULL) {
        smtp_free(d->smtp);
    }

    if (d->transfers != NULL) {
        transfer_pool_free(d->transfers);
    }

    if (d->services != NULL) {
        transfer_pool_free(d->services);
    }
}


static int
deliver_open(deliver_t *d)
{
    const config_t  *conf = d->conf;

    d->transfers = transfer_pool_new(d->loop, conf->deliver_ca,
                                     conf->deliveries_max);
    d->services = transfer_pool_new(d->loop, conf->deliver_ca,
                                    conf->deliveries_max);
    d->smtp = conf->smtp_url[0] != '\0' ? smtp_new(d->loop, conf) : NULL;

    return d->transfers != NULL && d->services != NULL
           && (conf->smtp_url[0] == '\0' || d->smtp != NULL) ? 0 : -1;
}


deliver_t *
deliver_new(struct ev_loop *loop, const config_t *conf, store_t *store,
    dns_engine_t *dns)
{
    deliver_t   *d;
    rbl_addr_t   addr;

    d = xcalloc(1, sizeof(deliver_t));
    d->loop = loop;
    d->conf = conf;
    d->store = store;
    d->dns = dns;
    d->lease = deliver_lease(conf);
    link_init(&d->waiting);
    link_init(&d->running);
    link_init(&d->mails);
    link_init(&d->sending);

    if (deliver_open(d) != 0) {
        deliver_close(d);
        free(d);
        return NULL;
    }

    d->timezones = timezones_new(conf->zoneinfo);
    d->claims = turns_new(loop, store, &deliver_claims, DELIVER_POLL, d);
    d->first = first_new(d);
    d->outbox = outbox_new(d);
    d->digests = digests_new(d);
    d->tellings = tellings_new(d);
    address_from_ipv4(&addr, INADDR_LOOPBACK);

    if (address_is_own(&addr) < 0) {
        log_error("cannot read this machine's own addresses (AF_NETLINK): "
                  "deliveries go only to the subnets of deliver_allow");
    }

    return d;
}


void
deliver_reload(deliver_t *d)
{
    timezones_clear(d->timezones);
}


void
deliver_stop(deliver_t *d)
{
    d->stopped = 1;

    turns_stop(d->claims);
    outbox_stop(d->outbox);
    turns_stop(d->digests);
    turns_stop(d->tellings);
    queue_clear(d, 0);
}


unsigned
deliver_in_flight(const deliver_t *d)
{
    return d->n_running + d->n_sending + outbox_pending(d->outbox)
           + digests_pending(d->digests) + (unsigned) d->telling;
}


const deliver_counters_t *
deliver_counters(const deliver_t *d)
{
    return &d->counters;
}


void
deliver_types(const deliver_t *d, rbl_out_t *out)
{
    if (d == NULL) {
        rbl_mp_put_array(out, 0);
        return;
    }

    channel_types(out, d->conf);
}


void
deliver_wake(deliver_t *d, unsigned part)
{
    if (!d->stopped) {
        outbox_wake(d->outbox, part);
        turns_by(d->claims, 0);
    }
}


void
deliver_free(deliver_t *d)
{
    unsigned         p;
    deliver_part_t  *part;

    d->stopped = 1;
    turns_stop(d->claims);

    for (p = 0; p < turns_parts(d->claims); p++) {
        part = (deliver_part_t *) turns_part(d->claims, p);
        store_forget(outbox_store(d->outbox), part);
        link_remove(&part->held.link);
        deliver_safe(&part->held, 0);
    }

    turns_free(d->tellings);
    turns_free(d->digests);

    /* entries go before their attempts */

    outbox_free(d->outbox);
    first_free(d->first);
    queue_clear(d, 1);
    deliver_close(d);
    timezones_free(d->timezones);
    turns_free(d->claims);
    free(d);
}
