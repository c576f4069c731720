/*
 * A message in the few words of an SMS.  Pure.  It has at most SMS_SEGMENTS
 * parts, each of them paid for: in the letters of GSM 03.38 if possible,
 * otherwise in UTF-16, which has room for less than half of the text.
 */

#ifndef DELIVER_SMS_TEXT_H_INCLUDED
#define DELIVER_SMS_TEXT_H_INCLUDED

#include "base/buf.h"
#include "message.h"

#define SMS_SEGMENTS  2

void sms_text(rbl_buf_t *text, const message_t *message);

/* Septets of GSM 03.38 that a text has; 0: none, or other letters are in it. */
size_t sms_septets(rbl_str_t text);

#endif /* DELIVER_SMS_TEXT_H_INCLUDED */
