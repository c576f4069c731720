/*
 * rblctl doctor: the store.  It says most of its settings by INFO, which every
 * user of rblctl may ask for.  CONFIG GET would say the others, but it shows
 * the passwords of the server, too, and ACLs cannot limit it to single
 * settings: what only redis.conf says is read from that file, if the server is
 * on this machine.
 */

#include "client.h"
#include "doctor.h"

#include "base/clock.h"

#include "rbl_role.h"
#include "rbl_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STORE_TRIPS     5               /* round trips that are timed */
#define STORE_SLOW   0.25               /* s */
#define STORE_APART   5.0               /* s between clocks */
#define STORE_DAY  86400.0


static int
store_list(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    list_t    *list;
    doctor_t  *d = data;

    (void) ctl;
    (void) sid;

    list = list_from_record(raw);

    if (list != NULL && strcmp(list->status, "active") == 0
        && d->n_lists < DOCTOR_LISTS)
    {
        d->list[d->n_lists++] = list;

    } else if (list != NULL) {
        list_unref(list);
    }

    return 0;
}


/* 0; -1: error printed. */
static int
store_lists(doctor_t *d)
{
    int          rc;
    size_t       i;
    ctl_t       *ctl = d->ctl;
    rbl_key_t    key;
    redisReply  *keys;

    keys = ctl_command(ctl, RBL_COMMAND("HGETALL",
                       ctl_key(ctl, &key, ctl_here(ctl), "lists:keys")));
    rc = keys == NULL ? -1
         : ctl_each(ctl, ctl_key(ctl, &key, 0, "lists"), 0, "r",
                    RBL_STR("SYS"), store_list, d);

    for (i = 0; i < d->n_lists; i++) {
        list_key_find(d->list[i], keys);
    }

    freeReplyObject(keys);

    return rc;
}


/* Reads what every try of the store needs.  0; 1: it has no meta data; -1:
   error printed. */
static int
store_read(doctor_t *d)
{
    int         rc;
    rbl_meta_t  meta;

    rc = ctl_meta_read(d->ctl, &meta);

    if (rc != 0) {
        return rc;
    }

    if (ctl_meta_take(d->ctl, &meta) != 0) {
        return -1;
    }

    if (meta.schema < RBL_SCHEMA_VERSION) {
        doctor_say(d, DOCTOR_SCHEMA, DOCTOR_DEGRADED, NULL, "the store has"
                   " schema %lld, this rblctl has %d",
                   (long long) meta.schema, RBL_SCHEMA_VERSION);
    } else {
        doctor_say(d, DOCTOR_SCHEMA, DOCTOR_GOOD, NULL, "schema %d",
                   RBL_SCHEMA_VERSION);
    }

    ctl_survey(d->ctl);

    if (ctl_away(d->ctl, 0)) {
        return 0;
    }

    d->daemons = ctl_daemons(d->ctl, &d->conditions);

    return d->daemons == NULL ? -1 : store_lists(d);
}


void
doctor_store(doctor_t *d)
{
    int   rc;
    char  why[DOCTOR_REASON] = "";

    rbl_conditions_init(&d->conditions);
    ctl_catch(why, sizeof(why));
    rc = ctl_connect(d->ctl) != 0 ? -1 : store_read(d);

    if (rc < 0) {
        (void) rbl_conditions_set(&d->conditions, RBL_CONDITION_STORE_AWAY,
                                  RBL_SERVICE_BROKEN, 0, rbl_str(why), NULL);
    } else {
        (void) ctl_conditions(d->ctl, rc == 0, &d->conditions);
    }

    ctl_catch(NULL, 0);
    d->ready = rc == 0;
}


/* --- its configuration file ----------------------------------------------- */

/* The first value of a key of redis.conf; "": it has none. */
static void
file_value(const char *file, const char *key, char value[256])
{
    char   line[1024], name[64];
    FILE  *f;

    value[0] = '\0';
    f = fopen(file, "re");

    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        if (sscanf(line, " %63[a-zA-Z-] %255s", name, value) != 2
            || strcasecmp(name, key) != 0)
        {
            value[0] = '\0';
            continue;
        }

        break;
    }

    if (f != NULL) {
        (void) fclose(f);
    }
}


/* Is the server on this machine? */
static int
store_local(const ctl_t *ctl)
{
    const char  *store = ctl->conf.store;

    store += strncmp(store, "tls:", 4) == 0 ? 4 : 0;

    return strncmp(store, "unix:", 5) == 0 || strncmp(store, "127.", 4) == 0
           || strncmp(store, "[::1]", 5) == 0
           || strncmp(store, "localhost", 9) == 0;
}


/* appendfsync: with another value than always an answer of the API may be lost
   with the machine. */
static void
store_sync(doctor_t *d, rbl_str_t info)
{
    char       file[256], value[256];
    rbl_str_t  path;

    path = rbl_info_value(info, "config_file");
    rbl_copy(file, sizeof(file), path);

    if (!store_local(d->ctl) || file[0] == '\0') {
        doctor_say(d, DOCTOR_STORE_SYNC, DOCTOR_UNKNOWN, NULL, "%s; see"
                   " redis-cli config get appendfsync",
                   file[0] == '\0' ? "Redis runs without a configuration file"
                                   : "Redis is on another machine");
        return;
    }

    file_value(file, "dir", d->store_dir);
    file_value(file, "appendfsync", value);

    if (access(file, R_OK) != 0) {
        doctor_say(d, DOCTOR_STORE_SYNC, DOCTOR_UNKNOWN, NULL, "%s cannot be"
                   " read by this user", file);

    } else if (strcmp(value, "always") == 0) {
        doctor_say(d, DOCTOR_STORE_SYNC, DOCTOR_GOOD, NULL, "appendfsync"
                   " always");

    } else {
        doctor_say(d, DOCTOR_STORE_SYNC, DOCTOR_DEGRADED, NULL, "appendfsync"
                   " is %s in %s: what was answered in the last %s may be lost"
                   " with the machine", value[0] != '\0' ? value : "not set",
                   file, strcmp(value, "no") == 0 ? "minute" : "second");
    }
}


/* --- what INFO says ------------------------------------------------------- */

static int
info_is(rbl_str_t info, const char *name, const char *value)
{
    return rbl_str_is(rbl_info_value(info, name), value);
}


static uint64_t
info_number(rbl_str_t info, const char *name)
{
    rbl_str_t  v = rbl_info_value(info, name);

    return v.n == 0 ? 0 : strtoull(v.p, NULL, 10);
}


/* Is everything written, and does it stay? */
static void
store_persists(doctor_t *d, rbl_str_t info)
{
    rbl_str_t  version = rbl_info_value(info, "redis_version");

    if (info_number(info, "redis_version") < 7) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_BROKEN, "install Redis 7 or"
                   " later, or Valkey; try: apt-get install redis-server",
                   "Redis %.*s is too old", (int) version.n, version.p);
    }

    if (!info_is(info, "aof_enabled", "1")) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_DEGRADED, "set appendonly"
                   " yes in redis.conf; try: redis-cli config set appendonly"
                   " yes", "appendonly is no: what was stored since the last"
                   " snapshot is lost with the server");

    } else if (!info_is(info, "aof_last_write_status", "ok")) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_BROKEN, "make room on the"
                   " disk of Redis; try: df -h /var/lib/redis", "the"
                   " append-only file cannot be written");

    } else if (!info_is(info, "aof_last_bgrewrite_status", "ok")) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_DEGRADED, "make room, and"
                   " let Redis fork (vm.overcommit_memory 1); try: redis-cli"
                   " bgrewriteaof", "the append-only file could not be"
                   " rewritten, and grows");
    }

    if (!info_is(info, "rdb_last_bgsave_status", "ok")) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_DEGRADED, "make room, and"
                   " let Redis fork (vm.overcommit_memory 1); try: redis-cli"
                   " bgsave", "the last snapshot failed");
    }

    doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_GOOD, NULL, "appendonly yes");
}


/* A replica takes no writes, and one that need not have them is of no use in a
   failover. */
static void
store_copies(doctor_t *d, const redisReply *reply)
{
    rbl_replicas_t  replicas;

    rbl_replicas(&replicas, reply);

    if (rbl_role(reply) != RBL_ROLE_MASTER) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_BROKEN, "name the master by"
                   " store in " CONFIG_DIR "/rblctl.conf; try: redis-cli info"
                   " replication", "the store is a replica, which takes no"
                   " changes");
    }

    if (replicas.replicas > 0 && replicas.good < 0) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_DEGRADED, "set"
                   " min-replicas-to-write 1 in redis.conf"
                   " (rbl-availability(7)); try: redis-cli config set"
                   " min-replicas-to-write 1", "the store has %lld replicas and"
                   " min-replicas-to-write is not set: a failover can lose"
                   " acknowledged writes", (long long) replicas.replicas);
    }
}


static void
store_memory(doctor_t *d, rbl_str_t info)
{
    uint64_t   used, most, all;
    rbl_str_t  policy;

    used = info_number(info, "used_memory");
    most = info_number(info, "maxmemory");
    all = info_number(info, "total_system_memory");
    policy = rbl_info_value(info, "maxmemory_policy");

    if (!rbl_str_is(policy, "noeviction")) {
        doctor_say(d, DOCTOR_STORE_MEMORY, DOCTOR_DEGRADED, "set"
                   " maxmemory-policy noeviction in redis.conf; try: redis-cli"
                   " config set maxmemory-policy noeviction", "maxmemory-policy"
                   " is %.*s: Redis may delete data", (int) policy.n, policy.p);
    }

    if (most > 0 && used > most / 100 * 90) {
        doctor_say(d, DOCTOR_STORE_MEMORY, used > most / 100 * 98
                   ? DOCTOR_BROKEN : DOCTOR_DEGRADED, NULL, "%llu of %llu MB"
                   " of maxmemory are used", (unsigned long long) (used >> 20),
                   (unsigned long long) (most >> 20));
    }

    if (most > all && all > 0) {
        doctor_say(d, DOCTOR_STORE_MEMORY, DOCTOR_DEGRADED, NULL, "maxmemory is"
                   " %llu MB, and the machine has %llu",
                   (unsigned long long) (most >> 20),
                   (unsigned long long) (all >> 20));

    } else if (most == 0 && all > 0 && used > all / 100 * 60) {
        doctor_say(d, DOCTOR_STORE_MEMORY, DOCTOR_DEGRADED, NULL, "Redis uses"
                   " %llu of %llu MB of the machine, and needs room for its"
                   " copies", (unsigned long long) (used >> 20),
                   (unsigned long long) (all >> 20));
    }

    doctor_say(d, DOCTOR_STORE_MEMORY, DOCTOR_GOOD, NULL, "used: %llu MB",
               (unsigned long long) (used >> 20));
}


void
doctor_run_id(ctl_t *ctl, char id[DOCTOR_RUN_ID])
{
    redisReply   *reply;
    ctl_tried_t   tried;

    id[0] = '\0';
    reply = ctl_try(ctl, 0, RBL_COMMAND("INFO", RBL_STR("server")), &tried);

    if (reply != NULL && reply->type == REDIS_REPLY_STRING) {
        rbl_copy(id, DOCTOR_RUN_ID, rbl_info_value(rbl_reply_str(reply),
                                                   "run_id"));
    }

    freeReplyObject(reply);
}


/* A row says at most the first faults of all servers. */
static void
store_server(doctor_t *d, unsigned node)
{
    rbl_str_t     info;
    redisReply   *reply;
    ctl_tried_t   tried;

    reply = ctl_try(d->ctl, node, RBL_WORDS(RBL_STR("INFO")), &tried);

    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_UNKNOWN, NULL, "%s",
                   tried.why.text);

    } else {
        info = rbl_reply_str(reply);
        store_sync(d, info);
        store_persists(d, info);
        store_copies(d, reply);
        store_memory(d, info);
    }

    freeReplyObject(reply);
}


/* --- time ----------------------------------------------------------------- */

static double
time_here(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_REALTIME, &ts);

    return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}


/* The shortest of some round trips, and the clock of the server in it. */
static void
store_time(doctor_t *d, unsigned node)
{
    int           i;
    double        begun, took, least = 1e9, ahead = 0;
    redisReply   *reply;
    ctl_tried_t   tried;

    for (i = 0; i < STORE_TRIPS; i++) {
        begun = clock_now();
        reply = ctl_try(d->ctl, node, RBL_WORDS(RBL_STR("TIME")), &tried);
        took = clock_now() - begun;

        if (took < least && rbl_reply_time(reply) > 0) {
            least = took;
            ahead = time_here() - took / 2
                    - (double) rbl_reply_time(reply) / 1e6;
        }

        freeReplyObject(reply);
    }

    if (least == 1e9) {
        doctor_say(d, DOCTOR_STORE_LATENCY, DOCTOR_UNKNOWN, NULL, "%s",
                   tried.why.text);
        return;
    }

    if (least > STORE_SLOW) {
        doctor_say(d, DOCTOR_STORE_LATENCY, DOCTOR_DEGRADED, NULL, "the store"
                   " answers in %.0f ms", least * 1000);
    } else {
        doctor_say(d, DOCTOR_STORE_LATENCY, DOCTOR_GOOD, NULL, "the store"
                   " answers in %.1f ms", least * 1000);
    }

    if (ahead > STORE_APART || ahead < -STORE_APART) {
        doctor_say(d, DOCTOR_CLOCK, DOCTOR_DEGRADED, NULL, "the clock here is"
                   " %.0f s %s that of the store", ahead < 0 ? -ahead : ahead,
                   ahead < 0 ? "behind" : "ahead of");
    }
}


void
doctor_store_settings(doctor_t *d)
{
    unsigned  node;

    doctor_run_id(d->ctl, d->run_id);

    for (node = ctl_next_node(d->ctl, RBL_NODE_NONE); node != RBL_NODE_NONE;
         node = ctl_next_node(d->ctl, node))
    {
        store_server(d, node);
        store_time(d, node);
    }
}


/* rblctl was made in the past.  Whether something keeps the clock right:
   doctor_machine.c. */
void
doctor_clock(doctor_t *d)
{
    struct stat  st;

    if (stat("/proc/self/exe", &st) == 0
        && time_here() + STORE_DAY < (double) st.st_mtime)
    {
        doctor_say(d, DOCTOR_CLOCK, DOCTOR_BROKEN, NULL, "the clock here is"
                   " before the time when rblctl was made");
    }

    doctor_say(d, DOCTOR_CLOCK, DOCTOR_GOOD, NULL, "the clock here is that of"
               " the store");
}


/* --- versions ------------------------------------------------------------- */

void
doctor_versions(doctor_t *d)
{
    size_t         i;
    const char    *name, *version;
    const json_t  *daemon;

    json_array_foreach(d->daemons, i, daemon) {
        name = json_string_value(json_object_get(daemon, "name"));
        version = json_string_value(json_object_get(daemon, "version"));

        if (strcmp(version, RBL_VERSION) != 0) {
            doctor_say(d, DOCTOR_VERSIONS, DOCTOR_DEGRADED, NULL, "daemon %s"
                       " is %s, this rblctl is " RBL_VERSION, name, version);
        }
    }

    doctor_say(d, DOCTOR_VERSIONS, DOCTOR_GOOD, NULL, RBL_VERSION);
}
