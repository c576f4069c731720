package RblNeighbours;

# One account next to hostile ones: real servers, a steady load of account A
# (RblNeighboursLoad), an attack of other accounts (RblNeighboursAttacks), and
# its effects on A and the servers.
#
#     my $w = neighbours();             # nginx, Redis, daemon, lists, A
#     my $r = beside($w, attack('groups'), alone => 1, beside => 2);
#     # {alone, beside}: what RblNeighboursLoad counts, of `series` slices each
#     # {nginx, daemon, store}: by how many MiB the workers, the daemon and
#     #     the store's memory grew at most
#     # {refused}: bytes out of the store for each refused request
#     # {counts}: what the attackers got

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max sum0);
use Time::HiRes qw(sleep time);

use RblNeighboursAttack;
use RblNeighboursLoad;
use RblNeighboursLoop;
use RblRedis qw(workers);
use RblTest;

our @EXPORT = (@RblTest::EXPORT, qw(neighbours beside percentile
    settled hostile own_lists ask_all request in_data leave kept));

use constant {
    HOSTS     => 256,
    MIB       => 1024 * 1024,
    WORKERS   => 2,
    STUCK     => 8,                     # s without a response
    RAMP      => 0.3,                   # s of attack before measuring
    OWN_RATE  => 1000,                  # of the daemon, for 200 lists that list
                                        # at the same time
};

my @SYSTEM = qw(s1.sys.test s2.sys.test s3.sys.test tcp.sys.test);


# --- servers -----------------------------------------------------------------

# Options: conf (of the daemon), replica (1: nginx uses a replica of the store),
# store_timeout (of nginx), measuring (code that the process of A's load runs
# first).
sub neighbours {
    my (%o) = @_;

    my $w = { dns => start_lists(), redis => start_redis(port => 1,
        args => ['--repl-diskless-sync-delay', 0]) };
    my $file = temp_dir() . '/lists.json';
    write_file($file, lists_json());
    init_store($w->{redis}, lists => $file);
    $w->{store_timeout} = $o{store_timeout} // '500ms';
    start_front($w, $w->{redis});
    start_daemon($w, %o);
    account_a($w, %o);
    return $w;
}

sub start_front {
    my ($w, $store) = @_;

    $w->{h2} = free_port();
    $w->{nginx} = start_nginx(store => $store, workers => WORKERS,
        level => 'notice', connections => 2048,
        http => 'keepalive_requests 1000000; rbl_zone z 1m; '
            . "rbl_store_timeout $w->{store_timeout};",
        server => "access_log off; listen 127.0.0.1:$w->{h2} http2;");
    $w->{workers} = [workers($w->{nginx}, WORKERS)];
}

# Makes nginx use a replica from now on.
sub to_replica {
    my ($w) = @_;

    my $replica = $w->{replica} = start_redis(cluster => 0,
        args => ['--replicaof', "127.0.0.1 $w->{redis}{port}"]);
    wait_for { redis($replica, 'INFO', 'replication')
        =~ /^master_link_status:up/m } 10, 'the replica';
    stop_server($w->{nginx});
    start_front($w, $replica);
}

# Ends a world at once, with all work in progress.
sub leave {
    my ($w) = @_;

    $w->{load}->stop;
    kill_server($_) for @$w{qw(checkd dns)};
    stop_server($_) for grep { $_ } @$w{qw(nginx replica redis)};
}

sub start_daemon {
    my ($w, %o) = @_;

    $w->{checkd} = start_checkd(store => $w->{redis}, resolver => $w->{dns},
        conf => { log_level => 'warn', deliver_http => 'on',
            deliver_allow => '127.0.0.0/8', cache_size => '8m',
            dns_own_rate => OWN_RATE, %{ $o{conf} // {} } }, ready => 0);
    wait_for { grep { /daemon:/ } @{ redis($w->{redis}, 'KEYS', '*daemon*') } }
        15, 'the daemon';
}

sub start_lists {
    my $port = free_port();
    my $s = spawn('dnslists', {}, build_dir() . '/t/tools/dnslists', $port);
    $s->{port} = $port;
    return started($s, sub { read_file($s->{log}) =~ /^ready$/m });
}

# The system lists; disabled ones stand for the rest of a catalogue.
sub lists_json {
    my @lists = map { list_json($_, 'true') } @SYSTEM;
    push @lists, map { list_json("d$_.sys.test", 'false') } 1 .. 186;
    return "{ \"version\": 1, \"lists\": [\n" . join(",\n", @lists)
        . "\n], \"dead\": [] }\n";
}

sub list_json {
    my ($zone, $enabled) = @_;

    return qq({"zone": "$zone", "name": "List $zone", "type": "rbl", )
        . qq("website": "https://$zone/", "families": ["ipv4"], )
        . qq("enabled": $enabled, "codes": ["127.0.0.2=listed"], )
        . '"lookup": "", "delist": "", "weight": "normal", "scope": "ip", '
        . '"kind": "block", "control": "ip", "note": ""}';
}

sub account_a {
    my ($w, %o) = @_;

    my $a = $w->{a} = hostile($w, 'A');
    my $r = http($w->{nginx}, 'POST', '/3.0/host/add.json', auth => $a,
        form => { host => '198.18.1.0/24', name => 'a', type => 'rbl' });
    die "host/add: $r->{raw}\n" if $r->{status} != 200;
    $a->{hosts} = [map { $_->{id} } @{ json($r)->{data} }];
    checked($w, $a, 0);
    to_replica($w) if $o{replica};
    my $port = free_port();
    $w->{load} = RblNeighboursLoad->start(port => $w->{nginx}{port},
        acct => $a, hosts => $a->{hosts}, hook => $port,
        measuring => $o{measuring});
    wait_for { RblTest::Servers::tcp_open($port) } 10, 'the receiver of A';
    my $hook = rblctl($w->{redis}, 'webhook', 'add', $a->{sid}, 'A',
        "http://127.0.0.1:$port/", '--types', 'rbl.host.check.completed');
    die "webhook add: $hook->{err}\n" if $hook->{status} != 0;
}


# --- accounts ----------------------------------------------------------------

# An account for an attack.
sub hostile {
    my ($w, $name, %o) = @_;

    my $a = make_account($w->{redis}, name => $name, %o);
    $a->{port} = $w->{nginx}{port};
    return $a;
}

# Returns the code's result, made once per world: for attacks with the same
# setup.
sub kept {
    my ($w, $name, $code) = @_;

    return $w->{kept}{$name} //= $code->();
}

# The bytes of a request on a persistent connection.
sub request {
    my ($acct, $method, $path, $form) = @_;

    return http_head($method, "/3.0/$path", keep => 1, auth => $acct,
        defined $form ? (form => $form) : ());
}

# Sends all these requests, several at a time; returns [[status, body], ...] in
# order.
sub ask_all {
    my ($acct, @requests) = @_;

    my $loop = RblNeighboursLoop->new;
    my ($next, $done, $last, @answers) = (0, 0, $loop->now);
    my $one;
    $one = sub {
        my $n = $next++;
        return if $n > $#requests;
        $loop->ask($acct->{port}, $requests[$n], sub {
            $answers[$n] = [@_];
            $last = $loop->now;
            $done++;
            $one->();
        });
    };
    $one->() for 1 .. 8;
    $loop->run(sub {
        stuck($loop, @requests - $done) if $loop->now > $last + STUCK;
        $done == @requests;
    });
    return @answers;
}

sub stuck {
    my ($loop, $left) = @_;

    die "$left requests have no answer:\n", map { my $c = $_;
        join(', ', map { "$_ " . ($c->{$_} // '-') }
            qw(asked status left length))
        . ', to be sent ' . length($c->{out}) . ', received '
        . length($c->{in} // '') . ' ' . substr($c->{in} // '', -60) . "\n" }
        grep { $_->{then} } values %{ $loop->{conns} };
}

# The SIDs in the data of responses; refusals have none.
sub in_data {
    my ($kind, @answers) = @_;

    return map { $_->[1] =~ /"id":"($kind\w+)"/ ? $1 : () } @answers;
}

# Creates so many own lists of an account below zone, as its default profile;
# returns their SIDs.
sub own_lists {
    my ($acct, $zone, $n) = @_;

    my @rb = in_data('RB', ask_all($acct, map { request($acct, 'POST',
        'rbl/add.json', { type => 'rbl', host => "l$_.$zone" }) } 1 .. $n));
    ask_all($acct, request($acct, 'POST', 'rblprofile/add.json',
        { name => 'own', is_default => 1, entries => join ',', @rb }));
    return @rb;
}

# Waits until all hosts of an account are checked, and listed by that many
# lists.
sub checked {
    my ($w, $acct, $lists) = @_;

    wait_for {
        my $r = http($w->{nginx}, 'GET', '/3.0/hosts.json?page_size=1000',
            auth => $acct);
        $r->{status} == 200 && $r->{body} !~ /"last_checked":""/
            && !grep { $_ < $lists } $r->{body} =~ /"listed_count":"(\d+)"/g;
    } 60, 'the checks of hosts' or die "not all hosts are checked\n";
    return;
}

# Waits until only A's work is left.
sub settled {
    my ($w, $timeout) = @_;

    return wait_for {
        !grep { redis($w->{redis}, 'ZCARD', redis_key('leases', $_))
            + redis($w->{redis}, 'HLEN', redis_key('flight:due', $_))
            + redis($w->{redis}, 'XLEN', redis_key('outbox', $_)) } 0 .. partitions() - 1;
    } $timeout // 10;
}


# --- measuring ---------------------------------------------------------------

# Options: alone, beside (seconds of a slice), series => sub {code that measures
# a slice, 'alone' or 'beside'} that makes one of several.
sub beside {
    my ($w, $attack, %o) = @_;

    my %more = $attack->{only} ? (only => $attack->{only}) : ();
    my $series = $o{series} // sub { $_[0]->() };
    renew($w) if $w->{attacks}++;
    my $state = $attack->{setup} ? $attack->{setup}->($w, \%o) : {};
    my %r = (attack => $attack);
    $r{alone} = $o{was} // $series->(sub {
        $w->{load}->slice($o{alone} // 1, undef, %more) }, 'alone');
    my %was = (nginx => rss($w->{workers}, 1),
        daemon => rss([$w->{checkd}{pid}], 1), store => used($w));
    my $store = 0;
    my $run = RblNeighboursAttack->start(
        sub { $attack->{run}->($_[0], $w, $state) });
    sleep $attack->{ramp} // RAMP;
    $r{beside} = $series->(sub { $w->{load}->slice($o{beside} // 2,
        sub { $store = max($store, used($w)) }, %more) }, 'beside');
    $r{refused} = per_refused($w, $run, $attack, $o{refused} // 0.5)
        if $attack->{refused};
    $store = max($store, used($w));
    $r{nginx} = rss($w->{workers}) - $was{nginx};
    $r{daemon} = rss([$w->{checkd}{pid}]) - $was{daemon};
    $r{store} = $store - $was{store};
    $r{counts} = $run->stop;
    $r{taken} = $r{counts}{sent} / ($r{counts}{connections} || 1) / MIB
        if $r{counts}{sent};
    $attack->{after}->($w, $state, \%r) if $attack->{after};
    return \%r;
}

# New workers for each attack: free memory from an earlier attack would hide the
# growth by this one.
sub renew {
    my ($w) = @_;

    my @old = @{ $w->{workers} };
    signal_server($w->{nginx}, 'HUP');
    wait_for {
        my %now = map { $_ => 1 } RblRedis::workers_now($w->{nginx});
        keys %now == WORKERS && !grep { $now{$_} } @old;
    } 10, 'new workers';
    $w->{workers} = [workers($w->{nginx}, WORKERS)];
}

# MiB: the maximum size of the processes since the last reset.
sub rss {
    my ($pids, $new) = @_;

    my $kib = 0;
    for my $pid (@$pids) {
        write_proc("/proc/$pid/clear_refs", 5) if $new;
        my ($hwm) = read_file("/proc/$pid/status") =~ /^VmHWM:\s+(\d+)/m
            or die "process $pid has exited\n";
        $kib += $hwm;
    }
    return $kib / 1024;
}

sub write_proc {
    my ($path, $text) = @_;

    open my $fh, '>', $path or return;
    print {$fh} $text;
    close $fh;
}

sub info {
    my ($w, $section, $field) = @_;

    my ($n) = redis($w->{redis}, 'INFO', $section) =~ /^$field:(\d+)/m;
    return $n;
}

sub used { return info($_[0], 'memory', 'used_memory') / MIB }

# Bytes that the store sends for refused requests only, minus those without any
# requests.
sub per_refused {
    my ($w, $run, $attack, $seconds) = @_;

    my ($bytes, $n) = (0, 0);
    my $sent = sub { info($w, 'stats', 'total_net_output_bytes') };
    my $refused = sub { my $c = $run->counts;
        sum0(map { $c->{$_} // 0 } @{ $attack->{refused} }) };
    my ($b, $k) = ($sent->(), $refused->());
    sleep $seconds;
    ($bytes, $n) = ($sent->() - $b, $refused->() - $k);
    return $n ? $bytes / $n : undef;
}

sub percentile {
    my ($p, @all) = @_;

    return undef if !@all;
    my @s = sort { $a <=> $b } @all;
    my $i = int($p / 100 * @s);
    return $s[$i > $#s ? $#s : $i];
}

1;
