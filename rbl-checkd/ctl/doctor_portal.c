/*
 * rblctl doctor: gets the page of the portal, as a browser would.
 */

#include "doctor.h"

#include <curl/curl.h>
#include <openssl/x509.h>
#include <stdlib.h>


static size_t
portal_discard(char *p, size_t size, size_t n, void *data)
{
    (void) p;
    (void) data;

    return size * n;
}


void
doctor_portal(doctor_t *d, const char *url)
{
    CURL        *e;
    char         error[CURL_ERROR_SIZE] = "";
    long         status = 0;
    CURLcode     rc;
    const char  *authorities;

    /* as for OpenSSL, which looks at the chain */

    authorities = getenv(X509_get_default_cert_file_env());
    (void) curl_global_init(CURL_GLOBAL_DEFAULT);
    e = curl_easy_init();

    rc = curl_easy_setopt(e, CURLOPT_URL, url);
    rc |= curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    rc |= curl_easy_setopt(e, CURLOPT_PROXY, "");

    if (authorities != NULL) {
        rc |= curl_easy_setopt(e, CURLOPT_CAINFO, authorities);
    }

    rc |= curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    rc |= curl_easy_setopt(e, CURLOPT_TIMEOUT_MS,
                           (long) (DOCTOR_WAIT * 1000));
    rc |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, portal_discard);
    rc |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, error);
    rc = rc == CURLE_OK ? curl_easy_perform(e) : rc;
    (void) curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, &status);

    if (rc == CURLE_PEER_FAILED_VERIFICATION
        && d->row[DOCTOR_CERTIFICATE].n == 0)
    {
        doctor_say(d, DOCTOR_CERTIFICATE, DOCTOR_BROKEN, DOCTOR_RENEW, "%s:"
                   " %s", url, error);
    }

    if (rc != CURLE_OK) {
        doctor_say(d, DOCTOR_PORTAL, DOCTOR_DEGRADED, NULL, "%s: %s", url,
                   error[0] != '\0' ? error : curl_easy_strerror(rc));

    } else if (status != 200) {
        doctor_say(d, DOCTOR_PORTAL, DOCTOR_DEGRADED, NULL, "%s answers with"
                   " %ld", url, status);

    } else {
        doctor_say(d, DOCTOR_PORTAL, DOCTOR_GOOD, NULL, "%s", url);
    }

    curl_easy_cleanup(e);
}
