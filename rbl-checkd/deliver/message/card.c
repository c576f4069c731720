/*
 * The card of a listing in words.
 */

#include "card.h"

#include "words.h"


card_t
card_next(card_told_t *told, const message_listing_t *l)
{
    card_t    card;
    unsigned  bit;

    memset(&card, 0, sizeof(card));

    if (l->how.n == 0) {
        return card;
    }

    card.how = rbl_card_how(l->how);
    card.cause = rbl_card_cause(l->cause);

    if (told->cards < CARD_WHOLE) {
        bit = 1u << (card.cause - rbl_causes);
        card.look = (told->causes & bit) == 0;
        card.request = l->request.n > 0;
        told->causes |= bit;
        told->cards++;
    }

    return card;
}


void
card_text(rbl_out_t *out, const message_listing_t *l, card_told_t *told)
{
    size_t     i;
    card_t     card;
    rbl_str_t  line, rest;

    card = card_next(told, l);

    if (card.how == NULL) {
        return;
    }

    words_field(out, "    Usual cause: ", rbl_str(card.cause->text));

    for (i = 0; card.look && i < RBL_CARD_LOOK; i++) {
        words_field(out, "      - ", rbl_str(card.cause->look[i]));
    }

    words_field(out, "    It ends: ", rbl_str(card.how->text));
    words_field(out, "      ", l->advice);
    words_field(out, "    Note: ", l->note);
    words_field(out, "    Write to: ", l->mail);

    if (!card.request) {
        return;
    }

    rbl_out_z(out, "    Text to send:\n");

    for (rest = l->request; rest.n > 0; /* void */ ) {
        line = rbl_until(&rest, '\n');
        words_field(out, "      ", line);
    }
}
