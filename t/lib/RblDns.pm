package RblDns;

# ADDRESS, port => NUMBER), UDP and TCP on one port, and ends with stop(), with
# the object, or when its parent is gone. => A scriptable DNS server, including
# hostile behaviour.  It runs as a child process on 127.0.0.1 (or host =>
# ADDRESS, port => NUMBER), UDP and TCP on one port, and ends with stop(), with
# the object, or when its parent has ended. => ADDRESS, port => NUMBER), UDP and
# TCP on one port, and ends with stop(), with the object, or when its parent is
# gone.
#
#     my $dns = RblDns->new(rules => [
#         [ '^2\.0\.0\.127\.zen\.test$' => { a => ['127.0.0.2'] } ],
#         [ '\.slow\.test$'             => 'mute', { a => ['127.0.0.3'] } ],
#     ]);
#     $dns->addr;                       # "127.0.0.1@PORT"
#     $dns->set('\.zen\.test$', 'nxdomain');
#     $dns->asked('\.zen\.test$');      # number of queries
#
# The first rule whose pattern matches the name (in lower case, followed by a
# space and the type: '^a\.test TXT$') decides.  Its actions apply to the first,
# second, ... query for that name and type, the last one to all later queries.
# No rule: NXDOMAIN.  An action is a hash, or a word:
#
#     mute nxdomain nodata servfail refused formerr notimp
#
#   a, aaaa    => [ADDRESS, ...]        only if that type is queried
#   txt        => [TEXT | [STRINGS], ...]       likewise
#   more       => [[SECTION, OWNER, TYPE, RDATA, TTL], ...]  SECTION 1..3; TYPE
#                 a number or CNAME NS SOA A; RDATA a name, list or octets
#   ttl        => SECONDS (300)
#   rcode      => NUMBER or word
#   soa        => [ZONE, TTL, MINIMUM, SERIAL]  into the authority section
#   tc         => 1                     over UDP; over TCP the rest applies
#   aa         => 1                     authoritative
#   drop_edns  => 1                     mute while the query has EDNS
#   no_edns    => 1                     FORMERR while the query has EDNS
#   delay      => SECONDS
#   copies     => N
#   cut        => OCTETS                of the reply that are sent
#   append     => OCTETS
#   raw        => [AN, NS, AR, OCTETS]  bytes after the question section
#   first      => [WORD, ...]           false replies before the right one:
#                 id bit name type class port query two short noise empty bare
#                 case
#   upper      => 1                     the query comes back in capitals
#   lower      => 1                     the query comes back in lower case
#   drop_case  => 1                     mute while the query has capitals
#   no_case    => 1                     NXDOMAIN while the query has capitals
#   mute       => 1
#   tcp        => close mute drip short id flood tiny

use warnings;
use strict;

use IO::Select;
use IO::Socket::INET;
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC SOL_SOCKET SO_RCVBUF inet_aton
              inet_pton AF_INET6);
use Storable qw(freeze thaw);
use Time::HiRes qw(time);

use RblTest::Process ();

my %TYPE = (A => 1, NS => 2, CNAME => 5, SOA => 6, TXT => 16, AAAA => 28,
            DNAME => 39);
my %TYPE_NAME = reverse %TYPE;
my %RCODE = (noerror => 0, formerr => 1, servfail => 2, nxdomain => 3,
             notimp => 4, refused => 5);
my %WORD = (
    mute => { mute => 1 },
    nodata => {},
    map({ $_ => { rcode => $_ } } qw(nxdomain servfail refused formerr
                                     notimp)),
);


sub new {
    my ($class, %o) = @_;
    my $host = $o{host} || '127.0.0.1';
    my ($udp, $tcp) = listen_on($o{port} || 0, exists $o{tcp} ? $o{tcp} : 1,
        $host);

    socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC)
        or die "socketpair: $!";

    my $pid = fork();
    die "fork: $!" unless defined $pid;

    if ($pid == 0) {
        close $ours;
        my $self = { rules => $o{rules} || [], udp => $udp, tcp => $tcp,
                     control => $theirs, nth => {}, log => [], later => [],
                     client => {}, pending => 0, most => 0 };
        # No cleanup code of the test must run here.
        eval { serve($self); 1 } or print STDERR "# RblDns: $@";
        POSIX::_exit(0);
    }

    close $theirs;
    return bless { pid => $pid, control => $ours, owner => $$,
                   host => $host, port => $udp->sockport }, $class;
}


# UDP and TCP on the same port; the kernel chooses a free UDP port.
sub listen_on {
    my ($port, $want_tcp, $host) = @_;

    for (1 .. 50) {
        my $udp = IO::Socket::INET->new(Proto => 'udp',
            LocalAddr => $host, LocalPort => $port)
            or die "udp port $port: $!";
        setsockopt($udp, SOL_SOCKET, SO_RCVBUF, 4 * 1024 * 1024);
        return ($udp, undef) unless $want_tcp;

        my $tcp = IO::Socket::INET->new(Proto => 'tcp', Listen => 64,
            ReuseAddr => 1, LocalAddr => $host,
            LocalPort => $udp->sockport);
        return ($udp, $tcp) if $tcp;
        die "tcp port $port: $!" if $port;
    }

    die 'no port that is free for UDP and TCP';
}


# A port without a listener.
sub closed_port { return RblTest::Process::free_port() }


sub port { $_[0]{port} }
sub addr { "$_[0]{host}\@$_[0]{port}" }
sub host { $_[0]{host} }

# Adds a rule in front of the others; its counter starts at 0.
sub set { my $self = shift; $self->call('set', @_) }

# Replaces all rules and counters.
sub rules { my ($self, @rules) = @_; $self->call('rules', @rules) }

# Number of queries that match the pattern ("name TYPE", by UDP and TCP).
sub asked { my ($self, $pattern) = @_; scalar $self->log($pattern) }

# [name, type, protocol, time of arrival, source port, id, RD] of each of them.
sub log { ## no critic
    my ($self, $pattern) = @_;
    my $all = $self->call('log');
    return grep { "$_->[0] $_->[1]" =~ /$pattern/ } @$all;
}

# The most replies that have been held back by `delay` at one time.
sub most_pending { $_[0]->call('most') }


sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;

    return if $self->{owner} != $$;
    close $self->{control};
    local $?;
    kill 'TERM', $pid;
    waitpid $pid, 0;
}


sub DESTROY { $_[0]->stop }


sub call {
    my ($self, @what) = @_;
    my $data = freeze(\@what);

    local $SIG{PIPE} = 'IGNORE';
    print_all($self->{control}, pack('N', length $data) . $data);
    return ${ thaw(read_frame($self->{control})
        // die 'the DNS server has exited') };
}


sub print_all {
    my ($fh, $data) = @_;

    while (length $data) {
        my $n = syswrite $fh, $data;
        return unless $n;
        substr($data, 0, $n) = '';
    }
}


sub read_exact {
    my ($fh, $want) = @_;
    my $got = '';

    while (length $got < $want) {
        sysread $fh, $got, $want - length $got, length $got or return undef;
    }

    return $got;
}


sub read_frame {
    my ($fh) = @_;
    my $head = read_exact($fh, 4) // return undef;
    return read_exact($fh, unpack 'N', $head);
}


# --- the child ---------------------------------------------------------------

sub serve {
    my ($s) = @_;

    $SIG{PIPE} = 'IGNORE';
    $SIG{TERM} = $SIG{INT} = 'DEFAULT';
    $s->{false} = IO::Socket::INET->new(Proto => 'udp',
        LocalAddr => '127.0.0.1') or die "udp: $!";
    my $select = $s->{select} = IO::Select->new(
        grep { $_ } @$s{qw(udp tcp control)});

    for ( ;; ) {
        my $wait = @{ $s->{later} } ? $s->{later}[0][0] - time : 60;

        for my $fh ($select->can_read($wait > 0 ? $wait : 0)) {
            if ($fh == $s->{udp}) {
                udp_in($s);
            } elsif ($s->{tcp} && $fh == $s->{tcp}) {
                my $c = $fh->accept or next;
                $select->add($c);
                $s->{client}{$c} = '';
            } elsif ($fh == $s->{control}) {
                control_in($s) or return;
            } else {
                tcp_in($s, $fh);
            }
        }

        while (@{ $s->{later} } && $s->{later}[0][0] <= time) {
            (shift @{ $s->{later} })->[1]->();
        }
    }
}


sub later {
    my ($s, $delay, $what) = @_;
    my $at = time + $delay;
    my $list = $s->{later};
    my $i = @$list;

    $i-- while $i && $list->[$i - 1][0] > $at;
    splice @$list, $i, 0, [$at, $what];
}


sub control_in {
    my ($s) = @_;
    my $frame = read_frame($s->{control}) // return 0;
    my ($what, @arg) = @{ thaw($frame) };
    my $result = 1;

    if ($what eq 'set') {
        @{ $s->{rules} } = grep { $_->[0] ne $arg[0] } @{ $s->{rules} };
        unshift @{ $s->{rules} }, [@arg];
        delete $s->{nth}{$arg[0]};
    } elsif ($what eq 'rules') {
        $s->{rules} = [@arg];
        $s->{compiled} = {};
        $s->{nth} = {};
        $s->{log} = [];
        $s->{most} = 0;
    } elsif ($what eq 'log') {
        $result = $s->{log};
    } elsif ($what eq 'most') {
        $result = $s->{most};
    }

    my $data = freeze(\$result);
    print_all($s->{control}, pack('N', length $data) . $data);
    return 1;
}


sub udp_in {
    my ($s) = @_;

    for (1 .. 64) {
        my $from = recv($s->{udp}, my $msg, 4096, Socket::MSG_DONTWAIT());
        last unless defined $from && length $msg;
        my $q = parse($msg) or next;
        $q->{from} = $from;
        my $act = action($s, $q, 'udp');
        next if $act->{mute};

        my $send = sub { udp_out($s, $q, $act) };

        if ($act->{delay}) {
            $s->{most} = $s->{pending} if ++$s->{pending} > $s->{most};
            later($s, $act->{delay}, sub { $s->{pending}--; $send->() });
        } else {
            $send->();
        }
    }
}


sub udp_out {
    my ($s, $q, $act) = @_;
    my $msg = $act->{tc} ? reply($q, { tc => 1 }) : reply($q, $act);

    for my $word (@{ $act->{first} || [] }) {
        my $fh = $word eq 'port' ? $s->{false} : $s->{udp};
        send($fh, false_reply($q, $act, $word), 0, $q->{from});
    }

    for (1 .. $act->{copies} || 1) {
        send($s->{udp}, $msg, 0, $q->{from});
    }
}


sub false_reply {
    my ($q, $act, $word) = @_;
    my %lie = (%$q);
    # The false claim must differ from the truth.
    my %claim = (a => ['127.0.0.66'], ttl => 6666, rcode => 0);

    $lie{id} = ($q->{id} + 1) % 65536 if $word eq 'id';
    $lie{id} = $q->{id} ^ 0x8000 if $word eq 'bit';
    $lie{raw} = chr(1) . 'x' . $q->{raw} if $word eq 'name';
    $lie{type} = 28 if $word eq 'type';
    $lie{raw} =~ tr/a-zA-Z/A-Za-z/ if $word eq 'case';
    $claim{aaaa} = ['::1'];
    my $msg = reply(\%lie, \%claim);
    substr($msg, 12 + length($lie{raw}) + 3, 1) = chr 3 if $word eq 'class';
    substr($msg, 2, 1) = chr 1 if $word eq 'query';
    substr($msg, 4, 2) = pack 'n', 2 if $word eq 'two';
    $msg = substr $msg, 0, 7 if $word eq 'short';
    $msg = '' if $word eq 'empty';
    $msg = substr($msg, 0, 4) . "\0" x 8 if $word eq 'bare';
    $msg = join '', map { chr int rand 256 } 1 .. 100 if $word eq 'noise';
    return $msg;
}


sub tcp_in {
    my ($s, $fh) = @_;
    my $n = sysread $fh, my $data, 4096;

    return tcp_close($s, $fh) unless $n;
    $s->{client}{$fh} .= $data;
    my $all = $s->{client}{$fh};
    return if length $all < 2 || length $all < 2 + unpack 'n', $all;

    my $q = parse(substr $all, 2) or return tcp_close($s, $fh);
    my $act = action($s, $q, 'tcp');
    my $how = $act->{tcp} || '';

    return if $how eq 'mute' || $act->{mute};
    return tcp_close($s, $fh) if $how eq 'close';
    $q->{id} ^= 1 if $how eq 'id';

    my $msg = reply($q, { %$act, tc => 0 });
    my $out = pack('n', length $msg) . $msg;

    if ($how eq 'drip') {
        drip($s, $fh, pack('n', 65535) . $msg);
        return;
    }

    $out = "\0\1x" if $how eq 'tiny';
    return flood($s, $fh, $out) if $how eq 'flood';
    $out = substr $out, 0, length($out) - 1 if $how eq 'short';
    print_all($fh, $out);
    tcp_close($s, $fh);
}


# Sends a byte at a time, and never the last one.
sub drip {
    my ($s, $fh, $rest) = @_;

    return unless exists $s->{client}{$fh};
    print_all($fh, length $rest ? substr $rest, 0, 1 : 'x');
    later($s, 0.02, sub { drip($s, $fh, substr $rest, length $rest ? 1 : 0) });
}


# Sends the reply, and more bytes as long as the client reads.
sub flood {
    my ($s, $fh, $out) = @_;

    return unless exists $s->{client}{$fh};
    $fh->blocking(0);
    my $n = syswrite $fh, $out . 'x' x 65536;
    return tcp_close($s, $fh) if !defined $n && !$!{EAGAIN};
    later($s, 0.02, sub { flood($s, $fh, '') });
}


sub tcp_close {
    my ($s, $fh) = @_;

    delete $s->{client}{$fh};
    $s->{select}->remove($fh);
    close $fh;
}


sub action {
    my ($s, $q, $proto) = @_;
    my $key = "$q->{name} " . ($TYPE_NAME{$q->{type}} || $q->{type});
    my $port = $q->{from} ? (Socket::sockaddr_in($q->{from}))[0] : 0;

    push @{ $s->{log} }, [split(/ /, $key), $proto, time, $port, $q->{id},
                       $q->{rd} ? 1 : 0, $q->{raw}];

    for my $rule (@{ $s->{rules} }) {
        my ($pattern, @actions) = @$rule;
        my $re = $s->{compiled}{$pattern} //= qr/$pattern/;
        # A pattern may match the name without the type.
        next unless $q->{name} =~ $re || $key =~ $re;
        my $nth = $proto eq 'udp' ? $s->{nth}{$pattern}{$key}++
                                  : ($s->{nth}{$pattern}{$key} || 1) - 1;
        my $act = $actions[$nth < @actions ? $nth : -1];
        $act = $WORD{$act} || die "unknown action $act" unless ref $act;
        return $WORD{mute} if $act->{drop_edns} && $q->{edns}
            || $act->{drop_case} && $q->{raw} =~ /[A-Z]/;
        return { %{ $WORD{nxdomain} }, aa => 1 }
            if $act->{no_case} && $q->{raw} =~ /[A-Z]/;
        return $act->{no_edns} && $q->{edns} ? { rcode => 1 } : $act;
    }

    return { rcode => 3 };
}


sub parse {
    my ($msg) = @_;

    return undef if length $msg < 17;
    my ($id, $flags, $qd, $an, $ns, $ar) = unpack 'n6', $msg;
    return undef if $flags & 0x8000 || $qd != 1;
    my ($at, @label) = (12);

    while (my $n = ord substr $msg, $at, 1) {
        return undef if $n > 63 || $at + $n + 1 > length $msg;
        push @label, substr $msg, $at + 1, $n;
        $at += $n + 1;
    }

    $at++;
    return { id => $id, raw => substr($msg, 12, $at - 12), edns => $ar > 0,
             name => lc join('.', @label), type => unpack('n', substr $msg,
             $at, 2), rd => $flags & 0x100 };
}


sub name {
    my ($name) = @_;
    return join('', map { chr(length) . $_ } split /\./, $name) . chr 0;
}


sub rdata {
    my ($type, $data) = @_;

    return inet_aton($data) if $type == 1 && $data =~ /^[\d.]+$/;
    return name($data) if $type == 2 || $type == 5 || $type == 39;
    return name('ns.test') . name('admin.test')
        . pack('N5', ref $data ? $data->[1] : 1, 3600, 600, 86400,
               ref $data ? $data->[0] : $data) if $type == 6;
    return join '', map { chr(length) . $_ } ref $data ? @$data : $data
        if $type == 16;
    return inet_pton(AF_INET6, $data) if $type == 28 && $data =~ /:/;
    return $data;
}


sub record {
    my ($owner, $type, $data, $ttl) = @_;
    my $octets = rdata($type, $data);
    return $owner . pack('nnNn', $type, 1, $ttl, length $octets) . $octets;
}


sub reply {
    my ($q, $act) = @_;
    my $ttl = defined $act->{ttl} ? $act->{ttl} : 300;
    my $rcode = $act->{rcode} || 0;
    my @section = ([], [], []);

    $rcode = $RCODE{$rcode} if exists $RCODE{$rcode};

    for my $kind (qw(a aaaa txt)) {
        my $type = $TYPE{uc $kind};
        next if $q->{type} != $type;
        push @{ $section[0] }, map { record("\xc0\x0c", $type, $_, $ttl) }
            @{ $act->{$kind} || [] };
    }

    for my $r (@{ $act->{more} || [] }) {
        my ($where, $owner, $type, $data, $own_ttl) = @$r;
        push @{ $section[$where - 1] }, record(
            length $owner ? name($owner) : "\xc0\x0c",
            $TYPE{$type} || $type, $data, defined $own_ttl ? $own_ttl : $ttl);
    }

    if ($act->{soa}) {
        my ($zone, $own_ttl, $minimum, $serial) = @{ $act->{soa} };
        push @{ $section[1] }, record(name($zone), 6,
            [$minimum, $serial // 1], $own_ttl);
    }

    push @{ $section[2] }, "\0" . pack 'nnNn', 41, 1232, 0, 0 if $q->{edns};

    my @counts = map { scalar @$_ } @section;
    my $behind = join '', map { @$_ } @section;

    if ($act->{raw}) {
        @counts = @{ $act->{raw} };
        $behind = pop @counts;
    }

    my $raw = $act->{upper} ? uc $q->{raw} : $act->{lower} ? lc $q->{raw}
        : $q->{raw};
    my $flags = 0x8080 | $q->{rd} | $rcode | ($act->{tc} ? 0x200 : 0)
        | ($act->{aa} ? 0x400 : 0);
    my $msg = pack('n6', $q->{id}, $flags, 1, @counts)
        . $raw . pack('nn', $q->{type}, 1) . $behind;

    $msg .= $act->{append} if defined $act->{append};
    $msg = substr $msg, 0, $act->{cut} if defined $act->{cut};
    return $msg;
}

1;
