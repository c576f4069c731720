/*
 * The first tag in the order of the alphabet is taken for each slot, so that
 * all programs find the same tags.  Every slot has one.
 */

#include "rbl_tags.h"

#include <string.h>

#define TAG_POLYNOMIAL  0x1021


static const char  tag_alphabet[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";


static unsigned
tag_crc(unsigned crc, char c)
{
    int  bit;

    crc ^= (unsigned) (unsigned char) c << 8;

    for (bit = 0; bit < 8; bit++) {
        crc = (crc << 1) ^ (crc & 0x8000 ? TAG_POLYNOMIAL : 0);
    }

    return crc & 0xffff;
}


unsigned
rbl_slot(rbl_str_t tag)
{
    size_t    i;
    unsigned  crc;

    for (i = 0, crc = 0; i < tag.n; i++) {
        crc = tag_crc(crc, tag.p[i]);
    }

    return crc % RBL_SLOTS;
}


unsigned
rbl_tag_slot(unsigned p, unsigned n)
{
    return (2 * p + 1) * (RBL_SLOTS / 2) / n;
}


/* Takes the tag if it is the first one in the slot of a partition.  1, 0. */
static int
tag_take(char (*tags)[RBL_TAG_LEN], unsigned n, unsigned slot,
    const char *tag)
{
    unsigned  p;

    p = slot / (RBL_SLOTS / n);

    if (slot != rbl_tag_slot(p, n) || tags[p][0] != '\0') {
        return 0;
    }

    memcpy(tags[p], tag, RBL_TAG_LEN);

    return 1;
}


void
rbl_tags_make(char (*tags)[RBL_TAG_LEN], unsigned n)
{
    char         tag[RBL_TAG_LEN];
    unsigned     found, first, second;
    const char  *a, *b, *c;

    memset(tags, 0, (size_t) n * RBL_TAG_LEN);
    found = 0;

    for (a = tag_alphabet; *a != '\0'; a++) {
        first = tag_crc(0, *a);

        for (b = tag_alphabet; *b != '\0'; b++) {
            second = tag_crc(first, *b);

            for (c = tag_alphabet; *c != '\0' && found < n; c++) {
                tag[0] = *a;
                tag[1] = *b;
                tag[2] = *c;
                found += (unsigned) tag_take(tags, n, tag_crc(second, *c)
                                                      % RBL_SLOTS, tag);
            }
        }
    }
}
