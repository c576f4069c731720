/*
 * Every key of the store.  AC, HT, CG and so on are the SID of an account, a
 * host, a group: the letters stand in rbl_sid.h.
 *
 * <prefix>:meta is a hash, and <prefix>:{<tag>}:meta its copies (rbl_meta.h).
 * Every other key is <prefix>:{<tag>}:<name>[:<account>[:<SID>]], with the hash
 * tag of a partition (rbl_tags.h), so that all keys of one account share one
 * hash slot.
 *
 * generate.pl reads this table for rblctl fsck: any other key of an account is
 * a fault, and so is another type.  With "*" behind the type fsck does not look
 * at the key, which expires.
 *
 *   acct:<AC>          string  account record
 *   chosen:<AC>        string  record: its default profile and group
 *   wanted:<AC>        string  record: what its users want of the account's
 *   requests:<AC>      hash    of the operators' account: what they want of
 *                              accounts and no daemon has done yet, id ->
 *                              record of a request (request_add)
 *   ended:<AC>         list    the last ones that have ended, capped: nginx
 *                              only reads them
 *   plans              string  packed names of the plans of the operator's
 *                              file, by a daemon; in partition 0
 *   planned:<AC>       string* id of the last request of operators that put the
 *                              account on a plan, with TTL (account_plan)
 *   settle             zset    accounts with that, or with entries in audit or
 *                              audit:rest; score = from when a daemon may do or
 *                              move them (ms)
 *   token:<AC>:<16>    string  record of a token; the key has the first 16 hex
 *                              digits of its SHA-256
 *   tokens:<AC>        hash    those digits -> application
 *   user:<AC>:<US>     string  record of a user of the portal
 *   users:<AC>         zset    SIDs of the users, score = when created (ms)
 *   link:<AC>:<16>     string* record of a sign-in link that was not used yet;
 *                              the key has the first 16 hex digits of its
 *                              SHA-256; with TTL (_user.lua)
 *   links:<AC>:<US>    zset*   those digits of the links of a user, score =
 *                              when made (ms), with TTL; at most five
 *   session:<AC>:<16>  string  record of a session, named likewise; TTL: how
 *                              long it may be idle
 *   sessions:<AC>:<US> zset*   those digits of the sessions of a user, score =
 *                              sign-in (ms), with TTL
 *   keys:<AC>:<US>     hash    SID of a passkey of a user -> its record; ten at
 *                              most
 *   challenge:<AC>:<64>
 *                      string* the session (16 hex digits) that may add a
 *                              passkey by this challenge, with TTL
 *   challenge:<64>     string  when (ms) a sign-in by passkey was begun, with
 *                              TTL; in the partition that its first four
 *                              digits choose, as those of an account: that of
 *                              the network of the client, by the SHA-256 of
 *                              the network, or the next one that is ready
 *   begun:<network>    string  "<n> <ms>": how many of these a network of
 *                              clients was given since then, for an hour; in
 *                              the partition of the challenges
 *   mail:<hash>        zset    "<AC>:<US>" of the users with a mail address,
 *                              one of an account, score = when the user
 *                              confirmed it (ms), +inf: not yet; a hint: a
 *                              member may name a user who is gone, or has
 *                              another address.
 *                              <hash> is 32 hex digits of the SHA-256 of the
 *                              address in lower case; the partition follows
 *                              from it
 *   asked:<hash>       string  "<n> <ms>": requests for links by mail since
 *                              then, for that address or from that network, for
 *                              an hour; in the partition of the hash
 *   visit:<AC>:<US>    string* an operator has acted in the account, and its
 *                              audit log has that, with TTL: an hour
 *   rate:<AC>:<AP>     string  packed request counts of an application that has
 *                              limits (app_admit), with TTL
 *   r:<AC>:<SID>       string  record of a host, profile, group, contact or
 *                              custom list
 *   s:<AC>:<SID>       string  record with a secret: an application or a
 *                              webhook receiver; separate, so that few and
 *                              short ACL patterns cover the keys that nginx may
 *                              read
 *   r:SYS:<RB>         string  record of a system list (one copy per partition)
 *   lists              zset    system lists that are not killed, in load order
 *   defaults           string  packed [[RB, type, zone, families, website]...]
 *                              of the active system lists, derived from them
 *   defaults:for       hash    "<host type or nothing>|<family>" -> packed
 *                              [[RB, type, 0, zone, website]...], derived too
 *   lists:active       zset    the active system lists, in load order; derived
 *   lists:zones        hash    zone of a system list -> its type; derived
 *   lists:override     hash    settings of system lists that the operator
 *                              changed (_override.lua)
 *   lists:keys         hash    zone of a list -> its key, a secret; in
 *                              partition 0 only
 *   lists:ver          string  number of changes of the system lists and their
 *                              keys
 *   list:<RB>          hash    state of a system list that daemons share
 *                              (list_grant, list_told, list_turn): "turn": its
 *                              rate limit is used up to this time (us since the
 *                              epoch); "day" (since the epoch, UTC) and "used":
 *                              queries granted on that day; while it refuses to
 *                              answer, "since", "till" (ms) and "refused":
 *                              consecutive refusals; while it is frozen,
 *                              "frozen": since when (ms), "turned" and "of":
 *                              new listings among how many responses,
 *                              "sampled": start of the last sample, "found":
 *                              when a sample failed (ms); "clear", "fresh",
 *                              "moved", "passes", "passed" are the counts of
 *                              the mass-listing guard
 *   zone:<zone>, zone:own:<zone>
 *                      hash    evidence on the zone of a list, a system list or
 *                              an own list of accounts (zone_told, zone_ask),
 *                              with TTL: "lied <family>": largest TTL (s) of
 *                              listings of unlisted names, and when it last
 *                              gave one (ms); "good <family> <resolver>": when
 *                              it first passed its test points through that
 *                              resolver since then (ms); "entry <family>", "1
 *                              <ms>": it had a positive test point, which it
 *                              need not have, and when; "soa <family>", "<n>
 *                              <ms>": labels of the owner of its SOA if it has
 *                              none itself; "ttl <family>", "<ms> <ms>":
 *                              largest TTL of its positive test point, and when
 *                              it was reported; "watched <family> <resolver>",
 *                              "<ms> <ms>": first and last report of that TTL
 *                              through that resolver; in partition 0 only
 *   seen:<list>:<host> hash    a change that checks must see again before it
 *                              counts (zone_ask): "is": "listed" or "clear";
 *                              "any", for all resolvers, or resolver -> "<n>
 *                              <ms> <ms>": number of the current wait, start of
 *                              the first, start ("any") or end of the current
 *                              one; with TTL; in partition 0 only
 *   hosts:<AC>, listed:<AC>, profiles:<AC>, groups:<AC>, rbls:<AC>,
 *   contacts:<AC>, apps:<AC>, hooks:<AC>
 *                      zset    SIDs, score = order of creation
 *   states:<AC>        zset    hosts that are not clear, and ranges, by their
 *                              state, the listed ones by the time of their
 *                              listing (_state.lua)
 *   find:<AC>          zset    hosts by value, name and address, all with
 *                              score 0
 *                              (_find.lua)
 *   checked:<AC>       string  end of the last check of one of its hosts with a
 *                              response of a list (ms; 0: never; no key: not
 *                              known), and behind a space which classes of
 *                              `coverage` were noted since (_checked.lua)
 *   coverage:<AC>      string  record: the lists that apply to its active
 *                              hosts, and when each last gave an answer; made
 *                              by the first host or check (_coverage.lua,
 *                              rbl_coverage.h)
 *   totals:<AC>        string  record: numbers of members of hosts and listed,
 *                              with stamps that change with them (_totals.lua);
 *                              made on first use; every script that changes the
 *                              account's record or a token changes `made`, too:
 *                              nginx caches account and token as long as `made`
 *                              is the same
 *   large:<AC>:hosts, large:<AC>:profiles
 *                      string  bytes of the largest record, as a power of two,
 *                              if above 4,096 (_large.lua)
 *   unchanged:<AC>     string* version stamp of the hosts: random bytes set by
 *                              nginx, with TTL; deleted when the record of a
 *                              host of the account changes (_unchanged.lua)
 *   kids:<AC>:<HT>     zset    children of a range
 *   uniq:<AC>          hash    "<type>|<value>" -> host SID
 *   refs:<AC>          hash    "<RP>", "<CG>:h", "<CG>:c" -> number of users;
 *                              "c" -> memberships of all contacts in groups;
 *                              "<RB>:h" -> active hosts on a list, "w1" to "w4"
 *                              -> by the weight of their heaviest listing,
 *                              "<CG>:l" -> listed ones of a group
 *                              (_listings.lua, rbl_codes.h)
 *   today:<AC>         string  record: what changed on the day of the last
 *                              change, and how the day before ended (_days.lua)
 *   days:<AC>          string  the days before it on which something changed,
 *                              oldest first, at most 400 and 4480 bytes: six
 *                              numbers each, days since the entry before, then
 *                              hosts that were listed, listed by a critical
 *                              list, and unknown when it ended, listings that
 *                              began, and that ended.  A number has 7 bits in
 *                              each byte, the lowest first, and 128 is added to
 *                              all bytes but its last
 *   trends:<AC>        string  record: hosts by list, day by day, at most 4 KiB
 *                              (_trends.lua)
 *   moved:<AC>:<day>   hash*   <CG> -> how many more listed hosts the group has
 *                              than at the beginning of that day (since 1970,
 *                              UTC), with TTL: 2 days
 *   newly:<AC>:<day>   hash*   <RB> -> listings by it that began on that day
 *                              (days since 1970, UTC), with TTL: 8 days
 *   seq:<AC>           string  order of creation; ids of work items
 *   work:<AC>          list    accepted changes of many records, made in slices
 *                              (_work.lua); packed; the first one is in
 *                              progress
 *   work:<AC>:<id>     list    "<SID><value>" of hosts that such a change has
 *                              not made yet; "uniq" has them already; or why it
 *                              was dropped, with TTL; <id> 0: an item with an
 *                              id below this number was dropped
 *   works              zset    accounts with work; score = when a daemon may
 *                              continue it (ms)
 *   started:<AC>       string  checks started today, with TTL to the end of the
 *                              day (UTC); only if there is a limit
 *   due                zset    accounts; score = when their turn comes (ms),
 *                              not later than their first host is due
 *   due:<AC>           zset    hosts; score = next check, or end of the lease
 *                              of the daemon that claimed it (ms)
 *   manual             zset    accounts with waiting manual checks; score =
 *                              when their turn came
 *   manual:<AC>        list    "<PP>:<HT or nothing>": waiting checks
 *   leases             zset    handles of the manual checks claimed by daemons
 *                              (check_take); score = end of the lease (ms)
 *   flight             hash    "<AC>:<HT>" -> SID of the manual check that
 *                              waits or runs
 *   flight:due         hash    "<AC>:<HT>" -> the scheduled check that was
 *                              started: "<PP>:<times>:<end of lease>:<daemon>",
 *                              with "+" for the first ":" if a manual check was
 *                              requested since
 *   daemons            zset    names; score = when they last asked for jobs
 *                              (ms)
 *   daemon:<name>      string  counters of a daemon, packed (rbl_metrics.h),
 *                              with TTL; in partition 0
 *   series:<day>       string  what all daemons together did on a day (since
 *                              1970, UTC): 288 points of five minutes, ten
 *                              numbers of four bytes each (rbl_series.h), at
 *                              most 11520 bytes; with TTL: seven days after
 *                              its end; in partition 0, as the next two
 *   responses:<day>    hash    <RB> -> for each hour of the day three numbers
 *                              of four bytes: queries that the list answered,
 *                              that it refused, and that failed (288 bytes);
 *                              with TTL: a day after its end
 *   responded          hash    <RB> -> when it last answered a query (ms)
 *   daemons:addr       zset    "<address> <host name>" that checks come from;
 *                              score = last report (ms)
 *   check:<AC>:<PP>    hash    state and counters of a check, with TTL: `keep`
 *                              once it has finished (_keep.lua)
 *   check:<AC>:<PP>:d  string  its details, packed, with TTL
 *   details:<AC>       zset    "<PP>:<bytes>" of each check with details, score
 *                              = its end (ms), and "octets": the sum, with TTL
 *                              (_details.lua)
 *   hist:<AC>:<HT>     stream  changes of a host's listings by check, capped
 *                              (_finish_host.lua)
 *   changes:<AC>       stream  the last checks that changed listings of hosts:
 *                              "h" SID and "v" value of the host, "n" number
 *                              of changes, "t" the first five as in "hist";
 *                              capped
 *   audit:<AC>, audit:rest:<AC>
 *                      stream  the last changes by users, applications and
 *                              rblctl: "b" caller (record by), "t" SID and "n"
 *                              name of the changed object, "c" number of
 *                              changes if there are several; capped.  The
 *                              second one has changes of hosts, contacts,
 *                              groups, profiles and own lists (_audit.lua)
 *   past:<AC>, past:rest:<AC>
 *                      stream  entries of these that are older than an hour,
 *                              and "m", when they moved (ms); capped
 *   audit:again:<AC>, audit:rest:again:<AC>
 *                      hash    "<who> <from> <call> <SID>" -> how often within
 *                              the hour; "!" and these -> id of the entry that
 *                              stands for several; "* <call>": likewise;
 *                              "#" -> entries of the account's users; with
 *                              TTL: an hour
 *   bill:<AC>          string  record: what an account pays for
 *   terms:<AC>         string  record: what the account chose about its bill
 *   sources:<AC>       zset    payment sources, score = when they were added
 *                              (ms)
 *   source:<AC>:<PS>   string  record of a payment source
 *   setup:<AC>         string  record: the payment source that is being added
 *   setup:<AC>:gone    zset*   payment sources that the account has removed,
 *                              until the gateway has forgotten them
 *                              (bill_send), score = when it is asked (ms)
 *   billdue            zset    accounts; score = when their bill is to be
 *                              looked at (ms), within a day
 *   pay:<AC>:<PY>      string  record of a payment, for ever
 *   payments:<AC>      zset    payments, score = when they were opened (ms)
 *   unpaid:open, unpaid:sent, unpaid:processing, unpaid:customer,
 *   unpaid:unknown, unpaid:operator, unpaid:failed
 *                      zset    "<AC>:<PY>" of payments that are not done, by
 *                              state; operator: under way, and late; score =
 *                              when they were opened (ms)
 *   paydue             zset    accounts; score = when the gateway is to be
 *                              asked for them (ms; bill_send), within a day
 *   money:<AC>         hash    "balance": what the account has paid in advance
 *                              (micro-USD): the sum of its ledger; "used": what
 *                              checks have cost since the ledger was written;
 *                              "uses", "alerts", "seq": numbers of bookings of
 *                              that, alerts and recharges; "alerted": the
 *                              balance is low, and that was told; "runs" of
 *                              recharges on the "day", one more: the limit was
 *                              told; "last" that was paid (ms); "fails": in a
 *                              row; "falls" and "to": of the last one
 *                              (_credit.lua)
 *   meter:<AC>         string  of an account that pays by the check: a double
 *                              (">d"), above how much "used" the bill is to be
 *                              looked at, and the price as digits (_bill.lua)
 *   ledger:<AC>        stream  movements of money, for ever: "k" its purpose,
 *                              "d" debit and "c" credit, each cash (received),
 *                              credit (of the account), revenue or adjust (by
 *                              the operator), "a" amount, "r" the payment, day
 *                              or reason, "x" reference of the gateway or of
 *                              the operator's books, or "", "b" balance after
 *   booked:<AC>        hash    each "x" of the ledger -> amount and "k" of the
 *                              entry that has it (_ledger.lua)
 *   outbox             stream  events to deliver; consumer group "deliver". "d"
 *                              is the event; an event with large results has
 *                              them in "r", or, with "s" (result.h),
 *                              their source; "d" comes before "r"; "h", "c" and
 *                              "t" follow
 *   event:<AC>:<EV>    hash    type, date, body and number of open deliveries
 *   dlv:<AC>:<EV>:<target>
 *                      hash    one delivery: WH or CO SID, or "CB<n>" of a
 *                              callback; "test": sent by rblctl, leaves nothing
 *                              at its end; "excess": the receiver has too many,
 *                              and this one is given up
 *   pending:<AC>       zset    "<WH>:<ms>:<EV>:<WH>" and "<AP>:<ms>:<EV>:CB<n>"
 *                              of each delivery to a receiver, and of each
 *                              callback, that did not succeed at the first
 *                              attempt; without those in excess, all with score
 *                              0 (_pending.lua)
 *   retry              zset    "<AC>:<EV>:<target>"; score = next attempt (ms)
 *   hears:<AC>, hears:<AC>:<CG>
 *                      zset    active contacts of the account, and of a group;
 *                              score = class of the contact (_hears.lua)
 *   telling:<AC>       hash    hosts that must be reported to many contacts
 *                              (_notify.lua)
 *   tellings           zset    accounts that have these; score = their turn
 *                              (ms)
 *   mutes:<AC>         zset    mutes; score = when they are over (ms), or inf
 *   wait               string  "": written before WAIT (rbl_nodes_touch)
 *   unmutes            zset    <AC>:<MU> of those that are not; score = when
 *                              their present or next time ends (ms)
 *   marks:<AC>         hash    hosts with marked listings -> packed array of
 *                              "mark" (_marks.lua)
 *   siblings           zset    "<AC>:<HT>" of ranges whose addresses are to be
 *                              checked at once; score = the place of the last
 *                              one that is due (_siblings.lua)
 *   siblings:<AC>      zset*   "<HT>:<list>:<verdict>" of ranges and lists for
 *                              which that was so in the last hour; score = when
 *                              (ms), with TTL
 *   held:<AC>:<CO>     hash    hosts that a mute, or flapping, holds back
 *                              from a contact -> what (_held.lua)
 *   digest:<AC>:<CO>   zset    hosts that may have to be reported to a contact
 *                              (_digest.lua)
 *   making:<AC>:<CO>   zset    a digest whose window is over, until all of it
 *                              is in the batch
 *   batch:<AC>:<CO>    zset    hosts being reported to it, and the event's SID
 *   open:<AC>:<CO>     hash    hosts last reported to it as listed: address and
 *                              name
 *   ends:<AC>:<CO>     hash    entries of "open" whose end is being reported to
 *                              it, and "+<HT>" of new ones, until its line is
 *                              empty
 *   digests            zset    "<AC>:<CO>"; score = start of its digest (ms),
 *                              or the next look at it
 *   later              zset    "<AC>:<CO>" of digests that have nothing to do
 *                              before that time; score = when (ms)
 *   when:<AC>:<CO>     string* from when on the contact's next message may go
 *                              (ms), with TTL
 *   line:<AC>:<CO>     list    queued events of a contact; the first one is in
 *                              retry
 *   pace:<AC>:<CO>     string* a contact's messages per minute are used up to
 *                              this time (ms), with TTL
 *   sent:<AC>:<hash>   string* "<n> <ms>": codes sent since then to the address
 *                              with this SHA-1 of "<type>|<value>", for an
 *                              hour; the contact may be gone
 *   stats:<AC>:<AP>:h<day>
 *                      hash*   "<hour>" requests, "<hour>e" refusals of an
 *                              application (hour 0 to 23 of a day since 1970,
 *                              UTC), with TTL
 *   stats:<AC>:<AP>:d<n>
 *                      hash*   the same for the days n*32 to n*32+31:
 *                              "<day>", "<day>e", with TTL
 *   errors:<AC>:<AP>   list*   packed refusals of an application, newest first,
 *                              capped, with TTL
 *   dead:<AC>          stream  deliveries given up, capped
 *   log:<AC>:<SID>     list*   delivery attempts to a receiver or contact, or
 *                              of an application's callbacks, packed, in the
 *                              order of recording; capped, with TTL
 *   hook:<AC>:<WH>     hash*   of a failing receiver: "since": first failed
 *                              attempt without a later success (ms), "fails":
 *                              their number; its circuit is open until "till",
 *                              was opened "level" times, and a probe runs until
 *                              "probe"; with TTL
 *   hook:<AC>:CB<hash> hash*   the same for a host of callbacks and of contacts
 *                              at a URL, by a hash of its name
 *   hook:<AC>:all      hash*   "fails": failed attempts of the account within
 *                              ten seconds, with TTL
 *
 * rblctl lists accounts through the zset "accounts" of each partition.
 *
 * Keys of rights: token, tokens, s, apps, hooks, user, users, mail, link,
 * links, session, sessions, keys, challenge, requests.  A failover must not
 * undo a change of them that was acknowledged (ngx_rbl_module/README.md,
 * "Durable calls").
 */

#ifndef RBL_KEYS_H_INCLUDED
#define RBL_KEYS_H_INCLUDED

#include "rbl_common.h"
#include "rbl_tags.h"

#define RBL_PREFIX_MAX       32
#define RBL_KEY_MAX          320
#define RBL_PARTITIONS_MAX   1024
#define RBL_META_COPIES      64

typedef struct {
    char      prefix[RBL_PREFIX_MAX + 1];
    unsigned  partitions;               /* a power of two, from <prefix>:meta;
                                           0: not known */
    char      tags[RBL_PARTITIONS_MAX][RBL_TAG_LEN];
    char      copies[RBL_META_COPIES][RBL_TAG_LEN];
} rbl_keyspace_t;

typedef struct {
    char    s[RBL_KEY_MAX];
    size_t  n;
} rbl_key_t;

/* RBL_EINVAL: the prefix is empty, too long, or has bytes not in
   [A-Za-z0-9_.-]. */
rbl_err_t rbl_keyspace_init(rbl_keyspace_t *ks, rbl_str_t prefix);

/* RBL_EINVAL: not a power of two from 1 to RBL_PARTITIONS_MAX. */
rbl_err_t rbl_keyspace_set_partitions(rbl_keyspace_t *ks, int64_t n);

/* Returns the first four hex digits of the account's SID, modulo N. */
unsigned rbl_partition(const rbl_keyspace_t *ks, rbl_str_t account);

/*
 * Builds "<prefix>:{<tag of p>}:<name>[:<a>[:<b>]]"; a part with .n == 0 is
 * left out.  Before the number of partitions is known the key is "".
 * The parts come from validated SIDs.  A key that would not fit is cut to "" (n
 * 0), which no command mistakes for another key.
 */
rbl_str_t rbl_key(rbl_key_t *key, const rbl_keyspace_t *ks, unsigned p,
    const char *name, rbl_str_t a, rbl_str_t b);

/* The same in the account's partition, with the account as first part. */
rbl_str_t rbl_account_key(rbl_key_t *key, const rbl_keyspace_t *ks,
    const char *name, rbl_str_t account, rbl_str_t b);

/*
 * The same for a key that is named by the first 16 octets of a SHA-256, in the
 * partition that follows from them.
 */
rbl_str_t rbl_hash_key(rbl_key_t *key, const rbl_keyspace_t *ks,
    const char *name, const unsigned char digest[32]);

/* The partition of a tag; RBL_EINVAL: none has it. */
rbl_err_t rbl_tag_partition(unsigned *p, const rbl_keyspace_t *ks,
    rbl_str_t tag);

/* "<prefix>:meta"; and its copy i, in slot (i + 1/2) * 16384 / RBL_META_COPIES
   of a cluster.  Both need no number of partitions. */
rbl_str_t rbl_meta_key(rbl_key_t *key, const rbl_keyspace_t *ks);
rbl_str_t rbl_meta_copy_key(rbl_key_t *key, const rbl_keyspace_t *ks,
    unsigned i);

/* "<prefix>:news", a channel: the SID of an account that has begun to wait for
   manual checks. */
rbl_str_t rbl_news_channel(rbl_key_t *key, const rbl_keyspace_t *ks);

#endif /* RBL_KEYS_H_INCLUDED */
