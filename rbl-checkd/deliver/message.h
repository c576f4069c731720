/*
 * Messages to contacts (decisions.md 7).  A message is made once, when its
 * event is fanned out, and stored as the JSON that an endpoint gets; other
 * channels read it from there and put it into their own form.
 */

#ifndef DELIVER_MESSAGE_H_INCLUDED
#define DELIVER_MESSAGE_H_INCLUDED

#include "rbl_out.h"
#include "rbl_record.h"
#include "rbl_zone.h"

#define MESSAGE_CONFIRM    "contact.confirm"
#define MESSAGE_VALID      INT64_C(86400000)    /* ms that a code is valid */

typedef struct {
    rbl_str_t  event, type, title, text, url;
    rbl_str_t  code;                    /* "": none */
    void      *root;                    /* what the strings are views into */
} message_t;

/*
 * Writes the message that has the code of a contact.confirm in it, the time in
 * that zone.  RBL_ETYPE: not such an event; RBL_ENOMEM: the sink failed.
 */
rbl_err_t message_confirm(rbl_out_t *out, const rbl_event_t *event,
    const rbl_zone_t *zone);

/* RBL_ETYPE: not a message.  Otherwise message_free is to follow. */
rbl_err_t message_read(message_t *message, rbl_str_t json);
void message_free(message_t *message);

/* Puts "*" in place of the message's code wherever it stands in the text. */
void message_hide_code(char *text, rbl_str_t json);

#endif /* DELIVER_MESSAGE_H_INCLUDED */
