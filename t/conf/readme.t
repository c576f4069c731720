#!/usr/bin/perl

# The README names every directive, key and command there is, with its default,
# and its pieces of configuration are ones.  (What else it shows is run by
# t/e2e/readme.t and t/packaging/fresh.sh.)

use strict;
use warnings;
use RblTest;

my $readme = read_file(repo_dir() . '/README.md');

sub row { return $readme =~ /^\| `\Q$_[0]\E`(.*)$/m ? $1 : undef }

# rbl-checkd: the table against the program's own

my $defaults = run_cmd({}, build_dir() . '/rbl-checkd', '-D')->{out};
my $keys = 0;
for my $line (split /\n/, $defaults) {
    next unless $line =~ /^#(\w+) (.*)$/;
    my ($key, $default) = ($1, $2);
    $default = $default =~ /# no default/ ? "\x{e2}\x{80}\x{93}" : "`$default`";
    like(row($key) // '', qr/^ \| \Q$default\E \|/, "key $key, its default");
    $keys++;
}
cmp_ok($keys, '>', 20, 'the keys were found');

# rblctl

my $usage = run_cmd({}, build_dir() . '/rblctl', '--help')->{out};
my $commands = 0;
while ($usage =~ /^  (\S.*)\n        (.*)$/mg) {
    my ($command, $text) = ($1, $2);
    $command =~ s/\|/\\|/g;
    is(row($command), " | $text |", "command $command");
    $commands++;
}
cmp_ok($commands, '>', 10, 'the commands were found');

# the module

my $source = read_file(repo_dir() . '/ngx_rbl_module/ngx_rbl_directives.c');
my @directives = $source =~ /ngx_string\("(rbl_\w+)"\)/g;
cmp_ok(scalar @directives, '>=', 11, 'the directives were found');
for my $directive (@directives) {
    like($readme, qr/^\| `\Q$directive\E[` ]/m, "directive $directive");
}

my $variables = read_file(repo_dir() . '/ngx_rbl_module/ngx_rbl_variables.c');
like($readme, qr/`\$\Q$_\E`/, "variable $_")
    for $variables =~ /ngx_string\("(rbl_\w+)"\)/g;

# pieces of configuration: what is indented in these sections

sub pieces {
    my ($section) = $readme =~ /^## \Q$_[0]\E\n(.*?)(?=^## |\z)/ms;
    return grep { /\S/ } $section =~ /(?<=\n\n)((?:    .*\n|\n(?=    ))+)/g;
}

my $pieces = 0;
for my $piece (pieces('nginx directives')) {
    my $nginx = start_nginx(start => 0, http => 'rbl_zone rbl 1m;',
        server => $piece);
    my $r = run_cmd({ env => $nginx->{env} }, @{ $nginx->{command} }, '-t');
    is($r->{status}, 0, 'nginx takes what it is told') or diag($r->{err});
    $pieces++;
}
for my $piece (pieces('Contacts')) {
    my $conf = temp_dir() . '/piece.conf';
    write_file($conf, $piece =~ s/^ +//gmr);
    my $r = run_cmd({}, build_dir() . '/rbl-checkd', '-t', '-c', $conf);
    is($r->{status}, 0, 'rbl-checkd takes what it is told') or diag($r->{err});
    $pieces++;
}
is($pieces, 2, 'the pieces were found');

# what is pasted names files that exist

for my $file ($readme =~ /`(conf\/[\w.]+)`/g) {
    ok(-e repo_dir() . "/$file", "$file is there");
}

done_testing();
