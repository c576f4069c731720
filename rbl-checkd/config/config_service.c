/*
 * The keys of the services for contacts: base addresses, whose defaults are in
 * the table, and the operator's accounts there.
 */

#include "config_int.h"
#include "rbl_contact.h"

#include <stdio.h>

#include "base/netaddr.h"

#define LETTERS  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS   "0123456789"

#define PUSHOVER_TOKEN  30


static const char *
value_of(const config_t *conf, const config_key_t *key)
{
    return (const char *) conf + key->offset;
}


int
config_base_ok(const char *text)
{
    char        buf[RBL_VALUE_MAX];
    rbl_str_t   name;
    rbl_url_t   url;
    rbl_addr_t  addr;

    if (rbl_url_parse(&url, rbl_str(text)) != RBL_OK
        || address_host(&addr, buf, &name, url.host) != RBL_OK
        || strpbrk(text, "?#") != NULL || text[strlen(text) - 1] == '/')
    {
        return 0;
    }

    return url.tls || (addr.family == RBL_FAMILY_IPV4 && addr.b[0] == 127)
           || (addr.family == RBL_FAMILY_IPV6
               && memcmp(addr.b, &in6addr_loopback, 16) == 0);
}


int
config_set_base(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    (void) err;
    (void) size;

    return config_base_ok(value) ? config_copy(conf, key, value) : -1;
}


/* Reports an invalid content of a file, without showing it. */

static int
wrong_token(config_t *conf, const config_key_t *key, char *err, size_t size)
{
    explicit_bzero((char *) conf + key->offset, key->size);
    snprintf(err, size, "the file does not hold such a token");

    return -1;
}


/* "<number>:<letters>", since it becomes a part of a path. */

int
config_set_telegram(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    size_t       n;
    const char  *token;

    if (config_set_secret(conf, key, value, err, size) != 0) {
        return -1;
    }

    token = value_of(conf, key);
    n = strspn(token, DIGITS);

    if (n == 0 || token[n] != ':' || token[n + 1] == '\0'
        || token[n + 1 + strspn(token + n + 1, LETTERS DIGITS "_-")] != '\0')
    {
        return wrong_token(conf, key, err, size);
    }

    return 0;
}


int
config_set_pushover(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    const char  *token;

    if (config_set_secret(conf, key, value, err, size) != 0) {
        return -1;
    }

    token = value_of(conf, key);

    if (strlen(token) != PUSHOVER_TOKEN
        || strspn(token, LETTERS DIGITS) != PUSHOVER_TOKEN)
    {
        return wrong_token(conf, key, err, size);
    }

    return 0;
}


/* An account, which becomes a part of a path. */

int
config_set_account(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    (void) err;
    (void) size;

    return value[strspn(value, LETTERS DIGITS "_-")] == '\0'
           ? config_copy(conf, key, value) : -1;
}


/* The sender: a number, the id of a service, or an alphanumeric name. */

int
config_set_sender(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    char       buf[RBL_CONTACT_MAX];
    rbl_str_t  number;

    (void) err;
    (void) size;

    if (value[0] == '+'
        ? rbl_contact_parse(buf, &number, RBL_CONTACT_SMS, rbl_str(value),
                            NULL, 0)
          != RBL_OK
        : value[strspn(value, LETTERS DIGITS " ")] != '\0')
    {
        return -1;
    }

    return config_copy(conf, key, value);
}


int
config_check_sms(const config_t *conf, const char **key, char *err,
    size_t size)
{
    int  account, token, from;

    account = conf->sms_account[0] != '\0';
    token = conf->sms_token[0] != '\0';
    from = conf->sms_from[0] != '\0';

    if (account == token && token == from) {
        return 0;
    }

    *key = account ? "sms_account" : token ? "sms_token_file" : "sms_from";
    snprintf(err, size, "%s: sms_account, sms_token_file and sms_from go "
             "together", *key);

    return -1;
}
