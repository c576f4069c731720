/*
 * The members of billing events (rbl-events(7)).
 */

#ifndef DELIVER_BODY_BILL_H_INCLUDED
#define DELIVER_BODY_BILL_H_INCLUDED

#include "rbl_doc.h"
#include "rbl_record.h"

/* True if the event is one of billing, which has a body of its own. */
int body_is_bill(const rbl_event_t *event);

/* Writes what follows event_date.  RBL_ETYPE: its data is damaged. */
rbl_err_t body_bill(rbl_doc_t *doc, const rbl_event_t *event);

#endif /* DELIVER_BODY_BILL_H_INCLUDED */
