/*
 * curl's multi interface on libev: one CURLM with its own connections, one
 * ev_io for each socket that curl has, one ev_timer for all of curl's time.
 *
 * curl is never called from inside its socket and timer functions; those only
 * set watchers.  Finished transfers are taken from the queue after curl has
 * returned, and only then is the caller told, so that a call back may start
 * the next transfer.
 *
 * The pool owns everything; a transfer owns its easy handle and lists, and
 * borrows the body.
 */

#include "transfer.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "address.h"
#include "link.h"
#include "rbl_version.h"


#define TRANSFER_AGENT      "ngx_rbl/" RBL_VERSION
#define TRANSFER_KEPT       32L         /* idle connections */
#define TRANSFER_KEPT_SECS  60L


typedef struct {
    link_t              link;
    ev_io               io;
    transfer_pool_t    *pool;
} transfer_socket_t;

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
    transfer_done_pt    done;
    void               *data;
    char                error[CURL_ERROR_SIZE];
};

struct transfer_pool_s {
    struct ev_loop     *loop;
    CURLM              *multi;
    ev_timer            timer;
    link_t              transfers, sockets;
    char                ca[256];
};


static void transfer_collect(transfer_pool_t *pool);


static void
transfer_io_handler(struct ev_loop *loop, ev_io *io, int revents)
{
    int               what, running;
    transfer_pool_t  *pool;

    (void) loop;

    pool = ((transfer_socket_t *) io->data)->pool;
    what = (revents & EV_READ ? CURL_CSELECT_IN : 0)
           | (revents & EV_WRITE ? CURL_CSELECT_OUT : 0);

    curl_multi_socket_action(pool->multi, io->fd, what, &running);
    transfer_collect(pool);
}


static void
transfer_timer_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    int               running;
    transfer_pool_t  *pool;

    (void) loop;
    (void) revents;

    pool = timer->data;

    curl_multi_socket_action(pool->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    transfer_collect(pool);
}


static int
transfer_set_timer(CURLM *multi, long ms, void *data)
{
    transfer_pool_t  *pool = data;

    (void) multi;

    ev_timer_stop(pool->loop, &pool->timer);

    if (ms >= 0) {
        ev_now_update(pool->loop);
        ev_timer_set(&pool->timer, (double) ms / 1000.0, 0.0);
        ev_timer_start(pool->loop, &pool->timer);
    }

    return 0;
}


static void
transfer_socket_free(transfer_socket_t *sock)
{
    ev_io_stop(sock->pool->loop, &sock->io);
    link_remove(&sock->link);
    free(sock);
}


static transfer_socket_t *
transfer_socket_new(transfer_pool_t *pool)
{
    transfer_socket_t  *sock;

    sock = calloc(1, sizeof(transfer_socket_t));
    if (sock == NULL) {
        return NULL;
    }

    sock->pool = pool;
    ev_init(&sock->io, transfer_io_handler);
    sock->io.data = sock;

    link_add(&pool->sockets, &sock->link);

    return sock;
}


static int
transfer_set_socket(CURL *easy, curl_socket_t fd, int what, void *data,
    void *socket_data)
{
    int                 events;
    transfer_pool_t    *pool = data;
    transfer_socket_t  *sock = socket_data;

    (void) easy;

    if (what == CURL_POLL_REMOVE) {
        if (sock != NULL) {
            curl_multi_assign(pool->multi, fd, NULL);
            transfer_socket_free(sock);
        }

        return 0;
    }

    if (sock == NULL) {
        sock = transfer_socket_new(pool);
        if (sock == NULL) {
            return -1;
        }

        curl_multi_assign(pool->multi, fd, sock);
    }

    events = (what & CURL_POLL_IN ? EV_READ : 0)
             | (what & CURL_POLL_OUT ? EV_WRITE : 0);

    ev_io_stop(pool->loop, &sock->io);
    ev_io_set(&sock->io, fd, events);
    ev_io_start(pool->loop, &sock->io);

    return 0;
}


/* The last word before a connection is made: only to the judged address. */

static curl_socket_t
transfer_open_socket(void *data, curlsocktype purpose,
    struct curl_sockaddr *peer)
{
    unsigned     port;
    rbl_addr_t   addr;
    transfer_t  *t = data;

    if (purpose != CURLSOCKTYPE_IPCXN
        || address_from_sockaddr(&addr, &port, &peer->addr) != 0
        || port != t->port || !address_equal(&addr, &t->addr))
    {
        return CURL_SOCKET_BAD;
    }

    return socket(peer->family, peer->socktype | SOCK_CLOEXEC, peer->protocol);
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

    return CURL_PREREQFUNC_OK;
}


static size_t
transfer_write(char *p, size_t size, size_t n, void *data)
{
    transfer_t  *t = data;

    (void) p;

    t->received += size * n;

    if (t->received > TRANSFER_RESPONSE_MAX) {
        t->capped = 1;
        return 0;
    }

    return size * n;
}


static void
transfer_free(transfer_t *t)
{
    link_remove(&t->link);
    curl_easy_cleanup(t->easy);
    curl_slist_free_all(t->headers);
    curl_slist_free_all(t->connect_to);
    free(t);
}


void
transfer_cancel(transfer_t *t)
{
    curl_multi_remove_handle(t->pool->multi, t->easy);
    transfer_free(t);
}


static transfer_end_t
transfer_end(const transfer_t *t, CURLcode code)
{
    switch (code) {

    case CURLE_OK:
        return TRANSFER_DONE;

    case CURLE_WRITE_ERROR:
        return t->capped ? TRANSFER_DONE : TRANSFER_BROKEN;

    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_ABORTED_BY_CALLBACK:
        return TRANSFER_CONNECT;

    case CURLE_OPERATION_TIMEDOUT:
        return TRANSFER_TIMEOUT;

    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return TRANSFER_TLS;

    default:
        return TRANSFER_BROKEN;
    }
}


static void
transfer_finish(transfer_t *t, CURLcode code)
{
    long               status;
    void              *data;
    curl_off_t         us, after;
    transfer_done_pt   done;
    transfer_result_t  result;
    char               text[CURL_ERROR_SIZE];

    status = 0;
    us = 0;
    after = 0;

    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &us);
    curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &after);

    snprintf(text, sizeof(text), "%s",
             t->error[0] != '\0' ? t->error : curl_easy_strerror(code));

    result.end = transfer_end(t, code);
    result.status = status > 0 && status < 1000 ? (unsigned) status : 0;
    result.retry_after = after > 0 ? after : 0;
    result.seconds = (double) us / 1e6;
    result.text = text;

    done = t->done;
    data = t->data;

    curl_multi_remove_handle(t->pool->multi, t->easy);
    transfer_free(t);

    done(data, &result);
}


static void
transfer_collect(transfer_pool_t *pool)
{
    int         left;
    char       *private;
    CURLcode    code;
    CURLMsg    *msg;

    while ((msg = curl_multi_info_read(pool->multi, &left)) != NULL) {
        if (msg->msg != CURLMSG_DONE) {
            continue;
        }

        /* the message is gone once its handle is removed */

        code = msg->data.result;
        private = NULL;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &private);

        if (private != NULL) {
            transfer_finish((transfer_t *) private, code);
        }
    }
}


static int
transfer_set_lists(transfer_t *t, const transfer_request_t *request)
{
    size_t              i;
    char                addr[RBL_VALUE_MAX], pin[RBL_VALUE_MAX + 32];
    struct curl_slist  *list;

    for (i = 0; request->headers[i] != NULL; i++) {
        list = curl_slist_append(t->headers, request->headers[i]);
        if (list == NULL) {
            return -1;
        }

        t->headers = list;
    }

    /* an empty host and port: whatever curl reads from the URL, it goes here */

    rbl_addr_text(addr, &t->addr);
    snprintf(pin, sizeof(pin),
             t->addr.family == RBL_FAMILY_IPV6 ? "::[%s]:%u" : "::%s:%u",
             addr, t->port);
    t->connect_to = curl_slist_append(NULL, pin);

    return t->connect_to != NULL ? 0 : -1;
}


/* What every transfer has; the strings keep curl at HTTP and at our peer. */

static const struct {
    CURLoption  option;
    long        value;
} transfer_longs[] = {
    { CURLOPT_PATH_AS_IS, 1 },
    { CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1 },
    { CURLOPT_NOSIGNAL, 1 },
    { CURLOPT_MAXAGE_CONN, TRANSFER_KEPT_SECS },
    { CURLOPT_FOLLOWLOCATION, 0 },
    { CURLOPT_DISALLOW_USERNAME_IN_URL, 1 },
    { CURLOPT_SSL_VERIFYPEER, 1 },
    { CURLOPT_SSL_VERIFYHOST, 2 },
    { CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 }
};


static CURLcode
transfer_set_guards(transfer_t *t, const char *scheme)
{
    CURL      *e = t->easy;
    size_t     i;
    CURLcode   rc;

    rc = CURLE_OK;

    for (i = 0; i < sizeof(transfer_longs) / sizeof(transfer_longs[0]); i++) {
        rc |= curl_easy_setopt(e, transfer_longs[i].option,
                               transfer_longs[i].value);
    }

    rc |= curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, scheme);
    rc |= curl_easy_setopt(e, CURLOPT_REDIR_PROTOCOLS_STR, scheme);
    rc |= curl_easy_setopt(e, CURLOPT_PROXY, "");
    rc |= curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
    rc |= curl_easy_setopt(e, CURLOPT_CONNECT_TO, t->connect_to);
    rc |= curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION,
                           transfer_open_socket);
    rc |= curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, t);
    rc |= curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, transfer_before_request);
    rc |= curl_easy_setopt(e, CURLOPT_PREREQDATA, t);

    if (t->pool->ca[0] != '\0') {
        rc |= curl_easy_setopt(e, CURLOPT_CAINFO, t->pool->ca);
    }

    return rc;
}


static CURLcode
transfer_set_request(transfer_t *t, const transfer_request_t *request)
{
    CURL      *e = t->easy;
    CURLcode   rc;

    rc = CURLE_OK;

    rc |= curl_easy_setopt(e, CURLOPT_URL, request->url);
    rc |= curl_easy_setopt(e, CURLOPT_USERAGENT, TRANSFER_AGENT);
    rc |= curl_easy_setopt(e, CURLOPT_POSTFIELDS, request->body.p);
    rc |= curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
                           (curl_off_t) request->body.n);
    rc |= curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->headers);
    rc |= curl_easy_setopt(e, CURLOPT_TIMEOUT_MS,
                           (long) (request->timeout * 1000));
    rc |= curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
                           (long) (request->connect_timeout * 1000));
    rc |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, transfer_write);
    rc |= curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
    rc |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->error);
    rc |= curl_easy_setopt(e, CURLOPT_PRIVATE, t);

    return rc;
}


transfer_t *
transfer_start(transfer_pool_t *pool, const transfer_request_t *request,
    transfer_done_pt done, void *data)
{
    transfer_t  *t;

    t = calloc(1, sizeof(transfer_t));
    if (t == NULL) {
        return NULL;
    }

    link_init(&t->link);
    t->pool = pool;
    t->addr = request->addr;
    t->port = request->port;
    t->done = done;
    t->data = data;
    t->easy = curl_easy_init();

    if (t->easy == NULL
        || transfer_set_lists(t, request) != 0
        || transfer_set_request(t, request) != CURLE_OK
        || transfer_set_guards(t, request->tls ? "https" : "http")
              != CURLE_OK
        || curl_multi_add_handle(pool->multi, t->easy) != CURLM_OK)
    {
        transfer_free(t);
        return NULL;
    }

    link_add(&pool->transfers, &t->link);

    return t;
}


transfer_pool_t *
transfer_pool_new(struct ev_loop *loop, const char *ca)
{
    transfer_pool_t  *pool;

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return NULL;
    }

    pool = calloc(1, sizeof(transfer_pool_t));
    if (pool == NULL) {
        curl_global_cleanup();
        return NULL;
    }

    pool->loop = loop;
    link_init(&pool->transfers);
    link_init(&pool->sockets);
    ev_init(&pool->timer, transfer_timer_handler);
    pool->timer.data = pool;
    snprintf(pool->ca, sizeof(pool->ca), "%s", ca);

    pool->multi = curl_multi_init();
    if (pool->multi == NULL) {
        free(pool);
        curl_global_cleanup();
        return NULL;
    }

    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION,
                      transfer_set_socket);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION,
                      transfer_set_timer);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, TRANSFER_KEPT);

    return pool;
}


void
transfer_pool_free(transfer_pool_t *pool)
{
    while (!link_empty(&pool->transfers)) {
        transfer_cancel(link_of(pool->transfers.next, transfer_t, link));
    }

    curl_multi_cleanup(pool->multi);

    while (!link_empty(&pool->sockets)) {
        transfer_socket_free(link_of(pool->sockets.next, transfer_socket_t,
                                     link));
    }

    ev_timer_stop(pool->loop, &pool->timer);
    free(pool);
    curl_global_cleanup();
}
