/*
 * The daemon as a service: what it tells the service manager, and what it does
 * when it is asked to reload.
 */

#ifndef SERVICE_H_INCLUDED
#define SERVICE_H_INCLUDED

#include <ev.h>

#include "config.h"

typedef struct {
    ev_timer  watchdog;
} service_t;

/* Begins to tell the manager, if it wants to know, that the loop turns. */
void service_start(service_t *service, struct ev_loop *loop);
void service_stop(service_t *service, struct ev_loop *loop);

/*
 * Tells the service manager, if there is one ($NOTIFY_SOCKET), a line or more
 * of its protocol: "READY=1", "STOPPING=1", "STATUS=...".
 */
void service_notify(const char *state);

/*
 * Opens the log again and reads the configuration once more: its log_level
 * counts at once, every other key that has changed is named in the log and
 * counts after a restart.  With a fault in the file nothing changes.
 */
void service_reload(config_t *conf, const char *file);

#endif /* SERVICE_H_INCLUDED */
