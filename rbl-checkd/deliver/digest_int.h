/*
 * Messages of a digest: declarations of digest_make.c and digest_host.c.
 */

#ifndef DELIVER_DIGEST_INT_H_INCLUDED
#define DELIVER_DIGEST_INT_H_INCLUDED

#include "deliver/message/message.h"
#include "digest_make.h"

/* Memory of the messages; freed at once. */
typedef struct digest_room_s  digest_room_t;

typedef struct {
    message_t              message;
    const rbl_timezone_t  *zone;
    size_t                 n_lists;
    rbl_list_t            *list;        /* by their SIDs */
    digest_room_t         *rooms;
    int                    failed;      /* a message has no SID */
} digest_work_t;

/* Takes the lists of the reply; skips malformed ones. */
void digest_lists(digest_work_t *w, const redisReply *lists);

/* 0; -1: its record cannot be read. */
int digest_host(digest_work_t *w, message_host_t *h, rbl_str_t raw,
    message_state_t state);

void digest_rooms_free(digest_work_t *w);

#endif /* DELIVER_DIGEST_INT_H_INCLUDED */
