/*
 * Bytes between a connection and its socket: they are appended at the end and
 * taken from the front.
 */

#include "ngx_rbl_redis_wire.h"

#define NGX_RBL_BYTES_FIRST  32768      /* first size of a buffer */
#define NGX_RBL_BYTES_KEEP   262144     /* largest buffer that stays while it is
                                           empty */


u_char *
ngx_rbl_bytes_room(ngx_rbl_bytes_t *b, size_t least, ngx_log_t *log)
{
    size_t   used, room;
    u_char  *start;

    used = b->to - b->from;

    if (used == 0) {
        if (b->room > NGX_RBL_BYTES_KEEP) {
            ngx_rbl_bytes_free(b);
        }

        b->from = b->to = 0;
    }

    if (b->room - b->to >= least) {
        return b->start + b->to;
    }

    if (b->from >= used && b->room - used >= least) {
        ngx_memcpy(b->start, b->start + b->from, used);

    } else {
        room = ngx_max(2 * (used + least), NGX_RBL_BYTES_FIRST);
        start = ngx_alloc(room, log);

        if (start == NULL) {
            return NULL;
        }

        if (b->start != NULL) {
            ngx_memcpy(start, b->start + b->from, used);
            ngx_free(b->start);
        }

        b->start = start;
        b->room = room;
    }

    b->from = 0;
    b->to = used;

    return b->start + used;
}


void
ngx_rbl_bytes_free(ngx_rbl_bytes_t *b)
{
    if (b->start != NULL) {
        ngx_free(b->start);
    }

    ngx_memzero(b, sizeof(ngx_rbl_bytes_t));
}
