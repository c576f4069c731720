/*
 * Access control by token.  A token has the networks from which its application
 * may send requests, and its rate limits.  Both are read together with the
 * token.
 *
 * A session has no limits, but a request must now and then keep it alive; that
 * takes the place of counting; that of an operator in another account is logged
 * there instead.
 *
 * One script counts requests in Redis, in a round of its own, before data are
 * read or changed.  Every request with valid credentials from an allowed
 * address is counted, even if it turns out to be invalid.
 */

#include "ngx_rbl_logins.h"
#include "ngx_rbl_session.h"
#include "ngx_rbl_visit.h"


/* An empty list allows every address.  An invalid network matches none. */

static ngx_int_t
ngx_rbl_admit_from(ngx_http_request_t *r, rbl_str_t allow)
{
    size_t        n;
    rbl_mp_t      mp;
    rbl_str_t     text;
    ngx_int_t     local;
    rbl_addr_t    addr;
    rbl_subnet_t  net;

    rbl_mp_init(&mp, allow);
    n = rbl_mp_array(&mp);

    if (n == 0) {
        return 1;
    }

    local = ngx_rbl_admit_address(r, &addr) != NGX_OK;

    for ( /* void */ ; n > 0 && !mp.failed; n--) {
        text = rbl_mp_str(&mp);

        if (local) {
            if (rbl_str_is(text, "unix:")) {
                return 1;
            }

            continue;
        }

        if (rbl_subnet_parse(&net, text) == RBL_OK
            && rbl_subnet_has(&net, &addr))
        {
            return 1;
        }
    }

    return 0;
}


void
ngx_rbl_admit_token(ngx_rbl_ctx_t *ctx, const rbl_token_t *token)
{
    rbl_mp_t  mp;

    rbl_mp_init(&mp, token->allow);
    ctx->placed = rbl_mp_array(&mp) > 0;
    ctx->denied = !ngx_rbl_admit_from(ctx->request, token->allow);

    rbl_limits_decode(ctx->limits, token->limits);

    ngx_rbl_admit_limits(ctx);
}


void
ngx_rbl_admit_limits(ngx_rbl_ctx_t *ctx)
{
    ctx->round.limited = ngx_rbl_admit_counts(ctx, ctx->limits);
}


static ngx_uint_t
ngx_rbl_admit_kind(const ngx_rbl_ctx_t *ctx)
{
    if (ctx->route->flags & NGX_RBL_STARTS) {
        return RBL_LIMIT_STARTS;
    }

    return ctx->route->method == NGX_HTTP_GET ? RBL_LIMIT_READS
                                              : RBL_LIMIT_WRITES;
}


ngx_uint_t
ngx_rbl_admit_counts(const ngx_rbl_ctx_t *ctx, const int64_t *limits)
{
    if (ctx->conf->portal) {
        return !ngx_rbl_login_fresh(ctx, NGX_RBL_SESSION_FRESH);
    }

    return limits[RBL_LIMIT_HOUR] > 0 || limits[ngx_rbl_admit_kind(ctx)] > 0;
}


/* the realip module may have changed the address */

ngx_int_t
ngx_rbl_admit_address(ngx_http_request_t *r, rbl_addr_t *addr)
{
    struct sockaddr      *sa;
    struct sockaddr_in   *sin;
#if (NGX_HAVE_INET6)
    struct sockaddr_in6  *sin6;
#endif

    ngx_memzero(addr, sizeof(rbl_addr_t));

    sa = r->connection->sockaddr;

    switch (sa->sa_family) {

    case AF_INET:
        sin = (struct sockaddr_in *) sa;
        addr->family = RBL_FAMILY_IPV4;
        ngx_memcpy(addr->b, &sin->sin_addr, 4);
        return NGX_OK;

#if (NGX_HAVE_INET6)
    case AF_INET6:
        sin6 = (struct sockaddr_in6 *) sa;

        if (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr)) {
            addr->family = RBL_FAMILY_IPV4;
            ngx_memcpy(addr->b, sin6->sin6_addr.s6_addr + 12, 4);

        } else {
            addr->family = RBL_FAMILY_IPV6;
            ngx_memcpy(addr->b, sin6->sin6_addr.s6_addr, 16);
        }

        return NGX_OK;
#endif

    default:
        return NGX_DECLINED;
    }
}


void
ngx_rbl_admit_network(ngx_http_request_t *r,
    u_char octets[NGX_RBL_NETWORK_LEN])
{
    rbl_addr_t  addr;

    (void) ngx_rbl_admit_address(r, &addr);

    ngx_memzero(octets, NGX_RBL_NETWORK_LEN);
    octets[0] = (u_char) addr.family;
    ngx_memcpy(octets + 1, addr.b, addr.family == RBL_FAMILY_IPV6 ? 6 : 3);
}


void
ngx_rbl_admit_ask(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch)
{
    char                  number[3][RBL_OUT_INT];
    rbl_key_t             key;
    ngx_uint_t            kind;
    rbl_app_admit_args_t  args;

    if (ctx->conf->portal) {
        ctx->actor.n ? ngx_rbl_visit_ask(ctx, batch)
                     : ngx_rbl_session_touch(ctx, batch);
        return;
    }

    kind = ngx_rbl_admit_kind(ctx);

    args.acct = ngx_rbl_account_key(ctx, &key, "acct", RBL_STR(""));
    args.app = rbl_sid_str(&ctx->app);
    args.kind = rbl_out_int_text(number[0], kind);
    args.hour = rbl_out_int_text(number[1], ctx->limits[RBL_LIMIT_HOUR]);
    args.second = rbl_out_int_text(number[2], ctx->limits[kind]);

    ngx_rbl_batch_script(batch, &rbl_script_app_admit, RBL_ARGC(args),
                         args.argv);
}


void
ngx_rbl_admit_reply(ngx_rbl_ctx_t *ctx, const redisReply *reply)
{
    rbl_app_admit_reply_t  said;

    if (ctx->conf->portal) {
        ctx->actor.n ? ngx_rbl_visit_reply(ctx, reply)
                     : ngx_rbl_session_touched(ctx, reply);
        return;
    }

    rbl_app_admit_reply(&said, reply);

    ctx->rate_limit = said.limit;
    ctx->rate_left = said.left;
    ctx->rate_reset = said.ends / 1000 + (said.ends % 1000 > 0);

    if (said.word == RBL_APP_ADMIT_OK && said.ends >= 0) {
        return;
    }

    if (said.word == RBL_APP_ADMIT_LIMIT && said.ends >= 0) {
        ngx_rbl_refuse_later(ctx, NGX_HTTP_TOO_MANY_REQUESTS,
                             ngx_max(ctx->rate_reset, 1),
                             "Too many requests. Please try again in %L "
                             "second%s.", ctx->rate_reset,
                             ctx->rate_reset == 1 ? "" : "s");
        return;
    }

    /* without a count the request is not served */

    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "rbl: the store's count of requests could not be "
                  "understood");
    ctx->rate_limit = 0;
    ngx_rbl_internal(ctx);
}
