/*
 * Every key of the store, built in one place.
 *
 * <prefix>:meta is a hash {schema, partitions, created}.  Every other key is
 * <prefix>:{<partition>}:<name>[:<account>[:<SID>]], so that all keys of one
 * account share one hash slot.
 *
 *   acct:<AC>          string  account record
 *   token:<AC>:<16>    string  record of a token; named by the first 16 hex
 *                              digits of its SHA-256
 *   tokens:<AC>        hash    those digits -> application
 *   rate:<AC>:<AP>     string  packed counts of an application that has limits
 *                              (app_admit), with TTL
 *   r:<AC>:<SID>       string  record of a host, profile, group, contact or
 *                              custom list
 *   s:<AC>:<SID>       string  record with a secret: an application or a
 *                              webhook receiver; apart, so that few and short
 *                              patterns name what nginx may read
 *   r:SYS:<RB>         string  record of a system list (one copy a partition)
 *   lists              zset    system lists that are not killed, in load order
 *   defaults           string  packed [[RB, type, zone, families, website]...]
 *                              of the active system lists, derived from them
 *   defaults:for       hash    "<host type or nothing>|<family>" -> packed
 *                              [[RB, type, 0, zone, website]...], derived too
 *   lists:active       zset    the active system lists, in load order; derived
 *   lists:zones        hash    zone of a system list -> its type; derived
 *   lists:override     hash    what the operator has said of system lists by
 *                              hand (_override.lua)
 *   lists:keys         hash    zone of a list -> the key that it wants, a
 *                              secret; in partition 0 only
 *   lists:ver          string  counts changes of the system lists and their
 *                              keys
 *   list:<RB>          hash    what daemons share about a system list
 *                              (list_grant, list_told, list_turn): "turn", to
 *                              when its rate is given away (us since 1970);
 *                              "day" (since 1970, UTC) and "used", questions
 *                              granted in it; while it has refused to answer
 *                              "since", "till" (ms) and "refused", how often
 *                              in a row; while it is frozen "frozen", since
 *                              when (ms), "turned" and "of": by so many new
 *                              listings of so many answers, and "sampled",
 *                              when a sample was begun last, "found", when
 *                              one was not in order (ms); "clear",
 *                              "fresh", "moved", "passes", "passed" are what
 *                              leads to it
 *   zone:<zone>,       hash    what daemons have found of a list's zone, a
 *   zone:own:<zone>            system list's or accounts' own (zone_told,
 *                              zone_ask), with TTL: "lied
 *                              <family>", the largest TTL (s) of listings of
 *                              what nobody lists, and when it told such last
 *                              (ms); "good <family> <resolver>", when it was
 *                              first seen in order through that since (ms);
 *                              "entry <family>", "1 <ms>", that it had a test
 *                              entry which it need not have, and when; "soa
 *                              <family>", "<n> <ms>", labels of the owner of
 *                              its SOA where it has none; in partition 0 only
 *   seen:<list>:<host> hash    news that checks must see again before it
 *                              counts (zone_ask): "is", "listed" or "clear";
 *                              resolver -> "<n> <ms> <ms>", number of the
 *                              present wait, start of the first, end of the
 *                              present one; with TTL; in partition 0 only
 *   hosts:<AC>, listed:<AC>, profiles:<AC>, groups:<AC>, rbls:<AC>,
 *   contacts:<AC>, apps:<AC>, hooks:<AC>
 *                      zset    SIDs, score = order of creation
 *   uncovered:<AC>     zset    active hosts to which no list applied when they
 *                              were to be checked last, by since when (ms)
 *   checked:<AC>       string  when a check of one of its hosts last ended with
 *                              an answer of a list (ms; 0: none ever has;
 *                              no key: not known; _checked.lua)
 *   totals:<AC>        record  how many are in hosts and listed, with stamps
 *                              that change as these do (_totals.lua); made
 *                              when first asked for; whoever changes the
 *                              account's record or a token of it changes
 *                              `made` with it: nginx remembers those as long
 *                              as that is the same
 *   large:<AC>:hosts, large:<AC>:profiles
 *                      string  octets of the largest record, a power of two,
 *                              if that is above 4,096 (_large.lua)
 *   unchanged:<AC>     string  random octets that nginx sets, with TTL; they go
 *                              when the record of a host of the account changes
 *                              (_unchanged.lua)
 *   kids:<AC>:<HT>     zset    children of a range
 *   uniq:<AC>          hash    "<type>|<value>" -> host SID
 *   refs:<AC>          hash    "<RP>", "<CG>:h", "<CG>:c" -> how many use it;
 *                              "c" -> places of all contacts in groups
 *   seq:<AC>           string  order of creation; ids of items of work
 *   work:<AC>          list    changes of many records that were accepted and
 *                              are made in slices (_work.lua), packed, the
 *                              first one under way
 *   work:<AC>:<id>     list    "<SID><value>" of hosts that such a change is
 *                              still to make; "uniq" has them already; or
 *                              why it was dropped, with TTL; <id> 0: an item
 *                              with an id below this number was dropped
 *   works              zset    accounts with work, by when a daemon may go on
 *                              with it (ms)
 *   started:<AC>       string  checks that were started today, with TTL to the
 *                              end of the day (UTC); only where there is a
 *                              limit
 *   due                zset    accounts by when their turn comes (ms): not
 *                              later than their first host is due
 *   due:<AC>           zset    hosts by time of the next check, or by the end
 *                              of the lease of the daemon that has it (ms)
 *   manual             zset    accounts with manual checks that wait, by when
 *                              their turn came
 *   manual:<AC>        list    "<PP>:<HT or nothing>": checks that wait
 *   leases             zset    handles of the manual checks that daemons have
 *                              (check_take) by the end of the lease (ms)
 *   flight             hash    "<AC>:<HT>" -> SID of the manual check that
 *                              waits or is running
 *   flight:due         hash    "<AC>:<HT>" -> the scheduled check that was
 *                              begun: "<PP>:<times>:<end of lease>:<daemon>",
 *                              "+" in place of the first ":" if somebody has
 *                              asked for it since
 *   news               stream  one entry: something has begun to wait
 *   daemons            zset    names by when they last asked for jobs (ms)
 *   daemon:<name>      string  what that daemon has counted, packed
 *                              (rbl_metrics.h), with TTL; in partition 0
 *   daemons:addr       zset    "<address> <host name>" that checks come from,
 *                              by when it was last told (ms)
 *   check:<AC>:<PP>    hash    state and counters of a check, with TTL:
 *                              `keep` when it is over (_keep.lua)
 *   check:<AC>:<PP>:d  string  its details, packed, with TTL
 *   details:<AC>       zset    "<PP>:<bytes>" of each check with details, by
 *                              their end (ms), and "octets", the sum of all,
 *                              with TTL (_details.lua)
 *   hist:<AC>:<HT>     stream  changes of a host's listings by check, capped
 *                              (_history.lua)
 *   outbox             stream  events to deliver; consumer group "deliver".
 *                              "d" is the event; of one with large results
 *                              "r" are these, or with "s" (entry_results.h)
 *                              what they are made of, "d" precedes them, "h",
 *                              "c" and "t" follow
 *   event:<AC>:<EV>    hash    type, date, body and number of open deliveries
 *   dlv:<AC>:<EV>:<target>
 *                      hash    one delivery: WH or CO SID, or "CB<n>" of a
 *                              callback; "test": it is one of rblctl, whose
 *                              end leaves nothing; "excess": the receiver has
 *                              too many, and this one is given up
 *   pending:<AC>       zset    "<WH>:<ms>:<EV>:<WH>" and "<AP>:<ms>:<EV>:CB<n>"
 *                              of each delivery to a receiver, and of each
 *                              callback, that its first attempt has not ended;
 *                              without those in excess, all with the score 0
 *                              (_pending.lua)
 *   retry              zset    "<AC>:<EV>:<target>" by next attempt (ms)
 *   hears:<AC>, hears:<AC>:<CG>
 *                      zset    active contacts of the account, and of a group:
 *                              score = what they hear of (_hears.lua)
 *   telling:<AC>       hash    hosts of which many contacts are to be told
 *                              (_notify.lua)
 *   tellings           zset    accounts that have these, by when their turn is
 *                              (ms)
 *   digest:<AC>:<CO>   zset    hosts that a contact may have to be told of
 *                              (_digest.lua)
 *   making:<AC>:<CO>   zset    a digest whose window is over, until all of it
 *                              is in the batch
 *   batch:<AC>:<CO>    zset    those that it is just being told of, and the
 *                              event's SID
 *   open:<AC>:<CO>     hash    hosts that it was last told are listed: address
 *                              and name
 *   ends:<AC>:<CO>     hash    what "open" had of hosts whose end is on its
 *                              way to it, until its line is empty
 *   digests            zset    "<AC>:<CO>" by when its digest began (ms), or
 *                              is to be looked at again
 *   line:<AC>:<CO>     list    events on their way to a contact; the first one
 *                              is in retry
 *   pace:<AC>:<CO>     string  to when a contact's messages a minute are taken
 *                              (ms), with TTL
 *   sent:<AC>:<hash>   string  "<n> <ms>": codes that the address with this
 *                              SHA-1 of "<type>|<value>" was sent since then,
 *                              for an hour; the contact may be gone
 *   stats:<AC>:<AP>:h<day>
 *                      hash    "<hour>" requests, "<hour>e" refusals of an
 *                              application (hour 0 to 23 of a day since 1970,
 *                              UTC), with TTL
 *   stats:<AC>:<AP>:d<n>
 *                      hash    the same for the days n*32 to n*32+31:
 *                              "<day>", "<day>e", with TTL
 *   stats:from:<id>    string  the last call with statistics from one nginx
 *                              worker, by its number, with TTL
 *   errors:<AC>:<AP>   list    packed refusals of an application, the last one
 *                              first, capped, with TTL
 *   dead:<AC>          stream  deliveries given up, capped
 *   log:<AC>:<SID>     list    attempts of deliveries to a receiver or contact,
 *                              or of an application's callbacks, packed, in
 *                              the order in which they were recorded; the last
 *                              ones, with TTL
 *   hook:<AC>:<WH>     hash    of a receiver that fails: "since" its first
 *                              attempt that failed with none that did not
 *                              after it (ms), "fails", how many; its circuit
 *                              is open to "till", was opened "level" times,
 *                              and tried by somebody to "probe"; with TTL
 *   hook:<AC>:CB<hash> hash    the same of a host that callbacks and endpoint
 *                              contacts go to, by a hash of its name
 *   hook:<AC>:all      hash    "fails": attempts of the account that failed in
 *                              these ten seconds, with TTL
 *
 * Accounts are listed by rblctl through the zset "accounts" of each partition.
 */

#ifndef RBL_KEYS_H_INCLUDED
#define RBL_KEYS_H_INCLUDED

#include "rbl_common.h"

#define RBL_SCHEMA_VERSION   6
#define RBL_PREFIX_MAX       32
#define RBL_KEY_MAX          320
#define RBL_PARTITIONS_MAX   1024

typedef struct {
    char      prefix[RBL_PREFIX_MAX + 1];
    unsigned  partitions;               /* a power of two, from <prefix>:meta;
                                           0: not known yet */
} rbl_keyspace_t;

typedef struct {
    char    s[RBL_KEY_MAX];
    size_t  n;
} rbl_key_t;

/* RBL_EINVAL: prefix empty, too long, or not of [A-Za-z0-9_.-]. */
rbl_err_t rbl_keyspace_init(rbl_keyspace_t *ks, rbl_str_t prefix);

/* RBL_EINVAL: not a power of two from 1 to RBL_PARTITIONS_MAX. */
rbl_err_t rbl_keyspace_set_partitions(rbl_keyspace_t *ks, int64_t n);

/* First four hex digits of the account's SID, modulo N. */
unsigned rbl_partition(const rbl_keyspace_t *ks, rbl_str_t account);

/*
 * Builds "<prefix>:{p}:<name>[:<a>[:<b>]]"; a part whose .n is 0 is left out.
 * Parts come from validated SIDs; a key that would not fit is cut to "" (n 0),
 * which no command takes for another key.
 */
rbl_str_t rbl_key(rbl_key_t *key, const rbl_keyspace_t *ks, unsigned p,
    const char *name, rbl_str_t a, rbl_str_t b);

/* The same in the account's own partition, account as first part. */
rbl_str_t rbl_account_key(rbl_key_t *key, const rbl_keyspace_t *ks,
    const char *name, rbl_str_t account, rbl_str_t b);

/* The fields of <prefix>:meta that a program reads when it connects, in the
   order in which it asks for them. */
#define RBL_META_FIELDS  RBL_STR("schema"), RBL_STR("partitions")

enum { RBL_META_SCHEMA = 0, RBL_META_PARTITIONS };

/* "<prefix>:meta" */
rbl_str_t rbl_meta_key(rbl_key_t *key, const rbl_keyspace_t *ks);

#endif /* RBL_KEYS_H_INCLUDED */
