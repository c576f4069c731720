/*
 * Transfers that reuse the same handles: no data of one transfer is in the
 * next.
 */

#include "deliver/transport/transfer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap.h"


#define REQUEST_MAX  8192

static struct {
    struct ev_loop     *loop;
    ev_io               accept, read;
    unsigned            port, status, accepted;
    size_t              n;
    char                request[REQUEST_MAX];   /* the last request */
    int                 done;
    transfer_result_t   result;
    char                body[16];
} world;


static void
read_handler(struct ev_loop *loop, ev_io *io, int revents)
{
    int          n;
    char         answer[128];
    ssize_t      got;
    const char  *end;

    (void) revents;

    got = read(io->fd, world.request + world.n, REQUEST_MAX - 1 - world.n);

    if (got <= 0) {
        ev_io_stop(loop, io);
        close(io->fd);
        return;
    }

    world.n += (size_t) got;
    world.request[world.n] = '\0';
    end = strstr(world.request, "\r\n\r\n");

    if (end == NULL || strstr(end, "END") == NULL) {
        return;
    }

    n = snprintf(answer, sizeof(answer),
                 "HTTP/1.1 %u Answer\r\nContent-Length: 2\r\n\r\nok",
                 world.status);
    world.n = 0;
    (void) !write(io->fd, answer, (size_t) n);
}


static void
accept_handler(struct ev_loop *loop, ev_io *io, int revents)
{
    int  fd;

    (void) revents;

    fd = accept(io->fd, NULL, NULL);

    if (fd >= 0) {
        if (ev_is_active(&world.read)) {
            ev_io_stop(loop, &world.read);
            close(world.read.fd);
        }

        world.accepted++;
        ev_io_set(&world.read, fd, EV_READ);
        ev_io_start(loop, &world.read);
    }
}


static void
done_handler(void *data, const transfer_result_t *result)
{
    (void) data;

    world.done++;
    world.result = *result;
    snprintf(world.body, sizeof(world.body), "%.*s", (int) result->body.n,
             result->body.p);
    ev_break(world.loop, EVBREAK_ALL);
}


static int
serve(void)
{
    int                 fd;
    socklen_t           n;
    struct sockaddr_in  sin;

    n = sizeof(sin);
    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd == -1 || bind(fd, (struct sockaddr *) &sin, n) != 0
        || listen(fd, 16) != 0
        || getsockname(fd, (struct sockaddr *) &sin, &n) != 0)
    {
        return -1;
    }

    world.port = ntohs(sin.sin_port);
    ev_io_init(&world.accept, accept_handler, fd, EV_READ);
    ev_io_start(world.loop, &world.accept);
    ev_init(&world.read, read_handler);

    return 0;
}


static void
request_init(transfer_request_t *request, request_t *r, char *url, size_t size,
    const char *header)
{
    memset(r, 0, sizeof(*r));
    r->content_type = "text/plain";
    r->body = RBL_STR("END");

    if (header != NULL) {
        (void) request_header(r, header, RBL_STR("1"));
    }

    memset(request, 0, sizeof(*request));
    snprintf(url, size, "http://127.0.0.1:%u/a", world.port);
    request->request = r;
    request->url = url;
    request->port = world.port;
    request->timeout = 5.0;
    request->connect_timeout = 5.0;
    (void) rbl_addr_parse(&request->addr, RBL_STR("127.0.0.1"));
}


static int
run(transfer_pool_t *pool, const transfer_request_t *request)
{
    world.done = 0;

    if (transfer_start(pool, request, done_handler, NULL) == NULL) {
        return -1;
    }

    ev_run(world.loop, 0);

    return world.done == 1 && world.result.end == TRANSFER_DONE
           ? (int) world.result.status : -1;
}


static int
sent(const char *text)
{
    return strcasestr(world.request, text) != NULL;
}


static void
check_nothing_stays(transfer_pool_t *pool)
{
    char                url[64];
    request_t           r;
    transfer_request_t  request;

    request_init(&request, &r, url, sizeof(url), "X-First");
    r.user = RBL_STR("name");
    r.password = RBL_STR("secret");
    world.status = 200;
    ok(run(pool, &request) == 200, "a transfer with a password");
    ok(sent("X-First: 1") && sent("Authorization: Basic bmFtZTpzZWNyZXQ="),
       "sends it");

    request_init(&request, &r, url, sizeof(url), "X-Second");
    ok(run(pool, &request) == 200, "one without");
    ok(sent("X-Second: 1") && !sent("X-First") && !sent("Authorization"),
       "sends its own headers alone");
    ok(world.accepted == 1, "over the same connection");

    request_init(&request, &r, url, sizeof(url), "X-First");
    r.user = RBL_STR("AKIDEXAMPLE");
    r.password = RBL_STR("secret");
    rbl_copy(r.sigv4, sizeof(r.sigv4), RBL_STR("aws:amz:eu-west-1:sns"));
    ok(run(pool, &request) == 200 && sent("Authorization: AWS4-HMAC-SHA256"),
       "one that is signed for AWS");

    request_init(&request, &r, url, sizeof(url), "X-Second");
    ok(run(pool, &request) == 200 && !sent("Authorization")
       && !sent("X-Amz-Date"), "and none after it");

    request_init(&request, &r, url, sizeof(url), "X-Second");
    r.fresh = 1;
    ok(run(pool, &request) == 200 && world.accepted == 2,
       "a fresh one has a connection of its own");
    r.fresh = 0;
    ok(run(pool, &request) == 200 && world.accepted == 3,
       "that connection is not used again");
    ok(run(pool, &request) == 200 && world.accepted == 3,
       "the next one is kept");
}


static void
check_cancel(transfer_pool_t *pool)
{
    char                url[64];
    request_t           r;
    transfer_t         *t;
    transfer_request_t  request;

    request_init(&request, &r, url, sizeof(url), NULL);
    r.user = RBL_STR("name");
    r.password = RBL_STR("secret");
    world.done = 0;
    t = transfer_start(pool, &request, done_handler, NULL);
    ok(t != NULL, "a transfer that is cancelled");
    transfer_cancel(t);

    request_init(&request, &r, url, sizeof(url), NULL);
    world.status = 503;
    ok(run(pool, &request) == 503, "does not disturb the next");
    ok(!sent("Authorization"), "the next has no header of it");
    ok(strcmp(world.body, "ok") == 0, "and gets its own response");
    ok(world.done == 1, "no handler is called for the first");

    t = transfer_start(pool, &request, done_handler, NULL);
    ok(t != NULL, "one is in flight when the pool is freed");
}


/* Paths that a URL parser could normalize. */

static void
url_number(char *url, size_t size, unsigned i)
{
    snprintf(url, size, "http://127.0.0.1:%u/%u//a/../%%2f%%2F?q=%%41&n=%u/..",
             world.port, i, i);
}


static int
sent_url(const char *url)
{
    char  line[160];

    snprintf(line, sizeof(line), "POST %s HTTP/1.1\r\n",
             strchr(url + sizeof("http://"), '/'));

    return strncmp(world.request, line, strlen(line)) == 0;
}


/* More URLs than the cache holds, twice. */

static void
check_urls(transfer_pool_t *pool)
{
    char                url[128];
    unsigned            i, good;
    request_t           r;
    transfer_request_t  request;

    request_init(&request, &r, url, sizeof(url), NULL);
    good = 0;

    for (i = 0; i < 1200; i++) {
        url_number(url, sizeof(url), i % 600);
        good += run(pool, &request) == 200 && sent_url(url);
    }

    ok(good == 1200, "each URL is requested unchanged: %u of 1200", good);

    for (i = 0; i < 10; i++) {
        good += run(pool, &request) == 200 && sent_url(url);
    }

    ok(good == 1210, "the same one again and again");

    snprintf(url, sizeof(url), "http://name@127.0.0.1:%u/", world.port);
    ok(transfer_start(pool, &request, done_handler, NULL) == NULL,
       "none with a user in it");
}


/* A transfer in flight keeps its URL when another URL takes the slot. */

static void
check_url_taken(transfer_pool_t *pool)
{
    char                url[128], other[128];
    unsigned            i;
    request_t           r;
    transfer_t         *t;
    transfer_request_t  request;

    request_init(&request, &r, url, sizeof(url), NULL);
    url_number(url, sizeof(url), 1000000);
    world.done = 0;
    t = transfer_start(pool, &request, done_handler, NULL);
    request.url = other;

    for (i = 0; i < 3000; i++) {
        url_number(other, sizeof(other), i);
        transfer_cancel(transfer_start(pool, &request, done_handler, NULL));
    }

    ev_run(world.loop, 0);
    ok(t != NULL && world.done == 1 && sent_url(url),
       "a URL whose slot was reused is requested");
}


int
main(void)
{
    transfer_pool_t  *pool;

    world.loop = ev_loop_new(0);
    pool = transfer_pool_new(world.loop, "", 8);
    ok(pool != NULL && serve() == 0, "a pool and a server");

    check_nothing_stays(pool);
    check_urls(pool);
    check_url_taken(pool);
    check_cancel(pool);

    transfer_pool_free(pool);
    ev_loop_destroy(world.loop);

    return tap_done();
}
