/*
 * rblctl doctor: the store.  It says most of its settings by INFO, which every
 * user of rblctl may ask for.  CONFIG GET would say the others, but it shows
 * the passwords of the server, too, and ACLs cannot limit it to single
 * settings: what only redis.conf says is read from that file, if the server is
 * on this machine.
 */

#include "client.h"
#include "doctor.h"

#include "rbl_role.h"


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
    int          rc;
    json_t      *daemons;
    rbl_meta_t   meta;

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

    daemons = ctl_daemons(d->ctl, &d->conditions);
    json_decref(daemons);

    return daemons == NULL ? -1 : store_lists(d);
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


/* --- what INFO says ------------------------------------------------------ */

static void
store_info(doctor_t *d, rbl_str_t info)
{
    rbl_str_t  aof, write;

    aof = rbl_info_value(info, "aof_enabled");
    write = rbl_info_value(info, "aof_last_write_status");

    if (!rbl_str_is(aof, "1")) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_DEGRADED,
                   "set appendonly yes in redis.conf; try: redis-cli config"
                   " set appendonly yes", "appendonly is no: what was stored"
                   " since the last snapshot is lost with the server");

    } else if (!rbl_str_is(write, "ok")) {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_BROKEN,
                   "make room on the disk of Redis; try: df -h /var/lib/redis",
                   "the append-only file cannot be written");

    } else {
        doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_GOOD, NULL, "appendonly"
                   " yes");
    }
}


void
doctor_store_settings(doctor_t *d)
{
    unsigned      node;
    ctl_t        *ctl = d->ctl;
    redisReply   *reply;
    ctl_tried_t   tried;

    for (node = ctl_next_node(ctl, RBL_NODE_NONE); node != RBL_NODE_NONE;
         node = ctl_next_node(ctl, node))
    {
        reply = ctl_try(ctl, node, RBL_WORDS(RBL_STR("INFO")), &tried);

        if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
            doctor_say(d, DOCTOR_STORE_SETTINGS, DOCTOR_UNKNOWN, NULL,
                       "INFO: %s", tried.why.text);
        } else {
            store_info(d, rbl_reply_str(reply));
        }

        freeReplyObject(reply);
    }
}
