#!/usr/bin/perl

# One event id has one content.  A check whose end is lost with a master is done
# again, and by then the list says something else: masters stand still for some
# seconds or are killed, while hosts are checked and listings come and go.
#
# FAILOVERS: how many (4).
#
# Alone: masters stand still for seconds.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX ();
use RblCheckd;
use RblFailover;
use RblNodes;
use RblTest;
use Time::HiRes qw(sleep);

my $f = start_sentinels();
my $w = nodes_world($f, control => 'ip');
my @value = map { "10.0.0.$_" } 1 .. 30;
my $host = add_many($w, @value);
my $receiver = start_receiver();
my @types = qw(rbl.host.check.completed rbl.host.listed rbl.host.delisted);
script_ok($w, 'hook_put', [redis_key('acct', $w->{acct}{sid})],
    hook => fresh_sid('WH'), name => 'hook', url => $receiver->{url},
    secret => 'secret', types => \@types);
my $nginx = start_nginx(store => $f);
eventually { http($nginx, 'GET', '/3.0/hosts.json', auth => $w->{acct})
    ->{status} == 200 } 20, 'the store of nginx is ready';
my $checkd = start_checkd(store => $f, resolver => $w->{dns},
    conf => { conf_short(deliver => 'on', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8', deliver_timeout => '1s', lease => '7s',
        store_timeout => '2s') });

# Runs code again and again in a process of its own, until `stop` is called.
my $stop = temp_dir() . '/stop';
sub meanwhile {
    my ($code) = @_;

    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    while (!-e $stop) {
        $code->();
    }
    POSIX::_exit(0);
}
my $turn = 0;
my @pids = (meanwhile(sub {
    rbldnsd_data($w->{dns}, 'a.test',
        listed_entry(@value[grep { $_ % 2 == $turn % 2 } 0 .. $#value]));
    $turn++;
}), meanwhile(sub {
    http($nginx, 'POST', '/3.0/check/start.json', auth => $w->{acct},
        form => { host => $_ }) for values %$host;
    sleep 0.2;
}));

eventually { scalar received($receiver) > 30 } 30, 'events are delivered';
for my $n (1 .. failovers(4)) {
    if ($n % 4 == 0) {
        kill_one($f);
    } else {
        my $old = wait_master($f);
        pause_server($old);
        sleep 2 + $n % 3 / 2;
        cont_server($old);
        wait_replicas($f);
    }
    sleep 1;
}
write_file($stop, '');
waitpid $_, 0 for @pids;
my $partition = partition_of($w->{acct}{sid});
eventually { !redis($f, 'XLEN', "rbl:{$partition}:outbox")
    && !@{ redis($f, 'ZRANGE', "rbl:{$partition}:retry", 0, -1) } } 60,
    'all events have left';

my (%said, %of);
for my $r (received($receiver)) {
    my ($id, $type) = @{ $r->{json} }{qw(event_sid event_type)};
    $of{$type}++ if !$said{$id};
    $said{$id}{ $r->{body} } = 1;
}
is(join(', ', grep { keys %{ $said{$_} } > 1 } sort keys %said), '',
    'no event id has two contents');
ok($of{$_}, "events of the type $_ are delivered") for @types[0, 1];
note(join ', ', map { "$_: $of{$_}" } sort keys %of);

done_testing();
