/*
 * The state of a host at each of its lists.
 */

#include "host.h"

#include "rbl_host_state.h"


static json_t *
row(const rbl_host_lists_t *lists, rbl_str_t sid, rbl_str_t raw)
{
    rbl_list_t        l;
    rbl_str_t         codes, zone;
    rbl_host_state_t  s;

    if (rbl_list_decode(&l, raw) != RBL_OK) {
        memset(&l, 0, sizeof(l));
        l.zone = l.name = RBL_STR("");
    }

    rbl_host_state(&s, lists, sid, l.min_interval);

    codes = s.listing.codes.p != NULL ? s.listing.codes : RBL_STR("\x90");
    zone = s.listing.zone.p != NULL ? s.listing.zone : l.zone;

    return json_pack("{so so so so so so so sI so so}",
                     "id", ctl_text(sid), "zone", ctl_text(zone),
                     "name", ctl_text(l.name), "status", ctl_text(s.status),
                     "since", ctl_time(s.since), "asked", ctl_time(s.asked),
                     "error", ctl_text(s.error),
                     "errors", (json_int_t) s.errors,
                     "cleared", ctl_time(s.listing.cleared),
                     "codes", ctl_texts(codes));
}


json_t *
host_lists(const rbl_host_t *h, const rbl_host_lists_reply_t *said)
{
    size_t             i, n;
    json_t            *rows;
    rbl_str_t          sid;
    rbl_host_lists_t   lists;

    rows = json_array();
    rbl_host_lists(&lists, h, said->coverage);
    n = rbl_reply_len(said->lists);

    for (i = 0; i < n; i++) {
        sid = rbl_reply_str(rbl_reply_at(said->lists, i));

        if (rbl_sid_like(RBL_SID_LIST, sid)) {
            json_array_append_new(rows,
                row(&lists, sid,
                    rbl_reply_str(rbl_reply_at(said->records, i))));
        }
    }

    return rows;
}
