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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define STORE_TRIPS     5               /* round trips that are timed */
#define STORE_SLOW   0.25               /* s */
#define MEMORY_REMEDY                                                         \
    "give the machine more memory, or remove accounts, and set maxmemory"     \
    " below it; try: redis-cli info memory"
#define STORE_APART     5               /* s between clocks */


static int
store_list(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    list_t    *list = list_from_record(raw);
    doctor_t  *d = data;

    (void) ctl;
    (void) sid;

    if (list != NULL && strcmp(list->status, "active") == 0
        && d->n_lists < DOCTOR_ACTIVE)
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
        doctor_say(d, "schema", DEGRADED, "raise it when all programs are new;"
                   " try: rblctl upgrade", "the store has schema %lld,"
                   " this rblctl has %d", (long long) meta.schema,
                   RBL_SCHEMA_VERSION);
    }

    ctl_survey(d->ctl);

    if (ctl_away(d->ctl, 0)) {
        return 0;
    }

    d->daemons = ctl_daemons(d->ctl, &d->conditions);

    return d->daemons == NULL ? -1 : store_lists(d);
}


/* Writes the client of the store as a command: the one of that server, or of
   this machine if INFO is "", with the password of the operator if it is where
   rblctl setup puts it. */
static void
store_client(doctor_t *d, rbl_str_t info)
{
    int                     valkey, known;
    size_t                  size = sizeof(d->client);
    const char             *name, *secret = CONFIG_DIR "/redis.password";
    const rbl_place_t      *place = &d->ctl->conf.place;
    const rbl_host_port_t  *at = &place->hosts[0];

    valkey = info.n > 0 ? rbl_info_value(info, "valkey_version").n > 0
             : access("/usr/bin/redis-cli", X_OK) != 0
               && access("/usr/bin/valkey-cli", X_OK) == 0;
    name = valkey ? "valkey-cli" : "redis-cli";

    if (place->kind != RBL_PLACE_ONE || at->host[0] == '\0') {
        snprintf(d->client, size, "%s", name);

    } else if (at->port > 0) {
        snprintf(d->client, size, "%s%s -h %s -p %u", name,
                 place->tls ? " --tls" : "", at->host, at->port);

    } else {
        known = access(secret, F_OK) == 0;
        snprintf(d->client, size, "%s%s%s%s -s %s",
                 known ? "REDISCLI_AUTH=$(cat " : "", known ? secret : "",
                 known ? ") " : "", name, at->host);
    }
}


void
doctor_store(doctor_t *d)
{
    int   rc;
    char  why[DOCTOR_REASON] = "";

    store_client(d, RBL_STR(""));
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


/* --- settings ------------------------------------------------------------- */

/* Is the server on this machine? */
static int
store_local(const rbl_host_port_t *at)
{
    return at->port == 0 || strncmp(at->host, "127.", 4) == 0
           || strcmp(at->host, "::1") == 0
           || strcmp(at->host, "localhost") == 0;
}


/* appendfsync: with another value than always an answer of the API may be lost
   with the machine. */
static void
store_sync(doctor_t *d, unsigned node, rbl_str_t info)
{
    char   path[256], key[DOCTOR_KEY], value[DOCTOR_VALUE], sync[32] = "";
    FILE  *f;

    rbl_copy(path, sizeof(path), rbl_info_value(info, "config_file"));

    if (path[0] == '\0' || !store_local(&d->ctl->store.nodes->node[node].at)) {
        doctor_say(d, "store_sync", UNKNOWN, "", "%s; see redis-cli config"
                   " get appendfsync", path[0] == '\0'
                   ? "Redis runs without a configuration file"
                   : "Redis is on another machine");
        return;
    }

    f = fopen(path, "re");

    if (f == NULL) {
        doctor_say(d, "store_sync", UNKNOWN, "", "%s cannot be read by this"
                   " user", path);
        return;
    }

    while (doctor_setting(f, key, value)) {     /* the last one counts */
        if (strcasecmp(key, "appendfsync") == 0) {
            snprintf(sync, sizeof(sync), "%.31s", value);

        } else if (strcasecmp(key, "dir") == 0) {
            snprintf(d->store_dir, sizeof(d->store_dir), "%.255s", value);
        }
    }

    (void) fclose(f);

    if (strcmp(sync, "always") != 0) {
        doctor_say(d, "store_sync", DEGRADED, "set appendfsync always in"
                   " redis.conf; try: redis-cli config set appendfsync always",
                   "appendfsync is %s in"
                   " %s: what was answered in the last %s may be lost with the"
                   " machine", sync[0] != '\0' ? sync : "not set", path,
                   strcmp(sync, "no") == 0 ? "minute" : "second");
    }
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
    char    server[RBL_SERVER_TEXT];
    size_t  i;

    static const struct {
        const char      *line, *good;   /* of INFO */
        doctor_state_t   state;
        const char      *reason, *remedy;
    } rules[] = {
        { "aof_enabled", "1", DEGRADED, "appendonly is no: what was stored"
          " since the last snapshot is lost with the server", "set appendonly"
          " yes in redis.conf; try: redis-cli config set appendonly yes" },
        { "aof_last_write_status", "ok", BROKEN, "the append-only file cannot"
          " be written", "make room on the disk of Redis; try: df -h"
          " /var/lib/redis" },
        { "aof_last_bgrewrite_status", "ok", DEGRADED, "the append-only file"
          " could not be rewritten, and grows", "make room, and let Redis fork"
          " (vm.overcommit_memory 1); try: redis-cli bgrewriteaof" },
        { "rdb_last_bgsave_status", "ok", DEGRADED, "the last snapshot failed",
          "make room, and let Redis fork (vm.overcommit_memory 1); try:"
          " redis-cli bgsave" }
    };

    if (info_number(info, "redis_version") < 7) {
        rbl_server_text(server, info);
        doctor_say(d, "store_settings", BROKEN, "install Redis 7 or later, or"
                   " Valkey; try: apt-get install redis-server", "%s is too"
                   " old", server);
    }

    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (!rbl_str_is(rbl_info_value(info, rules[i].line), rules[i].good)) {
            doctor_say(d, "store_settings", rules[i].state, rules[i].remedy,
                       "%s", rules[i].reason);
        }
    }
}


/* A replica takes no writes, and one that need not have them is of no use in a
   failover. */
static void
store_copies(doctor_t *d, const redisReply *reply)
{
    rbl_replicas_t  replicas;

    rbl_replicas(&replicas, reply);

    if (rbl_role(reply) != RBL_ROLE_MASTER) {
        doctor_say(d, "store_settings", BROKEN, "name the master by store in "
                   CONFIG_DIR "/rblctl.conf; try: redis-cli info replication",
                   "the store is a replica, which takes no changes");
    }

    if (replicas.replicas > 0 && replicas.good < 0) {
        doctor_say(d, "store_settings", DEGRADED, "set min-replicas-to-write"
                   " 1 in redis.conf (rbl-availability(7)); try: redis-cli"
                   " config set min-replicas-to-write 1", "the store has %lld"
                   " replicas and min-replicas-to-write is not set: a failover"
                   " can lose acknowledged writes",
                   (long long) replicas.replicas);
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
        doctor_say(d, "store_memory", DEGRADED, "set maxmemory-policy"
                   " noeviction in redis.conf; try: redis-cli config set"
                   " maxmemory-policy noeviction", "maxmemory-policy is %.*s:"
                   " Redis may delete data", (int) policy.n, policy.p);
    }

    if (most > 0 && used > most / 100 * 90) {
        doctor_say(d, "store_memory",
                   used > most / 100 * 98 ? BROKEN : DEGRADED, MEMORY_REMEDY,
                   "%" PRIu64 " of %" PRIu64 " MB of maxmemory are used",
                   used >> 20, most >> 20);
    }

    if (most > all && all > 0) {
        doctor_say(d, "store_memory", DEGRADED, MEMORY_REMEDY, "maxmemory is"
                   " %" PRIu64 " MB, and the machine has %" PRIu64, most >> 20,
                   all >> 20);

    } else if (most == 0 && all > 0 && used > all / 100 * 60) {
        doctor_say(d, "store_memory", DEGRADED, MEMORY_REMEDY, "Redis uses"
                   " %" PRIu64 " of %" PRIu64 " MB of the machine, and needs"
                   " room for its copies", used >> 20, all >> 20);
    }
}


void
doctor_run_id(ctl_t *ctl, char id[DOCTOR_RUN_ID])
{
    redisReply   *reply;
    ctl_tried_t   tried;

    reply = ctl_try(ctl, 0, RBL_COMMAND("INFO", RBL_STR("server")), &tried);
    rbl_copy(id, DOCTOR_RUN_ID, reply == NULL
             || reply->type != REDIS_REPLY_STRING ? RBL_STR("")
             : rbl_info_value(rbl_reply_str(reply), "run_id"));
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
        doctor_say(d, "store_settings", UNKNOWN, "", "%s", tried.why.text);

    } else {
        info = rbl_reply_str(reply);
        store_client(d, info);
        store_sync(d, node, info);
        store_persists(d, info);
        store_copies(d, reply);
        store_memory(d, info);
    }

    freeReplyObject(reply);
}


/* The shortest of some round trips, and the clock of the server in it. */
static void
store_time(doctor_t *d, unsigned node)
{
    int           i;
    double        begun, took, least = 1e9;
    int64_t       ahead = 0;            /* ms */
    redisReply   *reply;
    ctl_tried_t   tried;

    for (i = 0; i < STORE_TRIPS; i++) {
        begun = clock_now();
        reply = ctl_try(d->ctl, node, RBL_WORDS(RBL_STR("TIME")), &tried);
        took = clock_now() - begun;

        if (took < least && rbl_reply_time(reply) > 0) {
            least = took;
            ahead = clock_date() - rbl_reply_time(reply) / 1000;
        }

        freeReplyObject(reply);
    }

    if (least == 1e9) {
        doctor_say(d, "store_latency", UNKNOWN, "", "%s", tried.why.text);

    } else if (least > STORE_SLOW) {
        doctor_say(d, "store_latency", DEGRADED, "look for load and slow"
                   " disks at the machine of Redis; try: redis-cli --latency",
                   "the store answers in"
                   " %.0f ms", least * 1000);
    }

    if (llabs(ahead) > STORE_APART * 1000) {
        doctor_say(d, "clock", DEGRADED, DOCTOR_SET_CLOCK, "the clock here"
                   " is %lld s %s that of the store", llabs(ahead) / 1000,
                   ahead < 0 ? "behind" : "ahead of");
    }
}


const char *
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

    return NULL;
}


/* --- daemons -------------------------------------------------------------- */

const char *
doctor_daemons(doctor_t *d)
{
    size_t         i;
    const char    *name, *version, *gateway;
    const char    *mine = d->ctl->conf.gateway;
    const json_t  *daemon;

    json_array_foreach(d->daemons, i, daemon) {
        name = json_string_value(json_object_get(daemon, "name"));
        version = json_string_value(json_object_get(daemon, "version"));
        gateway = json_string_value(json_object_get(daemon, "gateway"));

        if (strcmp(version, RBL_VERSION) != 0) {
            doctor_say(d, "versions", DEGRADED, DOCTOR_UPGRADE, "daemon %s"
                       " is %s, this rblctl is " RBL_VERSION, name, version);
        }

        if (gateway[0] != '\0' && strcmp(gateway, mine) != 0) {
            doctor_say(d, "gateway", DEGRADED, "give all daemons and rblctl one"
                       " gateway, then rblctl bill plan again to the accounts"
                       " that have another; try: grep gateway " CONFIG_DIR
                       "/*.conf", "daemon %s has gateway %s, this rblctl has"
                       " %s", name, gateway, mine);
        }
    }

    return NULL;
}
