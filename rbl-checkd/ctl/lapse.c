#include "lapse.h"


int
ctl_lapse_show(ctl_t *ctl, const rbl_sid_t *sid, json_t *v)
{
    char            kept[CTL_DECIMAL];
    int64_t         lapsed;
    rbl_key_t       key;
    rbl_str_t       last;
    redisReply     *reply;
    rbl_account_t   a;

    if (ctl_account_load(ctl, sid, &a, &reply) != 0) {
        return -1;
    }

    lapsed = a.lapsed;
    last = ctl_decimal(kept, a.kept);
    freeReplyObject(reply);

    if (lapsed == 0) {
        return 0;
    }

    reply = ctl_command(ctl, RBL_COMMAND("ZCOUNT",
                        rbl_account_key(&key, &ctl->ks, "hosts",
                                        rbl_sid_str(sid), RBL_STR("")),
                        RBL_STR("-inf"), last));
    if (reply == NULL) {
        return -1;
    }

    json_object_set_new(v, "lapsed", ctl_time(lapsed));
    json_object_set_new(v, "checked",
                        json_integer(rbl_reply_int(reply, 0)));
    freeReplyObject(reply);

    return 0;
}
