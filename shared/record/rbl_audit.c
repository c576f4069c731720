/*
 * The audit log: who calls a script, as its argument; entries of the log.
 */

#include "rbl_audit.h"

#include "rbl_validate.h"


#define RBL_AUDIT_HEAD  3               /* octets before a value, at most */


static int
rbl_audit_full(rbl_out_t *out)
{
    (void) out;

    return -1;
}


_Static_assert(RBL_BY__N == 7, "rbl_audit_by writes each field of \"by\"");


/* The start of a text, up to the end of a character. */

static rbl_str_t
rbl_audit_cut(rbl_str_t text, size_t max)
{
    if (text.n > max) {
        text.n = max;

        while (text.n > 0 && ((unsigned char) text.p[text.n] & 0xc0) == 0x80) {
            text.n--;
        }
    }

    return text;
}


void
rbl_audit_by(rbl_audit_by_t *b, const rbl_by_t *by)
{
    b->out.pos = b->text;
    b->out.end = b->text + sizeof(b->text);
    b->out.more = rbl_audit_full;
    b->out.failed = 0;
    b->n = 0;
    b->left = RBL_AUDIT_VALUES;

    rbl_mp_put_array(&b->out, RBL_BY__N);
    rbl_mp_put_int(&b->out, RBL_RECORD_VERSION);
    rbl_mp_put_str(&b->out, rbl_audit_cut(by->who, RBL_AUDIT_VALUE));
    rbl_mp_put_str(&b->out, rbl_audit_cut(by->name, RBL_AUDIT_VALUE));
    rbl_mp_put_str(&b->out, rbl_audit_cut(by->account, RBL_AUDIT_VALUE));
    rbl_mp_put_str(&b->out, rbl_audit_cut(by->from, RBL_AUDIT_VALUE));
    rbl_mp_put_str(&b->out, rbl_audit_cut(by->call, RBL_AUDIT_VALUE));

    /* an array whose length is written at the end */

    b->count = b->out.pos + 1;
    rbl_out_bytes(&b->out, "\xdc\0\0", 3);
}


void
rbl_audit_field(rbl_audit_by_t *b, rbl_str_t name, rbl_str_t value)
{
    size_t  n;

    value = rbl_audit_cut(value, RBL_AUDIT_VALUE);
    n = name.n + value.n + 2 * RBL_AUDIT_HEAD;

    if (n > b->left) {
        return;
    }

    b->left -= n;
    b->n += 2;
    rbl_mp_put_str(&b->out, name);
    rbl_mp_put_str(&b->out, value);
}


rbl_str_t
rbl_audit_by_end(rbl_audit_by_t *b)
{
    rbl_str_t  by = { b->text, (size_t) (b->out.pos - b->text) };

    b->count[0] = (char) (b->n >> 8);
    b->count[1] = (char) (b->n & 0xff);

    return by;
}


static const char *
rbl_audit_kind(const rbl_by_t *by)
{
    rbl_sid_t  sid;

    return by->account.n > 0 ? "operator"
           : rbl_sid_parse(&sid, RBL_SID_USER, by->who) == RBL_OK ? "user"
           : rbl_sid_parse(&sid, RBL_SID_APP, by->who) == RBL_OK
             ? "application" : "rblctl";
}


rbl_err_t
rbl_audit_decode(rbl_audit_t *v, const redisReply *entry)
{
    rbl_audit_show_entry_t  e;

    memset(v, 0, sizeof(*v));
    rbl_audit_show_entry(&e, entry);

    if (rbl_by_decode(&v->by, e.by) != RBL_OK) {
        return RBL_ETYPE;
    }

    v->id = e.id;
    v->at = rbl_reply_entry_ms(e.id);
    v->count = e.count > 1 ? e.count : 1;
    v->target = e.target.p ? e.target : RBL_STR("");
    v->target_name = e.name.p ? e.name : RBL_STR("");

    /* who signs in is known only then */

    if (v->by.who.n == 0) {
        v->by.who = v->target;
        v->by.name = v->target_name;
    }

    if (e.app.p != NULL && e.app.n > 0) {
        v->by.name = e.app;
    }

    v->kind = rbl_audit_kind(&v->by);

    return RBL_OK;
}


rbl_err_t
rbl_audit_sid(rbl_sid_t *sid, rbl_str_t text)
{
    rbl_sid_kind_t  kind;

    for (kind = RBL_SID_ACCOUNT; kind <= RBL_SID_USER; kind++) {
        if (kind != RBL_SID_CHECK && rbl_sid_parse(sid, kind, text) == RBL_OK) {
            return RBL_OK;
        }
    }

    return RBL_EINVAL;
}


void
rbl_audit_fields(rbl_audit_fields_t *f, const rbl_audit_t *entry)
{
    rbl_mp_init(&f->mp, entry->by.fields);
    f->left = rbl_mp_array(&f->mp);
}


int
rbl_audit_next(rbl_audit_fields_t *f, rbl_str_t *name, rbl_str_t *value)
{
    if (f->left < 2) {
        return 0;
    }

    f->left -= 2;
    *name = rbl_mp_str(&f->mp);
    *value = rbl_mp_str(&f->mp);

    return !f->mp.failed;
}
