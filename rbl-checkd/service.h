/*
 * The daemon under a service manager (sd_notify(3), $NOTIFY_SOCKET): what it
 * reports, its heartbeat, and what a reload does.  Without a manager the
 * reports go nowhere.
 */

#ifndef SERVICE_H_INCLUDED
#define SERVICE_H_INCLUDED

#include <ev.h>

#include "config/config.h"

typedef enum {
    SERVICE_READY = 0,
    SERVICE_STORE,                      /* the store is ready */
    SERVICE_NO_STORE,                   /* or was lost */
    SERVICE_RELOADING,
    SERVICE_RELOADED,
    SERVICE_STOPPING,
    SERVICE_ALIVE,                      /* the loop turns */
    SERVICE_EVENTS
} service_event_t;

/*
 * Sends heartbeats, twice as often as the manager wants them ($WATCHDOG_USEC),
 * if it wants any.  The caller owns the timer and stops it.
 */
void service_start(ev_timer *watchdog, struct ev_loop *loop);

void service_notify(service_event_t event);

/* Reports how many checks of at most how many, and queries, are in flight. */
void service_busy(unsigned checks, unsigned most, uint64_t questions);

/*
 * Reopens the log and reads the configuration again: log_level applies at
 * once, every other key that has changed is named in the log and applies after
 * a restart.  An error in the file changes nothing.
 */
void service_reload(config_t *conf, const char *file);

/* Seconds that a process may take to stop. */
double service_stop_bound(const config_t *conf);

#endif /* SERVICE_H_INCLUDED */
