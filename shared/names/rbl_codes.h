/*
 * Return-code rules of a list, and the verdict over one response.
 *
 * A rule is a text, as in conf/lists.json:
 *     127.0.0.2=SBL                    a listing
 *     127.0.0.4-127.0.0.7=XBL          an inclusive range
 *     127.0.1.*=e-mail                 any value of one octet
 *     bit:4=DM                         that bit of the last octet (sum of bits
 *                                      tested by N, a power of two)
 *     !127.255.255.254=public resolver an error: the list refused to answer
 *     ~127.0.0.14=neutral              an answer that is not a listing
 * "!" and "~" go with bit: too.  All rules lie in 127/8 and have a text.
 * Exact rules go before ranges and patterns, these before bits; an error rule
 * goes before both.
 */

#ifndef RBL_CODES_H_INCLUDED
#define RBL_CODES_H_INCLUDED

#include "rbl_common.h"

#define RBL_CODES_MAX  48

typedef enum {
    RBL_CODE_LISTING = 0,
    RBL_CODE_ERROR,
    RBL_CODE_NEUTRAL
} rbl_code_class_t;

typedef struct {
    rbl_code_class_t  cls;
    uint32_t          lo, hi;           /* host order, inclusive */
    uint32_t          mask;             /* bits compared; ~0 for all */
    uint32_t          bit;              /* not 0: test it in the last octet */
    rbl_str_t         text;             /* a view into the rule */
} rbl_code_t;

typedef struct {
    unsigned    n;
    rbl_code_t  rule[RBL_CODES_MAX];
} rbl_codes_t;

/* Adds one rule; RBL_EINVAL: not a rule, RBL_ETOOBIG: the table is full. */
rbl_err_t rbl_codes_add(rbl_codes_t *c, rbl_str_t rule);

typedef enum {
    RBL_CLEAR = 0,
    RBL_LISTED,
    RBL_UNKNOWN,
    RBL_SKIPPED
} rbl_verdict_t;

extern const char *const  rbl_verdict_names[];   /* "clear", "listed", ... */

/* Why unknown; NULL-safe names for the `error` field. */
typedef enum {
    RBL_ERR_NONE = 0,       /* "" */
    RBL_ERR_BLOCKED,        /* "blocked": an error code of the list */
    RBL_ERR_HIJACKED,       /* "hijacked": an answer outside 127/8 */
    RBL_ERR_TIMEOUT,        /* "timeout" */
    RBL_ERR_SERVFAIL,       /* "servfail" */
    RBL_ERR_REFUSED,        /* "refused" */
    RBL_ERR_BADREPLY,       /* "badreply": FORMERR, NOTIMP, garbage */
    RBL_ERR_TRUNCATED,      /* "truncated": TCP gave nothing better */
    RBL_ERR_NETWORK,        /* "network": the resolver cannot be reached */
    RBL_ERR_UNHEALTHY,      /* "unhealthy": the list failed its controls */
    RBL_ERR_NAME,           /* "name": the name would be too long */
    RBL_ERR_QUOTA,          /* "quota": the list may not be asked so often */
    RBL_ERR_RESOLVER,       /* "resolver": it is to blame, not the list */
    RBL_ERR_UNCONFIRMED,    /* "unconfirmed": the answer would end a listing,
                               but the list may be dead; or make one, which the
                               guard has not let go; asked again soon */
    RBL_ERR_FROZEN,         /* "frozen": it lists too many hosts at once */
    RBL_ERR_DISAGREE        /* "disagree": the list's servers give different
                               answers, and none has newer data */
} rbl_lookup_err_t;

extern const char *const  rbl_lookup_err_names[];

/*
 * The verdict over the A records of a NOERROR answer (addresses in host
 * order).  No address: CLEAR.  Any outside 127/8: UNKNOWN, hijacked.  Any
 * that is an error rule, or in 127.255.255.0/24 whatever the table says:
 * UNKNOWN, blocked.  127.0.0.1 that no rule names: UNKNOWN, blocked.  Any
 * listing rule, or an address that no rule names while the table is empty or
 * has no neutral rule for it: LISTED (raw code, text "unknown code").  Else,
 * all neutral: CLEAR.  *text: the texts of the rules that made a listing,
 * joined with ", ", cut to `size`.
 */
rbl_verdict_t rbl_codes_verdict(const rbl_codes_t *c, const uint32_t *addr,
    size_t n, rbl_lookup_err_t *err, char *text, size_t size);

#endif /* RBL_CODES_H_INCLUDED */
