/*
 * curl's multi interface on libev: one CURLM with its own connections, one
 * ev_io for each socket that curl has, one ev_timer for all of curl's time.
 *
 * curl is never called from inside its socket and timer functions; those only
 * set watchers.  Finished transfers are taken from the queue after curl has
 * returned, then the caller is called back, so that a call back may start the
 * next transfer.
 *
 * The pool owns everything; a transfer owns its easy handle, and borrows the
 * body and the headers.
 */

#include "base/xalloc.h"
#include "transfer_int.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>


#define TRANSFER_READS_FREE  2u         /* turns that are not counted */

struct transfer_socket_s {
    link_t              link;
    ev_io               io;
    transfer_pool_t    *pool;
    transfer_t         *transfer;       /* NULL: it is over */
};


static void transfer_collect(transfer_pool_t *pool);
static void transfer_finish(transfer_t *t, CURLcode code);


/* Octets that the connection has got, and 0; or -1. */

static int
transfer_arrived(int fd, uint64_t *received)
{
    socklen_t        n;
    struct tcp_info  info;

    n = sizeof(info);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0
        || n < offsetof(struct tcp_info, tcpi_bytes_received)
               + sizeof(info.tcpi_bytes_received))
    {
        return -1;
    }

    *received = info.tcpi_bytes_received;

    return 0;
}


/* Octets of these that were not read yet. */

static uint64_t
transfer_unread(int fd)
{
    int  n;

    return ioctl(fd, FIONREAD, &n) == 0 && n > 0 ? (uint64_t) n : 0;
}


/*
 * Before its socket is read: did more than TRANSFER_WIRE_MAX come?  That counts
 * the octets below HTTP and TLS, including chunk extensions and trailers, which
 * no function of curl reports, and empty TLS records.  The kernel keeps the
 * count, so an answer that comes at once costs nothing.  curl reads up to 100
 * buffers in a turn of the loop, so a fast receiver gets a few turns of them
 * through before it is cut.
 */

static int
transfer_wire_over(transfer_t *t, int fd)
{
    uint64_t  received;

    if (++t->reads <= TRANSFER_READS_FREE
        || transfer_arrived(fd, &received) != 0)
    {
        return 0;
    }

    if (!t->measured) {
        t->measured = 1;
        t->wire_base = t->opened ? 0 : received - transfer_unread(fd);
    }

    return received - t->wire_base > TRANSFER_WIRE_MAX
           && received - transfer_unread(fd) - t->wire_base > TRANSFER_WIRE_MAX;
}


static void
transfer_io_handler(struct ev_loop *loop, ev_io *io, int revents)
{
    int                 what, running;
    transfer_pool_t    *pool;
    transfer_socket_t  *sock = io->data;

    (void) loop;

    pool = sock->pool;

    if (revents & EV_READ && sock->transfer != NULL
        && transfer_wire_over(sock->transfer, io->fd))
    {
        sock->transfer->capped = 1;
        transfer_finish(sock->transfer, CURLE_WRITE_ERROR);
        return;
    }

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
    if (sock->transfer != NULL) {
        sock->transfer->sock = NULL;
    }

    ev_io_stop(sock->pool->loop, &sock->io);
    link_remove(&sock->link);
    free(sock);
}


static void
transfer_forget_socket(transfer_t *t)
{
    if (t->sock != NULL) {
        t->sock->transfer = NULL;
        t->sock = NULL;
    }
}


static transfer_socket_t *
transfer_socket_new(transfer_pool_t *pool)
{
    transfer_socket_t  *sock;

    sock = xcalloc(1, sizeof(transfer_socket_t));
    sock->pool = pool;
    ev_init(&sock->io, transfer_io_handler);
    sock->io.data = sock;

    link_add(&pool->sockets, &sock->link);

    return sock;
}


/* curl watches it for this transfer from now on. */

static void
transfer_socket_of(transfer_socket_t *sock, CURL *easy)
{
    char  *private;

    private = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);

    if (private != (char *) sock->transfer && private != NULL) {
        transfer_forget_socket((transfer_t *) private);
        sock->transfer = (transfer_t *) private;
        sock->transfer->sock = sock;
    }
}


static int
transfer_set_socket(CURL *easy, curl_socket_t fd, int what, void *data,
    void *socket_data)
{
    int                 events;
    transfer_pool_t    *pool = data;
    transfer_socket_t  *sock = socket_data;

    if (what == CURL_POLL_REMOVE) {
        if (sock != NULL) {
            curl_multi_assign(pool->multi, fd, NULL);
            transfer_socket_free(sock);
        }

        return 0;
    }

    if (sock == NULL) {
        sock = transfer_socket_new(pool);
        curl_multi_assign(pool->multi, fd, sock);
    }

    transfer_socket_of(sock, easy);

    events = (what & CURL_POLL_IN ? EV_READ : 0)
             | (what & CURL_POLL_OUT ? EV_WRITE : 0);

    ev_io_stop(pool->loop, &sock->io);
    ev_io_set(&sock->io, fd, events);
    ev_io_start(pool->loop, &sock->io);

    return 0;
}


static void
transfer_free(transfer_t *t)
{
    link_remove(&t->link);
    transfer_forget_socket(t);

    if (t->easy != NULL) {
        curl_easy_cleanup(t->easy);
    }

    transfer_url_put(t->url);
    free(t);
}


static transfer_t *
transfer_new(transfer_pool_t *pool)
{
    transfer_t  *t;

    t = xcalloc(1, sizeof(transfer_t));
    link_init(&t->link);
    t->pool = pool;
    t->easy = curl_easy_init();

    if (t->easy == NULL || transfer_prepare(t) != 0) {
        transfer_free(t);
        return NULL;
    }

    return t;
}


static transfer_t *
transfer_get(transfer_pool_t *pool)
{
    if (pool->n_spare == 0) {
        return transfer_new(pool);
    }

    pool->n_spare--;

    return link_of(link_shift(&pool->spare), transfer_t, link);
}


/* A handle that had a user, or failed, is reset completely. */

static void
transfer_put(transfer_t *t)
{
    transfer_pool_t  *pool = t->pool;

    link_remove(&t->link);
    transfer_forget_socket(t);

    if (t->spoilt) {
        curl_easy_reset(t->easy);
    }

    if (pool->n_spare == TRANSFER_SPARE
        || (t->spoilt && transfer_prepare(t) != 0))
    {
        transfer_free(t);
        return;
    }

    curl_easy_setopt(t->easy, CURLOPT_CURLU, NULL);
    curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(t->easy, CURLOPT_CONNECT_TO, NULL);
    curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, NULL);
    transfer_url_put(t->url);
    t->url = NULL;
    link_add(pool->spare.next, &t->link);
    pool->n_spare++;
}


void
transfer_cancel(transfer_t *t)
{
    curl_multi_remove_handle(t->pool->multi, t->easy);
    t->spoilt = 1;
    transfer_put(t);
}


int
transfer_sent(const transfer_t *t)
{
    return t->sent;
}


static transfer_end_t
transfer_end(const transfer_t *t, CURLcode code)
{
    switch (code) {

    case CURLE_OK:
        return TRANSFER_DONE;

    case CURLE_WRITE_ERROR:
        return t->capped && t->head_whole ? TRANSFER_DONE : TRANSFER_BROKEN;

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


/* Seconds.  curl reads the header, too, up to a bound that differs between its
   versions. */

static int64_t
transfer_retry_after(const transfer_t *t)
{
    time_t               at, now;
    struct curl_header  *header;

    if (curl_easy_header(t->easy, "Retry-After", 0, CURLH_HEADER, -1, &header)
        != CURLHE_OK)
    {
        return 0;
    }

    if (header->value[0] >= '0' && header->value[0] <= '9') {
        return strtoll(header->value, NULL, 10);
    }

    now = time(NULL);
    at = curl_getdate(header->value, &now);

    return at > now ? at - now : 0;
}


static void
transfer_finish(transfer_t *t, CURLcode code)
{
    long               status;
    curl_off_t         us;
    transfer_result_t  result;
    char               text[CURL_ERROR_SIZE];

    status = 0;
    us = 0;

    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &us);

    text[0] = '\0';

    if (code != CURLE_OK) {
        t->spoilt = 1;
        snprintf(text, sizeof(text), "%s",
                 t->capped ? "the response is too large"
                 : t->error[0] != '\0' ? t->error : curl_easy_strerror(code));
    }

    result.end = transfer_end(t, code);
    result.status = status > 0 && status < 1000 ? (unsigned) status : 0;
    result.retry_after = transfer_retry_after(t);
    result.seconds = (double) us / 1e6;
    result.unsure = t->sent && (result.end != TRANSFER_DONE
                                || result.status == 0);
    result.body = (rbl_str_t) { t->body, t->received < TRANSFER_BODY_KEPT
                                         ? t->received : TRANSFER_BODY_KEPT };

    if (t->whole != NULL) {
        result.body = rbl_buf_str(t->whole);
    }

    result.headers = (rbl_str_t) { t->head, t->n_head };
    result.text = text;

    /* curl must not use the caller's data after this */

    curl_multi_remove_handle(t->pool->multi, t->easy);
    link_remove(&t->link);

    t->done(t->data, &result);
    transfer_put(t);
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


transfer_t *
transfer_start(transfer_pool_t *pool, const transfer_request_t *request,
    transfer_done_pt done, void *data)
{
    transfer_t  *t;

    t = transfer_get(pool);
    if (t == NULL) {
        return NULL;
    }

    t->addr = request->addr;
    t->port = request->port;
    t->reads = 0;
    t->opened = 0;
    t->measured = 0;
    t->received = 0;
    t->head_size = 0;
    t->head_whole = 0;
    t->capped = 0;
    t->sent = 0;
    t->n_head = 0;
    t->whole = request->whole;
    t->error[0] = '\0';
    t->done = done;
    t->data = data;

    if (transfer_set(t, request) != 0
        || curl_multi_add_handle(pool->multi, t->easy) != CURLM_OK)
    {
        t->spoilt = 1;
        transfer_put(t);
        return NULL;
    }

    link_add(&pool->transfers, &t->link);

    return t;
}


transfer_pool_t *
transfer_pool_new(struct ev_loop *loop, const char *ca, unsigned kept)
{
    transfer_pool_t  *pool;

    if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, xmalloc, free, xrealloc,
                             xstrdup, xcalloc)
        != CURLE_OK)
    {
        return NULL;
    }

    pool = xcalloc(1, sizeof(transfer_pool_t));
    pool->loop = loop;
    link_init(&pool->transfers);
    link_init(&pool->spare);
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
    curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, (long) kept);

    return pool;
}


void
transfer_pool_free(transfer_pool_t *pool)
{
    while (!link_empty(&pool->transfers)) {
        transfer_cancel(link_of(pool->transfers.next, transfer_t, link));
    }

    while (!link_empty(&pool->spare)) {
        transfer_free(link_of(pool->spare.next, transfer_t, link));
    }

    transfer_urls_forget(pool);
    curl_multi_cleanup(pool->multi);

    while (!link_empty(&pool->sockets)) {
        transfer_socket_free(link_of(pool->sockets.next, transfer_socket_t,
                                     link));
    }

    ev_timer_stop(pool->loop, &pool->timer);
    free(pool);
    curl_global_cleanup();
}
