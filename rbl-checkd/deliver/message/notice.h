/*
 * Notices to the people of an account (rbl-events(7)): a webhook was disabled,
 * or something about the bill.
 */

#ifndef DELIVER_NOTICE_H_INCLUDED
#define DELIVER_NOTICE_H_INCLUDED

#include "rbl_doc.h"
#include "rbl_record.h"
#include "rbl_timezone.h"

/* Is it a sound contact.notice (schema.txt), of a known word? */
int notice_sound(const rbl_event_t *event);

/* Writes the members title and message; returns the weight.  Only of one that
   is sound. */
const char *notice_write(rbl_doc_t *doc, const rbl_event_t *event,
    const rbl_timezone_t *zone);

#endif /* DELIVER_NOTICE_H_INCLUDED */
