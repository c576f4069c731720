/*
 * Plain libcurl, for comparison with the delivery of events: POSTs one body to
 * one URL as fast as the multi interface allows, on libev, and prints the cost:
 *
 *     curlrate URL COUNT IN_FLIGHT FILE [HEADER...]
 *     sent=20000 bad=0 wall_us=812345 user_us=.. system_us=..
 *
 * This is the cheapest use of libcurl with different requests: one easy handle
 * per request in flight, reused with its own URL, headers and body, and
 * persistent connections.  A missing response, or one other than 2xx, is bad.
 */

#include <curl/curl.h>
#include <ev.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define BODY_MAX  65536


typedef struct {
    ev_io       io;
    CURLM      *multi;
} watch_t;

static struct {
    struct ev_loop  *loop;
    CURLM           *multi;
    ev_timer         timer;
    const char      *url;
    char           **header;            /* ends with NULL */
    const char      *body;
    size_t           n_body;
    unsigned long    left;              /* not started yet */
    unsigned long    running, sent, bad;
} run;


static size_t
ignore(char *p, size_t size, size_t n, void *data)
{
    (void) p;
    (void) data;

    return size * n;
}


/* The handle owns the headers. */

static int
begin(CURL *easy)
{
    char               **h;
    CURLcode             rc;
    struct curl_slist   *headers;

    headers = NULL;

    for (h = run.header; *h != NULL; h++) {
        headers = curl_slist_append(headers, *h);
    }

    rc = curl_easy_setopt(easy, CURLOPT_URL, run.url);
    rc |= curl_easy_setopt(easy, CURLOPT_PROXY, "");
    rc |= curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    rc |= curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                           (long) CURL_HTTP_VERSION_1_1);
    rc |= curl_easy_setopt(easy, CURLOPT_POSTFIELDS, run.body);
    rc |= curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                           (curl_off_t) run.n_body);
    rc |= curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    rc |= curl_easy_setopt(easy, CURLOPT_PRIVATE, headers);
    rc |= curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);

    return rc == CURLE_OK
           && curl_multi_add_handle(run.multi, easy) == CURLM_OK ? 0 : -1;
}


static void
collect(void)
{
    int       left;
    long      status;
    CURL     *easy;
    char     *headers;
    CURLcode  code;
    CURLMsg  *msg;

    while ((msg = curl_multi_info_read(run.multi, &left)) != NULL) {
        easy = msg->easy_handle;
        code = msg->data.result;
        status = 0;
        headers = NULL;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &headers);
        curl_multi_remove_handle(run.multi, easy);
        curl_slist_free_all((struct curl_slist *) (void *) headers);

        run.sent++;
        run.bad += code != CURLE_OK || status < 200 || status > 299;

        if (run.left > 0) {
            run.left--;

            if (begin(easy) == 0) {
                continue;
            }

            run.bad++;
        }

        run.running--;
    }

    if (run.running == 0) {
        ev_break(run.loop, EVBREAK_ALL);
    }
}


static void
io_handler(struct ev_loop *loop, ev_io *io, int revents)
{
    int  running;

    (void) loop;

    curl_multi_socket_action(run.multi, io->fd,
                             (revents & EV_READ ? CURL_CSELECT_IN : 0)
                             | (revents & EV_WRITE ? CURL_CSELECT_OUT : 0),
                             &running);
    collect();
}


static void
timer_handler(struct ev_loop *loop, ev_timer *timer, int revents)
{
    int  running;

    (void) loop;
    (void) timer;
    (void) revents;

    curl_multi_socket_action(run.multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect();
}


static int
set_timer(CURLM *multi, long ms, void *data)
{
    (void) multi;
    (void) data;

    ev_timer_stop(run.loop, &run.timer);

    if (ms >= 0) {
        ev_timer_set(&run.timer, (double) ms / 1000.0, 0.0);
        ev_timer_start(run.loop, &run.timer);
    }

    return 0;
}


static int
set_socket(CURL *easy, curl_socket_t fd, int what, void *data,
    void *socket_data)
{
    watch_t  *w = socket_data;

    (void) easy;
    (void) data;

    if (what == CURL_POLL_REMOVE) {
        if (w != NULL) {
            ev_io_stop(run.loop, &w->io);
            free(w);
        }

        return 0;
    }

    if (w == NULL) {
        w = calloc(1, sizeof(watch_t));
        if (w == NULL) {
            return -1;
        }

        ev_init(&w->io, io_handler);
        curl_multi_assign(run.multi, fd, w);
    }

    ev_io_stop(run.loop, &w->io);
    ev_io_set(&w->io, fd, (what & CURL_POLL_IN ? EV_READ : 0)
                          | (what & CURL_POLL_OUT ? EV_WRITE : 0));
    ev_io_start(run.loop, &w->io);

    return 0;
}


static int64_t
usec(struct timeval tv)
{
    return (int64_t) tv.tv_sec * 1000000 + tv.tv_usec;
}


static int64_t
now_us(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return (int64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}


static long
read_body(char *body, const char *path)
{
    long   n;
    FILE  *f;

    f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        return -1;
    }

    n = (long) fread(body, 1, BODY_MAX, f);
    fclose(f);

    return n;
}


int
main(int argc, char **argv)
{
    long           n;
    CURL          *easy;
    int64_t        start, wall;
    unsigned long  count, in_flight;
    struct rusage  use;
    static char    body[BODY_MAX];

    if (argc < 5 || (n = read_body(body, argv[4])) < 0) {
        fprintf(stderr,
                "usage: curlrate URL COUNT IN_FLIGHT FILE [HEADER...]\n");
        return 2;
    }

    count = strtoul(argv[2], NULL, 10);
    in_flight = strtoul(argv[3], NULL, 10);
    in_flight = in_flight < count ? in_flight : count;
    run.url = argv[1];
    run.header = argv + 5;
    run.body = body;
    run.n_body = (size_t) n;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    run.loop = ev_default_loop(0);
    run.multi = curl_multi_init();
    ev_init(&run.timer, timer_handler);
    curl_multi_setopt(run.multi, CURLMOPT_SOCKETFUNCTION, set_socket);
    curl_multi_setopt(run.multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(run.multi, CURLMOPT_MAXCONNECTS, (long) in_flight);

    start = now_us();
    run.left = count - in_flight;

    for (run.running = 0; run.running < in_flight; run.running++) {
        easy = curl_easy_init();

        if (easy == NULL || begin(easy) != 0) {
            fprintf(stderr, "curlrate: libcurl does not start\n");
            return 1;
        }
    }

    ev_run(run.loop, 0);
    wall = now_us() - start;
    getrusage(RUSAGE_SELF, &use);

    printf("sent=%lu bad=%lu wall_us=%" PRId64 " user_us=%" PRId64
           " system_us=%" PRId64 "\n", run.sent, run.bad, wall,
           usec(use.ru_utime), usec(use.ru_stime));

    return run.bad > 0;
}
