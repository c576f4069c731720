/*
 * Webhook receivers: what rblctl and the portal both need.
 */

#ifndef RBL_HOOK_H_INCLUDED
#define RBL_HOOK_H_INCLUDED

#include "rbl_out.h"
#include "rbl_reply.h"
#include "rbl_script.h"
#include "rbl_sid.h"

#define RBL_HOOK_TYPES_MAX   16         /* types that a receiver may name */
#define RBL_HOOK_DAYS_MAX    30         /* age of the log's entries */
#define RBL_HOOK_LOG_MAX     1000       /* attempts shown at a time */
#define RBL_HOOK_SLICE       "40"       /* letters per call of hook_replay */
#define RBL_HOOK_TEST_TYPE   "webhook.test"

/* The time (s) that an old secret remains valid. */
#define RBL_HOOK_OVERLAP      86400
#define RBL_HOOK_OVERLAP_MAX  (30 * 86400)

/* Event types; NULL ends them. */
extern const char *const  rbl_hook_types[];

int rbl_hook_type_known(rbl_str_t type);

/* The failures of a receiver, hook:<AC>:<WH>. */
typedef struct {
    int64_t  since;                     /* ms; 0: it does not fail */
    int64_t  fails;                     /* failed attempts since then */
    int64_t  till;                      /* paused until then (ms); 0: not */
} rbl_hook_failing_t;

/* The arguments of HMGET behind the key, and the decoder of its reply. */
#define RBL_HOOK_FAILING                                                      \
    RBL_STR("since"), RBL_STR("fails"), RBL_STR("till")
#define RBL_HOOK_FAILING_N  3

void rbl_hook_failing(rbl_hook_failing_t *v, const redisReply *reply,
    int64_t now);

/* Writes the body of a test event. */
void rbl_hook_test_body(rbl_out_t *out, const rbl_sid_t *event, int64_t now);

/* Parses 2026-11-20 or 2026-11-20T09:30:00, with an optional "Z" or "+00:00",
   into ms.  RBL_EINVAL: another text. */
rbl_err_t rbl_hook_time(int64_t *ms, const char *text);

#endif /* RBL_HOOK_H_INCLUDED */
