/*
 * Declarations of the configuration's files: the row of the table of keys, and
 * the parsers of values.
 */

#ifndef CONFIG_INT_H_INCLUDED
#define CONFIG_INT_H_INCLUDED

#include "config.h"

#define CONFIG_ERR_MAX   512
#define CONFIG_KEYS_MAX  96

/* The default resolver for "lookup resolver". */
#define CONFIG_RESOLVER  "127.0.0.1@5335"

typedef struct config_key_s  config_key_t;

/*
 * 0, or -1: invalid.  The parser may put a message into err; otherwise the
 * caller reports the valid values.
 */
typedef int (*config_set_pt)(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);

struct config_key_s {
    const char     *name;
    config_set_pt   set;
    size_t          offset;             /* in config_t */
    size_t          size;               /* in bytes, with the NUL of a text */
    double          min, max;
    const char     *def;                /* "": none */
    const char     *example;            /* printed for a key without a
                                           default */
    const char     *allowed;            /* valid values; NULL: made from min and
                                           max */
    const char     *text;               /* comment lines, joined by "\n" */
    unsigned        repeat:1;           /* may appear in several lines */
};

extern const config_key_t  config_keys[];
extern const size_t        config_n_keys;

const config_key_t *config_find(const char *name);

/* Writes "a whole number from 1 to 5" or a similar text. */
void config_allowed(char *buf, size_t size, const config_key_t *key);

/* Parsers: one for each type of value. */
int config_set_text(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_path(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_dir(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_log(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_level(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_flag(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_count(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_rate(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_duration(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_size(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_store(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_store_nodes(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_prefix(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_password(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_secret(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_smtp_url(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_mailbox(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_tls(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_base(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_telegram(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_pushover(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_account(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_sender(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_resolver(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_gateway(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_lookup(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_server_allow(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_zone(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_source(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_allow(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);
int config_set_deny(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size);

/* Sets the resolvers of /etc/resolv.conf, or 127.0.0.1 if it has none. */
void config_system_resolvers(config_t *conf);

/* Copies a text into the key's buffer.  0, or -1: empty or too long. */
int config_copy(config_t *conf, const config_key_t *key, const char *value);

/* Are the keys of SMTP consistent?  0, or -1 with the key at fault and the
   reason. */
int config_check_smtp(const config_t *conf, const char **key, char *err,
    size_t size);

/* The same for the keys of TLS to the store. */
int config_check_store_tls(const config_t *conf, const char **key, char *err,
    size_t size);

/* The same for the keys of the SMS account. */
int config_check_fallback(config_t *conf, const char **key, char *err,
    size_t size);
int config_check_sms(const config_t *conf, const char **key, char *err,
    size_t size);

/* The same for the keys of the gateway. */
int config_check_gateway(const config_t *conf, const char **key, char *err,
    size_t size);

/* "500ms", "2s", "5m", "6h", "7d" -> seconds.  0, or -1. */
int config_duration(double *seconds, const char *text);

#endif /* CONFIG_INT_H_INCLUDED */
