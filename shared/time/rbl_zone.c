/*
 * TZif files.  Every count of the header is checked against the size of the
 * file before it is used; values read afterwards are checked against the
 * counts.
 *
 *     header  times  types-of-times  types  abbreviations  leaps  std  ut
 *     (from version 2 on the same again with times of eight octets)
 *     LF rule LF
 */

#include "rbl_zone.h"
#include "rbl_zone_rule.h"


#define RBL_TZIF_HEADER  44
#define RBL_TZIF_TYPE    6
#define RBL_TZIF_RULE    128            /* bytes of a footer */


/* One of the two data blocks of a file. */

typedef struct {
    const unsigned char  *times, *indexes, *types, *abbrs, *end;
    size_t                time_size;    /* 4 or 8 */
    uint32_t              n_ut, n_std, n_leap, n_time, n_type, n_abbr;
} rbl_tzif_t;


const rbl_zone_t  rbl_zone_utc = RBL_ZONE_FIXED(0, "UTC");


int
rbl_timezone_ok(rbl_str_t name)
{
    char    c;
    size_t  i;

    if (name.n == 0 || name.n > RBL_ZONE_NAME_MAX || name.p[0] < 'A'
        || name.p[0] > 'Z')
    {
        return 0;
    }

    for (i = 0; i < name.n; i++) {
        c = name.p[i];

        if (c == '/') {
            if (i + 1 == name.n || name.p[i + 1] == '/') {
                return 0;
            }

        } else if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
                     || (c >= '0' && c <= '9') || c == '_' || c == '+'
                     || c == '-'))
        {
            return 0;
        }
    }

    return 1;
}


static uint32_t
rbl_tzif_u32(const unsigned char *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8
           | p[3];
}


static int64_t
rbl_tzif_time(const rbl_tzif_t *t, uint32_t i)
{
    const unsigned char  *p;

    p = t->times + t->time_size * i;

    if (t->time_size == 4) {
        return (int32_t) rbl_tzif_u32(p);
    }

    return (int64_t) ((uint64_t) rbl_tzif_u32(p) << 32 | rbl_tzif_u32(p + 4));
}


/* Reads the block at p.  RBL_EINVAL: invalid, or not completely before
   `end`. */

static rbl_err_t
rbl_tzif_block(rbl_tzif_t *t, const unsigned char *p, const unsigned char *end,
    size_t time_size)
{
    uint64_t  size;

    if (end - p < RBL_TZIF_HEADER || memcmp(p, "TZif", 4) != 0) {
        return RBL_EINVAL;
    }

    t->n_ut = rbl_tzif_u32(p + 20);
    t->n_std = rbl_tzif_u32(p + 24);
    t->n_leap = rbl_tzif_u32(p + 28);
    t->n_time = rbl_tzif_u32(p + 32);
    t->n_type = rbl_tzif_u32(p + 36);
    t->n_abbr = rbl_tzif_u32(p + 40);

    p += RBL_TZIF_HEADER;
    size = (uint64_t) t->n_time * (time_size + 1)
           + (uint64_t) t->n_type * RBL_TZIF_TYPE + t->n_abbr
           + (uint64_t) t->n_leap * (time_size + 4) + t->n_std + t->n_ut;

    if (size > (uint64_t) (end - p) || t->n_type == 0 || t->n_type > 256
        || t->n_abbr == 0 || (t->n_ut != 0 && t->n_ut != t->n_type)
        || (t->n_std != 0 && t->n_std != t->n_type))
    {
        return RBL_EINVAL;
    }

    t->time_size = time_size;
    t->times = p;
    t->indexes = t->times + (size_t) t->n_time * time_size;
    t->types = t->indexes + t->n_time;
    t->abbrs = t->types + (size_t) t->n_type * RBL_TZIF_TYPE;
    t->end = p + size;

    return RBL_OK;
}


/* Sets the index of a type in the zone; a new type is added. */

static rbl_err_t
rbl_zone_type_add(rbl_zone_t *zone, const rbl_zone_type_t *type, uint8_t *n)
{
    for (*n = 0; *n < zone->n_types; (*n)++) {
        if (memcmp(&zone->types[*n], type, sizeof(*type)) == 0) {
            return RBL_OK;
        }
    }

    if (*n == RBL_ZONE_TYPES) {
        return RBL_ETOOBIG;
    }

    zone->types[zone->n_types++] = *type;

    return RBL_OK;
}


static rbl_err_t
rbl_tzif_type(rbl_zone_t *zone, const rbl_tzif_t *t, uint32_t i, uint8_t *n)
{
    rbl_str_t             abbr;
    const char           *nul;
    rbl_zone_type_t       type;
    const unsigned char  *p;

    p = t->types + (size_t) i * RBL_TZIF_TYPE;

    if (p[5] >= t->n_abbr) {
        return RBL_EINVAL;
    }

    abbr.p = (const char *) t->abbrs + p[5];
    nul = memchr(abbr.p, '\0', t->n_abbr - p[5]);

    if (nul == NULL) {
        return RBL_EINVAL;
    }

    abbr.n = (size_t) (nul - abbr.p);

    if (rbl_zone_type_set(&type, (int32_t) rbl_tzif_u32(p), abbr) != RBL_OK) {
        return RBL_EINVAL;
    }

    return rbl_zone_type_add(zone, &type, n);
}


/* Begins a span of that type at a second; the seconds must ascend. */

static rbl_err_t
rbl_zone_span(rbl_zone_t *zone, uint32_t from, uint8_t type)
{
    unsigned  n;

    n = zone->n_spans;

    if (n > 0 && zone->type[n - 1] == type) {
        return RBL_OK;
    }

    if (n == RBL_ZONE_SPANS) {
        return RBL_ETOOBIG;
    }

    if (n > 0) {
        zone->until[n - 1] = from;
    }

    zone->type[n] = type;
    zone->until[n] = UINT32_MAX;
    zone->n_spans++;

    return RBL_OK;
}


/*
 * Adds the spans of the file's table.  The first span begins in 1970 and has
 * the type of the last change before that, or type 0.  *last: the last change.
 */

static rbl_err_t
rbl_tzif_spans(rbl_zone_t *zone, const rbl_tzif_t *t, int64_t *last)
{
    uint8_t    n;
    int64_t    at;
    uint32_t   i, type;
    rbl_err_t  err;

    type = 0;
    *last = INT64_MIN;

    for (i = 0; i < t->n_time; i++) {
        at = rbl_tzif_time(t, i);

        if ((i > 0 && at <= *last) || t->indexes[i] >= t->n_type) {
            return RBL_EINVAL;
        }

        if (at > 0 && at < UINT32_MAX) {
            err = rbl_tzif_type(zone, t, type, &n);

            if (err == RBL_OK) {
                err = rbl_zone_span(zone, *last > 0 ? (uint32_t) *last : 0, n);
            }

            if (err != RBL_OK) {
                return err;
            }
        }

        if (at < UINT32_MAX) {
            type = t->indexes[i];
            *last = at;
        }
    }

    err = rbl_tzif_type(zone, t, type, &n);

    return err != RBL_OK ? err
                         : rbl_zone_span(zone, *last > 0 ? (uint32_t) *last : 0,
                                         n);
}


/* Adds the spans after the last change, by the rule in the footer. */

static rbl_err_t
rbl_zone_fill(rbl_zone_t *zone, int64_t sec)
{
    uint8_t           type;
    rbl_err_t         err;
    rbl_zone_rule_t  *rule = &zone->rule;

    sec = sec > 0 ? sec : 0;

    do {
        type = rule->on && rbl_zone_rule_dst(rule, sec) ? rule->dst
                                                         : rule->std;
        err = rbl_zone_span(zone, (uint32_t) sec, type);

        if (err != RBL_OK || !rule->on) {
            return err;
        }

        sec = rbl_zone_rule_next(rule, sec);

    } while (sec < UINT32_MAX);

    return RBL_OK;
}


static rbl_err_t
rbl_tzif_footer(rbl_zone_t *zone, const rbl_tzif_t *t,
    const unsigned char *end, int64_t last)
{
    rbl_err_t             err;
    rbl_str_t             text;
    rbl_zone_type_t       std, dst;
    const unsigned char  *lf;

    if (t->end == end || *t->end != '\n') {
        return RBL_EINVAL;
    }

    text.p = (const char *) t->end + 1;
    lf = memchr(text.p, '\n', (size_t) (end - t->end - 1));

    if (lf == NULL || lf - t->end - 1 > RBL_TZIF_RULE) {
        return RBL_EINVAL;
    }

    text.n = (size_t) (lf - t->end - 1);

    if (text.n == 0) {
        return RBL_OK;                  /* the last type stays in force */
    }

    err = rbl_zone_rule_parse(&zone->rule, &std, &dst, text);

    if (err == RBL_OK) {
        err = rbl_zone_type_add(zone, &std, &zone->rule.std);
    }

    if (err == RBL_OK && zone->rule.on) {
        err = rbl_zone_type_add(zone, &dst, &zone->rule.dst);
    }

    return err == RBL_OK ? rbl_zone_fill(zone, last) : err;
}


static rbl_err_t
rbl_zone_read(rbl_zone_t *zone, rbl_str_t raw)
{
    int64_t               last = 0;
    rbl_err_t             err;
    rbl_tzif_t            t;
    const unsigned char  *p, *end;

    if (raw.n < RBL_TZIF_HEADER) {
        return RBL_EINVAL;
    }

    p = (const unsigned char *) raw.p;
    end = p + raw.n;

    err = rbl_tzif_block(&t, p, end, 4);

    if (err == RBL_OK && p[4] >= '2') {
        err = rbl_tzif_block(&t, t.end, end, 8);
    }

    if (err == RBL_OK && t.n_leap != 0) {
        err = RBL_EINVAL;
    }

    if (err == RBL_OK) {
        err = rbl_tzif_spans(zone, &t, &last);
    }

    return err == RBL_OK && p[4] >= '2' ? rbl_tzif_footer(zone, &t, end, last)
                                        : err;
}


rbl_err_t
rbl_zone_decode(rbl_zone_t *zone, rbl_str_t raw)
{
    unsigned   i, slot;
    rbl_err_t  err;

    memset(zone, 0, sizeof(*zone));

    err = raw.n <= RBL_ZONE_FILE_MAX ? rbl_zone_read(zone, raw) : RBL_ETOOBIG;

    if (err != RBL_OK) {
        *zone = rbl_zone_utc;
        return err;
    }

    for (i = 0, slot = 0; slot < 256; slot++) {
        while (zone->until[i] <= slot << 24) {
            i++;
        }

        zone->first[slot] = (uint16_t) i;
    }

    return RBL_OK;
}


const rbl_zone_type_t *
rbl_zone_late(const rbl_zone_t *zone, int64_t sec)
{
    if (!zone->rule.on) {
        return &zone->types[zone->type[zone->n_spans - 1]];
    }

    return &zone->types[rbl_zone_rule_dst(&zone->rule, sec) ? zone->rule.dst
                                                            : zone->rule.std];
}
