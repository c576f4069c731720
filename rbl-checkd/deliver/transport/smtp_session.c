/*
 * libcurl's SMTP, with workarounds for version 7.88: it does not return the
 * server's text (taken from the header call back), waits for the reply to QUIT
 * as long as for any other (the socket is closed for reading before), and
 * cannot be interrupted while it waits (its sockets can be shut down from
 * outside).
 *
 * All of this runs in the thread of smtp.c.
 */

#include "smtp_int.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>


#define SESSION_REPLIES_MAX  65536      /* octets for one mail */


static curl_socket_t
session_open_socket(void *data, curlsocktype purpose,
    struct curl_sockaddr *peer)
{
    int           fd, i;
    smtp_wire_t  *wire = data;

    (void) purpose;

    fd = CURL_SOCKET_BAD;
    pthread_mutex_lock(&wire->lock);

    for (i = 0; i < SMTP_SOCKETS && !wire->stop; i++) {
        if (wire->fd[i] == -1) {
            fd = socket(peer->family, peer->socktype | SOCK_CLOEXEC,
                        peer->protocol);
            wire->fd[i] = fd;
            break;
        }
    }

    pthread_mutex_unlock(&wire->lock);

    return fd;
}


static int
session_close_socket(void *data, curl_socket_t fd)
{
    int           i;
    smtp_wire_t  *wire = data;

    pthread_mutex_lock(&wire->lock);

    for (i = 0; i < SMTP_SOCKETS; i++) {
        if (wire->fd[i] == fd) {
            wire->fd[i] = -1;
        }
    }

    pthread_mutex_unlock(&wire->lock);

    return close(fd);
}


static void
session_shutdown(smtp_wire_t *wire, int how, int stop)
{
    int  i;

    pthread_mutex_lock(&wire->lock);

    if (stop) {
        wire->stop = 1;
    }

    for (i = 0; i < SMTP_SOCKETS; i++) {
        if (wire->fd[i] != -1) {
            shutdown(wire->fd[i], how);
        }
    }

    pthread_mutex_unlock(&wire->lock);
}


void
smtp_wire_stop(smtp_wire_t *wire)
{
    session_shutdown(wire, SHUT_RDWR, 1);
}


/* Called now and then while a name is looked up or a connection is made. */

static int
session_progress(void *data, curl_off_t dltotal, curl_off_t dlnow,
    curl_off_t ultotal, curl_off_t ulnow)
{
    int           stop;
    smtp_wire_t  *wire = data;

    (void) dltotal;
    (void) dlnow;
    (void) ultotal;
    (void) ulnow;

    pthread_mutex_lock(&wire->lock);
    stop = wire->stop;
    pthread_mutex_unlock(&wire->lock);

    return stop;
}


static size_t
session_read(char *p, size_t size, size_t n, void *data)
{
    size_t           len;
    smtp_session_t  *s = data;

    len = size * n < s->left.n ? size * n : s->left.n;

    if (len > 0) {
        memcpy(p, s->left.p, len);
        s->left.p += len;
        s->left.n -= len;
    }

    return len;
}


/*
 * Reads a line of a reply: "550-text" or, the last one, "550 text".  Keeps only
 * refusals, since the reply to QUIT comes after the decisive one.
 */

static size_t
session_reply(char *p, size_t size, size_t n, void *data)
{
    size_t           len;
    smtp_session_t  *s = data;

    n *= size;
    s->received += n;

    if (s->received > SESSION_REPLIES_MAX) {
        return 0;
    }

    s->knows_user |= n >= 4 && memcmp(p, "235", 3) == 0;

    if (n < 4 || (p[0] != '4' && p[0] != '5')) {
        return n;
    }

    if (s->reply_whole) {
        s->reply_n = 0;
    }

    s->reply_whole = p[3] != '-';

    for (len = n; len > 4 && (p[len - 1] == '\n' || p[len - 1] == '\r');
         len--)
    {
        /* void */
    }

    if (s->reply_n > 0 && s->reply_n < sizeof(s->reply) - 1) {
        s->reply[s->reply_n++] = ' ';
    }

    len -= 4;

    if (len > sizeof(s->reply) - 1 - s->reply_n) {
        len = sizeof(s->reply) - 1 - s->reply_n;
    }

    memcpy(s->reply + s->reply_n, p + 4, len);
    s->reply_n += len;
    s->reply[s->reply_n] = '\0';

    return n;
}


/* Mail has no body to read. */

static size_t
session_discard(char *p, size_t size, size_t n, void *data)
{
    (void) p;
    (void) data;

    return size * n;
}


static CURLcode
session_set_tls(smtp_session_t *s)
{
    CURL          *e = s->easy;
    CURLcode       rc;
    config_tls_t   tls;

    static const long  levels[] = {
        [CONFIG_TLS_REQUIRED] = CURLUSESSL_ALL,
        [CONFIG_TLS_OPPORTUNISTIC] = CURLUSESSL_TRY,
        [CONFIG_TLS_OFF] = CURLUSESSL_NONE
    };

    tls = config_smtp_tls(s->conf);

    rc = curl_easy_setopt(e, CURLOPT_USE_SSL, levels[tls]);
    rc |= curl_easy_setopt(e, CURLOPT_SSLVERSION,
                           (long) CURL_SSLVERSION_TLSv1_2);

    /* an attacker who could present another certificate could also suppress
       TLS */

    rc |= curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER,
                           tls == CONFIG_TLS_REQUIRED ? 1L : 0L);
    rc |= curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST,
                           tls == CONFIG_TLS_REQUIRED ? 2L : 0L);

    if (s->conf->smtp_ca[0] != '\0') {
        rc |= curl_easy_setopt(e, CURLOPT_CAINFO, s->conf->smtp_ca);
    }

    if (s->conf->smtp_user[0] != '\0') {
        rc |= curl_easy_setopt(e, CURLOPT_USERNAME, s->conf->smtp_user);
        rc |= curl_easy_setopt(e, CURLOPT_PASSWORD, s->conf->smtp_password);
    }

    return rc;
}


static CURLcode
session_set_server(smtp_session_t *s)
{
    CURL           *e = s->easy;
    char            url[400];
    long            ms;
    CURLcode        rc;
    config_smtp_t   server;

    if (config_smtp_server(&server, s->conf->smtp_url) != 0) {
        return CURLE_URL_MALFORMAT;
    }

    snprintf(url, sizeof(url), server.literal6 ? "%s://[%s]:%u/"
                                               : "%s://%s:%u/",
             server.implicit ? "smtps" : "smtp", server.host, server.port);

    ms = (long) (s->conf->smtp_timeout * 1000);

    rc = curl_easy_setopt(e, CURLOPT_URL, url);
    rc |= curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    rc |= curl_easy_setopt(e, CURLOPT_PROXY, "");
    rc |= curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
    rc |= curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    rc |= curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
    rc |= curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, ms);
    rc |= curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, ms / 2);
    rc |= curl_easy_setopt(e, CURLOPT_SERVER_RESPONSE_TIMEOUT,
                           (ms + 999) / 1000);
    rc |= curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION,
                           session_open_socket);
    rc |= curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, s->wire);
    rc |= curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION,
                           session_close_socket);
    rc |= curl_easy_setopt(e, CURLOPT_CLOSESOCKETDATA, s->wire);
    rc |= curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, session_progress);
    rc |= curl_easy_setopt(e, CURLOPT_XFERINFODATA, s->wire);
    rc |= curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);

    return rc;
}


static CURLcode
session_begin(smtp_session_t *s)
{
    CURL      *e;
    CURLcode   rc;

    e = curl_easy_init();
    if (e == NULL) {
        return CURLE_OUT_OF_MEMORY;
    }

    s->easy = e;

    rc = session_set_server(s);
    rc |= session_set_tls(s);
    rc |= curl_easy_setopt(e, CURLOPT_UPLOAD, 1L);
    rc |= curl_easy_setopt(e, CURLOPT_MAIL_FROM, s->conf->smtp_from);
    rc |= curl_easy_setopt(e, CURLOPT_READFUNCTION, session_read);
    rc |= curl_easy_setopt(e, CURLOPT_READDATA, s);
    rc |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, session_discard);
    rc |= curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, session_reply);
    rc |= curl_easy_setopt(e, CURLOPT_HEADERDATA, s);
    rc |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, s->error);

    if (rc != CURLE_OK) {
        smtp_session_end(s);
    }

    return rc;
}


void
smtp_session_end(smtp_session_t *s)
{
    if (s->easy != NULL) {
        session_shutdown(s->wire, SHUT_RD, 0);
        curl_easy_cleanup(s->easy);
        s->easy = NULL;
    }
}


/*
 * The code of the last reply counts only if a reply ended the session;
 * otherwise it may be from an earlier step.
 */

static smtp_end_t
session_judge(CURLcode rc, long code)
{
    switch (rc) {

    case CURLE_OK:
        return SMTP_ANSWERED;

    case CURLE_WEIRD_SERVER_REPLY:      /* greeting, end of data */
    case CURLE_REMOTE_ACCESS_DENIED:    /* EHLO, HELO */
    case CURLE_SEND_ERROR:              /* MAIL, RCPT, DATA */
        return code >= 400 && code <= 599 ? SMTP_ANSWERED : SMTP_BROKEN;

    case CURLE_LOGIN_DENIED:
        return SMTP_AUTH;

    case CURLE_OPERATION_TIMEDOUT:
        return SMTP_TIMEOUT;

    case CURLE_COULDNT_RESOLVE_HOST:
        return SMTP_RESOLVE;

    case CURLE_COULDNT_CONNECT:
        return SMTP_CONNECT;

    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
        return SMTP_TLS;

    default:
        return SMTP_BROKEN;
    }
}


static CURLcode
session_perform(smtp_session_t *s, const char *to)
{
    CURLcode            rc;
    struct curl_slist  *list;

    list = to == NULL ? NULL : curl_slist_append(NULL, to);
    rc = curl_easy_setopt(s->easy, CURLOPT_MAIL_RCPT, list);

    if (to == NULL) {
        rc |= curl_easy_setopt(s->easy, CURLOPT_UPLOAD, 0L);
        rc |= curl_easy_setopt(s->easy, CURLOPT_CUSTOMREQUEST, "NOOP");
    }

    rc |= curl_easy_setopt(s->easy, CURLOPT_INFILESIZE_LARGE,
                           (curl_off_t) s->left.n);

    if (rc == CURLE_OK) {
        rc = curl_easy_perform(s->easy);
    }

    curl_easy_setopt(s->easy, CURLOPT_MAIL_RCPT, NULL);
    curl_slist_free_all(list);

    return rc;
}


void
smtp_session_send(smtp_session_t *s, const char *to, rbl_str_t message,
    smtp_result_t *result)
{
    long        code;
    CURLcode    rc;
    ev_tstamp   begun;

    begun = clock_now();
    code = 0;
    s->left = message;
    s->received = 0;
    s->reply_n = 0;
    s->reply[0] = '\0';
    s->reply_whole = 0;
    s->error[0] = '\0';

    rc = s->easy != NULL ? CURLE_OK : session_begin(s);

    if (rc == CURLE_OK) {
        rc = session_perform(s, to);
        curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &code);
    }

    /* libcurl has no other sign of a resolver that does not answer */

    if (rc == CURLE_OPERATION_TIMEDOUT
        && strncmp(s->error, "Resolving", 9) == 0)
    {
        rc = CURLE_COULDNT_RESOLVE_HOST;
    }

    if (s->error[0] == '\0') {
        snprintf(s->error, sizeof(s->error), "%s", curl_easy_strerror(rc));
    }

    result->end = session_judge(rc, code);
    result->status = result->end == SMTP_ANSWERED
                     ? rc == CURLE_OK ? 250 : (unsigned) code : 0;
    result->unsure = result->end != SMTP_ANSWERED && s->left.n == 0;
    result->seconds = clock_now() - begun;
    result->text = s->reply;
    result->error = s->error;
}
