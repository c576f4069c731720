/*
 * The URL of a request, in judged parts.  It is rebuilt from these, so that
 * curl cannot read it differently.
 */

#ifndef DELIVER_TARGET_H_INCLUDED
#define DELIVER_TARGET_H_INCLUDED

#include "resolve.h"

#define TARGET_URL_MAX  4096

typedef struct {
    rbl_url_t  parsed;                  /* views of the given URL */
    char       host[RBL_VALUE_MAX + 2]; /* as in a URL */
} target_t;

/* Sets the request's literal address or its name, which is in buf, and its
   port.  RBL_EINVAL: neither an address nor a name. */
rbl_err_t target_host(target_t *target, resolve_request_t *request,
    char buf[RBL_VALUE_MAX]);

/* 0, or -1: it does not fit. */
int target_url(const target_t *target, char *url, size_t size);

#endif /* DELIVER_TARGET_H_INCLUDED */
