/*
 * Commands that are operations: the words of a command and its options become
 * fields, the script is called, and its reply becomes the answer.
 */

#include "op.h"

#include "base/buf.h"
#include "base/timezones.h"
#include "base/xalloc.h"
#include "rbl_validate.h"

#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CTL_PAGE       "1000"           /* records of a page, at most */
#define CTL_PAGE_MOST  1000

#define obstack_chunk_alloc  xmalloc
#define obstack_chunk_free   free

typedef struct {
    rbl_run_t        run;               /* must be first */
    const char      *account;
    struct obstack   room;
    rbl_value_t      value[RBL_FIELDS_MAX];
} ctl_run_t;


static const ctl_column_t  done_lines[] = {
    { "account", "account" }, { "id", "id" }, { "done", "done" },
    { NULL, NULL }
};


static void *
ctl_run_alloc(rbl_run_t *run, size_t n)
{
    ctl_run_t  *r;

    r = (ctl_run_t *) run;

    return memset(obstack_alloc(&r->room, n + 1), 0, n + 1);
}


static void
ctl_run_refuse(rbl_run_t *run, unsigned status, const char *text)
{
    size_t       n, head, tail;
    ctl_run_t   *r;

    r = (ctl_run_t *) run;
    n = strlen(text);
    head = strlen(RBL_UNKNOWN_HEAD);
    tail = strlen(RBL_UNKNOWN_TAIL);

    if (status == 404 && run->id.n > 0 && n > head + tail
        && memcmp(text, RBL_UNKNOWN_HEAD, head) == 0
        && strcmp(text + n - tail, RBL_UNKNOWN_TAIL) == 0)
    {
        ctl_fail("account %s has no %.*s %s", r->account,
                 (int) (n - head - tail), text + head, run->id.s);

    } else {
        ctl_fail("%s", text);
    }
}


static void
ctl_run_note(rbl_run_t *run, const char *text)
{
    (void) run;

    ctl_note("%s", text);
}


static const rbl_runner_t  ctl_runner = {
    ctl_run_alloc, ctl_run_refuse, ctl_run_note
};


/* -1: error printed. */
static int
ctl_run_given(ctl_run_t *r, int n, const ctl_given_t *given)
{
    int        i;
    size_t     f;
    rbl_str_t  text;

    for (i = 0; i < n; i++) {
        for (f = 0; r->run.fields[f].name.n > 0; f++) {
            if (rbl_str_is(r->run.fields[f].name, given[i].name)) {
                break;
            }
        }

        if (r->run.fields[f].name.n == 0 || given[i].value == NULL) {
            continue;
        }

        text = rbl_trim(rbl_str(given[i].value));

        if (!rbl_text_ok(text)) {
            rbl_invalid(&r->run, given[i].name);
            return -1;
        }

        r->value[f].text = text;
        r->run.given[f].first = r->run.given[f].last = &r->value[f];
    }

    return 0;
}


/* Reads or makes the SID of what is meant.  -1: error printed. */
static int
ctl_run_id(rbl_run_t *run, const rbl_op_t *op, rbl_str_t id)
{
    unsigned  i;

    if (op->makes) {
        return rbl_sid_make(&run->id, op->kinds[0]) == RBL_OK ? 0
               : (ctl_fail("the kernel gives no random bytes"), -1);
    }

    for (i = 1; i < RBL_FIELD_KINDS && op->kinds[i] != 0 && id.n > 0; i++) {
        if (rbl_sid_parse(&run->id, op->kinds[i], id) == RBL_OK) {
            return 0;
        }
    }

    return op->kinds[0] == 0 || id.n == 0 ? 0
           : ctl_sid(&run->id, op->kinds[0], id);
}


/* Brings a user into the index of addresses, or out of it. */
static void
ctl_run_mail(ctl_t *ctl, const ctl_run_t *r)
{
    rbl_str_t  user;

    user = rbl_sid_str(&r->run.id);

    if (r->run.removed) {
        (void) ctl_mail_remove(ctl, r->run.mail, r->run.account, user);

    } else if (r->run.mail.n > 0) {
        (void) ctl_mail_add(ctl, r->run.mail, r->run.account, user,
                            r->run.confirmed);
    }
}


/* The answer to a reply; NULL: error printed. */
static json_t *
ctl_run_answer(ctl_t *ctl, ctl_run_t *r, const rbl_op_t *op,
    const redisReply *reply)
{
    json_t        *answer;
    rbl_buf_t      buf;
    rbl_doc_t      doc;
    rbl_str_t      text;
    json_error_t   error;

    if (rbl_str_is(rbl_reply_word(reply), "ACCOUNT")) {
        ctl_fail("there is no account %s", r->account);
        return NULL;
    }

    if (!rbl_str_is(rbl_reply_word(reply), "OK")) {
        if (rbl_refuse_by(&r->run, op->refusals, reply) != 0) {
            ctl_fail("the store's reply could not be understood");
        }

        return NULL;
    }

    rbl_buf_init(&buf);
    rbl_doc_begin(&doc, &buf.out, RBL_JSON);
    rbl_doc_z(&doc, "account", r->account);

    if (r->run.id.n > 0) {
        rbl_doc_str(&doc, "id", rbl_sid_str(&r->run.id));
    }

    rbl_doc_z(&doc, "done", op->message);

    if (op->answer != NULL) {
        op->answer(&r->run, &doc, reply);
    }

    ctl_run_mail(ctl, r);

    rbl_doc_end(&doc);

    text = rbl_buf_str(&buf);
    answer = NULL;

    if (!r->run.refusal) {
        answer = json_loadb(text.p, text.n, JSON_ALLOW_NUL, &error);

        if (answer == NULL) {
            ctl_fail("the answer cannot be shown: %s", error.text);
        }
    }

    rbl_buf_free(&buf);

    return answer;
}


/* Calls the script of the operation.  NULL: error printed. */
static json_t *
ctl_run_script(ctl_t *ctl, ctl_run_t *r, const rbl_op_t *op)
{
    json_t      *answer;
    rbl_str_t   *argv;
    redisReply  *reply;

    if (op->prepare != NULL && op->prepare(&r->run) != 0) {
        return NULL;
    }

    argv = rbl_run_argv(&r->run);
    reply = argv == NULL ? NULL
            : ctl_script(ctl, op->script,
                         op->script->argc + (int) r->run.n_rest, argv);
    if (reply == NULL) {
        return NULL;
    }

    answer = ctl_run_answer(ctl, r, op, reply);
    freeReplyObject(reply);

    return answer;
}


json_t *
ctl_op_run(ctl_t *ctl, const rbl_op_t *op, rbl_str_t customer, rbl_str_t id,
    int n, const ctl_given_t *given)
{
    json_t     *answer;
    ctl_run_t   r;
    rbl_sid_t   account;
    rbl_key_t   key;

    if ((op->makes && !op->operators ? ctl_customer(&account, customer)
                   : ctl_sid(&account, RBL_SID_ACCOUNT, customer))
        != 0)
    {
        return NULL;
    }

    memset(&r, 0, sizeof(r));
    obstack_init(&r.room);
    r.account = account.s;
    r.run.by = &ctl_runner;
    r.run.fields = op->fields;
    r.run.script = op->script;
    r.run.now = (int64_t) time(NULL) * 1000;
    r.run.page_most = CTL_PAGE_MOST;
    r.run.path = r.run.operator = 1;
    r.run.back = rbl_str(ctl_option(ctl, "back") ? ctl_option(ctl, "back")
                                                 : "");
    r.run.account = rbl_sid_str(&account);

    if (ctl_run_given(&r, n, given) != 0 || rbl_run_fields(&r.run) != 0
        || ctl_run_id(&r.run, op, id) != 0)
    {
        obstack_free(&r.room, NULL);
        return NULL;
    }

    r.run.argv[RBL_ARG_ACCT] = ctl_acct(ctl, &key, &account);

    if (r.run.id.n > 0) {
        r.run.argv[RBL_ARG_ID] = rbl_sid_str(&r.run.id);
    }

    if (op->value != NULL) {
        r.run.argv[RBL_ARG_VALUE] = rbl_str(op->value);
    }

    answer = ctl_run_script(ctl, &r, op);
    obstack_free(&r.room, NULL);

    return answer;
}


json_t *
ctl_op_data(json_t *answer)
{
    json_t  *data;

    data = json_incref(json_object_get(answer, "data"));
    json_decref(answer);

    return data;
}


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


int
ctl_op_with(ctl_t *ctl, int n, const ctl_given_t *given)
{
    json_t          *answer;
    rbl_str_t        id;
    const ctl_op_t  *row;

    row = ctl_op_row(ctl->command->words);
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
    row = ctl_op_row(ctl->command->words);
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
