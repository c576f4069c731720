/*
 * rblctl check: one check in the foreground, with the daemon's own engine and
 * verdicts.  The lists come from the store or from a file; nothing is written
 * anywhere.
 *
 * --trace prints events of the engine on standard error.  Keys of lists are
 * hidden in these lines and in all texts of lists.
 */

#include "base/xalloc.h"
#include "lists_file.h"
#include "probe.h"

#include "check/lists/text.h"
#include "check/lists/names.h"
#include "dns/trace.h"
#include "rbl_codes.h"
#include "rbl_query.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CTL_MAX_LISTS  LISTS_FILE_MAX
#define TRACE_WIDTH    1024             /* bytes of a line without the time */
#define HIDE_GROWS     5                /* {key} for a key of one letter */

typedef struct {
    rbl_str_t  *key;                    /* of all lists in the store */
    size_t      n;
    double      began;                  /* start, by clock_now() */
    int         ended;                  /* prints no more lines */
} ctl_trace_t;

typedef struct {
    rbl_str_t        value;
    rbl_family_t     family;
    char             buf[RBL_VALUE_MAX];
    lists_t         *table;
    redisReply      *keys;              /* zones and keys; NULL: no keys */
    const list_t   **lists;             /* the lists to be queried */
    size_t           n;
    check_env_t      env;
    check_t         *check;
    ctl_trace_t      trace;
    int              progress;
} ctl_check_t;

static const char  check_row[] =
    "zone:LIST, status:VERDICT, health, codes, reason, response_ms:MS";


/* `keys`: reply of HGETALL lists:keys, which must outlive the trace; NULL: no
   keys. */
static void
ctl_trace_open(ctl_trace_t *trace, const redisReply *keys)
{
    size_t  i, n;

    memset(trace, 0, sizeof(ctl_trace_t));
    n = rbl_reply_len(keys) / 2;
    trace->key = xcalloc(n, sizeof(rbl_str_t));

    for (i = 0; i < n; i++) {
        trace->key[i] = rbl_reply_str(rbl_reply_at(keys, 2 * i + 1));
    }

    trace->n = n;
}


/* Shortens a line only after all keys are hidden, so that no key is cut in
   two. */
static void
ctl_trace_line(void *data, const char *line, size_t n)
{
    char          safe[DNS_TRACE_MAX * HIDE_GROWS];
    ctl_trace_t  *trace = data;

    if (trace->ended) {
        return;
    }

    n = hide_keys(safe, sizeof(safe), (rbl_str_t) { line, n }, trace->key,
                  trace->n, 0, RBL_STR(RBL_KEY_SLOT));

    fprintf(stderr, "%9.1f ms  %.*s%s\n",
            (clock_now() - trace->began) * 1000,
            (int) (n < TRACE_WIDTH ? n : TRACE_WIDTH), safe,
            n < TRACE_WIDTH ? "" : "...");
}


static void
ctl_trace_start(ctl_trace_t *trace, dns_config_t *conf)
{
    trace->began = clock_now();
    conf->trace = ctl_trace_line;
    conf->trace_data = trace;
}


/* A text of a list without keys, cut to CHECK_REASON_MAX bytes. */
static json_t *
ctl_trace_text(const ctl_trace_t *trace, rbl_str_t text)
{
    int     cut;
    char    safe[CHECK_REASON_MAX * HIDE_GROWS];
    size_t  n;

    cut = text.n >= CHECK_DETAILS_MAX - 4;      /* a character has up to 4
                                                   bytes */
    text.n = text.n < CHECK_REASON_MAX ? text.n : CHECK_REASON_MAX;
    n = hide_keys(safe, sizeof(safe), text, trace->key, trace->n, cut,
                  RBL_STR(RBL_KEY_SLOT));

    return ctl_text((rbl_str_t) { safe, n });
}


static int
ctl_check_value(ctl_check_t *c, rbl_str_t text)
{
    rbl_addr_t  addr;

    text = rbl_trim(text);

    if (rbl_addr_parse(&addr, text) == RBL_OK) {
        c->value = rbl_addr_text(c->buf, &addr);
        c->family = addr.family;
        return 0;
    }

    if (rbl_domain_parse(c->buf, &c->value, text) == RBL_OK) {
        c->family = RBL_FAMILY_DOMAIN;
        return 0;
    }

    ctl_fail("\"%.80s\" is neither an address nor a domain name", text.p);

    return -1;
}


static void
ctl_check_add(ctl_check_t *c, rbl_str_t raw)
{
    list_t  *list;

    list = list_from_record(raw);
    if (list == NULL) {
        return;
    }

    list_key_find(list, c->keys);

    if (strcmp(list->status, "active") != 0 || !(list->families & c->family)
        || c->n == CTL_MAX_LISTS)
    {
        list_unref(list);
        return;
    }

    lists_add(c->table, list);
    c->lists[c->n++] = list;
}


static int
ctl_check_each(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    (void) ctl;
    (void) sid;

    ctl_check_add(data, raw);

    return 0;
}


static int
ctl_check_stored(ctl_t *ctl, ctl_check_t *c)
{
    rbl_key_t  key;

    c->keys = ctl_command(ctl, RBL_COMMAND("HGETALL",
                          ctl_key(ctl, &key, 0, "lists:keys")));
    if (c->keys == NULL) {
        return -1;
    }

    return ctl_each(ctl, ctl_key(ctl, &key, 0, "lists"), 0, "r",
                    RBL_STR("SYS"), ctl_check_each, c);
}


static int
ctl_check_lists(ctl_t *ctl, ctl_check_t *c)
{
    size_t         i;
    rbl_str_t      raw;
    const char    *path;
    lists_file_t   file;

    path = ctl_option(ctl, "lists");

    if (path == NULL) {
        if (ctl_connect(ctl) != 0 || ctl_meta(ctl) != 0) {
            ctl_fail("the lists are in the store; --lists FILE takes them"
                     " from a file");
            return -1;
        }

        return ctl_check_stored(ctl, c);
    }

    if (lists_file_read(&file, path) != 0) {
        return -1;
    }

    for (i = 0; i < file.n; i++) {
        raw.p = file.entry[i].record;
        raw.n = file.entry[i].size;
        ctl_check_add(c, raw);
    }

    lists_file_free(&file);

    return 0;
}


static int
ctl_check_resolver(ctl_t *ctl)
{
    char         err[512];
    const char  *resolver;

    resolver = ctl_option(ctl, "resolver");

    if (resolver != NULL
        && (config_set(&ctl->conf, "resolver", resolver, err, sizeof(err)) != 0
            || config_set(&ctl->conf, "lookup", "resolver", err, sizeof(err))
               != 0))
    {
        ctl_fail("%s", err);
        return -1;
    }

    return 0;
}


static void
ctl_check_progress(void *data, check_t *check, int finished)
{
    ctl_check_t  *c;

    c = data;

    if (c->progress) {
        fprintf(stderr, "\r%zu of %zu lists responded, %zu list it",
                check_done(check), check_count(check),
                check_verdicts(check, RBL_LISTED));
        if (finished) {
            fputs("\n\n", stderr);
        }
    }

    if (finished) {
        ev_break(c->env.loop, EVBREAK_ALL);
    }
}


static int
ctl_check_run(ctl_t *ctl, ctl_check_t *c)
{
    int  traced;

    traced = ctl_option(ctl, "trace") != NULL;
    c->progress = !traced && isatty(STDERR_FILENO);

    ctl_trace_open(&c->trace, c->keys);

    if (traced) {
        ctl_trace_start(&c->trace, &ctl->conf.dns);
    }

    if (ctl_probe_open(ctl, &c->env) != 0) {
        return -1;
    }

    c->check = check_start(&c->env, c->family, c->value, c->lists,
                           c->n, NULL, ctl->conf.check_timeout,
                           CHECK_FRESH | CHECK_ONCE, ctl_check_progress, c);
    ev_run(c->env.loop, 0);
    c->trace.ended = 1;                 /* the remaining queries are only
                                           dropped */

    return 0;
}


static json_t *
ctl_check_codes(const check_result_t *r)
{
    char            text[INET_ADDRSTRLEN];
    json_t         *v;
    unsigned        i;
    struct in_addr  a;

    v = json_array();

    for (i = 0; i < r->n_codes && i < CHECK_CODES_MAX; i++) {
        a.s_addr = htonl(r->codes[i]);
        if (inet_ntop(AF_INET, &a, text, sizeof(text)) != NULL) {
            json_array_append_new(v, json_string(text));
        }
    }

    return v;
}


static json_t *
ctl_check_json(const ctl_check_t *c, size_t i)
{
    char                   buf[CHECK_DETAILS_MAX];
    const char            *reason;
    const check_result_t  *r;

    r = check_result(c->check, i);
    reason = r->error != RBL_ERR_NONE ? rbl_lookup_err_names[r->error]
             : r->reason != NULL ? r->reason : r->means;

    return json_pack("{ss ss ss ss so so ss so so sI}",
                     "id", r->list->sid, "zone", r->list->zone,
                     "status", rbl_verdict_names[r->verdict],
                     "health", health_state_names[r->health],
                     "name", ctl_text(rbl_str(r->list->name)),
                     "codes", ctl_check_codes(r),
                     "error", rbl_lookup_err_names[r->error],
                     "reason", ctl_trace_text(&c->trace, rbl_str(reason)),
                     "details", ctl_trace_text(&c->trace,
                                               check_details(c->check, i,
                                                             buf)),
                     "response_ms", (json_int_t) (r->ms + 0.5));
}


/* Listings first, then unknown lists, then the others. */
static json_t *
ctl_check_rows(const ctl_check_t *c)
{
    size_t   i, k;
    json_t  *rows;

    static const rbl_verdict_t  order[] = {
        RBL_LISTED, RBL_UNKNOWN, RBL_CLEAR, RBL_SKIPPED
    };

    rows = json_array();

    for (k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        for (i = 0; i < check_count(c->check); i++) {
            if (check_result(c->check, i)->verdict == order[k]) {
                json_array_append_new(rows, ctl_check_json(c, i));
            }
        }
    }

    return rows;
}


static int
ctl_check_report(ctl_t *ctl, const ctl_check_t *c)
{
    int          rc, status;
    size_t       listed, unknown;
    const char  *verdict;

    listed = check_verdicts(c->check, RBL_LISTED);
    unknown = check_verdicts(c->check, RBL_UNKNOWN);
    status = listed ? CTL_LISTED : unknown ? CTL_UNKNOWN : CTL_OK;
    verdict = listed ? "listed" : unknown ? "unknown" : "clear";

    if (ctl->json) {
        rc = ctl_print(ctl, NULL, json_pack("{so ss sI sI sI so}",
                       "host", ctl_text(c->value), "status", verdict,
                       "total", (json_int_t) check_count(c->check),
                       "listed", (json_int_t) listed,
                       "unknown", (json_int_t) unknown,
                       "lists", ctl_check_rows(c)));
    } else {
        rc = ctl_print(ctl, check_row, ctl_check_rows(c));
        printf("\n%.*s: %s (%zu of %zu lists list it, %zu unknown)\n",
               (int) c->value.n, c->value.p, verdict, listed,
               check_count(c->check), unknown);
    }

    return rc == CTL_OK ? status : rc;
}


int
ctl_check(ctl_t *ctl)
{
    int          rc;
    ctl_check_t  c;

    memset(&c, 0, sizeof(c));
    rc = CTL_ERROR;

    if (ctl_check_value(&c, ctl->args[0]) != 0
        || ctl_check_resolver(ctl) != 0)
    {
        return rc;
    }

    c.table = lists_new();
    c.lists = xcalloc(CTL_MAX_LISTS, sizeof(list_t *));

    if (ctl_check_lists(ctl, &c) != 0) {
        /* the error was printed */

    } else if (c.n == 0) {
        ctl_fail("no active list takes %.*s; rblctl lists load FILE loads"
                 " some", (int) c.value.n, c.value.p);

    } else if (ctl_check_run(ctl, &c) == 0) {
        rc = ctl_check_report(ctl, &c);
    }

    if (c.check != NULL) {
        check_free(c.check);
    }

    ctl_probe_close(&c.env);

    lists_free(c.table);
    free(c.trace.key);
    freeReplyObject(c.keys);
    free(c.lists);

    return rc;
}
