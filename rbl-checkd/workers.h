/*
 * One daemon of several processes: the parent starts the workers before
 * anything else is opened, puts another in the place of one that dies, hands
 * on the signals, and speaks for all to the service manager.
 */

#ifndef WORKERS_H_INCLUDED
#define WORKERS_H_INCLUDED

#include "config/config.h"

#define WORKERS_CHILD  (-1)

/*
 * Starts conf->workers of them.  In each it returns WORKERS_CHILD, with the
 * worker's number behind conf->name and its socket known to service.h; in the
 * parent it returns when all have ended: the exit status.
 */
int workers_run(config_t *conf, const char *file);

#endif /* WORKERS_H_INCLUDED */
