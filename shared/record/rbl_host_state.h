/*
 * The state of a host at each of its lists, from the record of the host.
 */

#ifndef RBL_HOST_STATE_H_INCLUDED
#define RBL_HOST_STATE_H_INCLUDED

#include "rbl_record.h"

typedef struct {
    rbl_str_t      status;              /* listed, unknown, clear; "": the list
                                           was never queried, or the record
                                           does not name all unknown lists */
    int64_t        since;               /* of listed and unknown (ms) */
    int64_t        asked;               /* last response (ms); 0: not kept */
    rbl_str_t      error;               /* of unknown (rbl_codes.h) */
    int64_t        errors;              /* consecutive checks without verdict */
    rbl_listing_t  listing;             /* of listed; else zeroed */
} rbl_host_state_t;

/*
 * Sets the state at a list with that minimum interval (s).  A current listing
 * is listed, also while the list is unknown (errors > 0).  `named`:
 * rbl_host_unknown of the host.
 */
void rbl_host_state(rbl_host_state_t *state, const rbl_host_t *h,
    rbl_str_t list, int64_t min_interval, int64_t named);

/* Counts the lists that the record names as unknown; h->unknown_count counts
   all of them. */
int64_t rbl_host_unknown(const rbl_host_t *h);

#endif /* RBL_HOST_STATE_H_INCLUDED */
