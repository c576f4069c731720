/*
 * rblctl doctor: accounts.  Does each have lists, and does a message reach a
 * person or a program?  Of a large installation it looks at some accounts of
 * each partition, and of a large account at some of its objects; the reasons
 * say how many.
 */

#include "doctor.h"

#include "base/clock.h"
#include "rbl_coverage.h"

#include <stdio.h>
#include <time.h>

#define ACCOUNTS_TIME     5.0           /* s for all accounts */
#define ACCOUNTS_GROUPS   "49"          /* rank of the last group that is
                                           looked at, */
#define ACCOUNTS_HOOKS    "19"          /* receiver, */
#define ACCOUNTS_HOSTS    "19"          /* host, for its family */
#define ACCOUNTS_NAMED    3             /* objects in a reason */
#define HOOK_FAILS        5             /* in a row: its circuit is open */

/* Objects with a fault. */
typedef struct {
    unsigned  n;
    char      text[400];
    char      account[40], object[40];  /* SIDs of the first */
} found_t;

typedef struct {
    doctor_t   *d;
    ctl_t      *ctl;
    unsigned    p;                      /* partition */
    int64_t     now;                    /* ms */
    int64_t     seen, all;              /* accounts */
    int         mute;                   /* of the account: no receiver is on */
    found_t     groups, silent, hooks, uncovered;
} accounts_t;


static void
found(found_t *f, rbl_str_t account, rbl_str_t object, rbl_str_t name)
{
    size_t  at = strlen(f->text);

    if (f->n++ == 0) {
        rbl_copy(f->account, sizeof(f->account), account);
        rbl_copy(f->object, sizeof(f->object), object);
    }

    if (f->n <= ACCOUNTS_NAMED) {
        snprintf(f->text + at, sizeof(f->text) - at, "%s%.*s (%.*s)",
                 at > 0 ? ", " : "", (int) (name.n < 60 ? name.n : 60), name.p,
                 (int) account.n, account.p);

    } else if (f->n == ACCOUNTS_NAMED + 1) {
        snprintf(f->text + at, sizeof(f->text) - at, ", ...");
    }
}


static rbl_str_t
account_key(const accounts_t *a, rbl_key_t *key, const char *name,
    rbl_str_t account, rbl_str_t object)
{
    return rbl_key(key, &a->ctl->ks, a->p, name, account, object);
}


/* The first members of an index of the account. */
static redisReply *
account_index(const accounts_t *a, const char *index, rbl_str_t account,
    const char *last)
{
    rbl_key_t  key;

    return ctl_command(a->ctl, RBL_COMMAND("ZRANGE",
                       account_key(a, &key, index, account, RBL_STR("")),
                       RBL_STR("0"), rbl_str(last)));
}


static int64_t
account_card(const accounts_t *a, const char *index, rbl_str_t account,
    rbl_str_t object)
{
    rbl_key_t  key;

    return ctl_count(a->ctl, "ZCARD",
                     account_key(a, &key, index, account, object));
}


/* --- hosts ---------------------------------------------------------------- */

/* How many hosts of each family the account has, judged by the first ones. */
static void
account_mix(accounts_t *a, rbl_str_t account, int64_t interval, int64_t hosts)
{
    size_t         i, n;
    doctor_mix_t  *mix;
    rbl_host_t     host;
    redisReply    *sids, *records;

    if (hosts == 0 || a->d->n_mixes == DOCTOR_MIXES) {
        return;
    }

    sids = account_index(a, "hosts", account, ACCOUNTS_HOSTS);
    n = rbl_reply_len(sids);
    records = n > 0 ? ctl_records(a->ctl, sids, a->p, "r", account) : NULL;
    mix = &a->d->mix[a->d->n_mixes];
    mix->interval = interval;

    for (i = 0; records != NULL && i < n; i++) {
        if (rbl_host_decode(&host, rbl_reply_str(rbl_reply_at(records, i)))
            == RBL_OK)
        {
            mix->hosts[0] += (host.family & RBL_FAMILY_IPV4) != 0;
            mix->hosts[1] += (host.family & RBL_FAMILY_IPV6) != 0;
            mix->hosts[2] += (host.family & RBL_FAMILY_DOMAIN) != 0;
        }
    }

    for (i = 0; n > 0 && i < 3; i++) {
        mix->hosts[i] *= (double) hosts / (double) n;
    }

    a->d->n_mixes++;
    freeReplyObject(sids);
    freeReplyObject(records);
}


double
doctor_checks(const doctor_t *d, unsigned family, int64_t least)
{
    size_t   i;
    double   sum = 0;
    int64_t  interval;

    for (i = 0; i < d->n_mixes; i++) {
        interval = d->mix[i].interval > least ? d->mix[i].interval : least;
        sum += interval > 0 ? d->mix[i].hosts[family] * 86400
                              / (double) interval : 0;
    }

    return sum * d->scale;
}


/* Does at least one active list apply to the hosts? */
static void
account_coverage(accounts_t *a, const rbl_account_t *account)
{
    rbl_key_t        key;
    rbl_str_t        raw;
    redisReply      *reply;
    rbl_coverage_t   c;

    reply = ctl_command(a->ctl, RBL_COMMAND("GET",
                        account_key(a, &key, "coverage", account->id,
                                    RBL_STR(""))));
    raw = rbl_reply_str(reply);

    if (raw.n > 0 && rbl_coverage_read(&c, raw, account->interval,
                                       a->now / 1000) == RBL_OK
        && c.asked == 0)
    {
        found(&a->uncovered, account->id, RBL_STR(""), account->name);
    }

    freeReplyObject(reply);
}


/* --- receivers ------------------------------------------------------------ */

static void
hook_failing(accounts_t *a, rbl_str_t account, const rbl_hook_t *hook)
{
    rbl_key_t    key;
    redisReply  *reply;

    reply = ctl_command(a->ctl, RBL_COMMAND("HGET",
                        account_key(a, &key, "hook", account, hook->id),
                        RBL_STR("fails")));

    if (rbl_reply_int(reply, 0) >= HOOK_FAILS) {
        found(&a->hooks, account, hook->id, hook->name);
    }

    freeReplyObject(reply);
}


static void
hook_url(doctor_t *d, rbl_str_t url)
{
    size_t  i;

    for (i = 0; i < d->n_urls; i++) {
        if (rbl_str_is(url, d->url_of[i])) {
            return;
        }
    }

    if (d->n_urls < DOCTOR_URLS && url.n < DOCTOR_URL) {
        rbl_copy(d->url_of[d->n_urls++], DOCTOR_URL, url);
    }
}


/* Receivers that were disabled because they failed, or that fail. */
static void
account_hooks(accounts_t *a, rbl_str_t account)
{
    size_t       i, n;
    rbl_hook_t   hook;
    redisReply  *sids, *records;

    a->mute = 1;
    sids = account_index(a, "hooks", account, ACCOUNTS_HOOKS);
    n = rbl_reply_len(sids);
    records = n > 0 ? ctl_records(a->ctl, sids, a->p, "s", account) : NULL;

    for (i = 0; records != NULL && i < n; i++) {
        if (rbl_hook_decode(&hook, rbl_reply_str(rbl_reply_at(records, i)))
            != RBL_OK)
        {
            continue;
        }

        if (rbl_str_is(hook.status, "active")) {
            a->mute = 0;
            hook_url(a->d, hook.url);
            hook_failing(a, account, &hook);

        } else if (hook.reason.n > 0) {
            found(&a->hooks, account, hook.id, hook.name);
        }
    }

    freeReplyObject(sids);
    freeReplyObject(records);
}


/* Contacts that are unconfirmed or paused matter if there is no other one. */
static void
account_contacts(accounts_t *a, const rbl_account_t *account)
{
    int64_t  all, active;

    all = account_card(a, "contacts", account->id, RBL_STR(""));
    active = account_card(a, "hears", account->id, RBL_STR(""));

    if (all > 0 && active == 0 && a->mute) {
        found(&a->silent, account->id, RBL_STR(""), account->name);
    }
}


/* A group with hosts and without an active contact. */
static void
account_group(accounts_t *a, const rbl_account_t *account, rbl_str_t group)
{
    char         field[48];
    int64_t      hosts;
    rbl_key_t    key;
    redisReply  *reply;

    snprintf(field, sizeof(field), "%.*s:h", (int) group.n, group.p);
    reply = ctl_command(a->ctl, RBL_COMMAND("HGET",
                        account_key(a, &key, "refs", account->id, RBL_STR("")),
                        rbl_str(field)));
    hosts = rbl_reply_int(reply, 0);
    freeReplyObject(reply);

    if (hosts > 0 && account_card(a, "hears", account->id, group) == 0) {
        found(&a->groups, account->id, RBL_STR(""), account->name);
    }
}


/* Without a receiver each group needs a contact. */
static void
account_groups(accounts_t *a, const rbl_account_t *account)
{
    size_t       i;
    redisReply  *groups;

    if (!a->mute) {
        return;
    }

    groups = account_index(a, "groups", account->id, ACCOUNTS_GROUPS);

    for (i = 0; i < rbl_reply_len(groups); i++) {
        account_group(a, account, rbl_reply_str(rbl_reply_at(groups, i)));
    }

    freeReplyObject(groups);
}


/* --- all accounts --------------------------------------------------------- */

static void
account_look(accounts_t *a, rbl_str_t raw)
{
    int64_t        hosts;
    rbl_account_t  account;

    if (rbl_account_decode(&account, raw) != RBL_OK
        || !rbl_str_is(account.status, "active"))
    {
        return;
    }

    hosts = account_card(a, "hosts", account.id, RBL_STR(""));
    account_hooks(a, account.id);

    if (hosts > 0) {
        account_contacts(a, &account);
        account_groups(a, &account);
        account_coverage(a, &account);
        account_mix(a, account.id, account.interval, hosts);
    }
}


/* The first accounts of a partition. */
static void
accounts_of(accounts_t *a, const char *last)
{
    size_t       i, n;
    rbl_str_t    none = RBL_STR("");
    rbl_key_t    key;
    redisReply  *sids, *records;

    sids = ctl_command(a->ctl, RBL_COMMAND("ZRANGE",
                       ctl_key(a->ctl, &key, a->p, "accounts"), RBL_STR("0"),
                       rbl_str(last)));
    n = rbl_reply_len(sids);
    records = n > 0 ? ctl_records(a->ctl, sids, a->p, "acct", none) : NULL;

    for (i = 0; records != NULL && i < n && a->seen < DOCTOR_MIXES
                && clock_now() < a->d->end; i++)
    {
        a->seen++;
        account_look(a, rbl_reply_str(rbl_reply_at(records, i)));
    }

    freeReplyObject(sids);
    freeReplyObject(records);
}


/* The remedy ends with a command about the first object. */
static void
accounts_say(accounts_t *a, doctor_id_t id, const found_t *f, const char *what,
    const char *remedy, const char *rest)
{
    char  line[DOCTOR_REMEDY], looked[80] = "";

    if (a->seen < a->all) {
        snprintf(looked, sizeof(looked), " (in %lld of %lld accounts)",
                 (long long) a->seen, (long long) a->all);
    }

    if (f->n > 0) {
        snprintf(line, sizeof(line), "%s %s%s%s%s", remedy, f->account,
                 f->object[0] != '\0' ? " " : "", f->object, rest);
        doctor_say(a->d, id, DOCTOR_DEGRADED, line, "%s: %u%s: %s", what, f->n,
                   looked, f->text);
    } else {
        doctor_say(a->d, id, DOCTOR_GOOD, NULL, "%s: none%s", what, looked);
    }
}


static void
accounts_unknown(doctor_t *d, const char *why)
{
    size_t  i;

    static const doctor_id_t  rows[] = {
        DOCTOR_ACCOUNTS, DOCTOR_ACCOUNT_LISTS, DOCTOR_GROUPS, DOCTOR_CONTACTS,
        DOCTOR_RECEIVERS
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        doctor_say(d, rows[i], DOCTOR_UNKNOWN, NULL, "%s", why);
    }
}


/* Adds the rows. */
static void
accounts_rows(accounts_t *a)
{
    if (a->all == 0) {
        doctor_say(a->d, DOCTOR_ACCOUNTS, DOCTOR_DEGRADED, NULL, "there is no"
                   " account");
    } else {
        doctor_say(a->d, DOCTOR_ACCOUNTS, DOCTOR_GOOD, NULL, "accounts: %lld",
                   (long long) a->all);
    }

    accounts_say(a, DOCTOR_ACCOUNT_LISTS, &a->uncovered, "accounts with hosts"
                 " to which no active list applies", "choose lists in their"
                 " profiles in the portal, or enable some by rblctl lists"
                 " enable; try: rblctl account show", "");
    accounts_say(a, DOCTOR_GROUPS, &a->groups, "groups with hosts, without an"
                 " active contact and without a webhook receiver", "add a"
                 " contact to the group in the portal, or a receiver; try:"
                 " rblctl webhook add", " NAME URL");
    accounts_say(a, DOCTOR_CONTACTS, &a->silent, "accounts whose contacts are"
                 " all unconfirmed or paused, without a webhook receiver",
                 "confirm a contact in the portal by the code that was sent to"
                 " it; try: rblctl account show", "");
    accounts_say(a, DOCTOR_RECEIVERS, &a->hooks, "webhook receivers that fail,"
                 " or were disabled since they failed", "repair the receiver;"
                 " try: rblctl webhook log", "");
}


void
doctor_accounts(doctor_t *d)
{
    char        last[CTL_DECIMAL], why[DOCTOR_REASON] = "";
    double      end = d->end;
    int64_t     n;
    rbl_key_t   key;
    ctl_t      *ctl = d->ctl;
    accounts_t  a = { .d = d, .ctl = ctl,
                      .now = (int64_t) time(NULL) * 1000 };

    ctl_catch(why, sizeof(why));
    d->end = clock_now() + ACCOUNTS_TIME < end ? clock_now() + ACCOUNTS_TIME
                                               : end;
    (void) ctl_decimal(last, DOCTOR_MIXES / ctl->ks.partitions + 15);

    for (a.p = 0; a.p < ctl->ks.partitions; a.p++) {
        if (!ctl_away(ctl, a.p)) {
            n = ctl_count(ctl, "ZCARD", ctl_key(ctl, &key, a.p, "accounts"));
            a.all += n > 0 ? n : 0;
            accounts_of(&a, last);
        }
    }

    d->end = end;
    d->scale = a.seen > 0 ? (double) a.all / (double) a.seen : 1;
    ctl_catch(NULL, 0);

    if (why[0] != '\0') {
        accounts_unknown(d, why);
    } else {
        accounts_rows(&a);
    }
}
