package RblSoakServer;

# The authoritative servers of a world (RblSoakWorld): one process with all of
# their addresses, on port 53.  The first address serves soak.test itself, whose
# delegations lead to the others; the second one is a recursive resolver
# (RblSoakResolver).  The plan is consulted for each query, so changes happen
# exactly at their planned times.
#
# Queries and responses are written to a file.
#
#     my $s = RblSoakServer->new($world, $start, $path);
#     $s->stop;
#     my @lines = asked($path, $host, $zone, $from, $to);

use strict;
use warnings;

use IO::Handle;
use IO::Socket::INET;
use POSIX ();
use Socket qw(MSG_DONTWAIT inet_aton SOL_SOCKET SO_RCVBUF);
use Time::HiRes qw(time);

use RblSoakResolver;
use RblSoakWorld;

use constant { A => 1, NS => 2, SOA => 6, TXT => 16, ZONE => 'soak.test' };
my %RCODE = (servfail => 2, nxdomain => 3, refused => 5);


# A part of 127/8 in which port 53 is free: "127.x.y".
sub free_net {
    for (1 .. 200) {
        my $net = sprintf '127.%d.%d', 64 + int rand 128, int rand 256;
        return $net if udp("$net.1");
    }
    die "no address whose port 53 is free (root may have it)\n";
}

sub udp {
    my ($address) = @_;

    return IO::Socket::INET->new(Proto => 'udp', LocalAddr => $address,
        LocalPort => 53);
}

sub new {
    my ($class, $w, $start, $path) = @_;

    my $place = place_of($w);
    my %socket = map { $_ => udp($_) // die "$_, port 53: $!\n" }
        @$w{qw(parent recursive)}, keys %$place;
    setsockopt $_, SOL_SOCKET, SO_RCVBUF, 4 << 20 for values %socket;
    pipe my $theirs, my $ours or die "pipe: $!";
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        close $ours;
        $SIG{TERM} = $SIG{INT} = 'DEFAULT';
        open my $log, '>', $path or die "$path: $!";
        eval { serve({ w => $w, start => $start, place => $place,
            log => $log, later => [] }, \%socket, $theirs); 1 }
            or print STDERR "# RblSoakServer: $@";
        POSIX::_exit(0);
    }
    return bless { pid => $pid, pipe => $ours, owner => $$ }, $class;
}

sub stop {
    my ($self) = @_;

    my $pid = delete $self->{pid};
    return if !$pid || $self->{owner} != $$;
    close $self->{pipe};
    local $?;
    kill 'TERM', $pid;
    waitpid $pid, 0;
}

sub DESTROY { $_[0]->stop }


# --- the process -------------------------------------------------------------

# Ends when its parent has ended.
sub serve {
    my ($s, $socket, $pipe) = @_;

    my %of = map { fileno($socket->{$_}) => $_ } keys %$socket;
    my $all = '';
    vec($all, $_, 1) = 1 for fileno $pipe, keys %of;
    while (1) {
        my $wait = @{ $s->{later} } ? $s->{later}[0][0] - time : 5;
        select my $in = $all, undef, undef, $wait > 0 ? $wait : 0;
        return if vec $in, fileno $pipe, 1;
        for my $fd (grep { vec $in, $_, 1 } keys %of) {
            read_some($s, $socket->{ $of{$fd} }, $of{$fd});
        }
        $s->{log}->flush;
        while (@{ $s->{later} } && $s->{later}[0][0] <= time) {
            my (undef, $fh, $to, $reply) = @{ shift @{ $s->{later} } };
            send $fh, $reply, 0, $to;
        }
    }
}

sub read_some {
    my ($s, $fh, $address) = @_;

    for (1 .. 64) {
        my $from = recv $fh, my $query, 4096, MSG_DONTWAIT;
        return if !defined $from;
        my $q = parse($query) or next;
        my ($reply, $delay) = $address eq $s->{w}{recursive}
            ? resolve($s, $q, time - $s->{start}) : answer($s, $address, $q);
        note_down($s, $address, $q, $reply);
        next if !defined $reply;
        if (!$delay) {
            send $fh, $reply, 0, $from;
            next;
        }
        @{ $s->{later} } = sort { $a->[0] <=> $b->[0] } @{ $s->{later} },
            [time + $delay, $fh, $from, $reply];
    }
}

sub parse {
    my ($m) = @_;

    return undef if length $m < 17;
    my ($id, $flags, $questions, undef, undef, $more) = unpack 'n6', $m;
    return undef if $flags & 0xf800 || $questions != 1;
    my ($pos, @label) = (12);
    while (my $n = ord substr $m, $pos, 1) {
        return undef if $n > 63 || $pos + $n + 6 > length $m;
        push @label, substr $m, $pos + 1, $n;
        $pos += $n + 1;
    }
    return { id => $id, flags => $flags & 0x0100, edns => $more,
        question => substr($m, 12, $pos - 7), name => lc join('.', @label),
        type => unpack "x$pos x n", $m };
}

sub note_down {
    my ($s, $address, $q, $reply) = @_;

    my (undef, $flags, undef, $n) = unpack 'n4', $reply // '';
    printf { $s->{log} } "%8.3f %s %s %s: %s\n", time - $s->{start}, $address,
        $q->{name}, $q->{type}, !defined $reply ? 'silence'
        : ($flags & 0x400 ? '' : 'AA=0 ') . ($n ? "$n records"
        : 'rcode ' . ($flags & 15));
}

# The lines about a host at a list, and about the list's test points, of some
# time.
sub asked {
    my ($path, $host, $zone, $from, $to) = @_;

    my $names = join '|', map { join '\.', reverse split /\./ } $host,
        '127.0.0.1', '127.0.0.2';
    open my $log, '<', $path or return;
    return grep { /^ *([\d.]+) \S+ (?:$names)\.\Q$zone\E / && $1 >= $from
        && $1 <= $to } <$log>;
}

# (reply, delay in seconds); undef: none.
sub answer {
    my ($s, $address, $q) = @_;

    my $t = time - $s->{start};
    return parent($s->{w}, $q, $t) if $address eq $s->{w}{parent};
    my $server = $s->{place}{$address};
    my $r = at($server->{address}, $t) eq $address ? regime_at($server, $t)
        : { kind => $server->{old} };
    return list_answer($s->{w}, $server, $r, $q, $t);
}


# --- messages ----------------------------------------------------------------

sub packed_name {
    my ($name) = @_;

    return join('', map { pack 'C/a', $_ } split /\./, $name) . "\0";
}

sub record {
    my ($owner, $type, $ttl, $data) = @_;

    return packed_name($owner) . pack 'nnNn/a', $type, 1, $ttl, $data;
}

# %o: aa, rcode, and records: answer, authority, more.
sub reply {
    my ($q, %o) = @_;

    my @part = map { $o{$_} // [] } qw(answer authority more);
    push @{ $part[2] = [@{ $part[2] }] }, "\0" . pack 'nnNn', 41, 1232, 0, 0
        if $q->{edns};
    return pack('n6', $q->{id}, 0x8000 | $q->{flags} | ($o{aa} ? 0x0400 : 0)
        | ($RCODE{ $o{rcode} // '' } // 0), 1, map { scalar @$_ } @part)
        . $q->{question} . join '', map { @$_ } @part;
}

sub soa {
    my ($zone, $serial, $ttl) = @_;

    return record($zone, SOA, $ttl, packed_name("ns.$zone")
        . packed_name("root.$zone") . pack 'N5', $serial, 60, 60, 60, $ttl);
}


# --- soak.test itself --------------------------------------------------------

sub parent {
    my ($w, $q, $t) = @_;

    my ($zone) = $q->{name} =~ /(?:^|\.)(l\d+\.soak\.test)$/;
    my ($l) = grep { $_->{zone} eq ($zone // '') } @{ $w->{list} };
    return referral($w, $l, $q, $t) if $l;
    my %address = map { at($_->{name}, $t) => at($_->{address}, $t) }
        map { @{ $_->{server} } } @{ $w->{list} };
    $address{'ns.' . ZONE} = $w->{parent};
    my $ttl = 2 * $w->{unit};
    my $soa = soa(ZONE, 1, $ttl);
    my $is = $address{ $q->{name} };
    return reply($q, aa => 1, answer => [record($q->{name}, A, $ttl,
        inet_aton $is)]) if $is && $q->{type} == A;
    if ($q->{name} eq ZONE) {
        return reply($q, aa => 1, answer => [$soa]) if $q->{type} == SOA;
        return reply($q, aa => 1, answer => [record(ZONE, NS, $ttl,
            packed_name('ns.' . ZONE))]) if $q->{type} == NS;
    }
    return reply($q, aa => 1, authority => [$soa], $is || $q->{name}
        =~ /^(?:ns\.)?soak\.test$/ ? () : (rcode => 'nxdomain'));
}

sub referral {
    my ($w, $l, $q, $t) = @_;

    my (@ns, @glue);
    for my $s (@{ $l->{server} }) {
        my ($name, $address) = (at($s->{name}, $t), at($s->{address}, $t));
        push @ns, record($l->{zone}, NS, 2 * $w->{unit}, packed_name($name));
        push @glue, record($name, A, 2 * $w->{unit}, inet_aton $address);
    }
    return reply($q, authority => \@ns, more => \@glue);
}


# --- lists -------------------------------------------------------------------

sub list_answer {
    my ($w, $s, $r, $q, $t) = @_;

    my $l = $s->{list};
    my $kind = $r->{kind};
    return undef if $kind eq 'silent';
    return reply($q, rcode => 'refused') if $kind eq 'refused'
        || $q->{name} !~ /(?:^|\.)\Q$l->{zone}\E$/;
    return reply($q, rcode => 'servfail') if $kind eq 'servfail';
    return reply($q, authority => [record('', NS, 3600,
        packed_name('a.root-servers.net'))]) if $kind eq 'lame';
    return reply($q, rcode => 'nxdomain') if $kind eq 'noaa';
    my $soa = soa($l->{zone}, serial_of($s, $t), $l->{negative});
    my @answer = $q->{name} eq $l->{zone} ? apex($w, $l, $q, $t, $soa)
        : entry($s, $r, $q, $t);
    return (reply($q, aa => 1, ref $answer[0] ? (authority => [$soa])
        : (answer => \@answer), ref $answer[0] ? @{ $answer[0] } : ()),
        $kind eq 'slow' ? $r->{delay} : 0);
}

# Records; or, if there are none, an array of the reply's other contents.
sub apex {
    my ($w, $l, $q, $t, $soa) = @_;

    return $soa if $q->{type} == SOA;
    return map { record($l->{zone}, NS, 2 * $w->{unit},
        packed_name(at($_->{name}, $t))) } @{ $l->{server} }
        if $q->{type} == NS;
    return [];
}

sub entry {
    my ($s, $r, $q, $t) = @_;

    my ($l, $name) = ($s->{list}, $q->{name});
    my ($asked) = $name =~ /^((?:\d+\.){4})\Q$l->{zone}\E$/;
    my $address = defined $asked ? join '.', reverse split /\./, $asked : '';
    my $is = $r->{kind} eq 'parked' ? '203.0.113.9'
        : $r->{kind} eq 'error' ? '127.255.255.254'
        : says_there($s, $r, $address, $t) ? '127.0.0.2' : undef;
    return [rcode => 'nxdomain'] if !defined $is;
    return record($name, A, $l->{ttl}, inet_aton $is) if $q->{type} == A;
    return record($name, TXT, $l->{ttl}, pack 'C/a', "listed: $address")
        if $q->{type} == TXT && $is eq '127.0.0.2';
    return [];
}

# At a server's old address another one is wildcarding, or empty.
sub says_there {
    my ($s, $r, $address, $t) = @_;

    return says($s, $address, $t) if exists $r->{since}
        || $r->{kind} eq 'healthy';
    return $r->{kind} eq 'wild';
}

1;
