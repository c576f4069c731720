package RblFailover::Hostile;

# Helpers of tests in which Sentinels and nodes say what is wrong.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::INET;
use Test::More ();
use Time::HiRes qw(sleep);

use RblTest::Http;
use RblTest::Process;
use RblTest::Servers;

our @EXPORT = qw(bulk list names try_write serves refuses rblctl_ends
    own_address);

# Replies of Redis
sub bulk { return sprintf "\$%d\r\n%s\r\n", length $_[0], $_[0] }
sub list { return '*' . @_ . "\r\n" . join '', @_ }
sub names { return list(map { bulk($_) } @_) }

my $n = 0;

# The status of a write, and the message.
sub try_write {
    my ($nginx, $acct) = @_;

    my $r = http($nginx, 'POST', '/3.0/host/add.json', auth => $acct,
        form => { host => sprintf('10.%d.%d.%d', 200, ++$n >> 8, $n & 255),
            name => 'n', type => 'rbl' });
    return wantarray ? ($r->{status}, $r->{body} // '') : $r->{status};
}

sub serves {
    my ($nginx, $acct, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return Test::More::ok((wait_for { try_write($nginx, $acct) == 200 } 8,
        "$name: served"), "$name: served");
}

# 503 soon, it says that nothing was changed, and it stays so.
sub refuses {
    my ($nginx, $acct, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    wait_for { try_write($nginx, $acct) == 503 } 5;
    my @bad;
    for (1 .. 5) {
        my ($status, $body) = try_write($nginx, $acct);
        push @bad, "$status $body"
            if $status != 503 || $body !~ /Nothing was changed/;
        sleep 0.1;
    }
    return Test::More::is(join("\n", @bad), '',
        "$name: 503, nothing was changed");
}

# rblctl ends with a message, in time.
sub rblctl_ends {
    my ($f, $addr, $name) = @_;

    my $r = rblctl({ %$f, addr => $addr }, { timeout => 20 }, 'account',
        'list');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::ok($r->{status} != 0 && !$r->{signal} && $r->{err} =~ /\S/,
        "rblctl, $name: it fails");
    Test::More::note($r->{err});
}

# An address of this machine other than loopback, if it has one.
sub own_address {
    my $s = IO::Socket::INET->new(Proto => 'udp', PeerAddr => '192.0.2.1',
        PeerPort => 9) or return undef;
    my $address = $s->sockhost;
    return $address =~ /^127\.|^0\./ ? undef : $address;
}

1;
