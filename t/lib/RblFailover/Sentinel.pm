package RblFailover::Sentinel;

# A master, its replicas and Sentinels.

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(sleep);

use RblFailover::Member;
use RblFailover::Proxy;
use RblTest::Process;
use RblTest::Redis;
use RblTest::Servers qw(store_program);

our @EXPORT = qw(start_sentinels master wait_master replicas sentinel_fail
    sentinel_words);

sub start_sentinels {
    my (%opt) = @_;

    my $f = { name => 'sentinels', kind => 'sentinel', replicas => 2,
        sentinels => 3, quorum => 2, down_after => 2000, min_replicas => 1,
        max_lag => 2 * $RblTest::Process::PATIENCE, args => [], %opt };
    my $port = free_port();
    $f->{forward} = start_forward($port) if $f->{forward};
    my $announced = $f->{forward} ? $f->{forward}{port} : $port;
    # Members connect to one another from 127.0.0.2: a forwarder knows them by it.
    my @args = ('--bind-source-addr', '127.0.0.2', '--protected-mode', 'no',
        '--replica-announce-ip', '127.0.0.1');
    my $first = start_member($port, $f, @args, '--replica-announce-port',
        $announced);
    $f->{users} = $first->{users};
    my @login = login($f->{users}, 'rbl-replica', '--masteruser',
        '--masterauth');
    if (@login) {
        redis($first, 'CONFIG', 'SET', substr($_->[0], 2), $_->[1])
            for [@login[0, 1]], [@login[2, 3]];
    }
    $f->{nodes} = [$first, map { start_member(free_port(), $f, @args,
        @login, '--replicaof', "127.0.0.1 $announced") } 1 .. $f->{replicas}];
    for my $i (0 .. $f->{replicas}) {
        $f->{nodes}[$i]{index} = $i;
        $f->{nodes}[$i]{announced} = $f->{nodes}[$i]{port};
    }
    $first->{announced} = $announced;
    $f->{sentinels} = [start_all($f, $opt{sentinels} // 3)];
    $f->{addr} = sentinel_words(map { $_->{port} } @{ $f->{sentinels} });
    @$f{qw(route before_start masters)} = (\&route, \&before_start,
        sub { master($f) // () });
    wait_replicas($f, 20) or die 'replicas do not follow';
    wait_for { grep({ known($f, $_) } @{ $f->{sentinels} })
        == @{ $f->{sentinels} } } 20, 'Sentinels that know all'
        or die 'Sentinels do not start';
    return $f;
}

# The words for the programs; of ports at which Sentinels are reached.
sub sentinel_words {
    return 'sentinel:rbl@' . join ',', map { "127.0.0.1:$_" } @_;
}

# Sentinels that know one another and the replicas from their start.
sub start_all {
    my ($f, $n) = @_;

    my @port = map { free_port() } 1 .. $n;
    my @id = map { sprintf '%040x', 0x5e4714e1 * 16 + $_ } 1 .. $n;
    return map { start_one($f, \@port, \@id, $_) } 0 .. $n - 1;
}

sub start_one {
    my ($f, $port, $id, $i) = @_;

    my $d = own_dir('sentinel');
    my @login = login($f->{users}, 'rbl-sentinel', 'auth-user', 'auth-pass');
    my @lines = ("monitor rbl 127.0.0.1 $f->{nodes}[0]{announced} $f->{quorum}",
        "down-after-milliseconds rbl $f->{down_after}",
        "failover-timeout rbl $f->{down_after}", 'parallel-syncs rbl 5',
        @login ? ("$login[0] rbl $login[1]", qq{$login[2] rbl "$login[3]"})
            : (),
        (map { "known-replica rbl 127.0.0.1 $_->{port}" }
            @{ $f->{nodes} }[1 .. $f->{replicas}]),
        (map { "known-sentinel rbl 127.0.0.1 $port->[$_] $id->[$_]" }
            grep { $_ != $i } 0 .. $#$id));
    write_file("$d/sentinel.conf", join "\n", "port $port->[$i]",
        'bind 127.0.0.1', 'bind-source-addr 127.0.0.2', "unixsocket $d/s",
        "dir $d", "sentinel myid $id->[$i]",
        'sentinel announce-ip 127.0.0.1', (map { "sentinel $_" } @lines), '');
    my ($tls, @tls) = tls_port($f);
    my $s = spawn('sentinel', { dir => $d }, store_program('server'),
        "$d/sentinel.conf", @tls, '--sentinel');
    @$s{qw(port socket index tls)} = ($port->[$i], "$d/s", $i, $tls);
    return started($s, sub {
        delete $s->{client};
        (ask($s, 'PING') // '') =~ /PONG|NOAUTH/;
    });
}

sub known {
    my ($f, $s) = @_;

    my $r = ask($s, 'SENTINEL', 'MASTER', 'rbl');
    return 0 if ref $r ne 'ARRAY';
    my %m = @$r;
    return $m{'num-slaves'} == $f->{replicas} && $m{flags} eq 'master'
        && $m{'num-other-sentinels'} == @{ $f->{sentinels} } - 1;
}

# The master that most Sentinels name, if its role is master.
sub master {
    my ($f) = @_;

    my %said;
    for my $s (@{ $f->{sentinels} }) {
        my $r = ask($s, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'rbl');
        $said{ $r->[1] }++ if ref $r eq 'ARRAY';
    }
    my ($most) = sort { $said{$b} <=> $said{$a} } keys %said;
    my ($node) = grep { $_->{announced} == ($most // 0) } @{ $f->{nodes} };
    return undef if !$node || !alive($node);
    return (info_of($node, 'replication')->{role} // '') eq 'master'
        ? $node : undef;
}

sub wait_master {
    my ($f, $old, $seconds) = @_;

    my $now;
    wait_for {
        $now = master($f);
        $now && (!$old || $now != $old);
    } $seconds // 20, 'another master';
    return $now;
}

sub replicas {
    my ($f) = @_;

    my $master = master($f);
    return grep { alive($_) && (!$master || $_ != $master) } @{ $f->{nodes} };
}

sub sentinel_fail {
    my ($f) = @_;

    my $old = master($f);
    wait_for {
        grep { (ask($_, 'SENTINEL', 'FAILOVER', 'rbl') // '') eq 'OK' }
            $f->{sentinels}[0];
    } 20, 'a Sentinel that begins a failover';
    return wait_master($f, $old);
}

# A command whose connection breaks is sent again.
sub route {
    my ($f, @words) = @_;

    @words = with_tags($f, @words);
    for (1 .. 100) {
        my $node = master($f) // wait_master($f) // die "no master\n";
        my $reply = eval { ask_raw($node, @words) };
        return $reply if $@ eq '' && !(ref $reply eq 'SCALAR' && $$reply
            =~ /^(?:READONLY|LOADING|MASTERDOWN|NOREPLICAS)/);
        sleep 0.1;
    }
    die "the master takes no command\n";
}

# A server that was killed becomes a replica of the present master.
sub before_start {
    my ($f, $node) = @_;

    my $master = wait_master($f, undef, 0);
    my $conf = read_file("$node->{dir}/users.conf");
    $conf =~ s/^replicaof .*\n//mg;
    $conf .= "\nreplicaof 127.0.0.1 $master->{announced}\n"
        if $master && $master != $node;
    write_file("$node->{dir}/users.conf", $conf);
    @{ $node->{command} } = grep { !/^--replicaof$|^127\.0\.0\.1 \d+$/ }
        @{ $node->{command} };
}

1;
