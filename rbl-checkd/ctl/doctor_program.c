/*
 * rblctl doctor: runs a program and takes its output.  No shell is between, so
 * names of files need no quotes.
 */

#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM_NONE   127              /* exit status: it is not there */
#define PROGRAM_WORDS  15


/* The process that becomes the program. */
static void
program_become(const char *const *argv, int to)
{
    int          null;
    char        *words[PROGRAM_WORDS + 1], path[4096];
    size_t       n;
    const char  *before = getenv("PATH");

    /* execvp changes none of them */

    for (n = 0; argv[n] != NULL && n < PROGRAM_WORDS; n++) {
        memcpy(&words[n], &argv[n], sizeof(char *));
    }

    words[n] = NULL;
    null = open("/dev/null", O_RDWR | O_CLOEXEC);

    snprintf(path, sizeof(path), "%s%s/usr/sbin:/sbin",
             before == NULL ? "" : before, before == NULL ? "" : ":");

    if (dup2(null, STDIN_FILENO) != -1 && dup2(to, STDOUT_FILENO) != -1
        && dup2(to, STDERR_FILENO) != -1
        && setenv("PATH", path, 1) == 0
        && setenv("LC_ALL", "C", 1) == 0)
    {
        (void) execvp(argv[0], words);
    }

    _exit(PROGRAM_NONE);
}


int
doctor_program(const char *const *argv, char *out, size_t size)
{
    int      fd[2], status;
    size_t   n;
    pid_t    pid;
    ssize_t  got;

    out[0] = '\0';

    if (pipe2(fd, O_CLOEXEC) != 0) {
        return -1;
    }

    pid = fork();

    if (pid == 0) {
        program_become(argv, fd[1]);
    }

    close(fd[1]);
    n = 0;

    while (pid != -1 && n < size - 1) {
        got = read(fd[0], out + n, size - 1 - n);

        if (got <= 0 && !(got == -1 && errno == EINTR)) {
            break;
        }

        n += got > 0 ? (size_t) got : 0;
    }

    out[n] = '\0';
    close(fd[0]);

    if (pid == -1 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)
        || WEXITSTATUS(status) == PROGRAM_NONE)
    {
        return -1;
    }

    return WEXITSTATUS(status);
}
