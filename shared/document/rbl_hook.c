/*
 * Webhook receivers: event types, failures, the test event, times of a span.
 */

#include "rbl_hook.h"

#include "rbl_doc.h"
#include "rbl_time.h"

#include <time.h>


const char *const  rbl_hook_types[] = {
    "rbl.host.check.started", "rbl.host.check.completed", "rbl.host.listed",
    "rbl.host.delisted", "billing.balance.alert", "billing.recharge.success",
    "billing.recharge.failed", "billing.renewal.success",
    "billing.renewal.failed", "expiring.card.alert", "expiring.plan.alert",
    NULL
};


int
rbl_hook_type_known(rbl_str_t type)
{
    int  i;

    for (i = 0; rbl_hook_types[i] != NULL; i++) {
        if (rbl_str_is(type, rbl_hook_types[i])) {
            return 1;
        }
    }

    return 0;
}


void
rbl_hook_failing(rbl_hook_failing_t *v, const redisReply *reply, int64_t now)
{
    enum { SINCE = 0, FAILS, TILL };

    v->since = rbl_reply_int(rbl_reply_at(reply, SINCE), 0);
    v->fails = rbl_reply_int(rbl_reply_at(reply, FAILS), 0);
    v->till = rbl_reply_int(rbl_reply_at(reply, TILL), 0);

    if (v->till < now) {
        v->till = 0;
    }
}


void
rbl_hook_test_body(rbl_out_t *out, const rbl_sid_t *event, int64_t now)
{
    char       date[RBL_TIME_LEN];
    rbl_doc_t  doc;

    rbl_doc_begin(&doc, out, RBL_JSON);
    rbl_doc_str(&doc, "event_sid", rbl_sid_str(event));
    rbl_doc_z(&doc, "event_type", RBL_HOOK_TEST_TYPE);
    rbl_doc_str(&doc, "event_date", rbl_time_rfc3339(date, now));
    rbl_doc_z(&doc, "message", "This is a test of your webhook.");
    rbl_doc_end(&doc);
}


rbl_err_t
rbl_hook_time(int64_t *ms, const char *text)
{
    struct tm    tm;
    const char  *end;

    memset(&tm, 0, sizeof(tm));
    end = strptime(text, "%Y-%m-%d", &tm);

    if (end != NULL && *end == 'T') {
        end = strptime(end + 1, "%H:%M:%S", &tm);
    }

    if (end == NULL
        || (*end != '\0' && strcmp(end, "Z") != 0
            && strcmp(end, "+00:00") != 0))
    {
        return RBL_EINVAL;
    }

    *ms = (int64_t) timegm(&tm) * 1000;

    return RBL_OK;
}
