/*
 * Requests of operators, which nginx queues and a daemon carries out
 * (shared/lua/account/request_add.lua).
 */

#ifndef RBL_REQUEST_H_INCLUDED
#define RBL_REQUEST_H_INCLUDED

#include "rbl_record.h"

/* True if it is too late for a daemon to begin the request now (ms). */
int rbl_request_late(const rbl_request_t *request, int64_t now);

/* True if the request is as the portal makes it; *by is then the operator.
   With the rights of nginx anything may be in the queue. */
int rbl_request_sound(const rbl_request_t *r, rbl_by_t *by);

#endif /* RBL_REQUEST_H_INCLUDED */
