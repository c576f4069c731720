/*
 * Lines of the trace (dns/trace.h) about lists: rules and decisions.  Nothing
 * happens without a listener.
 */

#ifndef CHECK_TRACE_H_INCLUDED
#define CHECK_TRACE_H_INCLUDED

#include "lists.h"

/* "list ZONE: ..." */
__attribute__((format(printf, 3, 4)))
void trace_list(const dns_engine_t *dns, const list_t *list, const char *fmt,
    ...);

/* "list ZONE, FAMILY, server ADDRESS: ...", or "through resolver ADDRESS" */
__attribute__((format(printf, 5, 6)))
void trace_server(const dns_engine_t *dns, const list_t *list,
    rbl_family_t family, uint32_t server, const char *fmt, ...);

#endif /* CHECK_TRACE_H_INCLUDED */
