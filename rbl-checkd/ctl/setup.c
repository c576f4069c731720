/*
 * rblctl setup: becomes the shell script that makes a working service of the
 * installed packages (conf/setup.sh), which calls rblctl in turn.
 */

#include "ctl.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SETUP_SCRIPT  SHARE_DIR "/setup.sh"


int
ctl_setup(ctl_t *ctl)
{
    int          i, n;
    char         names[CTL_MAX_OPTIONS][64];
    const char  *name, *words[2 * CTL_MAX_OPTIONS + 3];

    words[0] = "sh";
    words[1] = SETUP_SCRIPT;
    n = 2;

    for (i = 0; i < ctl->n_options; i++) {
        name = ctl->options[i].name;
        snprintf(names[i], sizeof(names[i]), "--%s", name);
        words[n++] = names[i];

        if (ctl_option_kind(ctl->command->usage, name, strlen(name))
            != CTL_FLAG)
        {
            words[n++] = ctl->options[i].value;
        }
    }

    words[n] = NULL;

    if (access(SETUP_SCRIPT, R_OK) != 0) {
        return ctl_fail("cannot read " SETUP_SCRIPT ": %s", strerror(errno));
    }

    execv("/bin/sh", (char *const *) words);

    return ctl_fail("cannot run /bin/sh: %s", strerror(errno));
}
