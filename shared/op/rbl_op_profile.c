/*
 * Monitoring profiles that follow the system lists, all of them or all but
 * some.  The calls of the API show the lists that a profile has now, and do not
 * know which it leaves out.
 */

#include "rbl_ops.h"

#include "rbl_view.h"


static const rbl_outcome_t  rbl_profile_refusals[] = {
    RBL_UNKNOWN_ID("PROFILE", "profile"),
    RBL_INVALID("ENTRIES", "entries"),
    RBL_INVALID("EXCEPT", "except"),
    { "DEFAULT", 409,
      "This is the default profile. Make another one the default instead." },
    { "LIMIT", 409, "An account may have at most %L profiles." },
    { NULL, 0, NULL }
};


/* -1: refused. */

static int
rbl_profile_actives(rbl_run_t *run, rbl_str_t **sids, const redisReply *reply)
{
    size_t  i, n;

    n = rbl_reply_len(reply);
    *sids = rbl_room(run, (n + 1) * sizeof(rbl_str_t));

    if (*sids == NULL) {
        return -1;
    }

    for (i = 0; i < n; i++) {
        (*sids)[i] = rbl_reply_str(rbl_reply_at(reply, i));
    }

    return 0;
}


static void
rbl_profile_members(rbl_doc_t *doc, const rbl_profile_t *profile,
    rbl_str_t chosen, size_t n, const rbl_str_t *active)
{
    rbl_view_profile(doc, "profile", profile, rbl_str_eq(profile->id, chosen),
                     n, active);
    (void) rbl_view_texts(doc, "except", profile->except);
}


static void
rbl_profile_one(rbl_run_t *run, rbl_doc_t *doc, rbl_str_t record,
    rbl_str_t chosen, const redisReply *active)
{
    rbl_str_t      *sids;
    rbl_profile_t   profile;

    if (rbl_profile_decode(&profile, record) != RBL_OK) {
        rbl_refuse(run, 500, "The record of a profile is damaged.");
        return;
    }

    if (rbl_profile_actives(run, &sids, active) == 0) {
        rbl_doc_object(doc, "data");
        rbl_profile_members(doc, &profile, chosen, rbl_reply_len(active),
                            sids);
        rbl_doc_close(doc);
    }
}


static void
rbl_profile_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_profile_show_reply_t  said;

    rbl_profile_show_reply(&said, reply);
    rbl_profile_one(run, doc, said.record, said.chosen, said.active);
}


const rbl_op_t  rbl_op_profile = {
    .script = &rbl_script_profile_show,
    .kinds = { RBL_SID_PROFILE },
    .message = "OK",
    .answer = rbl_profile_answer,
    .refusals = rbl_profile_refusals
};


/* A profile whose record is damaged is left out: the others are shown. */

static void
rbl_profiles_answer(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    size_t                     i;
    rbl_str_t                 *sids;
    rbl_profile_t              profile;
    rbl_profiles_show_reply_t  said;

    rbl_profiles_show_reply(&said, reply);

    if (rbl_profile_actives(run, &sids, said.active) != 0) {
        return;
    }

    rbl_page_open(run, doc, "total_rbl_profiles", said.total);

    for (i = 0; i < rbl_reply_len(said.profiles); i++) {
        if (rbl_profile_decode(&profile,
                               rbl_reply_str(rbl_reply_at(said.profiles, i)))
            != RBL_OK)
        {
            run->by->note(run, "The record of a profile is damaged.");
            continue;
        }

        rbl_doc_object(doc, NULL);
        rbl_profile_members(doc, &profile, said.chosen,
                            rbl_reply_len(said.active), sids);
        rbl_doc_close(doc);
    }

    rbl_doc_close(doc);
}


const rbl_op_t  rbl_op_profiles = {
    .script = &rbl_script_profiles_show,
    .fields = rbl_page_fields,
    .message = "OK",
    .ranks = RBL_ARG(profiles_show, first),
    .page_most = 50,                    /* a record may have 7 KB */
    .answer = rbl_profiles_answer
};


static const rbl_field_t  rbl_profile_add_fields[] = {
    RBL_TEXT("name", RBL_NEEDED, rbl_label, RBL_ARG(profile_add, name)),
    RBL_TEXT("is_default", RBL_ZERO, rbl_flag,
             RBL_ARG(profile_add, is_default)),
    RBL_SIDS("except", RBL_LIST|RBL_EMPTY, RBL_SID_LIST,
             RBL_ARG(profile_add, given)),
    RBL_END
};

static const rbl_field_t  rbl_profile_update_fields[] = {
    RBL_TEXT("name", RBL_TOLD, rbl_label, RBL_ARG(profile_update, name)),
    RBL_TEXT("is_default", 0, rbl_flag,
             RBL_ARG(profile_update, is_default)),
    RBL_SIDS("except", RBL_LIST|RBL_EMPTY, RBL_SID_LIST,
             RBL_ARG(profile_update, given)),
    RBL_END
};


/* The lists that are given are those that the profile leaves out. */

static void
rbl_profile_left_out(rbl_str_t *given)
{
    if (rbl_str_is(*given, "1")) {
        *given = RBL_STR("2");
    }
}


static int
rbl_profile_add_prepare(rbl_run_t *run)
{
    rbl_profile_left_out(&run->argv[RBL_ARG(profile_add, given)]);

    return 0;
}


static int
rbl_profile_update_prepare(rbl_run_t *run)
{
    rbl_profile_left_out(&run->argv[RBL_ARG(profile_update, given)]);

    return 0;
}


static void
rbl_profile_added(rbl_run_t *run, rbl_doc_t *doc, const redisReply *reply)
{
    rbl_profile_add_reply_t  said;

    rbl_profile_add_reply(&said, reply);
    rbl_profile_one(run, doc, said.record,
                    rbl_str_is(run->argv[RBL_ARG(profile_add, is_default)], "1")
                    ? rbl_sid_str(&run->id) : RBL_STR(""), said.follows);
}


const rbl_op_t  rbl_op_profile_new = {
    .script = &rbl_script_profile_add,
    .fields = rbl_profile_add_fields,
    .kinds = { RBL_SID_PROFILE },
    .makes = 1,
    .message = "Profile added successfully.",
    .prepare = rbl_profile_add_prepare,
    .answer = rbl_profile_added,
    .refusals = rbl_profile_refusals
};

const rbl_op_t  rbl_op_profile_change = {
    .script = &rbl_script_profile_update,
    .fields = rbl_profile_update_fields,
    .kinds = { RBL_SID_PROFILE },
    .message = "Profile updated successfully.",
    .prepare = rbl_profile_update_prepare,
    .refusals = rbl_profile_refusals
};
