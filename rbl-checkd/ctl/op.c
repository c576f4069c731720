/*
 * Commands that are operations: the words of a command and its options become
 * fields, the script is called, and its reply becomes the answer.
 */

#include "lists.h"
#include "op.h"

#include <stdio.h>

#define CTL_PAGE  "1000"                /* records of a page, at most */


static const char  done_lines[] = "account, id, done";


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
ctl_op_row(const char *words)
{
    const ctl_op_t  *row;

    for (row = ctl_ops; strcmp(row->words, words) != 0; row++) {
        /* void */
    }

    return row;
}


/* Does the second argument name a thing of the account? */
static int
ctl_op_named(const rbl_op_t *op)
{
    return op->kinds[0] != 0 && !op->makes && !op->system;
}


int
ctl_op_with(ctl_t *ctl, int n, const ctl_given_t *given)
{
    json_t          *answer;
    rbl_sid_t        list;
    rbl_str_t        id;
    const char      *note;
    const ctl_op_t  *row;

    row = ctl_op_row(ctl->command->words);
    id = ctl_op_named(row->op) ? ctl->args[1] : RBL_STR("");

    if (row->op->system) {
        if (ctl_list_argument(&list, ctl->args[0]) != 0) {
            return CTL_ERROR;
        }

        id = rbl_sid_str(&list);
    }

    if (row->op->fields == rbl_page_fields) {
        answer = ctl_op_pages(ctl, row->op);
        return answer == NULL ? CTL_ERROR
               : ctl_print(ctl, row->columns, answer);
    }

    answer = ctl_op_run(ctl, row->op, ctl->args[0], id, n, given);

    if (answer != NULL && row->op->system) {
        json_decref(answer);
        return ctl_list_show(ctl, ctl->args[0], 0);
    }

    if (answer != NULL && row->shows != NULL) {
        note = json_string_value(json_object_get(answer, "note"));

        if (note != NULL && !ctl->json) {
            ctl_note("%s", note);
        }

        json_decref(answer);
        answer = ctl_op_run(ctl, row->shows, ctl->args[0], id, 0, NULL);
    }

    return answer == NULL ? CTL_ERROR
           : row->columns == NULL ? ctl_print(ctl, done_lines, answer)
           : ctl_print(ctl, row->columns, ctl_op_data(answer));
}


int
ctl_op_show(ctl_t *ctl, const char *words)
{
    json_t          *data;
    const ctl_op_t  *row;

    row = ctl_op_row(words);
    data = ctl_op_data(ctl_op_run(ctl, row->op, ctl->args[0], RBL_STR(""), 0,
                                  NULL));

    return data == NULL ? CTL_ERROR : ctl_print(ctl, row->columns, data);
}


/* Sets the value of an option: a duration becomes seconds, and a flag "1".  -1:
   error printed. */
static int
ctl_op_option(const ctl_t *ctl, ctl_given_t *given, ctl_option_kind_t kind,
    char buf[CTL_DECIMAL])
{
    char     what[CTL_DECIMAL];
    int64_t  s;

    given->value = kind == CTL_FLAG ? "1" : ctl_option(ctl, given->name);

    if (kind != CTL_DURATION || strcmp(given->value, "0") == 0) {
        return 0;
    }

    snprintf(what, sizeof(what), "--%s", given->name);

    if (ctl_interval(&s, what, rbl_str(given->value)) != 0) {
        return -1;
    }

    given->value = ctl_decimal(buf, s).p;

    return 0;
}


int
ctl_op(ctl_t *ctl)
{
    int                 i, n, arg;
    char                name[RBL_FIELDS_MAX][CTL_DECIMAL];
    char                text[CTL_MAX_OPTIONS][CTL_DECIMAL];
    const char         *field, *option;
    ctl_given_t         given[RBL_FIELDS_MAX + CTL_MAX_OPTIONS];
    const ctl_op_t     *row;
    ctl_option_kind_t   kind;

    n = 0;
    row = ctl_op_row(ctl->command->words);
    arg = 1 + ctl_op_named(row->op);

    for (field = row->fields; *field != '\0' && arg < ctl->n_args; arg++) {
        rbl_copy(name[n], CTL_DECIMAL,
                 (rbl_str_t) { field, strcspn(field, " ") });
        given[n].name = name[n];
        given[n++].value = ctl->args[arg].p;
        field += strcspn(field, " ");
        field += *field == ' ';
    }

    for (i = 0; i < ctl->n_options; i++) {
        option = ctl->options[i].name;
        kind = ctl_option_kind(ctl->command->usage, option, strlen(option));

        if (kind == CTL_NO_OPTION) {
            continue;                   /* all commands have it */
        }

        given[n].name = option;

        if (ctl_op_option(ctl, &given[n++], kind, text[i]) != 0) {
            return CTL_ERROR;
        }
    }

    return ctl_op_with(ctl, n, given);
}
