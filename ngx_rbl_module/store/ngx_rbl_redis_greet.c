/*
 * Parts of the handshake: AUTH, and the meta data of the store.
 */

#include "ngx_rbl_redis.h"


static void
ngx_rbl_redis_auth_reply(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    if (reply == NULL) {
        return;
    }

    if (rbl_reply_class(reply) != RBL_REPLY_OK) {
        ngx_rbl_redis_drop(link, "it refuses the user or the password");
    }
}


ngx_int_t
ngx_rbl_redis_auth(ngx_rbl_link_t *link)
{
    rbl_str_t                    user, password;
    const ngx_rbl_store_conf_t  *conf;

    conf = link->store->conf;

    user = ngx_rbl_str(&conf->user);
    password = ngx_rbl_str(&conf->password);

    if (password.n == 0) {
        return NGX_OK;
    }

    return user.n != 0
           ? ngx_rbl_redis_send(link, ngx_rbl_redis_auth_reply,
                                RBL_COMMAND("AUTH", user, password))
           : ngx_rbl_redis_send(link, ngx_rbl_redis_auth_reply,
                                RBL_COMMAND("AUTH", password));
}


/* True if another node of a cluster has the meta data. */

static ngx_int_t
ngx_rbl_redis_elsewhere(const ngx_rbl_link_t *link, const redisReply *reply)
{
    rbl_reply_class_t  cls;

    cls = rbl_reply_class(reply);

    return link->store->nodes.kind == RBL_PLACE_CLUSTER
           && (cls == RBL_REPLY_MOVED || cls == RBL_REPLY_SLOT);
}


static ngx_int_t
ngx_rbl_redis_meta(ngx_rbl_link_t *link, const redisReply *reply,
    char *reason, size_t size)
{
    char              why[RBL_META_WHY];
    rbl_meta_t        meta;
    rbl_meta_state_t  state;

    if (reply->type != REDIS_REPLY_ARRAY) {
        ngx_rbl_redis_reason(reason, size, reply);
        return NGX_ERROR;
    }

    rbl_meta_read(&meta, reply);
    state = rbl_meta_take(&link->store->ks, &meta);

    if (state == RBL_META_OK) {
        return NGX_OK;
    }

    ngx_cpystrn((u_char *) reason,
                (u_char *) rbl_meta_why(why, state, &meta, "module"), size);

    return NGX_ERROR;
}


static void
ngx_rbl_redis_meta_reply(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    char              reason[NGX_RBL_REDIS_REASON];
    if (reply == NULL) {
        return;
    }

    if (!ngx_rbl_redis_elsewhere(link, reply)
        && ngx_rbl_redis_meta(link, reply, reason, sizeof(reason)) != NGX_OK)
    {
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    ngx_rbl_redis_greeted(link);
}


ngx_int_t
ngx_rbl_redis_meta_ask(ngx_rbl_link_t *link)
{
    rbl_key_t  key;

    return ngx_rbl_redis_send(link, ngx_rbl_redis_meta_reply,
                              RBL_COMMAND("HMGET",
                                          rbl_meta_key(&key, &link->store->ks),
                                          RBL_META_FIELDS));
}


/* A store of an earlier schema has no copies, and an earlier ACL no right to
   read them. */

static void
ngx_rbl_redis_copy_reply(ngx_rbl_link_t *link, const redisReply *reply,
    void *data)
{
    char             reason[NGX_RBL_REDIS_REASON];
    rbl_meta_t       meta;
    if (reply == NULL || link->store->ks.partitions != 0) {
        return;
    }

    rbl_meta_read(&meta, reply);

    if (meta.schema == -1) {
        return;
    }

    if (ngx_rbl_redis_meta(link, reply, reason, sizeof(reason)) != NGX_OK) {
        ngx_rbl_redis_drop(link, reason);
        return;
    }

    ngx_rbl_redis_greeted(link);
}


ngx_int_t
ngx_rbl_redis_copy_ask(ngx_rbl_link_t *link)
{
    unsigned   copy;
    rbl_key_t  key;

    copy = rbl_nodes_copy(&link->store->nodes, (unsigned) link->node->i);

    return copy == RBL_META_COPIES ? NGX_DECLINED
           : ngx_rbl_redis_send(link, ngx_rbl_redis_copy_reply,
                                RBL_COMMAND("HMGET",
                                            rbl_meta_copy_key(&key,
                                                &link->store->ks, copy),
                                            RBL_META_FIELDS));
}
