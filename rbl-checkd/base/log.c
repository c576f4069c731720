/*
 * The log: one line for each message, made in one buffer and written at once.
 * The text may contain untrusted data, so every byte that is not printable
 * ASCII is escaped.  A class of messages is its format; each class may write
 * LINES_MAX lines in WINDOW seconds, further messages are only counted.  The
 * levels info and debug, which an operator asks for, have no limit.
 */

#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MAX   2048
#define CLASSES    128          /* more than the daemon has formats */
#define LINES_MAX  20
#define WINDOW     10

typedef struct {
    const char  *fmt;
    time_t       since;
    unsigned     said;
    unsigned     left_out;
    int          level;
} log_class_t;

static struct {
    int          fd;
    int          level;
    int          to_syslog;
    time_t       swept;
    char         path[256];             /* "": not a file */
    log_class_t  classes[CLASSES];
} state = { .fd = STDERR_FILENO, .level = LOG_L_NOTICE };

static const char *const  level_names[] = {
    "error", "warn", "notice", "info", "debug"
};

static const int  syslog_levels[] = {
    LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG
};


int
log_enabled(int level)
{
    return level <= state.level;
}


static int
open_file(void)
{
    int  fd, old;

    fd = open(state.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (fd < 0) {
        return -1;
    }

    old = state.fd;
    state.fd = fd;

    if (old != STDERR_FILENO) {
        close(old);
    }

    return 0;
}


int
log_open(const char *target, int level)
{
    state.level = level;

    if (strcmp(target, "stderr") == 0) {
        return 0;
    }

    if (strcmp(target, "syslog") == 0) {
        openlog("rbl-checkd", LOG_PID | LOG_NDELAY, LOG_DAEMON);
        state.to_syslog = 1;
        return 0;
    }

    if (strlen(target) >= sizeof(state.path)) {
        errno = ENAMETOOLONG;
        return -1;
    }

    memcpy(state.path, target, strlen(target) + 1);
    return open_file();
}


int
log_reopen(void)
{
    return state.path[0] != '\0' ? open_file() : 0;
}


void
log_set_level(int level)
{
    state.level = level;
}


/* Returns the length of the escaped text, which always fits. */

static size_t
escape(char *out, size_t size, const char *text)
{
    size_t                n;
    const unsigned char  *p;
    static const char     hex[] = "0123456789abcdef";

    n = 0;

    for (p = (const unsigned char *) text; *p != '\0' && n + 4 < size; p++) {
        if (*p >= 0x20 && *p < 0x7f && *p != '\\') {
            out[n++] = (char) *p;
            continue;
        }

        out[n++] = '\\';
        out[n++] = 'x';
        out[n++] = hex[*p >> 4];
        out[n++] = hex[*p & 15];
    }

    out[n] = '\0';
    return n;
}


static void
write_line(int level, const char *text)
{
    int              n;
    char             line[2 * TEXT_MAX], safe[2 * TEXT_MAX - 128];
    struct tm        tm;
    struct timespec  ts;

    escape(safe, sizeof(safe), text);

    if (state.to_syslog) {
        syslog(syslog_levels[level], "%s", safe);
        return;
    }

    clock_gettime(CLOCK_REALTIME, &ts);
    gmtime_r(&ts.tv_sec, &tm);

    n = snprintf(line, sizeof(line),
                 "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ [%s] %ld: %s\n",
                 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                 tm.tm_min, tm.tm_sec, ts.tv_nsec / 1000000,
                 level_names[level], (long) getpid(), safe);

    if (n > 0 && write(state.fd, line, (size_t) n) < 0) {
        return;                         /* the error cannot be reported */
    }
}


static void
log_left_out(log_class_t *c)
{
    char  text[256];

    if (c->left_out != 0) {
        snprintf(text, sizeof(text), "%u messages left out of the kind \"%s\"",
                 c->left_out, c->fmt);
        write_line(c->level, text);
        c->left_out = 0;
    }
}


static int
window_is_over(const log_class_t *c, time_t now)
{
    return now - c->since >= WINDOW || now < c->since;
}


static void
sweep(time_t now)
{
    size_t  i;

    if (now == state.swept) {
        return;
    }

    state.swept = now;

    for (i = 0; i < CLASSES; i++) {
        if (window_is_over(&state.classes[i], now)) {
            log_left_out(&state.classes[i]);
        }
    }
}


/*
 * The class of a format.  A format takes a slot that is empty or whose window
 * is over, never one that is counting; when all are counting, the last slot
 * counts every further format.
 */

static log_class_t *
find_class(const char *fmt, time_t now)
{
    size_t        i;
    log_class_t  *c, *usable;

    usable = NULL;

    for (i = 0; i < CLASSES; i++) {
        c = &state.classes[i];

        if (c->fmt == fmt) {
            return c;
        }

        if (usable == NULL && (c->fmt == NULL || window_is_over(c, now))) {
            usable = c;
        }
    }

    return usable != NULL ? usable : &state.classes[CLASSES - 1];
}


/* Does the rate limit of this class allow another line now? */

static int
admit(int level, const char *fmt, time_t now)
{
    log_class_t  *c;

    sweep(now);

    c = find_class(fmt, now);

    if (c->fmt == NULL || window_is_over(c, now)) {
        log_left_out(c);
        c->fmt = fmt;
        c->since = now;
        c->said = 0;
    }

    c->level = level;

    if (c->said < LINES_MAX) {
        c->said++;
        return 1;
    }

    c->left_out++;
    return 0;
}


void
log_msg(int level, const char *fmt, ...)
{
    int      saved;
    char     text[TEXT_MAX];
    va_list  ap;

    if (level > state.level) {
        return;
    }

    saved = errno;

    if (level >= LOG_L_INFO || admit(level, fmt, time(NULL))) {
        va_start(ap, fmt);
        vsnprintf(text, sizeof(text), fmt, ap);
        va_end(ap);

        write_line(level, text);
    }

    errno = saved;
}


void
log_close(void)
{
    size_t  i;

    for (i = 0; i < CLASSES; i++) {
        log_left_out(&state.classes[i]);
    }

    if (state.to_syslog) {
        closelog();
        state.to_syslog = 0;
    }

    if (state.fd != STDERR_FILENO) {
        close(state.fd);
        state.fd = STDERR_FILENO;
    }

    state.path[0] = '\0';
}
