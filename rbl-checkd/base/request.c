#include "request.h"

#include <openssl/crypto.h>
#include <stdlib.h>

#include "xalloc.h"


request_t *
request_new(void)
{
    request_t  *request;

    request = xmalloc(sizeof(request_t));

    /* n_headers says which of them are set */

    memset(request, 0, offsetof(request_t, header));
    rbl_buf_init(&request->to_made);
    rbl_buf_init(&request->body_made);
    request->content_type = "application/json";
    request->why = "";

    return request;
}


/* Both may hold secrets. */

static void
request_forget(rbl_buf_t *buf)
{
    rbl_str_t  made;

    made = rbl_buf_str(buf);

    if (made.n > 0) {
        OPENSSL_cleanse(buf->base, made.n);
    }

    rbl_buf_free(buf);
}


void
request_free(request_t *request)
{
    if (request == NULL) {
        return;
    }

    request_forget(&request->to_made);
    request_forget(&request->body_made);
    OPENSSL_cleanse(request->header,
                    request->n_headers * REQUEST_HEADER_MAX);
    free(request);
}


void
request_made(request_t *request)
{
    if (request->to.n == 0) {
        request->to = rbl_buf_str(&request->to_made);
    }

    if (request->body.n == 0) {
        request->body = rbl_buf_str(&request->body_made);
    }
}


/* A control character could begin another line, which is another header. */

rbl_err_t
request_header(request_t *request, const char *name, rbl_str_t value)
{
    char    *p;
    size_t   i, n;

    n = strlen(name);

    if (request->n_headers == REQUEST_HEADERS
        || n + 2 + value.n >= REQUEST_HEADER_MAX)
    {
        return RBL_EINVAL;
    }

    for (i = 0; i < value.n; i++) {
        if ((unsigned char) value.p[i] < ' ' || value.p[i] == 0x7f) {
            return RBL_EINVAL;
        }
    }

    p = mempcpy(request->header[request->n_headers++], name, n);
    p = mempcpy(p, ": ", 2);
    p = mempcpy(p, value.p, value.n);
    *p = '\0';

    return RBL_OK;
}
