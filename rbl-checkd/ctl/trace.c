/*
 * Prints the trace of a check on standard error.
 */

#include "trace.h"

#include "base/xalloc.h"
#include "check/check.h"
#include "check/lists/text.h"
#include "rbl_query.h"
#include "dns/trace.h"

#include <stdio.h>
#include <stdlib.h>

#define TRACE_WIDTH  1024               /* bytes of a line without the time */
#define HIDE_GROWS   5                  /* {key} for a key of one letter */


void
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


void
ctl_trace_close(ctl_trace_t *trace)
{
    free(trace->key);
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


void
ctl_trace_start(ctl_trace_t *trace, dns_config_t *conf)
{
    trace->began = clock_now();
    conf->trace = ctl_trace_line;
    conf->trace_data = trace;
}


json_t *
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
