/*
 * rblctl doctor: the conditions of the service, then what is tried from this
 * machine.
 */

#include "doctor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOCTOR_COLUMNS  80
#define DOCTOR_BACKUPS  "/var/backups/rbl"

/* How a try is made, and what it needs; without that its rows are unknown. */
#define HERE      0x00                  /* in rblctl: others need its results */
#define APART     0x01                  /* in a process of its own */
#define STORE     0x02
#define RESOLVER  0x04

typedef struct {
    const char  *(*run)(doctor_t *d);
    unsigned       how;
    const char    *rows;                /* that it owns */
} doctor_try_t;


/* --- configuration ------------------------------------------------------- */

/* May this user read the file, or is there none?  Otherwise what follows would
   be about the defaults. */
static int
doctor_readable(doctor_t *d, const char *file)
{
    if (access(file, R_OK) == 0 || access(file, F_OK) != 0) {
        return 1;
    }

    doctor_say(d, "configuration", DEGRADED, "run rblctl doctor as root; try:"
               " sudo rblctl doctor", "%s cannot be read by this user", file);

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
static const char *
doctor_configuration(doctor_t *d)
{
    int          none;
    char         err[512];
    const char  *given = ctl_option(d->ctl, "daemon");

    d->file = given != NULL ? given : CONFIG_FILE;
    none = given == NULL && access(d->file, F_OK) != 0;
    config_defaults(&d->daemon);

    if (!none && doctor_readable(d, d->file)
        && config_read(&d->daemon, d->file, err, sizeof(err)) != 0)
    {
        config_defaults(&d->daemon);
        doctor_say(d, "configuration", BROKEN, "correct the file; try:"
                   " rbl-checkd -t -c " CONFIG_FILE, "%s", err);
    }

    if (doctor_knows_store(d)) {
        doctor_store(d);
    }

    return none ? "there is no " CONFIG_FILE ": no daemon is configured on this"
                  " machine" : NULL;
}


/* --- tries ---------------------------------------------------------------- */

/* In the order in which rows of one state are shown. */
static const doctor_try_t  doctor_tries[] = {
    { doctor_configuration, HERE, "configuration" },
    { doctor_store_settings, HERE | STORE,
      "schema store_settings store_sync store_memory store_latency" },
    { doctor_units, APART, "clock units" },
    { doctor_resolver, HERE, "resolver" },
    { doctor_servers, APART | RESOLVER, "dns_udp dns_tcp ipv6" },
    { doctor_lists, HERE | STORE, "lists registration licence" },
    { doctor_smtp, APART, "smtp" },
    { doctor_mail_from, APART | RESOLVER, "mail_from" },
    { doctor_accounts, HERE | STORE,
      "accounts account_lists groups contacts receivers quota" },
    { doctor_receivers, APART | STORE | RESOLVER, "receiver_names" },
    { doctor_site, APART, "nginx nginx_store certificate portal" },
    { doctor_daemons, HERE | STORE, "versions gateway" },
    { doctor_packages, APART, "" },
    { doctor_backup, APART, "backup" },
    { doctor_disk, APART, "disk" },
    { doctor_files, APART, "files" }
};

#define DOCTOR_TRIES  (sizeof(doctor_tries) / sizeof(doctor_tries[0]))


static void
doctor_try(doctor_t *d, const doctor_try_t *t)
{
    const char  *why;

    why = (t->how & STORE) && !d->ready ? "the store cannot be read"
          : (t->how & RESOLVER) && !d->resolves ? DOCTOR_UNRESOLVED
          : t->run(d);

    doctor_fill(d, t->rows, why == NULL ? GOOD : UNKNOWN,
                why == NULL ? "" : why);
}


/* Starts the process of a try, the leader of a process group.  Its findings go
   into `row`, and SIGALRM ends it. */
static pid_t
doctor_start(doctor_t *d, const doctor_try_t *t, doctor_row_t *row)
{
    pid_t  pid = fork();

    if (pid == 0) {
        (void) setpgid(0, 0);
        (void) alarm(DOCTOR_TRY);
        d->row = row;
        doctor_try(d, t);
        _exit(0);
    }

    return pid;
}


/* Waits for a process, ends the programs that it has left behind, and takes its
   findings. */
static void
doctor_end(doctor_t *d, const doctor_try_t *t, const doctor_row_t *row,
    pid_t pid)
{
    int        status = 0;
    siginfo_t  info;

    if (pid != -1) {
        (void) waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT);
        (void) kill(-pid, SIGKILL);
        (void) waitpid(pid, &status, 0);
        doctor_merge(d, row);
    }

    doctor_fill(d, t->rows, UNKNOWN, WIFSIGNALED(status)
                && WTERMSIG(status) == SIGALRM
                ? "the try did not end in time" : "the try failed");
}


/* Gives the rows their names. */
static void
doctor_rows(doctor_row_t *row)
{
    int          n;
    size_t       i;
    const char  *names;

    for (i = 0; i < DOCTOR_TRIES; i++) {
        for (names = doctor_tries[i].rows;
             sscanf(names, "%23s%n", row->name, &n) == 1; names += n)
        {
            row++;
        }
    }
}


/* 0; -1: error printed. */
static int
doctor_run(doctor_t *d)
{
    pid_t                pid[DOCTOR_TRIES];
    size_t               i;
    doctor_row_t        *row;
    const doctor_try_t  *t = doctor_tries;

    row = mmap(NULL, (1 + DOCTOR_TRIES) * DOCTOR_ROWS * sizeof(doctor_row_t),
               PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (row == MAP_FAILED) {
        ctl_fail("out of memory");
        return -1;
    }

    for (i = 0; i <= DOCTOR_TRIES; i++) {
        doctor_rows(row + i * DOCTOR_ROWS);
    }

    d->row = row + DOCTOR_TRIES * DOCTOR_ROWS;

    for (i = 0; i < DOCTOR_TRIES; i++) {
        if (!(t[i].how & APART)) {
            doctor_try(d, &t[i]);
        }
    }

    for (i = 0; i < DOCTOR_TRIES; i++) {
        if (t[i].how & APART) {
            pid[i] = doctor_start(d, &t[i], row + i * DOCTOR_ROWS);
        }
    }

    for (i = 0; i < DOCTOR_TRIES; i++) {
        if (t[i].how & APART) {
            doctor_end(d, &t[i], row + i * DOCTOR_ROWS, pid[i]);
        }
    }

    return 0;
}


/* --- output -------------------------------------------------------------- */

static const char *
doctor_member(const json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}


/* "one, two" in lines of at most 80 columns; `width`: columns used by now. */
static void
doctor_names(const json_t *names, size_t width)
{
    size_t         i;
    const char    *name, *comma = "";
    const json_t  *v;

    json_array_foreach(names, i, v) {
        name = json_string_value(v);
        width += (size_t) printf("%s", comma);
        comma = ",";

        if (width + strlen(name) + 2 > DOCTOR_COLUMNS) {
            fputs("\n ", stdout);
            width = 1;
        }

        width += (size_t) printf("%s%s", width > 0 ? " " : "", name);
    }
}


/* Sorts the rows: those with a fault, and the names of the others by their
   reason, which is "" for good ones. */
static void
doctor_sort(const json_t *rows, json_t *faults, json_t *groups)
{
    size_t       i;
    json_t      *row, *names;
    const char  *state, *reason;

    json_array_foreach(rows, i, row) {
        state = doctor_member(row, "state");

        if (strcmp(state, "broken") == 0 || strcmp(state, "degraded") == 0) {
            json_array_append(faults, row);
            continue;
        }

        reason = strcmp(state, "good") == 0 ? ""
                 : doctor_member(row, "reason");
        names = json_object_get(groups, reason);

        if (names == NULL) {
            names = json_array();
            json_object_set_new(groups, reason, names);
        }

        json_array_append(names, json_object_get(row, "name"));
    }
}


/* The rows with a fault, as rblctl status has them; what was not tried, by its
   reasons; and the names of the good ones. */
static void
doctor_print(const json_t *v)
{
    int          unknown = 0;
    json_t      *shown, *groups = json_object(), *names;
    const char  *reason;

    shown = json_pack("{sO s[]}", "verdict", json_object_get(v, "verdict"),
                      "conditions");
    doctor_sort(json_object_get(v, "rows"),
                json_object_get(shown, "conditions"), groups);
    ctl_verdict_print(shown);

    json_object_foreach(groups, reason, names) {
        if (reason[0] == '\0') {
            fputs(unknown ? "\n" : "", stdout);
            doctor_names(names, (size_t) printf("good:"));

        } else {
            fputs(unknown ? "" : "not tried:\n", stdout);
            unknown = 1;
            doctor_names(names, 0);
            fputs(": ", stdout);
            ctl_put(stdout, reason, strlen(reason));
        }

        putchar('\n');
    }

    json_decref(shown);
    json_decref(groups);
}


/* --- the command --------------------------------------------------------- */

static const char *
doctor_option(const ctl_t *ctl, const char *name, const char *value)
{
    const char  *given = ctl_option(ctl, name);

    return given != NULL ? given : value;
}


int
ctl_doctor(ctl_t *ctl)
{
    int              rc;
    json_t          *v, *rows;
    const char      *worst;
    static doctor_t  d;

    d.ctl = ctl;
    d.nginx = ctl_option(ctl, "nginx");
    d.url = ctl_option(ctl, "url");
    d.backups = doctor_option(ctl, "backups", DOCTOR_BACKUPS);
    d.lists = doctor_option(ctl, "lists", CONFIG_LISTS);
    d.catalogue = json_load_file(d.lists, 0, NULL);

    /* resolvers that do not answer must not take all the time */

    if (setenv("RES_OPTIONS", "timeout:1 attempts:1", 0) != 0
        || doctor_run(&d) != 0)
    {
        return CTL_ERROR;
    }

    rows = doctor_json(&d);
    worst = doctor_member(json_array_get(rows, 0), "state");
    rc = strcmp(worst, "broken") == 0 ? CTL_BROKEN
         : strcmp(worst, "degraded") == 0 ? CTL_DEGRADED : CTL_OK;
    v = json_pack("{ss so}", "verdict", rbl_service_names[rc], "rows", rows);

    while (d.n_lists > 0) {
        list_unref(d.list[--d.n_lists]);
    }

    json_decref(d.daemons);
    json_decref(d.catalogue);

    if (ctl->json) {
        return ctl_print(ctl, NULL, v) != CTL_OK ? CTL_ERROR : rc;
    }

    doctor_print(v);
    json_decref(v);

    return rc;
}
