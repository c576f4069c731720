#!/usr/bin/perl

# Three daemons and lists with limits: a quota per day, a rate, a list that
# refuses.  Daemons are stopped and killed meanwhile.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my ($DAY, $RATE) = (120, 20);
my $BATCH = $RATE / 2;
my $STALL = $RATE / 2;      # requests that the server may read late and at once

my $dns = RblDns->new(rules => [[ '.', { rcode => 'nxdomain',
    soa => ['test', 60, 60] } ]]);
my $w = world(no_dns => 1, account => { max_checks => 0 }, zones => {
    'day.test' => { more => "\"day_quota\": $DAY" },
    'free.test' => {},
    'rate.test' => { more => "\"rate\": $RATE" },
    'refuses.test' => { codes => ['127.0.0.2=listed',
        '!127.0.0.9=go away'] },
});
# A query repeated because its response is late counts again.
my %conf = conf_short(dns_timeout => '5s', dns_tries => 1,
    check_timeout => '10s', lease => '21s', checks_max => 200);
my @checkd = map { daemon() } 1 .. 3;
my %list = lists_of($w);

sub daemon {
    return start_checkd(store => $w->{redis}, conf => \%conf,
        resolver => { port => $dns->port });
}

# zone => SID
sub lists_of {
    my ($world) = @_;

    my %sid;
    for my $sid (@{ redis($world->{redis}, 'ZRANGE', redis_key('lists', 0), 0,
        -1) })
    {
        my $l = record('list', redis($world->{redis}, 'GET',
            redis_key('r', 0) . ":SYS:$sid"));
        $sid{ $l->{zone} } = $sid;
    }
    return %sid;
}

sub list_key {
    return redis_key({ partitions => $w->{partitions} }, 'list',
        $list{ $_[0] });
}

sub shared {
    my ($zone, @field) = @_;

    return redis($w->{redis}, @field == 2 ? 'HSET' : 'HGET', list_key($zone),
        @field);
}

sub only {
    my (@zones) = @_;

    my %on = map { $_ => 1 } @zones;
    for my $zone (sort keys %list) {
        my $r = rblctl($w->{redis}, 'lists', $on{$zone} ? 'enable' : 'disable',
            $zone);
        die $r->{err} if $r->{status} != 0;
    }
    my $ver = redis($w->{redis}, 'GET', redis_key('lists:ver', 0));
    return wait_for { 3 == grep { !$_->{gone}
        && log_count($_, "version $ver\\b") } @checkd } 20;
}

# Checks of that many new addresses.  They are not hosts, because hosts would
# also be checked on schedule.
my $net = 0;
sub start_checks {
    my ($n) = @_;

    $net++;
    return map { check_value($w, "10.$net." . int($_ / 200) . '.'
        . ($_ % 200 + 1)) } 1 .. $n;
}

sub errors {
    my ($zone, @checks) = @_;

    my %n;
    for my $pp (@checks) {
        my $d = details($w, $pp)->{$zone} // { status => 'none', error => '' };
        $n{ "$d->{status} $d->{error}" }++;
    }
    return join ', ', map { "$n{$_} $_" } sort keys %n;
}

# The most by which the queries in any span of time exceed the rate.
sub over_rate {
    my ($rate, @at) = @_;

    my ($most, $least, $n) = (0, undef, 0);
    for my $t (sort { $a <=> $b } @at) {
        my $debt = $n - $rate * $t;     # before this one
        $least = $debt if !defined $least || $debt < $least;
        $n++;
        my $over = $n - $rate * $t - $least;
        $most = $over if $over > $most;
    }
    return $most;
}

sub all_end {
    my ($what, $seconds, @checks) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return eventually { !grep { (check_state($w, $_)->{status} // '')
        !~ /completed|failed/ } @checks } $seconds, $what;
}

# --- a quota per day -------------------------------------------------------

only('day.test', 'free.test');
my @checks = start_checks(200);
all_end('200 checks end', 60, @checks);
my $asked = $dns->asked('day\.test A$');
is($asked, $DAY, "as many queries as the day allows: $asked");
is(errors('day.test', @checks), "$DAY clear , " . (200 - $DAY)
    . ' unknown quota', 'the others are unknown, none is clear');
is(errors('free.test', @checks), '200 clear ', 'another list is not touched');
is(shared('day.test', 'used'), $DAY, 'all daemons count together');
is(log_count($_, 'is used up') <= 1, 1, 'a daemon logs the used-up quota once')
    for @checkd;

my ($pp) = start_checks(1);
all_end('one more', 20, $pp);
is(errors('day.test', $pp), '1 unknown quota',
    'a list with a used-up quota is not queried');
shared('day.test', day => shared('day.test', 'day') - 1);
eventually { my ($c) = start_checks(1); wait_check($w, $c, 20);
    errors('day.test', $c) eq '1 clear ' } 20,
    'the next day the list is queried again';

# --- a rate ----------------------------------------------------------------

only('rate.test');
my $began = time;
@checks = start_checks(120);
all_end('120 checks at 20 a second end', 60, @checks);
my @at = map { $_->[3] - $began } $dns->log('rate\.test A$');
is(scalar @at, 120, 'each address is queried once');
is(errors('rate.test', @checks), '120 clear ',
    'each of the 120 checks gets a response');
my $over = over_rate($RATE, @at);
cmp_ok($over, '<=', $BATCH + 1 + $STALL,
    sprintf 'at no time more than a batch above it: %.1f', $over);

# --- daemons die -----------------------------------------------------------

$dns->rules([ '.', { rcode => 'nxdomain', soa => ['test', 60, 60] } ]);
shared('rate.test', day => 0);
$began = time;
@checks = start_checks(200);
wait_for { $dns->asked('rate\.test A$') > 20 } 20;
kill 'STOP', $checkd[0]{pid};
wait_for { $dns->asked('rate\.test A$') > 40 } 20;
kill 'KILL', $checkd[1]{pid};
stop_server($checkd[1]);
$checkd[1] = daemon();
wait_for { $dns->asked('rate\.test A$') > 60 } 20;
kill 'CONT', $checkd[0]{pid};
all_end('200 checks end, though one daemon was stopped and one killed', 90,
    @checks);
@at = map { $_->[3] - $began } $dns->log('rate\.test A$');
$over = over_rate($RATE, @at);
cmp_ok(scalar @at, '>=', 100, 'most were queried');
cmp_ok($over, '<=', $BATCH + 1 + $STALL,
    sprintf 'at no time more than a batch above the rate: %.1f', $over);
unlike(errors('rate.test', @checks), qr/none/, 'each has a result');

# A quota per day, while all daemons are killed repeatedly.

only('day.test');
$dns->rules([ '.', { rcode => 'nxdomain', soa => ['test', 60, 60],
    delay => 0.05 } ]);
redis($w->{redis}, 'DEL', list_key('day.test'));
@checks = start_checks(150);
for my $i (0 .. 2) {
    wait_for { $dns->asked('day\.test A$') > 30 * ($i + 1) } 20;
    kill 'KILL', $checkd[$i]{pid};
    stop_server($checkd[$i]);
    $checkd[$i] = daemon();
}
all_end('150 checks end, though each daemon was killed once', 120, @checks);
$asked = $dns->asked('day\.test A$');
cmp_ok($asked, '<=', $DAY, "never more than the day allows: $asked");
cmp_ok($asked, '>', $DAY - 60, 'most of the daily quota is used');
is(shared('day.test', 'used'), $DAY, 'all of the daily quota is handed out');
like(errors('day.test', @checks), qr/^\d+ clear , \d+ unknown quota$/,
    'the others are unknown: ' . errors('day.test', @checks));

# --- a list that refuses ---------------------------------------------------

only('refuses.test');
$dns->rules([ '.', { a => ['127.0.0.9'], ttl => 60 } ]);
($pp) = start_checks(1);
is(wait_check($w, $pp, 20)->{status}, 'completed', 'a check ends');
is(errors('refuses.test', $pp), '1 unknown blocked', 'the list refuses');
eventually { (shared('refuses.test', 'refused') // 0) == 1 } 10,
    'the store records the refusal';
eventually { 1 == grep { log_count($_, 'gets none for 300 s') } @checkd } 10,
    'one daemon logs the refusal';
my $till = shared('refuses.test', 'till');

# Other daemons learn of it when they look, or when the list refuses them, too.
@checks = start_checks(100);
all_end('100 checks end', 60, @checks);
is(errors('refuses.test', @checks), '100 unknown blocked',
    'the refusing list is unknown in all 100 checks');
is(shared('refuses.test', 'till'), $till,
    'more checks do not extend the block');
eventually {
    $dns->rules([ '.', { rcode => 'nxdomain', soa => ['test', 60, 60] } ]);
    @checks = start_checks(50);
    wait_check($w, $_, 20) for @checks;
    !$dns->asked('refuses\.test A$');
} 40, 'soon no daemon queries it';
is(errors('refuses.test', @checks), '50 unknown blocked', 'all are unknown');

shared('refuses.test', till => 1);
eventually { my ($c) = start_checks(1); wait_check($w, $c, 20);
    errors('refuses.test', $c) eq '1 clear ' } 30,
    'the list is queried after the block';
eventually { wait_check($w, start_checks(1), 20);
    !defined shared('refuses.test', 'refused') } 20,
    'a response of the list ends the block';

# The state stays when no refused daemon is left.
shared('refuses.test', @$_) for [refused => 3], [since => 1], [till => 1];
eventually { wait_check($w, start_checks(1), 20);
    !defined shared('refuses.test', 'refused') } 20,
    'a daemon that gets a response ends it';

ok(stop_server($_), 'a daemon stops') for @checkd;
is($_->{status}, 0, 'the daemon exits with status 0') for @checkd;
$dns->stop;
done_testing();
