/*
 * Lists as the checker reads them from the store (check/lists.c).  The input
 * is the raw record of a list.
 *
 * A record that is taken makes a list whose texts end where they ended in the
 * record, and whose rules are sound; a table finds it by its SID.  Whatever
 * its zone is, no name that the DNS could not hold is made of it, and whatever
 * its rules are, an answer outside 127/8 does not list.
 */

#include "fuzz.h"
#include "check/lists.h"
#include "dns/wire.h"
#include "rbl_query.h"


static void
try_list(list_t *list, const rbl_list_t *r)
{
    char              buf[RBL_VALUE_MAX], text[64];
    uint8_t           wire[DNS_NAME_MAX];
    lists_t          *lists;
    uint32_t          addr[2] = { 0x7f000002, 0x08080808 };
    rbl_str_t         name;
    rbl_lookup_err_t  err;

    fuzz_check(rbl_str_is(r->zone, list->zone));
    fuzz_check(rbl_str_is(r->id, list->sid));
    fuzz_check(rbl_str_is(r->status, list->status));
    fuzz_check(strnlen(list->name, r->name.n + 1) <= r->name.n);
    fuzz_check(strnlen(list->control, r->control.n + 1) <= r->control.n);
    fuzz_check(list->codes.n <= RBL_CODES_MAX);

    if (rbl_query_name(buf, &name, RBL_FAMILY_IPV4, RBL_STR("192.0.2.1"),
                       rbl_str(list->zone), RBL_STR("key"))
        == RBL_OK)
    {
        fuzz_check(dns_wire_name(wire, buf) == name.n + 2);
    }

    fuzz_check(rbl_codes_verdict(&list->codes, addr, 2, &err, text,
                                 sizeof(text))
               == RBL_UNKNOWN);
    (void) rbl_codes_verdict(&list->codes, addr, 1, &err, text, sizeof(text));
    fuzz_check(strnlen(text, sizeof(text)) < sizeof(text));

    lists = lists_new();
    fuzz_check(lists != NULL);
    fuzz_check(lists_find(lists, r->id) == NULL);
    fuzz_check(lists_add(lists, list_ref(list)) == 0);
    fuzz_check(lists_add(lists, list_ref(list)) == 0);
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
