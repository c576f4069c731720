#!/usr/bin/perl

# `nginx -s reload` ten times under load: no request fails, nothing unexpected
# is logged, no worker stays.  Then ten times with requests that wait for a
# stopped store: each gets its response when the store continues, or 503 in
# time, and none is truncated.

use strict;
use warnings;

use POSIX ();
use RblApi;
use RblFault;
use RblRedis;
use RblTest;

my $t = api_setup(workers => 2, http => 'rbl_store_timeout 5s;',
    server => 'location /status { stub_status; }');
my $nginx = $t->{nginx};
add_host($t, '10.0.0.0/26');
my $read = http_head('GET', '/3.0/hosts.json', auth => $t->{acct});

sub reload {
    my @old = workers($nginx, 2);
    signal_server($nginx, 'HUP');
    return @old;
}

sub gone {
    my (@old) = @_;

    return wait_for { my %now = map { $_ => 1 } workers_now($nginx);
        keys %now == 2 && !grep { $now{$_} } @old } 10, 'the old workers to go';
}

# A process that sends requests without a pause, and prints a line for each
# response that is not a complete 200, and at the end their number.
sub start_load {
    my ($number) = @_;

    my $file = temp_dir() . "/load$number";
    my $pid = fork // die "fork: $!";
    return ($pid, $file) if $pid;

    my ($n, $bad, $on) = (0, '', 1);
    $SIG{TERM} = sub { $on = 0 };
    while ($on) {
        my $write = $n % 10 == 9;
        my $r = $write ? http($nginx, 'POST', '/3.0/host/add.json',
            auth => $t->{acct}, form => { host => "10.$number."
            . ($n >> 8) . '.' . ($n & 255), name => 'n', type => 'rbl' })
            : http_raw($nginx, $read);
        $n++;
        $bad .= ($r->{raw} || $r->{error} || 'nothing') . "\n"
            if ($r->{status} != 200 || !$r->{complete})
                && ($on || ($r->{error} // '') !~ /Interrupted/);
    }
    write_file($file, "$bad$n requests\n");
    POSIX::_exit(0);
}

# --- under load ------------------------------------------------------------

my @load = map { [start_load($_)] } 1 .. 3;
my $reloads = 0;
for (1 .. 10) {
    my @old = reload();
    $reloads++ if gone(@old);
}
is($reloads, 10, 'ten reloads under load; each time the old workers went');

kill 'TERM', $_->[0] for @load;
my $sum = 0;
for my $l (@load) {
    waitpid $l->[0], 0;
    my $told = read_file($l->[1]);
    $sum += $1 if $told =~ s/^(\d+) requests\n\z//m;
    is($told, '', 'no request failed');
}
cmp_ok($sum, '>', 100, "the clients send more than 100 requests, $sum");
is(scalar workers_now($nginx), 2, 'there are two workers');

# --- with waiting requests -------------------------------------------------

sub wait_in_store {
    my @c = map { client('asks', $nginx, $read) } 1 .. 6;
    wait_for { http($nginx, 'GET', '/status')->{body} =~ /Writing: (\d+)/
        && $1 > 6 } 3, 'requests are waiting';
    return @c;
}

# Checks that they are answered, or get 503 before read_answer gives up.
sub round {
    my ($name, $answered) = @_;

    my (@c, @old);
    with_fault('hung', $t->{redis}, sub {
        @c = wait_in_store();
        @old = reload();
        wait_for { workers_now($nginx) >= 3 } 5, 'new workers';

        # This one gets workers that have never seen the store.
        push @c, client('asks', $nginx, $read);
        @c = map { RblTest::Http::read_answer($_, 9) } @c if !$answered;
    });
    @c = map { RblTest::Http::read_answer($_, 9) } @c if $answered;
    my $status = $answered ? 200 : 503;
    my $last = pop @c;
    is(scalar(grep { $_->{status} == $status && $_->{complete} } @c), 6,
        "$name: the requests that waited get $status");
    ok($last->{complete} && $last->{status} =~ /^(?:200|503)$/,
        "$name: the later request has an answer, too: $last->{status}");
    ok(gone(@old), "$name: the old workers went");
    ok((wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 2),
        "$name: nginx answers requests again");
}

round("round $_", 1) for 1 .. 7;

my $conf = read_file($nginx->{conf_path});
$conf =~ s/rbl_store_timeout 5s/rbl_store_timeout 1500ms/;
write_file($nginx->{conf_path}, $conf);
gone(reload());
round("round $_", 0) for 8 .. 10;

done_testing();
