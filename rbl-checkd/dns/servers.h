/*
 * Servers, sets of servers, and zones.  The end of dns_int.h.
 */

#ifndef DNS_SERVERS_H_INCLUDED
#define DNS_SERVERS_H_INCLUDED

#include "dns_int.h"

/* The servers of a zone, or the resolvers.  Fixed, but for what is thought of
   them. */
struct dns_set_s {
    unsigned       refs;
    unsigned       n;
    unsigned       recursive:1;             /* RD; any response counts */
    unsigned       given:1;                 /* by the payer: no referrals */
    uint8_t        distrusted;              /* bits */
    double         lame[DNS_MAX_SERVERS];   /* until then */
    dns_name_t     apex;
    unsigned       labels;                  /* of it, with the root's */
    dns_server_t  *server[DNS_MAX_SERVERS];
};

/* zone.c, zones.c */
struct dns_zone_s {
    dns_zone_t    *next;            /* in the table */
    dns_engine_t  *engine;
    uint64_t       account;
    unsigned       refs;            /* questions */
    dns_set_t     *set;             /* NULL: not known */
    dns_find_t    *find;            /* under way, or NULL */
    link_t         waiting;         /* questions, until that is over */
    double         used;
    double         refresh, expires;
    double         retry, wait;     /* not looked for before this; the next
                                       pause; 0: it was found */
    double         doubt, doubt_wait;   /* likewise, when its servers fail */
    unsigned       gone:1;          /* the parent denies it */
    dns_name_t     wire;
    char           zone[DNS_NAME_MAX];  /* the payer's; "": by a referral */
    char           name[];
};

/* server.c */

/* That address of that account; one reference taken.  NULL: out of memory. */
dns_server_t *dns_server_get(dns_engine_t *engine, uint64_t account,
    const struct sockaddr_storage *sa, int recursive);
void dns_server_put(dns_server_t *r);

/* NULL: there is none. */
dns_server_t *dns_server_find(const dns_engine_t *engine, uint32_t id);

const dns_server_counters_t *dns_server_count(dns_server_t *r);

/* Closes sockets that are not used; frees servers without sets. */
void dns_server_sweep(dns_engine_t *engine);
void dns_server_free(dns_engine_t *engine);

int dns_server_down(const dns_server_t *r);
void dns_server_use(dns_server_t *r);
void dns_server_lost(dns_server_t *r, int refused);

/*
 * Is the next try there to have EDNS?  Some servers, or what stands before
 * them, drop queries that have it.  Then: a reply has come; a try is overdue.
 */
int dns_server_edns(const dns_question_t *q, unsigned n);
void dns_server_heard(dns_server_t *r, const dns_flight_t *f);
void dns_server_overdue(const dns_question_t *q);

/* case.c */

/* Why a query has lower case. */
enum {
    DNS_CASE_NONE = 0,          /* there was no trial */
    DNS_CASE_TRIED,             /* the response to the trial found nothing */
    DNS_CASE_LOST               /* the trial got no response */
};

/* Decides on the case of a new try. */
void dns_case_begin(dns_flight_t *f);

/* Converts the name of the query (wire form, lower case) to that case. */
void dns_case_mix(uint8_t *name, const dns_flight_t *f);

/* Is a matching response to be dropped, for the case of its name? */
int dns_case_mismatch(const dns_flight_t *f, const uint8_t *name);

/*
 * Learns from the response of dns_at(q) in engine->answer.  1: it does not
 * count, and the same server has to get the query again.
 */
int dns_case_again(dns_question_t *q, unsigned mixed);

/* The last try got no response in time. */
void dns_case_overdue(dns_question_t *q);

/* address.c */

/* Lengths of the address; equal addresses and ports. */
socklen_t dns_address_len(const struct sockaddr_storage *sa);
int dns_address_same(const struct sockaddr_storage *a,
    const struct sockaddr_storage *b);

/* "192.0.2.1@53" */
void dns_address_text(const struct sockaddr_storage *sa,
    char buf[DNS_SERVER_TEXT]);

/* set.c */

/*
 * Of these addresses; `apex` NULL: resolvers.  One reference is the caller's.
 * NULL: out of memory.
 */
dns_set_t *dns_set_new(dns_engine_t *engine, uint64_t account,
    const struct sockaddr_storage *sa, unsigned n, const dns_name_t *apex);
dns_set_t *dns_set_ref(dns_set_t *set);
void dns_set_put(dns_set_t *set);

/* The position of the server; `n`: it is not in there. */
unsigned dns_set_at(const dns_set_t *set, const dns_server_t *r);
unsigned dns_set_at_id(const dns_set_t *set, uint32_t id);

/* How many labels the name has, with the root's. */
unsigned dns_name_labels(const dns_name_t *name);

/* Is any of its servers trusted? */
int dns_set_trusted(const dns_set_t *set);

/* The server of the question's next try. */
unsigned dns_set_pick(const dns_question_t *q);

/* May it be sent there, or are there too many on their way? */
int dns_set_room(const dns_question_t *q, unsigned n);

/* All servers that the question may go to are among these. */
int dns_set_all(const dns_question_t *q, unsigned mask);

static inline dns_server_t *
dns_at(const dns_question_t *q)
{
    return q->set->server[q->at];
}


/* Is a timeout evidence against the server, not only against an own list? */
static inline int
dns_tells(const dns_question_t *q)
{
    return !q->set->recursive || q->class->owner->account == 0;
}


/* zone.c */

/* The zone of the payer, and its set if it is known; 0, or -1: no memory. */
int dns_zone_join(dns_question_t *q, const dns_payer_t *payer);
void dns_zone_leave(dns_question_t *q);

/* The zone of the payer; NULL: no memory, or no name. */
dns_zone_t *dns_zone_of(dns_engine_t *engine, const dns_payer_t *payer);

/* Queues the question, now or when the servers of its zone are known. */
void dns_zone_ask(dns_question_t *q);

/* On with the servers of the zone below: 0, or -1: that leads nowhere. */
int dns_zone_refer(dns_question_t *q, const dns_name_t *below);

/* The question is over: its zone's servers have answered, or failed. */
void dns_zone_done(const dns_question_t *q, dns_status_t status);

void dns_zone_sweep(dns_engine_t *engine);
/* dns_zone_stop ends all searches; then all zones are freed. */
void dns_zone_stop(dns_engine_t *engine);
void dns_zone_free(dns_engine_t *engine);

/* find.c */

/*
 * Looks for the servers of the zone with that name.  Ends with dns_zone_found,
 * never from in here.  NULL: out of memory.
 */
dns_find_t *dns_find_new(dns_engine_t *engine, dns_zone_t *zone,
    uint64_t account, const dns_name_t *name);
void dns_find_free(dns_find_t *find);

/*
 * What has been found, `n` 0: nothing.  `gone`: the parent denies the zone.
 * `ttl`: how long it holds.
 */
void dns_zone_found(dns_zone_t *zone, const struct sockaddr_storage *sa,
    unsigned n, const dns_name_t *apex, uint32_t ttl, int gone);

/* trace.c: lines of the trace; each returns at once if nobody listens. */

/* Parts of a line. */
void dns_trace_name(dns_trace_line_t *line, const uint8_t *wire, size_t len);
void dns_trace_servers(dns_trace_line_t *line,
    const struct sockaddr_storage *sa, unsigned n);
const char *dns_trace_status(dns_status_t status);

/* "query NAME TYPE: ..."; "query NAME TYPE: server ADDRESS ..." */
__attribute__((format(printf, 2, 3)))
void dns_trace_query(const dns_question_t *q, const char *fmt, ...);
void dns_trace_query_at(const dns_question_t *q, const dns_server_t *r,
    const char *text);

/* It has been sent to dns_at(q). */
void dns_trace_sent(const dns_question_t *q, int tcp, int edns);

/* What dns_read has found in the response of dns_at(q). */
void dns_trace_reply(const dns_question_t *q, const uint8_t *msg,
    dns_wire_t result, double took);
void dns_trace_dropped(const dns_server_t *r);

/* "name servers of NAME: <text> ADDRESS ADDRESS" */
void dns_trace_zone(const dns_engine_t *engine, const dns_name_t *name,
    const char *text, const struct sockaddr_storage *sa, unsigned n);

/* direct.c */

/*
 * Judges what an authoritative server has said, in engine->answer.  1: the
 * question continues without the caller, on no list or behind other queries;
 * 0: the answer stands, or has become DNS_SERVFAIL, since the server is lame.
 */
int dns_direct_judge(dns_question_t *q);

#endif /* DNS_SERVERS_H_INCLUDED */
