#!/usr/bin/perl

# The example of a server for "gateway http" as it is installed, with the real
# daemon: a customer is charged once for each period, also if the server was
# away or restarted; one without a mandate is declined; requests that are not
# signed charge nothing.

use strict;
use warnings;

use IO::Socket::INET;

use RblBill;
use RblTest;

my $dir = own_dir('example');
my $port = free_port();
my $file = repo_dir() . '/conf/gateway.py';
my @lines = split /\n/, read_file($file);
cmp_ok(@lines, '<=', 60, 'the example has at most 60 lines');

write_file("$dir/key", "the secret of the example\n", 0600);
my @server = ('/usr/bin/python3', $file, $port, "$dir/key", "$dir/db");
my $server;
sub server {
    $server = started(spawn('gateway', { dir => $dir }, @server), sub {
        IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") });
}
sub sql {
    my $r = run_cmd('/usr/bin/python3', '-c', 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
with db:
    for row in db.execute(sys.argv[2]): print(*row)', "$dir/db", @_);
    die $r->{err} if $r->{status};
    return $r->{out};
}

server();
my $t = bill_world(conf => { gateway => 'http', gateway_key_file => "$dir/key",
    gateway_url => "http://127.0.0.1:$port" });
my $ac = $t->{ac};
bill_plan($t, 'Business');
wait_for { events_of($t, 'billing.renewal.failed') } 20, 'declined';
my ($e) = events_of($t, 'billing.renewal.failed');
is($e->{json}{reason}, 'no_mandate', 'an account without mandate is declined');
is(sql('SELECT mandate FROM payment'), "\n", 'an account without mandate is not charged');

sql("INSERT INTO customer VALUES ('$ac', 'mandate-7')");
ctl($t, 'bill', 'retry', $ac);
wait_for { events_of($t, 'billing.renewal.success') } 20, 'paid';
is(sql("SELECT account, mandate, amount FROM payment WHERE mandate <> ''"),
    "$ac mandate-7 25.00\n", 'an account with a mandate is charged');
($e) = events_of($t, 'billing.renewal.success');
is($e->{json}{payment}{reference}, 'debit-' . (ledger($t))[0]{r} . '-2',
    'the event has the reference of the debit');
is($e->{json}{payment}{payment_source}{type}, 'http',
    'the event says that a server was paid');

# The server is away when the next payment is due.
stop_server($server);
my $py = next_period($t);
wait_for { payment($t, $py)->{state} eq 'unknown' } 20, 'the server is away';
server();
hurry($t);
wait_for { bill($t)->{open} eq '' } 20, 'the second payment';
is(sql('SELECT count(*), count(DISTINCT key) FROM payment'), "3 3\n",
    'each key is there once');

# Requests that the daemon has not signed.
my $key = "$py-1";
for my $o (['POST', '{}', 401], ['GET', '', 401]) {
    my ($method, $body, $status) = @$o;
    my $r = run_cmd('curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', '-X',
        $method, '-H', "Idempotency-Key: $key", '-H', 'webhook-timestamp: '
        . time, '-H', 'webhook-signature: v1,AAAA', ($body ? ('-d', $body)
        : ()), "http://127.0.0.1:$port/payments");
    is($r->{out}, $status, "$method without a signature is refused");
}
is(sql('SELECT count(*) FROM payment'), "3\n", 'a request without a signature charges nothing');
is_deeply([map { "$_->{d} $_->{c} $_->{a}" } ledger($t)],
    [('cash revenue 25000000') x 2], 'the ledger has both charges');
is(rblctl($t->{redis}, 'fsck')->{status}, 0, 'fsck finds nothing');
done_testing();
