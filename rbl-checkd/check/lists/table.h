/*
 * The system lists.  The table looks at their version in the store once a
 * second and loads them again when it has changed.
 */

#ifndef TABLE_H_INCLUDED
#define TABLE_H_INCLUDED

#include "lists.h"
#include "store/store.h"

typedef struct table_s  table_t;

table_t *table_new(struct ev_loop *loop, store_t *store);
void table_free(table_t *table);

/* The store has become ready (1) or was lost (0). */
void table_state(table_t *table, int ready);

/* Have the lists been loaded at least once? */
int table_loaded(const table_t *table);

/* Looks at the version now, since a check misses a list. */
void table_refresh(table_t *table);

/* A system list; NULL: there is none, or it must not be queried. */
list_t *table_find(const table_t *table, rbl_str_t sid);

/*
 * The digest of the lists, as the store computes it, so that check_begin need
 * not return them.  "" while the lists are not known, or not all can be read.
 */
rbl_str_t table_sum(const table_t *table);

/* All of them, in the order of the store. */
size_t table_count(const table_t *table);
list_t *table_at(const table_t *table, size_t i);

#endif /* TABLE_H_INCLUDED */
