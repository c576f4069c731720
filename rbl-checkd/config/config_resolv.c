/*
 * The resolvers of /etc/resolv.conf.
 */

#include "config_int.h"

#include <stdio.h>

#define RESOLV_WORD     "nameserver"
#define RESOLV_LINES    1000            /* at most */
#define RESOLV_DEFAULT  "127.0.0.1"


/* Reads a line; a part of a longer one is no line.  0: end of the file. */

static int
read_line(FILE *f, char *line, size_t size)
{
    int  c, whole = 1;

    while (fgets(line, (int) size, f) != NULL) {
        c = strchr(line, '\n') != NULL || feof(f) ? '\n' : 0;

        if (whole && c != 0) {
            return 1;
        }

        whole = c != 0;
    }

    return 0;
}


unsigned
config_nameservers(const char *file,
    struct sockaddr_storage sa[DNS_MAX_RESOLVERS])
{
    FILE      *f;
    char       line[256], word[64];
    unsigned   n, lines;

    f = fopen(file, "re");
    if (f == NULL) {
        return 0;
    }

    for (n = lines = 0; n < DNS_MAX_RESOLVERS && lines < RESOLV_LINES
                        && read_line(f, line, sizeof(line)); lines++)
    {
        if (strncmp(line, RESOLV_WORD, sizeof(RESOLV_WORD) - 1) == 0
            && sscanf(line + sizeof(RESOLV_WORD) - 1, "%*1[ \t]%63s", word)
               == 1
            && dns_server_parse(&sa[n], word) == 0)
        {
            n++;
        }
    }

    fclose(f);

    return n;
}


void
config_system_resolvers(config_t *conf)
{
    dns_config_t  *dns = &conf->dns;

    conf->system = CONFIG_SYSTEM;
    dns->n_resolvers = config_nameservers(CONFIG_RESOLV, dns->resolver);

    if (dns->n_resolvers == 0) {
        (void) dns_server_parse(&dns->resolver[0], RESOLV_DEFAULT);
        dns->n_resolvers = 1;
        conf->system = CONFIG_SYSTEM_NONE;
    }
}
