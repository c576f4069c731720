/*
 * Types of values: texts, words and numbers.
 */

#include "config_int.h"

#include <regex.h>
#include <stdio.h>

#define NUMBER_MAX  1000000000000       /* exact in a double */

#define KIB  1024.0

const config_number_t  config_counts = {
    "a whole number", 1, { { "", 1 } }
};

const config_number_t  config_durations = {
    "a duration such as 500ms, 2s, 5m, 6h or 7d,", 5,
    { { "ms", 0.001 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 } }
};

const config_number_t  config_sizes = {
    "a size such as 512k, 64m or 1g,", 4,
    { { "", 1 }, { "k", KIB }, { "m", KIB * KIB }, { "g", KIB * KIB * KIB } }
};


int
config_matches(const char *text, const char *pattern)
{
    int      rc;
    regex_t  regex;

    if (regcomp(&regex, pattern, REG_EXTENDED|REG_NOSUB) != 0) {
        return 0;
    }

    rc = regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);

    return rc == 0;
}


int
config_copy(config_setting_t *s, const char *text)
{
    size_t               n;
    const config_key_t  *key = s->key;

    n = strlen(text);

    if (n == 0 || n >= key->size || (key->test != NULL && !key->test(text))
        || (key->pattern != NULL && !config_matches(text, key->pattern)))
    {
        return -1;
    }

    memcpy(s->at, text, n + 1);
    return 0;
}


int
config_set_text(config_setting_t *s)
{
    return config_copy(s, s->value);
}


int
config_set_word(config_setting_t *s)
{
    int  i;

    for (i = 0; s->key->words[i] != NULL; i++) {
        if (strcmp(s->value, s->key->words[i]) == 0) {
            *(int *) s->at = i;
            return 0;
        }
    }

    return -1;
}


/* Digits and a unit, in the range of the key. */

static int
number(const config_setting_t *s, double *v)
{
    size_t                  i, digits;
    int64_t                 n;
    const config_key_t     *key = s->key;
    const config_number_t  *type = key->number;

    digits = strspn(s->value, "0123456789");

    if (rbl_int_parse(&n, (rbl_str_t) { s->value, digits }, 0, NUMBER_MAX)
        != RBL_OK)
    {
        return -1;
    }

    for (i = 0; i < type->n; i++) {
        if (strcmp(s->value + digits, type->unit[i].name) == 0) {
            *v = (double) n * type->unit[i].value;
            return *v >= key->min && *v <= key->max ? 0 : -1;
        }
    }

    return -1;
}


int
config_set_number(config_setting_t *s)
{
    double  v;

    if (number(s, &v) != 0) {
        return -1;
    }

    switch (s->key->member) {

    case CONFIG_UNSIGNED:
        *(unsigned *) s->at = (unsigned) v;
        break;

    case CONFIG_SIZE:
        *(size_t *) s->at = (size_t) v;
        break;

    default:
        *(double *) s->at = v;
        break;
    }

    return 0;
}


/* Writes the largest unit that gives a whole number; of nothing, 0 or 0s. */

static void
number_text(char *buf, size_t size, const config_number_t *type, double value)
{
    size_t   i;
    int64_t  n, unit;

    n = (int64_t) (value / type->unit[0].value + 0.5);

    for (i = type->n - 1; /* void */ ; i--) {
        unit = (int64_t) (type->unit[i].value / type->unit[0].value + 0.5);

        if (i == 0
            || (n % unit == 0 && (n >= unit || type->unit[i].value <= 1)))
        {
            break;
        }
    }

    snprintf(buf, size, "%lld%s", (long long) (n / unit), type->unit[i].name);
}


void
config_allowed(char *buf, size_t size, const config_key_t *key)
{
    char  min[32], max[32];

    if (key->allowed != NULL) {
        snprintf(buf, size, "%s", key->allowed);
        return;
    }

    number_text(min, sizeof(min), key->number, key->min);
    number_text(max, sizeof(max), key->number, key->max);
    snprintf(buf, size, "%s from %s to %s", key->number->form, min, max);
}
