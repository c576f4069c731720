/*
 * Arguments of rblctl: each is validated like input of the API before it is
 * used.
 */

#include "ctl.h"

#include "base/timezones.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>


const char *
ctl_option(const ctl_t *ctl, const char *name)
{
    int  i;

    /* the last one wins */

    for (i = ctl->n_options - 1; i >= 0; i--) {
        if (strcmp(ctl->options[i].name, name) == 0) {
            return ctl->options[i].value;
        }
    }

    return NULL;
}


ctl_option_kind_t
ctl_option_kind(const char *usage, const char *name, size_t n)
{
    size_t       len;
    const char  *p;

    for (p = strstr(usage, "--"); p != NULL; p = strstr(p + len, "--")) {
        p += 2;
        len = strcspn(p, " |[]");

        if (len == n && memcmp(p, name, n) == 0) {
            return p[n] != ' ' || !isalpha((unsigned char) p[n + 1]) ? CTL_FLAG
                   : strncmp(p + n + 1, "TIME", 4) == 0 ? CTL_DURATION
                   : CTL_VALUE;
        }
    }

    return CTL_NO_OPTION;
}


int
ctl_sid(rbl_sid_t *sid, rbl_sid_kind_t kind, rbl_str_t text)
{
    const char  *what;

    if (rbl_sid_parse(sid, kind, text) == RBL_OK) {
        return 0;
    }

    what = kind == RBL_SID_ACCOUNT ? "an account: AC"
           : kind == RBL_SID_APP ? "an application: AP"
           : kind == RBL_SID_HOOK ? "a webhook: WH"
           : kind == RBL_SID_EVENT ? "an event: EV" : "a list: RB";

    ctl_fail("\"%.80s\" is not the SID of %s and 32 hex digits", text.p, what);
    return -1;
}


int
ctl_customer(rbl_sid_t *account, rbl_str_t text)
{
    if (ctl_sid(account, RBL_SID_ACCOUNT, text) != 0) {
        return -1;
    }

    if (strcmp(account->s, RBL_SID_OPERATORS) == 0) {
        ctl_fail("the account of the operators has users only");
        return -1;
    }

    return 0;
}


int
ctl_name(rbl_str_t *name, const char *what, rbl_str_t text)
{
    *name = rbl_trim(text);

    if (!rbl_text_ok(*name) || name->n == 0
        || rbl_utf8_count(*name) > RBL_LABEL_MAX)
    {
        ctl_fail("the name of %s must be 1 to %d characters of UTF-8 without"
                 " control characters", what, RBL_LABEL_MAX);
        return -1;
    }

    return 0;
}


int
ctl_number(const ctl_t *ctl, const char *option, int64_t *v, int64_t min,
    int64_t max)
{
    const char  *text;

    text = ctl_option(ctl, option);

    if (text != NULL && rbl_int_parse(v, rbl_str(text), min, max) != RBL_OK) {
        ctl_fail("--%s must be a whole number from %lld to %lld, not \"%.40s\"",
                 option, (long long) min, (long long) max, text);
        return -1;
    }

    return 0;
}


rbl_str_t
ctl_decimal(char buf[CTL_DECIMAL], int64_t v)
{
    snprintf(buf, CTL_DECIMAL, "%lld", (long long) v);

    return rbl_str(buf);
}


int
ctl_interval(int64_t *seconds, const char *what, rbl_str_t text)
{
    if (entry_seconds(seconds, text) == 0) {
        return 0;
    }

    ctl_fail("%s must be a time from 1s to 30d, as 900, 15m or 1h, not"
             " \"%.40s\"", what, text.p);
    return -1;
}


int
ctl_timezone(const ctl_t *ctl, rbl_str_t name)
{
    int             err;
    rbl_timezone_t  zone;

    err = timezones_load(&zone, ctl->conf.zoneinfo, name);

    if (err == ENOENT) {
        ctl_fail("unknown time zone \"%.80s\": it must be a name such as"
                 " Europe/Berlin, from %s", name.p, ctl->conf.zoneinfo);

    } else if (err != 0) {
        ctl_fail("time zone \"%.80s\": %s", name.p, strerror(err));
    }

    return err == 0 ? 0 : -1;
}
