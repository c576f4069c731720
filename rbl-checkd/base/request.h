/*
 * A request to another service while it is being made: a delivery by a channel,
 * a payment by a gateway.  deliver/transport/exchange.h sends it, a mail
 * deliver/transport/smtp.h.
 */

#ifndef REQUEST_H_INCLUDED
#define REQUEST_H_INCLUDED

#include "buf.h"

#define REQUEST_HEADERS     8
#define REQUEST_HEADER_MAX  384
#define REQUEST_SIGV4_MAX   96

typedef struct {
    rbl_str_t    to;                    /* URL, or address of a mail */
    rbl_str_t    body;                  /* a mail with its headers, lines ending
                                           in CR LF */
    rbl_buf_t    to_made, body_made;    /* buffers for these */
    int          get;                   /* GET, without a body; 0: POST */
    const char  *content_type;          /* a literal */
    rbl_str_t    user, password;        /* of Basic, or the id and the secret
                                           of the signature; n 0: none.  NUL
                                           behind them */
    int          trusted;               /* `to` begins with a base address of
                                           the configuration: it may lead
                                           anywhere */
    int          fresh;                 /* a new connection: libcurl sends a
                                           POST twice if the server has closed
                                           a kept one */
    char         sigv4[REQUEST_SIGV4_MAX];  /* "aws:amz:<region>:<service>",
                                               "": not signed so */
    const char  *why;                   /* a literal: why it cannot be made, for
                                           the customer */
    unsigned     n_headers;             /* HTTP headers without Content-Type */
    char         header[REQUEST_HEADERS][REQUEST_HEADER_MAX];
} request_t;

request_t *request_new(void);           /* a POST of JSON */

/* Wipes it, too; NULL is nothing. */
void request_free(request_t *request);

/* Ends the making: `to` and `body` are what the buffers hold, unless they are
   set already. */
void request_made(request_t *request);

/* Adds "Name: value"; RBL_EINVAL: it does not fit, or is no line of text. */
rbl_err_t request_header(request_t *request, const char *name,
    rbl_str_t value);

#endif /* REQUEST_H_INCLUDED */
