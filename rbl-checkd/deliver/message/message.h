/*
 * Messages to contacts (rbl-events(7)).  A message is made once, when its event
 * is fanned out or its digest is due, and stored as the JSON for endpoints;
 * other channels read it and convert it to their own form.  Its texts have a
 * bounded length and no control characters except the line feeds of `text`; a
 * channel escapes them for its own language.
 */

#ifndef DELIVER_MESSAGE_H_INCLUDED
#define DELIVER_MESSAGE_H_INCLUDED

#include "rbl_doc.h"
#include "rbl_out.h"
#include "rbl_record.h"
#include "rbl_timezone.h"

#define MESSAGE_CONFIRM    "contact.confirm"
#define MESSAGE_TRIGGER    "contact.trigger"
#define MESSAGE_NOTICE     "contact.notice"
#define MESSAGE_LINK       "user.link"
#define MESSAGE_VALID      INT64_C(86400000)    /* ms that a code is valid */

#define MESSAGE_HOSTS      50           /* limit of hosts in a message */
#define MESSAGE_LISTINGS   50           /* of each of them */
#define MESSAGE_PAST       50           /* ended listings of each of them */
#define MESSAGE_MAX        262144       /* octets of hosts, about */
#define MESSAGE_COUNT_MAX  1000000000    /* larger counts in the store are
                                            invalid */
#define MESSAGE_TEXT_MAX   16384        /* octets of text, about */

typedef enum {
    MESSAGE_CLEAR = 0,                  /* checked, and on no list */
    MESSAGE_LISTED,
    MESSAGE_DELISTED,                   /* on no list now */
    MESSAGE_UNREPORTED                  /* was listed; deleted, or this contact
                                           no longer gets it, or a list that
                                           listed it is no longer used */
} message_state_t;

typedef struct {
    rbl_str_t  id;                      /* SID of the list */
    rbl_str_t  zone, name, website;
    rbl_str_t  details;                 /* look-up URL, or the text of the
                                           list */
    rbl_str_t  reason;
    rbl_str_t  delisting;               /* URL, or "" */
    rbl_str_t  weight;                  /* a word of rbl_codes.h */
    rbl_str_t  since;                   /* in the account's time zone */
    int        fresh;                   /* 1: the contact did not know it; 0: it
                                           stood before */
    rbl_str_t  off;                     /* the list lists the host again: how
                                           long it did not, "2 d 3 h"; else
                                           "" */
    rbl_str_t  marked;                  /* what people noted, or "" */
    rbl_str_t  how, cause;              /* words of rbl_card.h; "": the list has
                                           no card */
    rbl_str_t  advice, note, mail;      /* when to ask; what else to know;
                                           an address for requests */
    rbl_str_t  request;                 /* a text to send, of several lines */
} message_listing_t;

/* A listing that has ended since the contact was last notified. */
typedef struct {
    rbl_str_t  id;                      /* SID of the list */
    rbl_str_t  zone, name;
    rbl_str_t  since, till;             /* in the account's time zone */
    rbl_str_t  period;                  /* "3 d 4 h" */
} message_past_t;

typedef struct {
    rbl_str_t           id, value, name;
    rbl_str_t           first_listed;   /* "" unless it is listed */
    rbl_str_t           range;          /* the subnet of its range, if it is
                                           listed or was until now; "": it is
                                           of none */
    int64_t             range_hosts;    /* addresses that the range has */
    rbl_str_t           why;            /* of an unreported one: which lists are
                                           no longer used; "": another reason */
    message_state_t     state;
    int64_t             listed_count;
    size_t              n_listings;     /* may be less than that */
    message_listing_t  *listing;        /* new ones come first */
    size_t              n_past;
    message_past_t     *past;
    rbl_str_t           flaps;          /* since when it flaps; "": it does
                                           not */
    int64_t             changes;        /* listings that began and ended since
                                           then */
    int                 held;           /* 1: further ones are not reported
                                           while it flaps */
} message_host_t;

typedef struct {
    rbl_str_t           event, type, title, text, url;
    rbl_str_t           code;           /* "": none */
    rbl_str_t           alert;          /* of a channel with a message a host:
                                           the event of the alert that has many
                                           of them, which this one is about;
                                           else "" */
    rbl_str_t           weight;         /* the highest of its listings;
                                           info */
    rbl_str_t           portal;         /* URL of the portal; of a message that
                                           was read: of the page with its host
                                           or hosts; "": none */
    int64_t             listed, delisted;   /* hosts, including those not
                                               shown */
    int64_t             clear, unreported;
    size_t              n_hosts;        /* shown; listed ones come first */
    message_host_t     *host;
    message_listing_t  *listings;       /* all of them */
    message_past_t     *past;           /* likewise */
    void               *root;           /* owner of the strings' memory */
} message_t;

/*
 * Writes the message of an event without hosts (schema.txt, event): the code of
 * a contact.confirm, the sign-in link of a user.link, or a contact.notice; with
 * times in that zone.  RBL_ETYPE: not such an event.  message_is_event: has it
 * one of these types?
 */
rbl_err_t message_event(rbl_out_t *out, const rbl_event_t *event,
    const rbl_timezone_t *zone);
int message_is_event(rbl_str_t type);

/*
 * Writes a contact.trigger: event, numbers and hosts are the caller's, words,
 * URL and weight are made here.  Hosts and listings above the bounds are
 * left out.
 */
void message_trigger(rbl_out_t *out, const message_t *message);

/* The SHA-256 of the link of a user.link, 64 hex digits; n 0: malformed.  Its
   message has it in the place of the link's secret, which is not in the store's
   events. */
rbl_str_t message_link_digest(const rbl_event_t *event);

/* Puts the secret of a link into its message. */
void message_link_open(char *json, size_t n, rbl_str_t secret);

/* True if messages of that type have a code or a link, which must not be kept
   or logged. */
int message_is_secret(rbl_str_t type);

/* Names of the states, as in the JSON. */
rbl_str_t message_state(message_state_t state);

/* Has the host listings that are new, and others that stood before? */
int message_both(const message_host_t *host);

/* A number of the store within its bounds, so that sums of a few do not
   overflow. */
int64_t message_number(int64_t n);

/* Does a text begin as the URL of a page? */
int message_is_url(rbl_str_t s);

/* Is the first of two weights the higher one? */
int message_worse(rbl_str_t a, rbl_str_t b);

/*
 * RBL_ETYPE: not a message.  Otherwise the caller must call message_free.
 * Missing members are "", 0, or no hosts.
 */
rbl_err_t message_read(message_t *message, rbl_str_t json);
void message_free(message_t *message);

/* Replaces the message's code or link by "*" everywhere in the text. */
void message_hide_code(char *text, rbl_str_t json);

#endif /* DELIVER_MESSAGE_H_INCLUDED */
