/*
 * Styles are in each element, for clients that drop the style sheet.  The sheet
 * has only styles that cannot be there: dark colours, and a reset of the
 * defaults of phones.  Tables make the layout, since some clients support
 * nothing else.
 */

#include "html.h"

#include "card.h"
#include "clip.h"
#include "siblings.h"
#include "words.h"
#include "rbl_validate.h"


#define HTML_FIELD  400                 /* characters of a foreign text */
#define HTML_WORDS  4000                /* of a line of our own words */
#define HTML_TAIL   2000                /* octets that the end may need */

#define HTML_FONT                                                             \
    "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
#define HTML_BREAK  "word-break:break-word;overflow-wrap:anywhere;"

static const char  html_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"supported-color-schemes\" content=\"light dark\">\n"
    "<meta name=\"format-detection\" content=\"telephone=no,address=no\">\n"
    "<title>";

static const char  html_sheet[] =
    "</title>\n"
    "<style>\n"
    ":root{color-scheme:light dark;supported-color-schemes:light dark}\n"
    "body{margin:0;padding:0;-webkit-text-size-adjust:100%}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".pg{background:#121417!important;color:#e6e8eb!important}\n"
    ".bx{background:#1d2126!important;border-color:#3a4149!important}\n"
    ".ln{border-color:#3a4149!important}\n"
    ".tx{color:#e6e8eb!important}\n"
    ".mu{color:#a9b1ba!important}\n"
    ".qt{background:#272c33!important;color:#d3d8de!important}\n"
    ".ba{color:#ff8f85!important}\n"
    ".wa{color:#f2bd5a!important}\n"
    ".go{color:#6fcf8e!important}\n"
    ".bt{background:#2b6cb8!important;color:#ffffff!important}\n"
    "a.lk{color:#8ab8f5!important}\n"
    "}\n"
    "</style>\n"
    "</head>\n"
    "<body class=\"pg\" style=\"margin:0;padding:0;background:#f2f4f6;"
    "color:#1c2128\">\n"
    "<table role=\"presentation\" class=\"pg\" width=\"100%\" cellpadding=\"0\""
    " cellspacing=\"0\" style=\"background:#f2f4f6;color:#1c2128\">\n"
    "<tr><td align=\"center\" style=\"padding:16px 12px\">\n"
    "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\""
    " cellspacing=\"0\" style=\"max-width:600px;table-layout:fixed\">\n"
    "<tr><td style=\"text-align:left;" HTML_FONT HTML_BREAK
    "font-size:16px;line-height:24px\">\n";

/* The markup around the content of a box. */

static const char  html_box[] =
    "<table role=\"presentation\" class=\"bx\" width=\"100%\" cellpadding=\"0\""
    " cellspacing=\"0\" style=\"table-layout:fixed;background:#ffffff;"
    "border:1px solid #dfe3e8;border-radius:8px;margin:0 0 16px\">\n"
    "<tr><td class=\"tx\" style=\"padding:14px 16px;color:#1c2128;" HTML_FONT
    HTML_BREAK "font-size:16px;line-height:24px\">\n";

static const char  html_box_end[] = "</td></tr>\n</table>\n";

/* A list in a box, which ends in </div>; a line in small letters, likewise. */

static const char  html_list[] =
    "<div class=\"ln\" style=\"border-top:1px solid #dfe3e8;"
    "margin:12px 0 0;padding:12px 0 0\">\n";

static const char  html_small[] =
    "<div class=\"mu\" style=\"color:#57606a;font-size:14px;"
    "line-height:20px\">";

static const char  html_end[] =
    "</td></tr>\n"
    "</table>\n"
    "</td></tr>\n"
    "</table>\n"
    "</body>\n"
    "</html>\n";


/* NULL: the character needs no entity. */

static const char *
html_entity(rbl_str_t c)
{
    const unsigned char  *p = (const unsigned char *) c.p;

    if (c.n == 1) {
        switch (*p) {

        case '&':
            return "&amp;";

        case '<':
            return "&lt;";

        case '>':
            return "&gt;";

        case '"':
            return "&quot;";

        case '\'':
            return "&#39;";

        default:
            return *p < ' ' || *p == 0x7f ? " " : *p > 0x7f ? "?" : NULL;
        }
    }

    /* controls, and marks that change the direction of writing */

    if ((c.n == 2 && p[0] == 0xc2 && p[1] < 0xa0)
        || (c.n == 3 && p[0] == 0xe2
            && ((p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f
                                  || (p[2] >= 0xa8 && p[2] <= 0xae)))
                || (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9))))
    {
        return " ";
    }

    return NULL;
}


/* Text on one line, cut to so many characters. */

static void
html_text_cut(rbl_out_t *out, rbl_str_t text, size_t max)
{
    int          cut;
    rbl_str_t    c;
    const char  *entity;

    text = clip_text(text, max, CLIP_CHARS, &cut);

    for ( /* void */ ; text.n > 0; text.p += c.n, text.n -= c.n) {
        c = clip_begin(text, 1, CLIP_CHARS);
        entity = html_entity(c);

        if (entity != NULL) {
            rbl_out_z(out, entity);

        } else {
            rbl_out_str(out, c);
        }
    }

    rbl_out_z(out, cut ? CLIP_ELLIPSIS : "");
}


/* A foreign text. */

static void
html_text(rbl_out_t *out, rbl_str_t text)
{
    html_text_cut(out, text, HTML_FIELD);
}


/* Is there room for nothing but the end? */

static int
html_full(const rbl_buf_t *buf)
{
    return rbl_buf_str(buf).n > HTML_MAX - HTML_TAIL;
}


/* The next part of a text, up to a separator, which is taken off too. */

static rbl_str_t
html_until(rbl_str_t *text, const char *sep)
{
    size_t       n;
    rbl_str_t    part;
    const char  *end;

    n = strlen(sep);
    end = memmem(text->p, text->n, sep, n);
    part.p = text->p;
    part.n = end != NULL ? (size_t) (end - text->p) : text->n;

    n = end != NULL ? part.n + n : part.n;
    text->p += n;
    text->n -= n;

    return part;
}


/*
 * The words of a message, its paragraphs parted by empty lines; one that is
 * indented is the code, to be read off or copied.
 */

static void
html_paragraph(rbl_out_t *out, rbl_str_t text)
{
    rbl_str_t  line;

    if (text.n > 4 && memcmp(text.p, "    ", 4) == 0) {
        text.p += 4;
        text.n -= 4;
        rbl_out_z(out, "<p class=\"qt\" style=\"margin:16px 0;padding:14px 8px;"
                       "background:#f2f4f6;color:#1c2128;border-radius:6px;"
                       "text-align:center;font:600 28px/36px Consolas,Menlo,"
                       "monospace;letter-spacing:4px\">");

    } else {
        rbl_out_z(out, "<p style=\"margin:12px 0\">");
    }

    while (text.n > 0) {
        line = html_until(&text, "\n");
        html_text_cut(out, line, HTML_WORDS);
        rbl_out_z(out, text.n > 0 ? "<br>\n" : "");
    }

    rbl_out_z(out, "</p>\n");
}


static void
html_words(rbl_buf_t *buf, rbl_str_t text)
{
    rbl_str_t   part;
    rbl_out_t  *out = &buf->out;

    rbl_out_z(out, html_box);

    while (text.n > 0 && !html_full(buf)) {
        part = html_until(&text, "\n\n");

        if (part.n > 0) {
            html_paragraph(out, part);
        }
    }

    rbl_out_z(out, html_box_end);
}


static void
html_count(rbl_out_t *out, int64_t n, const char *what)
{
    rbl_out_int(out, n);
    rbl_out_char(out, ' ');
    rbl_out_z(out, what);
    rbl_out_z(out, n == 1 ? "" : "s");
}


/* Is it a link that can be followed, whole? */

static int
html_is_link(rbl_str_t url)
{
    rbl_url_t  parsed;

    return url.n <= HTML_FIELD && rbl_url_parse(&parsed, url) == RBL_OK;
}


static void
html_link(rbl_out_t *out, rbl_str_t url, const char *label, int button)
{
    rbl_out_z(out, button
        ? "<a class=\"bt\" style=\"display:inline-block;background:#1f5fa8;"
          "color:#ffffff;text-decoration:none;border-radius:6px;"
          "padding:9px 16px;margin:4px 16px 4px 0;font-weight:600\" href=\""
        : "<a class=\"lk\" style=\"display:inline-block;color:#1257a5;"
          "padding:9px 0;margin:4px 16px 4px 0\" href=\"");
    html_text(out, url);
    rbl_out_z(out, "\">");
    rbl_out_z(out, label);
    rbl_out_z(out, "</a>");
}


/* Does the link of a listing lead to where one asks for its end?  That of a
   list without a card is its website if nothing else is known. */

static int
html_asks(const message_listing_t *listing)
{
    return listing->how.n > 0 ? rbl_card_how(listing->how)->page
                              : !rbl_str_eq(listing->delisting,
                                            listing->website);
}


static void
html_links(rbl_out_t *out, const message_listing_t *listing)
{
    int  delisting, details, website;

    delisting = html_is_link(listing->delisting);
    details = html_is_link(listing->details);
    website = html_is_link(listing->website) && !details
              && !rbl_str_eq(listing->website, listing->delisting);

    if (!delisting && !details && !website) {
        return;
    }

    rbl_out_z(out, "<div style=\"margin:4px 0 0\">");

    if (delisting) {
        html_link(out, listing->delisting, html_asks(listing)
                  ? "Request removal" : "See the list's page", 1);
    }

    if (details) {
        html_link(out, listing->details, "Look it up", 0);
    }

    if (website) {
        html_link(out, listing->website, "About this list", 0);
    }

    rbl_out_z(out, "</div>\n");
}


/* The weight of a listing, as a word and as a colour. */

static void
html_weight(rbl_out_t *out, rbl_str_t weight)
{
    size_t  i;

    static const struct {
        const char  *weight, *style;
    } styles[] = {
        { "critical", "ba\" style=\"color:#b3261e" },
        { "high", "ba\" style=\"color:#b3261e" },
        { "normal", "wa\" style=\"color:#8a5a00" },
        { "info", "mu\" style=\"color:#57606a" }
    };

    for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
        if (rbl_str_is(weight, styles[i].weight)) {
            rbl_out_z(out, " <span class=\"");
            rbl_out_z(out, styles[i].style);
            rbl_out_z(out, ";font-size:14px;font-weight:600;"
                           "white-space:nowrap\">");
            rbl_out_z(out, styles[i].weight);
            rbl_out_z(out, "</span>");
        }
    }
}


/* A paragraph of a card. */

static void
html_about(rbl_out_t *out, const char *about, rbl_str_t text)
{
    if (text.n > 0) {
        rbl_out_z(out, "<div style=\"margin:6px 0 0;font-size:14px;"
                       "line-height:20px\">");
        rbl_out_z(out, about);
        html_text_cut(out, text, HTML_WORDS);
        rbl_out_z(out, "</div>\n");
    }
}


static void
html_request(rbl_out_t *out, rbl_str_t request)
{
    rbl_str_t  line;

    html_about(out, "", RBL_STR("Text to send:"));
    rbl_out_z(out, "<div class=\"qt\" style=\"background:#f2f4f6;"
                   "color:#30363d;border-radius:6px;padding:8px 10px;"
                   "margin:4px 0;font:13px/19px Consolas,Menlo,monospace\">");

    while (request.n > 0) {
        line = html_until(&request, "\n");
        html_text_cut(out, line, HTML_WORDS);
        rbl_out_z(out, request.n > 0 ? "<br>\n" : "");
    }

    rbl_out_z(out, "</div>\n");
}


/* The card of a listing. */

static void
html_card(rbl_out_t *out, const message_listing_t *listing, card_told_t *told)
{
    size_t  i;
    card_t  card;

    card = card_next(told, listing);

    if (card.how == NULL) {
        return;
    }

    html_about(out, "<strong>Usual cause:</strong> ",
               rbl_str(card.cause->text));

    for (i = 0; card.look && i < RBL_CARD_LOOK; i++) {
        html_about(out, "&#8226; ", rbl_str(card.cause->look[i]));
    }

    html_about(out, "<strong>It ends:</strong> ", rbl_str(card.how->text));
    html_about(out, "", listing->advice);
    html_about(out, "<strong>Note:</strong> ", listing->note);
    html_about(out, "<strong>Write to:</strong> ", listing->mail);

    if (card.request) {
        html_request(out, listing->request);
    }
}


/* A line that stands out. */

static void
html_loud(rbl_out_t *out, rbl_str_t words)
{
    rbl_out_z(out, "<div class=\"ba\" style=\"color:#b3261e;font-weight:600;"
                   "font-size:14px;line-height:20px\">");
    html_text(out, words);
    rbl_out_z(out, "</div>\n");
}


/* both: the host has new listings and others. */

static void
html_listing(rbl_out_t *out, const message_listing_t *listing, int both,
    card_told_t *told)
{
    rbl_buf_t  words;

    rbl_out_z(out, html_list);
    rbl_out_z(out, "<strong>");
    html_text(out, words_list(listing->name, listing->zone));
    rbl_out_z(out, "</strong>");
    html_weight(out, listing->weight);

    if (both && listing->fresh) {
        rbl_out_z(out, " <span class=\"ba\" style=\"color:#b3261e;"
                       "font-size:14px;font-weight:600\">new</span>");
    }

    rbl_out_z(out, "\n");

    if (listing->off.n > 0) {
        rbl_buf_init(&words);
        words_relisted(&words.out, listing);
        html_loud(out, rbl_buf_str(&words));
        rbl_buf_free(&words);
    }

    if (listing->name.n > 0 || listing->since.n > 0) {
        rbl_out_z(out, html_small);
        html_text(out, listing->name.n > 0 ? listing->zone : RBL_STR(""));
        rbl_out_z(out, listing->since.n == 0 ? ""
                       : listing->name.n > 0 ? ", since " : "Since ");
        html_text(out, listing->since);
        rbl_out_z(out, "</div>\n");
    }

    /* Most lists mean no more by their only code. */

    if (listing->reason.n > 0 && !rbl_str_is(listing->reason, "listed")) {
        rbl_out_z(out, "<div class=\"qt\" style=\"background:#f2f4f6;"
                       "color:#30363d;border-radius:6px;padding:8px 10px;"
                       "margin:8px 0 4px;font-size:14px;line-height:20px\">");
        html_text(out, listing->reason);
        rbl_out_z(out, "</div>\n");
    }

    html_about(out, "<strong>Marked:</strong> ", listing->marked);
    html_card(out, listing, told);
    html_links(out, listing);
    rbl_out_z(out, "</div>\n");
}


static void
html_host_state(rbl_out_t *out, const message_host_t *host)
{
    rbl_buf_t  words;

    rbl_out_z(out, host->state == MESSAGE_LISTED
        ? "<div class=\"ba\" style=\"color:#b3261e;font-weight:600\">"
        : host->state == MESSAGE_UNREPORTED
        ? "<div class=\"mu\" style=\"color:#57606a;font-weight:600\">"
        : "<div class=\"go\" style=\"color:#1a6b38;font-weight:600\">");

    switch (host->state) {

    case MESSAGE_LISTED:
        rbl_out_z(out, "Listed on ");
        html_count(out, host->listed_count, "blocklist");
        break;

    case MESSAGE_DELISTED:
        rbl_out_z(out, "No longer listed");
        break;

    case MESSAGE_UNREPORTED:
        rbl_out_z(out, "Was listed, and is no longer reported");
        break;

    default:
        rbl_out_z(out, "Not listed");
    }

    rbl_out_z(out, "</div>\n");

    if (host->flaps.n > 0) {
        rbl_buf_init(&words);
        words_flaps(&words.out, host);
        html_loud(out, rbl_buf_str(&words));
        rbl_buf_free(&words);
    }

    if (host->why.n > 0) {
        rbl_out_z(out, html_small);
        rbl_out_z(out, "Reason: ");
        html_text(out, host->why);
        rbl_out_z(out, "</div>\n");
    }

    if (host->state == MESSAGE_LISTED && host->first_listed.n > 0
        && (host->n_listings != 1
            || !rbl_str_eq(host->first_listed, host->listing[0].since)))
    {
        rbl_out_z(out, html_small);
        rbl_out_z(out, "Since ");
        html_text(out, host->first_listed);
        rbl_out_z(out, "</div>\n");
    }
}


static void
html_heading(rbl_out_t *out, rbl_str_t text)
{
    rbl_out_z(out, "<h2 style=\"margin:0;font-size:19px;line-height:26px\">");
    html_text(out, text);
    rbl_out_z(out, "</h2>\n");
}


static void
html_host_head(rbl_out_t *out, const message_host_t *host)
{
    html_heading(out, host->value);

    if (host->name.n > 0 && !rbl_str_eq(host->name, host->value)) {
        rbl_out_z(out, "<div class=\"mu\" style=\"color:#57606a\">");
        html_text(out, host->name);
        rbl_out_z(out, "</div>\n");
    }

    html_host_state(out, host);
}


/* The heading of siblings: their line, and their addresses. */

static void
html_siblings(rbl_out_t *out, const message_t *message, size_t i, size_t n)
{
    rbl_buf_t  words;

    rbl_buf_init(&words);
    siblings_line(&words.out, message, i, n);
    html_heading(out, rbl_buf_str(&words));
    rbl_buf_reset(&words);
    siblings_values(&words.out, message, i);
    html_about(out, "", rbl_buf_str(&words));
    rbl_buf_free(&words);
}


/* The listings that have ended, of n hosts: the one at this index, and its
   siblings. */

static void
html_past(rbl_buf_t *buf, const message_t *message, size_t at, size_t n)
{
    size_t                 i;
    rbl_buf_t              period;
    rbl_out_t             *out = &buf->out;
    const message_host_t  *host = &message->host[at];

    rbl_buf_init(&period);

    for (i = 0; i < host->n_past && !html_full(buf); i++) {
        rbl_out_z(out, html_list);
        rbl_out_z(out, "<span class=\"go\" style=\"color:#1a6b38;"
                       "font-weight:600\">");
        html_text(out, words_list(host->past[i].name, host->past[i].zone));
        rbl_out_z(out, "</span>\n");
        rbl_out_z(out, html_small);
        rbl_out_z(out, "No longer listed, listed for ");
        siblings_period(&period.out, message, at, n, i);
        html_text(out, rbl_buf_str(&period));
        rbl_buf_reset(&period);
        rbl_out_z(out, "</div>\n</div>\n");
    }

    rbl_buf_free(&period);
}


static void
html_more(rbl_out_t *out, int64_t n, const char *what)
{
    if (n > 0) {
        rbl_out_z(out, "<p class=\"mu\" style=\"margin:12px 4px;"
                       "color:#57606a\">And ");
        html_count(out, n, what);
        rbl_out_z(out, ".</p>\n");
    }
}


/* The box of n hosts: the i-th, and its siblings. */

static void
html_host(rbl_buf_t *buf, const message_t *message, size_t i, size_t n,
    card_told_t *told)
{
    int                    both;
    size_t                 k;
    int64_t                left;
    rbl_out_t             *out = &buf->out;
    const message_host_t  *host = &message->host[i];

    rbl_out_z(out, html_box);

    if (n > 1) {
        html_siblings(out, message, i, n);

    } else {
        html_host_head(out, host);
    }

    both = message_both(host);

    for (k = 0; k < host->n_listings && !html_full(buf); k++) {
        html_listing(out, &host->listing[k], both, told);
    }

    left = host->listed_count - (int64_t) k;

    if (host->state == MESSAGE_LISTED && k > 0) {
        html_more(out, left, "more blocklist");
    }

    html_past(buf, message, i, n);
    rbl_out_z(out, html_box_end);
}


static void
html_hosts(rbl_buf_t *buf, const message_t *message)
{
    size_t       i, n;
    int64_t      left;
    card_told_t  told;

    memset(&told, 0, sizeof(told));
    left = message->listed + message->delisted + message->unreported
           + message->clear;

    for (i = 0; i < message->n_hosts && !html_full(buf); i++) {
        n = siblings_count(message, i);
        left -= (int64_t) n;

        if (n > 0) {
            html_host(buf, message, i, n, &told);
        }
    }

    html_more(&buf->out, left, "more host");
}


static void
html_foot(rbl_out_t *out, const message_t *message)
{
    rbl_out_z(out, "<p class=\"mu\" style=\"margin:0 4px;color:#57606a;"
                   "font-size:13px;line-height:18px\">");

    if (!rbl_str_is(message->type, MESSAGE_CONFIRM)) {
        rbl_out_z(out, "This address is a confirmed contact for blocklist"
                       " monitoring. ");
    }

    rbl_out_z(out, "Message ");
    html_text(out, message->event);
    rbl_out_z(out, "</p>\n");
}


void
html_message(rbl_buf_t *buf, const message_t *message)
{
    rbl_out_t  *out = &buf->out;

    rbl_out_z(out, html_head);
    html_text(out, message->title);
    rbl_out_z(out, html_sheet);
    rbl_out_z(out, "<h1 style=\"margin:4px 4px 16px;font-size:22px;"
                   "line-height:30px\">");
    html_text(out, message->title);
    rbl_out_z(out, "</h1>\n");

    if (message->n_hosts == 0) {
        html_words(buf, message->text);

    } else {
        html_hosts(buf, message);
    }

    if (message_is_url(message->portal)) {
        rbl_out_z(out, "<p style=\"margin:0 4px 12px\">");
        html_link(out, message->portal, "Open it in the portal", 0);
        rbl_out_z(out, "</p>\n");
    }

    html_foot(out, message);
    rbl_out_z(out, html_end);
}
