/*
 * rblctl check --trace: events of the engine, on standard error.
 * Keys of lists are hidden there and in all that lists say.
 */

#ifndef CTL_TRACE_H_INCLUDED
#define CTL_TRACE_H_INCLUDED

#include "ctl.h"

typedef struct {
    rbl_str_t  *key;                    /* of all lists in the store; NULL:
                                           there is none */
    size_t      n;
    double      began;                  /* dns_clock() */
    int         ended;                  /* prints no more lines */
} ctl_trace_t;

/* `keys`: of HGETALL lists:keys, must outlive it; NULL: no keys.  -1: out of
   memory. */
int ctl_trace_open(ctl_trace_t *trace, const redisReply *keys);
void ctl_trace_close(ctl_trace_t *trace);

/* Lines are printed from now on, with the time since then. */
void ctl_trace_start(ctl_trace_t *trace, dns_config_t *conf);

/* A text of a list, at most CHECK_REASON_MAX bytes of it, without keys. */
json_t *ctl_trace_text(const ctl_trace_t *trace, rbl_str_t text);

#endif /* CTL_TRACE_H_INCLUDED */
