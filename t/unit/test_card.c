/*
 * Cards of listings: which way out of a list a code has, links, times, texts;
 * the tables of words; the message's share of cards.
 */

#include "base/buf.h"
#include "deliver/message/card.h"
#include "rbl_card.h"
#include "tap.h"

#include <stdlib.h>

#define S       RBL_STR
#define HOUR    INT64_C(3600000)
#define SINCE   INT64_C(1795000000000)


static rbl_list_t  list;
static rbl_buf_t   ways, codes;


static rbl_str_t
texts(rbl_buf_t *b, const char *words)
{
    size_t     n;
    rbl_str_t  rest, all = rbl_str(words);

    for (n = 0, rest = all; rest.n > 0; n++) {
        (void) rbl_until(&rest, ' ');
    }

    rbl_buf_reset(b);
    rbl_mp_put_array(&b->out, n);

    while (all.n > 0) {
        rbl_mp_put_str(&b->out, rbl_until(&all, ' '));
    }

    return rbl_buf_str(b);
}


static void
add(const char *match, const char *how, const char *cause, int64_t ages,
    const char *url)
{
    rbl_buf_t  b;
    rbl_way_t  way;

    memset(&way, 0, sizeof(way));
    rbl_buf_init(&b);
    way.codes = texts(&b, match);
    way.how = rbl_str(how);
    way.cause = rbl_str(cause);
    way.ages = ages;
    way.takes = 24;
    way.url = rbl_str(url);
    rbl_way_encode(&ways.out, &way);
    rbl_buf_free(&b);
}


/* A list as Spamhaus ZEN. */

static void
zen(void)
{
    memset(&list, 0, sizeof(list));
    list.delist = S("https://off.example/?q=%s");
    list.website = S("https://list.example/");
    rbl_buf_reset(&ways);
    rbl_mp_put_array(&ways.out, 5);
    add("127.0.0.2 127.0.0.9", "owner", "spam", 0, "");
    add("127.0.0.4-127.0.0.7", "form", "malware", 48, "https://x.example/%s/a");
    add("bit:16", "ages", "trap", 168, "");
    add("127.0.0.10", "frob", "frob", 0, "");
    add("", "mail", "policy", 0, "");
    list.removal = rbl_buf_str(&ways);
}


static void
test_ways(void)
{
    size_t      i;
    rbl_card_t  card;

    static const struct {
        const char  *codes, *how, *cause;
        int64_t      ends;
    } cases[] = {
        { "127.0.0.2", "owner", "spam", 0 },
        { "127.0.0.9", "owner", "spam", 0 },
        { "127.0.0.5", "form", "malware", SINCE + 48 * HOUR },
        { "127.0.0.8", "mail", "policy", 0 },
        { "127.0.0.10 127.0.0.4", "form", "malware", SINCE + 48 * HOUR },
        { "127.0.0.4 127.0.0.2", "owner", "spam", 0 },
        { "127.0.0.16", "ages", "trap", SINCE + 168 * HOUR },
        { "127.0.0.10", "unknown", "unknown", 0 },
        { "", "mail", "policy", 0 },
        { "nonsense 2001:db8::1 127.0.0.300", "mail", "policy", 0 }
    };

    zen();

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rbl_card(&card, &list, texts(&codes, cases[i].codes), SINCE);
        ok(strcmp(card.how->name, cases[i].how) == 0
           && strcmp(card.cause->name, cases[i].cause) == 0
           && card.ends == cases[i].ends, "the way of \"%s\"",
           cases[i].codes);
    }

    rbl_card(&card, &list, texts(&codes, "127.0.0.5"), 0);
    ok(card.ends == 0, "no end without a beginning");
    rbl_card(&card, &list, texts(&codes, "127.0.0.5"), INT64_MAX - 5);
    ok(card.ends == 0, "no end beyond all times");

    list.removal = S("");
    rbl_card(&card, &list, texts(&codes, "127.0.0.2"), SINCE);
    is_str(rbl_str(card.how->name), "unknown", "a list without ways");
    list.removal = S("\x91\x93\x01");
    rbl_card(&card, &list, texts(&codes, "127.0.0.2"), SINCE);
    is_str(rbl_str(card.cause->name), "unknown", "a damaged record");
}


static void
test_links(void)
{
    char        buf[RBL_CARD_URL], hostile[1024];
    rbl_card_t  card;

    zen();
    rbl_card(&card, &list, texts(&codes, "127.0.0.5"), SINCE);
    is_str(rbl_card_link(buf, &card, S("192.0.2.1")),
           "https://x.example/192.0.2.1/a", "the link of the way");
    is_str(rbl_card_link(buf, &card, S("2001:db8::1")),
           "https://x.example/2001%3Adb8%3A%3A1/a", "of an IPv6 address");
    is_str(rbl_card_link(buf, &card, S("\"><b>&x=1 %s/..")),
           "https://x.example/%22%3E%3Cb%3E%26x%3D1%20%25s%2F../a",
           "a hostile name stays in its place");

    rbl_card(&card, &list, texts(&codes, "127.0.0.2"), SINCE);
    is_str(rbl_card_link(buf, &card, S("a.example")),
           "https://off.example/?q=a.example", "else that of the list");
    list.delist = S("");
    rbl_card(&card, &list, texts(&codes, "127.0.0.2"), SINCE);
    is_str(rbl_card_link(buf, &card, S("a")), "https://list.example/",
           "else its website");
    list.website = S("");
    rbl_card(&card, &list, texts(&codes, "127.0.0.2"), SINCE);
    is_str(rbl_card_link(buf, &card, S("a")), "", "else none");

    zen();
    memset(hostile, '<', sizeof(hostile));
    rbl_card(&card, &list, texts(&codes, "127.0.0.5"), SINCE);
    is_str(rbl_card_link(buf, &card, (rbl_str_t) { hostile, 1024 }), "",
           "no link that has no room");
}


static void
test_words(void)
{
    char              buf[RBL_CARD_CODES];
    rbl_buf_t         b, rules;
    rbl_card_t        card;
    rbl_card_about_t  about = { S("192.0.2.1"), S("mx"), S("ZEN"),
                                S("127.0.0.5 (XBL)"), S("today") };

    zen();
    rbl_buf_init(&b);
    rbl_card(&card, &list, texts(&codes, "127.0.0.5"), SINCE);
    rbl_card_when(&b.out, &card);
    is_str(rbl_buf_str(&b), "Ask once, when the cause has ended. A request"
           " before that leads to a new listing. Without a request it expires,"
           " 48 hours after the last thing it saw. A request takes up"
           " to 24 hours.", "when to ask");

    rbl_buf_reset(&b);
    rbl_card_text(&b.out, &card, &about);
    is_str(rbl_buf_str(&b), "Please remove 192.0.2.1 (mx) from ZEN.\n"
           "Listed since: today\nEntry: 127.0.0.5 (XBL)\n"
           "Cause: [what the list has seen, and how it came about]\n"
           "Ended: [when, and by what]\nFrom now on: [what prevents it]\n"
           "Contact: [name, address of mail]\n", "a text to send");

    rbl_buf_reset(&b);
    about.name = about.since = S("");
    rbl_card(&card, &list, texts(&codes, "127.0.0.2"), SINCE);
    rbl_card_text(&b.out, &card, &about);
    ok(rbl_str_begins(rbl_buf_str(&b), "Please have 192.0.2.1 removed from ZEN."
       " Only the operator of its network can ask for that.\nEntry: "),
       "a text for the provider");

    rbl_buf_reset(&b);
    rbl_card(&card, &list, texts(&codes, "127.0.0.8"), SINCE);
    rbl_card_when(&b.out, &card);
    is_str(rbl_buf_str(&b), "Write once, if this is a mail server. A request"
           " takes up to 24 hours.", "an entry by policy has no cause that"
           " could end");
    rbl_buf_reset(&b);
    rbl_card_text(&b.out, &card, &about);
    is_str(rbl_buf_str(&b), "Please remove 192.0.2.1 from ZEN.\n"
           "Entry: 127.0.0.5 (XBL)\n"
           "Use: [which mail server it is, and whose mail it sends]\n"
           "Reverse name: [its name, which leads back to the address]\n"
           "Contact: [name, address of mail]\n", "a text about policy");

    rbl_buf_reset(&b);
    rbl_card(&card, &list, texts(&codes, "127.0.0.16"), SINCE);
    rbl_card_text(&b.out, &card, &about);
    is_str(rbl_buf_str(&b), "", "no text if nobody can be asked");
    rbl_card_when(&b.out, &card);
    is_str(rbl_buf_str(&b), "No request is needed. The entry expires when the"
           " list sees nothing new. That is 7 days after the last thing it"
           " saw. A request takes up to 24 hours.", "days");

    rbl_buf_init(&rules);
    is_str(rbl_card_codes(buf, texts(&rules, "127.0.0.5=XBL bit:2=two"),
                          texts(&codes, "127.0.0.5 127.0.0.2")),
           "127.0.0.5, 127.0.0.2 (XBL, two)", "codes and their meaning");
    is_str(rbl_card_codes(buf, S("\x90"), texts(&codes, "127.0.0.2")),
           "127.0.0.2", "codes of a list without rules");
    rbl_buf_free(&rules);
    rbl_buf_free(&b);
}


static void
test_tables(void)
{
    int                 good;
    size_t              i;
    const rbl_how_t    *how;
    const rbl_cause_t  *cause;

    good = 1;

    for (how = rbl_hows; how->name != NULL; how++) {
        good &= rbl_card_how(rbl_str(how->name)) == how;
        good &= how->when[strlen(how->when) - 1] == '.';
    }

    is_str(rbl_str(how[-1].name), "unknown", "the last word of how");

    for (cause = rbl_causes; cause->name != NULL; cause++) {
        good &= rbl_card_cause(rbl_str(cause->name)) == cause;

        for (i = 0; i < RBL_CARD_LOOK; i++) {
            good &= strlen(cause->look[i]) > 20
                    && strlen(cause->look[i]) < 160;
        }
    }

    is_str(rbl_str(cause[-1].name), "unknown", "the last word of cause");
    ok(good, "each word is found, and has its texts");
    ok(cause - rbl_causes <= 32, "a message has a bit for each cause");
}


static void
test_share(void)
{
    int                i, looks, requests;
    card_t             card;
    card_told_t        told;
    message_listing_t  l;

    memset(&told, 0, sizeof(told));
    memset(&l, 0, sizeof(l));
    card = card_next(&told, &l);
    ok(card.how == NULL && told.cards == 0, "a listing without a card");

    l.how = S("form");
    l.request = S("Please");

    for (i = 0, looks = 0, requests = 0; i < 12; i++) {
        l.cause = i % 2 ? S("trap") : S("spam");
        card = card_next(&told, &l);
        looks += card.look;
        requests += card.request;
    }

    ok(looks == 2, "what to look at, once for each cause");
    ok(requests == CARD_WHOLE, "a text to send for the first listings");
    l.cause = S("site");
    card = card_next(&told, &l);
    ok(!card.look && card.how != NULL, "later ones have the words only");
}


int
main(void)
{
    rbl_buf_init(&ways);
    rbl_buf_init(&codes);

    test_ways();
    test_links();
    test_words();
    test_tables();
    test_share();

    rbl_buf_free(&ways);
    rbl_buf_free(&codes);

    return tap_done();
}
