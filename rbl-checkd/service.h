/*
 * The daemon as a service: what it tells whoever manages it, what it does when
 * it is asked to reload, and the orders that a worker gets.
 *
 * The manager of a process is the service manager, if there is one
 * ($NOTIFY_SOCKET), or the parent of a worker (workers.h), which sums up what
 * its workers tell: an octet a message in both directions, over a socket that
 * ends when the other side does.
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

typedef enum {
    SERVICE_STOP = 0,                   /* or the parent is gone */
    SERVICE_LEAVE,                      /* at once */
    SERVICE_RELOAD,
    SERVICE_ORDERS
} service_order_t;

typedef void (*service_order_pt)(void *data, service_order_t order);

typedef struct {
    ev_timer          watchdog;
    ev_io             orders;
    service_order_pt  order;
    void             *data;
} service_t;

/* This process is a worker, and that is its end of the socket. */
void service_worker(int fd);

/*
 * Begins to tell the manager, if it wants to know, that the loop turns, and to
 * take orders from a parent.
 */
void service_start(service_t *service, struct ev_loop *loop,
    service_order_pt order, void *data);
void service_stop(service_t *service, struct ev_loop *loop);

/* Tells the manager. */
void service_tell(service_event_t event);

/*
 * Tells it what is in flight of how much there may be; of several workers no
 * one does: rblctl status has the sum.
 */
void service_busy(unsigned checks, unsigned most, uint64_t questions);

/* Tells the service manager a line or more of its protocol: "STATUS=...". */
void service_notify(const char *state);

/*
 * How often the service manager wants to hear that this process is alive (s);
 * 0: not at all.
 */
double service_watchdog(void);

/*
 * Opens the log again and reads the configuration once more: its log_level
 * counts at once, every other key that has changed is named in the log and
 * counts after a restart.  With a fault in the file nothing changes.
 */
void service_read_again(config_t *conf, const char *file);

/* The same, and tells the manager. */
void service_reload(config_t *conf, const char *file);

/* How long a process that was told to stop may take (s). */
double service_stop_bound(const config_t *conf);

#endif /* SERVICE_H_INCLUDED */
