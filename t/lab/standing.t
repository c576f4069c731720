#!/usr/bin/perl

# The laboratory over time: the listings of a host while its list changes, with
# a daemon and a store, behind a caching resolver.  Each scenario is a list and
# a host.  At each step all lists change, all hosts are checked, and each must
# have the right result on its own list.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

use constant SOON => 15;                # s that a confirmation may take

# A zone's behaviour at a step: {host => action, control => action, all =>
# action}; without any the list is sound and the host not on it.
my %listed = (host => { a => ['127.0.0.2'], txt => ['why'], ttl => 0 });
my %gone = (all => 'nxdomain');
my @listed = (\%listed, 'listed', 1);
my @clear = ({}, 'clear', 0);

# [name, kind as in RblLab::Table, history, steps: [zone, result, listing]...];
# a result is "verdict" or "verdict error|error"; another one may be right, too
# (the health of a list is cached for a while).
my @scenarios = (
    ['emptied', '2', 'listed clear', [@listed],
        [\%gone, 'unknown unhealthy|unconfirmed', 1], [@listed], [@clear]],
    ['never-there', '2', '', [@clear],
        [\%gone, 'unknown unhealthy|unconfirmed', 0, 'clear'], [@clear],
        [@clear]],
    ['cached', '3.3', 'listed', [{ %listed, control => 60 }, 'listed', 1],
        [{ %gone, control => 60 }, 'unknown unconfirmed', 1],
        [{ %gone, control => 60 }, 'unknown unconfirmed', 1],
        [{ %listed, control => 60 }, 'listed', 1]],
    ['flapping', '5', 'listed clear listed', [@listed], [@clear], [@listed],
        [{ all => 'servfail' }, 'unknown servfail', 1]],
    ['stumbling', '3.2', 'listed', [@listed],
        [{ all => 'servfail' }, 'unknown servfail', 1],
        [{ all => { a => ['91.195.240.117'] } },
            'unknown hijacked|servfail', 1], [@listed]],
    ['spamcop', '2', '', [@clear],
        [{ all => { a => ['91.195.240.117'] } }, 'unknown hijacked', 0],
        [{ all => { a => ['91.195.240.117'] } }, 'unknown hijacked', 0],
        [@clear]],
    ['world', '2', '', [@clear],
        [{ all => { a => ['127.0.0.2'] } }, 'unknown unhealthy', 0],
        [{ all => { a => ['127.0.0.2'] } }, 'unknown unhealthy', 0],
        [@clear]],
    ['world-stands', '2', 'listed clear', [@listed],
        [{ all => { a => ['127.0.0.2'] } }, 'listed', 1,
            'unknown unhealthy'], [\%listed, 'listed', 1,
            'unknown unhealthy'], [@clear]],
    ['neutral', '1.3', 'listed clear', [@listed],
        [{ host => { a => ['127.0.0.9'], ttl => 0 } }, 'clear', 0], [@clear],
        [{ host => { a => ['127.0.0.9'], ttl => 0 } }, 'clear', 0]],
    ['late', '3.6', 'listed', [@clear],
        [{ host => 'mute' }, 'unknown timeout|servfail', 0], [@listed],
        [{ host => 'mute' }, 'unknown timeout|servfail', 1]],
    ['stripped', '3.3', 'listed', [@listed],
        [{ all => 'nodata' }, 'unknown unhealthy|unconfirmed', 1],
        [{ host => 'nodata', control => 'nodata' },
            'unknown unhealthy|unconfirmed', 1], [@listed]],
);
my $steps = 4;

my (%value, %sid);
my $n = 0;
$value{ $_->[0] } = '10.6.0.' . ++$n for @scenarios;

sub action {
    my ($zone, $act) = @_;

    return { ttl => 0, %$act } if ref $act;
    return $act if $act =~ /mute|servfail|refused/;
    return { soa => [$zone, 0, 0], aa => 1,
        $act eq 'nodata' ? () : (rcode => $act) };
}

sub rules_of {
    my ($s, $step) = @_;

    my $zone = "$s->[0].test";
    my $end = "\\.\Q$zone\E( |\$)";
    my %is = %{ $s->[3 + $step][0] };
    my $name = join '\.', reverse split /\./, $value{ $s->[0] };
    my $ttl = ($is{control} // '') =~ /^\d+$/ ? delete $is{control} : 0;
    my $control = $is{control} // { a => ['127.0.0.2'], ttl => $ttl, aa => 1 };
    my $all = action($zone, $is{all} // 'nxdomain');
    return ([ "^$name$end", $is{host} ? action($zone, $is{host}) : $all ],
        [ "^2\\.0\\.0\\.127$end",
            $is{all} && !$ttl ? $all : action($zone, $control) ],
        [ "(^|[.])\Q$zone\E( |\$)", $all ]);
}

my $dns = RblDns->new(rules => [map { rules_of($_, 0) } @scenarios]);
my $unbound = start_unbound(stubs => { map { ("$_->[0].test" => $dns->port) }
    @scenarios }, conf => "  cache-max-ttl: 3600\n  infra-host-ttl: 1\n");
my $w = world(no_dns => 1, zones => { map { ("$_->[0].test" => {
    control => 'ip', codes => ['127.0.0.2=listed', '~127.0.0.9=neutral'] }) }
    @scenarios });
my $checkd = start_checkd(store => $w->{redis}, resolver => $unbound,
    conf => { conf_short(schedule => 'off', dns_timeout => '700ms',
        dns_tries => 1, check_timeout => '5s', lease => '12s',
        control_retry => '1s') });
$sid{$_} = add_host($w, $value{$_}) for keys %value;

# {result, listing} of each scenario's host on its own list.
sub check_all {
    my (@which) = @_;

    my %pp = map { $_ => check_host($w, $sid{$_}) } @which;
    my %result;
    for my $name (@which) {
        wait_check($w, $pp{$name}, 30);
        my $d = details($w, $pp{$name})->{"$name.test"}
            // { status => 'clear', error => '' };
        my $h = host_record($w, $sid{$name});
        $result{$name} = { answer => "$d->{status} $d->{error}",
            stands => scalar(grep { $_->[1] eq "$name.test" }
                @{ $h->{details} || [] }) };
    }
    return \%result;
}

# Ends all waits after which checks must see a change again.
sub caches_forget {
    for my $key (@{ redis($w->{redis}, 'KEYS', '*:seen:*') }) {
        my %wait = @{ redis($w->{redis}, 'HGETALL', $key) };
        redis($w->{redis}, 'HSET', $key, $_, $wait{$_} =~ s/ \d+$/ 1/r)
            for grep { $_ ne 'is' } keys %wait;
    }
}

sub fits {
    my ($got, @want) = @_;

    return 0 if $got->{stands} != $want[1];
    for my $want (grep { defined } @want[0, 2]) {
        my ($verdict, $errors) = split ' ', $want;
        return 1 if $got->{answer} =~ ('^' . $verdict . ' (?:'
            . ($errors // '') . ')$');
    }
    return 0;
}

for my $step (0 .. $steps - 1) {
    $dns->rules(map { rules_of($_, $step) } @scenarios);
    my $got = check_all(map { $_->[0] } @scenarios);
    # The end of a listing, and a list that was dead, may need confirmation.
    my @left = grep { !fits($got->{ $_->[0] }, @{ $_->[3 + $step] }[1 .. 3])
        && $_->[3 + $step][1] =~ /^(listed|clear)/ } @scenarios;
    wait_for {
        caches_forget();
        my $again = check_all(map { $_->[0] } @left);
        $got->{$_} = $again->{$_} for keys %$again;
        @left = grep { !fits($got->{ $_->[0] },
            @{ $_->[3 + $step] }[1 .. 3]) } @left;
        !@left;
    } SOON if @left;
    for my $s (@scenarios) {
        my ($name, $source) = @$s;
        my (undef, $answer, $stands) = @{ $s->[3 + $step] };
        ok(fits($got->{$name}, @{ $s->[3 + $step] }[1 .. 3]), sprintf
            '%s (%s), step %d: %s, %s', $name, $source, $step + 1, $answer,
            $stands ? 'the listing stands' : 'no listing stands')
            or diag("got $got->{$name}{answer}, $got->{$name}{stands}");
    }
}

for my $s (@scenarios) {
    my $told = join ' ', map { $_->{v} } grep { $_->{z} eq "$s->[0].test" }
        @{ history_of($w, $sid{ $s->[0] }) };
    is($told, $s->[2], "$s->[0]: the report");
}

ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
