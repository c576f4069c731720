/*
 * Front end of the document writer: nesting, keys and commas.  rbl_doc_json.c
 * and rbl_doc_xml.c produce the bytes.  A document owns nothing; the caller
 * owns its sink.
 */

#include "rbl_doc_back.h"


static void
rbl_doc_fail(rbl_doc_t *d)
{
    d->out->failed = 1;
}


/* Begins a value; returns 0 if a value is not allowed here. */

static int
rbl_doc_open_n(rbl_doc_t *d, const char *key, size_t n, char open)
{
    if (d->place != (key ? RBL_DOC_MEMBER : RBL_DOC_ITEM)) {
        rbl_doc_fail(d);
        return 0;
    }

    if (d->format == RBL_JSON) {
        rbl_json_open(d->out, key, n, !d->first, open);

    } else {
        rbl_xml_open(d->out, key);
    }

    d->first = 0;

    return 1;
}


static int
rbl_doc_open(rbl_doc_t *d, const char *key, char open)
{
    return rbl_doc_open_n(d, key, key ? strlen(key) : 0, open);
}


void
rbl_doc_level(rbl_doc_t *d, const char *key, size_t n, rbl_doc_place_t place)
{
    if (d->depth == RBL_DOC_DEPTH) {
        rbl_doc_fail(d);
        return;
    }

    if (!rbl_doc_open_n(d, key, n, place == RBL_DOC_ITEM ? '[' : '{')) {
        return;
    }

    d->level[d->depth].key = key;
    d->level[d->depth].place = d->place;
    d->depth++;
    d->place = place;
    d->first = 1;
}


/* Ends the innermost level; returns 0 if it is not of the expected kind. */

static int
rbl_doc_pop(rbl_doc_t *d, int root)
{
    unsigned  top;

    if (d->depth == 0 || (d->depth == 1) != root || d->place == RBL_DOC_PART) {
        rbl_doc_fail(d);
        return 0;
    }

    top = --d->depth;

    if (d->format == RBL_JSON) {
        rbl_out_char(d->out, d->place == RBL_DOC_ITEM ? ']' : '}');

    } else {
        rbl_xml_close(d->out, d->level[top].key);
    }

    d->place = d->level[top].place;
    d->first = 0;

    return 1;
}


void
rbl_doc_begin(rbl_doc_t *d, rbl_out_t *out, rbl_format_t format)
{
    memset(d, 0, sizeof(*d));
    d->out = out;
    d->format = format;
    d->depth = 1;
    d->first = 1;
    d->level[0].key = "response";
    d->level[0].place = RBL_DOC_NOTHING;

    if (format == RBL_JSON) {
        rbl_out_char(out, '{');

    } else {
        rbl_out_z(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<response>");
    }
}


void
rbl_doc_close(rbl_doc_t *d)
{
    rbl_doc_pop(d, 0);
}


void
rbl_doc_end(rbl_doc_t *d)
{
    rbl_doc_pop(d, 1);
}


void
rbl_doc_text_open(rbl_doc_t *d, const char *key)
{
    if (rbl_doc_open(d, key, '"')) {
        d->text = key;
        d->around = d->place;
        d->place = RBL_DOC_PART;
    }
}


void
rbl_doc_text_part(rbl_doc_t *d, rbl_str_t part)
{
    if (d->place != RBL_DOC_PART) {
        rbl_doc_fail(d);

    } else if (d->format == RBL_JSON) {
        rbl_json_text(d->out, part);

    } else {
        rbl_xml_text(d->out, part);
    }
}


void
rbl_doc_text_parts(rbl_doc_t *d, size_t n, const rbl_str_t *parts)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        rbl_doc_text_part(d, parts[i]);
    }
}


void
rbl_doc_text_close(rbl_doc_t *d)
{
    if (d->place != RBL_DOC_PART) {
        rbl_doc_fail(d);
        return;
    }

    d->place = d->around;

    if (d->format == RBL_JSON) {
        rbl_out_char(d->out, '"');

    } else {
        rbl_xml_close(d->out, d->text);
    }
}


void
rbl_doc_any_str(rbl_doc_t *d, const char *key, rbl_str_t v)
{
    if (!rbl_doc_open(d, key, '"')) {
        return;
    }

    if (d->format == RBL_JSON) {
        rbl_json_text(d->out, v);
        rbl_out_char(d->out, '"');

    } else {
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
rbl_doc_any_int(rbl_doc_t *d, const char *key, rbl_str_t digits)
{
    if (!rbl_doc_open(d, key, 0)) {
        return;
    }

    rbl_out_str(d->out, digits);

    if (d->format == RBL_XML) {
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


void
rbl_doc_json(rbl_doc_t *d, const char *key, rbl_str_t json)
{
    if (d->format != RBL_JSON) {
        rbl_doc_fail(d);

    } else if (rbl_doc_open(d, key, 0)) {
        rbl_out_str(d->out, json);
    }
}
