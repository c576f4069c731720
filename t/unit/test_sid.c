/*
 * SIDs: form, folding, new ones.
 */

#include "rbl_sid.h"
#include "tap.h"


#define H8   "01234567"
#define H32  H8 "89abcdef" H8 "89ABCDEF"
#define L32  H8 "89abcdef" H8 "89abcdef"


static const struct {
    rbl_sid_kind_t  kind;
    const char     *prefix;
    size_t          len;
} kinds[] = {
    { RBL_SID_ACCOUNT, "AC", 34 }, { RBL_SID_APP, "AP", 34 },
    { RBL_SID_HOST, "HT", 34 }, { RBL_SID_PROFILE, "RP", 34 },
    { RBL_SID_LIST, "RB", 34 }, { RBL_SID_CONTACT, "CO", 34 },
    { RBL_SID_GROUP, "CG", 34 }, { RBL_SID_CHECK, "PP", 66 },
    { RBL_SID_EVENT, "EV", 34 }, { RBL_SID_HOOK, "WH", 34 },
    { RBL_SID_USER, "US", 34 }, { RBL_SID_PASSKEY, "PK", 34 },
};

static const struct {
    rbl_sid_kind_t  kind;
    const char     *text, *want;        /* NULL: refused */
} sids[] = {
    { RBL_SID_HOST, "HT" H32, "HT" L32 },
    { RBL_SID_HOST, "HT" L32, "HT" L32 },
    { RBL_SID_CHECK, "PP" H32 H32, "PP" L32 L32 },
    { RBL_SID_CHECK, "PP" H32, NULL },
    { RBL_SID_HOST, "HT" H32 H32, NULL },
    { RBL_SID_HOST, "ht" H32, NULL },
    { RBL_SID_HOST, "Ht" H32, NULL },
    { RBL_SID_HOST, "RP" H32, NULL },
    { RBL_SID_HOST, H32, NULL },
    { RBL_SID_HOST, "HT" H32 "0", NULL },
    { RBL_SID_HOST, "HT" H8 "89abcdef" H8 "89abcde", NULL },
    { RBL_SID_HOST, "HT" H8 "89abcdef" H8 "89abcdeg", NULL },
    { RBL_SID_HOST, "HT" H8 "89abcdef" H8 "89abcde ", NULL },
    { RBL_SID_HOST, "HT" H8 "89abcdef" H8 "89abcde@", NULL },
    { RBL_SID_HOST, "HT" H8 "89abcdef" H8 "89abcde`", NULL },
    { RBL_SID_HOST, "HT" H8 "89abcdef" H8 "89abc\xc3\xa9", NULL },
    { RBL_SID_HOST, "", NULL },
};


int
main(void)
{
    size_t         i;
    rbl_err_t      rc;
    rbl_sid_t      sid, other;
    unsigned char  digest[16], back[16];

    for (i = 0; i < sizeof(sids) / sizeof(sids[0]); i++) {
        rc = rbl_sid_parse(&sid, sids[i].kind, rbl_str(sids[i].text));

        if (sids[i].want == NULL) {
            ok(rc == RBL_EINVAL && sid.n == 0, "no SID: '%s'", sids[i].text);
            continue;
        }

        is_str(rc == RBL_OK ? rbl_sid_str(&sid) : RBL_STR("refused"),
               sids[i].want, sids[i].text);
    }

    ok(rbl_sid_parse(&sid, RBL_SID_HOST,
                     (rbl_str_t) { "HT" H8 "89abcdef" H8 "89abcde\0", 34 })
       == RBL_EINVAL, "NUL inside");

    ok(rbl_sid_like(RBL_SID_HOST, RBL_STR("HT" H8 H8 H8 H8))
       && !rbl_sid_like(RBL_SID_HOST, RBL_STR("HT" H8 H8 H8 H8 "0"))
       && !rbl_sid_like(RBL_SID_HOST, RBL_STR("RB" H8 H8 H8 H8))
       && !rbl_sid_like(RBL_SID_HOST, RBL_STR("HT"))
       && !rbl_sid_like(RBL_SID_HOST, (rbl_str_t) { NULL, 0 }), "like one");

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        ok(rbl_sid_make(&sid, kinds[i].kind) == RBL_OK
           && sid.n == kinds[i].len && strlen(sid.s) == sid.n
           && memcmp(sid.s, kinds[i].prefix, 2) == 0
           && rbl_sid_parse(&other, kinds[i].kind, rbl_sid_str(&sid))
              == RBL_OK
           && rbl_str_eq(rbl_sid_str(&sid), rbl_sid_str(&other)),
           "a new %s is in its own form", kinds[i].prefix);

        rbl_sid_make(&other, kinds[i].kind);
        ok(!rbl_str_eq(rbl_sid_str(&sid), rbl_sid_str(&other)),
           "and another one is another");
    }

    for (i = 0; i < 16; i++) {
        digest[i] = (unsigned char) (i * 17);
    }

    rbl_sid_from_digest(&sid, RBL_SID_LIST, digest);
    is_str(rbl_sid_str(&sid), "RB00112233445566778899aabbccddeeff",
           "from a digest");

    ok(rbl_sid_to_digest(back, rbl_sid_str(&sid)) == RBL_OK
       && memcmp(back, digest, sizeof(back)) == 0,
       "the digits of a SID are its digest");
    sid.s[sid.n - 1] = 'g';
    ok(rbl_sid_to_digest(back, rbl_sid_str(&sid)) == RBL_EINVAL
       && rbl_sid_to_digest(back, RBL_STR("RB00")) == RBL_EINVAL,
       "a text that is no SID has no digest");

    return tap_done();
}
