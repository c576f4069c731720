/*
 * Commands that are operations.  A row names the operation, and the fields that
 * the words of the command are; options are fields of the same name.
 */

#include "op.h"

#include <stdio.h>

#define CTL_PAGE  "1000"                /* records of a page, at most */


static const ctl_column_t  done_lines[] = {
    { "account", "account" }, { "id", "id" }, { "done", "done" },
    { NULL, NULL }
};

static const ctl_column_t  hook_rows[] = {
    { "id", "WEBHOOK" }, { "name", "NAME" }, { "url", "URL" },
    { "types", "TYPES" }, { "status", "STATUS" }, { "created", "CREATED" },
    { NULL, NULL }
};

static const ctl_column_t  hook_lines[] = {
    { "id", "webhook" }, { "name", "name" }, { "url", "url" },
    { "types", "types" }, { "status", "status" }, { "disabled", "disabled" },
    { "reason", "reason" }, { "old_secret_until", "old secret until" },
    { "failing_since", "failing since" }, { "failed", "failed attempts" },
    { "quiet_until", "quiet until" }, { "pending", "pending events" },
    { "created", "created" }, { NULL, NULL }
};

static const ctl_column_t  hook_added[] = {
    { "id", "webhook" }, { "name", "name" }, { "url", "url" },
    { "types", "types" }, { "secret", "secret" }, { NULL, NULL }
};

static const ctl_column_t  hook_rotated[] = {
    { "secret", "secret" }, { "old_secret_until", "old secret until" },
    { NULL, NULL }
};

static const ctl_column_t  app_rows[] = {
    { "id", "APPLICATION" }, { "name", "NAME" }, { "status", "STATUS" },
    { "total_tokens", "TOKENS" }, { "created", "CREATED" },
    { "limits.hour", "HOUR" }, { "limits.reads", "READS" },
    { "limits.writes", "WRITES" }, { "limits.starts", "STARTS" },
    { "allow", "ALLOW" }, { NULL, NULL }
};

static const ctl_column_t  app_lines[] = {
    { "id", "application" }, { "name", "name" }, { "status", "status" },
    { "created", "created" }, { "allow", "allowed networks" },
    { "limits.hour", "requests an hour" },
    { "limits.reads", "reads a second" },
    { "limits.writes", "writes a second" },
    { "limits.starts", "check starts a second" }, { NULL, NULL }
};

static const ctl_column_t  app_added[] = {
    { "id", "application" }, { "name", "name" }, { "token", "token" },
    { "secret", "secret" }, { NULL, NULL }
};

static const ctl_column_t  app_rotated[] = {
    { "id", "application" }, { "token", "token" }, { NULL, NULL }
};

static const ctl_column_t  user_rows[] = {
    { "id", "USER" }, { "mail", "MAIL" }, { "name", "NAME" },
    { "role", "ROLE" }, { "created", "CREATED" }, { "seen", "SIGNED IN" },
    { "confirmed", "CONFIRMED" }, { NULL, NULL }
};

static const ctl_op_t  ctl_ops[] = {
    { "user list", &rbl_op_users, "", user_rows, NULL },
    { "user delete", &rbl_op_user_delete, "", NULL, NULL },
    { "operator list", &rbl_op_users, "", user_rows, NULL },
    { "operator delete", &rbl_op_user_delete, "", NULL, NULL },
    { "app add", &rbl_op_app_add, "name", app_added, NULL },
    { "app list", &rbl_op_apps, "", app_rows, NULL },
    { "app rotate", &rbl_op_app_rotate, "", app_rotated, NULL },
    { "app revoke", &rbl_op_app_revoke, "", NULL, NULL },
    { "app allow", &rbl_op_app_allow, NULL, app_lines, &rbl_op_app },
    { "app limit", &rbl_op_app_limit, NULL, app_lines, &rbl_op_app },
    { "token revoke", &rbl_op_token_revoke, "token", NULL, NULL },
    { "webhook add", &rbl_op_hook_add, "name url", hook_added, NULL },
    { "webhook list", &rbl_op_hooks, "", hook_rows, NULL },
    { "webhook show", &rbl_op_hook, "", hook_lines, NULL },
    { "webhook rename", &rbl_op_hook_update, "name", hook_lines, &rbl_op_hook },
    { "webhook url", &rbl_op_hook_update, "url", hook_lines, &rbl_op_hook },
    { "webhook types", &rbl_op_hook_update, NULL, hook_lines, &rbl_op_hook },
    { "webhook rotate", &rbl_op_hook_rotate, "", hook_rotated, NULL },
    { "webhook enable", &rbl_op_hook_enable, "", hook_lines, &rbl_op_hook },
    { "webhook disable", &rbl_op_hook_disable, "", hook_lines, &rbl_op_hook },
    { "webhook delete", &rbl_op_hook_delete, "", NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL }
};


json_t *
ctl_op_pages(ctl_t *ctl, const rbl_op_t *op)
{
    char         text[CTL_DECIMAL];
    json_t      *all, *answer;
    json_int_t   page, pages;
    ctl_given_t  given[] = { { "page", text }, { "page_size", CTL_PAGE } };

    all = json_array();

    for (page = pages = 1; page <= pages; page++) {
        (void) ctl_decimal(text, page);
        answer = ctl_op_run(ctl, op, ctl->args[0], RBL_STR(""), 2, given);

        if (answer == NULL) {
            json_decref(all);
            return NULL;
        }

        pages = json_integer_value(json_object_get(answer, "total_pages"));
        json_array_extend(all, json_object_get(answer, "data"));
        json_decref(answer);
    }

    return all;
}


json_t *
ctl_op_log(ctl_t *ctl, const rbl_op_t *op, rbl_str_t id, int64_t n,
    int64_t page, int n_given, const ctl_given_t *given)
{
    char         most[CTL_DECIMAL], next[RBL_ENTRY_ID];
    json_t      *rows, *answer;
    int64_t      left;
    ctl_given_t  all[RBL_FIELDS_MAX];

    rows = json_array();
    memcpy(all, given, (size_t) n_given * sizeof(*given));
    all[0].value = most;

    do {
        left = n - (int64_t) json_array_size(rows);
        (void) ctl_decimal(most, left < page ? left : page);
        answer = ctl_op_run(ctl, op, ctl->args[0], id, n_given, all);

        if (answer == NULL) {
            json_decref(rows);
            return NULL;
        }

        rbl_copy(next, sizeof(next),
                 rbl_str(json_string_value(json_object_get(answer, "next"))));
        json_array_extend(rows, json_object_get(answer, "data"));
        json_decref(answer);
        all[1].value = next;

    } while (next[0] != '\0' && (int64_t) json_array_size(rows) < n);

    return rows;
}


json_t *
ctl_op_reversed(json_t *rows)
{
    size_t   i;
    json_t  *out;

    out = json_array();

    for (i = json_array_size(rows); i-- > 0; /* void */ ) {
        json_array_append(out, json_array_get(rows, i));
    }

    json_decref(rows);

    return out;
}


static const ctl_op_t *
ctl_op_row(const ctl_t *ctl)
{
    size_t           i;
    const ctl_op_t  *row;

    static const ctl_op_t *const  families[] = { ctl_ops, ctl_bill_ops };

    for (i = 0, row = families[0];
         strcmp(row->words, ctl->command->words) != 0; /* void */ )
    {
        row++;

        if (row->words == NULL) {
            row = families[++i];
        }
    }

    return row;
}


int
ctl_op_with(ctl_t *ctl, int n, const ctl_given_t *given)
{
    json_t          *answer;
    rbl_str_t        id;
    const ctl_op_t  *row;

    row = ctl_op_row(ctl);
    id = row->op->kinds[0] != 0 && !row->op->makes ? ctl->args[1]
                                                   : RBL_STR("");

    if (row->op->fields == rbl_page_fields) {
        answer = ctl_op_pages(ctl, row->op);
        return answer == NULL ? CTL_ERROR
               : ctl_print(ctl, row->columns, answer);
    }

    answer = ctl_op_run(ctl, row->op, ctl->args[0], id, n, given);

    if (answer != NULL && row->shows != NULL) {
        json_decref(answer);
        answer = ctl_op_run(ctl, row->shows, ctl->args[0], id, 0, NULL);
    }

    return answer == NULL ? CTL_ERROR
           : row->columns == NULL ? ctl_print(ctl, done_lines, answer)
           : ctl_print(ctl, row->columns, ctl_op_data(answer));
}


/* The value of an option; a duration becomes seconds, and a flag "1".  -1:
   error printed. */
static int
ctl_op_option(const ctl_t *ctl, const ctl_option_t *o, char buf[CTL_DECIMAL],
    const char **value)
{
    char     what[CTL_DECIMAL];
    int64_t  s;

    *value = ctl_option(ctl, o->name);

    if (o->value == 0 && *value != NULL) {
        *value = "1";
    }

    if (o->value != CTL_DURATION || *value == NULL
        || strcmp(*value, "0") == 0)
    {
        return 0;
    }

    snprintf(what, sizeof(what), "--%s", o->name);

    if (ctl_interval(&s, what, rbl_str(*value)) != 0) {
        return -1;
    }

    *value = ctl_decimal(buf, s).p;

    return 0;
}


int
ctl_op(ctl_t *ctl)
{
    int                  n, arg;
    char                 text[RBL_FIELDS_MAX][CTL_DECIMAL];
    char                 name[RBL_FIELDS_MAX][CTL_DECIMAL];
    const char          *field;
    ctl_given_t          given[RBL_FIELDS_MAX];
    const ctl_op_t      *row;
    const ctl_option_t  *o;

    n = 0;
    row = ctl_op_row(ctl);
    arg = 1 + (row->op->kinds[0] != 0 && !row->op->makes);

    for (field = row->fields; *field != '\0' && arg < ctl->n_args; arg++) {
        rbl_copy(name[n], CTL_DECIMAL,
                 (rbl_str_t) { field, strcspn(field, " ") });
        given[n].name = name[n];
        given[n++].value = ctl->args[arg].p;
        field += strcspn(field, " ");
        field += *field == ' ';
    }

    for (o = ctl->command->options; o->name != NULL; o++) {
        given[n].name = o->name;

        if (ctl_op_option(ctl, o, text[n], &given[n].value) != 0) {
            return CTL_ERROR;
        }

        n++;
    }

    return ctl_op_with(ctl, n, given);
}
