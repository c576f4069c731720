/*
 * Without memory a process ends: one line in the log, and its own exit status.
 */

#include "base/buf.h"
#include "base/xalloc.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define ABSURD  (SIZE_MAX / 4)
#define TEXT    65536                   /* sanitizers have much to say */

/* So that the compiler does not know them. */

static volatile size_t  absurd = ABSURD, many = 16, none;
static void            *volatile kept;


/* AddressSanitizer otherwise ends the process by itself. */

const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}


static void
malloc_ends(void)
{
    kept = xmalloc(absurd);
}


static void
calloc_ends(void)
{
    kept = xcalloc(1, absurd);
}


/* The product overflows: to 8 bytes. */

static void
calloc_overflows(void)
{
    kept = xcalloc(absurd + 2, many / 2);
}


static void
realloc_ends(void)
{
    kept = xrealloc(xmalloc(many), absurd);
}


static void
jansson_ends(void)
{
    xalloc_libraries();
    kept = json_stringn_nocheck("", absurd);
}


/* Runs it in a process of its own; the status, or -1, and what it wrote. */

static int
run(void (*ends)(void), char text[TEXT])
{
    int      fd[2], status;
    pid_t    pid;
    size_t   n;
    ssize_t  got;

    if (pipe(fd) != 0 || (pid = fork()) < 0) {
        return -1;
    }

    if (pid == 0) {
        dup2(fd[1], STDERR_FILENO);
        close(fd[0]);
        close(fd[1]);
        ends();
        _exit(0);
    }

    close(fd[1]);

    n = 0;

    while ((got = read(fd[0], text + n, TEXT - 1 - n)) > 0) {
        n += (size_t) got;
    }

    text[n] = '\0';
    close(fd[0]);

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status)
           ? WEXITSTATUS(status) : -1;
}


static void
check_end(const char *name, void (*ends)(void), size_t bytes)
{
    char         want[64];
    static char  text[TEXT];

    ok(run(ends, text) == XALLOC_STATUS, "%s ends the process", name);
    snprintf(want, sizeof(want), ": out of memory (%zu bytes)\n", bytes);
    ok(strstr(text, want) != NULL, "the line of %s says how much was missing",
       name);
}


static void
check_memory(void)
{
    char       *p;
    int         i;
    rbl_buf_t   buf;

    p = xcalloc(many, 4);
    for (i = 0; i < 64 && p[i] == 0; i++) { /* void */ }
    ok(i == 64, "xcalloc zeroes the objects");

    p = xrealloc(p, 128);
    free(p);

    p = xstrndup("abcdef", 3);
    ok(strcmp(p, "abc") == 0, "xstrndup copies so many bytes");
    free(p);

    p = xstrdup("abcdef");
    ok(strcmp(p, "abcdef") == 0, "xstrdup copies the text");
    free(p);

    p = xmalloc(none);
    ok(p != NULL, "no bytes are a block, too");
    free(xrealloc(p, none));
    free(xcalloc(none, many));

    rbl_buf_init(&buf);

    for (i = 0; i < 10000; i++) {
        rbl_out_char(&buf.out, 'x');
    }

    ok(rbl_buf_str(&buf).n == 10000 && !buf.out.failed, "a buffer grows");
    rbl_buf_free(&buf);
}


int
main(void)
{
    check_memory();
    check_end("xmalloc", malloc_ends, ABSURD);
    check_end("xcalloc", calloc_ends, ABSURD);
    check_end("a product that overflows", calloc_overflows, SIZE_MAX);
    check_end("xrealloc", realloc_ends, ABSURD);
    check_end("jansson", jansson_ends, ABSURD + 1);

    return tap_done();
}
