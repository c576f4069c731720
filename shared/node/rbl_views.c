/*
 * Views of Sentinels.  Bytes of a reply are hostile: addresses are judged by
 * rbl_nodes_address.
 */

#include "rbl_views.h"


void
rbl_views_init(rbl_views_t *views)
{
    memset(views, 0, sizeof(rbl_views_t));
    views->replicas = -1;
}


static void
views_add(rbl_views_t *views, const rbl_host_port_t *at, int64_t epoch)
{
    unsigned     i;
    rbl_view_t  *view;

    for (i = 0; i < views->n; i++) {
        if (rbl_host_port_eq(&views->named[i].at, at)) {
            break;
        }
    }

    if (i == RBL_PLACE_HOSTS) {
        return;
    }

    view = &views->named[i];

    if (i == views->n) {
        views->n++;
        view->at = *at;
        view->epoch = -1;
    }

    if (epoch > view->epoch) {
        view->epoch = epoch;
    }
}


const char *
rbl_views_named(rbl_views_t *views, const rbl_nodes_t *nodes,
    const redisReply *reply, const rbl_host_port_t *asked)
{
    rbl_str_t    host;
    const char  *why;

    if (reply != NULL && reply->type == REDIS_REPLY_NIL) {
        return "it does not know a master of this name";
    }

    host = rbl_reply_str(rbl_reply_at(reply, 0));

    if (host.n == 0) {
        return "its answer is none of a Sentinel";
    }

    why = rbl_nodes_address(nodes, &views->last, host,
                            rbl_reply_int(rbl_reply_at(reply, 1), 0), asked);

    if (why == NULL) {
        views_add(views, &views->last, -1);
    }

    return why;
}


/* While a failover is under way, a Sentinel may name the new master already,
   and its state is still about the old one. */

void
rbl_views_state(rbl_views_t *views, const rbl_nodes_t *nodes,
    const redisReply *reply, const rbl_host_port_t *asked)
{
    int64_t          epoch, replicas;
    rbl_str_t        flags;
    rbl_host_port_t  at;

    epoch = rbl_reply_int(rbl_reply_field(reply, "config-epoch"), -1);
    flags = rbl_reply_str(rbl_reply_field(reply, "flags"));

    views_add(views, &views->last, epoch);

    replicas = rbl_reply_int(rbl_reply_field(reply, "num-slaves"), -1);
    views->replicas = replicas > views->replicas ? replicas : views->replicas;

    if (!rbl_words_have(flags, "s_down") && !rbl_words_have(flags, "o_down")
        && !rbl_words_have(flags, "failover_in_progress"))
    {
        return;
    }

    if (rbl_nodes_address(nodes, &at,
                          rbl_reply_str(rbl_reply_field(reply, "ip")),
                          rbl_reply_int(rbl_reply_field(reply, "port"), 0),
                          asked)
        == NULL && views->nheld < RBL_PLACE_HOSTS)
    {
        views->held[views->nheld++] = at;
    }
}


int
rbl_views_held(const rbl_views_t *views, const rbl_host_port_t *at)
{
    unsigned  i;

    for (i = 0; i < views->nheld; i++) {
        if (rbl_host_port_eq(&views->held[i], at)) {
            return 1;
        }
    }

    return 0;
}


/* The server with so many others of newer configurations; of equal ones, the
   first that was named is the newest. */

static const rbl_view_t *
views_rank(const rbl_views_t *views, unsigned rank)
{
    unsigned  i, k, newer;

    for (i = 0; i < views->n; i++) {
        for (k = 0, newer = 0; k < views->n; k++) {
            newer += views->named[k].epoch > views->named[i].epoch
                     || (views->named[k].epoch == views->named[i].epoch
                         && k < i);
        }

        if (newer == rank) {
            return &views->named[i];
        }
    }

    return NULL;
}


const char *
rbl_views_take(const rbl_views_t *views, rbl_nodes_t *nodes, unsigned tries)
{
    const rbl_view_t  *view;

    if (views->n == 0) {
        return "no Sentinel names a usable master";
    }

    view = views_rank(views, tries / RBL_VIEWS_TRIES % views->n);

    if (view == NULL) {
        return "no Sentinel names a usable master";
    }

    if (rbl_views_held(views, &view->at)) {
        return "a Sentinel holds the master down or is replacing it";
    }

    rbl_nodes_set_master(nodes, &view->at);

    return NULL;
}
