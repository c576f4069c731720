/*
 * rblctl doctor: what the active lists want of their users (terms of the
 * catalogue), and whether their daily quotas are enough.
 */

#include "doctor.h"

#include <stdio.h>
#include <time.h>

#define LISTS_ADDRESSES  8              /* that are named */
#define LISTS_DAY        86400


/* --- the catalogue -------------------------------------------------------- */

/* Has the list that term? */
static int
lists_term(const doctor_t *d, const char *zone, const char *term,
    const char **website)
{
    size_t         i, k;
    const char    *is;
    const json_t  *entry, *word;

    json_array_foreach(json_object_get(d->catalogue, "lists"), i, entry) {
        is = json_string_value(json_object_get(entry, "zone"));

        if (is == NULL || strcmp(is, zone) != 0) {
            continue;
        }

        *website = json_string_value(json_object_get(entry, "website"));

        json_array_foreach(json_object_get(entry, "terms"), k, word) {
            if (json_is_string(word)
                && strcmp(json_string_value(word), term) == 0)
            {
                return 1;
            }
        }
    }

    return 0;
}


void
doctor_lists(doctor_t *d)
{
    if (d->n_lists > 0) {
        doctor_say(d, DOCTOR_LISTS, DOCTOR_GOOD, NULL, "active lists: %zu",
                   d->n_lists);
    } else {
        doctor_say(d, DOCTOR_LISTS, DOCTOR_BROKEN, NULL, "no list is active:"
                   " nothing is checked");
    }
}


/* Is there a catalogue, which has the terms? */
static int
lists_known(doctor_t *d, doctor_id_t id)
{
    if (d->catalogue == NULL) {
        doctor_say(d, id, DOCTOR_UNKNOWN, NULL, "the catalogue %s cannot be"
                   " read; --lists names another file", d->lists);
    }

    return d->catalogue != NULL;
}


/* --- registration --------------------------------------------------------- */

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
            if (strcmp(json_string_value(json_object_get(list, "zone")), zone)
                != 0)
            {
                continue;
            }

            health = json_string_value(json_object_get(list, "health"));

            if (strcmp(health, "good") == 0) {
                return 1;
            }

            works = strcmp(health, "untried") == 0 ? works : 0;
        }
    }

    return works;
}


/* "192.0.2.1, 2001:db8::1": the addresses that queries come from, of the last
   day.  0; -1: they cannot be read, which the row says. */
static int
lists_addresses(doctor_t *d, char *text, size_t size)
{
    size_t       i, at;
    char         since[CTL_DECIMAL], why[DOCTOR_REASON];
    ctl_t       *ctl = d->ctl;
    rbl_key_t    key;
    rbl_str_t    member;
    redisReply  *reply;

    text[0] = '\0';
    ctl_catch(why, sizeof(why));
    reply = ctl_command(ctl, RBL_COMMAND("ZRANGE",
                        ctl_key(ctl, &key, 0, "daemons:addr"),
                        ctl_decimal(since, ((int64_t) time(NULL) - LISTS_DAY)
                                           * 1000),
                        RBL_STR("+inf"), RBL_STR("BYSCORE")));
    ctl_catch(NULL, 0);

    if (reply == NULL) {
        doctor_say(d, DOCTOR_REGISTRATION, DOCTOR_UNKNOWN, NULL, "%s", why);
    }

    for (i = 0; i < rbl_reply_len(reply) && i < LISTS_ADDRESSES; i++) {
        member = rbl_reply_str(rbl_reply_at(reply, i));
        at = strlen(text);
        snprintf(text + at, size - at, "%s%.*s", at > 0 ? ", " : "",
                 (int) (member.n < 64 ? strcspn(member.p, " ") : 0), member.p);
    }

    freeReplyObject(reply);

    return reply == NULL ? -1 : 0;
}


void
doctor_registration(doctor_t *d)
{
    int          works;
    char         from[DOCTOR_REASON / 2] = "", remedy[DOCTOR_REMEDY];
    size_t       i;
    const char  *website, *zone;

    if (!lists_known(d, DOCTOR_REGISTRATION)
        || lists_addresses(d, from, sizeof(from)) != 0)
    {
        return;
    }

    for (i = 0; i < d->n_lists; i++) {
        zone = d->list[i]->zone;

        if (!lists_term(d, zone, "registration", &website)) {
            continue;
        }

        works = lists_works(d, zone);

        if (works == 0) {
            snprintf(remedy, sizeof(remedy), "register the addresses at %.200s,"
                     " or turn the list off; try: rblctl lists disable %.90s",
                     website == NULL ? "its site" : website, zone);
            doctor_say(d, DOCTOR_REGISTRATION, DOCTOR_DEGRADED, remedy, "%s"
                       " answers registered addresses only, and does not answer"
                       " the daemons; queries come from %s", zone,
                       from[0] != '\0' ? from : "this machine");

        } else if (works == -1) {
            doctor_say(d, DOCTOR_REGISTRATION, DOCTOR_UNKNOWN, NULL, "%s"
                       " answers registered addresses only, and no daemon has"
                       " tried it yet", zone);
        }
    }

    doctor_say(d, DOCTOR_REGISTRATION, DOCTOR_GOOD, NULL, "no list lacks a"
               " registration");
}


/* --- licences ------------------------------------------------------------- */

/* Does the service take money?  That is all that rblctl can see of its use. */
static int
lists_paid(const doctor_t *d)
{
    return strcmp(d->daemon.gateway, "none") != 0;
}


void
doctor_licence(doctor_t *d)
{
    char         names[DOCTOR_REASON / 2] = "", remedy[DOCTOR_REMEDY];
    size_t       i, at;
    const char  *website, *first = "";

    if (!lists_known(d, DOCTOR_LICENCE)) {
        return;
    }

    for (i = 0; i < d->n_lists; i++) {
        if (lists_term(d, d->list[i]->zone, "noncommercial", &website)) {
            at = strlen(names);
            first = first[0] == '\0' ? d->list[i]->zone : first;
            snprintf(names + at, sizeof(names) - at, "%s%s", at > 0 ? ", " : "",
                     d->list[i]->zone);
        }
    }

    if (names[0] == '\0') {
        doctor_say(d, DOCTOR_LICENCE, DOCTOR_GOOD, NULL, "no active list is"
                   " free for non-commercial use only");

    } else if (!lists_paid(d)) {
        doctor_say(d, DOCTOR_LICENCE, DOCTOR_GOOD, NULL, "free for"
                   " non-commercial use only: %s", names);

    } else {
        snprintf(remedy, sizeof(remedy), "buy their data and set the key, or"
                 " turn them off; try: rblctl lists disable %.90s", first);
        doctor_say(d, DOCTOR_LICENCE, DOCTOR_DEGRADED, remedy, "this service"
                   " takes money (gateway %s), and these lists are free for"
                   " non-commercial use only: %s", d->daemon.gateway, names);
    }
}


/* --- quotas --------------------------------------------------------------- */

void
doctor_quota(doctor_t *d)
{
    int            k;
    double         a_day;
    char           remedy[DOCTOR_REMEDY];
    size_t         i;
    const list_t  *list;

    static const unsigned  families[] = {
        RBL_FAMILY_IPV4, RBL_FAMILY_IPV6, RBL_FAMILY_DOMAIN
    };

    for (i = 0; i < d->n_lists; i++) {
        list = d->list[i];

        for (k = 0, a_day = 0; k < 3; k++) {
            if (list->families & families[k]) {
                a_day += doctor_checks(d, k, list->min_interval);
            }
        }

        if (list->day_quota > 0 && a_day > (double) list->day_quota) {
            snprintf(remedy, sizeof(remedy), "check less often, or query this"
                     " list less often; try: rblctl lists override %.90s"
                     " --min-interval %.0fh", list->zone,
                     a_day * 25 / (double) list->day_quota);
            doctor_say(d, DOCTOR_QUOTA, DOCTOR_DEGRADED, remedy, "%s: about"
                       " %.0f queries a day for all hosts, its quota is %lld",
                       list->zone, a_day, (long long) list->day_quota);
        }
    }

    doctor_say(d, DOCTOR_QUOTA, DOCTOR_GOOD, NULL, "no list has too small a"
               " quota");
}
