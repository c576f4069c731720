/* Which stores a program can use, and what it says of the others. */

#include "rbl_meta.h"
#include "resp.h"
#include "tap.h"

#define V  RBL_SCHEMA_VERSION

static const struct {
    rbl_meta_t        meta;
    rbl_meta_state_t  state;
    const char       *why;
} stores[] = {
    { { V, 64, V }, RBL_META_OK, "" },
    { { V - 1, 64, V - 1 }, RBL_META_OK, "" },
    { { V - 2, 64, V - 2 }, RBL_META_SCHEMA, "it has schema 7, this rblctl can"
      " use 8 and 9 (rbl-operations(7), Upgrading)" },
    { { V + 1, 64, V + 1 }, RBL_META_SCHEMA, "it has schema 10, this rblctl can"
      " use 8 and 9 (rbl-operations(7), Upgrading)" },
    { { V + 1, 64, V }, RBL_META_OK, "" },
    { { V + 2, 64, V - 1 }, RBL_META_OK, "" },
    { { V + 2, 64, V + 1 }, RBL_META_SCHEMA, NULL },
    { { INT64_MAX, 64, INT64_MAX }, RBL_META_SCHEMA, NULL },
    { { INT64_MIN, 64, INT64_MIN }, RBL_META_SCHEMA, NULL },
    { { 0, 64, 0 }, RBL_META_SCHEMA, NULL },
    { { -1, 64, -1 }, RBL_META_SCHEMA, NULL },
    { { -1, -1, -1 }, RBL_META_NONE, "it has not been initialised (rblctl"
      " init)" },
    { { V, -1, V }, RBL_META_DAMAGED, NULL },
    { { V, 0, V }, RBL_META_DAMAGED, NULL },
    { { V, 12, V }, RBL_META_DAMAGED, "its number of partitions, 12, is not a"
      " power of two from 1 to 1024" },
    { { V, 2048, V }, RBL_META_DAMAGED, NULL },
    { { V, INT64_MIN, V }, RBL_META_DAMAGED, NULL },
};

static const struct {
    const char  *reply;                 /* of resp_parse */
    int64_t      schema, partitions, oldest;
} replies[] = {
    { "*3|$1|9|$2|64|$1|8|", 9, 64, 8 },
    { "*3|$1|8|$2|64|$-1|", 8, 64, 8 },
    { "*3|$-1|$-1|$-1|", -1, -1, -1 },
    { "*2|$1|9|$2|64|", 9, 64, 9 },
    { "*0|", -1, -1, -1 },
    { "$1|9|", -1, -1, -1 },
    { "-NOPERM no|", -1, -1, -1 },
    { "*3|$1|x|*0|:7|", -1, -1, 7 },
};


int
main(void)
{
    char             why[RBL_META_WHY];
    size_t           i;
    rbl_meta_t       meta;
    redisReply      *reply;
    rbl_keyspace_t   ks;

    for (i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
        rbl_keyspace_init(&ks, RBL_STR("rbl"));
        ok(rbl_meta_take(&ks, &stores[i].meta) == stores[i].state,
           "store %zu", i);
        ok(ks.partitions == (stores[i].state == RBL_META_OK ? 64 : 0),
           "its partitions");

        rbl_meta_why(why, stores[i].state, &stores[i].meta, "rblctl");

        if (stores[i].why != NULL) {
            is_str(rbl_str(why), stores[i].why, "what is said of it");
        }
    }

    for (i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        reply = resp_parse(replies[i].reply);
        rbl_meta_read(&meta, reply);
        ok(meta.schema == replies[i].schema
           && meta.partitions == replies[i].partitions
           && meta.oldest == replies[i].oldest, "%s", replies[i].reply);
        freeReplyObject(reply);
    }

    rbl_meta_read(&meta, NULL);
    ok(meta.schema == -1, "no reply");

    return tap_done();
}
