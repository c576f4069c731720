/*
 * The least work of a program that answers HTTP from Redis, as a floor for the
 * module: one MGET per request, one response per reply.
 *
 *     storefloor PORT SOCKET BYTES [KEY...]
 *
 * It listens on 127.0.0.1:PORT and queries Redis at the unix socket SOCKET, on
 * one connection.  It does not look at the request; the response has BYTES
 * prepared bytes, whatever the values are.  Without a key there is no query,
 * and the response is sent at once.
 *
 * One thread, epoll.  A connection has one request at a time, without a body.
 * A command is sent at once if Redis is idle, otherwise with the others of the
 * turn, as in the module.  The program runs until it is killed; it ends with a
 * message on any error.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_CONNS    1024               /* including waiting ones */
#define MAX_EVENTS   512
#define REQUEST_MAX  4096
#define REPLY_MAX    (4u << 20)


typedef struct {
    int     fd;                         /* -1: closed while it waited */
    int     waits;
    size_t  len;                        /* length of its request */
    char    request[REQUEST_MAX];
} conn_t;

typedef struct {
    int      ep;
    int      listener;
    int      redis;                     /* -1: no store */

    char    *command;
    size_t   n_command;
    char    *answer;
    size_t   n_answer;

    char    *out;                       /* commands of this turn */
    size_t   n_out;
    char    *in;                        /* replies */
    size_t   n_in;

    conn_t  *waiting[MAX_CONNS];        /* a ring, oldest first */
    unsigned head, tail;
    unsigned n_conns;
} floor_t;


static void
fail(const char *what)
{
    perror(what);
    exit(1);
}


static void
wrong(const char *what)
{
    fprintf(stderr, "storefloor: %s\n", what);
    exit(1);
}


static void *
allocate(size_t n)
{
    void  *p;

    p = malloc(n);

    if (p == NULL) {
        fail("malloc");
    }

    return p;
}


static void
send_all(int fd, const char *p, size_t n)
{
    ssize_t  sent;

    while (n > 0) {
        sent = send(fd, p, n, MSG_NOSIGNAL);

        if (sent == -1 && errno == EINTR) {
            continue;
        }

        if (sent == -1) {
            if (errno == EPIPE || errno == ECONNRESET) {
                return;                 /* its next read will tell */
            }

            fail("send");
        }

        p += sent;
        n -= (size_t) sent;
    }
}


static void
watch(floor_t *f, int fd, void *data)
{
    struct epoll_event  ev;

    ev.events = EPOLLIN;
    ev.data.ptr = data;

    if (epoll_ctl(f->ep, EPOLL_CTL_ADD, fd, &ev) == -1) {
        fail("epoll_ctl");
    }
}


static void
conn_accept(floor_t *f)
{
    int      one;
    conn_t  *c;

    one = 1;
    c = allocate(sizeof(conn_t));
    c->fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
    c->waits = 0;
    c->len = 0;

    if (c->fd == -1
        || setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one))
           == -1)
    {
        fail("accept");
    }

    if (++f->n_conns > MAX_CONNS) {
        wrong("too many connections");
    }

    watch(f, c->fd, c);
}


/* A waiting connection is freed when its reply arrives. */

static void
conn_close(floor_t *f, conn_t *c)
{
    close(c->fd);
    c->fd = -1;

    if (!c->waits) {
        f->n_conns--;
        free(c);
    }
}


static void
flush(floor_t *f)
{
    if (f->n_out > 0) {
        send_all(f->redis, f->out, f->n_out);
        f->n_out = 0;
    }
}


static void
ask(floor_t *f, conn_t *c)
{
    int  idle = f->head == f->tail;

    c->waits = 1;
    f->waiting[f->tail++ % MAX_CONNS] = c;

    memcpy(f->out + f->n_out, f->command, f->n_command);
    f->n_out += f->n_command;

    if (idle) {
        flush(f);
    }
}


static void
receive(floor_t *f, conn_t *c)
{
    ssize_t  n;

    n = recv(c->fd, c->request + c->len, REQUEST_MAX - c->len, MSG_DONTWAIT);

    if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }

    if (n <= 0) {
        conn_close(f, c);
        return;
    }

    c->len += (size_t) n;

    if (c->waits || c->len == REQUEST_MAX) {
        wrong("a request is too long, or not alone");
    }

    if (c->len < 4 || memcmp(c->request + c->len - 4, "\r\n\r\n", 4) != 0) {
        return;
    }

    c->len = 0;

    if (f->redis == -1) {
        send_all(c->fd, f->answer, f->n_answer);
        return;
    }

    ask(f, c);
}


/* Parses a line such as "$557": returns its number, and *p after it; -2:
   incomplete. */

static long
line_number(char **p, const char *end, char type)
{
    char  *lf;
    long   n;

    lf = memchr(*p, '\n', (size_t) (end - *p));

    if (lf == NULL) {
        return -2;
    }

    if (**p != type) {
        wrong("Redis sent an error, or something else than values");
    }

    n = strtol(*p + 1, NULL, 10);

    if (n < 0) {
        wrong("Redis has no such key");
    }

    *p = lf + 1;

    return n;
}


/* Returns the length of the reply that begins at p; 0: incomplete. */

static size_t
reply_len(char *p, const char *end)
{
    long   i, n, len;
    char  *q;

    q = p;
    n = line_number(&q, end, '*');

    for (i = 0; i < n; i++) {
        len = line_number(&q, end, '$');

        if (len < 0 || end - q < len + 2) {
            return 0;
        }

        q += len + 2;
    }

    return n < 0 ? 0 : (size_t) (q - p);
}


static void
answer(floor_t *f)
{
    conn_t  *c;

    if (f->head == f->tail) {
        wrong("Redis sent more than was requested");
    }

    c = f->waiting[f->head++ % MAX_CONNS];
    c->waits = 0;

    if (c->fd == -1) {
        f->n_conns--;
        free(c);
        return;
    }

    send_all(c->fd, f->answer, f->n_answer);
}


static void
replies(floor_t *f)
{
    char    *p, *end;
    size_t   len;
    ssize_t  n;

    n = recv(f->redis, f->in + f->n_in, REPLY_MAX - f->n_in, MSG_DONTWAIT);

    if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }

    if (n <= 0) {
        wrong("Redis has closed the connection");
    }

    f->n_in += (size_t) n;
    p = f->in;
    end = p + f->n_in;

    while (p < end && (len = reply_len(p, end)) > 0) {
        p += len;
        answer(f);
    }

    f->n_in = (size_t) (end - p);
    memmove(f->in, p, f->n_in);
}


static void
serve(floor_t *f)
{
    int                 i, n;
    struct epoll_event  ev[MAX_EVENTS];

    for ( ;; ) {
        n = epoll_wait(f->ep, ev, MAX_EVENTS, -1);

        if (n == -1 && errno != EINTR) {
            fail("epoll_wait");
        }

        for (i = 0; i < n; i++) {
            if (ev[i].data.ptr == &f->listener) {
                conn_accept(f);

            } else if (ev[i].data.ptr == &f->redis) {
                replies(f);

            } else {
                receive(f, ev[i].data.ptr);
            }
        }

        flush(f);
    }
}


/* Builds MGET with these keys in RESP. */

static void
make_command(floor_t *f, int n_keys, char **keys)
{
    int    i;
    FILE  *out;

    out = open_memstream(&f->command, &f->n_command);

    if (out == NULL) {
        fail("open_memstream");
    }

    fprintf(out, "*%d\r\n$4\r\nMGET\r\n", n_keys + 1);

    for (i = 0; i < n_keys; i++) {
        fprintf(out, "$%zu\r\n%s\r\n", strlen(keys[i]), keys[i]);
    }

    if (fclose(out) != 0) {
        fail("fclose");
    }

    f->out = allocate(f->n_command * MAX_CONNS);
    f->in = allocate(REPLY_MAX);
}


static void
make_answer(floor_t *f, size_t bytes)
{
    int  n;

    f->answer = allocate(bytes + 256);
    n = snprintf(f->answer, 256, "HTTP/1.1 200 OK\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n"
                 "Connection: keep-alive\r\n\r\n", bytes);
    memset(f->answer + n, 'x', bytes);
    f->n_answer = (size_t) n + bytes;
}


static void
listen_at(floor_t *f, int port)
{
    int                 one;
    struct sockaddr_in  sin;

    one = 1;
    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons((uint16_t) port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (f->listener == -1
        || setsockopt(f->listener, SOL_SOCKET, SO_REUSEADDR, &one,
                      sizeof(one)) == -1
        || bind(f->listener, (struct sockaddr *) &sin, sizeof(sin)) == -1
        || listen(f->listener, MAX_CONNS) == -1)
    {
        fail("listen");
    }

    watch(f, f->listener, &f->listener);
}


static void
connect_to(floor_t *f, const char *path)
{
    struct sockaddr_un  sun;

    memset(&sun, 0, sizeof(sun));
    sun.sun_family = AF_UNIX;

    if (strlen(path) >= sizeof(sun.sun_path)) {
        wrong("the path of the socket is too long");
    }

    memcpy(sun.sun_path, path, strlen(path));
    f->redis = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (f->redis == -1
        || connect(f->redis, (struct sockaddr *) &sun, sizeof(sun)) == -1)
    {
        fail("connect to Redis");
    }

    watch(f, f->redis, &f->redis);
}


int
main(int argc, char **argv)
{
    static floor_t  f;

    if (argc < 4) {
        wrong("usage: storefloor PORT SOCKET BYTES [KEY...]");
    }

    f.redis = -1;
    f.ep = epoll_create1(EPOLL_CLOEXEC);

    if (f.ep == -1) {
        fail("epoll_create1");
    }

    make_answer(&f, strtoul(argv[3], NULL, 10));

    if (argc > 4) {
        make_command(&f, argc - 4, argv + 4);
        connect_to(&f, argv[2]);
    }

    listen_at(&f, atoi(argv[1]));
    serve(&f);

    return 0;
}
