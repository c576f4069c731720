/*
 * The table of keys: the one place that knows what may be configured.  The
 * defaults, the messages and the commented file all come from it.
 */

#include "config_int.h"

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

#define ADDRESS  "127.0.0.1:6379, [::1]:6379 or unix:/path"


const config_key_t  config_keys[] = {

    { "store", config_set_store, AT(store), NO_LIMITS,
      "127.0.0.1:6379", NULL, "a numeric address with a port, or a socket: "
      ADDRESS,
      "The Redis that the module uses too.", 0 },

    { "store_user", config_set_text, AT(store_user), NO_LIMITS,
      "", "rbl-checkd", "a user name of at most 63 bytes",
      "The Redis user; without one the password goes with \"default\".", 0 },

    { "store_password_file", config_set_password, AT(store_password),
      NO_LIMITS, "", "/etc/rbl-checkd/store.password",
      "a readable file that holds a password of at most 255 bytes",
      "A file with the password in its first line.", 0 },

    { "store_prefix", config_set_prefix, AT(store_prefix), NO_LIMITS,
      "rbl", NULL, "1 to 32 characters of A-Z, a-z, 0-9, \"_\", \".\", \"-\"",
      "What every key begins with; the same as rbl_store_prefix of nginx.",
      0 },

    { "store_timeout", config_set_duration, AT(store_timeout),
      LIMITS(0.05, MINUTE), "2s", NULL, NULL,
      "How long connecting, and each command, may take.", 0 },

    { "log", config_set_log, AT(log), NO_LIMITS,
      "stderr", NULL, "stderr, syslog or an absolute path",
      "Where messages go.  A file is opened again on SIGHUP.", 0 },

    { "log_level", config_set_level, AT(log_level), NO_LIMITS,
      "notice", NULL, "error, warn, notice, info or debug",
      "The least important messages that are written.", 0 },

    { "checks_max", config_set_count, AT(checks_max), LIMITS(1, 10000),
      "256", NULL, NULL,
      "Checks in flight in this process; a check of more than 128 lists\n"
      "counts as several.  The rest waits in the store.", 0 },

    { "check_timeout", config_set_duration, AT(check_timeout),
      LIMITS(0.1, 10 * MINUTE), "20s", NULL, NULL,
      "How long one check may take.  Lists that have not answered by then\n"
      "are unknown.", 0 },

    { "lease", config_set_duration, AT(lease), LIMITS(0.5, 60 * MINUTE),
      "60s", NULL, NULL,
      "After this time another daemon takes over the work of one that died.\n"
      "It must be more than twice check_timeout.", 0 },

    { "schedule", config_set_flag, AT(schedule), NO_LIMITS,
      "on", NULL, NULL,
      "Whether this daemon does the checks of hosts that are due.", 0 },

    { "keep_manual", config_set_duration, AT(keep_manual),
      LIMITS(MINUTE, 366 * DAY), "7d", NULL, NULL,
      "How long the records of manual checks are kept when they are over.", 0 },

    { "keep_scheduled", config_set_duration, AT(keep_scheduled),
      LIMITS(MINUTE, 366 * DAY), "7d", NULL, NULL,
      "How long the records of scheduled checks are kept.", 0 },

    { "details_size", config_set_size, AT(details_size),
      LIMITS(MIB, 4096 * MIB), "16m", NULL, NULL,
      "Bytes of Redis that the stored check details of one account may take;\n"
      "beyond that its oldest details are removed.", 0 },

    { "lookup", config_set_lookup, AT(dns.direct), NO_LIMITS,
      "direct", NULL, "direct or resolver",
      "Where lists are queried.  direct: at their own name servers, which the\n"
      "daemon finds through any resolver.  resolver: through recursive\n"
      "resolvers, for sites that may not send DNS queries out.", 0 },

    { "resolver", config_set_resolver, AT(dns.resolver), NO_LIMITS,
      "", "127.0.0.1@5335", "1 to 8 numeric addresses, separated by spaces, "
      "each with or without a port: 127.0.0.1, 127.0.0.1@5335, ::1@5335",
      "The recursive resolvers.  With lookup direct they are asked only for\n"
      "name servers and receivers, and are by default those of\n"
      "/etc/resolv.conf.  With lookup resolver they must be your own, since\n"
      "blocklists refuse large public resolvers; the default is then\n"
      "127.0.0.1@5335.", 0 },

    { "list_server_allow", config_set_server_allow, AT(dns.allow), NO_LIMITS,
      "", "192.168.10.0/24", "a subnet such as 192.168.10.0/24 or fd00::/8, "
      "its host bits zero; at most 32 of them",
      "A subnet of lists' name servers whose addresses are not public; with\n"
      "lookup direct others of them are not queried.  May be given several\n"
      "times.", 1 },

    { "dns_timeout", config_set_duration, AT(dns.timeout),
      LIMITS(0.05, 30), "2s", NULL, NULL,
      "How long the first try of a question waits; later tries wait longer.",
      0 },

    { "dns_tries", config_set_count, AT(dns.tries), LIMITS(1, 5),
      "2", NULL, NULL,
      "How often a question is asked before it counts as a time-out.", 0 },

    { "dns_in_flight", config_set_count, AT(dns.max_in_flight),
      LIMITS(1, 10000), "1000", NULL, NULL,
      "Queries in flight to one server or resolver; the rest waits.", 0 },

    { "dns_zone_rate", config_set_rate, AT(dns.zone_rate),
      LIMITS(0, 100000), "0", NULL, NULL,
      "Questions a second to one list; 0: no limit.", 0 },

    { "dns_own_rate", config_set_rate, AT(dns.own_rate),
      LIMITS(0, 100000), "100", NULL, NULL,
      "Queries a second for all custom lists of one account together.  A\n"
      "burst may use what 20 seconds allow.  Test points have a fifth of that\n"
      "rate for themselves, with a burst of a minute.  0: no limit.", 0 },

    { "dns_socket_uses", config_set_count, AT(dns.socket_uses),
      LIMITS(1, 100000), "1000", NULL, NULL,
      "Questions sent from one source port before another takes its place.",
      0 },

    { "dns_max_tcp", config_set_count, AT(dns.max_tcp), LIMITS(1, 1000),
      "50", NULL, NULL,
      "Truncated answers that are asked for again over TCP at a time.", 0 },

    { "cache_size", config_set_size, AT(cache_size), LIMITS(0, 4096 * MIB),
      "64m", NULL, NULL,
      "How much memory answers may take that are kept for their TTL, so that\n"
      "what many accounts watch is asked once.  Manual checks are asked past\n"
      "it; 0: none are kept.", 0 },

    { "control_retry", config_set_duration, AT(control_retry),
      LIMITS(0.5, 60 * MINUTE), "30s", NULL, NULL,
      "How soon a list that has failed its controls, or refuses to answer, is\n"
      "asked for them again, and then after twice as long each time, up to an\n"
      "hour.", 0 },

    { "refuse_zone", config_set_zone, AT(refuse_zone), NO_LIMITS,
      "", "corp.example.net", "a domain name; at most 32 of them",
      "Lists of accounts may not ask for this name or names under it, beside\n"
      "the reserved ones such as local and arpa; the same as\n"
      "rbl_refuse_zones of nginx.  May be given several times.", 1 },

    { "allow_zone", config_set_zone, AT(allow_zone), NO_LIMITS,
      "", "lists.corp.example.net", "a domain name; at most 32 of them",
      "Lists of accounts may ask for names under this one, although it is\n"
      "reserved or lies under a refuse_zone; the same as rbl_allow_zones of\n"
      "nginx.  May be given several times.", 1 },

    { "source_address", config_set_source, AT(source), NO_LIMITS,
      "", "192.0.2.1", "a numeric address; at most 16 of them",
      "An address that the lists see the questions come from, where it is\n"
      "not this machine's own: acls.json tells it.  May be given several\n"
      "times.", 1 },

    { "deliver", config_set_flag, AT(deliver), NO_LIMITS,
      "on", NULL, NULL,
      "Whether this daemon delivers events to webhooks, callbacks and "
      "contacts.", 0 },

    { "deliveries_max", config_set_count, AT(deliveries_max),
      LIMITS(1, 1000), "64", NULL, NULL,
      "Attempts of delivery in flight in this process.", 0 },

    { "deliver_timeout", config_set_duration, AT(deliver_timeout),
      LIMITS(0.1, 5 * MINUTE), "15s", NULL, NULL,
      "How long one attempt may take in all.", 0 },

    { "deliver_connect_timeout", config_set_duration,
      AT(deliver_connect_timeout), LIMITS(0.1, MINUTE), "5s", NULL, NULL,
      "How long connecting to a receiver may take.", 0 },

    { "digest_window", config_set_duration, AT(digest_window),
      LIMITS(0.1, 60 * MINUTE), "60s", NULL, NULL,
      "What becomes of a contact's hosts in this time is one message to it.",
      0 },

    { "contact_limit", config_set_count, AT(contact_limit), LIMITS(1, 1000),
      "20", NULL, NULL,
      "How many messages a contact may get a minute; more of them wait.", 0 },

    { "deliver_http", config_set_flag, AT(deliver_http), NO_LIMITS,
      "off", NULL, NULL,
      "Whether receivers without TLS (http://) are delivered to.", 0 },

    { "deliver_allow", config_set_allow, AT(reach.allow), NO_LIMITS,
      "", "192.168.10.0/24", "a subnet such as 192.168.10.0/24 or fd00::/8, "
      "its host bits zero, with or without one port: 192.168.10.0/24:8443, "
      "[fd00::/8]:8443; at most 32 of them",
      "A subnet of receivers whose addresses are not public; others of them\n"
      "are refused.  Without a port the subnet has the ports that public\n"
      "receivers have: 80, 443 and those above 1023 where no well-known\n"
      "service is, such as 6379.  May be given several times.", 1 },

    { "deliver_deny", config_set_deny, AT(reach.deny), NO_LIMITS,
      "", "198.51.100.7/32", "a subnet such as 192.168.10.0/24 or fd00::/8, "
      "its host bits zero; at most 32 of them",
      "A subnet whose receivers are refused although their addresses are\n"
      "public or deliver_allow names them: the public addresses of this\n"
      "machine behind NAT, for example.  May be given several times.", 1 },

    { "deliver_ca", config_set_path, AT(deliver_ca), NO_LIMITS,
      "", "/etc/ssl/certs/ca-certificates.crt", "a readable file",
      "The authorities whose certificates receivers and the services of\n"
      "contacts may have; the system's if not given.", 0 },

    { "zoneinfo", config_set_dir, AT(zoneinfo), NO_LIMITS,
      "/usr/share/zoneinfo", NULL, "a directory",
      "Where the system keeps its time zones.  They are read again on SIGHUP.",
      0 },

    { "smtp_url", config_set_smtp_url, AT(smtp_url), NO_LIMITS,
      "", "smtp://mail.example.net:587", "smtp://HOST or smtps://HOST, with or "
      "without :PORT (else 587 or 465); HOST a name or an address",
      "The server that takes mails to contacts.  Without it there are none.",
      0 },

    { "smtp_from", config_set_mailbox, AT(smtp_from), NO_LIMITS,
      "", "blocklists@example.net", "one address, local@domain",
      "Whom mails come from, and to whom the undeliverable ones go back.",
      0 },

    { "smtp_user", config_set_text, AT(smtp_user), NO_LIMITS,
      "", "blocklists", "a user name of at most 127 bytes",
      "The user at the mail server, if it wants one.", 0 },

    { "smtp_password_file", config_set_secret, AT(smtp_password), NO_LIMITS,
      "", "/etc/rbl-checkd/smtp.password",
      "a file that only its owner can read, with a password of at most 255 "
      "bytes",
      "A file with that user's password in its first line.", 0 },

    { "smtp_tls", config_set_tls, AT(smtp_tls), NO_LIMITS,
      "auto", NULL, "auto, required, opportunistic or off",
      "TLS to the mail server: required with a valid certificate, used if it\n"
      "is offered without asking whose it is, or off.  auto: required, but\n"
      "off if the server is on this machine (a loopback address).", 0 },

    { "smtp_ca", config_set_path, AT(smtp_ca), NO_LIMITS,
      "", "/etc/ssl/certs/ca-certificates.crt", "a readable file",
      "The authorities whose certificates the mail server may have; the\n"
      "system's if not given.", 0 },

    { "smtp_timeout", config_set_duration, AT(smtp_timeout),
      LIMITS(0.5, 10 * MINUTE), "30s", NULL, NULL,
      "How long one mail may take.  What the server accepts later than that\n"
      "is sent again.", 0 },

    { "pagerduty_url", config_set_base, AT(pagerduty_url), NO_LIMITS,
      "https://events.pagerduty.com", NULL, BASE,
      "Where PagerDuty takes events; https://events.eu.pagerduty.com for its\n"
      "region in the EU.", 0 },

    { "telegram_url", config_set_base, AT(telegram_url), NO_LIMITS,
      "https://api.telegram.org", NULL, BASE,
      "Where Telegram's Bot API is.", 0 },

    { "telegram_token_file", config_set_telegram, AT(telegram_token),
      NO_LIMITS, "", "/etc/rbl-checkd/telegram.token",
      "a file that only its owner can read, with a token as 123456:ABC-def",
      "A file with the token of the bot that messages to contacts of type\n"
      "telegram come from.  Without it there are none.", 0 },

    { "pushover_url", config_set_base, AT(pushover_url), NO_LIMITS,
      "https://api.pushover.net", NULL, BASE,
      "Where Pushover takes messages.", 0 },

    { "pushover_token_file", config_set_pushover, AT(pushover_token),
      NO_LIMITS, "", "/etc/rbl-checkd/pushover.token",
      "a file that only its owner can read, with a token of 30 letters and "
      "digits",
      "A file with the token of the application that messages to contacts of\n"
      "type pushover come from.  Without it there are none.", 0 },

    { "sms_url", config_set_base, AT(sms_url), NO_LIMITS,
      "https://api.twilio.com", NULL, BASE,
      "Where text messages are taken: Twilio, or a service with its API.", 0 },

    { "sms_account", config_set_account, AT(sms_account), NO_LIMITS,
      "", "AC00000000000000000000000000000000",
      "1 to 64 characters of A-Z, a-z, 0-9, \"_\", \"-\"",
      "The account there.  Without it there are no text messages.", 0 },

    { "sms_token_file", config_set_secret, AT(sms_token), NO_LIMITS,
      "", "/etc/rbl-checkd/sms.token",
      "a file that only its owner can read, with a token of at most 127 bytes",
      "A file with that account's token in its first line.", 0 },

    { "sms_from", config_set_sender, AT(sms_from), NO_LIMITS,
      "", "+15005550006",
      "a phone number with the country's code and a plus sign first, the id "
      "of a messaging service, or a name of letters, digits and spaces",
      "Whom text messages come from.", 0 },

    { "datadog_url", config_set_base, AT(datadog_url), NO_LIMITS,
      "", "https://datadog.example.net", BASE,
      "Where events of all contacts of type datadog go.  Datadog, the site by\n"
      "the contact, if not given.", 0 },

    { "sns_url", config_set_base, AT(sns_url), NO_LIMITS,
      "", "https://sns.example.net", BASE,
      "Where messages of all contacts of type aws-sns go.  AWS, the region by\n"
      "the contact, if not given.", 0 },

    { "logs_url", config_set_base, AT(logs_url), NO_LIMITS,
      "", "https://logs.example.net", BASE,
      "Where log events of all contacts of type aws-cloudwatch go.  AWS, the\n"
      "region by the contact, if not given.", 0 },

    { "name", config_set_text, AT(given_name), NO_LIMITS,
      "", "checker-1", "a name of 1 to 63 bytes",
      "This daemon's name among the others; no two may have the same.  Host\n"
      "name and process id if not given.", 0 },

    { "workers", config_set_count, AT(workers), LIMITS(1, CONFIG_MAX_WORKERS),
      "1", NULL, NULL,
      "Processes of this daemon.  If there are several, one more starts them\n"
      "and replaces those that die; each works like a daemon of its own, with\n"
      "its number behind the name, as checker-1.2.", 0 }
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


/* Words up to the 79th column, each line behind "# ". */

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
          "# One \"key value\" a line; \"#\" begins a comment; a value may be"
          " in double\n"
          "# quotes.  What is commented out below is the default, or an example"
          " where\n"
          "# there is none.  rbl-checkd -t checks this file.\n", f);

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
