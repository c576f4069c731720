/*
 * dnsdelay PORT TARGET MS: a DNS server on 127.0.0.1 that forwards to the
 * server at port TARGET, MS milliseconds later.  UDP only.
 *
 * Queries wait in a ring until they are due.  At most WINDOW of them are in
 * flight at the server behind, whose receive buffer would overflow with more.
 * Ids are replaced on the way, and restored.
 */

#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define RING     65536                  /* a power of two: ids are indices */
#define BATCH    64
#define OCTETS   1280
#define WINDOW   64
#define LOST     0.05                   /* s after which a response is lost */
#define BUFFERS  (32 * 1024 * 1024)

typedef struct {
    struct sockaddr_in  from;
    double              due;
    uint16_t            id, len;
    int                 waits;          /* for the response */
    unsigned char       data[OCTETS];
} slot_t;

typedef struct {
    struct mmsghdr      msg[BATCH];
    struct iovec        iov[BATCH];
    struct sockaddr_in  addr[BATCH];
    unsigned char       data[BATCH][OCTETS];
} batch_t;

typedef struct {
    int       front, back;              /* sockets */
    double    delay;
    double    heard;                    /* when a response arrived, or one was
                                           sent */
    uint32_t  in, out;                  /* positions in the ring: received,
                                           forwarded */
    unsigned  open;                     /* forwarded and not answered */
    slot_t   *ring;
    batch_t   read, write;
} relay_t;


static double
now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}


static int
udp(unsigned port, int bound)
{
    int                 s, size = BUFFERS;
    struct sockaddr_in  a;

    memset(&a, 0, sizeof(a));
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons((uint16_t) port);

    s = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (s == -1
        || (bound ? bind(s, (struct sockaddr *) &a, sizeof(a))
                  : connect(s, (struct sockaddr *) &a, sizeof(a))) != 0)
    {
        perror("dnsdelay");
        exit(1);
    }

    if (setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) != 0) {
        (void) setsockopt(s, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    }

    return s;
}


static void
batch_init(batch_t *b)
{
    unsigned  i;

    memset(b->msg, 0, sizeof(b->msg));

    for (i = 0; i < BATCH; i++) {
        b->iov[i].iov_base = b->data[i];
        b->iov[i].iov_len = OCTETS;
        b->msg[i].msg_hdr.msg_iov = &b->iov[i];
        b->msg[i].msg_hdr.msg_iovlen = 1;
    }
}


static void
set_id(unsigned char *data, uint16_t id)
{
    data[0] = (unsigned char) (id >> 8);
    data[1] = (unsigned char) id;
}


static uint16_t
get_id(const unsigned char *data)
{
    return (uint16_t) (data[0] << 8 | data[1]);
}


/* Receives queries. */

static void
take(relay_t *r)
{
    int      i, n;
    slot_t  *slot;

    batch_init(&r->read);
    for (i = 0; i < BATCH; i++) {
        r->read.msg[i].msg_hdr.msg_name = &r->read.addr[i];
        r->read.msg[i].msg_hdr.msg_namelen = sizeof(r->read.addr[i]);
    }

    n = recvmmsg(r->front, r->read.msg, BATCH, MSG_DONTWAIT, NULL);

    for (i = 0; i < n; i++) {
        if (r->read.msg[i].msg_len < 12 || r->in - r->out == RING - 1) {
            continue;
        }

        slot = &r->ring[r->in & (RING - 1)];
        slot->from = r->read.addr[i];
        slot->len = (uint16_t) r->read.msg[i].msg_len;
        slot->id = get_id(r->read.data[i]);
        slot->due = now() + r->delay;
        slot->waits = 0;
        memcpy(slot->data, r->read.data[i], slot->len);
        set_id(slot->data, (uint16_t) r->in);
        r->in++;
    }
}


/* Forwards due queries, as many as the server behind may have. */

static void
pass(relay_t *r)
{
    int       n;
    double    t;
    slot_t   *slot;

    t = now();
    if (r->open && t - r->heard > LOST) {
        r->open = 0;
    }

    batch_init(&r->write);

    for (n = 0; n < BATCH && r->out + (uint32_t) n != r->in
         && r->open + (unsigned) n < WINDOW; n++)
    {
        slot = &r->ring[(r->out + (uint32_t) n) & (RING - 1)];
        if (slot->due > t) {
            break;
        }

        slot->waits = 1;
        r->write.iov[n].iov_base = slot->data;
        r->write.iov[n].iov_len = slot->len;
    }

    if (n == 0) {
        return;
    }

    n = sendmmsg(r->back, r->write.msg, (unsigned) n, MSG_DONTWAIT);
    if (n > 0) {
        r->out += (uint32_t) n;
        r->open += (unsigned) n;
        r->heard = t;
    }
}


/* Returns responses to their clients. */

static void
give(relay_t *r)
{
    int      i, n, m;
    slot_t  *slot;

    batch_init(&r->read);
    n = recvmmsg(r->back, r->read.msg, BATCH, MSG_DONTWAIT, NULL);
    batch_init(&r->write);

    for (i = 0, m = 0; i < n; i++) {
        if (r->read.msg[i].msg_len < 12) {
            continue;
        }

        slot = &r->ring[get_id(r->read.data[i]) & (RING - 1)];
        if (!slot->waits) {
            continue;
        }

        slot->waits = 0;
        set_id(r->read.data[i], slot->id);
        r->write.iov[m].iov_base = r->read.data[i];
        r->write.iov[m].iov_len = r->read.msg[i].msg_len;
        r->write.msg[m].msg_hdr.msg_name = &slot->from;
        r->write.msg[m].msg_hdr.msg_namelen = sizeof(slot->from);
        r->open -= r->open > 0;
        m++;
    }

    if (m > 0) {
        r->heard = now();
        (void) sendmmsg(r->front, r->write.msg, (unsigned) m, 0);
    }
}


/* Returns the time without work, in ns. */

static long
idle(const relay_t *r)
{
    double  wait;

    if (r->out == r->in || r->open >= WINDOW) {
        return 10000000;
    }

    wait = r->ring[r->out & (RING - 1)].due - now();
    return wait > 0 ? (long) (wait * 1e9) + 1000 : 0;
}


int
main(int argc, char **argv)
{
    relay_t         *r;
    struct pollfd    fd[2];
    struct timespec  ts;

    if (argc != 4) {
        fprintf(stderr, "usage: dnsdelay PORT TARGET MS\n");
        return 2;
    }

    r = calloc(1, sizeof(relay_t));
    if (r == NULL || (r->ring = calloc(RING, sizeof(slot_t))) == NULL) {
        return 1;
    }

    r->front = udp((unsigned) atoi(argv[1]), 1);
    r->back = udp((unsigned) atoi(argv[2]), 0);
    r->delay = atof(argv[3]) / 1000;
    fd[0].fd = r->front;
    fd[1].fd = r->back;
    fd[0].events = fd[1].events = POLLIN;
    printf("ready\n");
    fflush(stdout);

    for ( ;; ) {
        ts.tv_sec = 0;
        ts.tv_nsec = idle(r);
        if (ppoll(fd, 2, &ts, NULL) < 0) {
            return 1;
        }

        if (fd[1].revents) {
            give(r);
        }

        if (fd[0].revents) {
            take(r);
        }

        pass(r);
    }
}
