/*
 * Makes the messages of a digest from its hosts.
 */

#include "base/xalloc.h"
#include "digest_make.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "digest_hosts.h"


/* Which hosts have a message of their own (digest_claim.lua). */
typedef enum {
    DIGEST_APART_NONE = 0,
    DIGEST_APART_ALL,
    DIGEST_APART_UNLISTED               /* the listed ones have one alert */
} digest_apart_t;

typedef struct {
    message_t  message;
    int        failed;                  /* a message has no SID */
} digest_work_t;


static int
digest_host_event(rbl_sid_t *sid, rbl_str_t event, const message_host_t *host)
{
    char           text[2 * RBL_SID_MAX];
    size_t         n = event.n + host->id.n;
    unsigned char  sum[EVP_MAX_MD_SIZE];

    if (n > sizeof(text)) {
        return -1;
    }

    memcpy(text, event.p, event.n);
    memcpy(text + event.n, host->id.p, host->id.n);

    if (EVP_Digest(text, n, sum, NULL, EVP_sha256(), NULL) != 1) {
        return -1;
    }

    rbl_sid_from_digest(sid, RBL_SID_EVENT, sum);

    return 0;
}


/* m->n_hosts hosts from m->host on, under the event that is set. */

static void
digest_add(digest_t *digest, message_t *m)
{
    digest_message_t  *made;

    made = &digest->message[digest->n++];
    rbl_buf_init(&made->body);
    m->event = rbl_sid_str(&made->event);
    made->host = m->listed == 1 && m->delisted == 0 && m->unreported == 0
                 && m->clear == 0 && m->n_hosts == 1
                 ? m->host[0].id : RBL_STR("");

    message_trigger(&made->body.out, m);
}


/*
 * Makes messages of the hosts from the i-th on.  A host that was and is clear
 * has no message at such a channel.
 */

static void
digest_each(digest_work_t *w, digest_t *digest, size_t i)
{
    message_t  one;

    for (; i < w->message.n_hosts; i++) {
        one = w->message;
        one.host = &w->message.host[i];
        one.n_hosts = 1;
        one.clear = 0;
        one.listed = one.host->state == MESSAGE_LISTED;
        one.delisted = one.host->state == MESSAGE_DELISTED;
        one.unreported = one.host->state == MESSAGE_UNREPORTED;

        if (one.host->state == MESSAGE_CLEAR) {
            continue;
        }

        if (digest_host_event(&digest->message[digest->n].event,
                              digest->event, one.host)
            != 0)
        {
            w->failed = 1;
            return;
        }

        digest_add(digest, &one);
    }
}


/*
 * Too many hosts are listed for a message each, so one message has them all.
 * The end of a listing has a message of its own nevertheless, since it ends an
 * earlier message about that host alone.
 */

static void
digest_storm(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    rbl_str_t alert)
{
    size_t     n;
    message_t  all;

    for (n = 0; n < w->message.n_hosts
                && w->message.host[n].state == MESSAGE_LISTED; n++)
    {
        /* void: these come first */
    }

    all = w->message;
    all.n_hosts = n;
    all.delisted = all.unreported = all.clear = 0;
    all.alert = alert.n > 0 ? alert : digest->event;
    digest->message[0].event = *event;
    digest_add(digest, &all);
    digest_each(w, digest, n);
}


/* None of the many hosts is listed now. */

static void
digest_storm_over(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    rbl_str_t alert)
{
    message_t  all;

    all = w->message;
    all.n_hosts = 0;
    all.listed = all.clear = 0;
    all.alert = alert;
    digest->message[digest->n].event = *event;
    digest_add(digest, &all);
}


static void
digest_per_host(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    const rbl_digest_claim_digest_t *row)
{
    if (row->apart == DIGEST_APART_UNLISTED) {
        digest_storm(w, digest, event, row->alert);
        return;
    }

    digest_each(w, digest, 0);

    if (row->alert.n > 0 && !w->failed && row->ends == 1) {
        digest_storm_over(w, digest, event, row->alert);
    }
}


static void
digest_messages(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    const rbl_digest_claim_digest_t *row)
{
    message_t  *m = &w->message;

    if (row->apart != DIGEST_APART_NONE) {
        digest_per_host(w, digest, event, row);
        return;
    }

    if (m->listed > 0 || m->delisted > 0 || m->unreported > 0
        || m->clear > 0)
    {
        digest->message[0].event = *event;
        digest_add(digest, m);
    }
}


rbl_err_t
digest_make(digest_t *digest, const redisReply *reply, timezones_t *timezones,
    const char *portal)
{
    rbl_sid_t                  event;
    digest_work_t              w;
    digest_hosts_t             hosts;
    rbl_digest_claim_digest_t  row;

    memset(digest, 0, sizeof(digest_t));
    memset(&w, 0, sizeof(w));
    rbl_digest_claim_digest(&row, reply);
    digest->member = row.member;
    digest->event = row.event;

    if (digest->member.n != 2 * RBL_SID_LEN + 1
        || rbl_sid_parse(&event, RBL_SID_EVENT, digest->event) != RBL_OK)
    {
        return RBL_ETYPE;
    }

    digest_hosts(&hosts, &row, timezones_find(timezones, row.timezone));
    w.message.n_hosts = hosts.n;
    w.message.host = hosts.host;
    w.message.portal = rbl_str(portal);
    w.message.listed = message_number(row.listed);
    w.message.delisted = message_number(row.delisted);
    w.message.clear = message_number(row.clear);
    w.message.unreported = message_number(row.unreported);

    digest->message = xcalloc(w.message.n_hosts + 1, sizeof(digest_message_t));
    digest_messages(&w, digest, &event, &row);

    digest_hosts_free(&hosts);

    if (w.failed) {
        digest_free(digest);
        return RBL_ETYPE;
    }

    return RBL_OK;
}


void
digest_free(digest_t *digest)
{
    size_t  i;

    for (i = 0; i < digest->n; i++) {
        rbl_buf_free(&digest->message[i].body);
    }

    free(digest->message);
    digest->message = NULL;
    digest->n = 0;
}
