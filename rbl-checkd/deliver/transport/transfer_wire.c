/*
 * Counts the octets from a receiver, below HTTP and TLS, including chunk
 * extensions and trailers, which no function of curl reports, and empty TLS
 * records.  The kernel keeps the count, so an answer that comes at once costs
 * nothing.  curl reads up to 100 buffers in a turn of the loop, so a fast
 * receiver gets a few turns of them through before it is cut.
 */

#include "transfer_int.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>


#define WIRE_READS_FREE  2u             /* turns that are not counted */


/* Octets that the connection has got, and 0; or -1. */

static int
wire_received(int fd, uint64_t *received)
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
wire_unread(int fd)
{
    int  n;

    return ioctl(fd, FIONREAD, &n) == 0 && n > 0 ? (uint64_t) n : 0;
}


int
transfer_wire_over(transfer_t *t, int fd)
{
    uint64_t  received;

    if (++t->reads <= WIRE_READS_FREE || wire_received(fd, &received) != 0) {
        return 0;
    }

    if (!t->measured) {
        t->measured = 1;
        t->wire_base = t->opened ? 0 : received - wire_unread(fd);
    }

    return received - t->wire_base > TRANSFER_WIRE_MAX
           && received - wire_unread(fd) - t->wire_base > TRANSFER_WIRE_MAX;
}
