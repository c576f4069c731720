/*
 * rblctl fsck: the index of users by their mail address.
 */

#include "client.h"
#include "fsck.h"

#include <stdio.h>
#include <time.h>

#define FSCK_MAIL_NEW  60               /* s: it may not be in the index yet */


/* 1: the member is in the index, and its place says whether the user has
   confirmed the address; 0; -1: error printed. */
static int
fsck_mail_has(fsck_t *f, rbl_str_t key, rbl_str_t member, int confirmed)
{
    int          rc;
    rbl_str_t    score;
    redisReply  *reply;

    reply = ctl_command(f->ctl, RBL_COMMAND("ZSCORE", key, member));
    score = reply ? rbl_reply_str(reply) : RBL_STR("");
    rc = reply == NULL ? -1
         : score.n > 0 && rbl_str_is(score, "inf") == !confirmed;
    freeReplyObject(reply);

    return rc;
}


static int
fsck_mail_user(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    int         rc;
    char        member[2 * RBL_SID_MAX + 2];
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

    rc = fsck_mail_has(f, rbl_str(key.s), rbl_str(member), user.confirmed > 0);
    if (rc != 0) {
        return rc < 0 ? -1 : 0;
    }

    if (f->repair && ctl_mail_add(ctl, user.mail, account, sid,
                                  user.confirmed) != 0)
    {
        return -1;
    }

    fsck_add(f, account, RBL_STR("mail"), sid,
             RBL_STR("is not found by the user's mail address"), f->repair);

    return 0;
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
fsck_mail_right(fsck_t *f, rbl_str_t key, rbl_str_t account, rbl_str_t user)
{
    int          rc;
    rbl_key_t    record, mail;
    rbl_user_t   u;
    redisReply  *reply;

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
fsck_mail_member(fsck_t *f, rbl_str_t key, rbl_str_t member)
{
    int          rc;
    rbl_sid_t    account, user;
    rbl_str_t    parts[2];
    redisReply  *reply;

    parts[0] = (rbl_str_t) { member.p, RBL_SID_LEN };
    parts[1] = (rbl_str_t) { member.p + RBL_SID_LEN + 1, RBL_SID_LEN };

    rc = member.n == 2 * RBL_SID_LEN + 1 && member.p[RBL_SID_LEN] == ':'
         && rbl_sid_parse(&account, RBL_SID_ACCOUNT, parts[0]) == RBL_OK
         && rbl_sid_parse(&user, RBL_SID_USER, parts[1]) == RBL_OK
         ? fsck_mail_right(f, key, parts[0], parts[1]) : 0;

    if (rc != 0) {
        return rc < 0 ? -1 : 0;
    }

    if (f->repair) {
        reply = ctl_command(f->ctl, RBL_COMMAND("ZREM", key, member));
        if (reply == NULL) {
            return -1;
        }

        freeReplyObject(reply);
    }

    fsck_add(f, RBL_STR(""), RBL_STR("mail"), member,
             RBL_STR("is no user with that mail address"), f->repair);

    return 0;
}


/* 1: the key is a sorted set; 0: it is not, which is reported; -1. */
static int
fsck_mail_type(fsck_t *f, rbl_str_t key)
{
    int          rc;
    redisReply  *reply;

    reply = ctl_command(f->ctl, RBL_COMMAND("TYPE", key));
    rc = reply == NULL ? -1 : rbl_str_is(rbl_reply_str(reply), "zset");
    freeReplyObject(reply);

    if (rc != 0) {
        return rc;
    }

    if (f->repair) {
        reply = ctl_command(f->ctl, RBL_COMMAND("DEL", key));
        if (reply == NULL) {
            return -1;
        }

        freeReplyObject(reply);
    }

    fsck_add(f, RBL_STR(""), RBL_STR("type"), key, RBL_STR("is not a zset"),
             f->repair);

    return 0;
}


static int
fsck_mail_key(fsck_t *f, rbl_str_t key)
{
    int          rc;
    size_t       i;
    redisReply  *reply;

    rc = fsck_mail_type(f, key);
    if (rc <= 0) {
        return rc;
    }

    reply = ctl_command(f->ctl, RBL_COMMAND("ZRANGE", key, RBL_STR("0"),
                        RBL_STR("-1")));
    if (reply == NULL) {
        return -1;
    }

    for (i = 0, rc = 0; i < rbl_reply_len(reply) && rc == 0; i++) {
        rc = fsck_mail_member(f, key, rbl_reply_str(rbl_reply_at(reply, i)));
    }

    freeReplyObject(reply);

    return rc;
}


static int
fsck_mail_page(fsck_t *f, const redisReply *page)
{
    int     rc;
    size_t  i;

    for (i = 0, rc = 0; i < rbl_reply_len(page) && rc == 0; i++) {
        rc = fsck_mail_key(f, rbl_reply_str(rbl_reply_at(page, i)));
    }

    return rc;
}


int
fsck_mail(fsck_t *f)
{
    return fsck_keys(f, "mail:", fsck_mail_page);
}
