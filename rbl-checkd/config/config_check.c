/*
 * The rules between keys.
 */

#include "config_int.h"


/* Keys of texts, each with the one that it needs. */

static const char *const  needs[][2] = {
    { "store_user", "store_password_file" },
    { "store_tls_certificate", "store_tls_key" },
    { "store_tls_key", "store_tls_certificate" },
    { "smtp_url", "smtp_from" }
};


static int
given(const config_t *conf, const char *key)
{
    return *((const char *) conf + config_find(key)->offset) != '\0';
}


static int
check_needs(config_setting_t *s)
{
    size_t  i;

    for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (given(s->conf, needs[i][0]) && !given(s->conf, needs[i][1])) {
            s->key = config_find(needs[i][0]);
            return config_wrong(s, "%s must be given too", needs[i][1]);
        }
    }

    return 0;
}


/* Either all of these keys are given, or none. */

static int
all_or_none(config_setting_t *s, const char *const *keys, const char *names)
{
    unsigned  missing;

    s->key = NULL;

    for (missing = 0; *keys != NULL; keys++) {
        if (!given(s->conf, *keys)) {
            missing = 1;

        } else if (s->key == NULL) {
            s->key = config_find(*keys);
        }
    }

    return s->key != NULL && missing ? config_wrong(s, "%s go together", names)
                                     : 0;
}


int
config_check_tls(config_setting_t *s)
{
    s->key = config_find("store");

    if (s->conf->place.tls && s->conf->store_tls_ca[0] == '\0') {
        return config_wrong(s, "tls: needs store_tls_ca, the file of the"
                            " authorities that certify its servers");
    }

    return 0;
}


static int
check_smtp(config_setting_t *s)
{
    config_tls_t   tls;
    config_smtp_t  server;

    static const char *const  login[] = {
        "smtp_user", "smtp_password_file", NULL
    };

    if (config_smtp_server(&server, s->conf->smtp_url) != 0) {
        return 0;                       /* no mail server */
    }

    tls = config_smtp_tls(s->conf);

    if (server.implicit && tls != CONFIG_TLS_REQUIRED) {
        s->key = config_find("smtp_tls");
        return config_wrong(s, "smtps:// is always required");
    }

    if (all_or_none(s, login, "smtp_user and smtp_password_file") != 0) {
        return -1;
    }

    if (s->conf->smtp_user[0] != '\0' && tls != CONFIG_TLS_REQUIRED
        && !server.loopback)
    {
        return config_wrong(s, "a password is not sent to another machine"
                            " unless smtp_tls is required");
    }

    return 0;
}


static int
check_sms(config_setting_t *s)
{
    static const char *const  keys[] = {
        "sms_account", "sms_token_file", "sms_from", NULL
    };

    return all_or_none(s, keys, "sms_account, sms_token_file and sms_from");
}


static int
check_gateway(config_setting_t *s)
{
    int        stripe, http;
    config_t  *conf = s->conf;

    s->key = config_find("gateway");
    conf->bill = strcmp(conf->gateway, "none") != 0;
    stripe = strcmp(conf->gateway, "stripe") == 0;
    http = strcmp(conf->gateway, "http") == 0;

    if ((stripe || http) && conf->gateway_key[0] == '\0') {
        return config_wrong(s, "%s needs gateway_key_file", conf->gateway);
    }

    if (http && conf->gateway_url[0] == '\0') {
        return config_wrong(s, "http needs gateway_url");
    }

    if (stripe && !config_matches(conf->gateway_key,
                                  "^[rs]k_(live|test)_[A-Za-z0-9]+$"))
    {
        s->key = config_find("gateway_key_file");
        return config_wrong(s, "the file does not hold a secret key of Stripe;"
                            " it begins with sk_live_, rk_live_, sk_test_ or"
                            " rk_test_");
    }

    return 0;
}


/* A check record that expires before its check may end would be lost. */

static int
keeps_a_lease(config_setting_t *s, const char *key, double keep)
{
    s->key = config_find(key);

    if (keep < 2 * s->conf->lease) {
        return config_wrong(s, "%gs is less than twice lease (%gs)", keep,
                            s->conf->lease);
    }

    return 0;
}


static int
check_lease(config_setting_t *s)
{
    config_t  *conf = s->conf;

    s->key = config_find("lease");
    s->other = config_find("check_timeout");

    if (conf->lease <= 2 * conf->check_timeout) {
        return config_wrong(s, "%gs is not more than twice check_timeout"
                            " (%gs)", conf->lease, conf->check_timeout);
    }

    return keeps_a_lease(s, "keep_manual", conf->keep_manual) != 0
           || keeps_a_lease(s, "keep_scheduled", conf->keep_scheduled) != 0
           ? -1 : 0;
}


int
config_check(config_setting_t *s)
{
    size_t  i;

    static int (*const  rules[])(config_setting_t *s) = {
        check_needs, config_check_tls, check_smtp, check_sms, check_gateway,
        config_check_fallback, check_lease
    };

    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i](s) != 0) {
            return -1;
        }
    }

    if (!s->conf->dns.direct && s->conf->system != CONFIG_SYSTEM_NO) {
        return config_apply(s, "resolver", CONFIG_RESOLVER);
    }

    return 0;
}
