/*
 * The texts of a reply are parts of the buffer in which it has arrived.  A page
 * of hosts has twenty of them, and copying them would cost more than decoding.
 *
 * The bytes are first followed to the end of a reply, as far as they have
 * arrived, without memory for it.  A reply that is complete is then decoded
 * into one block, which holds the elements of one reply at a time.
 */

#include "rbl_resp.h"
#include "rbl_out.h"

#include <stdlib.h>

#define RESP_LINE     (RBL_OUT_INT + 3)         /* marker, number and CRLF */
#define RESP_CALL     (4 * (RESP_LINE + 2) + 7 + 40 + RBL_OUT_INT)
#define RESP_FIRST    32768             /* first size of a buffer */
#define RESP_KEEP     262144            /* largest buffer that stays while it is
                                           empty */
#define RESP_ELEMENTS 128               /* elements that fit at least: those of
                                           a page */
#define RESP_LONGEST  65536             /* bytes of a line */
#define RESP_TEXT     (512 * 1024 * 1024)       /* as Redis */


/* --- commands ------------------------------------------------------------ */

/* Writes a marker, a number and CRLF.  A page has dozens of these. */

static char *
resp_head(char *p, char marker, size_t n)
{
    char  digits[RBL_OUT_INT], *d;

    d = digits + sizeof(digits);

    do {
        *--d = (char) ('0' + n % 10);
        n /= 10;
    } while (n != 0);

    *p++ = marker;

    while (d < digits + sizeof(digits)) {
        *p++ = *d++;
    }

    *p++ = '\r';
    *p++ = '\n';

    return p;
}


static char *
resp_text(char *p, rbl_str_t text)
{
    p = resp_head(p, '$', text.n);

    if (text.n != 0) {
        memcpy(p, text.p, text.n);
        p += text.n;
    }

    *p++ = '\r';
    *p++ = '\n';

    return p;
}


size_t
rbl_resp_size(const rbl_script_t *script, rbl_str_t guard, int argc,
    const rbl_str_t *argv)
{
    int     i;
    size_t  n;

    n = RESP_LINE + (script != NULL ? RESP_CALL + guard.n : 0);

    for (i = 0; i < argc; i++) {
        n += RESP_LINE + argv[i].n + 2;
    }

    return n;
}


size_t
rbl_resp_command(char *to, size_t *tail, const rbl_script_t *script,
    rbl_str_t guard, int argc, const rbl_str_t *argv)
{
    int    i, guards;
    char  *p, text[RBL_OUT_INT];

    *tail = 0;
    guards = script != NULL && guard.n != 0;
    p = resp_head(to, '*', (size_t) (argc + (script ? 3 : 0) + guards));

    if (script != NULL) {
        p = resp_text(p, RBL_STR("EVALSHA"));
        p = resp_text(p, rbl_str(script->sha1));
        *tail = (size_t) (p - to);
        p = resp_text(p, rbl_out_int_text(text, script->nkeys + guards));
    }

    for (i = 0; i < argc; i++) {
        p = resp_text(p, argv[i]);

        if (guards && i + 1 == script->nkeys) {
            p = resp_text(p, guard);
        }
    }

    return (size_t) (p - to);
}


size_t
rbl_resp_eval_size(const rbl_script_t *script, rbl_str_t call)
{
    return call.n + script->source_len + RESP_CALL;
}


/* The head of the array stays: EVAL has as many words as EVALSHA. */

size_t
rbl_resp_eval(char *to, const rbl_script_t *script, rbl_str_t call,
    size_t tail)
{
    char    *p;
    size_t   head;

    head = (size_t) ((const char *) memchr(call.p, '\n', call.n) + 1 - call.p);
    memcpy(to, call.p, head);
    p = resp_text(to + head, RBL_STR("EVAL"));
    p = resp_text(p, (rbl_str_t) { script->source, script->source_len });
    memcpy(p, call.p + tail, call.n - tail);

    return (size_t) (p - to) + call.n - tail;
}


/* Behind the head of the array and the length of the first word. */

rbl_str_t
rbl_resp_verb(rbl_str_t command)
{
    (void) rbl_until(&command, '\n');
    (void) rbl_until(&command, '\n');

    return rbl_until(&command, '\r');
}


/* --- bytes --------------------------------------------------------------- */

char *
rbl_bytes_room(rbl_bytes_t *b, size_t least)
{
    char    *start;
    size_t   used, room;

    used = b->to - b->from;

    if (used == 0) {
        if (b->room > RESP_KEEP) {
            rbl_bytes_free(b);
        }

        b->from = b->to = 0;
    }

    if (b->room - b->to >= least) {
        return b->start + b->to;
    }

    if (b->from >= used && b->room - used >= least) {
        memcpy(b->start, b->start + b->from, used);

    } else {
        room = 2 * (used + least);
        room = room < RESP_FIRST ? RESP_FIRST : room;
        start = malloc(room);

        if (start == NULL) {
            return NULL;
        }

        if (used != 0) {
            memcpy(start, b->start + b->from, used);
        }

        free(b->start);
        b->start = start;
        b->room = room;
    }

    b->from = 0;
    b->to = used;

    return b->start + used;
}


void
rbl_bytes_free(rbl_bytes_t *b)
{
    free(b->start);
    memset(b, 0, sizeof(rbl_bytes_t));
}


/* --- replies ------------------------------------------------------------- */

static int
resp_refuse(rbl_replies_t *replies, const char *reason)
{
    replies->refused = reason;

    return -1;
}


/* Returns the end of the line, its CR.  NULL: it has not arrived, or `refused`
   is set. */

static char *
resp_line(rbl_replies_t *replies, char *p, char *end)
{
    char  *cr;

    cr = memchr(p, '\r', (size_t) (end - p));

    if ((cr != NULL ? cr : end) - p > RESP_LONGEST) {
        (void) resp_refuse(replies, "it sent a line of over 64 KiB");
        return NULL;
    }

    if (cr == NULL || cr + 1 == end) {
        return NULL;
    }

    if (cr[1] != '\n' || memchr(p, '\n', (size_t) (cr - p)) != NULL) {
        (void) resp_refuse(replies, "Protocol error, a bad line");
        return NULL;
    }

    return cr;
}


/* Sets a decimal number of 64 bits.  0: it is none. */

static int
resp_number(const char *p, const char *end, int64_t *number)
{
    unsigned  negative;
    uint64_t  n, most, digit;

    negative = p < end && *p == '-';
    p += negative;

    if (p == end || (*p == '0' && (negative || end - p > 1))) {
        return 0;
    }

    most = (uint64_t) INT64_MAX + negative;

    for (n = 0; p < end; p++) {
        digit = (unsigned char) *p - (unsigned) '0';

        if (digit > 9 || n > most / 10 || n * 10 > most - digit) {
            return 0;
        }

        n = n * 10 + digit;
    }

    *number = (int64_t) (negative ? 0 - n : n);

    return 1;
}


/* An array begins. */

static int
resp_array(rbl_replies_t *replies, int64_t n)
{
    if (n > (int64_t) (RBL_REPLY_ELEMENTS - replies->announced)) {
        return resp_refuse(replies,
                           "it announced a reply with too many elements");
    }

    if (replies->depth > RBL_REPLY_PARENTS) {
        return resp_refuse(replies,
                           "it announced a reply with too many levels");
    }

    replies->announced += (size_t) n;
    replies->left[replies->depth++] = n;

    return 0;
}


/* Follows one text, number or head of an array.  1: the reply is complete, 0:
   this part is; -1: it has not arrived, or `refused` is set. */

static int
resp_follow(rbl_replies_t *replies)
{
    char         *p, *cr, *end;
    int64_t       n;
    rbl_bytes_t  *b = &replies->bytes;

    if (b->from + replies->followed == b->to) {
        return -1;
    }

    p = b->start + b->from + replies->followed;
    end = b->start + b->to;
    cr = resp_line(replies, p, end);

    if (cr == NULL) {
        return -1;
    }

    n = 0;

    if (*p != '+' && *p != '-'
        && ((*p != ':' && *p != '$' && *p != '*')
            || !resp_number(p + 1, cr, &n)
            || (*p != ':' && n < -1)
            || (*p == '$' && n > RESP_TEXT)))
    {
        return resp_refuse(replies, "Protocol error, a bad type or number");
    }

    if (*p == '$' && n >= 0) {
        if (end - (cr + 2) < n + 2) {
            return -1;
        }

        cr += 2 + n;

        if (cr[0] != '\r' || cr[1] != '\n') {
            return resp_refuse(replies,
                               "Protocol error, a text without its end");
        }
    }

    replies->followed += (size_t) (cr + 2 - p);

    if (*p == '*' && n > 0) {
        return resp_array(replies, n);
    }

    while (replies->depth > 0 && --replies->left[replies->depth - 1] == 0) {
        replies->depth--;
    }

    return replies->depth == 0;
}


/* Where the elements of a reply, and the pointers to them, come next. */
typedef struct {
    char         *p;
    char         *end;                  /* of the bytes */
    redisReply   *element;
    redisReply  **pointer;
} resp_at_t;


/* Decodes what was followed.  A NUL in place of the CR ends a text. */

static void
resp_decode(resp_at_t *at, redisReply *reply)
{
    char     type, *cr;
    size_t   i;
    int64_t  n;

    memset(reply, 0, sizeof(redisReply));
    type = *at->p++;
    cr = memchr(at->p, '\r', (size_t) (at->end - at->p));

    if (type == '+' || type == '-') {
        reply->type = type == '+' ? REDIS_REPLY_STATUS : REDIS_REPLY_ERROR;
        reply->str = at->p;
        reply->len = (size_t) (cr - at->p);
        *cr = '\0';
        at->p = cr + 2;
        return;
    }

    n = 0;
    (void) resp_number(at->p, cr, &n);
    at->p = cr + 2;

    if (type == ':') {
        reply->type = REDIS_REPLY_INTEGER;
        reply->integer = n;

    } else if (n == -1) {
        reply->type = REDIS_REPLY_NIL;

    } else if (type == '$') {
        reply->type = REDIS_REPLY_STRING;
        reply->str = at->p;
        reply->len = (size_t) n;
        at->p[n] = '\0';
        at->p += n + 2;

    } else {
        reply->type = REDIS_REPLY_ARRAY;
        reply->elements = (size_t) n;
        reply->element = n != 0 ? at->pointer : NULL;
        at->pointer += n;

        for (i = 0; i < reply->elements; i++) {
            reply->element[i] = at->element++;
            resp_decode(at, reply->element[i]);
        }
    }
}


/* A block that a long reply needed goes with it. */

static int
resp_room(rbl_replies_t *replies)
{
    if (replies->elements != NULL && replies->announced <= replies->size
        && replies->size <= RESP_ELEMENTS)
    {
        return 0;
    }

    free(replies->elements);
    replies->size = replies->announced > RESP_ELEMENTS ? replies->announced
                                                       : RESP_ELEMENTS;
    replies->elements = malloc(replies->size * (sizeof(redisReply)
                                                + sizeof(redisReply *)));
    if (replies->elements == NULL) {
        replies->size = 0;
        return -1;
    }

    return 0;
}


int
rbl_replies_next(rbl_replies_t *replies, redisReply *reply)
{
    int           rc;
    resp_at_t     at;
    rbl_bytes_t  *b = &replies->bytes;

    do {
        rc = resp_follow(replies);
    } while (rc == 0);

    if (rc == -1) {
        return replies->refused != NULL ? -1 : 0;
    }

    if (resp_room(replies) != 0) {
        return resp_refuse(replies, "out of memory");
    }

    at.p = b->start + b->from;
    at.end = b->start + b->to;
    at.element = replies->elements;
    at.pointer = (void *) (at.element + replies->size);
    resp_decode(&at, reply);

    b->from += replies->followed;
    replies->followed = 0;
    replies->announced = 0;

    return 1;
}


void
rbl_replies_free(rbl_replies_t *replies)
{
    rbl_bytes_free(&replies->bytes);
    free(replies->elements);
    memset(replies, 0, sizeof(rbl_replies_t));
}
