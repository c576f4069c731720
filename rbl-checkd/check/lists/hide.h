/*
 * Keys of lists are secret, and data from the DNS may repeat them: they are
 * hidden wherever such a text is shown.
 */

#ifndef HIDE_H_INCLUDED
#define HIDE_H_INCLUDED

#include "rbl_common.h"

/*
 * Writes the text with `mark` in place of each occurrence of a key, ignoring
 * case; occurrences that overlap or touch become one.  `cut`: the text has been
 * cut, so that its end is hidden too if a key begins like it.  Empty keys are
 * skipped.  Returns the length; text that does not fit in `buf` is left out.
 * No NUL is written.
 */
size_t hide_keys(char *buf, size_t size, rbl_str_t text, const rbl_str_t *keys,
    size_t n, int cut, rbl_str_t mark);

#endif /* HIDE_H_INCLUDED */
