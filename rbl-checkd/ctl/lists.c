/*
 * rblctl lists show: the system lists, with what the daemons know of them.  It
 * reads only the names of keys, never a key.
 */

#include "lists.h"

#include "base/xalloc.h"
#include "op.h"
#include "rbl_card.h"
#include "rbl_list_state.h"
#include "rbl_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LISTS_LAST  "1999"              /* rank of the last list that is shown:
                                           more than a file may have */

/* Lists, and what is known beside their records. */
typedef struct {
    size_t             n;
    const rbl_str_t   *sid, *record;
    rbl_list_state_t  *state;
    redisReply        *keys;            /* zones with a key */
    redisReply        *hand;            /* names of what was changed by hand */
    json_t            *rows;
} lists_t;

static const char  list_columns[] =
    "list.id:list, list.host:zone, list.name, list.type, list.families,"
    " list.status, key, by_hand, health, health_since,"
    " health_text:health reason, answered, refused, failed, listed, clear,"
    " unknown, latency_ms:latency (ms), slowest_ms:slowest (ms),"
    " list.website, codes, lookup, delisting:delist, removal,"
    " weight, scope, kind,"
    " control, names, min_interval, rate, day_quota, quota_left:left today,"
    " state, frozen:frozen since, frozen_by, refusing_till:left alone until,"
    " reason:killed for, note, servers";

static const char  list_row[] =
    "list.host:ZONE, list.type, list.families, list.status, key, state,"
    " health, health_since:SINCE, weight, kind, quota_left:LEFT, list.name,"
    " health_text:REASON";


int
ctl_list_keyed(const rbl_list_t *l)
{
    return l->zone.n != 0 && memmem(l->zone.p, l->zone.n, "{key}", 5) != NULL;
}


static redisReply *
lists_fields(ctl_t *ctl, const char *name)
{
    rbl_key_t  key;

    return ctl_command(ctl, RBL_COMMAND("HKEYS",
                       ctl_key(ctl, &key, 0, name)));
}


redisReply *
ctl_lists_keys(ctl_t *ctl)
{
    return lists_fields(ctl, "lists:keys");
}


int
ctl_list_has_key(const redisReply *keys, rbl_str_t zone)
{
    size_t  i;

    for (i = 0; i < rbl_reply_len(keys); i++) {
        if (rbl_str_eq(rbl_reply_str(rbl_reply_at(keys, i)), zone)) {
            return 1;
        }
    }

    return 0;
}


/* The fields "<SID>", shown as "status", and "<SID>:<field>". */
static json_t *
lists_by_hand(const redisReply *hand, rbl_str_t sid)
{
    size_t      i;
    json_t     *v;
    rbl_str_t   field;

    v = json_array();

    for (i = 0; i < rbl_reply_len(hand); i++) {
        field = rbl_reply_str(rbl_reply_at(hand, i));

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


/* Adds the words of all results, with time and reason of the first trouble;
   of a list without any, of the first result. */
static void
lists_health(const rbl_list_state_t *state, json_t *v)
{
    int                           trouble, was;
    size_t                        i;
    json_t                       *words;
    const char                   *name;
    const rbl_list_test_t        *test, *first;
    const rbl_list_reason_text_t *reason;

    was = 0;
    first = NULL;
    words = json_array();

    for (i = 0; i < RBL_LIST_TESTS; i++) {
        test = &state->test[i];
        name = rbl_list_tests[i];

        if (!test->found) {
            continue;
        }

        json_array_append_new(words, json_string(name));
        trouble = strcmp(name, "good") != 0 && strcmp(name, "untried") != 0
                  && strcmp(name, "unsupported") != 0;

        if (test->since > 0
            && (first == NULL || trouble > was
                || (trouble == was && test->since < first->since)))
        {
            first = test;
            was = trouble;
        }
    }

    reason = &rbl_list_reasons[first ? first->reason : RBL_LIST_NO_REASON];

    json_object_set_new(v, "health", words);
    json_object_set_new(v, "health_since", ctl_time(first ? first->since : 0));
    json_object_set_new(v, "health_reason", json_string(reason->name));
    json_object_set_new(v, "health_text", json_string(reason->text));
}


/* Adds the numbers of the daemons; nothing if none reports the list. */
static void
lists_counters(const rbl_list_state_t *state, json_t *v)
{
    size_t  i;
    double  answered;

    for (i = RBL_ML_ANSWERED; state->reports > 0 && i <= RBL_ML_UNKNOWN; i++) {
        json_object_set_new(v, rbl_list_metrics[i].key,
                            json_integer(state->sum[i]));
    }

    answered = (double) state->sum[RBL_ML_ANSWERED];

    if (answered > 0) {
        json_object_set_new(v, "latency_ms", json_real(
            (double) state->sum[RBL_ML_TIME] / 1000.0 / answered));
        json_object_set_new(v, "slowest_ms", json_real(
            (double) state->sum[RBL_ML_SLOWEST] / 1000.0));
    }
}


/* "127.0.0.3 form: mail to spam traps; https://...; note" */
static void
lists_way(rbl_out_t *out, const json_t *way)
{
    size_t     i;
    int64_t    n;
    rbl_str_t  s;

    static const char *const  texts[] = { "url", "mail", "note", NULL };

    for (i = 0; i < json_array_size(json_object_get(way, "codes")); i++) {
        rbl_out_str(out, value_str(json_array_get(json_object_get(way, "codes"),
                                                  i)));
        rbl_out_char(out, ' ');
    }

    rbl_out_str(out, value_str(json_object_get(way, "how")));
    rbl_out_z(out, ": ");
    rbl_out_z(out, rbl_card_cause(value_str(json_object_get(way, "cause")))
                   ->text);
    n = json_integer_value(json_object_get(way, "ages"));

    if (n > 0) {
        rbl_out_z(out, "; ends after ");
        rbl_out_int(out, n);
        rbl_out_z(out, " h");
    }

    for (i = 0; texts[i] != NULL; i++) {
        s = value_str(json_object_get(way, texts[i]));

        if (s.n > 0) {
            rbl_out_z(out, "; ");
            rbl_out_str(out, s);
        }
    }
}


/* The ways out of a list as texts. */
static json_t *
lists_ways(const json_t *ways)
{
    size_t      i;
    json_t     *v;
    rbl_buf_t   buf;

    v = json_array();

    for (i = 0; i < json_array_size(ways); i++) {
        rbl_buf_init(&buf);
        lists_way(&buf.out, json_array_get(ways, i));
        json_array_append_new(v, ctl_text(rbl_buf_str(&buf)));
        rbl_buf_free(&buf);
    }

    return v;
}


/* Adds what lines have instead of numbers of the API. */
static void
lists_lines(const rbl_list_t *l, const rbl_list_state_t *state, json_t *v)
{
    char  by[64];

    if (l->day_quota <= 0 || state->away) {
        json_object_del(v, "quota_left");
    }

    json_object_set_new(v, "removal",
                        lists_ways(json_object_get(v, "removal")));

    if (state->frozen != 0) {
        snprintf(by, sizeof(by), "%lld of %lld answers",
                 (long long) state->turned, (long long) state->of);
        json_object_set_new(v, "frozen_by", json_string(by));
    }
}


/* One list as in the API, and more.  NULL: error printed. */
static json_t *
lists_json(ctl_t *ctl, const lists_t *lists, const rbl_list_t *l,
    const rbl_list_state_t *state)
{
    json_t      *v;
    rbl_buf_t    buf;
    rbl_doc_t    doc;
    const char  *key;

    rbl_buf_init(&buf);
    rbl_doc_begin(&doc, &buf.out, RBL_JSON);
    rbl_view_list_all(&doc, l, state, NULL);
    rbl_view_list_own(&doc, l);
    rbl_doc_end(&doc);

    v = ctl_document(&buf);
    if (v == NULL) {
        return NULL;
    }

    key = !ctl_list_keyed(l) ? ""
          : ctl_list_has_key(lists->keys, l->zone) ? "set" : "needed";

    json_object_set_new(v, "key", json_string(key));
    json_object_set_new(v, "by_hand", lists_by_hand(lists->hand, l->id));
    json_object_set_new(v, "state", json_string(state->frozen ? "frozen"
                                        : state->till ? "refuses" : ""));
    lists_health(state, v);
    lists_counters(state, v);

    if (!ctl->json) {
        lists_lines(l, state, v);
    }

    return v;
}


/* Reads what daemons share of list i.  0; -1: error printed. */
static int
lists_shared(ctl_t *ctl, lists_t *lists, size_t i)
{
    unsigned     p;
    rbl_key_t    key;
    redisReply  *reply;

    p = rbl_partition(&ctl->ks, lists->sid[i]);

    if (ctl_away(ctl, p)) {
        lists->state[i].away = 1;
        return 0;
    }

    reply = ctl_command(ctl, RBL_COMMAND("HMGET",
                        rbl_key(&key, &ctl->ks, p, "list", lists->sid[i],
                                RBL_STR("")), RBL_LIST_STATE_FIELDS));
    if (reply == NULL) {
        return -1;
    }

    rbl_list_state_read(&lists->state[i], reply, (int64_t) time(NULL) * 1000);
    freeReplyObject(reply);

    return 0;
}


/* Adds a row for each list.  0; -1: error printed. */
static int
lists_rows(ctl_t *ctl, lists_t *lists)
{
    size_t       i;
    json_t      *v;
    rbl_list_t   l;

    for (i = 0; i < lists->n; i++) {
        if (rbl_list_decode(&l, lists->record[i]) != RBL_OK) {
            ctl_fail("the record of list %.*s is damaged: load the lists again",
                     (int) lists->sid[i].n, lists->sid[i].p);
            continue;
        }

        v = lists_shared(ctl, lists, i) != 0 ? NULL
            : lists_json(ctl, lists, &l, &lists->state[i]);

        if (v == NULL) {
            return -1;
        }

        json_array_append_new(lists->rows, v);
    }

    return 0;
}


static int
lists_daemon(ctl_t *ctl, rbl_str_t name, rbl_str_t raw, void *data)
{
    const lists_t  *lists = data;

    (void) ctl;
    (void) name;

    rbl_list_reports(lists->state, lists->n, lists->sid, raw);

    return 0;
}


/* Reads what is known of the lists with these SIDs and records into an array.
   NULL: error printed. */
static json_t *
lists_read(ctl_t *ctl, size_t n, const rbl_str_t *sid, const rbl_str_t *record)
{
    int      rc;
    lists_t  lists = { n, sid, record, NULL, NULL, NULL, NULL };

    lists.state = xcalloc(n + 1, sizeof(rbl_list_state_t));
    lists.rows = json_array();
    lists.keys = ctl_daemon_records(ctl, lists_daemon, &lists) == 0
                 ? ctl_lists_keys(ctl) : NULL;
    lists.hand = lists.keys ? lists_fields(ctl, "lists:override") : NULL;

    rc = lists.hand ? lists_rows(ctl, &lists) : -1;

    freeReplyObject(lists.keys);
    freeReplyObject(lists.hand);
    free(lists.state);

    if (rc != 0) {
        json_decref(lists.rows);
        return NULL;
    }

    return lists.rows;
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
ctl_list_load(ctl_t *ctl, rbl_str_t name, rbl_sid_t *sid, rbl_list_t *l,
    redisReply **reply)
{
    rbl_key_t  key;

    if (ctl_list_argument(sid, name) != 0) {
        return -1;
    }

    *reply = ctl_command(ctl, RBL_COMMAND("GET",
                         rbl_key(&key, &ctl->ks, 0, "r", RBL_STR("SYS"),
                                 rbl_sid_str(sid))));
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


/* Prints one list and its servers. */
static int
lists_print(ctl_t *ctl, json_t *v, rbl_str_t raw, int keyless)
{
    int      rc;
    json_t  *rows;

    rows = ctl_list_servers(ctl, raw);

    if (rows == NULL) {
        json_decref(v);
        return CTL_ERROR;
    }

    json_object_set(v, "name_servers", rows);
    rc = ctl_print(ctl, list_columns, v);

    if (rc == CTL_OK && !ctl->json) {
        rc = ctl_list_servers_print(ctl, rows, keyless);
    }

    json_decref(rows);

    return rc;
}


/* The servers of a killed list are not queried. */
int
ctl_list_show(ctl_t *ctl, rbl_str_t name, int servers)
{
    int          rc;
    json_t      *rows, *v;
    rbl_sid_t    sid;
    rbl_str_t    text, record;
    rbl_list_t   l;
    redisReply  *reply;

    if (ctl_list_load(ctl, name, &sid, &l, &reply) != 0) {
        return CTL_ERROR;
    }

    text = rbl_sid_str(&sid);
    record = rbl_reply_str(reply);
    rows = lists_read(ctl, 1, &text, &record);
    v = json_incref(json_array_get(rows, 0));
    json_decref(rows);

    rc = v == NULL ? CTL_ERROR
         : !servers || rbl_str_is(l.status, "killed")
         ? ctl_print(ctl, list_columns, v)
         : lists_print(ctl, v, record, strcmp(
                           json_string_value(json_object_get(v, "key")),
                           "needed") == 0);

    freeReplyObject(reply);

    return rc;
}


int
ctl_lists_show(ctl_t *ctl)
{
    size_t       i, n;
    json_t      *rows;
    rbl_key_t    key;
    rbl_str_t   *sid, *record;
    redisReply  *sids, *records;

    if (ctl->n_args == 1) {
        return ctl_list_show(ctl, ctl->args[0],
                             ctl_option(ctl, "stored") == NULL);
    }

    ctl_survey(ctl);
    sids = ctl_command(ctl, RBL_COMMAND("ZRANGE",
                       ctl_key(ctl, &key, 0, "lists"), RBL_STR("0"),
                       RBL_STR(LISTS_LAST)));
    n = rbl_reply_len(sids);
    records = n > 0 ? ctl_records(ctl, sids, 0, "r", RBL_STR("SYS")) : NULL;
    sid = xcalloc(n + 1, sizeof(rbl_str_t));
    record = xcalloc(n + 1, sizeof(rbl_str_t));

    for (i = 0; i < n; i++) {
        sid[i] = rbl_reply_str(rbl_reply_at(sids, i));
        record[i] = rbl_reply_str(rbl_reply_at(records, i));
    }

    rows = sids == NULL || (n > 0 && records == NULL) ? NULL
           : lists_read(ctl, n, sid, record);
    freeReplyObject(sids);
    freeReplyObject(records);
    free(sid);
    free(record);

    return rows == NULL ? CTL_ERROR : ctl_print_parts(ctl, list_row, rows);
}
