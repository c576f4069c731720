/*
 * rblctl doctor: what the active lists want of their users (terms of the
 * catalogue): a registration of the addresses that query them, or
 * non-commercial use.
 */

#include "doctor.h"

#include "base/clock.h"

#define LISTS_ADDRESSES  8              /* that are named */
#define LISTS_DAY        86400000       /* ms */


/* The entry of the catalogue; NULL: none. */
static const json_t *
lists_entry(const doctor_t *d, const char *zone)
{
    size_t         i;
    const char    *is;
    const json_t  *entry;

    json_array_foreach(json_object_get(d->catalogue, "lists"), i, entry) {
        is = json_string_value(json_object_get(entry, "zone"));

        if (is != NULL && strcmp(is, zone) == 0) {
            return entry;
        }
    }

    return NULL;
}


static int
lists_term(const json_t *entry, const char *term)
{
    size_t         i;
    const json_t  *word;

    json_array_foreach(json_object_get(entry, "terms"), i, word) {
        if (json_is_string(word)
            && strcmp(json_string_value(word), term) == 0)
        {
            return 1;
        }
    }

    return 0;
}


/* How the list is for the daemons: 1: good for one of them; 0: it is not; -1:
   that is not known yet. */
static int
lists_works(const doctor_t *d, const char *zone)
{
    int            works = -1;
    size_t         i, k;
    const char    *health;
    const json_t  *daemon, *list;

    json_array_foreach(d->daemons, i, daemon) {
        json_array_foreach(json_object_get(daemon, "lists"), k, list) {
            health = json_string_value(json_object_get(list, "health"));

            if (strcmp(json_string_value(json_object_get(list, "zone")), zone)
                != 0 || strcmp(health, "untried") == 0)
            {
                continue;
            }

            if (strcmp(health, "good") == 0) {
                return 1;
            }

            works = 0;
        }
    }

    return works;
}


/* "192.0.2.1, 2001:db8::1": the addresses that queries come from, of the last
   day.  Without them this machine is meant. */
static void
lists_addresses(doctor_t *d, char text[DOCTOR_REASON])
{
    size_t       i, at = 0;
    char         since[CTL_DECIMAL], ignored[DOCTOR_REASON];
    ctl_t       *ctl = d->ctl;
    rbl_key_t    key;
    rbl_str_t    member;
    redisReply  *reply;

    ctl_catch(ignored, sizeof(ignored));
    reply = ctl_command(ctl, RBL_COMMAND("ZRANGE",
                        ctl_key(ctl, &key, 0, "daemons:addr"),
                        ctl_decimal(since, clock_date() - LISTS_DAY),
                        RBL_STR("+inf"), RBL_STR("BYSCORE")));
    ctl_catch(NULL, 0);
    snprintf(text, DOCTOR_REASON, "this machine");

    for (i = 0; i < rbl_reply_len(reply) && i < LISTS_ADDRESSES; i++) {
        member = rbl_reply_str(rbl_reply_at(reply, i));
        at += (size_t) snprintf(text + at, DOCTOR_REASON - at, "%s%.*s",
                                at > 0 ? ", " : "", (int) (member.n < 64
                                ? strcspn(member.p, " ") : 0), member.p);
    }

    freeReplyObject(reply);
}


static void
lists_registration(doctor_t *d, const char *zone, const json_t *entry)
{
    int          works = lists_works(d, zone);
    char         from[DOCTOR_REASON];
    const char  *website;

    if (works == -1) {
        doctor_say(d, "registration", UNKNOWN, "", "%s answers registered"
                   " addresses only, and no daemon has tried it yet", zone);

    } else if (!works) {
        lists_addresses(d, from);
        website = json_string_value(json_object_get(entry, "website"));
        doctor_say(d, "registration", DEGRADED, doctor_text("register the"
                   " addresses at %.200s, or turn the list off; try: rblctl"
                   " lists disable %.90s",
                   website == NULL ? "its site" : website, zone), "%s answers"
                   " registered addresses only, and does not answer the"
                   " daemons; queries come from %s", zone, from);
    }
}


const char *
doctor_lists(doctor_t *d)
{
    size_t         i;
    const char    *zone;
    const json_t  *entry;

    if (d->n_lists == 0) {
        doctor_say(d, "lists", BROKEN, "load the catalogue; try: rblctl lists"
                   " load " CONFIG_LISTS, "no list is active: nothing is"
                   " checked");
    }

    doctor_fill(d, "lists", GOOD, "");

    for (i = 0; i < d->n_lists; i++) {
        zone = d->list[i]->zone;
        entry = lists_entry(d, zone);

        if (lists_term(entry, "registration")) {
            lists_registration(d, zone, entry);
        }

        /* whether the service takes money is all that rblctl sees of its use */

        if (lists_term(entry, "noncommercial")
            && strcmp(d->daemon.gateway, "none") != 0)
        {
            doctor_say(d, "licence", DEGRADED, doctor_text("buy the data and"
                       " set the key, or turn the list off; try: rblctl lists"
                       " disable %.90s", zone), "this service takes money"
                       " (gateway %s), and this list is free for non-commercial"
                       " use only: %s", d->daemon.gateway, zone);
        }
    }

    return d->catalogue != NULL ? NULL
           : doctor_text("the catalogue %s cannot be read; --lists names"
                         " another file", d->lists);
}
