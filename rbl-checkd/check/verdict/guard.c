/*
 * The lists that a daemon has asked about, each with its waiting callers.  The
 * guard ignores custom lists: their listings are always announced.
 */

#include "base/xalloc.h"
#include "guard_int.h"

#include <stdlib.h>


static void
on_custom(struct ev_loop *loop, ev_timer *timer, int revents)
{
    guard_t  *guard = timer->data;

    (void) loop;
    (void) revents;

    guard_reply(&guard->custom, 1);
}


guard_t *
guard_new(struct ev_loop *loop, store_t *store, health_t *health)
{
    guard_t  *guard;

    guard = xcalloc(1, sizeof(guard_t));
    guard->loop = loop;
    guard->store = store;
    guard->health = health;
    link_init(&guard->custom);
    ev_timer_init(&guard->timer, on_custom, 0, 0);
    guard->timer.data = guard;

    return guard;
}


static void
drop_all(link_t *waits)
{
    while (!link_empty(waits)) {
        free(link_shift(waits));
    }
}


static void
free_list(guard_list_t *gl)
{
    guard_turn_stop(gl);
    drop_all(&gl->waits);
    drop_all(&gl->in_flight);
    list_unref(gl->list);
    free(gl);
}


void
guard_free(guard_t *guard)
{
    size_t         at;
    guard_list_t  *gl;

    if (guard == NULL) {
        return;
    }

    for (at = 0; (gl = sidmap_next(&guard->lists, &at)) != NULL; ) {
        free_list(gl);
    }

    ev_timer_stop(guard->loop, &guard->timer);
    drop_all(&guard->custom);
    sidmap_free(&guard->lists);
    free(guard);
}


static guard_list_t *
make_list(guard_t *guard, const list_t *list)
{
    guard_list_t  *gl;

    gl = xcalloc(1, sizeof(guard_list_t));
    gl->guard = guard;
    memcpy(gl->sid, list->sid, sizeof(gl->sid));
    guard_turn_init(gl);
    sidmap_add(&guard->lists, gl->sid, gl);

    return gl;
}


static guard_list_t *
find_list(guard_t *guard, const list_t *list)
{
    guard_list_t  *gl;

    gl = sidmap_find(&guard->lists, list->sid);

    if (gl == NULL) {
        gl = make_list(guard, list);
    }

    if (gl->list != list) {
        list_unref(gl->list);
        gl->list = list_ref((list_t *) list);
    }

    return gl;
}


int
guard_frozen(const guard_t *guard, const list_t *list)
{
    const guard_list_t  *gl;

    gl = sidmap_find(&guard->lists, list->sid);

    return gl != NULL && gl->frozen != 0;
}


void
guard_count(guard_t *guard, const list_t *list)
{
    if (!list->custom) {
        guard_turn_clear(find_list(guard, list));
    }
}


void
guard_ask(guard_t *guard, const list_t *list, rbl_family_t family,
    uint32_t server, guard_done_pt done, void *data)
{
    guard_wait_t  *w;

    w = xcalloc(1, sizeof(guard_wait_t));
    w->done = done;
    w->data = data;
    w->family = family;
    w->server = server;

    if (list->custom) {
        link_add(&guard->custom, &w->link);
        guard_arm(guard->loop, &guard->timer, 0);

    } else {
        guard_turn_wait(find_list(guard, list), w);
    }
}


static void
forget(link_t *waits, const void *data)
{
    link_t        *l, *after;
    guard_wait_t  *w;

    for (l = waits->next; l != waits; l = after) {
        after = l->next;
        w = (guard_wait_t *) l;

        if (w->data == data) {
            link_remove(l);
            free(w);
        }
    }
}


void
guard_forget(guard_t *guard, const void *data)
{
    size_t         at;
    guard_list_t  *gl;

    for (at = 0; (gl = sidmap_next(&guard->lists, &at)) != NULL; ) {
        forget(&gl->waits, data);
        forget(&gl->in_flight, data);
    }

    forget(&guard->custom, data);
}
