/*
 * The checker's engine, run by a command that queries lists.
 */

#ifndef CTL_PROBE_H_INCLUDED
#define CTL_PROBE_H_INCLUDED

#include "check/check.h"
#include "ctl.h"

/*
 * Sets loop, dns, lookup and health of *env, which must be zero, from the
 * configuration.  0; -1: error printed.  The caller closes it in either case.
 */
int ctl_probe_open(ctl_t *ctl, check_env_t *env);
void ctl_probe_close(check_env_t *env);

#endif /* CTL_PROBE_H_INCLUDED */
