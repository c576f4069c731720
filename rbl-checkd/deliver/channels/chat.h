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

/* A markup.  Foreign text goes only through `text` and `link`. */
typedef struct {
    clip_unit_t    unit;
    const char    *strong[2];           /* around emphasized text */
    void         (*text)(rbl_out_t *out, rbl_str_t text);
    void         (*link)(rbl_out_t *out, rbl_str_t url, const char *label);
} chat_markup_t;

/*
 * Lines on one host, of at most `max` units, each ending in a line feed; lists
 * that find no room are counted.  Returns the units; 0: not even one line fits.
 */
size_t chat_host(rbl_out_t *out, const chat_markup_t *markup,
    const message_host_t *host, size_t max);

/* "And 12 more hosts.", or nothing if all are shown. */
#define CHAT_MORE_MAX  64
const char *chat_more(char buf[CHAT_MORE_MAX], const message_t *message,
    size_t told);

/* "listed on 3 lists"; a delisted host and a clear one: "on no list ..." */
#define CHAT_STATE_MAX  64
const char *chat_state(char buf[CHAT_STATE_MAX], const message_host_t *host);

/* Is it the address of a page, short enough for a link? */
int chat_is_url(rbl_str_t url);

/* Its characters, those that a markup could take for its own encoded. */
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

/* The JSON of an answer, a new reference; NULL: invalid, or too long. */
void *chat_answer(const channel_answer_t *answer);

/* Calls channel_why with a member of the JSON, if that is a text. */
void chat_said(channel_outcome_t *outcome, const char *service,
    const channel_answer_t *answer, const void *json);

#endif /* DELIVER_CHAT_H_INCLUDED */
