/*
 * The daemon under a service manager (sd_notify(3), $NOTIFY_SOCKET): its
 * reports, its heartbeat, and the reload.  Without a manager nothing is
 * reported.
 */

#ifndef SERVICE_H_INCLUDED
#define SERVICE_H_INCLUDED

#include "base/timer.h"
#include "config/config.h"

/*
 * Sends heartbeats at twice the rate that the manager requires
 * ($WATCHDOG_USEC), if it requires any.  The caller owns the timer and stops
 * it.
 */
void service_start(loop_timer_t *watchdog, struct ev_loop *loop);

/* Reports a state in the words of sd_notify(3), such as "READY=1". */
void service_notify(const char *state);

/* Reports the checks in flight, their maximum, and the queries in flight. */
void service_busy(unsigned checks, unsigned most, uint64_t queries);

/*
 * Reopens the log and reads the configuration again.  log_level takes effect at
 * once; every other changed key is logged and takes effect after a restart.  An
 * error in the file changes nothing.
 */
void service_reload(config_t *conf, const char *file);

/* Maximum time in seconds that a process may take to stop. */
double service_stop_bound(const config_t *conf);

#endif /* SERVICE_H_INCLUDED */
