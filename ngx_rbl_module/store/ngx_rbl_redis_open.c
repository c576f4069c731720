/*
 * Opens a hiredis context for a link: descriptor, reader.
 */

#include "ngx_rbl_redis.h"


redisAsyncContext *
ngx_rbl_redis_open(ngx_rbl_link_t *link, char *reason, size_t size)
{
    const char         *text;
    redisAsyncContext  *ac;

    ac = link->at->port != 0
         ? redisAsyncConnect(link->at->host, (int) link->at->port)
         : redisAsyncConnectUnix(link->at->host);

    if (ac == NULL) {
        ngx_rbl_redis_clean(reason, size, "out of memory", 13);
        return NULL;
    }

    if (ac->err
        || (link->at->port != 0 && redisEnableKeepAlive(&ac->c) != REDIS_OK))
    {
        text = ac->c.errstr;

    } else if (ngx_rbl_redis_event_attach(ac, link->store->log) != NGX_OK) {
        text = "no connection is left (worker_connections)";

    } else {
        ngx_rbl_redis_read_replies(link, ac);
        return ac;
    }

    ngx_rbl_redis_clean(reason, size, text, ngx_strlen(text));
    redisAsyncFree(ac);

    return NULL;
}
