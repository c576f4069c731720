/*
 * The JSON body of an event (rbl-events(7)).
 */

#ifndef DELIVER_BODY_H_INCLUDED
#define DELIVER_BODY_H_INCLUDED

#include "rbl_out.h"
#include "rbl_record.h"
#include "rbl_timezone.h"

/*
 * Writes the body, with the times of the host in that zone.  The same event and
 * zone give the same bytes, at any time and in any process.  RBL_ETYPE: not a
 * valid event: an unknown type, a malformed SID, host or result.
 */
rbl_err_t body_render(rbl_out_t *out, const rbl_event_t *event,
    const rbl_timezone_t *zone);

/* True if the event is one of billing, whose body has no check. */
int body_is_bill(const rbl_event_t *event);

#endif /* DELIVER_BODY_H_INCLUDED */
