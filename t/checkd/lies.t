#!/usr/bin/perl

# A list was wildcarding and is sound again, with its test points, but a
# resolver still caches its responses for hosts from that time.  A daemon that
# queries it now may not have seen the wildcarding, because it was started
# since, or queried other names meanwhile.  No daemon may take a cached response
# of that time for a listing.  When these responses have expired the hosts are
# clear, and new listings count.  This holds for system lists and for own lists
# of an account.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

use constant {
    TTL => 16,
    LATER => 7,             # s from the controls' lies to those about hosts
};

my %kind = ('a.test' => 'system list', 'own.test' => 'custom list');
my @lists = sort keys %kind;
my @world = ('0.0.0.0/1', '128.0.0.0/1');

# Data of a zone; negative responses are hardly cached.
sub zone {
    my ($zone, @entries) = @_;

    return sprintf "\$SOA 1 ns.$zone h.$zone 1 60 60 60 1\n\$TTL %d\n"
        . "\$NS 60 ns.$zone\n:127.0.0.2:\$ is listed\n%s", TTL,
        join '', map { "$_\n" } '127.0.0.2', @entries;
}

my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
    'a.test', 'good.test' });
my $dns = $w->{dns} = start_rbldnsd(zones => [map { [$_, 'ip4set', zone($_)] }
    @lists, 'good.test']);
my $unbound = start_unbound(stubs => { map { $_ => $dns } @lists,
    'good.test' }, conf => "  cache-max-ttl: 3600\n"
    . "  cache-max-negative-ttl: 3600\n");

sub daemon {
    return start_checkd(store => $w->{redis}, resolver => $unbound,
        conf => { conf_short(check_timeout => '6s', lease => '20s') });
}

# The resolver's response for an address is the same for all lists: positive?
sub says {
    my ($ip, $listed) = @_;

    my $name = join '.', reverse split /\./, $ip;
    return !grep {
        ((dns_query($unbound, "$name.$_")->{answers}[0] // '') eq '127.0.0.2')
            != $listed } @lists;
}

# One check of a host or an address: {zone => "status error"}
sub result {
    my ($pp) = @_;

    wait_check($w, $pp);
    my $d = details($w, $pp);
    return { map { $_ => "$d->{$_}{status} $d->{$_}{error}" } keys %$d };
}

# All lists have this result, and there are no other lists.
sub all_say {
    my ($r, $what, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    like($r->{$_}, $what, "check of the $kind{$_}: $name") for @lists;
    return;
}

# Values announced as listed, in the outbox, sorted and unique.
sub told {
    my @events = map { record('event', { @{ $_->[1] } }->{d}) }
        @{ redis($w->{redis}, 'XRANGE', RblCheckd::pkey($w, 'outbox'), '-',
            '+') };
    my %value = map { $_->{value} => 1 }
        grep { $_->{type} eq 'rbl.host.listed' } @events;
    return join ' ', sort keys %value;
}

sub pause {
    my ($checkd) = @_;

    wait_for { jobs_left($w) == 0 } 10, 'nothing to be under way';
    return pause_server($checkd);
}

# Each receiver gets its event; and both lists are queried.
my $acct = redis_key('acct', $w->{acct}{sid});
script_ok($w, 'hook_put', [$acct], hook => fresh_sid('WH'), name => 'n',
    url => 'https://hook.example/', secret => 's');
my $rb = fresh_sid('RB');
script_ok($w, 'rbl_add', [$acct], list => $rb, type => 'rbl',
    zone => 'own.test');
script_ok($w, 'profile_add', [$acct], profile => fresh_sid('RP'),
    name => 'both', is_default => 1, given => 1,
    entries => [@{ redis($w->{redis}, 'ZRANGE', RblCheckd::pkey($w, 'lists'),
    0, -1) }, $rb]);

# --- one daemon sees the wildcarding -----------------------------------------

my $before = daemon();
all_say(result(check_value($w, '10.0.0.9')), qr/^clear $/,
    'a daemon finds the list valid');
ok(pause($before), 'the first daemon is paused');

ok(rbldnsd_data($dns, $_, zone($_, @world)), "$kind{$_}: is wildcarding")
    for @lists;
eventually { says('127.0.0.1', 1) } 10,
    'the resolver has a listed negative test point';
my $since = time;
my $witness = daemon();
all_say(result(check_value($w, '10.0.0.1')), qr/^unknown unhealthy$/,
    'another daemon detects the wildcarding');
is(log_count($witness, "list $_, ipv4.*: wildcarding"), 1,
    "$kind{$_}: it is logged")
    for @lists;

# The cached responses for these hosts outlive the one for the test point.
wait_for { time - $since >= LATER } LATER + 1;
my @host = map { add_host($w, "10.0.0.$_") } 2 .. 4;
eventually { 3 == grep { host_record($w, $_)->{checked} } @host } 10,
    'three hosts are checked';
is(host_record($w, $_)->{unknown_count}, 2, 'both lists are unknown')
    for @host;
is(host_record($w, $_)->{listed_count}, 0,
    'no host is listed meanwhile') for @host;

# --- the lists are sound again, the resolver's cache is not ------------------

ok(rbldnsd_data($dns, $_, zone($_)), "$kind{$_}: is valid again")
    for @lists;
ok(stop_server($witness), 'the daemon that knows of the wildcarding stops');
eventually { says('127.0.0.1', 0) } TTL + 5, 'the test points pass';

my $after = daemon();
for my $time ('the first time', 'the second time') {
    all_say(result(check_host($w, $host[0])), qr/^unknown /,
        "a daemon that was started since accepts no cached response, $time");
}
ok(pause($after), 'the daemon that was started since is paused');
cont_server($before);
all_say(result(check_host($w, $host[1])), qr/^unknown /,
    'the daemon that was paused accepts no cached response');
ok(says("10.0.0.$_", 1), "all the while the resolver kept that of 10.0.0.$_")
    for 2, 3;
ok(stop_server($before), 'the daemon that was paused stops');
cont_server($after);

is(host_record($w, $_)->{listed_count}, 0, 'no host is listed') for @host;
is(told(), '', 'no listing was reported');

# --- the cached responses have expired ---------------------------------------

eventually { !grep { !says("10.0.0.$_", 0) } 2 .. 4 } TTL + 5,
    'the wildcard answers have expired';
eventually { !grep { host_record($w, $_)->{unknown_count}
    || host_record($w, $_)->{listed_count} } @host[0, 1] } 2 * TTL,
    'soon, without a request, the hosts are clear';
all_say(result(check_host($w, $host[2])), qr/^clear $/,
    'the host without a check so far is clear');
is_deeply([map { @{ history_of($w, $_) } } @host], [],
    'no host has a transition');

ok(rbldnsd_data($dns, $_, zone($_, '10.0.0.4', '10.0.0.5')),
    "$kind{$_}: lists two hosts") for @lists;
eventually { says('10.0.0.4', 1) } 10, 'the resolver knows';
push @host, add_host($w, '10.0.0.5');
eventually { host_record($w, $host[3])->{listed_count} == 2 } TTL + 10,
    'a host without a check so far is listed';
eventually { result(check_host($w, $host[2]));
    host_record($w, $host[2])->{listed_count} == 2 } TTL + 10,
    'a host that the wildcard covered is listed';
is(told(), '10.0.0.4 10.0.0.5', 'both are reported');
ok(stop_server($after), 'the daemon stops');
done_testing();
