/*
 * Words that the title, the text and other forms of a message share.
 */

#ifndef DELIVER_WORDS_H_INCLUDED
#define DELIVER_WORDS_H_INCLUDED

#include "message.h"

/* A text of others on one line: a space for each control character. */
void words_line(rbl_out_t *out, rbl_str_t text);

/* A line with such a text behind its name; nothing if the text is "". */
void words_field(rbl_out_t *out, const char *name, rbl_str_t text);

/* The number, then `one` if it is 1, else `many`. */
void words_count(rbl_out_t *out, int64_t n, const char *one, const char *many);

/* " and 2 more"; nothing if n is not above 0. */
void words_more(rbl_out_t *out, int64_t n);

/* "2 hosts listed, 1 host delisted": the numbers of a contact.trigger. */
void words_hosts(rbl_out_t *out, const message_t *message);

/* "relisted (was off it for 2 d 3 h)" */
void words_relisted(rbl_out_t *out, const message_listing_t *listing);

/* "Flapping since 2026-01-03 10:00:00 UTC (5 changes).": a host that flaps. */
void words_flaps(rbl_out_t *out, const message_host_t *host);

/* The name of a list, or its zone if it has none. */
rbl_str_t words_list(rbl_str_t name, rbl_str_t zone);

#endif /* DELIVER_WORDS_H_INCLUDED */
