/*
 * rblctl doctor: mail.  Greets the mail server, starts TLS and authenticates as
 * the daemon does, and sends no mail; looks whether the domain of the sender's
 * address can receive mail.
 */

#include "doctor.h"
#include "doctor_ask.h"

#include "deliver/transport/smtp_int.h"

#define MAIL_MX  15                     /* type of MX records */

/* Sets smtp_url again, and starts the daemon with it. */
#define MAIL_RESTART  " in " CONFIG_FILE "; try: systemctl restart rbl-checkd"


/* The end of a session that failed. */
static void
mail_failed(doctor_t *d, const smtp_result_t *r)
{
    const char  *url = d->daemon.smtp_url;

    switch (r->end) {

    case SMTP_RESOLVE:
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, "correct smtp_url"
                   MAIL_RESTART, "%s: its name has no address", url);
        break;

    case SMTP_CONNECT:
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, "start the mail server,"
                   " open its port in the firewall, or correct smtp_url"
                   MAIL_RESTART, "%s: %s", url, r->error);
        break;

    case SMTP_TIMEOUT:
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, "open the port of the mail"
                   " server in the firewall (networks often close port 25; 587"
                   " is for clients), or correct smtp_url" MAIL_RESTART,
                   "%s does not answer in time: %s", url, r->error);
        break;

    case SMTP_TLS:
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, "give the mail server a"
                   " valid certificate, or set smtp_ca or smtp_tls"
                   MAIL_RESTART, "%s: no TLS: %s", url, r->error);
        break;

    case SMTP_AUTH:
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, "correct smtp_user and"
                   " smtp_password_file" MAIL_RESTART, "%s refuses user %s: %s",
                   url, d->daemon.smtp_user,
                   r->text[0] != '\0' ? r->text : r->error);
        break;

    default:
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, "correct smtp_url"
                   MAIL_RESTART, "%s: %s", url,
                   r->text[0] != '\0' ? r->text : r->error);
    }
}


void
doctor_smtp(doctor_t *d)
{
    int             i;
    config_t       *conf = &d->daemon;
    smtp_wire_t     wire = { .stop = 0 };
    smtp_result_t   r;
    smtp_session_t  s = { .conf = conf, .wire = &wire };

    if (conf->smtp_url[0] == '\0') {
        doctor_say(d, DOCTOR_SMTP, DOCTOR_UNKNOWN, NULL, "smtp_url is not set:"
                   " no mail is sent");
        return;
    }

    conf->smtp_timeout = conf->smtp_timeout < DOCTOR_WAIT ? conf->smtp_timeout
                                                          : DOCTOR_WAIT;
    pthread_mutex_init(&wire.lock, NULL);

    for (i = 0; i < SMTP_SOCKETS; i++) {
        wire.fd[i] = -1;
    }

    memset(&r, 0, sizeof(r));
    (void) curl_global_init(CURL_GLOBAL_DEFAULT);
    smtp_session_send(&s, NULL, RBL_STR(""), &r);

    if (r.end != SMTP_ANSWERED) {
        mail_failed(d, &r);

    } else if (r.status >= 400) {
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, NULL, "%s refuses this"
                   " machine with %u: %s", conf->smtp_url, r.status,
                   r.text[0] != '\0' ? r.text : r.error);

    } else if (conf->smtp_user[0] != '\0' && !s.knows_user) {
        doctor_say(d, DOCTOR_SMTP, DOCTOR_DEGRADED, "use the port for clients"
                   " (587 or 465) in smtp_url, or remove smtp_user"
                   MAIL_RESTART, "%s offers no authentication that libcurl"
                   " knows, and smtp_user is set", conf->smtp_url);

    } else {
        doctor_say(d, DOCTOR_SMTP, DOCTOR_GOOD, NULL, "%s", conf->smtp_url);
    }

    smtp_session_end(&s);
}


/* --- the sender's address ------------------------------------------------- */

/* Asks each resolver for MX, A and AAAA of the domain.  Returns the answers. */
static unsigned
mail_ask(const doctor_t *d, const char *domain, ask_t *ask)
{
    unsigned             i, k, n;
    const dns_config_t  *dns = &d->daemon.dns;

    static const uint16_t  types[] = { MAIL_MX, DNS_TYPE_A, DNS_TYPE_AAAA };

    for (i = n = 0; i < dns->n_resolvers; i++) {
        for (k = 0; k < 3; k++) {
            n += ask_set(&ask[n], &dns->resolver[i], domain, types[k],
                         DNS_QUERY_RD, 0) == 0;
        }
    }

    ask_all(ask, n, DOCTOR_WAIT);

    return n;
}


void
doctor_mail_from(doctor_t *d)
{
    char          domain[RBL_VALUE_MAX];
    unsigned      i, n, answered, found;
    rbl_str_t     name;
    const char   *at;
    static ask_t  ask[DNS_MAX_RESOLVERS * 3];

    at = strrchr(d->daemon.smtp_from, '@');

    if (d->daemon.smtp_url[0] == '\0' || at == NULL) {
        doctor_say(d, DOCTOR_MAIL_FROM, DOCTOR_UNKNOWN, NULL, "%s",
                   at == NULL ? "smtp_from is not set" : "smtp_url is not set:"
                   " no mail is sent");
        return;
    }

    at++;

    if (rbl_domain_parse(domain, &name, (rbl_str_t) { at, strcspn(at, "> ") })
        != RBL_OK)
    {
        doctor_say(d, DOCTOR_MAIL_FROM, DOCTOR_DEGRADED, NULL, "%s is not"
                   " below a domain", d->daemon.smtp_from);
        return;
    }

    domain[name.n] = '\0';
    n = mail_ask(d, domain, ask);

    for (i = answered = found = 0; i < n; i++) {
        if (ask_trouble(&ask[i]) == NULL) {
            answered++;
            found += ask[i].records;
        }
    }

    if (found > 0) {
        doctor_say(d, DOCTOR_MAIL_FROM, DOCTOR_GOOD, NULL, "%s",
                   d->daemon.smtp_from);

    } else if (answered == 0) {
        doctor_say(d, DOCTOR_MAIL_FROM, DOCTOR_UNKNOWN, NULL, "no resolver"
                   " answers for %s", domain);

    } else {
        doctor_say(d, DOCTOR_MAIL_FROM, DOCTOR_DEGRADED, NULL, "the domain of"
                   " smtp_from, %s, has neither MX nor address: receivers"
                   " refuse such mails, and no bounce comes back", domain);
    }
}
