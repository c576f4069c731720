/*
 * How much of its work a connection gives the store at a time.  Redis runs all
 * the commands that it reads from one client before it looks at another one, so
 * that a long pipeline delays every other client.  Commands whose octets the
 * window has no room for wait, in order, and are sent as replies come.  Those
 * that are `late` wait behind all others, but for one in STORE_LATE.
 *
 * The window holds commands and counts octets; it sends nothing.  What waits
 * when the connection is lost fails, like the commands that were sent.
 */

#ifndef STORE_WINDOW_H_INCLUDED
#define STORE_WINDOW_H_INCLUDED

#include <stddef.h>

#define STORE_WINDOW   8192             /* octets in flight; or one command */
#define STORE_WAITING  (32 << 20)       /* octets that wait, at most */
#define STORE_LATE     8

typedef struct store_cmd_s  store_cmd_t;

typedef struct {
    store_cmd_t  *first, *last;
} store_queue_t;

/* All zero at first. */
typedef struct {
    store_queue_t  waiting, late;
    unsigned       passed;              /* others, since a late one was sent */
    size_t         held;                /* octets of those that wait */
    size_t         in_flight;
} store_window_t;

/* A command is in one queue at most. */
void store_put(store_queue_t *queue, store_cmd_t *cmd);
void store_cut(store_queue_t *queue, store_cmd_t *cmd);

/* Behind all of its kind that wait: 0; -1: too much waits already, and it does
   not. */
int store_window_add(store_window_t *window, store_cmd_t *cmd);

/* In front of those: it was sent before, and has to be sent again. */
void store_window_back(store_window_t *window, store_cmd_t *cmd);

/* Takes out the first, if there is room for it now; or NULL. */
store_cmd_t *store_window_next(store_window_t *window);

/* Takes out the first; NULL: there is none. */
store_cmd_t *store_window_drop(store_window_t *window);

/* So many octets of the command are in flight; no longer are. */
void store_window_sent(store_window_t *window, store_cmd_t *cmd, size_t n);
void store_window_ended(store_window_t *window, store_cmd_t *cmd);

#endif /* STORE_WINDOW_H_INCLUDED */
