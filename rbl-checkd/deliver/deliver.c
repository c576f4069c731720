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


#define DELIVER_ERROR_WAIT  5.0         /* s after a claim that failed */
#define DELIVER_POLL_PARTS  64          /* above, the poll is spread out */


static void
deliver_tick_at(deliver_t *d, ev_tstamp when)
{
    ev_tstamp  wait;

    if (d->look > 0 && d->look < when) {
        when = d->look;
    }

    wait = when - clock_now();

    ev_timer_stop(d->loop, &d->tick);
    ev_timer_set(&d->tick, wait > 0.0 ? wait : 0.0, 0.0);
    ev_timer_start(d->loop, &d->tick);
}


void
deliver_look_at(deliver_t *d, ev_tstamp when)
{
    if (d->look == 0 || when < d->look) {
        d->look = when;
    }

    if (!d->stopped
        && ev_timer_remaining(d->loop, &d->tick) > when - clock_now())
    {
        deliver_tick_at(d, when);
    }
}


static double
deliver_poll(const deliver_t *d)
{
    return d->n_parts > DELIVER_POLL_PARTS
           ? DELIVER_POLL * d->n_parts / DELIVER_POLL_PARTS : DELIVER_POLL;
}


void
deliver_kick(deliver_t *d, unsigned part)
{
    if (part < d->n_parts) {
        d->parts[part].next = 0;
        d->parts[part].kicked = 1;
    }

    if (!d->stopped) {
        deliver_tick_at(d, clock_now());
    }
}


/* Reads the reply: OK, ms until the next, then the deliveries. */

static void
deliver_take(deliver_part_t *part, unsigned asked, ev_tstamp claimed,
    int64_t ms, const redisReply *reply)
{
    size_t      i, n;
    double      wait;
    attempt_t  *a;
    deliver_t  *d = part->deliver;

    n = rbl_reply_len(reply);

    for (i = 2; i < n; i++) {
        a = attempt_claimed(d, part->n, claimed, rbl_reply_at(reply, i));

        if (a == NULL) {
            log_error("malformed delivery in partition %u", part->n);
            continue;
        }

        link_add(&part->attempts, &a->link);
    }

    wait = deliver_poll(d);

    if (n - 2 >= asked) {
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
    deliver_t       *d = part->deliver;

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

    /* a delivery that came during the claim may be missing in its reply */

    if (part->kicked) {
        part->next = 0;
    }
}


void
deliver_rest(deliver_t *d)
{
    if (!d->stopped) {
        queue_run(d);
        deliver_kick(d, d->n_parts);
    }
}


static void
deliver_claimed(void *data, const redisReply *reply)
{
    unsigned                    asked;
    ev_tstamp                   claimed;
    rbl_str_t                   why;
    deliver_part_t             *part = data;
    deliver_t                  *d = part->deliver;
    rbl_delivery_claim_reply_t  said;

    rbl_delivery_claim_reply(&said, reply);
    asked = part->asked;
    claimed = part->claimed;
    part->next = clock_now() + deliver_poll(d);

    if (reply != NULL && rbl_reply_class(reply) != RBL_REPLY_OK) {
        why = rbl_reply_error(reply);
        log_error("cannot claim deliveries: %.*s", (int) why.n, why.p);
        part->next = clock_now() + DELIVER_ERROR_WAIT;

    } else if (said.word == RBL_DELIVERY_CLAIM_OK) {
        deliver_take(part, asked, claimed, said.wait, reply);
    }

    if (link_empty(&part->attempts)
        || !outbox_hold(d->outbox, part->n, &part->held))
    {
        deliver_safe(&part->held, 1);
        deliver_rest(d);
    }
}


static void
deliver_claim(deliver_part_t *part, unsigned room)
{
    char                       most[16], lease[24];
    deliver_t                 *d = part->deliver;
    rbl_key_t                  key;
    rbl_delivery_claim_args_t  args;

    part->asked = room < DELIVER_CLAIM_MAX ? room : DELIVER_CLAIM_MAX;
    part->claimed = clock_now();
    part->kicked = 0;
    d->n_asked += part->asked;

    snprintf(most, sizeof(most), "%u", part->asked);
    snprintf(lease, sizeof(lease), "%.0f", d->lease * 1000.0);

    args.retry = rbl_key(&key, store_keyspace(d->store), part->n, "retry",
                         RBL_STR(""), RBL_STR(""));
    args.most = rbl_str(most);
    args.lease = rbl_str(lease);

    store_call(outbox_store(d->outbox), delivery_claim, deliver_claimed, part,
               args);
}


static int
deliver_set_parts(deliver_t *d)
{
    unsigned  p, n;

    n = store_keyspace(d->store)->partitions;

    if (d->n_parts > 0 || n == 0) {
        return d->n_parts > 0 ? 0 : -1;
    }

    d->parts = xcalloc(n, sizeof(deliver_part_t));
    d->n_parts = n;

    for (p = 0; p < n; p++) {
        d->parts[p].deliver = d;
        d->parts[p].n = p;
        d->parts[p].held.done = deliver_safe;
        link_init(&d->parts[p].held.link);
        link_init(&d->parts[p].attempts);
    }

    return 0;
}


/*
 * Begins with another partition each time, so that none is always the last to
 * find room.
 */

static void
deliver_claim_all(deliver_t *d)
{
    unsigned         i, room;
    ev_tstamp        now, next;
    deliver_part_t  *part;

    now = clock_now();
    next = now + deliver_poll(d);

    for (i = 0; i < d->n_parts; i++) {
        part = &d->parts[(d->first_part + i) % d->n_parts];

        if (part->asked > 0) {
            continue;
        }

        if (part->next > now) {
            next = part->next < next ? part->next : next;
            continue;
        }

        room = queue_room(d);

        if (room > 0) {
            deliver_claim(part, room);
        }
    }

    d->first_part++;
    deliver_tick_at(d, next);
}


static void
deliver_tick_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    deliver_t  *d = timer->data;

    (void) loop;
    (void) revents;

    d->look = 0;
    queue_run(d);
    outbox_more(d->outbox);

    if (!store_ready(d->store) || deliver_set_parts(d) != 0) {
        deliver_tick_at(d, clock_now() + DELIVER_POLL);
        return;
    }

    deliver_claim_all(d);
}


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
    ev_init(&d->tick, deliver_tick_handler);
    d->tick.data = d;

    if (deliver_open(d) != 0) {
        deliver_close(d);
        free(d);
        return NULL;
    }

    d->timezones = timezones_new(conf->zoneinfo);
    d->first = first_new(d);
    d->outbox = outbox_new(d);
    d->digests = digests_new(d);
    d->tellings = tellings_new(d);
    address_from_ipv4(&addr, INADDR_LOOPBACK);

    if (address_is_own(&addr) < 0) {
        log_error("cannot read this machine's own addresses (AF_NETLINK): "
                  "deliveries go only to the subnets of deliver_allow");
    }

    deliver_tick_at(d, clock_now());

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

    ev_timer_stop(d->loop, &d->tick);
    outbox_stop(d->outbox);
    digests_stop(d->digests);
    tellings_stop(d->tellings);
    queue_clear(d, 0);
}


unsigned
deliver_in_flight(const deliver_t *d)
{
    return d->n_running + d->n_sending + outbox_pending(d->outbox)
           + digests_pending(d->digests) + tellings_pending(d->tellings);
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
        deliver_kick(d, d->n_parts);
    }
}


void
deliver_free(deliver_t *d)
{
    unsigned  p;

    d->stopped = 1;
    ev_timer_stop(d->loop, &d->tick);

    for (p = 0; p < d->n_parts; p++) {
        store_forget(outbox_store(d->outbox), &d->parts[p]);
        link_remove(&d->parts[p].held.link);
        deliver_safe(&d->parts[p].held, 0);
    }

    tellings_free(d->tellings);
    digests_free(d->digests);

    /* entries go before their attempts */

    outbox_free(d->outbox);
    first_free(d->first);
    queue_clear(d, 1);
    deliver_close(d);
    timezones_free(d->timezones);
    free(d->parts);
    free(d);
}
