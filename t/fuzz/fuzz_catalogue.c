/*
 * Files of blocklists (ctl/lists_file.c).  The input is the
 * file.
 *
 * An accepted file gives records that the daemon can read, each with its own
 * SID, and never enables a list whose zone needs a key.  A refused file gives
 * no records, and each reason on a separate line.
 */

#include "fuzz.h"
#include "check/lists/lists.h"
#include "ctl/lists_file.h"
#include "rbl_card.h"
#include "rbl_query.h"

#include <stdarg.h>

static unsigned  complaints;


/* rblctl's function prints; this one checks the line. */
int
ctl_fail(const char *fmt, ...)
{
    char     line[4096];
    va_list  ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);

    complaints++;
    fuzz_check(line[0] != '\0');

    return CTL_ERROR;
}


/* Each way is whole, has known words, and the last one is for all codes. */
static void
check_ways(rbl_str_t removal)
{
    size_t     n;
    rbl_mp_t   mp;
    rbl_way_t  way;

    rbl_mp_init(&mp, removal);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        fuzz_check(rbl_way_decode(&way, &mp) == RBL_OK);
        fuzz_check(rbl_str_is(way.how, rbl_card_how(way.how)->name));
        fuzz_check(rbl_str_is(way.cause, rbl_card_cause(way.cause)->name));
        fuzz_check((way.codes.n == 1) == (n == 1));
    }

    fuzz_check(!mp.failed && mp.pos == mp.end);
}


static void
check_entry(const lists_file_t *file, size_t i)
{
    size_t                     j;
    list_t                    *list;
    rbl_str_t                  raw;
    rbl_list_t                 r;
    const lists_file_entry_t  *e;

    static const char *const  names[] = { "active", "disabled", "killed" };

    e = &file->entry[i];
    raw = (rbl_str_t) { e->record, e->size };

    fuzz_check(rbl_list_decode(&r, raw) == RBL_OK);
    fuzz_check(rbl_str_eq(r.id, rbl_sid_str(&e->sid)));
    fuzz_check(rbl_str_is(r.status, names[e->status]));
    fuzz_check(rbl_zone_ok(r.zone));
    fuzz_check(memmem(r.zone.p, r.zone.n, "{key}", 5) == NULL
               || e->status != LISTS_FILE_ACTIVE);
    fuzz_check(e->status == LISTS_FILE_KILLED || r.families != 0);
    fuzz_check(r.names.n == 0 || (r.families & RBL_FAMILY_DOMAIN));
    fuzz_check(r.min_interval >= 0 && r.min_interval <= 30 * 86400);
    fuzz_check(r.rate >= 0 && r.rate <= 1000000);
    fuzz_check(r.day_quota >= 0 && r.day_quota <= 1000000000000);
    fuzz_check(e->status == LISTS_FILE_KILLED || r.reason.n == 0);

    for (j = 0; j < i; j++) {
        fuzz_check(!rbl_str_eq(rbl_sid_str(&file->entry[j].sid), r.id));
    }

    check_ways(r.removal);

    list = list_from_record(raw);
    fuzz_check(list != NULL);
    fuzz_check(list->min_interval == r.min_interval && list->rate == r.rate
               && list->day_quota == r.day_quota);
    list_unref(list);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           path[32];
    size_t         i;
    lists_file_t   file;

    complaints = 0;
    (void) fuzz_file(path, data, size);

    if (lists_file_read(&file, path) != 0) {
        fuzz_check(complaints > 0);
        fuzz_check(file.n == 0 && file.entry == NULL);
        return 0;
    }

    fuzz_check(complaints == 0);
    fuzz_check(file.n == file.count[0] + file.count[1] + file.count[2]);

    for (i = 0; i < file.n; i++) {
        check_entry(&file, i);
    }

    lists_file_free(&file);

    return 0;
}
