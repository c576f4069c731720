/*
 * The generated table of scripts: the sources match their SHA-1, and replies
 * are read as declared by the heads of the scripts.
 */

#include "rbl_script.h"
#include "tap.h"

#include <openssl/evp.h>


static int
sha1_matches(const rbl_script_t *script)
{
    char           hex[41];
    unsigned       i, n;
    unsigned char  digest[EVP_MAX_MD_SIZE];

    if (EVP_Digest(script->source, script->source_len, digest, &n,
                   EVP_sha1(), NULL) != 1
        || n != 20)
    {
        return 0;
    }

    for (i = 0; i < n; i++) {
        snprintf(hex + i * 2, 3, "%02x", digest[i]);
    }

    return strcmp(hex, script->sha1) == 0;
}


/* A reply of texts; a NULL among them is an empty array. */

static redisReply *
reply_of(int n, const char *const *text)
{
    int                 i;
    static redisReply   reply, element[16];
    static redisReply  *elements[16];

    for (i = 0; i < n; i++) {
        element[i] = (redisReply) {
            .type = text[i] != NULL ? REDIS_REPLY_STRING : REDIS_REPLY_ARRAY,
            .str = (char *) text[i],
            .len = text[i] != NULL ? strlen(text[i]) : 0
        };
        elements[i] = &element[i];
    }

    reply = (redisReply) {
        .type = REDIS_REPLY_ARRAY, .elements = (size_t) n, .element = elements
    };

    return &reply;
}


static void
test_replies(void)
{
    redisReply               error = { .type = REDIS_REPLY_ERROR,
                                       .str = (char *) "ERR", .len = 3 };
    rbl_check_take_due_t     due;
    rbl_work_step_reply_t    step;
    rbl_check_start_reply_t  start;

    rbl_check_start_reply(&start, reply_of(6, (const char *const []) {
        "OK", "PP1", "queued", "192.0.2.1", "36", "" }));
    ok(start.word == RBL_CHECK_START_OK && rbl_str_is(start.check, "PP1")
       && rbl_str_is(start.status, "queued")
       && rbl_str_is(start.value, "192.0.2.1") && start.total == 36
       && start.lists.p != NULL && start.lists.n == 0,
       "a reply with all its fields");

    rbl_check_start_reply(&start, reply_of(2, (const char *const []) {
        "LIMIT", "7" }));
    ok(start.word == RBL_CHECK_START_LIMIT && start.max == 7
       && start.check.p == NULL && start.total == 0,
       "the fields of another word are nothing");

    rbl_check_start_reply(&start, reply_of(3, (const char *const []) {
        "OK", NULL, "queued" }));
    ok(start.word == RBL_CHECK_START_OK && start.check.p == NULL
       && rbl_str_is(start.status, "queued") && start.value.p == NULL
       && start.total == 0,
       "nor are those that are missing, or of another type");

    rbl_work_step_reply(&step, reply_of(4, (const char *const []) {
        "OK", "1", "x", "" }));
    ok(step.word == RBL_WORK_STEP_OK && step.over == 1 && step.left == 0,
       "an invalid number is 0");

    rbl_check_start_reply(&start, reply_of(2, (const char *const []) {
        "OTHER", "7" }));
    ok(start.word == RBL_CHECK_START_NO_REPLY && start.max == 0,
       "a word that is not declared");
    rbl_check_start_reply(&start, &error);
    ok(start.word == RBL_CHECK_START_NO_REPLY, "an error");
    rbl_check_start_reply(&start, NULL);
    ok(start.word == RBL_CHECK_START_NO_REPLY && start.check.p == NULL,
       "no reply");
    rbl_check_start_reply(&start, reply_of(0, NULL));
    ok(start.word == RBL_CHECK_START_NO_REPLY, "an empty one");

    rbl_check_take_due(&due, reply_of(3, (const char *const []) {
        "AC1", "1700000000000", NULL }));
    ok(rbl_str_is(due.account, "AC1") && due.till == 1700000000000
       && due.hosts != NULL && rbl_reply_len(due.hosts) == 0, "a row");
    rbl_check_take_due(&due, NULL);
    ok(due.account.p == NULL && due.till == 0 && due.hosts == NULL, "no row");
}


int
main(void)
{
    size_t  i, j;

    for (i = 0; rbl_scripts[i] != NULL; i++) {
        ok(sha1_matches(rbl_scripts[i]), "SHA-1 of %s",
           rbl_scripts[i]->name);
        ok(rbl_scripts[i]->source_len > 0
           && rbl_scripts[i]->source_len == strlen(rbl_scripts[i]->source)
           && rbl_scripts[i]->name[0] != '_', "%s is a script",
           rbl_scripts[i]->name);

        for (j = 0; j < i; j++) {
            if (strcmp(rbl_scripts[i]->name, rbl_scripts[j]->name) == 0) {
                ok(0, "%s is there twice", rbl_scripts[i]->name);
            }
        }
    }

    ok(i > 0, "there are scripts");
    test_replies();

    return tap_done();
}
