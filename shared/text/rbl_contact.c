/*
 * Values of contacts by type.  The checks are strict, because accepted values
 * are used in requests, mail headers and signatures.
 */

#include "rbl_contact.h"
#include "rbl_contact_int.h"
#include "rbl_hex.h"
#include "rbl_name.h"


#define RBL_EMAIL_LOCAL_MAX  64
#define RBL_EMAIL_MAX        254
#define RBL_CHAT_ID_MAX      ((INT64_C(1) << 52) - 1)


typedef struct {
    const char   *name;
    rbl_err_t   (*parse)(rbl_contact_buf_t *b, rbl_str_t text);
    rbl_str_t   (*shown)(rbl_str_t value, int path);
    const char   *expected;
} rbl_contact_kind_t;


int
rbl_contact_chars(rbl_str_t s, size_t min, size_t max, const char *more)
{
    char    c;
    size_t  i;

    if (s.n < min || s.n > max) {
        return 0;
    }

    for (i = 0; i < s.n; i++) {
        c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9'))
            && (c == '\0' || strchr(more, c) == NULL))
        {
            return 0;
        }
    }

    return 1;
}


rbl_err_t
rbl_contact_put(rbl_contact_buf_t *b, rbl_str_t part)
{
    if (part.n >= RBL_CONTACT_MAX - b->n) {
        return RBL_EINVAL;
    }

    if (part.n) {
        memcpy(b->s + b->n, part.p, part.n);
    }

    b->n += part.n;
    b->s[b->n] = '\0';

    return RBL_OK;
}


/* Returns the start of a value up to and including the last such character; or
   "". */

rbl_str_t
rbl_contact_upto_last(rbl_str_t value, char c)
{
    while (value.n > 0 && value.p[value.n - 1] != c) {
        value.n--;
    }

    return value;
}


static rbl_err_t
rbl_contact_email(rbl_contact_buf_t *b, rbl_str_t text)
{
    char       buf[RBL_VALUE_MAX];
    rbl_str_t  local, rest, part, domain;

    local = rbl_contact_upto_last(text, '@');

    if (local.n < 2 || local.n - 1 > RBL_EMAIL_LOCAL_MAX) {
        return RBL_EINVAL;
    }

    rest.p = text.p + local.n;
    rest.n = text.n - local.n;

    if (memchr(rest.p, '_', rest.n)
        || rbl_domain_parse(buf, &domain, rest) != RBL_OK
        || local.n + domain.n > RBL_EMAIL_MAX
        || local.p[local.n - 2] == '.')
    {
        return RBL_EINVAL;
    }

    for (rest = local, rest.n--; rest.n; /* void */ ) {
        part = rbl_until(&rest, '.');

        if (!rbl_contact_chars(part, 1, RBL_EMAIL_LOCAL_MAX,
                               "!#$%&'*+-/=?^_`{|}~"))
        {
            return RBL_EINVAL;
        }
    }

    (void) rbl_contact_put(b, local);

    return rbl_contact_put(b, domain);
}


static rbl_err_t
rbl_contact_sms(rbl_contact_buf_t *b, rbl_str_t text)
{
    rbl_str_t  digits;

    if (text.n < 8 || text.n > 16 || text.p[0] != '+' || text.p[1] == '0') {
        return RBL_EINVAL;
    }

    digits.p = text.p + 1;
    digits.n = text.n - 1;

    if (!rbl_label_numeric(digits)) {
        return RBL_EINVAL;
    }

    return rbl_contact_put(b, text);
}


rbl_err_t
rbl_contact_unescape(char buf[RBL_CONTACT_MAX], rbl_str_t *out, rbl_str_t text)
{
    int     high, low;
    size_t  i, n;

    if (text.n >= RBL_CONTACT_MAX) {
        return RBL_EINVAL;
    }

    for (i = n = 0; i < text.n; i++, n++) {
        buf[n] = text.p[i];

        if (buf[n] != '%') {
            if (!rbl_contact_chars((rbl_str_t) { buf + n, 1 }, 1, 1,
                                   "-._~!$&'()*+,;=:"))
            {
                return RBL_EINVAL;
            }

            continue;
        }

        if (text.n - i < 3) {
            return RBL_EINVAL;
        }

        high = rbl_hex_value(text.p[i + 1]);
        low = rbl_hex_value(text.p[i + 2]);

        if (high < 0 || low < 0) {
            return RBL_EINVAL;
        }

        buf[n] = (char) (high << 4 | low);
        i += 2;
    }

    buf[n] = '\0';
    *out = (rbl_str_t) { buf, n };

    return rbl_text_ok(*out) ? RBL_OK : RBL_EINVAL;
}


/* A name, which is not empty and has no colon, a colon and a password. */

static int
rbl_contact_login_ok(rbl_str_t login)
{
    char       buf[RBL_CONTACT_MAX];
    rbl_str_t  name, password, out;

    password = login;
    name = rbl_until(&password, ':');

    return rbl_contact_unescape(buf, &out, name) == RBL_OK && out.n > 0
           && memchr(buf, ':', out.n) == NULL
           && rbl_contact_unescape(buf, &out, password) == RBL_OK;
}


/*
 * A name and a password in the URL stand behind it in the value, which may be
 * shown up to there.
 */

static rbl_err_t
rbl_contact_endpoint(rbl_contact_buf_t *b, rbl_str_t text)
{
    size_t       n;
    rbl_str_t    scheme, login, rest;
    rbl_url_t    url;
    const char  *at, *slash;

    at = NULL;
    scheme = rest = RBL_STR("");
    slash = text.n ? memchr(text.p, '/', text.n) : NULL;

    if (slash && text.p + text.n - slash > 2) {
        scheme = (rbl_str_t) { text.p, (size_t) (slash + 2 - text.p) };
        rest = (rbl_str_t) { slash + 2, text.n - scheme.n };

        for (n = 0; n < rest.n && !strchr("/?#", rest.p[n]); n++) {
            /* void */
        }

        at = memrchr(rest.p, '@', n);
    }

    if (at == NULL) {
        return rbl_url_parse(&url, text) == RBL_OK ? rbl_contact_put(b, text)
                                                   : RBL_EINVAL;
    }

    login = (rbl_str_t) { rest.p, (size_t) (at - rest.p) };
    rest.p += login.n + 1;
    rest.n -= login.n + 1;

    if (!rbl_contact_login_ok(login)
        || rbl_contact_put(b, scheme) != RBL_OK
        || rbl_contact_put(b, rest) != RBL_OK
        || rbl_url_parse(&url, (rbl_str_t) { b->s, b->n }) != RBL_OK
        || rbl_contact_put(b, RBL_STR(" ")) != RBL_OK)
    {
        return RBL_EINVAL;
    }

    return rbl_contact_put(b, login);
}


rbl_str_t
rbl_contact_url(rbl_str_t value, rbl_str_t *login)
{
    *login = value;

    return rbl_until(login, ' ');
}


static rbl_err_t
rbl_contact_pushover(rbl_contact_buf_t *b, rbl_str_t text)
{
    return rbl_contact_chars(text, 30, 30, "") ? rbl_contact_put(b, text)
                                               : RBL_EINVAL;
}


static rbl_err_t
rbl_contact_pagerduty(rbl_contact_buf_t *b, rbl_str_t text)
{
    return rbl_contact_chars(text, 32, 32, "") ? rbl_contact_put(b, text)
                                               : RBL_EINVAL;
}


static rbl_err_t
rbl_contact_datadog(rbl_contact_buf_t *b, rbl_str_t text)
{
    char                z[RBL_CONTACT_SITE_MAX];
    size_t              i;
    rbl_str_t           site;
    static const char  *sites[] = {
        "datadoghq.com", "us3.datadoghq.com", "us5.datadoghq.com",
        "datadoghq.eu", "ap1.datadoghq.com", "ap2.datadoghq.com",
        "ddog-gov.com", NULL
    };

    if (text.n && memchr(text.p, ',', text.n)) {
        site = rbl_trim(rbl_until(&text, ','));
        text = rbl_trim(text);

        if (site.n > sizeof(z)) {
            return RBL_EINVAL;
        }

        rbl_name_lower(z, site);
        site.p = z;

        for (i = 0; sites[i] && !rbl_str_is(site, sites[i]); i++) {
            /* void */
        }

        if (sites[i] == NULL) {
            return RBL_EINVAL;
        }

        (void) rbl_contact_put(b, site);
        (void) rbl_contact_put(b, RBL_STR(","));
    }

    return rbl_contact_chars(text, 32, 32, "") ? rbl_contact_put(b, text)
                                               : RBL_EINVAL;
}


/* A chat, or one of its topics: "<chat>:<number>". */

static rbl_err_t
rbl_contact_telegram(rbl_contact_buf_t *b, rbl_str_t value)
{
    int64_t    id;
    rbl_str_t  text, rest;

    rest = value;
    text = rbl_until(&rest, ':');

    if (text.n == 0
        || (text.n < value.n
            && (rest.n == 0 || rest.p[0] == '0'
                || rbl_int_parse(&id, rest, 1, INT32_MAX) != RBL_OK)))
    {
        return RBL_EINVAL;
    }

    rest.p = text.p + 1;
    rest.n = text.n - 1;

    if (text.p[0] == '@') {
        return rbl_contact_chars(rest, 4, 32, "_") && rest.p[0] > '9'
               && rest.p[0] != '_'
               ? rbl_contact_put(b, value) : RBL_EINVAL;
    }

    if (text.p[0] != '-') {
        rest = text;
    }

    return rest.n && rest.p[0] != '0'
           && rbl_int_parse(&id, rest, 1, RBL_CHAT_ID_MAX) == RBL_OK
           ? rbl_contact_put(b, value) : RBL_EINVAL;
}


/* Shows all of a value, nothing, or its start. */

static rbl_str_t
rbl_contact_show_all(rbl_str_t value, int path)
{
    (void) path;

    return value;
}


static rbl_str_t
rbl_contact_show_none(rbl_str_t value, int path)
{
    (void) path;
    value.n = 0;

    return value;
}


/* A URL of the customer, without a name and a password. */

static rbl_str_t
rbl_contact_show_url(rbl_str_t value, int path)
{
    rbl_str_t  login;

    return rbl_url_shown(rbl_contact_url(value, &login), path);
}


/* A query may contain a key, and so may the last part of a webhook's path. */

static rbl_str_t
rbl_contact_show_webhook(rbl_str_t value, int path)
{
    rbl_url_t    url;
    const char  *query;

    if (rbl_url_parse(&url, value) != RBL_OK) {
        return rbl_contact_show_none(value, path);
    }

    query = memchr(value.p, '?', value.n);

    if (query) {
        value.n = (size_t) (query - value.p);
    }

    return rbl_contact_upto_last(value, '/');
}


static rbl_str_t
rbl_contact_show_comma(rbl_str_t value, int path)
{
    (void) path;

    return rbl_contact_upto_last(value, ',');
}


static const rbl_contact_kind_t  rbl_contact_kinds[RBL_CONTACT_TYPES] = {

    [RBL_CONTACT_EMAIL] = {
      "email", rbl_contact_email, rbl_contact_show_all,
      "An e-mail address is expected." },

    [RBL_CONTACT_SMS] = {
      "sms", rbl_contact_sms, rbl_contact_show_all,
      "A phone number of 7 to 15 digits is expected, with the country's code "
      "and a plus sign first." },

    [RBL_CONTACT_ENDPOINT] = {
      "endpoint", rbl_contact_endpoint, rbl_contact_show_url,
      "An http or https URL is expected." },

    [RBL_CONTACT_PUSHOVER] = {
      "pushover", rbl_contact_pushover, rbl_contact_show_none,
      "A user or group key of 30 letters and digits is expected." },

    [RBL_CONTACT_PAGERDUTY] = {
      "pagerduty", rbl_contact_pagerduty, rbl_contact_show_none,
      "A routing key of 32 letters and digits is expected." },

    [RBL_CONTACT_SLACK] = {
      "slack", rbl_contact_slack, rbl_contact_show_webhook,
      "The URL of an incoming webhook is expected." },

    [RBL_CONTACT_DATADOG] = {
      "datadog", rbl_contact_datadog, rbl_contact_show_comma,
      "An API key of 32 letters and digits is expected, or a site, a comma and "
      "the key." },

    [RBL_CONTACT_DISCORD] = {
      "discord", rbl_contact_discord, rbl_contact_show_webhook,
      "The URL of a webhook is expected." },

    [RBL_CONTACT_TELEGRAM] = {
      "telegram", rbl_contact_telegram, rbl_contact_show_all,
      "The number of a chat is expected, or an @ and a channel's name. A colon "
      "and the number of a topic may follow." },

    [RBL_CONTACT_SNS] = {
      "aws-sns", rbl_contact_sns, rbl_contact_show_comma,
      "The ARN of a topic, an access key id and its secret are expected, with "
      "commas between them." },

    [RBL_CONTACT_CLOUDWATCH] = {
      "aws-cloudwatch", rbl_contact_cloudwatch, rbl_contact_show_comma,
      "The ARN of a log group, an access key id and its secret are expected, "
      "with commas between them." }
};


rbl_err_t
rbl_contact_type(rbl_contact_type_t *type, rbl_str_t name)
{
    size_t  i;

    for (i = 0; i < RBL_CONTACT_TYPES; i++) {
        if (rbl_str_is(name, rbl_contact_kinds[i].name)) {
            *type = (rbl_contact_type_t) i;
            return RBL_OK;
        }
    }

    return RBL_EINVAL;
}


const char *
rbl_contact_type_name(rbl_contact_type_t type)
{
    return rbl_contact_kinds[type].name;
}


int
rbl_contact_schedule_ok(rbl_str_t schedule)
{
    return rbl_str_is(schedule, "every_check")
           || rbl_str_is(schedule, "start_and_end")
           || rbl_str_is(schedule, "while_listed");
}


rbl_err_t
rbl_contact_parse(char buf[RBL_CONTACT_MAX], rbl_str_t *out,
    rbl_contact_type_t type, rbl_str_t text, const rbl_str_t *hosts, size_t n)
{
    rbl_contact_buf_t  b = { buf, 0, hosts, n };

    if (rbl_contact_kinds[type].parse(&b, text) != RBL_OK) {
        return RBL_EINVAL;
    }

    out->p = b.s;
    out->n = b.n;

    return RBL_OK;
}


rbl_str_t
rbl_contact_fold(char buf[RBL_CONTACT_MAX], rbl_str_t mail)
{
    char    c;
    size_t  i, n;

    n = mail.n < RBL_CONTACT_MAX ? mail.n : RBL_CONTACT_MAX - 1;

    for (i = 0; i < n; i++) {
        c = mail.p[i];
        buf[i] = c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    }

    buf[n] = '\0';

    return (rbl_str_t) { buf, n };
}


const char *
rbl_contact_expected(rbl_contact_type_t type)
{
    return rbl_contact_kinds[type].expected;
}


rbl_str_t
rbl_contact_shown(rbl_str_t name, rbl_str_t value, int path)
{
    rbl_contact_type_t  type;

    if (rbl_contact_type(&type, name) != RBL_OK) {
        return rbl_contact_show_none(value, path);
    }

    return rbl_contact_kinds[type].shown(value, path);
}
