/*
 * Tests DNS while no list responds, or none with more than that a name does not
 * exist: a daemon without due hosts, or whose queries all fail, finds out that
 * DNS does not work, or works again.
 *
 * If no list has responded for 20 s, or within a second after the start, one
 * system list is queried for a random name, which no cache has.  If it does not
 * respond either, two lists of other owners are queried, and then the test
 * points of all three: health.h decides whether DNS is at fault.  While it is,
 * one list is queried every five seconds.
 *
 * If no positive test point has passed through a resolver for 20 s, those of
 * one list are tested every five seconds until one does: a resolver that denies
 * all names gives the responses that clean hosts have.  In direct mode it gives
 * no name servers.
 *
 * Lists with a daily quota are left out, as are those whose servers the
 * operator gave, if there are others.
 */

#ifndef IDLE_H_INCLUDED
#define IDLE_H_INCLUDED

#include "checker.h"

typedef struct idle_s  idle_t;

/* Begins at once.  Free it before the checker closes. */
idle_t *idle_new(const checker_t *checker);
void idle_free(idle_t *idle);

#endif /* IDLE_H_INCLUDED */
