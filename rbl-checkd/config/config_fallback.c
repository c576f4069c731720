/*
 * The fall-back plan (bill_fallback) in the operator's file of plans.
 */

#include "config_int.h"
#include "plan_file.h"

#include <stdio.h>
#include <sys/stat.h>


static char  fallback_mistake[CONFIG_ERR_MAX];


static void
on_mistake(const char *line)
{
    if (fallback_mistake[0] == '\0') {
        snprintf(fallback_mistake, sizeof(fallback_mistake), "%s", line);
    }
}


/* -1: the file has mistakes; the first one is in fallback_mistake. */

static int
fallback_file(plan_file_t *file, const char *path)
{
    int           rc;
    void        (*report)(const char *line);
    struct stat   st;

    report = entry_report;
    entry_report = on_mistake;
    fallback_mistake[0] = '\0';

    /* a pipe or device may never end */

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        entry_fail("%s is not a regular file", path);
        rc = -1;

    } else {
        rc = plan_file_read(file, path);
    }

    entry_report = report;

    return rc;
}


int
config_check_fallback(config_t *conf, const char **key, char *err, size_t size)
{
    int                  rc;
    const plan_t        *plan;
    static plan_file_t   file;

    conf->bill_kept = 0;
    *key = "bill_fallback";

    if (conf->bill_fallback[0] == '\0') {
        return 0;
    }

    if (fallback_file(&file, conf->bill_plans) != 0) {
        snprintf(err, size, "bill_fallback: %.400s", fallback_mistake);
        return -1;
    }

    plan = plan_file_find(&file, rbl_str(conf->bill_fallback));
    rc = plan == NULL ? -1 : 0;

    if (plan == NULL) {
        snprintf(err, size, "bill_fallback: %.80s has no plan \"%.80s\"",
                 conf->bill_plans, conf->bill_fallback);
    } else {
        conf->bill_kept = plan->max_hosts ? plan->max_hosts : -1;
    }

    plan_file_free(&file);

    return rc;
}
