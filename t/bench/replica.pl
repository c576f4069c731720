#!/usr/bin/perl

# Work that waits for replicas, beside the same without one: an event, from the
# outbox to its receiver, alone and in numbers; and the revocation of an
# application in the portal.  Both stores are behind a Sentinel, so that the
# programs do the same but for the wait.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use RblBench;
use RblFailover;
use RblPortal;
use RblTest;
use Time::HiRes qw(sleep time);

use constant { ALONE => smoke(4) // 40, MANY => smoke(40) // 400,
    APPS => smoke(2) // 20 };

bench('replica', 'what waits for a replica', beside => 1);

my $receiver = start_receiver();

# A store with so many replicas, and the programs on it.
sub make_world {
    my ($replicas) = @_;

    my $f = start_sentinels(replicas => $replicas, sentinels => 1, quorum => 1,
        min_replicas => $replicas, down_after => 60_000);
    init_store($f, partitions => 1);
    my $acct = make_account($f);
    my $w = { redis => $f, acct => $acct, master => $f->{nodes}[0],
        nginx => start_nginx(store => $f, portal => '') };
    $w->{owner} = sign_in($w);
    portal($w, $w->{owner}, 'POST', 'webhook/add.json', fields => {
        name => 'n', url => $receiver->{url}, types => ['rbl.host.listed'] })
        ->{status} == 200 or die 'no webhook';
    my $d = own_dir('deliverd');
    my ($login, $file) = store_login($f, 'rbl-checkd');
    my %conf = (store => $f->{addr}, log => 'stderr', store_user => $login,
        store_password_file => $file, log_level => 'notice',
        deliver_http => 'on', deliver_allow => '127.0.0.0/8',
        deliveries_max => 64, resolver => '127.0.0.1@9');
    write_file("$d/conf", join '', map { "$_ $conf{$_}\n" } sort keys %conf);
    $w->{deliverd} = spawn('deliverd', { dir => $d },
        build_dir() . '/t/tools/deliverd', "$d/conf");
    started($w->{deliverd},
        sub { read_file($w->{deliverd}{log}) =~ /ready/ });
    return $w;
}

my %world = ('without' => make_world(0), 'behind a replica' => make_world(1));

sub put_event {
    my ($w) = @_;

    my $ev = 'EV' . unpack 'H*', join '', map { chr int rand 256 } 1 .. 16;
    redis($w->{master}, 'XADD', 'rbl:{0}:outbox', '*', 'a', $w->{acct}{sid},
        'e', $ev, 'd', record_pack('event', version => 1, id => $ev,
        type => 'rbl.host.listed', date => 1, check => 'PP' . 'a' x 64,
        host => '', value => \'192.0.2.1', listed => 1, total => 1,
        results => \"\x90", hooks => 1, callbacks => [], timezone => 'UTC',
        message => ''));
    return $ev;
}

sub wake { signal_server($_[0]{deliverd}, 'USR1') }

# Milliseconds until so many events have come.
sub events_took {
    my ($w, $n) = @_;

    my $before = received($receiver);
    my $start = time;
    put_event($w) for 1 .. $n;
    my $put = time;
    wake($w);
    my $till = time + 60;
    until (received($receiver) >= $before + $n) {
        die 'events do not come' if time > $till;
        sleep 0.0005;
    }
    my @r = received($receiver);
    my $last = (sort map { $_->{time} } @r[$before .. $#r])[-1];
    return 1000 * ($last - ($n == 1 ? $start : $put));
}

sub median { return (sort { $a <=> $b } @_)[@_ / 2] }

sub revocation_took {
    my ($w) = @_;

    my @ids = map { json(portal($w, $w->{owner}, 'POST', 'app/add.json',
        fields => { name => "n$_" }))->{data}{id} } 1 .. APPS;
    return median(map {
        my $start = time;
        my $r = portal($w, $w->{owner}, 'POST', "app/revoke/$_.json");
        die "revoke: $r->{body}" if $r->{status} != 200;
        1000 * (time - $start);
    } @ids);
}

my @what = (['an event', sub {
        my ($w) = @_;
        median(map { events_took($w, 1) } 1 .. ALONE);
    }], [MANY . ' events', sub { events_took($_[0], MANY) }],
    ['a revocation', \&revocation_took]);

my $r = interleave(rounds(7), [map { my ($name, $took) = @$_;
    map { my $where = $_;
        ("$name $where" => sub { { ms => $took->($world{$where}) } })
    } 'without', 'behind a replica' } @what], warm => 1);
table(['what', 'ms without', 'ms behind a replica'], map { my $name = $_->[0];
    [$name, map { figure($r->{"$name $_"}{ms}) } 'without',
        'behind a replica'] } @what);
target("event to delivery behind a replica",
    ratio($r, 'an event behind a replica', 'an event without', 'ms'), '<=', 2);
target(MANY . ' events behind a replica', ratio($r,
    MANY . ' events behind a replica', MANY . ' events without', 'ms'),
    '<=', 2);
target('revocation behind a replica', ratio($r,
    'a revocation behind a replica', 'a revocation without', 'ms'), '<=', 2);
bench_end();
