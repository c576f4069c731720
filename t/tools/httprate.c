/*
 * Asks an HTTP server at a constant rate and tells how long the answers took:
 *
 *     httprate PORT RATE SECONDS CONNECTIONS PATH [HEADER...]
 *     rate=20000 sent=40000 bad=0 late_us=12 p50_us=83 p90_us=.. p99_us=..
 *     p999_us=.. max_us=..
 *
 * Request k is due at k / RATE.  Its time runs from then on, also while it
 * waits for a free connection or for this program: a server that dawdles does
 * not slow the clock down by which it is measured.  late_us is the 99th
 * percentile of what this program alone was late when a connection was free.
 *
 * One thread, keep-alive connections to 127.0.0.1.  A connection owns its
 * buffer; the times of all answers are kept until the end.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS           1000000000ull
#define MAX_CONNS    1000
#define MAX_EVENTS   64
#define BUFFER       65536
#define REQUEST_MAX  4096
#define GRACE        (5 * NS)           /* for the last answers */


typedef struct {
    int       fd;
    int       busy;
    uint64_t  due;                      /* when its request was due */
    size_t    len;                      /* of what is in the buffer */
    size_t    want;                     /* of the whole answer; 0: not known */
    char     *buf;
} conn_t;

typedef struct {
    uint64_t  rate;
    uint64_t  total;                    /* requests in all */
    uint64_t  start;
    uint64_t  sent;
    uint64_t  done;
    uint64_t  bad;
    int       port;

    int       ep;
    unsigned  n_conns;
    conn_t    conns[MAX_CONNS];
    conn_t   *idle[MAX_CONNS];          /* a stack */
    unsigned  n_idle;
    uint64_t  freed;                    /* when a connection last was freed
                                           with requests waiting */
    size_t    request_len;
    char      request[REQUEST_MAX];

    uint32_t *took;                     /* in ns, capped */
    uint32_t *late;
} run_t;


static uint64_t
now_ns(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * NS + (uint64_t) ts.tv_nsec;
}


static void
fail(const char *what)
{
    perror(what);
    exit(1);
}


static uint32_t
span(uint64_t from, uint64_t to)
{
    if (to < from) {
        return 0;
    }

    return to - from > UINT32_MAX ? UINT32_MAX : (uint32_t) (to - from);
}


static uint64_t
due_at(const run_t *r, uint64_t k)
{
    return r->start + k * NS / r->rate;
}


static void
conn_open(run_t *r, conn_t *c)
{
    int                 one;
    struct epoll_event  ev;
    struct sockaddr_in  sin;

    one = 1;
    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons((uint16_t) r->port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    c->buf = malloc(BUFFER);

    if (c->fd == -1 || c->buf == NULL
        || connect(c->fd, (struct sockaddr *) &sin, sizeof(sin)) == -1
        || fcntl(c->fd, F_SETFL, O_NONBLOCK) == -1
        || setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one))
           == -1)
    {
        fail("connect");
    }

    ev.events = EPOLLIN;
    ev.data.ptr = c;

    if (epoll_ctl(r->ep, EPOLL_CTL_ADD, c->fd, &ev) == -1) {
        fail("epoll_ctl");
    }

    r->idle[r->n_idle++] = c;
}


/* What is due and has a connection; a request is one small write. */

static void
send_due(run_t *r)
{
    conn_t    *c;
    uint64_t   now, due;

    now = now_ns();

    while (r->sent < r->total && r->n_idle > 0
           && (due = due_at(r, r->sent)) <= now)
    {
        c = r->idle[--r->n_idle];

        if (write(c->fd, r->request, r->request_len)
            != (ssize_t) r->request_len)
        {
            fail("write");
        }

        c->busy = 1;
        c->due = due;
        c->len = 0;
        c->want = 0;

        r->late[r->sent++] = span(due > r->freed ? due : r->freed, now);
        now = now_ns();
    }
}


/* Length of the answer from its head; 0: not complete yet. */

static size_t
answer_len(run_t *r, conn_t *c)
{
    char    *end, *p, *line;
    size_t   body;

    end = memmem(c->buf, c->len, "\r\n\r\n", 4);
    if (end == NULL) {
        return 0;
    }

    body = 0;

    for (p = c->buf; p < end; p = line + 2) {
        line = memmem(p, (size_t) (end + 2 - p), "\r\n", 2);

        if (line == NULL) {
            break;
        }

        if (strncasecmp(p, "Content-Length:", 15) == 0) {
            body = strtoul(p + 15, NULL, 10);
        }
    }

    if (c->len < 12 || memcmp(c->buf + 8, " 200", 4) != 0) {
        r->bad++;
    }

    return (size_t) (end + 4 - c->buf) + body;
}


static void
answered(run_t *r, conn_t *c)
{
    uint64_t  now;

    now = now_ns();

    if (r->n_idle == 0) {
        r->freed = now;
    }

    c->busy = 0;
    r->took[r->done++] = span(c->due, now);
    r->idle[r->n_idle++] = c;
}


static void
receive(run_t *r, conn_t *c)
{
    ssize_t  n;

    n = read(c->fd, c->buf + c->len, BUFFER - 1 - c->len);

    if (n == -1 && errno == EAGAIN) {
        return;
    }

    if (n <= 0 || !c->busy) {
        fputs("httprate: the server closed a connection\n", stderr);
        exit(1);
    }

    c->len += (size_t) n;

    if (c->want == 0) {
        c->want = answer_len(r, c);
    }

    if (c->want >= BUFFER) {
        fputs("httprate: the answer is too long\n", stderr);
        exit(1);
    }

    if (c->want != 0 && c->len >= c->want) {
        answered(r, c);
    }
}


static void
run(run_t *r)
{
    int                 i, n;
    uint64_t            now, next, end;
    struct timespec     ts;
    struct epoll_event  ev[MAX_EVENTS];

    r->start = now_ns() + NS / 100;
    end = due_at(r, r->total) + GRACE;

    while (r->done < r->total) {
        send_due(r);

        now = now_ns();

        if (now > end) {
            fputs("httprate: answers are missing\n", stderr);
            exit(1);
        }

        next = r->sent < r->total && r->n_idle > 0 ? due_at(r, r->sent) : end;
        next = next > now ? next - now : 0;
        ts.tv_sec = (time_t) (next / NS);
        ts.tv_nsec = (long) (next % NS);

        n = epoll_pwait2(r->ep, ev, MAX_EVENTS, &ts, NULL);

        if (n == -1 && errno != EINTR) {
            fail("epoll_pwait2");
        }

        for (i = 0; i < n; i++) {
            receive(r, ev[i].data.ptr);
        }
    }
}


static int
compare(const void *a, const void *b)
{
    uint32_t  x, y;

    x = *(const uint32_t *) a;
    y = *(const uint32_t *) b;

    return (x > y) - (x < y);
}


static double
percentile(const uint32_t *v, uint64_t n, double p)
{
    uint64_t  i;

    i = (uint64_t) (p / 100 * (double) n);

    return v[i < n ? i : n - 1] / 1000.0;
}


static void
report(run_t *r)
{
    qsort(r->took, r->total, sizeof(uint32_t), compare);
    qsort(r->late, r->total, sizeof(uint32_t), compare);

    printf("rate=%llu sent=%llu bad=%llu late_us=%.1f p50_us=%.1f "
           "p90_us=%.1f p99_us=%.1f p999_us=%.1f max_us=%.1f\n",
           (unsigned long long) r->rate, (unsigned long long) r->sent,
           (unsigned long long) r->bad, percentile(r->late, r->total, 99),
           percentile(r->took, r->total, 50),
           percentile(r->took, r->total, 90),
           percentile(r->took, r->total, 99),
           percentile(r->took, r->total, 99.9),
           percentile(r->took, r->total, 100));
}


static void
make_request(run_t *r, int argc, char **argv)
{
    int  i, n;

    n = snprintf(r->request, REQUEST_MAX, "GET %s HTTP/1.1\r\n"
                 "Host: localhost\r\n", argv[5]);

    for (i = 6; i < argc && n > 0 && n < REQUEST_MAX; i++) {
        n += snprintf(r->request + n, (size_t) (REQUEST_MAX - n), "%s\r\n",
                      argv[i]);
    }

    if (n > 0 && n < REQUEST_MAX) {
        n += snprintf(r->request + n, (size_t) (REQUEST_MAX - n), "\r\n");
    }

    if (n <= 0 || n >= REQUEST_MAX) {
        fputs("httprate: the request is too long\n", stderr);
        exit(2);
    }

    r->request_len = (size_t) n;
}


int
main(int argc, char **argv)
{
    double        seconds;
    unsigned      i;
    static run_t  r;

    if (argc < 6) {
        fputs("usage: httprate PORT RATE SECONDS CONNECTIONS PATH "
              "[HEADER...]\n", stderr);
        return 2;
    }

    r.port = atoi(argv[1]);
    r.rate = strtoul(argv[2], NULL, 10);
    seconds = strtod(argv[3], NULL);
    r.n_conns = (unsigned) strtoul(argv[4], NULL, 10);
    r.total = (uint64_t) ((double) r.rate * seconds);

    if (r.rate == 0 || r.total == 0 || r.total > 100000000
        || r.n_conns == 0 || r.n_conns > MAX_CONNS)
    {
        fputs("httprate: a number is out of range\n", stderr);
        return 2;
    }

    make_request(&r, argc, argv);

    r.took = calloc(r.total, sizeof(uint32_t));
    r.late = calloc(r.total, sizeof(uint32_t));
    r.ep = epoll_create1(EPOLL_CLOEXEC);

    if (r.took == NULL || r.late == NULL || r.ep == -1) {
        fail("httprate");
    }

    /* wake up when told, not up to 50 us later */

    (void) prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);

    for (i = 0; i < r.n_conns; i++) {
        conn_open(&r, &r.conns[i]);
    }

    run(&r);
    report(&r);

    for (i = 0; i < r.n_conns; i++) {
        close(r.conns[i].fd);
        free(r.conns[i].buf);
    }

    free(r.took);
    free(r.late);

    return r.bad != 0;
}
