/*
 * The window: the commands in flight on a connection are bounded.  Redis runs
 * all commands that it reads from one client before it serves another one, so
 * that a long pipeline delays every other client.  Commands that do not fit
 * into the window wait, in order, and are sent as replies come.  `late`
 * commands wait behind all others, but one in STORE_LATE is a late one.
 *
 * The window holds commands and counts bytes; it sends nothing.  Waiting
 * commands fail when the connection is lost, like the commands in flight.
 */

#ifndef STORE_WINDOW_H_INCLUDED
#define STORE_WINDOW_H_INCLUDED

#include "base/link.h"

#define STORE_WINDOW   8192             /* bytes in flight, or one command */
#define STORE_WAITING  (32 << 20)       /* limit of waiting bytes */
#define STORE_LATE     8

typedef struct store_cmd_s  store_cmd_t;

typedef struct {
    link_t    waiting, late;            /* commands */
    unsigned  passed;                   /* others sent since the last late
                                           one */
    size_t    held;                     /* bytes of waiting commands */
    size_t    in_flight;
} store_window_t;

void store_window_init(store_window_t *window);

/* The first command of a queue; NULL: it is empty. */
store_cmd_t *store_first(const link_t *queue);

/* Adds a command behind all of its kind.  0; -1: too many bytes wait; the
   command is not added. */
int store_window_add(store_window_t *window, store_cmd_t *cmd);

/* Adds a command in front of the others: it was sent before, and must be sent
   again. */
void store_window_back(store_window_t *window, store_cmd_t *cmd);

/* Takes out the first command that fits into the window now, or NULL. */
store_cmd_t *store_window_next(store_window_t *window);

/* Takes out the first command; NULL: no command waits. */
store_cmd_t *store_window_drop(store_window_t *window);

/* Count `n` bytes of the command as in flight, and as no longer in flight. */
void store_window_sent(store_window_t *window, store_cmd_t *cmd, size_t n);
void store_window_ended(store_window_t *window, store_cmd_t *cmd);

#endif /* STORE_WINDOW_H_INCLUDED */
