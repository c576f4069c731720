/*
 * rblctl: common declarations.  A command is a function from ctl_t to an exit
 * status; it runs once and the process ends, so replies are freed but nothing
 * is recovered.  The function that finds an error prints one line by ctl_fail,
 * and all callers pass the status on.  "-1: error printed" in this and other
 * headers means that the line was printed.
 */

#ifndef CTL_H_INCLUDED
#define CTL_H_INCLUDED

#include <hiredis/hiredis.h>
#include <jansson.h>

#include "config/config.h"
#include "config/entry_read.h"
#include "rbl_audit.h"
#include "rbl_condition.h"
#include "rbl_keys.h"
#include "rbl_meta.h"
#include "rbl_nodes.h"
#include "rbl_record.h"
#include "rbl_reply.h"
#include "rbl_script.h"
#include "rbl_sid.h"
#include "store/store.h"

/* Exit status.  1 and 2 are also results of `check` and `status`, 1 one of
   `fsck`. */
#define CTL_OK       0
#define CTL_DEGRADED 1
#define CTL_BROKEN   2
#define CTL_LISTED   1
#define CTL_FOUND    1
#define CTL_UNKNOWN  2
#define CTL_ERROR    3

#define CTL_MAX_OPTIONS  16
#define CTL_LIMIT_MAX    ENTRY_LIMIT_MAX

typedef struct ctl_s  ctl_t;

typedef enum {
    CTL_NO_OPTION = 0,
    CTL_FLAG,
    CTL_VALUE,                          /* it takes a value, */
    CTL_DURATION                        /* which is a duration */
} ctl_option_kind_t;

/* Bits of a command: the parts of the store that it needs, and its rights. */
#define CTL_OFFLINE   0x00
#define CTL_STORE     0x01              /* connected */
#define CTL_META      0x02              /* initialised: ks is complete */
#define CTL_READY     (CTL_STORE | CTL_META)
#define CTL_LOOKS     0x04              /* takes a master without a replica that
                                           is near enough */
#define CTL_OWN_USER  0x08              /* has a user of its own in the store */
#define CTL_BARE      0x10              /* reads no configuration */

typedef struct {
    const char  *words;                 /* "account add" */
    const char  *usage;                 /* its arguments and options */
    const char  *text;
    int          min, max;              /* number of arguments */
    unsigned     need;                  /* CTL_ bits */
    int        (*run)(ctl_t *ctl);
} ctl_command_t;

/* Why a server cannot be used. */
typedef struct {
    char               text[256];
    rbl_reply_class_t  said;            /* its refusal; RBL_REPLY_OK: it does
                                           not answer */
} ctl_why_t;

/* The servers of the store. */
typedef struct {
    struct ev_loop     *loop;
    store_t            *store;
    store_tool_t        tool;
    const rbl_nodes_t  *nodes;
    unsigned char       used[RBL_NODES_MAX];    /* 1: commands were sent to this
                                                   node */
    unsigned     watch_node;            /* of the last WATCH */
    unsigned     watched;               /* its connection; 0: none */
    ctl_why_t    gone[RBL_NODES_MAX];   /* why a node did not come back in time;
                                           text "": it did, or was not away */
    double       until;                 /* end of waiting, monotonic s; 0: not
                                           begun */
    int          wrote;                 /* something was changed by now */
    int          durable;               /* ... that a failover must not undo */
    ctl_why_t    away[RBL_PARTITIONS_MAX];  /* by ctl_survey; text "": it is
                                               there */
    int            moved;               /* ctl_moving was called, and this was
                                           nodes.of then */
    unsigned char  were[RBL_SLOTS];
} ctl_store_t;

struct ctl_s {
    config_t              conf;
    ctl_store_t           store;
    rbl_keyspace_t        ks;
    const ctl_command_t  *command;
    int                   json;
    int                   n_args;
    rbl_str_t             args[8];
    int                   n_options;
    struct {
        const char  *name;
        const char  *value;             /* "" if it takes none */
    } options[CTL_MAX_OPTIONS];
};

/* commands.c: ends with a command without words. */
extern const ctl_command_t  ctl_commands[];

/* args.c: the value of an option, "" for a flag; NULL: not given. */
const char *ctl_option(const ctl_t *ctl, const char *name);

/*
 * The kind of the option with this name, of n bytes and without dashes, in a
 * usage: "[--keep]" is a flag, "--last N" has a value, "--overlap TIME" a
 * duration.
 */
ctl_option_kind_t ctl_option_kind(const char *usage, const char *name,
    size_t n);

/* print.c: prints one line on standard error and returns CTL_ERROR. */
__attribute__((format(printf, 1, 2)))
int ctl_fail(const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
void ctl_note(const char *fmt, ...);

/* For readers of files, whose lines are errors. */
static inline void
ctl_line(const char *line)
{
    (void) ctl_fail("%s", line);
}


/* Until the next call, these two write the last line into `text` and print
   nothing; NULL ends that. */
void ctl_catch(char *text, size_t size);

/* client.c, meta.c: each function prints its own error. */
int ctl_connect(ctl_t *ctl);            /* 0, -1 */
void ctl_disconnect(ctl_t *ctl);
int ctl_meta(ctl_t *ctl);               /* 0: ks is complete; -1 */

/* durable.c: behind Sentinels and in a cluster, waits until a replica has the
   changes.  0; -1: none has them in time, error printed. */
int ctl_durable(ctl_t *ctl);

/* Reads <prefix>:meta, or a copy of it at a server that is there.  0; 1: there
   is no meta; -1. */
int ctl_meta_read(ctl_t *ctl, rbl_meta_t *meta);

/* The same, of <prefix>:meta only, and of its copies only. */
int ctl_meta_main(ctl_t *ctl, rbl_meta_t *meta);
int ctl_meta_copies(ctl_t *ctl, rbl_meta_t *meta);

/* Takes what was read: 0: ks is complete; -1: printed that this rblctl cannot
   use it. */
int ctl_meta_take(ctl_t *ctl, const rbl_meta_t *meta);

/* Writes the schema of this rblctl: into copy i; into all copies, and into
   <prefix>:meta at last.  0; -1. */
int ctl_meta_copy(ctl_t *ctl, unsigned i, int64_t partitions);
int ctl_meta_write(ctl_t *ctl, int64_t partitions);

/* Runs a command.  Never returns an error reply, nor a number or an array where
   Redis gives something else (client.c).  NULL: error printed. */
redisReply *ctl_command(ctl_t *ctl, int argc, const rbl_str_t *argv);
redisReply *ctl_script(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv);

/* The same, at a node (an index of store.nodes). */
redisReply *ctl_command_at(ctl_t *ctl, unsigned node, int argc,
    const rbl_str_t *argv);

/*
 * The same in a transaction, on the node to which ctl_command has sent the last
 * WATCH.  0: *reply is that of EXEC; 1: a watched key was written, or its node
 * has changed, and the script did not run; -1: error printed.
 */
int ctl_watched(ctl_t *ctl, const rbl_script_t *script, int argc,
    const rbl_str_t *argv, redisReply **reply);

/*
 * parts.c: which partitions of a cluster are away; none of another store, where
 * all are on one server.  ctl_survey looks; the rest is about what it found.
 */
void ctl_survey(ctl_t *ctl);
int ctl_away(const ctl_t *ctl, unsigned p);
unsigned ctl_here(const ctl_t *ctl);    /* the first that is not away; ctl->ks
                                           .partitions: all are */

/* Prints one line for each part that is away: its name, `what`, and why.
   Returns the number of lines. */
int ctl_away_note(const ctl_t *ctl, const char *what);

/* Looks whether all partitions are there.  0; -1: printed that one is away and
   that nothing was changed. */
int ctl_complete(ctl_t *ctl);

/* The next node with slots after `node`, or with 0xff the first; nodes that are
   away are left out.  RBL_NODE_NONE: no more. */
unsigned ctl_next_node(const ctl_t *ctl, unsigned node);

/* Do slots move between nodes, or have they moved since the last call?  1; 0;
   -1: error printed. */
int ctl_moving(ctl_t *ctl);

/* Number of slots of a cluster without a node. */
unsigned ctl_slots_missing(const ctl_t *ctl);

/* Waits until there are none, for a few seconds.  0; -1: printed that some are,
   and that nothing was changed. */
int ctl_all_slots(ctl_t *ctl);

/*
 * servers.c: an array of objects about the servers: address, state, version,
 * memory, replicas, slots, partitions.
 */
json_t *ctl_servers(ctl_t *ctl);

/* Warns of masters whose replicas need not have a write. */
void ctl_servers_note(const json_t *servers);

/* by.c: makes the last argument of audited scripts. */
rbl_str_t ctl_by(const ctl_t *ctl, rbl_audit_by_t *b);

/* A script by its name with its own arguments (rbl_script.h), for ctl_script
   and similar functions. */
#define CTL_SCRIPT(name, args)                                                \
    &rbl_script_##name, RBL_ARGC(args),                                       \
    ((rbl_##name##_args_t *) { &(args) })->argv

/* The value of a field of an entry of a stream; "": it has none. */
rbl_str_t ctl_entry_value(const redisReply *fields, const char *name);

/* The integer reply of a command with a key; -1: error printed. */
int64_t ctl_count(ctl_t *ctl, const char *name, rbl_str_t key);

/*
 * Calls `each` for every record of an index of an account (or, if the account
 * is empty, of partition p), in order: it looks up the members of zset `index`
 * under the key name `record`.  Returns 0; what `each` returned, if that is not
 * 0 and ended the walk; or -1: error printed.
 */
typedef int (*ctl_each_pt)(ctl_t *ctl, rbl_str_t sid, rbl_str_t raw,
    void *data);
int ctl_each(ctl_t *ctl, rbl_str_t index, unsigned p, const char *record,
    rbl_str_t account, ctl_each_pt each, void *data);

/* The records of these members, at least one, in their order.  NULL: error
   printed. */
redisReply *ctl_records(ctl_t *ctl, const redisReply *sids, unsigned p,
    const char *record, rbl_str_t account);

/* ctl_each for all accounts: their records of that name and, if it is not
   empty, of the object `id`.  Partitions that are away are left out. */
int ctl_each_account(ctl_t *ctl, const char *record, rbl_str_t id,
    ctl_each_pt each, void *data);

/*
 * print.c; ctl_print_parts is in parts.c.  Prints an array of objects as a
 * table, or an object as lines of title and value; prints JSON with --json.
 * Takes the reference of `value`; NULL is an error.
 *
 * The columns of the table, or the lines, are members of an object:
 * "id:WEBHOOK, name, limits.hour" has id with the title WEBHOOK, name, and hour
 * of its member limits.  Without a title it is the key with spaces for "_", and
 * in a table with capital letters.
 */
int ctl_print(ctl_t *ctl, const char *columns, json_t *value);

/* The same of an object, and behind its lines a table of each of these members
   that has rows; a NULL member ends them. */
typedef struct {
    const char  *member, *columns;
} ctl_table_t;

int ctl_print_tables(ctl_t *ctl, const char *columns,
    const ctl_table_t *tables, json_t *value);

/* The same after a walk through all partitions: CTL_ERROR, and a line for each
   part that is away, if the output is without a part. */
int ctl_print_parts(ctl_t *ctl, const char *columns, json_t *value);

/* Untrusted text as JSON: invalid UTF-8 becomes "?". */
json_t *ctl_text(rbl_str_t s);
json_t *ctl_time(int64_t ms);           /* RFC 3339 text, "" for 0 */

/* Writes s for a terminal, without control bytes; returns the columns used. */
size_t ctl_put(FILE *out, const char *s, size_t n);

/* args.c: validate arguments.  -1: error printed. */
int ctl_sid(rbl_sid_t *sid, rbl_sid_kind_t kind, rbl_str_t text);
int ctl_name(rbl_str_t *name, const char *what, rbl_str_t text);

/* The SID of an account, but not that of the operators. */
int ctl_customer(rbl_sid_t *account, rbl_str_t text);

int ctl_number(const ctl_t *ctl, const char *option, int64_t *v, int64_t min,
    int64_t max);
int ctl_interval(int64_t *seconds, const char *what, rbl_str_t text);
int ctl_timezone(const ctl_t *ctl, rbl_str_t name);

/* Writes a number as text into buf. */
#define CTL_DECIMAL  24
rbl_str_t ctl_decimal(char buf[CTL_DECIMAL], int64_t v);

/* account.c: 0; -1: no such account, or failure; error printed. */
int ctl_account_exists(ctl_t *ctl, const rbl_sid_t *sid);

/* meta.c: a key of a partition, such as "accounts"; the key of an account's
   record. */
rbl_str_t ctl_key(const ctl_t *ctl, rbl_key_t *key, unsigned p,
    const char *name);
rbl_str_t ctl_acct(const ctl_t *ctl, rbl_key_t *key, const rbl_sid_t *account);

/*
 * Runs a script of the account that the first argument names, and puts the key
 * into argv.  The reply is for printing the account.  NULL: error printed.  The
 * caller handles all refusals but "there is no such account".
 */
redisReply *ctl_account_script(ctl_t *ctl, const rbl_script_t *script,
    int argc, rbl_str_t *argv);

/* secret.c: -1: error printed. */
int ctl_sha256(unsigned char digest[32], rbl_str_t s);

/*
 * mail.c: the index of users by their mail address (rbl_keys.h).  It has a
 * partition of its own, so a user is added to it after the record is made, and
 * removed after the record is gone.  confirmed: when the address was (ms), or
 * 0.  0; -1: error printed.
 */
int ctl_mail_key(ctl_t *ctl, rbl_key_t *key, rbl_str_t mail);
int ctl_mail_add(ctl_t *ctl, rbl_str_t mail, rbl_str_t account,
    rbl_str_t user, int64_t confirmed);
int ctl_mail_remove(ctl_t *ctl, rbl_str_t mail, rbl_str_t account,
    rbl_str_t user);

/*
 * daemons.c: an array of the latest counters of each daemon: its name, and
 * groups of numbers (rbl_metrics.h).  Adds their conditions.  NULL: error
 * printed.
 */
json_t *ctl_daemons(ctl_t *ctl, rbl_conditions_t *conditions);

/* ctl_each for their records. */
int ctl_daemon_records(ctl_t *ctl, ctl_each_pt each, void *data);

/*
 * verdict.c: ctl_conditions completes the conditions with those that rblctl
 * sees, and returns the verdict.  ctl_verdict adds both to `v`, too, and
 * returns the exit status.  ctl_verdict_print writes them as text, the verdict
 * in the first line.
 */
rbl_service_t ctl_conditions(ctl_t *ctl, int initialised,
    rbl_conditions_t *conditions);
int ctl_verdict(ctl_t *ctl, json_t *v, int initialised,
    rbl_conditions_t *conditions);
void ctl_verdict_print(const json_t *v);

/* Makes the SID of a system list. */
int ctl_list_sid(rbl_sid_t *sid, rbl_str_t zone);

/* The commands, one file for each family. */
int ctl_setup(ctl_t *ctl);
int ctl_init(ctl_t *ctl);
int ctl_upgrade(ctl_t *ctl);
int ctl_status(ctl_t *ctl);
int ctl_store_plan(ctl_t *ctl);
int ctl_queue(ctl_t *ctl);
int ctl_audit(ctl_t *ctl);
int ctl_fsck(ctl_t *ctl);
int ctl_restored(ctl_t *ctl);
int ctl_check(ctl_t *ctl);
int ctl_doctor(ctl_t *ctl);
int ctl_host(ctl_t *ctl);
int ctl_mark(ctl_t *ctl);
int ctl_account_add(ctl_t *ctl);
int ctl_account_list(ctl_t *ctl);
int ctl_account_suspend(ctl_t *ctl);
int ctl_account_resume(ctl_t *ctl);
int ctl_account_timezone(ctl_t *ctl);
int ctl_account_plan(ctl_t *ctl);
int ctl_account_interval(ctl_t *ctl);
int ctl_bill_plan(ctl_t *ctl);
int ctl_bill_list(ctl_t *ctl);
int ctl_bill_renew(ctl_t *ctl);
int ctl_bill_payments(ctl_t *ctl);
int ctl_bill_source_add(ctl_t *ctl);
int ctl_bill_sources(ctl_t *ctl);
int ctl_bill_ledger(ctl_t *ctl);
int ctl_bill_recharge(ctl_t *ctl);
int ctl_bill_alert(ctl_t *ctl);
int ctl_plan_list(ctl_t *ctl);
int ctl_plan_show(ctl_t *ctl);
int ctl_profile_add(ctl_t *ctl);
int ctl_profile_except(ctl_t *ctl);
int ctl_app_allow(ctl_t *ctl);
int ctl_app_limit(ctl_t *ctl);
int ctl_app_stats(ctl_t *ctl);
int ctl_app_errors(ctl_t *ctl);
int ctl_token_list(ctl_t *ctl);
int ctl_user_add(ctl_t *ctl);
int ctl_user_link(ctl_t *ctl);
int ctl_operator_add(ctl_t *ctl);
int ctl_operator_link(ctl_t *ctl);
int ctl_operator(ctl_t *ctl);
int ctl_op(ctl_t *ctl);
int ctl_webhook_types(ctl_t *ctl);
int ctl_webhook_test(ctl_t *ctl);
int ctl_webhook_log(ctl_t *ctl);
int ctl_webhook_dead(ctl_t *ctl);
int ctl_webhook_replay(ctl_t *ctl);
int ctl_lists_load(ctl_t *ctl);
int ctl_lists_show(ctl_t *ctl);
int ctl_lists_enable(ctl_t *ctl);
int ctl_lists_key(ctl_t *ctl);
int ctl_lists_override(ctl_t *ctl);
int ctl_lists_thaw(ctl_t *ctl);

#endif /* CTL_H_INCLUDED */
