/*
 * The card of a listing in words.
 */

#include "card.h"


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


static void
card_line(rbl_out_t *out, const char *before, rbl_str_t s)
{
    size_t  i;

    if (s.n == 0) {
        return;
    }

    rbl_out_z(out, before);

    for (i = 0; i < s.n; i++) {
        rbl_out_char(out, (unsigned char) s.p[i] < ' ' || s.p[i] == 0x7f
                          ? ' ' : s.p[i]);
    }

    rbl_out_char(out, '\n');
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

    card_line(out, "    Cause: ", rbl_str(card.cause->text));

    for (i = 0; card.look && i < RBL_CARD_LOOK; i++) {
        card_line(out, "      - ", rbl_str(card.cause->look[i]));
    }

    card_line(out, "    It ends: ", rbl_str(card.how->text));
    card_line(out, "      ", l->advice);
    card_line(out, "    Note: ", l->note);
    card_line(out, "    Write to: ", l->mail);

    if (!card.request) {
        return;
    }

    rbl_out_z(out, "    Text to send:\n");

    for (rest = l->request; rest.n > 0; /* void */ ) {
        line = rbl_until(&rest, '\n');
        card_line(out, "      ", line);
    }
}
