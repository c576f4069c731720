/*
 * Encodes commands.  Lengths are computed before anything is written, so the
 * writers below check no limits.
 */

#include "ngx_rbl_commands.h"

#define NGX_RBL_COMMANDS_LINE   (NGX_SIZE_T_LEN + sizeof("*\r\n") - 1)


static void
ngx_rbl_commands_drop(void *old, const void *room)
{
    if (old != NULL && old != room) {
        ngx_free(old);
    }
}


static void *
ngx_rbl_commands_grow(void *old, const void *room, size_t used, size_t size,
    ngx_log_t *log)
{
    void  *p;

    p = ngx_alloc(size, log);

    if (p != NULL) {
        ngx_memcpy(p, old, used);
        ngx_rbl_commands_drop(old, room);
    }

    return p;
}


static ngx_int_t
ngx_rbl_commands_reserve(ngx_rbl_commands_t *commands, size_t bytes,
    ngx_log_t *log)
{
    void        *p;
    size_t       size;
    ngx_uint_t   n;

    if (commands->bytes == NULL) {
        commands->bytes = commands->room;
        commands->size = NGX_RBL_COMMANDS_BYTES;
        commands->elts = commands->first;
        commands->nalloc = NGX_RBL_COMMANDS_ELTS;
    }

    if (commands->size - commands->len < bytes) {
        size = ngx_max(commands->size * 2, commands->len + bytes);

        p = ngx_rbl_commands_grow(commands->bytes, commands->room,
                                  commands->len, size, log);
        if (p == NULL) {
            return NGX_ERROR;
        }

        commands->bytes = p;
        commands->size = size;
    }

    if (commands->nelts == commands->nalloc) {
        n = commands->nalloc * 2;

        p = ngx_rbl_commands_grow(commands->elts, commands->first,
                                  commands->nelts * sizeof(ngx_rbl_command_t),
                                  n * sizeof(ngx_rbl_command_t), log);
        if (p == NULL) {
            return NGX_ERROR;
        }

        commands->elts = p;
        commands->nalloc = n;
    }

    return NGX_OK;
}


/* Writes a marker, a number and CRLF.  A page has dozens of these. */

static u_char *
ngx_rbl_commands_head(u_char *p, u_char marker, size_t n)
{
    u_char   digits[NGX_SIZE_T_LEN];
    u_char  *last, *d;

    last = digits + sizeof(digits);
    d = last;

    do {
        *--d = (u_char) ('0' + n % 10);
        n /= 10;
    } while (n != 0);

    *p++ = marker;

    while (d < last) {
        *p++ = *d++;
    }

    *p++ = CR;
    *p++ = LF;

    return p;
}


static u_char *
ngx_rbl_commands_array(u_char *p, ngx_uint_t n)
{
    return ngx_rbl_commands_head(p, '*', n);
}


static u_char *
ngx_rbl_commands_string(u_char *p, const char *s, size_t n)
{
    p = ngx_rbl_commands_head(p, '$', n);

    if (n != 0) {
        p = ngx_cpymem(p, s, n);
    }

    *p++ = CR;
    *p++ = LF;

    return p;
}


ngx_int_t
ngx_rbl_commands_add(ngx_rbl_commands_t *commands, const rbl_script_t *script,
    const rbl_str_t *guard, int argc, const rbl_str_t *argv, ngx_log_t *log)
{
    int                 i, guards;
    size_t              len;
    u_char             *p;
    u_char              number[NGX_INT_T_LEN];
    ngx_rbl_command_t  *command;

    len = 5 * NGX_RBL_COMMANDS_LINE + sizeof("EVALSHA") + 40 + 4 * 2
          + sizeof(number);

    guards = guard != NULL;

    if (guards) {
        len += guard->n;
    }

    for (i = 0; i < argc; i++) {
        len += NGX_RBL_COMMANDS_LINE + argv[i].n + 2;
    }

    if (ngx_rbl_commands_reserve(commands, len, log) != NGX_OK) {
        return NGX_ERROR;
    }

    command = &commands->elts[commands->nelts++];
    command->script = script;
    command->start = commands->len;
    command->tail = commands->len;

    p = commands->bytes + commands->len;

    if (script != NULL) {
        p = ngx_rbl_commands_array(p, argc + 3 + guards);
        p = ngx_rbl_commands_string(p, "EVALSHA", 7);
        p = ngx_rbl_commands_string(p, script->sha1, 40);
        command->tail = p - commands->bytes;
        len = ngx_snprintf(number, sizeof(number), "%d",
                           script->nkeys + guards)
              - number;
        p = ngx_rbl_commands_string(p, (char *) number, len);

    } else {
        p = ngx_rbl_commands_array(p, argc);
    }

    for (i = 0; i < argc; i++) {
        p = ngx_rbl_commands_string(p, argv[i].p, argv[i].n);

        if (guards && i + 1 == script->nkeys) {
            p = ngx_rbl_commands_string(p, guard->p, guard->n);
        }
    }

    commands->len = p - commands->bytes;
    command->len = commands->len - command->start;

    return NGX_OK;
}


u_char *
ngx_rbl_commands_eval(const ngx_rbl_commands_t *commands, ngx_uint_t i,
    size_t *len, ngx_log_t *log)
{
    size_t              head, tail;
    u_char             *buf, *p;
    ngx_rbl_command_t  *command;

    command = &commands->elts[i];
    head = command->tail - command->start;
    tail = command->len - head;

    /* this head is EVALSHA's, which is longer than EVAL's */

    buf = ngx_alloc(head + NGX_RBL_COMMANDS_LINE + command->script->source_len
                    + 2 + tail, log);
    if (buf == NULL) {
        return NULL;
    }

    /* the array header stays: EVAL has as many elements as EVALSHA */

    p = commands->bytes + command->start;
    head = ngx_strlchr(p, p + head, LF) + 1 - p;
    p = ngx_cpymem(buf, p, head);
    p = ngx_rbl_commands_string(p, "EVAL", 4);
    p = ngx_rbl_commands_string(p, command->script->source,
                                command->script->source_len);
    p = ngx_cpymem(p, commands->bytes + command->tail, tail);

    *len = p - buf;

    return buf;
}


ngx_str_t
ngx_rbl_commands_name(const ngx_rbl_commands_t *commands, ngx_uint_t i)
{
    u_char                   *p, *last;
    ngx_str_t                 name;
    const ngx_rbl_command_t  *command;

    command = &commands->elts[i];

    if (command->script != NULL) {
        name.data = (u_char *) command->script->name;
        name.len = ngx_strlen(name.data);
        return name;
    }

    /* skip the array header and the length line to the first word */

    p = commands->bytes + command->start;
    last = p + command->len;
    p = ngx_strlchr(p, last, LF) + 1;
    p = ngx_strlchr(p, last, LF) + 1;

    name.data = p;
    name.len = ngx_strlchr(p, last, CR) - p;

    return name;
}


void
ngx_rbl_commands_free(ngx_rbl_commands_t *commands)
{
    ngx_rbl_commands_drop(commands->bytes, commands->room);
    ngx_rbl_commands_drop(commands->elts, commands->first);

    commands->bytes = NULL;
    commands->elts = NULL;
}
