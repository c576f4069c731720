/*
 * The connection to the store, with a new call in every turn of the loop: one
 * connection at a time, and one call back for each command.
 */

#include "store/store.h"
#include "tap.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define AWAY     0.4                    /* s; several attempts fail */
#define LISTENS  1.6                    /* s; longer than any back-off */
#define MAX      16


static struct ev_loop  *loop;
static store_t         *store;
static unsigned         asked, answered, accepted;
static int              conns[MAX];


static void
on_reply(void *data, const redisReply *reply)
{
    (void) data;
    (void) reply;
    answered++;
}


/* A slow turn of the loop: the timers of the store expire together. */

static void
on_turn(struct ev_loop *l, ev_prepare *w, int revents)
{
    rbl_str_t  argv[1] = { RBL_STR("PING") };

    (void) l;
    (void) w;
    (void) revents;

    asked++;
    store_command(store, on_reply, NULL, 1, argv);
    usleep(2000);
}


static void
on_tick(struct ev_loop *l, ev_timer *w, int revents)
{
    (void) l;
    (void) w;
    (void) revents;
}


static void
on_end(struct ev_loop *l, ev_timer *w, int revents)
{
    (void) w;
    (void) revents;
    ev_break(l, EVBREAK_ALL);
}


static void
on_accept(struct ev_loop *l, ev_io *w, int revents)
{
    int  fd;

    (void) l;
    (void) revents;

    fd = accept(w->fd, NULL, NULL);

    if (fd != -1 && accepted < MAX) {
        conns[accepted++] = fd;
    }
}


static void
on_state(void *data, int ready)
{
    (void) data;
    (void) ready;
}


static void
run_for(double seconds)
{
    ev_timer  end;

    ev_timer_init(&end, on_end, seconds, 0);
    ev_timer_start(loop, &end);
    ev_run(loop, 0);
}


static int
listen_at(const char *path)
{
    int                 fd;
    struct sockaddr_un  sun;

    memset(&sun, 0, sizeof(sun));
    sun.sun_family = AF_UNIX;
    snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path);

    fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd != -1 && (bind(fd, (struct sockaddr *) &sun, sizeof(sun)) != 0
                     || listen(fd, MAX) != 0))
    {
        close(fd);
        fd = -1;
    }

    return fd;
}


/* The store comes back, but does not reply: the greeting waits. */

static void
test_back(const char *path)
{
    int          fd;
    ev_io        io;
    ev_timer     tick;
    ev_prepare   turn;

    ev_prepare_init(&turn, on_turn);
    ev_prepare_start(loop, &turn);
    ev_timer_init(&tick, on_tick, 0.003, 0.003);
    ev_timer_start(loop, &tick);
    run_for(AWAY);

    fd = listen_at(path);
    ok(fd != -1, "the store is back");
    ev_io_init(&io, on_accept, fd, EV_READ);
    ev_io_start(loop, &io);
    run_for(LISTENS);
    ok(accepted == 1, "one connection: %u", accepted);

    ev_prepare_stop(loop, &turn);
    ev_timer_stop(loop, &tick);
    ev_io_stop(loop, &io);
    close(fd);
}


int
main(void)
{
    char      dir[] = "/tmp/rbl-store-XXXXXX", path[64], err[512], store_at[80];
    config_t  conf;

    if (mkdtemp(dir) == NULL) {
        perror("mkdtemp");
        return 1;
    }

    snprintf(path, sizeof(path), "%s/s", dir);
    config_defaults(&conf);
    snprintf(store_at, sizeof(store_at), "unix:%s", path);
    ok(config_set(&conf, "store", store_at, err, sizeof(err)) == 0
       && config_set(&conf, "store_timeout", "30s", err, sizeof(err)) == 0,
       "nothing times out");

    loop = ev_default_loop(0);
    store = store_new(loop, &conf, on_state, NULL);
    test_back(path);
    store_free(store);
    ok(answered == asked, "a call back for each command: %u of %u", answered,
       asked);

    while (accepted > 0) {
        close(conns[--accepted]);
    }

    unlink(path);
    rmdir(dir);

    return tap_done();
}
