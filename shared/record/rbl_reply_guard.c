/*
 * Checks a reply before hiredis allocates memory for it.
 */

#include "rbl_reply_guard.h"

/* The number of elements in a call of createArray. */
#if HIREDIS_MAJOR > 0
typedef size_t  rbl_reply_count_t;
#else
typedef int  rbl_reply_count_t;
#endif

static const char  rbl_reply_no_message[] =
    "it sent a subscriber what is not a message";


void
rbl_reply_messages(rbl_reply_guard_t *guard)
{
    guard->asked = NULL;
    guard->messages = 1;
}


static int
rbl_reply_of_message(const redisReadTask *task, rbl_reply_count_t n)
{
    if (task->parent == NULL) {
        return task->type == REDIS_REPLY_ERROR || n == 3;
    }

    return task->idx < 2 ? task->type == REDIS_REPLY_STRING
                         : task->type != REDIS_REPLY_ARRAY;
}


static unsigned
rbl_reply_parents(const redisReadTask *task)
{
    unsigned  n;

    for (n = 0; task->parent != NULL && n <= RBL_REPLY_PARENTS; n++) {
        task = task->parent;
    }

    return n;
}


/* NULL of a reader means out of memory to hiredis, which ends the
   connection. */

static int
rbl_reply_allowed(rbl_reply_guard_t *guard, const redisReadTask *task,
    rbl_reply_count_t n)
{
    if (task->parent == NULL) {
        guard->announced = 0;

        if (guard->asked != NULL && guard->asked->head == NULL) {
            guard->refused = "it sent a reply that no command waits for";
            return 0;
        }
    }

    if (guard->messages && !rbl_reply_of_message(task, n)) {
        guard->refused = rbl_reply_no_message;
        return 0;
    }

    if (task->type > REDIS_REPLY_ERROR) {
        guard->refused = "it sent a reply of RESP3";
        return 0;
    }

    /* a negative int is a large size_t */

    if ((size_t) n > RBL_REPLY_ELEMENTS - guard->announced) {
        guard->refused = "it announced a reply with too many elements";
        return 0;
    }

    if (n != 0 && rbl_reply_parents(task) > RBL_REPLY_PARENTS) {
        guard->refused = "it announced a reply with too many levels";
        return 0;
    }

    guard->announced += (size_t) n;

    return 1;
}


const char *
rbl_reply_lost(const rbl_reply_guard_t *guard, const char *errstr)
{
    return guard->refused != NULL ? guard->refused : errstr;
}


#if HIREDIS_MAJOR > 0

static void *
rbl_reply_no_double(const redisReadTask *task, double value, char *str,
    size_t len)
{
    (void) value;
    (void) str;
    (void) len;
    (void) rbl_reply_allowed(task->privdata, task, 0);

    return NULL;
}


static void *
rbl_reply_no_bool(const redisReadTask *task, int value)
{
    (void) value;
    (void) rbl_reply_allowed(task->privdata, task, 0);

    return NULL;
}

#endif


static void
rbl_reply_functions(redisReplyObjectFunctions *fn)
{
    memset(fn, 0, sizeof(*fn));

#if HIREDIS_MAJOR > 0
    fn->createDouble = rbl_reply_no_double;
    fn->createBool = rbl_reply_no_bool;
#endif
}


static void *
rbl_reply_reader_string(const redisReadTask *task, char *str, size_t len)
{
    rbl_str_t            word = { str, len };
    rbl_reply_reader_t  *reader = task->privdata;

    /* Another word would end the subscription. */

    if (reader->guard.messages && task->parent != NULL && task->idx == 0
        && !rbl_str_is(word, "message") && !rbl_str_is(word, "subscribe"))
    {
        reader->guard.refused = rbl_reply_no_message;
        return NULL;
    }

    return rbl_reply_allowed(&reader->guard, task, 0)
           ? reader->own->createString(task, str, len) : NULL;
}


static void *
rbl_reply_reader_array(const redisReadTask *task, rbl_reply_count_t n)
{
    rbl_reply_reader_t  *reader = task->privdata;

    return rbl_reply_allowed(&reader->guard, task, n)
           ? reader->own->createArray(task, n) : NULL;
}


static void *
rbl_reply_reader_integer(const redisReadTask *task, long long value)
{
    rbl_reply_reader_t  *reader = task->privdata;

    return rbl_reply_allowed(&reader->guard, task, 0)
           ? reader->own->createInteger(task, value) : NULL;
}


static void *
rbl_reply_reader_nil(const redisReadTask *task)
{
    rbl_reply_reader_t  *reader = task->privdata;

    if (reader->guard.messages) {
        reader->guard.refused = rbl_reply_no_message;
        return NULL;
    }

    return rbl_reply_allowed(&reader->guard, task, 0)
           ? reader->own->createNil(task) : NULL;
}


void
rbl_reply_reader(rbl_reply_reader_t *reader, redisContext *c,
    const redisCallbackList *asked)
{
    memset(&reader->guard, 0, sizeof(reader->guard));
    reader->guard.asked = asked;
    reader->own = c->reader->fn;
    rbl_reply_functions(&reader->fn);
    reader->fn.createString = rbl_reply_reader_string;
    reader->fn.createArray = rbl_reply_reader_array;
    reader->fn.createInteger = rbl_reply_reader_integer;
    reader->fn.createNil = rbl_reply_reader_nil;
    reader->fn.freeObject = reader->own->freeObject;
    c->reader->fn = &reader->fn;
    c->reader->privdata = reader;
}
