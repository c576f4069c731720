/*
 * Commands that belong to no batch, their replies, and the texts of errors for
 * the log.
 */

#include "ngx_rbl_redis.h"

#include <assert.h>


ngx_int_t
ngx_rbl_redis_send(ngx_rbl_link_t *link, ngx_rbl_replied_pt reply, int argc,
    const rbl_str_t *argv)
{
    int          i;
    char        *command;
    size_t       lens[NGX_RBL_REDIS_WORDS];
    ngx_int_t    rc, len;
    const char  *words[NGX_RBL_REDIS_WORDS];

    assert(argc <= NGX_RBL_REDIS_WORDS);

    for (i = 0; i < argc; i++) {
        words[i] = argv[i].p;
        lens[i] = argv[i].n;
    }

    len = redisFormatCommandArgv(&command, argc, words, lens);

    if (len == -1) {
        return NGX_ERROR;
    }

    rc = ngx_rbl_wire_send(link->wire, (u_char *) command, (size_t) len, reply,
                           NULL);
    redisFreeCommand(command);

    return rc;
}


/* "ERR unknown command" repeats the arguments, which may hold secrets. */

void
ngx_rbl_redis_reason(char *buf, size_t size, const redisReply *reply)
{
    char    *args;
    size_t   len;

    if (reply->type != REDIS_REPLY_ERROR || reply->str == NULL) {
        ngx_rbl_redis_clean(buf, size, "a reply of an unexpected type", 29);
        return;
    }

    len = reply->len;
    args = ngx_strstr(reply->str, ", with args");
    if (args != NULL) {
        len = args - reply->str;
    }

    ngx_rbl_redis_clean(buf, size, reply->str, len);
}


void
ngx_rbl_redis_clean(char *buf, size_t size, const char *text, size_t len)
{
    size_t  i;

    len = ngx_min(len, size - 1);

    for (i = 0; i < len; i++) {
        buf[i] = text[i] < 0x20 || text[i] > 0x7e ? '?' : text[i];
    }

    buf[len] = '\0';
}
