/*
 * The forms of a mail (RFC 5322, 2045, 2047).  Pure.  Whatever the text holds,
 * no line is made that the text did not mean: control characters in a header
 * become spaces, and broken UTF-8 becomes U+FFFD.
 */

#ifndef DELIVER_MIME_H_INCLUDED
#define DELIVER_MIME_H_INCLUDED

#include "rbl_out.h"

#define MIME_DATE_LEN  40

/*
 * "Name: text", folded to lines of at most 76 octets, with CR LF at the end; in
 * encoded words unless it is short words of ASCII.  The name is a literal.
 */
void mime_header(rbl_out_t *out, const char *name, rbl_str_t text);

/* A text with lines ending in LF as quoted-printable, CR LF at the end. */
void mime_quoted_printable(rbl_out_t *out, rbl_str_t text);

/* A body of one part: the rest of the mail's headers, the empty line behind
   them, the text. */
void mime_body(rbl_out_t *out, const char *type, rbl_str_t text);

/*
 * A body of parts that say the same, for the reader to choose: the rest of the
 * mail's headers and the empty line behind them; parts, the plainest first; the
 * end.  `id` is of letters and digits, the same for all of one mail.
 */
void mime_parts_begin(rbl_out_t *out, rbl_str_t id);
void mime_part(rbl_out_t *out, rbl_str_t id, const char *type, rbl_str_t text);
void mime_parts_end(rbl_out_t *out, rbl_str_t id);

/* "Fri, 20 Nov 2026 09:30:00 +0000" */
rbl_str_t mime_date(char buf[MIME_DATE_LEN], int64_t ms);

#endif /* DELIVER_MIME_H_INCLUDED */
