#!/usr/bin/perl

# generate.pl: its output for valid input, unchanged files are not written, and
# invalid input gives an error.

use warnings;
use strict;

use Digest::SHA qw(sha1_hex);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $shared = "$FindBin::Bin/../../shared";
my $dir = tempdir(CLEANUP => 1);


sub put {
    my ($name, $text) = @_;

    open my $fh, '>', "$dir/$name" or die "$name: $!";
    print $fh $text;
    close $fh or die "$name: $!";
}


sub get {
    my ($name) = @_;

    open my $fh, '<', "$dir/$name" or return '';
    local $/;
    return scalar <$fh>;
}


sub generate {
    return system("perl $shared/generate.pl $dir/schema.txt $dir/keys.h "
        . "$dir/gen @_ 2>$dir/err");
}


put('keys.h', <<'KEYS');
/*
 * Every key.
 *
 *   one:<AC>           string  of an account
 *   two:a:<AC>:<HT>, list:<AC>
 *                      zset*   both: <AC> list
 *   list:<RB>          hash    of none
 *   one:<AC>:<HT>:x    list    with two parts
 */
KEYS


put('schema.txt', "# comment\n\nmost host 9\nlua app\n"
    . "host: version id:s made:n | names:t\napp: version id:s\n");

mkdir "$dir/lua" or die "$dir/lua: $!";
put('lua/one.lua', "return {HOST.version, HOST.id, HOST.made, "
    . "HOST.names, HOST.shape}\n");
is(generate("$dir/lua/one.lua"), 0, 'the generator takes fields of records');

my $h = get('gen/rbl_schema.h');

like($h, qr/RBL_HOST_VERSION = 0,\n    RBL_HOST_ID = 1,\n.*RBL_HOST__MIN = 3,\n    RBL_HOST__N = 4\n/s,
    'names in C');
like($h, qr/rbl_str_t  id;\n    int64_t  made;\n    rbl_str_t  names;\n\} rbl_host_t;/,
    'an entity has a structure in C');
like($h, qr/INT, offsetof\(rbl_host_t, made\).*ARRAY, offsetof\(rbl_host_t, names\).*RBL_HOST_SIZE_MAX, v,/s,
    'an entity has a table in C, and a size');
unlike($h, qr/rbl_app_t/, 'C has nothing of what only Lua reads');
like($h, qr/X\(host, HOST, "snt"\)/, 'a macro names all entities');
is(get('gen/lua/one.lua'), "return {1, 2, 3, 4, 'nsn|t'}\n",
    'Lua gets numbers and types');

put('lua/one.lua', "return STORE.keys\n");
is(generate("$dir/lua/one.lua"), 0, 'the generator takes keys');
is(get('gen/lua/one.lua'),
    "return 'list=any one=string one/2=list two:a/1=any'\n",
    'Lua gets the keys of accounts with their types');
{
    my $good = get('keys.h');
    for my $bad (' *   one:<AC>           zset    again',
        ' *   new:<AC>           text    a string', ' *   new:<AC>')
    {
        put('keys.h', $good =~ s/^ \*\/$/$bad/mr);
        isnt(generate("$dir/lua/one.lua"), 0, "bad table of keys: $bad");
        like(get('err'), qr/keys\.h:\d/, '... has a message with its line');
    }
    put('keys.h', $good);
}

for my $text ("host version\n", "host: id\n", "host: version a:s a:n\n",
    "host: version\nhost: version\n", "host: version A:s\n", "host:\n",
    "host: version a\n", "host: version a:x\n", "host: version:n\n")
{
    my $bad = $text;

    put('schema.txt', $bad);
    $bad =~ s/\n/;/g;
    isnt(generate("$dir/lua/one.lua"), 0, "bad schema $bad");
    like(get('err'), qr/schema\.txt:\d/, "... has a message with its line");
}

put('schema.txt', "host: version id:s value:s\napp: version id:s\n");
put('lua/_util.lua', <<'LUA');
-- a helper
local function f(s)
    s[APP.id] = APP.id - APP.version
    return s .. "--no comment"  -- but "this is
end
LUA

put('lua/one.lua', <<'LUA');
--- include: util
-- KEYS[1]

local a = '-- "no'   -- yes
local b = "\"--\\" --[[ a block
   of comment ]] local c = [==[
  keep -- this  

]] it
]==]
local d = "on\
   and on  "
return {f, a, b, c, d, "??/", "	", HOST.value, "HOST.value"}
LUA

is(generate("$dir/lua/*.lua"), 0, 'the generator translates the scripts');

my $source = get('gen/lua/one.lua');

put('lua/_base.lua', "local n = 1\nlocal function unused()\n    return n\nend\n");
is(generate("$dir/lua/*.lua"), 0, 'the generator takes a base');
is(get('gen/lua/one.lua'), "local n = 1\n$source", 'the base is in each script');
unlink "$dir/lua/_base.lua";
generate("$dir/lua/*.lua");

is($source, <<'LUA', 'comments go, names are numbers, strings stay');
local function f(s)
s[2] = 2 - 1
return s .. "--no comment"
end
local a = '-- "no'
local b = "\"--\\"   local c = [==[
  keep -- this  

]] it
]==]
local d = "on\
   and on  "
return {f, a, b, c, d, "??/", "	", 3, "HOST.value"}
LUA

like(get('gen/rbl_script_list.h'),
    qr/extern const rbl_script_t  rbl_script_one;/,
    'the header declares the script');
unlike(get('gen/rbl_script_list.h'), qr/util/, 'an include is no script');

put('print.c', <<'C');
#include "rbl_script.h"
#include <stdio.h>

int
main(void)
{
    const rbl_script_t  *s = rbl_scripts[0];

    printf("%s %s\n", s->name, s->sha1);
    fwrite(s->source, 1, s->source_len, stdout);
    return rbl_scripts[1] != NULL;
}
C

my $cc = $ENV{CC} || 'cc';
my $built = system("$cc -std=c11 -Wall -Wextra -Werror -I$shared/record "
    . "-I$shared/text -I$dir/gen "
    . "-o $dir/print $dir/print.c $dir/gen/rbl_script_list.c");

is($built, 0, 'the C compiles');
is(scalar qx($dir/print), 'one ' . sha1_hex($source) . "\n$source",
    'the program has the source and its SHA-1');

my @files = map { "$dir/gen/$_" }
    qw(rbl_script_list.c rbl_script_list.h lua/one.lua);

utime 1, 1, @files;
is(generate("$dir/lua/*.lua"), 0, 'the generator succeeds a second time');
is_deeply([ map { (stat $_)[9] } @files ], [ 1, 1, 1 ],
    'unchanged files are not written');

put('lua/_many.lua', <<'LUA');
--- include: deep
-- f: nothing here calls it
local function f(s)
    if s then
        return deep(s)
    end
end
local up = 1
local function calls_itself(s)
    return calls_itself(s) .. up
end
local function used(s)
    return other(s)
end
local function by_string(s)
    return s
end
LUA
put('lua/_deep.lua', "--[[ no\n-- ]] local top = by_comment()\n"
    . "local function by_comment()\nend\nlocal function other(s)\n    return s\nend\n"
    . "local function deep(s)\n    return '[[' .. s\nend\n");
put('lua/two.lua', "--- include: many\nlocal function mine()\nend\n"
    . "return used('by_string')\n");
is(generate("$dir/lua/two.lua"), 0, 'functions without a caller');
is(get('gen/lua/two.lua'), <<'LUA', 'functions without a caller are left out');
local top = by_comment()
local function by_comment()
end
local function other(s)
return s
end
local up = 1
local function used(s)
return other(s)
end
return used('by_string')
LUA

put('lua/_rare.lua', "--- include: helper\n"
    . "local function rare()\n    return helper(APP.id)\nend\n");
put('lua/_helper.lua', "local function helper(x)\n    return x\nend\n");
put('lua/_maybe.lua', "local function maybe(x)\n    if x then\n"
    . "        --- include: rare\n        rare()\n    end\nend\n"
    . "local function never()\n    --- include: rare\n    rare()\nend\n");
put('lua/three.lua', "--- include: maybe helper\nmaybe(helper())\n"
    . "return HOST.none\n");
isnt(generate("$dir/lua/three.lua"), 0, 'an include in a block');
like(get('err'), qr{/three\.lua:3: no field HOST\.none}, 'an error has its line');
put('lua/_steps.lua', "-- Steps.\n--- takes: a\n--- sets: a\n"
    . "if a then\n    a = HOST.id\nend\n");
put('lua/three.lua', "--- include: maybe helper\n"
    . "local a = helper()\n--- include: steps\nmaybe(a)\n");
is(generate("$dir/lua/three.lua"), 0, 'an include in a block');
is(get('gen/lua/three.lua'), <<'LUA', 'an include stays in its block');
local function maybe(x)
if x then
local function helper(x)
return x
end
local function rare()
return helper(2)
end
rare()
end
end
local function helper(x)
return x
end
local a = helper()
if a then
a = 2
end
maybe(a)
LUA
unlink map { "$dir/lua/$_" } qw(_rare.lua _helper.lua _maybe.lua _steps.lua
    three.lua);
unlink map { "$dir/lua/$_" } qw(_many.lua _deep.lua two.lua);
is(generate("$dir/lua/*.lua"), 0, 'the others again');
utime 1, 1, @files;

my $head = "--- key: acct  its key\n--- arg: check\n";
put('lua/seam.lua', "-- Text.\n$head" . <<'LUA');
--- arg: sid since...  of each
--- reply: OK left# names[]  all
---   why
--- reply: GONE why
--- row: one sid since#
local n = (#ARGV - ARG.before) / ARG.each
return {KEY.acct, ARG.check, ARGV[ARG.sid + ARG.each * n],
    ARGV[ARG.since + ARG.each * n], 'ARG.check'}
LUA
put('lua/tail.lua', "$head--- arg: more...\nreturn ARGV[ARG.more]\n");
is(generate("$dir/lua/seam.lua $dir/lua/tail.lua"), 0,
    'the generator accepts declared arguments');
is(get('gen/lua/seam.lua'), <<'LUA', 'declared arguments become indexes');
local n = (#ARGV - 1) / 2
return {KEYS[1], ARGV[1], ARGV[0 + 2 * n],
ARGV[1 + 2 * n], 'ARG.check'}
LUA
is(get('gen/lua/tail.lua'), "return ARGV[2]\n",
    'the rest of the arguments becomes an index');

put('seam.c', <<'C');
#include "rbl_script.h"

int
main(void)
{
    rbl_seam_one_t     one = { .sid = { 0, 0 }, .since = 0 };
    rbl_seam_args_t    a = { .acct = { "k", 1 }, .check = { "c", 1 } };
    rbl_seam_each_t    e = { .sid = { "s", 1 }, .since = { "t", 1 } };
    rbl_tail_args_t    t;
    rbl_seam_reply_t   r = { .word = RBL_SEAM_GONE, .left = one.since,
                             .names = NULL, .why = one.sid };

    return !(RBL_ARGC(a) == 2 && RBL_ARGC(e) == 2 && RBL_ARGC(t) == 2
             && a.argv[1].p == a.check.p && e.argv[1].p == e.since.p
             && r.word == 2 && RBL_SEAM_OK == 1 && RBL_SEAM_NO_REPLY == 0
             && rbl_script_seam.nkeys == 1);
}
C
is(system("$cc -std=c11 -Wall -Wextra -Werror -I$shared/record "
    . "-I$shared/text -I$dir/gen -c -o $dir/list.o "
    . "$dir/gen/rbl_script_list.c"), 0, 'the C list of scripts compiles');
put('decode.c', '#include "rbl_script.h"' . "\nvoid rbl_reply_decode(void *to, "
    . "const rbl_reply_form_t *form,\n    const redisReply *reply) { (void) to; "
    . "(void) form; (void) reply; }\n");
is(system("$cc -std=c11 -I$shared/record -I$shared/text -I$dir/gen "
    . "-o $dir/seam $dir/seam.c $dir/decode.c $dir/list.o"), 0,
    'a program with the declared types compiles');
is(system("$dir/seam"), 0, 'the program finds the declared values');
unlink map { "$dir/lua/$_" } qw(seam.lua tail.lua);

put('lua/_by.lua', "local by = ARGV[#ARGV]\nlocal ac = KEYS[1]\n");
put('lua/_audit.lua', "if by and said then\n    log(by, about, named)\nend\n"
    . "return said\n");
put('lua/_first.lua', "local first = KEYS[2]\n");
put('lua/whole.lua', "--- key: acct\n--- arg: a\n--- audit\n"
    . "--- include: first\nlocal x = ARG.a\nreturn {x}\n");
put('lua/part.lua', "--- key: acct\n--- arg: a\n--- arg: b\n--- audit: b\n"
    . "--- include: first\nif ac then\n    --- include: util\n    f('')\nend\n"
    . "return 1\n");
is(generate("$dir/lua/whole.lua $dir/lua/part.lua $dir/lua/one.lua"), 0,
    'the generator accepts audited scripts');
is(get('gen/lua/whole.lua'), <<'LUA', 'an audited script is one function');
local by = ARGV[#ARGV]
local ac = KEYS[1]
local about, named = ac, ""
local first = KEYS[2]
local said = (function()
local x = ARGV[1]
return {x}
end)()
if by and said then
log(by, about, named)
end
return said
LUA
like(get('gen/lua/part.lua'), qr/^local about, named = ARGV\[2\], ""
local first = KEYS\[2\]
local said = \(function\(\)
if ac then
local function f\(s\)
.*?
end
f\(''\)
end
return 1
end\)\(\)\n/ms, 'of what the argument names');
like(get('gen/rbl_script_list.c'), qr/rbl_script_whole = .*?, 1\n\};.*rbl_script_part = .*?, 1\n\};/s,
    'the C list marks audited scripts');
like(get('gen/rbl_script_list.c'), qr/rbl_script_one = [^}]*, 0\n\};/,
    'the C list marks scripts without audit');
unlink map { "$dir/lua/$_" } qw(_by.lua _audit.lua _first.lua whole.lua
    part.lua);
is(generate("$dir/lua/*.lua"), 0, 'the others again');
utime 1, 1, @files;

for my $case (
    [ 'steps whose head does not say what they take', '--- takes: b' ],
    [ 'steps whose head does not say what they set', '--- sets: b' ],
    [ 'steps that take nothing', '' ])
{
    my ($name, $wrong) = @$case;
    my @head = ('--- takes: a c', '--- sets: b d');

    @head = $wrong eq '' ? () : map { /^(--- \w+:)/ && $wrong =~ /^$1/ ? $wrong
        : $_ } @head;
    put('lua/_bad.lua', join("\n", '-- Steps: b.', @head, 'local d = a',
        'b = c.e', ''));
    isnt(generate("$dir/lua/*.lua"), 0, "the generator refuses $name");
    like(get('err'), qr/_bad\.lua: not true, or missing: --- (?:takes: a c|sets: b d)\n/,
        "the error names the right head for $name");
}
unlink "$dir/lua/_bad.lua";

for my $case (
    [ 'an argument that is not declared', "${head}return ARG.other\n" ],
    [ 'the same name twice', "$head--- arg: acct\nreturn 1\n" ],
    [ 'a key behind an argument', "$head--- key: more\nreturn 1\n" ],
    [ 'an argument behind any number of them',
        "$head--- arg: a...\n--- arg: b\nreturn 1\n" ],
    [ 'arguments without a key', "--- arg: a\nreturn 1\n" ],
    [ 'a reply without a word', "$head--- reply: ok\nreturn 1\n" ],
    [ 'a word twice', "$head--- reply: OK\n--- reply: OK a\nreturn 1\n" ],
    [ 'a field of two types',
        "$head--- reply: OK a\n--- reply: NO a#\nreturn 1\n" ],
    [ 'unknown entity', "return NOTHING.id\n" ],
    [ 'unknown include', "--- include: nothing\nreturn 1\n" ],
    [ 'unknown field', "return HOST.none\n" ],
    [ 'a function on one line', "local function f() return 1 end\nreturn f()\n" ],
    [ 'code behind the head of a function',
        "local function f() if a then return 1 end\nend\nreturn f()\n" ],
    [ 'code behind the end of a function',
        "local function f()\nend local a = f()\nreturn a\n" ],
    [ 'a function whose lines are not indented',
        "local function f()\nreturn 1\nend\nreturn 1\n" ],
    [ 'a function without an end', "local function f()\n    return 1\n" ],
    [ 'open string', "return 'a\n" ],
    [ 'open long string', "return [[a\n" ])
{
    my ($name, $text) = @$case;

    put('lua/bad.lua', $text);
    isnt(generate("$dir/lua/*.lua"), 0, "the generator refuses $name");
    isnt(get('err'), '', "there is a message for $name");
}

put('lua/bad.lua', "return 1\n");
rename "$dir/lua/bad.lua", "$dir/lua/b-d.lua" or die $!;
isnt(generate("$dir/lua/b-d.lua"), 0, 'a name that C cannot have');
is_deeply([ (stat $files[0])[9] ], [ 1 ], 'errors leave the old files');

done_testing();
