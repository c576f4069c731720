/*
 * The shape of a cluster, from CLUSTER NODES, and what is said of it.
 */

#include "rbl_shape.h"
#include "tap.h"

#define A  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C  "cccccccccccccccccccccccccccccccccccccccc"
#define D  "dddddddddddddddddddddddddddddddddddddddd"

#define MASTER_A   A " 10.0.0.1:6379@16379 myself,master - 0 1 1 connected "
#define MASTER_B   B " 10.0.0.2:6380@16380,b.example master - 0 1 2 connected" \
                   " 8192-16383\n"
#define REPLICA_A  C " 10.0.0.3:6379@16379 slave " A " 0 1 1 connected\n"
#define WHOLE      MASTER_A "0-8191\n" MASTER_B REPLICA_A


static const struct {
    const char  *text;
    unsigned     away, idle, open;
    const char  *reason, *remedy, *name;
} shapes[] = {
    { WHOLE, 0, 0, 0, NULL, NULL, "a whole cluster" },
    { "", 0, 0, 0, NULL, NULL, "no reply" },
    { MASTER_A "0-8191\n" MASTER_B
      C " 10.0.0.3:6379@16379 slave,fail " A " 0 1 1 disconnected\n",
      1, 0, 0, NULL, NULL, "a replica is away" },
    { WHOLE D " 10.0.0.4:1@2 master,fail - 0 1 3 disconnected\n",
      1, 0, 0, NULL, NULL, "an old master is away" },
    { WHOLE D " 10.0.0.4:1@2 slave,fail? " B " 0 1 3 connected\n",
      0, 0, 0, NULL, NULL, "a server is perhaps away" },
    { WHOLE D " 10.0.0.4:1@2 handshake - 0 0 0 connected\n",
      0, 0, 0, NULL, NULL, "a server comes" },
    { WHOLE D " 10.0.0.4:1@2 master - 0 1 3 connected\n", 0, 1, 0,
      "a master has no slots: 10.0.0.4:1",
      "make it a replica; try at 10.0.0.4:1: redis-cli cluster replicate " B,
      "a master without slots" },
    { MASTER_A "0-8191 [77->-" B "]\n" MASTER_B, 0, 0, 1,
      "a move of slots is not over: slot 77 at 10.0.0.1:6379",
      "if no move goes on, end it; try: redis-cli --cluster fix"
      " 10.0.0.1:6379", "a slot is given" },
    { MASTER_A "[78-<-" B "]\n" MASTER_B, 0, 0, 1,
      "a move of slots is not over: slot 78 at 10.0.0.1:6379",
      "if no move goes on, end it; try: redis-cli --cluster fix"
      " 10.0.0.1:6379", "a slot is taken" },
    { MASTER_A "0-8191 [x-<-] [ [-1->-] [16384->-]\n", 0, 0, 0, NULL, NULL,
      "slots that are none" },
    { A "\n" B " x\n\n " A " - - - -", 0, 0, 0, NULL, NULL, "short lines" },
    { WHOLE D " $(x);'@2 master - 0 1 3 connected\n", 0, 1, 0,
      "a master has no slots: ?",
      "make it a replica; try at ?: redis-cli cluster replicate " B,
      "a hostile address" },
};


int
main(void)
{
    size_t       i;
    char         reason[RBL_CONDITION_REASON], remedy[RBL_CONDITION_REMEDY];
    redisReply   r;
    rbl_shape_t  shape;

    for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        memset(&r, 0, sizeof(r));
        r.type = REDIS_REPLY_STRING;
        r.str = (char *) (uintptr_t) shapes[i].text;
        r.len = strlen(r.str);
        rbl_shape_init(&shape);
        rbl_shape_add(&shape, &r);
        ok(shape.away == shapes[i].away && shape.idle == shapes[i].idle
           && shape.open == shapes[i].open, "%s", shapes[i].name);

        if (!rbl_shape_fault(&shape, reason, remedy)) {
            ok(shapes[i].reason == NULL, "%s: no fault", shapes[i].name);
            continue;
        }

        is_str(rbl_str(reason), shapes[i].reason, shapes[i].name);
        is_str(rbl_str(remedy), shapes[i].remedy, shapes[i].name);
    }

    rbl_shape_init(&shape);
    rbl_shape_add(&shape, NULL);
    ok(!rbl_shape_fault(&shape, reason, remedy), "no reply at all");

    return tap_done();
}
