/*
 * The allocator.  The process ends with _exit, not abort: a core of a process
 * that fills the machine would take long to write and would have all secrets,
 * and no handler of exit() may need memory.
 */

#include "log.h"
#include "xalloc.h"

#include <ev.h>
#include <hiredis/hiredis.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


__attribute__((noreturn))
static void
out_of_memory(size_t n)
{
    log_error("out of memory (%zu bytes)", n);
    _exit(XALLOC_STATUS);
}


/* The C library may return NULL for 0 bytes, and these may not. */

void *
xmalloc(size_t n)
{
    void  *p;

    p = malloc(n != 0 ? n : 1);
    if (p == NULL) {
        out_of_memory(n);
    }

    return p;
}


void *
xcalloc(size_t n, size_t size)
{
    void    *p;
    size_t   all;

    if (__builtin_mul_overflow(n, size, &all)) {
        out_of_memory(SIZE_MAX);
    }

    p = calloc(1, all != 0 ? all : 1);
    if (p == NULL) {
        out_of_memory(all);
    }

    return p;
}


void *
xrealloc(void *p, size_t n)
{
    p = realloc(p, n != 0 ? n : 1);
    if (p == NULL) {
        out_of_memory(n);
    }

    return p;
}


void *
xalloc_need(void *p, size_t n)
{
    if (p == NULL) {
        out_of_memory(n);
    }

    return p;
}


char *
xstrndup(const char *p, size_t n)
{
    char  *copy;

    copy = xmalloc(n + 1);
    memcpy(copy, p, n);
    copy[n] = '\0';

    return copy;
}


char *
xstrdup(const char *p)
{
    return xstrndup(p, strlen(p));
}


/* 0 bytes free the block. */

static void *
for_libev(void *p, long n)
{
    if (n == 0) {
        free(p);
        return NULL;
    }

    return xrealloc(p, (size_t) n);
}


void
xalloc_libraries(void)
{
#if HIREDIS_MAJOR > 0
    hiredisAllocFuncs  funcs = { xmalloc, xcalloc, xrealloc, xstrdup, free };

    (void) hiredisSetAllocators(&funcs);
#endif

    json_set_alloc_funcs(xmalloc, free);
    ev_set_allocator(for_libev);
}
