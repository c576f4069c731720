/*
 * rblctl doctor: nginx, the store that it uses, and the certificate of its
 * site.
 */

#include "doctor.h"

#include "base/xalloc.h"

#include <ctype.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#define SITE_OUTPUT  2097152            /* bytes of a configuration */
#define SITE_SERVERS   4096             /* that are looked at */
#define SITE_STORES      16
#define SITE_WORDS       10             /* of a directive, with its name */
#define SITE_SOON        14             /* days that a certificate must have */
#define SITE_RELOAD  "; try: nginx -t && systemctl reload nginx"
#define STORE_REMEDY                                                          \
    "give nginx the store of " CONFIG_DIR "/rblctl.conf (rbl_store,"          \
    " rbl_store_prefix)" SITE_RELOAD

/* A server block; the first one is what is outside of all. */
typedef struct {
    int          ours;                  /* it has the API or the portal */
    const char  *name, *certificate;    /* NULL: none */
    const char  *bare;                  /* an address that others reach, without
                                           TLS */
} server_t;

typedef struct {
    const char  *p;                     /* what is not read yet */
    char        *to;                    /* where the next word goes */
    unsigned     n, depth, at;          /* words; blocks; that of the server */
    const char  *word[SITE_WORDS];      /* of the directive */
    unsigned     servers, server;       /* the present one; 0: none */
    server_t     all[SITE_SERVERS];
    unsigned     stores, secrets;
    const char  *store[SITE_STORES], *secret[SITE_STORES];
    const char  *prefix, *url;
} nginx_t;


/* --- the configuration ---------------------------------------------------- */

/* Do other machines reach the address of a listen directive? */
static int
site_far(const char *listen)
{
    return strncmp(listen, "127.", 4) != 0 && strncmp(listen, "[::1]", 5) != 0
           && strncmp(listen, "unix:", 5) != 0
           && strncmp(listen, "localhost", 9) != 0;
}


static void
read_listen(const nginx_t *x, server_t *server)
{
    unsigned  i;

    for (i = 2; i < x->n; i++) {
        if (strcmp(x->word[i], "ssl") == 0 || strcmp(x->word[i], "quic") == 0) {
            return;
        }
    }

    if (site_far(x->word[1])) {
        server->bare = x->word[1];
    }
}


/* A directive is over. */
static void
read_line(nginx_t *x)
{
    server_t    *server = &x->all[x->server];
    const char  *name = x->n > 1 ? x->word[0] : "", *value = x->word[1];

    if (strcmp(name, "rbl_api") == 0 || strcmp(name, "rbl_portal") == 0) {
        server->ours = 1;

    } else if (strcmp(name, "server_name") == 0) {
        server->name = value;

    } else if (strcmp(name, "ssl_certificate") == 0) {
        server->certificate = value;

    } else if (strcmp(name, "listen") == 0) {
        read_listen(x, server);

    } else if (strcmp(name, "rbl_portal_url") == 0) {
        x->url = x->url == NULL ? value : x->url;

    } else if (strcmp(name, "rbl_store_prefix") == 0) {
        x->prefix = value;

    } else if (strcmp(name, "rbl_store") == 0 && x->stores < SITE_STORES) {
        x->store[x->stores++] = value;

    } else if (strcmp(name, "rbl_store_password_file") == 0
               && x->secrets < SITE_STORES)
    {
        x->secret[x->secrets++] = value;
    }
}


/* ";", "{" or "}" */
static void
read_mark(nginx_t *x)
{
    char  mark = *x->p++;

    if (mark == ';') {
        read_line(x);

    } else if (mark == '}') {
        x->server = x->depth == x->at ? 0 : x->server;
        x->depth -= x->depth > 0;

    } else {
        x->depth++;

        if (x->n > 0 && x->server == 0 && strcmp(x->word[0], "server") == 0
            && x->servers + 1 < SITE_SERVERS)
        {
            x->server = ++x->servers;
            x->at = x->depth;
        }
    }

    x->n = 0;
}


/* Copies a word, without quotes.  Its end needs the octet of the white space or
   the mark behind it, so the copies are not larger than the text. */
static void
read_word(nginx_t *x)
{
    char        quote;
    const char  *word = x->to;

    quote = *x->p == '"' || *x->p == '\'' ? *x->p++ : '\0';

    while (quote != '\0' ? *x->p != quote && *x->p != '\0'
           : !isspace((unsigned char) *x->p) && strchr(";{", *x->p) == NULL)
    {
        if (*x->p == '\\' && x->p[1] != '\0') {
            x->p++;

        } else if (quote == '\0' && x->p[0] == '$' && x->p[1] == '{') {
            *x->to++ = *x->p++;         /* a variable begins no block */
        }

        *x->to++ = *x->p++;
    }

    x->p += quote != '\0' && *x->p != '\0';
    *x->to++ = '\0';

    if (x->n < SITE_WORDS) {
        x->word[x->n++] = word;
    }
}


/* Reads what nginx -T has printed; the words live as long as the process. */
static void
site_read(nginx_t *x, const char *text)
{
    x->p = text;
    x->to = xmalloc(strlen(text) + 2);

    while (*x->p != '\0') {
        if (isspace((unsigned char) *x->p)) {
            x->p++;

        } else if (*x->p == '#') {
            x->p += strcspn(x->p, "\n");

        } else if (strchr(";{}", *x->p) != NULL) {
            read_mark(x);

        } else {
            read_word(x);
        }
    }
}


/* --- nginx ---------------------------------------------------------------- */

/* The text behind the first "[emerg] 12#12: ", or the first line. */
static void
site_error(char *why, size_t size, const char *out)
{
    int          n = 0;
    const char  *at = strstr(out, "[emerg] ");

    at = at == NULL ? out : at + 8;
    (void) sscanf(at, "%*u#%*u: %n", &n);
    snprintf(why, size, "%.*s", (int) strcspn(at + n, "\n"), at + n);
}


/* Runs nginx -T and reads its output.  NULL, or why there is nothing. */
static const char *
site_nginx(doctor_t *d, nginx_t *x)
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
        return "there is no nginx on this machine";
    }

    if (rc != 0 && geteuid() != 0) {
        return "only root can test the configuration of nginx";
    }

    if (rc != 0) {
        site_error(why, sizeof(why), out);
        doctor_say(d, "nginx", BROKEN,
                   strstr(why, "version ") != NULL || strstr(why, ".so") != NULL
                   ? "install the module of this nginx; try: apt-get install"
                     " --reinstall libnginx-mod-rbl && nginx -t"
                   : "correct the configuration of nginx; try: nginx -t",
                   "nginx -t: %s", why);
        return "nginx -t fails: see nginx";
    }

    site_read(x, out);

    return NULL;
}


/* --- the store ------------------------------------------------------------ */

/* Is the store at that address the one of rblctl?  They may name it in two
   ways.  `why`: it cannot be reached. */
static int
site_same(doctor_t *d, const char *store, char why[DOCTOR_REASON])
{
    char    id[DOCTOR_RUN_ID] = "";
    ctl_t  *ctl = d->ctl;

    why[0] = '\0';
    memset(&ctl->store, 0, sizeof(ctl->store));

    if (config_set(&ctl->conf, "store", store, why, DOCTOR_REASON) == 0) {
        ctl_catch(why, DOCTOR_REASON);

        if (ctl_connect(ctl) == 0) {
            doctor_run_id(ctl, id);
        }

        ctl_catch(NULL, 0);
    }

    return strcmp(id, d->run_id) == 0;
}


static void
site_store(doctor_t *d, const nginx_t *x)
{
    char             why[DOCTOR_REASON], own[sizeof(d->ctl->conf.store)];
    unsigned         i;
    const config_t  *conf = &d->ctl->conf;

    snprintf(own, sizeof(own), "%s", conf->store);

    if (x->prefix != NULL && strcmp(x->prefix, conf->store_prefix) != 0) {
        doctor_say(d, "nginx_store", BROKEN, STORE_REMEDY, "nginx has"
                   " rbl_store_prefix %s, rblctl %s", x->prefix,
                   conf->store_prefix);
    }

    for (i = 0; i < x->stores; i++) {
        if (strcmp(x->store[i], own) == 0) {
            continue;
        }

        if (d->run_id[0] == '\0') {
            doctor_say(d, "nginx_store", UNKNOWN, "", "nginx uses %s, and the"
                       " store of rblctl cannot be read", x->store[i]);

        } else if (!site_same(d, x->store[i], why)) {
            doctor_say(d, "nginx_store", BROKEN, STORE_REMEDY, "nginx uses %s,"
                       " which is not the store of rblctl%s%s", x->store[i],
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
    int              error = X509_V_ERR_UNSPECIFIED;
    X509            *next;
    X509_STORE      *store = X509_STORE_new();
    X509_STORE_CTX  *ctx = X509_STORE_CTX_new();
    STACK_OF(X509)  *chain = sk_X509_new_null();

    while ((next = PEM_read_bio_X509(file, NULL, NULL, NULL)) != NULL) {
        (void) sk_X509_push(chain, next);
    }

    if (X509_STORE_set_default_paths(store) == 1
        && X509_STORE_CTX_init(ctx, store, cert, chain) == 1)
    {
        X509_STORE_CTX_set_flags(ctx, X509_V_FLAG_NO_CHECK_TIME);
        (void) X509_verify_cert(ctx);
        error = X509_STORE_CTX_get_error(ctx);
    }

    X509_STORE_CTX_free(ctx);
    X509_STORE_free(store);
    sk_X509_pop_free(chain, X509_free);

    return error;
}


static void
site_dates(doctor_t *d, const char *file, const X509 *cert)
{
    int         days = 0, seconds = 0;
    time_t      now = (time_t) (clock_date() / 1000);
    ASN1_TIME  *at = ASN1_TIME_set(NULL, now);

    if (X509_cmp_time(X509_get0_notBefore(cert), &now) > 0) {
        doctor_say(d, "certificate", BROKEN, "set the clock, or wait; try:"
                   " timedatectl", "%s is not valid yet", file);

    } else if (ASN1_TIME_diff(&days, &seconds, at, X509_get0_notAfter(cert))
               != 1 || days < 0 || seconds < 0)
    {
        doctor_say(d, "certificate", BROKEN, DOCTOR_RENEW, "%s expired %d days"
                   " ago", file, -days);

    } else if (days < SITE_SOON) {
        doctor_say(d, "certificate", DEGRADED, DOCTOR_RENEW, "%s expires in %d"
                   " days", file, days);
    }

    ASN1_TIME_free(at);
}


static void
site_certificate(doctor_t *d, const char *host, const char *file)
{
    int    error;
    BIO   *bio = BIO_new_file(file, "r");
    X509  *cert = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);

    if (cert == NULL) {
        doctor_say(d, "certificate", UNKNOWN, "", "%s cannot be read", file);
        BIO_free(bio);
        return;
    }

    site_dates(d, file, cert);

    if (host != NULL && strcmp(host, "_") != 0 && strpbrk(host, "*~$") == NULL
        && X509_check_host(cert, host, 0, 0, NULL) != 1
        && X509_check_ip_asc(cert, host, 0) != 1)
    {
        doctor_say(d, "certificate", BROKEN, "get a certificate for this name,"
                   " or correct server_name; try: certbot --nginx", "%s is not"
                   " for %s", file, host);
    }

    error = site_chain(cert, bio);

    if (error != X509_V_OK) {
        doctor_say(d, "certificate", DEGRADED, DOCTOR_TRUST, "%s: no authority"
                   " of this machine vouches for it: %s", file,
                   X509_verify_cert_error_string(error));
    }

    X509_free(cert);
    BIO_free(bio);
}


static void
site_tls(doctor_t *d, const nginx_t *x, const server_t *server)
{
    const char  *file = server->certificate != NULL ? server->certificate
                                                    : x->all[0].certificate;

    if (file != NULL && strchr(file, '$') == NULL) {
        site_certificate(d, server->name, file);
    }

    if (server->bare != NULL) {
        doctor_say(d, "certificate", DEGRADED, "add ssl to listen, with"
                   " ssl_certificate and ssl_certificate_key" SITE_RELOAD,
                   "the site listens at %s without TLS: tokens can be read on"
                   " the way", server->bare);

    } else if (file == NULL) {
        doctor_say(d, "certificate", UNKNOWN, "", "the site listens on this"
                   " machine only, without TLS");
    }
}


/* --- all of it ------------------------------------------------------------ */

const char *
doctor_site(doctor_t *d)
{
    int             ours = 0;
    unsigned        i;
    const char     *why;
    static nginx_t  x;

    why = site_nginx(d, &x);

    for (i = 1; i <= x.servers; i++) {
        if (x.all[i].ours) {
            ours = 1;
            site_tls(d, &x, &x.all[i]);
        }
    }

    if (why == NULL && !ours) {
        why = "no site of nginx on this machine has rbl_api";
    }

    if (why == NULL) {
        site_store(d, &x);

        for (i = 0; i < x.secrets; i++) {
            doctor_secret(d, x.secret[i]);
        }

    } else {
        doctor_fill(d, "nginx nginx_store certificate", UNKNOWN, why);
    }

    if (d->url == NULL && x.url == NULL) {
        return "no site of nginx on this machine has rbl_portal_url, which"
               " rblctl setup --domain NAME sets; --url names a portal"
               " elsewhere";
    }

    return doctor_portal(d, d->url != NULL ? d->url : x.url);
}
