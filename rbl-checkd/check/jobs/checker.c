/*
 * The objects that all checks of a process share.
 */

#include "checker.h"

#include "check/lists/names.h"
#include "batches.h"

#define OPENS_GATHER   0                /* s */
#define CLEARS_GATHER  0.01


static int
make_env(checker_t *d)
{
    check_env_t  *env = &d->env;

    config_own(&d->own, d->conf);
    env->own = &d->own.rule;
    env->loop = d->loop;
    env->dns = d->dns;
    env->health = health_new(d->loop, d->dns);
    env->quota = quota_new(d->loop, d->store, env->health);
    env->lookup = lookup_new(d->loop, d->dns, env->quota, d->conf->cache_size);
    env->evidence = evidence_new(d->loop, d->store, d->dns, env->health);
    env->guard = guard_new(d->loop, d->store, env->health);
    env->counters = counters_new();

    if (env->health == NULL || env->quota == NULL || env->lookup == NULL
        || env->evidence == NULL || env->guard == NULL
        || env->counters == NULL)
    {
        return -1;
    }

    health_retry_after(env->health, d->conf->control_retry);
    quota_probe_after(env->quota, d->conf->control_retry);
    lookup_list_counters(env->lookup, env->counters);

    return 0;
}


int
checker_open(checker_t *d)
{
    names_open();

    if (make_env(d) != 0) {
        return -1;
    }

    d->table = table_new(d->loop, d->store);
    d->opens = batches_new(d->loop, d->store, &rbl_script_check_open,
                           OPENS_GATHER);
    d->clears = batches_new(d->loop, d->store, &rbl_script_check_clear,
                            CLEARS_GATHER);

    return d->table != NULL && d->opens != NULL && d->clears != NULL ? 0 : -1;
}


void
checker_close(checker_t *d)
{
    batches_free(d->opens);
    batches_free(d->clears);
    table_free(d->table);
    guard_free(d->env.guard);
    evidence_free(d->env.evidence);
    lookup_free(d->env.lookup);
    counters_free(d->env.counters);
    quota_free(d->env.quota);
    health_free(d->env.health);
    names_close();
}
