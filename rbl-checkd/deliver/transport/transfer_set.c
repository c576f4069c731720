/*
 * Sets up one transfer: the request, its target, limits, and the kept parts of
 * the answer.
 */

#include "transfer_int.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "address.h"
#include "rbl_out.h"
#include "rbl_version.h"


#define TRANSFER_AGENT      "ngx_rbl/" RBL_VERSION
#define TRANSFER_KEPT_SECS  60L
#define TRANSFER_BUFFER     4096L       /* per read: answers are short */
#define TRANSFER_WINDOW     65536       /* octets that the kernel may hold */
#define TRANSFER_LINE_COST  64          /* octets added per line */


/* The last word before a connection is made: only to the judged address. */

static curl_socket_t
transfer_open_socket(void *data, curlsocktype purpose,
    struct curl_sockaddr *peer)
{
    int          fd;
    unsigned     port;
    rbl_addr_t   addr;
    transfer_t  *t = data;

    static const int  window = TRANSFER_WINDOW;

    if (purpose != CURLSOCKTYPE_IPCXN
        || address_from_sockaddr(&addr, &port, &peer->addr) != 0
        || port != t->port || !address_equal(&addr, &t->addr))
    {
        return CURL_SOCKET_BAD;
    }

    t->opened = 1;
    fd = socket(peer->family, peer->socktype | SOCK_CLOEXEC, peer->protocol);

    /* the kernel's buffer for an endless answer is bounded, too */

    if (fd != -1) {
        (void) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window));
    }

    return fd;
}


/* And before a request is sent, also on a connection that was kept. */

static int
transfer_before_request(void *data, char *peer, char *local, int port,
    int local_port)
{
    rbl_addr_t   addr;
    transfer_t  *t = data;

    (void) local;
    (void) local_port;

    if (rbl_addr_parse(&addr, rbl_str(peer)) != RBL_OK
        || (unsigned) port != t->port || !address_equal(&addr, &t->addr))
    {
        return CURL_PREREQFUNC_ABORT;
    }

    t->sent = 1;

    return CURL_PREREQFUNC_OK;
}


static size_t
transfer_write(char *p, size_t size, size_t n, void *data)
{
    size_t       kept;
    transfer_t  *t = data;

    n *= size;

    if (t->received < TRANSFER_BODY_KEPT) {
        kept = TRANSFER_BODY_KEPT - t->received;
        memcpy(t->body + t->received, p, n < kept ? n : kept);
    }

    t->received += n;

    if (t->whole != NULL) {
        rbl_out_bytes(&t->whole->out, p, n);
    }

    if (t->received > TRANSFER_RESPONSE_MAX) {
        t->capped = 1;
        return 0;
    }

    return n;
}


/*
 * One line at a time, of trailers too; an interim response is forgotten.  curl
 * keeps each line in a structure of its own.
 */

static size_t
transfer_header(char *p, size_t size, size_t n, void *data)
{
    long         status;
    transfer_t  *t = data;

    n *= size;
    t->head_size += n + TRANSFER_LINE_COST;

    if (t->head_size > TRANSFER_HEAD_MAX) {
        t->capped = 1;
        return 0;
    }

    if (n == 0 || *p == '\r' || *p == '\n') {
        status = 0;
        curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
        t->head_whole = status >= 200;
    }

    if (n > 5 && memcmp(p, "HTTP/", 5) == 0) {
        t->n_head = 0;

    } else if (n <= TRANSFER_HEADERS_KEPT - t->n_head) {
        memcpy(t->head + t->n_head, p, n);
        t->n_head += n;
    }

    return n;
}


/* An empty host and port: whatever curl reads from the URL, it goes here. */

static void
transfer_set_pin(transfer_t *t)
{
    char   *p, *end, number[RBL_OUT_INT];
    int     v6;
    char    addr[RBL_VALUE_MAX];

    v6 = t->addr.family == RBL_FAMILY_IPV6;
    end = t->pin + sizeof(t->pin);

    rbl_addr_text(addr, &t->addr);
    p = stpcpy(t->pin, v6 ? "::[" : "::");
    p = stpcpy(p, addr);
    p = stpcpy(p, v6 ? "]:" : ":");
    rbl_copy(p, (size_t) (end - p), rbl_out_int_text(number, t->port));

    t->connect_to.data = t->pin;
    t->connect_to.next = NULL;
}


/* Lists of our own: curl reads them and keeps nothing. */

static int
transfer_set_lists(transfer_t *t, const request_t *r)
{
    size_t  i, n;

    n = 0;

    if (!r->get) {
        snprintf(t->type, sizeof(t->type), "Content-Type: %s",
                 r->content_type);
        t->header[n++].data = t->type;
    }

    for (i = 0; i < r->n_headers; i++) {
        t->header[n++].data = (char *) (uintptr_t) r->header[i];
    }

    /* curl would sign the first and not send it, and would rebuild the second
       for each request and sign that one */

    if (r->sigv4[0] == '\0') {
        t->header[n++].data = (char *) (uintptr_t) "Expect:";
        t->header[n++].data = (char *) (uintptr_t) "User-Agent: "
                                                   TRANSFER_AGENT;
    }

    for (i = 0; i < n; i++) {
        t->header[i].next = i + 1 < n ? &t->header[i + 1] : NULL;
    }

    transfer_set_pin(t);

    return n > 0 ? 0 : -1;
}


/* Options of every transfer. */

static const struct {
    CURLoption  option;
    long        value;
} transfer_longs[] = {
    { CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1 },
    { CURLOPT_NOSIGNAL, 1 },
    { CURLOPT_BUFFERSIZE, TRANSFER_BUFFER },
    { CURLOPT_MAXAGE_CONN, TRANSFER_KEPT_SECS },
    { CURLOPT_FOLLOWLOCATION, 0 },
    { CURLOPT_SSL_VERIFYPEER, 1 },
    { CURLOPT_SSL_VERIFYHOST, 2 },
    { CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 }
};


static CURLcode
transfer_set_functions(transfer_t *t)
{
    CURL      *e = t->easy;
    CURLcode   rc;

    rc = curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, transfer_open_socket);
    rc |= curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, t);
    rc |= curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, transfer_before_request);
    rc |= curl_easy_setopt(e, CURLOPT_PREREQDATA, t);
    rc |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, transfer_write);
    rc |= curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
    rc |= curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, transfer_header);
    rc |= curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
    rc |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->error);
    rc |= curl_easy_setopt(e, CURLOPT_PRIVATE, t);

    return rc;
}


int
transfer_prepare(transfer_t *t)
{
    CURL      *e = t->easy;
    size_t     i;
    CURLcode   rc;

    t->tls = -1;
    t->spoilt = 0;
    rc = transfer_set_functions(t);

    for (i = 0; i < sizeof(transfer_longs) / sizeof(transfer_longs[0]); i++) {
        rc |= curl_easy_setopt(e, transfer_longs[i].option,
                               transfer_longs[i].value);
    }

    rc |= curl_easy_setopt(e, CURLOPT_PROXY, "");
    rc |= curl_easy_setopt(e, CURLOPT_NOPROXY, "*");

    if (t->pool->ca[0] != '\0') {
        rc |= curl_easy_setopt(e, CURLOPT_CAINFO, t->pool->ca);
    }

    return rc == CURLE_OK ? 0 : -1;
}


static CURLcode
transfer_set_scheme(transfer_t *t, int tls)
{
    CURLcode     rc;
    const char  *scheme;

    if (t->tls == tls) {
        return CURLE_OK;
    }

    t->tls = tls;
    scheme = tls ? "https" : "http";
    rc = curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, scheme);

    return rc | curl_easy_setopt(t->easy, CURLOPT_REDIR_PROTOCOLS_STR, scheme);
}


static CURLcode
transfer_set_request(transfer_t *t, const transfer_request_t *request)
{
    CURL             *e = t->easy;
    CURLcode          rc;
    const request_t  *r = request->request;

    rc = transfer_set_scheme(t, request->tls != 0);
    rc |= curl_easy_setopt(e, CURLOPT_URL, request->url);
    rc |= curl_easy_setopt(e, CURLOPT_CURLU, transfer_url_read(t->url));
    rc |= curl_easy_setopt(e, CURLOPT_CONNECT_TO, &t->connect_to);
    rc |= curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->header);
    rc |= curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body.p);
    rc |= curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
                           (curl_off_t) r->body.n);
    rc |= curl_easy_setopt(e, CURLOPT_TIMEOUT_MS,
                           (long) (request->timeout * 1000));
    rc |= curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
                           (long) (request->connect_timeout * 1000));
    rc |= curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, (long) r->fresh);
    rc |= curl_easy_setopt(e, CURLOPT_FORBID_REUSE, (long) r->fresh);

    if (r->get) {
        t->spoilt = 1;
        rc |= curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
    }

    return rc;
}


/* The two apart: a name with a colon stays one. */

static CURLcode
transfer_set_user(transfer_t *t, const request_t *r)
{
    CURL      *e = t->easy;
    CURLcode   rc;

    if (r->user.n == 0) {
        return CURLE_OK;
    }

    t->spoilt = 1;
    rc = curl_easy_setopt(e, CURLOPT_USERNAME, r->user.p);
    rc |= curl_easy_setopt(e, CURLOPT_PASSWORD,
                           r->password.n > 0 ? r->password.p : "");

    if (r->sigv4[0] != '\0') {
        rc |= curl_easy_setopt(e, CURLOPT_USERAGENT, TRANSFER_AGENT);
        return rc | curl_easy_setopt(e, CURLOPT_AWS_SIGV4, r->sigv4);
    }

    return rc | curl_easy_setopt(e, CURLOPT_HTTPAUTH, (long) CURLAUTH_BASIC);
}


int
transfer_set(transfer_t *t, const transfer_request_t *request)
{
    t->url = transfer_url_get(t->pool, request->url);

    return t->url != NULL
           && transfer_set_lists(t, request->request) == 0
           && transfer_set_request(t, request) == CURLE_OK
           && transfer_set_user(t, request->request) == CURLE_OK
           ? 0 : -1;
}
