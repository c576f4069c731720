/*
 * Replies of the store as they arrive, allocated in the pool of the connection
 * (ngx_rbl_redis_reply.c).  The first byte is the size of the pieces that are
 * read, the rest the bytes of the server.
 *
 * Each reply equals the one that hiredis makes with its own functions from the
 * same bytes; none has more elements than allowed.  Incomplete replies are
 * freed.
 */

#include "fuzz_ngx.h"
#include "ngx_rbl_redis.h"

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
next_alike(redisReader *plain, redisReply *r)
{
    void    *reply;
    size_t   n;

    fuzz_check(redisReaderGetReply(plain, &reply) == REDIS_OK);
    fuzz_check(reply != NULL);
    n = compare(r, reply);
    fuzz_check(n <= RBL_REPLY_ELEMENTS);
    freeReplyObject(reply);
}


static void
read_all(redisReader *reader, redisReader *plain, rbl_str_t bytes,
    size_t piece)
{
    void      *reply;
    size_t     n;
    unsigned   replies;

    for (replies = 0; replies < REPLIES; ) {
        if (redisReaderGetReply(reader, &reply) != REDIS_OK) {
            fuzz_check(reply == NULL);
            return;
        }

        if (reply != NULL) {
            replies++;
            next_alike(plain, reply);
            reader->fn->freeObject(reply);
            continue;
        }

        if (bytes.n == 0) {
            return;
        }

        n = piece < bytes.n ? piece : bytes.n;
        fuzz_check(redisReaderFeed(reader, bytes.p, n) == REDIS_OK);
        bytes.p += n;
        bytes.n -= n;
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t                    f;
    size_t                    piece;
    rbl_str_t                 bytes;
    redisReader              *plain, *reader;
    ngx_rbl_redis_replies_t   replies;

    fuzz_init(&f, data, size);
    fuzz_ngx_init();
    memset(&replies, 0, sizeof(replies));

    piece = fuzz_u8(&f) + 1;
    bytes = fuzz_rest(&f);

    plain = redisReaderCreate();
    reader = ngx_rbl_redis_reader(&replies, &fuzz_log);
    fuzz_check(plain != NULL && reader != NULL);
    fuzz_check(redisReaderFeed(plain, bytes.p, bytes.n) == REDIS_OK);

    read_all(reader, plain, bytes, piece);

    redisReaderFree(reader);
    redisReaderFree(plain);
    ngx_rbl_redis_replies_free(&replies);
    fuzz_check(replies.pool == NULL);
    fuzz_ngx_done();
    fuzz_done(&f);

    return 0;
}
