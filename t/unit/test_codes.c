/*
 * Return-code rules: the decision table for one response, with the code tables
 * of real lists, and invalid rules.
 */

#include "rbl_codes.h"
#include "tap.h"

#include <stdlib.h>


#define A(a, b, c, d)  ((uint32_t) (a) << 24 | (b) << 16 | (c) << 8 | (d))
#define L4(d)          A(127, 0, 0, d)
#define RULES_MAX      32
#define ADDRS_MAX      4


static const char *const  zen[RULES_MAX] = {
    "127.0.0.2=SBL", "127.0.0.3=CSS", "127.0.0.4-127.0.0.7=XBL (CBL)",
    "127.0.0.9=DROP", "127.0.0.10=PBL set by ISP",
    "127.0.0.11=PBL set by Spamhaus",
    "!127.255.255.252=typing error in zone name",
    "!127.255.255.254=public resolver", "!127.255.255.255=excessive queries"
};

static const char *const  dbl[RULES_MAX] = {
    "127.0.1.2=spam domain", "127.0.1.4=phishing", "127.0.1.5=malware",
    "127.0.1.6=botnet C&C", "127.0.1.102=abused legit spam",
    "127.0.1.106=abused legit botnet C&C", "!127.0.1.255=IP queried"
};

static const char *const  uribl[RULES_MAX] = {
    "!bit:1=refused", "bit:2=black", "bit:4=grey", "bit:8=red"
};

static const char *const  surbl[RULES_MAX] = {
    "!bit:1=blocked", "bit:4=DM", "bit:8=PH", "bit:16=MW", "bit:32=CT",
    "bit:64=ABUSE", "bit:128=CR"
};

static const char *const  mailspike[RULES_MAX] = {
    "127.0.0.2=zero-hour", "127.0.0.10=worst", "127.0.0.11=very bad",
    "127.0.0.12=bad", "127.0.0.13=suspicious", "~127.0.0.14=neutral-",
    "~127.0.0.15=neutral", "~127.0.0.16=neutral+",
    "~127.0.0.17-127.0.0.20=good"
};

static const char *const  dnswl[RULES_MAX] = {
    "~127.0.*.0=none", "~127.0.*.1=low", "~127.0.*.2=medium",
    "~127.0.*.3=high", "!127.0.0.255=blocked", "!127.0.10.*=special"
};

static const char *const  efnet[RULES_MAX] = {
    "127.0.0.1=open proxy", "127.0.0.2=spamtrap666", "127.0.0.4=TOR"
};

static const char *const  dronebl[RULES_MAX] = {
    "127.0.0.3=IRC drone", "127.0.0.255=unknown", "~127.0.0.1=testing class"
};

static const char *const  hostkarma[RULES_MAX] = {
    "~127.0.0.1=white", "127.0.0.2=black", "~127.0.0.3=yellow",
    "127.0.0.4=brown", "~127.0.0.5=NOBL", "~127.0.1.1=uses QUIT"
};

static const char *const  suomispam[RULES_MAX] = {
    "127.0.0.99=test entry"
};

static const char *const  senderscore[RULES_MAX] = {
    "bit:1=botnet", "bit:2=no authentication", "bit:4=pristine trap",
    "!127.255.255.255=blocked"
};

static const char *const  score[RULES_MAX] = {
    "~127.0.4.0-127.0.4.100=score"
};

static const char *const  overlapping[RULES_MAX] = {
    "127.0.0.*=net", "~127.0.0.14=neutral", "127.0.0.20=exact", "bit:2=bit",
    "~bit:16=neutral bit", "!bit:64=error bit", "!127.0.2.0-127.0.2.9=error",
    "127.0.2.5=exact"
};

static const char *const  empty[RULES_MAX];


typedef struct {
    const char         *name;
    const char *const  *rules;
    uint32_t            addr[ADDRS_MAX];        /* up to the first 0 */
    rbl_verdict_t       verdict;
    rbl_lookup_err_t    err;
    const char         *text;
} verdict_case_t;


#define LISTED(text)  RBL_LISTED, RBL_ERR_NONE, text
#define CLEAR         RBL_CLEAR, RBL_ERR_NONE, ""
#define BLOCKED       RBL_UNKNOWN, RBL_ERR_BLOCKED, ""
#define HIJACKED      RBL_UNKNOWN, RBL_ERR_HIJACKED, ""


static const verdict_case_t  verdicts[] = {
    { "no address", zen, { 0 }, CLEAR },
    { "no address, no table", empty, { 0 }, CLEAR },

    { "zen .2", zen, { L4(2) }, LISTED("SBL") },
    { "zen .4", zen, { L4(4) }, LISTED("XBL (CBL)") },
    { "zen .7", zen, { L4(7) }, LISTED("XBL (CBL)") },
    { "zen .8 is in no rule", zen, { L4(8) }, LISTED("unknown code") },
    { "zen .2 .9", zen, { L4(2), L4(9) }, LISTED("SBL, DROP") },
    { "zen test address", zen, { L4(2), L4(4), L4(10) },
      LISTED("SBL, XBL (CBL), PBL set by ISP") },
    { "zen .4 .5: a text once", zen, { L4(4), L4(5) }, LISTED("XBL (CBL)") },
    { "zen .1", zen, { L4(1) }, BLOCKED },
    { "zen 252", zen, { A(127, 255, 255, 252) }, BLOCKED },
    { "zen 254", zen, { A(127, 255, 255, 254) }, BLOCKED },
    { "zen 255 with a listing", zen, { L4(2), A(127, 255, 255, 255) },
      BLOCKED },
    { "zen unknown twice", zen, { L4(100), L4(101) },
      LISTED("unknown code") },
    { "zen unknown and known", zen, { L4(100), L4(3) },
      LISTED("unknown code, CSS") },

    { "dbl .2", dbl, { A(127, 0, 1, 2) }, LISTED("spam domain") },
    { "dbl .106", dbl, { A(127, 0, 1, 106) },
      LISTED("abused legit botnet C&C") },
    { "dbl .255", dbl, { A(127, 0, 1, 255) }, BLOCKED },

    { "uribl refused", uribl, { L4(1) }, BLOCKED },
    { "uribl black", uribl, { L4(2) }, LISTED("black") },
    { "uribl black grey red", uribl, { L4(14) },
      LISTED("black, grey, red") },
    { "uribl refused and black", uribl, { L4(3) }, BLOCKED },
    { "uribl bit without meaning", uribl, { L4(16) },
      LISTED("unknown code") },

    { "surbl blocked", surbl, { L4(1) }, BLOCKED },
    { "surbl ABUSE CR", surbl, { L4(192) }, LISTED("ABUSE, CR") },
    { "surbl PH MW", surbl, { L4(24) }, LISTED("PH, MW") },
    { "surbl middle octets mean nothing", surbl, { A(127, 7, 9, 8) },
      LISTED("PH") },
    { "surbl bit 2 is not in use", surbl, { L4(2) }, LISTED("unknown code") },
    { "surbl bits of two answers", surbl, { L4(8), L4(24) },
      LISTED("PH, MW") },

    { "mailspike bad", mailspike, { L4(12) }, LISTED("bad") },
    { "mailspike neutral", mailspike, { L4(14) }, CLEAR },
    { "mailspike good", mailspike, { L4(18) }, CLEAR },
    { "mailspike bad and good", mailspike, { L4(18), L4(10) },
      LISTED("worst") },

    { "dnswl trust 3", dnswl, { A(127, 0, 5, 3) }, CLEAR },
    { "dnswl trust 0", dnswl, { A(127, 0, 11, 0) }, CLEAR },
    { "dnswl over limit .255", dnswl, { L4(255) }, BLOCKED },
    { "dnswl over limit, highest trust", dnswl, { A(127, 0, 10, 3) },
      BLOCKED },

    { "efnet .1 is a listing", efnet, { L4(1) }, LISTED("open proxy") },
    { "efnet .1 .4", efnet, { L4(1), L4(4) }, LISTED("open proxy, TOR") },
    { "dronebl .1 is neutral", dronebl, { L4(1) }, CLEAR },
    { "dronebl .255", dronebl, { L4(255) }, LISTED("unknown") },
    { "hostkarma white", hostkarma, { L4(1) }, CLEAR },
    { "hostkarma white and QUIT", hostkarma, { L4(1), A(127, 0, 1, 1) },
      CLEAR },
    { "hostkarma black and QUIT", hostkarma, { A(127, 0, 1, 1), L4(2) },
      LISTED("black") },
    { "suomispam test", suomispam, { L4(99) }, LISTED("test entry") },
    { "suomispam any other", suomispam, { L4(2) }, LISTED("unknown code") },
    { "suomispam .1", suomispam, { L4(1) }, BLOCKED },
    { "senderscore bit 1 names .1", senderscore, { L4(1) },
      LISTED("botnet") },
    { "senderscore 7", senderscore, { L4(7) },
      LISTED("botnet, no authentication, pristine trap") },
    { "senderscore refusal", senderscore, { A(127, 255, 255, 255) },
      BLOCKED },
    { "score 0", score, { A(127, 0, 4, 0) }, CLEAR },
    { "score 100", score, { A(127, 0, 4, 100) }, CLEAR },
    { "score 101", score, { A(127, 0, 4, 101) }, LISTED("unknown code") },

    { "no table .2", empty, { L4(2) }, LISTED("unknown code") },
    { "no table .1", empty, { L4(1) }, BLOCKED },
    { "no table 127.255.255.0", empty, { A(127, 255, 255, 0) }, BLOCKED },
    { "no table 127.255.254.1", empty, { A(127, 255, 254, 1) },
      LISTED("unknown code") },
    { "efnet 127.255.255.7", efnet, { A(127, 255, 255, 7) }, BLOCKED },

    { "outside 127/8", zen, { A(91, 195, 240, 117) }, HIJACKED },
    { "128.0.0.2", zen, { A(128, 0, 0, 2) }, HIJACKED },
    { "126.255.255.255", empty, { A(126, 255, 255, 255) }, HIJACKED },
    { "mixed set", zen, { L4(2), A(192, 0, 2, 1) }, HIJACKED },
    { "hijacked goes before blocked", zen,
      { A(127, 255, 255, 254), A(10, 0, 0, 1) }, HIJACKED },

    { "pattern", overlapping, { L4(50) }, LISTED("net") },
    { "neutral exact before pattern", overlapping, { L4(14) }, CLEAR },
    { "exact before pattern", overlapping, { L4(20) }, LISTED("exact") },
    { "pattern names .1", overlapping, { L4(1) }, LISTED("net") },
    { "bit where nothing else is", overlapping, { A(127, 0, 1, 3) },
      LISTED("bit") },
    { "neutral bit", overlapping, { A(127, 0, 1, 16) }, CLEAR },
    { "neutral bit and a listing", overlapping, { A(127, 0, 1, 18) },
      LISTED("bit") },
    { "error bit", overlapping, { A(127, 0, 1, 66) }, BLOCKED },
    { "error bit does not reach a pattern", overlapping, { L4(66) },
      LISTED("net") },
    { "error range before exact", overlapping, { A(127, 0, 2, 5) },
      BLOCKED },
};


static const struct {
    const char  *rule;
    rbl_err_t    rc;
} rules[] = {
    { "127.0.0.2=x", RBL_OK },
    { "!127.0.0.2=x", RBL_OK },
    { "~127.0.0.2=x", RBL_OK },
    { "127.0.0.2-127.0.0.2=x", RBL_OK },
    { "127.0.0.2-127.255.0.0=x", RBL_OK },
    { "127.*.*.3=x", RBL_OK },
    { "bit:1=x", RBL_OK },
    { "!bit:128=x", RBL_OK },
    { "127.0.0.2=a=b", RBL_OK },
    { "127.0.0.2=\xc3\xa9", RBL_OK },
    { "", RBL_EINVAL },
    { "!", RBL_EINVAL },
    { "=", RBL_EINVAL },
    { "=x", RBL_EINVAL },
    { "127.0.0.2", RBL_EINVAL },
    { "127.0.0.2=", RBL_EINVAL },
    { "!!127.0.0.2=x", RBL_EINVAL },
    { "128.0.0.2=x", RBL_EINVAL },
    { "*.0.0.2=x", RBL_EINVAL },
    { "127.0.0.256=x", RBL_EINVAL },
    { "127.0.0=x", RBL_EINVAL },
    { "127.0.0.=x", RBL_EINVAL },
    { "127.0.0.2.3=x", RBL_EINVAL },
    { "127..0.2=x", RBL_EINVAL },
    { "127.0.0.02=x", RBL_EINVAL },
    { "127.0.0.0002=x", RBL_EINVAL },
    { "127.0.0.-1=x", RBL_EINVAL },
    { "127.0.0.7-127.0.0.4=x", RBL_EINVAL },
    { "127.0.0.*-127.0.0.4=x", RBL_EINVAL },
    { "127.0.0.4-127.0.0.*=x", RBL_EINVAL },
    { "127.0.0.4-=x", RBL_EINVAL },
    { "-127.0.0.4=x", RBL_EINVAL },
    { "127.0.0.4-127.0.0.5-127.0.0.6=x", RBL_EINVAL },
    { "127.0.0.4-128.0.0.1=x", RBL_EINVAL },
    { "bit:=x", RBL_EINVAL },
    { "bit:0=x", RBL_EINVAL },
    { "bit:3=x", RBL_EINVAL },
    { "bit:256=x", RBL_EINVAL },
    { "bit:-1=x", RBL_EINVAL },
    { "127.0.0.2=\xff", RBL_EINVAL },
    { "127.0.0.2=a\nb", RBL_EINVAL },
    { "127.0.0.2@info=x", RBL_OK },
    { "127.0.0.2-127.0.0.4@critical=x", RBL_OK },
    { "127.0.1.*@high=x", RBL_OK },
    { "bit:4@normal=x", RBL_OK },
    { "127.0.0.2@=x", RBL_EINVAL },
    { "127.0.0.2@low=x", RBL_EINVAL },
    { "127.0.0.2@Info=x", RBL_EINVAL },
    { "127.0.0.2@info@high=x", RBL_EINVAL },
    { "@info=x", RBL_EINVAL },
    { "!127.0.0.2@info=x", RBL_EINVAL },
    { "~bit:4@info=x", RBL_EINVAL },
    { "127.0.0.2=x@info", RBL_OK },
};


static void
fill(rbl_codes_t *c, const char *const *rule)
{
    size_t  i;

    c->n = 0;

    for (i = 0; i < RULES_MAX && rule[i] != NULL; i++) {
        if (rbl_codes_add(c, rbl_str(rule[i])) != RBL_OK) {
            ok(0, "rule %s", rule[i]);
        }
    }
}


static void
test_verdicts(void)
{
    size_t                 i, n;
    char                   text[128];
    rbl_codes_t            c;
    rbl_verdict_t          verdict;
    rbl_lookup_err_t       err;
    const verdict_case_t  *t;

    for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        t = &verdicts[i];

        for (n = 0; n < ADDRS_MAX && t->addr[n] != 0; n++) { /* void */ }

        fill(&c, t->rules);
        verdict = rbl_codes_verdict(&c, t->addr, n, &err, text, sizeof(text));

        ok(verdict == t->verdict && err == t->err
           && strcmp(text, t->text) == 0,
           "%s: %s %s '%s'", t->name, rbl_verdict_names[verdict],
           rbl_lookup_err_names[err], text);
    }
}


static void
test_rules(void)
{
    char        *copy;
    size_t       i, n;
    rbl_err_t    rc;
    rbl_codes_t  c;

    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        c.n = 0;

        /* without the NUL, so that a sanitizer reports any access beyond */

        n = strlen(rules[i].rule);
        copy = malloc(n ? n : 1);
        memcpy(copy, rules[i].rule, n);

        rc = rbl_codes_add(&c, (rbl_str_t) { copy, n });
        free(copy);

        ok(rc == rules[i].rc && c.n == (rc == RBL_OK), "rule '%s'",
           rules[i].rule);
    }

    c.n = 0;
    ok(rbl_codes_add(&c, (rbl_str_t) { "127.0.0.2=a\0b", 13 }) == RBL_EINVAL,
       "NUL in a rule");

    for (i = 0; i < RBL_CODES_MAX; i++) {
        if (rbl_codes_add(&c, RBL_STR("127.0.0.2=x")) != RBL_OK) {
            break;
        }
    }

    ok(i == RBL_CODES_MAX, "a table takes all its rules");
    ok(rbl_codes_add(&c, RBL_STR("127.0.0.2=x")) == RBL_ETOOBIG,
       "and then no more");
}


static void
test_weights(void)
{
    size_t       i, n;
    rbl_codes_t  c;

    static const char *const  rules_of[] = {
        "127.0.0.2=SBL", "127.0.0.3@high=CSS", "127.0.0.10@info=PBL",
        "127.0.0.10-127.0.0.20@critical=range", "127.0.1.*@info=any",
        "~127.0.0.30=neutral", "bit:4@info=DM", "bit:8=PH", NULL
    };

    static const struct {
        const char    *name;
        uint32_t       addr[ADDRS_MAX];
        rbl_weight_t   usual, weight;
    } rows[] = {
        { "a rule without a weight", { L4(2) }, RBL_WEIGHT_NORMAL,
          RBL_WEIGHT_NORMAL },
        { "a weight above the list's", { L4(3) }, RBL_WEIGHT_NORMAL,
          RBL_WEIGHT_HIGH },
        { "a weight below the list's", { L4(10) }, RBL_WEIGHT_CRITICAL,
          RBL_WEIGHT_INFO },
        { "the closest rule alone", { L4(11) }, RBL_WEIGHT_INFO,
          RBL_WEIGHT_CRITICAL },
        { "the highest of two codes", { L4(10), L4(3) }, RBL_WEIGHT_NORMAL,
          RBL_WEIGHT_HIGH },
        { "in any order", { L4(2), L4(10) }, RBL_WEIGHT_CRITICAL,
          RBL_WEIGHT_CRITICAL },
        { "a pattern", { A(127, 0, 1, 9) }, RBL_WEIGHT_HIGH,
          RBL_WEIGHT_INFO },
        { "a code without a rule", { A(127, 9, 9, 128) }, RBL_WEIGHT_HIGH,
          RBL_WEIGHT_HIGH },
        { "a neutral code does not count", { L4(30), L4(10) },
          RBL_WEIGHT_CRITICAL, RBL_WEIGHT_INFO },
        { "a bit", { L4(4) }, RBL_WEIGHT_HIGH, RBL_WEIGHT_INFO },
        { "two bits", { L4(44) }, RBL_WEIGHT_HIGH, RBL_WEIGHT_HIGH },
        { "no codes", { 0 }, RBL_WEIGHT_HIGH, RBL_WEIGHT_HIGH },
    };

    fill(&c, rules_of);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (n = 0; n < ADDRS_MAX && rows[i].addr[n] != 0; n++) { /* void */ }

        ok(rbl_codes_weight(&c, rows[i].addr, n, rows[i].usual)
           == rows[i].weight, "the weight of %s", rows[i].name);
    }

    for (i = RBL_WEIGHT_INFO; i <= RBL_WEIGHTS; i++) {
        ok(rbl_weight_parse(rbl_str(rbl_weight_word((rbl_weight_t) i))) == i,
           "weight %zu has its word", i);
    }

    ok(rbl_weight_of_list(RBL_STR("")) == RBL_WEIGHT_NORMAL,
       "an own list is normal");
    ok(rbl_weight_of_list(RBL_STR("policy")) == RBL_WEIGHT_INFO,
       "an unknown word is info");
    ok(rbl_weight_parse(RBL_STR("Critical")) == RBL_WEIGHT_NONE,
       "words are in lower case");
    is_str(rbl_str(rbl_weight_word(RBL_WEIGHT_NONE)), "",
           "no weight has no word");
    is_str(rbl_str(rbl_weight_word((rbl_weight_t) 9)), "",
           "a number of a later release has no word");
}


static void
test_twice(void)
{
    rbl_codes_t  c = { 0 };

    rbl_codes_add(&c, RBL_STR("127.0.0.2=a"));
    rbl_codes_add(&c, RBL_STR("127.0.0.2-127.0.0.3=a"));
    rbl_codes_add(&c, RBL_STR("!127.0.0.2=a"));
    ok(!rbl_codes_twice(&c), "other codes or another class are other rules");
    rbl_codes_add(&c, RBL_STR("127.0.0.2@info=b"));
    ok(rbl_codes_twice(&c), "another weight or text is the same rule");
    rbl_codes_add(&c, RBL_STR("bit:2=b"));
    ok(!rbl_codes_twice(&c), "only the last rule is compared");
}


static void
test_cut(void)
{
    char              *text;
    int                good;
    size_t             size;
    uint32_t           addr[] = { L4(2), L4(3) };
    rbl_codes_t        c = { 0 };
    rbl_lookup_err_t   err;
    static const char  whole[] = "\xc3\xa9t\xc3\xa9, hiver";

    rbl_codes_add(&c, RBL_STR("127.0.0.2=\xc3\xa9t\xc3\xa9"));
    rbl_codes_add(&c, RBL_STR("127.0.0.3=hiver"));

    good = 1;

    for (size = 0; size <= sizeof(whole); size++) {
        text = malloc(size ? size : 1);

        good &= rbl_codes_verdict(&c, addr, 2, &err, text, size)
                == RBL_LISTED;

        if (size > 0) {
            good &= strlen(text) < size && strlen(text) + 2 >= size
                    && strncmp(text, whole, strlen(text)) == 0
                    && ((unsigned char) whole[strlen(text)] & 0xc0) != 0x80;
        }

        free(text);
    }

    ok(good, "a text cut anywhere, between characters");

    text = malloc(sizeof(whole));
    rbl_codes_verdict(&c, addr, 2, &err, text, sizeof(whole));
    is_str(rbl_str(text), whole, "a text that just fits");
    free(text);
}


int
main(void)
{
    test_verdicts();
    test_rules();
    test_weights();
    test_twice();
    test_cut();

    return tap_done();
}
