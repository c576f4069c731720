/*
 * Operations: values that they make and judge, pages and times in answers.
 */

#include "rbl_op.h"

#include "rbl_contact.h"
#include "rbl_hex.h"
#include "rbl_time.h"
#include "rbl_validate.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <sys/random.h>


enum {                                  /* of rbl_page_fields */
    RBL_FIELD_PAGE = 0,
    RBL_FIELD_PAGE_SIZE
};


const rbl_field_t  rbl_page_fields[] = {
    RBL_TEXT("page", 0, NULL, 0),
    RBL_TEXT("page_size", 0, NULL, 0),
    RBL_END
};


/* Reads a number; larger numbers, of any length, give `max`. */

static int64_t
rbl_page_number(rbl_run_t *run, size_t field, int64_t def, int64_t max)
{
    size_t     i;
    int64_t    n;
    rbl_str_t  text;

    text = rbl_text(run, field);

    if (text.p == NULL) {
        return def < max ? def : max;
    }

    n = 0;

    for (i = 0; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++) {
        n = n * 10 + (text.p[i] - '0');
        n = n < max ? n : max;
    }

    if (i < text.n || n == 0) {
        rbl_invalid(run, rbl_page_fields[field].name.p);
    }

    return n;
}


int
rbl_run_page(rbl_run_t *run)
{
    run->page = rbl_page_number(run, RBL_FIELD_PAGE, 1, RBL_PAGE_MAX);

    if (run->refusal == 0) {
        run->page_size = rbl_page_number(run, RBL_FIELD_PAGE_SIZE,
                                         RBL_PAGE_SIZE, run->page_most);
    }

    return run->refusal ? -1 : 0;
}


int
rbl_run_int(rbl_run_t *run, rbl_str_t *text, int64_t n)
{
    char  *room;

    room = rbl_room(run, RBL_OUT_INT);

    if (room == NULL) {
        return -1;
    }

    *text = rbl_out_int_text(room, n);

    return 0;
}


static int
rbl_run_ranks(rbl_run_t *run, size_t arg)
{
    int64_t  first;

    if (rbl_run_page(run) != 0) {
        return -1;
    }

    first = (run->page - 1) * run->page_size;

    return rbl_run_int(run, &run->argv[arg], first) != 0 ? -1
           : rbl_run_int(run, &run->argv[arg + 1], first + run->page_size - 1);
}


void
rbl_page_open(const rbl_run_t *run, rbl_doc_t *doc, const char *name,
    int64_t total)
{
    rbl_doc_int(doc, "page", run->page);
    rbl_doc_int(doc, "total_pages", total / run->page_size
                                    + (total % run->page_size != 0));
    rbl_doc_int(doc, "page_size", run->page_size);
    rbl_doc_int(doc, name, total);
    rbl_doc_array(doc, "data");
}


void
rbl_run_at(const rbl_run_t *run, rbl_doc_t *doc, const char *key, int64_t ms)
{
    char  text[RBL_TIME_LEN];

    rbl_doc_str(doc, key, rbl_time_text(text, ms, run->timezone));
}


static int
rbl_run_random(rbl_run_t *run, unsigned char *bytes, size_t n)
{
    ssize_t  got;

    do {
        got = getrandom(bytes, n, 0);
    } while (got == -1 && errno == EINTR);

    if (got < 0 || (size_t) got != n) {
        rbl_refuse(run, 500, "The kernel gives no random bytes.");
        return -1;
    }

    return 0;
}


static int
rbl_run_token(rbl_run_t *run, size_t field)
{
    unsigned          n;
    unsigned char     bytes[RBL_TOKEN_LEN / 2];
    rbl_new_token_t  *made;

    made = run->data = rbl_room(run, sizeof(rbl_new_token_t));

    if (made == NULL || rbl_run_random(run, bytes, sizeof(bytes)) != 0) {
        return -1;
    }

    rbl_hex(made->text, bytes, sizeof(bytes));
    explicit_bzero(bytes, sizeof(bytes));

    if (EVP_Digest(made->text, RBL_TOKEN_LEN, made->digest, &n, EVP_sha256(),
                   NULL)
        != 1)
    {
        rbl_refuse(run, 500, "SHA-256 is not available.");
        return -1;
    }

    rbl_hex(made->field, made->digest, RBL_TOKEN_FIELD / 2);

    run->argv[field] = RBL_OCTETS(made->field);
    run->argv[field + 1] = RBL_OCTETS(made->digest);

    return 0;
}


static int
rbl_run_secret(rbl_run_t *run, rbl_str_t *secret)
{
    char           *room;
    unsigned char   bytes[RBL_SECRET_BYTES];

    room = rbl_room(run, RBL_SECRET_LEN + 1);

    if (room == NULL || rbl_run_random(run, bytes, sizeof(bytes)) != 0) {
        return -1;
    }

    *secret = rbl_secret_text(room, bytes);
    explicit_bzero(bytes, sizeof(bytes));

    return 0;
}


int
rbl_op_prepare(rbl_run_t *run, const rbl_op_t *op)
{
    if (op->page_most > 0 && run->page_most > op->page_most) {
        run->page_most = op->page_most;
    }

    if ((op->ranks && rbl_run_ranks(run, op->ranks) != 0)
        || (op->token && rbl_run_token(run, op->token) != 0)
        || (op->secret && rbl_run_secret(run, &run->argv[op->secret]) != 0))
    {
        return -1;
    }

    if (op->operated) {
        run->argv[op->operated] = rbl_digit(run->operator != 0);
    }

    return op->prepare != NULL ? op->prepare(run) : 0;
}


int
rbl_entry_id(rbl_str_t text)
{
    int64_t    n;
    rbl_str_t  ms;

    ms = rbl_until(&text, '-');

    return ms.n < RBL_ENTRY_ID / 2 && text.n < RBL_ENTRY_ID / 2 - 1
           && rbl_int_parse(&n, ms, 0, INT64_MAX) == RBL_OK
           && rbl_int_parse(&n, text, 0, INT64_MAX) == RBL_OK;
}


int
rbl_entry(rbl_run_t *run, rbl_str_t *text)
{
    (void) run;

    return rbl_entry_id(*text) ? 0 : -1;
}


int
rbl_label(rbl_run_t *run, rbl_str_t *text)
{
    (void) run;

    return text->n && rbl_utf8_count(*text) <= RBL_LABEL_MAX ? 0 : -1;
}


int
rbl_mail(rbl_run_t *run, rbl_str_t *text)
{
    char  *buf;

    buf = rbl_room(run, RBL_CONTACT_MAX);

    return buf != NULL
           && rbl_contact_parse(buf, text, RBL_CONTACT_EMAIL, *text, NULL, 0)
              == RBL_OK
           ? 0 : rbl_expect(run, "an e-mail address");
}


int
rbl_flag(rbl_run_t *run, rbl_str_t *text)
{
    int  flag;

    (void) run;

    if (rbl_flag_parse(&flag, *text) != RBL_OK) {
        return -1;
    }

    *text = rbl_digit((unsigned) flag);

    return 0;
}
