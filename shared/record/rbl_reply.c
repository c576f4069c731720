/*
 * Access to replies of the store.  Nothing is copied: results are valid as long
 * as the reply, which the caller owns.
 */

#include "rbl_reply.h"
#include "rbl_validate.h"

#define RBL_REPLY_SAID  200             /* bytes of an error that are shown */


static const struct {
    const char         *word;
    rbl_reply_class_t   cls;
} rbl_reply_classes[] = {
    { "NOSCRIPT", RBL_REPLY_NOSCRIPT },
    { "LOADING", RBL_REPLY_NOTREADY },
    { "MASTERDOWN", RBL_REPLY_NOTREADY },
    { "BUSY", RBL_REPLY_NOTREADY },
    { "MOVED", RBL_REPLY_MOVED },
    { "ASK", RBL_REPLY_SLOT },
    { "TRYAGAIN", RBL_REPLY_SLOT },
    { "CLUSTERDOWN", RBL_REPLY_SLOT },
    { "READONLY", RBL_REPLY_READONLY },
    { "OOM", RBL_REPLY_NOWRITE },
    { "MISCONF", RBL_REPLY_NOWRITE },
    { "NOREPLICAS", RBL_REPLY_NOWRITE },
    { "NOAUTH", RBL_REPLY_NOAUTH },
    { "WRONGPASS", RBL_REPLY_NOAUTH },
    { "NOPERM", RBL_REPLY_NOPERM },
    { "NOGROUP", RBL_REPLY_NOGROUP },
};


static rbl_str_t
rbl_reply_bytes(const redisReply *r)
{
    rbl_str_t  s;

    s.p = r->str;
    s.n = r->str ? (size_t) r->len : 0;

    return s;
}


rbl_str_t
rbl_reply_str(const redisReply *r)
{
    rbl_str_t  none = { NULL, 0 };

    if (r == NULL
        || (r->type != REDIS_REPLY_STRING && r->type != REDIS_REPLY_STATUS))
    {
        return none;
    }

    return rbl_reply_bytes(r);
}


int64_t
rbl_reply_int(const redisReply *r, int64_t def)
{
    int64_t  v;

    if (r == NULL) {
        return def;
    }

    if (r->type == REDIS_REPLY_INTEGER) {
        return r->integer;
    }

    if (r->type != REDIS_REPLY_STRING
        || rbl_int_parse(&v, rbl_reply_bytes(r), 0, INT64_MAX) != RBL_OK)
    {
        return def;
    }

    return v;
}


size_t
rbl_reply_len(const redisReply *r)
{
    if (r == NULL || r->type != REDIS_REPLY_ARRAY || r->element == NULL) {
        return 0;
    }

    return (size_t) r->elements;
}


const redisReply *
rbl_reply_at(const redisReply *r, size_t i)
{
    return i < rbl_reply_len(r) ? r->element[i] : NULL;
}


const redisReply *
rbl_reply_field(const redisReply *r, const char *name)
{
    size_t     i, n;
    rbl_str_t  key;

    n = rbl_reply_len(r);

    for (i = 0; i + 1 < n; i += 2) {
        key = rbl_reply_str(r->element[i]);

        if (key.p != NULL && rbl_str_is(key, name)) {
            return r->element[i + 1];
        }
    }

    return NULL;
}


rbl_str_t
rbl_reply_name(const redisReply *pair)
{
    return rbl_reply_str(rbl_reply_at(pair, 0));
}


const redisReply *
rbl_reply_rest(const redisReply *pair)
{
    return rbl_reply_at(pair, 1);
}


int64_t
rbl_reply_entry_ms(rbl_str_t id)
{
    int64_t  ms;

    return rbl_int_parse(&ms, rbl_until(&id, '-'), 0, INT64_MAX) == RBL_OK
           && id.p != NULL ? ms : 0;
}


int64_t
rbl_reply_time(const redisReply *r)
{
    int64_t  s, us;

    s = rbl_reply_int(rbl_reply_at(r, 0), 0);
    us = rbl_reply_int(rbl_reply_at(r, 1), -1);

    return s > 0 && s < INT64_MAX / 2000000 && us >= 0 && us < 1000000
           ? s * 1000000 + us : 0;
}


rbl_str_t
rbl_reply_word(const redisReply *r)
{
    rbl_str_t  s;

    s = rbl_reply_name(r);

    return s.p ? s : RBL_STR("");
}


int64_t
rbl_reply_number(const redisReply *r)
{
    return rbl_reply_int(rbl_reply_at(r, 1), 0);
}


rbl_reply_class_t
rbl_reply_class(const redisReply *r)
{
    size_t     i;
    rbl_str_t  text, word;

    if (r == NULL) {
        return RBL_REPLY_ERROR;
    }

    if (r->type != REDIS_REPLY_ERROR) {
        return RBL_REPLY_OK;
    }

    text = rbl_reply_bytes(r);
    word = rbl_until(&text, ' ');

    for (i = 0;
         i < sizeof(rbl_reply_classes) / sizeof(rbl_reply_classes[0]);
         i++)
    {
        if (rbl_str_is(word, rbl_reply_classes[i].word)) {
            return rbl_reply_classes[i].cls;
        }
    }

    return RBL_REPLY_ERROR;
}


int
rbl_reply_script_denied(const char *error)
{
    /* Redis 7.0, and since 7.2 */

    return strstr(error, "The user executing the script can't") != NULL
           || strstr(error, "ACL failure in script") != NULL;
}


/* "ERR unknown command 'X', with args beginning with: 'a' 'b'" */

rbl_str_t
rbl_reply_error(const redisReply *r)
{
    rbl_str_t    s;
    const char  *args;

    if (r == NULL || r->type != REDIS_REPLY_ERROR || r->str == NULL) {
        return RBL_STR("nonsense");
    }

    s = rbl_reply_bytes(r);

    args = strstr(s.p, " with arg");
    if (args != NULL) {
        s.n = (size_t) (args - s.p);
        s.n -= s.n > 0 && s.p[s.n - 1] == ',';
    }

    if (s.n > RBL_REPLY_SAID) {
        s.n = RBL_REPLY_SAID;
    }

    return s;
}


rbl_str_t
rbl_reply_auth_error(const redisReply *r)
{
    switch (rbl_reply_class(r)) {

    case RBL_REPLY_NOAUTH:
        return RBL_STR("WRONGPASS, the user or the password is not right");

    case RBL_REPLY_NOTREADY:
        return RBL_STR("it is not ready");

    default:
        return RBL_STR("it does not support AUTH of Redis");
    }
}
