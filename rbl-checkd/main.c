/*
 * rbl-checkd: its command line, signals, and the order in which the parts start
 * and stop.
 */

#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bill/bills.h"
#include "bill/gateway.h"
#include "bill/payer.h"
#include "check/jobs/ahead.h"
#include "check/jobs/checker.h"
#include "check/jobs/idle.h"
#include "check/jobs/jobs.h"
#include "check/jobs/sources.h"
#include "check/jobs/works.h"
#include "deliver/deliver.h"
#include "metrics.h"
#include "network.h"
#include "rbl_version.h"
#include "requests.h"
#include "service.h"
#include "store/inspect.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define STOP_LOOK    0.05

typedef struct {
    checker_t      checker;
    deliver_t     *deliver;             /* NULL: no deliveries */
    config_t       conf;
    jobs_t        *jobs;
    sources_t     *sources;
    ahead_t       *ahead;
    visits_t      *works, *settle;
    requests_t    *requests;
    inspect_t     *inspect;
    visits_t      *bills;               /* NULL: no billing */
    payer_t       *payer;               /* NULL: no gateway */
    metrics_t     *metrics;
    idle_t        *idle;
    network_t     *network;
    const char    *file;                /* the configuration */
    ev_signal      term, interrupt, hup;
    loop_timer_t   watchdog, stop;
    double         stop_at;             /* 0: not stopping */
    unsigned       signals;             /* signals to stop, handled by
                                           themselves */
    unsigned       told:1;              /* the reason for the wait was
                                           reported */
} checkd_t;


static void
on_store(void *data, int ready)
{
    checkd_t  *c = data;

    log_info("store %s: %s", c->conf.store, ready ? "ready" : "lost");
    service_notify(ready ? "STATUS=The store is ready."
                         : "STATUS=Waiting for the store.");

    table_state(c->checker.table, ready);
    sources_state(c->sources, ready);
    metrics_state(c->metrics, ready);

    if (ready) {
        jobs_wake(c->jobs);
        inspect_wake(c->inspect);
        visits_wake(c->works);
        visits_wake(c->settle);
        requests_wake(c->requests);
        ahead_wake(c->ahead);
    }

    if (ready && c->bills != NULL) {
        visits_wake(c->bills);
    }

    if (c->payer != NULL) {
        payer_state(c->payer, ready);
    }
}


static unsigned
in_flight(const checkd_t *c)
{
    return jobs_in_flight(c->jobs)
           + (c->deliver != NULL ? deliver_in_flight(c->deliver) : 0)
           + (c->payer != NULL ? payer_in_flight(c->payer) : 0);
}


static void
on_stop(void *data)
{
    checkd_t  *c = data;

    /* A call under way may have claimed more jobs. */

    if (!c->told && !jobs_asking(c->jobs)) {
        c->told = 1;
        log_notice("stopping: %u checks and deliveries in flight",
                   in_flight(c));
    }

    if (c->told && in_flight(c) == 0) {
        ev_break(c->checker.loop, EVBREAK_ALL);

    } else if (clock_now() >= c->stop_at) {
        log_warn("%u checks and deliveries are left to other daemons",
                 in_flight(c));
        ev_break(c->checker.loop, EVBREAK_ALL);
    }
}


static void
stop(checkd_t *c)
{
    if (c->stop_at != 0) {
        return;
    }

    log_notice("stopping: no new work is claimed");
    service_notify("STOPPING=1");
    c->stop_at = clock_now() + service_stop_bound(&c->conf);

    jobs_stop(c->jobs);
    visits_stop(c->works);
    visits_stop(c->settle);
    requests_stop(c->requests);
    if (c->bills != NULL) {
        visits_stop(c->bills);
    }

    if (c->payer != NULL) {
        payer_stop(c->payer);
    }

    if (c->deliver != NULL) {
        deliver_stop(c->deliver);
    }

    timer_every(&c->stop, 0, STOP_LOOK);
}


static void
on_term(struct ev_loop *loop, ev_signal *w, int revents)
{
    checkd_t  *c = w->data;

    (void) revents;

    if (++c->signals == 1) {
        stop(c);
        return;
    }

    log_notice("second signal: leaving at once");
    ev_break(loop, EVBREAK_ALL);
}


static void
on_hup(struct ev_loop *loop, ev_signal *w, int revents)
{
    checkd_t  *c = w->data;

    (void) loop;
    (void) revents;

    service_reload(&c->conf, c->file);

    if (c->deliver != NULL) {
        deliver_reload(c->deliver);
    }
}


static void
watch_signals(checkd_t *c)
{
    signal(SIGPIPE, SIG_IGN);

    ev_signal_init(&c->term, on_term, SIGTERM);
    ev_signal_init(&c->interrupt, on_term, SIGINT);
    ev_signal_init(&c->hup, on_hup, SIGHUP);
    c->term.data = c->interrupt.data = c->hup.data = c;

    ev_signal_start(c->checker.loop, &c->term);
    ev_signal_start(c->checker.loop, &c->interrupt);
    ev_signal_start(c->checker.loop, &c->hup);

    timer_init(&c->stop, c->checker.loop, on_stop, c);
}


static void
on_ended(void *data, unsigned partition)
{
    deliver_wake(data, partition);
}


/* Starts the loop, the query engine and the store. */

static int
start_base(checkd_t *c)
{
    checker_t  *checker = &c->checker;

    checker->conf = &c->conf;
    checker->loop = ev_default_loop(0);
    if (checker->loop == NULL) {
        log_error("cannot create the event loop: %s", strerror(errno));
        return -1;
    }

    watch_signals(c);
    service_start(&c->watchdog, checker->loop);

    checker->dns = dns_engine_new(checker->loop, &c->conf.dns);
    if (checker->dns == NULL) {
        log_error("cannot start the DNS engine");
        return -1;
    }

    c->network = network_new(checker->loop, &c->conf, checker->dns);
    checker->store = store_new(checker->loop, &c->conf, on_store, c);

    return 0;
}


static int
start_deliveries(checkd_t *c)
{
    if (!c->conf.deliver) {
        return 0;
    }

    c->deliver = deliver_new(c->checker.loop, &c->conf, c->checker.store,
                             c->checker.dns);
    if (c->deliver == NULL) {
        log_error("cannot start deliveries");
        return -1;
    }

    c->checker.ended = on_ended;
    c->checker.ended_data = c->deliver;

    return 0;
}


static int
start_checks(checkd_t *c)
{
    checker_t  *checker = &c->checker;

    if (checker_open(checker) != 0) {
        log_error("cannot start checks");
        return -1;
    }

    c->jobs = jobs_new(checker);
    c->sources = sources_new(checker->loop, &c->conf, checker->store);
    c->works = visits_new(checker->loop, checker->store, &works_kind, NULL);
    c->settle = visits_new(checker->loop, checker->store, &settle_kind, NULL);
    c->requests = requests_new(checker->loop, &c->conf, checker->store);
    c->ahead = ahead_new(checker);
    c->inspect = inspect_new(checker->loop, checker->store);
    c->metrics = metrics_new(checker, c->jobs, c->deliver);
    c->idle = idle_new(checker);

    return 0;
}


static int
start_bills(checkd_t *c)
{
    if (!c->conf.bill) {
        return 0;
    }

    c->bills = visits_new(c->checker.loop, c->checker.store, &bills_kind,
                          &c->conf);

    if (gateway_find(&c->conf)->make == NULL) {
        return 0;
    }

    c->payer = payer_new(c->checker.loop, &c->conf, c->checker.store,
                         c->checker.dns);
    if (c->payer == NULL) {
        log_error("cannot start payments");
        return -1;
    }

    return 0;
}


static int
start(checkd_t *c)
{
    return start_base(c) == 0 && start_deliveries(c) == 0
           && start_checks(c) == 0 && start_bills(c) == 0 ? 0 : -1;
}


static void
finish(checkd_t *c)
{
    checker_t  *checker = &c->checker;

    payer_free(c->payer);
    visits_free(c->bills);
    idle_free(c->idle);
    metrics_free(c->metrics);
    inspect_free(c->inspect);
    requests_free(c->requests);
    visits_free(c->settle);
    visits_free(c->works);
    ahead_free(c->ahead);
    sources_free(c->sources);
    jobs_free(c->jobs);

    if (c->deliver != NULL) {
        deliver_free(c->deliver);
    }

    checker_close(checker);
    store_free(checker->store);
    network_free(c->network);

    dns_engine_free(checker->dns);

    if (checker->loop != NULL) {
        ev_signal_stop(checker->loop, &c->term);
        ev_signal_stop(checker->loop, &c->interrupt);
        ev_signal_stop(checker->loop, &c->hup);
        timer_stop(&c->stop);
        timer_stop(&c->watchdog);
        ev_loop_destroy(checker->loop);
    }

    log_close();
}


static void
usage(FILE *f)
{
    fputs("usage: rbl-checkd [-c FILE] [-f]   run in the foreground\n"
          "       rbl-checkd -t [-c FILE]     check the configuration, exit\n"
          "       rbl-checkd -D               print a commented configuration\n"
          "       rbl-checkd -V | -h          print the version, or this text\n"
          "FILE is by default " CONFIG_FILE ".\n", f);
}


/* -1: continue; otherwise the exit status, after all messages are printed. */

static int
read_options(checkd_t *c, int *test, int argc, char **argv)
{
    int  option;

    c->file = CONFIG_FILE;
    *test = 0;

    while ((option = getopt(argc, argv, "c:tDfVh")) != -1) {
        switch (option) {
        case 'c':
            c->file = optarg;
            break;

        case 't':
            *test = 1;
            break;

        case 'f':
            break;

        case 'D':
            config_print_defaults(stdout);
            return fflush(stdout) == 0 ? 0 : 1;

        case 'V':
            puts("rbl-checkd " RBL_VERSION);
            return 0;

        case 'h':
            usage(stdout);
            return 0;

        default:
            usage(stderr);
            return 2;
        }
    }

    if (optind != argc) {
        usage(stderr);
        return 2;
    }

    return -1;
}


int
main(int argc, char **argv)
{
    int              rc, test;
    char             err[1024];
    static checkd_t  c;

    xalloc_libraries();

    rc = read_options(&c, &test, argc, argv);
    if (rc != -1) {
        return rc;
    }

    config_defaults(&c.conf);

    if (config_read(&c.conf, c.file, err, sizeof(err)) != 0) {
        fprintf(stderr, "%s\n", err);
        return 1;
    }

    if (config_secure_store(&c.conf, err, sizeof(err)) != 0) {
        fprintf(stderr, "%s: %s\n", c.file, err);
        return 1;
    }

    if (test) {
        printf("%s: the configuration is valid\n", c.file);
        return 0;
    }

    if (config_resolve_store(&c.conf, err, sizeof(err)) != 0) {
        fprintf(stderr, "%s: %s\n", c.file, err);
        return 1;
    }

    if (log_open(c.conf.log, c.conf.log_level) != 0) {
        fprintf(stderr, "%s: log: %s: %s\n", c.file, c.conf.log,
                strerror(errno));
        return 1;
    }

    rc = start(&c);

    if (rc == 0) {
        log_notice("rbl-checkd " RBL_VERSION " as %s, store %s", c.conf.name,
                   c.conf.store);
        service_notify("READY=1\nSTATUS=Waiting for the store.");
        ev_run(c.checker.loop, 0);
        log_notice("stopped");
    }

    finish(&c);
    return rc == 0 ? 0 : 1;
}
