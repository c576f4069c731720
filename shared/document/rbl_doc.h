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
 * At most RBL_DOC_DEPTH levels, including the root.  Deeper, an unbalanced
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

/* The kind of call that is allowed next. */
typedef enum {
    RBL_DOC_MEMBER = 0,                 /* a value with a key */
    RBL_DOC_ITEM,                       /* a value without one */
    RBL_DOC_PART,                       /* a part of an open text */
    RBL_DOC_NOTHING
} rbl_doc_place_t;

typedef struct {
    rbl_out_t        *out;
    rbl_format_t      format;
    rbl_doc_place_t   place;
    int               first;            /* 1: first value here, no comma */
    unsigned          depth;
    struct {
        const char      *key;           /* NULL: an item */
        rbl_doc_place_t  place;         /* place that contains it */
    } level[RBL_DOC_DEPTH];
    const char       *text;             /* key of the open text */
    rbl_doc_place_t   around;           /* place that contains the open text */
} rbl_doc_t;

void rbl_doc_begin(rbl_doc_t *d, rbl_out_t *out, rbl_format_t format);
static inline void rbl_doc_object(rbl_doc_t *d, const char *key);
static inline void rbl_doc_array(rbl_doc_t *d, const char *key);
void rbl_doc_close(rbl_doc_t *d);       /* closes the innermost object or
                                           array */
void rbl_doc_end(rbl_doc_t *d);         /* closes the root */

static inline void rbl_doc_str(rbl_doc_t *d, const char *key, rbl_str_t v);
void rbl_doc_z(rbl_doc_t *d, const char *key, const char *v);
static inline void rbl_doc_int(rbl_doc_t *d, const char *key, int64_t v);
static inline void rbl_doc_int_str(rbl_doc_t *d, const char *key,
    int64_t v);                         /* "12" */
void rbl_doc_bool(rbl_doc_t *d, const char *key, int v);

/* Writes a value that this writer has written before, in JSON.  Fails for
   XML. */
void rbl_doc_json(rbl_doc_t *d, const char *key, rbl_str_t json);

/*
 * Writes a string in parts; no other call may come between them.  A part must
 * not end inside a character.
 */
void rbl_doc_text_open(rbl_doc_t *d, const char *key);
void rbl_doc_text_part(rbl_doc_t *d, rbl_str_t part);
void rbl_doc_text_parts(rbl_doc_t *d, size_t n, const rbl_str_t *parts);
void rbl_doc_text_close(rbl_doc_t *d);

/* Several parts (rbl_str_t), and a whole text of them. */
#define RBL_DOC_PARTS(d, ...)                                                 \
    rbl_doc_text_parts(d, sizeof((rbl_str_t[]) { __VA_ARGS__ })               \
                          / sizeof(rbl_str_t),                                \
                       (const rbl_str_t[]) { __VA_ARGS__ })
#define RBL_DOC_TEXT(d, key, ...)                                             \
    (rbl_doc_text_open(d, key), RBL_DOC_PARTS(d, __VA_ARGS__),                \
     rbl_doc_text_close(d))


/*
 * Most calls write short members of a JSON object that is not empty.  These are
 * written inline, and the compiler copies their keys.  All others use these
 * functions.
 */

void rbl_doc_any_str(rbl_doc_t *d, const char *key, rbl_str_t v);
void rbl_doc_any_int(rbl_doc_t *d, const char *key, rbl_str_t digits);
void rbl_doc_level(rbl_doc_t *d, const char *key, size_t n,
    rbl_doc_place_t place);             /* n: bytes of the key */

/*
 * Copies bytes to p that JSON need not escape, and checks each.  NULL: a byte
 * must be escaped; the copied bytes must be discarded.
 */
char *rbl_json_copy(char *p, rbl_str_t s);

#define RBL_DOC_AROUND  6               /* comma, four quotes, colon */

/* True if the member can be written inline; n is the length of key and
   value. */

static inline int
rbl_doc_quick(const rbl_doc_t *d, const char *key, size_t n)
{
    /* one test: RBL_JSON, RBL_DOC_MEMBER and "not the first" are all 0 */

    return key != NULL
           && ((unsigned) d->format | (unsigned) d->place
               | (unsigned) d->first) == 0
           && rbl_out_fits(d->out, n + RBL_DOC_AROUND);
}


/* Writes a comma, the key and a colon; returns the place of the value. */

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
