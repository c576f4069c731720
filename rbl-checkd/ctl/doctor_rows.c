/*
 * rblctl doctor: the rows for which something is tried, and how findings become
 * rows.
 */

#include "doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>


const doctor_kind_t  doctor_kinds[DOCTOR__N] = {
    [DOCTOR_CONFIGURATION] = { "configuration",
        "correct the file; try: rbl-checkd -t -c " CONFIG_FILE },
    [DOCTOR_SCHEMA] = { "schema",
        "raise it when all programs are new; try: rblctl upgrade" },
    [DOCTOR_STORE_SETTINGS] = { "store_settings",
        "correct redis.conf and restart Redis; try: redis-cli info"
        " persistence" },
    [DOCTOR_STORE_SYNC] = { "store_sync",
        "set appendfsync always in redis.conf; try: redis-cli config set"
        " appendfsync always" },
    [DOCTOR_STORE_MEMORY] = { "store_memory",
        "give the machine more memory, or remove accounts, and set maxmemory"
        " below it; try: redis-cli info memory" },
    [DOCTOR_STORE_LATENCY] = { "store_latency",
        "look for load and slow disks at the machine of Redis; try: redis-cli"
        " --latency" },
    [DOCTOR_CLOCK] = { "clock",
        "synchronise the clock; try: timedatectl set-ntp true" },
    [DOCTOR_RESOLVER] = { "resolver",
        "repair the resolver, or set another one by resolver in "
        CONFIG_FILE " and restart rbl-checkd; try: dig . NS" },
    [DOCTOR_DNS_UDP] = { "dns_udp", "" },
    [DOCTOR_DNS_TCP] = { "dns_tcp", "" },
    [DOCTOR_IPV6] = { "ipv6",
        "repair the route, or turn IPv6 off; try: ping -6 2001:500:2f::f" },
    [DOCTOR_LISTS] = { "lists",
        "load the catalogue; try: rblctl lists load " CONFIG_LISTS },
    [DOCTOR_REGISTRATION] = { "registration", "" },
    [DOCTOR_LICENCE] = { "licence", "" },
    [DOCTOR_QUOTA] = { "quota", "" },
    [DOCTOR_SMTP] = { "smtp",
        "let the mail server take mails of this machine, or set another one by"
        " smtp_url in " CONFIG_FILE "; try: systemctl restart rbl-checkd" },
    [DOCTOR_MAIL_FROM] = { "mail_from",
        "give the domain an MX record, or correct smtp_from in " CONFIG_FILE
        "; try: systemctl restart rbl-checkd" },
    [DOCTOR_ACCOUNTS] = { "accounts",
        "create an account; try: rblctl account add Main" },
    [DOCTOR_ACCOUNT_LISTS] = { "account_lists", "" },
    [DOCTOR_GROUPS] = { "groups", "" },
    [DOCTOR_CONTACTS] = { "contacts", "" },
    [DOCTOR_RECEIVERS] = { "receivers", "" },
    [DOCTOR_RECEIVER_NAMES] = { "receiver_names", "" },
    [DOCTOR_NGINX] = { "nginx",
        "correct the configuration of nginx; try: nginx -t" },
    [DOCTOR_NGINX_STORE] = { "nginx_store",
        "give nginx the store of " CONFIG_DIR "/rblctl.conf (rbl_store,"
        " rbl_store_prefix); try: nginx -t && systemctl reload nginx" },
    [DOCTOR_CERTIFICATE] = { "certificate", "" },
    [DOCTOR_PORTAL] = { "portal",
        "correct rbl_portal_url, the name in the DNS, or the site of nginx;"
        " try: curl -v URL" },
    [DOCTOR_VERSIONS] = { "versions",
        "install one release everywhere; try: apt-get install --only-upgrade"
        " rbl-checkd libnginx-mod-rbl && systemctl restart rbl-checkd" },
    [DOCTOR_UNITS] = { "units", "" },
    [DOCTOR_BACKUP] = { "backup",
        "make a copy, and look why the last ones failed; try: systemctl start"
        " rbl-backup && journalctl -u rbl-backup" },
    [DOCTOR_DISK] = { "disk", "" },
    [DOCTOR_FILES] = { "files", "" }
};

static const char *const  doctor_state_names[] = {
    "good", "unknown", "degraded", "broken"
};

_Static_assert(DOCTOR__N <= 64, "the rows of a try are bits of a uint64_t");


static void
doctor_merge(doctor_row_t *row, doctor_state_t state, const char *reason,
    const char *remedy)
{
    size_t  at;

    if (row->n++ == 0 || (row->state == DOCTOR_GOOD && state != DOCTOR_GOOD)) {
        row->reason[0] = '\0';

    } else if (state == DOCTOR_GOOD && row->state != DOCTOR_GOOD) {
        return;
    }

    if (row->n == 1 || state > row->state) {
        row->state = state;
        snprintf(row->remedy, sizeof(row->remedy), "%s", remedy);
    }

    at = strlen(row->reason);
    snprintf(row->reason + at, sizeof(row->reason) - at, "%s%s",
             at > 0 ? "; " : "", reason);
}


void
doctor_add(doctor_t *d, const doctor_found_t *found)
{
    doctor_merge(&d->row[found->id], found->state, found->reason,
                 found->remedy);
}


void
doctor_say(doctor_t *d, doctor_id_t id, doctor_state_t state,
    const char *remedy, const char *fmt, ...)
{
    va_list         ap;
    doctor_found_t  found;

    memset(&found, 0, sizeof(found));
    found.id = id;
    found.state = state;

    va_start(ap, fmt);
    vsnprintf(found.reason, sizeof(found.reason), fmt, ap);
    va_end(ap);

    snprintf(found.remedy, sizeof(found.remedy), "%s",
             remedy != NULL ? remedy : doctor_kinds[id].remedy);

    doctor_add(d, &found);

    if (d->to != -1 && write(d->to, &found, sizeof(found)) != sizeof(found)) {
        _exit(1);                       /* rblctl is gone */
    }
}


/* Conditions that only a daemon sees are not known without one. */
static doctor_state_t
doctor_absent(const doctor_t *d, unsigned id, const char **why)
{
    *why = "";

    switch (id) {

    case RBL_CONDITION_STORE_AWAY:
    case RBL_CONDITION_STORE_EMPTIED:
    case RBL_CONDITION_STORE_REFUSES:
    case RBL_CONDITION_NO_DAEMON:
    case RBL_CONDITION_STORE_SENTINELS:
    case RBL_CONDITION_STORE_SLOTS:
        *why = d->ready ? "" : "the store cannot be read";
        break;

    default:
        *why = !d->ready ? "the store cannot be read"
               : d->conditions.daemons == 0 ? "no daemon reports it" : "";
    }

    return *why[0] == '\0' ? DOCTOR_GOOD : DOCTOR_UNKNOWN;
}


static json_t *
doctor_row(const char *name, doctor_state_t state, int64_t since,
    const char *reason, const char *remedy)
{
    return json_pack("{ss ss so so so}", "name", name,
                     "state", doctor_state_names[state],
                     "since", ctl_time(since),
                     "reason", ctl_text(rbl_str(reason)),
                     "remedy", ctl_text(rbl_str(state > DOCTOR_UNKNOWN
                                                ? remedy : "")));
}


/* Conditions that are there, also those of another release. */
static void
doctor_present(const doctor_t *d, json_t *rows, doctor_state_t state)
{
    unsigned                i;
    const rbl_condition_t  *row;

    for (i = 0; i < d->conditions.n; i++) {
        row = &d->conditions.row[i];

        if ((row->severity == RBL_SERVICE_BROKEN) == (state == DOCTOR_BROKEN))
        {
            json_array_append_new(rows, doctor_row(row->name, state,
                                                   row->since, row->reason,
                                                   row->remedy));
        }
    }
}


static int
doctor_is_present(const doctor_t *d, const char *name)
{
    unsigned  i;

    for (i = 0; i < d->conditions.n; i++) {
        if (strcmp(d->conditions.row[i].name, name) == 0) {
            return 1;
        }
    }

    return 0;
}


/* Adds the rows of that state. */
static void
doctor_state_rows(const doctor_t *d, json_t *rows, doctor_state_t state)
{
    unsigned             i;
    const char          *name, *why;
    const doctor_row_t  *row;

    if (state > DOCTOR_UNKNOWN) {
        doctor_present(d, rows, state);
    }

    for (i = 0; i < RBL_CONDITION__N; i++) {
        name = rbl_condition_kinds[i].name;

        if (!doctor_is_present(d, name) && doctor_absent(d, i, &why) == state) {
            json_array_append_new(rows, doctor_row(name, state, 0, why, ""));
        }
    }

    for (i = 0; i < DOCTOR__N; i++) {
        row = &d->row[i];

        if ((row->n == 0 ? DOCTOR_UNKNOWN : row->state) == state) {
            json_array_append_new(rows, doctor_row(doctor_kinds[i].name, state,
                0, row->n == 0 ? "the store cannot be read" : row->reason,
                row->remedy));
        }
    }
}


json_t *
doctor_json(const doctor_t *d)
{
    json_t  *rows;
    int      state;

    rows = json_array();

    for (state = DOCTOR_BROKEN; state >= DOCTOR_GOOD; state--) {
        doctor_state_rows(d, rows, (doctor_state_t) state);
    }

    return rows;
}
