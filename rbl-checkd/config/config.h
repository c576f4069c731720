/*
 * Configuration of rbl-checkd (and of rblctl, which reads the same file): one
 * table of keys with type, range, default and text (config.c), from which the
 * commented rbl-checkd.conf, the messages and rbl-checkd.conf(5) are made.
 *
 * The file has one "key value" per line; "#" begins a comment; a value may be
 * in double quotes.  Errors are one line: file, line, key, valid values.
 */

#ifndef CONFIG_H_INCLUDED
#define CONFIG_H_INCLUDED

#include "dns/engine.h"
#include "rbl_keys.h"
#include "rbl_own.h"
#include "rbl_place.h"
#include "rbl_validate.h"

#ifndef CONFIG_DIR
#define CONFIG_DIR  "/etc/rbl-checkd"   /* the Makefile's sysconfdir */
#endif

#define CONFIG_FILE   CONFIG_DIR "/rbl-checkd.conf"
#define CONFIG_PLANS  CONFIG_DIR "/plans.json"

#ifndef SHARE_DIR
#define SHARE_DIR  "/usr/share/rbl-checkd"   /* likewise its datadir */
#endif

#define CONFIG_LISTS  SHARE_DIR "/lists.json"

#define CONFIG_RESOLV  "/etc/resolv.conf"

#define CONFIG_MAX_ALLOW    32
#define CONFIG_MAX_DENY     32
#define CONFIG_MAX_SOURCE   16
#define CONFIG_MAX_ZONES    32

/* Where the resolvers come from. */
enum {
    CONFIG_SYSTEM_NO = 0,           /* the operator gave them */
    CONFIG_SYSTEM,                  /* /etc/resolv.conf */
    CONFIG_SYSTEM_NONE,             /* that has none: 127.0.0.1 is used */
    CONFIG_SYSTEM_LOST              /* it has none any longer: the former ones
                                       are used */
};

/* Names of the DNS. */
typedef struct {
    unsigned  n;
    char      name[CONFIG_MAX_ZONES][RBL_DOMAIN_MAX + 1];
} config_zones_t;

typedef struct {
    rbl_subnet_t  net;
    unsigned      port;             /* 0: the ports of any receiver */
} config_range_t;

/* Addresses that customers' receivers may or must not have
   (deliver/address.h). */
typedef struct {
    unsigned        n_allow, n_deny;
    config_range_t  allow[CONFIG_MAX_ALLOW];
    rbl_subnet_t    deny[CONFIG_MAX_DENY];
} config_reach_t;

typedef struct {
    /* store */
    char     store[1024];           /* as configured: rbl_place.h */
    rbl_place_t      place;         /* the same, parsed */
    rbl_place_map_t  store_map;
    char     store_tls_ca[256];     /* files; "": none */
    char     store_tls_certificate[256];
    char     store_tls_key[256];
    char     store_tls_name[256];   /* "": the certificate is for the address */
    struct ssl_ctx_st  *store_tls;  /* by config_secure_store */
    char     store_user[64];
    char     store_password[256];   /* the content of store_password_file */
    char     store_prefix[RBL_PREFIX_MAX + 1];
    double   store_timeout;         /* s */

    /* log */
    char     log[256];              /* "stderr", "syslog" or a path */
    int      log_level;             /* log.h */

    /* checks */
    unsigned     checks_max;        /* checks in flight in this process */
    double       check_timeout;     /* s, for one whole check */
    double       lease;             /* s after which another daemon may take a
                                       job over */
    unsigned     schedule;          /* 1: turn due hosts into jobs */
    double       keep_manual;       /* s that check records are kept */
    double       keep_scheduled;
    size_t       details_size;      /* bytes of details per account */

    /* dns */
    dns_config_t dns;
    unsigned     system;            /* the resolvers are those of
                                       /etc/resolv.conf: CONFIG_SYSTEM_... */
    size_t       cache_size;        /* bytes of cached responses; 0: none */
    double       control_retry;     /* s between runs of the test
                                   points of a bad list */
    config_zones_t  refuse_zone, allow_zone;    /* rbl_own.h */
    unsigned     n_source;          /* addresses for acls.json; 0: detected */
    rbl_addr_t   source[CONFIG_MAX_SOURCE];

    /* delivery */
    unsigned      deliver;          /* 1: deliver events */
    unsigned      deliveries_max;   /* attempts in flight */
    double        deliver_timeout;  /* s, one attempt */
    double        deliver_connect_timeout;
    double        digest_window;    /* s; changes in this window are one message
                                       to a contact */
    unsigned      contact_limit;    /* messages per minute to a contact */
    unsigned      deliver_http;     /* 1: http:// receivers are allowed */
    config_reach_t  reach;          /* addresses of receivers */
    char          deliver_ca[256];  /* CA bundle file; "": the system's */
    char          zoneinfo[256];    /* directory of the time zones */
    char          portal_url[256];  /* of the portal; "": none */

    /* billing */
    unsigned      bill;             /* 1: this daemon bills */
    char          gateway[8];       /* none, manual, stripe, http */
    char          gateway_url[256]; /* base address; "": the gateway's own */
    char          gateway_key[256]; /* content of gateway_key_file */
    double        gateway_timeout;  /* s, one request */
    double        bill_grace;       /* s after a period that is not paid */
    char          bill_fallback[256];  /* name of a plan; "": none */
    char          bill_plans[256];  /* file of plans */
    int64_t       bill_kept;        /* of bill_fallback: hosts that are still
                                       checked when a plan has expired; -1:
                                       all */

    /* mail */
    char          smtp_url[300];    /* "": none; see config_smtp_server */
    char          smtp_from[320];
    char          smtp_user[128];   /* "": without authentication */
    char          smtp_password[256];   /* content of smtp_password_file */
    int           smtp_tls;         /* config_tls_t */
    char          smtp_ca[256];     /* as deliver_ca */
    double        smtp_timeout;     /* s, for one mail */

    /* services of contacts: base addresses, see config_base_ok; datadog_url,
       sns_url and logs_url "": the address by site or region */
    char          pagerduty_url[256];
    char          telegram_url[256];
    char          telegram_token[128];  /* "": none; like the secrets below, the
                                           content of a file
                                           (telegram_token_file) */
    char          pushover_url[256];
    char          pushover_token[64];
    char          sms_url[256];
    char          sms_account[65];
    char          sms_token[128];
    char          sms_from[65];
    char          datadog_url[256];
    char          sns_url[256];
    char          logs_url[256];

    char          given_name[64];   /* configured name; "": none */
    char          name[72];         /* name of this process in the fleet: the
                                       configured one, or host name and process
                                       id */
} config_t;

typedef enum {
    CONFIG_TLS_AUTO = 0,            /* required, except on this machine */
    CONFIG_TLS_REQUIRED,
    CONFIG_TLS_OPPORTUNISTIC,       /* if the server offers it, with any
                                       certificate */
    CONFIG_TLS_OFF
} config_tls_t;

/* The mail server's address, in parts. */
typedef struct {
    int       implicit;             /* smtps: TLS from the start */
    int       loopback;
    int       literal6;             /* host is an IPv6 address */
    char      host[256];
    unsigned  port;
} config_smtp_t;

/* 0, or -1: not smtp://host[:port] or smtps://host[:port]. */
int config_smtp_server(config_smtp_t *server, const char *url);

/* The effective value of smtp_tls; never CONFIG_TLS_AUTO. */
config_tls_t config_smtp_tls(const config_t *conf);

/*
 * Is the URL a valid base address of a service: https, or http to a numeric
 * loopback address, without a query and without a final "/", so that a path can
 * be appended?
 */
int config_base_ok(const char *url);

/* The same with or without a "/" at its end: the address of a page.  The portal
   may also be at http://localhost. */
int config_page_ok(const char *url);
int config_portal_ok(const char *url);

/*
 * Replaces names of hosts in conf->place by addresses; to be called once, at
 * start, because it may block.  0, or -1 and one line in err.
 */
int config_resolve_store(config_t *conf, char *err, size_t size);

/*
 * Reads the files of TLS if store has "tls:"; to be called once, at start.  0,
 * or -1 and one line in err.
 */
int config_secure_store(config_t *conf, char *err, size_t size);

/* The rule for zones of accounts' lists; it refers to `conf` and to itself. */
typedef struct {
    rbl_own_t  rule;
    rbl_str_t  refuse[CONFIG_MAX_ZONES], allow[CONFIG_MAX_ZONES];
} config_own_t;

void config_own(config_own_t *own, const config_t *conf);

void config_defaults(config_t *conf);

/*
 * Reads a file on top of the defaults.  0, or -1 and one line in err (no
 * newline).
 */
int config_read(config_t *conf, const char *path, char *err, size_t size);

/* Sets one key, as a line of the file does. */
int config_set(config_t *conf, const char *key, const char *value, char *err,
    size_t size);

/*
 * Steps through the keys whose values differ; *i is 0 at first.  NULL: no more.
 * Compares the content of files (store_password_file), not their names.
 */
const char *config_changed(const config_t *a, const config_t *b, size_t *i);

/* Prints the table as a commented configuration file (rbl-checkd -D). */
void config_print_defaults(void *file);

/*
 * The usable name servers of a file like /etc/resolv.conf: the first
 * DNS_MAX_RESOLVERS of them.  Returns their number; 0, too, if the file cannot
 * be read.
 */
unsigned config_nameservers(const char *file,
    struct sockaddr_storage sa[DNS_MAX_RESOLVERS]);

#endif /* CONFIG_H_INCLUDED */
