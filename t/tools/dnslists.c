/*
 * dnslists PORT: a DNS server on 127.0.0.1, UDP and TCP, whose zones behave by
 * their names:
 *
 *     *.sys.test     lists 198.18.66.0/23 and the positive test point
 *     tcp.sys.test   the same; UDP answers are truncated, TCP answers whole
 *     *.big.test     lists 198.0.0.0/8 with three codes and 1,000 bytes of
 *                    text, and has no test point, so that it needs no sample
 *     *.many.test    lists 198.0.0.0/8 with 300 A records, over TCP
 *     *.slow.test    answers as *.sys.test, for 198.0.0.0/8 SLOW seconds late
 *     *.drop.test    passes its test points; drops queries for 198.0.0.0/8
 *     *.hang.test    passes its test points; truncates answers for 198.0.0.0/8,
 *                    and over TCP never answers
 *     *.corp.test    answers each name with 10.1.2.3
 *
 * All other names: NXDOMAIN.  One thread; a connection carries one query.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define OCTETS    8192
#define QUERY     512
#define CONNS     1024
#define RING      65536                 /* late answers; a power of two */
#define BURST     64
#define SLOW      1.5                   /* s */
#define BUFFERS   (8 * 1024 * 1024)
#define HEADER    12
#define TYPE_A    1
#define TYPE_TXT  16
#define MANY      300

typedef enum { ABSENT, SYS, TCP, BIG, MANY_A, LATE, DROP, HANG, CORP } kind_t;

typedef struct {
    unsigned char  data[OCTETS];
    size_t         len;
} packet_t;

typedef struct {
    char      name[256];                /* in lower case, without last dot */
    unsigned  type;
    size_t    end;                      /* of the query */
    kind_t    kind;
    int       subject;                  /* of the list, not a test point */
} query_t;

typedef struct {
    struct sockaddr_in  from;
    double              due;
    size_t              len;
    unsigned char       data[QUERY];
} late_t;

static late_t         ring[RING];
static uint32_t       ring_in, ring_out;
static struct pollfd  fds[CONNS + 2];   /* UDP, TCP, connections */
static unsigned       n_fds = 2;


static double
now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}


static int
bound(int type, unsigned port)
{
    int                 s, one = 1, size = BUFFERS;
    struct sockaddr_in  a;

    memset(&a, 0, sizeof(a));
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons((uint16_t) port);

    s = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));

    if (type == SOCK_DGRAM) {
        setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
    }

    if (bind(s, (struct sockaddr *) &a, sizeof(a)) != 0
        || (type == SOCK_STREAM && listen(s, 512) != 0))
    {
        perror("dnslists");
        exit(1);
    }

    return s;
}


static int
ends(const char *name, const char *with)
{
    size_t  n = strlen(name), m = strlen(with);

    return n > m && strcmp(name + n - m, with) == 0;
}


static kind_t
kind_of(const char *name)
{
    unsigned  i;

    static const struct { const char *zone; kind_t kind; }  kinds[] = {
        { ".tcp.sys.test", TCP }, { ".sys.test", SYS }, { ".big.test", BIG },
        { ".many.test", MANY_A }, { ".slow.test", LATE },
        { ".drop.test", DROP }, { ".hang.test", HANG }, { ".corp.test", CORP }
    };

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (ends(name, kinds[i].zone)) {
            return kinds[i].kind;
        }
    }

    return ABSENT;
}


/* True for 198.0.0.0/8: the fourth label is 198. */

static int
is_subject(const char *name)
{
    unsigned  dots;

    for (dots = 0; *name != '\0' && dots < 3; name++) {
        dots += *name == '.';
    }

    return strncmp(name, "198.", 4) == 0;
}


static int
query_of(query_t *q, const unsigned char *data, size_t len)
{
    char    *p = q->name;
    size_t   i, at = HEADER;

    while (at < len && data[at] != 0) {
        if (data[at] > 63 || at + data[at] + 1 >= len
            || (size_t) (p - q->name) + data[at] + 2 > sizeof(q->name))
        {
            return 0;
        }

        for (i = 1; i <= data[at]; i++) {
            *p++ = (char) (data[at + i] >= 'A' && data[at + i] <= 'Z'
                           ? data[at + i] + 32 : data[at + i]);
        }

        *p++ = '.';
        at += (size_t) data[at] + 1;
    }

    if (at + 5 > len || p == q->name || (data[2] & 0x80)) {
        return 0;
    }

    p[-1] = '\0';
    q->type = (unsigned) (data[at + 1] << 8 | data[at + 2]);
    q->end = at + 5;
    q->kind = kind_of(q->name);
    q->subject = is_subject(q->name);
    return 1;
}


static void
put16(packet_t *out, unsigned v)
{
    out->data[out->len++] = (unsigned char) (v >> 8);
    out->data[out->len++] = (unsigned char) v;
}


static void
put_record(packet_t *out, unsigned type, const void *rdata, size_t len)
{
    put16(out, 0xc00c);
    put16(out, type);
    put16(out, 1);
    put16(out, 0);
    put16(out, 1);                      /* TTL */
    put16(out, (unsigned) len);
    memcpy(out->data + out->len, rdata, len);
    out->len += len;
}


static unsigned
put_codes(packet_t *out, unsigned n)
{
    unsigned       i;
    unsigned char  a[4] = { 127, 0, 0, 2 };

    for (i = 0; i < n; i++) {
        a[2] = (unsigned char) (i / 200);
        a[3] = (unsigned char) (2 + i % 200);
        put_record(out, TYPE_A, a, 4);
    }

    return n;
}


static unsigned
put_text(packet_t *out, unsigned strings)
{
    unsigned       i;
    unsigned char  text[1004];

    for (i = 0; i < strings; i++) {
        text[i * 251] = 250;
        memset(text + i * 251 + 1, 'a' + (int) i, 250);
    }

    put_record(out, TYPE_TXT, text, strings * 251);
    return 1;
}


/* Writes the records of a response; 0: no such name. */

static unsigned
put_answer(packet_t *out, const query_t *q)
{
    int  listed, test;

    static const unsigned char  inside[4] = { 10, 1, 2, 3 };

    test = q->kind != BIG && (strncmp(q->name, "2.0.0.127.", 10) == 0
                              || strncmp(q->name, "test.", 5) == 0);
    listed = test || strstr(q->name, ".66.18.198.") != NULL
             || strstr(q->name, ".67.18.198.") != NULL
             || (q->subject && (q->kind == BIG || q->kind == MANY_A));

    if (q->kind == CORP && q->type == TYPE_A) {
        put_record(out, TYPE_A, inside, 4);
        return 1;
    }

    if (q->kind == ABSENT || q->kind == CORP || !listed) {
        return 0;
    }

    if (q->type == TYPE_A) {
        return put_codes(out, test ? 1 : q->kind == BIG ? 3
                              : q->kind == MANY_A ? MANY : 1);
    }

    return q->type == TYPE_TXT ? put_text(out, q->kind == BIG ? 4 : 1) : 0;
}


/* An SOA of the zone "test": a response is cached for a second. */

static void
put_soa(packet_t *out)
{
    static const unsigned char  soa[] = {
        4, 't', 'e', 's', 't', 0, 0, 6, 0, 1, 0, 0, 0, 1, 0, 22, 0, 0,
        0, 0, 0, 1, 0, 0, 0, 60, 0, 0, 0, 60, 0, 0, 0, 60, 0, 0, 0, 1
    };

    memcpy(out->data + out->len, soa, sizeof(soa));
    out->len += sizeof(soa);
}


static void
answer(packet_t *out, const query_t *q, const unsigned char *data, int tc)
{
    unsigned  n;

    memcpy(out->data, data, q->end);
    memset(out->data + 2, 0, HEADER - 2);
    out->data[2] = (unsigned char) (0x84 | (data[2] & 1) | (tc ? 2 : 0));
    out->data[3] = 0x80;
    out->data[5] = 1;
    out->len = q->end;

    if (tc) {
        return;
    }

    n = put_answer(out, q);
    out->data[6] = (unsigned char) (n >> 8);
    out->data[7] = (unsigned char) n;

    if (n == 0) {
        out->data[3] |= 3;
        out->data[9] = 1;
        put_soa(out);
    }
}


static void
send_udp(const query_t *q, const unsigned char *data,
    const struct sockaddr_in *to)
{
    int              tc;
    static packet_t  out;

    tc = q->kind == TCP || (q->subject && (q->kind == HANG
                                           || q->kind == MANY_A));
    answer(&out, q, data, tc);
    (void) sendto(fds[0].fd, out.data, out.len, 0, (const struct sockaddr *) to,
                  sizeof(*to));
}


static void
udp_in(void)
{
    int                 i;
    ssize_t             n;
    late_t             *late;
    query_t             q;
    socklen_t           len;
    unsigned char       data[QUERY];
    struct sockaddr_in  from;

    for (i = 0; i < BURST; i++) {
        len = sizeof(from);
        n = recvfrom(fds[0].fd, data, sizeof(data), 0,
                     (struct sockaddr *) &from, &len);

        if (n <= 0) {
            return;
        }

        if (!query_of(&q, data, (size_t) n)
            || (q.kind == DROP && q.subject))
        {
            continue;
        }

        if (q.kind == LATE && q.subject && ring_in - ring_out < RING) {
            late = &ring[ring_in++ % RING];
            late->from = from;
            late->due = now() + SLOW;
            late->len = (size_t) n;
            memcpy(late->data, data, (size_t) n);
            continue;
        }

        send_udp(&q, data, &from);
    }
}


static void
late_out(void)
{
    late_t   *late;
    query_t   q;

    while (ring_in != ring_out && ring[ring_out % RING].due <= now()) {
        late = &ring[ring_out++ % RING];

        if (query_of(&q, late->data, late->len)) {
            send_udp(&q, late->data, &late->from);
        }
    }
}


/* 0: the connection is over.  A query comes in one piece on this machine. */

static int
tcp_in(int fd)
{
    ssize_t          n;
    query_t          q;
    unsigned char    data[QUERY];
    static packet_t  out;

    n = read(fd, data, sizeof(data));

    if (n < 3 || !query_of(&q, data + 2, (size_t) n - 2)) {
        return 0;
    }

    if (q.kind == HANG && q.subject) {
        return 1;
    }

    answer(&out, &q, data + 2, 0);
    memmove(out.data + 2, out.data, out.len);
    out.data[0] = (unsigned char) (out.len >> 8);
    out.data[1] = (unsigned char) out.len;
    (void) !write(fd, out.data, out.len + 2);
    return 0;
}


static void
accept_all(void)
{
    int  fd;

    while ((fd = accept4(fds[1].fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC))
           != -1)
    {
        if (n_fds == CONNS + 2) {
            close(fd);
            continue;
        }

        fds[n_fds].fd = fd;
        fds[n_fds].events = POLLIN;
        fds[n_fds++].revents = 0;
    }
}


int
main(int argc, char **argv)
{
    unsigned  i, port;

    port = argc == 2 ? (unsigned) atoi(argv[1]) : 0;

    if (port == 0) {
        fprintf(stderr, "usage: dnslists PORT\n");
        return 2;
    }

    fds[0].fd = bound(SOCK_DGRAM, port);
    fds[1].fd = bound(SOCK_STREAM, port);
    fds[0].events = fds[1].events = POLLIN;
    printf("ready\n");
    fflush(stdout);

    for ( ;; ) {
        if (poll(fds, n_fds, ring_in != ring_out ? 10 : -1) == -1
            && errno != EINTR)
        {
            perror("poll");
            return 1;
        }

        late_out();

        for (i = n_fds - 1; i >= 2; i--) {
            if (fds[i].revents != 0 && !tcp_in(fds[i].fd)) {
                close(fds[i].fd);
                fds[i] = fds[--n_fds];
            }
        }

        if (fds[1].revents & POLLIN) {
            accept_all();
        }

        if (fds[0].revents & POLLIN) {
            udp_in();
        }
    }
}
