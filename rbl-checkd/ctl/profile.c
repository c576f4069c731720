/*
 * rblctl profile: the lists that a profile leaves out are given by their zones
 * or SIDs.
 */

#include "lists.h"
#include "op.h"

#include "rbl_validate.h"


/* The SIDs of lists, separated by commas.  -1: error printed. */
static int
except_sids(rbl_buf_t *sids, rbl_str_t lists)
{
    rbl_sid_t  sid;

    while (lists.n > 0) {
        if (ctl_list_argument(&sid, rbl_trim(rbl_until(&lists, ','))) != 0) {
            return -1;
        }

        rbl_out_z(&sids->out, rbl_buf_str(sids).n > 0 ? "," : "");
        rbl_out_str(&sids->out, rbl_sid_str(&sid));
    }

    rbl_out_char(&sids->out, '\0');

    return 0;
}


/* Runs the operation of the command with the lists that the profile leaves out;
   NULL: none. */
static int
except_run(ctl_t *ctl, const char *name, const char *lists)
{
    int          rc;
    rbl_buf_t    sids;
    ctl_given_t  given[] = { { "except", "" }, { "name", name } };

    rbl_buf_init(&sids);

    if (lists == NULL) {
        rc = ctl_op_with(ctl, 2, given);

    } else if (except_sids(&sids, rbl_str(lists)) != 0) {
        rc = CTL_ERROR;

    } else {
        given[0].value = rbl_buf_str(&sids).p;
        rc = ctl_op_with(ctl, 2, given);
    }

    rbl_buf_free(&sids);

    return rc;
}


int
ctl_profile_add(ctl_t *ctl)
{
    return except_run(ctl, ctl->args[1].p, ctl_option(ctl, "except"));
}


int
ctl_profile_except(ctl_t *ctl)
{
    if ((ctl->n_args == 3) == (ctl_option(ctl, "none") != NULL)) {
        return ctl_fail("give the lists, or --none to leave none out");
    }

    if (ctl->n_args == 3 && rbl_trim(ctl->args[2]).n == 0) {
        return ctl_fail("an empty list of lists is no list: give --none to"
                        " leave none out");
    }

    return except_run(ctl, NULL, ctl->n_args == 3 ? ctl->args[2].p : NULL);
}
