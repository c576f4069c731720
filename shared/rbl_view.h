/*
 * How records look to a client (decisions.md 4 and 6): written by the module
 * into answers and by the daemon into events, so that both always agree.
 * Each function writes one object; `key` as in rbl_doc.h.
 */

#ifndef RBL_VIEW_H_INCLUDED
#define RBL_VIEW_H_INCLUDED

#include "rbl_doc.h"
#include "rbl_record.h"
#include "rbl_time.h"

#define RBL_VIEW_NO_DETAILS  1          /* host: without listed_details */

/* `now` in ms, for listed_period. */
void rbl_view_host(rbl_doc_t *d, const char *key, const rbl_host_t *h,
    const rbl_zone_t *tz, int64_t now, unsigned flags);

/* A details item of a check, and webhook_rbl_details. */
void rbl_view_result(rbl_doc_t *d, const char *key, const rbl_result_t *r);

#endif /* RBL_VIEW_H_INCLUDED */
