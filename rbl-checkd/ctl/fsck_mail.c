/*
 * rblctl fsck: the index of users by their mail address.
 */

#include "client.h"
#include "fsck.h"

#include <stdio.h>
#include <time.h>

#define FSCK_MAIL_NEW  60               /* s: it may not be in the index yet */


static int
fsck_mail_script(fsck_t *f, rbl_str_t key, const char *member,
    const char *confirmed)
{
    rbl_fsck_mail_args_t  args;

    args.member = rbl_str(member);
    args.confirmed = rbl_str(confirmed);
    args.what = RBL_STR("mail");
    args.cursor = RBL_STR("0");

    return fsck_script(f, key, CTL_SCRIPT(fsck_mail, args)) < 0 ? -1 : 0;
}


static int
fsck_mail_user(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    char        member[2 * RBL_SID_MAX + 2], confirmed[CTL_DECIMAL];
    fsck_t     *f = data;
    rbl_key_t   key;
    rbl_str_t   account = f->mail_account;
    rbl_user_t  user;

    if (rbl_user_decode(&user, raw) != RBL_OK || !rbl_str_eq(user.id, sid)) {
        return 0;                       /* reported by a script */
    }

    if (user.created / 1000 > time(NULL) - FSCK_MAIL_NEW) {
        return 0;
    }

    if (ctl_mail_key(ctl, &key, user.mail) != 0) {
        return -1;
    }

    if (ctl_away(ctl, ctl_partition(ctl, rbl_str(key.s)))) {
        f->skipped = 1;
        return 0;
    }

    snprintf(member, sizeof(member), "%.*s:%.*s", (int) account.n, account.p,
             (int) sid.n, sid.p);
    (void) ctl_decimal(confirmed, user.confirmed);

    return fsck_mail_script(f, rbl_str(key.s), member, confirmed);
}


int
fsck_mail_users(fsck_t *f, rbl_str_t account)
{
    rbl_key_t  key;

    f->mail_account = account;

    return ctl_each(f->ctl, rbl_account_key(&key, &f->ctl->ks, "users",
                                            account, RBL_STR("")),
                    rbl_partition(&f->ctl->ks, account), "user", account,
                    fsck_mail_user, f);
}


/* 1: the member is a user with an address of that key; 0; -1: error printed. */
static int
fsck_mail_right(fsck_t *f, rbl_str_t key, rbl_str_t member)
{
    int          rc;
    rbl_key_t    record, mail;
    rbl_str_t    account, user;
    rbl_user_t   u;
    redisReply  *reply;

    if (member.n != 2 * RBL_SID_LEN + 1) {
        return 0;
    }

    account = (rbl_str_t) { member.p, RBL_SID_LEN };
    user = (rbl_str_t) { member.p + RBL_SID_LEN + 1, RBL_SID_LEN };

    if (ctl_away(f->ctl, rbl_partition(&f->ctl->ks, account))) {
        return 1;                       /* nothing is known against it */
    }

    reply = ctl_command(f->ctl, RBL_COMMAND("GET",
                        rbl_account_key(&record, &f->ctl->ks, "user", account,
                                        user)));
    if (reply == NULL) {
        return -1;
    }

    rc = 0;

    if (rbl_user_decode(&u, rbl_reply_str(reply)) == RBL_OK) {
        rc = ctl_mail_key(f->ctl, &mail, u.mail) != 0
             ? -1 : rbl_str_eq(key, rbl_str(mail.s));
    }

    freeReplyObject(reply);

    return rc;
}


static int
fsck_mail_page(fsck_t *f, const redisReply *page)
{
    int          rc, right;
    size_t       i, k;
    json_t      *member;
    rbl_str_t    key;
    const char  *text;

    for (i = 0, rc = 0; i < rbl_reply_len(page) && rc == 0; i++) {
        key = rbl_reply_str(rbl_reply_at(page, i));
        json_array_clear(f->names);
        rc = fsck_mail_script(f, key, "", "");

        json_array_foreach(f->names, k, member) {
            text = json_string_value(member);
            right = rc ? 1 : fsck_mail_right(f, key, rbl_str(text));
            rc = right > 0 ? rc : right < 0 ? -1
                 : fsck_mail_script(f, key, text, "");
        }
    }

    return rc;
}


int
fsck_mail(fsck_t *f)
{
    return fsck_keys(f, "mail:", fsck_mail_page);
}
