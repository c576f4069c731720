/*
 * Judges the responses to test points, and to the names of a sample.
 */

#include "health_int.h"

/* 192.0.2/24, 198.51.100/24, 203.0.113/24: addresses that retired lists
   return. */

static int
retired(const dns_answer_t *answer)
{
    unsigned  i;
    uint32_t  net;

    for (i = 0; i < answer->n_a; i++) {
        net = answer->a[i] >> 8;
        if (net == 0xc00002 || net == 0xc63364 || net == 0xcb0071) {
            return 1;
        }
    }

    return 0;
}


static void
judge_addresses(health_found_t *f, const rbl_codes_t *codes, int positive,
    const dns_answer_t *answer)
{
    char              text[8];
    rbl_verdict_t     verdict;
    rbl_lookup_err_t  err;

    verdict = rbl_codes_verdict(codes, answer->a, answer->n_a, &err, text,
                                sizeof(text));

    if (err == RBL_ERR_HIJACKED) {
        f->state = POINT_WILDCARD;
        f->why = retired(answer) ? RBL_LIST_RETIRED : RBL_LIST_OUTSIDE;

    } else if (err != RBL_ERR_NONE) {
        f->state = POINT_BLOCKED;
        f->why = RBL_LIST_ERROR_CODE;

    } else if (!positive && verdict == RBL_LISTED) {
        f->state = POINT_WILDCARD;
        f->why = RBL_LIST_WILDCARD;
        f->wildcard = 1;

    } else {
        f->state = POINT_OK;
    }
}


health_found_t
health_judge(const rbl_codes_t *codes, int positive,
    const dns_answer_t *answer)
{
    health_found_t  f = { .state = POINT_OK };

    switch (answer->status) {

    case DNS_NOERROR:
        if (answer->n_a != 0) {
            judge_addresses(&f, codes, positive, answer);
            return f;
        }

        f.empty = 1;
        /* fall through */

    case DNS_NXDOMAIN:
        if (positive) {
            f.state = POINT_MISSING;
            f.why = f.empty ? RBL_LIST_POINT_EMPTY : RBL_LIST_POINT_GONE;
        }

        return f;

    case DNS_REFUSED:
        f.state = POINT_BLOCKED;
        f.why = RBL_LIST_REFUSES;
        return f;

    case DNS_SERVFAIL:
        f.why = RBL_LIST_SERVFAIL;
        break;

    case DNS_TIMEOUT:
        f.why = RBL_LIST_TIMEOUT;
        break;

    case DNS_NETWORK:
        f.why = RBL_LIST_NETWORK;
        break;

    case DNS_TRUNCATED:
        f.why = RBL_LIST_TCP;
        f.tcp = 1;
        break;

    case DNS_UNFOUND:
        f.why = RBL_LIST_UNFOUND;
        f.moved = dns_answered(answer->search);
        break;

    default:
        f.why = RBL_LIST_BAD_RESPONSE;
    }

    f.state = POINT_SILENT;
    return f;
}


health_state_t
health_sum(const health_found_t *found, size_t n, rbl_list_reason_t *why)
{
    size_t         i;
    point_state_t  worst;

    static const health_state_t  states[] = {
        [POINT_NONE] = HEALTH_GOOD,
        [POINT_OK] = HEALTH_GOOD,
        [POINT_MISSING] = HEALTH_DOWN,
        [POINT_SILENT] = HEALTH_DOWN,
        [POINT_BLOCKED] = HEALTH_BLOCKED,
        [POINT_WILDCARD] = HEALTH_WILDCARDING
    };

    worst = POINT_NONE;
    *why = RBL_LIST_PASSES;

    for (i = 0; i < n; i++) {
        if (found[i].state > worst) {
            worst = found[i].state;
            *why = worst > POINT_OK ? found[i].why : *why;
        }
    }

    return states[worst];
}


static unsigned
bits(unsigned set)
{
    return (unsigned) __builtin_popcount(set);
}


/*
 * No list contains three of these networks, or both of the domains.  Fewer hits
 * may be regular listings: then a second sample_draw has no hits elsewhere.
 */
sample_verdict_t
health_sample_judge(rbl_family_t family, const unsigned *hit, unsigned draws)
{
    unsigned  most = family == RBL_FAMILY_DOMAIN ? 1 : 2;

    if (hit[0] == 0) {
        return SAMPLE_PASSED;
    }

    if (bits(hit[0]) > most) {
        return SAMPLE_WILD;
    }

    if (draws < HEALTH_DRAWS) {
        return SAMPLE_AGAIN;
    }

    return bits(hit[0] | hit[1]) > most ? SAMPLE_WILD : SAMPLE_PASSED;
}
