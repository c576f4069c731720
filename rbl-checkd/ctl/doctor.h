/*
 * rblctl doctor: everything that can make the service fail, each with a state,
 * a reason and a remedy.
 *
 * A row is a condition of the service (rbl_condition.h), which the daemons and
 * rblctl see, or one for which something is tried from this machine.  A try is
 * a function that adds what it finds to the rows that it owns (doctor.c); a row
 * without a finding is good.  Tries of the network and of programs run in
 * processes of their own, side by side, so that none can block rblctl, and end
 * after DOCTOR_TRY seconds.  Those of the store and of the resolvers, whose
 * results the others need, run in rblctl before.
 */

#ifndef CTL_DOCTOR_H_INCLUDED
#define CTL_DOCTOR_H_INCLUDED

#include "check/lists/lists.h"
#include "ctl.h"

#include <stdio.h>

#define DOCTOR_WAIT       3.0           /* s for one answer of a server */
#define DOCTOR_TRY          8           /* s for a try, of several answers */
#define DOCTOR_ROWS      40             /* at most */
#define DOCTOR_NAME      24             /* sizes of buffers */
#define DOCTOR_REASON   640
#define DOCTOR_REMEDY   384
#define DOCTOR_ACTIVE   200             /* lists */
#define DOCTOR_URLS      32             /* of receivers */
#define DOCTOR_URL      512
#define DOCTOR_RUN_ID    48
#define DOCTOR_KEY       64
#define DOCTOR_VALUE   1024

/* In the order in which the more severe one counts. */
typedef enum {
    GOOD = 0,
    UNKNOWN,                            /* not tried; the reason says why */
    DEGRADED,
    BROKEN
} doctor_state_t;

typedef struct {
    char            name[DOCTOR_NAME];
    int             n;                  /* findings; 0: nothing is known */
    doctor_state_t  state;
    char            reason[DOCTOR_REASON];
    char            remedy[DOCTOR_REMEDY];
} doctor_row_t;

typedef struct {
    ctl_t         *ctl;
    config_t       daemon;              /* the configuration of the daemon, */
    const char    *file;                /* and its file */
    const char    *nginx;               /* file of its configuration; NULL: the
                                           default */
    const char    *url;                 /* of the portal; NULL: as nginx says */
    const char    *backups;             /* directory of copies of the store */
    const char    *lists;               /* file of the catalogue, */
    json_t        *catalogue;           /* and its content; NULL: not read */
    int            ready;               /* the store can be read */
    int            resolves;            /* a resolver can be used */
    char           run_id[DOCTOR_RUN_ID];   /* of the store's first server; "":
                                               not known */
    char           store_dir[256];      /* of its files, on this machine; "":
                                           not known */
    char           client[512];         /* of the store, as a command */
    rbl_conditions_t  conditions;
    json_t        *daemons;             /* as ctl_daemons returns it, or NULL */
    size_t         n_urls;
    char           url_of[DOCTOR_URLS][DOCTOR_URL];     /* receivers */
    size_t         n_lists;
    list_t        *list[DOCTOR_ACTIVE]; /* that are active */
    doctor_row_t  *row;                 /* DOCTOR_ROWS, of this process; the
                                           name of the last is "" */
} doctor_t;

/* The remedy for a certificate that must be another one. */
#define DOCTOR_RENEW                                                          \
    "renew the certificate, and reload nginx; try: certbot renew"             \
    " --deploy-hook 'systemctl reload nginx'"

#define DOCTOR_TRUST                                                          \
    "let ssl_certificate name the file with the whole chain (fullchain.pem),"  \
    " and put an authority of your own into /usr/local/share/ca-certificates;" \
    " try: update-ca-certificates"

#define DOCTOR_SET_CLOCK  "synchronise the clock; try: timedatectl set-ntp true"

#define DOCTOR_UPGRADE                                                        \
    "install one release everywhere; try: apt-get install --only-upgrade"     \
    " rbl-checkd libnginx-mod-rbl && systemctl restart rbl-checkd"

#define DOCTOR_UNRESOLVED  "no resolver can be used: see resolver"
#define DOCTOR_NO_MAIL     "smtp_url is not set: no mail is sent"

/*
 * doctor_rows.c.  Adds a finding to the row of that name, which then has the
 * worst state of its findings, the remedy of the first of these, a clause with
 * a command, and all their reasons.  Texts are cut to their buffers, and may
 * hold foreign bytes.
 */
__attribute__((format(printf, 5, 6)))
void doctor_say(doctor_t *d, const char *name, doctor_state_t state,
    const char *remedy, const char *fmt, ...);

/* Makes a text; valid until the next call. */
__attribute__((format(printf, 1, 2)))
const char *doctor_text(const char *fmt, ...);

/* Adds a finding to those of the rows "one two" that have none. */
void doctor_fill(doctor_t *d, const char *names, doctor_state_t state,
    const char *why);

/* Adds the findings of another process. */
void doctor_merge(doctor_t *d, const doctor_row_t row[DOCTOR_ROWS]);

/* All rows and conditions as JSON, worst first: name, state, since, reason,
   remedy. */
json_t *doctor_json(const doctor_t *d);

/* doctor_store.c: connects to the store, and reads the conditions and the
   active lists.  doctor_run_id: of the first server that a client knows. */
void doctor_store(doctor_t *d);
void doctor_run_id(ctl_t *ctl, char id[DOCTOR_RUN_ID]);

/* doctor_reach.c: as a try. */
const char *doctor_portal(doctor_t *d, const char *url);

/* doctor_machine.c: can others read that file? */
void doctor_secret(doctor_t *d, const char *path);

/* The next key and value of a configuration file, of Redis or of the daemon.
   0: there is no more. */
int doctor_setting(FILE *f, char key[DOCTOR_KEY], char value[DOCTOR_VALUE]);

/*
 * Runs a program, argv[0] in the path, and writes the beginning of its output
 * and errors into `out`.  Returns its exit status; -1: it is not there, or was
 * killed.
 */
int doctor_program(const char *const *argv, char *out, size_t size);

/* The tries; the head of each file says more.  Each returns NULL, or why it
   could not look at its rows that have no finding; that text is valid until the
   next call of doctor_text. */
const char *doctor_store_settings(doctor_t *d);
const char *doctor_daemons(doctor_t *d);
const char *doctor_accounts(doctor_t *d);
const char *doctor_lists(doctor_t *d);
const char *doctor_resolver(doctor_t *d);
const char *doctor_servers(doctor_t *d);
const char *doctor_receivers(doctor_t *d);
const char *doctor_smtp(doctor_t *d);
const char *doctor_mail_from(doctor_t *d);
const char *doctor_site(doctor_t *d);
const char *doctor_disk(doctor_t *d);
const char *doctor_files(doctor_t *d);
const char *doctor_units(doctor_t *d);
const char *doctor_backup(doctor_t *d);
const char *doctor_packages(doctor_t *d);

#endif /* CTL_DOCTOR_H_INCLUDED */
