/*
 * The document writer: one sequence of calls, written as JSON or as XML
 * straight into a sink, without a tree in memory.
 *
 * The root is an object (XML: <response>).  `key` is a string literal that is
 * a valid XML name; NULL inside an array (XML: <item>).  JSON is compact,
 * UTF-8 and "/" unescaped, control characters escaped; in both formats invalid
 * UTF-8 and, in XML, characters that XML 1.0 forbids become U+FFFD.
 * XML begins with its declaration; an empty value is <key></key>.
 *
 * At most RBL_DOC_DEPTH levels, the root among them.  Deeper, an unbalanced
 * close, a key inside an array or none inside an object sets failed.
 */

#ifndef RBL_DOC_H_INCLUDED
#define RBL_DOC_H_INCLUDED

#include "rbl_out.h"

#define RBL_DOC_DEPTH  12

typedef enum {
    RBL_JSON = 0,
    RBL_XML
} rbl_format_t;

/* What may come next. */
typedef enum {
    RBL_DOC_MEMBER = 0,                 /* a value with a key */
    RBL_DOC_ITEM,                       /* a value without one */
    RBL_DOC_PART,                       /* of an open text */
    RBL_DOC_NOTHING
} rbl_doc_place_t;

typedef struct {
    rbl_out_t        *out;
    rbl_format_t      format;
    rbl_doc_place_t   place;
    int               first;            /* nothing stands here yet: no comma */
    unsigned          depth;
    struct {
        const char      *key;           /* NULL: an item */
        rbl_doc_place_t  place;         /* around it */
    } level[RBL_DOC_DEPTH];
    const char       *text;             /* key of the open text */
    rbl_doc_place_t   around;           /* the open text */
} rbl_doc_t;

void rbl_doc_begin(rbl_doc_t *d, rbl_out_t *out, rbl_format_t format);
static inline void rbl_doc_object(rbl_doc_t *d, const char *key);
static inline void rbl_doc_array(rbl_doc_t *d, const char *key);
void rbl_doc_close(rbl_doc_t *d);       /* of the innermost object or array */
void rbl_doc_end(rbl_doc_t *d);         /* closes the root */

static inline void rbl_doc_str(rbl_doc_t *d, const char *key, rbl_str_t v);
void rbl_doc_z(rbl_doc_t *d, const char *key, const char *v);
static inline void rbl_doc_int(rbl_doc_t *d, const char *key, int64_t v);
static inline void rbl_doc_int_str(rbl_doc_t *d, const char *key,
    int64_t v);                         /* "12" */
void rbl_doc_bool(rbl_doc_t *d, const char *key, int v);

/* A value that this writer has written before, in JSON; to XML it fails. */
void rbl_doc_json(rbl_doc_t *d, const char *key, rbl_str_t json);

/*
 * A string that is written in parts; nothing else may come between.  A part
 * does not end inside a character.
 */
void rbl_doc_text_open(rbl_doc_t *d, const char *key);
void rbl_doc_text_part(rbl_doc_t *d, rbl_str_t part);
void rbl_doc_text_close(rbl_doc_t *d);


/*
 * Most of an answer are short values of an object in JSON, behind another
 * member, so these are written in place, their keys copied by the compiler.
 * What is not of that kind, or does not fit, goes to these.
 */

void rbl_doc_any_str(rbl_doc_t *d, const char *key, rbl_str_t v);
void rbl_doc_any_int(rbl_doc_t *d, const char *key, rbl_str_t digits);
void rbl_doc_level(rbl_doc_t *d, const char *key, size_t n,
    rbl_doc_place_t place);             /* n: octets of the key */

/*
 * Copies bytes that stand for themselves in JSON to p, looking at each on the
 * way.  NULL: one does not, and what was copied is to be forgotten.
 */
char *rbl_json_copy(char *p, rbl_str_t s);

#define RBL_DOC_AROUND  6               /* a comma, four quotes, a colon */

/* Can it be written in place?  n octets, key and value together. */

static inline int
rbl_doc_quick(const rbl_doc_t *d, const char *key, size_t n)
{
    /* one test: RBL_JSON, RBL_DOC_MEMBER and "not the first" are all 0 */

    return key != NULL
           && ((unsigned) d->format | (unsigned) d->place
               | (unsigned) d->first) == 0
           && rbl_out_fits(d->out, n + RBL_DOC_AROUND);
}


/* A comma, the key and its colon; returns where the value begins. */

static inline char *
rbl_doc_quick_key(char *p, const char *key, size_t n)
{
    *p++ = ',';
    *p++ = '"';
    memcpy(p, key, n);
    p += n;
    *p++ = '"';
    *p++ = ':';

    return p;
}


static inline void
rbl_doc_str(rbl_doc_t *d, const char *key, rbl_str_t v)
{
    char    *p;
    size_t   n;

    n = key ? strlen(key) : 0;

    if (!rbl_doc_quick(d, key, n + v.n)) {
        rbl_doc_any_str(d, key, v);
        return;
    }

    p = rbl_doc_quick_key(d->out->pos, key, n);
    *p++ = '"';
    p = rbl_json_copy(p, v);

    if (p == NULL) {
        rbl_doc_any_str(d, key, v);
        return;
    }

    *p++ = '"';
    d->out->pos = p;
}


static inline void
rbl_doc_int(rbl_doc_t *d, const char *key, int64_t v)
{
    char        buf[RBL_OUT_INT];
    size_t      n;
    rbl_str_t   digits;

    n = key ? strlen(key) : 0;
    digits = rbl_out_int_text(buf, v);

    if (!rbl_doc_quick(d, key, n + digits.n)) {
        rbl_doc_any_int(d, key, digits);
        return;
    }

    d->out->pos = rbl_json_copy(rbl_doc_quick_key(d->out->pos, key, n),
                                digits);
}


static inline void
rbl_doc_int_str(rbl_doc_t *d, const char *key, int64_t v)
{
    char  buf[RBL_OUT_INT];

    rbl_doc_str(d, key, rbl_out_int_text(buf, v));
}


static inline void
rbl_doc_object(rbl_doc_t *d, const char *key)
{
    rbl_doc_level(d, key, key ? strlen(key) : 0, RBL_DOC_MEMBER);
}


static inline void
rbl_doc_array(rbl_doc_t *d, const char *key)
{
    rbl_doc_level(d, key, key ? strlen(key) : 0, RBL_DOC_ITEM);
}

#endif /* RBL_DOC_H_INCLUDED */
