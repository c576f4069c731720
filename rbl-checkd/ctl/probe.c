/*
 * The checker's engine, run by a command.
 */

#include "probe.h"

#include "base/log.h"
#include "check/lists/names.h"


int
ctl_probe_open(ctl_t *ctl, check_env_t *env)
{
    names_open();
    log_set_level(LOG_L_ERROR);         /* the command prints the state */
    env->loop = ev_loop_new(EVFLAG_AUTO);

    if (env->loop == NULL) {
        ctl_fail("cannot create the event loop");
        return -1;
    }

    env->dns = dns_engine_new(env->loop, &ctl->conf.dns);

    if (env->dns != NULL) {
        env->lookup = lookup_new(env->loop, env->dns, NULL, 0);
        env->health = health_new(env->loop, env->dns);
    }

    if (env->lookup == NULL) {
        ctl_fail("cannot start the DNS engine");
        return -1;
    }

    return 0;
}


void
ctl_probe_close(check_env_t *env)
{
    health_free(env->health);
    lookup_free(env->lookup);

    if (env->dns != NULL) {
        dns_engine_free(env->dns);
    }

    if (env->loop != NULL) {
        ev_loop_destroy(env->loop);
    }

    names_close();
}
