package RblNeighboursDaemon;

# Attacks on the daemon: by its queries (own lists), and by its deliveries.
# RblNeighboursAttacks explains attacks.

use strict;
use warnings;

use IO::Socket::INET;

use RblNeighbours;
use RblNeighboursAttack;
use RblNeighboursAttacks;

use constant { ENDLESS => 200 * 1024 * 1024 };  # bytes per second

sub receivers { define(@_, daemon => 1, by => 'receivers') }
sub lists { define(@_, daemon => 1, by => 'lists') }

# Checks of an account in a loop, of one-off addresses: so many per second.
sub one_offs {
    my ($a, $acct, $connections, $rate, $more) = @_;

    my $n = 0;
    $a->flood(port => $acct->{port}, connections => $connections,
        rate => $rate, next => sub {
            $n++;
            request($acct, 'POST', 'check/start.json', { host =>
                join('.', 10, 40 + ($n >> 16), $n >> 8 & 255, $n & 255),
                $more ? $more->($n) : () });
        });
}

sub url { return "http://127.0.0.1:$_[0]/$_[1]" }

sub own_lists_of {
    my ($zone, $n) = @_;

    return sub {
        my ($w) = @_;
        my $b = hostile($w, 'B');
        own_lists($b, $zone, $n);
        return { acct => $b };
    };
}


# --- deliveries --------------------------------------------------------------

# Callbacks to 20 receivers, which send responses without an end.
sub endless {
    my ($begin, $line) = @_;

    return (setup => sub {
        return { acct => hostile($_[0], 'B'), port => free_port() } },
    run => sub {
        my ($a, $w, $s) = @_;
        my (@c, $more);
        $more = $line x (ENDLESS / 20 / 50 / length $line);
        $a->receiver($s->{port}, sub {
            my ($c) = @_;
            $a->{loop}->send($c, $begin);
            push @c, $c;
        });
        $a->{loop}->every(0.02, sub {
            for my $c (@c) {
                next if !$c->{fh} || length $c->{out};
                $a->count('sent', length $more);
                $a->{loop}->send($c, $more);
            }
            return 1;
        });
        one_offs($a, $s->{acct}, 2, 100, sub { $_[0] <= 20
            ? (callback => url($s->{port}, $_[0])) : () });
    });
}

my $CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

receivers('D1', 'endless trailers',
    what => '20 callbacks are answered by trailer '
    . 'lines without an end', endless("${CHUNKED}0\r\n",
    'X-Trailer: ' . 'x' x 80 . "\r\n"));

receivers('D6', 'endless chunk extensions',
    what => '20 callbacks are answered by '
    . 'a chunk extension without an end', endless("${CHUNKED}5;a=", 'x' x 100));

receivers('D2', 'tarpits',
    what => 'eight new accounts have 150 callbacks each to '
    . 'a receiver that never answers', ramp => 1.5,
    setup => sub {
        my ($w) = @_;
        return { accts => [map { hostile($w, "B$_") } 1 .. 8],
            ports => [map { free_port() } 1 .. 8] };
    },
    run => sub {
        my ($a, $w, $s) = @_;
        $a->receiver($_, sub { }) for @{ $s->{ports} };
        for my $i (0 .. 7) {
            my ($b, $port, $n) = ($s->{accts}[$i], $s->{ports}[$i], 0);
            $a->flood(port => $b->{port}, connections => 2, rate => 200,
                next => sub {
                    return if ++$n > 150;
                    request($b, 'POST', 'check/start.json', { host =>
                        "198.18.50.$n", callback => url($port, $n) });
                });
        }
    });

receivers('own', 'dead receivers', what => 'checks with callbacks to a closed '
    . 'port, and to one that takes no connection', ramp => 0.7,
    setup => sub {
        return { acct => hostile($_[0], 'B'), closed => free_port(),
            full => full_port() };
    },
    run => sub {
        my ($a, $w, $s) = @_;
        one_offs($a, $s->{acct}, 8, 150, sub { (callback =>
            url($_[0] % 2 ? $s->{closed} : $s->{full}[0], $_[0])) });
    });

# A port whose connection queue is full: [port, object that keeps it so].
sub full_port {
    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
        LocalPort => free_port(), Proto => 'tcp', Listen => 1, ReuseAddr => 1)
        or die "listen: $!";
    my $port = $listen->sockport;
    my @held = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $port, Proto => 'tcp', Blocking => 0) } 1 .. 4;
    return [$port, $listen, @held];
}

receivers('own', 'contacts',
    what => '200 contacts of type endpoint, confirmed at '
    . 'an own endpoint, which then never answers', ramp => 1.5,
    setup => sub {
        my ($w) = @_;
        my $b = hostile($w, 'B');
        my $r = http($w->{nginx}, 'POST', '/3.0/host/add.json', auth => $b,
            form => { host => '198.18.67.0/26', name => 'n', type => 'rbl' });
        $b->{hosts} = [map { $_->{id} } @{ json($r)->{data} }];
        return { acct => $b, port => free_port() };
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my $b = $s->{acct};
        my (%co, @confirm);
        $a->receiver($s->{port}, sub {
            my ($c, $bytes) = @_;
            my ($n) = $bytes =~ m{^POST /(\d+) };
            my ($code) = $bytes =~ /"authcode":"(\w+)"/ or return;
            $a->answer_ok($c);
            push @confirm, [$n, $code];
        });
        my ($n, $k) = (0, 0);
        $a->flood(port => $b->{port}, connections => 2, rate => 300,
            next => sub {
                return if ++$n > 200;
                request($b, 'POST', 'contact/add.json', { type => 'endpoint',
                    schedule => 'every_check', contact => url($s->{port}, $n) })
            }, then => sub {
                my ($id, $m) = $_[1] =~ m{"id":"(CO\w+)"} or return;
                push @{ $s->{co} }, $id;
            });
        # The code does not show its contact, so each contact has its own path.
        $a->flood(port => $b->{port}, connections => 2, rate => 300,
            next => sub {
                my $x = $confirm[0] or return;
                my $id = ($s->{co} // [])->[$x->[0] - 1] or return;
                shift @confirm;
                request($b, 'POST', "contact/confirm/$id.json",
                    { authcode => $x->[1] }) });
        $a->flood(port => $b->{port}, connections => 2, rate => 50,
            next => sub { request($b, 'POST', 'check/start.json',
                { host => $b->{hosts}[$k++ % @{ $b->{hosts} }] }) });
    });

receivers('own', 'open checks',
    what => 'checks at slow lists with 32 callbacks '
    . 'each to a receiver that never answers',
    setup => sub {
        my ($w) = @_;
        my $s = own_lists_of('slow.test', 20)->($w);
        my $b = $s->{acct};
        my $r = http($w->{nginx}, 'POST', '/3.0/host/add.json', auth => $b,
            form => { host => '198.18.60.0/27', name => 'n', type => 'rbl' });
        $b->{hosts} = [map { $_->{id} } @{ json($r)->{data} }];
        $s->{port} = free_port();
        settled($w);
        return $s;
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my ($b, $n) = ($s->{acct}, 0);
        $a->receiver($s->{port}, sub { });
        $a->flood(port => $b->{port}, connections => 16, rate => 600,
            next => sub {
                my $ht = $b->{hosts}[int($n / 32) % @{ $b->{hosts} }];
                request($b, 'POST', 'check/start.json', { host => $ht,
                    callback => url($s->{port}, $n++) }) });
    });


# --- lists -------------------------------------------------------------------

lists('D3', 'lists that drop', what => 'checks at 200 own lists that answer '
    . 'for their test points alone', ramp => 0.7,
    setup => own_lists_of('drop.test', 200),
    run => sub { one_offs($_[0], $_[2]{acct}, 8, 30) });

lists('D4', 'lists that hang', what => 'checks at 20 own lists that truncate '
    . 'their answers, and over TCP never answer', ramp => 0.7,
    setup => own_lists_of('hang.test', 20),
    run => sub { one_offs($_[0], $_[2]{acct}, 8, 30) });

lists('own', 'slow lists', what => 'checks at 200 own lists that answer after '
    . '1.5 s', ramp => 0.7, setup => own_lists_of('slow.test', 200),
    run => sub { one_offs($_[0], $_[2]{acct}, 8, 30) });

lists('own', 'long answers', what => 'checks at 20 own lists that answer with '
    . '300 addresses over TCP', ramp => 0.7,
    setup => own_lists_of('many.test', 20),
    run => sub { one_offs($_[0], $_[2]{acct}, 8, 30) });

lists('own', 'one-off checks', what => '300 one-off checks a second, on 16 '
    . 'connections', ramp => 0.7,
    setup => sub { return { acct => hostile($_[0], 'B') } },
    run => sub { one_offs($_[0], $_[2]{acct}, 16, 300) });

1;
