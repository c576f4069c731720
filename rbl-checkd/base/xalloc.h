/*
 * Memory that is always there.  If none is left, the process writes one line to
 * the log and ends at once: systemd starts a daemon again, and until then the
 * other daemons do its work when its leases have ended.  No caller looks for
 * NULL, nothing goes on half-working, and each block is freed with free().
 */

#ifndef XALLOC_H_INCLUDED
#define XALLOC_H_INCLUDED

#include <stddef.h>

#define XALLOC_STATUS  3                /* exit status of the process */

__attribute__((alloc_size(1), malloc, returns_nonnull))
void *xmalloc(size_t n);

/* n objects, zeroed.  n may come from outside: their size does not overflow. */
__attribute__((alloc_size(1, 2), malloc, returns_nonnull))
void *xcalloc(size_t n, size_t size);

__attribute__((alloc_size(2), returns_nonnull))
void *xrealloc(void *p, size_t n);

/* Returns p: memory for n bytes that other code has allocated, or NULL. */
__attribute__((returns_nonnull))
void *xalloc_need(void *p, size_t n);

/* A copy of n bytes, which need not end with a NUL, with a NUL behind them. */
__attribute__((malloc, returns_nonnull))
char *xstrndup(const char *p, size_t n);

__attribute__((malloc, returns_nonnull))
char *xstrdup(const char *p);

/*
 * jansson, libev and hiredis (from 1.0) end the process likewise: what they
 * return is NULL for other reasons only.  To be called once, before any of
 * them.  curl gets the same by curl_global_init_mem.  OpenSSL and ldns have
 * their own memory: they fail for other reasons, too, so their results are
 * looked at.
 */
void xalloc_libraries(void);

#endif /* XALLOC_H_INCLUDED */
