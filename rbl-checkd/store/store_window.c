/*
 * The window of a connection to the store, and the queues of its commands.
 */

#include "store_int.h"


void
store_put(store_queue_t *queue, store_cmd_t *cmd)
{
    cmd->next = NULL;
    cmd->prev = queue->last;

    if (queue->last != NULL) {
        queue->last->next = cmd;

    } else {
        queue->first = cmd;
    }

    queue->last = cmd;
}


void
store_cut(store_queue_t *queue, store_cmd_t *cmd)
{
    if (cmd->prev != NULL) {
        cmd->prev->next = cmd->next;

    } else {
        queue->first = cmd->next;
    }

    if (cmd->next != NULL) {
        cmd->next->prev = cmd->prev;

    } else {
        queue->last = cmd->prev;
    }

    cmd->prev = cmd->next = NULL;
}


/* Size of the command when sent; a source dominates it. */

static size_t
size_of(const store_cmd_t *cmd)
{
    return cmd->n + (cmd->whole ? cmd->script->source_len : 0);
}


static store_queue_t *
queue_of(store_window_t *window, const store_cmd_t *cmd)
{
    return cmd->late ? &window->late : &window->waiting;
}


int
store_window_add(store_window_t *window, store_cmd_t *cmd)
{
    size_t  n;

    n = size_of(cmd);

    if (window->held > 0
        && (window->held >= STORE_WAITING || n > STORE_WAITING - window->held))
    {
        return -1;
    }

    window->held += n;
    store_put(queue_of(window, cmd), cmd);

    return 0;
}


void
store_window_back(store_window_t *window, store_cmd_t *cmd)
{
    store_cmd_t    *first;
    store_queue_t  *queue;

    queue = queue_of(window, cmd);
    first = queue->first;
    window->held += size_of(cmd);

    if (first == NULL) {
        store_put(queue, cmd);
        return;
    }

    cmd->prev = NULL;
    cmd->next = first;
    first->prev = cmd;
    queue->first = cmd;
}


/* The next command to send, or NULL. */

static store_cmd_t *
first_of(const store_window_t *window)
{
    store_cmd_t  *cmd, *late;

    cmd = window->waiting.first;
    late = window->late.first;

    return cmd == NULL || (late != NULL && window->passed >= STORE_LATE)
           ? late : cmd;
}


store_cmd_t *
store_window_drop(store_window_t *window)
{
    store_cmd_t  *cmd;

    cmd = first_of(window);

    if (cmd != NULL) {
        store_cut(queue_of(window, cmd), cmd);
        window->held -= size_of(cmd);
        window->passed = cmd->late ? 0 : window->passed + 1;
    }

    return cmd;
}


store_cmd_t *
store_window_next(store_window_t *window)
{
    const store_cmd_t  *cmd;

    cmd = first_of(window);

    if (cmd == NULL
        || (window->in_flight > 0
            && window->in_flight + size_of(cmd) > STORE_WINDOW))
    {
        return NULL;
    }

    return store_window_drop(window);
}


void
store_window_sent(store_window_t *window, store_cmd_t *cmd, size_t n)
{
    cmd->sent = n;
    window->in_flight += n;
}


void
store_window_ended(store_window_t *window, store_cmd_t *cmd)
{
    window->in_flight -= cmd->sent;
    cmd->sent = 0;
}
