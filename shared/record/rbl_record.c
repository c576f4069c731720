/*
 * Reads and writes the fields of records by tables, which are generated
 * (generate.pl).  Readers copy nothing.
 */

#include "rbl_record.h"


typedef enum {
    RBL_FIELD_SKIP = 0,
    RBL_FIELD_STR,
    RBL_FIELD_INT,
    RBL_FIELD_ARRAY
} rbl_field_kind_t;

typedef struct {
    rbl_field_kind_t  kind;
    size_t            offset;
} rbl_field_t;


static rbl_str_t
rbl_field_array(rbl_mp_t *mp)
{
    size_t         n;
    rbl_mp_t       ahead;
    rbl_str_t      raw;
    unsigned char  tag;

    /* nearly all are empty, or hold one or more strings */

    ahead = *mp;

    for (n = rbl_mp_array(&ahead); n > 0 && !ahead.failed; n--) {
        (void) rbl_mp_str(&ahead);
    }

    if (!ahead.failed) {
        raw.p = (const char *) mp->pos;
        raw.n = (size_t) (ahead.pos - mp->pos);
        *mp = ahead;
        return raw;
    }

    raw = rbl_mp_raw(mp);
    tag = raw.n ? (unsigned char) raw.p[0] : 0;

    if ((tag & 0xf0) != 0x90 && tag != 0xdc && tag != 0xdd) {
        mp->failed = 1;
    }

    return raw;
}


static void
rbl_field_read(rbl_mp_t *mp, const rbl_field_t *field, void *v)
{
    char  *at;

    at = (char *) v + field->offset;

    switch (field->kind) {

    case RBL_FIELD_STR:
        *(rbl_str_t *) (void *) at = rbl_mp_str(mp);
        break;

    case RBL_FIELD_INT:
        *(int64_t *) (void *) at = rbl_mp_int(mp);
        break;

    case RBL_FIELD_ARRAY:
        *(rbl_str_t *) (void *) at = rbl_field_array(mp);
        break;

    default:
        rbl_mp_skip(mp);
    }
}


/* Sets the value of a field that an older record lacks. */

static void
rbl_field_missing(const rbl_field_t *field, void *v)
{
    char  *at;

    at = (char *) v + field->offset;

    if (field->kind == RBL_FIELD_INT) {
        *(int64_t *) (void *) at = 0;

    } else {
        *(rbl_str_t *) (void *) at = field->kind == RBL_FIELD_ARRAY
                                     ? RBL_STR("\x90") : RBL_STR("");
    }
}


/*
 * Reads one array of `total` fields; the first `skip` are already read.  Each
 * member of a structure is a field, so all are set on success.
 */

static rbl_err_t
rbl_fields_read(rbl_mp_t *mp, const rbl_field_t *field, size_t skip, size_t n,
    size_t total, void *v)
{
    size_t  i;

    for (i = skip; i < n && i < total && !mp->failed; i++) {
        rbl_field_read(mp, &field[i], v);
    }

    for ( /* void */ ; i < n; i++) {
        rbl_field_missing(&field[i], v);
    }

    for ( /* void */ ; i < total && !mp->failed; i++) {
        rbl_mp_skip(mp);
    }

    return mp->failed ? RBL_ETYPE : RBL_OK;
}


/*
 * Reads a whole record of at most `most` octets: its version and n fields; the
 * first `least` are required.
 */

static rbl_err_t
rbl_record_decode(rbl_str_t raw, const rbl_field_t *field, size_t least,
    size_t n, size_t most, void *v, size_t size)
{
    size_t    total;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, raw);

    total = raw.n <= most ? rbl_mp_array(&mp) : 0;

    if (total >= least && rbl_mp_int(&mp) == RBL_RECORD_VERSION
        && rbl_fields_read(&mp, field, 1, n, total, v) == RBL_OK
        && mp.pos == mp.end)
    {
        return RBL_OK;
    }

    memset(v, 0, size);

    return RBL_ETYPE;
}


/* The same of an entry of an array within a record; it has no version. */

static rbl_err_t
rbl_entry_decode(rbl_mp_t *mp, const rbl_field_t *field, size_t least,
    size_t n, void *v, size_t size)
{
    size_t  total;

    total = rbl_mp_array(mp);

    if (total >= least
        && rbl_fields_read(mp, field, 0, n, total, v) == RBL_OK)
    {
        return RBL_OK;
    }

    mp->failed = 1;

    memset(v, 0, size);

    return RBL_ETYPE;
}


static void
rbl_fields_write(rbl_out_t *out, const rbl_field_t *field, size_t n,
    const void *v)
{
    size_t            i;
    const char       *at;
    const rbl_str_t  *text;

    rbl_mp_put_array(out, n);

    for (i = 0; i < n; i++) {
        at = (const char *) v + field[i].offset;
        text = (const void *) at;

        switch (field[i].kind) {

        case RBL_FIELD_INT:
            rbl_mp_put_int(out, *(const int64_t *) (const void *) at);
            break;

        case RBL_FIELD_STR:
            rbl_mp_put_str(out, *text);
            break;

        default:                        /* no record with a version yet */
            rbl_out_str(out, text->n > 0 ? *text : RBL_STR("\x90"));
        }
    }
}


#define RBL_SCHEMA_TABLES
#include "rbl_schema.h"


void
rbl_limits_decode(int64_t limits[RBL_LIMITS], rbl_str_t packed)
{
    size_t    i, n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    for (i = 0; i < RBL_LIMITS; i++) {
        limits[i] = i < n ? rbl_mp_int(&mp) : 0;
    }
}
