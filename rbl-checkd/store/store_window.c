/*
 * The window of a connection to the store, and the queues of its commands.
 */

#include "store_int.h"


void
store_window_init(store_window_t *window)
{
    memset(window, 0, sizeof(store_window_t));
    link_init(&window->waiting);
    link_init(&window->late);
}


store_cmd_t *
store_first(const link_t *queue)
{
    return link_empty(queue) ? NULL : link_of(queue->next, store_cmd_t, queue);
}


/* Size of the command when sent; a source dominates it. */

static size_t
size_of(const store_cmd_t *cmd)
{
    return cmd->n + (cmd->whole ? cmd->script->source_len : 0);
}


static link_t *
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
    link_add(queue_of(window, cmd), &cmd->queue);

    return 0;
}


void
store_window_back(store_window_t *window, store_cmd_t *cmd)
{
    window->held += size_of(cmd);
    link_add(queue_of(window, cmd)->next, &cmd->queue);
}


/* The next command to send, or NULL. */

static store_cmd_t *
first_of(const store_window_t *window)
{
    store_cmd_t  *cmd, *late;

    cmd = store_first(&window->waiting);
    late = store_first(&window->late);

    return cmd == NULL || (late != NULL && window->passed >= STORE_LATE)
           ? late : cmd;
}


store_cmd_t *
store_window_drop(store_window_t *window)
{
    store_cmd_t  *cmd;

    cmd = first_of(window);

    if (cmd != NULL) {
        link_remove(&cmd->queue);
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
