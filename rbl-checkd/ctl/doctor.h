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
#define DOCTOR_LISTS     200

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
    DOCTOR_RESOLVER,
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

/* The process of a try. */
typedef struct {
    pid_t     pid;                      /* 0: it has ended */
    uint64_t  rows;
    double    late;                     /* by clock_now(): it is killed then */
} doctor_proc_t;

typedef struct {
    ctl_t         *ctl;
    config_t       daemon;              /* the configuration of the daemon */
    int            configured;          /* `daemon` is that of a file */
    const char    *nginx;               /* its configuration; NULL: its own */
    double         end;                 /* by clock_now(): of all tries */
    int            to;                  /* of a process that tries: findings go
                                           here; -1: this is rblctl itself */
    int            pipe[2];             /* of all processes */
    size_t         n_procs;
    doctor_proc_t  proc[DOCTOR_TRIES];
    int            ready;               /* the store can be read */
    rbl_conditions_t  conditions;
    size_t         n_lists;
    list_t        *list[DOCTOR_LISTS];  /* that are active */
    doctor_row_t   row[DOCTOR__N];
} doctor_t;

typedef struct {
    void      (*run)(doctor_t *d);
    uint64_t    rows;                   /* bits of the rows that it owns */
} doctor_try_t;

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
   active lists. */
void doctor_store(doctor_t *d);

/* The tries; the head of each file says more. */
void doctor_resolver(doctor_t *d);
void doctor_store_settings(doctor_t *d);

#endif /* CTL_DOCTOR_H_INCLUDED */
