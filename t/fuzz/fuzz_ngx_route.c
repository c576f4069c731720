/*
 * The path router (ngx_rbl_route.c) with the table of calls, and ids in paths
 * (ngx_rbl_fields.c).  Lines: the location's prefix, the request's path.
 *
 * A path that matches consists of the prefix, the route, the id, an optional
 * slash, and the format; the id has no slash.  The call has that format; with
 * the other document format the same call matches.  Only a SID is accepted as
 * an id.
 */

#include "fuzz_ngx.h"

/* The table alone: what its calls do is not linked. */
#define NGX_RBL_ROUTE(op, family)  NULL, NULL

#include "ngx_rbl_routes.c"


static const char *const  suffixes[] = { ".json", ".xml", ".nagios",
                                         ".zabbix" };


void
ngx_rbl_refuse(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt, ...)
{
    (void) fmt;
    ctx->run.refusal = status;
}


void
ngx_rbl_internal(ngx_rbl_ctx_t *ctx)
{
    (void) ctx;
    fuzz_check(!"out of memory");
}


/* Takes a text off the front of *s; 0 if it is not there. */
static int
take(rbl_str_t *s, const void *p, size_t n)
{
    if (s->n < n || memcmp(s->p, p, n) != 0) {
        return 0;
    }

    s->p += n;
    s->n -= n;

    return 1;
}


static void
check_parts(rbl_str_t base, rbl_str_t uri)
{
    size_t                  n;
    const ngx_rbl_route_t  *route = fuzz_ctx.route;

    n = route->path.len;
    fuzz_check(take(&uri, base.p, base.n));

    if (!take(&uri, route->path.data, n)) {
        fuzz_check(route->path.data[n - 1] == '/' && fuzz_ctx.id.len == 0);
        fuzz_check(take(&uri, route->path.data, n - 1));
    }

    fuzz_check(fuzz_ctx.id.len == 0
               || take(&uri, fuzz_ctx.id.data, fuzz_ctx.id.len));
    fuzz_check(fuzz_ctx.id.len == 0 || route->path.data[n - 1] == '/');
    (void) take(&uri, "/", 1);

    fuzz_check(uri.n == 0 ? fuzz_ctx.format == NGX_RBL_JSON
                          : rbl_str_is(uri, suffixes[fuzz_ctx.format]));
}


/* The call with another suffix is the same call. */
static void
check_other(fuzz_t *f, rbl_str_t uri)
{
    size_t                  n;
    u_char                 *p;
    ngx_str_t               id;
    rbl_str_t               room;
    const ngx_rbl_route_t  *route;

    n = strlen(suffixes[fuzz_ctx.format]);

    if (uri.n < n || memcmp(uri.p + uri.n - n, suffixes[fuzz_ctx.format], n)) {
        return;
    }

    route = fuzz_ctx.route;
    id = fuzz_ctx.id;

    uri.n -= n;
    room = fuzz_copy(f, uri.p, uri.n);
    p = malloc(uri.n + 4);
    fuzz_check(p != NULL);
    memcpy(p, room.p, uri.n);
    memcpy(p + uri.n, ".xml", 4);

    fuzz_request.uri.data = p;
    fuzz_request.uri.len = uri.n + 4;
    fuzz_check(ngx_rbl_route(&fuzz_ctx) == NGX_OK);
    fuzz_check(fuzz_ctx.route->endpoint.len == route->endpoint.len
               && memcmp(fuzz_ctx.route->endpoint.data, route->endpoint.data,
                         route->endpoint.len)
                  == 0
               && fuzz_ctx.format == NGX_RBL_XML);
    fuzz_check(fuzz_ctx.id.len == id.len
               && (id.len == 0
                   || memcmp(fuzz_ctx.id.data, id.data, id.len) == 0));
    free(p);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t     f;
    rbl_sid_t  sid;
    rbl_str_t  base, uri;

    fuzz_init(&f, data, size);
    fuzz_ngx_init();

    base = fuzz_line(&f);
    uri = fuzz_rest(&f);
    ngx_rbl_routes_set(ngx_rbl_calls);
    fuzz_conf.base.data = (u_char *) base.p;
    fuzz_conf.base.len = base.n;
    fuzz_request.uri.data = (u_char *) uri.p;
    fuzz_request.uri.len = uri.n;

    /* nginx's prefix and path hold no NUL */

    if (memchr(base.p, 0, base.n) == NULL
        && ngx_rbl_route(&fuzz_ctx) == NGX_OK)
    {
        fuzz_check(fuzz_ctx.route->flags & 1 << fuzz_ctx.format);
        fuzz_check(fuzz_ctx.allow & fuzz_ctx.route->method);
        fuzz_check(fuzz_ctx.id.len == 0
                   || memchr(fuzz_ctx.id.data, '/', fuzz_ctx.id.len) == NULL);
        check_parts(base, uri);

        if (ngx_rbl_path_sid(&fuzz_ctx, RBL_SID_HOST, "host", &sid)
            == NGX_OK)
        {
            fuzz_check(sid.n == RBL_SID_LEN && fuzz_ctx.run.refusal == 0);
        } else {
            fuzz_check(fuzz_ctx.run.refusal == 404);
        }

        check_other(&f, uri);
    }

    fuzz_ngx_done();
    fuzz_done(&f);

    return 0;
}
