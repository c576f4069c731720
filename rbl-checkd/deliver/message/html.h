/*
 * The HTML of a mail: one page that is readable on a phone and in the dark,
 * with nothing in it that is fetched or that runs.  Whatever the message holds
 * is text here; only http and https URLs become links.
 */

#ifndef DELIVER_HTML_H_INCLUDED
#define DELIVER_HTML_H_INCLUDED

#include "base/buf.h"
#include "message.h"

/* Some clients cut a mail after 100 KB; hosts are left out first. */
#define HTML_MAX  80000

void html_message(rbl_buf_t *buf, const message_t *message);

#endif /* DELIVER_HTML_H_INCLUDED */
