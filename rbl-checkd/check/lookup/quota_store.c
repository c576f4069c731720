/*
 * The quota's calls of the store: list_grant and list_told.
 *
 * A reply may be late: a grant begins at the reply, and its end is counted from
 * the call.
 */

#include "base/log.h"
#include "quota_int.h"

#define AGAIN_MOST   1.0                /* s to the next attempt */
#define STORE_AGAIN  0.5


static double
seconds(int64_t ms)
{
    return (double) ms / 1000;
}


static unsigned
partition_of(const quota_list_t *ql)
{
    return rbl_partition(store_keyspace(ql->quota->store), rbl_str(ql->sid));
}


static rbl_str_t
key_of(const quota_list_t *ql, rbl_key_t *key)
{
    return rbl_key(key, store_keyspace(ql->quota->store), partition_of(ql),
                   "list", rbl_str(ql->sid), RBL_STR(""));
}


/* --- list_grant ---------------------------------------------------------- */


/* Other daemons counted refusals: this one continues their back-off. */

static void
refused_before(quota_list_t *ql, const rbl_list_grant_reply_t *said)
{
    if (said->refused > 0) {
        ql->times = said->refused;
    }
}


static void
granted(quota_list_t *ql, const rbl_list_grant_reply_t *said)
{
    double  now;

    now = clock_now();
    ql->n = said->n;
    ql->spent = 0;
    ql->from = now + seconds(said->wait);
    ql->till = ql->sent + seconds(said->wait) + seconds(said->life);
    ql->left = said->left;
    ql->said = 0;
    refused_before(ql, said);

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


/* Callers with more patience than that wait, and the store is called again. */

static void
not_before(quota_list_t *ql, double wait)
{
    quota_give_up(ql, QUOTA_USED_UP, clock_now() + wait);
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
    double                  wait;
    quota_list_t           *ql = data;
    rbl_list_grant_reply_t  said;

    ql->asking = 0;
    rbl_list_grant_reply(&said, reply);
    wait = seconds(said.wait);

    switch (said.word) {

    case RBL_LIST_GRANT_OK:
        granted(ql, &said);
        break;

    case RBL_LIST_GRANT_BLOCKED:
        blocked(ql, wait, said.refused);
        break;

    case RBL_LIST_GRANT_USED:
        used_up(ql);
        quota_refuse(ql, QUOTA_USED_UP, wait < AGAIN_MOST ? wait : AGAIN_MOST);
        not_before(ql, wait);
        break;

    case RBL_LIST_GRANT_LATE:
        not_before(ql, wait);
        break;

    default:
        if (store_away(ql->quota->store, partition_of(ql)) > STORE_AWAY_LONG) {
            quota_give_up(ql, QUOTA_USED_UP, ql->latest);
        }

        quota_again(ql, STORE_AGAIN);
    }

    quota_serve(ql);
}


static void
grant(quota_list_t *ql, store_reply_pt done, int64_t want, int64_t patience)
{
    char                   number[4][RBL_OUT_INT];
    rbl_key_t              key;
    rbl_list_grant_args_t  args;

    args.list = key_of(ql, &key);
    args.want = rbl_out_int_text(number[0], want);
    args.rate = rbl_out_int_text(number[1], ql->rate);
    args.quota = rbl_out_int_text(number[2], ql->day);
    args.patience = rbl_out_int_text(number[3], patience);

    store_call(ql->quota->store, list_grant, done, ql, args);
}


/* Requests a quarter more than needed if many tokens were spent lately. */

void
quota_ask(quota_list_t *ql)
{
    if (ql->asking) {
        return;
    }

    ql->asking = 1;
    ql->sent = clock_now();
    ql->granted_rate = ql->rate;

    grant(ql, on_grant, ql->n_waits + quota_recent(ql, ql->sent) / 4,
          ql->latest > ql->sent
          ? (int64_t) ((ql->latest - ql->sent) * 1000) : 0);
}


static void
on_look(void *data, const redisReply *reply)
{
    quota_list_t           *ql = data;
    rbl_list_grant_reply_t  said;

    ql->looking = 0;
    rbl_list_grant_reply(&said, reply);

    if (ql->reporting || said.word == RBL_LIST_GRANT_NONE) {
        return;
    }

    if (said.word == RBL_LIST_GRANT_BLOCKED) {
        blocked(ql, seconds(said.wait), said.refused);
        return;
    }

    if (ql->refused == QUOTA_BLOCKED && !ql->unreported) {
        ql->refused = QUOTA_GO;
    }

    if (said.word == RBL_LIST_GRANT_OK) {
        ql->left = said.left;
        refused_before(ql, &said);

    } else if (said.word == RBL_LIST_GRANT_USED) {
        ql->left = 0;
    }
}


void
quota_look(quota_list_t *ql)
{
    if (ql->looking || ql->reporting) {
        return;
    }

    ql->looking = 1;
    grant(ql, on_look, 0, 0);
}


/* --- list_told ----------------------------------------------------------- */


static void
on_report(void *data, const redisReply *reply)
{
    quota_list_t          *ql = data;
    rbl_list_told_reply_t  said;

    ql->reporting = 0;
    rbl_list_told_reply(&said, reply);

    if (said.word != RBL_LIST_TOLD_OK) {
        quota_give_up(ql, QUOTA_BLOCKED, ql->latest);
        return;
    }

    if (ql->reported) {
        ql->unreported = 0;

    } else if (ql->unreported) {        /* it has refused meanwhile */
        if (quota_unreported(ql)) {
            quota_report(ql, 1);
        }

        return;
    }

    if (said.wait > 0) {
        blocked(ql, seconds(said.wait), said.refused);

    } else if (ql->refused == QUOTA_BLOCKED || ql->times > 0) {
        ql->times = 0;
        ql->refused = QUOTA_GO;
        log_notice("list %s responds again", ql->list->zone);
    }

    if (said.begins > 0) {
        log_notice("list %s refuses queries: it gets none for %lld s",
                   ql->list->zone, (long long) (said.wait / 1000));
    }
}


void
quota_report(quota_list_t *ql, int refused)
{
    char                  number[RBL_OUT_INT];
    rbl_key_t             key;
    rbl_list_told_args_t  args;

    if (ql->reporting) {
        return;
    }

    ql->reporting = 1;
    ql->reported = refused != 0;
    args.list = key_of(ql, &key);
    args.refused = rbl_out_int_text(number, refused);

    store_call(ql->quota->store, list_told, on_report, ql, args);
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
