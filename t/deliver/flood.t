#!/usr/bin/perl

# Receivers whose responses do not end, over HTTP and HTTPS, in each part of a
# response: headers, interim responses, body, chunk framing, trailers.  Each is
# cut at a limit, and 64 at a time do not make the daemon large.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

# Seconds per attempt; MiB that may be in kernel buffers; MiB by which the
# daemon may grow.
use constant { TIMEOUT => 3, BUFFERS => 4, GROWTH => 64 };

my $dir = own_dir('ca');
authority($dir, 'known');
certificate($dir, 'known', 'good', 'IP:127.0.0.1');

my $flood = spawn('flood', {}, '/usr/bin/python3',
    (grep { -e } map { "$_/flood.py" } @INC)[0], "$dir/good.pem",
    "$dir/good.key");
started($flood, sub { read_file($flood->{log}) =~ /^\d+ \d+$/m });
my ($plain, $tls) = read_file($flood->{log}) =~ /^(\d+) (\d+)$/m;

deliver_setup();
my $d = start_deliverd(conf => { deliver_timeout => TIMEOUT . 's',
    deliver_ca => "$dir/known.pem" });

# MiB that the responses of this name have written.
sub written {
    my ($name, $n) = @_;

    my @n;
    wait_for { @n = read_file($flood->{log}) =~ /^\Q$name\E (\d+)$/mg;
        @n >= $n } 30, "$n answers of $name end";
    return $n[-1] / 2 ** 20;
}

my $broken = '0 incomplete HTTP response';
my %end = (headers => $broken, tiny => $broken, interim => $broken,
    (map { $_ => 'delivered' } qw(trailers tinytrailers extension chunks body)),
    (map { $_ => '0 timeout' } qw(dripheader dripbody driptrailers)));

for my $name (sort keys %end) {
    my $n = 0;
    for my $url ("http://127.0.0.1:$plain/$name",
        "https://127.0.0.1:$tls/$name")
    {
        is(attempt($url), $end{$name},
            "an attempt at $url ends with $end{$name}");
        my $mib = written($name, ++$n);
        ok($mib < BUFFERS, sprintf '%s: %.1f MiB were written', $url, $mib);
    }
}
like(read_file($d->{log}), qr/: the response is too large/,
    'the log has the reason');

# --- 64 of a kind at once --------------------------------------------------

sub high_water_mib {
    my ($mib) = read_file("/proc/$_[0]{pid}/status") =~ /^VmHWM:\s+(\d+)/m;
    return $mib / 1024;
}

my $sanitized = read_file(build_dir() . '/t/tools/deliverd') =~ /__asan_init/;
my $before = high_water_mib($d);
for my $name (qw(tinytrailers trailers tiny extension)) {
    for my $n (1 .. 64) {
        my ($ac, $acct) = account();
        local ($RblDeliver::AC, $RblDeliver::ACCT, $RblDeliver::AP)
            = ($ac, $acct, my $ap = sid('AP'));
        script('app_put', [$acct], app => $ap, name => 'app',
            secret => $SECRET, field => 'f' x 16, digest => 'd' x 32);
        one_off($n % 2 ? "http://127.0.0.1:$plain/$name"
            : "https://127.0.0.1:$tls/$name", '192.0.2.9');
    }
    wake();
    wait_for { my @n = read_file($flood->{log}) =~ /^\Q$name\E \d+$/mg;
        @n >= 66 } 60, "64 answers of $name end";
    my $m = $end{$name} eq $broken ? deliveries() : {};
    cmd('ZREM', k('retry'), $_) for keys %$m;
    cmd('DEL', k('dlv', split /:/), k('event', (split /:/)[0, 1]))
        for keys %$m;
    soon { idle() } "$name: all 64 are over", 30;
}
my $grown = high_water_mib($d) - $before;
note(sprintf 'grown by %.1f MiB', $grown);
cmp_ok($grown, '<=', GROWTH, 'the daemon grows by less than the limit')
    if !$sanitized;

my $hook = start_receiver();
one_off($hook->{url}, '192.0.2.8');
soon { received($hook) == 1 && idle() } 'the next delivery works';
ok(alive($d), 'the daemon runs after the endless responses');
done_testing();
