/*
 * rblctl doctor: nginx, the store that it uses, and the certificate of its
 * site.
 */

#include "doctor.h"
#include "doctor_nginx.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SITE_OUTPUT  2097152            /* bytes of a configuration */
#define SITE_SOON    14                 /* days that a certificate must have */


/* The rows that need the configuration of nginx, from that one on. */
static void
site_unknown(doctor_t *d, size_t from, const char *why)
{
    size_t  i;

    static const doctor_id_t  rows[] = {
        DOCTOR_NGINX, DOCTOR_NGINX_STORE, DOCTOR_CERTIFICATE
    };

    for (i = from; i < sizeof(rows) / sizeof(rows[0]); i++) {
        doctor_say(d, rows[i], DOCTOR_UNKNOWN, NULL, "%s", why);
    }
}


/* --- nginx ---------------------------------------------------------------- */

/* The text behind the first "[emerg] 12#12: ", or the first line. */
static void
site_error(char *why, size_t size, const char *out)
{
    size_t       n, k;
    const char  *at;

    at = strstr(out, "[emerg] ");
    at = at == NULL ? out : at + 8;
    n = strspn(at, "0123456789");
    k = at[n] == '#' ? strspn(at + n + 1, "0123456789") : 0;
    at += k > 0 && strncmp(at + n + 1 + k, ": ", 2) == 0 ? n + k + 3 : 0;
    n = strcspn(at, "\n");
    snprintf(why, size, "%.*s", (int) (n < size ? n : size - 1), at);
}


/* Runs nginx -T.  0: nginx has been read; -1. */
static int
site_nginx(doctor_t *d, nginx_t *nginx)
{
    int           rc;
    char          why[DOCTOR_REASON], dir[512];
    const char   *slash;

    const char   *argv[] = { "nginx", "-T", "-e", "stderr", "-p", dir, "-c",
                             d->nginx, NULL };
    static char   out[SITE_OUTPUT];

    if (d->nginx == NULL) {
        argv[2] = NULL;

    } else {
        slash = strrchr(d->nginx, '/');
        snprintf(dir, sizeof(dir), "%.*s", slash == NULL ? 1
                 : (int) (slash - d->nginx) + 1,
                 slash == NULL ? "." : d->nginx);
    }

    rc = doctor_program(argv, out, sizeof(out));

    if (rc == -1) {
        site_unknown(d, 0, "there is no nginx on this machine");
        return -1;
    }

    if (rc != 0 && geteuid() != 0) {
        site_unknown(d, 0, "only root can test the configuration of nginx");
        return -1;
    }

    if (rc != 0) {
        site_error(why, sizeof(why), out);
        site_unknown(d, 1, "nginx -t fails: see nginx");
        doctor_say(d, DOCTOR_NGINX, DOCTOR_BROKEN,
                   strstr(why, "version ") != NULL || strstr(why, ".so") != NULL
                   ? "install the module of this nginx; try: apt-get install"
                     " --reinstall libnginx-mod-rbl && nginx -t" : NULL,
                   "nginx -t: %s", why);
        return -1;
    }

    nginx_read(nginx, out);

    return 0;
}


/* Does the server have the API or the portal? */
static int
site_ours(const nginx_t *nginx, unsigned server)
{
    return nginx_next(nginx, "rbl_api", server, NULL) != NULL
           || nginx_next(nginx, "rbl_portal", server, NULL) != NULL;
}


/* --- the store ------------------------------------------------------------ */

/* The run_id of the store at that address; "": it cannot be reached. */
static void
site_run_id(doctor_t *d, const char *store, char id[DOCTOR_RUN_ID],
    char why[DOCTOR_REASON])
{
    ctl_t  *ctl = d->ctl;

    id[0] = '\0';
    why[0] = '\0';
    memset(&ctl->store, 0, sizeof(ctl->store));

    if (config_set(&ctl->conf, "store", store, why, DOCTOR_REASON) != 0) {
        return;
    }

    ctl_catch(why, DOCTOR_REASON);

    if (ctl_connect(ctl) == 0) {
        doctor_run_id(ctl, id);
    }

    ctl_catch(NULL, 0);
}


/* The files with the passwords of nginx' users of the store. */
static void
site_files(doctor_t *d, const nginx_t *nginx)
{
    const nginx_line_t  *line;

    for (line = NULL;
         (line = nginx_next(nginx, "rbl_store_password_file", NGINX_ANY, line))
         != NULL; )
    {
        if (line->n > 1) {
            doctor_secret(d, line->word[1]);
        }
    }
}


static void
site_store(doctor_t *d, const nginx_t *nginx)
{
    char                 id[DOCTOR_RUN_ID], why[DOCTOR_REASON];
    const char          *store, *prefix;
    const nginx_line_t  *line;

    prefix = nginx_value(nginx, "rbl_store_prefix", 0);

    if (prefix != NULL && strcmp(prefix, d->ctl->conf.store_prefix) != 0) {
        doctor_say(d, DOCTOR_NGINX_STORE, DOCTOR_BROKEN, NULL, "nginx has"
                   " rbl_store_prefix %s, rblctl %s", prefix,
                   d->ctl->conf.store_prefix);
    }

    for (line = NULL;
         (line = nginx_next(nginx, "rbl_store", NGINX_ANY, line)) != NULL; )
    {
        store = line->n > 1 ? line->word[1] : "";

        if (strcmp(store, d->ctl->conf.store) == 0) {
            doctor_say(d, DOCTOR_NGINX_STORE, DOCTOR_GOOD, NULL, "%s", store);
            continue;
        }

        if (d->run_id[0] == '\0') {
            doctor_say(d, DOCTOR_NGINX_STORE, DOCTOR_UNKNOWN, NULL, "nginx"
                       " uses %s, and the store of rblctl cannot be read",
                       store);
            continue;
        }

        site_run_id(d, store, id, why);

        if (strcmp(id, d->run_id) == 0) {
            doctor_say(d, DOCTOR_NGINX_STORE, DOCTOR_GOOD, NULL, "%s", store);

        } else {
            doctor_say(d, DOCTOR_NGINX_STORE, DOCTOR_BROKEN, NULL, "nginx uses"
                       " %s, which is not the store of rblctl%s%s", store,
                       why[0] != '\0' ? ": " : "", why);
        }
    }
}


/* --- the certificate ------------------------------------------------------ */

/* Is there a chain from the certificate to an authority of this machine?  The
   rest of the file has those between.  Returns the error of OpenSSL. */
static int
site_chain(X509 *cert, BIO *file)
{
    int              error;
    X509            *next;
    X509_STORE      *store;
    X509_STORE_CTX  *ctx;
    STACK_OF(X509)  *chain;

    chain = sk_X509_new_null();
    store = X509_STORE_new();
    ctx = X509_STORE_CTX_new();
    error = X509_V_ERR_UNSPECIFIED;

    while ((next = PEM_read_bio_X509(file, NULL, NULL, NULL)) != NULL) {
        (void) sk_X509_push(chain, next);
    }

    if (X509_STORE_set_default_paths(store) == 1
        && X509_STORE_CTX_init(ctx, store, cert, chain) == 1)
    {
        X509_STORE_CTX_set_flags(ctx, X509_V_FLAG_NO_CHECK_TIME);
        error = X509_verify_cert(ctx) == 1 ? X509_V_OK
                                           : X509_STORE_CTX_get_error(ctx);
    }

    X509_STORE_CTX_free(ctx);
    X509_STORE_free(store);
    sk_X509_pop_free(chain, X509_free);

    return error;
}


/* The host of the portal's URL, or the first name of the server. */
static void
site_host(const nginx_t *nginx, unsigned server, char host[RBL_VALUE_MAX])
{
    size_t       n;
    const char  *name;

    name = nginx_value(nginx, "rbl_portal_url", server);
    name = name != NULL ? strstr(name, "://") : NULL;
    name = name != NULL ? name + 3 : nginx_value(nginx, "server_name", server);
    n = name == NULL ? 0 : strcspn(name, "/:");
    snprintf(host, RBL_VALUE_MAX, "%.*s", (int) n, name == NULL ? "" : name);

    if (strcmp(host, "_") == 0 || strpbrk(host, "*~$") != NULL) {
        host[0] = '\0';
    }
}


static void
site_dates(doctor_t *d, const char *file, X509 *cert)
{
    int               days, seconds;
    time_t            now;
    ASN1_TIME        *at;
    struct timespec   ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    now = ts.tv_sec;
    at = ASN1_TIME_set(NULL, now);

    if (X509_cmp_time(X509_get0_notBefore(cert), &now) > 0) {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_BROKEN, "set the clock, or"
                   " wait; try: timedatectl", "%s is not valid yet", file);

    } else if (ASN1_TIME_diff(&days, &seconds, at,
                              X509_get0_notAfter(cert)) != 1)
    {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_BROKEN, DOCTOR_RENEW,
                   "%s has no date of its end", file);

    } else if (days < 0 || seconds < 0) {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_BROKEN, DOCTOR_RENEW,
                   "%s expired %d days ago", file, -days);

    } else if (days < SITE_SOON) {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_DEGRADED, DOCTOR_RENEW,
                   "%s expires in %d days", file, days);

    } else {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_GOOD, NULL, "%s expires in %d"
                   " days", file, days);
    }

    ASN1_TIME_free(at);
}


static void
site_certificate(doctor_t *d, const nginx_t *nginx, unsigned server,
    const char *file)
{
    int    error;
    BIO   *bio;
    X509  *cert;
    char   host[RBL_VALUE_MAX];

    bio = BIO_new_file(file, "r");
    cert = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);

    if (cert == NULL) {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_UNKNOWN, NULL, "%s cannot be"
                   " read", file);
        BIO_free(bio);
        return;
    }

    site_dates(d, file, cert);
    site_host(nginx, server, host);

    if (host[0] != '\0' && X509_check_host(cert, host, 0, 0, NULL) != 1
        && X509_check_ip_asc(cert, host, 0) != 1)
    {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_BROKEN, "get a certificate for"
                   " this name, or correct rbl_portal_url and server_name; try:"
                   " certbot --nginx", "%s is not for %s", file, host);
    }

    error = site_chain(cert, bio);

    if (error != X509_V_OK) {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_DEGRADED, "let"
                   " ssl_certificate name the file with the whole chain"
                   " (fullchain.pem); try: nginx -T | grep ssl_certificate",
                   "%s: no authority of this machine vouches for it: %s", file,
                   X509_verify_cert_error_string(error));
    }

    X509_free(cert);
    BIO_free(bio);
}


/* Do other machines reach the address of a listen directive? */
static int
site_far(const char *listen)
{
    return strncmp(listen, "127.", 4) != 0 && strncmp(listen, "[::1]", 5) != 0
           && strncmp(listen, "unix:", 5) != 0
           && strncmp(listen, "localhost", 9) != 0;
}


static void
site_tls(doctor_t *d, const nginx_t *nginx, unsigned server)
{
    int                  far, tls;
    unsigned             i;
    const char          *file;
    const nginx_line_t  *line;

    file = nginx_value(nginx, "ssl_certificate", server);

    if (file != NULL && strchr(file, '$') == NULL) {
        site_certificate(d, nginx, server, file);
    }

    for (line = NULL, far = 0;
         (line = nginx_next(nginx, "listen", server, line)) != NULL; )
    {
        for (i = 2, tls = 0; i < line->n; i++) {
            tls |= strcmp(line->word[i], "ssl") == 0
                   || strcmp(line->word[i], "quic") == 0;
        }

        if (line->n > 1 && !tls && site_far(line->word[1])) {
            far = 1;
            doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_DEGRADED, "add ssl to"
                       " listen, with ssl_certificate and"
                       " ssl_certificate_key; try: nginx -t && systemctl"
                       " reload nginx", "the site listens at %s without TLS:"
                       " tokens can be read on the way", line->word[1]);
        }
    }

    if (file == NULL && !far) {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_UNKNOWN, NULL, "the site"
                   " listens on this machine only, without TLS");
    }
}


/* --- all of it ------------------------------------------------------------ */

void
doctor_site(doctor_t *d)
{
    int                  ours;
    unsigned             server;
    const char          *url = d->url;
    const nginx_line_t  *line;
    static nginx_t       nginx;

    if (site_nginx(d, &nginx) == 0) {
        for (server = 1, ours = 0; server <= nginx.servers; server++) {
            if (site_ours(&nginx, server)) {
                ours = 1;
                site_tls(d, &nginx, server);
            }
        }

        if (!ours) {
            site_unknown(d, 0, "no site of nginx on this machine has rbl_api");

        } else {
            doctor_say(d, DOCTOR_NGINX, DOCTOR_GOOD, NULL, "nginx -t");
            site_store(d, &nginx);
            site_files(d, &nginx);
        }
    }

    if (url == NULL && nginx.words != NULL) {
        line = nginx_next(&nginx, "rbl_portal_url", NGINX_ANY, NULL);
        url = line != NULL && line->n > 1 ? line->word[1] : NULL;
    }

    if (url == NULL) {
        doctor_say(d, DOCTOR_PORTAL, DOCTOR_UNKNOWN, NULL, "rbl_portal_url is"
                   " not set in the nginx of this machine; --url names the"
                   " page");
    } else {
        doctor_portal(d, url);
    }
}
