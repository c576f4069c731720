#!/usr/bin/perl

# The manual pages are sound, and tell every key, command and option that the
# programs tell of themselves, in the same words.

use strict;
use warnings;
use RblTest;

my $man = repo_dir() . '/conf/man';
my %page;

for my $file (sort glob "$man/*.[58]") {
    my ($name) = $file =~ m{([^/]+)$};
    my $r = run_cmd('mandoc', '-Tlint', '-Wwarning', $file);
    is("$r->{status} $r->{out}$r->{err}", '0 ', "$name: mandoc is content");
    $r = run_cmd({ env => { LC_ALL => 'C.UTF-8', MANPAGER => 'cat' } },
        'groff', '-man', '-mdoc', '-Tutf8', '-ww', '-z', $file);
    is("$r->{status} $r->{err}", '0 ', "$name: groff is content");

    $r = run_cmd('mandoc', '-Tascii', '-Owidth=900', $file);
    my $text = $r->{out};
    $text =~ s/.\x08//g;
    $page{$name} = plain($text);
}
is(join(' ', sort keys %page), 'rbl-checkd.8 rbl-checkd.conf.5 rblctl.8',
    'the pages');

# One space between words, none around "|", quotes of one kind.
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
    ok(index($page{$page}, $text) >= 0, "$page tells $name")
        or diag("not there: $text");
}

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
cmp_ok($keys, '>', 20, 'the keys were found');

my $usage = run_cmd(build_dir() . '/rblctl', '--help')->{out};
my $commands = 0;
while ($usage =~ /^  (\S.*)\n        (.*)$/mg) {
    my ($command, $text) = ($1, $2);
    tells('rblctl.8', " $command \u$text.", $command);
    $commands++;
}
cmp_ok($commands, '>', 10, 'the commands were found');
my ($head) = $usage =~ /^(usage: .*?)COMMAND/s;
for my $option ($head =~ /\[(-[^\] ]+)/g) {
    tells('rblctl.8', " $option ", "option $option");
}

$usage = run_cmd(build_dir() . '/rbl-checkd', '-h')->{out};
my %letters = map { $_ => 1 } $usage =~ /(?<=[\s\[])-(\w)\b/g;
cmp_ok(scalar keys %letters, '>=', 6, 'the options were found');
tells('rbl-checkd.8', " -$_ ", "option -$_") for sort keys %letters;

done_testing();
