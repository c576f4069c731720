#!/usr/bin/perl

# The manual pages, as `make man` writes them: they are valid; they describe
# every key, command and option in the words of the programs, and every
# directive with its default and context; their references and examples are
# right.  (t/e2e/readme.t runs the examples of rbl-api(7), t/packaging/fresh.sh
# those of rbl-operations(7), t/conf/availability.t those of
# rbl-availability(7).)

use strict;
use warnings;
use lib 't/lib';
use RblTest;
use RblJudge;

my $man = build_dir() . '/man';
my @names = qw(ngx_rbl.5 rbl-api.7 rbl-availability.7 rbl-checkd.8
    rbl-checkd.conf.5 rbl-events.7 rbl-operations.7 rbl-portal.7 rblctl.8);
my (%page, %source);

for my $file (sort glob "$man/*.[1-9]") {
    my ($name) = $file =~ m{([^/]+)$};
    my $r = run_cmd('mandoc', '-Tlint', '-Wwarning', $file);
    is("$r->{status} $r->{out}$r->{err}", '0 ',
        "mandoc reports no fault in $name");
    # groff 1.23 reports a line of one word, which it cannot adjust.
    $r = run_cmd({ env => { LC_ALL => 'C.UTF-8', MANPAGER => 'cat' } },
        'groff', '-dAD=l', '-man', '-mdoc', '-Tutf8', '-ww', '-z', $file);
    is("$r->{status} $r->{err}", '0 ', "groff reports no fault in $name");

    $r = run_cmd('mandoc', '-Tascii', '-Owidth=900', $file);
    my $text = $r->{out};
    $text =~ s/.\x08//g;
    $page{$name} = plain($text);
    $source{$name} = read_file($file);
}
is(join(' ', sort keys %page), "@names", 'make man writes the nine pages');

# Normalizes text: one space between words, none around "|", quotes of one kind.
sub plain {
    my ($text) = @_;

    $text =~ s/\s+/ /g;
    $text =~ s/ ?\| ?/|/g;
    $text =~ tr/`"/'/;
    return $text;
}

sub tells {
    my ($page, $text, $name) = @_;

    $text = plain($text);
    ok(index($page{$page}, $text) >= 0, "$page has $name")
        or diag("not there: $text");
}

# --- references -------------------------------------------------------------

for my $name (@names) {
    my ($see) = $source{$name} =~ /^\.Sh SEE ALSO\n(.*)\z/ms;
    my @see = map { "$_->[1] $_->[0]" }
        map { [ split ' ' ] } $see =~ /^\.Xr (\S+ \d)/mg;
    is("@see", join(' ', sort @see), "SEE ALSO of $name is sorted");
    my %seen = map { $_ => 1 } $source{$name} =~ /^\.Xr (\S+ \d)/mg;
    my @lost = grep { /rbl/ && !$source{tr/ /./r} } keys %seen;
    is("@lost", '', "$name refers to pages that exist");
}

# --- keys, commands and options ---------------------------------------------

my $defaults = run_cmd(build_dir() . '/rbl-checkd', '-D')->{out};
my $keys = 0;
for my $block (split /\n\n/, $defaults) {
    next if $block !~ s/^#(\w+) (.*)\z//m;
    my ($key, $value) = ($1, $2);
    $block =~ s/^# //mg;
    $block =~ s/\s+\z//;
    my $how = $value =~ s/\s+# no default$// ? 'No default; for example'
        : 'Default:';
    tells('rbl-checkd.conf.5', " $key $block $how '$value'.", "key $key");
    $keys++;
}
cmp_ok($keys, '>', 20, 'rbl-checkd.conf(5) has more than 20 keys');

my $usage = run_cmd(build_dir() . '/rblctl', '--help')->{out};
my $commands = 0;
while ($usage =~ /^  (\S.*)\n        (.*)$/mg) {
    my ($command, $text) = ($1, $2);
    tells('rblctl.8', " $command \u$text.", $command);
    $commands++;
}
cmp_ok($commands, '>', 10, 'rblctl(8) has more than ten commands');
my ($head) = $usage =~ /^(usage: .*?)COMMAND/s;
for my $option ($head =~ /\[(-[^\] ]+)/g) {
    tells('rblctl.8', " $option ", "option $option");
}

$usage = run_cmd(build_dir() . '/rbl-checkd', '-h')->{out};
my %letters = map { $_ => 1 } $usage =~ /(?<=[\s\[])-(\w)\b/g;
cmp_ok(scalar keys %letters, '>=', 6, 'rbl-checkd(8) has at least six options');
tells('rbl-checkd.8', " -$_ ", "option -$_") for sort keys %letters;

# --- directives and variables -----------------------------------------------

my $module = repo_dir() . '/ngx_rbl_module';
my $commands_c = read_file("$module/ngx_rbl_directives.c");
my %context = (ANY => 'http, server, location', HTTP => 'http',
    LOCATION => 'location');
my $directives = 0;
while ($commands_c =~ /^    NGX_RBL_([A-Z]+)\("(rbl_\w+)"/mg) {
    my ($context, $directive) = ($context{$1}, $2);
    my ($it) = $source{'ngx_rbl.5'}
        =~ /^\.It Ic \Q$directive\E (.*?)(?=^\.It |^\.El)/ms;
    my ($default) = ($it // '') =~ /^Default:\s+(?:\.Cm )?(.*?) ?\.$/m;
    my ($where) = ($it // '') =~ /^Context: (.*)\.\n\.br\n/m;
    is($where, $context, "ngx_rbl(5) has the context of $directive");
    $default =~ s/\\\(dq/"/g if defined $default;
    is($default, default_of($directive),
        "ngx_rbl(5) has the default of $directive");
    $directives++;
}
cmp_ok($directives, '>=', 19, 'ngx_rbl(5) has at least 19 directives');

# The default that the module merges; "none" if it is empty.
sub default_of {
    my ($directive) = @_;

    my %other = (rbl_store => '127.0.0.1:6379', rbl_api => 'off', rbl_portal => 'off',
        rbl_zoneinfo => '/usr/share/zoneinfo', rbl_check_keep => '7d',
        rbl_store_timeout => '500ms');
    my ($field) = $directive =~ /^rbl_(\w+)$/;
    return $other{$directive} if $other{$directive};
    $field =~ s/^store_/store./;
    my $merge = join '', map { read_file($_) } glob "$module/*.c";
    my ($value) = $merge =~ /ngx_conf_merge_\w+\(\s*conf->\Q$field\E,
        \s*prev->\Q$field\E,\s*(.*?)\);/xs;
    return 'none' if !defined $value || $value eq 'NULL' || $value eq '""';
    return $value ? 'on' : 'off' if $value =~ /^[01]$/;
    return $value =~ /^"/ && $value =~ / / ? $value
        : $value =~ s/^"(.*)"$/$1/r;
}

my $variables = read_file("$module/ngx_rbl_variables.c");
like($source{'ngx_rbl.5'}, qr/^\.It Va \$\Q$_\E$/m,
    "ngx_rbl(5) has the variable $_")
    for $variables =~ /ngx_string\("(rbl_\w+)"\)/g;

# --- calls of the API -------------------------------------------------------

for my $page (['rbl-api.7', '/3.0'], ['rbl-portal.7', '/portal/1']) {
    my ($name, $base) = @$page;
    my %mine = map {
        ("$_->{method} $_->{at}" =~ s/\Q$base\E|\.json$|\.\{format\}//gr, $_)
    } grep { $_->{at} eq $_->{of} } described("$base/");
    my %found = $source{$name} =~ /^\.It ((?:GET|POST) \S+) Ta (.*)$/mg;
    is(join("\n", sort keys %found), join("\n", sort keys %mine),
        "$name has every call");
    for my $call (grep { /^POST/ } sort keys %mine) {
        my %other = %{ $mine{$call}{form} };
        my @needed = @{ $mine{$call}{required} };
        delete @other{@needed};
        my ($needed, $other) = map { join ' ', sort split / , /, $_ // '' }
            $found{$call} =~ /^[^:]*(?:: (?:Li (.*?))?(?: ?Bq Li (.*))?)?$/;
        is("$needed [$other]", join(' ', sort @needed) . ' ['
            . join(' ', sort keys %other) . ']', "$name: the fields of $call,"
            . ' those that are needed and the others');
    }
    is(scalar(grep { !/^[A-Z].{3}/ } values %found), 0,
        "$name says what each call is for");
    next if $name ne 'rbl-api.7';
    is($found{'GET /check/status'} =~ s/.*?: //r, 'Li id Bq Li details',
        'the parameters of a query');
}

# --- terms of lists ---------------------------------------------------------

# rbl-operations(7) names each list that is not free for everybody, and no other.
my ($section) = $source{'rbl-operations.7'} =~ /^\.Sh DNS\n(.*?)^\.Sh /ms;
my %terms = $section =~ /^\.It (\S+\.\S+) Ta (.*)$/mg;
my %used;
for my $list (@{ json(read_file(repo_dir() . '/conf/lists.json'))->{lists} }) {
    my ($zone, $note) = @$list{qw(zone note)};
    next if !$list->{enabled} && $zone !~ /\{key\}/ || $note !~ /registered|non-c
        |below\ \d+k|small|low\ volume|one\ query|needs\ a|activation\ code/x;
    my ($row) = grep { my $glob = join '.+', map { quotemeta } split /\*/, $_, -1;
        $zone =~ /^$glob$/ } sort { $b =~ /key/ <=> $a =~ /key/ } keys %terms;
    ok($row, "rbl-operations(7) has the terms of $zone");
    $used{ $row // '' } = 1;
    my ($thousands) = $note =~ /below (\d+)k/;
    like($terms{ $row // '' }, qr/below $thousands,000/, "... and its number")
        if $thousands && $zone !~ /\{key\}/;
}
is(join(' ', grep { !$used{$_} } sort keys %terms), '',
    'each row of rbl-operations(7) is of a list of the catalogue');

# --- pieces of configuration ------------------------------------------------

sub pieces {
    my ($page, $first) = @_;

    return grep { /^$first/ }
        $source{$page} =~ /^\.Bd -literal[^\n]*\n(.*?)^\.Ed$/msg;
}

my @nginx = pieces('ngx_rbl.5', 'location ');
is(scalar @nginx, 1, 'ngx_rbl(5) has one piece of configuration');
for my $piece (@nginx) {
    my $nginx = start_nginx(start => 0, http => 'rbl_zone rbl 1m;',
        server => $piece);
    my $r = run_cmd({ env => $nginx->{env} }, @{ $nginx->{command} }, '-t');
    is($r->{status}, 0, 'nginx accepts the piece of ngx_rbl(5)')
        or diag($r->{err});
}
my @checkd = (pieces('rbl-events.7', 'smtp'),
    pieces('rbl-checkd.conf.5', 'store'));
is(scalar @checkd, 2,
    'the pages have two pieces of configuration of rbl-checkd');
for my $piece (@checkd) {
    my $conf = temp_dir() . '/piece.conf';
    my $password = temp_dir() . '/store.password';
    write_file($password, "x\n", 0600);
    write_file($conf, $piece =~ s{/etc/rbl-checkd/store\.password}{$password}r);
    my $r = run_cmd({}, build_dir() . '/rbl-checkd', '-t', '-c', $conf);
    is($r->{status}, 0, 'rbl-checkd accepts the piece of the page')
        or diag($r->{err});
}

# Lines with rblctl have options that their command takes.
my $help = run_cmd({}, build_dir() . '/rblctl', '--help')->{out};
my %usage = map { /^  ([a-z][a-z ]*[a-z])(.*)/ ? ($1 => $2) : () }
    split /\n/, $help;
cmp_ok(scalar keys %usage, '>', 60, 'rblctl --help has all commands');
my ($given, @wrong) = (0);
for my $line (map { /\brblctl ([a-z][^|>&;\n]*)/g } map { join "\n",
    /^\.Bd -literal[^\n]*\n(.*?)^\.Ed$/msg } values %source)
{
    my ($command) = sort { length $b <=> length $a } grep {
        $line =~ /^\Q$_\E(?: |$)/ } keys %usage;
    for my $option ($line =~ /(?<= )(--[a-z-]+)/g) {
        $given++;
        push @wrong, "$line: $option" if !defined $command
            || $option !~ /^--(?:json|store|prefix|user|password-file|config)$/
            && $usage{$command} !~ /\Q$option\E\b/;
    }
}
cmp_ok($given, '>', 10, 'the pages give options to rblctl');
is(join(' ', @wrong), '', 'rblctl takes every option that a page gives it');

done_testing();
