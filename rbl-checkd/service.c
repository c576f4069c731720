/*
 * The protocol of the service manager, spoken without its library: a datagram
 * to a socket.  A worker's side of the one with its parent.  And the reload.
 */

#include "base/log.h"
#include "rbl_validate.h"
#include "service.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define STOP_MORE  5.0                  /* s beyond check_timeout, in which */
#define STOP_MAX   65.0                 /* what is in flight may end */

static int  parent = -1;                /* a worker's socket to it */

static const char *const  event_texts[SERVICE_EVENTS] = {
    "READY=1\nSTATUS=Waiting for the store.",
    "STATUS=The store is ready.",
    "STATUS=Waiting for the store.",
    NULL,                               /* with the time */
    "READY=1",
    "STOPPING=1",
    "WATCHDOG=1"
};


void
service_worker(int fd)
{
    parent = fd;
}


/* The manager's socket; its length in *n, 0: there is none. */

static struct sockaddr_un
notify_address(socklen_t *n)
{
    size_t              len;
    const char         *path;
    struct sockaddr_un  sa;

    memset(&sa, 0, sizeof(sa));
    sa.sun_family = AF_UNIX;
    *n = 0;

    path = getenv("NOTIFY_SOCKET");
    if (path == NULL || (path[0] != '/' && path[0] != '@')) {
        return sa;
    }

    len = strlen(path);
    if (len >= sizeof(sa.sun_path)) {
        return sa;
    }

    memcpy(sa.sun_path, path, len);
    *n = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + len);

    if (path[0] == '@') {
        sa.sun_path[0] = '\0';          /* an abstract socket */
    }

    return sa;
}


void
service_notify(const char *state)
{
    int                 fd;
    socklen_t           n;
    struct sockaddr_un  sa;

    sa = notify_address(&n);
    if (n == 0) {
        return;
    }

    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }

    if (sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
               (struct sockaddr *) &sa, n)
        < 0)
    {
        log_warn("cannot send %s to the service manager: %s", state,
                 strerror(errno));
    }

    close(fd);
}


static void
tell_reloading(void)
{
    char             text[64];
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long) ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
    service_notify(text);
}


void
service_tell(service_event_t event)
{
    char  octet;

    if (parent >= 0) {
        octet = (char) event;

        if (send(parent, &octet, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            log_debug("the parent was not told: %s", strerror(errno));
        }

    } else if (event == SERVICE_RELOADING) {
        tell_reloading();

    } else {
        service_notify(event_texts[event]);
    }
}


void
service_busy(unsigned checks, unsigned most, uint64_t questions)
{
    char  text[128];

    if (parent < 0) {
        snprintf(text, sizeof(text), "STATUS=%u of %u checks, %llu questions"
                 " in flight.", checks, most, (unsigned long long) questions);
        service_notify(text);
    }
}


static void
on_watchdog(struct ev_loop *loop, ev_timer *w, int revents)
{
    (void) loop;
    (void) w;
    (void) revents;

    service_tell(SERVICE_ALIVE);
}


double
service_watchdog(void)
{
    int64_t      us, pid;
    const char  *value;

    value = getenv("WATCHDOG_PID");
    if (value != NULL
        && (rbl_int_parse(&pid, rbl_str(value), 1, INT32_MAX) != RBL_OK
            || pid != getpid()))
    {
        return 0;
    }

    value = getenv("WATCHDOG_USEC");
    if (value == NULL
        || rbl_int_parse(&us, rbl_str(value), 1, INT64_MAX) != RBL_OK)
    {
        return 0;
    }

    return (double) us / 1e6;
}


/* An order of the parent; it ends when the parent does. */

static void
on_orders(struct ev_loop *loop, ev_io *w, int revents)
{
    char        octet;
    ssize_t     n;
    service_t  *service = w->data;

    (void) revents;

    n = recv(w->fd, &octet, 1, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }

    if (n != 1) {
        log_warn("the parent process has died");
        ev_io_stop(loop, w);
        octet = SERVICE_STOP;
    }

    if (octet >= 0 && octet < SERVICE_ORDERS) {
        service->order(service->data, (service_order_t) octet);
    }
}


void
service_start(service_t *service, struct ev_loop *loop,
    service_order_pt order, void *data)
{
    double  every;

    service->order = order;
    service->data = data;

    /* a parent, in between, has to hear it sooner */

    every = service_watchdog() / (parent >= 0 ? 4 : 2);
    ev_timer_init(&service->watchdog, on_watchdog, every, every);

    if (every > 0) {
        ev_timer_start(loop, &service->watchdog);
    }

    ev_io_init(&service->orders, on_orders, parent, EV_READ);
    service->orders.data = service;

    if (parent >= 0) {
        ev_io_start(loop, &service->orders);
    }
}


void
service_stop(service_t *service, struct ev_loop *loop)
{
    ev_timer_stop(loop, &service->watchdog);
    ev_io_stop(loop, &service->orders);
}


/* A check that is left behind costs whoever waits for it a lease. */

double
service_stop_bound(const config_t *conf)
{
    double  bound;

    bound = conf->check_timeout + STOP_MORE;

    return bound < STOP_MAX ? bound : STOP_MAX;
}


static void
read_config(config_t *conf, const char *file)
{
    char             err[1024];
    size_t           i;
    const char      *key;
    static config_t  fresh;

    config_defaults(&fresh);

    if (config_read(&fresh, file, err, sizeof(err)) != 0) {
        log_error("reload failed, nothing has changed: %s", err);
        return;
    }

    if (fresh.log_level != conf->log_level) {
        conf->log_level = fresh.log_level;
        log_set_level(fresh.log_level);
    }

    for (i = 0; (key = config_changed(conf, &fresh, &i)) != NULL; /* void */) {
        log_notice("%s has changed: this needs a restart", key);
    }

    explicit_bzero(&fresh, sizeof(fresh));      /* it holds a password */
}


void
service_read_again(config_t *conf, const char *file)
{
    if (log_reopen() != 0) {
        log_error("cannot reopen the log: %s", strerror(errno));

    } else {
        log_notice("log reopened");
    }

    read_config(conf, file);
}


void
service_reload(config_t *conf, const char *file)
{
    service_tell(SERVICE_RELOADING);
    service_read_again(conf, file);
    service_tell(SERVICE_RELOADED);
}
