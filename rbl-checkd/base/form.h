/*
 * Forms as the body of a request (application/x-www-form-urlencoded).
 */

#ifndef FORM_H_INCLUDED
#define FORM_H_INCLUDED

#include "buf.h"

#define FORM_TYPE  "application/x-www-form-urlencoded"

/* Adds name=value, both encoded, "&" before it unless it is the first. */
void form_add(rbl_buf_t *form, const char *name, rbl_str_t value);

#endif /* FORM_H_INCLUDED */
