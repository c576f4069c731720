/*
 * Sends requests to HTTP servers in turn at a constant rate and prints their
 * response times:
 *
 *     httprate ROUNDS SLICE_MS CONNECTIONS < targets
 *
 * One target per line, fields separated by tabs: NAME PORT RATE PATH HEADER.
 * RATE is a number; or "half": half of the target's rate in a slice without a
 * pause, which is measured right before, in each round; or "=NAME": the rate of
 * that earlier target in the same round.  One line for each round and target:
 *
 *     name=host rate=20000 late=12 p50=83.1 p90=.. p99=.. p999=.. steal=0
 *
 * in requests per second and microseconds.  Request k of a slice is due at k /
 * RATE.  Its time starts then, also while it waits for a free connection or for
 * this program, so a slow server does not reduce the load by which it is
 * measured. late is the 99th percentile of the delay by this program while a
 * connection was free.  steal is the number of clock ticks in which other
 * virtual machines had the processors of this one.
 *
 * Slices are short and the targets alternate, so that a pause of the machine
 * spoils single slices of all targets alike; the median of the slices is the
 * response time while the machine runs.
 *
 * One thread, keep-alive connections to 127.0.0.1 that stay open to the end.
 * A connection owns its buffer.
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

#define MS           1000000ull
#define NS           1000000000ull
#define MAX_CONNS    256
#define MAX_TARGETS  16
#define MAX_EVENTS   64
#define MAX_SLICE    (1 << 20)          /* requests */
#define BUFFER       65536
#define LINE_LENGTH    4096
#define GRACE        (5 * NS)           /* for the last responses */


typedef struct {
    int        fd;
    int        busy;
    uint64_t   due;                     /* when its request was due */
    size_t     len;                     /* bytes in the buffer */
    size_t     want;                    /* length of the response; 0: not
                                           known */
    char      *buf;
} conn_t;

typedef struct target_s  target_t;

struct target_s {
    char       name[64];
    target_t  *same;                    /* uses the rate of this one */
    uint64_t   rate;                    /* in this round */

    int        ep;
    unsigned   n_idle;
    conn_t     conns[MAX_CONNS];
    conn_t    *idle[MAX_CONNS];         /* a stack */
    size_t     request_len;
    char       request[LINE_LENGTH];
};

typedef struct {
    target_t  *target;
    uint64_t   start;
    uint64_t   rate;                    /* 0: without a pause */
    uint64_t   total;                   /* requests in all */
    uint64_t   end;                     /* no request after that */
    uint64_t   sent;
    uint64_t   done;
    uint64_t   bad;
    uint64_t   freed;                   /* when a connection last was freed
                                           with requests waiting */
    uint64_t   steal;
} slice_t;


static target_t  targets[MAX_TARGETS];
static unsigned  n_targets, n_conns;

static uint32_t  took[MAX_SLICE];       /* ns, capped */
static uint32_t  late[MAX_SLICE];


static uint64_t
now_ns(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * NS + (uint64_t) ts.tv_nsec;
}


/* Returns the clock ticks so far in which another virtual machine had a
   processor that was needed here. */

static uint64_t
stolen(void)
{
    int                 n;
    FILE               *f;
    unsigned long long  steal;

    f = fopen("/proc/stat", "re");
    n = f == NULL ? 0 : fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu",
                               &steal);
    if (f != NULL) {
        fclose(f);
    }

    return n == 1 ? steal : 0;
}


static void
fail(const char *what)
{
    perror(what);
    exit(1);
}


static void
refuse(const char *what)
{
    fprintf(stderr, "httprate: %s\n", what);
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
due_at(const slice_t *s, uint64_t k)
{
    return s->rate == 0 ? s->start : s->start + k * NS / s->rate;
}


static void
conn_open(target_t *t, conn_t *c, int port)
{
    int                 one;
    struct epoll_event  ev;
    struct sockaddr_in  sin;

    one = 1;
    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons((uint16_t) port);
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

    if (epoll_ctl(t->ep, EPOLL_CTL_ADD, c->fd, &ev) == -1) {
        fail("epoll_ctl");
    }

    t->idle[t->n_idle++] = c;
}


/* Sends due requests that have a connection; a request is one small write. */

static void
send_due(slice_t *s)
{
    conn_t    *c;
    uint64_t   now, due;
    target_t  *t;

    t = s->target;
    now = now_ns();

    while (s->sent < s->total && t->n_idle > 0
           && (due = due_at(s, s->sent)) <= now)
    {
        c = t->idle[--t->n_idle];

        if (write(c->fd, t->request, t->request_len)
            != (ssize_t) t->request_len)
        {
            fail("write");
        }

        c->busy = 1;
        c->due = due;
        c->len = 0;
        c->want = 0;

        late[s->sent++] = span(due > s->freed ? due : s->freed, now);
        now = now_ns();
    }
}


/* Returns the length of the response from its head; 0: not complete. */

static size_t
answer_len(slice_t *s, conn_t *c)
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
        s->bad++;
    }

    return (size_t) (end + 4 - c->buf) + body;
}


static void
answered(slice_t *s, conn_t *c)
{
    uint64_t   now;
    target_t  *t;

    t = s->target;
    now = now_ns();

    if (t->n_idle == 0) {
        s->freed = now;
    }

    c->busy = 0;
    took[s->done++] = span(c->due, now);
    t->idle[t->n_idle++] = c;
}


static void
receive(slice_t *s, conn_t *c)
{
    ssize_t  n;

    n = read(c->fd, c->buf + c->len, BUFFER - 1 - c->len);

    if (n == -1 && errno == EAGAIN) {
        return;
    }

    if (n <= 0 || !c->busy) {
        refuse("the server closed a connection");
    }

    c->len += (size_t) n;

    if (c->want == 0) {
        c->want = answer_len(s, c);
    }

    if (c->want >= BUFFER) {
        refuse("the answer is too long");
    }

    if (c->want != 0 && c->len >= c->want) {
        answered(s, c);
    }
}


static void
wait_until(slice_t *s, uint64_t when, uint64_t now)
{
    int                 i, n;
    uint64_t            ns;
    struct timespec     ts;
    struct epoll_event  ev[MAX_EVENTS];

    ns = when > now ? when - now : 0;
    ts.tv_sec = (time_t) (ns / NS);
    ts.tv_nsec = (long) (ns % NS);

    n = epoll_pwait2(s->target->ep, ev, MAX_EVENTS, &ts, NULL);

    if (n == -1 && errno != EINTR) {
        fail("epoll_pwait2");
    }

    for (i = 0; i < n; i++) {
        receive(s, ev[i].data.ptr);
    }
}


/* Sends requests until there are `total' responses, or until `s->end'. */

static void
run(slice_t *s)
{
    uint64_t  now, next, last;

    last = s->end + GRACE;

    while (s->done < s->total) {
        send_due(s);

        now = now_ns();

        if (now > s->end && s->total > s->sent && s->rate == 0) {
            s->total = s->sent;
        }

        if (now > last) {
            refuse("answers are missing");
        }

        next = s->sent < s->total && s->target->n_idle > 0
               ? due_at(s, s->sent) : last;

        wait_until(s, next, now);
    }
}


static slice_t
slice(target_t *t, uint64_t rate, uint64_t total, uint64_t length)
{
    slice_t   s;
    uint64_t  before;

    before = stolen();
    memset(&s, 0, sizeof(s));
    s.target = t;
    s.rate = rate;
    s.total = total < MAX_SLICE ? total : MAX_SLICE;
    s.start = now_ns();
    s.end = s.start + length;

    run(&s);
    s.steal = stolen() - before;

    if (s.bad != 0) {
        refuse("an answer is not 200");
    }

    return s;
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
report(const slice_t *s)
{
    qsort(took, s->total, sizeof(uint32_t), compare);
    qsort(late, s->total, sizeof(uint32_t), compare);

    printf("name=%s rate=%llu late=%.1f p50=%.1f p90=%.1f p99=%.1f "
           "p999=%.1f steal=%llu\n", s->target->name,
           (unsigned long long) s->rate, percentile(late, s->total, 99),
           percentile(took, s->total, 50), percentile(took, s->total, 90),
           percentile(took, s->total, 99), percentile(took, s->total, 99.9),
           (unsigned long long) s->steal);
}


/* One slice of a target, after one without a pause if that gives the rate.  A
   p99 needs 100 requests, even if the machine was stopped. */

static void
measure(target_t *t, uint64_t length)
{
    slice_t   s;
    uint64_t  spent;

    if (t->same != NULL) {
        t->rate = t->same->rate;

    } else {
        s = slice(t, 0, MAX_SLICE, length);
        spent = now_ns() - s.start;
        t->rate = s.done * NS / spent / 2;
    }

    if (t->rate * length < 100 * NS) {
        t->rate = 100 * NS / length;
    }

    s = slice(t, t->rate, t->rate * length / NS, length);
    report(&s);
}


static target_t *
find_target(const char *name)
{
    unsigned  i;

    for (i = 0; i < n_targets; i++) {
        if (strcmp(targets[i].name, name) == 0) {
            return &targets[i];
        }
    }

    refuse("no earlier target has that name");

    return NULL;
}


/* NAME PORT RATE PATH HEADER */

static void
add_target(char *line)
{
    int        i, n, port;
    char      *f[5];
    unsigned   k;
    target_t  *t;

    for (i = 0; i < 5; i++) {
        f[i] = strsep(&line, "\t");

        if (f[i] == NULL) {
            refuse("a target has five fields, parted by tabs");
        }
    }

    if (n_targets == MAX_TARGETS) {
        refuse("too many targets");
    }

    t = &targets[n_targets];
    port = atoi(f[1]);
    t->same = f[2][0] == '=' ? find_target(f[2] + 1) : NULL;
    n_targets++;

    snprintf(t->name, sizeof(t->name), "%s", f[0]);
    n = snprintf(t->request, sizeof(t->request), "GET %s HTTP/1.1\r\n"
                 "Host: localhost\r\n%s\r\n\r\n", f[3], f[4]);

    if (n <= 0 || n >= (int) sizeof(t->request)) {
        refuse("the request is too long");
    }

    t->request_len = (size_t) n;
    t->ep = epoll_create1(EPOLL_CLOEXEC);
    if (t->ep == -1) {
        fail("epoll_create1");
    }

    for (k = 0; k < n_conns; k++) {
        conn_open(t, &t->conns[k], port);
    }
}


static void
read_targets(void)
{
    char  line[LINE_LENGTH];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        add_target(line);
    }
}


/* An unmeasured slice each, because servers allocate with their first
   responses. */

static void
warm_up(uint64_t length)
{
    unsigned  i;

    for (i = 0; i < n_targets; i++) {
        (void) slice(&targets[i], 0, MAX_SLICE, length);
    }
}


int
main(int argc, char **argv)
{
    uint64_t       length;
    unsigned       i;
    unsigned long  round, rounds;

    if (argc != 4) {
        fputs("usage: httprate ROUNDS SLICE_MS CONNECTIONS < targets\n",
              stderr);
        return 2;
    }

    rounds = strtoul(argv[1], NULL, 10);
    length = strtoul(argv[2], NULL, 10) * MS;
    n_conns = (unsigned) strtoul(argv[3], NULL, 10);

    if (rounds == 0 || rounds > 100000 || length == 0 || length > 10 * NS
        || n_conns == 0 || n_conns > MAX_CONNS)
    {
        refuse("a number is out of range");
    }

    /* wake up on time, not up to 50 us later */

    (void) prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);

    read_targets();
    warm_up(length);

    for (round = 0; round < rounds; round++) {
        for (i = 0; i < n_targets; i++) {
            measure(&targets[i], length);
        }
    }

    return 0;
}
