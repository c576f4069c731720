/*
 * rblctl doctor: how findings become rows.
 */

#include "doctor.h"

#include <assert.h>
#include <stdarg.h>

static const char *const  doctor_state_names[] = {
    "good", "unknown", "degraded", "broken"
};


/* --- findings ------------------------------------------------------------- */

static doctor_row_t *
doctor_row(doctor_t *d, const char *name)
{
    doctor_row_t  *row = d->row;

    while (strcmp(row->name, name) != 0) {
        row++;
        assert(row < d->row + DOCTOR_ROWS);
    }

    return row;
}


static void
doctor_add(doctor_row_t *row, doctor_state_t state, const char *reason,
    const char *remedy)
{
    size_t  at = strlen(row->reason);

    if (row->n++ == 0 || state > row->state) {
        row->state = state;
        snprintf(row->remedy, sizeof(row->remedy), "%s", remedy);
    }

    snprintf(row->reason + at, sizeof(row->reason) - at, "%s%s",
             at > 0 && reason[0] != '\0' ? "; " : "", reason);
}


void
doctor_say(doctor_t *d, const char *name, doctor_state_t state,
    const char *remedy, const char *fmt, ...)
{
    char     reason[DOCTOR_REASON];
    va_list  ap;

    va_start(ap, fmt);
    vsnprintf(reason, sizeof(reason), fmt, ap);
    va_end(ap);

    doctor_add(doctor_row(d, name), state, reason, remedy);
}


const char *
doctor_text(const char *fmt, ...)
{
    va_list      ap;
    static char  text[DOCTOR_REMEDY];

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);

    return text;
}


void
doctor_fill(doctor_t *d, const char *names, doctor_state_t state,
    const char *why)
{
    int            n;
    char           name[DOCTOR_NAME];
    doctor_row_t  *row;

    for ( /* void */ ; sscanf(names, "%23s%n", name, &n) == 1; names += n) {
        row = doctor_row(d, name);

        if (row->n == 0) {
            doctor_add(row, state, why, "");
        }
    }
}


void
doctor_merge(doctor_t *d, const doctor_row_t row[DOCTOR_ROWS])
{
    size_t  i;

    for (i = 0; i < DOCTOR_ROWS; i++) {
        if (row[i].n > 0) {
            doctor_add(&d->row[i], row[i].state, row[i].reason, row[i].remedy);
        }
    }
}


/* --- output --------------------------------------------------------------- */

/* Names the client of the store, with its address, in place of redis-cli. */
static json_t *
doctor_words(const doctor_t *d, const char *words)
{
    char         text[DOCTOR_REASON + sizeof(d->client)];
    const char  *at = strstr(words, "redis-cli");

    if (at == NULL) {
        return ctl_text(rbl_str(words));
    }

    snprintf(text, sizeof(text), "%.*s%s%s", (int) (at - words), words,
             d->client, at + strlen("redis-cli"));

    return ctl_text(rbl_str(text));
}


static void
doctor_put(const doctor_t *d, json_t *rows, const char *name,
    doctor_state_t state, int64_t since, const char *reason,
    const char *remedy)
{
    json_array_append_new(rows, json_pack("{ss ss so so so}", "name", name,
        "state", doctor_state_names[state], "since", ctl_time(since),
        "reason", doctor_words(d, reason),
        "remedy", doctor_words(d, state > UNKNOWN ? remedy : "")));
}


/* Why a condition that is not there is not known: only a daemon sees most of
   them.  "": it is known. */
static const char *
doctor_absent(const doctor_t *d, unsigned id)
{
    return !d->ready ? "the store cannot be read"
           : d->conditions.daemons > 0 || id == RBL_CONDITION_STORE_AWAY
             || id == RBL_CONDITION_STORE_EMPTIED
             || id == RBL_CONDITION_STORE_REFUSES
             || id == RBL_CONDITION_NO_DAEMON
             || id == RBL_CONDITION_STORE_SENTINELS
             || id == RBL_CONDITION_STORE_SLOTS ? "" : "no daemon reports it";
}


/* Conditions that are there, also those of another release, and the others. */
static void
doctor_conditions(const doctor_t *d, json_t *rows)
{
    unsigned                i, k;
    const char             *name, *why;
    const rbl_condition_t  *row = d->conditions.row;

    for (i = 0; i < d->conditions.n; i++) {
        doctor_put(d, rows, row[i].name, row[i].severity == RBL_SERVICE_BROKEN
                   ? BROKEN : DEGRADED, row[i].since, row[i].reason,
                   row[i].remedy);
    }

    for (i = 0; i < RBL_CONDITION__N; i++) {
        name = rbl_condition_kinds[i].name;

        for (k = 0; k < d->conditions.n && strcmp(row[k].name, name) != 0; k++)
        {
            /* void */
        }

        if (k == d->conditions.n) {
            why = doctor_absent(d, i);
            doctor_put(d, rows, name, why[0] == '\0' ? GOOD : UNKNOWN, 0, why,
                       "");
        }
    }
}


json_t *
doctor_json(const doctor_t *d)
{
    int                  state;
    size_t               i;
    json_t              *rows, *sorted, *v;
    const doctor_row_t  *row;

    rows = json_array();
    sorted = json_array();
    doctor_conditions(d, rows);

    for (row = d->row; row->name[0] != '\0'; row++) {
        doctor_put(d, rows, row->name, row->state, 0, row->reason,
                   row->remedy);
    }

    for (state = BROKEN; state >= GOOD; state--) {
        json_array_foreach(rows, i, v) {
            if (strcmp(json_string_value(json_object_get(v, "state")),
                       doctor_state_names[state])
                == 0)
            {
                json_array_append(sorted, v);
            }
        }
    }

    json_decref(rows);

    return sorted;
}
