/*
 * Texts cut to the limit of a service, between characters, in its unit of
 * length.  An octet that is not UTF-8 counts as one character.
 */

#ifndef DELIVER_CLIP_H_INCLUDED
#define DELIVER_CLIP_H_INCLUDED

#include "rbl_out.h"

typedef enum {
    CLIP_OCTETS = 0,
    CLIP_CHARS,                         /* code points */
    CLIP_UTF16                          /* two for those above U+FFFF */
} clip_unit_t;

size_t clip_length(rbl_str_t text, clip_unit_t unit);

/* The longest beginning of at most `max` units. */
rbl_str_t clip_begin(rbl_str_t text, size_t max, clip_unit_t unit);

/*
 * The text if it is of at most `max` units; otherwise as much of it as leaves
 * room for the ellipsis, which then is to follow it: *cut is 1.
 */
#define CLIP_ELLIPSIS  "\xe2\x80\xa6"
rbl_str_t clip_text(rbl_str_t text, size_t max, clip_unit_t unit, int *cut);

/* The same, the ellipsis too, into a sink. */
void clip_out(rbl_out_t *out, rbl_str_t text, size_t max, clip_unit_t unit);

#endif /* DELIVER_CLIP_H_INCLUDED */
