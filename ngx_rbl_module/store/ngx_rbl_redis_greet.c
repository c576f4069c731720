/*
 * The handshake: AUTH, if there is a password, the store's role and its meta
 * data, in one go.  What it finds is told to ngx_rbl_redis.c, which owns the
 * connection.
 */

#include "ngx_rbl_redis.h"


static void ngx_rbl_redis_auth_reply(redisAsyncContext *ac, void *reply,
    void *data);
static void ngx_rbl_redis_meta_reply(redisAsyncContext *ac, void *reply,
    void *data);
static ngx_int_t ngx_rbl_redis_meta(ngx_rbl_link_t *link,
    const redisReply *reply, char *reason, size_t size);


ngx_int_t
ngx_rbl_redis_greet(ngx_rbl_link_t *link)
{
    int          n;
    size_t       lens[4];
    rbl_str_t    meta;
    rbl_key_t    key;
    const char  *args[4];

    if (link->store->conf->password.len != 0) {
        n = 0;
        args[n] = "AUTH";
        lens[n++] = 4;

        if (link->store->conf->user.len != 0) {
            args[n] = (char *) link->store->conf->user.data;
            lens[n++] = link->store->conf->user.len;
        }

        args[n] = (char *) link->store->conf->password.data;
        lens[n++] = link->store->conf->password.len;

        if (redisAsyncCommandArgv(link->ac, ngx_rbl_redis_auth_reply, NULL, n,
                                  args, lens)
            != REDIS_OK)
        {
            return NGX_ERROR;
        }
    }

    if (ngx_rbl_redis_role_ask(link) != NGX_OK) {
        return NGX_ERROR;
    }

    meta = rbl_meta_key(&key, &link->store->ks);

    args[0] = "HMGET";
    lens[0] = 5;
    args[1] = meta.p;
    lens[1] = meta.n;
    args[2] = "schema";
    lens[2] = 6;
    args[3] = "partitions";
    lens[3] = 10;

    return redisAsyncCommandArgv(link->ac, ngx_rbl_redis_meta_reply, NULL, 4,
                                 args, lens)
           == REDIS_OK ? NGX_OK : NGX_ERROR;
}


static void
ngx_rbl_redis_auth_reply(redisAsyncContext *ac, void *reply, void *data)
{
    ngx_rbl_link_t  *link;

    link = ngx_rbl_redis_replied(ac, reply);

    if (link == NULL) {
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        ngx_rbl_redis_drop(link, "it refuses the user or the password");
    }
}


static void
ngx_rbl_redis_meta_reply(redisAsyncContext *ac, void *reply, void *data)
{
    char              reason[NGX_RBL_REDIS_REASON];
    ngx_rbl_link_t  *link;

    link = ngx_rbl_redis_replied(ac, reply);

    if (link == NULL) {
        return;
    }

    if (ngx_rbl_redis_meta(link, reply, reason, sizeof(reason)) != NGX_OK) {
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    ngx_rbl_redis_greeted(link);
}


static ngx_int_t
ngx_rbl_redis_meta(ngx_rbl_link_t *link, const redisReply *reply,
    char *reason, size_t size)
{
    u_char   *last;
    int64_t   schema, partitions;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_redis_reason(reason, size, reply);
        return NGX_ERROR;
    }

    schema = rbl_reply_int(rbl_reply_at(reply, 0), -1);
    partitions = rbl_reply_int(rbl_reply_at(reply, 1), -1);

    if (schema == RBL_SCHEMA_VERSION
        && rbl_keyspace_set_partitions(&link->store->ks, partitions) == RBL_OK)
    {
        return NGX_OK;
    }

    if (schema == -1 && partitions == -1) {
        last = ngx_snprintf((u_char *) reason, size - 1,
                            "the store has not been initialised (rblctl init)");

    } else if (schema != RBL_SCHEMA_VERSION) {
        last = ngx_snprintf((u_char *) reason, size - 1,
                            "the store has schema %L, this module needs %d"
                            " (rbl-operations(7), Upgrading)",
                            schema, RBL_SCHEMA_VERSION);

    } else {
        last = ngx_snprintf((u_char *) reason, size - 1,
                            "the store has %L partitions, that cannot be",
                            partitions);
    }

    *last = '\0';

    return NGX_ERROR;
}
