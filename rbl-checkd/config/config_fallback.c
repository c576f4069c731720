/*
 * The fall-back plan (bill_fallback): its number of hosts in the operator's
 * file of plans.  rblctl checks the other members of that file.
 */

#include "config_int.h"

#include <errno.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTS_MAX  100000000


/* NULL: it cannot be read, or is no JSON. */

static json_t *
read_plans(config_setting_t *s)
{
    json_t        *root;
    struct stat    st;
    const char    *path = s->conf->bill_plans;
    json_error_t   error;

    if (stat(path, &st) != 0 || access(path, R_OK) != 0) {
        (void) config_wrong(s, "%s cannot be read: %s", path,
                            strerror(errno));
        return NULL;
    }

    /* a pipe or device may never end */

    if (!S_ISREG(st.st_mode)) {
        (void) config_wrong(s, "%s is not a regular file", path);
        return NULL;
    }

    root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL) {
        (void) config_wrong(s, "%s cannot be read as JSON, line %d", path,
                            error.line);
    }

    return root;
}


/* The number of hosts of the plan; -1: there is no such plan. */

static json_int_t
find_hosts(const json_t *plans, const char *wanted)
{
    size_t       i;
    json_int_t   hosts;
    const char  *name;

    for (i = 0; i < json_array_size(plans); i++) {
        if (json_unpack(json_array_get(plans, i), "{s:s, s:I}", "name", &name,
                        "max_hosts", &hosts) == 0
            && strcmp(name, wanted) == 0)
        {
            return hosts <= HOSTS_MAX ? hosts : -1;
        }
    }

    return -1;
}


int
config_check_fallback(config_setting_t *s)
{
    json_t      *root;
    config_t    *conf = s->conf;
    json_int_t   hosts;

    s->key = config_find("bill_fallback");
    conf->bill_kept = 0;

    if (conf->bill_fallback[0] == '\0') {
        return 0;
    }

    root = read_plans(s);
    if (root == NULL) {
        return -1;
    }

    hosts = find_hosts(json_object_get(root, "plans"), conf->bill_fallback);
    json_decref(root);

    if (hosts < 0) {
        return config_wrong(s, "%s has no plan \"%.80s\" with max_hosts",
                            conf->bill_plans, conf->bill_fallback);
    }

    conf->bill_kept = hosts > 0 ? hosts : -1;
    return 0;
}
