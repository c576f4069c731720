#!/usr/bin/perl

# A gateway of the operator that is away for 30 hours: it refuses connections,
# answers nonsense, and charges without an answer.  Meanwhile daemons are killed,
# accounts are suspended, and the clock of store, daemons and gateway leaps ahead
# by days and back.  Then each account pays once for each period, charges, ledger and events
# are the same, and nothing is left to be settled by hand.
#
# RBL_SEED repeats the answers.

use strict;
use warnings;

use JSON::XS ();

use RblClock;
use RblTest;
use RblTest::Process;

use constant { ACCOUNTS => 12, HOUR => 3600, DAY => 86_400 };

my $seed = $ENV{RBL_SEED} // time;
diag("RBL_SEED=$seed");
srand $seed;

# --- the gateway -------------------------------------------------------------

my $dir = own_dir('away');
my $port = free_port();
write_file("$dir/server.pl", <<'PERL');
use strict;
use warnings;
use IO::Socket::INET;
use JSON::XS;

my ($port, $dir, $seed) = @ARGV;
srand $seed;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
    LocalPort => $port, Listen => 64, ReuseAddr => 1) or die "$port: $!";
open my $log, '>>', "$dir/charges" or die $!;
$log->autoflush(1);
my (%known, $client);

sub says {
    my ($status, $body) = @_;
    print $client "HTTP/1.1 $status X\r\nContent-Length: ", length $body,
        "\r\nConnection: close\r\n\r\n$body";
}

while ($client = $listener->accept) {
    my $request = <$client> // next;
    my $n = 0;
    while (defined(my $line = <$client>) && 1) {
        $n = $1 if $line =~ /^content-length: (\d+)/i;
        last if $line =~ /^\r?\n/;
    }
    read $client, my $body, $n;
    my $away = -e "$dir/away" ? int rand 5 : -1;
    next if $away == 0;
    says(503, 'later'), next if $away == 1;
    says(401, 'who?'), next if $away == 2;
    says(200, '<html>'), next if $away == 3;
    my ($method, $key) = $request =~ m{^(\w+) /rbl/payments/?(\S*)};
    if ($method eq 'POST') {
        my $p = decode_json($body);
        $key = "$p->{payment}-$p->{attempt}";
        if (!$known{$key}) {
            my $ok = rand() < 0.85;
            $known{$key} = { key => $key, amount => $p->{amount},
                currency => 'USD', status => $ok ? 'succeeded' : 'declined',
                reference => "r$key", reason => 'card_declined' };
            print $log "$p->{account} $p->{payment} $p->{amount} ", time, "\n"
                if $ok;
        }
    }
    next if $away == 4;         # charged, and no answer
    $known{$key} ? says(200, encode_json($known{$key})) : says(404, '');
}
PERL
my %clock = clock_env();
my $server = spawn('gateway', { dir => $dir, env => \%clock }, $^X,
    "$dir/server.pl", $port, $dir, $seed);

sub away { $_[0] ? write_file("$dir/away", '') : unlink "$dir/away" }
sub charges { return map { [split] } -e "$dir/charges"
    ? split /\n/, read_file("$dir/charges") : () }

# --- store, daemons, accounts ------------------------------------------------

my $redis = start_redis(appendonly => 1, cluster => 1, env => \%clock,
    args => ['--appendfsync', 'always']);
init_store($redis);
write_file("$dir/key", "secret of the gateway\n", 0600);
write_file("$dir/plans.json", '{ "version": 1, "plans": [ { "name": "P",'
    . ' "paid": 1, "max_hosts": 10, "max_contacts": 10, "max_checks": 10,'
    . ' "interval": "15m", "price": "25.00", "period": "month" } ] }');
my %conf = (gateway => 'http', gateway_key_file => "$dir/key",
    gateway_url => "http://127.0.0.1:$port/rbl", gateway_timeout => '1s');
write_file("$dir/rblctl.conf", join '', map { "$_ $conf{$_}\n" } keys %conf);
sub ctl {
    my $r = rblctl($redis, '-c', "$dir/rblctl.conf", @_);
    die "rblctl @_: $r->{err}" if $r->{status};
    return $r->{out};
}
my @daemons = map { start_checkd(store => $redis, env => \%clock, conf => {
    %conf, deliver => 'off', schedule => 'off', log_level => 'info',
    name => "d$_" }) } 1 .. 2;
my @ac = map { make_account($redis, name => "Away $_")->{sid} } 1 .. ACCOUNTS;
ctl('bill', 'plan', $_, 'P', '--file', "$dir/plans.json") for @ac;

# --- time --------------------------------------------------------------------

my $ahead = 0;
sub now { return 1000 * (time + $ahead) }
sub get {
    my ($entity, @key) = @_;
    my $raw = redis($redis, 'GET', redis_key(@key));
    return defined $raw ? record($entity, $raw) : undef;
}
sub open_payment {
    my ($ac) = @_;
    my $b = get('bill', 'bill', $ac);
    return $b->{open} eq '' ? undef : get('payment', 'pay', $ac, $b->{open});
}

# The work of daemons for an account that is due.
sub due {
    my ($ac) = @_;
    return grep { ($_ // 9e15) <= now() } map { redis($redis, 'ZSCORE',
        redis_key($_, $ac) =~ s/:AC.*//r, $ac) } qw(billdue paydue);
}
# Moves all clocks by that (s), and waits until the daemons have done what is
# due.
sub passes {
    my ($by, $kills) = @_;

    set_clock($ahead += $by);
    select undef, undef, undef, 0.5 + ($kills ? rand 2 : 0);
    if ($kills) {
        my $killed = $daemons[rand @daemons];
        kill_server($killed);
        restart_server($killed);
    }
    wait_for { !grep { due($_) } @ac } 60, 'the daemons have done all';
}
sub unpaid { return grep { my $p = open_payment($_);
    $p || get('bill', 'bill', $_)->{ends} < now() + 8 * 1000 * DAY } @_ }

# Hours pass until these accounts have paid.  A customer whose card was declined
# for the last time asks for another attempt.
sub until_paid {
    my ($name, @of) = @_;

    for (1 .. 40) {
        my @unpaid = unpaid(@of) or last;
        passes(@unpaid > 3 ? 3 * HOUR : 12 * HOUR);
        ctl('bill', 'retry', $_) for grep { my $p = open_payment($_);
            $p && $p->{state} eq 'failed' } @unpaid;
    }
    is(scalar unpaid(@of), 0, "$name: each account has paid")
        or diag(explain([map { open_payment($_) } @of]));
}

# --- the run -----------------------------------------------------------------

until_paid('the first period', @ac);
my $before = charges();
is($before, ACCOUNTS, 'each account was charged once');

away(1);
passes(25 * DAY);
is(scalar(grep { open_payment($_) } @ac), ACCOUNTS,
    'the gateway is away, and each account is to pay');
passes(3 * HOUR) for 1 .. 3;
my @held = @ac[0 .. 3];
ctl('account', 'suspend', $_) for @held;
my $held = now() / 1000;
passes(3 * HOUR, 1) for 1 .. 7;
passes(2 * DAY);
passes(-2 * DAY);
away(0);
my @free = @ac[4 .. $#ac];
until_paid('the gateway is back', @free);
my %held = map { $_ => 1 } @held;
is(scalar(grep { $held{ $_->[0] } && $_->[3] > $held + 60 } charges()), 0,
    'no suspended account is charged');
ctl('account', 'resume', $_) for @held;
until_paid('the accounts go on', @held);

# --- the books ---------------------------------------------------------------

my (%charged, %ledger, %told);
$charged{"$_->[1] $_->[2]"}++ for charges();
for my $ac (@ac) {
    $ledger{"$_->{r} " . sprintf '%.2f', $_->{a} / 1e6}++
        for map { +{ @{ $_->[1] } } } @{ redis($redis, 'XRANGE',
            redis_key('ledger', $ac), '-', '+') };
}
my %outbox = map { redis_key('x', $_) =~ s/x:AC.*/outbox/r => 1 } @ac;
for my $outbox (sort keys %outbox) {
    for my $e (@{ redis($redis, 'XRANGE', $outbox, '-', '+') }) {
        my $event = record('event', { @{ $e->[1] } }->{d});
        next if $event->{type} ne 'billing.renewal.success';
        my $p = record('payment', record('billing', $event->{data})->{payment});
        $told{"$p->{id} " . sprintf '%.2f', $p->{amount} / 1e6}++;
    }
}
is_deeply([grep { $charged{$_} > 1 } sort keys %charged], [],
    'nothing is charged twice');
is_deeply(\%ledger, \%charged, 'the ledger has each charge, and no other');
is_deeply(\%told, \%charged, 'each charge is told, and no other');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck finds nothing');
note(scalar(charges()) . ' charges');

done_testing();
