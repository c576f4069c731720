/*
 * Untrusted texts of a check, made safe for records and answers.  Keys of lists
 * are secret, and data from the DNS may repeat them: they are hidden wherever
 * such a text is shown.
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

/*
 * Writes the text with `mark` in place of each occurrence of a key, ignoring
 * case; occurrences that overlap or touch become one.  `cut`: the text has been
 * cut, so that its end is hidden too if a key begins like it.  Empty keys are
 * skipped.  Returns the length; text that does not fit in `buf` is left out.
 * No NUL is written.
 */
size_t hide_keys(char *buf, size_t size, rbl_str_t text, const rbl_str_t *keys,
    size_t n, int cut, rbl_str_t mark);

#endif /* CHECK_TEXT_H_INCLUDED */
