#!/usr/bin/perl

# 1,000 hosts are watched, 100 of them rightly listed, while a list dies in
# each of the ways of facts/dnsbl.md part 2, one after the other, and comes
# back each time.  No host is listed that is not, none is delisted that is, and
# nobody hears of it but the operator; a cycle after it is back the state is
# that of the list, which has changed meanwhile.  Another list lives on.
#
# DEATHS="emptied world": these alone.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

use constant { HOSTS => 1000, LISTED => 100, MOVED => 5, INTERVAL => 3 };

my %death = (
    'emptied'     => 'nxdomain',
    'no data'     => 'nodata',
    'servers gone' => 'servfail',
    'lame'        => 'refused',
    'unroutable'  => 'mute',
    'squatter'    => { a => ['91.195.240.117'] },
    'world'       => { a => ['127.0.0.2'] },
    'retired'     => { a => ['203.0.113.1'] },
    'blocked'     => { a => ['127.255.255.254'] },
    'world but one' => { a => ['127.0.0.3'] },
);
my @order = ('emptied', 'world', 'servers gone', 'squatter', 'lame',
    'world but one', 'unroutable', 'blocked', 'no data', 'retired');
@order = split /,/, $ENV{DEATHS} if $ENV{DEATHS};

my @value = map { sprintf '10.9.%d.%d', $_ >> 8, $_ & 255 } 0 .. HOSTS - 1;
my %on;                                 # what the list says
$on{ $value[$_ * 10] } = 1 for 0 .. LISTED - 1;
my $elsewhere = $value[-1];             # on the list that lives on

my $soa = { rcode => 'nxdomain', soa => ['dies.test', 1, 1] };
my $control = '^2\.0\.0\.127\.';
my $good = { a => ['127.0.0.2'], txt => ['seen in traps'], ttl => 1 };

sub alive_rules {
    my $names = join '|', map { join '\.', reverse split /\./ } sort keys %on;

    return (["$control", $good],
        ["^($names)\\.dies\\.test ", $good],
        ['^' . join('\.', reverse split /\./, $elsewhere) . '\.lives\.test ',
            $good],
        ['.', $soa]);
}

sub dead_rules {
    my ($how) = @_;

    return ($how eq 'world but one'
            ? ['^1\.0\.0\.127\.dies\.test ', 'nxdomain'] : (),
        ['dies\.test ', ref $death{$how} ? { %{ $death{$how} }, ttl => 1 }
            : $death{$how}],
        alive_rules());
}

my $dns = RblDns->new(rules => [alive_rules()]);
my $w = world(no_dns => 1, zones => {
    'dies.test' => { control => 'ip',
        codes => ['127.0.0.2=listed', '127.0.0.3=other'] },
    'lives.test' => { control => 'ip' } });
script_ok($w, 'account_interval', [RblCheckd::akey($w, 'acct')], INTERVAL);
script_ok($w, 'hook_put', [RblCheckd::akey($w, 'acct')], fresh_sid('WH'),
    'hook', 'https://hook.test/', 'secret');
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(
        dns_timeout => '500ms', dns_tries => 2, checks_max => 60,
        dns_zone_rate => 0, control_retry => '1s',
        log_level => 'info') });
my $sid = add_many($w, @value);

sub hosts {
    my @keys = map { RblCheckd::akey($w, 'r', $sid->{$_}) } @value;
    local $_;

    return map { record('host', $_) } @{ redis($w->{redis}, 'MGET', @keys) };
}

# Hosts that are listed and should not be, or the other way round.
sub wrong {
    my %stands = map { $_ => 1 } @{ redis($w->{redis}, 'ZRANGE',
        RblCheckd::akey($w, 'listed'), 0, -1) };
    my @wrong = grep { $_ ne $elsewhere && ($stands{ $sid->{$_} } // 0)
        != ($on{$_} // 0) } @value;
    return @wrong;
}

# Every host was checked, from now on.
sub cycle {
    my ($name) = @_;
    my $now = time * 1000 + 300;

    return wait_for {
        # Cheap first: who waits has not been checked since.
        !redis($w->{redis}, 'ZCOUNT', RblCheckd::akey($w, 'due'), 0,
            $now + INTERVAL * 1000)
            && !grep { !$_->{checked} || $_->{checked} <= $now } hosts();
    } 30, "every host to be checked ($name)";
}

# (listed and delisted events by host, transitions) since the last call.
my $seen = '-';

sub events {
    my %event;
    my $all = redis($w->{redis}, 'XRANGE', RblCheckd::pkey($w, 'outbox'),
        $seen, '+');

    for my $e (@$all) {
        my %e = @{ $e->[1] };
        next if $e{d} !~ /rbl\.host\.(listed|delisted)/;
        my $what = $1;
        $event{$what}{ mp_unpack($e{d})->[6] }++;
    }
    $seen = "($all->[-1][0]" if @$all;
    return \%event;
}

sub some { return @_ > 8 ? join(' ', @_[0 .. 7], '...', scalar @_) : "@_" }

ok(cycle('first'), 'every host was checked');
eventually { !wrong() } 10, 'those that the list has are listed';
events();

for my $how (@order) {
    my $before = log_count($checkd, "\\bdies\\.test\\b");
    my $died = time;
    $dns->rules(dead_rules($how));
    ok(cycle($how), "$how: every host was checked");
    is(some(wrong()), '', "$how: nobody is listed, nobody is delisted");
    my $event = events();
    is(some(sort keys %{ $event->{delisted} }), '', "$how: no delisting");
    is(some(grep { !$on{$_} && $_ ne $elsewhere }
        sort keys %{ $event->{listed} }), '',
        "$how: no listing");
    cmp_ok(log_count($checkd, "\\bdies\\.test\\b") - $before, '>', 0,
        "$how: the operator is told");
    cmp_ok(log_count($checkd, "\\bdies\\.test\\b") - $before, '<', 30,
        "$how: and not flooded");

    # The list is back, some hosts have left it and others are on it now.
    my @left = (sort keys %on)[0 .. MOVED - 1];
    my @came = (grep { !$on{$_} } @value)[0 .. MOVED - 1];
    delete @on{@left};
    @on{@came} = (1) x MOVED;
    $dns->rules(alive_rules());
    my $lasted = time - $died;
    cycle("$how is over");
    # Its controls are asked again after as long as it was dead, at the latest.
    eventually { !wrong() } INTERVAL + $lasted,
        "$how is over: right within a cycle";
    diag(some(wrong())) if wrong();
    $event = events();
    is_deeply($event->{delisted}, { map { $_ => 1 } @left },
        "$how is over: who has left it is told once");
    is(some(grep { !$event->{listed}{$_} } sort keys %on), '',
        "$how is over: who is on it is told");
}

my @other = grep { grep { $_->[1] eq 'lives.test' } @{ $_->{details} || [] } }
    hosts();
is("@{[map { $_->{value} } @other]}", $elsewhere, 'the other list is right');
ok(stop_server($checkd), 'it stops');
$dns->stop;
done_testing();
