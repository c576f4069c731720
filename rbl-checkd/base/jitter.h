/*
 * Random delays, so that daemons that start together do not act together.
 */

#ifndef JITTER_H_INCLUDED
#define JITTER_H_INCLUDED

/* A number in [0, 1).  Not secret. */
double jitter(void);

#endif /* JITTER_H_INCLUDED */
