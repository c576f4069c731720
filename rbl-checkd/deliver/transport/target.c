#include "target.h"

#include <stdio.h>

#include "address.h"
#include "rbl_out.h"


rbl_err_t
target_host(target_t *target, resolve_request_t *request,
    char buf[RBL_VALUE_MAX])
{
    if (address_host(&request->literal, buf, &request->name,
                     target->parsed.host)
        != RBL_OK)
    {
        return RBL_EINVAL;
    }

    request->port = target->parsed.port;

    if (request->literal.family == RBL_FAMILY_NONE) {
        rbl_copy(target->host, sizeof(target->host), request->name);

    } else if (request->literal.family == RBL_FAMILY_IPV4) {
        rbl_copy(target->host, sizeof(target->host),
                 rbl_addr_text(buf, &request->literal));

    } else {
        rbl_addr_text(buf, &request->literal);
        snprintf(target->host, sizeof(target->host), "[%s]", buf);
    }

    return RBL_OK;
}


static int
target_full(rbl_out_t *out)
{
    (void) out;

    return -1;
}


int
target_url(const target_t *target, char *url, size_t size)
{
    rbl_out_t         out = { url, url + size, target_full, 0 };
    const rbl_url_t  *u = &target->parsed;

    rbl_out_z(&out, u->tls ? "https://" : "http://");
    rbl_out_z(&out, target->host);

    if (u->port != (u->tls ? 443u : 80u)) {
        rbl_out_char(&out, ':');
        rbl_out_int(&out, u->port);
    }

    if (u->path.n == 0 || u->path.p[0] != '/') {
        rbl_out_char(&out, '/');
    }

    rbl_out_str(&out, u->path);
    rbl_out_char(&out, '\0');

    return out.failed ? -1 : 0;
}
