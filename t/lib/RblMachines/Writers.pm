package RblMachines::Writers;

# Clients of the API on the machines of RblMachines.pm, and what they see.
#
#   share_account($lan, FROM, N...): copies /root/api.netrc, with which clients
#       sign in, to machines
#   curl('host/add.json -d ...'): a line for on() and tries()
#   start_writers($lan, N...): a client on each machine that adds hosts to its
#       nginx, at most 10 a second
#   written($lan, $writers): waits until each gets status 200 again
#   stop_writers($writers): their requests in order of time:
#       [{time (of the end), host, code}]
#   hosts_of($lan, N): the hosts that the nginx of a machine shows, sorted
#   judge($lan, N, NAME, $records, $limit): a test: hosts that were acknowledged
#       are there, and were refused for at most $limit seconds
#   check_ends($lan, N), fsck_clean($lan, N): tests
#   master_of($lan, N...): the machine whose Redis is a master

use strict;
use warnings;

use Exporter 'import';
use JSON::XS qw(decode_json);
use RblMachines;
use RblTest;
use Time::HiRes qw(time sleep);

our @EXPORT = qw(share_account curl start_writers written stop_writers hosts_of
    judge check_ends fsck_clean master_of);

my $count = 0;

sub curl {
    my ($words) = @_;

    return 'curl -s -m 5 --netrc-file /root/api.netrc '
        . "http://127.0.0.1:8080/3.0/$words";
}

sub share_account {
    my ($lan, $from, @n) = @_;

    my $text = on($lan, $from, 'cat /root/api.netrc');
    on($lan, $_, "cat >/root/api.netrc <<'E'\n${text}E\n") for @n;
}

sub start_writers {
    my ($lan, @n) = @_;

    return [map { start_writer($lan, $_) } @n];
}

sub start_writer {
    my ($lan, $n) = @_;

    my $m = $lan->{machines}{$n};
    my $id = ++$count;
    my $words = curl("host/add.json -o /dev/null -w '%{http_code}' -d name=x "
        . '-d type=rbl -d host=$host');
    my $s = spawn('writer', {}, RblMachines::enter_words($m), 'bash', '-c',
        <<"SH");
for i in \$(seq 5000); do
    host=198.\$((18 + i / 250)).$id.\$((i % 250))
    echo "\$(date +%s.%N) \$host \$($words)"
    sleep 0.1
done
SH
    @$s{qw(n signal)} = ($n, 'KILL');
    wait_for { records_of($s) } 10, 'a writer';
    return $s;
}

sub records_of {
    my ($s) = @_;

    return map { /^(\S+) (\S+) (\d+)$/
        ? { time => $1, host => $2, code => $3, n => $s->{n} } : () }
        split /\n/, read_file($s->{log});
}

sub written {
    my ($lan, $writers) = @_;

    my $now = time + 0.5;
    for my $s (@$writers) {
        ok((wait_for {
            my @r = records_of($s);
            @r && $r[-1]{time} > $now && $r[-1]{code} == 200;
        } 30), "10.0.0.$s->{n}: the API takes writes");
    }
    return $writers;
}

sub stop_writers {
    my ($writers) = @_;

    kill_server($_) for @$writers;
    return [sort { $a->{time} <=> $b->{time} }
        map { records_of($_) } @$writers];
}

sub hosts_of {
    my ($lan, $n) = @_;

    my @hosts;
    for my $page (1 .. 100) {
        my $r = tries($lan, $n, curl("'hosts.json?page=$page&page_size=1000'"));
        my $d = eval { decode_json($r->{out}) } or return [];
        my @some = map { $_->{host} } @{ $d->{data} // [] };
        push @hosts, @some;
        last if @some < 1000;
    }
    return [sort @hosts];
}

sub judge {
    my ($lan, $n, $name, $records, $limit) = @_;

    my %there = map { $_ => 1 } @{ hosts_of($lan, $n) };
    my @acked = grep { $_->{code} == 200 } @$records;
    my @lost = map { $_->{host} } grep { !$there{ $_->{host} } } @acked;
    is("@lost", '', "$name: " . @acked . ' writes acknowledged, none lost');
    my %codes;
    $codes{ $_->{code} }++ for @$records;
    my ($longest, %last) = (0);
    for my $r (@acked) {
        my $gap = $r->{time} - ($last{ $r->{n} } // $r->{time});
        $longest = $gap if $gap > $longest;
        $last{ $r->{n} } = $r->{time};
    }
    note(sprintf '%s: no writes for %.1f s; %s', $name, $longest,
        join ', ', map { "$codes{$_} with $_" } sort keys %codes);
    cmp_ok($longest, '<', $limit, "$name: away for less than $limit s")
        if $limit;
}

sub check_ends {
    my ($lan, $n) = @_;

    my $start = curl('check/start.json -d host=192.0.2.11');
    my ($id) = tries($lan, $n, $start)->{out} =~ /"(PP[0-9a-f]+)"/;
    ok($id && (wait_for {
        tries($lan, $n, curl("check/status/$id.json"))->{out}
            =~ /"status":"completed"/;
    } 40), "10.0.0.$n: a check ends");
}

sub fsck_clean {
    my ($lan, $n) = @_;

    my $r = tries($lan, $n, 'rblctl fsck --user rblctl-fsck --password-file '
        . '/etc/rbl-checkd/fsck.password', timeout => 60);
    is($r->{status}, 0, 'fsck finds no fault') or diag($r->{out});
}

sub master_of {
    my ($lan, @n) = @_;

    my @master;
    wait_for {
        @master = grep { tries($lan, $_, 'redis-cli ROLE')->{out}
            =~ /^master/ } @n;
        @master == 1;
    } 20, 'one master';
    return $master[0];
}

1;
