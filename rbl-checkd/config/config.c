/*
 * The table of keys, the only definition of the configuration.  The defaults,
 * the messages, the commented file and the manual page are made from it.
 */

#include "config_int.h"

#define DAY     (24.0 * 3600)
#define MINUTE  60
#define MIB     (1024.0 * 1024)

/* Types.  `field` is the member of config_t, `what` the valid values. */

#define AT(field)                                                             \
    .offset = offsetof(config_t, field),                                      \
    .size = sizeof(((config_t *) 0)->field)

#define TEXT(field, ok, what)                                                 \
    { .set = config_set_text, AT(field), .test = ok, .allowed = what }

#define URL_OF(field, judge)                                                  \
    TEXT(field, judge, "https://HOST with or without :PORT and a path; "      \
         "http:// only to 127.0.0.1 or [::1]")
#define URL(field)  URL_OF(field, config_base_ok)

#define FORM(field, regex, what)                                              \
    { .set = config_set_text, AT(field), .pattern = regex, .allowed = what }

#define FILE_OF(field, kind, what)                                            \
    { .set = config_set_file, AT(field), .path = kind, .allowed = what }

#define READABLE(field)                                                       \
    FILE_OF(field, CONFIG_READABLE, "a readable file")

#define SECRET(field, regex, what)                                            \
    { .set = config_set_file, AT(field), .path = CONFIG_SECRET,               \
      .pattern = regex,                                                       \
      .allowed = "a file that only its owner can read, with " what }

/* A number by a word: the first one is 0. */

#define WORDS(...)  (const char *const []) { __VA_ARGS__, NULL }

#define WORD(field, list, what)                                               \
    { .set = config_set_word, AT(field), .words = list, .allowed = what }

#define FLAG(field)  WORD(field, WORDS("off", "on"), "on or off")

#define NUMBER(field, kind, least, most)                                      \
    { .set = config_set_number, AT(field), .number = &kind,                   \
      .member = _Generic(((config_t *) 0)->field, unsigned: CONFIG_UNSIGNED,  \
                         unsigned long: CONFIG_SIZE, double: CONFIG_DOUBLE),  \
      .min = least, .max = most }

#define COUNT(field, least, most)                                             \
    NUMBER(field, config_counts, least, most)

#define DURATION(field, least, most)                                          \
    NUMBER(field, config_durations, least, most)

#define SIZE(field, least, most)                                              \
    NUMBER(field, config_sizes, least, most)

/* A key that may be given several times; `n` counts the entries. */

#define SEVERAL(type, field, n, what)                                         \
    { .set = config_set_##type, AT(field), .count = offsetof(config_t, n),    \
      .repeat = 1, .allowed = what }

/* A type that one key has. */

#define SPECIAL(type, field, what)                                            \
    { .set = config_set_##type, AT(field), .allowed = what }

#define DEFAULT(value)  value, NULL
#define EXAMPLE(value)  "", value       /* there is no default */


const config_key_t  config_keys[] = {

    { "store", SPECIAL(store, store,
        "ADDRESS:PORT, [ADDRESS]:PORT, unix:/PATH, "
        "sentinel:NAME@ADDRESS:PORT,... or cluster:ADDRESS:PORT,..., with at "
        "most 16 addresses, and tls: before all but unix:"),
      DEFAULT("127.0.0.1:6379"),
      "The store, which the nginx module uses too: one Redis server, the "
      "master NAME that Redis Sentinels know, or a Redis Cluster.  The "
      "addresses of sentinel: are those of the Sentinels, the addresses of "
      "cluster: are those of some nodes; a comma stands between them.  Host "
      "names may stand for addresses; they are resolved once, at start.  With "
      "tls: before it, all connections are encrypted, also those to "
      "Sentinels." },

    { "store_nodes", SEVERAL(store_nodes, store_map.pair, store_map.n,
        "ANNOUNCED:PORT=ADDRESS:PORT; at most 64 of them"),
      EXAMPLE("10.0.0.1:6379=192.0.2.1:6379"),
      "Address at which this machine reaches a server that Sentinels or the "
      "nodes of a cluster announce under another address, behind an address "
      "translation.  May be given several times." },

    { "store_tls_ca", READABLE(store_tls_ca),
      EXAMPLE("/etc/rbl-checkd/store-ca.pem"),
      "File of the certificate authorities that certify the servers of the "
      "store.  tls: needs it.  Certificates are always verified." },

    { "store_tls_certificate", READABLE(store_tls_certificate),
      EXAMPLE("/etc/rbl-checkd/store.pem"),
      "File of the certificate of the program, and of its chain, for servers "
      "that want one (tls-auth-clients).  It needs store_tls_key." },

    { "store_tls_key", FILE_OF(store_tls_key, CONFIG_PRIVATE,
        "a readable file"),
      EXAMPLE("/etc/rbl-checkd/store.key"),
      "File of the key of store_tls_certificate, without a password." },

    { "store_tls_name", TEXT(store_tls_name, NULL,
        "a name of at most 255 bytes"), EXAMPLE("store.example.net"),
      "Name that the certificates of all servers must have.  Without it, each "
      "must be for the address of its server." },

    { "store_user", TEXT(store_user, NULL, "a user name of at most 63 bytes"),
      EXAMPLE("rbl-checkd"),
      "Redis ACL user.  Without it the password is used for the user "
      "\"default\"." },

    { "store_password_file", FILE_OF(store_password, CONFIG_PASSWORD,
        "a readable file that holds a password of at most 255 bytes"),
      EXAMPLE("/etc/rbl-checkd/store.password"),
      "File whose first line is the password of the Redis user." },

    { "store_prefix", TEXT(store_prefix, config_prefix_ok,
        "1 to 32 characters of A-Z, a-z, 0-9, \"_\", \".\", \"-\""),
      DEFAULT("rbl"),
      "Prefix of every key; the same as rbl_store_prefix of nginx." },

    { "store_timeout", DURATION(store_timeout, 0.05, MINUTE), DEFAULT("2s"),
      "Time limit for connecting to Redis, and for each command." },

    { "log", FORM(log, "^(stderr|syslog|/.*)$",
        "stderr, syslog or an absolute path"), DEFAULT("stderr"),
      "Log destination.  SIGHUP reopens a log file." },

    { "log_level", WORD(log_level,
        WORDS("error", "warn", "notice", "info", "debug"),
        "error, warn, notice, info or debug"), DEFAULT("notice"),
      "Lowest severity of the messages that are logged." },

    { "checks_max", COUNT(checks_max, 1, 10000), DEFAULT("256"),
      "Maximum number of checks in flight in this process.  A check of more "
      "than 100 lists counts as several.  Further checks wait in the store." },

    { "check_timeout", DURATION(check_timeout, 0.1, 10 * MINUTE),
      DEFAULT("20s"),
      "Time limit for one check.  Lists that have not responded by then are "
      "unknown." },

    { "lease", DURATION(lease, 0.5, 60 * MINUTE), DEFAULT("60s"),
      "Time after which another daemon takes over the work of a daemon that "
      "has died.  It must be more than twice check_timeout." },

    { "schedule", FLAG(schedule), DEFAULT("on"),
      "Scheduled checks: whether this daemon claims hosts that are due." },

    { "keep_manual", DURATION(keep_manual, MINUTE, 366 * DAY), DEFAULT("7d"),
      "Retention time of the records of finished manual checks." },

    { "keep_scheduled", DURATION(keep_scheduled, MINUTE, 366 * DAY),
      DEFAULT("7d"),
      "Retention time of the records of scheduled checks." },

    { "details_size", SIZE(details_size, MIB, 4096 * MIB), DEFAULT("16m"),
      "Maximum size of the stored check details of one account, in bytes of "
      "Redis memory.  Beyond it the oldest details of the account are "
      "removed." },

    { "lookup", WORD(dns.direct, WORDS("resolver", "direct"),
        "direct or resolver"), DEFAULT("direct"),
      "Lookup mode.  direct: the daemon queries each list at its own name "
      "servers, which it finds through any resolver.  resolver: the daemon "
      "queries the lists through recursive resolvers, for sites that may not "
      "send DNS queries to the Internet." },

    { "resolver", SPECIAL(resolver, dns.resolver,
        "1 to 8 numeric addresses, separated by spaces, each with or without "
        "a port: 127.0.0.1, 127.0.0.1@5335, ::1@5335"),
      EXAMPLE("127.0.0.1@5335"),
      "Recursive resolvers.  With lookup direct the daemon uses them only to "
      "find name servers and receivers; the default is then the resolvers of "
      "/etc/resolv.conf, which the daemon reads again when it changes.  With "
      "lookup resolver they must be private, since blocklists refuse large "
      "public resolvers; the default is then 127.0.0.1@5335." },

    { "list_server_allow", SEVERAL(subnet, dns.allow, dns.n_allow,
        "a subnet such as 192.168.10.0/24 or fd00::/8, its host bits zero; at "
        "most 32 of them"), EXAMPLE("192.168.10.0/24"),
      "Subnet of name servers of lists whose addresses are not public.  With "
      "lookup direct the daemon queries no other servers with such "
      "addresses.  May be given several times." },

    { "dns_timeout", DURATION(dns.timeout, 0.05, 30), DEFAULT("2s"),
      "Timeout of the first attempt of a lookup.  Later attempts wait "
      "longer." },

    { "dns_tries", COUNT(dns.tries, 1, 5), DEFAULT("2"),
      "Number of attempts of a lookup before it counts as a timeout." },

    { "dns_in_flight", COUNT(dns.max_in_flight, 1, 10000), DEFAULT("1000"),
      "Maximum number of queries in flight to one server or resolver.  "
      "Further queries wait." },

    { "dns_zone_rate", COUNT(dns.zone_rate, 0, 100000), DEFAULT("0"),
      "Maximum number of queries per second to one list; 0 is no limit." },

    { "dns_own_rate", COUNT(dns.own_rate, 0, 100000), DEFAULT("100"),
      "Maximum number of queries per second to all custom lists of one "
      "account together; 0 is no limit.  A burst may use the queries of 20 "
      "seconds.  Test points have a separate budget of one fifth of this "
      "rate, with a burst of one minute." },

    { "dns_socket_uses", COUNT(dns.socket_uses, 1, 100000), DEFAULT("1000"),
      "Number of queries sent from one source port before the daemon changes "
      "to another port." },

    { "dns_max_tcp", COUNT(dns.max_tcp, 1, 1000), DEFAULT("50"),
      "Maximum number of concurrent queries over TCP, which repeat queries "
      "with truncated responses." },

    { "cache_size", SIZE(cache_size, 0, 4096 * MIB), DEFAULT("64m"),
      "DNS cache size in bytes; 0 disables caching.  The cache keeps "
      "responses for their TTL, so that a value that several accounts monitor "
      "is queried once.  Manual checks bypass the cache." },

    { "control_retry", DURATION(control_retry, 0.5, 60 * MINUTE),
      DEFAULT("30s"),
      "Time after which the test points of a list that fails them, or that "
      "refuses to respond, are queried again.  It doubles with each failure, "
      "up to one hour." },

    { "refuse_zone", SEVERAL(zone, refuse_zone.name, refuse_zone.n,
        "a domain name; at most 32 of them"), EXAMPLE("corp.example.net"),
      "Zone that custom lists may not query, with all names under it, in "
      "addition to reserved names such as local and arpa; the same as "
      "rbl_refuse_zones of nginx.  May be given several times." },

    { "allow_zone", SEVERAL(zone, allow_zone.name, allow_zone.n,
        "a domain name; at most 32 of them"),
      EXAMPLE("lists.corp.example.net"),
      "Zone that custom lists may query, although it is reserved or under a "
      "refuse_zone; the same as rbl_allow_zones of nginx.  May be given "
      "several times." },

    { "source_address", SEVERAL(address, source, n_source,
        "a numeric address; at most 16 of them"), EXAMPLE("192.0.2.1"),
      "Source address of DNS queries as the lists see it, if it is not an "
      "address of this machine.  The API shows it in acls.json.  May be given "
      "several times." },

    { "deliver", FLAG(deliver), DEFAULT("on"),
      "Delivery of events to webhooks, callbacks and contacts by this "
      "daemon." },

    { "deliveries_max", COUNT(deliveries_max, 1, 1000), DEFAULT("64"),
      "Maximum number of delivery attempts in flight in this process." },

    { "deliver_timeout", DURATION(deliver_timeout, 0.1, 5 * MINUTE),
      DEFAULT("15s"),
      "Time limit for one delivery attempt." },

    { "deliver_connect_timeout", DURATION(deliver_connect_timeout, 0.1, MINUTE),
      DEFAULT("5s"),
      "Time limit for connecting to a receiver." },

    { "digest_window", DURATION(digest_window, 0.1, 60 * MINUTE),
      DEFAULT("60s"),
      "Collection time for messages to a contact.  Changes within this window "
      "are sent as one message." },

    { "contact_limit", COUNT(contact_limit, 1, 1000), DEFAULT("20"),
      "Maximum number of messages to one contact per minute.  Further "
      "messages wait." },

    { "portal_url", TEXT(portal_url, config_portal_ok,
      "https://HOST with or without :PORT and a path; http:// only to "
      "localhost, 127.0.0.1 or [::1]"),
      EXAMPLE("https://rbl.example.org/portal/"),
      "Address of the portal, the one of rbl_portal_url in ngx_rbl(5).  With "
      "it messages to contacts have a link to the host or hosts." },

    { "deliver_http", FLAG(deliver_http), DEFAULT("off"),
      "Delivery to receivers without TLS (http://)." },

    { "deliver_allow", SEVERAL(range, reach.allow, reach.n_allow,
        "a subnet such as 192.168.10.0/24 or fd00::/8, its host bits zero, "
        "with or without one port: 192.168.10.0/24:8443, [fd00::/8]:8443; at "
        "most 32 of them"), EXAMPLE("192.168.10.0/24"),
      "Subnet of receivers whose addresses are not public.  Other receivers "
      "with such addresses are refused.  Without a port, the ports are those "
      "that public receivers may have: 80, 443, and ports above 1023 that no "
      "well-known service uses, such as 6379.  May be given several times." },

    { "deliver_deny", SEVERAL(subnet, reach.deny, reach.n_deny,
        "a subnet such as 192.168.10.0/24 or fd00::/8, its host bits zero; at "
        "most 32 of them"), EXAMPLE("198.51.100.7/32"),
      "Subnet of receivers that are refused, even if their addresses are "
      "public or deliver_allow names them; for example the public addresses "
      "of this machine behind NAT.  May be given several times." },

    { "deliver_ca", READABLE(deliver_ca),
      EXAMPLE("/etc/ssl/certs/ca-certificates.crt"),
      "File of the certificate authorities that receivers and the services of "
      "contacts may use.  Without it the system's authorities count." },

    { "zoneinfo", SPECIAL(directory, zoneinfo, "a directory"),
      DEFAULT("/usr/share/zoneinfo"),
      "Directory of the time zone files of the system.  SIGHUP reads them "
      "again." },

    { "gateway", FORM(gateway, "^(none|manual|stripe|http)$",
        "none, manual, stripe or http"), DEFAULT("none"),
      "Payments.  none: there is no billing, and no plan ends.  The others "
      "open a payment before a paid period ends.  manual: the operator books "
      "it with rblctl bill paid.  stripe: the daemon charges the card of the "
      "account through Stripe.  http: it asks a server of the operator "
      "(rbl-operations(7)).  All daemons and rblctl need the same value." },

    { "gateway_key_file", SECRET(gateway_key, NULL,
        "a key of at most 255 bytes"), EXAMPLE("/etc/rbl-checkd/gateway.key"),
      "File whose first line is the secret key of Stripe (sk_ or rk_), or the "
      "secret that signs requests to the server of gateway http." },

    { "gateway_url", URL(gateway_url), EXAMPLE("https://pay.example.net/rbl"),
      "Base URL of the server of gateway http; with gateway stripe for tests "
      "only." },

    { "gateway_timeout", DURATION(gateway_timeout, 0.1, 10 * MINUTE),
      DEFAULT("80s"),
      "Time limit for one request to the gateway." },

    { "bill_grace", DURATION(bill_grace, 0, 366 * DAY), DEFAULT("7d"),
      "Time after a paid period in which an unpaid plan goes on." },

    { "bill_fallback", TEXT(bill_fallback, NULL, "the name of a plan"),
      EXAMPLE("Free"),
      "Plan that tells how many hosts are checked when the plan of an account "
      "has expired: its max_hosts, the oldest hosts first.  Without it none "
      "is.  All daemons need the same value." },

    { "bill_plans", TEXT(bill_plans, NULL, "a readable file"),
      DEFAULT(CONFIG_PLANS),
      "File of plans.  The daemon reads bill_fallback in it at start, and the "
      "plans for requests of operators as soon as it has changed; rblctl reads "
      "it for each command without --file." },

    { "smtp_url", TEXT(smtp_url, config_smtp_ok,
        "smtp://HOST or smtps://HOST, with or without :PORT (else 587 or "
        "465); HOST a name or an address"),
      EXAMPLE("smtp://mail.example.net:587"),
      "Mail server for contacts and sign-in links.  Without it no mail is "
      "sent." },

    { "smtp_from", SPECIAL(mailbox, smtp_from, "one address, local@domain"),
      EXAMPLE("blocklists@example.net"),
      "Sender address; bounces go here." },

    { "smtp_user", TEXT(smtp_user, NULL, "a user name of at most 127 bytes"),
      EXAMPLE("blocklists"),
      "User name for authentication at the mail server." },

    { "smtp_password_file", SECRET(smtp_password, NULL,
        "a password of at most 255 bytes"),
      EXAMPLE("/etc/rbl-checkd/smtp.password"),
      "File whose first line is the password of smtp_user." },

    { "smtp_tls", WORD(smtp_tls,
        WORDS("auto", "required", "opportunistic", "off"),
        "auto, required, opportunistic or off"), DEFAULT("auto"),
      "TLS to the mail server.  required: TLS with a valid certificate.  "
      "opportunistic: TLS if the server offers it; the certificate is not "
      "verified.  off: no TLS.  auto: off for a server on this machine (a "
      "loopback address), required otherwise." },

    { "smtp_ca", READABLE(smtp_ca),
      EXAMPLE("/etc/ssl/certs/ca-certificates.crt"),
      "File of the certificate authorities that the mail server may use.  "
      "Without it the system's authorities count." },

    { "smtp_timeout", DURATION(smtp_timeout, 0.5, 10 * MINUTE), DEFAULT("30s"),
      "Time limit for one mail.  A mail that the server accepts later is sent "
      "again." },

    { "pagerduty_url", URL(pagerduty_url),
      DEFAULT("https://events.pagerduty.com"),
      "Base URL of the PagerDuty Events API; https://events.eu.pagerduty.com "
      "for its EU region." },

    { "telegram_url", URL(telegram_url), DEFAULT("https://api.telegram.org"),
      "Base URL of the Telegram Bot API." },

    { "telegram_token_file", SECRET(telegram_token, "^[0-9]+:[A-Za-z0-9_-]+$",
        "a token as 123456:ABC-def"),
      EXAMPLE("/etc/rbl-checkd/telegram.token"),
      "File with the token of the bot that sends messages to contacts of type "
      "telegram.  Without it no such messages are sent." },

    { "pushover_url", URL(pushover_url), DEFAULT("https://api.pushover.net"),
      "Base URL of the Pushover API." },

    { "pushover_token_file", SECRET(pushover_token, "^[A-Za-z0-9]{30}$",
        "a token of 30 letters and digits"),
      EXAMPLE("/etc/rbl-checkd/pushover.token"),
      "File with the token of the application that sends messages to contacts "
      "of type pushover.  Without it no such messages are sent." },

    { "sms_url", URL(sms_url), DEFAULT("https://api.twilio.com"),
      "Base URL of the text message service: Twilio, or a service with the "
      "same API." },

    { "sms_account", FORM(sms_account, "^[A-Za-z0-9_-]+$",
        "1 to 64 characters of A-Z, a-z, 0-9, \"_\", \"-\""),
      EXAMPLE("AC00000000000000000000000000000000"),
      "Account at the text message service.  Without it no text messages are "
      "sent." },

    { "sms_token_file", SECRET(sms_token, NULL,
        "a token of at most 127 bytes"), EXAMPLE("/etc/rbl-checkd/sms.token"),
      "File whose first line is the token of sms_account." },

    { "sms_from", TEXT(sms_from, config_sender_ok,
        "a phone number with the country's code and a plus sign first, the id "
        "of a messaging service, or a name of letters, digits and spaces"),
      EXAMPLE("+15005550006"),
      "Sender of text messages." },

    { "datadog_url", URL(datadog_url), EXAMPLE("https://datadog.example.net"),
      "Base URL for events of all contacts of type datadog.  Without it "
      "events go to Datadog, at the contact's site." },

    { "sns_url", URL(sns_url), EXAMPLE("https://sns.example.net"),
      "Base URL for messages of all contacts of type aws-sns.  Without it "
      "messages go to AWS, in the contact's region." },

    { "logs_url", URL(logs_url), EXAMPLE("https://logs.example.net"),
      "Base URL for log events of all contacts of type aws-cloudwatch.  "
      "Without it events go to AWS, in the contact's region." },

    { "name", TEXT(given_name, NULL, "a name of 1 to 63 bytes"),
      EXAMPLE("checker-1"),
      "Name of this daemon; no two daemons may have the same name.  Without "
      "it the name is the host name and the process id." }
};

const size_t  config_n_keys = sizeof(config_keys) / sizeof(config_keys[0]);

_Static_assert(sizeof(config_keys) / sizeof(config_keys[0])
               <= CONFIG_KEYS_MAX, "room for every key");
