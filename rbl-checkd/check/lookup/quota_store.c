/*
 * The quota's calls of the store: list_grant and list_told.
 *
 * A reply may be late: the grant's time is counted to its end from when the
 * store was asked, and to its beginning from when the reply came.
 */

#include "base/log.h"
#include "quota_int.h"

#include <stdio.h>

#define AGAIN_MOST   1.0                /* s to the next try */
#define STORE_AGAIN  0.5

typedef struct {
    char        digits[4][24];
    rbl_key_t   key;
    rbl_str_t   argv[5];
} args_t;


static int64_t
number(const redisReply *reply, size_t i)
{
    int64_t  n;

    n = rbl_reply_int(rbl_reply_at(reply, i), 0);

    return n > 0 ? n : 0;
}


static double
seconds(const redisReply *reply, size_t i)
{
    return (double) number(reply, i) / 1000;
}


static void
send_script(quota_list_t *ql, const rbl_script_t *script, store_reply_pt done,
    int n, const int64_t *numbers)
{
    int                    i;
    args_t                 a;
    const rbl_keyspace_t  *ks;

    ks = store_keyspace(ql->quota->store);
    a.argv[0] = rbl_key(&a.key, ks, rbl_partition(ks, rbl_str(ql->sid)),
                        "list", rbl_str(ql->sid), RBL_STR(""));

    for (i = 0; i < n; i++) {
        snprintf(a.digits[i], sizeof(a.digits[i]), "%lld",
                 (long long) numbers[i]);
        a.argv[i + 1] = rbl_str(a.digits[i]);
    }

    store_script(ql->quota->store, script, done, ql, n + 1, a.argv);
}


/* --- list_grant ---------------------------------------------------------- */


/* Others were refused: whoever is answered ends that. */

static void
refused_before(quota_list_t *ql, const redisReply *reply)
{
    if (number(reply, 5) > 0) {
        ql->times = number(reply, 5);
    }
}


static void
granted(quota_list_t *ql, const redisReply *reply)
{
    double  now;

    now = quota_now();
    ql->n = number(reply, 1);
    ql->spent = 0;
    ql->from = now + seconds(reply, 2);
    ql->till = ql->sent + seconds(reply, 2) + seconds(reply, 3);
    ql->left = rbl_reply_int(rbl_reply_at(reply, 4), -1);
    ql->said = 0;
    refused_before(ql, reply);

    if (ql->till <= now) {
        ql->n = 0;
    }
}


static void
used_up(quota_list_t *ql)
{
    ql->left = 0;

    if (!ql->said) {
        log_notice("list %s: the quota of %lld queries a day (UTC) is used up",
                   ql->list->zone, (long long) ql->day);
        ql->said = 1;
    }
}


/* Who has more patience than that waits, and the store is asked again. */

static void
not_before(quota_list_t *ql, double wait)
{
    quota_give_up(ql, QUOTA_USED_UP, quota_now() + wait);
    quota_again(ql, wait < AGAIN_MOST ? wait : AGAIN_MOST);
}


static void
blocked(quota_list_t *ql, double wait, int64_t times)
{
    ql->times = times;
    quota_refuse(ql, QUOTA_BLOCKED, wait);
    quota_give_up(ql, QUOTA_BLOCKED, ql->latest);
}


static void
on_grant(void *data, const redisReply *reply)
{
    double         wait;
    rbl_str_t      word;
    quota_list_t  *ql = data;

    ql->asking = 0;
    word = rbl_reply_word(reply);
    wait = seconds(reply, 1);

    if (rbl_str_is(word, "OK")) {
        granted(ql, reply);

    } else if (rbl_str_is(word, "BLOCKED")) {
        blocked(ql, wait, number(reply, 2));

    } else if (rbl_str_is(word, "USED")) {
        used_up(ql);
        quota_refuse(ql, QUOTA_USED_UP, wait < AGAIN_MOST ? wait : AGAIN_MOST);
        not_before(ql, wait);

    } else if (rbl_str_is(word, "LATE")) {
        not_before(ql, wait);

    } else {
        quota_again(ql, STORE_AGAIN);
    }

    quota_serve(ql);
}


/* A quarter more than is wanted where much has been spent lately. */

void
quota_ask(quota_list_t *ql)
{
    int64_t  numbers[4];

    if (ql->asking) {
        return;
    }

    ql->asking = 1;
    ql->sent = quota_now();
    ql->granted_rate = ql->rate;

    numbers[0] = ql->n_waits + quota_recent(ql, ql->sent) / 4;
    numbers[1] = ql->rate;
    numbers[2] = ql->day;
    numbers[3] = ql->latest > ql->sent
                 ? (int64_t) ((ql->latest - ql->sent) * 1000) : 0;

    send_script(ql, &rbl_script_list_grant, on_grant, 4, numbers);
}


static void
on_look(void *data, const redisReply *reply)
{
    rbl_str_t      word;
    quota_list_t  *ql = data;

    ql->looking = 0;
    word = rbl_reply_word(reply);

    if (ql->telling || word.n == 0) {
        return;
    }

    if (rbl_str_is(word, "BLOCKED")) {
        blocked(ql, seconds(reply, 1), number(reply, 2));
        return;
    }

    if (ql->refused == QUOTA_BLOCKED && !ql->untold) {
        ql->refused = QUOTA_GO;
    }

    if (rbl_str_is(word, "OK")) {
        ql->left = rbl_reply_int(rbl_reply_at(reply, 4), -1);
        refused_before(ql, reply);

    } else if (rbl_str_is(word, "USED")) {
        ql->left = 0;
    }
}


void
quota_look(quota_list_t *ql)
{
    int64_t  numbers[4] = { 0, 0, 0, 0 };

    if (ql->looking || ql->telling) {
        return;
    }

    ql->looking = 1;
    numbers[1] = ql->rate;
    numbers[2] = ql->day;

    send_script(ql, &rbl_script_list_grant, on_look, 4, numbers);
}


/* --- list_told ----------------------------------------------------------- */


static void
on_told(void *data, const redisReply *reply)
{
    quota_list_t  *ql = data;

    ql->telling = 0;

    if (!rbl_str_is(rbl_reply_word(reply), "OK")) {
        quota_give_up(ql, QUOTA_BLOCKED, ql->latest);
        return;
    }

    if (ql->told) {
        ql->untold = 0;

    } else if (ql->untold) {            /* it has refused meanwhile */
        if (quota_to_tell(ql)) {
            quota_tell(ql, 1);
        }

        return;
    }

    if (number(reply, 1) > 0) {
        blocked(ql, seconds(reply, 1), number(reply, 2));

    } else if (ql->refused == QUOTA_BLOCKED || ql->times > 0) {
        ql->times = 0;
        ql->refused = QUOTA_GO;
        log_notice("list %s responds again", ql->list->zone);
    }

    if (number(reply, 3) > 0) {
        log_notice("list %s refuses queries: it gets none for %lld s",
                   ql->list->zone, (long long) (number(reply, 1) / 1000));
    }
}


void
quota_tell(quota_list_t *ql, int refused)
{
    int64_t  numbers[1];

    if (ql->telling) {
        return;
    }

    ql->telling = 1;
    ql->told = refused != 0;
    numbers[0] = refused;

    send_script(ql, &rbl_script_list_told, on_told, 1, numbers);
}


void
quota_probe_after(quota_t *quota, double seconds)
{
    quota->probe_every = seconds;

    if (seconds < quota->look.repeat) {
        quota->look.repeat = seconds;
        ev_timer_again(quota->loop, &quota->look);
    }
}
