/*
 * Declarations of the configuration's files: the row of the table of keys, the
 * types of values and the tests of texts.
 */

#ifndef CONFIG_INT_H_INCLUDED
#define CONFIG_INT_H_INCLUDED

#include "config.h"

#define CONFIG_ERR_MAX   512
#define CONFIG_KEYS_MAX  96

/* The default resolver for "lookup resolver". */
#define CONFIG_RESOLVER  "127.0.0.1@5335"

typedef struct config_key_s  config_key_t;

/* A key that is set, or that a rule is about. */
typedef struct {
    config_t            *conf;
    const config_key_t  *key;           /* NULL: none */
    const config_key_t  *other;         /* the other key of a rule about two;
                                           NULL: none */
    const char          *value;
    void                *at;            /* the key's member of *conf */
    char                 why[CONFIG_ERR_MAX];   /* the message, without the name
                                                   of the file */
} config_setting_t;

/* A type of values.  0, or -1: invalid, by config_wrong or, without a message,
   because it is none of the valid values. */
typedef int config_set_t(config_setting_t *s);

/* A test of a text.  1: valid. */
typedef int config_test_t(const char *text);

typedef struct {
    const char  *form;                  /* "a whole number" */
    size_t       n;
    struct {
        const char  *name;
        double       value;
    } unit[5];                          /* in ascending order */
} config_number_t;

typedef enum {                          /* type of a number in config_t */
    CONFIG_DOUBLE = 0,
    CONFIG_UNSIGNED,
    CONFIG_SIZE
} config_member_t;

typedef enum {
    CONFIG_READABLE = 0,                /* its path */
    CONFIG_PRIVATE,                     /* its path, or that of a credential */
    CONFIG_PASSWORD,                    /* its first line */
    CONFIG_SECRET                       /* the same; only the owner may be able
                                           to use the file */
} config_path_t;

struct config_key_s {
    const char  *name;

    struct {                            /* a macro of config.c */
        config_set_t           *set;
        size_t                  offset; /* in config_t */
        size_t                  size;   /* in bytes, with the NUL of a text */
        const char             *allowed;    /* valid values; NULL: made of
                                               number, min and max */
        const config_number_t  *number;
        config_member_t         member;
        double                  min, max;
        const char *const      *words;
        config_test_t          *test;   /* NULL: any text is valid */
        const char             *pattern;    /* extended regular expression for
                                               a text, or for the content of a
                                               file; NULL: any is valid */
        config_path_t           path;
        size_t                  count;  /* offset of the number of entries */
        unsigned                repeat:1;   /* may appear in several lines */
    };

    const char  *def;                   /* "": none */
    const char  *example;               /* printed for a key without a
                                           default */
    const char  *text;                  /* of the comment */
};

extern const config_key_t  config_keys[];
extern const size_t        config_n_keys;

const config_key_t *config_find(const char *name);

/* Writes "a whole number from 1 to 5" or a similar text. */
void config_allowed(char *buf, size_t size, const config_key_t *key);

/* Makes the message, which begins with the name of s->key.  Returns -1. */
__attribute__((format(printf, 2, 3)))
int config_wrong(config_setting_t *s, const char *fmt, ...);

/* Sets a key of s->conf.  0, or -1: s->why has the message. */
int config_apply(config_setting_t *s, const char *name, const char *value);

int config_matches(const char *text, const char *pattern);

extern const config_number_t  config_counts, config_durations, config_sizes;

config_set_t  config_set_text, config_set_word, config_set_number,
              config_set_file, config_set_directory, config_set_address,
              config_set_subnet, config_set_range, config_set_zone,
              config_set_store, config_set_store_nodes, config_set_mailbox,
              config_set_resolver;

config_test_t  config_prefix_ok, config_smtp_ok, config_sender_ok;

/* Sets the resolvers of /etc/resolv.conf, or 127.0.0.1 if it has none. */
void config_system_resolvers(config_t *conf);

/*
 * The rules between keys; they also set what follows from several keys.  0, or
 * -1: s->key is at fault, or s->other if that is not given, and s->why has the
 * message.
 */
int config_check(config_setting_t *s);

/* The rules of TLS to the store, and of bill_fallback, alone. */
int config_check_tls(config_setting_t *s);
int config_check_fallback(config_setting_t *s);

#endif /* CONFIG_INT_H_INCLUDED */
