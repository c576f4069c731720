/*
 * The title of a contact.trigger.
 */

#ifndef DELIVER_TITLE_H_INCLUDED
#define DELIVER_TITLE_H_INCLUDED

#include "message.h"

/* "1 host listed: 192.0.2.10 by ZEN": numbers of hosts, then the first hosts or
   the subnet that has all of them, and whether they were listed before. */
void title_text(rbl_out_t *out, const message_t *message);

#endif /* DELIVER_TITLE_H_INCLUDED */
