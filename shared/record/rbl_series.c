/*
 * Points and hours: numbers of 4 bytes, the highest first.
 */

#include "rbl_series.h"

#define NUMBER  4                       /* bytes of one */
#define HOURS   24


static int64_t
rbl_series_number(const char *p)
{
    const unsigned char  *u = (const unsigned char *) p;

    return (int64_t) u[0] << 24 | u[1] << 16 | u[2] << 8 | u[3];
}


void
rbl_series_add(int64_t number[RBL_SERIES__N], rbl_str_t day, unsigned i)
{
    size_t    k, at;
    int64_t   n;

    at = (size_t) i * RBL_SERIES__N * NUMBER;

    if (day.n < at + RBL_SERIES__N * NUMBER) {
        return;
    }

    for (k = 0; k < RBL_SERIES__N; k++) {
        n = rbl_series_number(day.p + at + k * NUMBER);

        if (k != RBL_SERIES_OLDEST) {
            number[k] += n;

        } else if (n > number[k]) {
            number[k] = n;
        }
    }
}


void
rbl_responses_add(int64_t number[RBL_RESPONSES__N], rbl_str_t day,
    unsigned first, unsigned last)
{
    size_t    k;
    unsigned  hour;

    if (day.n != HOURS * RBL_RESPONSES__N * NUMBER) {
        return;
    }

    for (hour = first; hour <= last && hour < HOURS; hour++) {
        for (k = 0; k < RBL_RESPONSES__N; k++) {
            number[k] += rbl_series_number(day.p
                                           + (hour * RBL_RESPONSES__N + k)
                                           * NUMBER);
        }
    }
}


char
rbl_responses_hour(rbl_str_t day, unsigned hour)
{
    int64_t  answered, all, number[RBL_RESPONSES__N] = { 0 };

    rbl_responses_add(number, day, hour, hour);
    answered = number[RBL_RESPONSES_ANSWERED];
    all = answered + number[RBL_RESPONSES_REFUSED]
          + number[RBL_RESPONSES_FAILED];

    return all == 0 ? '-' : answered == all ? '9' : answered == 0 ? '0'
           : (char) ('1' + 8 * answered / all);
}
