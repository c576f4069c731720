/*
 * The servers of the store, as this worker sees them: those of a cluster, or
 * the master that Sentinels name.  The address of an only Redis is not shown.
 */

#include "ngx_rbl_status.h"


void
ngx_rbl_nodes_json(ngx_rbl_store_t *store, rbl_doc_t *doc)
{
    ngx_uint_t            i;
    ngx_rbl_store_node_t  node;

    rbl_doc_array(doc, "nodes");

    for (i = 0; ngx_rbl_store_node(store, i, &node) == NGX_OK; i++) {
        if (node.name[0] != '\0') {
            rbl_doc_object(doc, NULL);
            rbl_doc_z(doc, "address", node.name);
            rbl_doc_bool(doc, "up", (int) node.up);
            rbl_doc_int(doc, "partitions", (int64_t) node.partitions);
            rbl_doc_close(doc);
        }
    }

    rbl_doc_close(doc);
    rbl_doc_int(doc, "partitions_away",
                (int64_t) ngx_rbl_store_partitions_away(store));
}


void
ngx_rbl_nodes_prometheus(ngx_rbl_store_t *store, rbl_out_t *out)
{
    ngx_uint_t            i, n;
    ngx_rbl_label_t       label;
    ngx_rbl_store_node_t  node;

    label.name = "node";
    n = 0;

    for (i = 0; ngx_rbl_store_node(store, i, &node) == NGX_OK; i++) {
        if (node.name[0] != '\0') {
            if (n++ == 0) {
                ngx_rbl_metric_family(out, "", "rbl_store_node_up", "gauge",
                                      "1: this worker is connected to the"
                                      " node.");
            }

            label.value = rbl_str(node.name);
            ngx_rbl_metric_sample(out, "rbl_store_node_up", &label, 1,
                                  node.up != 0, RBL_METRIC_ONE);
        }
    }

    ngx_rbl_metric_family(out, "", "rbl_store_partitions_away", "gauge",
                          "Partitions whose accounts this worker refuses.");
    ngx_rbl_metric_sample(out, "rbl_store_partitions_away", NULL, 0,
                          (int64_t) ngx_rbl_store_partitions_away(store),
                          RBL_METRIC_ONE);
}
