/*
 * rbl_status: the verdict about the service, and its conditions.
 */

#include "ngx_rbl_status.h"
#include "ngx_rbl_verdict.h"


void
ngx_rbl_fleet_verdict_json(ngx_rbl_fleet_t *fleet, rbl_doc_t *doc)
{
    ngx_uint_t               i;
    const rbl_conditions_t  *all;

    all = ngx_rbl_verdict(fleet->index);

    rbl_doc_z(doc, "verdict", ngx_rbl_verdict_name(all));
    rbl_doc_array(doc, "conditions");

    for (i = 0; all != NULL && i < all->n; i++) {
        rbl_doc_object(doc, NULL);
        rbl_doc_z(doc, "name", all->row[i].name);
        rbl_doc_z(doc, "state", rbl_service_names[all->row[i].severity]);
        rbl_doc_int(doc, "since", all->row[i].since / 1000);
        rbl_doc_z(doc, "reason", all->row[i].reason);
        rbl_doc_z(doc, "remedy", all->row[i].remedy);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


/* All names that the table has are written, so that an alarm has its series
   before it rings. */

void
ngx_rbl_fleet_verdict_prometheus(ngx_rbl_fleet_t *fleet, rbl_out_t *out)
{
    int64_t                  is;
    unsigned                 id;
    ngx_uint_t               i;
    ngx_rbl_label_t          label;
    const rbl_conditions_t  *all;

    all = ngx_rbl_verdict(fleet->index);

    if (all == NULL) {
        return;
    }

    ngx_rbl_metric_family(out, "", "rbl_verdict", "gauge",
                          "0: the service is good, 1: degraded, 2: broken.");
    ngx_rbl_metric_sample(out, "rbl_verdict", NULL, 0,
                          rbl_conditions_verdict(all), RBL_METRIC_ONE);
    ngx_rbl_metric_family(out, "", "rbl_condition", "gauge",
                          "1: the condition holds.");

    for (id = 0; id < RBL_CONDITION__N; id++) {
        label.name = "name";
        label.value = rbl_str(rbl_condition_kinds[id].name);

        for (i = 0, is = 0; i < all->n; i++) {
            is |= rbl_str_is(label.value, all->row[i].name);
        }

        ngx_rbl_metric_sample(out, "rbl_condition", &label, 1, is,
                              RBL_METRIC_ONE);
    }
}
