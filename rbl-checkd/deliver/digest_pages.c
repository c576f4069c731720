/*
 * Pages of a digest.  hiredis frees a reply after its callback; copies are made
 * as it makes replies, so that it frees them as well.
 */

#include "digest_pages.h"

#include <stdlib.h>
#include <string.h>


enum {
    PAGE_HOSTS = 7,
    PAGE_LISTS = 8,
    PAGE_MORE = 12,
    PAGE_PARTS = 13
};


static redisReply *
pages_copy(const redisReply *r)
{
    size_t       i;
    redisReply  *copy;

    copy = r != NULL ? calloc(1, sizeof(redisReply)) : NULL;
    if (copy == NULL) {
        return NULL;
    }

    copy->type = r->type;
    copy->integer = r->integer;

    if (r->str != NULL) {
        copy->str = malloc(r->len + 1);
        if (copy->str == NULL) {
            goto failed;
        }

        memcpy(copy->str, r->str, r->len);
        copy->str[r->len] = '\0';
        copy->len = r->len;
    }

    if (r->elements > 0) {
        copy->element = calloc(r->elements, sizeof(redisReply *));
        if (copy->element == NULL) {
            goto failed;
        }

        copy->elements = r->elements;
    }

    for (i = 0; i < r->elements; i++) {
        copy->element[i] = pages_copy(r->element[i]);
        if (copy->element[i] == NULL) {
            goto failed;
        }
    }

    return copy;

failed:

    freeReplyObject(copy);
    return NULL;
}


static int
pages_is_page(const redisReply *page)
{
    return page != NULL && page->type == REDIS_REPLY_ARRAY
           && page->elements >= PAGE_PARTS
           && page->element[PAGE_HOSTS]->type == REDIS_REPLY_ARRAY
           && page->element[PAGE_LISTS]->type == REDIS_REPLY_ARRAY;
}


redisReply *
digest_pages_new(const redisReply *page)
{
    return pages_is_page(page) ? pages_copy(page) : NULL;
}


/* Moves the elements of `more`, which then has none. */

static int
pages_move(redisReply *to, redisReply *more)
{
    size_t        n;
    redisReply  **element;

    n = to->elements + more->elements;
    if (more->elements == 0) {
        return 0;
    }

    element = realloc(to->element, n * sizeof(redisReply *));
    if (element == NULL) {
        return -1;
    }

    memcpy(element + to->elements, more->element,
           more->elements * sizeof(redisReply *));
    to->element = element;
    to->elements = n;
    more->elements = 0;

    return 0;
}


int
digest_pages_add(redisReply *whole, const redisReply *page)
{
    int          rc;
    size_t       i;
    redisReply  *copy, *part;

    copy = digest_pages_new(page);
    if (copy == NULL) {
        return -1;
    }

    rc = 0;

    for (i = 0; i < PAGE_PARTS && rc == 0; i++) {
        if (i == PAGE_HOSTS || i == PAGE_LISTS) {
            rc = pages_move(whole->element[i], copy->element[i]);

        } else {
            part = whole->element[i];
            whole->element[i] = copy->element[i];
            copy->element[i] = part;
        }
    }

    freeReplyObject(copy);

    return rc;
}


size_t
digest_pages_hosts(const redisReply *whole)
{
    return rbl_reply_len(rbl_reply_at(whole, PAGE_HOSTS)) / 2;
}


int
digest_pages_more(const redisReply *whole)
{
    size_t             i, octets;
    const redisReply  *hosts;

    hosts = rbl_reply_at(whole, PAGE_HOSTS);
    octets = 0;

    for (i = 0; i < rbl_reply_len(hosts); i += 2) {
        octets += rbl_reply_str(rbl_reply_at(hosts, i)).n;
    }

    return rbl_reply_int(rbl_reply_at(whole, PAGE_MORE), 0) == 1
           && octets < DIGEST_OCTETS;
}
