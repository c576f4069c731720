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
#include "ngx_rbl_api.h"
#include "ngx_rbl_module.h"
#include "ngx_rbl_portal.h"

#define OP(name)                                                              \
    const ngx_rbl_op_t  name = { .fields = NULL }
#define FAMILY(name)                                                          \
    const ngx_rbl_family_t  name = { .resource = #name }

OP(ngx_rbl_op_list);
OP(ngx_rbl_op_listings_plain);
OP(ngx_rbl_op_one);
OP(ngx_rbl_op_host_add);
OP(ngx_rbl_op_host_update);
OP(ngx_rbl_op_host_pause);
OP(ngx_rbl_op_host_resume);
OP(ngx_rbl_op_host_delete);
OP(ngx_rbl_op_profile_add);
OP(ngx_rbl_op_profile_update);
OP(ngx_rbl_op_profile_delete);
OP(ngx_rbl_op_rbls);
OP(ngx_rbl_op_rbl);
OP(ngx_rbl_op_rbl_add);
OP(ngx_rbl_op_rbl_update);
OP(ngx_rbl_op_rbl_pause);
OP(ngx_rbl_op_rbl_resume);
OP(ngx_rbl_op_rbl_delete);
OP(ngx_rbl_op_acls);
OP(ngx_rbl_op_contact_add);
OP(ngx_rbl_op_contact_update);
OP(ngx_rbl_op_contact_pause);
OP(ngx_rbl_op_contact_resume);
OP(ngx_rbl_op_contact_resend);
OP(ngx_rbl_op_contact_confirm);
OP(ngx_rbl_op_contact_delete);
OP(ngx_rbl_op_group_add);
OP(ngx_rbl_op_group_update);
OP(ngx_rbl_op_group_delete);
OP(ngx_rbl_op_check_start);
OP(ngx_rbl_op_check_status);
OP(ngx_rbl_op_session_start);
OP(ngx_rbl_op_session_end);
OP(ngx_rbl_op_session_link);
OP(ngx_rbl_op_me);
OP(ngx_rbl_op_service);
OP(ngx_rbl_op_hooks);
OP(ngx_rbl_op_hook);
OP(ngx_rbl_op_hook_add);
OP(ngx_rbl_op_hook_update);
OP(ngx_rbl_op_hook_rotate);
OP(ngx_rbl_op_hook_enable);
OP(ngx_rbl_op_hook_disable);
OP(ngx_rbl_op_hook_delete);
OP(ngx_rbl_op_hook_test);
OP(ngx_rbl_op_hook_replay);
OP(ngx_rbl_op_delivery_log);
OP(ngx_rbl_op_hook_dead);
OP(ngx_rbl_op_host_lists);
OP(ngx_rbl_op_host_history);
OP(ngx_rbl_op_changes);
OP(ngx_rbl_op_users);
OP(ngx_rbl_op_user_add);
OP(ngx_rbl_op_user_link);
OP(ngx_rbl_op_user_role);
OP(ngx_rbl_op_user_delete);
OP(ngx_rbl_op_app);
OP(ngx_rbl_op_app_add);
OP(ngx_rbl_op_app_rotate);
OP(ngx_rbl_op_app_revoke);
OP(ngx_rbl_op_token_revoke);
OP(ngx_rbl_op_app_allow);
OP(ngx_rbl_op_app_limit);
OP(ngx_rbl_op_app_stats);
OP(ngx_rbl_op_app_errors);
OP(ngx_rbl_op_portal_list);
OP(ngx_rbl_op_lists_state);
OP(ngx_rbl_op_audit);
OP(ngx_rbl_op_account);
OP(ngx_rbl_op_account_update);
OP(ngx_rbl_op_contact_test);
OP(ngx_rbl_op_contact_types);
OP(ngx_rbl_op_session_begin);
OP(ngx_rbl_op_session_passkey);
OP(ngx_rbl_op_passkeys);
OP(ngx_rbl_op_passkey_begin);
OP(ngx_rbl_op_passkey_add);
OP(ngx_rbl_op_passkey_rename);
OP(ngx_rbl_op_passkey_delete);
OP(ngx_rbl_op_hosts_find);
OP(ngx_rbl_op_counts);
OP(ngx_rbl_op_operator_status);
OP(ngx_rbl_op_operator_accounts);
OP(ngx_rbl_op_operator_lists);
OP(ngx_rbl_op_list_enable);
OP(ngx_rbl_op_list_disable);
OP(ngx_rbl_op_list_thaw);
OP(ngx_rbl_op_list_override);
OP(ngx_rbl_op_list_kill);
OP(ngx_rbl_op_list_unkill);
OP(ngx_rbl_op_billing);
OP(ngx_rbl_op_bill_payments);
OP(ngx_rbl_op_bill_ledger);
OP(ngx_rbl_op_bill_table);
OP(ngx_rbl_op_bill_update);
OP(ngx_rbl_op_bill_source_add);
OP(ngx_rbl_op_bill_source_remove);

FAMILY(ngx_rbl_family_hosts);
FAMILY(ngx_rbl_family_listings);
FAMILY(ngx_rbl_family_profiles);
FAMILY(ngx_rbl_family_rbls);
FAMILY(ngx_rbl_family_contacts);
FAMILY(ngx_rbl_family_groups);
FAMILY(ngx_rbl_family_checks);
FAMILY(ngx_rbl_family_sessions);
FAMILY(ngx_rbl_family_users);
FAMILY(ngx_rbl_family_apps);
FAMILY(ngx_rbl_family_app_errors);
FAMILY(ngx_rbl_family_hooks);
FAMILY(ngx_rbl_family_lists);
FAMILY(ngx_rbl_family_account);
FAMILY(ngx_rbl_family_passkeys);
FAMILY(ngx_rbl_family_signed);
FAMILY(ngx_rbl_family_find);
FAMILY(ngx_rbl_family_accounts);
FAMILY(ngx_rbl_family_system);
FAMILY(ngx_rbl_family_bill);
FAMILY(ngx_rbl_family_payments);

static const char *const  suffixes[] = { ".json", ".xml", ".nagios",
                                         ".zabbix" };


void
ngx_rbl_refuse(ngx_rbl_ctx_t *ctx, ngx_uint_t status, const char *fmt, ...)
{
    (void) fmt;
    ctx->refusal = status;
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
            fuzz_check(sid.n == RBL_SID_LEN && fuzz_ctx.refusal == 0);
        } else {
            fuzz_check(fuzz_ctx.refusal == 404);
        }

        check_other(&f, uri);
    }

    fuzz_ngx_done();
    fuzz_done(&f);

    return 0;
}
