/*
 * Why a list is in its state, as the test points and the searches for its name
 * servers have shown: one table for the daemon, rblctl and nginx.
 */

#ifndef RBL_LIST_REASON_H_INCLUDED
#define RBL_LIST_REASON_H_INCLUDED

#include "rbl_common.h"

typedef enum {
    RBL_LIST_NO_REASON = 0,
    RBL_LIST_PASSES,
    RBL_LIST_RESPONDS,
    RBL_LIST_NO_SERVERS,
    RBL_LIST_NO_ZONE,
    RBL_LIST_SEARCH_REFUSED,
    RBL_LIST_SEARCH_TIMEOUT,
    RBL_LIST_SEARCH_NETWORK,
    RBL_LIST_SEARCH_FAILED,
    RBL_LIST_UNFOUND,
    RBL_LIST_TIMEOUT,
    RBL_LIST_NO_RESPONSE,
    RBL_LIST_SERVFAIL,
    RBL_LIST_NETWORK,
    RBL_LIST_TCP,
    RBL_LIST_BAD_RESPONSE,
    RBL_LIST_NOT_SENT,
    RBL_LIST_MUTE,
    RBL_LIST_REFUSES,
    RBL_LIST_ERROR_CODE,
    RBL_LIST_RETIRED,
    RBL_LIST_OUTSIDE,
    RBL_LIST_WILDCARD,
    RBL_LIST_SAMPLE,
    RBL_LIST_POINT_EMPTY,
    RBL_LIST_POINT_GONE,
    RBL_LIST_NO_FAMILY,
    RBL_LIST_DNS,
    RBL_LIST_REASON__N
} rbl_list_reason_t;

typedef struct {
    const char  *name;                  /* in records, metrics, JSON */
    const char  *text;                  /* a clause about the list */
} rbl_list_reason_text_t;

extern const rbl_list_reason_text_t  rbl_list_reasons[RBL_LIST_REASON__N];

/* RBL_LIST_NO_REASON: there is no such name. */
rbl_list_reason_t rbl_list_reason(rbl_str_t name);

#endif /* RBL_LIST_REASON_H_INCLUDED */
