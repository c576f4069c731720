# Turns schema.txt into names, types and tables of the fields of records.
#
#   awk -v mode=c -f schema.awk schema.txt
#       the C header rbl_schema.h: RBL_HOST_ID and so on, counted from 0;
#       rbl_host_t; rbl_host_decode.  The file that defines RBL_SCHEMA_TABLES
#       before it includes the header has the tables and the functions
#   awk -v mode=lua -v want="host account" -f schema.awk schema.txt
#       the fields of the named entities, "HOST.id 2" and so on, counted from
#       1, and "HOST.shape 'nss...'", the types of all

function fail(text) {
    printf("%s:%d: %s\n", FILENAME, FNR, text) > "/dev/stderr"
    failed = 1
    exit 1
}

function c_names(entity, n, least,    upper, i) {
    upper = "RBL_" toupper(entity)
    printf("\nenum {\n")

    for (i = 1; i <= n; i++) {
        printf("    %s_%s = %d,\n", upper, toupper(field[i]), i - 1)
    }

    printf("    %s__MIN = %d,\n    %s__N = %d\n};\n", upper, least, upper, n)
}

function c_type(entity, n,    i) {
    printf("\ntypedef struct {\n")

    for (i = 2; i <= n; i++) {
        printf("    %s  %s;\n", type[i] == "n" ? "int64_t" : "rbl_str_t",
               field[i])
    }

    printf("} rbl_%s_t;\n\n", entity)
    printf("rbl_err_t rbl_%s_decode(rbl_%s_t *v, rbl_str_t raw);\n", entity,
           entity)
}

function shape_of(n, least,    i, shape) {
    for (i = 1; i <= n; i++) {
        shape = shape type[i] (i == least && i < n ? "|" : "")
    }

    return shape
}

function c_table(entity, n,    kind, i, text) {
    kind["s"] = "STR"
    kind["n"] = "INT"
    kind["t"] = "ARRAY"
    text = "\nstatic const rbl_field_t  rbl_" entity "_fields[] = {\n" \
           "    { RBL_FIELD_SKIP, 0 },\n"

    for (i = 2; i <= n; i++) {
        text = text "    { RBL_FIELD_" kind[type[i]] ", offsetof(rbl_" \
               entity "_t, " field[i] ") },\n"
    }

    text = text "};\n\nrbl_err_t\nrbl_" entity "_decode(rbl_" entity \
           "_t *v, rbl_str_t raw)\n{\n    return rbl_record_decode(raw, rbl_" \
           entity "_fields, RBL_" toupper(entity) "__MIN,\n" \
           "                             RBL_" toupper(entity) "__N, " \
           (entity in most ? "RBL_" toupper(entity) "_SIZE_MAX" : "SIZE_MAX") ", v, sizeof(*v));\n}\n"

    return text
}

function lua_entity(entity, n, least,    i) {
    for (i = 1; i <= n; i++) {
        printf("%s.%s %d\n", toupper(entity), field[i], i)
    }

    printf("%s.shape '%s'\n", toupper(entity), shape_of(n, least))
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
        print "#define RBL_SCHEMA_H_INCLUDED\n"
        print "#include \"rbl_mp.h\""
    }
}

/^[ \t]*(#|$)/ {
    next
}

# How large a record may be, in octets, to be read in C.
$1 == "most" && NF == 3 && $3 ~ /^[0-9]+$/ {
    most[$2] = $3
    next
}

# Entities that C does not read.
$1 == "lua" {
    for (i = 2; i <= NF; i++) {
        lua_only[$i] = 1
    }

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

        split($i, part, ":")

        good = n ? "^[a-z][a-z0-9_]*:[nst]$" : "^version$"
        if ($i !~ good || (entity, part[1]) in used) {
            fail("bad or repeated field " $i)
        }

        used[entity, part[1]] = 1
        field[++n] = part[1]
        type[n] = n == 1 ? "n" : part[2]
    }

    least = least ? least : n

    if (mode == "c") {
        c_names(entity, n, least)

        if (!(entity in lua_only)) {
            c_type(entity, n)
            if (entity in most) {
                printf("\n#define RBL_%s_SIZE_MAX  %d\n", toupper(entity),
                       most[entity])
            }

            tables = tables c_table(entity, n)
            all = all " \\\n    X(" entity ", " toupper(entity) ", \"" \
                  substr(shape_of(n, n), 2) "\")"
        }

    } else if (entity in wanted) {
        lua_entity(entity, n, least)
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
        print "\n/* All of them: X(name, NAME, types), without the version. */"
        print "#define RBL_ENTITIES(X)" all
        print "\n#endif /* RBL_SCHEMA_H_INCLUDED */\n"
        print "#ifdef RBL_SCHEMA_TABLES"
        printf("%s\n#endif /* RBL_SCHEMA_TABLES */\n", tables)
    }
}
