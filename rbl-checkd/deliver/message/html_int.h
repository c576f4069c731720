/*
 * Declarations of the HTML's files: html.c has the page and the texts,
 * html_host.c the hosts.
 */

#ifndef DELIVER_HTML_INT_H_INCLUDED
#define DELIVER_HTML_INT_H_INCLUDED

#include "html.h"

#define HTML_FIELD  400                 /* characters of a foreign text */

/* The markup around the content of a box. */
extern const char  html_box[];
extern const char  html_box_end[];

/* A foreign text, on one line and cut to HTML_FIELD. */
void html_text(rbl_out_t *out, rbl_str_t text);

/* Is there room for nothing but the end? */
int html_full(const rbl_buf_t *buf);

void html_hosts(rbl_buf_t *buf, const message_t *message);

#endif /* DELIVER_HTML_INT_H_INCLUDED */
