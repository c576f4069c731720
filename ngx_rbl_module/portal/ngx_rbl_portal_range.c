/*
 * range/cells: how the hosts are among up to 256 addresses of a subnet, and
 * those of them that are listed.
 * range/history: when lists began and ceased to list these.
 *
 * The subnet need not be a range of the account: single hosts count, too.
 */

#include "ngx_rbl_portal.h"
#include "ngx_rbl_write.h"

#include "rbl_codes.h"
#include "rbl_host_state.h"
#include "rbl_ops.h"


#define NGX_RBL_RANGE_PART   256        /* addresses of a call */
#define NGX_RBL_RANGE_PARTS  256        /* of a subnet, at most */
#define NGX_RBL_RANGE_ABOVE  16         /* ranges that may contain the subnet */
#define NGX_RBL_RANGE_DAYS   90
#define NGX_RBL_RANGE_LISTS  5          /* lists shown of a host */
#define NGX_RBL_RANGE_FIELD  64         /* octets of a field of "uniq", which
                                           has at most "ip_range|" and 43 */
#define NGX_RBL_DAY_MS       INT64_C(86400000)

enum {                                  /* fields of both calls */
    NGX_RBL_RANGE_NET = 0,
    NGX_RBL_RANGE_WHICH,
    NGX_RBL_RANGE_AFTER,
    NGX_RBL_RANGE_LAST
};

enum {                                  /* of a cell */
    NGX_RBL_CELL_PLACE = 0,
    NGX_RBL_CELL_ID,
    NGX_RBL_CELL_STATE,
    NGX_RBL_CELL_SINCE
};

enum {                                  /* of a host with a history */
    NGX_RBL_HISTORY_PLACE = 0,
    NGX_RBL_HISTORY_ID,
    NGX_RBL_HISTORY_ENTRIES
};

typedef struct {
    rbl_subnet_t  net;
    uint64_t      first;                /* place of the part in the subnet */
    unsigned      size;                 /* addresses of the part */
    unsigned      parts;
} ngx_rbl_range_t;


/* Bits of an address of this family. */

static unsigned
ngx_rbl_range_bits(const rbl_addr_t *addr)
{
    return addr->family == RBL_FAMILY_IPV4 ? 32 : 128;
}


/* The subnet of these bits that has the first address of another one. */

static rbl_subnet_t
ngx_rbl_range_above(const rbl_subnet_t *net, unsigned bits)
{
    unsigned      i;
    rbl_subnet_t  above;

    above = *net;
    above.bits = bits;

    for (i = bits; i < net->bits; i++) {
        above.addr.b[i / 8] &= (unsigned char) ~(0x80 >> i % 8);
    }

    return above;
}


/* An address stands for its /24 or /120; bits of a host do not matter. */

static int
ngx_rbl_range_net(rbl_run_t *run, rbl_str_t *text)
{
    unsigned          most;
    rbl_err_t         err;
    ngx_rbl_range_t  *range;

    range = rbl_room(run, sizeof(ngx_rbl_range_t));

    if (range == NULL) {
        return -1;
    }

    run->data = range;
    memset(range, 0, sizeof(ngx_rbl_range_t));
    err = rbl_subnet_parse(&range->net, *text);

    if (err != RBL_OK && err != RBL_EHOSTBITS) {
        if (rbl_addr_parse(&range->net.addr, *text) != RBL_OK) {
            return rbl_expect(run, "a subnet or an address");
        }

        range->net.bits = ngx_rbl_range_bits(&range->net.addr);
        range->net = ngx_rbl_range_above(&range->net, range->net.bits - 8);
    }

    most = ngx_rbl_range_bits(&range->net.addr);

    if (most - range->net.bits > 16) {
        return rbl_expect(run, "a subnet of at most 65,536 addresses");
    }

    return 0;
}


static const rbl_field_t  ngx_rbl_cells_fields[] = {
    RBL_TEXT("net", RBL_NEEDED, ngx_rbl_range_net, 0),
    RBL_NUMBER("part", 0, NGX_RBL_RANGE_PARTS - 1, 0, 0),
    RBL_NUMBER("after", 0, NGX_RBL_RANGE_PART - 1, 0, 0),
    RBL_END
};

static const rbl_field_t  ngx_rbl_range_history_fields[] = {
    RBL_TEXT("net", RBL_NEEDED, ngx_rbl_range_net, 0),
    RBL_NUMBER("part", 0, NGX_RBL_RANGE_PARTS - 1, 0, 0),
    RBL_NUMBER("after", 0, NGX_RBL_RANGE_PART - 1, 0, 0),
    RBL_NUMBER("days", 1, NGX_RBL_RANGE_DAYS, 0, 0),
    RBL_END
};


static int64_t
ngx_rbl_range_number(const rbl_run_t *run, size_t field, int64_t otherwise)
{
    int64_t  n;

    return rbl_int_parse(&n, rbl_text(run, field), 0, NGX_RBL_RANGE_PARTS)
           == RBL_OK ? n : otherwise;
}


static void
ngx_rbl_range_field(char *field, rbl_str_t *text, const char *type,
    rbl_str_t value)
{
    size_t  n;

    n = strlen(type);
    memcpy(field, type, n);
    memcpy(field + n, value.p, value.n);
    *text = (rbl_str_t) { field, n + value.n };
}


/* Sets the part, and the arguments behind the others: `above` ranges that may
   contain it, the smallest first, and its addresses. */

static int
ngx_rbl_range_fields(rbl_run_t *run, unsigned above)
{
    char             *field, buf[RBL_VALUE_MAX];
    unsigned          i;
    uint64_t          all, part;
    rbl_addr_t        addr;
    rbl_subnet_t      net;
    ngx_rbl_range_t  *range;

    range = run->data;
    all = rbl_subnet_size(&range->net);
    part = (uint64_t) ngx_rbl_range_number(run, NGX_RBL_RANGE_WHICH, 0);
    range->parts = (unsigned) ((all + NGX_RBL_RANGE_PART - 1)
                               / NGX_RBL_RANGE_PART);

    if (part >= range->parts) {
        rbl_invalid(run, "part");
        return -1;
    }

    range->first = part * NGX_RBL_RANGE_PART;
    range->size = (unsigned) ngx_min(all - range->first, NGX_RBL_RANGE_PART);
    above = ngx_min(above, range->net.bits);
    run->n_rest = above + range->size;
    run->rest = rbl_room(run, run->n_rest * sizeof(rbl_str_t));
    field = rbl_room(run, run->n_rest * NGX_RBL_RANGE_FIELD);

    if (run->rest == NULL || field == NULL) {
        return -1;
    }

    for (i = 0; i < run->n_rest; i++, field += NGX_RBL_RANGE_FIELD) {
        if (i < above) {
            net = ngx_rbl_range_above(&range->net, range->net.bits - i);
            ngx_rbl_range_field(field, &run->rest[i], "ip_range|",
                                rbl_subnet_text(buf, &net));
        } else {
            addr = rbl_subnet_addr(&range->net, range->first + i - above);
            ngx_rbl_range_field(field, &run->rest[i], "rbl|",
                                rbl_addr_text(buf, &addr));
        }
    }

    return 0;
}


static int
ngx_rbl_cells_prepare(rbl_run_t *run)
{
    unsigned          above;
    ngx_rbl_range_t  *range;

    range = run->data;
    above = ngx_min(NGX_RBL_RANGE_ABOVE, range->net.bits);

    if (ngx_rbl_range_fields(run, above) != 0) {
        return -1;
    }

    return rbl_run_int(run, &run->argv[RBL_ARG(range_cells, ranges)], above)
           != 0 ? -1
           : rbl_run_int(run, &run->argv[RBL_ARG(range_cells, from)],
                         ngx_rbl_range_number(run, NGX_RBL_RANGE_AFTER, 0));
}


/* Writes the address at a place of the part. */

static void
ngx_rbl_range_host(rbl_doc_t *doc, const char *key,
    const ngx_rbl_range_t *range, int64_t place)
{
    char        buf[RBL_VALUE_MAX];
    rbl_addr_t  addr;

    addr = rbl_subnet_addr(&range->net, range->first + (uint64_t) place);
    rbl_doc_str(doc, key, rbl_addr_text(buf, &addr));
}


static void
ngx_rbl_range_members(rbl_doc_t *doc, const ngx_rbl_range_t *range)
{
    char  buf[RBL_VALUE_MAX];

    rbl_doc_str(doc, "net", rbl_subnet_text(buf, &range->net));
    rbl_doc_int(doc, "parts", range->parts);
    rbl_doc_int(doc, "part", (int64_t) range->first / NGX_RBL_RANGE_PART);
    ngx_rbl_range_host(doc, "first", range, 0);
    rbl_doc_int(doc, "size", range->size);
}


static void
ngx_rbl_range_next(rbl_doc_t *doc, int64_t next)
{
    if (next < 0) {
        rbl_doc_json(doc, "next", RBL_STR("null"));
    } else {
        rbl_doc_int(doc, "next", next);
    }
}


/* If no host is checked, none is known to be listed. */

static void
ngx_rbl_range_cells(const rbl_run_t *run, rbl_doc_t *doc,
    const redisReply *cells)
{
    size_t             i;
    int64_t            place, state;
    const redisReply  *row;

    rbl_doc_array(doc, "cells");

    for (i = 0; i < rbl_reply_len(cells); i++) {
        row = rbl_reply_at(cells, i);
        place = rbl_reply_int(rbl_reply_at(row, NGX_RBL_CELL_PLACE), -1);
        state = rbl_reply_int(rbl_reply_at(row, NGX_RBL_CELL_STATE), -1);

        if (place < 0 || place >= NGX_RBL_RANGE_PART || state < 0
            || state >= RBL_STATE_RANGE)
        {
            continue;
        }

        if (run->stopped && state != RBL_STATE_PAUSED) {
            state = RBL_STATE_UNKNOWN;
        }

        rbl_doc_object(doc, NULL);
        rbl_doc_int(doc, "place", place);
        ngx_rbl_range_host(doc, "host", run->data, place);
        rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_at(row,
                                                          NGX_RBL_CELL_ID)));
        rbl_doc_z(doc, "state", rbl_state_names[state]);
        rbl_run_at(run, doc, "since", state == RBL_STATE_LISTED
                   ? rbl_reply_int(rbl_reply_at(row, NGX_RBL_CELL_SINCE), 0)
                   : 0);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


static void
ngx_rbl_range_listed(const rbl_run_t *run, rbl_doc_t *doc, rbl_host_t *host)
{
    size_t         i, n;
    int64_t        weight;
    rbl_mp_t       mp;
    rbl_listing_t  listing;

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", host->id);
    rbl_doc_str(doc, "host", host->value);
    rbl_doc_str(doc, "name", host->name);
    rbl_run_at(run, doc, "since", host->first_listed);
    rbl_run_at(run, doc, "checked", host->checked);
    rbl_doc_int(doc, "total_lists", host->listed_count);
    rbl_doc_array(doc, "lists");

    weight = 0;
    rbl_mp_init(&mp, host->details);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n && rbl_listing_decode(&listing, &mp) == RBL_OK; i++) {
        weight = ngx_max(weight, listing.weight);

        if (i < NGX_RBL_RANGE_LISTS) {
            rbl_doc_object(doc, NULL);
            rbl_doc_str(doc, "id", listing.list);
            rbl_doc_str(doc, "host", listing.zone);
            rbl_run_at(run, doc, "since", listing.since);
            rbl_doc_close(doc);
        }
    }

    rbl_doc_close(doc);
    rbl_doc_z(doc, "weight", weight > 0 && weight <= RBL_WEIGHTS
              ? rbl_weight_word((rbl_weight_t) weight) : "");
    rbl_doc_close(doc);
}


static void
ngx_rbl_cells_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                    i;
    rbl_host_t                host;
    rbl_range_cells_reply_t   said;

    rbl_range_cells_reply(&said, reply);
    rbl_doc_object(doc, "data");
    ngx_rbl_range_members(doc, run->data);

    if (said.range.n == 0
        || rbl_run_host(run, doc, "range", &host, said.range) != 0)
    {
        rbl_doc_json(doc, "range", RBL_STR("null"));
    }

    ngx_rbl_range_cells(run, doc, said.cells);
    ngx_rbl_range_next(doc, run->stopped ? -1 : said.next);
    rbl_doc_array(doc, "listed");

    for (i = 0; i < rbl_reply_len(said.listed) && !run->stopped; i++) {
        if (rbl_host_read(&host, rbl_reply_str(rbl_reply_at(said.listed, i)),
                          0)
            != RBL_OK)
        {
            run->by->note(run, "The record of a host is damaged.");
            continue;
        }

        ngx_rbl_range_listed(run, doc, &host);
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_range_cells = {
    .script = &rbl_script_range_cells,
    .fields = ngx_rbl_cells_fields,
    .message = "OK",
    .prepare = ngx_rbl_cells_prepare,
    .answer = ngx_rbl_cells_answer,
    .slow = 1
};


static int
ngx_rbl_range_history_prepare(rbl_run_t *run)
{
    int64_t  days;

    days = ngx_rbl_range_number(run, NGX_RBL_RANGE_LAST, NGX_RBL_RANGE_DAYS);

    if (ngx_rbl_range_fields(run, 0) != 0) {
        return -1;
    }

    return rbl_run_int(run, &run->argv[RBL_ARG(range_history, from)],
                       ngx_rbl_range_number(run, NGX_RBL_RANGE_AFTER, 0))
           != 0 ? -1
           : rbl_run_int(run, &run->argv[RBL_ARG(range_history, oldest)],
                         run->now - days * NGX_RBL_DAY_MS);
}


static void
ngx_rbl_range_entry(rbl_run_t *run, rbl_doc_t *doc, const redisReply *row,
    const redisReply *entry)
{
    rbl_doc_object(doc, NULL);
    rbl_entry_at(run, doc, entry);
    rbl_doc_str(doc, "id", rbl_reply_str(rbl_reply_at(row,
                                                      NGX_RBL_HISTORY_ID)));
    ngx_rbl_range_host(doc, "host", run->data,
                       rbl_reply_int(rbl_reply_at(row, NGX_RBL_HISTORY_PLACE),
                                     0));
    rbl_changes(doc, rbl_reply_str(rbl_reply_field(rbl_reply_rest(entry),
                                                   "t")));
    rbl_doc_close(doc);
}


static void
ngx_rbl_range_history_answer(rbl_run_t *run, rbl_doc_t *doc,
    const redisReply *reply)
{
    size_t                      i, k;
    const redisReply           *row, *entries;
    rbl_range_history_reply_t   said;

    rbl_range_history_reply(&said, reply);
    ngx_rbl_range_next(doc, said.next);
    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.hosts); i++) {
        row = rbl_reply_at(said.hosts, i);
        entries = rbl_reply_at(row, NGX_RBL_HISTORY_ENTRIES);

        for (k = 0; k < rbl_reply_len(entries); k++) {
            ngx_rbl_range_entry(run, doc, row, rbl_reply_at(entries, k));
        }
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_range_history = {
    .script = &rbl_script_range_history,
    .fields = ngx_rbl_range_history_fields,
    .message = "OK",
    .prepare = ngx_rbl_range_history_prepare,
    .answer = ngx_rbl_range_history_answer,
    .slow = 1
};
