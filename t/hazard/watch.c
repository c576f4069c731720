/*
 * Preloaded into nginx by the hazard tests: reports actions of a process that
 * no response shows, and makes allocations of the module fail.
 *
 * RBL_WATCH names a file.  Lines are appended to it:
 *
 *     close PID FD        a descriptor was closed that is not open
 *     resolve PID NAME    a name was looked up that is not an address
 *
 * RBL_NOMEM names a file with one int32_t, shared with the test: while it is
 * above zero, each allocation by the module through nginx decrements it, and
 * the one that makes it zero fails.  For that, the module's table of imported
 * functions is changed as soon as it is loaded.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char        *told;
static volatile int32_t  *countdown;


/* nginx replaces its environment later. */

__attribute__((constructor)) static void
watch_init(void)
{
    const char  *path;

    path = getenv("RBL_WATCH");
    if (path != NULL) {
        told = strdup(path);
    }
}


static void
tell(const char *what, const char *text)
{
    int   n, fd, saved;
    char  line[300];

    if (told == NULL) {
        return;
    }

    saved = errno;
    fd = open(told, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

    if (fd != -1) {
        n = snprintf(line, sizeof(line), "%s %d %.200s\n", what,
                     (int) getpid(), text);
        if (write(fd, line, (size_t) n) != n) {
            abort();
        }

        syscall(SYS_close, fd);
    }

    errno = saved;
}


int
close(int fd)
{
    int   rc;
    char  number[16];

    rc = (int) syscall(SYS_close, fd);

    if (rc == -1 && errno == EBADF) {
        snprintf(number, sizeof(number), "%d", fd);
        tell("close", number);
    }

    return rc;
}


int
getaddrinfo(const char *node, const char *service,
    const struct addrinfo *hints, struct addrinfo **res)
{
    char  address[sizeof(struct in6_addr)];

    int (*real)(const char *, const char *, const struct addrinfo *,
        struct addrinfo **);

    if (node != NULL && inet_pton(AF_INET, node, address) != 1
        && inet_pton(AF_INET6, node, address) != 1)
    {
        tell("resolve", node);
    }

    *(void **) &real = dlsym(RTLD_NEXT, "getaddrinfo");

    return real(node, service, hints, res);
}


/* The allocating functions of nginx that the module uses, as found there */

static int
fails(void)
{
    return countdown != NULL && *countdown > 0 && --*countdown == 0;
}

#define REAL(name)  real_##name

#define POOL(name)                                                            \
    static void *(*REAL(name))(void *, size_t);                               \
    static void *                                                             \
    fail_##name(void *pool, size_t n)                                         \
    {                                                                         \
        return fails() ? NULL : REAL(name)(pool, n);                          \
    }

#define HEAP(name)                                                            \
    static void *(*REAL(name))(size_t, void *);                               \
    static void *                                                             \
    fail_##name(size_t n, void *log)                                          \
    {                                                                         \
        return fails() ? NULL : REAL(name)(n, log);                           \
    }

#define ONE(name)                                                             \
    static void *(*REAL(name))(void *);                                       \
    static void *                                                             \
    fail_##name(void *from)                                                   \
    {                                                                         \
        return fails() ? NULL : REAL(name)(from);                             \
    }

POOL(ngx_palloc)
POOL(ngx_pnalloc)
POOL(ngx_pcalloc)
POOL(ngx_create_temp_buf)
POOL(ngx_array_push_n)
POOL(ngx_http_cleanup_add)
POOL(ngx_pool_cleanup_add)
HEAP(ngx_alloc)
HEAP(ngx_calloc)
ONE(ngx_alloc_chain_link)
ONE(ngx_list_push)
ONE(ngx_array_push)

#define HOOK(name)  { #name, (void *) fail_##name, (void **) &REAL(name) }

static struct {
    const char   *name;
    void         *ours;
    void        **real;
} hooks[] = {
    HOOK(ngx_palloc), HOOK(ngx_pnalloc), HOOK(ngx_pcalloc),
    HOOK(ngx_create_temp_buf), HOOK(ngx_array_push_n),
    HOOK(ngx_http_cleanup_add), HOOK(ngx_pool_cleanup_add),
    HOOK(ngx_alloc), HOOK(ngx_calloc), HOOK(ngx_alloc_chain_link),
    HOOK(ngx_list_push), HOOK(ngx_array_push)
};


static void
hook_one(void **slot, const char *symbol)
{
    long     page;
    void    *start;
    size_t   i;

    for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
        if (strcmp(symbol, hooks[i].name) != 0) {
            continue;
        }

        page = sysconf(_SC_PAGESIZE);
        start = (void *) ((uintptr_t) slot & ~((uintptr_t) page - 1));
        mprotect(start, (size_t) page, PROT_READ | PROT_WRITE);

        *hooks[i].real = *slot;
        *slot = hooks[i].ours;
    }
}


static void
hook_table(struct link_map *map, ElfW(Addr) at, size_t size)
{
    size_t             i;
    const char        *strings;
    const ElfW(Dyn)   *d;
    const ElfW(Sym)   *symbols;
    const ElfW(Rela)  *r;

    strings = NULL;
    symbols = NULL;

    for (d = map->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB) {
            strings = (const char *) d->d_un.d_ptr;

        } else if (d->d_tag == DT_SYMTAB) {
            symbols = (const ElfW(Sym) *) d->d_un.d_ptr;
        }
    }

    r = (const ElfW(Rela) *) at;

    for (i = 0; i < size / sizeof(ElfW(Rela)); i++) {
        hook_one((void **) (map->l_addr + r[i].r_offset),
                 strings + symbols[ELF64_R_SYM(r[i].r_info)].st_name);
    }
}


static void
hook_module(struct link_map *map)
{
    int                fd;
    size_t             plt, rela;
    ElfW(Addr)         plt_at, rela_at;
    const ElfW(Dyn)   *d;

    fd = open(getenv("RBL_NOMEM"), O_RDWR | O_CLOEXEC);
    if (fd == -1) {
        abort();
    }

    countdown = mmap(NULL, sizeof(int32_t), PROT_READ | PROT_WRITE, MAP_SHARED,
                     fd, 0);
    syscall(SYS_close, fd);
    if (countdown == MAP_FAILED) {
        abort();
    }

    plt = rela = 0;
    plt_at = rela_at = 0;

    for (d = map->l_ld; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_JMPREL:
            plt_at = d->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            plt = d->d_un.d_val;
            break;
        case DT_RELA:
            rela_at = d->d_un.d_ptr;
            break;
        case DT_RELASZ:
            rela = d->d_un.d_val;
            break;
        }
    }

    hook_table(map, plt_at, plt);
    hook_table(map, rela_at, rela);
}


void *
dlopen(const char *path, int flags)
{
    void  *handle;

    void *(*real)(const char *, int);

    *(void **) &real = dlsym(RTLD_NEXT, "dlopen");
    handle = real(path, flags);

    if (handle != NULL && path != NULL && getenv("RBL_NOMEM") != NULL
        && strstr(path, "ngx_rbl_module") != NULL)
    {
        hook_module(handle);
    }

    return handle;
}
