#!/usr/bin/perl

# Checks fail although daemons are alive and nothing is overdue: a daemon has
# claimed hosts and does not go on, and no list responds to checks.  The plain
# responses are good again as soon as one list responds.  Fields that an older
# version did not write do not count as silence.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblScript qw(packed unpacked);

use constant { DAY => 86_400_000, HOUR => 3_600_000, CREATED => 12 };

# A DNS server that receives queries and never responds.
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0,
    Proto => 'udp') or die "udp: $!";

my $w = world();
my ($redis, $acct) = @$w{qw(redis acct)};
my $nginx = start_nginx(store => $redis);
my %key = map { $_ => RblCheckd::akey($w, $_) } qw(acct checked due);

sub now { return redis($redis, 'TIME')->[0] * 1000 }

sub daemon {
    my ($dns, %conf) = @_;

    return start_checkd(store => $redis, resolver => $dns,
        conf => { conf_short(%conf) });
}

# Both plain responses; another daemon, which gets no hosts, is seen now, and no
# list is known to be silent.
sub plain {
    redis($redis, 'DEL', RblCheckd::akey($w, 'coverage'));
    redis($redis, 'ZADD', RblTest::redis_key('daemons',
        partition_of($acct->{sid})), now(), 'another');
    return join '|', map { http($nginx, 'GET', "/3.0/listings.$_",
        auth => $acct)->{body} } 'nagios', 'zabbix';
}

my $good = 'OK - 0 hosts listed!|0';
my $never = 'UNKNOWN - No check of a host has had an answer.|-1';

is(plain(), $good, 'no host is due');
my $ht = add_host($w, '10.0.0.9');
is(plain(), $never, 'a new account is UNKNOWN until the first answer');

my $account = unpacked(redis($redis, 'GET', $key{acct}));
$account->[CREATED] = now() - DAY;
redis($redis, 'SET', $key{acct}, packed($account));
is(plain(), $never, 'an older account without a response is UNKNOWN');

# --- a daemon that does not finish claimed checks --------------------------

my $stuck = daemon($silent->sockport, check_timeout => '60s',
    lease => '600s', dns_timeout => '20s');
ok(wait_for { redis($redis, 'ZSCORE', $key{due}, $ht) > now() } 15,
    'a daemon takes the host');
pause_server($stuck);
is(plain(), $never, 'a daemon that stops leaves the state UNKNOWN');
redis($redis, 'SET', $key{checked}, now() - 2 * HOUR);
is(plain(), $good, 'the last answer was two intervals ago');
redis($redis, 'SET', $key{checked}, now() - 4 * HOUR);
is(plain(), 'UNKNOWN - No check of a host has had an answer for 4 hours.|-1',
    'a last response four intervals ago is UNKNOWN');
kill_server($stuck);

# An older version checked hosts without noting when a list responded.
redis($redis, 'DEL', $key{checked});
is(plain(), $good, 'an unknown time of the last response is no silence');

# --- checks that finish without a response ---------------------------------

sub ended { return host_record($w, $ht)->{checked} }

my $deaf = daemon($silent->sockport);
set_due($w, $ht);
ok(wait_for { ended() } 30, 'the first check of this version ends');
is(host_record($w, $ht)->{unknown_count}, 2,
    'a check without a response knows no list');
my $since = redis($redis, 'GET', $key{checked});
cmp_ok(abs(now() - ($since // 0)), '<', HOUR, 'the time counts from then on');
is(plain(), $good, 'the silence has just begun: no alarm');
redis($redis, 'SET', $key{checked}, now() - 4 * HOUR);
for my $kind ('scheduled', 'manual') {
    my $before = ended();
    $kind eq 'manual' ? check_host($w, $ht) : set_due($w, $ht);
    ok(wait_for { ended() > $before } 30, "a $kind check ends");
    is(host_record($w, $ht)->{unknown_count}, 2,
        "a $kind check without a response knows no list");
    like(plain(), qr/\AUNKNOWN - No check .* 4 hours\.\|-1\z/,
        "a $kind check without a response leaves the state UNKNOWN");
}
ok(stop_server($deaf), 'the daemon without responses stops');

my $checkd = daemon($w->{dns});
check_host($w, $ht);
ok(wait_for { plain() eq $good } 30,
    'the state is OK again when lists respond');

# A "listed" response counts, too.  An account whose hosts are all paused has no
# known state.
redis($redis, 'SET', $key{checked}, now() - 4 * HOUR);
my $other = add_host($w, '10.0.0.1');
ok(wait_for { redis($redis, 'GET', $key{checked}) > now() - HOUR } 30,
    'a listing is an answer');
ok(wait_for { plain() eq 'CRITICAL - 1 host listed!|1' } 30,
    'a listing is reported without a doubt');
script_ok($w, 'host_status', [$key{acct}], host => $_, status => 'paused')
    for $ht, $other;
redis($redis, 'DEL', $key{checked});
is(plain(), $good, 'paused hosts do not count');

ok(stop_server($checkd), 'the daemon stops');
done_testing();
