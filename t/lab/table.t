#!/usr/bin/perl

# The wrongness table: every scenario of the laboratory (t/lib/RblLab/Table.pm)
# by `rblctl check`, which has the daemon's own engine, controls and verdicts.
# LAB="emptied world": these scenarios alone.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use RblTest;
use RblLab;

my $lab = lab();
my $conf = temp_dir() . '/rblctl.conf';
write_file($conf, "dns_timeout 300ms\ndns_tries 2\ncheck_timeout 6s\n");

my @scenarios = @{ $lab->{scenarios} };
my %seen;
ok(!(grep { $seen{ $_->{name} }++ } @scenarios), 'names are unique');
cmp_ok(scalar @scenarios, '>=', 60, 'at least 60 scenarios');
for my $v (qw(listed clear unknown)) {
    cmp_ok(scalar(grep { $_->{verdict} eq $v } @scenarios), ">", 10,
        "many are $v");
}

# A zone that wants a key has it in the store.
my @keyed = grep { defined $_->{key} } @scenarios;

# (verdict, error) of ours.
sub ours {
    my ($s) = @_;

    my $file = lab_file(temp_dir() . "/$s->{name}.json",
        map { lab_list($s, $_) } 0 .. ($s->{lists} // 1) - 1);
    my $r = run_cmd(build_dir() . '/rblctl', '-c', $conf, 'check',
        $s->{value}, '--lists', $file, '--resolver',
        '127.0.0.1@' . resolver_port($lab, $s), '--json');
    return ('none', '') if $r->{status} == 3 && $r->{err} =~ /no active list/;
    my $out = eval { decode_json($r->{out}) }
        // return ("nothing: $r->{err}", '');
    my ($list) = grep { $_->{zone} =~ /^(\{key\}\.)?\Q$s->{zone}\E$/ }
        @{ $out->{lists} };
    return ('missing', '') if !$list;
    return @$list{qw(status error)};
}

my %only = map { $_ => 1 } split ' ', $ENV{LAB} // '';
my $wrong = 0;
for my $s (@scenarios) {
    next if %only && !$only{ $s->{name} };
    my ($verdict, $error) = ours($s);
    my $got = $error eq '' ? $verdict : "$verdict: $error";
    ok(verdict_fits($s, $verdict, $error),
        "$s->{name} ($s->{source}): $s->{text}: " . wanted_text($s))
        or diag("got $got"), $wrong++;
}
diag("$wrong of " . @scenarios . ' wrong') if $wrong;

lab_stop($lab);
done_testing();
