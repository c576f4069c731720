/*
 * rblctl doctor: everything that can make the service fail, each with a state,
 * a reason and a remedy.
 *
 * A row is a condition of the service (rbl_condition.h), which the daemons and
 * rblctl see, or one of doctor_kinds, for which something is tried from this
 * machine.  A try is a function that adds findings to the rows that it owns.
 * Tries of the network and of programs run in processes of their own, side by
 * side, so that none can block rblctl, and end after DOCTOR_TRY seconds.  Those
 * of the store run in rblctl, one after the other.
 */

#ifndef CTL_DOCTOR_H_INCLUDED
#define CTL_DOCTOR_H_INCLUDED

#include "check/lists/lists.h"
#include "ctl.h"

#define DOCTOR_WAIT       4.0           /* s for one answer of a server */
#define DOCTOR_TRY        8.0           /* s for a try, of several answers */
#define DOCTOR_ALL       25.0           /* s for all tries */
#define DOCTOR_REASON   640             /* sizes of buffers */
#define DOCTOR_REMEDY   384
#define DOCTOR_TRIES     24             /* processes */
#define DOCTOR_ACTIVE   200             /* lists */
#define DOCTOR_MIXES   1000             /* accounts that are looked at */
#define DOCTOR_URLS      32             /* of receivers */
#define DOCTOR_URL      512
#define DOCTOR_RUN_ID    48

/* In the order in which the more severe one counts. */
typedef enum {
    DOCTOR_GOOD = 0,
    DOCTOR_UNKNOWN,                     /* not tried; the reason says why */
    DOCTOR_DEGRADED,
    DOCTOR_BROKEN
} doctor_state_t;

/* In the order in which rows of one state are shown. */
typedef enum {
    DOCTOR_CONFIGURATION = 0,
    DOCTOR_SCHEMA,
    DOCTOR_STORE_SETTINGS,
    DOCTOR_STORE_SYNC,
    DOCTOR_STORE_MEMORY,
    DOCTOR_STORE_LATENCY,
    DOCTOR_CLOCK,
    DOCTOR_RESOLVER,
    DOCTOR_DNS_UDP,
    DOCTOR_DNS_TCP,
    DOCTOR_IPV6,
    DOCTOR_LISTS,
    DOCTOR_REGISTRATION,
    DOCTOR_LICENCE,
    DOCTOR_QUOTA,
    DOCTOR_SMTP,
    DOCTOR_MAIL_FROM,
    DOCTOR_ACCOUNTS,
    DOCTOR_ACCOUNT_LISTS,
    DOCTOR_GROUPS,
    DOCTOR_CONTACTS,
    DOCTOR_RECEIVERS,
    DOCTOR_RECEIVER_NAMES,
    DOCTOR_NGINX,
    DOCTOR_NGINX_STORE,
    DOCTOR_CERTIFICATE,
    DOCTOR_PORTAL,
    DOCTOR_VERSIONS,
    DOCTOR_UNITS,
    DOCTOR_BACKUP,
    DOCTOR_DISK,
    DOCTOR_FILES,
    DOCTOR__N
} doctor_id_t;

typedef struct {
    const char  *name;
    const char  *remedy;                /* a clause, with a command */
} doctor_kind_t;

/* doctor_rows.c: by doctor_id_t. */
extern const doctor_kind_t  doctor_kinds[DOCTOR__N];

typedef struct {
    int             n;                  /* findings; 0: nothing is known */
    doctor_state_t  state;
    char            reason[DOCTOR_REASON];
    char            remedy[DOCTOR_REMEDY];
} doctor_row_t;

/* A finding, as the process of a try sends it to rblctl. */
typedef struct {
    doctor_id_t     id;
    doctor_state_t  state;
    char            reason[DOCTOR_REASON];
    char            remedy[DOCTOR_REMEDY];
} doctor_found_t;

/* Hosts of an account, by family: IPv4, IPv6, domains. */
typedef struct {
    int64_t  interval;                  /* s between checks */
    double   hosts[3];
} doctor_mix_t;

/* The process of a try. */
typedef struct {
    pid_t     pid;                      /* 0: it has ended */
    uint64_t  rows;
    double    late;                     /* by clock_now(): it is killed then */
} doctor_proc_t;

typedef struct {
    ctl_t         *ctl;
    config_t       daemon;              /* the configuration of the daemon, */
    const char    *file;                /* and its file */
    int            configured;          /* `daemon` is that of a file */
    const char    *nginx;               /* file of its configuration; NULL: the
                                           default */
    const char    *url;                 /* of the portal; NULL: as nginx says */
    const char    *backups;             /* directory of copies of the store */
    const char    *lists;               /* file of the catalogue, */
    json_t        *catalogue;           /* and its content; NULL: not read */
    double         end;                 /* by clock_now(): of all tries */
    int            to;                  /* of a process that tries: findings go
                                           here; -1: this is rblctl itself */
    int            pipe[2];             /* of all processes */
    size_t         n_procs;
    doctor_proc_t  proc[DOCTOR_TRIES];
    int            ready;               /* the store can be read */
    char           run_id[DOCTOR_RUN_ID];   /* of its first server; "": not
                                           known */
    char           store_dir[256];      /* of its files, on this machine; "":
                                           not known */
    rbl_conditions_t  conditions;
    json_t        *daemons;             /* as ctl_daemons returns it, or NULL */
    size_t         n_mixes;
    double         scale;               /* all accounts by those in mix */
    doctor_mix_t   mix[DOCTOR_MIXES];
    size_t         n_urls;
    char           url_of[DOCTOR_URLS][DOCTOR_URL];     /* receivers */
    size_t         n_lists;
    list_t        *list[DOCTOR_ACTIVE]; /* that are active */
    doctor_row_t   row[DOCTOR__N];
} doctor_t;

typedef struct {
    void      (*run)(doctor_t *d);
    uint64_t    rows;                   /* bits of the rows that it owns */
} doctor_try_t;

/* The remedy for a certificate that must be another one. */
#define DOCTOR_RENEW                                                          \
    "renew the certificate, and reload nginx; try: certbot renew"             \
    " --deploy-hook 'systemctl reload nginx'"

#define DOCTOR_ROW(id)  (UINT64_C(1) << (id))

/*
 * Adds a finding.  The row has the worst state of its findings, the remedy of
 * the first of these, and all reasons of findings that are not good.  `remedy`
 * NULL: that of the table.  Texts are cut to their buffers, and may hold
 * foreign bytes.
 */
__attribute__((format(printf, 5, 6)))
void doctor_say(doctor_t *d, doctor_id_t id, doctor_state_t state,
    const char *remedy, const char *fmt, ...);

void doctor_add(doctor_t *d, const doctor_found_t *found);

/* All rows and conditions as JSON, worst first: name, state, since, reason,
   remedy. */
json_t *doctor_json(const doctor_t *d);

/*
 * doctor_run.c: starts a process for each try; waits for all that were started.
 * Rows of a try that did not end in time are unknown.  doctor_open returns 0,
 * or -1: error printed.
 */
int doctor_open(doctor_t *d);
void doctor_start(doctor_t *d, const doctor_try_t *tries, size_t n);
void doctor_wait(doctor_t *d);

/* doctor_store.c: connects to the store, and reads the conditions and the
   active lists.  doctor_run_id: of the first server that a client knows. */
void doctor_store(doctor_t *d);
void doctor_run_id(ctl_t *ctl, char id[DOCTOR_RUN_ID]);

/* doctor_accounts.c: checks a day of all hosts of a family (place in a mix), of
   a host at most one within `least` seconds. */
double doctor_checks(const doctor_t *d, unsigned family, int64_t least);

/* doctor_portal.c */
void doctor_portal(doctor_t *d, const char *url);

/* doctor_machine.c: can others read that file? */
void doctor_secret(doctor_t *d, const char *path);

/*
 * doctor_program.c: runs a program, argv[0] in the path, with at most 14
 * arguments, and writes the beginning of its output and errors into `out`.
 * Returns its exit status; -1: it is not there, or was killed.
 */
int doctor_program(const char *const *argv, char *out, size_t size);

/* The tries; the head of each file says more. */
void doctor_store_settings(doctor_t *d);
void doctor_clock(doctor_t *d);
void doctor_versions(doctor_t *d);
void doctor_accounts(doctor_t *d);
void doctor_lists(doctor_t *d);
void doctor_registration(doctor_t *d);
void doctor_licence(doctor_t *d);
void doctor_quota(doctor_t *d);
void doctor_resolver(doctor_t *d);
void doctor_ports(doctor_t *d);
void doctor_receivers(doctor_t *d);
void doctor_smtp(doctor_t *d);
void doctor_mail_from(doctor_t *d);
void doctor_site(doctor_t *d);
void doctor_disk(doctor_t *d);
void doctor_files(doctor_t *d);
void doctor_units(doctor_t *d);
void doctor_backup(doctor_t *d);
void doctor_packages(doctor_t *d);

#endif /* CTL_DOCTOR_H_INCLUDED */
