/*
 * Common code of the chat channels: the lines about a host, in the markup of
 * each service, bounded in its unit of length.
 */

#ifndef DELIVER_CHAT_H_INCLUDED
#define DELIVER_CHAT_H_INCLUDED

#include "channel.h"
#include "deliver/message/clip.h"
#include "deliver/message/message.h"
#include "rbl_doc.h"

/* A markup, and the limits of the service in its unit of length.  Foreign text
   goes only through `text` and `link`. */
typedef struct {
    clip_unit_t    unit;
    size_t         hosts;               /* in a message, at most */
    size_t         each;                /* units of one of them */
    size_t         least;               /* a host is not begun with less */
    size_t         between;             /* units that `put` adds to a host */
    const char    *strong[2];           /* around emphasized text */
    void         (*text)(rbl_out_t *out, rbl_str_t text);
    void         (*link)(rbl_out_t *out, rbl_str_t url, const char *label);

    /* Takes the lines on a host; host NULL: "And 12 more hosts." */
    void         (*put)(void *to, const message_host_t *host, rbl_str_t text);
} chat_markup_t;

/*
 * Puts the hosts of a message, in at most `room` units without the last line.
 * The lines on a host end in line feeds; lists that find no room are counted.
 */
#define CHAT_LAST  64                   /* units of the last line, at most */
void chat_hosts(void *to, const chat_markup_t *markup, const message_t *message,
    size_t room);

/* "listed on 3 lists"; a delisted host and a clear one: "on no list ..." */
#define CHAT_STATE_MAX  64
const char *chat_state(char buf[CHAT_STATE_MAX], const message_host_t *host);

/* Is it the address of a page, short enough for a link? */
int chat_is_url(rbl_str_t url);

/* Its characters, the special ones encoded; chat_url: those that a markup could
   take for its own. */
void chat_encode(rbl_out_t *out, rbl_str_t url, const char *special);
void chat_url(rbl_out_t *out, rbl_str_t url);

/* Copies a text, replacing each octet for which `find` returns a string. */
void chat_escape(rbl_out_t *out, rbl_str_t text,
    const char *(*find)(char c));

/* The same with a backslash before each of the special characters. */
void chat_backslash(rbl_out_t *out, rbl_str_t text, const char *special);

/* A text of at most `max` characters on one line, its parts by `write`. */
void chat_line(rbl_out_t *out, rbl_str_t text, size_t max,
    void (*write)(rbl_out_t *out, rbl_str_t text));

/* Both: a URL as the markup has it in a link. */
void chat_href(rbl_out_t *out, rbl_str_t url, const char *(*find)(char c));

/* The escapes of HTML, for Slack too. */
const char *chat_entity(char c);

/* A member of at most `max` units. */
void chat_clip(rbl_doc_t *doc, const char *key, rbl_str_t text, size_t max,
    clip_unit_t unit);

#endif /* DELIVER_CHAT_H_INCLUDED */
