/*
 * The trace of an engine: one line of text for each event, given to the
 * callback `trace` of its configuration, in order.  It reports queries,
 * responses and the search for name servers; users of the engine add the rules
 * of their decisions.
 *
 * A line has printable ASCII only: every other byte and the backslash are
 * "\xHH".  It ends with "..." if it was longer than DNS_TRACE_MAX; the cut is
 * made so that no label is shown in part.  Names may contain the key of a list:
 * the code that prints a line must hide the keys, and shorten the line only
 * after that.
 */

#ifndef DNS_TRACE_H_INCLUDED
#define DNS_TRACE_H_INCLUDED

#include "engine.h"

#include <stdarg.h>

#define DNS_TRACE_MAX  4096

/* Adds one line, if the trace is enabled. */
__attribute__((format(printf, 2, 3)))
void dns_trace(const dns_engine_t *engine, const char *fmt, ...);

/* A line made of parts. */
typedef struct {
    unsigned  cut:1;
    size_t    n;
    char      s[DNS_TRACE_MAX];
} dns_trace_line_t;

void dns_trace_begin(dns_trace_line_t *line);

__attribute__((format(printf, 2, 3)))
void dns_trace_add(dns_trace_line_t *line, const char *fmt, ...);

__attribute__((format(printf, 2, 0)))
void dns_trace_vadd(dns_trace_line_t *line, const char *fmt, va_list ap);
void dns_trace_end(const dns_engine_t *engine, dns_trace_line_t *line);

#endif /* DNS_TRACE_H_INCLUDED */
