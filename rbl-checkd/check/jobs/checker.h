/*
 * The objects that all checks of a process share.
 */

#ifndef CHECKER_H_INCLUDED
#define CHECKER_H_INCLUDED

#include <ev.h>

#include "check/check.h"
#include "check/lists/table.h"
#include "config/config.h"
#include "dns/engine.h"
#include "store/store.h"

/* How checks have ended in this process. */
typedef struct {
    uint64_t  completed, failed;
    uint64_t  left;                     /* released to another daemon */
} check_counters_t;

typedef struct {
    struct ev_loop    *loop;
    const config_t    *conf;
    dns_engine_t      *dns;
    store_t           *store;
    config_own_t       own;
    check_env_t        env;
    table_t           *table;
    struct batches_s  *opens, *clears;  /* batches.h */
    check_counters_t   checks;
    size_t             asking;          /* lists of all checks in flight */
    unsigned           alone;           /* 1: a last attempt is in flight, or a
                                           claim under way may bring one */

    /* Called when a check has ended that may have events, since these can be
       delivered now; or NULL. */
    void             (*ended)(void *data, unsigned partition);
    void              *ended_data;
} checker_t;

/*
 * The caller sets loop, conf, dns and store; all else is 0.  -1: the system
 * gave no random octets.  Call checker_close in any case, after jobs and
 * deliveries are freed.
 */
int checker_open(checker_t *checker);
void checker_close(checker_t *checker);

#endif /* CHECKER_H_INCLUDED */
