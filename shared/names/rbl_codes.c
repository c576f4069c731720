/*
 * Return-code rules and the verdict on one response.  A table keeps views of
 * the rule texts, which must outlive it.
 *
 * The closest rules apply to an address: exact rules; without these, ranges and
 * patterns; without these, bits of its last octet.  An error rule that names
 * the address or a range with it has precedence over all others.
 */

#include "rbl_codes.h"
#include "rbl_utf8.h"
#include "rbl_validate.h"


#define RBL_LOOPBACK_NET  UINT32_C(0x7f)        /* 127/8 */
#define RBL_REFUSAL_NET   UINT32_C(0x7fffff)    /* 127.255.255/24 */
#define RBL_LOOPBACK      UINT32_C(0x7f000001)  /* 127.0.0.1 */
#define RBL_MASK_ALL      UINT32_C(0xffffffff)


_Static_assert(RBL_CODES_MAX <= 64, "rules are counted in one word");


const char *const  rbl_verdict_names[] = {
    "clear", "listed", "unknown", "skipped"
};

const char *const  rbl_lookup_err_names[] = {
    "", "blocked", "hijacked", "timeout", "servfail", "refused", "badreply",
    "truncated", "network", "unhealthy", "name", "quota",
    "resolver", "unconfirmed", "frozen", "disagree"
};


const char *const  rbl_weight_words[] = {
    "critical", "high", "normal", "info", NULL
};


const char *
rbl_weight_word(rbl_weight_t weight)
{
    return weight > RBL_WEIGHT_NONE && weight <= RBL_WEIGHTS
           ? rbl_weight_words[RBL_WEIGHTS - weight] : "";
}


rbl_weight_t
rbl_weight_parse(rbl_str_t word)
{
    int  i;

    for (i = 0; i < RBL_WEIGHTS; i++) {
        if (rbl_str_is(word, rbl_weight_words[i])) {
            return (rbl_weight_t) (RBL_WEIGHTS - i);
        }
    }

    return RBL_WEIGHT_NONE;
}


rbl_weight_t
rbl_weight_of_list(rbl_str_t word)
{
    rbl_weight_t  weight = rbl_weight_parse(word);

    return weight != RBL_WEIGHT_NONE ? weight
           : word.n == 0 ? RBL_WEIGHT_NORMAL : RBL_WEIGHT_INFO;
}


/* Parses four parts; any but the first may be "*". */

static rbl_err_t
rbl_codes_pattern(rbl_str_t s, uint32_t *addr, uint32_t *mask)
{
    int        i;
    int64_t    v;
    rbl_str_t  part;

    *addr = 0;
    *mask = 0;

    for (i = 0; i < 4; i++) {
        part = rbl_until(&s, '.');

        if ((s.p == NULL) != (i == 3)) {
            return RBL_EINVAL;
        }

        *addr <<= 8;
        *mask <<= 8;

        if (rbl_str_is(part, "*")) {
            continue;
        }

        if (part.n > 3 || (part.n > 1 && part.p[0] == '0')
            || rbl_int_parse(&v, part, 0, 255) != RBL_OK)
        {
            return RBL_EINVAL;
        }

        *addr |= (uint32_t) v;
        *mask |= 0xff;
    }

    /* rules outside 127/8 would never be used */

    return *mask >> 24 && *addr >> 24 == RBL_LOOPBACK_NET ? RBL_OK
                                                          : RBL_EINVAL;
}


static rbl_err_t
rbl_codes_bit(rbl_code_t *code, rbl_str_t s)
{
    int64_t  v;

    if (rbl_int_parse(&v, s, 1, 128) != RBL_OK || (v & (v - 1)) != 0) {
        return RBL_EINVAL;
    }

    code->bit = (uint32_t) v;

    return RBL_OK;
}


static rbl_err_t
rbl_codes_match_parse(rbl_code_t *code, rbl_str_t s)
{
    uint32_t   mask;
    rbl_str_t  lo;

    if (rbl_str_begins(s, "bit:")) {
        return rbl_codes_bit(code, (rbl_str_t) { s.p + 4, s.n - 4 });
    }

    lo = rbl_until(&s, '-');

    if (rbl_codes_pattern(lo, &code->lo, &code->mask) != RBL_OK) {
        return RBL_EINVAL;
    }

    if (s.p == NULL) {
        code->hi = code->lo;
        return RBL_OK;
    }

    if (rbl_codes_pattern(s, &code->hi, &mask) != RBL_OK
        || (code->mask & mask) != RBL_MASK_ALL || code->lo > code->hi)
    {
        return RBL_EINVAL;
    }

    return RBL_OK;
}


rbl_err_t
rbl_codes_add(rbl_codes_t *c, rbl_str_t rule)
{
    rbl_str_t   match, weight;
    rbl_code_t  code;

    memset(&code, 0, sizeof(code));

    if (rule.n > 0 && (rule.p[0] == '!' || rule.p[0] == '~')) {
        code.cls = rule.p[0] == '!' ? RBL_CODE_ERROR : RBL_CODE_NEUTRAL;
        rule.p++;
        rule.n--;
    }

    code.text = rule;
    weight = rbl_until(&code.text, '=');
    match = rbl_until(&weight, '@');

    if (code.text.n == 0 || !rbl_text_ok(rule)
        || rbl_codes_match_parse(&code, match) != RBL_OK)
    {
        return RBL_EINVAL;
    }

    if (weight.p != NULL) {
        code.weight = rbl_weight_parse(weight);

        if (code.weight == RBL_WEIGHT_NONE || code.cls != RBL_CODE_LISTING) {
            return RBL_EINVAL;
        }
    }

    if (c->n == RBL_CODES_MAX) {
        return RBL_ETOOBIG;
    }

    c->rule[c->n++] = code;

    return RBL_OK;
}


typedef enum {
    RBL_MATCH_NONE = 0,
    RBL_MATCH_BIT,
    RBL_MATCH_RANGE,
    RBL_MATCH_EXACT
} rbl_match_t;


static rbl_match_t
rbl_codes_match(const rbl_code_t *code, uint32_t addr)
{
    if (code->bit) {
        return addr & code->bit ? RBL_MATCH_BIT : RBL_MATCH_NONE;
    }

    addr &= code->mask;

    if (addr < code->lo || addr > code->hi) {
        return RBL_MATCH_NONE;
    }

    return code->lo == code->hi && code->mask == RBL_MASK_ALL
           ? RBL_MATCH_EXACT : RBL_MATCH_RANGE;
}


int
rbl_codes_has(rbl_str_t match, uint32_t addr)
{
    rbl_code_t  code;

    memset(&code, 0, sizeof(code));

    if (rbl_codes_match_parse(&code, match) != RBL_OK) {
        return -1;
    }

    return rbl_codes_match(&code, addr) != RBL_MATCH_NONE;
}


/* Returns the closest kind of match of any rule with the address. */

static rbl_match_t
rbl_codes_closest(const rbl_codes_t *c, uint32_t addr)
{
    unsigned     i;
    rbl_match_t  match, best;

    best = RBL_MATCH_NONE;

    for (i = 0; i < c->n; i++) {
        match = rbl_codes_match(&c->rule[i], addr);

        if (match > best) {
            best = match;
        }
    }

    return best;
}


static int
rbl_codes_is_error(const rbl_codes_t *c, uint32_t addr)
{
    unsigned     i;
    rbl_match_t  closest, match;

    if (addr >> 8 == RBL_REFUSAL_NET) {
        return 1;
    }

    closest = rbl_codes_closest(c, addr);

    if (closest == RBL_MATCH_NONE) {
        return addr == RBL_LOOPBACK;
    }

    for (i = 0; i < c->n; i++) {
        match = rbl_codes_match(&c->rule[i], addr);

        if (c->rule[i].cls == RBL_CODE_ERROR && match != RBL_MATCH_NONE
            && (match != RBL_MATCH_BIT || closest == RBL_MATCH_BIT))
        {
            return 1;
        }
    }

    return 0;
}


/* Joins the texts of a listing, each once, cut at a character boundary. */

typedef struct {
    char      *buf;
    size_t     size, n;
    int        full;
    int        unknown;                 /* it has "unknown code" */
    uint64_t   rules;                   /* rules whose texts it has */
} rbl_texts_t;


static void
rbl_texts_put(rbl_texts_t *t, rbl_str_t s)
{
    size_t                n;
    const unsigned char  *p, *end;

    p = (const unsigned char *) s.p;

    for (end = p + s.n; p < end && !t->full; p += n) {
        n = rbl_utf8_len(p, end);
        n += n == 0;

        if (n > t->size - t->n) {
            t->full = 1;
            return;
        }

        memcpy(t->buf + t->n, p, n);
        t->n += n;
    }
}


static void
rbl_texts_add(rbl_texts_t *t, rbl_str_t text)
{
    if (t->n > 0) {
        rbl_texts_put(t, RBL_STR(", "));
    }

    rbl_texts_put(t, text);
}


static void
rbl_texts_rule(rbl_texts_t *t, const rbl_codes_t *c, unsigned rule)
{
    unsigned  i;

    for (i = 0; i < c->n; i++) {
        if ((t->rules >> i & 1)
            && rbl_str_eq(c->rule[i].text, c->rule[rule].text))
        {
            return;
        }
    }

    t->rules |= UINT64_C(1) << rule;
    rbl_texts_add(t, c->rule[rule].text);
}


/* Adds the listing rules of one address; returns 0 if there are none. */

static int
rbl_codes_listings(const rbl_codes_t *c, uint32_t addr, rbl_texts_t *t)
{
    int          listed;
    unsigned     i;
    rbl_match_t  closest;

    closest = rbl_codes_closest(c, addr);

    if (closest == RBL_MATCH_NONE) {
        if (!t->unknown) {
            t->unknown = 1;
            rbl_texts_add(t, RBL_STR("unknown code"));
        }

        return 1;
    }

    listed = 0;

    for (i = 0; i < c->n; i++) {
        if (c->rule[i].cls == RBL_CODE_LISTING
            && rbl_codes_match(&c->rule[i], addr) == closest)
        {
            rbl_texts_rule(t, c, i);
            listed = 1;
        }
    }

    return listed;
}


rbl_verdict_t
rbl_codes_verdict(const rbl_codes_t *c, const uint32_t *addr, size_t n,
    rbl_lookup_err_t *err, char *text, size_t size)
{
    size_t         i;
    rbl_texts_t    t;
    rbl_verdict_t  verdict;

    *err = RBL_ERR_NONE;

    memset(&t, 0, sizeof(t));
    t.buf = text;
    t.size = size ? size - 1 : 0;
    t.full = size == 0;

    if (size > 0) {
        text[0] = '\0';
    }

    for (i = 0; i < n; i++) {
        if (addr[i] >> 24 != RBL_LOOPBACK_NET) {
            *err = RBL_ERR_HIJACKED;
            return RBL_UNKNOWN;
        }
    }

    for (i = 0; i < n; i++) {
        if (rbl_codes_is_error(c, addr[i])) {
            *err = RBL_ERR_BLOCKED;
            return RBL_UNKNOWN;
        }
    }

    verdict = RBL_CLEAR;

    for (i = 0; i < n; i++) {
        if (rbl_codes_listings(c, addr[i], &t)) {
            verdict = RBL_LISTED;
        }
    }

    if (size > 0) {
        text[t.n] = '\0';
    }

    return verdict;
}


/* The highest weight of the listing rules of one address. */

static rbl_weight_t
rbl_codes_heaviest(const rbl_codes_t *c, uint32_t addr, rbl_weight_t usual)
{
    unsigned      i;
    rbl_match_t   closest;
    rbl_weight_t  weight, best;

    closest = rbl_codes_closest(c, addr);

    if (closest == RBL_MATCH_NONE) {
        return usual;
    }

    best = RBL_WEIGHT_NONE;

    for (i = 0; i < c->n; i++) {
        if (c->rule[i].cls == RBL_CODE_LISTING
            && rbl_codes_match(&c->rule[i], addr) == closest)
        {
            weight = c->rule[i].weight != RBL_WEIGHT_NONE ? c->rule[i].weight
                                                          : usual;
            best = weight > best ? weight : best;
        }
    }

    return best;
}


rbl_weight_t
rbl_codes_weight(const rbl_codes_t *c, const uint32_t *addr, size_t n,
    rbl_weight_t usual)
{
    size_t        i;
    rbl_weight_t  weight, best;

    best = RBL_WEIGHT_NONE;

    for (i = 0; i < n; i++) {
        weight = rbl_codes_heaviest(c, addr[i], usual);
        best = weight > best ? weight : best;
    }

    return best != RBL_WEIGHT_NONE ? best : usual;
}


int
rbl_codes_twice(const rbl_codes_t *c)
{
    unsigned           i;
    const rbl_code_t  *a, *last;

    last = &c->rule[c->n - 1];

    for (i = 0; i + 1 < c->n; i++) {
        a = &c->rule[i];

        if (a->cls == last->cls && a->lo == last->lo && a->hi == last->hi
            && a->mask == last->mask && a->bit == last->bit)
        {
            return 1;
        }
    }

    return 0;
}
