/*
 * The keys of the gateway for payments.
 */

#include "config_int.h"

#include <stdio.h>

#define LETTERS  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"       \
                 "0123456789"


int
config_set_gateway(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    size_t  i;

    static const char *const  names[] = { "none", "manual", "stripe", "http" };

    (void) err;
    (void) size;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(value, names[i]) == 0) {
            conf->bill = i > 0;
            return config_copy(conf, key, value);
        }
    }

    return -1;
}


/* sk_test_4eC39H..., rk_live_...: the first two words say what it may do. */

static int
stripe_key_ok(const char *key)
{
    static const char *const  begins[] = {
        "sk_test_", "sk_live_", "rk_test_", "rk_live_"
    };
    size_t                    i, n;

    for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        n = strlen(begins[i]);

        if (strncmp(key, begins[i], n) == 0) {
            return key[n] != '\0' && key[n + strspn(key + n, LETTERS)] == '\0';
        }
    }

    return 0;
}


int
config_check_gateway(const config_t *conf, const char **key, char *err,
    size_t size)
{
    int  stripe, http;

    *key = "gateway";
    stripe = strcmp(conf->gateway, "stripe") == 0;
    http = strcmp(conf->gateway, "http") == 0;

    if ((stripe || http) && conf->gateway_key[0] == '\0') {
        snprintf(err, size, "gateway: %s needs gateway_key_file",
                 conf->gateway);
        return -1;
    }

    if (http && conf->gateway_url[0] == '\0') {
        snprintf(err, size, "gateway: http needs gateway_url");
        return -1;
    }

    if (stripe && !stripe_key_ok(conf->gateway_key)) {
        *key = "gateway_key_file";
        snprintf(err, size, "gateway_key_file: the file does not hold a secret"
                 " key of Stripe; it begins with sk_live_, rk_live_, sk_test_"
                 " or rk_test_");
        return -1;
    }

    return 0;
}
