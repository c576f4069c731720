# Turns the keys, arguments and replies that the head of a script declares into
# names for C and for Lua.
#
#   --- key: acct        acct:<AC>
#   --- arg: check       SID of the check
#   --- arg: groups...   the last one may stand for any number,
#   --- arg: sid value...   or for any number of them together
#   --- reply: OK left# names[] why   the fields after the word: a number,
#                        an array, a text
#   ---   more           further fields of that reply
#   --- reply: GONE
#   --- row: name zone since#   an array within a reply
#   --- audit: check     changes are recorded (lua2c.sh)
#
# The text after two spaces is a description.
#
#   awk -v mode=lua -f seam.awk SCRIPT.lua
#       "KEY.acct KEYS[1]", "ARG.check ARGV[1]", "ARG.groups 2" (the first
#       one): strip() of lua2c.sh replaces the names by these.  With several
#       together the i-th is ARGV[ARG.sid + ARG.each * i], i from 1, and there
#       are (#ARGV - ARG.before) / ARG.each.
#   awk -v mode=h -v name=SCRIPT -f seam.awk SCRIPT.lua
#       rbl_SCRIPT_args_t, rbl_SCRIPT_each_t of several together,
#       rbl_SCRIPT_reply_t, rbl_SCRIPT_NAME_t of a row (rbl_script.h)
#   awk -v mode=c -v name=SCRIPT -f seam.awk SCRIPT.lua
#       the forms of replies and rows, the numbers of keys and arguments
# A script without declarations has one key, and no reply words.

function fail(text) {
    printf("%s:%d: %s\n", FILENAME, FNR, text) > "/dev/stderr"
    failed = 1
    exit 1
}

function declare(kind, word) {
    if (word !~ /^[a-z][a-z0-9_]*$/) {
        fail("a " kind " has a name of a-z, 0-9 and _")
    }

    if (word in declared) {
        fail(word " is declared twice")
    }

    declared[word] = 1
}

# A form is a C struct with the fields of arrays: of a script's replies, which
# begin with a word, or of rows, which are parts of a reply.

function form_begin(id) {
    form[++n_forms] = id
    n_words[id] = n_members[id] = n_fields[id] = 0
}

function form_add(id, n, part, from,    i, field, type, k) {
    for (i = from; i <= n; i++) {
        field = part[i]
        type = "TEXT"
        type = sub(/#$/, "", field) ? "INT" : type
        type = sub(/\[\]$/, "", field) ? "ARRAY" : type

        if (field !~ /^[a-z][a-z0-9_]*$/ || field == "word") {
            fail("a field of a reply has a name of a-z, 0-9 and _")
        }

        if (!((id, field) in types)) {
            member[id, ++n_members[id]] = field
            types[id, field] = type

        } else if (types[id, field] != type) {
            fail(field " is of two types")
        }

        k = ++n_fields[id]
        of_word[id, k] = n_words[id]
        at[id, k] = next_at++
        fields[id, k] = field
    }

    last = id
}

function reply(n, part) {
    if (part[1] !~ /^[A-Z][A-Z_]*$/ || part[1] in said) {
        fail("a reply begins with a word of capitals, each of another")
    }

    if (!n_words["reply"]) {
        form_begin("reply")
    }

    said[part[1]] = 1
    words[++n_words["reply"]] = part[1]
    next_at = 1
    form_add("reply", n, part, 2)
}

!/^--/ && !/^[ \t]*$/ {
    exit
}

/^--- (key|arg|reply|row): / {
    kind = substr($2, 1, length($2) - 1)
    text = substr($0, index($0, ":") + 2)
    sub(/  .*/, "", text)
    n = split(text, part, / /)

    if (kind == "reply") {
        reply(n, part)
        next
    }

    if (kind == "row") {
        declare(kind, part[1])
        form_begin(part[1])
        n_words[part[1]] = 1
        next_at = 0
        form_add(part[1], n, part, 2)
        next
    }

    if (n_each || (kind == "key" && n_args)) {
        fail("keys come first, what may be any number last")
    }

    if (kind == "arg" && sub(/\.\.\.$/, "", part[n])) {
        n_each = n
    }

    if (n != 1 && !n_each) {
        fail("one name a line")
    }

    for (i = 1; i <= n; i++) {
        declare(kind, part[i])

        if (kind == "key") {
            keys[++n_keys] = part[i]
        } else if (n_each) {
            each[i] = part[i]
        } else {
            args[++n_args] = part[i]
        }
    }
}

/^--- audit/ {
    audited = 1
}

/^---   [a-z]/ {
    text = substr($0, 7)
    sub(/  .*/, "", text)
    n = split(text, part, / /)
    form_add(last, n, part, 1)
}

function lua(    i) {
    for (i = 1; i <= n_keys; i++) {
        printf("KEY.%s KEYS[%d]\n", keys[i], i)
    }

    for (i = 1; i <= n_args; i++) {
        printf("ARG.%s ARGV[%d]\n", args[i], i)
    }

    if (n_each == 1) {
        printf("ARG.%s %d\n", each[1], n_args + 1)

    } else if (n_each) {
        printf("ARG.before %d\nARG.each %d\n", n_args, n_each)

        for (i = 1; i <= n_each; i++) {
            printf("ARG.%s %d\n", each[i], n_args + i - n_each)
        }
    }
}

function args_type(what, n, names,    i) {
    printf("\ntypedef union {\n    struct {\n")

    for (i = 1; i <= n; i++) {
        printf("        rbl_str_t  %s;\n", names[i])
    }

    printf("    };\n    rbl_str_t      argv[%d];\n} rbl_%s_%s_t;\n", n, name,
           what)
}

function form_type(id,    i, type, full) {
    type["TEXT"] = "rbl_str_t         "
    type["INT"] = "int64_t           "
    type["ARRAY"] = "const redisReply *"
    full = "rbl_" name "_" id

    if (id == "reply") {
        printf("\ntypedef enum {\n    RBL_%s_%s = 0", toupper(name),
               "NONE" in said ? "NOTHING" : "NONE")

        for (i = 1; i <= n_words[id]; i++) {
            printf(",\n    RBL_%s_%s", toupper(name), words[i])
        }

        printf("\n} rbl_%s_word_e;\n", name)
    }

    printf("\ntypedef struct {\n")

    if (id == "reply") {
        printf("    rbl_%s_word_e  word;\n", name)
    }

    for (i = 1; i <= n_members[id]; i++) {
        printf("    %s  %s;\n", type[types[id, member[id, i]]], member[id, i])
    }

    printf("} %s_t;\n\nextern const rbl_reply_form_t  %s_form;\n\n", full, full)
    printf("static inline void\n%s(%s_t *to, const redisReply *r)\n{\n" \
           "    rbl_reply_decode(to, &%s_form, r);\n}\n", full, full, full)
}

function form_table(id,    i, full) {
    full = name "_" id

    if (id == "reply") {
        printf("\n\nstatic const char *const  words_%s[] = {", full)

        for (i = 1; i <= n_words[id]; i++) {
            printf("%s \"%s\"", i > 1 ? "," : "", words[i])
        }

        printf(", NULL };\n")
    }

    printf("\nstatic const rbl_reply_field_t  fields_%s[] = {\n", full)

    for (i = 1; i <= n_fields[id]; i++) {
        printf("    { %d, %d, RBL_REPLY_%s, offsetof(rbl_%s_t, %s) },\n",
               of_word[id, i], at[id, i], types[id, fields[id, i]], full,
               fields[id, i])
    }

    printf("    { 0, 0, 0, 0 }\n};\n\nconst rbl_reply_form_t  rbl_%s_form = " \
           "{\n    %s, fields_%s, sizeof(rbl_%s_t)\n};\n", full,
           id == "reply" ? "words_" full : "NULL", full, full)
}

function header(    i) {
    if (n_keys) {
        for (i = 1; i <= n_args; i++) {
            keys[n_keys + i] = args[i]
        }

        printf("\n")
        args_type("args", n_keys + n_args, keys)
    }

    if (n_each > 1) {
        args_type("each", n_each, each)
    }

    for (i = 1; i <= n_forms; i++) {
        form_type(form[i])
    }
}

function source(    i) {
    for (i = 1; i <= n_forms; i++) {
        form_table(form[i])
    }

    printf("\n#define NKEYS_%s  %d\n", name, n_keys ? n_keys : 1)
    printf("#define ARGC_%s  %d\n", name, n_keys ? n_keys + n_args : 1)
    printf("#define AUDITED_%s  %d\n", name, audited)
}

END {
    if (failed) {
        exit 1
    }

    if (n_args && !n_keys) {
        fail("arguments, and no key")
    }

    if (mode == "lua") {
        lua()
    } else if (mode == "h") {
        header()
    } else {
        source()
    }
}
