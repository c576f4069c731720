package RblStripe::Server;

# The process of the stand-in: one loop that reads requests and answers them.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use JSON::XS ();
use Time::HiRes qw(time);

use RblStripe::Calls;
use RblStripe::Control;
use RblStripe::Pay;
use RblStripe::World;
use RblTest::Http ();

use constant LOG => 1000;

my $json = JSON::XS->new->utf8->canonical;

sub run {
    my ($port, $file) = @_;

    local $SIG{PIPE} = 'IGNORE';
    open my $options, '<', $file or die "$file: $!";
    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 64,
        LocalPort => $port, Proto => 'tcp', ReuseAddr => 1) or die "listen: $!";
    my $self = { select => IO::Select->new($listen), later => [], orders => [],
        keys => {}, log => [], requests => 0, conns => {}, listen => $listen,
        w => world(%{ $json->decode(readline $options) }, port => $port) };
    turn($self) while 1;
}

sub turn {
    my ($self) = @_;

    my @later = sort { $a->{at} <=> $b->{at} } @{ $self->{later} };
    my $wait = @later ? $later[0]{at} - time : undef;
    for my $fh ($self->{select}->can_read(!defined $wait ? undef
        : $wait > 0 ? $wait : 0))
    {
        if ($fh == $self->{listen}) {
            my $new = $fh->accept or next;
            $self->{select}->add($new);
            $self->{conns}{$new} = { fh => $new, in => '' };
            next;
        }
        my $c = $self->{conns}{$fh};
        my $n = sysread $fh, $c->{in}, 65536, length $c->{in};
        $n ? take($self, $c) : drop($self, $c);
    }
    for my $due (grep { $_->{at} <= time } @later) {
        $self->{later} = [grep { $_ != $due } @{ $self->{later} }];
        $due->{code}->();
    }
}

sub drop {
    my ($self, $c) = @_;

    $self->{select}->remove($c->{fh});
    delete $self->{conns}{ $c->{fh} };
    close $c->{fh};
}

# Takes the requests that are complete; the next one waits for the answer.
sub take {
    my ($self, $c) = @_;

    while (!$c->{busy} && $c->{in} =~ /\A(.*?\r\n)\r\n/s) {
        my ($head, $at) = ($1, length $&);
        my %h = map { /^([^:\r]+):[ \t]*(.*?)\r?$/ ? (lc $1 => $2) : () }
            split /\n/, $head;
        my $n = $h{'content-length'} // 0;
        if (lc($h{expect} // '') eq '100-continue' && !$c->{continued}++) {
            RblTest::Http::write_all($c->{fh},
                "HTTP/1.1 100 Continue\r\n\r\n");
        }
        return if length $c->{in} < $at + $n;
        my $body = substr $c->{in}, $at, $n;
        substr $c->{in}, 0, $at + $n, '';
        $c->{continued} = 0;
        my ($method, $path, $query) =
            $head =~ m{\A([A-Z]+) ([^ ?]+)(?:\?([^ ]*))? HTTP/1} or
            return drop($self, $c);
        request($self, $c, { method => $method, path => $path, headers => \%h,
            query => $query // '', body => $body });
    }
}

# answer: {status, body, type, headers, broken}
sub answer {
    my ($self, $c, $a) = @_;

    my $half = ($a->{broken} // '') eq 'half';
    if (($a->{broken} // '') ne 'cut') {
        my $body = $half ? substr $a->{body}, 0, length($a->{body}) / 2
            : $a->{body};
        RblTest::Http::write_all($c->{fh}, join "\r\n",
            "HTTP/1.1 $a->{status} Answer", 'Content-Type: '
            . ($a->{type} // 'application/json'),
            'Content-Length: ' . length $a->{body},
            map({ "$_: $a->{headers}{$_}" } sort keys %{ $a->{headers} // {} }),
            '', $body);
    }
    drop($self, $c) if $a->{broken};
}

sub request {
    my ($self, $c, $r) = @_;

    if ($r->{path} =~ m{\A/_test/(\w+)\z}) {
        return answer($self, $c, control($self, $1, $r));
    }
    if ($r->{path} =~ m{\A/c/pay/(cs_\w+)\z}) {
        return answer($self, $c, checkout($self, $1, $r));
    }
    my $w = $self->{w};
    payments_settle($w);
    my $id = new_id($w, 'req');
    my $h = $r->{headers};
    $w->{request} = { id => $id, version => $h->{'stripe-version'} // 'none',
        key => $r->{method} eq 'POST' ? $h->{'idempotency-key'} : undef };
    $w->{ordered} = sub { return ordered($self, $r, @_) };
    my $a = eval { decide($self, $r) } // refusal($@);
    $a->{headers} = { %{ $a->{headers} // {} }, 'Request-Id' => $id,
        'Stripe-Version' => $w->{request}{version},
        defined $w->{request}{key}
        ? ('Idempotency-Key' => $w->{request}{key}) : () };
    spoil($self, $r, $a) if !$a->{broken};
    $self->{requests}++;
    push @{ $self->{log} }, { id => $id, method => $r->{method},
        path => $r->{path}, key => $w->{request}{key}, status => $a->{status},
        params => $r->{params}, fault => $a->{fault}, version =>
        $w->{request}{version}, replayed => $a->{replayed} ? 1 : 0 };
    shift @{ $self->{log} } if @{ $self->{log} } > LOG;
    return finish($self, $c, $a) if !$a->{delay};
    $c->{busy} = 1;
    push @{ $self->{later} }, { at => time + $a->{delay},
        code => sub { finish($self, $c, $a) } };
}

# The client may have gone during a delay.
sub finish {
    my ($self, $c, $a) = @_;

    $a->{entry}{running} = 0 if $a->{entry};
    $c->{busy} = 0;
    return if !$self->{conns}{ $c->{fh} };
    answer($self, $c, $a);
    take($self, $c) if $self->{conns}{ $c->{fh} };
}

1;
