/*
 * Pages of a digest.  hiredis frees a reply after its callback; copies are made
 * as it makes replies, so that it frees them as well.
 */

#include "digest_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "rbl_script.h"


static redisReply *
pages_copy(const redisReply *r)
{
    size_t       i;
    redisReply  *copy;

    copy = xcalloc(1, sizeof(redisReply));
    copy->type = r->type;
    copy->integer = r->integer;

    if (r->str != NULL) {
        copy->str = xstrndup(r->str, r->len);
        copy->len = r->len;
    }

    if (r->elements > 0) {
        copy->element = xcalloc(r->elements, sizeof(redisReply *));
        copy->elements = r->elements;
    }

    for (i = 0; i < r->elements; i++) {
        copy->element[i] = pages_copy(r->element[i]);
    }

    return copy;
}


redisReply *
digest_pages_new(const redisReply *page)
{
    rbl_digest_claim_page_t  p;

    rbl_digest_claim_page(&p, page);

    return p.hosts != NULL && p.lists != NULL ? pages_copy(page) : NULL;
}


/* Moves the elements of `more`, which then has none. */

static void
pages_move(redisReply *to, redisReply *more)
{
    size_t  n;

    if (more->elements == 0) {
        return;
    }

    n = to->elements + more->elements;
    to->element = xrealloc(to->element, n * sizeof(redisReply *));
    memcpy(to->element + to->elements, more->element,
           more->elements * sizeof(redisReply *));
    to->elements = n;
    more->elements = 0;
}


int
digest_pages_add(redisReply *whole, const redisReply *page)
{
    size_t                   i;
    redisReply              *copy, *part;
    rbl_digest_claim_page_t  p;

    copy = digest_pages_new(page);
    if (copy == NULL) {
        return -1;
    }

    if (copy->elements != whole->elements) {
        freeReplyObject(copy);
        return -1;
    }

    rbl_digest_claim_page(&p, whole);

    for (i = 0; i < whole->elements; i++) {
        part = whole->element[i];

        if (part == p.hosts || part == p.lists) {
            pages_move(part, copy->element[i]);

        } else {
            whole->element[i] = copy->element[i];
            copy->element[i] = part;
        }
    }

    freeReplyObject(copy);

    return 0;
}


size_t
digest_pages_hosts(const redisReply *whole)
{
    rbl_digest_claim_page_t  p;

    rbl_digest_claim_page(&p, whole);

    return rbl_reply_len(p.hosts) / 2;
}


int
digest_pages_more(const redisReply *whole)
{
    size_t                   i, octets;
    rbl_digest_claim_page_t  p;

    rbl_digest_claim_page(&p, whole);
    octets = 0;

    for (i = 0; i < rbl_reply_len(p.hosts); i += 2) {
        octets += rbl_reply_str(rbl_reply_at(p.hosts, i)).n;
    }

    return p.more == 1 && octets < DIGEST_OCTETS;
}
