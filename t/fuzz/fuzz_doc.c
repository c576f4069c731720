/*
 * The document writer (shared/document/rbl_doc*.c).  The first byte is the size
 * of the sink's windows; then each byte is a call, followed by its operands.
 *
 * Any bytes and any order of calls either fail or make a complete document:
 * JSON that jansson accepts, XML that is well-formed.  Valid text is the same
 * when it is read back, from both.  The positions of window ends do not show.
 */

#include "fuzz.h"
#include "base/buf.h"
#include "fuzz_xml.h"
#include "rbl_doc.h"
#include "rbl_validate.h"

#include <jansson.h>

static const char *const  keys[] = { "a", "listed_details", "host", "id",
                                     "x-1", "Zz", "message", "k" };

/* A sink of small windows over one large room. */
typedef struct {
    rbl_out_t  out;
    size_t     window;
    char       room[131072];
} windows_t;

static windows_t  sink;


static int
more(rbl_out_t *out)
{
    windows_t  *w = (windows_t *) out;
    size_t      left;

    left = (size_t) (w->room + sizeof(w->room) - out->pos);
    out->end = out->pos + (left < w->window ? left : w->window);

    return left > 0 ? 0 : -1;
}


/* The open levels, and whether each call so far was allowed. */
typedef struct {
    unsigned  depth;
    int       array[RBL_DOC_DEPTH];
    int       in_text;
    int       good;
} model_t;


static void
value(model_t *m, const char *key)
{
    m->good &= !m->in_text && m->array[m->depth - 1] == (key == NULL);
}


static void
push(model_t *m, const char *key, int array)
{
    value(m, key);

    if (m->depth == RBL_DOC_DEPTH) {
        m->good = 0;

    } else {
        m->array[m->depth++] = array;
    }
}


static void
pop(model_t *m)
{
    if (m->in_text || m->depth <= 1) {
        m->good = 0;

    } else {
        m->depth--;
    }
}


static void
call_text(rbl_doc_t *d, model_t *m, fuzz_t *f, unsigned op, const char *key)
{
    switch (op) {

    case 8:
        value(m, key);
        m->in_text = 1;
        rbl_doc_text_open(d, key);
        break;

    case 9:
        m->good &= m->in_text;
        rbl_doc_text_part(d, fuzz_take(f, fuzz_u8(f)));
        break;

    case 10:
        m->good &= m->in_text;
        m->in_text = 0;
        rbl_doc_text_close(d);
        break;

    default:
        value(m, key);
        rbl_doc_str(d, key, fuzz_take(f, fuzz_u8(f)));
    }
}


static void
call(rbl_doc_t *d, model_t *m, fuzz_t *f)
{
    int64_t      v;
    unsigned     op;
    const char  *key;

    op = fuzz_u8(f);
    key = m->array[m->depth - 1] ? NULL : keys[op >> 4 & 7];

    /* now and then a call that is not allowed here */

    if (op & 0x80) {
        key = key ? NULL : "k";
    }

    op &= 15;

    switch (op) {

    case 0:
    case 1:
        push(m, key, 0);
        rbl_doc_object(d, key);
        break;

    case 2:
        push(m, key, 1);
        rbl_doc_array(d, key);
        break;

    case 3:
    case 4:
        pop(m);
        rbl_doc_close(d);
        break;

    case 5:
    case 6:
    case 7:
        value(m, key);
        v = (int64_t) ((uint64_t) fuzz_u32(f) << 32 | fuzz_u32(f));

        if (op == 5) {
            rbl_doc_int(d, key, v);
        } else if (op == 6) {
            rbl_doc_int_str(d, key, v);
        } else {
            rbl_doc_bool(d, key, v & 1);
        }

        break;

    default:
        call_text(d, m, f, op, key);
    }
}


static void
write_all(rbl_out_t *out, rbl_format_t format, const uint8_t *data,
    size_t size)
{
    fuzz_t     f;
    model_t    m;
    rbl_doc_t  d;

    memset(&m, 0, sizeof(m));
    m.depth = 1;
    m.good = 1;

    fuzz_init(&f, data, size);
    rbl_doc_begin(&d, out, format);

    while (m.good && fuzz_left(&f) > 0 && f.n < FUZZ_COPIES - 1) {
        call(&d, &m, &f);
    }

    fuzz_check(out->failed == !m.good);

    /* close open levels, so that most inputs make a document */

    if (m.in_text) {
        rbl_doc_text_close(&d);
    }

    while (m.good && m.depth-- > 1) {
        rbl_doc_close(&d);
    }

    rbl_doc_end(&d);
    fuzz_check(out->failed == !m.good);
    fuzz_done(&f);
}


static void
read_back(rbl_str_t json, rbl_str_t xml)
{
    json_t        *root;
    json_error_t   error;

    root = json_loadb(json.p, json.n, JSON_ALLOW_NUL, &error);
    fuzz_check(json_is_object(root));
    json_decref(root);

    fuzz_check(xml_well_formed(xml.p, xml.n));
}


/* One string alone: it reads back as it was written. */
static void
one_text(rbl_str_t s)
{
    json_t        *root;
    rbl_buf_t      buf;
    rbl_doc_t      d;
    rbl_str_t      out;
    json_error_t   error;

    if (!rbl_text_ok(s)) {
        return;
    }

    rbl_buf_init(&buf);
    rbl_doc_begin(&d, &buf.out, RBL_JSON);
    rbl_doc_str(&d, "k", s);
    rbl_doc_end(&d);
    out = rbl_buf_str(&buf);
    root = json_loadb(out.p, out.n, 0, &error);
    fuzz_check(root != NULL);
    fuzz_check(json_string_length(json_object_get(root, "k")) == s.n);
    fuzz_check(memcmp(json_string_value(json_object_get(root, "k")), s.p, s.n)
               == 0);
    json_decref(root);

    rbl_buf_reset(&buf);
    rbl_doc_begin(&d, &buf.out, RBL_XML);
    rbl_doc_str(&d, "k", s);
    rbl_doc_end(&d);
    out = rbl_buf_str(&buf);
    fuzz_check(xml_holds(out.p, out.n, "k", s.p, s.n));
    rbl_buf_free(&buf);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int           i;
    fuzz_t        f;
    size_t        window;
    rbl_buf_t     buf[2];

    fuzz_init(&f, data, size);
    window = fuzz_u8(&f) % 64 + 1;
    one_text(fuzz_rest(&f));
    fuzz_done(&f);

    if (size == 0 || size > 4096) {
        return 0;
    }

    for (i = RBL_JSON; i <= RBL_XML; i++) {
        rbl_buf_init(&buf[i]);
        write_all(&buf[i].out, (rbl_format_t) i, data + 1, size - 1);

        memset(&sink.out, 0, sizeof(sink.out));
        sink.window = window;
        sink.out.pos = sink.out.end = sink.room;
        sink.out.more = more;
        write_all(&sink.out, (rbl_format_t) i, data + 1, size - 1);

        fuzz_check(buf[i].out.failed == sink.out.failed);
        fuzz_check(buf[i].out.failed
                   || rbl_str_eq(rbl_buf_str(&buf[i]),
                                 (rbl_str_t) { sink.room,
                                               (size_t) (sink.out.pos
                                                         - sink.room) }));
    }

    fuzz_check(buf[RBL_JSON].out.failed == buf[RBL_XML].out.failed);

    if (!buf[RBL_JSON].out.failed) {
        read_back(rbl_buf_str(&buf[RBL_JSON]), rbl_buf_str(&buf[RBL_XML]));
    }

    rbl_buf_free(&buf[RBL_JSON]);
    rbl_buf_free(&buf[RBL_XML]);

    return 0;
}
