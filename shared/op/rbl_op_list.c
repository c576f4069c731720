/*
 * Changes of a system list by an operator.
 */

#include "rbl_ops.h"


const rbl_outcome_t  rbl_list_refusals[] = {
    RBL_UNKNOWN_ID("LIST", "list"),
    { "NONE", 409, "This list is not frozen." },
    { "KEYED", 409,
      "This list needs a key. Please enable it with rblctl lists enable." },
    { "CATALOGUE", 409,
      "The catalogue has killed this list: only a catalogue that has it among "
      "its lists brings it back." },
    { "FULL", 409,
      "There are as many system lists as there may be. Please kill another one "
      "first." },
    { NULL, 0, NULL }
};

static const rbl_field_t  rbl_kill_fields[] = {
    RBL_TEXT("reason", RBL_NEEDED, rbl_label, RBL_ARG(lists_kill, reason)),
    RBL_END
};


rbl_str_t
rbl_system_key(const rbl_op_t *op, rbl_key_t *key, const rbl_keyspace_t *ks,
    unsigned p, rbl_str_t list)
{
    rbl_str_t  none = RBL_STR("");

    return op->system == RBL_SYSTEM_ONE
           ? rbl_key(key, ks, p, "list", list, none)
           : rbl_key(key, ks, p, "lists", none, none);
}


const rbl_op_t  rbl_op_list_enable = {
    .script = &rbl_script_lists_status,
    .kinds = { RBL_SID_LIST },
    .system = RBL_SYSTEM_ALL,
    .value = "active",
    .message = "List enabled successfully.",
    .refusals = rbl_list_refusals
};

const rbl_op_t  rbl_op_list_disable = {
    .script = &rbl_script_lists_status,
    .kinds = { RBL_SID_LIST },
    .system = RBL_SYSTEM_ALL,
    .value = "disabled",
    .message = "List disabled successfully.",
    .refusals = rbl_list_refusals
};

const rbl_op_t  rbl_op_list_kill = {
    .script = &rbl_script_lists_kill,
    .fields = rbl_kill_fields,
    .kinds = { RBL_SID_LIST },
    .system = RBL_SYSTEM_ALL,
    .message = "List killed successfully.",
    .refusals = rbl_list_refusals
};

const rbl_op_t  rbl_op_list_unkill = {
    .script = &rbl_script_lists_kill,
    .kinds = { RBL_SID_LIST },
    .system = RBL_SYSTEM_ALL,
    .value = "",
    .message = "List brought back successfully.",
    .refusals = rbl_list_refusals
};


/* Any freeze is meant.  The SID is in the key only. */

static int
rbl_thaw_prepare(rbl_run_t *run)
{
    run->argv[RBL_ARG(list_thaw, since)] = RBL_STR("");

    return 0;
}


const rbl_op_t  rbl_op_list_thaw = {
    .script = &rbl_script_list_thaw,
    .kinds = { RBL_SID_LIST },
    .system = RBL_SYSTEM_ONE,
    .message = "List unfrozen successfully.",
    .prepare = rbl_thaw_prepare,
    .refusals = rbl_list_refusals
};
