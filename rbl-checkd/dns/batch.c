/*
 * Queries that leave by one socket in one batch.  Queries of one length are one
 * message to the kernel, which segments it just before it is sent
 * (UDP_SEGMENT).  Most of the cost of a query is its way through the kernel,
 * which a batch pays only once.  The server receives single queries.
 *
 * Some paths do not support this (a tunnel, an MTU below the size of a query)
 * and report an error.  Then each query is a message of its own for the life of
 * the socket.
 */

#include "base/xalloc.h"
#include "dns_int.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

/* Control message with the size of a segment. */
typedef union {
    struct cmsghdr  head;           /* for alignment */
    uint8_t         room[CMSG_SPACE(sizeof(uint16_t))];
} batch_control_t;

/* Queries of one length, in the order of their arrival. */
typedef struct {
    uint8_t  first, last;           /* indexes in the batch */
    uint8_t  n;
} batch_length_t;

struct dns_batch_s {
    dns_socket_t     *socket;
    unsigned          n;
    uint8_t           out[DNS_BATCH][DNS_QUESTION_MAX];
    uint8_t           next[DNS_BATCH];      /* next of the same length */
    dns_flight_t     *flight[DNS_BATCH];

    batch_length_t    length[DNS_QUESTION_MAX + 1];
    uint16_t          lengths[DNS_BATCH];   /* the lengths in use */
    unsigned          n_lengths;

    /* All queries in the order of sending, one length after the other. */
    struct iovec      iov[DNS_BATCH];
    dns_flight_t     *leaves[DNS_BATCH];
    struct mmsghdr    msg[DNS_BATCH];
    batch_control_t   control[DNS_BATCH];
};


dns_batch_t *
dns_batch_new(void)
{
    return xcalloc(1, sizeof(dns_batch_t));
}


void
dns_batch_free(dns_batch_t *batch)
{
    free(batch);
}


dns_socket_t *
dns_batch_socket(const dns_batch_t *batch)
{
    return batch->socket;
}


int
dns_batch_add(dns_batch_t *batch, dns_flight_t *f)
{
    size_t            len;
    unsigned          i;
    batch_length_t   *same;
    dns_query_t      *q;

    q = f->q;
    batch->socket = f->socket;
    i = batch->n++;
    len = dns_wire_query(batch->out[i], f->id, q->name, q->len, q->type,
                            (f->edns ? DNS_QUERY_EDNS : 0)
                            | (q->set->recursive ? DNS_QUERY_RD : 0));

    if (f->mixed) {
        dns_case_mix(batch->out[i] + DNS_HEADER, f);
    }

    batch->flight[i] = f;
    same = &batch->length[len];

    if (same->n++ == 0) {
        same->first = (uint8_t) i;
        batch->lengths[batch->n_lengths++] = (uint16_t) len;
    } else {
        batch->next[same->last] = (uint8_t) i;
    }

    same->last = (uint8_t) i;

    return batch->n == DNS_BATCH;
}


/* Empties the batch; `iov` and `leaves` then hold its queries. */
static unsigned
batch_order(dns_batch_t *batch)
{
    unsigned         i, k, n, at;
    batch_length_t  *same;

    n = 0;

    for (i = 0; i < batch->n_lengths; i++) {
        same = &batch->length[batch->lengths[i]];
        at = same->first;

        for (k = 0; k < same->n; k++) {
            batch->iov[n].iov_base = batch->out[at];
            batch->iov[n].iov_len = batch->lengths[i];
            batch->leaves[n++] = batch->flight[at];
            at = batch->next[at];
        }

        same->n = 0;
    }

    batch->n = 0;
    batch->n_lengths = 0;
    batch->socket = NULL;
    return n;
}


/* Tells the kernel where to cut a message of several queries. */
static void
batch_cut(struct msghdr *msg, batch_control_t *control)
{
    uint16_t  size;

    size = (uint16_t) msg->msg_iov->iov_len;
    msg->msg_control = control;
    msg->msg_controllen = sizeof(control->room);
    control->head.cmsg_level = IPPROTO_UDP;
    control->head.cmsg_type = UDP_SEGMENT;
    control->head.cmsg_len = CMSG_LEN(sizeof(size));
    memcpy(CMSG_DATA(&control->head), &size, sizeof(size));
}


/* Makes the messages for the queries from `i` to `n`; returns their number. */
static unsigned
batch_messages(dns_batch_t *batch, unsigned i, unsigned n, int segments)
{
    unsigned        m, k;
    struct msghdr  *msg;

    for (m = 0; i < n; m++) {
        k = 1;

        while (segments && i + k < n
               && batch->iov[i + k].iov_len == batch->iov[i].iov_len)
        {
            k++;
        }

        msg = &batch->msg[m].msg_hdr;
        msg->msg_iov = &batch->iov[i];
        msg->msg_iovlen = k;
        msg->msg_control = NULL;
        msg->msg_controllen = 0;

        if (k > 1) {
            batch_cut(msg, &batch->control[m]);
        }

        i += k;
    }

    return m;
}


/* Sends the queries from `i` to `n`; returns the first that could not be
   sent. */
static unsigned
batch_leave(dns_batch_t *batch, dns_socket_t *s, unsigned i, unsigned n)
{
    int       k;
    unsigned  m, messages;

    messages = batch_messages(batch, i, n, s->segments);

    for (m = 0; m < messages; /* void */ ) {
        k = sendmmsg(s->io.fd, batch->msg + m, messages - m, MSG_DONTWAIT);

        if (k <= 0) {
            break;
        }

        while (k--) {
            i += (unsigned) batch->msg[m++].msg_hdr.msg_iovlen;
        }
    }

    return i;
}


unsigned
dns_batch_send(dns_batch_t *batch, dns_flight_t ***unsent)
{
    unsigned       i, n;
    dns_socket_t  *s;

    s = batch->socket;
    n = batch_order(batch);
    i = batch_leave(batch, s, 0, n);

    if (i < n && s->segments && errno != ECONNREFUSED) {
        s->segments = 0;
        i = batch_leave(batch, s, i, n);
    }

    s->engine->counters.sent += i;
    *unsent = batch->leaves + i;

    return n - i;
}
