package RblFailover::Member;

# The servers of a store: their start, and commands to one of them with a limit
# of time.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::UNIX;
use Socket qw(SOL_SOCKET SO_RCVTIMEO);

use RblTest::Process;
use RblTest::Redis;
use RblTest::Servers;

our @EXPORT = qw(start_member tls_port login ask ask_raw info_of with_tags restart_member
    wait_replicas wait_written);

use constant LIMIT => 1;                # s to wait for a reply

# A Redis server on a port.
sub start_member {
    my ($port, $opt, @args) = @_;

    my ($tls, @tls) = tls_port($opt);
    my $s = start_redis(port => $port, cluster => 0,
        appendonly => $opt->{appendonly} // 1, dir => $opt->{dir},
        args => [ @tls, '--repl-diskless-sync-delay', 0,
        '--min-replicas-to-write', $opt->{min_replicas},
        '--min-replicas-max-lag', $opt->{max_lag},
        @{ $opt->{args} }, @args ]);
    $s->{tls} = $tls;
    return $s;
}

# With tls => CERTIFICATE (RblTls): a port, and arguments of redis-server.
sub tls_port {
    my ($opt) = @_;

    return () if !$opt->{tls};
    require RblTls;
    my $port = free_port();
    return ($port, RblTls::tls_args($port, $opt->{tls}, 'yes'));
}

# (option, user, option, password) for a user of conf/redis-rbl.acl
sub login {
    my ($users, $name, $user_option, $password_option) = @_;

    return () if !$users->{$name};
    return ($user_option, $name, $password_option, "secret of $name");
}

# As redis_try, and redis_raw; a server that stands still counts as one without a
# connection.
sub ask {
    my ($server, @words) = @_;

    return eval { limit($server); 1 } ? redis_try($server, @words) : undef;
}

sub ask_raw {
    my ($server, @words) = @_;

    limit($server);
    return RblTest::Redis::redis_raw($server, @words);
}

sub limit {
    my ($server) = @_;

    my $id = $server->{pid}.$$;
    if (!$server->{client} || $server->{client_pid} ne $id) {
        my $c = IO::Socket::UNIX->new(Peer => $server->{socket})
            or die "cannot connect to $server->{socket}: $!\n";
        @$server{qw(client client_pid)} = ($c, $id);
    }
    setsockopt $server->{client}, SOL_SOCKET, SO_RCVTIMEO, pack 'l!2', LIMIT,
        0;
}

# A section of INFO: {name => value}
sub info_of {
    my ($server, $section) = @_;

    return { (ask($server, 'INFO', $section) // '')
        =~ /^(\w+):([^\r\n]*)/mg };
}

# The words of a command with the hash tags of the store (RblTest::Redis).
sub with_tags {
    my ($f, @words) = @_;

    return map { index($_, ':{') < 0 ? $_ : RblTest::Redis::tagged($f, $_) }
        @words;
}

sub restart_member {
    my ($f, $node) = @_;

    $f->{before_start}->($f, $node);
    delete $node->{client};
    RblTest::Process::launch($node);
    RblTest::Process::ready($node);
    return $node;
}

# Each master has all its replicas that are alive, all near enough.  Before
# that, the next failover may choose a replica that lacks the last writes, even
# though `min_replicas` others had them.
sub wait_replicas {
    my ($f, $seconds) = @_;

    return wait_for {
        my @masters = $f->{masters}->($f);
        my $good = 0;
        for my $master (@masters) {
            my $info = info_of($master, 'replication');
            $good += grep { /state=online.*lag=[01]\b/ } values %$info;
        }
        @masters && $good == grep({ alive($_) } @{ $f->{nodes} }) - @masters;
    } $seconds // 20, 'all replicas';
}

# Waits until all replicas that are alive have what was written before the call.
# A master that is killed earlier loses it.
sub wait_written {
    my ($f) = @_;

    my @masters = $f->{masters}->($f);
    my %was = map { $_ => info_of($_, 'replication')->{master_repl_offset} }
        @masters;
    return wait_replicas($f) && wait_for {
        !grep {
            my $master = $_;
            grep { /offset=(\d+)/ && $1 < $was{$master} }
                grep { /state=online/ }
                values %{ info_of($master, 'replication') };
        } @masters;
    } 20, 'replicas with all writes';
}

1;
