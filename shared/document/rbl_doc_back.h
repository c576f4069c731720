/*
 * The two back ends of the document writer; private to rbl_doc*.c.  The front
 * end has checked nesting and keys, and passes whether a comma is due (`next`).
 * A back end only writes bytes.
 */

#ifndef RBL_DOC_BACK_H_INCLUDED
#define RBL_DOC_BACK_H_INCLUDED

#include "rbl_doc.h"

/* U+FFFD, written instead of forbidden characters */
#define RBL_DOC_REPLACEMENT  "\xef\xbf\xbd"

/* JSON: writes everything before the value; `open` is its first byte: {, [, "
   or none; n is the length of the key. */
void rbl_json_open(rbl_out_t *out, const char *key, size_t n, int next,
    char open);
void rbl_json_text(rbl_out_t *out, rbl_str_t s);

/* XML: writes <key> and </key>; a NULL key is an item. */
void rbl_xml_open(rbl_out_t *out, const char *key);
void rbl_xml_close(rbl_out_t *out, const char *key);
void rbl_xml_text(rbl_out_t *out, rbl_str_t s);

/*
 * Tests of eight bytes at a time; the result has the top bit set for each byte
 * that matches.  It is exact up to the first match.
 */
#define RBL_BYTES(c)        (UINT64_C(0x0101010101010101) * (c))
#define RBL_BYTES_TOP       RBL_BYTES(0x80)
#define RBL_BYTES_BELOW(w, c)                                                 \
    (((w) - RBL_BYTES(c)) & ~(w) & RBL_BYTES_TOP)
#define RBL_BYTES_EQ(w, c)  RBL_BYTES_BELOW((w) ^ RBL_BYTES(c), 1)

#endif /* RBL_DOC_BACK_H_INCLUDED */
