/*
 * Random octets of the system, for ids, ports, the choice of servers and the
 * case of letters.  One system call gets many.
 */

#include "dns_int.h"

#include <string.h>
#include <sys/random.h>


int
dns_random(dns_engine_t *engine, uint16_t *value)
{
    ssize_t  n;

    if (engine->n_random < sizeof(*value)) {
        n = getrandom(engine->random, sizeof(engine->random), 0);

        /* A short read happens only after a signal. */
        if (n < (ssize_t) sizeof(*value)) {
            return -1;
        }

        engine->n_random = (size_t) n;
    }

    engine->n_random -= sizeof(*value);
    memcpy(value, engine->random + engine->n_random, sizeof(*value));
    return 0;
}
