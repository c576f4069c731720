#!/usr/bin/perl

# Resolver mode: the daemon measures at start how the resolver handles SOA
# records, and logs it.  Where the resolver forges or strips them, no listing
# ends before an hour.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(sleep time);

use constant MINIMUM => 1;              # s, of the zones

my @zones = map { "$_.test" } 'a' .. 'd';

# A resolver that returns the zones' own SOA records with one MINIMUM, and
# negative responses with another; undef: none.
sub rules {
    my ($own, $negative, @listed) = @_;

    return (
        (map { my $z = $_; [ "^\Q$z\E SOA\$", defined $own
            ? { more => [[1, '', 'SOA', [$own, 1]]] } : 'nodata' ] } @zones),
        [ '^2\.0\.0\.127\.', { a => ['127.0.0.2'], ttl => 0 } ],
        (map { [ '^' . quotemeta(join '.', reverse split /\./) . '\.a\.test ',
            { a => ['127.0.0.2'], ttl => 0 } ] } @listed),
        map({ [ "\\.\Q$_\E ", { rcode => 'nxdomain', defined $negative
            ? (soa => [$_, $negative, $negative]) : () } ] } @zones),
        [ '.', { rcode => 'nxdomain' } ]);
}

my @cases = (
    [keeps => MINIMUM, MINIMUM],
    [rewrites => 600, MINIMUM],
    [strips => MINIMUM, undef],
    [hides => undef, undef],
);
my @run;
for my $case (@cases) {
    my ($name, $own, $negative) = @$case;
    my $host = '10.0.0.' . (1 + @run);
    my $dns = RblDns->new(rules => [rules($own, $negative, $host)]);
    my $w = world(no_dns => 1,
        zones => { map { $_ => { control => 'ip' } } @zones });
    my $checkd = start_checkd(store => $w->{redis},
        resolver => { port => $dns->port }, conf => { conf_short() });
    push @run, { name => $name, w => $w, dns => $dns,
        checkd => $checkd, host => add_host($w, $host),
        over => [rules($own, $negative)] };
}
sub listed { return host_record($_[0]{w}, $_[0]{host})->{listed_count} }

for my $r (@run) {
    eventually { listed($r) } 20,
        "a resolver that $r->{name} SOA: the host is listed";
    eventually { log_count($r->{checkd},
        "resolver 127\\.0\\.0\\.1\\S* $r->{name} SOA") } 20,
        "$r->{name}: it is logged";
    is(log_count($r->{checkd}, 'SOA records'), 1,
        "a resolver that $r->{name} SOA: one line is logged");
}
$_->{dns}->rules(@{ $_->{over} }) for @run;
my $till = time + 30;
while (time < $till && listed($run[0])) {
    check_host($_->{w}, $_->{host}) for @run;
    sleep 0.5;
}
is(listed($run[0]), 0, 'keeps: the end is reported');
for my $n (1 .. 5) {
    wait_check($_->{w}, check_host($_->{w}, $_->{host})) for @run;
    sleep 1;
}
is(listed($_), 1,
    "$_->{name}: it is not reported for an hour") for @run[1 .. 3];
for my $r (@run) {
    ok(stop_server($r->{checkd}), "$r->{name}: the daemon stops");
    $r->{dns}->stop;
}
done_testing();
