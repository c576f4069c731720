/*
 * Records of the store as C structures.  A decoder takes the bytes of one
 * record (shared/schema.txt) and fills views of them, which are valid as long
 * as the bytes.  RBL_ETYPE: not a record of that entity, or of an unknown
 * version; the structure is zeroed then.  Fields added by a newer version are
 * skipped; fields that an older version lacks are "", 0 or an empty array.
 * Arrays stay packed (rbl_str_t of the raw MessagePack array) and are read with
 * rbl_mp.
 */

#ifndef RBL_RECORD_H_INCLUDED
#define RBL_RECORD_H_INCLUDED

#include "rbl_mp.h"

#define RBL_RECORD_VERSION  1

/* Larger than any host record (texts.h); a larger record is not decoded. */
#define RBL_HOST_SIZE_MAX  (256 * 1024)

typedef struct {
    rbl_str_t  id, name, status, timezone, plan;
    int64_t    paid, max_hosts, max_contacts;
    int64_t    interval;                /* seconds between checks */
    int64_t    created;
    int64_t    max_checks;              /* starts per day; 0: no limit */
    int64_t    min_interval;            /* of the plan; 0: none */
    int64_t    lapsed;                  /* the plan has expired since (ms); 0 */
    int64_t    kept;                    /* last place of a host that is still
                                           checked; 0: none */
    int64_t    settled;                 /* 1: the others are stopped */
} rbl_account_t;

typedef struct {
    rbl_str_t  profile, group;          /* the defaults of an account */
} rbl_chosen_t;

typedef struct {
    rbl_str_t  digest;                  /* 32 bytes: SHA-256 of the token */
    rbl_str_t  app, status;
    rbl_str_t  allow, limits;           /* packed arrays, from the
                                           application */
    int64_t    created;
} rbl_token_t;

typedef struct {
    rbl_str_t  id, mail, name;
    rbl_str_t  role;                    /* owner, admin, viewer */
    rbl_str_t  status;
    int64_t    created;
    int64_t    seen;                    /* start of the last session; or 0 */
    int64_t    confirmed;               /* the address was; or 0 */
    int64_t    ended;                   /* sign-ins begun before; or 0 */
} rbl_user_t;

typedef struct {
    rbl_str_t  digest;                  /* 32 bytes: SHA-256 of the secret */
    rbl_str_t  user, role;
    int64_t    made;                    /* sign-in */
    rbl_str_t  mail;                    /* of the user; older ones: "" */
    rbl_str_t  identity;                /* 32 bytes, or none */
} rbl_session_t;

/* The caller of an audited script (rbl_audit.h). */
typedef struct {
    rbl_str_t  who;                     /* SID, "rblctl", or "": who signs in */
    rbl_str_t  name;
    rbl_str_t  account;                 /* of the user if it is another one */
    rbl_str_t  from, call;
    rbl_str_t  fields;                  /* packed array: name, value, name... */
} rbl_by_t;

typedef struct {
    rbl_str_t  id;
    rbl_str_t  credential;              /* its id, raw */
    int64_t    algorithm;
    rbl_str_t  key;                     /* COSE_Key (rbl_passkey.h) */
    int64_t    counter;
    rbl_str_t  name;
    int64_t    made, used;              /* used: 0: never */
    rbl_str_t  rp;                      /* SHA-256 of the name of the site */
} rbl_passkey_t;

typedef struct {
    int64_t    hosts_at;                /* stamps that change with the
                                           indexes */
    int64_t    hosts;
    int64_t    listed_at;
    int64_t    listed;
    int64_t    made;                    /* stamp that changes with the account
                                           and its tokens; 0: unknown */
} rbl_totals_t;

typedef struct {
    rbl_str_t  id, name, status, secret;
    int64_t    created;
    rbl_str_t  allow;                   /* packed array of CIDR texts */
    rbl_str_t  limits;                  /* packed array: per hour; reads,
                                           writes, check starts per second; 0:
                                           none */
} rbl_app_t;

/* Limits of an application, in the order of rbl_app_t.limits. */
enum {
    RBL_LIMIT_HOUR = 0,
    RBL_LIMIT_READS,
    RBL_LIMIT_WRITES,
    RBL_LIMIT_STARTS,
    RBL_LIMITS
};

#define RBL_HOUR_MAX  1000000000        /* requests an hour */
#define RBL_RATE_MAX  1000000           /* a second */

typedef struct {
    rbl_str_t  id, value, name, type;
    int64_t    family;
    rbl_str_t  parent, status, profile;
    rbl_str_t  groups;                  /* packed array */
    int64_t    created, checked, first_listed, listed_count, unknown_count,
               next_check;
    rbl_str_t  details;                 /* packed array of arrays */
    rbl_str_t  troubled;                /* likewise */
    int64_t    uncovered;               /* 1: no list applies */
    int64_t    stopped;                 /* not checked since the plan expired
                                           (ms); 0 */
    rbl_str_t  answers;                 /* of its lists (rbl_answers.h) */
} rbl_host_t;

typedef struct {
    rbl_str_t  id, name, status;
    int64_t    uses_defaults;
    rbl_str_t  entries;                 /* packed array */
    int64_t    created;
} rbl_profile_t;

typedef struct {
    rbl_str_t  id, name;
    int64_t    created;
} rbl_group_t;

typedef struct {
    rbl_str_t  id, type, value, schedule, status;
    rbl_str_t  groups;                  /* packed array */
    int64_t    created;
    rbl_str_t  digest;                  /* 32 bytes, or none */
    int64_t    until, tries, sent;
} rbl_contact_t;

typedef struct {
    rbl_str_t  id, type, zone, name, website;
    int64_t    families, custom;
    rbl_str_t  status, health;
    rbl_str_t  codes;                   /* packed array of rule texts */
    rbl_str_t  lookup, delist, tier, scope, kind, control;
    rbl_str_t  names;                   /* "", both, full, registered */
    int64_t    min_interval, rate, day_quota;       /* 0: none */
    rbl_str_t  reason, note;            /* reason of killing; note */
    rbl_str_t  servers;                 /* "ADDRESS@PORT ADDRESS@PORT ..." */
    rbl_str_t  key;                     /* of an own list, in place of "****" in
                                           its zone; secret */
} rbl_list_t;

typedef struct {
    rbl_str_t  id, name, url;
    rbl_str_t  types;                   /* packed array; empty: every type */
    rbl_str_t  secret, status;
    int64_t    created;
    rbl_str_t  old;                     /* former secret, valid until: */
    int64_t    old_until;
    int64_t    disabled;
    rbl_str_t  reason;
} rbl_hook_t;

/* An attempt of a delivery, as logged. */
typedef struct {
    int64_t    at;                      /* end (ms since the epoch) */
    rbl_str_t  event, type;
    int64_t    number;                  /* from 1 */
    rbl_str_t  outcome;                 /* ok, retry, dead, gone */
    int64_t    status;                  /* 0: no response */
    int64_t    took, next;              /* ms */
    rbl_str_t  error, answer;
} rbl_try_t;

typedef struct {
    rbl_str_t  id, type;
    int64_t    date;
    rbl_str_t  check;
    rbl_str_t  host;                    /* raw host record; "": one-off check */
    rbl_str_t  value;
    int64_t    listed, total;
    rbl_str_t  results;                 /* packed array, as a string */
    int64_t    hooks;                   /* 1: for the receivers */
    rbl_str_t  callbacks;               /* packed array of [URL, app SID] */
    rbl_str_t  timezone, message;
    rbl_str_t  contact, code;           /* of a contact.confirm, or a user.link:
                                           the user, the link */
    rbl_str_t  data;                    /* of a billing event: rbl_billing_t */
} rbl_event_t;

typedef struct {
    int64_t    time;
    rbl_str_t  method, path;
    int64_t    code;
    rbl_str_t  message, address;
} rbl_refusal_t;

/* Contents of its arrays: rbl_metrics.h. */
typedef struct {
    rbl_str_t  name, release;
    int64_t    started, told;
    rbl_str_t  numbers, resolvers, lists;   /* packed arrays */
    rbl_str_t  channels;                /* likewise, of types of contacts */
    rbl_str_t  dns;                     /* likewise */
    rbl_str_t  conditions;              /* likewise (rbl_condition.h) */
} rbl_daemon_t;

rbl_err_t rbl_daemon_decode(rbl_daemon_t *v, rbl_str_t raw);
rbl_err_t rbl_refusal_decode(rbl_refusal_t *v, rbl_str_t raw);
rbl_err_t rbl_event_decode(rbl_event_t *v, rbl_str_t raw);
rbl_err_t rbl_account_decode(rbl_account_t *v, rbl_str_t raw);
rbl_err_t rbl_chosen_decode(rbl_chosen_t *v, rbl_str_t raw);
rbl_err_t rbl_token_decode(rbl_token_t *v, rbl_str_t raw);
rbl_err_t rbl_user_decode(rbl_user_t *v, rbl_str_t raw);
rbl_err_t rbl_passkey_decode(rbl_passkey_t *v, rbl_str_t raw);
rbl_err_t rbl_session_decode(rbl_session_t *v, rbl_str_t raw);
rbl_err_t rbl_by_decode(rbl_by_t *v, rbl_str_t raw);
rbl_err_t rbl_totals_decode(rbl_totals_t *v, rbl_str_t raw);
rbl_err_t rbl_app_decode(rbl_app_t *v, rbl_str_t raw);

/* Reads the limits of an application or a token; 0: no limit. */
void rbl_limits_decode(int64_t limits[RBL_LIMITS], rbl_str_t packed);

rbl_err_t rbl_host_decode(rbl_host_t *v, rbl_str_t raw);
rbl_err_t rbl_profile_decode(rbl_profile_t *v, rbl_str_t raw);
rbl_err_t rbl_group_decode(rbl_group_t *v, rbl_str_t raw);
rbl_err_t rbl_contact_decode(rbl_contact_t *v, rbl_str_t raw);
rbl_err_t rbl_list_decode(rbl_list_t *v, rbl_str_t raw);
rbl_err_t rbl_hook_decode(rbl_hook_t *v, rbl_str_t raw);
rbl_err_t rbl_try_decode(rbl_try_t *v, rbl_str_t raw);

/* One entry of host.details. */
typedef struct {
    rbl_str_t  list, zone, website, details;
    rbl_str_t  codes;                   /* packed array of texts */
    int64_t    since;
    int64_t    asked, errors, cleared;  /* 0 in older entries */
} rbl_listing_t;

/* Reads the next entry from a reader positioned inside host.details. */
rbl_err_t rbl_listing_decode(rbl_listing_t *v, rbl_mp_t *mp);

/* One entry of host.troubled. */
typedef struct {
    rbl_str_t  list, error;
    int64_t    since, count;
} rbl_trouble_t;

/* The same for host.troubled. */
rbl_err_t rbl_trouble_decode(rbl_trouble_t *v, rbl_mp_t *mp);

/*
 * One result of a check: an element of check:<AC>:<PP>:d and of an argument of
 * check_finish.  Order: list SID, type, custom, zone, website, status (listed,
 * clear, unknown, skipped), codes, details, reason, error, ms.
 */
typedef struct {
    rbl_str_t  list, type;
    int64_t    custom;
    rbl_str_t  zone, website, status;
    rbl_str_t  codes;                   /* packed array of texts */
    rbl_str_t  details, reason, error;
    int64_t    ms;
} rbl_result_t;

#define RBL_RESULT_FIELDS  11

rbl_err_t rbl_result_decode(rbl_result_t *v, rbl_mp_t *mp);
void rbl_result_encode(rbl_out_t *out, const rbl_result_t *v);

#endif /* RBL_RECORD_H_INCLUDED */
