/*
 * Records as objects of the API: the module writes them into responses, and the
 * daemon into events, in the same form.  Each function writes one object; `key`
 * as in rbl_doc.h.
 */

#ifndef RBL_VIEW_H_INCLUDED
#define RBL_VIEW_H_INCLUDED

#include "rbl_doc.h"
#include "rbl_list_state.h"
#include "rbl_record.h"
#include "rbl_time.h"

#define RBL_VIEW_NO_DETAILS  1          /* host without listed_details */
#define RBL_VIEW_STATE       2          /* with its state in a word, and why it
                                           is not checked */
#define RBL_VIEW_LAPSED      4          /* the plan of its account has
                                           expired */

/* A packed array of texts as an array.  Returns the number of elements. */
size_t rbl_view_texts(rbl_doc_t *d, const char *key, rbl_str_t packed);

/* `now` in ms is used for listed_period. */
void rbl_view_host(rbl_doc_t *d, const char *key, const rbl_host_t *h,
    const rbl_timezone_t *tz, int64_t now, unsigned flags);

/*
 * Sets the times (ms, the second one exclusive) between which rbl_view_host
 * writes the same for a host as at `now`: listed_period counts seconds.
 */
void rbl_view_host_while(const rbl_host_t *h, int64_t now, int64_t *from,
    int64_t *until);

/*
 * A monitoring profile.  For a profile that uses the defaults, the `n` lists of
 * `follows`, the active system lists, are its entries, but those that it leaves
 * out.
 */
void rbl_view_profile(rbl_doc_t *d, const char *key, const rbl_profile_t *p,
    int is_default, size_t n, const rbl_str_t *follows);

/* A system or custom list. */
void rbl_view_list(rbl_doc_t *d, const char *key, const rbl_list_t *l);

/* Members of an open object about a list: what the daemons know of it; and
   before that the rest of its record that users may see. */
void rbl_view_list_found(rbl_doc_t *d, const rbl_list_t *l,
    const rbl_list_state_t *state, const rbl_timezone_t *tz);
void rbl_view_list_all(rbl_doc_t *d, const rbl_list_t *l,
    const rbl_list_state_t *state, const rbl_timezone_t *tz);

/* The same: how its queries ended in the last 24 hours. */
void rbl_view_list_responses(rbl_doc_t *d, const rbl_list_state_t *state,
    const rbl_timezone_t *tz);

/* The same, of its record that operators alone may see. */
void rbl_view_list_own(rbl_doc_t *d, const rbl_list_t *l);

/* One element of a check's details, and of webhook_rbl_details. */
void rbl_view_result(rbl_doc_t *d, const char *key, const rbl_result_t *r);

/* Secret parts are written as "****"; path: as for rbl_url_shown. */
void rbl_view_contact(rbl_doc_t *d, const char *key, const rbl_contact_t *c,
    int path);
void rbl_view_url(rbl_doc_t *d, const char *key, rbl_str_t url, int path);

/* A contact group, with the numbers of its hosts and contacts. */
void rbl_view_group(rbl_doc_t *d, const char *key, const rbl_group_t *g,
    int is_default, int64_t hosts, int64_t contacts);

/* The fields of a payment source that anybody in the account may see; the
   caller opens and closes the object. */
void rbl_view_source(rbl_doc_t *d, const rbl_source_t *s);

/* An amount (micro-USD) as a decimal text in US dollars. */
void rbl_view_money(rbl_doc_t *d, const char *key, int64_t amount);

#endif /* RBL_VIEW_H_INCLUDED */
