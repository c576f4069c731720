/*
 * rblctl doctor: the conditions of the service, then what is tried from this
 * machine.
 */

#include "doctor.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOCTOR_COLUMNS  80
#define DOCTOR_BACKUPS  "/var/backups/rbl"


/* --- configuration ------------------------------------------------------- */

/* May this user read the file, or is there none?  Otherwise what follows would
   be about the defaults. */
static int
doctor_readable(doctor_t *d, const char *file)
{
    if (access(file, R_OK) == 0 || access(file, F_OK) != 0) {
        return 1;
    }

    doctor_say(d, DOCTOR_CONFIGURATION, DOCTOR_DEGRADED, "run rblctl doctor as"
               " root; try: sudo rblctl doctor", "%s cannot be read by this"
               " user", file);

    return 0;
}


/* Does rblctl know its store?  It goes on without a configuration that it may
   not read. */
static int
doctor_knows_store(doctor_t *d)
{
    const ctl_t  *ctl = d->ctl;

    return ctl_option(ctl, "config") != NULL || ctl_option(ctl, "store") != NULL
           || getenv("RBL_STORE") != NULL
           || doctor_readable(d, CONFIG_DIR "/rblctl.conf");
}


/* The configuration of the daemon on this machine, or the defaults. */
static void
doctor_configuration(doctor_t *d)
{
    char         err[512];
    const char  *file, *given;

    given = ctl_option(d->ctl, "daemon");
    file = given != NULL ? given : CONFIG_FILE;
    d->file = file;
    config_defaults(&d->daemon);

    if (given == NULL && access(file, F_OK) != 0) {
        doctor_say(d, DOCTOR_CONFIGURATION, DOCTOR_UNKNOWN, NULL, "there is no"
                   " %s: no daemon is configured on this machine", file);

    } else if (doctor_readable(d, file)
               && config_read(&d->daemon, file, err, sizeof(err)) != 0)
    {
        config_defaults(&d->daemon);
        doctor_say(d, DOCTOR_CONFIGURATION, DOCTOR_BROKEN, NULL, "%s", err);

    } else if (d->row[DOCTOR_CONFIGURATION].n == 0) {
        d->configured = 1;
        doctor_say(d, DOCTOR_CONFIGURATION, DOCTOR_GOOD, NULL, "%s", file);
    }
}


/* --- output -------------------------------------------------------------- */

/* The first rows have faults, and the next ones were not tried. */
static size_t
doctor_count(const json_t *rows, const char *state)
{
    size_t         i, n;
    const json_t  *row;

    n = 0;

    json_array_foreach(rows, i, row) {
        n += strcmp(json_string_value(json_object_get(row, "state")), state)
             == 0;
    }

    return n;
}


/* "one, two" of the rows from `at` to before `end` that have the reason of the
   first, or of all, if `reason` is NULL; in lines of at most 80 columns, of
   which so many are used. */
static void
doctor_names(const json_t *rows, size_t at, size_t end, const json_t *reason,
    size_t width)
{
    size_t         i;
    const char    *name;
    const json_t  *row;

    for (i = at; i < end; i++) {
        row = json_array_get(rows, i);
        name = json_string_value(json_object_get(row, "name"));

        if (reason != NULL
            && !json_equal(reason, json_object_get(row, "reason")))
        {
            continue;
        }

        if (i > at) {
            putchar(',');
            width++;
        }

        if (width + strlen(name) + 2 > DOCTOR_COLUMNS) {
            fputs("\n ", stdout);
            width = 1;
        }

        width += (size_t) printf("%s%s", width > 0 ? " " : "", name);
    }
}


/* Is there a row before this one with its reason? */
static int
doctor_had(const json_t *rows, size_t from, size_t at)
{
    size_t         i;
    const json_t  *reason;

    reason = json_object_get(json_array_get(rows, at), "reason");

    for (i = from; i < at; i++) {
        if (json_equal(reason, json_object_get(json_array_get(rows, i),
                                               "reason")))
        {
            return 1;
        }
    }

    return 0;
}


/* The rows with a fault, as rblctl status has them; what was not tried, by its
   reasons; and the names of the good ones. */
static void
doctor_print(const json_t *v)
{
    size_t   i, bad, unknown;
    json_t  *rows, *shown, *reason;

    rows = json_object_get(v, "rows");
    bad = doctor_count(rows, "broken") + doctor_count(rows, "degraded");
    unknown = doctor_count(rows, "unknown");
    shown = json_pack("{sO s[]}", "verdict", json_object_get(v, "verdict"),
                      "conditions");

    for (i = 0; i < bad; i++) {
        json_array_append(json_object_get(shown, "conditions"),
                          json_array_get(rows, i));
    }

    ctl_verdict_print(shown);
    json_decref(shown);

    if (unknown > 0) {
        fputs("not tried:\n", stdout);
    }

    for (i = bad; i < bad + unknown; i++) {
        if (!doctor_had(rows, bad, i)) {
            reason = json_object_get(json_array_get(rows, i), "reason");
            doctor_names(rows, i, bad + unknown, reason, 0);
            fputs(": ", stdout);
            ctl_put(stdout, json_string_value(reason),
                    json_string_length(reason));
            putchar('\n');
        }
    }

    if (unknown > 0) {
        putchar('\n');
    }

    if (bad + unknown < json_array_size(rows)) {
        doctor_names(rows, bad + unknown, json_array_size(rows), NULL,
                     (size_t) printf("good:"));
        putchar('\n');
    }
}


/* --- the command --------------------------------------------------------- */

/* Tries that need nothing of the store. */
static const doctor_try_t  doctor_alone[] = {
    { doctor_smtp, DOCTOR_ROW(DOCTOR_SMTP) },
    { doctor_mail_from, DOCTOR_ROW(DOCTOR_MAIL_FROM) },
    { doctor_units, DOCTOR_ROW(DOCTOR_UNITS) },
    { doctor_backup, DOCTOR_ROW(DOCTOR_BACKUP) },
    { doctor_packages, 0 },
    { doctor_files, DOCTOR_ROW(DOCTOR_FILES) }
};

/* Those that need what the store says. */
static const doctor_try_t  doctor_informed[] = {
    { doctor_resolver, DOCTOR_ROW(DOCTOR_RESOLVER) },
    { doctor_ports, DOCTOR_ROW(DOCTOR_DNS_UDP) | DOCTOR_ROW(DOCTOR_DNS_TCP)
                    | DOCTOR_ROW(DOCTOR_IPV6) },
    { doctor_site, DOCTOR_ROW(DOCTOR_NGINX) | DOCTOR_ROW(DOCTOR_NGINX_STORE)
                   | DOCTOR_ROW(DOCTOR_CERTIFICATE)
                   | DOCTOR_ROW(DOCTOR_PORTAL) },
    { doctor_disk, DOCTOR_ROW(DOCTOR_DISK) }
};

static const doctor_try_t  doctor_receiver[] = {
    { doctor_receivers, DOCTOR_ROW(DOCTOR_RECEIVER_NAMES) }
};

/* Those of the store, in rblctl itself. */
static void (*const  doctor_stored[])(doctor_t *d) = {
    doctor_store_settings, doctor_versions, doctor_accounts, doctor_lists,
    doctor_registration, doctor_licence, doctor_quota
};

#define DOCTOR_N(array)  (sizeof(array) / sizeof(array[0]))


static void
doctor_run(doctor_t *d)
{
    size_t  i;

    doctor_configuration(d);
    doctor_start(d, doctor_alone, DOCTOR_N(doctor_alone));

    if (doctor_knows_store(d)) {
        doctor_store(d);
    }

    for (i = 0; d->ready && i < DOCTOR_N(doctor_stored); i++) {
        doctor_stored[i](d);
    }

    doctor_clock(d);
    doctor_start(d, doctor_informed, DOCTOR_N(doctor_informed));

    if (d->ready) {
        doctor_start(d, doctor_receiver, DOCTOR_N(doctor_receiver));
    }

    doctor_wait(d);
}


static void
doctor_close(doctor_t *d)
{
    size_t  i;

    for (i = 0; i < d->n_lists; i++) {
        list_unref(d->list[i]);
    }

    json_decref(d->daemons);
    json_decref(d->catalogue);
}


static const char *
doctor_option(const ctl_t *ctl, const char *name, const char *value)
{
    const char  *given = ctl_option(ctl, name);

    return given != NULL ? given : value;
}


int
ctl_doctor(ctl_t *ctl)
{
    int               rc;
    json_t           *v, *rows;
    const char       *state;
    static doctor_t   d;

    d.ctl = ctl;
    d.to = -1;
    d.end = clock_now() + DOCTOR_ALL;
    d.nginx = ctl_option(ctl, "nginx");
    d.url = ctl_option(ctl, "url");
    d.backups = doctor_option(ctl, "backups", DOCTOR_BACKUPS);
    d.lists = doctor_option(ctl, "lists", CONFIG_LISTS);
    d.catalogue = json_load_file(d.lists, 0, NULL);

    /* resolvers that do not answer must not take all the time */

    if (doctor_open(&d) != 0
        || setenv("RES_OPTIONS", "timeout:1 attempts:1", 0) != 0)
    {
        return CTL_ERROR;
    }

    doctor_run(&d);
    doctor_close(&d);
    rows = doctor_json(&d);
    state = json_string_value(json_object_get(json_array_get(rows, 0),
                                              "state"));
    rc = strcmp(state, "broken") == 0 ? CTL_BROKEN
         : strcmp(state, "degraded") == 0 ? CTL_DEGRADED : CTL_OK;
    v = json_pack("{ss so}", "verdict", rbl_service_names[rc], "rows", rows);

    if (ctl->json) {
        return ctl_print(ctl, NULL, v) != CTL_OK ? CTL_ERROR : rc;
    }

    doctor_print(v);
    json_decref(v);

    return rc;
}
