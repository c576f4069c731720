/*
 * Lines of the trace about lists.
 */

#include "trace.h"

#include "dns/trace.h"

#include <stdarg.h>


void
trace_list(const dns_engine_t *dns, const list_t *list, const char *fmt, ...)
{
    va_list           ap;
    dns_trace_line_t  line;

    if (!dns_tracing(dns)) {
        return;
    }

    dns_trace_begin(&line);
    dns_trace_add(&line, "list %s: ", list->zone);
    va_start(ap, fmt);
    dns_trace_vadd(&line, fmt, ap);
    va_end(ap);
    dns_trace_end(dns, &line);
}


void
trace_server(const dns_engine_t *dns, const list_t *list, rbl_family_t family,
    uint32_t server, const char *fmt, ...)
{
    char              text[DNS_SERVER_TEXT];
    va_list           ap;
    dns_trace_line_t  line;

    if (!dns_tracing(dns)) {
        return;
    }

    dns_server_text(dns, server, text);
    dns_trace_begin(&line);
    dns_trace_add(&line, "list %s, %s, %s %s: ", list->zone,
                  list_family_name(family),
                  dns_direct(dns) ? "server" : "through resolver", text);
    va_start(ap, fmt);
    dns_trace_vadd(&line, fmt, ap);
    va_end(ap);
    dns_trace_end(dns, &line);
}
