package RblNodes;

# The daemon's tests on a store of several servers (RblFailover): the world of
# RblCheckd, with accounts at every master.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::INET;

use RblCheckd;
use RblFailover;

our @EXPORT = qw(nodes_world world_at checked subscribed receiver_of
    start_naming);

# {redis, dns, partitions, accounts => [...]}, as world().  Options: accounts (how
# many at each master), data and control (of a.test), more as those of RblCheckd.
sub nodes_world {
    my ($f, %opt) = @_;

    my $w = { redis => $f, partitions => partitions(), zones => {
        'a.test' => { data => $opt{data} // listed_entry('10.0.0.1'),
            control => $opt{control} } } };
    my $file = temp_dir() . '/lists.json';
    write_file($file, RblCheckd::lists_json($w->{zones}));
    init_store($f, lists => $file);
    $w->{dns} = start_rbldnsd(zones => [['a.test', 'ip4set',
        $w->{zones}{'a.test'}{data}]]);
    $w->{accounts} = [accounts_at($f, $opt{accounts} // 1)];
    $w->{acct} = $w->{accounts}[0];
    return $w;
}

# The world as the first account at a node sees it.
sub world_at {
    my ($w, $node) = @_;

    my ($acct) = grep {
        node_of($w->{redis}, slot_of_account($w->{redis}, $_)) == $node
    } @{ $w->{accounts} };
    return { %$w, acct => $acct };
}

# Checks an address; the status of the check after so many seconds.
sub checked {
    my ($w, $seconds) = @_;

    my $pp = check_value($w, '10.0.0.' . (1 + int rand 250));
    return wait_check($w, $pp, $seconds)->{status} // 'none';
}

# The numbers of the servers at which a daemon subscribes to the news.
sub subscribed {
    my ($f) = @_;

    return join ' ', map { $_->{index} } grep {
        alive($_) && redis($_, 'PUBSUB', 'NUMSUB', 'rbl:news')->[1]
    } @{ $f->{nodes} };
}

# A receiver of the account's events of listings.
sub receiver_of {
    my ($w) = @_;

    my $receiver = start_receiver();
    script_ok($w, 'hook_put', [redis_key('acct', $w->{acct}{sid})],
        hook => fresh_sid('WH'), name => 'hook', url => $receiver->{url},
        secret => 'secret', types => 'rbl.host.listed');
    return $receiver;
}

# A Sentinel that gives this reply to every command: {port}.
sub start_naming {
    my ($reply) = @_;

    my $port = free_port();
    my $s = spawn('naming', { dir => own_dir('naming') }, $^X,
        '-MIO::Socket::INET', '-e', <<'PERL', $port, $reply);
my ($port, $reply) = @ARGV;
my $l = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$port", Listen => 9,
    ReuseAddr => 1) or die $!;
while (my $c = $l->accept) { syswrite $c, $reply while sysread $c, my $x, 999; }
PERL
    $s->{port} = $port;
    wait_for { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") } 5;
    return $s;
}

1;
