/*
 * rblctl lists load: loads a file of block lists into every partition, in
 * slices (lists_put.lua).  A file that does not fit into a partition is refused
 * before anything is loaded.
 */

#include "base/xalloc.h"
#include "lists.h"
#include "lists_file.h"

#include <stdlib.h>

#define LOAD_SLICE        20            /* records */
#define LOAD_SLICE_BYTES  (32 * 1024)

typedef struct {
    char  s[1 + RBL_SID_MAX + 1];       /* "-" and the SID if it is killed */
} load_name_t;

typedef struct {
    ctl_t         *ctl;
    lists_file_t   file;
    load_name_t   *names;

    struct {
        rbl_lists_put_args_t  args;     /* lists_room takes the same */
        rbl_str_t             rest[];
    } *call;
} load_t;

static const char  load_columns[] =
    "file, active, disabled, killed, partitions";


/*
 * Runs lists_room or lists_put, whose replies have the same form, with n words
 * of l->call.  0; -1: failed or refused; error printed.
 */
static int
load_script(load_t *l, const rbl_script_t *script, unsigned p, size_t n)
{
    rbl_key_t               key;
    redisReply             *reply;
    rbl_lists_put_reply_t   said;

    l->call->args.lists = ctl_key(l->ctl, &key, p, "lists");
    reply = ctl_script(l->ctl, script, RBL_ARGC(l->call->args) + (int) n,
                       l->call->args.argv);
    if (reply == NULL) {
        return -1;
    }

    rbl_lists_put_reply(&said, reply);
    freeReplyObject(reply);

    if (said.word == RBL_LISTS_PUT_OK) {
        return 0;
    }

    ctl_fail("there would be %lld system lists, at most %lld may be there:"
             " kill some in the file or by rblctl lists kill",
             (long long) said.would, (long long) said.most);

    return -1;
}


static int
load_room(load_t *l, unsigned p)
{
    size_t                     i;
    const lists_file_entry_t  *e;

    for (i = 0; i < l->file.n; i++) {
        e = &l->file.entry[i];
        snprintf(l->names[i].s, sizeof(l->names[i].s), "%s%s",
                 e->status == LISTS_FILE_KILLED ? "-" : "", e->sid.s);
        l->call->rest[i] = rbl_str(l->names[i].s);
    }

    return load_script(l, &rbl_script_lists_room, p, l->file.n);
}


/* Loads the killed entries of the file, or the others, in slices. */
static int
load_entries(load_t *l, unsigned p, int killed)
{
    size_t                     i, n, bytes;
    const lists_file_entry_t  *e;

    *l->call->rest = RBL_STR("+");
    n = 1;
    bytes = 0;

    for (i = 0; i < l->file.n; i++) {
        e = &l->file.entry[i];
        if ((e->status == LISTS_FILE_KILLED) != killed) {
            continue;
        }

        l->call->rest[n].p = e->record;
        l->call->rest[n++].n = e->size;
        bytes += e->size;

        if (n <= LOAD_SLICE && bytes < LOAD_SLICE_BYTES) {
            continue;
        }

        if (load_script(l, &rbl_script_lists_put, p, n) != 0) {
            return -1;
        }

        n = 1;
        bytes = 0;
    }

    return n == 1 ? 0 : load_script(l, &rbl_script_lists_put, p, n);
}


/* Loads a partition; the last call builds the data derived from the lists. */
static int
load_partition(load_t *l, unsigned p)
{
    return load_entries(l, p, 1) != 0 || load_entries(l, p, 0) != 0
           || load_script(l, &rbl_script_lists_put, p, 0) != 0 ? -1 : 0;
}


static int
load_all(load_t *l)
{
    unsigned     p, n;
    const char  *path;

    n = l->ctl->ks.partitions;
    path = l->ctl->args[0].p;

    if (ctl_complete(l->ctl) != 0) {
        return CTL_ERROR;
    }

    for (p = 0; p < n; p++) {
        if (load_room(l, p) != 0) {
            return ctl_fail("nothing was loaded from %s", path);
        }
    }

    for (p = 0; p < n; p++) {
        if (load_partition(l, p) != 0) {
            return ctl_fail("%s was loaded into %u of %u partitions: load it"
                            " again", path, p, n);
        }
    }

    return ctl_print(l->ctl, load_columns, json_pack("{so si si si si}",
               "file", ctl_text(l->ctl->args[0]),
               "active", (int) l->file.count[LISTS_FILE_ACTIVE],
               "disabled", (int) l->file.count[LISTS_FILE_DISABLED],
               "killed", (int) l->file.count[LISTS_FILE_KILLED],
               "partitions", (int) n));
}


int
ctl_lists_load(ctl_t *ctl)
{
    int     rc;
    load_t  l;

    l.ctl = ctl;

    if (lists_file_read(&l.file, ctl->args[0].p) != 0) {
        return ctl_fail("nothing was loaded from %s", ctl->args[0].p);
    }

    l.names = xcalloc(l.file.n + 1, sizeof(load_name_t));
    l.call = xcalloc(1, sizeof(*l.call) + (l.file.n + 1) * sizeof(rbl_str_t));

    rc = load_all(&l);
    free(l.names);
    free(l.call);
    lists_file_free(&l.file);

    return rc;
}
