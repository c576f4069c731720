/*
 * The body of a POST (ngx_rbl_body.c).  The first byte chooses how it arrives:
 * at once, in pieces, after a wait, with an error, in a file, as another
 * request's.  Each further byte is the size of a piece; its contents are
 * generated.
 *
 * This file replaces nginx's two functions that read from the client.  The
 * collected body is the received bytes, piece by piece, and never over the
 * limit; above it there is 413.  The end is reported exactly once.
 */

#include "fuzz_ngx.h"

#define PIECES  16

ngx_module_t  ngx_rbl_module;

static size_t       piece[PIECES];
static unsigned     n_pieces, given;
static u_char      *sent, *held[PIECES];
static size_t       n_sent, want;
static unsigned     done, waits, broken, in_file;
static ngx_int_t    result;
static ngx_buf_t    bufs[PIECES];
static ngx_chain_t  links[PIECES];
static ngx_http_request_body_t  request_body;


static void
body_done(ngx_rbl_ctx_t *ctx, ngx_int_t rc)
{
    fuzz_check(ctx == &fuzz_ctx);
    done++;
    result = rc;
}


void
ngx_http_block_reading(ngx_http_request_t *r)
{
    (void) r;
}


/* Makes nginx's chain of the next `n` pieces. */
static void
give(unsigned n)
{
    ngx_buf_t     *b;
    ngx_chain_t  **last;

    for (last = &request_body.bufs; *last; last = &(*last)->next) {
        /* void */
    }

    for ( /* void */ ; n > 0 && given < n_pieces; n--, given++) {
        b = &bufs[given];
        memset(b, 0, sizeof(*b));
        held[given] = malloc(piece[given] ? piece[given] : 1);
        fuzz_check(held[given] != NULL);
        memcpy(held[given], sent + n_sent, piece[given]);
        n_sent += piece[given];

        b->pos = held[given];
        b->last = b->pos + piece[given];
        b->temporary = 1;
        b->in_file = given + 1 == n_pieces && in_file;
        links[given].buf = b;
        links[given].next = NULL;
        *last = &links[given];
        last = &links[given].next;
    }
}


ngx_int_t
ngx_http_read_client_request_body(ngx_http_request_t *r,
    ngx_http_client_body_handler_pt handler)
{
    r->request_body = &request_body;
    fuzz_check(r->request_body_no_buffering);

    if (r->reading_body) {
        give(1);
    } else {
        give(PIECES);
    }

    handler(r);

    return NGX_OK;
}


ngx_int_t
ngx_http_read_unbuffered_request_body(ngx_http_request_t *r)
{
    (void) r;

    if (broken && given > n_pieces / 2) {
        return NGX_HTTP_BAD_REQUEST;
    }

    if (waits > 0) {
        waits--;
        return NGX_AGAIN;
    }

    give(2);

    return given < n_pieces ? NGX_AGAIN : NGX_OK;
}


static void
run(int parent)
{
    unsigned            turns;
    ngx_http_request_t  other;

    if (parent) {
        memset(&other, 0, sizeof(other));
        fuzz_request.main = &other;
    }

    fuzz_ctx.body_done = body_done;
    fuzz_check(ngx_rbl_body_read(&fuzz_ctx) == NGX_OK);

    for (turns = 0; !done; turns++) {
        fuzz_check(turns < 4 * PIECES && fuzz_request.read_event_handler);
        fuzz_request.read_event_handler(&fuzz_request);
    }

    fuzz_check(done == 1);

    if (in_file) {
        fuzz_check(result != NGX_OK || broken);

    } else if (result == NGX_OK) {
        fuzz_check(want <= NGX_RBL_BODY_MAX && fuzz_ctx.body.n == want);
        fuzz_check(want == 0 || memcmp(fuzz_ctx.body.p, sent, want) == 0);

    } else {
        fuzz_check(result == NGX_HTTP_BAD_REQUEST
                   ? broken : result == NGX_HTTP_REQUEST_ENTITY_TOO_LARGE);
        fuzz_check(result == NGX_HTTP_BAD_REQUEST || want > NGX_RBL_BODY_MAX);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t    i;
    fuzz_t    f;
    unsigned  how;

    fuzz_init(&f, data, size);
    fuzz_ngx_init();
    memset(&request_body, 0, sizeof(request_body));
    how = fuzz_u8(&f);
    given = done = 0;
    n_sent = want = 0;

    for (n_pieces = 0; n_pieces < PIECES && fuzz_left(&f); n_pieces++) {
        piece[n_pieces] = fuzz_u8(&f) * (how & 1 ? 257u : 1u);
        want += piece[n_pieces];
    }

    sent = malloc(want + 1);
    fuzz_check(sent != NULL);

    for (i = 0; i < want; i++) {
        sent[i] = (u_char) (i * 7 + i / 251);
    }

    fuzz_request.reading_body = how >> 1 & 1;
    waits = how >> 2 & 3;
    broken = (how & 0x30) == 0x30 && fuzz_request.reading_body;
    in_file = (how & 0x30) == 0x20 && n_pieces > 0;
    fuzz_request.headers_in.content_length_n = -1;

    run(how >> 6 & 1 && !fuzz_request.reading_body);

    for (i = 0; i < given; i++) {
        free(held[i]);
    }

    free(sent);
    fuzz_ngx_done();

    return 0;
}
