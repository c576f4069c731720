/*
 * One HTTP POST, or GET, to one address: libcurl's multi interface on libev.
 * The only file that knows curl is transfer.c.
 *
 * The caller has judged the address; the pool sees to it that the connection
 * goes there and nowhere else: no name look-up, no proxy, no redirect, no
 * other protocol, and a check of the peer before the socket is made and again
 * before the request is sent, on a kept connection too.
 */

#ifndef DELIVER_TRANSFER_H_INCLUDED
#define DELIVER_TRANSFER_H_INCLUDED

#include <ev.h>

#include "base/request.h"
#include "rbl_validate.h"

#define TRANSFER_RESPONSE_MAX  65536    /* octets of a response body; the rest
                                           is not read */
#define TRANSFER_HEAD_MAX      65536    /* octets of all header and trailer
                                           lines, each counted with 64 more */
#define TRANSFER_WIRE_MAX      262144   /* octets on the wire: with the framing
                                           of chunks and of TLS */
#define TRANSFER_BODY_KEPT     1024     /* of the body the caller gets these, */
#define TRANSFER_HEADERS_KEPT  4096     /* and of the headers whole lines */

typedef struct transfer_pool_s  transfer_pool_t;
typedef struct transfer_s       transfer_t;

typedef struct {
    const request_t  *request;          /* but for its `to`; it must outlive the
                                           transfer */
    const char       *url;              /* rebuilt from its judged parts */
    int               tls;
    rbl_addr_t        addr;             /* where it goes */
    unsigned          port;
    rbl_buf_t        *whole;            /* gets all of the response's body; it
                                           must outlive the transfer.  NULL:
                                           its beginning is enough */
    double            timeout;          /* s, for all of it */
    double            connect_timeout;
} transfer_request_t;

typedef enum {
    TRANSFER_DONE = 0,                  /* a response, or all of its head and
                                           more than may come after: look at
                                           status */
    TRANSFER_CONNECT,                   /* no connection */
    TRANSFER_TIMEOUT,
    TRANSFER_TLS,
    TRANSFER_BROKEN,                    /* incomplete HTTP response */
    TRANSFER_RESOLVE,                   /* of an exchange: its name has no
                                           address */
    TRANSFER_INTERNAL                   /* of an exchange: it cannot be sent */
} transfer_end_t;

typedef struct {
    transfer_end_t  end;
    unsigned        status;             /* HTTP; 0 if there was none */
    int64_t         retry_after;        /* s; 0 if none was given */
    int             unsure;             /* no whole response to a request that
                                           was on its way: did it arrive? */
    double          seconds;
    rbl_str_t       body, headers;      /* the beginnings; foreign bytes */
    const char     *text;               /* of the library, for the log; holds
                                           foreign bytes */
} transfer_result_t;

/* The result lives during the call; the transfer is gone after it. */
typedef void (*transfer_done_pt)(void *data, const transfer_result_t *result);

/*
 * `ca`: a file of certificates, "" for the system's.  `kept`: the maximum
 * number of connections, in use or not; with fewer connections than transfers
 * curl opens a new one for nearly each request.  NULL: curl cannot be used.
 */
transfer_pool_t *transfer_pool_new(struct ev_loop *loop, const char *ca,
    unsigned kept);

/* Ends every transfer without calling back. */
void transfer_pool_free(transfer_pool_t *pool);

/*
 * Starts; the call back comes exactly once and never from inside, unless the
 * transfer is cancelled.  NULL: curl does not take the request.
 */
transfer_t *transfer_start(transfer_pool_t *pool,
    const transfer_request_t *request, transfer_done_pt done, void *data);
void transfer_cancel(transfer_t *transfer);

/* Is the request on its way, so that it may arrive even if it is cancelled? */
int transfer_sent(const transfer_t *transfer);

#endif /* DELIVER_TRANSFER_H_INCLUDED */
