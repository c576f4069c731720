/*
 * Hash tags of partitions.  Redis Cluster takes the slot of a key from the part
 * between its braces, and gives each master a range of slots.  The tags are
 * chosen so that partition p lies in slot (p + 1/2) * 16384 / N: masters with
 * equal ranges have equal numbers of partitions.  All tags have the same
 * length, so that one pattern of an access rule takes the keys of all
 * partitions.
 */

#ifndef RBL_TAGS_H_INCLUDED
#define RBL_TAGS_H_INCLUDED

#include "rbl_common.h"

#define RBL_SLOTS    16384
#define RBL_TAG_LEN  3

/* Writes the tags of n partitions: a power of two, at most RBL_SLOTS / 2. */
void rbl_tags_make(char (*tags)[RBL_TAG_LEN], unsigned n);

/* The slot of the tag of partition p of n. */
unsigned rbl_tag_slot(unsigned p, unsigned n);

/* The slot of a hash tag: CRC16 (XMODEM), modulo RBL_SLOTS; Redis Cluster
   specification, "Key distribution model". */
unsigned rbl_slot(rbl_str_t tag);

#endif /* RBL_TAGS_H_INCLUDED */
