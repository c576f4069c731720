/*
 * Requests of operators: a request as the portal makes it is sound; with any
 * one field of another it is not, for nginx may write anything into the queue.
 */

#include "rbl_audit.h"
#include "rbl_request.h"
#include "tap.h"

#define AC      "AC0123456789abcdef0123456789abcdef"
#define US      "US0123456789abcdef0123456789abcdef"
#define RP      "RP0123456789abcdef0123456789abcdef"
#define CG      "CG0123456789abcdef0123456789abcdef"
#define NOBODY  "AC00000000000000000000000000000000"
#define LATE    3600000

static rbl_audit_by_t  by, other;


static rbl_str_t
caller(rbl_audit_by_t *b, const char *who)
{
    rbl_by_t  of;

    of.who = rbl_str(who);
    of.name = RBL_STR("o@example.test");
    of.account = RBL_STR("");
    of.from = RBL_STR("192.0.2.1");
    of.call = RBL_STR("operator/account/add");
    rbl_audit_by(b, &of);

    return rbl_audit_by_end(b);
}


static rbl_request_t
request_of(const char *kind)
{
    rbl_request_t  r;

    memset(&r, 0, sizeof(r));
    r.kind = rbl_str(kind);
    r.account = RBL_STR(AC);
    r.name = RBL_STR("Example");
    r.plan = RBL_STR("Small");
    r.mail = RBL_STR("a@example.test");
    r.profile = RBL_STR(RP);
    r.group = RBL_STR(CG);
    r.user = RBL_STR(US);
    r.field = RBL_STR("0123456789abcdef");
    r.digest = RBL_STR("0123456789abcdef0123456789abcdef");
    r.by = caller(&by, US);
    r.queued = 1;

    return r;
}


static int
sound(const rbl_request_t *r)
{
    rbl_by_t  of;

    return rbl_request_sound(r, &of);
}


/* A request whose field at an offset has another text is not sound. */

static void
refused(const char *kind, size_t offset, const char *text, size_t n,
    const char *name)
{
    rbl_str_t      value = { text, n };
    rbl_request_t  r;

    r = request_of(kind);
    memcpy((char *) &r + offset, &value, sizeof(value));
    ok(!sound(&r), "%s: %s is refused", kind, name);
}


#define REFUSED(kind, member, text, name)                                     \
    refused(kind, offsetof(rbl_request_t, member), text, sizeof(text) - 1,    \
            name)


int
main(void)
{
    size_t         i;
    char           label[257];
    rbl_request_t  r;

    static const char *const  kinds[] = { "account", "owner", "plan" };

    for (i = 0; i < 3; i++) {
        r = request_of(kinds[i]);
        ok(sound(&r), "a request of the kind %s is sound", kinds[i]);

        REFUSED(kinds[i], account, "", "no account");
        REFUSED(kinds[i], account, NOBODY, "the account of the operators");
        REFUSED(kinds[i], account, US, "the SID of a user as an account");
        REFUSED(kinds[i], account, "AC0123456789ABCDEF0123456789ABCDEF",
                "a SID in upper case");
        REFUSED(kinds[i], by, "", "no caller");
        REFUSED(kinds[i], by, "\xff\xff", "a damaged caller");
        REFUSED(kinds[i], kind, "", "no kind");
        REFUSED(kinds[i], kind, "delete", "an unknown kind");
        REFUSED(kinds[i], name, "a\nb", "a name with a line end");
        REFUSED(kinds[i], name, " a", "a name with a space before it");
        REFUSED(kinds[i], name, "\xff", "a name that is no UTF-8");
        REFUSED(kinds[i], plan, "a\tb", "a plan with a tab");
        REFUSED(kinds[i], mail, "nobody", "an address that is none");
        REFUSED(kinds[i], user, AC, "an account as the owner");
        REFUSED(kinds[i], field, "short", "a short name of the link");
        REFUSED(kinds[i], digest, "short", "a short digest of the link");

        r.by = caller(&other, "rblctl");
        ok(!sound(&r), "%s: a caller who is no user is refused", kinds[i]);
    }

    REFUSED("account", name, "", "no name");
    REFUSED("account", profile, CG, "a group as the profile");
    REFUSED("account", group, "", "no group");
    REFUSED("owner", mail, "", "no address");
    REFUSED("plan", plan, "", "no plan");

    r = request_of("account");
    r.mail = r.user = r.field = r.digest = r.plan = RBL_STR("");
    ok(sound(&r), "an account needs neither an owner nor a plan");

    memset(label, 'x', sizeof(label));
    r.name = (rbl_str_t) { label, 255 };
    ok(sound(&r), "a name may have 255 characters");
    r.name.n++;
    ok(!sound(&r), "a name with 256 characters is refused");

    ok(!rbl_request_late(&r, LATE), "a request may wait for nearly an hour");
    ok(rbl_request_late(&r, LATE + 1), "after an hour it is too late");

    return tap_done();
}
