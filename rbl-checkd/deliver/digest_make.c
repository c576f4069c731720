/*
 * Makes the messages of a digest: the details of a host are those of its
 * present record (digest_host.c); its change is from the digest.
 */

#include "base/xalloc.h"
#include "digest_int.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "deliver/channels/channel.h"
#include "rbl_script.h"

/* The numbers of the changes in the store. */
static const message_state_t  digest_states[] = {
    MESSAGE_LISTED, MESSAGE_DELISTED, MESSAGE_CLEAR, MESSAGE_UNREPORTED
};

#define DIGEST_STATES  (int64_t) (sizeof(digest_states) \
                                  / sizeof(digest_states[0]))


static void
digest_hosts(digest_work_t *w, const redisReply *hosts)
{
    size_t     i, n;
    int64_t    state;
    message_t  *m = &w->message;

    n = rbl_reply_len(hosts) / 2;
    n = n < MESSAGE_HOSTS ? n : MESSAGE_HOSTS;
    m->host = xcalloc(n + 1, sizeof(message_host_t));

    for (i = 0; i < n; i++) {
        state = rbl_reply_int(rbl_reply_at(hosts, 2 * i + 1), -1);

        if (state >= 0 && state < DIGEST_STATES
            && digest_host(w, &m->host[m->n_hosts],
                           rbl_reply_str(rbl_reply_at(hosts, 2 * i)),
                           digest_states[state])
               == 0)
        {
            m->n_hosts++;
        }
    }
}


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
    const rbl_digest_claim_page_t *page)
{
    if (w->message.listed > DIGEST_PER_HOST) {
        digest_storm(w, digest, event, page->alert);
        return;
    }

    digest_each(w, digest, 0);

    if (page->alert.n > 0 && !w->failed && page->ends == 1) {
        digest_storm_over(w, digest, event, page->alert);
    }
}


static void
digest_messages(digest_work_t *w, digest_t *digest, const rbl_sid_t *event,
    const rbl_digest_claim_page_t *page)
{
    message_t        *m = &w->message;
    const channel_t  *channel;

    channel = channel_find(page->contact);

    if (channel != NULL && channel->per_host) {
        digest_per_host(w, digest, event, page);
        return;
    }

    if (m->listed > 0 || m->delisted > 0 || m->unreported > 0
        || m->clear > 0)
    {
        digest->message[0].event = *event;
        digest_add(digest, m);
    }
}


static int64_t
digest_number(int64_t n)
{
    return n <= 0 ? 0 : n < MESSAGE_COUNT_MAX ? n : MESSAGE_COUNT_MAX;
}


rbl_err_t
digest_make(digest_t *digest, const redisReply *reply, timezones_t *timezones)
{
    rbl_sid_t                event;
    digest_work_t            w;
    rbl_digest_claim_page_t  page;

    memset(digest, 0, sizeof(digest_t));
    memset(&w, 0, sizeof(w));
    rbl_digest_claim_page(&page, reply);
    digest->member = page.member;
    digest->event = page.event;

    if (digest->member.n != 2 * RBL_SID_LEN + 1
        || rbl_sid_parse(&event, RBL_SID_EVENT, digest->event) != RBL_OK)
    {
        return RBL_ETYPE;
    }

    w.zone = timezones_find(timezones, page.timezone);
    w.message.listed = digest_number(page.listed);
    w.message.delisted = digest_number(page.delisted);
    w.message.clear = digest_number(page.clear);
    w.message.unreported = digest_number(page.unreported);
    digest_lists(&w, page.lists);
    digest_hosts(&w, page.hosts);

    digest->message = xcalloc(w.message.n_hosts + 1, sizeof(digest_message_t));
    digest_messages(&w, digest, &event, &page);

    digest_rooms_free(&w);
    free(w.message.host);

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
