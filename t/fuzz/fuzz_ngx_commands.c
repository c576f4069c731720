/*
 * Commands in the store's protocol (ngx_rbl_commands.c).  A line is an
 * argument; an empty line ends a command, "!" makes it the call of a script,
 * and "?" gives a script a guard.
 *
 * hiredis, which parses the same protocol, finds each command with exactly its
 * arguments, for any bytes, and nothing between them.  As EVAL only the first
 * two arguments differ.
 */

#include "fuzz_ngx.h"
#include "ngx_rbl_commands.h"

#define ARGS      32
#define COMMANDS  16

static const rbl_script_t  script = {
    "name", "0123456789abcdef0123456789abcdef01234567", "return 1\n", 9, 1, 1, 0
};


static redisReply *
read_back(const void *p, size_t n)
{
    void         *reply;
    redisReader  *reader;

    reader = redisReaderCreate();
    fuzz_check(reader != NULL);
    fuzz_check(redisReaderFeed(reader, p, n) == REDIS_OK);
    fuzz_check(redisReaderGetReply(reader, &reply) == REDIS_OK);
    fuzz_check(reply != NULL && reader->pos == reader->len);
    redisReaderFree(reader);

    return reply;
}


static void
check_args(const redisReply *r, size_t skip, int argc, const rbl_str_t *argv)
{
    int  i;

    fuzz_check(r->type == REDIS_REPLY_ARRAY);
    fuzz_check(r->elements == skip + (size_t) argc);

    for (i = 0; i < argc; i++) {
        fuzz_check(rbl_str_eq(rbl_reply_str(r->element[skip + (size_t) i]),
                              argv[i]));
    }
}


static void
check_command(const ngx_rbl_commands_t *commands, ngx_uint_t i, int argc,
    const rbl_str_t *argv)
{
    char               *eval;
    size_t              n;
    redisReply         *r;
    ngx_rbl_command_t  *command;

    command = &commands->elts[i];
    fuzz_check(command->start + command->len <= commands->len);
    r = read_back(commands->bytes + command->start, command->len);
    check_args(r, command->script ? 3 : 0, argc, argv);
    freeReplyObject(r);

    if (command->script == NULL) {
        return;
    }

    eval = ngx_rbl_commands_eval(commands, i, &n, &fuzz_log);
    fuzz_check(eval != NULL);
    r = read_back(eval, n);
    check_args(r, 3, argc, argv);
    fuzz_check(rbl_str_is(rbl_reply_str(r->element[0]), "EVAL"));
    fuzz_check(rbl_str_is(rbl_reply_str(r->element[1]), script.source));
    freeReplyObject(r);
    ngx_free(eval);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int                  argc[COMMANDS], n;
    fuzz_t               f;
    unsigned             i, used;
    rbl_str_t            line, argv[COMMANDS][ARGS + 1];
    ngx_rbl_commands_t   commands;
    const rbl_str_t      guards = RBL_STR("rbl:{07N}:acct:-");
    rbl_str_t            guard;
    const rbl_script_t  *call;

    fuzz_init(&f, data, size);
    memset(&commands, 0, sizeof(commands));

    for (used = 0; used < COMMANDS && fuzz_left(&f) > 0; used++) {
        call = NULL;
        guard = RBL_STR("");

        for (n = 0; n < ARGS && fuzz_left(&f) > 0 && f.n < FUZZ_COPIES; ) {
            line = fuzz_line(&f);

            if (rbl_str_is(line, "!")) {
                call = &script;
                continue;
            }

            if (rbl_str_is(line, "?")) {
                guard = guards;
                continue;
            }

            if (line.n == 0 && n > 0) {
                break;
            }

            argv[used][n++] = line;
        }

        if (n == 0) {
            break;
        }

        fuzz_check(ngx_rbl_commands_add(&commands, call, guard, n,
                                        argv[used], &fuzz_log)
                   == NGX_OK);

        /* the guard is expected behind the key */

        if (call != NULL && guard.n != 0) {
            memmove(&argv[used][2], &argv[used][1],
                    (size_t) (n - 1) * sizeof(rbl_str_t));
            argv[used][1] = guards;
            n++;
        }

        argc[used] = n;
    }

    fuzz_check(commands.nelts == used);

    for (i = 0; i < used; i++) {
        check_command(&commands, i, argc[i], argv[i]);
    }

    ngx_rbl_commands_free(&commands);
    fuzz_done(&f);

    return 0;
}
