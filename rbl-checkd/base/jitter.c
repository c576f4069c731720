/*
 * Random delays.
 */

#include "jitter.h"

#include <stdlib.h>
#include <unistd.h>


double
jitter(void)
{
    static unsigned  seed;

    if (seed == 0) {
        seed = (unsigned) getpid() * 2654435761u | 1;
    }

    return rand_r(&seed) / (RAND_MAX + 1.0);
}
