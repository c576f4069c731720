/*
 * Conditions: the table, their records, and how the rows of several daemons
 * become one list.
 */

#include "rbl_condition.h"

#define LEAST  5                        /* fields of a row */

#define DEGRADED  RBL_SERVICE_DEGRADED
#define BROKEN    RBL_SERVICE_BROKEN


const char *const  rbl_service_names[] = { "good", "degraded", "broken" };

const rbl_condition_kind_t  rbl_condition_kinds[RBL_CONDITION__N] = {
    [RBL_CONDITION_STORE_AWAY] = { "store_away", BROKEN, 0,
        "start Redis or repair the network; try: redis-cli ping",
        "The database cannot be reached." },
    [RBL_CONDITION_STORE_EMPTIED] = { "store_emptied", BROKEN, 0,
        "restore a backup (rbl-operations(7)); only a new store needs rblctl"
        " init",
        "The database has lost its data." },
    [RBL_CONDITION_STORE_REFUSES] = { "store_refuses", BROKEN, 0,
        "look at its disk, memory limit and replicas; try: redis-cli info"
        " persistence",
        "The database takes no changes." },
    [RBL_CONDITION_NO_DAEMON] = { "no_daemon", BROKEN, 0,
        "start a daemon; try: systemctl status rbl-checkd",
        "No daemon is at work." },
    [RBL_CONDITION_DNS] = { "dns", BROKEN, 1,
        "repair the resolver or the firewall; try: rblctl check 127.0.0.2"
        " --trace",
        "DNS does not work, so lists cannot be queried." },
    [RBL_CONDITION_DNS_UNTRIED] = { "dns_untried", DEGRADED, 0,
        "wait for half a minute; try: rblctl check 127.0.0.2 --trace",
        "It is not known yet whether DNS works." },
    [RBL_CONDITION_NAMESERVER] = { "nameserver", DEGRADED, 0,
        "write a nameserver into /etc/resolv.conf, or set resolver in"
        " rbl-checkd.conf(5) and restart rbl-checkd",
        "The names of servers may not be found." },
    [RBL_CONDITION_SILENT_LISTS] = { "silent_lists", BROKEN, 1,
        "look at the state of each list; try: rblctl lists show",
        "Most lists do not answer." },
    [RBL_CONDITION_CRITICAL_LISTS] = { "critical_lists", DEGRADED, 0,
        "look at the state of these lists; try: rblctl lists show ZONE",
        "An important list does not answer." },
    [RBL_CONDITION_LATE_CHECKS] = { "late_checks", DEGRADED, 0,
        "raise checks_max or start another daemon; try: rblctl queue",
        "Checks are late." },
    [RBL_CONDITION_DELIVERIES] = { "deliveries", DEGRADED, 0,
        "look at the log of rbl-checkd; try: rblctl queue",
        "Messages are late." },
    [RBL_CONDITION_MAIL_SERVER] = { "mail_server", DEGRADED, 0,
        "set smtp_url in rbl-checkd.conf(5) and restart rbl-checkd",
        "No mail can be sent." },
    [RBL_CONDITION_CREDENTIAL] = { "credential", DEGRADED, 0,
        "give the list its key or disable it; try: rblctl lists key ZONE",
        "A list cannot be queried: its key is missing." },
    [RBL_CONDITION_STORE_EVICTING] = { "store_evicting", DEGRADED, 0,
        "try: redis-cli config set maxmemory-policy noeviction",
        "The database may lose data." },
    [RBL_CONDITION_STORE_REPLICAS] = { "store_replicas", DEGRADED, 0,
        "start the replica again; try: redis-cli info replication",
        "The database has fewer copies than before." },
    [RBL_CONDITION_STORE_SENTINELS] = { "store_sentinels", DEGRADED, 0,
        "start the Sentinels again; try: redis-cli -p 26379 sentinel masters",
        "The database has fewer watchers than it should have." },
    [RBL_CONDITION_STORE_SLOTS] = { "store_slots", DEGRADED, 0,
        "end the move of slots (rbl-availability(7)); try: redis-cli --cluster"
        " check",
        "A part of the database is being moved." },
    [RBL_CONDITION_CLOCKS] = { "clocks", DEGRADED, 0,
        "synchronise the clocks of all machines; try: timedatectl",
        "The clocks of the machines differ." }
};


void
rbl_conditions_init(rbl_conditions_t *all)
{
    all->daemons = 0;
    all->n = 0;
}


/* The place of a name in the table; RBL_CONDITION__N: it is not there. */

static unsigned
rbl_condition_rank(const char *name)
{
    unsigned  i;

    for (i = 0; i < RBL_CONDITION__N; i++) {
        if (strcmp(rbl_condition_kinds[i].name, name) == 0) {
            break;
        }
    }

    return i;
}


const char *
rbl_condition_users(const rbl_condition_t *row)
{
    unsigned  rank = rbl_condition_rank(row->name);

    return rank < RBL_CONDITION__N ? rbl_condition_kinds[rank].users
           : row->severity == BROKEN ? "The service does not work."
                                     : "The service works in part.";
}


static rbl_condition_t *
rbl_condition_find(rbl_conditions_t *all, rbl_str_t name)
{
    unsigned  i;

    for (i = 0; i < all->n; i++) {
        if (rbl_str_is(name, all->row[i].name)) {
            return &all->row[i];
        }
    }

    return NULL;
}


/* The row of that name, or a new one with its name only; NULL: there is no
   room. */

static rbl_condition_t *
rbl_condition_row(rbl_conditions_t *all, rbl_str_t name)
{
    rbl_condition_t  *row;

    row = rbl_condition_find(all, name);

    if (row != NULL || all->n == RBL_CONDITIONS_MAX) {
        return row;
    }

    row = &all->row[all->n++];
    memset(row, 0, sizeof(rbl_condition_t));
    rbl_copy(row->name, sizeof(row->name), name);

    return row;
}


rbl_condition_t *
rbl_conditions_set(rbl_conditions_t *all, rbl_condition_id_t id,
    rbl_service_t severity, int64_t since, rbl_str_t reason,
    const char *remedy)
{
    rbl_condition_t             *row;
    const rbl_condition_kind_t  *kind = &rbl_condition_kinds[id];

    row = rbl_condition_row(all, rbl_str(kind->name));

    if (row != NULL) {
        row->severity = severity;
        row->since = since;
        rbl_copy(row->reason, sizeof(row->reason), reason);
        rbl_copy(row->remedy, sizeof(row->remedy),
                 rbl_str(remedy != NULL ? remedy : kind->remedy));
    }

    return row;
}


void
rbl_conditions_encode(rbl_out_t *out, const rbl_conditions_t *all)
{
    unsigned                i;
    const rbl_condition_t  *row;

    rbl_mp_put_array(out, all->n);

    for (i = 0; i < all->n; i++) {
        row = &all->row[i];
        rbl_mp_put_array(out, LEAST);
        rbl_mp_put_z(out, row->name);
        rbl_mp_put_int(out, row->severity);
        rbl_mp_put_int(out, row->since);
        rbl_mp_put_z(out, row->reason);
        rbl_mp_put_z(out, row->remedy);
    }
}


/* Names become labels and keys of JSON: letters and "_" only. */

static int
rbl_condition_name_ok(rbl_str_t name)
{
    size_t  i;

    for (i = 0; i < name.n; i++) {
        if ((name.p[i] < 'a' || name.p[i] > 'z') && name.p[i] != '_') {
            return 0;
        }
    }

    return name.n > 0 && name.n < RBL_CONDITION_NAME;
}


/* Appends as much of the text as there is room for. */

static size_t
rbl_condition_put(rbl_condition_t *row, size_t at, rbl_str_t text)
{
    size_t  room = sizeof(row->reason) - at;

    rbl_copy(row->reason + at, room, text);

    return at + (text.n < room ? text.n : room - 1);
}


/* "one: why; two: why" */

static void
rbl_condition_reason(rbl_condition_t *row, rbl_str_t daemon, rbl_str_t why)
{
    size_t  at = strlen(row->reason);

    if (at > 0) {
        at = rbl_condition_put(row, at, RBL_STR("; "));
    }

    at = rbl_condition_put(row, at, daemon);
    at = rbl_condition_put(row, at, RBL_STR(": "));
    (void) rbl_condition_put(row, at, why);
}


static void
rbl_condition_join(rbl_conditions_t *all, rbl_str_t daemon, rbl_str_t name,
    const rbl_condition_t *one, rbl_str_t reason, rbl_str_t remedy)
{
    rbl_condition_t  *row;

    row = rbl_condition_row(all, name);

    if (row == NULL) {
        return;
    }

    if (row->daemons++ == 0 || one->severity > row->severity) {
        row->severity = one->severity;
        rbl_copy(row->remedy, sizeof(row->remedy), remedy);
    }

    if (one->since > 0 && (row->since == 0 || one->since < row->since)) {
        row->since = one->since;
    }

    rbl_condition_reason(row, daemon, reason);
}


/* A daemon has a name once: further rows of that name are ignored. */

static void
rbl_condition_read(rbl_conditions_t *all, rbl_str_t daemon, rbl_mp_t *mp)
{
    size_t            n;
    rbl_str_t         name, reason, remedy;
    rbl_condition_t  *row, one = { .since = 0 };

    n = rbl_mp_array(mp);

    if (n < LEAST) {
        mp->failed = 1;
        return;
    }

    name = rbl_mp_str(mp);
    one.severity = rbl_mp_int(mp) == DEGRADED ? DEGRADED : BROKEN;
    one.since = rbl_mp_int(mp);
    reason = rbl_mp_str(mp);
    remedy = rbl_mp_str(mp);

    for (; n > LEAST && !mp->failed; n--) {
        rbl_mp_skip(mp);
    }

    if (mp->failed || !rbl_condition_name_ok(name)) {
        return;
    }

    row = rbl_condition_find(all, name);

    if (row == NULL || row->daemons < all->daemons) {
        rbl_condition_join(all, daemon, name, &one, reason, remedy);
    }
}


rbl_err_t
rbl_conditions_add(rbl_conditions_t *all, rbl_str_t daemon, rbl_str_t raw)
{
    size_t    i, n;
    rbl_mp_t  mp;

    all->daemons++;

    if (raw.n == 0) {
        return RBL_OK;
    }

    rbl_mp_init(&mp, raw);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && i < RBL_CONDITIONS_MAX && !mp.failed; i++) {
        rbl_condition_read(all, daemon, &mp);
    }

    return mp.failed ? RBL_ETYPE : RBL_OK;
}


/* The remedy for a store that refuses changes with that error of Redis; NULL:
   that of the table. */

static const char *
rbl_condition_refusal(const char *why)
{
    size_t  i;

    static const struct {
        const char  *error, *remedy;
    } of[] = {
        { "NOREPLICAS", "start the missing replicas (min-replicas-to-write);"
          " try: redis-cli info replication" },
        { "MISCONF", "make room on the disk of Redis; try: redis-cli info"
          " persistence" },
        { "OOM ", "raise maxmemory, or remove accounts; try: redis-cli info"
          " memory" }
    };

    for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        if (strstr(why, of[i].error) != NULL) {
            return of[i].remedy;
        }
    }

    return NULL;
}


static void
rbl_conditions_reader(rbl_conditions_t *all, const rbl_reader_t *reader)
{
    if (reader->away[0] != '\0') {
        (void) rbl_conditions_set(all, RBL_CONDITION_STORE_AWAY,
                                  reader->partly ? DEGRADED : BROKEN,
                                  reader->away_since, rbl_str(reader->away),
                                  NULL);
        if (!reader->partly) {
            return;
        }
    }

    if (reader->emptied[0] != '\0') {
        (void) rbl_conditions_set(all, RBL_CONDITION_STORE_EMPTIED, BROKEN,
                                  reader->emptied_since,
                                  rbl_str(reader->emptied), NULL);
        return;
    }

    if (reader->refuses[0] != '\0') {
        (void) rbl_conditions_set(all, RBL_CONDITION_STORE_REFUSES, BROKEN,
                                  reader->refuses_since,
                                  rbl_str(reader->refuses),
                                  rbl_condition_refusal(reader->refuses));
    }

    if (all->daemons == 0 && !reader->blind) {
        (void) rbl_conditions_set(all, RBL_CONDITION_NO_DAEMON, BROKEN,
                                  reader->daemon_seen,
                                  reader->daemon_seen
                                  ? RBL_STR("no daemon has reported for 20"
                                            " seconds")
                                  : RBL_STR("no daemon has reported yet"),
                                  NULL);
    }
}


static int
rbl_condition_before(const rbl_condition_t *a, const rbl_condition_t *b)
{
    unsigned  i, k;

    if (a->severity != b->severity) {
        return a->severity > b->severity;
    }

    i = rbl_condition_rank(a->name);
    k = rbl_condition_rank(b->name);

    return i != k ? i < k : strcmp(a->name, b->name) < 0;
}


static void
rbl_conditions_sort(rbl_conditions_t *all)
{
    unsigned         i, k;
    rbl_condition_t  row;

    for (i = 1; i < all->n; i++) {
        row = all->row[i];

        for (k = i; k > 0 && rbl_condition_before(&row, &all->row[k - 1]); k--)
        {
            all->row[k] = all->row[k - 1];
        }

        all->row[k] = row;
    }
}


rbl_service_t
rbl_conditions_end(rbl_conditions_t *all, const rbl_reader_t *reader)
{
    unsigned          i, rank;
    rbl_condition_t  *row;

    rbl_conditions_reader(all, reader);

    for (i = 0; i < all->n; i++) {
        row = &all->row[i];
        rank = rbl_condition_rank(row->name);

        if (rank < RBL_CONDITION__N && rbl_condition_kinds[rank].everywhere
            && row->daemons > 0 && row->daemons < all->daemons)
        {
            row->severity = DEGRADED;
        }
    }

    rbl_conditions_sort(all);

    return rbl_conditions_verdict(all);
}


rbl_service_t
rbl_conditions_verdict(const rbl_conditions_t *all)
{
    return all->n > 0 ? all->row[0].severity : RBL_SERVICE_GOOD;
}
