package RblFailover::Open;

# Counts of open descriptors and connections, which must not grow by failovers.

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max);
use Test::More ();
use Time::HiRes qw(sleep);

use RblFailover::Member;
use RblLines;
use RblRedis qw(workers_now);
use RblTest::Http;
use RblTest::Process;

our @EXPORT = qw(open_at_rest none_left_open);

# Keeps the counts once they are the same twice, a second apart.
sub open_at_rest {
    my ($w) = @_;

    open_slow_links($w);
    my $was = '';
    wait_for {
        $w->{open} = opened($w);
        my $now = text_of($w->{open});
        my $same = $now eq $was;
        $was = $now;
        sleep 1 if !$same;
        $same;
    } 30, 'programs at rest' or die "not at rest: $was\n";
    Test::More::note("at the start: $was");
}

# A worker opens its slow link to a node when it first needs it.  An addition of
# more than one host needs it, although it is refused from the second time on.
sub open_slow_links {
    my ($w) = @_;

    wait_for { add_hosts($w); all_links($w) } 20, 'all slow links'
        or die "not all slow links are open\n";
}

sub add_hosts {
    my ($w) = @_;

    my @adds = map { { bytes => http_head('POST', '/3.0/host/add.json',
        auth => $_, keep => 1, form => { host => '10.255.0.0/30',
        name => 'slow', type => 'rbl' }) } } (@{ $w->{accounts} }) x 16;
    lines_run($w->{nginx}, scalar @adds, sub { shift @adds }, sub {});
}

# Each worker has its main and slow link to each master, the durable one if there
# are replicas, and one link to each replica of a cluster.
sub all_links {
    my ($w) = @_;

    my $f = $w->{f};
    my $n = opened($w);
    my $masters = () = $f->{masters}->($f);
    my $links = $masters * ($f->{replicas} ? 3 : 2);
    $links += @{ $f->{nodes} } - $masters if $f->{kind} eq 'cluster';
    return $n->{'clients of nodes: rbl-api'} >= $links * $n->{workers};
}

# A test: no count exceeds that of open_at_rest.  A connection may take some
# seconds to end: MIGRATE leaves its own open for ten.
sub none_left_open {
    my ($w, $name) = @_;

    open_slow_links($w);
    my @more = ('no count');
    my $now;
    wait_for {
        $now = opened($w);
        @more = grep { $now->{$_} > ($w->{open}{$_} // 0) } sort keys %$now;
        !@more;
    } 30;
    Test::More::note('at the end: ' . text_of($now)) if $now;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return Test::More::is(join(', ', @more), '', $name);
}

# Clients are counted on all servers together, since a failover gives the
# connections of the old master to another server.
sub opened {
    my ($w) = @_;

    my ($f, $nginx) = @$w{qw(f nginx)};
    my @workers = workers_now($nginx);
    my %n = (workers => scalar @workers, 'descriptors of a worker' =>
        max map { descriptors($_) } @workers);
    $n{"descriptors of $_->{name}"} = descriptors($_->{pid})
        for $nginx, $w->{checkd} // ();
    for my $server (@{ $f->{nodes} }, @{ $f->{sentinels} // [] }) {
        my $kind = $f->{nodes}[$server->{index}] == $server ? 'nodes'
            : 'Sentinels';
        my $list = ask($server, 'CLIENT', 'LIST') // die "no list of clients\n";
        $n{"clients of $kind: $_"}++
            for map { /^rbl-(?:api|checkd)$/ ? $_ : 'others' }
            $list =~ / user=(\S+)/g;
    }
    return \%n;
}

# All descriptors of a process but those of UDP: the daemon keeps a pool of them
# for each resolver.
sub descriptors {
    my ($pid) = @_;

    my %udp = map { ("socket:[$_]" => 1) } map { (split)[9] }
        split /\n/, read_file("/proc/$pid/net/udp");
    my @open = map { readlink // () } glob "/proc/$pid/fd/*";
    die "no descriptors of process $pid\n" if !@open;
    return scalar grep { !$udp{$_} } @open;
}

sub text_of {
    my ($n) = @_;

    return join ', ', map { "$_ $n->{$_}" } sort keys %$n;
}

1;
