/*
 * The resolvers of /etc/resolv.conf while the daemon runs: it reads the file
 * every few seconds, and takes other resolvers when two looks in a row have
 * found the same.  If the file has none, as while it is written, the former
 * resolvers stay, which is a condition of the service.
 */

#ifndef NAMESERVERS_H_INCLUDED
#define NAMESERVERS_H_INCLUDED

#include "config/config.h"
#include "translator.h"

typedef struct nameservers_s  nameservers_t;

/*
 * Changes the resolvers in `conf`, and the word `system` there, and wakes the
 * translator.  These must outlive it.  If the operator gave the resolvers, it
 * does nothing.
 */
nameservers_t *nameservers_new(struct ev_loop *loop, config_t *conf,
    dns_engine_t *dns, translator_t *translator);
void nameservers_free(nameservers_t *s);

#endif /* NAMESERVERS_H_INCLUDED */
