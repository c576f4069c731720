/*
 * Replies of the store as they arrive, decoded where they are received
 * (shared/record/rbl_resp.c).  The first byte is the size of the pieces that
 * arrive, the rest the bytes of the server.
 *
 * Each reply equals the one that hiredis makes of the same bytes; none has more
 * elements than allowed.
 */

#include "fuzz.h"
#include "rbl_resp.h"

#define REPLIES  64


/* Checks that both are equal and every text is terminated; returns the number
   of elements in all levels. */
static size_t
compare(const redisReply *a, const redisReply *b)
{
    size_t  i, n;

    fuzz_check((a == NULL) == (b == NULL));

    if (a == NULL) {
        return 0;
    }

    fuzz_check(a->type == b->type && a->elements == b->elements);
    fuzz_check(a->integer == b->integer && a->len == b->len);
    fuzz_check((a->str == NULL) == (b->str == NULL));
    fuzz_check(a->str == NULL || memcmp(a->str, b->str, a->len + 1) == 0);

    n = a->elements;

    for (i = 0; i < a->elements; i++) {
        n += compare(a->element[i], b->element[i]);
    }

    return n;
}


/* hiredis reads only replies that were accepted before, so they are within
   limits. */
static void
next_alike(redisReader *plain, const redisReply *r)
{
    void    *reply;
    size_t   n;

    fuzz_check(redisReaderGetReply(plain, &reply) == REDIS_OK);
    fuzz_check(reply != NULL);
    n = compare(r, reply);
    fuzz_check(n <= RBL_REPLY_ELEMENTS);
    freeReplyObject(reply);
}


/* Appends a piece of the bytes to what has arrived. */
static size_t
arrives(rbl_replies_t *replies, rbl_str_t bytes, size_t piece)
{
    char    *room;
    size_t   n;

    n = piece < bytes.n ? piece : bytes.n;
    room = rbl_bytes_room(&replies->bytes, n);
    fuzz_check(room != NULL);
    memcpy(room, bytes.p, n);
    replies->bytes.to += n;
    fuzz_check(replies->bytes.to <= replies->bytes.room);

    return n;
}


static void
read_all(rbl_replies_t *replies, redisReader *plain, rbl_str_t bytes,
    size_t piece)
{
    int          rc;
    size_t       n;
    unsigned     n_replies;
    redisReply   reply;

    for (n_replies = 0; n_replies < REPLIES; ) {
        rc = rbl_replies_next(replies, &reply);

        if (rc == 1) {
            n_replies++;
            next_alike(plain, &reply);
            continue;
        }

        if (rc == -1) {
            fuzz_check(replies->refused != NULL);
            return;
        }

        if (bytes.n == 0) {
            return;
        }

        n = arrives(replies, bytes, piece);
        bytes.p += n;
        bytes.n -= n;
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t              f;
    size_t              piece;
    rbl_str_t           bytes;
    redisReader        *plain;
    rbl_replies_t       replies;

    fuzz_init(&f, data, size);
    memset(&replies, 0, sizeof(replies));

    piece = fuzz_u8(&f) + 1;
    bytes = fuzz_rest(&f);

    plain = redisReaderCreate();
    fuzz_check(plain != NULL);
    fuzz_check(redisReaderFeed(plain, bytes.p, bytes.n) == REDIS_OK);

    read_all(&replies, plain, bytes, piece);

    redisReaderFree(plain);
    rbl_replies_free(&replies);
    fuzz_check(replies.elements == NULL && replies.bytes.start == NULL);
    fuzz_done(&f);

    return 0;
}
