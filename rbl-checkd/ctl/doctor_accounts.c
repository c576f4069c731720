/*
 * rblctl doctor: accounts.  Does each have lists, and does a message reach a
 * person or a program?  Of a large installation it looks at the first accounts,
 * and of a large account at some of its objects; the reasons say how many.
 */

#include "doctor.h"

#include "base/clock.h"
#include "rbl_coverage.h"

#define ACCOUNTS_MOST  1000             /* that are looked at, */
#define ACCOUNTS_TIME   5.0             /* within so many seconds */
#define ACCOUNTS_NAMED    3             /* objects in a reason */
#define HOSTS_LAST     "19"             /* rank of the last host of an account
                                           that is looked at for its family */
#define HOOK_FAILS        5             /* in a row: its circuit is open */

/* Objects with a fault, by its kind. */
enum { UNCOVERED = 0, LONELY, SILENT, FAILING, KINDS };

static const struct {
    const char  *row, *what;
    const char  *remedy, *rest;         /* around the SIDs of the first one */
} kinds[KINDS] = {
    [UNCOVERED] = { "account_lists", "accounts with hosts to which no active"
        " list applies", "choose lists in their profiles in the portal, or"
        " enable some by rblctl lists enable; try: rblctl account show", "" },
    [LONELY] = { "groups", "groups with hosts, without an active contact and"
        " without a webhook receiver", "add a contact to the group in the"
        " portal, or a receiver; try: rblctl webhook add", " NAME URL" },
    [SILENT] = { "contacts", "accounts whose contacts are all unconfirmed or"
        " paused, without a webhook receiver", "confirm a contact in the portal"
        " by the code that was sent to it; try: rblctl account show", "" },
    [FAILING] = { "receivers", "webhook receivers that fail, or were disabled"
        " since they failed", "repair the receiver; try: rblctl webhook log",
        "" }
};

typedef struct {
    unsigned  n;
    char      text[400];                /* names of the first ones */
    char      sids[80];
} found_t;

typedef struct {
    doctor_t   *d;
    double      begun;
    unsigned    p;                      /* partition of the account, */
    rbl_str_t   account, name;          /* its SID and name, */
    int         mute;                   /* and no receiver of it is on */
    int64_t     seen, all;              /* accounts */
    double      a_day[DOCTOR_ACTIVE];   /* queries to that list for all hosts */
    found_t     found[KINDS];
} accounts_t;


/* `hook` NULL: it is about the account. */
static void
account_found(accounts_t *a, unsigned kind, const rbl_hook_t *hook)
{
    found_t    *f = &a->found[kind];
    size_t      at = strlen(f->text);
    rbl_str_t   name = hook != NULL ? hook->name : a->name;

    if (f->n++ == 0) {
        snprintf(f->sids, sizeof(f->sids), "%.*s%s%.*s", (int) a->account.n,
                 a->account.p, hook != NULL ? " " : "",
                 hook != NULL ? (int) hook->id.n : 0,
                 hook != NULL ? hook->id.p : "");
    }

    if (f->n <= ACCOUNTS_NAMED) {
        snprintf(f->text + at, sizeof(f->text) - at, "%s%.*s (%.*s)",
                 at > 0 ? ", " : "", (int) (name.n < 60 ? name.n : 60), name.p,
                 (int) a->account.n, a->account.p);

    } else if (f->n == ACCOUNTS_NAMED + 1) {
        snprintf(f->text + at, sizeof(f->text) - at, ", ...");
    }
}


static rbl_str_t
account_key(const accounts_t *a, rbl_key_t *key, const char *name,
    rbl_str_t object)
{
    return rbl_key(key, &a->d->ctl->ks, a->p, name, a->account, object);
}


static int64_t
account_card(const accounts_t *a, const char *index, rbl_str_t object)
{
    rbl_key_t  key;

    return ctl_count(a->d->ctl, "ZCARD", account_key(a, &key, index, object));
}


/* --- hosts ---------------------------------------------------------------- */

/* Adds the queries to each list for the hosts of the account.  The first hosts
   tell the share of each family. */
static void
account_queries(accounts_t *a, int64_t interval, int64_t hosts)
{
    size_t         i, k, n;
    double         of[8] = { 0 };       /* by family */
    int64_t        every;
    doctor_t      *d = a->d;
    rbl_host_t     host;
    rbl_key_t      key;
    redisReply    *sids, *records;

    sids = ctl_command(d->ctl, RBL_COMMAND("ZRANGE",
                       account_key(a, &key, "hosts", RBL_STR("")),
                       RBL_STR("0"), RBL_STR(HOSTS_LAST)));
    records = rbl_reply_len(sids) == 0 ? NULL
              : ctl_records(d->ctl, sids, a->p, "r", a->account);
    n = rbl_reply_len(records);

    for (i = 0; i < n; i++) {
        if (rbl_host_decode(&host, rbl_reply_str(rbl_reply_at(records, i)))
            == RBL_OK)
        {
            of[host.family & 7] += (double) hosts / (double) n;
        }
    }

    for (i = 0; i < d->n_lists; i++) {
        every = d->list[i]->min_interval > interval ? d->list[i]->min_interval
                                                    : interval;

        for (k = 1; k < 8 && every > 0; k++) {
            if (d->list[i]->families & (int64_t) k) {
                a->a_day[i] += of[k] * 86400 / (double) every;
            }
        }
    }

    freeReplyObject(sids);
    freeReplyObject(records);
}


/* Does at least one active list apply to the hosts? */
static void
account_coverage(accounts_t *a, const rbl_account_t *account)
{
    rbl_key_t        key;
    rbl_str_t        raw;
    redisReply      *reply;
    rbl_coverage_t   c;

    reply = ctl_command(a->d->ctl, RBL_COMMAND("GET",
                        account_key(a, &key, "coverage", RBL_STR(""))));
    raw = rbl_reply_str(reply);

    if (raw.n > 0 && rbl_coverage_read(&c, raw, account->interval,
                                       clock_date() / 1000) == RBL_OK
        && c.asked == 0)
    {
        account_found(a, UNCOVERED, NULL);
    }

    freeReplyObject(reply);
}


/* --- receivers ------------------------------------------------------------ */

static int
hook_fails(const accounts_t *a, rbl_str_t hook)
{
    int          fails;
    rbl_key_t    key;
    redisReply  *reply;

    reply = ctl_command(a->d->ctl, RBL_COMMAND("HGET",
                        account_key(a, &key, "hook", hook),
                        RBL_STR("fails")));
    fails = rbl_reply_int(reply, 0) >= HOOK_FAILS;
    freeReplyObject(reply);

    return fails;
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


/* A receiver that was disabled because it failed, or that fails. */
static int
account_hook(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    int          active;
    accounts_t  *a = data;
    rbl_hook_t   hook;

    (void) ctl;
    (void) sid;

    if (rbl_hook_decode(&hook, raw) != RBL_OK) {
        return 0;
    }

    active = rbl_str_is(hook.status, "active");

    if (active) {
        a->mute = 0;
        hook_url(a->d, hook.url);
    }

    if (active ? hook_fails(a, hook.id) : hook.reason.n > 0) {
        account_found(a, FAILING, &hook);
    }

    return 0;
}


/* Without a receiver each group with hosts needs an active contact. */
static void
account_groups(accounts_t *a)
{
    size_t       i;
    rbl_key_t    key;
    rbl_str_t    group;
    redisReply  *refs;

    refs = ctl_command(a->d->ctl, RBL_COMMAND("HGETALL",
                       account_key(a, &key, "refs", RBL_STR(""))));

    for (i = 0; i + 1 < rbl_reply_len(refs); i += 2) {
        group = rbl_reply_str(rbl_reply_at(refs, i));

        if (group.n > 2 && memcmp(group.p + group.n - 2, ":h", 2) == 0
            && rbl_reply_int(rbl_reply_at(refs, i + 1), 0) > 0)
        {
            group.n -= 2;

            if (account_card(a, "hears", group) == 0) {
                account_found(a, LONELY, NULL);
            }
        }
    }

    freeReplyObject(refs);
}


/* --- all accounts --------------------------------------------------------- */

static int
account_look(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw, void *data)
{
    int64_t        hosts;
    rbl_key_t      key;
    accounts_t    *a = data;
    rbl_str_t      none = RBL_STR("");
    rbl_account_t  account;

    if (a->seen == ACCOUNTS_MOST || clock_now() > a->begun + ACCOUNTS_TIME) {
        return 1;
    }

    a->seen++;

    if (rbl_account_decode(&account, raw) != RBL_OK
        || !rbl_str_is(account.status, "active"))
    {
        return 0;
    }

    a->account = sid;
    a->name = account.name;
    a->p = rbl_partition(&ctl->ks, sid);
    hosts = account_card(a, "hosts", none);
    a->mute = 1;
    (void) ctl_each(ctl, account_key(a, &key, "hooks", none), a->p, "s", sid,
                    account_hook, a);

    if (hosts <= 0) {
        return 0;
    }

    /* contacts that are unconfirmed or paused matter if there is no other */

    if (a->mute && account_card(a, "contacts", none) > 0
        && account_card(a, "hears", none) == 0)
    {
        account_found(a, SILENT, NULL);
    }

    if (a->mute) {
        account_groups(a);
    }

    account_coverage(a, &account);
    account_queries(a, account.interval, hosts);

    return 0;
}


/* Adds the rows. */
static void
accounts_rows(const accounts_t *a)
{
    char            looked[80] = "";
    size_t          i;
    const found_t  *f = a->found;

    if (a->all == 0) {
        doctor_say(a->d, "accounts", DEGRADED, "create an account; try: rblctl"
                   " account add Main", "there is no account");
    }

    if (a->seen < a->all) {
        snprintf(looked, sizeof(looked), " (in %lld of %lld accounts)",
                 (long long) a->seen, (long long) a->all);
    }

    for (i = 0; i < KINDS; i++, f++) {
        if (f->n > 0) {
            doctor_say(a->d, kinds[i].row, DEGRADED, doctor_text("%s %s%s",
                       kinds[i].remedy, f->sids, kinds[i].rest), "%s: %u%s: %s",
                       kinds[i].what, f->n, looked, f->text);
        }
    }
}


/* Is the daily quota of each list enough for the hosts of all accounts? */
static void
accounts_quota(const accounts_t *a)
{
    double         quota, a_day;
    size_t         i;
    const list_t  *list;

    for (i = 0; i < a->d->n_lists && a->seen > 0; i++) {
        list = a->d->list[i];
        quota = (double) list->day_quota;
        a_day = a->a_day[i] * (double) a->all / (double) a->seen;

        if (quota > 0 && a_day > quota) {
            doctor_say(a->d, "quota", DEGRADED, doctor_text("check less often,"
                       " or query this list less often; try: rblctl lists"
                       " override %.90s --min-interval %.0fh", list->zone,
                       a_day * 25 / quota), "%s: about %.0f queries a day for"
                       " all hosts, its quota is %.0f", list->zone, a_day,
                       quota);
        }
    }
}


const char *
doctor_accounts(doctor_t *d)
{
    int64_t     n;
    rbl_key_t   key;
    ctl_t      *ctl = d->ctl;
    accounts_t  a = { .d = d, .begun = clock_now() };

    static char  why[DOCTOR_REASON];

    ctl_catch(why, sizeof(why));

    for (a.p = 0; a.p < ctl->ks.partitions; a.p++) {
        n = ctl_away(ctl, a.p) ? 0
            : ctl_count(ctl, "ZCARD", ctl_key(ctl, &key, a.p, "accounts"));
        a.all += n > 0 ? n : 0;
    }

    (void) ctl_each_account(ctl, "acct", RBL_STR(""), account_look, &a);
    ctl_catch(NULL, 0);

    if (why[0] != '\0') {
        return why;
    }

    accounts_rows(&a);
    accounts_quota(&a);

    return NULL;
}
