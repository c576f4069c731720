#!/usr/bin/perl

# Four daemons on one store: one stops for two leases, one is killed and stays
# dead, one is restarted repeatedly, one is not disturbed.  Every check
# finishes, none has its effects twice, and no list gets more queries than its
# rate limits allow, plus one batch.
#
# FLEET_SECONDS=60: duration.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time sleep);

use constant { HOSTS => 200, LEASE => 5, INTERVAL => 4, RATE => 20,
    DAY => 300, AT_ONCE => 30 };

my $seconds = $ENV{FLEET_SECONDS} || 25;
my $listed = { a => ['127.0.0.2'], txt => ['why'], ttl => 1 };
my $none = { rcode => 'nxdomain', soa => ['test', 1, 1] };
my @value = map { "10.8.0.$_" } 1 .. HOSTS;

# Odd hosts are listed at first, then the even ones; nothing else changes.
my $odd = '^\d*[13579]\.0\.8\.10\.a\.test ';
my $even = '^\d*[02468]\.0\.8\.10\.a\.test ';
my $control = '^2\.0\.0\.127\.';

my $dns = RblDns->new(rules => [[$control, $listed], [$odd, $listed],
    ['.', $none]]);
my $w = world(no_dns => 1, zones => {
    'a.test' => { control => 'ip' },
    'rate.test' => { control => 'ip', more => '"rate": ' . RATE },
    'day.test' => { control => 'ip', more => '"day_quota": ' . DAY },
});
script_ok($w, 'account_update', [RblCheckd::akey($w, 'acct')],
    interval => INTERVAL, now => 1);
script_ok($w, 'hook_put', [RblCheckd::akey($w, 'acct')],
    hook => fresh_sid('WH'), name => 'hook', url => 'https://hook.test/',
    secret => 'secret');

my ($still, $killed, $again, $calm) = map { start_checkd(
    store => $w->{redis}, resolver => { port => $dns->port },
    conf => { conf_short(name => "d$_", check_timeout => '2s',
        lease => LEASE . 's', dns_timeout => '500ms', dns_tries => 1,
        dns_zone_rate => 0, log_level => 'info') }) } 1 .. 4;
my $sid = add_many($w, @value);

sub listed_now {
    my %is = map { $_ => 1 } @{ redis($w->{redis}, 'ZRANGE',
        RblCheckd::akey($w, 'listed'), 0, -1) };
    return join ' ', grep { $is{ $sid->{$_} } } @value;
}

sub numbers { my ($rest) = @_;
    return join ' ', grep { /(\d)$/ && $1 % 2 == $rest } @value }

eventually { listed_now() eq numbers(1) } 30, 'the listings at first';

# --- actions ---------------------------------------------------------------

my (@manual, %waits);
my $began = time;
my $end = $began + $seconds;
my ($restarts, $is_still, $is_killed, $moved) = (0, 0, 0, 0);

while (time < $end) {
    my $at = time - $began;
    if (!$is_still && $at > 1) {
        pause_server($still);
        $is_still = 1;
    }
    if ($is_still == 1 && $at > 1 + 2 * LEASE) {
        cont_server($still);
        $is_still = 2;
    }
    if (!$is_killed && $at > 2) {
        kill_server($killed);
        $is_killed = 1;
    }
    if (!$moved && $at > $seconds / 2) {
        $dns->set($odd, $none);
        $dns->set($even, $listed);
        $moved = 1;
    }
    delete @waits{ grep { check_state($w, $_)->{status}
        =~ /completed|failed/ } keys %waits };
    while (keys %waits < AT_ONCE) {
        my $n = @manual;
        push @manual, my $pp = check_value($w, sprintf '10.7.%d.%d',
            $n >> 8, $n & 255);
        $waits{$pp} = 1;
    }
    restart_server($again);
    $restarts++;
    sleep 0.1;
}

cmp_ok($restarts, '>', 3, "one daemon was restarted $restarts times");
is($is_still, 2, 'one daemon was stopped for two leases');

# --- result ----------------------------------------------------------------

eventually { !grep { check_state($w, $_)->{status} !~ /completed|failed/ }
    @manual } 3 * LEASE, "all @{[ scalar @manual ]} manual checks end";
my %status;
$status{ check_state($w, $_)->{status} }++ for @manual;
is(join(' ', %status), 'completed ' . @manual,
    'every manual check is completed');

eventually { listed_now() eq numbers(0) } 3 * LEASE,
    'the listings at the end';
# Dead daemons leave nothing behind: every host is checked.
my $now = time * 1000;
eventually { !redis($w->{redis}, 'ZCOUNT', RblCheckd::akey($w, 'due'), 0,
    $now) } 3 * LEASE + INTERVAL, 'no host is left behind';

my (%event, %sids, %changes);
for my $e (@{ redis($w->{redis}, 'XRANGE', RblCheckd::pkey($w, 'outbox'),
    '-', '+') })
{
    my %e = @{ $e->[1] };
    my ($id, $type, $check, $value) = @{ mp_unpack($e{d}) }[1, 2, 4, 6];
    $sids{$id}++;
    $event{"$check $type"}++;
    $changes{$value}{delisted}++ if $type eq 'rbl.host.delisted';
}
cmp_ok(scalar keys %event, '>', HOSTS, 'the outbox has more events than hosts');
is(join(' ', grep { $event{$_} > 1 } sort keys %event), '',
    'no event is in the outbox twice');
is(join(' ', grep { $sids{$_} > 1 } sort keys %sids), '',
    'no event SID is in the outbox twice');
is(join(' ', sort { substr($a, 7) <=> substr($b, 7) } grep {
    $changes{$_}{delisted} == 1 } keys %changes), numbers(1),
    'each ended listing was reported once');

my @wrong;
for my $value (@value) {
    my $told = join ' ', map { $_->{v} } @{ history_of($w, $sid->{$value}) };
    my $want = (split /\./, $value)[3] % 2 ? 'listed clear' : 'listed';
    push @wrong, "$value: $told" if $told ne $want;
}
is("@wrong", '', 'the history has each transition once');

# --- limits ----------------------------------------------------------------

sub times_asked {
    my ($zone) = @_;
    my @log = $dns->log("\\.\Q$zone\E ");
    return sort { $a <=> $b } map { $_->[3] } grep { $_->[0]
        =~ /\.10\.\Q$zone\E$/ } @log;
}

my @day = times_asked('day.test');
cmp_ok(scalar @day, '<=', DAY + int(DAY / 50),
    'no more queries are sent than the daily quota allows');
cmp_ok(scalar @day, '>', DAY / 2, 'more than half of the daily quota is used');

my @rate = times_asked('rate.test');
my ($most, $worst) = (0, '');
for my $i (0 .. $#rate) {
    for (my $j = $i; $j < @rate && $rate[$j] < $rate[$i] + 10; $j += 5) {
        my $over = $j - $i + 1 - RATE * ($rate[$j] - $rate[$i]);
        next if $over <= $most;
        $most = $over;
        $worst = sprintf '%d in %.2f s', $j - $i + 1, $rate[$j] - $rate[$i];
    }
}
cmp_ok($most, '<=', RATE / 2 + 2, "never more than a batch over: $worst");
cmp_ok(scalar @rate, '>', RATE * $seconds / 3,
    'the list with a rate limit gets queries');

for my $d ($still, $again, $calm) {
    ok(stop_server($d), 'a daemon stops');
    is($d->{status}, 0, 'the daemon exits with status 0');
}
$dns->stop;
done_testing();
