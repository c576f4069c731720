/*
 * The two back ends of the document writer; private to rbl_doc*.c.  The front
 * has checked nesting and keys and says whether a comma is due (`next`); a
 * back end only writes bytes.
 */

#ifndef RBL_DOC_BACK_H_INCLUDED
#define RBL_DOC_BACK_H_INCLUDED

#include "rbl_doc.h"

/* U+FFFD, for what may not be written */
#define RBL_DOC_REPLACEMENT  "\xef\xbf\xbd"

/* JSON: up to the value, `open` being what begins it: {, [, " or nothing; n
   octets of key. */
void rbl_json_open(rbl_out_t *out, const char *key, size_t n, int next,
    char open);
void rbl_json_text(rbl_out_t *out, rbl_str_t s);

/* XML: <key> and </key>; NULL is an item. */
void rbl_xml_open(rbl_out_t *out, const char *key);
void rbl_xml_close(rbl_out_t *out, const char *key);
void rbl_xml_text(rbl_out_t *out, rbl_str_t s);

/*
 * Eight bytes at a time: bytes of a word as a mask of their top bits.  Exact
 * up to the first hit, which is all that is asked.
 */
#define RBL_BYTES(c)        (UINT64_C(0x0101010101010101) * (c))
#define RBL_BYTES_TOP       RBL_BYTES(0x80)
#define RBL_BYTES_BELOW(w, c)                                                 \
    (((w) - RBL_BYTES(c)) & ~(w) & RBL_BYTES_TOP)
#define RBL_BYTES_EQ(w, c)  RBL_BYTES_BELOW((w) ^ RBL_BYTES(c), 1)

#endif /* RBL_DOC_BACK_H_INCLUDED */
