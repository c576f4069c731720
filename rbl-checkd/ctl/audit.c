/*
 * rblctl audit: shows the audit log of an account.  The entries of commands
 * name the login and the machine.
 */

#include "op.h"

#include <stdio.h>

#define CTL_AUDIT_LAST  20
#define CTL_AUDIT_MOST  4000            /* both streams of _audit.lua */


static const char  audit_row[] =
    "at:TIME, who, from, call, count:TIMES, target.id:TARGET, target.name,"
    " fields";


/* For the table: who it was in one word, and the fields as one text. */
static void
ctl_audit_texts(json_t *row)
{
    char         line[3 * RBL_AUDIT_VALUES];
    size_t       i, n;
    json_t      *field;
    const char  *name, *value;

    n = 0;
    line[0] = '\0';

    json_array_foreach(json_object_get(row, "fields"), i, field) {
        name = json_string_value(json_object_get(field, "name"));
        value = json_string_value(json_object_get(field, "value"));

        if (strlen(name) + strlen(value) + 3 < sizeof(line) - n) {
            n += (size_t) snprintf(line + n, sizeof(line) - n, "%s%s=%s",
                                   n > 0 ? ", " : "", name, value);
        }
    }

    json_object_set_new(row, "fields", json_string(line));

    field = json_object_get(row, "who");
    name = json_string_value(json_object_get(field, "name"));
    json_object_set(row, "who", json_object_get(field, name[0] ? "name"
                                                               : "id"));
}


int
ctl_audit(ctl_t *ctl)
{
    size_t       i;
    json_t      *rows, *row;
    int64_t      n;
    rbl_sid_t    account;
    ctl_given_t  given[] = {
        { "limit", NULL }, { "before", NULL },
        { "who", ctl_option(ctl, "who") },
        { "target", ctl_option(ctl, "target") }
    };

    n = CTL_AUDIT_LAST;

    if (ctl_number(ctl, "limit", &n, 1, CTL_AUDIT_MOST) != 0
        || ctl_sid(&account, RBL_SID_ACCOUNT, ctl->args[0]) != 0
        || ctl_account_exists(ctl, &account) != 0)
    {
        return CTL_ERROR;
    }

    rows = ctl_op_log(ctl, &rbl_op_audit, RBL_STR(""), n, RBL_AUDIT_PAGE, 4,
                      given);
    if (rows == NULL) {
        return CTL_ERROR;
    }

    json_array_foreach(rows, i, row) {
        if (!ctl->json) {
            ctl_audit_texts(row);
        }
    }

    return ctl_print(ctl, audit_row, rows);
}
