/*
 * The front of the document writer: nesting, keys and commas.  What the bytes
 * look like is the business of rbl_doc_json.c and rbl_doc_xml.c.  A document
 * owns nothing; its sink is the caller's.
 */

#include "rbl_doc_back.h"


static void
rbl_doc_fail(rbl_doc_t *d)
{
    d->out->failed = 1;
}


/* May a value stand here?  *next: whether one stands before it. */

static int
rbl_doc_next(rbl_doc_t *d, const char *key, int *next)
{
    unsigned  top;

    if (d->depth == 0 || d->in_text) {
        rbl_doc_fail(d);
        return 0;
    }

    top = d->depth - 1;

    if (d->level[top].array != (key == NULL)) {
        rbl_doc_fail(d);
        return 0;
    }

    *next = d->level[top].used;
    d->level[top].used = 1;

    return 1;
}


/* Begins a value; 0 if none may stand here. */

static int
rbl_doc_open(rbl_doc_t *d, const char *key, char open)
{
    int  next;

    if (!rbl_doc_next(d, key, &next)) {
        return 0;
    }

    if (d->format == RBL_JSON) {
        rbl_json_open(d->out, key, next, open);

    } else {
        rbl_xml_open(d->out, key);
    }

    return 1;
}


static void
rbl_doc_push(rbl_doc_t *d, const char *key, int array)
{
    if (d->depth == RBL_DOC_DEPTH) {
        rbl_doc_fail(d);
        return;
    }

    if (!rbl_doc_open(d, key, array ? '[' : '{')) {
        return;
    }

    d->level[d->depth].key = key;
    d->level[d->depth].array = (unsigned char) array;
    d->level[d->depth].used = 0;
    d->depth++;
}


void
rbl_doc_begin(rbl_doc_t *d, rbl_out_t *out, rbl_format_t format)
{
    memset(d, 0, sizeof(*d));
    d->out = out;
    d->format = format;
    d->depth = 1;

    if (format == RBL_JSON) {
        rbl_out_char(out, '{');

    } else {
        rbl_out_z(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<response>");
    }
}


void
rbl_doc_object(rbl_doc_t *d, const char *key)
{
    rbl_doc_push(d, key, 0);
}


void
rbl_doc_array(rbl_doc_t *d, const char *key)
{
    rbl_doc_push(d, key, 1);
}


void
rbl_doc_close(rbl_doc_t *d)
{
    if (d->depth <= 1 || d->in_text) {
        rbl_doc_fail(d);
        return;
    }

    d->depth--;

    if (d->format == RBL_JSON) {
        rbl_out_char(d->out, d->level[d->depth].array ? ']' : '}');

    } else {
        rbl_xml_close(d->out, d->level[d->depth].key);
    }
}


void
rbl_doc_end(rbl_doc_t *d)
{
    if (d->depth != 1 || d->in_text) {
        rbl_doc_fail(d);
        return;
    }

    d->depth = 0;

    if (d->format == RBL_JSON) {
        rbl_out_char(d->out, '}');

    } else {
        rbl_xml_close(d->out, "response");
    }
}


void
rbl_doc_text_open(rbl_doc_t *d, const char *key)
{
    if (rbl_doc_open(d, key, '"')) {
        d->in_text = 1;
        d->text = key;
    }
}


void
rbl_doc_text_part(rbl_doc_t *d, rbl_str_t part)
{
    if (!d->in_text) {
        rbl_doc_fail(d);

    } else if (d->format == RBL_JSON) {
        rbl_json_text(d->out, part);

    } else {
        rbl_xml_text(d->out, part);
    }
}


void
rbl_doc_text_close(rbl_doc_t *d)
{
    if (!d->in_text) {
        rbl_doc_fail(d);
        return;
    }

    d->in_text = 0;

    if (d->format == RBL_JSON) {
        rbl_out_char(d->out, '"');

    } else {
        rbl_xml_close(d->out, d->text);
    }
}


void
rbl_doc_str(rbl_doc_t *d, const char *key, rbl_str_t v)
{
    int  next;

    if (!rbl_doc_next(d, key, &next)) {
        return;
    }

    if (d->format == RBL_JSON) {
        rbl_json_str(d->out, key, next, v);

    } else {
        rbl_xml_open(d->out, key);
        rbl_xml_text(d->out, v);
        rbl_xml_close(d->out, key);
    }
}


void
rbl_doc_z(rbl_doc_t *d, const char *key, const char *v)
{
    rbl_doc_str(d, key, rbl_str(v));
}


void
rbl_doc_int(rbl_doc_t *d, const char *key, int64_t v)
{
    if (!rbl_doc_open(d, key, 0)) {
        return;
    }

    rbl_out_int(d->out, v);

    if (d->format == RBL_XML) {
        rbl_xml_close(d->out, key);
    }
}


void
rbl_doc_int_str(rbl_doc_t *d, const char *key, int64_t v)
{
    if (!rbl_doc_open(d, key, '"')) {
        return;
    }

    rbl_out_int(d->out, v);

    if (d->format == RBL_JSON) {
        rbl_out_char(d->out, '"');

    } else {
        rbl_xml_close(d->out, key);
    }
}


void
rbl_doc_bool(rbl_doc_t *d, const char *key, int v)
{
    if (!rbl_doc_open(d, key, 0)) {
        return;
    }

    rbl_out_z(d->out, v ? "true" : "false");

    if (d->format == RBL_XML) {
        rbl_xml_close(d->out, key);
    }
}
