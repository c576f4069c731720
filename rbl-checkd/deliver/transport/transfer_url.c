/*
 * URLs as parsed by curl.  curl parses and rebuilds a URL for each request,
 * which takes as long as to read the answer, and a few receivers get most
 * requests.  So each URL is parsed once and kept in its slot of a table until
 * another URL needs the slot.
 */

#include "base/xalloc.h"
#include "transfer_int.h"

#include <stdlib.h>

#include "rbl_hash.h"


struct transfer_url_s {
    unsigned   refs;                    /* transfers, and the table */
    CURLU     *read;
    size_t     n;
    char       text[];
};


void
transfer_url_put(transfer_url_t *url)
{
    if (url == NULL || --url->refs > 0) {
        return;
    }

    curl_url_cleanup(url->read);
    free(url);
}


static transfer_url_t *
transfer_url_new(rbl_str_t text)
{
    transfer_url_t  *url;

    url = xcalloc(1, sizeof(transfer_url_t) + text.n + 1);
    url->refs = 1;
    url->n = text.n;
    rbl_copy(url->text, text.n + 1, text);

    url->read = curl_url();

    if (url->read == NULL
        || curl_url_set(url->read, CURLUPART_URL, url->text,
                        CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
           != CURLUE_OK)
    {
        curl_url_cleanup(url->read);
        free(url);
        return NULL;
    }

    return url;
}


transfer_url_t *
transfer_url_get(transfer_pool_t *pool, const char *z)
{
    rbl_str_t        text;
    transfer_url_t  *url, **place;

    text = rbl_str(z);
    place = &pool->urls[rbl_hash(text, 0) & (TRANSFER_URLS - 1)];
    url = *place;

    if (url == NULL
        || !rbl_str_eq(text, (rbl_str_t) { url->text, url->n }))
    {
        url = transfer_url_new(text);
        if (url == NULL) {
            return NULL;
        }

        transfer_url_put(*place);
        *place = url;
    }

    url->refs++;

    return url;
}


CURLU *
transfer_url_read(const transfer_url_t *url)
{
    return url->read;
}


void
transfer_urls_forget(transfer_pool_t *pool)
{
    unsigned  i;

    for (i = 0; i < TRANSFER_URLS; i++) {
        transfer_url_put(pool->urls[i]);
        pool->urls[i] = NULL;
    }
}
