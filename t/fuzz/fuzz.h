/*
 * Shared by the fuzz targets.  A target is one program with one function,
 * LLVMFuzzerTestOneInput.  libFuzzer calls it (make fuzz), or replay.c with the
 * kept inputs (make check).
 *
 * The functions here cut inputs into lines or bytes.  Each part is a separate
 * copy on the heap, so that a sanitizer sees a read of one byte too many.  The
 * copies live until fuzz_done.
 */

#ifndef FUZZ_H_INCLUDED
#define FUZZ_H_INCLUDED

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rbl_common.h"

#define FUZZ_COPIES  256

/* A violated property aborts the program, as a crash would. */
#define fuzz_check(good)                                                      \
    do {                                                                      \
        if (!(good)) {                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
                    #good);                                                   \
            abort();                                                          \
        }                                                                     \
    } while (0)

typedef struct {
    const uint8_t  *p, *end;
    unsigned        n;
    void           *copy[FUZZ_COPIES];
} fuzz_t;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


__attribute__((unused))
static void
fuzz_init(fuzz_t *f, const uint8_t *data, size_t size)
{
    memset(f, 0, sizeof(*f));
    f->p = data;
    f->end = data + size;
}


__attribute__((unused))
static void
fuzz_done(fuzz_t *f)
{
    while (f->n > 0) {
        free(f->copy[--f->n]);
    }
}


__attribute__((unused))
static size_t
fuzz_left(const fuzz_t *f)
{
    return (size_t) (f->end - f->p);
}


/* Returns the next byte; 0 at the end. */
__attribute__((unused))
static unsigned
fuzz_u8(fuzz_t *f)
{
    return f->p < f->end ? *f->p++ : 0;
}


__attribute__((unused))
static uint32_t
fuzz_u32(fuzz_t *f)
{
    uint32_t  v;

    v = fuzz_u8(f) << 8;
    v = (v | fuzz_u8(f)) << 8;
    v = (v | fuzz_u8(f)) << 8;

    return v | fuzz_u8(f);
}


/* Returns a copy of any bytes; "" if the table of copies is full. */
__attribute__((unused))
static rbl_str_t
fuzz_copy(fuzz_t *f, const void *p, size_t n)
{
    char  *copy;

    if (f->n == FUZZ_COPIES) {
        return RBL_STR("");
    }

    copy = malloc(n ? n : 1);
    fuzz_check(copy != NULL);
    f->copy[f->n++] = copy;

    if (n > 0) {
        memcpy(copy, p, n);
    }

    return (rbl_str_t) { copy, n };
}


/* Returns the next n bytes, or as many as are left. */
__attribute__((unused))
static rbl_str_t
fuzz_take(fuzz_t *f, size_t n)
{
    const uint8_t  *p = f->p;

    n = n < fuzz_left(f) ? n : fuzz_left(f);
    f->p += n;

    return fuzz_copy(f, p, n);
}


__attribute__((unused))
static rbl_str_t
fuzz_rest(fuzz_t *f)
{
    return fuzz_take(f, fuzz_left(f));
}


/* Returns the bytes up to the next line feed, and skips the line feed. */
__attribute__((unused))
static rbl_str_t
fuzz_line(fuzz_t *f)
{
    rbl_str_t       line;
    const uint8_t  *lf;

    lf = fuzz_left(f) ? memchr(f->p, '\n', fuzz_left(f)) : NULL;
    line = fuzz_take(f, lf ? (size_t) (lf - f->p) : fuzz_left(f));
    f->p += lf != NULL;

    return line;
}


/*
 * Returns a copy with a NUL at the end; bytes after a NUL inside are hidden. ""
 * if the table of copies is full.
 */
__attribute__((unused))
static const char *
fuzz_z(fuzz_t *f, rbl_str_t s)
{
    char  *z;

    if (f->n == FUZZ_COPIES) {
        return "";
    }

    z = malloc(s.n + 1);
    fuzz_check(z != NULL);
    f->copy[f->n++] = z;
    memcpy(z, s.p, s.n);
    z[s.n] = '\0';

    return z;
}


/* Returns the name of a file with those bytes. */
__attribute__((unused))
static int
fuzz_file(char path[32], const uint8_t *data, size_t size)
{
    static int  fd = -1;

    if (fd == -1) {
        fd = memfd_create("input", MFD_CLOEXEC);
        fuzz_check(fd != -1);
    }

    fuzz_check(ftruncate(fd, 0) == 0);
    fuzz_check(pwrite(fd, data, size, 0) == (ssize_t) size);
    snprintf(path, 32, "/proc/self/fd/%d", fd);

    return fd;
}

#endif /* FUZZ_H_INCLUDED */
