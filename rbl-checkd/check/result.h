/*
 * The results of a check in the form that check_finish takes and the API
 * shows: a packed array of results (rbl_record.h).
 */

#ifndef RESULT_H_INCLUDED
#define RESULT_H_INCLUDED

#include "check.h"
#include "rbl_out.h"

void result_pack(rbl_out_t *out, const check_t *check);

#endif /* RESULT_H_INCLUDED */
