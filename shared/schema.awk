# Turns schema.txt into the names of record fields.
#
#   awk -v mode=c -f schema.awk schema.txt
#       the C header rbl_schema.h: RBL_HOST_ID and so on, counted from 0
#   awk -v mode=lua -v want="host account" -f schema.awk schema.txt
#       the fields of the named entities, "HOST.id 2" and so on, counted from 1

function fail(text) {
    printf("%s:%d: %s\n", FILENAME, FNR, text) > "/dev/stderr"
    failed = 1
    exit 1
}

function c_entity(name, n, least,    upper, i) {
    upper = "RBL_" toupper(name)
    printf("\nenum {\n")

    for (i = 1; i <= n; i++) {
        printf("    %s_%s = %d,\n", upper, toupper(field[i]), i - 1)
    }

    printf("    %s__MIN = %d,\n    %s__N = %d\n};\n", upper, least, upper, n)
}

function lua_entity(name, n,    i) {
    for (i = 1; i <= n; i++) {
        printf("%s.%s %d\n", toupper(name), field[i], i)
    }
}

BEGIN {
    if (mode != "c" && mode != "lua") {
        print "schema.awk: mode must be c or lua" > "/dev/stderr"
        failed = 1
        exit 1
    }

    n_wanted = split(want, names, " ")
    for (i = 1; i <= n_wanted; i++) {
        wanted[names[i]] = 1
    }

    if (mode == "c") {
        print "/* Generated from schema.txt by schema.awk. */\n"
        print "#ifndef RBL_SCHEMA_H_INCLUDED"
        print "#define RBL_SCHEMA_H_INCLUDED"
    }
}

/^[ \t]*(#|$)/ {
    next
}

{
    if ($1 !~ /^[a-z][a-z0-9_]*:$/ || NF < 2) {
        fail("expected an entity, a colon and its fields")
    }

    entity = substr($1, 1, length($1) - 1)
    if (entity in known) {
        fail("entity " entity " stands there twice")
    }

    if ($2 != "version") {
        fail("the first field of " entity " is not version")
    }

    known[entity] = 1
    n = 0
    least = 0

    for (i = 2; i <= NF; i++) {
        if ($i == "|" && least == 0 && i < NF) {
            least = n
            continue
        }

        if ($i !~ /^[a-z][a-z0-9_]*$/ || (entity, $i) in used) {
            fail("bad or repeated field " $i)
        }

        used[entity, $i] = 1
        field[++n] = $i
    }

    if (mode == "c") {
        c_entity(entity, n, least ? least : n)

    } else if (entity in wanted) {
        lua_entity(entity, n)
    }
}

END {
    if (failed) {
        exit 1
    }

    for (name in wanted) {
        if (!(name in known)) {
            printf("%s: no entity %s\n", FILENAME, name) > "/dev/stderr"
            exit 1
        }
    }

    if (mode == "c") {
        print "\n#endif /* RBL_SCHEMA_H_INCLUDED */"
    }
}
