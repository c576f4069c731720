#!/usr/bin/perl

# The end of a listing behind a caching resolver.  A list that was emptied
# answers negatively for everything, while the cache still has its positive test
# point.  The listing stays, unconfirmed, and the host is queried again as soon
# as the cache entry has expired, although its interval is an hour.  Then the
# empty list is detected, and the listings that have really ended are delisted.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

# TTL of the test points, so that all steps before its expiry are in time.
use constant { TTL => 12, INTERVAL => 3600, SLACK => 30 };

my %value = ('emptied.test' => '10.5.0.1', 'ends.test' => '10.5.0.2');
my (%sid, %cleared);

sub rules_of {
    my ($zone, $is) = @_;

    my $end = "\\.\Q$zone\E( |\$)";
    my $name = join '\.', reverse split /\./, $value{$zone};
    return ($is eq 'listed' ? ["^$name$end", { a => ['127.0.0.2'],
            txt => ['why'], ttl => 0, aa => 1 }] : (),
        $is ne 'emptied' ? ["^2\\.0\\.0\\.127$end", { a => ['127.0.0.2'],
            ttl => TTL, aa => 1 }] : (),
        ["(^|[.])\Q$zone\E( |\$)", { rcode => 'nxdomain', aa => 1,
            soa => [$zone, 0, 0] }]);
}

sub rules {
    my (%is) = @_;
    return map { rules_of($_, $is{$_}) } sort keys %is;
}

my $dns = RblDns->new(rules => [rules(map { $_ => 'listed' } keys %value)]);
my $unbound = start_unbound(stubs => { map { $_ => $dns->port }
    keys %value }, conf => "  cache-max-ttl: 3600\n");
my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
    keys %value });
script_ok($w, 'account_update', [RblCheckd::akey($w, 'acct')],
    interval => INTERVAL, now => 1);
script_ok($w, 'hook_put', [RblCheckd::akey($w, 'acct')],
    hook => fresh_sid('WH'), name => 'hook', url => 'https://hook.test/',
    secret => 'secret');
my $checkd = start_checkd(store => $w->{redis}, resolver => $unbound,
    conf => { conf_short(control_retry => '1s',
        dns_timeout => '1s', check_timeout => '6s', lease => '15s') });

# The current listing, or undef: [list, zone, website, details, codes, since,
# asked, errors, cleared].
sub standing {
    my ($zone) = @_;

    my $h = host_record($w, $sid{$zone});
    my ($l) = grep { $_->[1] eq $zone } @{ $h->{details} || [] };
    return $l;
}

sub history { return join ' ', map { $_->{v} }
    @{ history_of($w, $sid{ $_[0] }) } }

# (s until the next check, status and error of the zone) of a check now.
sub check_now {
    my ($zone) = @_;

    my $pp = check_host($w, $sid{$zone});
    wait_check($w, $pp);
    my $d = details($w, $pp)->{$zone} // { status => 'clear', error => '' };
    my $due = redis($w->{redis}, 'ZSCORE', RblCheckd::akey($w, 'due'),
        $sid{$zone});
    my $checked = host_record($w, $sid{$zone})->{checked};
    return (($due - $checked) / 1000, "$d->{status} $d->{error}");
}

$sid{$_} = add_host($w, $value{$_}) for sort keys %value;
eventually { standing('emptied.test') && standing('ends.test') } TTL + SLACK,
    'both hosts are listed';
my $kept = time;                        # the cached test points are older

$dns->rules(rules('emptied.test' => 'emptied', 'ends.test' => 'ended'));
for my $zone (sort keys %value) {
    my ($next, $answer) = check_now($zone);
    is($answer, 'unknown unconfirmed', "$zone: its test point is cached");
    my $l = standing($zone);
    ok($l && $l->[8] > 0, "$zone: the listing is current, reported clear");
    cmp_ok($next, '<=', TTL + 3, "$zone: queried again soon");
    cmp_ok($next, '>', 0, "$zone: the host is not queried again at once");
}
is($dns->asked('^2\.0\.0\.127\.'), 0,
    'no list is queried for its cached test point');

# From here on no manual checks are requested.
eventually { !standing('ends.test') } TTL + SLACK,
    'the ended listing is delisted when the cache entry has expired';
cmp_ok(time - $kept, '>', TTL - 2,
    'the listing does not end before the cache entry expires');
is(history('ends.test'), 'listed clear',
    'ends.test has one listing and one delisting');

eventually { read_file($checkd->{log})
    =~ /list emptied\.test, .*: down, was good/ } TTL + SLACK,
    'the emptied list is found out';
my $down = time * 1000;
set_due($w, $sid{'emptied.test'});
eventually { host_record($w, $sid{'emptied.test'})->{checked} > $down } 10,
    'the host of the emptied list is checked again';
ok(standing('emptied.test'), 'the host of the emptied list is still listed');
is(history('emptied.test'), 'listed', 'no change was reported');
my (undef, $answer) = check_now('emptied.test');
is($answer, 'unknown unhealthy', 'the list is unknown');

# The list is back without the host: that must be confirmed again.
$dns->rules(rules('emptied.test' => 'ended', 'ends.test' => 'ended'));
eventually { check_now('emptied.test');
    !standing('emptied.test') } 2 * TTL + SLACK,
    'the list is back without the host: delisted';
is(history('emptied.test'), 'listed clear',
    'emptied.test has one listing and one delisting');

my %event;
for my $e (@{ redis($w->{redis}, 'XRANGE', RblCheckd::pkey($w, 'outbox'), '-',
    '+') })
{
    my %e = @{ $e->[1] };
    $event{ mp_unpack($e{d})->[6] }++ if $e{d} =~ /rbl\.host\.delisted/;
}
is_deeply(\%event, { map { $_ => 1 } values %value },
    'each delisting was reported once');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
