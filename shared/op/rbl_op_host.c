/*
 * A host and its state at each of its lists; when lists began and ceased to
 * list it; marks of listings.
 */

#include "rbl_ops.h"

#include "rbl_card.h"
#include "rbl_codes.h"
#include "rbl_host_state.h"
#include "rbl_mark.h"
#include "rbl_query.h"
#include "rbl_validate.h"
#include "rbl_view.h"
#include "rbl_view_card.h"


#define RBL_HISTORY_MOST  "1000"        /* more than the store keeps */
#define RBL_CHANGE_FIELDS  4            /* _transitions.lua */
#define RBL_LOOKUP_MAX    2560          /* a lookup URL with a host */

typedef struct {
    rbl_str_t  list, zone, status, codes;
} rbl_host_change_t;


const rbl_outcome_t  rbl_host_refusals[] = {
    RBL_UNKNOWN_ID("HOST", "host"),
    { NULL, 0, NULL }
};

static const rbl_outcome_t  rbl_host_mark_refusals[] = {
    RBL_UNKNOWN_ID("HOST", "host"),
    { "LISTING", 409, "The list does not list this host now." },
    { "MANY", 409,
      "A host may have at most %L marked listings. Please take marks off others"
      " first." },
    { "LIMIT", 409,
      "An account may have at most %L hosts with marked listings. Please take"
      " marks off others first." },
    { NULL, 0, NULL }
};


int
rbl_run_host(const rbl_run_t *run, rbl_doc_t *doc, const char *key,
    rbl_host_t *host, rbl_str_t raw)
{
    if (rbl_host_read(host, raw, run->stopped) != RBL_OK) {
        return -1;
    }

    rbl_view_host(doc, key, host, run->timezone, run->now, run->view);

    return 0;
}


static void
rbl_host_links(rbl_doc_t *doc, const rbl_host_t *host, const rbl_list_t *list)
{
    char       buf[RBL_LOOKUP_MAX];
    rbl_str_t  url;

    if (list->lookup.n == 0
        || rbl_lookup_url(buf, sizeof(buf), &url, list->lookup, host->value)
           != RBL_OK)
    {
        url = RBL_STR("");
    }

    rbl_doc_str(doc, "lookup", url);
    rbl_doc_str(doc, "delisting", list->delist);
}


/* Writes the marks of a list's listing, if there are some.  Damaged ones are
   left out. */

static void
rbl_host_marked(rbl_run_t *run, rbl_doc_t *doc, rbl_str_t marks,
    rbl_str_t list, int64_t now)
{
    int         rc;
    rbl_mark_t  mark;

    rc = rbl_mark_find(&mark, marks, list);

    if (rc == -1) {
        run->by->note(run, "The marks of a host are damaged.");

    } else if (rc == 1) {
        rbl_view_mark(doc, "mark", &mark, now, run->timezone);
    }
}


static void
rbl_host_list(rbl_run_t *run, rbl_doc_t *doc, const rbl_host_lists_t *lists,
    rbl_str_t sid, rbl_str_t raw, rbl_str_t marks, int64_t now)
{
    char               means[RBL_CARD_CODES];
    rbl_list_t         list;
    rbl_host_state_t   state;

    if (rbl_list_decode(&list, raw) != RBL_OK) {
        memset(&list, 0, sizeof(list));
    }

    rbl_host_state(&state, lists, sid, list.min_interval);

    rbl_doc_object(doc, NULL);
    rbl_doc_str(doc, "id", sid);
    rbl_doc_str(doc, "host", list.zone.n ? list.zone : state.listing.zone);
    rbl_doc_str(doc, "name", list.name);
    rbl_doc_str(doc, "website", list.website);
    rbl_doc_str(doc, "weight", state.listing.weight > 0
                ? rbl_str(rbl_weight_word((rbl_weight_t) state.listing.weight))
                : list.weight);
    rbl_doc_str(doc, "health", list.health);
    rbl_doc_str(doc, "status", state.status);
    rbl_run_at(run, doc, "since", state.since);
    rbl_run_at(run, doc, "asked", state.asked);
    rbl_doc_str(doc, "error", state.error);
    rbl_doc_int(doc, "errors", state.errors);

    if (run->operator) {
        rbl_run_at(run, doc, "cleared", state.listing.cleared);
    }

    (void) rbl_view_texts(doc, "codes", state.listing.codes.n
                          ? state.listing.codes : RBL_STR("\x90"));
    rbl_doc_str(doc, "details", state.listing.details);
    rbl_host_links(doc, lists->host, &list);

    if (state.listing.list.n > 0) {
        rbl_doc_str(doc, "meaning", rbl_card_codes(means, list.codes,
                                                   state.listing.codes));
        rbl_view_card(doc, "card", &list, lists->host, &state.listing,
                      run->timezone);
        rbl_host_marked(run, doc, marks, sid, now);
    }

    rbl_doc_close(doc);
}


/* The lists in the order of the profile; then those with a current listing that
   no longer check the host, or that are unknown. */

static void
rbl_host_lists_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                   i;
    rbl_str_t                sid;
    rbl_host_t               host;
    rbl_host_lists_t         lists;
    rbl_host_lists_reply_t   said;

    rbl_host_lists_reply(&said, reply);
    rbl_doc_object(doc, "data");

    if (rbl_run_host(run, doc, "host", &host, said.host) != 0) {
        rbl_refuse(run, 500, "The record of a host is damaged.");
        return;
    }

    if (run->operator) {
        rbl_run_at(run, doc, "created", host.created);
    }

    rbl_host_lists(&lists, &host, said.coverage);
    rbl_doc_array(doc, "lists");

    for (i = 0; i < rbl_reply_len(said.lists); i++) {
        sid = rbl_reply_str(rbl_reply_at(said.lists, i));

        if (rbl_sid_like(RBL_SID_LIST, sid)) {
            rbl_host_list(run, doc, &lists, sid,
                          rbl_reply_str(rbl_reply_at(said.records, i)),
                          said.marks, said.now);
        }
    }

    rbl_doc_close(doc);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_host_lists = {
    .script = &rbl_script_host_lists,
    .kinds = { RBL_SID_HOST },
    .message = "OK",
    .answer = rbl_host_lists_answer,
    .refusals = rbl_host_refusals,
    .slow = 1
};


void
rbl_entry_at(const rbl_run_t *run, rbl_doc_t *doc, const redisReply *entry)
{
    rbl_run_at(run, doc, "time", rbl_reply_entry_ms(rbl_reply_name(entry)));
}


/* Reads the next change of a packed array; `left` are left, and counted down.
   0: there is none. */

static int
rbl_change_next(rbl_host_change_t *change, rbl_mp_t *mp, size_t *left)
{
    if (*left == 0 || rbl_mp_array(mp) != RBL_CHANGE_FIELDS) {
        return 0;
    }

    (*left)--;
    change->list = rbl_mp_str(mp);
    change->zone = rbl_mp_str(mp);
    change->status = rbl_mp_str(mp);
    change->codes = rbl_mp_str(mp);

    return !mp->failed;
}


static void
rbl_change_members(rbl_doc_t *doc, const rbl_host_change_t *change)
{
    rbl_doc_str(doc, "id", change->list);
    rbl_doc_str(doc, "host", change->zone);
    rbl_doc_str(doc, "status", change->status);
    rbl_doc_str(doc, "codes", change->codes);
}


void
rbl_changes(rbl_doc_t *doc, rbl_str_t packed)
{
    size_t             left;
    rbl_mp_t           mp;
    rbl_host_change_t  change;

    rbl_mp_init(&mp, packed);
    left = rbl_mp_array(&mp);
    rbl_doc_array(doc, "changes");

    while (rbl_change_next(&change, &mp, &left)) {
        rbl_doc_object(doc, NULL);
        rbl_change_members(doc, &change);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


/* Each entry is a check: {id, {c, PP, t, packed changes, m, packed marks}}, the
   last one if listings ended that were marked. */

static void
rbl_history_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                     i, left;
    rbl_mp_t                   mp;
    rbl_str_t                  marks;
    rbl_host_change_t          change;
    const redisReply          *entry, *of;
    rbl_host_history_reply_t   said;

    rbl_host_history_reply(&said, reply);
    rbl_doc_array(doc, "data");

    for (i = 0; i < rbl_reply_len(said.entries); i++) {
        entry = rbl_reply_at(said.entries, i);
        of = rbl_reply_rest(entry);
        rbl_mp_init(&mp, rbl_reply_str(rbl_reply_field(of, "t")));
        left = rbl_mp_array(&mp);
        marks = rbl_reply_str(rbl_reply_field(of, "m"));

        while (rbl_change_next(&change, &mp, &left)) {
            rbl_doc_object(doc, NULL);
            rbl_entry_at(run, doc, entry);
            rbl_change_members(doc, &change);
            rbl_doc_str(doc, "check", rbl_reply_str(rbl_reply_field(of, "c")));
            rbl_host_marked(run, doc, marks, change.list,
                            rbl_reply_entry_ms(rbl_reply_name(entry)));
            rbl_doc_close(doc);
        }
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_host_history = {
    .script = &rbl_script_host_history,
    .kinds = { RBL_SID_HOST },
    .value = RBL_HISTORY_MOST,
    .message = "OK",
    .answer = rbl_history_answer,
    .refusals = rbl_host_refusals,
    .slow = 1
};


/* --- marks ---------------------------------------------------------------- */

static int
rbl_host_ticket(rbl_run_t *run, rbl_str_t *text)
{
    (void) run;

    return rbl_utf8_count(*text) <= RBL_MARK_TICKET ? 0 : -1;
}


static const rbl_field_t  rbl_host_mark_fields[] = {
    RBL_SIDS("list", RBL_NEEDED|RBL_ONE, RBL_SID_LIST,
             RBL_ARG(host_mark, list)),
    RBL_TEXT("asked", 0, rbl_flag, RBL_ARG(host_mark, asked)),
    RBL_TEXT("expected", 0, rbl_flag, RBL_ARG(host_mark, expected)),
    RBL_TEXT("ticket", RBL_TOLD, rbl_host_ticket, RBL_ARG(host_mark, ticket)),
    RBL_END
};


static void
rbl_host_mark_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_host_mark_reply_t  said;

    rbl_host_mark_reply(&said, reply);
    rbl_doc_object(doc, "data");
    rbl_doc_str(doc, "host", rbl_sid_str(&run->id));
    rbl_doc_str(doc, "list", run->argv[RBL_ARG(host_mark, list)]);
    rbl_host_marked(run, doc, said.marks, run->argv[RBL_ARG(host_mark, list)],
                    run->now);
    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_host_mark = {
    .script = &rbl_script_host_mark,
    .fields = rbl_host_mark_fields,
    .kinds = { RBL_SID_HOST },
    .message = "Listing marked successfully.",
    .answer = rbl_host_mark_answer,
    .refusals = rbl_host_mark_refusals
};
