/*
 * Small services for all parts of the daemon.
 */

#include "daemon.h"
#include "log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>


double
daemon_jitter(void)
{
    static unsigned  seed;

    if (seed == 0) {
        seed = (unsigned) getpid() * 2654435761u | 1;
    }

    return rand_r(&seed) / (RAND_MAX + 1.0);
}


void
daemon_notify(const char *state)
{
    int                  fd;
    size_t               n;
    const char          *path;
    struct sockaddr_un   sa;

    path = getenv("NOTIFY_SOCKET");
    if (path == NULL || (path[0] != '/' && path[0] != '@')) {
        return;
    }

    n = strlen(path);
    if (n >= sizeof(sa.sun_path)) {
        return;
    }

    memset(&sa, 0, sizeof(sa));
    sa.sun_family = AF_UNIX;
    memcpy(sa.sun_path, path, n);

    if (path[0] == '@') {
        sa.sun_path[0] = '\0';          /* an abstract socket */
    }

    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }

    if (sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
               (struct sockaddr *) &sa,
               (socklen_t) (offsetof(struct sockaddr_un, sun_path) + n))
        < 0)
    {
        log_warn("the service manager was not told %s: %s", state,
                 strerror(errno));
    }

    close(fd);
}
