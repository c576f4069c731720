/*
 * The objects that all checks of a process share.
 */

#include "checker.h"

#include "check/lists/names.h"
#include "batches.h"

#define OPENS_GATHER   0                /* s */
#define CLEARS_GATHER  0.01


static int
make_env(checker_t *checker)
{
    check_env_t  *env = &checker->env;

    config_own(&checker->own, checker->conf);
    env->own = &checker->own.rule;
    env->loop = checker->loop;
    env->dns = checker->dns;
    env->health = health_new(checker->loop, checker->dns);
    env->quota = quota_new(checker->loop, checker->store, env->health);
    env->lookup = lookup_new(checker->loop, checker->dns, env->quota,
                             checker->conf->cache_size);
    if (env->lookup == NULL) {
        return -1;
    }

    env->evidence = evidence_new(checker->loop, checker->store, checker->dns,
                                 env->health);
    env->guard = guard_new(checker->loop, checker->store, env->health);
    env->counters = counters_new();
    health_retry_after(env->health, checker->conf->control_retry);
    quota_probe_after(env->quota, checker->conf->control_retry);
    lookup_list_counters(env->lookup, env->counters);

    return 0;
}


int
checker_open(checker_t *checker)
{
    names_open();

    if (make_env(checker) != 0) {
        return -1;
    }

    checker->table = table_new(checker->loop, checker->store);
    checker->opens = batches_new(checker->loop, checker->store,
                                 &rbl_script_check_open, OPENS_GATHER);
    checker->clears = batches_new(checker->loop, checker->store,
                                  &rbl_script_check_clear, CLEARS_GATHER);

    return 0;
}


void
checker_close(checker_t *checker)
{
    batches_free(checker->opens);
    batches_free(checker->clears);
    table_free(checker->table);
    guard_free(checker->env.guard);
    evidence_free(checker->env.evidence);
    lookup_free(checker->env.lookup);
    counters_free(checker->env.counters);
    quota_free(checker->env.quota);
    health_free(checker->env.health);
    names_close();
}
