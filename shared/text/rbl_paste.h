/*
 * Hosts in text that people paste: lists with comments, CSV, hosts files.  A
 * line has one host, perhaps with a name, or several hosts.
 */

#ifndef RBL_PASTE_H_INCLUDED
#define RBL_PASTE_H_INCLUDED

#include "rbl_validate.h"

typedef enum {
    RBL_PASTE_NONE = 0,                 /* no host */
    RBL_PASTE_ADDRESS,
    RBL_PASTE_SUBNET,                   /* an address with a slash behind it */
    RBL_PASTE_DOMAIN
} rbl_paste_kind_t;

/* One host.  The texts are views of the line. */
typedef struct {
    rbl_paste_kind_t  kind;
    rbl_str_t         value;            /* without quotes and brackets */
    rbl_str_t         name;             /* n 0: none */
} rbl_paste_t;

/* How many hosts a line has at most. */
size_t rbl_paste_most(rbl_str_t line);

/*
 * Reads a line.  Returns the number of hosts in `out`, which has room for
 * rbl_paste_most(line): 0 for an empty line or a comment.  A line without a
 * host, or with a range, is one element of kind NONE: no line is lost.
 *
 *   # ...   ; ...   // ...     a comment, if the line begins with it
 *   HOST # ...                 a comment behind a host
 *   "HOST"   'HOST'   [HOST]   <HOST>   (HOST)
 *   HOST NAME   HOST,NAME,...   HOST;"NAME"   NAME,HOST
 *   HOST HOST ...   HOST,HOST,...   ["HOST","HOST"]
 *
 * Fields are separated by commas, semicolons or tabs, or else by spaces.  A
 * line with one address or subnet has one host, and another field is its name,
 * even if that is a domain.
 */
size_t rbl_paste_line(rbl_paste_t *out, rbl_str_t line);

#endif /* RBL_PASTE_H_INCLUDED */
