/*
 * The state that rblctl shows of lists besides their records.  It reads only
 * the names of keys, never a key.
 */

#include "lists.h"

#include "rbl_list_reason.h"

#include <stdio.h>
#include <time.h>

/* Fields of the hash list:<RB>. */
enum {
    LIST_DAY = 0,
    LIST_USED,
    LIST_TILL,
    LIST_FROZEN,
    LIST_TURNED,
    LIST_OF,
    LIST_FIELDS
};


int
ctl_list_keyed(const rbl_list_t *l)
{
    return l->zone.n != 0 && memmem(l->zone.p, l->zone.n, "{key}", 5) != NULL;
}


static redisReply *
ctl_fields(ctl_t *ctl, const char *name)
{
    rbl_key_t  key;
    rbl_str_t  none = RBL_STR("");

    return ctl_command(ctl, RBL_COMMAND("HKEYS",
                       rbl_key(&key, &ctl->ks, 0, name, none, none)));
}


/* Adds numbers of one daemon: counts are summed, of other numbers the largest
   is kept. */
static void
ctl_told_add(json_t *sum, const char *key, const json_t *group,
    const char *name, int largest)
{
    json_int_t     v, was;
    const json_t  *of;

    of = json_object_get(group, name);
    if (of == NULL) {
        return;
    }

    v = json_integer_value(of);
    was = json_integer_value(json_object_get(sum, key));
    v = !largest ? was + v : was > v ? was : v;
    json_object_set_new(sum, key, json_integer(v));
}


/* Of several daemons' reports the reason and the time are those of the first
   trouble; of lists without any, those of the first report. */
static void
ctl_told_reason(json_t *sum, const json_t *list, const char *health)
{
    int                trouble, known;
    json_int_t         ms, was;
    const char        *name;
    rbl_list_reason_t  reason;

    trouble = strcmp(health, "good") != 0 && strcmp(health, "untried") != 0
              && strcmp(health, "unsupported") != 0;
    known = json_is_true(json_object_get(sum, "trouble"));
    was = json_integer_value(json_object_get(sum, "since_ms"));
    ms = json_integer_value(json_object_get(json_object_get(list, "state"),
                                            "since_ms"));

    if (ms <= 0 || known > trouble
        || (known == trouble && was != 0 && was <= ms))
    {
        return;
    }

    name = json_string_value(json_object_get(list, "reason"));
    reason = name != NULL ? rbl_list_reason(rbl_str(name))
                          : RBL_LIST_NO_REASON;

    json_object_set_new(sum, "trouble", json_boolean(trouble));
    json_object_set_new(sum, "since_ms", json_integer(ms));
    json_object_set_new(sum, "health_since", ctl_time(ms));
    json_object_set_new(sum, "health_reason",
                        json_string(rbl_list_reasons[reason].name));
    json_object_set_new(sum, "health_text",
                        json_string(rbl_list_reasons[reason].text));
}


/* Adds the health that a daemon reports, if it differs from that of the
   others. */
static void
ctl_told_health(json_t *sum, const json_t *list)
{
    size_t       i;
    json_t      *all, *word;

    all = json_object_get(sum, "health");
    if (all == NULL) {
        all = json_array();
        json_object_set_new(sum, "health", all);
    }

    word = json_object_get(list, "health");
    if (word == NULL || json_string_length(word) == 0) {
        return;
    }

    ctl_told_reason(sum, list, json_string_value(word));

    for (i = 0; i < json_array_size(all); i++) {
        if (json_equal(json_array_get(all, i), word)) {
            return;
        }
    }

    json_array_append(all, word);
}


static void
ctl_add_counters(json_t *counters, const json_t *list)
{
    size_t         i;
    json_t        *sum;
    const char    *sid;

    static const struct {
        const char  *key, *group, *name;
        int          largest;
    } of[] = {
        { "answered", "answers", "answered", 0 },
        { "refused", "answers", "refused", 0 },
        { "failed", "answers", "failed", 0 },
        { "listed", "results", "listed", 0 },
        { "clear", "results", "clear", 0 },
        { "unknown", "results", "unknown", 0 },
        { "time_us", "latency", "sum_us", 0 },
        { "slowest_us", "latency", "max_us", 1 }
    };

    sid = json_string_value(json_object_get(list, "list"));
    if (sid == NULL || sid[0] == '\0') {
        return;
    }

    sum = json_object_get(counters, sid);
    if (sum == NULL) {
        sum = json_object();
        json_object_set_new(counters, sid, sum);
    }

    ctl_told_health(sum, list);

    for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        ctl_told_add(sum, of[i].key, json_object_get(list, of[i].group),
                     of[i].name, of[i].largest);
    }
}


/* The reports of all daemons, by list; NULL: error printed. */
static json_t *
ctl_fleet_counters(ctl_t *ctl)
{
    size_t         i, k;
    json_t        *counters, *daemons;
    const json_t  *lists;

    daemons = ctl_daemons(ctl, NULL);
    if (daemons == NULL) {
        return NULL;
    }

    counters = json_object();

    for (i = 0; i < json_array_size(daemons); i++) {
        lists = json_object_get(json_array_get(daemons, i), "lists");

        for (k = 0; k < json_array_size(lists); k++) {
            ctl_add_counters(counters, json_array_get(lists, k));
        }
    }

    json_decref(daemons);

    return counters;
}


int
ctl_lists_known(ctl_t *ctl, ctl_lists_known_t *known)
{
    memset(known, 0, sizeof(*known));

    known->keys = ctl_fields(ctl, "lists:keys");
    known->hand = known->keys ? ctl_fields(ctl, "lists:override") : NULL;
    known->counters = known->hand ? ctl_fleet_counters(ctl) : NULL;

    if (known->counters == NULL) {
        ctl_lists_known_free(known);
        return -1;
    }

    return 0;
}


void
ctl_lists_known_free(ctl_lists_known_t *known)
{
    json_decref(known->counters);
    known->counters = NULL;
    freeReplyObject(known->keys);
    freeReplyObject(known->hand);
    known->keys = known->hand = NULL;
}


int
ctl_list_has_key(const ctl_lists_known_t *known, rbl_str_t zone)
{
    size_t  i;

    for (i = 0; i < rbl_reply_len(known->keys); i++) {
        if (rbl_str_eq(rbl_reply_str(rbl_reply_at(known->keys, i)), zone)) {
            return 1;
        }
    }

    return 0;
}


/* The fields "<SID>", shown as "status", and "<SID>:<field>". */
static json_t *
ctl_by_hand(const ctl_lists_known_t *known, rbl_str_t sid)
{
    size_t      i;
    json_t     *v;
    rbl_str_t   field;

    v = json_array();

    for (i = 0; i < rbl_reply_len(known->hand); i++) {
        field = rbl_reply_str(rbl_reply_at(known->hand, i));

        if (field.n < sid.n || memcmp(field.p, sid.p, sid.n) != 0) {
            continue;
        }

        field.p += sid.n;
        field.n -= sid.n;

        if (field.n == 0) {
            json_array_append_new(v, json_string("status"));

        } else if (field.p[0] == ':' && !rbl_str_is(field, ":killed")) {
            field.p++;
            field.n--;
            json_array_append_new(v, ctl_text(field));
        }
    }

    return v;
}


static int64_t
ctl_field_int(const redisReply *reply, size_t i)
{
    int64_t  v;

    if (rbl_int_parse(&v, rbl_reply_str(rbl_reply_at(reply, i)), 0, INT64_MAX)
        != RBL_OK)
    {
        return 0;
    }

    return v;
}


/* The rest of the daily quota; the count of another day is void. */
static int64_t
ctl_quota_left(const rbl_list_t *l, const redisReply *reply, int64_t now)
{
    int64_t  used;

    used = ctl_field_int(reply, LIST_DAY) == now / 86400
           ? ctl_field_int(reply, LIST_USED) : 0;

    return used < l->day_quota ? l->day_quota - used : 0;
}


/* Adds the data of list_grant, list_told and list_turn (shared/lua). */
static int
ctl_list_shared(ctl_t *ctl, const rbl_list_t *l, json_t *object)
{
    int          argc;
    char         by[64];
    size_t       i;
    int64_t      now, till, frozen;
    unsigned     p;
    rbl_key_t    key;
    rbl_str_t    argv[2 + LIST_FIELDS];
    redisReply  *reply;

    static const char *const  fields[LIST_FIELDS] = {
        "day", "used", "till", "frozen", "turned", "of"
    };

    p = rbl_partition(&ctl->ks, l->id);

    if (ctl_away(ctl, p)) {
        return 0;
    }

    argc = 0;
    argv[argc++] = RBL_STR("HMGET");
    argv[argc++] = rbl_key(&key, &ctl->ks, p, "list", l->id, RBL_STR(""));
    for (i = 0; i < LIST_FIELDS; i++) {
        argv[argc++] = rbl_str(fields[i]);
    }

    reply = ctl_command(ctl, argc, argv);
    if (reply == NULL) {
        return -1;
    }

    now = (int64_t) time(NULL);
    till = ctl_field_int(reply, LIST_TILL);
    till = till / 1000 > now ? till : 0;
    frozen = ctl_field_int(reply, LIST_FROZEN);
    by[0] = '\0';

    if (frozen != 0) {
        snprintf(by, sizeof(by), "%lld of %lld answers",
                 (long long) ctl_field_int(reply, LIST_TURNED),
                 (long long) ctl_field_int(reply, LIST_OF));
    }

    if (l->day_quota > 0) {
        json_object_set_new(object, "quota_left",
                            json_integer(ctl_quota_left(l, reply, now)));
    }

    json_object_set_new(object, "state",
                        json_string(frozen ? "frozen" : till ? "refuses" : ""));
    json_object_set_new(object, "frozen", ctl_time(frozen));
    json_object_set_new(object, "frozen_by", json_string(by));
    json_object_set_new(object, "left_alone_until", ctl_time(till));
    freeReplyObject(reply);

    return 0;
}


/* Adds the daemons' numbers; nothing if no daemon knows the list. */
static void
ctl_list_counters(const ctl_lists_known_t *known, const rbl_list_t *l,
    json_t *object)
{
    char        sid[RBL_SID_MAX + 1];
    json_t     *counters;
    json_int_t  n;

    if (l->id.n >= sizeof(sid)) {
        return;
    }

    memcpy(sid, l->id.p, l->id.n);
    sid[l->id.n] = '\0';

    counters = json_object_get(known->counters, sid);
    if (counters == NULL) {
        return;
    }

    n = json_integer_value(json_object_get(counters, "answered"));

    if (n > 0) {
        json_object_set_new(counters, "latency_ms", json_real(
            (double) json_integer_value(json_object_get(counters, "time_us"))
            / 1000.0 / (double) n));
        json_object_set_new(counters, "slowest_ms", json_real(
            (double) json_integer_value(json_object_get(counters, "slowest_us"))
            / 1000.0));
    }

    json_object_del(counters, "time_us");
    json_object_del(counters, "slowest_us");
    json_object_del(counters, "trouble");
    json_object_del(counters, "since_ms");

    json_object_update(object, counters);
}


int
ctl_list_state(ctl_t *ctl, const ctl_lists_known_t *known,
    const rbl_list_t *l, json_t *object)
{
    const char  *word;

    word = !ctl_list_keyed(l) ? ""
           : ctl_list_has_key(known, l->zone) ? "set" : "needed";

    json_object_set_new(object, "key", json_string(word));
    json_object_set_new(object, "by_hand", ctl_by_hand(known, l->id));
    ctl_list_counters(known, l, object);

    return ctl_list_shared(ctl, l, object);
}
