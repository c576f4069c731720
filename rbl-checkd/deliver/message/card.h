/*
 * Which parts of the card of a listing (rbl_card.h) a message has: only its
 * first listings have all of them, and it says once for each cause what to look
 * at, so that a message about many hosts still names them.
 */

#ifndef DELIVER_CARD_H_INCLUDED
#define DELIVER_CARD_H_INCLUDED

#include "message.h"

#include "rbl_card.h"

#define CARD_WHOLE  5                   /* listings with a whole card */

/* The parts that a message has already; zeroed at its beginning. */
typedef struct {
    unsigned  cards;
    unsigned  causes;                   /* a bit for each of rbl_causes */
} card_told_t;

typedef struct {
    const rbl_how_t    *how;            /* NULL: the listing has no card */
    const rbl_cause_t  *cause;
    int                 look;           /* 1: say what to look at */
    int                 request;        /* 1: with the text to send */
} card_t;

/* The parts for the next listing. */
card_t card_next(card_told_t *told, const message_listing_t *l);

/* Lines of a text, each with four spaces before it. */
void card_text(rbl_out_t *out, const message_listing_t *l, card_told_t *told);

#endif /* DELIVER_CARD_H_INCLUDED */
