/*
 * Return-code rules of a list, and the verdict on one response.
 *
 * A rule is a text, as in conf/lists.json:
 *     127.0.0.2=SBL                    a listing
 *     127.0.0.4-127.0.0.7=XBL          an inclusive range
 *     127.0.1.*=e-mail                 any value of one octet
 *     bit:4=DM                         that bit of the last octet (sum of bits
 *                                      tested by N, a power of two)
 *     !127.255.255.254=public resolver an error: the list refused to answer
 *     ~127.0.0.14=neutral              a response that is not a listing
 * "!" and "~" may precede bit:, too.  All rules are in 127/8 and have a text.
 * A rule of a listing may have a weight, which replaces that of the list:
 *     127.0.0.10@info=PBL
 * Exact rules precede ranges and patterns, these precede bits; an error rule
 * precedes both.
 */

#ifndef RBL_CODES_H_INCLUDED
#define RBL_CODES_H_INCLUDED

#include "rbl_common.h"

#define RBL_CODES_MAX  48

/* How much a listing matters: of a list, and of the codes that have one of
   their own.  0: it is not known. */
typedef enum {
    RBL_WEIGHT_NONE = 0,
    RBL_WEIGHT_INFO,
    RBL_WEIGHT_NORMAL,
    RBL_WEIGHT_HIGH,
    RBL_WEIGHT_CRITICAL
} rbl_weight_t;

#define RBL_WEIGHTS  RBL_WEIGHT_CRITICAL

/* The words, the largest weight first; they end with NULL. */
extern const char *const  rbl_weight_words[];

/* The word of a weight; "" of none. */
const char *rbl_weight_word(rbl_weight_t weight);

/* NONE: not a word. */
rbl_weight_t rbl_weight_parse(rbl_str_t word);

/* The weight of a list by its record: own lists, which have none, are normal,
   and a word that this release does not know is info. */
rbl_weight_t rbl_weight_of_list(rbl_str_t word);

typedef enum {
    RBL_CODE_LISTING = 0,
    RBL_CODE_ERROR,
    RBL_CODE_NEUTRAL
} rbl_code_class_t;

typedef struct {
    rbl_code_class_t  cls;
    uint32_t          lo, hi;           /* host order, inclusive */
    uint32_t          mask;             /* bits compared; ~0 for all */
    uint32_t          bit;              /* nonzero: bit to test in the last
                                           octet */
    rbl_weight_t      weight;           /* NONE: that of the list */
    rbl_str_t         text;             /* view of the rule */
} rbl_code_t;

typedef struct {
    unsigned    n;
    rbl_code_t  rule[RBL_CODES_MAX];
} rbl_codes_t;

/* Adds one rule.  RBL_EINVAL: not a rule; RBL_ETOOBIG: the table is full. */
rbl_err_t rbl_codes_add(rbl_codes_t *c, rbl_str_t rule);

/* Has an address the code or codes that stand before the = of a rule (without !
   and ~)?  -1: that is no such text. */
int rbl_codes_has(rbl_str_t match, uint32_t addr);

typedef enum {
    RBL_CLEAR = 0,
    RBL_LISTED,
    RBL_UNKNOWN,
    RBL_SKIPPED
} rbl_verdict_t;

extern const char *const  rbl_verdict_names[];   /* "clear", "listed", ... */

/* Reason of an unknown verdict; each has a name for the `error` field. */
typedef enum {
    RBL_ERR_NONE = 0,       /* "" */
    RBL_ERR_BLOCKED,        /* "blocked": error code of the list */
    RBL_ERR_HIJACKED,       /* "hijacked": address outside 127/8 */
    RBL_ERR_TIMEOUT,        /* "timeout" */
    RBL_ERR_SERVFAIL,       /* "servfail" */
    RBL_ERR_REFUSED,        /* "refused" */
    RBL_ERR_BADREPLY,       /* "badreply": FORMERR, NOTIMP, garbage */
    RBL_ERR_TRUNCATED,      /* "truncated": no complete response over TCP */
    RBL_ERR_NETWORK,        /* "network": resolver not reachable */
    RBL_ERR_UNHEALTHY,      /* "unhealthy": the list fails its test points */
    RBL_ERR_NAME,           /* "name": the name would be too long */
    RBL_ERR_QUOTA,          /* "quota": the list's rate limit is used up */
    RBL_ERR_RESOLVER,       /* "resolver": a fault of the resolver, not of the
                               list */
    RBL_ERR_UNCONFIRMED,    /* "unconfirmed": the response would end a listing,
                               but the list may be dead; or it would begin one
                               that the mass-listing guard holds back; the query
                               is repeated soon */
    RBL_ERR_FROZEN,         /* "frozen": it lists too many hosts at once */
    RBL_ERR_DISAGREE        /* "disagree": the list's servers differ, and none
                               has newer data */
} rbl_lookup_err_t;

extern const char *const  rbl_lookup_err_names[];

/*
 * Returns the verdict on the A records of a NOERROR response (addresses in host
 * order).  Without an address: CLEAR.  Any address outside 127/8: UNKNOWN,
 * hijacked.  Any address of an error rule, or in 127.255.255.0/24 whatever the
 * table contains: UNKNOWN, blocked.  127.0.0.1 without a rule: UNKNOWN,
 * blocked.  Any listing rule, or an address without a rule while the table is
 * empty or has no neutral rule for it: LISTED (raw code, text "unknown code").
 * Otherwise all are neutral: CLEAR.  *text gets the texts of the listing rules,
 * joined with ", " and cut to `size`.
 */
rbl_verdict_t rbl_codes_verdict(const rbl_codes_t *c, const uint32_t *addr,
    size_t n, rbl_lookup_err_t *err, char *text, size_t size);

/*
 * The weight of a listing with these addresses, at a list of the weight
 * `usual`: the highest of its listing rules.  An address without a rule has the
 * weight of the list.
 */
rbl_weight_t rbl_codes_weight(const rbl_codes_t *c, const uint32_t *addr,
    size_t n, rbl_weight_t usual);

/* True if a rule of the table has the same codes and class as its last one,
   which then can never count. */
int rbl_codes_twice(const rbl_codes_t *c);

#endif /* RBL_CODES_H_INCLUDED */
