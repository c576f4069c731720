/*
 * Access to the JSON of a gateway.  Whatever is missing or of another type is
 * "" or 0.
 */

#ifndef BILL_GATEWAY_JSON_H_INCLUDED
#define BILL_GATEWAY_JSON_H_INCLUDED

#include <jansson.h>

#include "gateway.h"

static inline rbl_str_t
gateway_json(const json_t *object, const char *name)
{
    const json_t  *v = json_object_get(object, name);

    return (rbl_str_t) { json_is_string(v) ? json_string_value(v) : "",
                         json_is_string(v) ? json_string_length(v) : 0 };
}


/* An id, of letters, digits, "_", "-" and "."; "" if it is none, or too
   long. */

static inline void
gateway_json_id(char id[GATEWAY_ID_MAX], const json_t *object,
    const char *name)
{
    size_t     i;
    rbl_str_t  s;

    static const char  plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-."
                                 "abcdefghijklmnopqrstuvwxyz0123456789";

    s = gateway_json(object, name);

    for (i = 0; i < s.n; i++) {
        if (s.p[i] == '\0' || strchr(plain, s.p[i]) == NULL) {
            break;
        }
    }

    rbl_copy(id, GATEWAY_ID_MAX, i == s.n && s.n < GATEWAY_ID_MAX
                                 ? s : RBL_STR(""));
}


/* Reads a card; month 0: it is none. */

static inline void
gateway_json_card(gateway_outcome_t *outcome, const json_t *card)
{
    gateway_text(outcome->brand, sizeof(outcome->brand),
                 gateway_json(card, "brand"));
    gateway_text(outcome->last4, sizeof(outcome->last4),
                 gateway_json(card, "last4"));
    outcome->month = json_integer_value(json_object_get(card, "exp_month"));
    outcome->year = json_integer_value(json_object_get(card, "exp_year"));

    if (outcome->month < 1 || outcome->month > 12 || outcome->year < 2000
        || outcome->year > 9999)
    {
        outcome->month = 0;
    }
}


static inline int
gateway_json_is(const json_t *object, const char *name, const char *value)
{
    return rbl_str_is(gateway_json(object, name), value);
}

#endif /* BILL_GATEWAY_JSON_H_INCLUDED */
