/*
 * A doubly linked ring, embedded in its elements.  The head is a link of its
 * own.  A link that is in no ring points at itself, so that it may always be
 * removed.
 */

#ifndef LINK_H_INCLUDED
#define LINK_H_INCLUDED

#include <stddef.h>

typedef struct link_s  link_t;

struct link_s {
    link_t  *next, *prev;
};

/* The structure of that type that contains the link as `member`. */
#define link_of(l, type, member)                                              \
    ((type *) (void *) ((char *) (l) - offsetof(type, member)))


static inline void
link_init(link_t *l)
{
    l->next = l;
    l->prev = l;
}


static inline int
link_empty(const link_t *head)
{
    return head->next == head;
}


/* Adds at the tail; if `head` is an element, adds in front of it. */

static inline void
link_add(link_t *head, link_t *l)
{
    l->prev = head->prev;
    l->next = head;
    l->prev->next = l;
    head->prev = l;
}


static inline void
link_remove(link_t *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    link_init(l);
}


/* Removes the first link of a ring, which must not be empty. */

static inline link_t *
link_shift(link_t *head)
{
    link_t  *l;

    l = head->next;
    link_remove(l);
    return l;
}


/* Moves all links of a ring into an empty one. */

static inline void
link_move(link_t *to, link_t *from)
{
    if (!link_empty(from)) {
        to->next = from->next;
        to->prev = from->prev;
        to->next->prev = to;
        to->prev->next = to;
        link_init(from);
    }
}

#endif /* LINK_H_INCLUDED */
