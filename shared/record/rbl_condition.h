/*
 * Conditions of the whole service, and the verdict: one table for the daemon,
 * rblctl and nginx.
 *
 * A condition is a fault that an operator has to repair: its name, severity,
 * reason, remedy, and when it began.  Each daemon writes the conditions that it
 * sees into its record (record `daemon` of schema.txt).  A reader combines the
 * rows of all living daemons with those that only a reader can see, such as "no
 * daemon is at work".  The verdict is the worst row.
 */

#ifndef RBL_CONDITION_H_INCLUDED
#define RBL_CONDITION_H_INCLUDED

#include "rbl_mp.h"

#define RBL_CONDITION_NAME    24        /* sizes of buffers */
#define RBL_CONDITION_REASON  512
#define RBL_CONDITION_REMEDY  384
#define RBL_CONDITIONS_MAX    32        /* rows of a record, and of a reader */

/* Redis refuses a script that may write before it runs, and this one writes
   nothing: it shows whether a node takes changes. */
#define RBL_CONDITION_PROBE  RBL_STR("#!lua\nreturn 1")

typedef enum {
    RBL_SERVICE_GOOD = 0,
    RBL_SERVICE_DEGRADED,               /* results come, later or fewer */
    RBL_SERVICE_BROKEN                  /* nothing new is known, or stored */
} rbl_service_t;

extern const char *const  rbl_service_names[];      /* "good", ... */

/* In the order in which rows of one severity are shown. */
typedef enum {
    RBL_CONDITION_STORE_AWAY = 0,
    RBL_CONDITION_STORE_EMPTIED,
    RBL_CONDITION_STORE_REFUSES,
    RBL_CONDITION_NO_DAEMON,
    RBL_CONDITION_DNS,
    RBL_CONDITION_DNS_UNTRIED,
    RBL_CONDITION_NAMESERVER,
    RBL_CONDITION_SILENT_LISTS,
    RBL_CONDITION_CRITICAL_LISTS,
    RBL_CONDITION_LATE_CHECKS,
    RBL_CONDITION_DELIVERIES,
    RBL_CONDITION_MAIL_SERVER,
    RBL_CONDITION_CREDENTIAL,
    RBL_CONDITION_STORE_EVICTING,
    RBL_CONDITION_STORE_REPLICAS,
    RBL_CONDITION_STORE_SENTINELS,
    RBL_CONDITION_STORE_SLOTS,
    RBL_CONDITION_CLOCKS,
    RBL_CONDITION__N
} rbl_condition_id_t;

typedef struct {
    const char     *name;
    rbl_service_t   worst;              /* most severe that it can be */
    int             everywhere;         /* 1: broken only if all daemons say
                                           so; else it is degraded */
    const char     *remedy;             /* a clause, with a command */
    const char     *users;              /* a sentence without internals */
} rbl_condition_kind_t;

extern const rbl_condition_kind_t  rbl_condition_kinds[RBL_CONDITION__N];

typedef struct {
    char            name[RBL_CONDITION_NAME];
    rbl_service_t   severity;
    int64_t         since;              /* ms; 0: not known */
    char            reason[RBL_CONDITION_REASON];
    char            remedy[RBL_CONDITION_REMEDY];
    unsigned        daemons;            /* that report it; 0: the reader */
} rbl_condition_t;

typedef struct {
    unsigned         daemons;           /* that live */
    unsigned         n;
    rbl_condition_t  row[RBL_CONDITIONS_MAX];
} rbl_conditions_t;

/* The sentence about a row for users. */
const char *rbl_condition_users(const rbl_condition_t *row);

void rbl_conditions_init(rbl_conditions_t *all);

/*
 * Adds a row, or replaces the row of that name.  `remedy` NULL: that of the
 * table.  Texts are cut to their buffers.  NULL: there is no room.
 */
rbl_condition_t *rbl_conditions_set(rbl_conditions_t *all,
    rbl_condition_id_t id, rbl_service_t severity, int64_t since,
    rbl_str_t reason, const char *remedy);

/* Writes the rows of a daemon: array of arrays [name, severity, since, reason,
   remedy]. */
void rbl_conditions_encode(rbl_out_t *out, const rbl_conditions_t *all);

/*
 * Adds a living daemon and the rows of its record; raw "": it is of an older
 * release.  Rows of the same name become one, with the earliest time, and
 * reasons that name the daemons.  Rows that this release does not know are
 * kept.  RBL_ETYPE: another type is in it; the rows before that are added.
 */
rbl_err_t rbl_conditions_add(rbl_conditions_t *all, rbl_str_t daemon,
    rbl_str_t raw);

/* Facts that a reader sees itself.  Texts "": it is not so. */
typedef struct {
    const char  *away;                  /* why the store cannot be reached */
    const char  *emptied;               /* why its meta data are missing */
    const char  *refuses;               /* why it refuses changes */
    int          partly;                /* 1: only a part of it is away */
    int          blind;                 /* 1: the records of the daemons cannot
                                           be read */
    int64_t      away_since, emptied_since, refuses_since;  /* ms; 0: not
                                           known */
    int64_t      daemon_seen;           /* ms; 0: never */
} rbl_reader_t;

/*
 * Adds the rows of the reader.  With a store that is away or empty there is no
 * row about daemons, since their records cannot be read.  Then sorts the rows,
 * worst first, and returns the verdict.
 */
rbl_service_t rbl_conditions_end(rbl_conditions_t *all,
    const rbl_reader_t *reader);

/* The severity of the first row; good: there is none. */
rbl_service_t rbl_conditions_verdict(const rbl_conditions_t *all);

#endif /* RBL_CONDITION_H_INCLUDED */
