/*
 * Untrusted texts of a check, made safe for records and answers.
 */

#ifndef CHECK_TEXT_H_INCLUDED
#define CHECK_TEXT_H_INCLUDED

#include "rbl_common.h"

/*
 * Cleans the content of a TXT record: line ends become "; ", other control
 * characters a space, bytes that are not UTF-8 U+FFFD; outer space is cut off.
 * Always ends with a NUL and on a whole character.  Returns the length.
 */
size_t check_clean(char *buf, size_t size, rbl_str_t raw);

/* The longest part of a text, from its start, that fits `size` octets and
   ends on a whole character; copied, with a NUL. */
size_t check_cut(char *buf, size_t size, rbl_str_t text);

/*
 * A text of at most `cap` bytes, at least 3: the same one, or its start and an
 * ellipsis in `buf`, which has a place for `cap` bytes and one more.
 */
rbl_str_t check_shorten(char *buf, size_t cap, rbl_str_t text);

#endif /* CHECK_TEXT_H_INCLUDED */
