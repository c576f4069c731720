/*
 * The protocol of the service manager (sd_notify(3)) without its library: a
 * datagram to a socket.  Also the reload.
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

#define STOP_MORE  5.0                  /* s beyond check_timeout */
#define STOP_MAX   65.0                 /* limit for the end of checks and
                                           attempts in flight */


/* The manager's socket; its length in *n, 0: no manager. */

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
notify_reloading(void)
{
    char             text[64];
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long) ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
    service_notify(text);
}


void
service_busy(unsigned checks, unsigned most, uint64_t queries)
{
    char  text[128];

    snprintf(text, sizeof(text),
             "STATUS=%u of %u checks, %llu queries in flight.",
             checks, most, (unsigned long long) queries);
    service_notify(text);
}


static void
on_watchdog(void *data)
{
    (void) data;

    service_notify("WATCHDOG=1");
}


/* The manager's watchdog time in seconds; 0: disabled. */

static double
watchdog_time(void)
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


void
service_start(loop_timer_t *watchdog, struct ev_loop *loop)
{
    double  every;

    every = watchdog_time() / 2;
    timer_init(watchdog, loop, on_watchdog, NULL);

    if (every > 0) {
        timer_every(watchdog, every, every);
    }
}


/* The host of an abandoned check is not checked until the lease expires. */

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

    /* The daemon looks at these itself (network.c). */

    if (conf->system != CONFIG_SYSTEM_NO && fresh.system != CONFIG_SYSTEM_NO) {
        memcpy(fresh.dns.resolver, conf->dns.resolver,
               sizeof(fresh.dns.resolver));
    }

    for (i = 0; (key = config_changed(conf, &fresh, &i)) != NULL; /* void */) {
        log_notice("%s has changed: this needs a restart", key);
    }

    explicit_bzero(&fresh, sizeof(fresh));      /* it holds a password */
}


void
service_reload(config_t *conf, const char *file)
{
    notify_reloading();

    if (log_reopen() != 0) {
        log_error("cannot reopen the log: %s", strerror(errno));

    } else {
        log_notice("log reopened");
    }

    read_config(conf, file);
    service_notify("READY=1");
}
