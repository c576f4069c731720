/*
 * The boxes of hosts in the HTML of a mail: the change of each host, its lists,
 * the reasons and links.
 */

#include "html_int.h"

#include "rbl_validate.h"


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


static void
html_links(rbl_out_t *out, const message_listing_t *listing)
{
    int  delisting, details, website;

    delisting = html_is_link(listing->delisting);
    details = html_is_link(listing->details);
    website = html_is_link(listing->website) && !details;

    if (!delisting && !details && !website) {
        return;
    }

    rbl_out_z(out, "<div style=\"margin:4px 0 0\">");

    if (delisting) {
        html_link(out, listing->delisting, "Request removal", 1);
    }

    if (details) {
        html_link(out, listing->details, "Look it up", 0);
    }

    if (website) {
        html_link(out, listing->website, "About this list", 0);
    }

    rbl_out_z(out, "</div>\n");
}


/* The severity of a list, as a word and as a colour. */

static void
html_severity(rbl_out_t *out, rbl_str_t severity)
{
    size_t  i;

    static const struct {
        const char  *severity, *style;
    } styles[] = {
        { "critical", "ba\" style=\"color:#b3261e" },
        { "error", "ba\" style=\"color:#b3261e" },
        { "warning", "wa\" style=\"color:#8a5a00" },
        { "info", "mu\" style=\"color:#57606a" }
    };

    for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
        if (rbl_str_is(severity, styles[i].severity)) {
            rbl_out_z(out, " <span class=\"");
            rbl_out_z(out, styles[i].style);
            rbl_out_z(out, ";font-size:14px;font-weight:600;"
                           "white-space:nowrap\">");
            rbl_out_z(out, message_severity_word(severity));
            rbl_out_z(out, "</span>");
        }
    }
}


static void
html_listing(rbl_out_t *out, const message_listing_t *listing)
{
    rbl_out_z(out, "<div class=\"ln\" style=\"border-top:1px solid #dfe3e8;"
                   "margin:12px 0 0;padding:12px 0 0\">\n<strong>");
    html_text(out, listing->zone);
    rbl_out_z(out, "</strong>");
    html_severity(out, listing->severity);
    rbl_out_z(out, "\n");

    if (listing->name.n > 0 || listing->since.n > 0) {
        rbl_out_z(out, "<div class=\"mu\" style=\"color:#57606a;"
                       "font-size:14px;line-height:20px\">");
        html_text(out, listing->name);
        rbl_out_z(out, listing->since.n == 0 ? ""
                       : listing->name.n > 0 ? ", since " : "Since ");
        html_text(out, listing->since);
        rbl_out_z(out, "</div>\n");
    }

    if (listing->reason.n > 0) {
        rbl_out_z(out, "<div class=\"qt\" style=\"background:#f2f4f6;"
                       "color:#30363d;border-radius:6px;padding:8px 10px;"
                       "margin:8px 0 4px;font-size:14px;line-height:20px\">");
        html_text(out, listing->reason);
        rbl_out_z(out, "</div>\n");
    }

    html_links(out, listing);
    rbl_out_z(out, "</div>\n");
}


static void
html_host_state(rbl_out_t *out, const message_host_t *host)
{
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

    if (host->state == MESSAGE_LISTED && host->first_listed.n > 0) {
        rbl_out_z(out, "<div class=\"mu\" style=\"color:#57606a;"
                       "font-size:14px;line-height:20px\">Since ");
        html_text(out, host->first_listed);
        rbl_out_z(out, "</div>\n");
    }
}


static void
html_host_head(rbl_out_t *out, const message_host_t *host)
{
    rbl_out_z(out, html_box);
    rbl_out_z(out, "<h2 style=\"margin:0;font-size:19px;line-height:26px\">");
    html_text(out, host->value);
    rbl_out_z(out, "</h2>\n");

    if (host->name.n > 0 && !rbl_str_eq(host->name, host->value)) {
        rbl_out_z(out, "<div class=\"mu\" style=\"color:#57606a\">");
        html_text(out, host->name);
        rbl_out_z(out, "</div>\n");
    }

    html_host_state(out, host);
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


static void
html_host(rbl_buf_t *buf, const message_host_t *host)
{
    size_t      i;
    int64_t     left;
    rbl_out_t  *out = &buf->out;

    html_host_head(out, host);

    for (i = 0; i < host->n_listings && !html_full(buf); i++) {
        html_listing(out, &host->listing[i]);
    }

    left = host->listed_count - (int64_t) i;

    if (host->state == MESSAGE_LISTED && i > 0) {
        html_more(out, left, "more blocklist");
    }

    rbl_out_z(out, html_box_end);
}


void
html_hosts(rbl_buf_t *buf, const message_t *message)
{
    size_t   i;
    int64_t  left;

    for (i = 0; i < message->n_hosts && !html_full(buf); i++) {
        html_host(buf, &message->host[i]);
    }

    left = message->listed + message->delisted + message->unreported
           + message->clear - (int64_t) i;
    html_more(&buf->out, left, "more host");
}
