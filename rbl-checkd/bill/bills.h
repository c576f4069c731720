/*
 * Bills of accounts.  The script bill_step opens payments before periods end
 * and ends periods that are not paid; a daemon calls it when it is time.
 */

#ifndef BILLS_H_INCLUDED
#define BILLS_H_INCLUDED

#include "store/visits.h"

/* Its data is the config_t. */
extern const visits_kind_t  bills_kind;

#endif /* BILLS_H_INCLUDED */
