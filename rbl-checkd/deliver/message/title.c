/*
 * The title of a message about hosts.
 */

#include "title.h"

#include "clip.h"
#include "siblings.h"
#include "words.h"

#include "rbl_validate.h"


#define TITLE_HOSTS  3                  /* so many are named by their subnet, or
                                           fewer by their addresses */
#define TITLE_WORD   48                 /* characters */
#define TITLE_WHY    96                 /* of lists that are no longer used */


/* The /24 or /64 that has all hosts of the message; 0: there is none, or not
   all hosts are shown. */

static int
title_subnet(rbl_subnet_t *net, const message_t *m, int64_t all)
{
    size_t      i;
    rbl_addr_t  addr;

    if (m->n_hosts < TITLE_HOSTS || (int64_t) m->n_hosts < all
        || rbl_addr_parse(&net->addr, m->host[0].value) != RBL_OK)
    {
        return 0;
    }

    net->bits = net->addr.family == RBL_FAMILY_IPV4 ? 24 : 64;
    memset(net->addr.b + net->bits / 8, 0, sizeof(net->addr.b) - net->bits / 8);

    for (i = 1; i < m->n_hosts; i++) {
        if (rbl_addr_parse(&addr, m->host[i].value) != RBL_OK
            || !rbl_subnet_has(net, &addr))
        {
            return 0;
        }
    }

    return 1;
}


static void
title_cut(rbl_out_t *out, rbl_str_t text, size_t max)
{
    int  cut;

    words_line(out, clip_text(text, max, CLIP_CHARS, &cut));
    rbl_out_z(out, cut ? CLIP_ELLIPSIS : "");
}


static void
title_word(rbl_out_t *out, rbl_str_t word)
{
    title_cut(out, word, TITLE_WORD);
}


/* " by ZEN and 2 more" */

static void
title_lists(rbl_out_t *out, const message_host_t *h)
{
    if (h->state != MESSAGE_LISTED || h->n_listings == 0) {
        return;
    }

    rbl_out_z(out, " by ");
    title_word(out, words_list(h->listing[0].name, h->listing[0].zone));
    words_more(out, h->listed_count - 1);
}


/* The first new listing at a list that the host was on before; NULL: none. */

static const message_listing_t *
host_relisted(const message_host_t *h)
{
    size_t  i;

    for (i = 0; i < h->n_listings; i++) {
        if (h->listing[i].fresh && h->listing[i].off.n > 0) {
            return &h->listing[i];
        }
    }

    return NULL;
}


/* ", flapping since 2026-01-03 10:00:00 UTC", ", relisted (was off it for 2 d
   3 h)"; of several hosts ", 2 relisted, 1 flapping". */

static void
title_again(rbl_out_t *out, const message_t *m, int64_t all)
{
    size_t                    i;
    int64_t                   relisted, flapping;
    const message_listing_t  *l;

    for (i = 0, relisted = 0, flapping = 0; i < m->n_hosts; i++) {
        flapping += m->host[i].flaps.n > 0;
        relisted += m->host[i].flaps.n == 0
                    && host_relisted(&m->host[i]) != NULL;
    }

    if (all > 1) {
        if (relisted > 0) {
            rbl_out_z(out, ", ");
            rbl_out_int(out, relisted);
            rbl_out_z(out, " relisted");
        }

        if (flapping > 0) {
            rbl_out_z(out, ", ");
            rbl_out_int(out, flapping);
            rbl_out_z(out, " flapping");
        }

    } else if (flapping > 0) {
        rbl_out_z(out, ", flapping since ");
        words_line(out, m->host[0].flaps);

    } else if (relisted > 0) {
        rbl_out_z(out, ", ");
        l = host_relisted(&m->host[0]);

        if (l != &m->host[0].listing[0]) {
            title_word(out, words_list(l->name, l->zone));
            rbl_out_char(out, ' ');
        }

        words_relisted(out, l);
    }
}


/* "192.0.2.1, mx.example and 3 more"; of one host "192.0.2.10 by ZEN",
   "192.0.2.10, list ZEN is no longer used" */

static void
title_values(rbl_out_t *out, const message_t *m, int64_t all)
{
    size_t  i;

    for (i = 0; i < m->n_hosts && i < TITLE_HOSTS - 1; i++) {
        rbl_out_z(out, i > 0 ? ", " : "");
        title_word(out, m->host[i].value);
    }

    if (all > 1) {
        words_more(out, all - (int64_t) i);

    } else if (m->host[0].why.n > 0) {
        rbl_out_z(out, ", ");
        title_cut(out, m->host[0].why, TITLE_WHY);

    } else {
        title_lists(out, &m->host[0]);
    }
}


void
title_text(rbl_out_t *out, const message_t *m)
{
    char          buf[RBL_VALUE_MAX];
    int64_t       all = m->listed + m->delisted + m->unreported + m->clear;
    rbl_subnet_t  net;

    words_hosts(out, m);

    if (m->n_hosts == 0) {
        return;
    }

    rbl_out_z(out, ": ");

    if (all > 1 && (int64_t) siblings_count(m, 0) == all) {
        rbl_out_str(out, m->host[0].range);
        title_lists(out, &m->host[0]);

    } else if (title_subnet(&net, m, all)) {
        rbl_out_str(out, rbl_subnet_text(buf, &net));

    } else {
        title_values(out, m, all);
    }

    title_again(out, m, all);
}
