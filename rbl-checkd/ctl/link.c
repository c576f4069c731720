/*
 * rblctl: one connection to a Redis or a Sentinel, synchronous.
 */

#include "base/xalloc.h"
#include "client.h"

#include <stdio.h>
#include <stdlib.h>


int
ctl_why(ctl_why_t *why, rbl_reply_class_t said, rbl_str_t text)
{
    while (text.n > 0 && text.p[text.n - 1] == '.') {
        text.n--;
    }

    why->said = said;
    snprintf(why->text, sizeof(why->text), "%.*s",
             (int) (text.n < 200 ? text.n : 200), text.n ? text.p : "");

    return -1;
}


static struct timeval
link_timeval(double seconds)
{
    struct timeval  tv;

    tv.tv_sec = (time_t) seconds;
    tv.tv_usec = (suseconds_t) ((seconds - (double) tv.tv_sec) * 1e6);

    return tv;
}


int
ctl_link_open(ctl_link_t *link, const config_t *conf,
    const rbl_host_port_t *at, double limit, ctl_why_t *why)
{
    struct timeval  tv;

    tv = link_timeval(limit);
    link->redis = at->port == 0
                  ? redisConnectUnixWithTimeout(at->host, tv)
                  : redisConnectWithTimeout(at->host, (int) at->port, tv);

    if (link->redis == NULL) {
        return ctl_why(why, RBL_REPLY_OK, RBL_STR("out of memory"));
    }

    if (link->redis->err) {
        ctl_why(why, RBL_REPLY_OK, rbl_str(link->redis->errstr));
        ctl_link_close(link);
        return -1;
    }

    rbl_reply_reader(&link->reader, link->redis, NULL);

    if (ctl_link_limit(link, limit, why) != 0) {
        return -1;
    }

    if (conf->place.tls && ctl_tls_open(link, conf, at) != 0) {
        ctl_why(why, RBL_REPLY_OK, rbl_str(link->redis->errstr));
        ctl_link_close(link);
        return -1;
    }

    return 0;
}


int
ctl_link_limit(ctl_link_t *link, double limit, ctl_why_t *why)
{
    if (redisSetTimeout(link->redis, link_timeval(limit)) != REDIS_OK) {
        ctl_why(why, RBL_REPLY_OK, rbl_str(link->redis->errstr));
        ctl_link_close(link);
        return -1;
    }

    return 0;
}


void
ctl_link_close(ctl_link_t *link)
{
    ctl_tls_close(link);

    if (link->redis != NULL) {
        redisFree(link->redis);
        link->redis = NULL;
    }

    link->watches = 0;
}


static redisReply *
link_ask(ctl_link_t *link, int argc, const char **word, const size_t *len)
{
    if (link->ssl == NULL) {
        return redisCommandArgv(link->redis, argc, word, len);
    }

    return redisAppendCommandArgv(link->redis, argc, word, len) == REDIS_OK
           ? ctl_tls_reply(link) : NULL;
}


redisReply *
ctl_link_send(ctl_link_t *link, int argc, const rbl_str_t *argv,
    ctl_why_t *why)
{
    int           i;
    size_t       *len;
    redisReply   *reply;
    const char  **word;

    len = xcalloc((size_t) argc, sizeof(size_t));
    word = xcalloc((size_t) argc, sizeof(char *));

    for (i = 0; i < argc; i++) {
        word[i] = argv[i].n ? argv[i].p : "";
        len[i] = argv[i].n;
    }

    reply = link_ask(link, argc, word, len);

    if (reply == NULL) {
        ctl_why(why, RBL_REPLY_OK,
                 rbl_str(rbl_reply_lost(&link->reader.guard,
                                        link->redis->errstr)));
    }

    free(len);
    free(word);

    if (reply == NULL) {
        ctl_link_close(link);

    } else if (reply->type == REDIS_REPLY_ERROR) {
        ctl_why(why, rbl_reply_class(reply),
                 rbl_str_is(argv[0], "AUTH") ? rbl_reply_auth_error(reply)
                                             : rbl_reply_error(reply));
    }

    return reply;
}


int
ctl_link_login(ctl_link_t *link, const config_t *conf, ctl_why_t *why)
{
    int          rc, argc;
    rbl_str_t    argv[3];
    redisReply  *reply;

    if (conf->store_password[0] == '\0') {
        return 0;
    }

    argc = 0;
    argv[argc++] = RBL_STR("AUTH");
    if (conf->store_user[0] != '\0') {
        argv[argc++] = rbl_str(conf->store_user);
    }

    argv[argc++] = rbl_str(conf->store_password);
    reply = ctl_link_send(link, argc, argv, why);
    rc = reply == NULL || reply->type == REDIS_REPLY_ERROR ? -1 : 0;
    freeReplyObject(reply);

    if (rc != 0) {
        ctl_link_close(link);
    }

    return rc;
}
