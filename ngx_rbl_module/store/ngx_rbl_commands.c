/*
 * A list of commands that grows.
 */

#include "ngx_rbl_commands.h"
#include "rbl_resp.h"


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


ngx_int_t
ngx_rbl_commands_add(ngx_rbl_commands_t *commands, const rbl_script_t *script,
    rbl_str_t guard, int argc, const rbl_str_t *argv, ngx_log_t *log)
{
    size_t              size;
    ngx_rbl_command_t  *command;

    size = rbl_resp_size(script, guard, argc, argv);

    if (ngx_rbl_commands_reserve(commands, size, log) != NGX_OK) {
        return NGX_ERROR;
    }

    command = &commands->elts[commands->nelts++];
    command->script = script;
    command->start = commands->len;
    command->len = rbl_resp_command(commands->bytes + commands->len,
                                    &command->tail, script, guard, argc, argv);
    commands->len += command->len;

    return NGX_OK;
}


rbl_str_t
ngx_rbl_commands_bytes(const ngx_rbl_commands_t *commands, ngx_uint_t i)
{
    rbl_str_t  bytes;

    bytes.p = commands->bytes + commands->elts[i].start;
    bytes.n = commands->elts[i].len;

    return bytes;
}


char *
ngx_rbl_commands_eval(const ngx_rbl_commands_t *commands, ngx_uint_t i,
    size_t *len, ngx_log_t *log)
{
    char                     *buf;
    rbl_str_t                 call;
    const ngx_rbl_command_t  *command;

    command = &commands->elts[i];
    call = ngx_rbl_commands_bytes(commands, i);
    buf = ngx_alloc(rbl_resp_eval_size(command->script, call), log);

    if (buf != NULL) {
        *len = rbl_resp_eval(buf, command->script, call, command->tail);
    }

    return buf;
}


rbl_str_t
ngx_rbl_commands_name(const ngx_rbl_commands_t *commands, ngx_uint_t i)
{
    const rbl_script_t  *script;

    script = commands->elts[i].script;

    return script != NULL ? rbl_str(script->name)
           : rbl_resp_verb(ngx_rbl_commands_bytes(commands, i));
}


void
ngx_rbl_commands_free(ngx_rbl_commands_t *commands)
{
    ngx_rbl_commands_drop(commands->bytes, commands->room);
    ngx_rbl_commands_drop(commands->elts, commands->first);

    commands->bytes = NULL;
    commands->elts = NULL;
}
