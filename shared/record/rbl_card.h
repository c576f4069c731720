/*
 * The card of a listing: how it ends, and what to do until then.  The catalogue
 * says of each list how an entry leaves it and what usually causes one
 * (schema.txt, way); this file has the words that it uses, and their texts.
 *
 * Nothing here is ever sent to a list: people open the page and write.
 */

#ifndef RBL_CARD_H_INCLUDED
#define RBL_CARD_H_INCLUDED

#include "rbl_record.h"

#define RBL_WAYS_MAX   8                /* of one list */
#define RBL_CARD_LOOK  3
#define RBL_CARD_URL   2560             /* octets of a link with a host */

/* How an entry ends.  when: sentences, and policy: those of an entry by policy;
   NULL: the same.  ask: can it be asked for?  page: on the page of the
   list? */
typedef struct {
    const char  *name, *text, *when;
    int          ask, page;
    const char  *policy;
} rbl_how_t;

/* The cause of an entry, and what to look at first. */
typedef struct {
    const char  *name, *text, *look[RBL_CARD_LOOK];
} rbl_cause_t;

/* In both the last one is "unknown"; behind it the name is NULL. */
extern const rbl_how_t    rbl_hows[];
extern const rbl_cause_t  rbl_causes[];

/* By name; of another word the last one. */
const rbl_how_t *rbl_card_how(rbl_str_t name);
const rbl_cause_t *rbl_card_cause(rbl_str_t name);

typedef struct {
    const rbl_how_t    *how;
    const rbl_cause_t  *cause;
    rbl_way_t           way;            /* views of the list's record */
    rbl_str_t           url;            /* pattern of a link, or "" */
    int64_t             ends;           /* ms: the entry does not expire
                                           before; 0: not known */
} rbl_card_t;

/*
 * The codes of a listing (a packed array) and what they mean by the rules of
 * the list (likewise), as "127.0.0.3 (CSS)".
 */
#define RBL_CARD_CODES  512
rbl_str_t rbl_card_codes(char buf[RBL_CARD_CODES], rbl_str_t rules,
    rbl_str_t codes);

/* The listing of a card.  name: of the host, or "". */
typedef struct {
    rbl_str_t  host, name, list, codes, since;
} rbl_card_about_t;

/*
 * Finds the way out of a list for a listing with these codes (a packed array)
 * that began at `since` (ms; 0: not known).  Of a list without ways, or with
 * words of a newer catalogue, how and cause are "unknown".
 */
void rbl_card(rbl_card_t *card, const rbl_list_t *list, rbl_str_t codes,
    int64_t since);

/* The link with the host in it.  "": there is none. */
rbl_str_t rbl_card_link(char buf[RBL_CARD_URL], const rbl_card_t *card,
    rbl_str_t host);

/* When it is sensible to ask, or how long to wait: sentences. */
void rbl_card_when(rbl_out_t *out, const rbl_card_t *card);

/*
 * A text to send, with [gaps] for people; nothing if no request is possible.
 * codes: in words.
 */
void rbl_card_text(rbl_out_t *out, const rbl_card_t *card,
    const rbl_card_about_t *about);

#endif /* RBL_CARD_H_INCLUDED */
