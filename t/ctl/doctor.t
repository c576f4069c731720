#!/usr/bin/perl

# rblctl doctor: faults are planted one by one; each is named, with a line that
# mends it.  On a healthy system nothing is named.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my @yes = (test_entry(), ['^test NS$', { ns => ['ns.test'] }], not_there());
my $dns = RblDns->new(rules => \@yes);
my $man = read_file(repo_dir() . '/conf/man/rblctl.8.in');
my $w = world(no_dns => 1, zones => { map { ("$_.test" => { control => 'ip' })
    } qw(a b c) }, redis => { cluster => 0, port => 1, appendonly => 1,
    conf => "appendfsync always\n" });
my $redis = $w->{redis};
my $dir = temp_dir();

# The configuration of the daemon; undef: without that key.
my %conf = (store => $redis->{addr}, store_user => 'rbl-checkd',
    store_password_file => $redis->{users}{'rbl-checkd'},
    lookup => 'resolver', resolver => $dns->addr,
    conf_short(name => 'one'));

sub conf_file {
    my (%change) = @_;

    my %c = (%conf, %change);
    my $file = "$dir/doctor.conf";
    write_file($file, join '', map { "$_ $c{$_}\n" }
        grep { defined $c{$_} } sort keys %c);
    return $file;
}

# rblctl doctor: {status, out, took, rows by name}
sub doctor {
    my (%o) = @_;

    my $file = $o{file} // conf_file(%{ $o{conf} // {} });
    my $began = time;
    my $r = rblctl($o{redis} // $redis, 'doctor', '--json', '--daemon', $file,
        @{ $o{args} // [] });
    $r->{took} = time - $began;
    $r->{rows} = $r->{status} < 3
        ? { map { $_->{name} => $_ } @{ json($r->{out})->{rows} } } : {};
    return $r;
}

# A fault is named by this row.
sub named {
    my ($name, $row, $state, $reason, %o) = @_;

    my $r = doctor(%o);
    my $got = $r->{rows}{$row} // { state => 'missing' };
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is("$got->{state} $r->{status}", "$state "
        . ($state eq 'broken' ? 2 : $r->{rows} && grep({ $_->{state} eq 'broken'
        } values %{ $r->{rows} }) ? 2 : 1), "$name: $row is $state")
        or diag($r->{err}, $got->{reason} // '');
    like($got->{reason}, $reason, "$name: the reason");
    like($got->{remedy}, qr/\w+ \w+/, "$name: what mends it");
    return $got;
}

# --- a healthy system --------------------------------------------------------

my $one = start_checkd(store => $redis, resolver => $dns->port,
    conf => { conf_short(name => 'one', control_retry => '1s') });
check_host($w, add_host($w, '10.0.0.1'));
my $r;
eventually { $r = doctor(); $r->{status} == 0 } 60,
    'a healthy system: the exit status is 0' or diag($r->{out});
is(join(' ', map { "$_->{name}: $_->{reason}" } grep { $_->{state} !~
    /^(?:good|unknown)$/ } values %{ $r->{rows} }), '',
    'a healthy system: no row has a fault');
my @own = read_file(repo_dir() . '/rbl-checkd/ctl/doctor_rows.c')
    =~ /^    \[DOCTOR_\w+\] = \{ "(\w+)"/mg;
is(join(' ', grep { !$r->{rows}{$_} || $man !~ /^\.It Li $_$/m } @own), '',
    'rblctl(8) and the output have all rows of the table');
is($r->{rows}{clocks}{state}, 'good', 'the conditions are rows, too');
$r = rblctl($redis, 'doctor', '--daemon', conf_file());
like($r->{out}, qr/\Agood\n.*^good: store_away, /ms,
    'a healthy system: the text begins with the verdict');

# --- faults ------------------------------------------------------------------

named('a key that is unknown', 'configuration', 'broken',
    qr/doctor\.conf:\d+: frob: there is no/, conf => { frob => 1 });
my $closed = free_port();
named('no resolver', 'resolver', 'broken',
    qr/127\.0\.0\.1\@$closed Connection refused/,
    conf => { resolver => "127.0.0.1\@$closed" });
my $refuses = RblDns->new(rules => [['.' => 'refused']]);
named('a resolver that refuses', 'resolver', 'broken', qr/REFUSED/,
    conf => { resolver => $refuses->addr });
my $volatile = start_redis(cluster => 0);
init_store($volatile);
named('without an append-only file', 'store_settings', 'degraded',
    qr/appendonly is no/, redis => $volatile);

done_testing();
