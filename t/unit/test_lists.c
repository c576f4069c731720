/*
 * Lists from records, and the table of lists.
 */

#include "base/buf.h"
#include "check/lists/lists.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"


/* A record in the order of schema.txt. */

static void
record(rbl_buf_t *b, const char *sid, const char *zone, const char **codes,
    size_t n)
{
    size_t     i;
    rbl_out_t  *out = &b->out;

    rbl_buf_reset(b);
    rbl_mp_put_array(out, 23);
    rbl_mp_put_int(out, RBL_RECORD_VERSION);
    rbl_mp_put_z(out, sid);
    rbl_mp_put_z(out, "rbl");
    rbl_mp_put_z(out, zone);
    rbl_mp_put_z(out, "A name");
    rbl_mp_put_z(out, "https://a.test/");
    rbl_mp_put_int(out, RBL_FAMILY_IPV4 | RBL_FAMILY_IPV6);
    rbl_mp_put_int(out, 0);
    rbl_mp_put_z(out, "active");
    rbl_mp_put_z(out, "");
    rbl_mp_put_array(out, n);

    for (i = 0; i < n; i++) {
        rbl_mp_put_z(out, codes[i]);
    }

    rbl_mp_put_z(out, "https://a.test/?q=%s");
    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, "normal");
    rbl_mp_put_z(out, "ip");
    rbl_mp_put_z(out, "block");
    rbl_mp_put_z(out, "ip");
    rbl_mp_put_z(out, "registered");
    rbl_mp_put_int(out, 3600);
    rbl_mp_put_int(out, -1);
    rbl_mp_put_int(out, 300000);
    rbl_mp_put_z(out, "");
    rbl_mp_put_z(out, "a note");
}


static void
test_record(void)
{
    char              text[64];
    list_t           *list;
    uint32_t          addr = 0x7f000004;
    rbl_buf_t         b;
    rbl_lookup_err_t  err;

    const char  *codes[] = { "127.0.0.2=two", "bit:4=four", "!127.0.0.9=no" };

    rbl_buf_init(&b);
    record(&b, "RB1", "z.test", codes, 3);
    list = list_from_record(rbl_buf_str(&b));
    memset(b.base, 'x', rbl_buf_str(&b).n);

    ok(list != NULL, "a record makes a list");
    if (list == NULL) {
        return;
    }

    ok(strcmp(list->sid, "RB1") == 0 && strcmp(list->zone, "z.test") == 0
       && strcmp(list->name, "A name") == 0
       && strcmp(list->website, "https://a.test/") == 0
       && strcmp(list->lookup, "https://a.test/?q=%s") == 0
       && list->weight == RBL_WEIGHT_NORMAL
       && strcmp(list->control, "ip") == 0
       && strcmp(list->status, "active") == 0
       && strcmp(list->type, "rbl") == 0, "its texts outlive the record");
    ok(list->families == 3 && list->custom == 0, "its numbers");
    ok(list->names == LIST_NAMES_REGISTERED && list->min_interval == 3600
       && list->rate == 0 && list->day_quota == 300000,
       "its limits; one below 0 is no limit");
    ok(list->codes->n == 3, "its rules");
    ok(rbl_codes_verdict(list->codes, &addr, 1, &err, text, sizeof(text))
       == RBL_LISTED && strcmp(text, "four") == 0,
       "their texts outlive the record too");

    list_unref(list_ref(list));
    ok(strcmp(list->zone, "z.test") == 0, "a reference less is not the last");
    list_unref(list);
    list_unref(NULL);
    rbl_buf_free(&b);
}


static void
test_bad(void)
{
    size_t      i;
    rbl_buf_t   b;
    rbl_str_t   raw;
    list_t     *list;

    const char  *codes[] = { "127.0.0.2=two", "nonsense" };
    const char  *good[] = { "127.0.0.2=two" };

    rbl_buf_init(&b);

    record(&b, "RB1", "z.test", codes, 2);
    ok(list_from_record(rbl_buf_str(&b)) == NULL,
       "a list with an invalid rule is not used");

    record(&b, "RB3456789012345678901234567890123456789", "z.test", good, 1);
    list = list_from_record(rbl_buf_str(&b));
    ok(list != NULL && strlen(list->sid) == 39, "a SID that just fits");
    list_unref(list);

    record(&b, "RB34567890123456789012345678901234567890", "z", good, 1);
    ok(list_from_record(rbl_buf_str(&b)) == NULL, "a SID that is too long");

    record(&b, "RB1", "z.test", good, 1);
    raw = rbl_buf_str(&b);

    for (i = 0; i < raw.n; i++) {
        list = list_from_record((rbl_str_t) { raw.p, i });
        if (list != NULL) {
            list_unref(list);
            break;
        }
    }

    ok(i == raw.n, "no part of a record is one");
    ok(list_from_record(RBL_STR("")) == NULL, "nothing is no list");

    list = list_make(RBL_STR("RB1"), RBL_STR("rbl"), 1,
                     (rbl_str_t) { "a\0b", 3 }, RBL_STR(""), 1);
    ok(list == NULL, "a zone with a NUL is no zone");

    rbl_buf_free(&b);
}


static void
test_table(void)
{
    int       i, good;
    char      sid[16];
    list_t   *list;
    lists_t  *lists;

    lists = lists_new();
    ok(lists != NULL && lists_count(lists) == 0, "an empty table");
    ok(lists_find(lists, RBL_STR("RB1")) == NULL, "has nothing");

    for (i = 0; i < 1000; i++) {
        snprintf(sid, sizeof(sid), "RB%d", i);
        list = list_make(rbl_str(sid), RBL_STR("rbl"), 1, RBL_STR("z.test"),
                         RBL_STR(""), 1);
        lists_add(lists, list);
    }

    ok(lists_count(lists) == 1000, "1000 lists");

    good = 1;
    for (i = 0; i < 1000; i++) {
        snprintf(sid, sizeof(sid), "RB%d", i);
        list = lists_find(lists, rbl_str(sid));
        good = good && list != NULL && strcmp(list->sid, sid) == 0
               && lists_at(lists, (size_t) i) == list;
    }

    ok(good, "each is found");
    ok(lists_find(lists, RBL_STR("RB1000")) == NULL, "and no other");
    ok(lists_at(lists, 1000) == NULL, "nor one after the last");

    list = list_make(RBL_STR("RB5"), RBL_STR("rbl"), 1, RBL_STR("other.test"),
                     RBL_STR(""), 1);
    lists_add(lists, list);
    ok(lists_count(lists) == 1000
       && strcmp(lists_find(lists, RBL_STR("RB5"))->zone, "other.test") == 0,
       "the same SID replaces");

    lists_free(lists);
    lists_free(NULL);
}


static list_t *
keyed(const char *zone)
{
    return list_make(RBL_STR("RB1"), RBL_STR("rbl"), 0, rbl_str(zone),
                     RBL_STR(""), 1);
}


static void
test_key(void)
{
    char     big[65];
    size_t   i;
    list_t  *list;

    static const char *const  bad[] = {
        "", "a.b", "a_b", "-a", "a-", "a b", "{key}", "\xc3\xa4", "a\n"
    };

    list = keyed("z.test");
    ok(!list_keyed(list) && strcmp(list->ask, "z.test") == 0
       && list->ask_n == 6, "a list without a key is queried at its zone");
    ok(list_key_set(list, RBL_STR("abc")) == 0
       && strcmp(list->ask, "z.test") == 0, "and a key changes nothing");
    list_unref(list);

    list = keyed("a..b");
    ok(list->ask[0] == '\0' && list->ask_n == 0,
       "an invalid zone is not queried");
    list_unref(list);

    list = keyed("{key}.z.test");
    ok(list_keyed(list) && list->ask == NULL,
       "a list that needs a key has no name");

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(list_key_set(list, rbl_str(bad[i])) == -1 && list->ask == NULL,
           "no key: \"%s\"", bad[i]);
    }

    memset(big, 'a', sizeof(big));
    ok(!list_key_ok((rbl_str_t) { big, 64 })
       && list_key_ok((rbl_str_t) { big, 63 })
       && !list_key_ok((rbl_str_t) { "a\0b", 3 }), "at most 63 octets, no NUL");

    ok(list_key_set(list, RBL_STR("aB-9")) == 0
       && strcmp(list->ask, "ab-9.z.test") == 0
       && strcmp(list->zone, "{key}.z.test") == 0, "its key");
    ok(list_key_set(list, RBL_STR("other")) == 0
       && strcmp(list->ask, "ab-9.z.test") == 0, "is given once");
    list_unref(list);

    list = keyed("a.{key}.z.test");
    ok(list_key_set(list, RBL_STR("k")) == 0
       && strcmp(list->ask, "a.k.z.test") == 0, "a key inside the zone");
    list_unref(list);
}


/* Hosts are checked every 10 minutes, the list is queried once an hour. */

static void
test_due(void)
{
    int       asked, once;
    char      host[40];
    list_t   *list;
    int64_t   t, at[24];
    unsigned  i, k, most;

    list = keyed("z.test");
    ok(list_due(list, RBL_STR("HT1"), 5, 6), "no interval: always");

    list->min_interval = 3600;
    ok(list_due(list, RBL_STR("HT1"), 0, 1795000000000), "the first check");
    ok(list_due(list, RBL_STR("HT1"), 1795000000000, 1795000000000 - 1),
       "time that went back");
    ok(list_due(list, RBL_STR("HT1"), 1795000000000, 1795003600000),
       "a whole interval has passed");
    ok(!list_due(list, RBL_STR("HT1"), 1795000000000, 1795000000000),
       "no time has passed");

    memset(at, 0, sizeof(at));
    once = 1;

    for (i = 0; i < 1000; i++) {
        snprintf(host, sizeof(host), "HT%032x", i);
        asked = 0;

        for (t = 1795000000000, k = 0; k < 24; k++, t += 600000) {
            if (list_due(list, rbl_str(host), t - 600000, t)) {
                asked++;
                at[k]++;
            }
        }

        once = once && asked == 4;
    }

    for (most = 0, k = 0; k < 24; k++) {
        most = at[k] > most ? (unsigned) at[k] : most;
    }

    ok(once, "in four hours each host is queried four times");
    ok(most < 250, "and a sixth of them at a time: at most %u of 1000", most);

    list->min_interval = INT64_MAX;
    ok(list_due(list, RBL_STR("HT1"), 1, 2), "an invalid interval");
    list_unref(list);
}


int
main(void)
{
    test_key();
    test_due();
    test_record();
    test_bad();
    test_table();

    return tap_done();
}
