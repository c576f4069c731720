/*
 * Replies that no command waits for.  The listener gets the messages of its
 * subscription; anything else ends the connection.
 */

#include "store/store.h"
#include "rbl_meta.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TEXT(n)   #n
#define NUMBER(n) ":" TEXT(n) "\r\n"
#define GREETING  "$11\r\nrole:master\r\n*3\r\n" NUMBER(RBL_SCHEMA_VERSION)  \
                  NUMBER(4) NUMBER(RBL_SCHEMA_VERSION)
#define CONFIRMS  "*3\r\n$9\r\nsubscribe\r\n$8\r\nrbl:news\r\n:1\r\n"
#define MESSAGE   "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$1\r\ny\r\n"
#define LIMIT     10.0                  /* s */

static struct ev_loop  *loop;
static config_t         conf;
static const char      *text;           /* sent behind the greeting */
static unsigned         messages;
static int              server, conn, closed;
static ev_io            readable;


static void
on_message(void *data, rbl_str_t message)
{
    (void) data;
    messages += rbl_str_is(message, "y");
}


/* The test ignores the commands, and waits for the end of the connection. */

static void
on_readable(struct ev_loop *l, ev_io *w, int revents)
{
    char  buf[4096];

    (void) l;
    (void) revents;

    if (recv(w->fd, buf, sizeof(buf), 0) <= 0) {
        closed = 1;
        ev_break(l, EVBREAK_ALL);
    }
}


static void
on_end(struct ev_loop *l, ev_timer *w, int revents)
{
    (void) w;
    (void) revents;
    ev_break(l, EVBREAK_ALL);
}


static void
run_for(double seconds)
{
    ev_timer  end;

    ev_timer_init(&end, on_end, seconds, 0);
    ev_timer_start(loop, &end);
    ev_run(loop, 0);
    ev_timer_stop(loop, &end);
}


/* Opens a connection of the store, and sends everything at once. */

static void
on_accept(struct ev_loop *l, ev_io *w, int revents)
{
    int  fd;

    (void) revents;

    fd = accept(w->fd, NULL, NULL);

    if (conn != -1) {
        close(fd);                      /* another attempt */
        return;
    }

    conn = fd;
    (void) !write(conn, GREETING, sizeof(GREETING) - 1);
    (void) !write(conn, text, strlen(text));
    ev_io_init(&readable, on_readable, conn, EV_READ);
    ev_io_start(l, &readable);
}


static void
begin(const char *sends)
{
    text = sends;
    messages = 0;
    conn = -1;
    closed = 0;
}


static void
end(store_t *store)
{
    ev_io_stop(loop, &readable);
    store_free(store);
    close(conn);
}


/* `of` is any store: of one Redis, only its configuration is needed. */

static void
test_messages(store_t *of)
{
    size_t    i;
    store_t  *store;

    static const char  *bad[] = {
        "-NOPERM x\r\n", "+OK\r\n", ":1\r\n", "$1\r\nx\r\n", "$-1\r\n",
        "*-1\r\n", "*0\r\n", "*1\r\n$7\r\nmessage\r\n", MESSAGE "*0\r\n",
        "*2\r\n$7\r\nmessage\r\n$1\r\nx\r\n", "*3\r\n:1\r\n:1\r\n:1\r\n",
        "*3\r\n$7\r\nMESSAGE\r\n$1\r\nx\r\n$1\r\ny\r\n",
        "*3\r\n$8\r\npmessage\r\n$1\r\nx\r\n$1\r\ny\r\n",
        "*3\r\n$11\r\nunsubscribe\r\n$8\r\nrbl:news\r\n:0\r\n",
        "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n:1\r\n",
        "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$-1\r\n",
        "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n*1\r\n:1\r\n"
    };

    begin(CONFIRMS MESSAGE MESSAGE);
    store = store_listen(of, on_message, NULL);
    run_for(0.3);
    ok(messages == 2 && !closed, "two messages");
    end(store);

    for (i = 0; i < 2 * sizeof(bad) / sizeof(bad[0]); i++) {
        char  all[256];

        snprintf(all, sizeof(all), "%s%s", i % 2 ? CONFIRMS : "", bad[i / 2]);
        begin(all);
        store = store_listen(of, on_message, NULL);
        run_for(LIMIT);
        ok(closed, "no message: %zu", i / 2);
        end(store);
    }
}


static void
test_unasked(void)
{
    size_t    i;
    store_t  *store;

    static const char  *bad[] = {
        "+OK\r\n", "-ERR x\r\n", ":1\r\n", "$-1\r\n", "$1\r\nx\r\n", "*0\r\n",
        "*-1\r\n", MESSAGE
    };

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        begin(bad[i]);
        store = store_new(loop, &conf, NULL, NULL);
        run_for(LIMIT);
        ok(closed, "nobody asked: %zu", i);
        end(store);
    }
}


int
main(void)
{
    int                 stays;
    char                dir[] = "/tmp/rbl-listen-XXXXXX", err[512], at[80];
    ev_io               io;
    store_t            *of;
    struct sockaddr_un  sun;

    if (mkdtemp(dir) == NULL) {
        perror("mkdtemp");
        return 1;
    }

    memset(&sun, 0, sizeof(sun));
    sun.sun_family = AF_UNIX;
    snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/s", dir);
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    ok(bind(server, (struct sockaddr *) &sun, sizeof(sun)) == 0
       && listen(server, 16) == 0, "the server listens");

    config_defaults(&conf);
    snprintf(at, sizeof(at), "unix:%s/s", dir);
    ok(config_set(&conf, "store", at, err, sizeof(err)) == 0, "the store");

    loop = ev_default_loop(0);
    ev_io_init(&io, on_accept, server, EV_READ);
    ev_io_start(loop, &io);

    test_unasked();

    begin("");
    of = store_new(loop, &conf, NULL, NULL);
    run_for(0.1);
    ok(store_ready(of), "the store is ready");
    ev_io_stop(loop, &readable);
    stays = conn;

    test_messages(of);
    store_free(of);
    close(stays);

    close(server);
    unlink(sun.sun_path);
    rmdir(dir);

    return tap_done();
}
