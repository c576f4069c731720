/*
 * What the files of the transfers share: the pool and what it runs
 * (transfer.c), and how one is set up (transfer_set.c).
 */

#ifndef TRANSFER_INT_H_INCLUDED
#define TRANSFER_INT_H_INCLUDED

#include <curl/curl.h>

#include "link.h"
#include "transfer.h"

#define TRANSFER_HEADERS  16
#define TRANSFER_PIN_MAX  (RBL_VALUE_MAX + 32)

/* One is used again with its handle, which was told once what never changes. */
struct transfer_s {
    link_t              link;
    transfer_pool_t    *pool;
    CURL               *easy;
    int                 tls;            /* what the handle may do: 0, 1, or -1:
                                           it is not told yet */
    int                 spoilt;         /* it must be told everything anew */
    struct curl_slist   header[TRANSFER_HEADERS];   /* of the caller's bytes */
    struct curl_slist   connect_to;
    char                pin[TRANSFER_PIN_MAX];
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

#define TRANSFER_SPARE  64              /* transfers that wait for work */

struct transfer_pool_s {
    struct ev_loop     *loop;
    CURLM              *multi;
    link_t              spare;
    unsigned            n_spare;
    ev_timer            timer;
    link_t              transfers, sockets;
    char                ca[256];
};

/* What curl is told of every transfer of a handle, and of this one.  0, or -1:
   no memory, or curl cannot. */
int transfer_prepare(transfer_t *t);
int transfer_set(transfer_t *t, const transfer_request_t *request);

#endif /* TRANSFER_INT_H_INCLUDED */
