/*
 * A list of commands in the form in which they are sent (RESP), in one piece of
 * memory, so that a batch copies its arguments once.  No I/O.
 */

#ifndef _NGX_RBL_COMMANDS_H_INCLUDED_
#define _NGX_RBL_COMMANDS_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>

#include "rbl_script.h"


typedef struct {
    size_t               start;     /* offset in bytes */
    size_t               len;
    size_t               tail;      /* rbl_resp.h */
    const rbl_script_t  *script;    /* NULL: a plain command */
    ngx_uint_t           node;      /* index of its node; rbl_nodes.h */
} ngx_rbl_command_t;

#define NGX_RBL_COMMANDS_BYTES  2048    /* fits the commands of a page */
#define NGX_RBL_COMMANDS_ELTS   8

/*
 * A zeroed structure is an empty list; `room` need not be zeroed.  Nearly all
 * lists fit into `room`; larger ones get their own allocation.
 */
typedef struct {
    char                *bytes;
    size_t               len;
    size_t               size;

    ngx_rbl_command_t   *elts;
    ngx_uint_t           nelts;
    ngx_uint_t           nalloc;

    ngx_rbl_command_t    first[NGX_RBL_COMMANDS_ELTS];
    char                 room[NGX_RBL_COMMANDS_BYTES];
} ngx_rbl_commands_t;

#define NGX_RBL_COMMANDS_HEAD   offsetof(ngx_rbl_commands_t, first)


/* Adds a command or a call as rbl_resp_command makes it.  The caller sets the
   node of the last element.  NGX_ERROR: out of memory; nothing was added. */
ngx_int_t ngx_rbl_commands_add(ngx_rbl_commands_t *commands,
    const rbl_script_t *script, rbl_str_t guard, int argc,
    const rbl_str_t *argv, ngx_log_t *log);

rbl_str_t ngx_rbl_commands_bytes(const ngx_rbl_commands_t *commands,
    ngx_uint_t i);

/*
 * Returns the i-th command, a script call, as EVAL with the script's source.
 * The caller frees it with ngx_free().  NULL: out of memory.
 */
char *ngx_rbl_commands_eval(const ngx_rbl_commands_t *commands, ngx_uint_t i,
    size_t *len, ngx_log_t *log);

/* Returns the name of the i-th command or script, without its arguments, for
   log messages. */
rbl_str_t ngx_rbl_commands_name(const ngx_rbl_commands_t *commands,
    ngx_uint_t i);

void ngx_rbl_commands_free(ngx_rbl_commands_t *commands);

#endif /* _NGX_RBL_COMMANDS_H_INCLUDED_ */
