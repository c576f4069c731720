/*
 * Lists as the checker reads them from the store (check/lists.c).  The input is
 * the raw record of a list.
 *
 * An accepted record makes a list whose texts end where they ended in the
 * record, and whose rules are valid; a table finds it by its SID.  For any zone
 * and test point, its query names are valid in the DNS; for any rules, a
 * response outside 127/8 does not list.
 */

#include "fuzz.h"
#include "check/lists/lists.h"
#include "check/lists/names.h"
#include "dns/wire.h"


static const struct {
    rbl_family_t  family;
    const char   *value;
} hosts[] = {
    { RBL_FAMILY_IPV4, "192.0.2.1" }, { RBL_FAMILY_IPV6, "2001:db8::1" },
    { RBL_FAMILY_DOMAIN, "www.example.co.uk" }
};


static void
check_name(const list_t *list, const names_t *name, rbl_family_t family)
{
    uint8_t  wire[DNS_NAME_MAX];

    fuzz_check(list->ask != NULL && (list->families & (int64_t) family));
    fuzz_check(name->n == strlen(name->s));
    fuzz_check(dns_wire_name(wire, name->s) == name->n + 2);
}


static void
try_names(const list_t *list)
{
    int               k, n;
    size_t            i;
    names_t           out[NAMES_MAX];
    names_host_t      host;
    rbl_lookup_err_t  err;

    for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        fuzz_check(names_host(&host, hosts[i].family, rbl_str(hosts[i].value))
                   == 0);

        for (n = names_make(out, list, &host, &err); n > 0; n--) {
            check_name(list, &out[n - 1], hosts[i].family);
        }

        for (k = NAMES_POSITIVE; k <= NAMES_SAMPLE; k++) {
            if (names_point(out, list, hosts[i].family, k, 12345)) {
                check_name(list, out, hosts[i].family);
            }
        }
    }
}


static void
try_list(list_t *list, const rbl_list_t *r)
{
    char              text[64];
    lists_t          *lists;
    uint32_t          addr[2] = { 0x7f000002, 0x08080808 };
    rbl_lookup_err_t  err;

    fuzz_check(rbl_str_is(r->zone, list->zone));
    fuzz_check(rbl_str_is(r->id, list->sid));
    fuzz_check(rbl_str_is(r->status, list->status));
    fuzz_check(strnlen(list->name, r->name.n + 1) <= r->name.n);
    fuzz_check(strnlen(list->control, r->control.n + 1) <= r->control.n);
    fuzz_check(list->codes->n <= RBL_CODES_MAX);

    fuzz_check(list->min_interval >= 0 && list->rate >= 0
               && list->day_quota >= 0);
    (void) list_due(list, RBL_STR("HT1"), 1795000000000, 1795000600000);

    try_names(list);
    fuzz_check(list_key_set(list, RBL_STR("key")) == 0 && list->ask != NULL);
    try_names(list);

    fuzz_check(rbl_codes_verdict(list->codes, addr, 2, &err, text,
                                 sizeof(text))
               == RBL_UNKNOWN);
    (void) rbl_codes_verdict(list->codes, addr, 1, &err, text, sizeof(text));
    fuzz_check(strnlen(text, sizeof(text)) < sizeof(text));

    lists = lists_new();
    fuzz_check(lists != NULL);
    fuzz_check(lists_find(lists, r->id) == NULL);
    lists_add(lists, list_ref(list));
    lists_add(lists, list_ref(list));
    fuzz_check(lists_count(lists) == 1 && lists_at(lists, 1) == NULL);
    fuzz_check(lists_find(lists, rbl_str(list->sid)) == list);
    lists_free(lists);
    fuzz_check(list->refs == 1);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t       f;
    list_t      *list;
    rbl_str_t    raw;
    rbl_list_t   r;

    fuzz_init(&f, data, size);
    raw = fuzz_rest(&f);
    list = list_from_record(raw);

    if (list != NULL) {
        fuzz_check(rbl_list_decode(&r, raw) == RBL_OK);
        try_list(list, &r);
        list_unref(list);
    }

    fuzz_done(&f);

    return 0;
}
