#!/usr/bin/perl

# The daemon's store behind TLS: checks, large replies, a restart of Redis, a
# name in place of the address, Sentinels, a cluster, bytes that are not of TLS,
# and all that is refused with its reason.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET;
use RblCheckd;
use RblFailover;
use RblNodes;
use RblTls;

my $d = tls_files();

# --- it works --------------------------------------------------------------

# The table of lists is read in replies of several records of TLS.

my @codes = map { "127.0.0.$_=" . 'text ' x 40 } 2 .. 20;
my %zones = map { sprintf('z%02d.test', $_) => { codes => \@codes,
    data => listed_entry("10.0.0.$_") } } 1 .. 40;
my $port = free_port();
my $w = world(zones => \%zones, redis => { appendonly => 1, cluster => 0,
    args => [tls_args($port, 'redis', 'yes')] });
my $redis = $w->{redis};
$redis->{tls} = $port;

sub daemon {
    my ($at, %conf) = @_;

    return start_checkd(store => { %$redis, addr => $at =~ /\D/ ? $at
            : "tls:127.0.0.1:$at" }, resolver => $w->{dns}, ready => '',
        conf => { conf_short(%conf) });
}

my $checkd = daemon($port, tls_conf('ca', 'client'));
my $pp = check_value($w, '10.0.0.7');
is(wait_check($w, $pp)->{status}, 'completed', 'a check completes');
my $details = details($w, $pp);
is(join(' ', grep { $details->{$_}{status} eq 'listed' } sort keys %$details),
    'z07.test', 'the check is listed on one list');
is(scalar keys %$details, 40, 'the check has results of all 40 lists');
my @pp = map { check_value($w, "10.0.1.$_") } 1 .. 30;
is(scalar(grep { (wait_check($w, $_)->{status} // '') eq 'completed' } @pp),
    30, 'many checks at once complete');
cmp_ok(scalar(grep { / laddr=127\.0\.0\.1:$port / } split /\n/,
    redis($redis, 'CLIENT', 'LIST')), '>', 1, 'the connections are encrypted');

restart_server($redis);
is(wait_check($w, check_value($w, '10.0.0.8'))->{status}, 'completed',
    'a check completes after a restart of Redis');
is(log_count($checkd, '\[error\]'), 0, 'no error was logged');
ok(stop_server($checkd), 'the daemon stops');

# --- a name ----------------------------------------------------------------

my $named = tls_redis('named', cluster => 0);
my $by_name = daemon($named->{tls}, tls_conf('ca'),
    store_tls_name => 'store.example.org');
ok(wait_log($by_name, qr/not been initialised/, 5), 'a certificate for a name');
stop_server($by_name);

# --- what is refused -------------------------------------------------------

my $plain = start_redis(port => 1, cluster => 0);
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5);
my $expired = tls_redis('expired', cluster => 0);
my $old = tls_redis('redis', cluster => 0, args => ['--tls-protocols',
    'TLSv1.1', '--tls-ciphers', 'ALL:@SECLEVEL=0']);

for (['a certificate for another name', $named->{tls},
        { tls_conf('ca'), store_tls_name => 'other.example.org' },
        qr/its certificate is not for store_tls_name/],
    ['a certificate for no address', $named->{tls}, { tls_conf('ca') },
        qr/its certificate is not for its address/],
    ['another authority', $port, { tls_conf('other', 'client') },
        qr/: (?:unable to get|self.signed)[^\n]* certificate/],
    ['an expired certificate', $expired->{tls}, { tls_conf('ca') },
        qr/certificate has expired/],
    ['no certificate of the daemon', $port, { tls_conf('ca') },
        qr/TLS: \S+ .*certificate required|reset by peer|Broken pipe/],
    ['a certificate of the daemon by another authority', $port,
        { tls_conf('ca', 'stranger') }, qr/TLS: \S+ alert unknown ca|reset by peer|Broken pipe/],
    ['TLS 1.1', $old->{tls}, { tls_conf('ca') },
        qr/TLS: .*(?:protocol|version|handshake)/],
    ['a server without TLS', $plain->{port},
        { tls_conf('ca'), store_timeout => '300ms' },
        qr/ended the TLS handshake|TLS: |reset by peer|while connecting/],
    ['a server that says nothing', $silent->sockport,
        { tls_conf('ca'), store_timeout => '300ms' },
        qr/no reply while connecting/],
    ['no server', free_port(), { tls_conf('ca') }, qr/Connection refused/])
{
    my ($what, $at, $conf, $pattern) = @$_;

    my $wrong = daemon($at, %$conf);
    ok(wait_log($wrong, qr/\[warn\][^\n]*$pattern/, 5), "$what: refused, and why")
        or diag(read_file($wrong->{log}));
    unlike(read_file($wrong->{log}), qr/: ready/, "$what: never ready");
    stop_server($wrong);
}

# The bytes that a server without TLS has got.

my $got = '';
while (my $c = $silent->accept) {
    $c->sysread($got, 65536, length $got);
    last if length $got;
}
like($got, qr/\A\x16\x03/, 'a handshake of TLS is sent');
unlike($got, qr/AUTH|HMGET|secret/,
    'the daemon sends no secret before the TLS handshake');
close $silent;

# --- bytes that are not of TLS ---------------------------------------------

my $forward = tls_forger($port);
$checkd = daemon($forward->{port}, tls_conf('ca', 'client'));
is(wait_check($w, check_value($w, '10.0.0.9'), 20)->{status}, 'completed',
    'forged bytes: checks go on');
ok(wait_log($checkd, qr/\[warn\][^\n]*TLS: /, 10), 'forged bytes: they end'
    . ' the connection');
is(wait_check($w, check_value($w, '10.0.0.10'), 20)->{status}, 'completed',
    'forged bytes: checks go on after them');
is(log_count($checkd, 'Protocol error|no command|forged'), 0,
    'forged bytes: none is taken for a reply');
ok(stop_server($checkd), 'the daemon stops');
stop_server($forward);

# --- several servers -------------------------------------------------------

my $f = start_sentinels(tls => 'redis');
several($f, 'Sentinels', sub {
    my $master = master($f);
    kill_server($master);
    wait_master($f, $master);
});

my $cluster = start_cluster(replicas => 1, tls => 'redis');
several($cluster, 'a cluster', sub {
    my $node = node_of($cluster, slot_of_account($cluster, $_[0]));
    fail_node($cluster, $node);
    restart_member($cluster, $node);
});

sub several {
    my ($several, $name, $fail) = @_;

    my $world = nodes_world($several);
    my ($at, $nodes) = tls_several($several);
    my $daemon = start_checkd(store => { %$several, addr => $at },
        resolver => $world->{dns}, conf => { conf_short(),
            tls_conf('ca', 'client'), store_nodes => $nodes });
    is(checked($world), 'completed', "$name: a check completes");
    $fail->($world->{acct});
    is(checked($world, 30), 'completed',
        "$name: a check completes after a failover");
    ok(stop_server($daemon), "$name: the daemon stops");
}

done_testing();
