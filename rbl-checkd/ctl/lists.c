/*
 * rblctl lists: the system lists.  Each partition has a copy of them, so a
 * change goes to every partition; after a failure halfway the command may be
 * repeated, with the same result.
 */

#include "lists.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    json_t             *rows;
    ctl_lists_known_t   known;
} ctl_rows_t;

static const ctl_column_t  list_columns[] = {
    { "id", "list" }, { "zone", "zone" }, { "name", "name" },
    { "type", "type" }, { "families", "families" }, { "status", "status" },
    { "key", "key" }, { "by_hand", "by hand" },
    { "health", "health" }, { "health_since", "health since" },
    { "health_text", "health reason" }, { "answered", "answered" },
    { "refused", "refused" }, { "failed", "failed" },
    { "listed", "listed" }, { "clear", "clear" }, { "unknown", "unknown" },
    { "latency_ms", "latency (ms)" }, { "slowest_ms", "slowest (ms)" },
    { "website", "website" }, { "codes", "codes" },
    { "lookup", "lookup" }, { "delist", "delist" }, { "tier", "tier" },
    { "scope", "scope" }, { "kind", "kind" }, { "control", "control" },
    { "names", "names" }, { "min_interval", "min interval" },
    { "rate", "rate" }, { "day_quota", "day quota" },
    { "quota_left", "left today" }, { "state", "state" },
    { "frozen", "frozen since" }, { "frozen_by", "frozen by" },
    { "left_alone_until", "left alone until" },
    { "reason", "killed for" }, { "note", "note" },
    { "servers", "servers" }, { NULL, NULL }
};

static const ctl_column_t  list_row[] = {
    { "zone", "ZONE" }, { "type", "TYPE" }, { "families", "FAMILIES" },
    { "status", "STATUS" }, { "key", "KEY" }, { "state", "STATE" },
    { "health", "HEALTH" }, { "health_since", "SINCE" }, { "tier", "TIER" },
    { "kind", "KIND" }, { "quota_left", "LEFT" }, { "name", "NAME" },
    { "health_text", "REASON" }, { NULL, NULL }
};


static json_t *
ctl_families(int64_t bits)
{
    size_t   i;
    json_t  *v;

    static const char *const  names[] = { "ipv4", "ipv6", "domain" };

    v = json_array();
    for (i = 0; i < 3; i++) {
        if (bits & 1 << i) {
            json_array_append_new(v, json_string(names[i]));
        }
    }

    return v;
}


static json_t *
ctl_list_json(const rbl_list_t *l)
{
    return json_pack("{so so so so so so so ss ss ss so so so so so so so so so"
                     " sI sI sI so so so}",
                     "id", ctl_text(l->id), "zone", ctl_text(l->zone),
                     "name", ctl_text(l->name), "type", ctl_text(l->type),
                     "families", ctl_families(l->families),
                     "status", ctl_text(l->status),
                     "health", json_array(), "health_since", "",
                     "health_reason", "", "health_text", "",
                     "website", ctl_text(l->website),
                     "codes", ctl_texts(l->codes),
                     "lookup", ctl_text(l->lookup),
                     "delist", ctl_text(l->delist),
                     "tier", ctl_text(l->tier), "scope", ctl_text(l->scope),
                     "kind", ctl_text(l->kind),
                     "control", ctl_text(l->control),
                     "names", ctl_text(l->names),
                     "min_interval", (json_int_t) l->min_interval,
                     "rate", (json_int_t) l->rate,
                     "day_quota", (json_int_t) l->day_quota,
                     "reason", ctl_text(l->reason),
                     "note", ctl_text(l->note),
                     "servers", ctl_text(l->servers));
}


/* All fields of one list; NULL: error printed. */
static json_t *
ctl_list_whole(ctl_t *ctl, const ctl_lists_known_t *known,
    const rbl_list_t *l)
{
    json_t  *v;

    v = ctl_list_json(l);

    if (ctl_list_state(ctl, known, l, v) != 0) {
        json_decref(v);
        return NULL;
    }

    return v;
}


static int
ctl_list_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    json_t       *v;
    rbl_list_t    l;
    ctl_rows_t   *rows = data;

    if (rbl_list_decode(&l, raw) != RBL_OK) {
        ctl_fail("the record of list %.*s is damaged: load the lists again",
                 (int) sid.n, sid.p ? sid.p : "");
        return 0;
    }

    v = ctl_list_whole(ctl, &rows->known, &l);

    return v == NULL ? -1 : json_array_append_new(rows->rows, v);
}


int
ctl_list_argument(rbl_sid_t *sid, rbl_str_t text)
{
    size_t  i;
    char    zone[RBL_VALUE_MAX];

    if (rbl_sid_parse(sid, RBL_SID_LIST, text) == RBL_OK) {
        return 0;
    }

    if (text.n >= sizeof(zone)) {
        ctl_fail("there is no such list");
        return -1;
    }

    for (i = 0; i < text.n; i++) {
        zone[i] = text.p[i] >= 'A' && text.p[i] <= 'Z'
                  ? (char) (text.p[i] + 32) : text.p[i];
    }

    text.p = zone;

    return ctl_list_sid(sid, text);
}


int
ctl_list_load(ctl_t *ctl, rbl_str_t name, rbl_list_t *l, redisReply **reply)
{
    rbl_sid_t  sid;
    rbl_key_t  key;

    if (ctl_list_argument(&sid, name) != 0) {
        return -1;
    }

    *reply = ctl_command(ctl, RBL_COMMAND("GET",
                         rbl_key(&key, &ctl->ks, 0, "r", RBL_STR("SYS"),
                                 rbl_sid_str(&sid))));
    if (*reply == NULL) {
        return -1;
    }

    if (rbl_list_decode(l, rbl_reply_str(*reply)) != RBL_OK) {
        freeReplyObject(*reply);
        ctl_fail("there is no list %.*s; rblctl lists show names them all",
                 (int) name.n, name.p);
        return -1;
    }

    return 0;
}


/* Prints one list; the servers of a killed list are not queried. */
static int
ctl_list_print(ctl_t *ctl, json_t *v, rbl_str_t raw, int servers)
{
    int      rc, keyless;
    json_t  *rows;

    if (!servers
        || strcmp(json_string_value(json_object_get(v, "status")), "killed")
           == 0)
    {
        return ctl_print(ctl, list_columns, v);
    }

    rows = ctl_list_servers(ctl, raw);

    if (rows == NULL) {
        json_decref(v);
        return CTL_ERROR;
    }

    keyless = strcmp(json_string_value(json_object_get(v, "key")), "needed")
              == 0;
    json_object_set(v, "name_servers", rows);
    rc = ctl_print(ctl, list_columns, v);

    if (rc == CTL_OK && !ctl->json) {
        rc = ctl_list_servers_print(ctl, rows, keyless);
    }

    json_decref(rows);

    return rc;
}


int
ctl_list_show(ctl_t *ctl, rbl_str_t name, int servers)
{
    int                 rc;
    json_t             *v;
    rbl_list_t          l;
    redisReply         *reply;
    ctl_lists_known_t   known;

    if (ctl_lists_known(ctl, &known) != 0) {
        return CTL_ERROR;
    }

    if (ctl_list_load(ctl, name, &l, &reply) != 0) {
        ctl_lists_known_free(&known);
        return CTL_ERROR;
    }

    v = ctl_list_whole(ctl, &known, &l);
    rc = v == NULL ? CTL_ERROR
         : ctl_list_print(ctl, v, rbl_reply_str(reply), servers);
    freeReplyObject(reply);
    ctl_lists_known_free(&known);

    return rc;
}


int
ctl_lists_show(ctl_t *ctl)
{
    int          rc;
    rbl_key_t    key;
    rbl_str_t    none = RBL_STR("");
    ctl_rows_t   rows;

    if (ctl->n_args == 1) {
        return ctl_list_show(ctl, ctl->args[0],
                             ctl_option(ctl, "stored") == NULL);
    }

    if (ctl_lists_known(ctl, &rows.known) != 0) {
        return CTL_ERROR;
    }

    rows.rows = json_array();
    ctl_survey(ctl);
    rc = ctl_each(ctl, rbl_key(&key, &ctl->ks, 0, "lists", none, none), 0,
                  "r", RBL_STR("SYS"), ctl_list_each, &rows);
    ctl_lists_known_free(&rows.known);

    if (rc != 0) {
        json_decref(rows.rows);
        return CTL_ERROR;
    }

    return ctl_print_parts(ctl, list_row, rows.rows);
}
