/*
 * Declarations of the transfers' files: the pool and its transfers
 * (transfer.c), setup of a transfer (transfer_set.c), cached URLs
 * (transfer_url.c).
 */

#ifndef TRANSFER_INT_H_INCLUDED
#define TRANSFER_INT_H_INCLUDED

#include <curl/curl.h>

#include <stdint.h>

#include "base/link.h"
#include "transfer.h"

#define TRANSFER_HEADERS  (REQUEST_HEADERS + 3)
#define TRANSFER_PIN_MAX  (RBL_VALUE_MAX + 32)

typedef struct transfer_url_s     transfer_url_t;
typedef struct transfer_socket_s  transfer_socket_t;

/* A transfer is reused with its handle, whose constant options are set once. */
struct transfer_s {
    link_t              link;
    transfer_pool_t    *pool;
    CURL               *easy;
    int                 tls;            /* TLS setting of the handle: 0, 1, or
                                           -1: not set yet */
    int                 spoilt;         /* all its options must be set again */
    transfer_url_t     *url;            /* NULL: it waits for work */
    struct curl_slist   header[TRANSFER_HEADERS];   /* of the caller's bytes */
    char                type[96];       /* the header Content-Type */
    struct curl_slist   connect_to;
    char                pin[TRANSFER_PIN_MAX];
    rbl_addr_t          addr;
    unsigned            port;
    transfer_socket_t  *sock;           /* NULL: curl watches none for it */
    unsigned            reads;          /* turns in which that was read */
    int                 opened;         /* its connection is its own */
    int                 measured;       /* wire_base is set */
    uint64_t            wire_base;      /* octets that came before it */
    size_t              received;
    size_t              head_size;      /* of header and trailer lines */
    int                 head_whole;     /* of a final response */
    int                 capped;         /* more than may come has come */
    int                 sent;           /* the request is on its way */
    size_t              n_head;         /* octets of it */
    char                head[TRANSFER_HEADERS_KEPT];
    char                body[TRANSFER_BODY_KEPT];
    rbl_buf_t          *whole;          /* NULL: that is enough */
    transfer_done_pt    done;
    void               *data;
    char                error[CURL_ERROR_SIZE];
};

#define TRANSFER_SPARE  64              /* transfers that wait for work */
#define TRANSFER_URLS   256u            /* that are kept; a power of two */

struct transfer_pool_s {
    struct ev_loop     *loop;
    CURLM              *multi;
    link_t              spare;
    unsigned            n_spare;
    ev_timer            timer;
    link_t              transfers, sockets;
    transfer_url_t     *urls[TRANSFER_URLS];
    char                ca[256];
};

/* Sets the options for all transfers of a handle, and those of one
   transfer.  0, or -1: curl cannot. */
int transfer_prepare(transfer_t *t);
int transfer_set(transfer_t *t, const transfer_request_t *request);

/* NULL: curl does not take it.  Put back when the handle has forgotten it; NULL
   is nothing. */
transfer_url_t *transfer_url_get(transfer_pool_t *pool, const char *z);
void transfer_url_put(transfer_url_t *url);
CURLU *transfer_url_read(const transfer_url_t *url);

/* Frees the table of the pool, when it has no transfers. */
void transfer_urls_forget(transfer_pool_t *pool);

#endif /* TRANSFER_INT_H_INCLUDED */
