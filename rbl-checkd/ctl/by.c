/*
 * The caller of audited scripts: login and machine, command and arguments.
 */

#include "ctl.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>


/* The login of the person: of root, the one who called sudo. */
static rbl_str_t
ctl_login(char buf[CTL_DECIMAL])
{
    const char           *sudo;
    const struct passwd  *pw;

    sudo = getuid() == 0 ? getenv("SUDO_USER") : NULL;

    if (sudo != NULL && sudo[0] != '\0') {
        return rbl_str(sudo);
    }

    pw = getpwuid(getuid());

    return pw != NULL ? rbl_str(pw->pw_name)
                      : ctl_decimal(buf, (int64_t) getuid());
}


/* The arguments behind the account and the SID of what is changed, by their
   names in the usage: "NAME", "TYPE,TYPE|--all". */
static void
ctl_by_args(const ctl_t *ctl, rbl_audit_by_t *b)
{
    int          i;
    char         name[32];
    size_t       n;
    rbl_sid_t    sid;
    const char  *word;

    word = ctl->command->usage;

    for (i = 0; i < ctl->n_args; i++) {
        for (n = 0; n < sizeof(name) && isupper((unsigned char) word[n]); n++) {
            name[n] = (char) tolower((unsigned char) word[n]);
        }

        if (i > 0 && (i > 1 || rbl_audit_sid(&sid, ctl->args[i]) != RBL_OK)) {
            rbl_audit_field(b, (rbl_str_t) { name, n },
                            n == 3 && memcmp(name, "url", 3) == 0
                            ? RBL_AUDIT_SECRET : ctl->args[i]);
        }

        word += strcspn(word, " ");
        word += *word == ' ';
    }
}


rbl_str_t
ctl_by(const ctl_t *ctl, rbl_audit_by_t *b)
{
    int                 i;
    char                host[256], call[64], login[CTL_DECIMAL], *p;
    rbl_by_t            by;
    const char         *name, *value;
    ctl_option_kind_t   kind;

    memset(host, 0, sizeof(host));
    (void) gethostname(host, sizeof(host) - 1);
    snprintf(call, sizeof(call), "%s", ctl->command->words);

    for (p = call; *p != '\0'; p++) {
        *p = *p == ' ' ? '/' : *p;
    }

    by.who = RBL_STR("rblctl");
    by.name = ctl_login(login);
    by.account = RBL_STR("");
    by.from = rbl_str(host);
    by.call = rbl_str(call);

    rbl_audit_by(b, &by);
    ctl_by_args(ctl, b);

    for (i = 0; i < ctl->n_options; i++) {
        name = ctl->options[i].name;
        value = ctl->options[i].value;
        kind = ctl_option_kind(ctl->command->usage, name, strlen(name));

        if (kind != CTL_NO_OPTION) {
            rbl_audit_field(b, rbl_str(name),
                            rbl_str(kind == CTL_FLAG ? "1" : value));
        }
    }

    return rbl_audit_by_end(b);
}
