/*
 * rblctl check --trace: events of the engine, on standard error.  Keys of lists
 * are hidden in the lines and in all texts of lists.
 */

#ifndef CTL_TRACE_H_INCLUDED
#define CTL_TRACE_H_INCLUDED

#include "ctl.h"

typedef struct {
    rbl_str_t  *key;                    /* of all lists in the store */
    size_t      n;
    double      began;                  /* start, by clock_now() */
    int         ended;                  /* prints no more lines */
} ctl_trace_t;

/* `keys`: reply of HGETALL lists:keys, which must outlive the trace; NULL: no
   keys. */
void ctl_trace_open(ctl_trace_t *trace, const redisReply *keys);
void ctl_trace_close(ctl_trace_t *trace);

/* Starts to print lines, each with the time since this call. */
void ctl_trace_start(ctl_trace_t *trace, dns_config_t *conf);

/* A text of a list without keys, cut to CHECK_REASON_MAX bytes. */
json_t *ctl_trace_text(const ctl_trace_t *trace, rbl_str_t text);

#endif /* CTL_TRACE_H_INCLUDED */
