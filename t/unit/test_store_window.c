/*
 * The window of a connection: commands sent at once, waiting commands, and
 * their order.
 */

#include "store/store_int.h"
#include "tap.h"

#include <stdlib.h>

#define MAX  24


static store_cmd_t     cmds[MAX];
static store_window_t  window;


static void
reset(void)
{
    memset(cmds, 0, sizeof(cmds));
    store_window_init(&window);
}


static int
add(int i, size_t n)
{
    cmds[i].n = n;
    return store_window_add(&window, &cmds[i]);
}


/* Sends the commands that fit; returns their numbers as a text. */

static const char *
sent(void)
{
    size_t        n;
    store_cmd_t  *cmd;
    static char   text[4 * MAX];

    n = 0;
    text[0] = '\0';

    while ((cmd = store_window_next(&window)) != NULL) {
        n += (size_t) snprintf(text + n, sizeof(text) - n, "%d ",
                               (int) (cmd - cmds));
        store_window_sent(&window, cmd, cmd->n);
    }

    return text;
}


static void
test_room(void)
{
    reset();
    add(0, 4000);
    add(1, 4000);
    add(2, 192);
    add(3, 1);
    add(4, 1);
    ok(strcmp(sent(), "0 1 2 ") == 0, "as much as the window holds");
    ok(window.in_flight == STORE_WINDOW, "that is all of it");
    ok(strcmp(sent(), "") == 0, "no more");
    store_window_ended(&window, &cmds[2]);
    ok(strcmp(sent(), "3 4 ") == 0, "an answer makes room");
    store_window_ended(&window, &cmds[2]);
    ok(window.in_flight == 8002, "once");
    store_window_ended(&window, &cmds[0]);
    store_window_ended(&window, &cmds[1]);
    store_window_ended(&window, &cmds[3]);
    store_window_ended(&window, &cmds[4]);
    ok(window.in_flight == 0 && window.held == 0, "nothing is left");
}


static void
test_large(void)
{
    reset();
    add(0, 10);
    add(1, 100000);
    add(2, 10);
    ok(strcmp(sent(), "0 ") == 0, "a large one waits for all before it");
    store_window_ended(&window, &cmds[0]);
    ok(strcmp(sent(), "1 ") == 0, "and goes alone; a small one waits");
    store_window_ended(&window, &cmds[1]);
    ok(strcmp(sent(), "2 ") == 0, "until its reply");
}


static void
test_again(void)
{
    rbl_script_t  script = { .source_len = 8000 };

    reset();
    add(0, 100);
    add(1, 100);
    add(2, 100);
    ok(strcmp(sent(), "0 1 2 ") == 0, "three are sent");
    add(3, 8190);
    cmds[1].script = &script;
    cmds[1].whole = 1;
    store_window_ended(&window, &cmds[1]);
    store_window_back(&window, &cmds[1]);
    ok(window.held == 8190 + 8100, "one again, with its source");
    ok(strcmp(sent(), "") == 0, "there is no room for that");
    store_window_ended(&window, &cmds[0]);
    store_window_ended(&window, &cmds[2]);
    ok(strcmp(sent(), "1 ") == 0, "it goes before later commands");
    store_window_ended(&window, &cmds[1]);
    ok(strcmp(sent(), "3 ") == 0, "which is next");

    reset();
    add(0, 10);
    ok(strcmp(sent(), "0 ") == 0, "one that is alone");
    store_window_ended(&window, &cmds[0]);
    store_window_back(&window, &cmds[0]);
    ok(strcmp(sent(), "0 ") == 0, "goes again");
}


/* Late commands wait behind all others, but not for ever. */

static void
test_late(void)
{
    int  i;

    reset();
    add(0, STORE_WINDOW);
    ok(strcmp(sent(), "0 ") == 0, "the window is full");
    cmds[1].late = cmds[2].late = 1;
    add(1, 10);
    add(2, 10);

    for (i = 3; i < 3 + 2 * STORE_LATE; i++) {
        add(i, 10);
    }

    store_window_ended(&window, &cmds[0]);
    ok(strcmp(sent(), "3 4 5 6 7 8 9 1 10 11 12 13 14 15 16 17 2 18 ") == 0,
       "one late one after every eight others");
    ok(window.held == 0, "all are sent");

    reset();
    cmds[0].late = cmds[1].late = 1;
    add(0, 10);
    add(1, 10);
    ok(strcmp(sent(), "0 1 ") == 0, "alone they go at once, in sequence");
    add(2, STORE_WINDOW);
    store_window_ended(&window, &cmds[0]);
    store_window_back(&window, &cmds[0]);
    ok(strcmp(sent(), "") == 0, "one again waits for room");
    store_window_ended(&window, &cmds[1]);
    ok(strcmp(sent(), "2 ") == 0, "behind one that is not late");
    store_window_ended(&window, &cmds[2]);
    ok(strcmp(sent(), "0 ") == 0, "and then it goes");
}


static void
test_bounded(void)
{
    reset();
    ok(add(0, STORE_WAITING + 1) == 0, "one command always has a place");
    ok(add(1, 1) == -1, "too much waits");
    ok(store_window_drop(&window) == &cmds[0]
       && store_window_drop(&window) == NULL, "only the first");
    ok(window.held == 0, "nothing is held");
    ok(add(1, STORE_WAITING - 1) == 0 && add(2, 1) == 0, "as much as may wait");
    ok(add(3, 1) == -1, "not an octet more");
}


int
main(void)
{
    test_room();
    test_large();
    test_again();
    test_late();
    test_bounded();

    return tap_done();
}
