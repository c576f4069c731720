/*
 * The lists of a check, from the reply of check_begin or check_open.  The
 * check_lists_t owns references to them.
 */

#include "check_lists.h"
#include "base/xalloc.h"
#include "rbl_hash.h"
#include "rbl_sid.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#define LISTS_MAX  1024
#define LEAST_MAX  1000000000           /* s; the bits above have meanings */
#define CRITICAL   0x80000000


void
check_lists_drop(check_lists_t *lists)
{
    size_t  i;

    for (i = 0; i < lists->n; i++) {
        list_unref(lists->list[i]);
    }

    free(lists->list);
    free(lists->place);
    rbl_buf_free(&lists->members);
    memset(lists, 0, sizeof(check_lists_t));
}


static void
add_member(rbl_out_t *out, const list_t *list)
{
    size_t         i;
    int64_t        least = list->min_interval;
    unsigned char  member[CHECK_LISTS_MEMBER];

    least = least < 0 ? 0 : least > LEAST_MAX ? LEAST_MAX : least;

    if (list->weight == RBL_WEIGHT_CRITICAL) {
        least |= CRITICAL;
    }

    out->failed |= rbl_sid_to_digest(member, rbl_str(list->sid)) != RBL_OK;

    for (i = 0; i < 4; i++) {
        member[16 + i] = (unsigned char) (least >> (24 - 8 * i));
    }

    rbl_out_bytes(out, member, sizeof(member));
}


/* An own list has neither a minimum interval nor a weight. */

static void
describe(check_lists_t *lists)
{
    size_t         i;
    unsigned       n;
    rbl_str_t      s;
    unsigned char  sum[EVP_MAX_MD_SIZE];

    for (i = 0; i < lists->n; i++) {
        lists->place[i] = i;
        add_member(&lists->members.out, lists->list[i]);
    }

    s = rbl_buf_str(&lists->members);

    if (!lists->members.out.failed
        && EVP_Digest(s.p, s.n, sum, &n, EVP_sha1(), NULL) == 1
        && n >= CHECK_LISTS_DIGEST / 2)
    {
        for (i = 0; i < CHECK_LISTS_DIGEST / 2; i++) {
            snprintf(lists->digest + 2 * i, 3, "%02x", sum[i]);
        }
    }
}


static void
make_room(check_lists_t *lists, size_t n)
{
    check_lists_drop(lists);
    rbl_buf_init(&lists->members);

    lists->list = xcalloc(n + 1, sizeof(list_t *));
    lists->place = xcalloc(n + 1, sizeof(size_t));
}


/*
 * One of the packed lists {SID, type, custom, zone, website, key}; only an own
 * list may have a key.  The codes of a system list are in the table only;
 * without them a verdict would be a guess.  1: taken or left out, 0: the table
 * has to be looked at, -1: nonsense.
 */

static int
take_list(check_lists_t *lists, const table_t *table, rbl_str_t account,
    rbl_mp_t *mp, int64_t family, int wait)
{
    int         custom;
    size_t      n;
    list_t     *list;
    rbl_str_t   sid, type, zone, website, key;

    n = rbl_mp_array(mp);
    sid = rbl_mp_str(mp);
    type = rbl_mp_str(mp);
    custom = rbl_mp_int(mp) != 0;
    zone = rbl_mp_str(mp);
    website = rbl_mp_str(mp);

    if (n < 5 || mp->failed) {
        return -1;
    }

    key = n > 5 ? rbl_mp_str(mp) : RBL_STR("");

    for (n -= n > 5 ? 6 : 5; n > 0; n--) {
        rbl_mp_skip(mp);
    }

    if (custom) {
        list = list_make(sid, type, 1, zone, website, family);
        if (list == NULL) {
            return -1;
        }

        list_key_own(list, key);
        list->account = rbl_hash(account, 0) | 1;

    } else {
        list = table_find(table, sid);
        if (list == NULL) {
            if (wait) {
                return 0;
            }

            /* Without a family: the result is unknown, so that its current
               listing remains. */

            list = list_make(sid, type, 0, zone, website, 0);
            if (list == NULL) {
                return -1;
            }

        } else {
            list = list_ref(list);
        }
    }

    lists->list[lists->n++] = list;
    lists->due = lists->n;
    return 1;
}


int
check_lists_unpack(check_lists_t *lists, const table_t *table,
    rbl_str_t account, rbl_str_t packed, int64_t family, int wait)
{
    int       rc;
    size_t    n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, packed);

    n = rbl_mp_array(&mp);
    if (mp.failed || n > LISTS_MAX) {
        return -1;
    }

    make_room(lists, n);

    for (; n > 0; n--) {
        rc = take_list(lists, table, account, &mp, family, wait);
        if (rc != 1) {
            return rc;
        }
    }

    describe(lists);
    return 1;
}


void
check_lists_system(check_lists_t *lists, const table_t *table, rbl_str_t type,
    int64_t family)
{
    size_t   i, n;
    list_t  *list;

    n = table_count(table);
    make_room(lists, n);

    for (i = 0; i < n; i++) {
        list = table_at(table, i);

        if (rbl_str_is(rbl_str(list->status), "active")
            && (list->families & family)
            && (type.n == 0 || rbl_str_is(type, list->type)))
        {
            lists->list[lists->n++] = list_ref(list);
        }
    }

    lists->due = lists->n;
    describe(lists);
}


void
check_lists_due(check_lists_t *lists, rbl_str_t host, int64_t before,
    int64_t now, const current_t *current)
{
    size_t   i, place;
    list_t  *list;

    lists->due = 0;

    for (i = 0; i < lists->n; i++) {
        list = lists->list[i];
        place = lists->place[i];

        if (list_due(list, host, before, now)
            || current_open(current, rbl_str(list->sid)))
        {
            lists->list[i] = lists->list[lists->due];
            lists->place[i] = lists->place[lists->due];
            lists->list[lists->due] = list;
            lists->place[lists->due++] = place;
        }
    }
}
