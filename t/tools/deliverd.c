/*
 * Only the delivery of rbl-checkd as a process.  "deliverd FILE" reads a
 * configuration of rbl-checkd, logs "ready" when the store is, and ends on
 * SIGTERM like the daemon: attempts in flight continue for a while.  SIGUSR1:
 * it looks for work now.
 */

#include <ev.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "config/config.h"
#include "deliver/deliver_int.h"
#include "store/store.h"


typedef struct {
    deliver_t  *deliver;
    ev_tstamp   deadline;
    ev_timer    poll;
} tool_t;


static void
state_handler(void *data, int ready)
{
    (void) data;

    log_notice(ready ? "ready" : "the store is lost");
}


static void
poll_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    tool_t  *tool = timer->data;

    (void) revents;

    if (deliver_in_flight(tool->deliver) == 0 || ev_now(loop) > tool->deadline)
    {
        ev_break(loop, EVBREAK_ALL);
    }
}


static void
term_handler(struct ev_loop *loop, ev_signal *sig, int revents)
{
    tool_t  *tool = sig->data;

    (void) revents;

    deliver_stop(tool->deliver);
    tool->deadline = ev_now(loop) + 4.0;
    ev_timer_start(loop, &tool->poll);
}


static void
wake_handler(struct ev_loop *loop, ev_signal *sig, int revents)
{
    tool_t    *tool = sig->data;
    unsigned   p;

    (void) loop;
    (void) revents;

    for (p = 0; p < turns_parts(tool->deliver->claims); p++) {
        deliver_wake(tool->deliver, p);
        turns_soon(tool->deliver->claims, p);
    }
}


int
main(int argc, char **argv)
{
    char             err[512];
    tool_t           tool;
    config_t         conf;
    store_t         *store;
    ev_signal        term, usr1;
    dns_engine_t    *dns;
    struct ev_loop  *loop;

    config_defaults(&conf);

    if (argc != 2 || config_read(&conf, argv[1], err, sizeof(err)) != 0) {
        fprintf(stderr, "deliverd: %s\n", argc == 2 ? err : "usage");
        return 2;
    }

    loop = ev_default_loop(0);
    log_open(conf.log, conf.log_level);
    store = store_new(loop, &conf, state_handler, NULL);
    dns = dns_engine_new(loop, &conf.dns);
    tool.deliver = deliver_new(loop, &conf, store, dns);

    if (store == NULL || dns == NULL || tool.deliver == NULL) {
        return 1;
    }

    ev_timer_init(&tool.poll, poll_handler, 0.0, 0.05);
    tool.poll.data = &tool;
    ev_signal_init(&term, term_handler, SIGTERM);
    term.data = &tool;
    ev_signal_start(loop, &term);
    ev_signal_init(&usr1, wake_handler, SIGUSR1);
    usr1.data = &tool;
    ev_signal_start(loop, &usr1);

    ev_run(loop, 0);

    deliver_free(tool.deliver);
    dns_engine_free(dns);
    store_free(store);
    log_close();
    ev_loop_destroy(loop);

    return 0;
}
