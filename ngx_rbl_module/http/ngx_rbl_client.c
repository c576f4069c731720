/*
 * The client's side of the connection.  This is the only file that finalizes
 * requests.
 */

#include "ngx_rbl_http.h"


void
ngx_rbl_watch(ngx_http_request_t *r)
{
    ngx_event_t  *rev;

    rev = r->connection->read;

    /* the main request watches the connection of a subrequest */

    if (r != r->main || r->discard_body) {
        return;
    }

    r->read_event_handler = ngx_http_test_reading;

    if (rev->ready) {
        ngx_post_event(rev, &ngx_posted_events);

    } else if (ngx_handle_read_event(rev, 0) != NGX_OK) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "rbl: a client that goes away will not be noticed");
    }
}


void
ngx_rbl_end(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_http_finalize_request(r, rc);
}
