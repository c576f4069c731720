/*
 * rblctl lists show: the present name servers of a list.  rblctl finds them and
 * queries the test points of each, as a daemon does.
 */

#include "lists.h"
#include "probe.h"

#define SERVERS_TESTS  (DNS_MAX_SERVERS * 3)    /* families */

typedef struct servers_s  servers_t;

typedef struct {
    servers_t         *servers;
    uint32_t           server;
    rbl_family_t       family;
    health_verdict_t   verdict;
} servers_test_t;

struct servers_s {
    check_env_t      env;
    list_t          *list;
    unsigned         n, open;
    servers_test_t   test[SERVERS_TESTS];
};

static const char  server_row[] =
    "address:SERVER, family, health, rtt_ms:MS, serial";


static void
on_health(void *data, const health_verdict_t *verdict)
{
    servers_test_t  *test = data;

    test->verdict = *verdict;

    if (--test->servers->open == 0) {
        ev_break(test->servers->env.loop, EVBREAK_ALL);
    }
}


static void
ask_server(servers_t *s, uint32_t server, rbl_family_t family)
{
    servers_test_t  *test;

    test = &s->test[s->n];
    test->servers = s;
    test->server = server;
    test->family = family;

    if (health_ask(s->env.health, s->list, family, server, HEALTH_BOTH,
                   on_health, test)
        != NULL)
    {
        s->n++;
        s->open++;
    }
}


/* The engine finds the servers of a zone for its first query, here for the
   apex. */

static void
on_apex(void *data, const dns_answer_t *answer)
{
    uint32_t      id[DNS_MAX_SERVERS];
    unsigned      i, n, family;
    servers_t    *s = data;
    dns_payer_t   payer;

    (void) answer;

    payer = list_payer(s->list, 1);
    n = dns_servers(s->env.dns, &payer, id);

    for (i = 0; i < n; i++) {
        for (family = RBL_FAMILY_IPV4; family <= RBL_FAMILY_DOMAIN;
             family <<= 1)
        {
            if (s->list->families & family) {
                ask_server(s, id[i], (rbl_family_t) family);
            }
        }
    }

    if (s->open == 0) {
        ev_break(s->env.loop, EVBREAK_ALL);
    }
}


static json_t *
server_json(const servers_t *s, const servers_test_t *test)
{
    char                          text[DNS_SERVER_TEXT];
    double                        ms;
    const health_verdict_t       *v = &test->verdict;
    const dns_server_counters_t  *counters;

    dns_server_text(s->env.dns, test->server, text);
    counters = dns_server_counters(s->env.dns, test->server);
    ms = counters == NULL ? 0 : counters->srtt * 1000;

    return json_pack("{ss ss ss so so}", "address", text,
                     "family", list_family_name(test->family),
                     "health", health_state_names[v->state],
                     "rtt_ms", ms == 0 ? json_null()
                         : json_integer((json_int_t) (ms + 0.5)),
                     "serial", v->has_serial
                         ? json_integer((json_int_t) v->serial)
                         : json_null());
}


static json_t *
servers_run(ctl_t *ctl, servers_t *s)
{
    json_t       *rows;
    unsigned      i;
    dns_payer_t   payer;

    rows = json_array();

    if (ctl_probe_open(ctl, &s->env) != 0) {
        json_decref(rows);
        return NULL;
    }

    payer = list_payer(s->list, 1);

    if (s->list->ask != NULL && s->list->ask[0] != '\0'
        && dns_ask(s->env.dns, s->list->ask, DNS_TYPE_A, &payer, on_apex, s)
           != NULL)
    {
        ev_run(s->env.loop, 0);
    }

    for (i = 0; i < s->n; i++) {
        json_array_append_new(rows, server_json(s, &s->test[i]));
    }

    return rows;
}


json_t *
ctl_list_servers(ctl_t *ctl, rbl_str_t raw)
{
    json_t      *rows;
    rbl_key_t    key;
    servers_t    s = { { 0 }, NULL, 0, 0, { { 0 } } };
    redisReply  *keys;

    keys = ctl_command(ctl, RBL_COMMAND("HGETALL",
                       ctl_key(ctl, &key, 0, "lists:keys")));

    if (keys == NULL) {
        return NULL;
    }

    rows = NULL;
    s.list = list_from_record(raw);

    if (s.list == NULL) {
        ctl_fail("the record of the list is damaged: load the lists again");

    } else {
        list_key_find(s.list, keys);
        rows = servers_run(ctl, &s);
        ctl_probe_close(&s.env);
    }

    freeReplyObject(keys);
    list_unref(s.list);

    return rows;
}


int
ctl_list_servers_print(ctl_t *ctl, const json_t *rows, int keyless)
{
    if (keyless) {
        fputs("\nThe list needs a key to be queried.\n", stdout);
        return CTL_OK;
    }

    if (json_array_size(rows) == 0) {
        fputs("\nNo name servers can be found from here.\n", stdout);
        return CTL_OK;
    }

    putchar('\n');

    return ctl_print(ctl, server_row, json_deep_copy(rows));
}
