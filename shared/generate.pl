#!/usr/bin/perl
#
# generate.pl SCHEMA KEYS OUTDIR SCRIPT.lua...
#
# Generates from the fields of records (schema.txt), the table of keys
# (rbl_keys.h) and the scripts of the store:
#
#   rbl_schema.h         for C: RBL_HOST_ID and so on, counted from 0;
#                        rbl_host_t; rbl_host_decode, and rbl_NAME_encode of
#                        those that C writes.  The file that defines
#                        RBL_SCHEMA_TABLES before it includes the header has the
#                        tables and the functions
#   rbl_script_list.h    one rbl_script_t per script, the types of its arguments
#                        and replies (rbl_script.h)
#   rbl_script_list.c    sources, SHA-1, forms of replies
#   lua/NAME.lua         the source for Redis
#
# Lines at the head of a script, before its first code, declare its keys,
# arguments and replies.  The text after two spaces is a description.
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
#   --- flags: allow-oom flags of the script ("#!lua flags=")
#   --- audit: check     its changes are in the audit log of the account, as
#                        changes of what this argument names; without a name: of
#                        the account.  The text is put into a function between
#                        the parts "by" and "audit", and may set `about` (SID)
#                        and `named`
#   --- include: NAME    the text of _NAME.lua from the same folder or from the
#                        folder "part" next to it, once.  In a block of the code
#                        it is there: Redis creates its functions only if that
#                        block runs
#
#   --- takes: now raw   of a part that begins with "-- Steps": the variables of
#   --- sets: at         others that it reads; those that it sets or adds.  The
#                        build compares them with its code
#
# Included files may have the last three.  Files whose names begin with "_" are
# no scripts; _base.lua is included in each script.  A script without
# declarations has one key, and no reply words.
#
# HOST.id (counted from 1), HOST.shape (the types of all fields), STORE.keys (the
# keys of accounts), KEY.acct and ARG.check become numbers, texts and
# expressions: a script in Redis builds no tables of names, and an unknown name
# ends the build.  Of arguments that may be
# any number, ARG.groups is the index of the first.  With several together the
# i-th is ARGV[ARG.sid + ARG.each * i], i from 1, and there are
# (#ARGV - ARG.before) / ARG.each.
#
# Comments, blank lines and indentation are removed, and functions that nothing
# calls, because Redis would create them at each call.  Unchanged files are not
# written.

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use File::Basename qw(basename dirname);

my $word = qr/[a-z][a-z0-9_]*/;
my ($schema, $keys, $out, @scripts) = @ARGV;
die "usage: $0 SCHEMA KEYS OUTDIR SCRIPT.lua...\n" if !@scripts;

sub slurp {
    my ($file) = @_;

    open my $fh, '<', $file or die "$file: $!\n";
    local $/;
    return scalar <$fh>;
}

# --- records -----------------------------------------------------------------

# An entity of schema.txt: {name, fields => [[name, type], ...], least, most,
# lua: only Lua reads it, writes: C does, entry: of an array in a record}.
# Returns them in their order.
sub entities {
    my ($file) = @_;

    my (@entities, %known, %most, %of, $line);
    my $fail = sub { die "$file:$line: @_\n" };
    for (split /\n/, slurp($file)) {
        $line++;
        next if /^\s*(?:#|$)/;
        if (/^most ($word) (\d+)$/) {
            $most{$1} = $2;
            next;
        }
        if (/^(lua|writes)( .*)/) {
            $of{$1}{$_} = 1 for split ' ', $2;
            next;
        }
        my ($entry, $name, $text) = /^(- )?($word): *(\S.*)$/
            or $fail->('expected an entity, a colon and its fields');
        $fail->("entity $name stands there twice") if $known{$name}++;
        my ($needed, $more) = split / *\| /, $text, 2;
        my @fields = split ' ', $needed;
        my $least = @fields;
        push @fields, split ' ', $more // '';
        $fail->("the first field of $name is not version")
            if !$entry && shift @fields ne 'version';
        my %used;
        for (@fields) {
            $fail->("bad or repeated field $_")
                if !/^($word):([nst])$/ || $used{$1}++;
            $_ = [$1, $2];
        }
        push @entities, { name => $name, least => $least, entry => $entry,
            fields => [$entry ? () : ['version', 'n'], @fields] };
    }
    for my $e (@entities) {
        $e->{most} = $most{ $e->{name} };
        $e->{$_} = $of{$_}{ $e->{name} } for qw(lua writes);
    }
    return @entities;
}

# The types of all fields; with a bar before those that a record may lack.
sub shape {
    my ($e, $bar) = @_;

    my $shape = join '', map { $_->[1] } @{ $e->{fields} };
    substr $shape, $e->{least}, 0, '|'
        if $bar && $e->{least} < @{ $e->{fields} };
    return $shape;
}

sub schema_h {
    my (@entities) = @_;

    my %field = (n => 'INT', s => 'STR', t => 'ARRAY');
    my $tables = '';
    my $c = "/* Generated from schema.txt by generate.pl. */\n\n"
        . "#ifndef RBL_SCHEMA_H_INCLUDED\n#define RBL_SCHEMA_H_INCLUDED\n\n"
        . "#include \"rbl_mp.h\"\n";
    for my $e (@entities) {
        my ($name, $n) = ($e->{name}, 0);
        my ($upper, @fields) = ('RBL_' . uc $name, @{ $e->{fields} });
        $c .= "\nenum {\n"
            . join('', map { "    ${upper}_\U$_->[0]\E = " . $n++ . ",\n" }
                @fields)
            . "    ${upper}__MIN = $e->{least},\n    ${upper}__N = $n\n};\n";
        next if $e->{lua};

        shift @fields if !$e->{entry};
        my ($from, $decode, $most) = $e->{entry}
            ? ('rbl_mp_t *mp', 'rbl_entry_decode(mp', '')
            : ('rbl_str_t raw', 'rbl_record_decode(raw',
                $e->{most} ? "${upper}_SIZE_MAX, " : 'SIZE_MAX, ');
        my @functions = (['rbl_err_t',
            "rbl_${name}_decode(rbl_${name}_t *v, $from)",
            "return $decode, rbl_${name}_fields,\n"
                . "        ${upper}__MIN, ${upper}__N, ${most}v, sizeof(*v));"
        ]);
        push @functions, ['void',
            "rbl_${name}_encode(rbl_out_t *out, const rbl_${name}_t *v)",
            "rbl_fields_write(out, rbl_${name}_fields, ${upper}__N, v);"]
            if $e->{writes};
        $c .= "\ntypedef struct {\n"
            . join('', map { '    ' . ($_->[1] eq 'n' ? 'int64_t' : 'rbl_str_t')
                . "  $_->[0];\n" } @fields)
            . "} rbl_${name}_t;\n\n"
            . join('', map { "$_->[0] $_->[1];\n" } @functions)
            . ($e->{most} ? "\n#define ${upper}_SIZE_MAX  $e->{most}\n" : '');
        $tables .= "\nstatic const rbl_field_t  rbl_${name}_fields[] = {\n"
            . ($e->{entry} ? '' : "    { RBL_FIELD_SKIP, 0 },\n")
            . join('', map { "    { RBL_FIELD_$field{$_->[1]}, "
                . "offsetof(rbl_${name}_t, $_->[0]) },\n" } @fields)
            . "};\n"
            . join('', map { "\n$_->[0]\n$_->[1]\n{\n    $_->[2]\n}\n" }
                @functions);
    }
    my @all = map { " \\\n    X($_->{name}, \U$_->{name}\E, \""
        . substr(shape($_), 1) . '")' } grep { !$_->{lua} && !$_->{entry} }
        @entities;
    return "$c\n/* All records: X(name, NAME, types), without the version. */\n"
        . '#define RBL_ENTITIES(X)' . join('', @all)
        . "\n\n#endif /* RBL_SCHEMA_H_INCLUDED */\n\n"
        . "#ifdef RBL_SCHEMA_TABLES\n$tables\n#endif /* RBL_SCHEMA_TABLES */\n";
}

# --- keys --------------------------------------------------------------------

# The keys of accounts by the table in the comment of rbl_keys.h, as " NAME=TYPE
# NAME/2=TYPE", with the number of parts behind the account, and the type "any"
# of those with "*".  A row has names, each but the last one with a comma, and
# the type behind them or in the next line.
sub account_keys {
    my ($file) = @_;

    my (@names, %types, $line);
    my $type = qr/(?:string|hash|zset|list|stream)(?![a-z:])/;
    for (split /\n/, slurp($file)) {
        $line++;
        my ($indent, $text) = /^ \*( {3,})(\S.*)/ or next;
        next if length $indent > 3 && !@names;
        while ($text =~ s/^(?!$type)([a-z][^\s,]*)(,?) *//) {
            push @names, $1;
            last if !$2;
        }
        next if $text eq '';
        my ($is, $any) = $text =~ /^($type)(\*?)/
            or die "$file:$line: expected a type of @names\n";
        $is = 'any' if $any;
        for (splice @names) {
            my ($name, $rest) = /^([a-z:]+):<AC>(.*)$/ or next;
            my $parts = $rest =~ tr/://;
            $name .= "/$parts" if $parts;
            die "$file:$line: $name is of two types\n"
                if ($types{$name} //= $is) ne $is;
        }
    }
    die "$file:$line: expected a type of @names\n" if @names;
    return join ' ', map { "$_=$types{$_}" } sort keys %types;
}

# --- heads of scripts --------------------------------------------------------

# {keys, args, each => [names], forms, audit: Lua of what is changed; or undef,
# flags}.  A form is the C structure of a reply or row: {id, words, members =>
# [[name, type]], fields => [[word, index, type, name]]}.
sub head {
    my ($file) = @_;

    my %h = (keys => [], args => [], each => [], forms => [], flags => '');
    my ($line, $form, $at, %declared, %said) = (0);
    my $fail = sub { die "$file:$line: @_\n" };
    my $fields = sub {
        for (@_) {
            my ($name, $sign) = /^($word)(#|\[\])?$/;
            $fail->('a field of a reply has a name of a-z, 0-9 and _')
                if !defined $name || $name eq 'word';
            my $type = !$sign ? 'TEXT' : $sign eq '#' ? 'INT' : 'ARRAY';
            my ($known) = grep { $_->[0] eq $name } @{ $form->{members} };
            $fail->("$name is of two types") if $known && $known->[1] ne $type;
            push @{ $form->{members} }, [$name, $type] if !$known;
            push @{ $form->{fields} },
                [scalar @{ $form->{words} }, $at++, $type, $name];
        }
    };
    for (split /\n/, slurp($file)) {
        $line++;
        last if !/^(?:--|[ \t]*$)/;
        $h{flags} .= "#!lua flags=$1\n" if /^--- flags: ([a-z,-]*)$/;
        $h{audit} = defined $1 ? "ARG.$1" : 'ac'
            if /^--- audit(?:: ($word).*)?$/;
        $fields->(split / /, $1) if /^---   (\S.*?)(?:  .*)?$/;
        my ($kind, $text) = /^--- (key|arg|reply|row): (.*?)(?:  .*)?$/
            or next;
        my ($first, @rest) = my @names = split / /, $text;

        if ($kind eq 'reply') {
            $fail->('a reply begins with a word of capitals, each of another')
                if $first !~ /^[A-Z][A-Z_]*$/ || $said{$first}++;
            ($form) = grep { $_->{id} eq 'reply' } @{ $h{forms} };
            push @{ $h{forms} }, $form = { id => 'reply', words => [] }
                if !$form;
            push @{ $form->{words} }, $first;
            $at = 1;
            $fields->(@rest);
            next;
        }

        my $each = $kind eq 'arg' && $names[-1] =~ s/\.\.\.$//;
        for ($kind eq 'row' ? $first : @names) {
            $fail->("a $kind has a name of a-z, 0-9 and _") if !/^$word$/;
            $fail->("$_ is declared twice") if $declared{$_}++;
        }
        if ($kind eq 'row') {
            push @{ $h{forms} }, $form = { id => $first, words => [''] };
            $at = 0;
            $fields->(@rest);
            next;
        }

        $fail->('keys come first, what may be any number last')
            if @{ $h{each} } || ($kind eq 'key' && @{ $h{args} });
        $fail->('one name a line') if @rest && !$each;
        push @{ $h{ $kind eq 'key' ? 'keys' : $each ? 'each' : 'args' } },
            @names;
    }
    $fail->('arguments, and no key') if @{ $h{args} } && !@{ $h{keys} };
    return \%h;
}

sub argument_names {
    my ($h) = @_;

    my ($n, @each) = (scalar @{ $h->{args} }, @{ $h->{each} });
    my ($k, $a, $e) = (0, 0, 0);
    return (map({ ("KEY.$_" => 'KEYS[' . ++$k . ']') } @{ $h->{keys} }),
        map({ ("ARG.$_" => 'ARGV[' . ++$a . ']') } @{ $h->{args} }),
        @each == 1 ? ("ARG.$each[0]" => $n + 1) : (),
        @each > 1 ? ('ARG.before' => $n, 'ARG.each' => scalar @each,
            map { ("ARG.$_" => $n + ++$e - @each) } @each) : ());
}

sub arguments_h {
    my ($type, @names) = @_;

    return "\ntypedef union {\n    struct {\n"
        . join('', map { "        rbl_str_t  $_;\n" } @names)
        . "    };\n    rbl_str_t      argv[" . @names . "];\n} $type;\n";
}

sub form_h {
    my ($name, $form) = @_;

    my %type = (TEXT => 'rbl_str_t         ', INT => 'int64_t           ',
        ARRAY => 'const redisReply *');
    my $full = "rbl_${name}_$form->{id}";
    my $is_reply = $form->{id} eq 'reply';
    my @words = @{ $form->{words} };
    my $c = !$is_reply ? '' : "\ntypedef enum {\n    "
        . join(",\n    ", map { "RBL_\U$name\E_$_" } "NO_REPLY = 0", @words)
        . "\n} rbl_${name}_word_e;\n";
    return "$c\ntypedef struct {\n"
        . ($is_reply ? "    rbl_${name}_word_e  word;\n" : '')
        . join('', map { "    $type{$_->[1]}  $_->[0];\n" }
            @{ $form->{members} })
        . "} ${full}_t;\n\nextern const rbl_reply_form_t  ${full}_form;\n\n\n"
        . "static inline void\n$full(${full}_t *to, const redisReply *r)\n{\n"
        . "    rbl_reply_decode(to, &${full}_form, r);\n}\n";
}

sub form_c {
    my ($name, $form) = @_;

    my $full = "${name}_$form->{id}";
    my $is_reply = $form->{id} eq 'reply';
    return ($is_reply ? "\n\nstatic const char *const  words_$full\[] = {"
            . join(',', map { " \"$_\"" } @{ $form->{words} }) . ", NULL };\n"
            : '')
        . "\nstatic const rbl_reply_field_t  fields_$full\[] = {\n"
        . join('', map { "    { $_->[0], $_->[1], RBL_REPLY_$_->[2], "
            . "offsetof(rbl_${full}_t, $_->[3]) },\n" } @{ $form->{fields} })
        . "    { 0, 0, 0, 0 }\n};\n\n"
        . "const rbl_reply_form_t  rbl_${full}_form = {\n    "
        . ($is_reply ? "words_$full" : 'NULL')
        . ", fields_$full, sizeof(rbl_${full}_t)\n};\n";
}

# --- sources -----------------------------------------------------------------

# While a script is put together, its strings and names are \0N\0, the N-th of
# these: {text} or {name, at}.
my (@held, @seen);

sub hold {
    my ($what) = @_;

    push @held, $what;
    return "\0$#held\0";
}

# A file without its comments.  Includes stay.
sub code {
    my ($file) = @_;

    my $text = slurp($file);
    my $at = sub {
        return "$file:" . (1 + (substr($text, 0, $_[0]) =~ tr/\n//));
    };
    return $text =~ s{
        ^[ ]*---[ ]include:[^\n]*(*SKIP)(*FAIL)
        | --\[(?<c>=*)\[.*?\]\g{c}\] | (?<comment>--[^\n]*)
        | (?<string> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
            | \[(?<s>=*)\[.*?\]\g{s}\])
        | (?<open> ["'] | \[=*\[)
        | (?<![\w.:]) (?<name> [A-Z][A-Z0-9_]*\.$word)
    }{
        defined $+{open} ? die $at->($-[0]) . ": a string is not closed\n"
            : defined $+{string} ? hold({ text => $+{string} })
            : defined $+{name} ? hold({ name => $+{name}, at => $at->($-[0]) })
            : defined $+{comment} ? '' : ' '
    }gemsxr;
}

my $variables = qr/(?:[a-z_]\w*\s*,\s*)*[a-z_]\w*/;
my %is_known = map { $_ => 1 } qw(and break do else elseif end false for
    function if in local nil not or repeat return then true until while assert
    bit call cmsgpack error ipairs math next pairs pcall redis select
    setmetatable string struct table tonumber tostring type unpack);

# Refuses a part of steps whose head does not say what it takes and sets.
# `functions`: those of all parts.
sub check_steps {
    my ($file, $functions) = @_;

    my $text = slurp($file);
    return if $text !~ /\A-- Steps\b/;
    my %said = map { $_ => [map { split } $text =~ /^--- $_:(.*)/mg] }
        qw(takes sets);
    my $code = code($file) =~ s/^ *---.*//mgr =~ s/\0\d+\0/0/gr;
    my $names = sub { map { split /\s*,\s*/ } @_ };
    my %own = map { $_ => 1 } $names->(
        $code =~ /\blocal (?!function\b)($variables)/g,
        $code =~ /\bfor ($variables)(?: in\b| *=)/g,
        $code =~ /\bfunction *\w*\(($variables)\)/g),
        $code =~ /\blocal function (\w+)/g;
    my %sets = map { $_ => 1 }
        $names->($code =~ /^local (?!function\b)($variables)/mg),
        grep { !$own{$_} } $names->($code =~ /^ *($variables) = /mg);
    my %takes = map { $_ => 1 } grep { !$own{$_} && !$is_known{$_}
        && !$functions->{$_} } $code =~ s/^ *$variables(?= = )//mgr
        =~ s/(?<!\.)[.:][a-z]\w*//gr
        =~ s/(?<=[{,])\s*\w+\s*=(?!=)//gr =~ /\b([a-z_]\w*)/g;
    delete $sets{_};
    for (['takes', \%takes], ['sets', \%sets]) {
        my ($what, $right) = ($_->[0], join ' ', sort keys %{ $_->[1] });
        die "$file: not true, or missing: --- $what: $right\n"
            if join(' ', sort @{ $said{$what} }) ne $right;
    }
    return;
}

sub part {
    my ($dir, $name) = @_;

    my ($file) = grep { -f } "$dir/_$name.lua", "$dir/../part/_$name.lua";
    return $file // die "$dir: there is no part $name\n";
}

# The code of a file with its parts.  `opening` stands before its first line of
# code.
sub whole {
    my ($file, $opening) = @_;

    return '' if grep { $_ eq $file } @seen;
    push @seen, $file;
    die "$file: includes are nested too deeply\n" if @seen > 100;
    my ($code, $out) = (0, '');
    for (split /(?<=\n)/, code($file)) {
        if (/^( *)--- include:(.*)/) {
            my ($indent, $known) = ($1, scalar @seen);
            my $text = join '', map { whole(part(dirname($file), $_)) }
                split ' ', $2;
            # what a block includes is unknown after its end
            splice @seen, $known if $indent ne '';
            $out .= $text =~ s/^(?=.)/$indent/gmr;
            next;
        }
        $out .= $opening if defined $opening && !$code && /\S/;
        $code ||= /\S/;
        $out .= $_;
    }
    return $out;
}

# Without the functions that nothing calls.  One consists of
# "local function NAME(...)", lines that are indented more, and "end".
sub without_unused {
    my ($file, $text) = @_;

    my $function = qr{
        (?<indent>[ ]*) local[ ]function[ ](?<name>\w+) \([^()]*\) [ \t\r]*\n
        (?: (?: \k<indent> [ ]+ [^\n]* )? \n )*
        \k<indent> end [ \t\r]* (?:\n|\z)
    }mx;
    while ($text =~ /^ *local function (\w+)/mg) {
        my ($name, $start) = ($1, $-[0]);
        substr($text, $start) =~ /\A$function/
            or die "$file: $name: a function has indented lines and an \"end\""
                . " of its own\n";
        my $rest = substr($text, 0, $start) . substr $text, $start + $+[0];
        next if $rest =~ /(?<!local function )\b$name\b/;
        $text = $rest;                  # and from its beginning again
    }
    return $text;
}

# The source for Redis.
sub source {
    my ($file, $h, $names) = @_;

    my $dir = dirname($file);
    @held = @seen = ();
    my $text = join '', map { whole($_) }
        grep { basename($_) eq '_base.lua' } @scripts;
    $text .= defined $h->{audit}
        ? whole(part($dir, 'by')) . "local about, named = "
            . hold({ name => $h->{audit}, at => $file }) . ", \"\"\n"
            . whole($file, "local said = (function()\n") . "end)()\n"
            . whole(part($dir, 'audit'))
        : whole($file);
    my %name = (%$names, argument_names($h), ac => 'ac');
    $text = without_unused($file, $text);
    $text =~ s/^[ \t]+|[ \t\r]+$//gm;
    $text =~ s/\n\n+|\A\n+/\n/g;
    $text =~ s/\A\n//;
    $text =~ s{\0(\d+)\0}{
        my $held = $held[$1];
        $held->{text} // $name{ $held->{name} }
            // die "$held->{at}: no field $held->{name}\n"
    }ge;
    return $h->{flags} . $text;
}

# C string literals; "?" is escaped because of trigraphs.
sub literal {
    my ($text) = @_;

    return $text =~ s/[\\"?]/\\$&/gr =~ s/\t/\\t/gr =~ s/\r/\\r/gr
        =~ s/^(.*)\n/    "$1\\n"\n/gmr;
}

# --- all ---------------------------------------------------------------------

my @entities = entities($schema);
my %names = ('STORE.keys' => "'" . account_keys($keys) . "'");
for my $e (@entities) {
    my $n = 0;
    $names{"\U$e->{name}\E.$_->[0]"} = ++$n for @{ $e->{fields} };
    $names{"\U$e->{name}\E.shape"} = "'" . shape($e, 1) . "'";
}

my %files = ('rbl_schema.h' => schema_h(@entities));
my %functions = map { $_ => 1 }
    map { slurp($_) =~ /^ *local function (\w+)/mg } @scripts;
check_steps($_, \%functions) for grep { basename($_) =~ /^_/ } @scripts;

my ($list, $types, $forms, $sources, $table) = ('') x 5;
for my $script (grep { basename($_) !~ /^_/ } @scripts) {
    my ($name) = basename($script) =~ /^([a-z0-9_]+)\.lua$/
        or die "$script: a script's name is made of a-z, 0-9 and _\n";
    my $h = head($script);
    my $lua = source($script, $h, \%names);
    my ($k, $a) = (scalar @{ $h->{keys} }, scalar @{ $h->{args} });
    my $audited = defined $h->{audit} ? 1 : 0;
    $files{"lua/$name.lua"} = $lua;
    $list .= "extern const rbl_script_t  rbl_script_$name;\n";
    $types .= "\n" . arguments_h("rbl_${name}_args_t", @{ $h->{keys} },
        @{ $h->{args} }) if $k;
    $types .= arguments_h("rbl_${name}_each_t", @{ $h->{each} })
        if @{ $h->{each} } > 1;
    $types .= form_h($name, $_) for @{ $h->{forms} };
    $forms .= form_c($name, $_) for @{ $h->{forms} };
    $sources .= "\n\nstatic const char  source_$name\[] =\n" . literal($lua)
        . "    \"\";\n\nconst rbl_script_t  rbl_script_$name = {\n"
        . "    \"$name\",\n    \"" . sha1_hex($lua) . "\",\n"
        . "    source_$name, sizeof(source_$name) - 1, " . ($k || 1) . ",\n"
        . '    ' . ($k ? $k + $a : 1) . ", $audited\n};\n";
    $table .= "    &rbl_script_$name,\n";
}

my $head = '/* Generated from lua/ by generate.pl. */';
$files{'rbl_script_list.h'} = "$head\n\n#ifndef RBL_SCRIPT_LIST_H_INCLUDED\n"
    . "#define RBL_SCRIPT_LIST_H_INCLUDED\n\n$list$types\n"
    . "#endif /* RBL_SCRIPT_LIST_H_INCLUDED */\n";
$files{'rbl_script_list.c'} = "$head\n\n#include <stddef.h>\n\n"
    . "#include \"rbl_script.h\"\n$forms$sources\n\n"
    . "const rbl_script_t *const  rbl_scripts[] = {\n$table    NULL\n};\n";

mkdir $_ for $out, "$out/lua";
for my $name (sort keys %files) {
    next if -f "$out/$name" && slurp("$out/$name") eq $files{$name};
    open my $fh, '>', "$out/$name" or die "$out/$name: $!\n";
    print {$fh} $files{$name};
    close $fh or die "$out/$name: $!\n";
}
