/*
 * The index of users by their mail address, in the partition of its hash.
 */

#include "ctl.h"

#include "rbl_contact.h"

#include <stdio.h>


int
ctl_mail_key(ctl_t *ctl, rbl_key_t *key, rbl_str_t mail)
{
    char           buf[RBL_CONTACT_MAX];
    unsigned char  digest[32];

    if (ctl_sha256(digest, rbl_contact_fold(buf, mail)) != 0) {
        return -1;
    }

    (void) rbl_hash_key(key, &ctl->ks, "mail", digest);

    return 0;
}


static int
ctl_mail_done(redisReply *reply)
{
    int  rc;

    rc = reply == NULL ? -1 : 0;
    freeReplyObject(reply);

    return rc;
}


int
ctl_mail_add(ctl_t *ctl, rbl_str_t mail, rbl_str_t account, rbl_str_t user,
    int64_t confirmed)
{
    char                 ms[RBL_OUT_INT], member[2 * RBL_SID_MAX + 2];
    rbl_key_t            key;
    rbl_mail_put_args_t  args;

    if (ctl_mail_key(ctl, &key, mail) != 0) {
        return -1;
    }

    snprintf(member, sizeof(member), "%.*s:%.*s", (int) account.n, account.p,
             (int) user.n, user.p);

    args.mail = rbl_str(key.s);
    args.member = rbl_str(member);
    args.confirmed = rbl_out_int_text(ms, confirmed);

    return ctl_mail_done(ctl_script(ctl, CTL_SCRIPT(mail_put, args)));
}


int
ctl_mail_remove(ctl_t *ctl, rbl_str_t mail, rbl_str_t account,
    rbl_str_t user)
{
    char       member[2 * RBL_SID_MAX + 2];
    rbl_key_t  key;

    if (ctl_mail_key(ctl, &key, mail) != 0) {
        return -1;
    }

    snprintf(member, sizeof(member), "%.*s:%.*s", (int) account.n, account.p,
             (int) user.n, user.p);

    return ctl_mail_done(ctl_command(ctl, RBL_COMMAND("ZREM", rbl_str(key.s),
                                     rbl_str(member))));
}
