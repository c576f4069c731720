#!/usr/bin/perl

# A resolver that refuses to serve this machine says nothing about the lists
# that are queried through it.  A daemon without another resolver is blind; one
# with a second resolver uses that.  Neither makes other daemons avoid the
# lists.  A list that refuses while others answer, by an error code or by
# REFUSED, is avoided by all daemons.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

use constant TTL => 2;

my @lists = map { "$_.test" } 'a' .. 'd';

# Lists with a rate need a grant from the store before the first query.
my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip',
    codes => ['127.0.0.2=listed', '!127.255.255.254=go away'],
    more => /^[bd]/ ? '"rate": 100' : undef } } @lists });

# Data of a zone: the given entries and its test point.
sub zone {
    my ($zone, @entries) = @_;

    return sprintf "\$SOA %d ns.$zone h.$zone 1 60 60 60 %d\n\$TTL %d\n"
        . "\$NS 60 ns.$zone\n:127.0.0.2:\$ is listed\n%s", (TTL) x 3,
        join '', map { "$_\n" } '127.0.0.2', @entries;
}

my $dns = $w->{dns} = start_rbldnsd(zones => [map { [$_, 'ip4set',
    zone($_, '10.0.0.5')] } @lists]);
my $cache = "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n";
my $good = start_unbound(stubs => { map { $_ => $dns } @lists },
    conf => $cache);
my $bad = start_unbound(local => ['local-zone: "test" refuse']);
my $partly = start_unbound(stubs => { map { $_ => $dns } @lists[0 .. 2] },
    local => ['local-zone: "d.test" refuse'], conf => $cache);

# Unbound then answers with a header only.
my $denied = start_unbound(conf => "  access-control: 127.0.0.1/32 refuse\n");

# zone => SID
my %sid;
for my $sid (@{ redis($w->{redis}, 'ZRANGE', redis_key('lists', 0), 0, -1) }) {
    my $l = record('list', redis($w->{redis}, 'GET',
        redis_key('r', 0) . ":SYS:$sid"));
    $sid{ $l->{zone} } = $sid;
}

sub list_key {
    return redis_key({ partitions => $w->{partitions} }, 'list', $sid{ $_[0] });
}

# The lists that all daemons must avoid, and the state shared about them.
sub left_alone {
    return join ' ', grep { defined redis($w->{redis}, 'HGET', list_key($_),
        'till') } @lists;
}
sub forget { return redis($w->{redis}, 'DEL', list_key($_[0])) }

sub daemon {
    my (@resolvers) = @_;

    return start_checkd(store => $w->{redis}, conf => {
        resolver => join(' ', map { "127.0.0.1\@$_->{port}" } @resolvers),
        conf_short(check_timeout => '6s', lease => '20s') });
}

# Results of a check of an address by list.
sub found {
    my ($value) = @_;

    my $pp = check_value($w, $value);
    wait_check($w, $pp);
    my $d = details($w, $pp);
    return join ', ', map { join ' ', grep { length }
        $d->{$_}{status}, $d->{$_}{error} } @lists;
}

sub all { return join ', ', ($_[0]) x @lists }

is(dns_query($bad, '5.0.0.10.a.test')->{rcode}, 5, 'a resolver refuses');
is(dns_query($partly, '5.0.0.10.d.test')->{rcode}, 5,
    'another resolver refuses one list');

# --- one of two resolvers refuses --------------------------------------------

for my $order ([$bad, $good], [$good, $bad], [$partly, $good],
    [$denied, $good])
{
    my $checkd = daemon(@$order);
    is(found('10.0.0.5'), all('listed'),
        'a daemon with a good resolver finds the listed host');
    is(found('10.0.0.6'), all('clear'),
        'a daemon with a good resolver finds the clear host');
    ok(stop_server($checkd), 'the daemon stops');
    is(left_alone(), '', 'no list is left alone');
}

# --- the only one refuses ----------------------------------------------------

my $nothing = qr/^unknown \w+(?:, unknown \w+){3}$/;
my $n = 10;
for my $resolver ($bad, $denied) {
    my $checkd = daemon($resolver);
    my $ht = add_host($w, '10.0.0.' . $n++);
    eventually { host_record($w, $ht)->{checked} } 10,
        'a blind daemon checks';
    is(host_record($w, $ht)->{unknown_count}, @lists,
        'blind: nothing is known');
    is(scalar(grep { $_->[1] eq 'timeout' }
        @{ host_record($w, $ht)->{troubled} }), 0,
            'blind: the check ends at once');
    like(found('10.0.0.5'), $nothing,
        'blind: nothing is known of another value');
    eventually { log_count($checkd, 'resolver 127\.0\.0\.1\@'
        . "$resolver->{port} is at fault") == 1 } 10,
        'blind: the log blames the resolver';
    like(found('10.0.0.6'), $nothing, 'blind: and it stays so');
    ok(stop_server($checkd), 'the daemon stops');
    is(left_alone(), '', 'blind: no list is left alone');
    is(log_count($checkd, 'list \w\.test refuses queries'), 0,
        'blind: no list is logged as refusing');

    $checkd = daemon($good);
    is(found('10.0.0.5'), all('listed'), 'one that sees: listed at once');
    is(found('10.0.0.6'), all('clear'), 'one that sees: clear at once');
    ok(stop_server($checkd), 'the daemon stops');
    forget($_) for @lists;
}

# --- a list that refuses, while others answer --------------------------------

# By a code of its own; its responses are cached for a moment only.
ok(rbldnsd_data($dns, 'd.test', zone('d.test',
    ':127.255.255.254:go away', '0.0.0.0/1', '128.0.0.0/1')),
    'a list starts to refuse');
eventually { dns_query($good, '5.0.0.10.d.test')->{answers}[0]
    eq '127.255.255.254' } 10, 'the resolver knows';
my $checkd = daemon($good);
is(found('10.0.0.5'), 'listed, listed, listed, unknown blocked',
    'an error code: the list is blocked');
eventually { left_alone() eq 'd.test' } 10, 'an error code: left alone';
ok(rbldnsd_data($dns, 'd.test', zone('d.test', '10.0.0.5')),
    'the refusing list answers again');
eventually { dns_query($good, '5.0.0.10.d.test')->{answers}[0]
    eq '127.0.0.2' } 10, 'the resolver knows';
my $other = daemon($good);
ok(stop_server($checkd), 'the daemon stops');
is(found('10.0.0.5'), 'listed, listed, listed, unknown blocked',
    'another daemon does not query it');
ok(stop_server($other), 'the other daemon stops');
forget('d.test');

# By REFUSED, through a resolver that works for the others.
$checkd = daemon($partly);
like(found('10.0.0.5'), qr/^(?:listed, ){3}unknown (?:blocked|refused)$/,
    'REFUSED: the list is unknown');
eventually { found('10.0.0.6'); left_alone() eq 'd.test' } 15,
    'REFUSED: left alone';
is(log_count($checkd, 'list d\.test refuses queries'), 1,
    'REFUSED: the refusal is logged once');
$other = daemon($good);
ok(stop_server($checkd), 'the daemon stops');
is(found('10.0.0.5'), 'listed, listed, listed, unknown blocked',
    'another daemon does not query it');
ok(stop_server($other), 'the other daemon stops');
done_testing();
