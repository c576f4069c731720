/*
 * Contacts of type endpoint (rbl-events(7)): the message as it is stored, by
 * POST to the customer's URL.  There is no secret to sign it with, but the
 * customer may have given a name and a password.
 */

#include "channel.h"

#include <time.h>


static rbl_err_t
endpoint_login(request_t *request, rbl_str_t login)
{
    char       name[RBL_CONTACT_MAX], password[RBL_CONTACT_MAX];
    rbl_str_t  first, second;

    first = rbl_until(&login, ':');

    if (rbl_contact_unescape(name, &first, first) != RBL_OK
        || rbl_contact_unescape(password, &second, login) != RBL_OK)
    {
        return channel_never(request, "its name or password is malformed");
    }

    rbl_out_str(&request->to_made.out, request->to);
    channel_user(request, first, second);
    explicit_bzero(password, sizeof(password));

    return RBL_OK;
}


static rbl_err_t
endpoint_make(request_t *request, const channel_job_t *job)
{
    rbl_err_t  rc;
    rbl_str_t  login;

    rc = channel_json(request, job, (int64_t) time(NULL));
    request->to = rbl_contact_url(job->to, &login);

    return rc == RBL_OK && login.n > 0 ? endpoint_login(request, login) : rc;
}


const channel_t  channel_endpoint = {
    .type = RBL_CONTACT_ENDPOINT,
    .repeats = &backoff_contact,
    .make = endpoint_make,
    .judge = channel_judge_http
};
