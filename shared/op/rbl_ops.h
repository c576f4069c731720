/*
 * The operations that the portal and rblctl share, by family.
 */

#ifndef RBL_OPS_H_INCLUDED
#define RBL_OPS_H_INCLUDED

#include "rbl_keys.h"
#include "rbl_op.h"
#include "rbl_record.h"


/* rbl_op_account.c: the account itself */

extern const rbl_op_t  rbl_op_account, rbl_op_account_update;

#define RBL_ACCOUNT_TIMEZONE  1         /* field of the last one: the program
                                           judges it first */

/* Decodes the record of an account, with what its users want of it and a daemon
   has not done yet.  Other than RBL_OK: the record cannot be read. */
rbl_err_t rbl_account_now(rbl_account_t *account, rbl_str_t record,
    rbl_str_t wanted);


/* rbl_op_app.c: applications and their tokens */

extern const rbl_op_t  rbl_op_apps, rbl_op_app, rbl_op_app_add,
                       rbl_op_app_rotate, rbl_op_app_revoke, rbl_op_app_allow,
                       rbl_op_app_limit, rbl_op_app_stats, rbl_op_app_errors,
                       rbl_op_apps_usage, rbl_op_token_revoke;

/* Opens the object of an application, for more members, which the caller
   closes.  -1: refused, its record is damaged. */
int rbl_app_open(rbl_run_t *run, rbl_doc_t *doc, const char *key,
    rbl_app_t *app, rbl_str_t raw);

/* The same in an array.  -1: the record is damaged, which is noted, and the
   application is left out. */
int rbl_app_row(rbl_run_t *run, rbl_doc_t *doc, rbl_app_t *app, rbl_str_t raw);


/* rbl_op_user.c: users of an account */

extern const rbl_op_t  rbl_op_users, rbl_op_user_add, rbl_op_user_link,
                       rbl_op_user_role, rbl_op_user_delete;


/* rbl_op_host.c: hosts, and what their lists said */

extern const rbl_outcome_t  rbl_host_refusals[];

/* Writes a host of the account, whose record is then *host.  -1: the record is
   damaged, and nothing is written. */
int rbl_run_host(const rbl_run_t *run, rbl_doc_t *doc, const char *key,
    rbl_host_t *host, rbl_str_t raw);

/* Writes the time of an entry of a stream. */
void rbl_entry_at(const rbl_run_t *run, rbl_doc_t *doc,
    const redisReply *entry);

/* Writes packed changes of a host (_transitions.lua) as an array "changes". */
void rbl_changes(rbl_doc_t *doc, rbl_str_t packed);

extern const rbl_op_t  rbl_op_host_lists, rbl_op_host_history, rbl_op_host_mark;


/* rbl_op_list.c: system lists; the largest values of their fields */

#define RBL_LIST_INTERVAL_MAX  (30 * 86400)
#define RBL_LIST_RATE_MAX      1000000
#define RBL_LIST_QUOTA_MAX     1000000000000

extern const rbl_outcome_t  rbl_list_refusals[];

/* The key of the script of such an operation in a partition. */
rbl_str_t rbl_system_key(const rbl_op_t *op, rbl_key_t *key,
    const rbl_keyspace_t *ks, unsigned p, rbl_str_t list);

extern const rbl_op_t  rbl_op_list_enable, rbl_op_list_disable,
                       rbl_op_list_kill, rbl_op_list_unkill, rbl_op_list_thaw;


/* rbl_op_hook.c: webhook receivers */

extern const rbl_outcome_t  rbl_hook_refusals[];

extern const rbl_op_t  rbl_op_hooks, rbl_op_hook, rbl_op_hook_add,
                       rbl_op_hook_update, rbl_op_hook_rotate,
                       rbl_op_hook_enable, rbl_op_hook_disable,
                       rbl_op_hook_delete;


/* rbl_op_alert.c: what contacts are notified about; an *alert* is a contact
   with that */

/* Writes the alerts of contacts, of their packed records, into an open array.
   A contact whose record is damaged is left out. */
void rbl_alert_rows(rbl_run_t *run, rbl_doc_t *doc, const redisReply *contacts);

extern const rbl_op_t  rbl_op_alerts, rbl_op_alert_show, rbl_op_alert,
                       rbl_op_mutes, rbl_op_mute_add, rbl_op_mute_end;


/* rbl_op_profile.c: monitoring profiles that follow the system lists */

extern const rbl_op_t  rbl_op_profiles, rbl_op_profile, rbl_op_profile_new,
                       rbl_op_profile_change;


/* rbl_op_audit.c: the audit log */

#define RBL_AUDIT_PAGE  200             /* entries shown at a time */

extern const rbl_op_t  rbl_op_audit;


/* rbl_op_delivery.c: deliveries to receivers, applications and contacts */

#define RBL_LOG_MAX      1000           /* attempts shown at a time */
#define RBL_LETTERS_MAX  100            /* dead letters shown at a time */

extern const rbl_op_t  rbl_op_delivery_log, rbl_op_hook_dead,
                       rbl_op_hook_replay, rbl_op_hook_test,
                       rbl_op_contact_test;


/* rbl_op_bill.c: billing */

#define RBL_LEDGER_PAGE  200            /* movements shown at a time */

/* States of payments that are not done (_unpaid.lua). */
#define RBL_UNPAID_STATES                                                     \
    "open,sent,processing,customer,unknown,operator,failed"

extern const rbl_op_t  rbl_op_bill, rbl_op_bill_update, rbl_op_bill_sources,
                       rbl_op_bill_source_add, rbl_op_bill_source_remove,
                       rbl_op_bill_payments, rbl_op_bill_ledger,
                       rbl_op_bill_retry, rbl_op_bill_topup;

/* Writes the state of a bill: when the period ends, "" if none was paid, and
   when checks stop if that has passed. */
void rbl_bill_state(const rbl_run_t *run, rbl_doc_t *doc,
    const rbl_bill_t *bill);

/* Writes a payment, unless its record is damaged. */
void rbl_bill_payment(rbl_run_t *run, rbl_doc_t *doc, const char *key,
    rbl_str_t raw);

/* A judge: an amount of dollars and cents, which becomes micro-USD. */
int rbl_bill_amount(rbl_run_t *run, rbl_str_t *text);

/* The same, of money that moves, which is not 0. */
int rbl_bill_paid(rbl_run_t *run, rbl_str_t *text);

/* A movement of money. */
typedef struct {
    rbl_str_t  id, key, debit, credit, about, reference;
    int64_t    at, amount, balance;     /* ms; micro-USD */
} rbl_movement_t;

void rbl_movement_read(rbl_movement_t *m, const redisReply *entry);


/*
 * rbl_op_bill_csv.c: tables for spreadsheets, CSV (RFC 4180).  The ledger and
 * the payments of the portal and of rblctl have the same columns, by the names
 * of the members in JSON, and the currency.  A line ends with CR and LF.  A
 * text that a spreadsheet would run has an apostrophe before it.
 */
#define RBL_CSV_LEDGER                                                        \
    "id,at,key,debit,credit,amount,balance,about,reference"
#define RBL_CSV_PAYMENTS                                                      \
    "account,id,kind,plan,begins,ends,amount,refunded,state,reason,gateway,"  \
    "reference,created,done"
#define RBL_CSV_HEAD_END  ",currency\r\n"
#define RBL_CSV_MAX       16            /* columns */

void rbl_csv_row(rbl_out_t *out, int n, const rbl_str_t *cells);
void rbl_csv_movement(rbl_out_t *out, const rbl_movement_t *m);
void rbl_csv_payment(rbl_out_t *out, rbl_str_t account,
    const rbl_payment_t *p);

#endif /* RBL_OPS_H_INCLUDED */
