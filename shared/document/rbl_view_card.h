/*
 * How entries leave a list, and the card of a listing, as objects of the API.
 */

#ifndef RBL_VIEW_CARD_H_INCLUDED
#define RBL_VIEW_CARD_H_INCLUDED

#include "rbl_card.h"
#include "rbl_doc.h"
#include "rbl_mark.h"
#include "rbl_timezone.h"

/* The ways out of a list (list.removal), an array.  Links have %s for the
   host. */
void rbl_view_ways(rbl_doc_t *d, const char *key, rbl_str_t removal);

/* The card of a current listing of a host, links with the host in them. */
void rbl_view_card(rbl_doc_t *d, const char *key, const rbl_list_t *list,
    const rbl_host_t *host, const rbl_listing_t *listing,
    const rbl_timezone_t *tz);

/* The marks of a current listing, with their words (rbl_mark.h) as `text`; now:
   ms. */
void rbl_view_mark(rbl_doc_t *d, const char *key, const rbl_mark_t *mark,
    int64_t now, const rbl_timezone_t *tz);

#endif /* RBL_VIEW_CARD_H_INCLUDED */
