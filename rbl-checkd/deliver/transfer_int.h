/*
 * What the files of the transfers share: the pool and what it runs
 * (transfer.c), and how one is set up (transfer_set.c).
 */

#ifndef TRANSFER_INT_H_INCLUDED
#define TRANSFER_INT_H_INCLUDED

#include <curl/curl.h>

#include "link.h"
#include "transfer.h"

struct transfer_s {
    link_t              link;
    transfer_pool_t    *pool;
    CURL               *easy;
    struct curl_slist  *headers;
    struct curl_slist  *connect_to;
    rbl_addr_t          addr;
    unsigned            port;
    size_t              received;
    int                 capped;
    int                 sent;           /* the request is on its way */
    size_t              n_head;         /* octets of it */
    char                head[TRANSFER_HEADERS_KEPT];
    char                body[TRANSFER_BODY_KEPT];
    transfer_done_pt    done;
    void               *data;
    char                error[CURL_ERROR_SIZE];
};

#define TRANSFER_SPARE  64              /* easy handles that wait for work */

struct transfer_pool_s {
    struct ev_loop     *loop;
    CURLM              *multi;
    CURL               *spare[TRANSFER_SPARE];
    unsigned            n_spare;
    ev_timer            timer;
    link_t              transfers, sockets;
    char                ca[256];
};

/* Everything that curl is told.  0, or -1: no memory, or curl cannot. */
int transfer_set(transfer_t *t, const transfer_request_t *request);

#endif /* TRANSFER_INT_H_INCLUDED */
