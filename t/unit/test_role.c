/*
 * The role of a store, from the reply to INFO REPLICATION; its server.
 */

#include "rbl_role.h"
#include "tap.h"

#define HEAD      "# Replication\r\n"
#define REPLICA   HEAD "role:slave\r\nmaster_host:127.0.0.1\r\n"
#define UP        "master_link_status:up\r\n"


static const struct {
    const char  *text;
    rbl_role_e   role;
    const char  *name;
} infos[] = {
    { HEAD "role:master\r\nconnected_slaves:0\r\n", RBL_ROLE_MASTER,
      "a master" },
    { "role:master", RBL_ROLE_MASTER, "no end of line" },
    { REPLICA UP "master_last_io_seconds_ago:0\r\n", RBL_ROLE_REPLICA,
      "a fresh replica" },
    { REPLICA UP "master_last_io_seconds_ago:15\r\n", RBL_ROLE_REPLICA,
      "its master was heard of 15 s ago" },
    { REPLICA UP "master_last_io_seconds_ago:16\r\n", RBL_ROLE_STALE,
      "16 s ago" },
    { REPLICA "master_link_status:down\r\nmaster_last_io_seconds_ago:1\r\n",
      RBL_ROLE_STALE, "the link is down" },
    { REPLICA UP "master_last_io_seconds_ago:-1\r\n", RBL_ROLE_STALE,
      "never" },
    { REPLICA UP, RBL_ROLE_STALE, "no age" },
    { REPLICA, RBL_ROLE_STALE, "no link" },
    { HEAD "role:sentinel\r\n", RBL_ROLE_STALE, "another role" },
    { HEAD "role:\r\n", RBL_ROLE_STALE, "an empty role" },
    { HEAD "xrole:master\r\n", RBL_ROLE_UNKNOWN, "another name" },
    { HEAD "role\r\n", RBL_ROLE_UNKNOWN, "no colon" },
    { "\n\n\r\n:\n", RBL_ROLE_UNKNOWN, "empty lines" },
    { "", RBL_ROLE_UNKNOWN, "nothing" },
};


static const struct {
    const char  *text;
    int64_t      lag;
    const char  *name;
} lags[] = {
    { HEAD "slave0:ip=::1,port=1,state=online,offset=5,lag=3\r\n"
      "slave1:ip=::1,port=2,state=online,offset=5,lag=12\r\n", 12,
      "the lag of the most silent replica" },
    { HEAD "slave1:ip=::1,port=2,state=online,offset=5,lag=12\r\n", 0,
      "no first replica" },
    { HEAD "slave0:lag=7", 7, "no end of line" },
    { HEAD "slave0:ag=7\r\n", 0, "another field" },
    { HEAD "slave0:7\r\n", 0, "digits alone" },
    { HEAD "slave0:lag=\r\n", 0, "no digits" },
    { HEAD "slave0:lag=99999999999999999999\r\n", 0, "too large a lag" },
};


static void
test_replicas(void)
{
    size_t          i;
    redisReply      r;
    rbl_replicas_t  replicas;

    memset(&r, 0, sizeof(r));
    r.type = REDIS_REPLY_STRING;
    r.str = HEAD "role:master\r\nconnected_slaves:2\r\n"
            "min_slaves_good_slaves:1\r\nmaster_replid:0a1b\r\n";
    r.len = strlen(r.str);
    rbl_replicas(&replicas, &r);
    ok(replicas.replicas == 2 && replicas.good == 1, "replicas, good ones");
    is_str(replicas.history, "0a1b", "the id of its data");

    r.str = HEAD "role:master\r\nconnected_slaves:x\r\n";
    r.len = strlen(r.str);
    rbl_replicas(&replicas, &r);
    ok(replicas.replicas == 0 && replicas.good == -1
       && replicas.history.p == NULL, "no such lines");

    rbl_replicas(&replicas, NULL);
    ok(replicas.good == -1 && replicas.lag == 0, "no answer");

    for (i = 0; i < sizeof(lags) / sizeof(lags[0]); i++) {
        r.str = (char *) (uintptr_t) lags[i].text;
        r.len = strlen(r.str);
        rbl_replicas(&replicas, &r);
        ok(replicas.lag == lags[i].lag, "%s", lags[i].name);
    }
}


static void
test_server(void)
{
    size_t  i;
    char    text[RBL_SERVER_TEXT];

    static const struct {
        const char  *info, *text;
    } servers[] = {
        { "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n",
          "Redis 7.0.15" },
        { "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\n"
          "valkey_version:8.1.1\r\n", "Valkey 8.1.1" },
        { "redis_version:11111111111111111111111111111111111111111111111111"
          "\r\n", "Redis 11111111111111111111111111111111111111111" },
        { HEAD, "" }
    };

    for (i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
        rbl_server_text(text, rbl_str(servers[i].info));
        is_str(rbl_str(text), servers[i].text, servers[i].text);
    }

    rbl_server_text(text, (rbl_str_t) { NULL, 0 });
    is_str(rbl_str(text), "", "no answer has no server");
}


int
main(void)
{
    size_t      i;
    redisReply  r;

    for (i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
        memset(&r, 0, sizeof(r));
        r.type = REDIS_REPLY_STRING;
        r.str = (char *) (uintptr_t) infos[i].text;
        r.len = strlen(infos[i].text);
        ok(rbl_role(&r) == infos[i].role, "%s", infos[i].name);

        r.type = REDIS_REPLY_ERROR;
        ok(rbl_role(&r) == RBL_ROLE_UNKNOWN, "as an error: %s",
           infos[i].name);
    }

    ok(rbl_role(NULL) == RBL_ROLE_UNKNOWN, "no answer");
    test_replicas();
    test_server();

    return tap_done();
}
