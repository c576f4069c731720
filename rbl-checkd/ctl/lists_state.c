/*
 * What rblctl tells of lists beside their records.  Keys are asked for by name
 * only: none of them gets here.
 */

#include "lists.h"

#include <stdio.h>
#include <time.h>

/* Of the hash list:<RB>. */
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

    return ctl_call(ctl, "HKEYS",
                    rbl_key(&key, &ctl->ks, 0, name, none, none), none, none);
}


int
ctl_lists_known(ctl_t *ctl, ctl_lists_known_t *known)
{
    known->keys = ctl_fields(ctl, "lists:keys");
    known->hand = known->keys ? ctl_fields(ctl, "lists:override") : NULL;

    if (known->hand == NULL) {
        ctl_lists_known_free(known);
        return -1;
    }

    return 0;
}


void
ctl_lists_known_free(ctl_lists_known_t *known)
{
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


/* The fields "<SID>", told as "status", and "<SID>:<field>". */
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


/* How much of the day is left; a count of another day is void. */
static int64_t
ctl_quota_left(const rbl_list_t *l, const redisReply *reply, int64_t now)
{
    int64_t  used;

    used = ctl_field_int(reply, LIST_DAY) == now / 86400
           ? ctl_field_int(reply, LIST_USED) : 0;

    return used < l->day_quota ? l->day_quota - used : 0;
}


/* What list_grant, list_told and list_turn keep (shared/lua). */
static int
ctl_list_shared(ctl_t *ctl, const rbl_list_t *l, json_t *object)
{
    char         by[64];
    size_t       i;
    int64_t      now, till, frozen;
    rbl_key_t    key;
    rbl_str_t    argv[2 + LIST_FIELDS];
    redisReply  *reply;

    static const char *const  fields[LIST_FIELDS] = {
        "day", "used", "till", "frozen", "turned", "of"
    };

    argv[0] = RBL_STR("HMGET");
    argv[1] = rbl_key(&key, &ctl->ks, rbl_partition(&ctl->ks, l->id), "list",
                      l->id, RBL_STR(""));
    for (i = 0; i < LIST_FIELDS; i++) {
        argv[i + 2] = rbl_str(fields[i]);
    }

    reply = ctl_command(ctl, 2 + LIST_FIELDS, argv);
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


int
ctl_list_state(ctl_t *ctl, const ctl_lists_known_t *known,
    const rbl_list_t *l, json_t *object)
{
    const char  *word;

    word = !ctl_list_keyed(l) ? ""
           : ctl_list_has_key(known, l->zone) ? "set" : "needed";

    if (json_object_set_new(object, "key", json_string(word)) != 0
        || json_object_set_new(object, "by_hand", ctl_by_hand(known, l->id))
           != 0)
    {
        ctl_fail("out of memory");
        return -1;
    }

    return ctl_list_shared(ctl, l, object);
}
