/*
 * Values of contacts at services identified by a URL of the service or by an
 * ARN: webhooks of Slack and Discord, topics and log groups of AWS.
 */

#include "rbl_contact_int.h"
#include "rbl_name.h"


static int
rbl_contact_host_in(rbl_str_t host, const char *const *known)
{
    for ( /* void */ ; *known; known++) {
        if (rbl_str_is(host, *known)) {
            return 1;
        }
    }

    return 0;
}


/*
 * A webhook URL.  At a known host, `path_ok` checks the path.  At a host that
 * the operator configured, any path is accepted.
 */

static rbl_err_t
rbl_contact_webhook(rbl_contact_buf_t *b, rbl_str_t text,
    const char *const *known, int (*path_ok)(rbl_str_t path),
    int (*query_ok)(rbl_str_t query))
{
    char       z[RBL_DOMAIN_MAX];
    size_t     i;
    rbl_str_t  host, query;
    rbl_url_t  url;

    if (rbl_url_parse(&url, text) != RBL_OK || url.host.n > sizeof(z)) {
        return RBL_EINVAL;
    }

    query = url.path;
    url.path = rbl_until(&query, '?');

    if (memchr(text.p, '?', text.n)
        && (query_ok == NULL || !query_ok(query)))
    {
        return RBL_EINVAL;
    }

    rbl_name_lower(z, url.host);
    host.p = z;
    host.n = url.host.n;

    if (rbl_contact_host_in(host, known)) {
        return url.tls && url.port == 443 && path_ok(url.path)
               ? rbl_contact_put(b, text) : RBL_EINVAL;
    }

    for (i = 0; i < b->n_hosts; i++) {
        if (rbl_str_eq(host, b->hosts[i])) {
            return url.path.p[url.path.n - 1] != '/'
                   ? rbl_contact_put(b, text) : RBL_EINVAL;
        }
    }

    return RBL_EINVAL;
}


/* /services/T.../B.../..., /triggers/T.../.../..., or with one part more
   /workflows/T.../A.../.../... */

static int
rbl_contact_slack_path(rbl_str_t path)
{
    size_t     i, n;
    rbl_str_t  part;

    if (rbl_until(&path, '/').n != 0) {
        return 0;
    }

    part = rbl_until(&path, '/');
    n = rbl_str_is(part, "services") || rbl_str_is(part, "triggers") ? 3
        : rbl_str_is(part, "workflows") ? 4 : 0;

    for (i = 0; i < n; i++) {
        part = rbl_until(&path, '/');

        if (!rbl_contact_chars(part, 1, 64, "")) {
            return 0;
        }
    }

    return n > 0 && path.p == NULL;
}


rbl_err_t
rbl_contact_slack(rbl_contact_buf_t *b, rbl_str_t text)
{
    static const char *const  known[] = {
        "hooks.slack.com", "hooks.slack-gov.com", NULL
    };

    return rbl_contact_webhook(b, text, known, rbl_contact_slack_path, NULL);
}


/* /api/webhooks/<number>/<token>, or with a version after "api" */

static int
rbl_contact_discord_path(rbl_str_t path)
{
    rbl_str_t  part;

    if (rbl_until(&path, '/').n != 0
        || !rbl_str_is(rbl_until(&path, '/'), "api"))
    {
        return 0;
    }

    part = rbl_until(&path, '/');

    if (part.n > 1 && part.n < 4 && part.p[0] == 'v') {
        part.p++;
        part.n--;

        if (!rbl_label_numeric(part)) {
            return 0;
        }

        part = rbl_until(&path, '/');
    }

    if (!rbl_str_is(part, "webhooks")) {
        return 0;
    }

    part = rbl_until(&path, '/');

    return part.n > 0 && part.n <= 20 && rbl_label_numeric(part)
           && rbl_contact_chars(path, 1, 128, "-_");
}


/* A thread of the channel, or of a forum channel. */

static int
rbl_contact_discord_query(rbl_str_t query)
{
    rbl_str_t  name;

    name = rbl_until(&query, '=');

    return rbl_str_is(name, "thread_id") && query.n <= 20
           && rbl_label_numeric(query);
}


rbl_err_t
rbl_contact_discord(rbl_contact_buf_t *b, rbl_str_t text)
{
    static const char *const  known[] = {
        "discord.com", "discordapp.com", "canary.discord.com",
        "ptb.discord.com", NULL
    };

    return rbl_contact_webhook(b, text, known, rbl_contact_discord_path,
                               rbl_contact_discord_query);
}


/*
 * A region such as eu-west-1 or us-gov-east-1.  It becomes part of a host name
 * and of the signed text.
 */

static int
rbl_contact_region_ok(rbl_str_t region, rbl_str_t partition)
{
    char         c;
    size_t       i;
    const char  *of;
    rbl_str_t    name, number;

    of = rbl_str_begins(region, "cn-") ? "aws-cn"
         : rbl_str_begins(region, "us-gov-") ? "aws-us-gov" : "aws";

    name = rbl_contact_upto_last(region, '-');

    if (!rbl_str_is(partition, of) || name.n < 5 || region.n > 32) {
        return 0;
    }

    number.p = region.p + name.n;
    number.n = region.n - name.n;

    if (number.n > 2 || !rbl_label_numeric(number)) {
        return 0;
    }

    for (i = 0; i < name.n; i++) {
        c = name.p[i];

        if (!(c >= 'a' && c <= 'z')
            && !(c == '-' && i > 0 && name.p[i - 1] != '-'))
        {
            return 0;
        }
    }

    return memchr(name.p, '-', name.n - 1) != NULL;
}


/* arn:<partition>:<service>:<region>:<account>:<name>; the rest is the name. */

static int
rbl_contact_arn_ok(rbl_str_t *arn, const char *service)
{
    rbl_str_t  partition, account;

    if (!rbl_str_is(rbl_until(arn, ':'), "arn")) {
        return 0;
    }

    partition = rbl_until(arn, ':');

    if (!rbl_str_is(rbl_until(arn, ':'), service)
        || !rbl_contact_region_ok(rbl_until(arn, ':'), partition))
    {
        return 0;
    }

    account = rbl_until(arn, ':');

    return account.n == 12 && rbl_label_numeric(account);
}


/*
 * ARN, access key id and secret.  Session keys (ASIA...) are refused: they need
 * a token and expire within hours.
 */

static rbl_err_t
rbl_contact_aws(rbl_contact_buf_t *b, rbl_str_t arn, rbl_str_t rest)
{
    rbl_str_t  id, secret;

    id = rbl_trim(rbl_until(&rest, ','));
    secret = rbl_trim(rest);

    if (!rbl_contact_chars(id, 16, 128, "") || rbl_str_begins(id, "ASIA")
        || !rbl_contact_chars(secret, 40, 40, "/+="))
    {
        return RBL_EINVAL;
    }

    (void) rbl_contact_put(b, arn);
    (void) rbl_contact_put(b, RBL_STR(","));
    (void) rbl_contact_put(b, id);
    (void) rbl_contact_put(b, RBL_STR(","));

    return rbl_contact_put(b, secret);
}


rbl_err_t
rbl_contact_sns(rbl_contact_buf_t *b, rbl_str_t text)
{
    rbl_str_t  arn, name;

    arn = rbl_trim(rbl_until(&text, ','));
    name = arn;

    if (!rbl_contact_arn_ok(&name, "sns") || name.n > 256) {
        return RBL_EINVAL;
    }

    if (name.n > 5 && memcmp(name.p + name.n - 5, ".fifo", 5) == 0) {
        name.n -= 5;
    }

    return rbl_contact_chars(name, 1, 256, "-_") ? rbl_contact_aws(b, arn, text)
                                                 : RBL_EINVAL;
}


/* Such an ARN often ends in ":*", which means all streams of the group. */

rbl_err_t
rbl_contact_cloudwatch(rbl_contact_buf_t *b, rbl_str_t text)
{
    rbl_str_t  arn, name;

    arn = rbl_trim(rbl_until(&text, ','));

    if (arn.n > 2 && memcmp(arn.p + arn.n - 2, ":*", 2) == 0) {
        arn.n -= 2;
    }

    name = arn;

    return rbl_contact_arn_ok(&name, "logs")
           && rbl_str_is(rbl_until(&name, ':'), "log-group")
           && rbl_contact_chars(name, 1, 512, "-_./#")
           ? rbl_contact_aws(b, arn, text) : RBL_EINVAL;
}
