/*
 * Parses lines of INFO: "name:value", each ended by CR and LF.
 */

#include "rbl_role.h"
#include "rbl_validate.h"

#include <stdio.h>

#define RBL_ROLE_REPLICAS  64           /* of a master that are looked at */


rbl_str_t
rbl_info_value(rbl_str_t info, const char *name)
{
    rbl_str_t  value;

    while (info.p != NULL) {
        value = rbl_until(&info, '\n');

        if (rbl_str_is(rbl_until(&value, ':'), name) && value.p != NULL) {
            value.n -= value.n > 0 && value.p[value.n - 1] == '\r';
            return value;
        }
    }

    return (rbl_str_t) { NULL, 0 };
}


void
rbl_server_text(char text[RBL_SERVER_TEXT], rbl_str_t info)
{
    const char  *name;
    rbl_str_t    version;

    name = "Valkey";
    version = rbl_info_value(info, "valkey_version");

    if (version.p == NULL) {
        name = "Redis";
        version = rbl_info_value(info, "redis_version");
    }

    text[0] = '\0';

    if (version.p != NULL) {
        (void) snprintf(text, RBL_SERVER_TEXT, "%s %.*s", name,
                        (int) version.n, version.p);
    }
}


rbl_role_e
rbl_role(const redisReply *info)
{
    int64_t    age;
    rbl_str_t  text, role, link, heard;

    text = rbl_reply_str(info);
    if (text.p == NULL) {
        return RBL_ROLE_UNKNOWN;
    }

    role = rbl_info_value(text, "role");

    if (role.p == NULL) {
        return RBL_ROLE_UNKNOWN;
    }

    if (rbl_str_is(role, "master")) {
        return RBL_ROLE_MASTER;
    }

    link = rbl_info_value(text, "master_link_status");
    heard = rbl_info_value(text, "master_last_io_seconds_ago");

    return link.p != NULL && rbl_str_is(link, "up") && heard.p != NULL
           && rbl_int_parse(&age, heard, 0, RBL_ROLE_AGE_MAX) == RBL_OK
           ? RBL_ROLE_REPLICA : RBL_ROLE_STALE;
}


static int64_t
rbl_role_number(rbl_str_t info, const char *name, int64_t def)
{
    int64_t    n;
    rbl_str_t  value;

    value = rbl_info_value(info, name);

    return value.p != NULL && rbl_int_parse(&n, value, 0, INT64_MAX) == RBL_OK
           ? n : def;
}


/* "slave0:ip=127.0.0.1,port=6380,state=online,offset=56,lag=0" */

static int64_t
rbl_role_lag(rbl_str_t info)
{
    char       name[16];
    int64_t    lag, most;
    unsigned   i;
    rbl_str_t  line, value;

    most = 0;

    for (i = 0; i < RBL_ROLE_REPLICAS; i++) {
        (void) snprintf(name, sizeof(name), "slave%u", i);
        line = rbl_info_value(info, name);

        if (line.p == NULL) {
            break;
        }

        while (line.p != NULL) {
            value = rbl_until(&line, ',');

            if (rbl_str_is(rbl_until(&value, '='), "lag")
                && rbl_int_parse(&lag, value, 0, INT32_MAX) == RBL_OK
                && lag > most)
            {
                most = lag;
            }
        }
    }

    return most;
}


void
rbl_replicas(rbl_replicas_t *replicas, const redisReply *info)
{
    rbl_str_t  text;

    text = rbl_reply_str(info);

    replicas->history = rbl_info_value(text, "master_replid");
    replicas->replicas = rbl_role_number(text, "connected_slaves", 0);
    replicas->good = rbl_role_number(text, "min_slaves_good_slaves", -1);
    replicas->lag = rbl_role_lag(text);
}


int64_t
rbl_replicas_near(const redisReply *info)
{
    rbl_replicas_t  replicas;

    rbl_replicas(&replicas, info);

    return replicas.good >= 0 && replicas.good < replicas.replicas
           ? replicas.good : replicas.replicas;
}
