/*
 * Parts of rbl_status: Prometheus' text format, version 0.0.4, and the buckets
 * of a histogram as JSON.  Names of daemons and zones come from outside: labels
 * are escaped, and invalid UTF-8 and control characters are replaced.
 */

#include "ngx_rbl_status.h"

#include "rbl_utf8.h"


void
ngx_rbl_metric_family(rbl_out_t *out, const char *prefix, const char *name,
    const char *type, const char *help)
{
    rbl_out_z(out, "# HELP ");
    rbl_out_z(out, prefix);
    rbl_out_z(out, name);
    rbl_out_char(out, ' ');
    rbl_out_z(out, help);
    rbl_out_z(out, "\n# TYPE ");
    rbl_out_z(out, prefix);
    rbl_out_z(out, name);
    rbl_out_char(out, ' ');
    rbl_out_z(out, type);
    rbl_out_char(out, '\n');
}


static void
ngx_rbl_metric_label(rbl_out_t *out, rbl_str_t value)
{
    size_t                n;
    const unsigned char  *p, *end;

    p = (const unsigned char *) value.p;
    end = p + value.n;

    for ( /* void */ ; p < end; p += n ? n : 1) {
        n = rbl_utf8_len(p, end);

        if (n == 0 || *p < 0x20 || *p == 0x7f) {
            rbl_out_z(out, "\xef\xbf\xbd");
            continue;
        }

        if (*p == '\\' || *p == '"') {
            rbl_out_char(out, '\\');
        }

        rbl_out_bytes(out, p, n);
    }
}


void
ngx_rbl_metric_sample(rbl_out_t *out, const char *name,
    const ngx_rbl_label_t *label, ngx_uint_t n, int64_t number,
    rbl_metric_unit_t unit)
{
    char        text[32];
    ngx_uint_t  i;

    rbl_out_z(out, name);

    for (i = 0; i < n; i++) {
        rbl_out_char(out, i ? ',' : '{');
        rbl_out_z(out, label[i].name);
        rbl_out_z(out, "=\"");
        ngx_rbl_metric_label(out, label[i].value);
        rbl_out_char(out, '"');
    }

    rbl_out_z(out, n ? "} " : " ");
    rbl_out_z(out, rbl_metric_text(text, number, unit));
    rbl_out_char(out, '\n');
}


void
ngx_rbl_metric_one(rbl_out_t *out, const char *name, const char *type,
    const char *help, int64_t number)
{
    ngx_rbl_metric_family(out, "", name, type, help);
    ngx_rbl_metric_sample(out, name, NULL, 0, number, RBL_METRIC_ONE);
}


void
ngx_rbl_metric_buckets(rbl_doc_t *doc, ngx_uint_t n, const int64_t *bound,
    const int64_t *count)
{
    ngx_uint_t  i;

    rbl_doc_array(doc, "buckets");

    for (i = 0; i <= n; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_int(doc, "up_to_us", i < n ? bound[i] : -1);
        rbl_doc_int(doc, "count", count[i]);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}
