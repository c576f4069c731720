/*
 * rblctl doctor: queries to servers, in parallel.
 */

#include "doctor_ask.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define ASK_AGAIN  1.5                  /* s until UDP is sent once more */


int
ask_set(ask_t *ask, const struct sockaddr_storage *at, const char *name,
    uint16_t type, unsigned shape, int tcp)
{
    memset(ask, 0, sizeof(ask_t));
    ask->at = *at;
    ask->type = type;
    ask->shape = shape;
    ask->tcp = tcp;
    ask->fd = -1;
    ask->len = name[0] == '\0' ? 1 : dns_wire_name(ask->name, name);

    return ask->len == 0 ? -1 : 0;
}


static void
ask_end(ask_t *ask, ask_end_t end, int error)
{
    ask->end = end;
    ask->error = error;

    if (ask->fd != -1) {
        close(ask->fd);
        ask->fd = -1;
    }
}


/* Over TCP its length goes first. */
static void
ask_send(ask_t *ask)
{
    size_t   n, head = ask->tcp ? 2 : 0;
    uint8_t  out[2 + DNS_QUESTION_MAX];

    n = dns_wire_query(out + head, ask->id, ask->name, ask->len, ask->type,
                       ask->shape);
    out[0] = ask->tcp ? (uint8_t) (n >> 8) : out[0];
    out[1] = ask->tcp ? (uint8_t) n : out[1];

    if (send(ask->fd, out, head + n, MSG_NOSIGNAL) == -1) {
        ask_end(ask, ASK_FAILED, errno);
    }

    ask->sent = n;
}


static void
ask_start(ask_t *ask)
{
    socklen_t  n = ask->at.ss_family == AF_INET ? sizeof(struct sockaddr_in)
                                                : sizeof(struct sockaddr_in6);

    if (getrandom(&ask->id, sizeof(ask->id), 0) != sizeof(ask->id)) {
        ask_end(ask, ASK_FAILED, errno);
        return;
    }

    ask->fd = socket(ask->at.ss_family, (ask->tcp ? SOCK_STREAM : SOCK_DGRAM)
                     | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (ask->fd == -1
        || (connect(ask->fd, (struct sockaddr *) &ask->at, n) != 0
            && errno != EINPROGRESS))
    {
        ask_end(ask, ASK_FAILED, errno);

    } else if (!ask->tcp) {
        ask_send(ask);
    }
}


/* A message of n octets: is it the answer? */
static void
ask_judge(ask_t *ask, const uint8_t *msg, size_t n)
{
    dns_screen_t  screen;

    if (n < DNS_HEADER || dns_get16(msg) != ask->id) {
        if (ask->tcp) {
            ask_end(ask, ASK_FOREIGN, 0);
        }

        return;                         /* anybody may send a datagram */
    }

    if (dns_wire_denial(msg, n)) {
        ask->rcode = DNS_RCODE_REFUSED;

    } else if (!dns_wire_match(msg, n, ask->name, ask->len, ask->type)) {
        ask_end(ask, ASK_FOREIGN, 0);
        return;

    } else {
        ask->rcode = msg[3] & 0x0f;
        ask->records = dns_screen(&screen, msg, n) == 0
                       ? screen.count[DNS_ANSWER] : 0;
    }

    ask_end(ask, ASK_ANSWERED, 0);
}


static void
ask_read(ask_t *ask)
{
    size_t   want, room;
    ssize_t  n;

    want = ask->tcp && ask->got >= 2 ? 2 + dns_get16(ask->in) : sizeof(ask->in);
    room = want < sizeof(ask->in) ? want : sizeof(ask->in);
    n = recv(ask->fd, ask->in + ask->got, room - ask->got, 0);

    if (n == -1) {
        if (errno != EAGAIN && errno != EINTR) {
            ask_end(ask, ASK_FAILED, errno);
        }

        return;
    }

    if (!ask->tcp) {
        ask_judge(ask, ask->in, (size_t) n);
        return;
    }

    ask->got += (size_t) n;

    if (ask->got >= 2 && ask->got >= 2 + dns_get16(ask->in)) {
        ask_judge(ask, ask->in + 2, dns_get16(ask->in));

    } else if (n == 0 || ask->got == sizeof(ask->in)) {
        ask_end(ask, ASK_FOREIGN, 0);
    }
}


static void
ask_event(ask_t *ask, short events)
{
    int        error = 0;
    socklen_t  n = sizeof(error);

    if (ask->tcp && ask->sent == 0) {
        if (getsockopt(ask->fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0
            || error != 0)
        {
            ask_end(ask, ASK_FAILED, error);

        } else if (events & POLLOUT) {
            ask_send(ask);
        }

    } else {
        ask_read(ask);
    }
}


/* Waits for events of all that are open; returns how many there were. */
static unsigned
ask_poll(ask_t *ask, unsigned n)
{
    unsigned       i, open;
    struct pollfd  fds[ASK_MAX];

    for (i = open = 0; i < n; i++) {
        fds[i].fd = ask[i].end == ASK_OPEN ? ask[i].fd : -1;
        fds[i].events = ask[i].tcp && ask[i].sent == 0 ? POLLOUT : POLLIN;
        fds[i].revents = 0;
        open += ask[i].end == ASK_OPEN;
    }

    if (open > 0 && poll(fds, n, 50) > 0) {
        for (i = 0; i < n; i++) {
            if (fds[i].revents != 0) {
                ask_event(&ask[i], fds[i].revents);
            }
        }
    }

    return open;
}


void
ask_all(ask_t *ask, unsigned n, double wait)
{
    int       again = 0;
    double    began = clock_now();
    unsigned  i;

    for (i = 0; i < n; i++) {
        ask_start(&ask[i]);
    }

    while (ask_poll(ask, n) > 0 && clock_now() - began < wait) {
        if (again || clock_now() - began < ASK_AGAIN) {
            continue;
        }

        for (again = 1, i = 0; i < n; i++) {
            if (ask[i].end == ASK_OPEN && !ask[i].tcp) {
                ask_send(&ask[i]);
            }
        }
    }

    for (i = 0; i < n; i++) {
        if (ask[i].end == ASK_OPEN) {
            ask_end(&ask[i], ASK_SILENT, 0);
        }
    }
}


const char *
ask_trouble(const ask_t *ask)
{
    static const char *const  rcodes[] = {
        [DNS_RCODE_FORMERR] = "answers FORMERR",
        [DNS_RCODE_SERVFAIL] = "answers SERVFAIL",
        [DNS_RCODE_NOTIMP] = "answers NOTIMP",
        [DNS_RCODE_REFUSED] = "refuses the query (REFUSED)"
    };

    switch (ask->end) {

    case ASK_ANSWERED:
        return ask->rcode == DNS_RCODE_NOERROR
               || ask->rcode == DNS_RCODE_NXDOMAIN ? NULL
               : ask->rcode < sizeof(rcodes) / sizeof(rcodes[0])
                 ? rcodes[ask->rcode] : "answers with an error";

    case ASK_FAILED:
        return strerror(ask->error);

    case ASK_FOREIGN:
        return "sends what is no answer";

    default:
        return "does not answer";
    }
}
