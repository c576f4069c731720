/*
 * rblctl lists override: corrections by the operator to fields of one list in
 * the catalogue.  They are validated like the fields of a file.
 */

#include "base/buf.h"
#include "base/xalloc.h"
#include "dns/engine.h"
#include "lists.h"
#include "lists_file.h"
#include "op.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RULES_FILE_MAX  65536
#define FIELDS_MAX      9

typedef struct {
    entry_read_t   r;
    json_t        *entry;               /* the options, in the form of a file */
    rbl_buf_t      buf[FIELDS_MAX];     /* packed values */
    int            n;                   /* number of buffers in use */
    struct {
        rbl_lists_override_args_t  args;
        rbl_lists_override_each_t  fields[FIELDS_MAX];
    } call;
} override_t;


static const rbl_op_t  override_op = {
    .script = &rbl_script_lists_override,
    .system = RBL_SYSTEM_ALL
};


/* A number, or else the text, which the reader of the member reports. */
static json_t *
number_value(const char *name, const char *text)
{
    int64_t  v;

    if (rbl_int_parse(&v, rbl_str(text), 0, RBL_LIST_QUOTA_MAX) == RBL_OK
        || (strcmp(name, "min_interval") == 0
            && entry_seconds(&v, rbl_str(text)) == 0))
    {
        return json_integer(v);
    }

    return json_string(text);
}


/* The rules in a file, one a line; empty lines and "#..." are skipped. */
static json_t *
rules_value(const char *path)
{
    char    *line, *next, *buf;
    FILE    *f;
    size_t   n;
    json_t  *v;

    f = fopen(path, "re");
    if (f == NULL) {
        ctl_fail("%s: %s", path, strerror(errno));
        return NULL;
    }

    buf = xmalloc(RULES_FILE_MAX);
    n = fread(buf, 1, RULES_FILE_MAX - 1, f);
    buf[n] = '\0';
    v = ferror(f) || !feof(f) || strlen(buf) != n ? NULL : json_array();
    fclose(f);

    if (v == NULL) {
        ctl_fail("%s: is not a file of rules, one a line", path);
    }

    for (line = buf; v != NULL && *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        line[strcspn(line, "\r\n")] = '\0';

        if (*line != '\0' && *line != '#'
            && json_array_append_new(v, json_string(line)) != 0)
        {
            ctl_fail("%s: must be UTF-8", path);
            json_decref(v);
            v = NULL;
        }
    }

    free(buf);

    return v;
}


/* Collects all --server options; 0; -1: error printed. */
static int
servers_value(const ctl_t *ctl, json_t *entry)
{
    int                      i;
    char                     text[DNS_MAX_SERVERS * (DNS_SERVER_TEXT + 1)];
    size_t                   len, n;
    unsigned                 count;
    const char              *value;
    struct sockaddr_storage  sa;

    len = 0;
    count = 0;

    for (i = 0; i < ctl->n_options; i++) {
        if (strcmp(ctl->options[i].name, "server") != 0) {
            continue;
        }

        value = ctl->options[i].value;
        n = strlen(value);

        if (count++ == DNS_MAX_SERVERS || n >= DNS_SERVER_TEXT
            || dns_server_parse(&sa, value) != 0)
        {
            ctl_fail("--server %s: at most %d numeric addresses, each with or"
                     " without a port: 192.0.2.1, 192.0.2.1@5353, ::1@53",
                     value, DNS_MAX_SERVERS);
            return -1;
        }

        text[len] = ' ';
        memcpy(text + len + (len != 0), value, n);
        len += n + (len != 0);
    }

    return len == 0 ? 0 : json_object_set_new(entry, "servers",
                                              json_stringn(text, len));
}


/* Makes members of an entry from the options; 0; -1: error printed. */
static int
override_options(const ctl_t *ctl, override_t *o)
{
    size_t       i;
    json_t      *v;
    const char  *text;

    static const struct {
        const char  *option, *name;
        int          number;
    } of[] = {
        { "names", "names", 0 }, { "min-interval", "min_interval", 1 },
        { "rate", "rate", 1 }, { "day-quota", "day_quota", 1 },
        { "weight", "weight", 0 }, { "control", "control", 0 },
        { "codes", "codes", 0 }
    };

    for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        text = ctl_option(ctl, of[i].option);
        if (text == NULL) {
            continue;
        }

        v = of[i].number ? number_value(of[i].name, text)
            : strcmp(of[i].name, "codes") == 0 ? rules_value(text)
            : json_string(text);

        if (v == NULL && strcmp(of[i].name, "codes") == 0) {
            return -1;
        }

        if (v == NULL || json_object_set_new(o->entry, of[i].name, v) != 0) {
            ctl_fail("--%s must be UTF-8", of[i].option);
            return -1;
        }
    }

    return servers_value(ctl, o->entry);
}


/* Passes the packed value of a given field to the script. */
static void
override_put(override_t *o, const char *name, rbl_str_t text, int64_t number,
    const json_t *list)
{
    size_t      i;
    rbl_buf_t  *b;

    if (json_object_get(o->entry, name) == NULL || o->r.mistakes != 0) {
        return;
    }

    b = &o->buf[o->n];
    rbl_buf_init(b);

    if (list != NULL) {
        rbl_mp_put_array(&b->out, json_array_size(list));
        for (i = 0; i < json_array_size(list); i++) {
            rbl_mp_put_str(&b->out, value_str(json_array_get(list, i)));
        }

    } else if (text.p != NULL) {
        rbl_mp_put_str(&b->out, text);

    } else {
        rbl_mp_put_int(&b->out, number);
    }

    o->call.fields[o->n].field = rbl_str(name);
    o->call.fields[o->n++].value = rbl_buf_str(b);
}


static void
override_number(override_t *o, const char *name, int64_t max)
{
    static const rbl_str_t  none = { NULL, 0 };

    override_put(o, name, none, member_number(&o->r, o->entry, name, max, 0),
                 NULL);
}


static void
override_read(override_t *o, int64_t families)
{
    static const rbl_str_t  none = { NULL, 0 };

    override_put(o, "names", member_names(&o->r, o->entry, families), 0, NULL);
    override_put(o, "weight", member_weight(&o->r, o->entry), 0, NULL);
    override_put(o, "control", member_control(&o->r, o->entry), 0, NULL);
    override_put(o, "servers", value_str(json_object_get(o->entry, "servers")),
                 0, NULL);
    override_put(o, "codes", none, 0, member_codes(&o->r, o->entry));
    override_number(o, "min_interval", RBL_LIST_INTERVAL_MAX);
    override_number(o, "rate", RBL_LIST_RATE_MAX);
    override_number(o, "day_quota", RBL_LIST_QUOTA_MAX);
}


static int
override_run(ctl_t *ctl, override_t *o, int64_t families)
{
    redisReply                  *reply;
    rbl_lists_override_reply_t   said;

    if (override_options(ctl, o) != 0) {
        return CTL_ERROR;
    }

    if (json_object_size(o->entry) == 0 && ctl_option(ctl, "none") == NULL) {
        return ctl_fail("nothing to change was given: --names, --min-interval,"
                        " --rate, --day-quota, --weight, --control, --codes,"
                        " --server, or --none");
    }

    override_read(o, families);

    if (o->r.mistakes != 0) {
        return CTL_ERROR;
    }

    reply = ctl_op_system(ctl, &override_op, o->call.args.list,
                          RBL_ARGC(o->call.args)
                          + RBL_ARGC(*o->call.fields) * o->n,
                          o->call.args.argv);
    if (reply == NULL) {
        return CTL_ERROR;
    }

    rbl_lists_override_reply(&said, reply);
    freeReplyObject(reply);

    return said.word == RBL_LISTS_OVERRIDE_OK
           ? ctl_list_show(ctl, ctl->args[0], 0)
           : ctl_fail("there is no list %s, or it is killed; rblctl lists show"
                      " names them all", ctl->args[0].p);
}


int
ctl_lists_override(ctl_t *ctl)
{
    int          rc;
    int64_t      families;
    rbl_sid_t    sid;
    rbl_list_t   l;
    override_t   o;
    redisReply  *reply;

    if (ctl_list_load(ctl, ctl->args[0], &sid, &l, &reply) != 0) {
        return CTL_ERROR;
    }

    families = l.families;
    freeReplyObject(reply);

    memset(&o, 0, sizeof(o));
    o.r.say = ctl_line;
    o.r.path = ctl->args[0].p;
    o.call.args.list = rbl_sid_str(&sid);
    o.call.args.reset = rbl_str(ctl_option(ctl, "none") != NULL ? "1" : "");
    o.entry = json_object();

    rc = override_run(ctl, &o, families);

    while (o.n > 0) {
        rbl_buf_free(&o.buf[--o.n]);
    }

    json_decref(o.entry);

    return rc;
}
