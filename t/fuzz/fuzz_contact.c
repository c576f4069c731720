/*
 * Values of contacts (shared/text/rbl_contact.c).  The first byte is the type,
 * the rest the value.
 *
 * An accepted value is printable ASCII without spaces, and canonical: parsing
 * it again does not change it.  The shown part is its start, has no secret, and
 * is the whole value if that has none.  Behind the URL of an endpoint there may
 * be a space and a login, which can be decoded.
 */

#include "fuzz.h"
#include "rbl_contact.h"


static void
check_shown(rbl_contact_type_t type, rbl_str_t value, rbl_str_t shown)
{
    size_t     least;
    rbl_str_t  secret;

    fuzz_check(shown.n <= value.n
               && (shown.n == 0 || shown.p == value.p));

    secret.p = value.p + shown.n;
    secret.n = value.n - shown.n;

    switch (type) {

    case RBL_CONTACT_EMAIL:
    case RBL_CONTACT_SMS:
    case RBL_CONTACT_TELEGRAM:
        fuzz_check(secret.n == 0);
        return;

    case RBL_CONTACT_ENDPOINT:
        fuzz_check(shown.n > sizeof("http://") - 1);
        fuzz_check(secret.n == 0 || secret.p[-1] == '?'
                   || secret.p[0] == ' ');
        return;

    case RBL_CONTACT_SLACK:
    case RBL_CONTACT_DISCORD:
        fuzz_check(secret.n > 0 && memchr(secret.p, '/', secret.n) == NULL);
        return;

    case RBL_CONTACT_SNS:
    case RBL_CONTACT_CLOUDWATCH:
        least = 40;
        break;

    case RBL_CONTACT_PUSHOVER:
        least = 30;
        break;

    case RBL_CONTACT_PAGERDUTY:
    case RBL_CONTACT_DATADOG:
        least = 32;
        break;

    default:
        return;
    }

    fuzz_check(secret.n == least && memchr(secret.p, ',', least) == NULL);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char                buf[RBL_CONTACT_MAX], again[RBL_CONTACT_MAX];
    size_t              i;
    rbl_str_t           text, value, same, host, url, login, name, named;
    rbl_contact_type_t  type;

    if (size == 0) {
        return 0;
    }

    type = data[0] % RBL_CONTACT_TYPES;
    text.p = (const char *) data + 1;
    text.n = size - 1;
    host = RBL_STR("chat.example");

    /* for any type in a record */

    named = rbl_str(rbl_contact_type_name(type));
    value = rbl_contact_shown(named, text, data[0] & 1);
    fuzz_check(value.n <= text.n);

    if (rbl_contact_parse(buf, &value, type, text, &host, 1) != RBL_OK) {
        return 0;
    }

    fuzz_check(value.p == buf && value.n > 0 && strlen(buf) == value.n);

    url = rbl_contact_url(value, &login);
    fuzz_check(login.n == 0 || type == RBL_CONTACT_ENDPOINT);

    for (i = 0; i < value.n; i++) {
        fuzz_check((buf[i] > ' ' || i == url.n) && buf[i] <= '~');
    }

    fuzz_check(rbl_contact_parse(again, &same, type, url, &host, 1) == RBL_OK);
    fuzz_check(rbl_str_eq(url, same));
    fuzz_check(rbl_contact_unescape(again, &name, login) == RBL_OK);

    check_shown(type, value, rbl_contact_shown(named, value, 1));

    return 0;
}
