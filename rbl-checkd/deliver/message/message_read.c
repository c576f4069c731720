/*
 * Parses the JSON of a message.  The daemon made it, but it has been in the
 * store: everything is checked, and invalid members become "" or are left out.
 */

#include "base/xalloc.h"
#include "message.h"

#include <jansson.h>
#include <stdlib.h>


typedef struct {
    const char  *name;
    size_t       at;                    /* of the rbl_str_t */
} message_field_t;

#define LISTING_FIELD(member)  offsetof(message_listing_t, member)
#define PAST_FIELD(member)     offsetof(message_past_t, member)
#define HOST_FIELD(member)     offsetof(message_host_t, member)

static const message_field_t  listing_fields[] = {
    { "id", LISTING_FIELD(id) },
    { "host", LISTING_FIELD(zone) },
    { "name", LISTING_FIELD(name) },
    { "website", LISTING_FIELD(website) },
    { "details", LISTING_FIELD(details) },
    { "reason", LISTING_FIELD(reason) },
    { "delisting", LISTING_FIELD(delisting) },
    { "weight", LISTING_FIELD(weight) },
    { "since", LISTING_FIELD(since) },
    { "relisted", LISTING_FIELD(off) },
    { "marked", LISTING_FIELD(marked) },
    { "how", LISTING_FIELD(how) },
    { "cause", LISTING_FIELD(cause) },
    { "advice", LISTING_FIELD(advice) },
    { "note", LISTING_FIELD(note) },
    { "mail", LISTING_FIELD(mail) },
    { "request", LISTING_FIELD(request) },
    { NULL, 0 }
};

static const message_field_t  past_fields[] = {
    { "id", PAST_FIELD(id) },
    { "host", PAST_FIELD(zone) },
    { "name", PAST_FIELD(name) },
    { "since", PAST_FIELD(since) },
    { "until", PAST_FIELD(till) },
    { "period", PAST_FIELD(period) },
    { NULL, 0 }
};

static const message_field_t  host_fields[] = {
    { "id", HOST_FIELD(id) },
    { "host", HOST_FIELD(value) },
    { "name", HOST_FIELD(name) },
    { "first_listed", HOST_FIELD(first_listed) },
    { "flapping_since", HOST_FIELD(flaps) },
    { "range", HOST_FIELD(range) },
    { "why", HOST_FIELD(why) },
    { NULL, 0 }
};


int64_t
message_number(int64_t n)
{
    return n <= 0 ? 0 : n < MESSAGE_COUNT_MAX ? n : MESSAGE_COUNT_MAX;
}


/* 0, or -1: it is not there, and *s is "". */

static int
message_member(rbl_str_t *s, const json_t *object, const char *name)
{
    const json_t  *v;

    v = json_object_get(object, name);

    if (!json_is_string(v)) {
        *s = RBL_STR("");
        return -1;
    }

    s->p = json_string_value(v);
    s->n = json_string_length(v);

    return 0;
}


static void
message_members(void *to, const json_t *object, const message_field_t *field)
{
    for ( /* void */ ; field->name != NULL; field++) {
        (void) message_member((rbl_str_t *) (void *) ((char *) to + field->at),
                              object, field->name);
    }
}


static int64_t
message_integer(const json_t *object, const char *name)
{
    return message_number(json_integer_value(json_object_get(object, name)));
}


static size_t
message_elements(const json_t *array, size_t max)
{
    size_t  n;

    n = json_array_size(array);

    return n < max ? n : max;
}


static void
message_read_host(message_host_t *host, const json_t *v,
    message_listing_t *listing, message_past_t *past)
{
    int            state;
    size_t         i;
    rbl_str_t      status;
    const json_t  *listings, *ended, *one;

    message_members(host, v, host_fields);
    (void) message_member(&status, v, "status");

    for (state = MESSAGE_UNREPORTED; state > MESSAGE_CLEAR; state--) {
        if (rbl_str_eq(status, message_state((message_state_t) state))) {
            break;
        }
    }

    listings = json_object_get(v, "listings");

    host->state = (message_state_t) state;
    host->listed_count = message_integer(v, "listed_count");
    host->range_hosts = message_integer(v, "range_hosts");
    host->n_listings = message_elements(listings, MESSAGE_LISTINGS);
    host->listing = listing;

    for (i = 0; i < host->n_listings; i++) {
        one = json_array_get(listings, i);
        message_members(&listing[i], one, listing_fields);
        listing[i].fresh = message_integer(one, "new") == 1;
    }

    ended = json_object_get(v, "ended");
    host->n_past = message_elements(ended, MESSAGE_PAST);
    host->past = past;
    host->changes = message_integer(v, "changes");
    host->held = message_integer(v, "held") == 1;

    for (i = 0; i < host->n_past; i++) {
        message_members(&past[i], json_array_get(ended, i), past_fields);
    }
}


/* One array has the listings of all hosts, in the order of the hosts, another
   one those that have ended. */

static void
message_read_hosts(message_t *message, const json_t *hosts)
{
    size_t              i, n, n_past;
    const json_t       *host;
    message_past_t     *past;
    message_listing_t  *listing;

    message->n_hosts = message_elements(hosts, MESSAGE_HOSTS);

    for (i = 0, n = 0, n_past = 0; i < message->n_hosts; i++) {
        host = json_array_get(hosts, i);
        n += message_elements(json_object_get(host, "listings"),
                              MESSAGE_LISTINGS);
        n_past += message_elements(json_object_get(host, "ended"),
                                   MESSAGE_PAST);
    }

    message->host = xcalloc(message->n_hosts + 1, sizeof(message_host_t));
    message->listings = xcalloc(n + 1, sizeof(message_listing_t));
    message->past = xcalloc(n_past + 1, sizeof(message_past_t));
    listing = message->listings;
    past = message->past;

    for (i = 0; i < message->n_hosts; i++) {
        message_read_host(&message->host[i], json_array_get(hosts, i),
                          listing, past);
        listing += message->host[i].n_listings;
        past += message->host[i].n_past;
    }
}


rbl_err_t
message_read(message_t *message, rbl_str_t json)
{
    json_t        *root;
    json_error_t   error;

    memset(message, 0, sizeof(message_t));
    root = json_loadb(json.p, json.n, 0, &error);
    message->root = root;

    if (message_member(&message->event, root, "event_sid") != 0
        || message_member(&message->type, root, "event_type") != 0
        || message_member(&message->title, root, "title") != 0
        || message_member(&message->text, root, "message") != 0
        || message_member(&message->url, root, "url") != 0)
    {
        message_free(message);
        return RBL_ETYPE;
    }

    (void) message_member(&message->code, root, "authcode");
    (void) message_member(&message->alert, root, "alert");
    (void) message_member(&message->weight, root, "weight");
    (void) message_member(&message->portal, root, "portal");
    message->listed = message_integer(root, "listed");
    message->delisted = message_integer(root, "delisted");
    message->clear = message_integer(root, "clear");
    message->unreported = message_integer(root, "unreported");

    message_read_hosts(message, json_object_get(root, "hosts"));

    return RBL_OK;
}


void
message_free(message_t *message)
{
    json_decref(message->root);
    free(message->host);
    free(message->listings);
    free(message->past);
    message->past = NULL;
    message->root = NULL;
    message->host = NULL;
    message->listings = NULL;
}
