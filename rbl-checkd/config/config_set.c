/*
 * Sets keys by the table, and compares configurations.
 */

#include "config_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>


const config_key_t *
config_find(const char *name)
{
    size_t  i;

    for (i = 0; i < config_n_keys; i++) {
        if (strcmp(config_keys[i].name, name) == 0) {
            return &config_keys[i];
        }
    }

    return NULL;
}


int
config_wrong(config_setting_t *s, const char *fmt, ...)
{
    size_t   n;
    va_list  ap;

    n = s->key == NULL ? 0 : (size_t) snprintf(s->why, sizeof(s->why), "%s: ",
                                               s->key->name);
    va_start(ap, fmt);
    vsnprintf(s->why + n, sizeof(s->why) - n, fmt, ap);
    va_end(ap);

    return -1;
}


int
config_apply(config_setting_t *s, const char *name, const char *value)
{
    char                 allowed[CONFIG_ERR_MAX];
    const config_key_t  *key;

    key = s->key = config_find(name);

    if (key == NULL && strcmp(name, "workers") == 0) {
        return config_wrong(s, "workers: this key was removed; run"
                            " rbl-checkd@NAME.service once for each further"
                            " process");
    }

    if (key == NULL) {
        return config_wrong(s, "%.64s: there is no such key (rbl-checkd -D"
                            " prints them all)", name);
    }

    s->value = value;
    s->at = (char *) s->conf + key->offset;
    s->why[0] = '\0';

    if (key->set(s) == 0) {
        return 0;
    }

    if (s->why[0] == '\0') {
        config_allowed(allowed, sizeof(allowed), key);
        (void) config_wrong(s, "%s", allowed);
    }

    return -1;
}


int
config_set(config_t *conf, const char *key, const char *value, char *err,
    size_t size)
{
    config_setting_t  s = { .conf = conf };

    if (config_apply(&s, key, value) != 0) {
        snprintf(err, size, "%s", s.why);
        return -1;
    }

    return 0;
}


void
config_defaults(config_t *conf)
{
    char              host[40];
    size_t            i;
    config_setting_t  s = { .conf = conf };

    memset(conf, 0, sizeof(config_t));

    for (i = 0; i < config_n_keys; i++) {
        if (config_keys[i].def[0] != '\0') {
            (void) config_apply(&s, config_keys[i].name, config_keys[i].def);
        }
    }

    config_system_resolvers(conf);

    if (gethostname(host, sizeof(host)) != 0) {
        host[0] = '\0';
    }

    host[sizeof(host) - 1] = '\0';
    snprintf(conf->name, sizeof(conf->name), "%s-%ld", host, (long) getpid());
}


const char *
config_changed(const config_t *a, const config_t *b, size_t *i)
{
    const config_key_t  *k;

    while (*i < config_n_keys) {
        k = &config_keys[(*i)++];

        if (memcmp((const char *) a + k->offset, (const char *) b + k->offset,
                   k->size)
            != 0)
        {
            return k->name;
        }
    }

    return NULL;
}
