#!/usr/bin/perl

# 1,000 hosts are monitored, 100 of them rightly listed, while lists die in each
# known way, some at a time, and come back.  No host is listed or delisted
# wrongly, and only the operator is notified.  One cycle after the lists are
# back the state matches the lists, which have changed meanwhile.  Another list
# stays alive.
#
# DEATHS="emptied,world": only these.  DEATHS_AT_ONCE=1: one after the other.
# DEATHS_HOSTS=10000: more hosts, and as many checks per second.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use List::Util qw(first);
use Time::HiRes qw(sleep time);

use constant { LISTED => 100, MOVED => 5, A_SECOND => 200,
    # Time for which responses to queries in flight do not count after a refusal
    # (list_told).
    UNDER_WAY => 10,
    # Time to confirm an end behind all caches: TTL 1 and the slack, twice, and
    # the checks between.
    CONFIRM => 15 };

my %death = (
    'emptied'       => 'nxdomain',
    'no data'       => 'nodata',
    'servers gone'  => 'servfail',
    'lame'          => 'refused',
    'unroutable'    => 'mute',
    'squatter'      => { a => ['91.195.240.117'] },
    'parked'        => { more => [[1, '', 'CNAME', 'park.test', 1],
                         [1, 'park.test', 'A', '91.195.240.117', 1]] },
    'mixed'         => { a => ['127.0.0.2', '91.195.240.117'] },
    'world'         => { a => ['127.0.0.2'] },
    'world but one' => { a => ['127.0.0.3'] },
    'retired'       => { a => ['203.0.113.1'] },
    'blocked'       => { a => ['127.255.255.254'] },
);
my @order = ('emptied', 'servers gone', 'world', 'blocked',
    'squatter', 'lame', 'no data', 'unroutable',
    'world but one', 'retired', 'parked', 'mixed');
@order = split /,/, $ENV{DEATHS} if $ENV{DEATHS};
my $at_once = $ENV{DEATHS_AT_ONCE} || 4;
my $hosts = $ENV{DEATHS_HOSTS} || 1000;
my $interval = int $hosts / A_SECOND;

my @zone = map { "dies$_.test" } 1 .. $at_once;
my @value = map { sprintf '10.9.%d.%d', $_ >> 8, $_ & 255 } 0 .. $hosts - 1;
my (%on, %told);                        # {zone}{value}; {value}: transitions
my $share = $hosts / LISTED;
move($zone[$_ % $at_once], 'listed', $value[$_ * $share]) for 0 .. LISTED - 2;
move('lives.test', 'listed', $value[-1]);

# Sets the list's data for these hosts.
sub move {
    my ($zone, $what, @values) = @_;

    for my $v (@values) {
        $on{$zone}{$v} = 1 if $what eq 'listed';
        delete $on{$zone}{$v} if $what ne 'listed';
        push @{ $told{$v} }, "$zone $what";
    }
}

sub is_on { my ($value) = @_; return first { $on{$_}{$value} } sort keys %on }

# --- responses of the lists ------------------------------------------------

sub rules_of {
    my ($zone, $how) = @_;

    my $end = "\\.\Q$zone\E ";
    my $good = { a => ['127.0.0.2'], txt => ['seen in traps'], ttl => 1 };
    my $names = join '|', map { join '\.', reverse split /\./ }
        sort keys %{ $on{$zone} };
    return (["^(2\\.0\\.0\\.127|$names)$end", $good],
        [$end, { rcode => 'nxdomain', soa => [$zone, 1, 1] }])
        if !defined $how;
    my $act = $death{$how} // die "no death $how\n";
    return ($how eq 'world but one' ? ["^1\\.0\\.0\\.127$end", 'nxdomain'] : (),
        [$end, ref $act ? { %$act, ttl => 1 } : $act]);
}

# {zone => how} of the dead lists
sub rules { my (%dead) = @_; return map { rules_of($_, $dead{$_}) } sort keys %on }

my $dns = RblDns->new(rules => [rules()]);
my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip',
    codes => ['127.0.0.2=listed', '127.0.0.3=other'] } } keys %on });
script_ok($w, 'account_update', [RblCheckd::akey($w, 'acct')],
    interval => $interval, now => 1);
script_ok($w, 'hook_put', [RblCheckd::akey($w, 'acct')],
    hook => fresh_sid('WH'), name => 'hook', url => 'https://hook.test/',
    secret => 'secret');
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(
        dns_timeout => '500ms', dns_tries => 2, checks_max => 2 * A_SECOND,
        control_retry => '1s', log_level => 'info') });
my $sid = add_many($w, @value);

# --- the daemon's view -----------------------------------------------------

my %read;                               # {value}: [bytes, record]

# Most records are as they were when they were last looked at.
sub records {
    my @bytes = @{ redis($w->{redis}, 'MGET',
        map { RblCheckd::akey($w, 'r', $sid->{$_}) } @_) };
    for my $i (0 .. $#_) {
        my $was = $read{ $_[$i] };
        $read{ $_[$i] } = [$bytes[$i], record('host', $bytes[$i])]
            if !$was || $was->[0] ne $bytes[$i];
    }
    return map { $read{$_}[1] } @_;
}

# "value: where it is listed, not where it should be", for each wrong host.
sub wrong {
    my @wrong;
    for my $h (records(@value)) {
        my $is = join ' ', sort map { $_->[1] } @{ $h->{details} || [] };
        my $want = is_on($h->{value}) // '';
        push @wrong, "$h->{value}: '$is', not '$want'" if $is ne $want;
    }
    return @wrong;
}

# Waits until every host was checked from now on.
sub cycle {
    my ($name) = @_;

    my $now = time * 1000 + 300;
    my @left = @value;
    return wait_for {
        sleep 0.2;
        @left = map { $_->{value} } grep { ($_->{checked} || 0) <= $now }
            records(@left);
        !@left;
    } 20 + 3 * $interval, "every host to be checked ($name)";
}

# {what}{value}: number of events since the last call
my $seen = '-';

sub events {
    my %event = (listed => {}, delisted => {});
    my $all = redis($w->{redis}, 'XRANGE', RblCheckd::pkey($w, 'outbox'),
        $seen, '+');

    for my $e (@$all) {
        my %e = @{ $e->[1] };
        next if $e{d} !~ /rbl\.host\.(listed|delisted)/;
        $event{$1}{ mp_unpack($e{d})->[6] }++;
    }
    $seen = "($all->[-1][0]" if @$all;
    return \%event;
}

sub some {
    return @_ > 8 ? join(', ', @_[0 .. 7], '... ' . @_) : join ', ', @_;
}

# Notices to the operator about a list.
sub notices {
    my ($zone) = @_;
    return grep { /\b\Q$zone\E\b/ } split /\n/, read_file($checkd->{log});
}

# --- lists die and come back -----------------------------------------------

sub die_and_return {
    my %dead = @_;

    my $name = join ', ', map { $dead{$_} } sort keys %dead;
    my %before = map { $_ => scalar(my @n = notices($_)) } keys %dead;
    my $died = time;
    $dns->rules(rules(%dead));
    ok(cycle($name), "$name: every host was checked");
    is(some(wrong()), '', "$name: no host is listed, none is delisted");
    my $event = events();
    is(some(sort keys %{ $event->{delisted} }), '', "$name: no delisting");
    is(some(grep { !is_on($_) } sort keys %{ $event->{listed} }), '',
        "$name: no listing");
    for my $zone (sort keys %dead) {
        my $n = notices($zone) - $before{$zone};
        cmp_ok($n, '>', 0, "$dead{$zone}: the operator is notified");
        cmp_ok($n, '<', 10, "$dead{$zone}: the operator is not flooded");
    }

    # The lists are back; some hosts were removed and others added meanwhile.
    my @left;
    my @free = grep { !is_on($_) } @value;
    for my $zone (sort keys %dead) {
        push @left, my @goes = (sort keys %{ $on{$zone} })[0 .. MOVED - 1];
        move($zone, 'clear', @goes);
        move($zone, 'listed', splice @free, 0, MOVED);
    }
    $dns->rules(rules());
    my $back = time;
    my $lasted = $back - $died;
    cycle("$name: over");
    # Their test points are queried again after at most the time for which they
    # were dead, or refused.
    eventually { sleep 0.2; !wrong() } $interval
        + ($lasted > UNDER_WAY ? $lasted : UNDER_WAY) + CONFIRM,
        "$name: over: right again";
    note(sprintf '%s: dead for %.1f s, right again after %.1f s', $name,
        $lasted, time - $back);
    diag(some(wrong())) if wrong();
    $event = events();
    is_deeply($event->{delisted}, { map { $_ => 1 } @left },
        "$name: over: each delisting is reported once");
    is(some(grep { !$event->{listed}{$_} } map { sort keys %{ $on{$_} } }
        sort keys %on), '', "$name: over: each listing is reported");
    for my $zone (sort keys %dead) {
        like((notices($zone))[-1], qr{: good, was|responds? again|get responses},
            "$dead{$zone}: over: the operator is notified");
    }
}

ok(cycle('first'), 'every host was checked');
eventually { sleep 0.2; !wrong() } 10, 'every host on a list is listed';
events();

while (my @how = splice @order, 0, $at_once) {
    die_and_return(map { $zone[$_] => $how[$_] } 0 .. $#how);
}

my @wrong;
for my $v (@value) {
    my $is = join ', ', map { "$_->{z} $_->{v}" }
        @{ history_of($w, $sid->{$v}) };
    my $want = join ', ', @{ $told{$v} || [] };
    push @wrong, "$v: '$is', not '$want'" if $is ne $want;
}
is(some(@wrong), '', 'the history has each transition once and no other');
is(scalar(grep { /resolver \S+ is at fault/ } split /\n/,
    read_file($checkd->{log})), 0, 'no log line blames the resolver');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
