/*
 * The guard in front of ldns.  It walks through a response once, octet by
 * octet, before ldns reads it, and rejects input that is dangerous for ldns:
 * names that loop or are expensive to follow, unbounded counts, two TSIG
 * records, which leak, and data that lacks fields or does not end where its
 * record does, behind which ldns would lose its position.  Only the record
 * types that servers send for an A, AAAA, TXT, NS, MX or SOA query are
 * accepted, so TSIG, SIG and all exotic layouts are rejected.  The content of
 * records is not checked.
 *
 * Owns nothing and allocates nothing.
 */

#include "wire.h"

/* Pointers in one name; each must point before the preceding one. */
#define SCREEN_MAX_POINTERS  127

/*
 * Labels and pointers walked in one response, at most: the largest valid ones
 * have some 4,000 records with names of up to 40 labels.
 */
#define SCREEN_WORK  262144

/* Strings of one text: ldns allocates the length of all strings for each. */
#define SCREEN_STRINGS  255


/*
 * The offset behind the name at `off`, or 0.  Counts labels through the
 * pointers, so that the whole name is at most 255 octets.
 */
static size_t
screen_name(const uint8_t *msg, size_t n, size_t off, unsigned *work)
{
    size_t    end, total, limit, to;
    unsigned  len, pointers;

    end = 0;
    total = 0;
    limit = off;
    pointers = 0;

    while (off < n && (*work)++ < SCREEN_WORK) {
        len = msg[off];

        if (len == 0) {
            return end ? end : off + 1;
        }

        if (len < 64) {
            total += len + 1;
            off += len + 1;

            if (total > DNS_NAME_MAX - 1) {
                return 0;
            }

            continue;
        }

        if (len < 192 || n - off < 2) {
            return 0;
        }

        to = dns_get16(msg + off) & 0x3fff;

        if (to < DNS_HEADER || to >= limit
            || ++pointers > SCREEN_MAX_POINTERS)
        {
            return 0;
        }

        if (end == 0) {
            end = off + 2;
        }

        limit = to;
        off = to;
    }

    return 0;
}


/*
 * At most `max` strings with a length octet, or options with `head` octets
 * before the length.
 */
static int
screen_chunks(const uint8_t *p, size_t n, size_t head, size_t size, size_t max)
{
    size_t  len;

    while (n) {
        if (n < head + size || max-- == 0) {
            return -1;
        }

        len = size == 1 ? p[head] : dns_get16(p + head);
        len += head + size;

        if (len > n) {
            return -1;
        }

        p += len;
        n -= len;
    }

    return 0;
}


/* Checks `names` names from `off` on, followed by exactly (or at least) `tail`
   octets. */
static int
screen_names(const uint8_t *msg, size_t off, size_t end, unsigned names,
    size_t tail, int exact, unsigned *work)
{
    while (names--) {
        /* A name may point anywhere before itself, but must end inside the
           record. */
        off = screen_name(msg, end, off, work);

        if (off == 0) {
            return -1;
        }
    }

    if (exact) {
        return end - off == tail ? 0 : -1;
    }

    return end - off >= tail ? 0 : -1;
}


static int
screen_rdata(const uint8_t *msg, size_t off, size_t len, unsigned type,
    unsigned *work)
{
    size_t  end;

    end = off + len;

    switch (type) {

    case DNS_TYPE_A:
        return len == 4 ? 0 : -1;

    case DNS_TYPE_AAAA:
        return len == 16 ? 0 : -1;

    case DNS_TYPE_TXT:
        return len ? screen_chunks(msg + off, len, 0, 1, SCREEN_STRINGS) : -1;

    case DNS_TYPE_NS:
    case DNS_RR_CNAME:
    case DNS_RR_DNAME:
        return screen_names(msg, off, end, 1, 0, 1, work);

    case DNS_TYPE_MX:
        return len > 2 ? screen_names(msg, off + 2, end, 1, 0, 1, work) : -1;

    case DNS_TYPE_SOA:
        return screen_names(msg, off, end, 2, 20, 1, work);

    case DNS_RR_RRSIG:
        return len > 18 ? screen_names(msg, off + 18, end, 1, 1, 0, work)
                        : -1;

    case DNS_RR_NSEC:
        return screen_names(msg, off, end, 1, 0, 0, work);

    case DNS_RR_DS:
    case DNS_RR_NSEC3:
        return len > 4 ? 0 : -1;

    case DNS_RR_OPT:
        return screen_chunks(msg + off, len, 2, 2, len);
    }

    return -1;
}


/* Checks the record at `off`: returns the offset behind it, or 0. */
static size_t
screen_record(dns_screen_t *screen, const uint8_t *msg, size_t n, size_t off,
    int section, unsigned *opts, unsigned *work)
{
    size_t    owner, len;
    unsigned  type;

    owner = off;
    off = screen_name(msg, n, off, work);

    if (off == 0 || n - off < 10) {
        return 0;
    }

    type = dns_get16(msg + off);
    len = dns_get16(msg + off + 8);

    if (type == DNS_RR_OPT) {
        if (section != DNS_ADDITIONAL || msg[owner] != 0 || (*opts)++) {
            return 0;
        }

        screen->rcode |= (unsigned) msg[off + 4] << 4;
    }

    off += 10;

    if (n - off < len || screen_rdata(msg, off, len, type, work) != 0) {
        return 0;
    }

    return off + len;
}


int
dns_screen(dns_screen_t *screen, const uint8_t *msg, size_t n)
{
    static const unsigned  most[] = { DNS_MAX_ANSWERS, DNS_MAX_AUTHORITY,
                                      DNS_MAX_ADDITIONAL };

    size_t    off;
    unsigned  opts, i, work;
    int       section;

    if (n < DNS_HEADER || dns_get16(msg + 4) != 1) {
        return -1;
    }

    screen->p = msg;
    screen->n = n;
    screen->rcode = msg[3] & 0x0f;
    work = 0;
    opts = 0;
    off = screen_name(msg, n, DNS_HEADER, &work);

    if (off == 0 || n - off < 4) {
        return -1;
    }

    off += 4;

    for (section = DNS_ANSWER; section <= DNS_ADDITIONAL; section++) {
        screen->at[section] = off;
        screen->count[section] = dns_get16(msg + 6 + 2 * section);

        if (screen->count[section] > most[section]) {
            return -1;
        }

        for (i = 0; i < screen->count[section]; i++) {
            off = screen_record(screen, msg, n, off, section, &opts, &work);

            if (off == 0) {
                return -1;
            }
        }
    }

    return off == n ? 0 : -1;
}
