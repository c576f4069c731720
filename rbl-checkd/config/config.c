/*
 * The table of keys, the only definition of the configuration.  The defaults,
 * the messages and the commented file are made from it.
 */

#include "config_int.h"
#include "plan_file.h"

#include <stdio.h>
#include <unistd.h>

#define AT(field)                                                             \
    offsetof(config_t, field), sizeof(((config_t *) 0)->field)
#define LIMITS(a, b)    (a), (b)
#define NO_LIMITS       0, 0
#define MINUTE          60
#define DAY             (24.0 * 3600)

#define MIB             (1024.0 * 1024)

#define BASE     "https://HOST with or without :PORT and a path; http:// "    \
                 "only to 127.0.0.1 or [::1]"

#define PLACE    "ADDRESS:PORT, [ADDRESS]:PORT, unix:/PATH, "                 \
                 "sentinel:NAME@ADDRESS:PORT,... or cluster:ADDRESS:PORT,"    \
                 "..., with at most 16 addresses, and tls: before all but "   \
                 "unix:"


const config_key_t  config_keys[] = {

    { "store", config_set_store, AT(store), NO_LIMITS,
      "127.0.0.1:6379", NULL, PLACE,
      "The store, which the nginx module uses too: one Redis server, the\n"
      "master NAME that Redis Sentinels know, or a Redis Cluster.  The\n"
      "addresses of sentinel: are those of the Sentinels, the addresses of\n"
      "cluster: are those of some nodes; a comma stands between them.  Host\n"
      "names may stand for addresses; they are resolved once, at start.  With\n"
      "tls: before it, all connections are encrypted, also those to\n"
      "Sentinels.", 0 },

    { "store_nodes", config_set_store_nodes, AT(store_map), NO_LIMITS,
      "", "10.0.0.1:6379=192.0.2.1:6379",
      "ANNOUNCED:PORT=ADDRESS:PORT; at most 64 of them",
      "Address at which this machine reaches a server that Sentinels or the\n"
      "nodes of a cluster announce under another address, behind an address\n"
      "translation.  May be given several times.", 1 },

    { "store_tls_ca", config_set_path, AT(store_tls_ca), NO_LIMITS,
      "", "/etc/rbl-checkd/store-ca.pem", "a readable file",
      "File of the certificate authorities that certify the servers of the\n"
      "store.  tls: needs it.  Certificates are always verified.", 0 },

    { "store_tls_certificate", config_set_path, AT(store_tls_certificate),
      NO_LIMITS, "", "/etc/rbl-checkd/store.pem", "a readable file",
      "File of the certificate of the program, and of its chain, for servers\n"
      "that want one (tls-auth-clients).  It needs store_tls_key.", 0 },

    { "store_tls_key", config_set_private, AT(store_tls_key), NO_LIMITS,
      "", "/etc/rbl-checkd/store.key", "a readable file",
      "File of the key of store_tls_certificate, without a password.", 0 },

    { "store_tls_name", config_set_text, AT(store_tls_name), NO_LIMITS,
      "", "store.example.net", "a name of at most 255 bytes",
      "Name that the certificates of all servers must have.  Without it, each\n"
      "must be for the address of its server.", 0 },

    { "store_user", config_set_text, AT(store_user), NO_LIMITS,
      "", "rbl-checkd", "a user name of at most 63 bytes",
      "Redis ACL user.  Without it the password is used for the user\n"
      "\"default\".", 0 },

    { "store_password_file", config_set_password, AT(store_password),
      NO_LIMITS, "", "/etc/rbl-checkd/store.password",
      "a readable file that holds a password of at most 255 bytes",
      "File whose first line is the password of the Redis user.", 0 },

    { "store_prefix", config_set_prefix, AT(store_prefix), NO_LIMITS,
      "rbl", NULL, "1 to 32 characters of A-Z, a-z, 0-9, \"_\", \".\", \"-\"",
      "Prefix of every key; the same as rbl_store_prefix of nginx.", 0 },

    { "store_timeout", config_set_duration, AT(store_timeout),
      LIMITS(0.05, MINUTE), "2s", NULL, NULL,
      "Time limit for connecting to Redis, and for each command.", 0 },

    { "log", config_set_log, AT(log), NO_LIMITS,
      "stderr", NULL, "stderr, syslog or an absolute path",
      "Log destination.  SIGHUP reopens a log file.", 0 },

    { "log_level", config_set_level, AT(log_level), NO_LIMITS,
      "notice", NULL, "error, warn, notice, info or debug",
      "Lowest severity of the messages that are logged.", 0 },

    { "checks_max", config_set_count, AT(checks_max), LIMITS(1, 10000),
      "256", NULL, NULL,
      "Maximum number of checks in flight in this process.  A check of more\n"
      "than 100 lists counts as several.  Further checks wait in the store.",
      0 },

    { "check_timeout", config_set_duration, AT(check_timeout),
      LIMITS(0.1, 10 * MINUTE), "20s", NULL, NULL,
      "Time limit for one check.  Lists that have not responded by then are\n"
      "unknown.", 0 },

    { "lease", config_set_duration, AT(lease), LIMITS(0.5, 60 * MINUTE),
      "60s", NULL, NULL,
      "Time after which another daemon takes over the work of a daemon that\n"
      "has died.  It must be more than twice check_timeout.", 0 },

    { "schedule", config_set_flag, AT(schedule), NO_LIMITS,
      "on", NULL, NULL,
      "Scheduled checks: whether this daemon claims hosts that are due.", 0 },

    { "keep_manual", config_set_duration, AT(keep_manual),
      LIMITS(MINUTE, 366 * DAY), "7d", NULL, NULL,
      "Retention time of the records of finished manual checks.", 0 },

    { "keep_scheduled", config_set_duration, AT(keep_scheduled),
      LIMITS(MINUTE, 366 * DAY), "7d", NULL, NULL,
      "Retention time of the records of scheduled checks.", 0 },

    { "details_size", config_set_size, AT(details_size),
      LIMITS(MIB, 4096 * MIB), "16m", NULL, NULL,
      "Maximum size of the stored check details of one account, in bytes of\n"
      "Redis memory.  Beyond it the oldest details of the account are\n"
      "removed.", 0 },

    { "lookup", config_set_lookup, AT(dns.direct), NO_LIMITS,
      "direct", NULL, "direct or resolver",
      "Lookup mode.  direct: the daemon queries each list at its own name\n"
      "servers, which it finds through any resolver.  resolver: the daemon\n"
      "queries the lists through recursive resolvers, for sites that may not\n"
      "send DNS queries to the Internet.", 0 },

    { "resolver", config_set_resolver, AT(dns.resolver), NO_LIMITS,
      "", "127.0.0.1@5335", "1 to 8 numeric addresses, separated by spaces, "
      "each with or without a port: 127.0.0.1, 127.0.0.1@5335, ::1@5335",
      "Recursive resolvers.  With lookup direct the daemon uses them only to\n"
      "find name servers and receivers; the default is then the resolvers of\n"
      "/etc/resolv.conf, which the daemon reads again when it changes.  With\n"
      "lookup resolver they must be private, since blocklists refuse large\n"
      "public resolvers; the default is then 127.0.0.1@5335.", 0 },

    { "list_server_allow", config_set_server_allow, AT(dns.allow), NO_LIMITS,
      "", "192.168.10.0/24", "a subnet such as 192.168.10.0/24 or fd00::/8, "
      "its host bits zero; at most 32 of them",
      "Subnet of name servers of lists whose addresses are not public.  With\n"
      "lookup direct the daemon queries no other servers with such addresses.\n"
      "May be given several times.", 1 },

    { "dns_timeout", config_set_duration, AT(dns.timeout),
      LIMITS(0.05, 30), "2s", NULL, NULL,
      "Timeout of the first attempt of a lookup.  Later attempts wait longer.",
      0 },

    { "dns_tries", config_set_count, AT(dns.tries), LIMITS(1, 5),
      "2", NULL, NULL,
      "Number of attempts of a lookup before it counts as a timeout.", 0 },

    { "dns_in_flight", config_set_count, AT(dns.max_in_flight),
      LIMITS(1, 10000), "1000", NULL, NULL,
      "Maximum number of queries in flight to one server or resolver.\n"
      "Further queries wait.", 0 },

    { "dns_zone_rate", config_set_rate, AT(dns.zone_rate),
      LIMITS(0, 100000), "0", NULL, NULL,
      "Maximum number of queries per second to one list; 0 is no limit.", 0 },

    { "dns_own_rate", config_set_rate, AT(dns.own_rate),
      LIMITS(0, 100000), "100", NULL, NULL,
      "Maximum number of queries per second to all custom lists of one\n"
      "account together; 0 is no limit.  A burst may use the queries of 20\n"
      "seconds.  Test points have a separate budget of one fifth of this\n"
      "rate, with a burst of one minute.", 0 },

    { "dns_socket_uses", config_set_count, AT(dns.socket_uses),
      LIMITS(1, 100000), "1000", NULL, NULL,
      "Number of queries sent from one source port before the daemon changes\n"
      "to another port.", 0 },

    { "dns_max_tcp", config_set_count, AT(dns.max_tcp), LIMITS(1, 1000),
      "50", NULL, NULL,
      "Maximum number of concurrent queries over TCP, which repeat queries\n"
      "with truncated responses.", 0 },

    { "cache_size", config_set_size, AT(cache_size), LIMITS(0, 4096 * MIB),
      "64m", NULL, NULL,
      "DNS cache size in bytes; 0 disables caching.  The cache keeps\n"
      "responses for their TTL, so that a value that several accounts monitor\n"
      "is queried once.  Manual checks bypass the cache.", 0 },

    { "control_retry", config_set_duration, AT(control_retry),
      LIMITS(0.5, 60 * MINUTE), "30s", NULL, NULL,
      "Time after which the test points of a list that fails them, or that\n"
      "refuses to respond, are queried again.  It doubles with each failure,\n"
      "up to one hour.", 0 },

    { "refuse_zone", config_set_zone, AT(refuse_zone), NO_LIMITS,
      "", "corp.example.net", "a domain name; at most 32 of them",
      "Zone that custom lists may not query, with all names under it, in\n"
      "addition to reserved names such as local and arpa; the same as\n"
      "rbl_refuse_zones of nginx.  May be given several times.", 1 },

    { "allow_zone", config_set_zone, AT(allow_zone), NO_LIMITS,
      "", "lists.corp.example.net", "a domain name; at most 32 of them",
      "Zone that custom lists may query, although it is reserved or under a\n"
      "refuse_zone; the same as rbl_allow_zones of nginx.  May be given\n"
      "several times.", 1 },

    { "source_address", config_set_source, AT(source), NO_LIMITS,
      "", "192.0.2.1", "a numeric address; at most 16 of them",
      "Source address of DNS queries as the lists see it, if it is not an\n"
      "address of this machine.  The API shows it in acls.json.  May be given\n"
      "several times.", 1 },

    { "deliver", config_set_flag, AT(deliver), NO_LIMITS,
      "on", NULL, NULL,
      "Delivery of events to webhooks, callbacks and contacts by this daemon.",
      0 },

    { "deliveries_max", config_set_count, AT(deliveries_max),
      LIMITS(1, 1000), "64", NULL, NULL,
      "Maximum number of delivery attempts in flight in this process.", 0 },

    { "deliver_timeout", config_set_duration, AT(deliver_timeout),
      LIMITS(0.1, 5 * MINUTE), "15s", NULL, NULL,
      "Time limit for one delivery attempt.", 0 },

    { "deliver_connect_timeout", config_set_duration,
      AT(deliver_connect_timeout), LIMITS(0.1, MINUTE), "5s", NULL, NULL,
      "Time limit for connecting to a receiver.", 0 },

    { "digest_window", config_set_duration, AT(digest_window),
      LIMITS(0.1, 60 * MINUTE), "60s", NULL, NULL,
      "Collection time for messages to a contact.  Changes within this window\n"
      "are sent as one message.", 0 },

    { "contact_limit", config_set_count, AT(contact_limit), LIMITS(1, 1000),
      "20", NULL, NULL,
      "Maximum number of messages to one contact per minute.  Further\n"
      "messages wait.", 0 },

    { "deliver_http", config_set_flag, AT(deliver_http), NO_LIMITS,
      "off", NULL, NULL,
      "Delivery to receivers without TLS (http://).", 0 },

    { "deliver_allow", config_set_allow, AT(reach.allow), NO_LIMITS,
      "", "192.168.10.0/24", "a subnet such as 192.168.10.0/24 or fd00::/8, "
      "its host bits zero, with or without one port: 192.168.10.0/24:8443, "
      "[fd00::/8]:8443; at most 32 of them",
      "Subnet of receivers whose addresses are not public.  Other receivers\n"
      "with such addresses are refused.  Without a port, the ports are those\n"
      "that public receivers may have: 80, 443, and ports above 1023 that no\n"
      "well-known service uses, such as 6379.  May be given several times.",
      1 },

    { "deliver_deny", config_set_deny, AT(reach.deny), NO_LIMITS,
      "", "198.51.100.7/32", "a subnet such as 192.168.10.0/24 or fd00::/8, "
      "its host bits zero; at most 32 of them",
      "Subnet of receivers that are refused, even if their addresses are\n"
      "public or deliver_allow names them; for example the public addresses\n"
      "of this machine behind NAT.  May be given several times.", 1 },

    { "deliver_ca", config_set_path, AT(deliver_ca), NO_LIMITS,
      "", "/etc/ssl/certs/ca-certificates.crt", "a readable file",
      "File of the certificate authorities that receivers and the services of\n"
      "contacts may use.  Without it the system's authorities count.", 0 },

    { "zoneinfo", config_set_dir, AT(zoneinfo), NO_LIMITS,
      "/usr/share/zoneinfo", NULL, "a directory",
      "Directory of the time zone files of the system.  SIGHUP reads them\n"
      "again.", 0 },

    { "gateway", config_set_gateway, AT(gateway), NO_LIMITS,
      "none", "manual", "none, manual, stripe or http",
      "Payments.  none: there is no billing, and no plan ends.  The others\n"
      "open a payment before a paid period ends.  manual: the operator books\n"
      "it with rblctl bill paid.  stripe: the daemon charges the card of the\n"
      "account through Stripe.  http: it asks a server of the operator\n"
      "(rbl-operations(7)).  All daemons and rblctl need the same value.", 0 },

    { "gateway_key_file", config_set_secret, AT(gateway_key), NO_LIMITS,
      "", "/etc/rbl-checkd/gateway.key",
      "a file that only its owner can read, with a key of at most 255 bytes",
      "File whose first line is the secret key of Stripe (sk_ or rk_), or the\n"
      "secret that signs requests to the server of gateway http.", 0 },

    { "gateway_url", config_set_base, AT(gateway_url), NO_LIMITS,
      "", "https://pay.example.net/rbl", BASE,
      "Base URL of the server of gateway http; with gateway stripe for tests\n"
      "only.", 0 },

    { "gateway_timeout", config_set_duration, AT(gateway_timeout),
      LIMITS(0.1, 10 * MINUTE), "80s", NULL, NULL,
      "Time limit for one request to the gateway.", 0 },

    { "bill_grace", config_set_duration, AT(bill_grace),
      LIMITS(0, 366 * DAY), "7d", NULL, NULL,
      "Time after a paid period in which an unpaid plan goes on.", 0 },

    { "bill_fallback", config_set_text, AT(bill_fallback), NO_LIMITS,
      "", "Free", "the name of a plan",
      "Plan that tells how many hosts are checked when the plan of an account\n"
      "has expired: its max_hosts, the oldest hosts first.  Without it none\n"
      "is.  All daemons need the same value.", 0 },

    { "bill_plans", config_set_text, AT(bill_plans), NO_LIMITS,
      PLAN_FILE, NULL, "a readable file",
      "File of plans with bill_fallback.  It is read at start.", 0 },

    { "smtp_url", config_set_smtp_url, AT(smtp_url), NO_LIMITS,
      "", "smtp://mail.example.net:587", "smtp://HOST or smtps://HOST, with or "
      "without :PORT (else 587 or 465); HOST a name or an address",
      "Mail server for contacts and sign-in links.  Without it no mail is "
      "sent.",
      0 },

    { "smtp_from", config_set_mailbox, AT(smtp_from), NO_LIMITS,
      "", "blocklists@example.net", "one address, local@domain",
      "Sender address; bounces go here.", 0 },

    { "smtp_user", config_set_text, AT(smtp_user), NO_LIMITS,
      "", "blocklists", "a user name of at most 127 bytes",
      "User name for authentication at the mail server.", 0 },

    { "smtp_password_file", config_set_secret, AT(smtp_password), NO_LIMITS,
      "", "/etc/rbl-checkd/smtp.password",
      "a file that only its owner can read, with a password of at most 255 "
      "bytes",
      "File whose first line is the password of smtp_user.", 0 },

    { "smtp_tls", config_set_tls, AT(smtp_tls), NO_LIMITS,
      "auto", NULL, "auto, required, opportunistic or off",
      "TLS to the mail server.  required: TLS with a valid certificate.\n"
      "opportunistic: TLS if the server offers it; the certificate is not\n"
      "verified.  off: no TLS.  auto: off for a server on this machine (a\n"
      "loopback address), required otherwise.", 0 },

    { "smtp_ca", config_set_path, AT(smtp_ca), NO_LIMITS,
      "", "/etc/ssl/certs/ca-certificates.crt", "a readable file",
      "File of the certificate authorities that the mail server may use.\n"
      "Without it the system's authorities count.", 0 },

    { "smtp_timeout", config_set_duration, AT(smtp_timeout),
      LIMITS(0.5, 10 * MINUTE), "30s", NULL, NULL,
      "Time limit for one mail.  A mail that the server accepts later is sent\n"
      "again.", 0 },

    { "pagerduty_url", config_set_base, AT(pagerduty_url), NO_LIMITS,
      "https://events.pagerduty.com", NULL, BASE,
      "Base URL of the PagerDuty Events API; https://events.eu.pagerduty.com\n"
      "for its EU region.", 0 },

    { "telegram_url", config_set_base, AT(telegram_url), NO_LIMITS,
      "https://api.telegram.org", NULL, BASE,
      "Base URL of the Telegram Bot API.", 0 },

    { "telegram_token_file", config_set_telegram, AT(telegram_token),
      NO_LIMITS, "", "/etc/rbl-checkd/telegram.token",
      "a file that only its owner can read, with a token as 123456:ABC-def",
      "File with the token of the bot that sends messages to contacts of type\n"
      "telegram.  Without it no such messages are sent.", 0 },

    { "pushover_url", config_set_base, AT(pushover_url), NO_LIMITS,
      "https://api.pushover.net", NULL, BASE,
      "Base URL of the Pushover API.", 0 },

    { "pushover_token_file", config_set_pushover, AT(pushover_token),
      NO_LIMITS, "", "/etc/rbl-checkd/pushover.token",
      "a file that only its owner can read, with a token of 30 letters and "
      "digits",
      "File with the token of the application that sends messages to contacts\n"
      "of type pushover.  Without it no such messages are sent.", 0 },

    { "sms_url", config_set_base, AT(sms_url), NO_LIMITS,
      "https://api.twilio.com", NULL, BASE,
      "Base URL of the text message service: Twilio, or a service with the\n"
      "same API.", 0 },

    { "sms_account", config_set_account, AT(sms_account), NO_LIMITS,
      "", "AC00000000000000000000000000000000",
      "1 to 64 characters of A-Z, a-z, 0-9, \"_\", \"-\"",
      "Account at the text message service.  Without it no text messages are\n"
      "sent.", 0 },

    { "sms_token_file", config_set_secret, AT(sms_token), NO_LIMITS,
      "", "/etc/rbl-checkd/sms.token",
      "a file that only its owner can read, with a token of at most 127 bytes",
      "File whose first line is the token of sms_account.", 0 },

    { "sms_from", config_set_sender, AT(sms_from), NO_LIMITS,
      "", "+15005550006",
      "a phone number with the country's code and a plus sign first, the id "
      "of a messaging service, or a name of letters, digits and spaces",
      "Sender of text messages.", 0 },

    { "datadog_url", config_set_base, AT(datadog_url), NO_LIMITS,
      "", "https://datadog.example.net", BASE,
      "Base URL for events of all contacts of type datadog.  Without it\n"
      "events go to Datadog, at the contact's site.", 0 },

    { "sns_url", config_set_base, AT(sns_url), NO_LIMITS,
      "", "https://sns.example.net", BASE,
      "Base URL for messages of all contacts of type aws-sns.  Without it\n"
      "messages go to AWS, in the contact's region.", 0 },

    { "logs_url", config_set_base, AT(logs_url), NO_LIMITS,
      "", "https://logs.example.net", BASE,
      "Base URL for log events of all contacts of type aws-cloudwatch.\n"
      "Without it events go to AWS, in the contact's region.", 0 },

    { "name", config_set_text, AT(given_name), NO_LIMITS,
      "", "checker-1", "a name of 1 to 63 bytes",
      "Name of this daemon; no two daemons may have the same name.  Without\n"
      "it the name is the host name and the process id.", 0 }
};

const size_t  config_n_keys = sizeof(config_keys) / sizeof(config_keys[0]);

_Static_assert(sizeof(config_keys) / sizeof(config_keys[0])
               <= CONFIG_KEYS_MAX, "room for every key");


const config_key_t *
config_find(const char *name)
{
    size_t  i;

    for (i = 0; i < config_n_keys; i++) {
        if (strcmp(config_keys[i].name, name) == 0) {
            return &config_keys[i];
        }
    }

    return NULL;
}


void
config_defaults(config_t *conf)
{
    char    host[40];
    size_t  i;

    memset(conf, 0, sizeof(config_t));

    for (i = 0; i < config_n_keys; i++) {
        if (config_keys[i].def[0] != '\0') {
            (void) config_keys[i].set(conf, &config_keys[i],
                                      config_keys[i].def, NULL, 0);
        }
    }

    config_system_resolvers(conf);

    if (gethostname(host, sizeof(host)) != 0) {
        host[0] = '\0';
    }

    host[sizeof(host) - 1] = '\0';
    snprintf(conf->name, sizeof(conf->name), "%s-%ld", host, (long) getpid());
}


int
config_set(config_t *conf, const char *key, const char *value, char *err,
    size_t size)
{
    char                 own[CONFIG_ERR_MAX];
    const config_key_t  *k;

    k = config_find(key);
    if (k == NULL && strcmp(key, "workers") == 0) {
        snprintf(err, size,
                 "workers: this key was removed; run rbl-checkd@NAME.service"
                 " once for each further process");
        return -1;
    }

    if (k == NULL) {
        snprintf(err, size, "%.64s: there is no such key (rbl-checkd -D "
                 "prints them all)", key);
        return -1;
    }

    own[0] = '\0';

    if (k->set(conf, k, value, own, sizeof(own)) == 0) {
        return 0;
    }

    if (own[0] == '\0') {
        config_allowed(own, sizeof(own), k);
    }

    snprintf(err, size, "%s: %s", key, own);
    return -1;
}


const char *
config_changed(const config_t *a, const config_t *b, size_t *i)
{
    const config_key_t  *k;

    while (*i < config_n_keys) {
        k = &config_keys[(*i)++];

        if (memcmp((const char *) a + k->offset, (const char *) b + k->offset,
                   k->size)
            != 0)
        {
            return k->name;
        }
    }

    return NULL;
}


static void
print_comment(FILE *f, const char *text)
{
    size_t  n;

    for (;;) {
        n = strcspn(text, "\n");
        fprintf(f, "# %.*s\n", (int) n, text);
        if (text[n] == '\0') {
            return;
        }

        text += n + 1;
    }
}


/* Wraps words at column 79, each line after "# ". */

static void
print_wrapped(FILE *f, const char *text)
{
    size_t  col, n;

    for (col = 0; *text != '\0'; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");

        if (col != 0 && col + 1 + n > 79) {
            fputc('\n', f);
            col = 0;
        }

        col += (size_t) fprintf(f, "%s%.*s", col == 0 ? "# " : " ", (int) n,
                                text);
    }

    fputc('\n', f);
}


void
config_print_defaults(void *file)
{
    FILE                *f = file;
    char                 allowed[CONFIG_ERR_MAX], line[CONFIG_ERR_MAX + 16];
    size_t               i;
    const config_key_t  *k;

    fputs("# Configuration of rbl-checkd; rblctl reads it too.\n"
          "#\n"
          "# Each line is \"key value\".  \"#\" begins a comment.  A value may"
          " be in\n"
          "# double quotes.  Each line that is commented out shows the default,"
          " or an\n"
          "# example for a key without a default.  rbl-checkd -t checks this"
          " file.\n", f);

    for (i = 0; i < config_n_keys; i++) {
        k = &config_keys[i];
        config_allowed(allowed, sizeof(allowed), k);
        snprintf(line, sizeof(line), "Allowed: %s.", allowed);

        fputc('\n', f);
        print_comment(f, k->text);
        print_wrapped(f, line);
        fprintf(f, "#%s %s%s\n", k->name, k->def[0] ? k->def : k->example,
                k->def[0] ? "" : "    # no default");
    }
}
