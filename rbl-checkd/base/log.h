/*
 * The daemon's log: stderr, syslog or a file (reopened on SIGHUP).  One line
 * for each message: time, level, pid, text.  Control bytes in the text are
 * escaped, so untrusted data cannot add lines.  Each class of messages has a
 * rate limit; suppressed messages are counted.
 */

#ifndef LOG_H_INCLUDED
#define LOG_H_INCLUDED

enum {
    LOG_L_ERROR = 0,
    LOG_L_WARN,
    LOG_L_NOTICE,
    LOG_L_INFO,
    LOG_L_DEBUG
};

/* 0, or -1 with errno: the file cannot be opened. */
int log_open(const char *target, int level);
int log_reopen(void);
void log_set_level(int level);
void log_close(void);
int log_enabled(int level);

__attribute__((format(printf, 2, 3)))
void log_msg(int level, const char *fmt, ...);

#define log_error(...)   log_msg(LOG_L_ERROR, __VA_ARGS__)
#define log_warn(...)    log_msg(LOG_L_WARN, __VA_ARGS__)
#define log_notice(...)  log_msg(LOG_L_NOTICE, __VA_ARGS__)
#define log_info(...)    log_msg(LOG_L_INFO, __VA_ARGS__)
#define log_debug(...)                                                        \
    do {                                                                      \
        if (log_enabled(LOG_L_DEBUG)) {                                       \
            log_msg(LOG_L_DEBUG, __VA_ARGS__);                                \
        }                                                                     \
    } while (0)

#endif /* LOG_H_INCLUDED */
