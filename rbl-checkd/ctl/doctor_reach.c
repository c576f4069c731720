/*
 * rblctl doctor: what libcurl reaches.  Greets the mail server, starts TLS and
 * authenticates as the daemon does, and sends no mail; gets the page of the
 * portal.
 */

#include "doctor.h"

#include "deliver/transport/smtp_int.h"

#include <openssl/x509.h>
#include <stdlib.h>

/* Sets smtp_url again, and starts the daemon with it. */
#define MAIL_RESTART  " in " CONFIG_FILE "; try: systemctl restart rbl-checkd"


/* The end of a session that failed. */
static void
mail_failed(doctor_t *d, const smtp_result_t *r)
{
    const char  *text = r->text[0] != '\0' ? r->text : r->error;

    static const struct {
        const char  *what, *remedy;
    } ends[] = {
        [SMTP_ANSWERED] = { "", NULL },
        [SMTP_RESOLVE] = { " its name has no address:", "correct smtp_url"
            MAIL_RESTART },
        [SMTP_CONNECT] = { "", "start the mail server, open its port in the"
            " firewall, or correct smtp_url" MAIL_RESTART },
        [SMTP_TIMEOUT] = { " it does not answer in time:", "open the port of"
            " the mail server in the firewall (networks often close port 25;"
            " 587 is for clients), or correct smtp_url" MAIL_RESTART },
        [SMTP_TLS] = { " no TLS:", "give the mail server a valid certificate,"
            " or set smtp_ca or smtp_tls" MAIL_RESTART },
        [SMTP_AUTH] = { "", "correct smtp_user and"
            " smtp_password_file" MAIL_RESTART },
        [SMTP_BROKEN] = { "", "correct smtp_url" MAIL_RESTART },
        [SMTP_LATE] = { "", "correct smtp_url" MAIL_RESTART }
    };

    doctor_say(d, "smtp", DEGRADED, ends[r->end].remedy, "%s:%s %s",
               d->daemon.smtp_url, r->end == SMTP_AUTH
               ? doctor_text(" it refuses user %s:", d->daemon.smtp_user)
               : ends[r->end].what, text);
}


const char *
doctor_smtp(doctor_t *d)
{
    int             i;
    config_t       *conf = &d->daemon;
    smtp_wire_t     wire = { .stop = 0 };
    smtp_result_t   r;
    smtp_session_t  s = { .conf = conf, .wire = &wire };

    if (conf->smtp_url[0] == '\0') {
        return DOCTOR_NO_MAIL;
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

    if (r.end == SMTP_RESOLVE && !d->resolves) {
        return DOCTOR_UNRESOLVED;
    }

    if (r.end != SMTP_ANSWERED) {
        mail_failed(d, &r);

    } else if (r.status >= 400) {
        doctor_say(d, "smtp", DEGRADED, "let the mail server take mails of this"
                   " machine, or set another one by smtp_url" MAIL_RESTART,
                   "%s refuses this machine with %u: %s", conf->smtp_url,
                   r.status, r.text[0] != '\0' ? r.text : r.error);

    } else if (conf->smtp_user[0] != '\0' && !s.knows_user) {
        doctor_say(d, "smtp", DEGRADED, "use the port for clients (587 or"
                   " 465) in smtp_url, or remove smtp_user" MAIL_RESTART,
                   "%s offers no authentication that libcurl knows, and"
                   " smtp_user is set", conf->smtp_url);
    }

    smtp_session_end(&s);

    return NULL;
}


/* --- the portal ----------------------------------------------------------- */

static size_t
portal_discard(char *p, size_t size, size_t n, void *data)
{
    (void) p;
    (void) data;

    return size * n;
}


/* Does the certificate lack an authority, rather than being wrong itself? */
static int
portal_untrusted(long error)
{
    return error == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
           || error == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN
           || error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT
           || error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
           || error == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE;
}


/* Gets the page, as a browser would. */
const char *
doctor_portal(doctor_t *d, const char *url)
{
    CURL        *e;
    char         error[CURL_ERROR_SIZE] = "";
    long         status = 0, verified = X509_V_OK;
    CURLcode     rc;
    const char  *authorities = getenv(X509_get_default_cert_file_env());

    (void) curl_global_init(CURL_GLOBAL_DEFAULT);
    e = curl_easy_init();
    rc = curl_easy_setopt(e, CURLOPT_URL, url);
    rc |= curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    rc |= curl_easy_setopt(e, CURLOPT_PROXY, "");
    rc |= curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    rc |= curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long) DOCTOR_WAIT * 1000);
    rc |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, portal_discard);
    rc |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, error);

    if (authorities != NULL) {          /* as OpenSSL does for the chain */
        rc |= curl_easy_setopt(e, CURLOPT_CAINFO, authorities);
    }

    rc = rc == CURLE_OK ? curl_easy_perform(e) : rc;
    (void) curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, &status);
    (void) curl_easy_getinfo(e, CURLINFO_SSL_VERIFYRESULT, &verified);
    curl_easy_cleanup(e);

    if (rc == CURLE_COULDNT_RESOLVE_HOST && !d->resolves) {
        return DOCTOR_UNRESOLVED;
    }

    if (rc == CURLE_PEER_FAILED_VERIFICATION) {
        doctor_say(d, "certificate", BROKEN, portal_untrusted(verified)
                   ? DOCTOR_TRUST : DOCTOR_RENEW, "%s: %s", url, error);
    }

    if (rc == CURLE_OK && status != 200) {
        snprintf(error, sizeof(error), "it answers with %ld", status);
    }

    if (rc != CURLE_OK || status != 200) {
        doctor_say(d, "portal", DEGRADED, doctor_text("correct rbl_portal_url,"
                   " the name in the DNS, or the site of nginx; try: curl -v"
                   " %.200s", url), "%s: %s", url, error[0] != '\0' ? error
                   : curl_easy_strerror(rc));
    }

    return NULL;
}
