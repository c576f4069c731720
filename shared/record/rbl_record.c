/*
 * Tables of records.  They name each field of schema.txt through the generated
 * rbl_schema.h, so that a field that moves there moves here.
 */

#include "rbl_record_int.h"
#include "rbl_schema.h"


/* Fields that every listing has. */
#define RBL_LISTING_LEAST  6

#define STR(type, name)    { RBL_FIELD_STR, offsetof(type, name) }
#define INT(type, name)    { RBL_FIELD_INT, offsetof(type, name) }
#define ARRAY(type, name)  { RBL_FIELD_ARRAY, offsetof(type, name) }


static const rbl_field_t  rbl_account_fields[RBL_ACCOUNT__N] = {
    [RBL_ACCOUNT_ID] = STR(rbl_account_t, id),
    [RBL_ACCOUNT_NAME] = STR(rbl_account_t, name),
    [RBL_ACCOUNT_STATUS] = STR(rbl_account_t, status),
    [RBL_ACCOUNT_TIMEZONE] = STR(rbl_account_t, timezone),
    [RBL_ACCOUNT_PLAN] = STR(rbl_account_t, plan),
    [RBL_ACCOUNT_PAID] = INT(rbl_account_t, paid),
    [RBL_ACCOUNT_MAX_HOSTS] = INT(rbl_account_t, max_hosts),
    [RBL_ACCOUNT_MAX_CONTACTS] = INT(rbl_account_t, max_contacts),
    [RBL_ACCOUNT_INTERVAL] = INT(rbl_account_t, interval),
    [RBL_ACCOUNT_CREATED] = INT(rbl_account_t, created),
    [RBL_ACCOUNT_MAX_CHECKS] = INT(rbl_account_t, max_checks),
    [RBL_ACCOUNT_MIN_INTERVAL] = INT(rbl_account_t, min_interval),
    [RBL_ACCOUNT_LAPSED] = INT(rbl_account_t, lapsed),
    [RBL_ACCOUNT_KEPT] = INT(rbl_account_t, kept),
    [RBL_ACCOUNT_SETTLED] = INT(rbl_account_t, settled),
};

static const rbl_field_t  rbl_chosen_fields[RBL_CHOSEN__N] = {
    [RBL_CHOSEN_PROFILE] = STR(rbl_chosen_t, profile),
    [RBL_CHOSEN_GROUP] = STR(rbl_chosen_t, group),
};

static const rbl_field_t  rbl_token_fields[RBL_TOKEN__N] = {
    [RBL_TOKEN_DIGEST] = STR(rbl_token_t, digest),
    [RBL_TOKEN_APP] = STR(rbl_token_t, app),
    [RBL_TOKEN_STATUS] = STR(rbl_token_t, status),
    [RBL_TOKEN_ALLOW] = ARRAY(rbl_token_t, allow),
    [RBL_TOKEN_LIMITS] = ARRAY(rbl_token_t, limits),
    [RBL_TOKEN_CREATED] = INT(rbl_token_t, created),
};

static const rbl_field_t  rbl_user_fields[RBL_USER__N] = {
    [RBL_USER_ID] = STR(rbl_user_t, id),
    [RBL_USER_MAIL] = STR(rbl_user_t, mail),
    [RBL_USER_NAME] = STR(rbl_user_t, name),
    [RBL_USER_ROLE] = STR(rbl_user_t, role),
    [RBL_USER_STATUS] = STR(rbl_user_t, status),
    [RBL_USER_CREATED] = INT(rbl_user_t, created),
    [RBL_USER_SEEN] = INT(rbl_user_t, seen),
    [RBL_USER_CONFIRMED] = INT(rbl_user_t, confirmed),
    [RBL_USER_ENDED] = INT(rbl_user_t, ended),
};

static const rbl_field_t  rbl_session_fields[RBL_SESSION__N] = {
    [RBL_SESSION_DIGEST] = STR(rbl_session_t, digest),
    [RBL_SESSION_USER] = STR(rbl_session_t, user),
    [RBL_SESSION_ROLE] = STR(rbl_session_t, role),
    [RBL_SESSION_MADE] = INT(rbl_session_t, made),
    [RBL_SESSION_MAIL] = STR(rbl_session_t, mail),
    [RBL_SESSION_IDENTITY] = STR(rbl_session_t, identity),
};

static const rbl_field_t  rbl_by_fields[RBL_BY__N] = {
    [RBL_BY_WHO] = STR(rbl_by_t, who),
    [RBL_BY_NAME] = STR(rbl_by_t, name),
    [RBL_BY_ACCOUNT] = STR(rbl_by_t, account),
    [RBL_BY_FROM] = STR(rbl_by_t, from),
    [RBL_BY_CALL] = STR(rbl_by_t, call),
    [RBL_BY_FIELDS] = ARRAY(rbl_by_t, fields),
};

static const rbl_field_t  rbl_passkey_fields[RBL_PASSKEY__N] = {
    [RBL_PASSKEY_ID] = STR(rbl_passkey_t, id),
    [RBL_PASSKEY_CREDENTIAL] = STR(rbl_passkey_t, credential),
    [RBL_PASSKEY_ALGORITHM] = INT(rbl_passkey_t, algorithm),
    [RBL_PASSKEY_KEY] = STR(rbl_passkey_t, key),
    [RBL_PASSKEY_COUNTER] = INT(rbl_passkey_t, counter),
    [RBL_PASSKEY_NAME] = STR(rbl_passkey_t, name),
    [RBL_PASSKEY_MADE] = INT(rbl_passkey_t, made),
    [RBL_PASSKEY_USED] = INT(rbl_passkey_t, used),
    [RBL_PASSKEY_RP] = STR(rbl_passkey_t, rp),
};

static const rbl_field_t  rbl_totals_fields[RBL_TOTALS__N] = {
    [RBL_TOTALS_HOSTS_AT] = INT(rbl_totals_t, hosts_at),
    [RBL_TOTALS_HOSTS] = INT(rbl_totals_t, hosts),
    [RBL_TOTALS_LISTED_AT] = INT(rbl_totals_t, listed_at),
    [RBL_TOTALS_LISTED] = INT(rbl_totals_t, listed),
    [RBL_TOTALS_MADE] = INT(rbl_totals_t, made),
};

static const rbl_field_t  rbl_app_fields[RBL_APP__N] = {
    [RBL_APP_ID] = STR(rbl_app_t, id),
    [RBL_APP_NAME] = STR(rbl_app_t, name),
    [RBL_APP_STATUS] = STR(rbl_app_t, status),
    [RBL_APP_SECRET] = STR(rbl_app_t, secret),
    [RBL_APP_CREATED] = INT(rbl_app_t, created),
    [RBL_APP_ALLOW] = ARRAY(rbl_app_t, allow),
    [RBL_APP_LIMITS] = ARRAY(rbl_app_t, limits),
};

static const rbl_field_t  rbl_host_fields[RBL_HOST__N] = {
    [RBL_HOST_ID] = STR(rbl_host_t, id),
    [RBL_HOST_VALUE] = STR(rbl_host_t, value),
    [RBL_HOST_NAME] = STR(rbl_host_t, name),
    [RBL_HOST_TYPE] = STR(rbl_host_t, type),
    [RBL_HOST_FAMILY] = INT(rbl_host_t, family),
    [RBL_HOST_PARENT] = STR(rbl_host_t, parent),
    [RBL_HOST_STATUS] = STR(rbl_host_t, status),
    [RBL_HOST_PROFILE] = STR(rbl_host_t, profile),
    [RBL_HOST_GROUPS] = ARRAY(rbl_host_t, groups),
    [RBL_HOST_CREATED] = INT(rbl_host_t, created),
    [RBL_HOST_CHECKED] = INT(rbl_host_t, checked),
    [RBL_HOST_FIRST_LISTED] = INT(rbl_host_t, first_listed),
    [RBL_HOST_LISTED_COUNT] = INT(rbl_host_t, listed_count),
    [RBL_HOST_UNKNOWN_COUNT] = INT(rbl_host_t, unknown_count),
    [RBL_HOST_NEXT_CHECK] = INT(rbl_host_t, next_check),
    [RBL_HOST_DETAILS] = ARRAY(rbl_host_t, details),
    [RBL_HOST_TROUBLED] = ARRAY(rbl_host_t, troubled),
    [RBL_HOST_UNCOVERED] = INT(rbl_host_t, uncovered),
    [RBL_HOST_STOPPED] = INT(rbl_host_t, stopped),
    [RBL_HOST_ANSWERS] = STR(rbl_host_t, answers),
};

static const rbl_field_t  rbl_profile_fields[RBL_PROFILE__N] = {
    [RBL_PROFILE_ID] = STR(rbl_profile_t, id),
    [RBL_PROFILE_NAME] = STR(rbl_profile_t, name),
    [RBL_PROFILE_STATUS] = STR(rbl_profile_t, status),
    [RBL_PROFILE_USES_DEFAULTS] = INT(rbl_profile_t, uses_defaults),
    [RBL_PROFILE_ENTRIES] = ARRAY(rbl_profile_t, entries),
    [RBL_PROFILE_CREATED] = INT(rbl_profile_t, created),
};

static const rbl_field_t  rbl_group_fields[RBL_GROUP__N] = {
    [RBL_GROUP_ID] = STR(rbl_group_t, id),
    [RBL_GROUP_NAME] = STR(rbl_group_t, name),
    [RBL_GROUP_CREATED] = INT(rbl_group_t, created),
};

static const rbl_field_t  rbl_contact_fields[RBL_CONTACT__N] = {
    [RBL_CONTACT_ID] = STR(rbl_contact_t, id),
    [RBL_CONTACT_TYPE] = STR(rbl_contact_t, type),
    [RBL_CONTACT_VALUE] = STR(rbl_contact_t, value),
    [RBL_CONTACT_SCHEDULE] = STR(rbl_contact_t, schedule),
    [RBL_CONTACT_STATUS] = STR(rbl_contact_t, status),
    [RBL_CONTACT_GROUPS] = ARRAY(rbl_contact_t, groups),
    [RBL_CONTACT_CREATED] = INT(rbl_contact_t, created),
    [RBL_CONTACT_DIGEST] = STR(rbl_contact_t, digest),
    [RBL_CONTACT_UNTIL] = INT(rbl_contact_t, until),
    [RBL_CONTACT_TRIES] = INT(rbl_contact_t, tries),
    [RBL_CONTACT_SENT] = INT(rbl_contact_t, sent),
};

static const rbl_field_t  rbl_list_fields[RBL_LIST__N] = {
    [RBL_LIST_ID] = STR(rbl_list_t, id),
    [RBL_LIST_TYPE] = STR(rbl_list_t, type),
    [RBL_LIST_ZONE] = STR(rbl_list_t, zone),
    [RBL_LIST_NAME] = STR(rbl_list_t, name),
    [RBL_LIST_WEBSITE] = STR(rbl_list_t, website),
    [RBL_LIST_FAMILIES] = INT(rbl_list_t, families),
    [RBL_LIST_CUSTOM] = INT(rbl_list_t, custom),
    [RBL_LIST_STATUS] = STR(rbl_list_t, status),
    [RBL_LIST_HEALTH] = STR(rbl_list_t, health),
    [RBL_LIST_CODES] = ARRAY(rbl_list_t, codes),
    [RBL_LIST_LOOKUP] = STR(rbl_list_t, lookup),
    [RBL_LIST_DELIST] = STR(rbl_list_t, delist),
    [RBL_LIST_TIER] = STR(rbl_list_t, tier),
    [RBL_LIST_SCOPE] = STR(rbl_list_t, scope),
    [RBL_LIST_KIND] = STR(rbl_list_t, kind),
    [RBL_LIST_CONTROL] = STR(rbl_list_t, control),
    [RBL_LIST_NAMES] = STR(rbl_list_t, names),
    [RBL_LIST_MIN_INTERVAL] = INT(rbl_list_t, min_interval),
    [RBL_LIST_RATE] = INT(rbl_list_t, rate),
    [RBL_LIST_DAY_QUOTA] = INT(rbl_list_t, day_quota),
    [RBL_LIST_REASON] = STR(rbl_list_t, reason),
    [RBL_LIST_NOTE] = STR(rbl_list_t, note),
    [RBL_LIST_SERVERS] = STR(rbl_list_t, servers),
    [RBL_LIST_KEY] = STR(rbl_list_t, key),
};

static const rbl_field_t  rbl_hook_fields[RBL_HOOK__N] = {
    [RBL_HOOK_ID] = STR(rbl_hook_t, id),
    [RBL_HOOK_NAME] = STR(rbl_hook_t, name),
    [RBL_HOOK_URL] = STR(rbl_hook_t, url),
    [RBL_HOOK_TYPES] = ARRAY(rbl_hook_t, types),
    [RBL_HOOK_SECRET] = STR(rbl_hook_t, secret),
    [RBL_HOOK_STATUS] = STR(rbl_hook_t, status),
    [RBL_HOOK_CREATED] = INT(rbl_hook_t, created),
    [RBL_HOOK_OLD] = STR(rbl_hook_t, old),
    [RBL_HOOK_OLD_UNTIL] = INT(rbl_hook_t, old_until),
    [RBL_HOOK_DISABLED] = INT(rbl_hook_t, disabled),
    [RBL_HOOK_REASON] = STR(rbl_hook_t, reason),
};

static const rbl_field_t  rbl_try_fields[RBL_TRY__N] = {
    [RBL_TRY_AT] = INT(rbl_try_t, at),
    [RBL_TRY_EVENT] = STR(rbl_try_t, event),
    [RBL_TRY_TYPE] = STR(rbl_try_t, type),
    [RBL_TRY_NUMBER] = INT(rbl_try_t, number),
    [RBL_TRY_OUTCOME] = STR(rbl_try_t, outcome),
    [RBL_TRY_STATUS] = INT(rbl_try_t, status),
    [RBL_TRY_TOOK] = INT(rbl_try_t, took),
    [RBL_TRY_NEXT] = INT(rbl_try_t, next),
    [RBL_TRY_ERROR] = STR(rbl_try_t, error),
    [RBL_TRY_ANSWER] = STR(rbl_try_t, answer),
};

static const rbl_field_t  rbl_event_fields[RBL_EVENT__N] = {
    [RBL_EVENT_ID] = STR(rbl_event_t, id),
    [RBL_EVENT_TYPE] = STR(rbl_event_t, type),
    [RBL_EVENT_DATE] = INT(rbl_event_t, date),
    [RBL_EVENT_CHECK] = STR(rbl_event_t, check),
    [RBL_EVENT_HOST] = STR(rbl_event_t, host),
    [RBL_EVENT_VALUE] = STR(rbl_event_t, value),
    [RBL_EVENT_LISTED] = INT(rbl_event_t, listed),
    [RBL_EVENT_TOTAL] = INT(rbl_event_t, total),
    [RBL_EVENT_RESULTS] = STR(rbl_event_t, results),
    [RBL_EVENT_HOOKS] = INT(rbl_event_t, hooks),
    [RBL_EVENT_CALLBACKS] = ARRAY(rbl_event_t, callbacks),
    [RBL_EVENT_TIMEZONE] = STR(rbl_event_t, timezone),
    [RBL_EVENT_MESSAGE] = STR(rbl_event_t, message),
    [RBL_EVENT_CONTACT] = STR(rbl_event_t, contact),
    [RBL_EVENT_CODE] = STR(rbl_event_t, code),
    [RBL_EVENT_DATA] = STR(rbl_event_t, data),
};

static const rbl_field_t  rbl_daemon_fields[RBL_DAEMON__N] = {
    [RBL_DAEMON_NAME] = STR(rbl_daemon_t, name),
    [RBL_DAEMON_RELEASE] = STR(rbl_daemon_t, release),
    [RBL_DAEMON_STARTED] = INT(rbl_daemon_t, started),
    [RBL_DAEMON_TOLD] = INT(rbl_daemon_t, told),
    [RBL_DAEMON_NUMBERS] = ARRAY(rbl_daemon_t, numbers),
    [RBL_DAEMON_RESOLVERS] = ARRAY(rbl_daemon_t, resolvers),
    [RBL_DAEMON_LISTS] = ARRAY(rbl_daemon_t, lists),
    [RBL_DAEMON_CHANNELS] = ARRAY(rbl_daemon_t, channels),
    [RBL_DAEMON_DNS] = ARRAY(rbl_daemon_t, dns),
    [RBL_DAEMON_CONDITIONS] = ARRAY(rbl_daemon_t, conditions),
};

static const rbl_field_t  rbl_refusal_fields[RBL_REFUSAL__N] = {
    [RBL_REFUSAL_TIME] = INT(rbl_refusal_t, time),
    [RBL_REFUSAL_METHOD] = STR(rbl_refusal_t, method),
    [RBL_REFUSAL_PATH] = STR(rbl_refusal_t, path),
    [RBL_REFUSAL_CODE] = INT(rbl_refusal_t, code),
    [RBL_REFUSAL_MESSAGE] = STR(rbl_refusal_t, message),
    [RBL_REFUSAL_ADDRESS] = STR(rbl_refusal_t, address),
};

/* These have no version and begin with their first field. */

static const rbl_field_t  rbl_listing_fields[] = {
    STR(rbl_listing_t, list),
    STR(rbl_listing_t, zone),
    STR(rbl_listing_t, website),
    STR(rbl_listing_t, details),
    ARRAY(rbl_listing_t, codes),
    INT(rbl_listing_t, since),
    INT(rbl_listing_t, asked),
    INT(rbl_listing_t, errors),
    INT(rbl_listing_t, cleared),
};

static const rbl_field_t  rbl_trouble_fields[] = {
    STR(rbl_trouble_t, list),
    STR(rbl_trouble_t, error),
    INT(rbl_trouble_t, since),
    INT(rbl_trouble_t, count),
};

static const rbl_field_t  rbl_result_fields[RBL_RESULT_FIELDS] = {
    STR(rbl_result_t, list),
    STR(rbl_result_t, type),
    INT(rbl_result_t, custom),
    STR(rbl_result_t, zone),
    STR(rbl_result_t, website),
    STR(rbl_result_t, status),
    ARRAY(rbl_result_t, codes),
    STR(rbl_result_t, details),
    STR(rbl_result_t, reason),
    STR(rbl_result_t, error),
    INT(rbl_result_t, ms),
};


rbl_err_t
rbl_account_decode(rbl_account_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, account, ACCOUNT, v);
}


rbl_err_t
rbl_chosen_decode(rbl_chosen_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, chosen, CHOSEN, v);
}


rbl_err_t
rbl_token_decode(rbl_token_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, token, TOKEN, v);
}


rbl_err_t
rbl_user_decode(rbl_user_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, user, USER, v);
}


rbl_err_t
rbl_passkey_decode(rbl_passkey_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, passkey, PASSKEY, v);
}


rbl_err_t
rbl_session_decode(rbl_session_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, session, SESSION, v);
}


rbl_err_t
rbl_by_decode(rbl_by_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, by, BY, v);
}


rbl_err_t
rbl_totals_decode(rbl_totals_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, totals, TOTALS, v);
}


rbl_err_t
rbl_app_decode(rbl_app_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, app, APP, v);
}


rbl_err_t
rbl_host_decode(rbl_host_t *v, rbl_str_t raw)
{
    if (raw.n > RBL_HOST_SIZE_MAX) {
        memset(v, 0, sizeof(*v));
        return RBL_ETYPE;
    }

    return RBL_RECORD_DECODE(raw, host, HOST, v);
}


rbl_err_t
rbl_profile_decode(rbl_profile_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, profile, PROFILE, v);
}


rbl_err_t
rbl_group_decode(rbl_group_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, group, GROUP, v);
}


rbl_err_t
rbl_contact_decode(rbl_contact_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, contact, CONTACT, v);
}


rbl_err_t
rbl_list_decode(rbl_list_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, list, LIST, v);
}


rbl_err_t
rbl_hook_decode(rbl_hook_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, hook, HOOK, v);
}


rbl_err_t
rbl_try_decode(rbl_try_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, try, TRY, v);
}


rbl_err_t
rbl_event_decode(rbl_event_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, event, EVENT, v);
}


rbl_err_t
rbl_refusal_decode(rbl_refusal_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, refusal, REFUSAL, v);
}


rbl_err_t
rbl_daemon_decode(rbl_daemon_t *v, rbl_str_t raw)
{
    return RBL_RECORD_DECODE(raw, daemon, DAEMON, v);
}


rbl_err_t
rbl_listing_decode(rbl_listing_t *v, rbl_mp_t *mp)
{
    return rbl_entry_decode(mp, rbl_listing_fields, RBL_LISTING_LEAST,
                            sizeof(rbl_listing_fields)
                            / sizeof(rbl_listing_fields[0]),
                            v, sizeof(*v));
}


rbl_err_t
rbl_trouble_decode(rbl_trouble_t *v, rbl_mp_t *mp)
{
    size_t  n;

    n = sizeof(rbl_trouble_fields) / sizeof(rbl_trouble_fields[0]);

    return rbl_entry_decode(mp, rbl_trouble_fields, n, n, v, sizeof(*v));
}


void
rbl_limits_decode(int64_t limits[RBL_LIMITS], rbl_str_t packed)
{
    size_t    i, n;
    rbl_mp_t  mp;

    rbl_mp_init(&mp, packed);
    n = rbl_mp_array(&mp);

    for (i = 0; i < RBL_LIMITS; i++) {
        limits[i] = i < n ? rbl_mp_int(&mp) : 0;
    }
}


rbl_err_t
rbl_result_decode(rbl_result_t *v, rbl_mp_t *mp)
{
    return rbl_entry_decode(mp, rbl_result_fields, RBL_RESULT_FIELDS,
                            RBL_RESULT_FIELDS, v, sizeof(*v));
}


void
rbl_result_encode(rbl_out_t *out, const rbl_result_t *v)
{
    rbl_mp_put_array(out, RBL_RESULT_FIELDS);
    rbl_mp_put_str(out, v->list);
    rbl_mp_put_str(out, v->type);
    rbl_mp_put_int(out, v->custom);
    rbl_mp_put_str(out, v->zone);
    rbl_mp_put_str(out, v->website);
    rbl_mp_put_str(out, v->status);

    if (v->codes.n > 0) {
        rbl_out_str(out, v->codes);

    } else {
        rbl_mp_put_array(out, 0);
    }

    rbl_mp_put_str(out, v->details);
    rbl_mp_put_str(out, v->reason);
    rbl_mp_put_str(out, v->error);
    rbl_mp_put_int(out, v->ms);
}
