/*
 * Lists that do not answer, in the line for Nagios.
 */

#ifndef _NGX_RBL_SILENT_H_INCLUDED_
#define _NGX_RBL_SILENT_H_INCLUDED_

#include "ngx_rbl_cache.h"


/* Do more than half of the lists that apply not answer? */
#define ngx_rbl_silent_most(c)  (2 * ((c)->asked - (c)->answered) > (c)->asked)

/* Adds a command for the records of the lists that are named. */
void ngx_rbl_silent_names(ngx_rbl_ctx_t *ctx, ngx_rbl_batch_t *batch,
    const rbl_coverage_t *c);

/* Writes "2 of 40 lists silent: a.example, b.example".  names: the reply to
   that command, or NULL. */
void ngx_rbl_silent_write(rbl_out_t *out, const rbl_coverage_t *c,
    const redisReply *names);

#endif /* _NGX_RBL_SILENT_H_INCLUDED_ */
