/*
 * Tables of the ways out of a list and of the causes of listings; the card of a
 * listing.
 */

#include "rbl_card.h"

#include "rbl_codes.h"
#include "rbl_query.h"
#include "rbl_validate.h"

#define RBL_HOUR_MS         INT64_C(3600000)
#define RBL_CARD_ADDRESSES  16          /* of a listing */


const rbl_how_t  rbl_hows[] = {
    { "form", "by a form",
      "Ask once, when the cause has ended. A request before that leads to a new"
      " listing.", 1, 1, "Ask once, if this is a mail server." },
    { "account", "by a form for registered users",
      "Ask once, when the cause has ended. The form needs an account with the"
      " list.", 1, 1, "Ask once, if this is a mail server. The form needs an"
      " account with the list." },
    { "mail", "by mail to the list",
      "Write once, when the cause has ended, and say what has changed.", 1, 0,
      "Write once, if this is a mail server." },
    { "ages", "by expiry",
      "No request is needed. The entry expires when the list sees nothing"
      " new.", 0, 0, NULL },
    { "owner", "by the network's owner",
      "Only the owner of the network can ask. Send the text to your provider"
      " when the cause has ended.", 1, 0,
      "Only the owner of the network can ask. Send the text to your provider if"
      " this is a mail server." },
    { "paid", "for money",
      "The list removes entries for money only. Wait, if the cause has"
      " ended.", 0, 0, NULL },
    { "none", "not at all",
      "The list removes no entries.", 0, 0, NULL },
    { "unknown", "in a way that is not known",
      "The list's website may say how.", 0, 0, NULL },
    { NULL, NULL, NULL, 0, 0, NULL }
};

const rbl_cause_t  rbl_causes[] = {
    { "malware", "malware, a bot or an open proxy", {
      "Look at the firewall for connections to port 25 from anything but the"
      " mail server, and block them.",
      "Search the host, and the network behind its address, for processes,"
      " scheduled jobs and web scripts that nobody knows.",
      "Close open proxies, relays and resolvers; then install updates and"
      " change all passwords." } },
    { "attack", "attacks on other servers", {
      "Look for outgoing connections to many hosts on the ports of SSH, mail"
      " log-in and web servers.",
      "Search the host for processes, scheduled jobs and web scripts that"
      " nobody knows.",
      "Find out whose host or customer it is. Reinstall a host that was broken"
      " into." } },
    { "trap", "mail to spam traps", {
      "Look in the mail log before the listing for the sender with the most"
      " recipients that do not exist.",
      "Lock a mailbox, web form or script that was taken over, and empty its"
      " queue.",
      "Delete recipients that were bought, are old, or never confirmed their"
      " address." } },
    { "complaint", "complaints of recipients", {
      "Find the mailing that was reported: look at volume and subjects before"
      " the listing, and at abuse@ and feedback loops.",
      "Look for mailboxes that were taken over, and for automatic replies to"
      " forged senders.",
      "Check that recipients have agreed, and that the unsubscribe link"
      " works." } },
    { "spam", "spam", {
      "Look in the mail log before the listing for the sender with the most"
      " mail, and for senders that are new.",
      "Lock a mailbox, web form, script or customer that sends it, and empty"
      " the queue.",
      "Read abuse@ and the reports that the list has sent to the network's"
      " abuse contact." } },
    { "policy", "the policy of the network, not spam", {
      "Is this a mail server? If it is not, the entry is right, and nothing has"
      " to be done.",
      "If it is, give it a static address and a reverse name of your own that"
      " points back to it.",
      "Otherwise send through the mail server of the provider." } },
    { "network", "the reputation of the network", {
      "Check that none of your own addresses is listed, on this list or on"
      " others.",
      "Ask the provider what it does about the other customers of the"
      " network.",
      "If it does nothing, send from another network." } },
    { "backscatter", "bounces and automatic replies to forged senders", {
      "Reject unknown recipients during the SMTP session, rather than by a"
      " bounce.",
      "Turn off automatic replies to mail whose sender is not authentic, and to"
      " spam.",
      "Turn off sender verification by callouts; look in the log for mail with"
      " an empty sender." } },
    { "content", "links to the domain in spam", {
      "Find the mailing that has links to the domain: your own, a customer's or"
      " a partner's.",
      "Look for redirects, short links and forms on the site that strangers can"
      " use.",
      "Check SPF, DKIM and DMARC, and that WHOIS has a contact: others may send"
      " in its name." } },
    { "site", "a hacked site: malware or phishing", {
      "Look on the web server for files that are new: uploads, hidden paths,"
      " redirects.",
      "Update the site's software and extensions, delete unknown users, change"
      " all passwords.",
      "Look for DNS records and subdomains that nobody knows, and at the"
      " account with the registrar." } },
    { "unknown", "unknown", {
      "Read what the list's page says of the host.",
      "Look in the mail log before the listing for volumes and senders that are"
      " unusual.",
      "Check the reverse name, that the server is no open relay, and"
      " abuse@." } },
    { NULL, NULL, { NULL } }
};


const rbl_how_t *
rbl_card_how(rbl_str_t name)
{
    const rbl_how_t  *how;

    for (how = rbl_hows; how[1].name != NULL; how++) {
        if (rbl_str_is(name, how->name)) {
            break;
        }
    }

    return how;
}


const rbl_cause_t *
rbl_card_cause(rbl_str_t name)
{
    const rbl_cause_t  *cause;

    for (cause = rbl_causes; cause[1].name != NULL; cause++) {
        if (rbl_str_is(name, cause->name)) {
            break;
        }
    }

    return cause;
}


/* The codes of a listing as addresses in host order; other texts are left out.
   Returns their number. */

static size_t
rbl_card_addresses(uint32_t addr[RBL_CARD_ADDRESSES], rbl_str_t codes)
{
    size_t      n, k;
    rbl_mp_t    mp;
    rbl_addr_t  a;

    rbl_mp_init(&mp, codes);
    k = 0;

    for (n = rbl_mp_array(&mp); n > 0 && k < RBL_CARD_ADDRESSES; n--) {
        if (rbl_addr_parse(&a, rbl_mp_str(&mp)) == RBL_OK
            && a.family == RBL_FAMILY_IPV4)
        {
            addr[k++] = (uint32_t) a.b[0] << 24 | (uint32_t) a.b[1] << 16
                        | (uint32_t) a.b[2] << 8 | a.b[3];
        }
    }

    return k;
}


static int
rbl_way_has_code(rbl_str_t match, rbl_str_t codes)
{
    size_t    i, n;
    uint32_t  addr[RBL_CARD_ADDRESSES];

    n = rbl_card_addresses(addr, codes);

    for (i = 0; i < n; i++) {
        if (rbl_codes_has(match, addr[i]) == 1) {
            return 1;
        }
    }

    return 0;
}


static int
rbl_way_fits(const rbl_way_t *way, rbl_str_t codes)
{
    size_t    n, i;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, way->codes);
    n = rbl_mp_array(&mp);

    for (i = 0; i < n; i++) {
        if (rbl_way_has_code(rbl_mp_str(&mp), codes)) {
            return 1;
        }
    }

    return n == 0;
}


void
rbl_card(rbl_card_t *card, const rbl_list_t *list, rbl_str_t codes,
    int64_t since)
{
    size_t     n;
    rbl_mp_t   mp;
    rbl_way_t  way;

    memset(card, 0, sizeof(*card));
    rbl_mp_init(&mp, list->removal);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        if (rbl_way_decode(&way, &mp) != RBL_OK) {
            break;
        }

        if (rbl_way_fits(&way, codes)) {
            card->way = way;
            break;
        }
    }

    card->how = rbl_card_how(card->way.how);
    card->cause = rbl_card_cause(card->way.cause);
    card->url = card->way.url.n > 0 ? card->way.url
                : list->delist.n > 0 ? list->delist : list->website;

    if (since > 0 && card->way.ages > 0
        && card->way.ages <= (INT64_MAX - since) / RBL_HOUR_MS)
    {
        card->ends = since + card->way.ages * RBL_HOUR_MS;
    }
}


rbl_str_t
rbl_card_link(char buf[RBL_CARD_URL], const rbl_card_t *card, rbl_str_t host)
{
    rbl_str_t  url;

    if (rbl_lookup_url(buf, RBL_CARD_URL, &url, card->url, host) != RBL_OK) {
        return RBL_STR("");
    }

    return url;
}


rbl_str_t
rbl_card_codes(char buf[RBL_CARD_CODES], rbl_str_t rules, rbl_str_t codes)
{
    char              text[RBL_CARD_CODES / 2];
    size_t            i, n, k;
    uint32_t          addr[RBL_CARD_ADDRESSES];
    rbl_mp_t          mp;
    rbl_out_t         out;
    rbl_codes_t       table;
    rbl_lookup_err_t  error;

    out = (rbl_out_t) { buf, buf + RBL_CARD_CODES, NULL, 0 };
    k = rbl_card_addresses(addr, codes);

    for (i = 0; i < k; i++) {
        rbl_out_z(&out, i > 0 ? ", " : "");

        for (n = 32; n > 0; n -= 8) {
            rbl_out_int(&out, addr[i] >> (n - 8) & 0xff);
            rbl_out_z(&out, n > 8 ? "." : "");
        }
    }

    memset(&table, 0, sizeof(table));
    rbl_mp_init(&mp, rules);

    for (n = rbl_mp_array(&mp); n > 0; n--) {
        (void) rbl_codes_add(&table, rbl_mp_str(&mp));
    }

    text[0] = '\0';

    if (k > 0 && table.n > 0) {
        (void) rbl_codes_verdict(&table, addr, k, &error, text, sizeof(text));
    }

    if (text[0] != '\0' && rbl_out_fits(&out, strlen(text) + 3)) {
        rbl_out_z(&out, " (");
        rbl_out_z(&out, text);
        rbl_out_char(&out, ')');
    }

    return (rbl_str_t) { buf, (size_t) (out.pos - buf) };
}


static void
rbl_card_hours(rbl_out_t *out, int64_t n)
{
    int  days;

    days = n % 24 == 0 && n > 48;
    rbl_out_int(out, days ? n / 24 : n);
    rbl_out_z(out, days ? " days" : n == 1 ? " hour" : " hours");
}


/* Not a mistake, but what the network is for: nothing has to end. */

static int
rbl_card_policy(const rbl_card_t *card)
{
    return strcmp(card->cause->name, "policy") == 0;
}


void
rbl_card_when(rbl_out_t *out, const rbl_card_t *card)
{
    rbl_out_z(out, rbl_card_policy(card) && card->how->policy != NULL
                   ? card->how->policy : card->how->when);

    if (card->way.ages > 0) {
        rbl_out_z(out, card->how->ask
                       ? " Without a request it expires, "
                       : " That is ");
        rbl_card_hours(out, card->way.ages);
        rbl_out_z(out, " after the last thing it saw.");
    }

    if (card->way.takes > 0) {
        rbl_out_z(out, " A request takes up to ");
        rbl_card_hours(out, card->way.takes);
        rbl_out_char(out, '.');
    }
}


static void
rbl_card_part(rbl_out_t *out, const char *before, rbl_str_t s,
    const char *after)
{
    if (s.n > 0) {
        rbl_out_z(out, before);
        rbl_out_str(out, s);
        rbl_out_z(out, after);
    }
}


void
rbl_card_text(rbl_out_t *out, const rbl_card_t *card,
    const rbl_card_about_t *about)
{
    int  owner;

    if (!card->how->ask) {
        return;
    }

    owner = rbl_str_is(card->way.how, "owner");
    rbl_out_z(out, owner ? "Please have " : "Please remove ");
    rbl_out_str(out, about->host);
    rbl_card_part(out, " (", about->name, ")");
    rbl_out_z(out, owner ? " removed from " : " from ");
    rbl_out_str(out, about->list);
    rbl_out_z(out, owner ? ". Only the operator of its network can ask for"
                           " that.\n" : ".\n");
    rbl_card_part(out, "Listed since: ", about->since, "\n");
    rbl_card_part(out, "Entry: ", about->codes, "\n");
    rbl_out_z(out, rbl_card_policy(card)
        ? "Use: [which mail server it is, and whose mail it sends]\n"
          "Reverse name: [its name, which leads back to the address]\n"
        : "Cause: [what the list has seen, and how it came about]\n"
          "Ended: [when, and by what]\n"
          "From now on: [what prevents it]\n");
    rbl_out_z(out, "Contact: [name, address of mail]\n");
}
