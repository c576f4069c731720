/*
 * Joins the parts of an event.  Its results are those that are listed, and
 * those that are unknown and have a current listing, which they then show.
 */

#include "entry_results.h"
#include "rbl_record.h"


static void
result_of_listing(rbl_result_t *r, const rbl_listing_t *l)
{
    r->zone = l->zone;
    r->website = l->website;
    r->status = RBL_STR("listed");
    r->codes = l->codes;
    r->details = l->details;
    r->reason = RBL_STR("");
}


/* `current` has the order of `told`, but may lack some of its lists. */

static int
join_results(rbl_out_t *out, rbl_str_t told, rbl_str_t current)
{
    size_t         left, n;
    rbl_mp_t       results, listings;
    rbl_result_t   r;
    rbl_listing_t  l;

    rbl_mp_init(&results, told);
    rbl_mp_init(&listings, current);
    n = rbl_mp_array(&results);
    left = rbl_mp_array(&listings);
    rbl_mp_put_array(out, left);

    for ( /* void */ ; left > 0; left--) {
        if (rbl_listing_decode(&l, &listings) != RBL_OK) {
            return -1;
        }

        do {
            if (n-- == 0 || rbl_result_decode(&r, &results) != RBL_OK) {
                return -1;
            }
        } while (!rbl_str_eq(r.list, l.list));

        if (!rbl_str_is(r.status, "listed")) {
            result_of_listing(&r, &l);
        }

        rbl_result_encode(out, &r);
    }

    return results.failed || listings.failed ? -1 : 0;
}


static rbl_str_t
field(const redisReply *fields, const char *name)
{
    return rbl_reply_str(rbl_reply_field(fields, name));
}


void
entry_event(rbl_buf_t *out, const redisReply *fields)
{
    rbl_buf_t  joined;
    rbl_str_t  results, current;

    rbl_out_str(&out->out, field(fields, "d"));

    results = field(fields, "r");
    if (results.n == 0) {
        return;
    }

    current = field(fields, "s");
    rbl_buf_init(&joined);

    if (current.n > 0) {
        if (join_results(&joined.out, results, current) != 0) {
            rbl_buf_reset(&joined);
        }

        results = rbl_buf_str(&joined);
    }

    rbl_mp_put_str(&out->out, results);
    rbl_out_str(&out->out, field(fields, "h"));
    rbl_out_str(&out->out, field(fields, "c"));
    rbl_out_str(&out->out, field(fields, "t"));

    rbl_buf_free(&joined);
}
