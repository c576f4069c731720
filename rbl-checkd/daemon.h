/*
 * What the parts of the daemon have in common.  main.c makes it, in this
 * order, and takes it apart in the opposite one.
 */

#ifndef DAEMON_H_INCLUDED
#define DAEMON_H_INCLUDED

#include <ev.h>

#include "check/check.h"
#include "check/table.h"
#include "config.h"
#include "deliver/deliver.h"
#include "dns/engine.h"
#include "store.h"

/* How checks have ended in this process. */
typedef struct {
    uint64_t  completed, failed;
    uint64_t  left;                     /* to another daemon */
} check_counters_t;

typedef struct {
    struct ev_loop  *loop;
    const config_t  *conf;
    dns_engine_t    *dns;
    store_t         *store;
    config_own_t     own;
    check_env_t      check;
    table_t         *table;
    struct together_s  *opens, *clears; /* check/together.h */
    deliver_t       *deliver;           /* NULL: this daemon delivers nothing */
    check_counters_t  checks;
    size_t           asking;            /* lists of all checks in flight */
} daemon_t;

/* A number in [0, 1) that is good enough to keep daemons out of step. */
double daemon_jitter(void);

#endif /* DAEMON_H_INCLUDED */
