/*
 * The state of a host, and its state at each of its lists, from the record of
 * the host.
 */

#ifndef RBL_HOST_STATE_H_INCLUDED
#define RBL_HOST_STATE_H_INCLUDED

#include "rbl_record.h"

/* As shared/lua/part/_state.lua numbers them, where scores of a state begin at
   its number times RBL_STATE_WIDTH. */
typedef enum {
    RBL_STATE_CLEAR = 0,
    RBL_STATE_LISTED,
    RBL_STATE_UNKNOWN,
    RBL_STATE_UNCOVERED,
    RBL_STATE_PAUSED,
    RBL_STATE_RANGE,                    /* its addresses have one each */
    RBL_STATES
} rbl_state_t;

#define RBL_STATE_WIDTH  10000000000000

extern const char *const  rbl_state_names[RBL_STATES];

/* The state of a host. */
rbl_state_t rbl_state_of(const rbl_host_t *h);

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
