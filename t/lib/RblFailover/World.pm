package RblFailover::World;

# The programs on a store of several servers, and failovers of it.

use strict;
use warnings;

use Exporter 'import';
use Test::More ();
use Time::HiRes qw(time sleep);

use RblFailover::Cluster;
use RblFailover::Judge;
use RblFailover::Load;
use RblFailover::Member;
use RblFailover::Open;
use RblFailover::Sentinel;
use RblTest::Http;
use RblTest::Process;
use RblTest::Servers;

our @EXPORT = qw(failover_world accounts_at kill_one stop_one drill endures
    unfinished fsck_clean);

my $LISTS = <<'JSON';
{ "version": 1, "lists": [ {"zone": "a.test", "name": "List", "type": "rbl",
  "website": "https://a.test/", "families": ["ipv4"], "enabled": true,
  "codes": ["127.0.0.2=listed"], "lookup": "", "delist": "", "weight": "normal",
  "scope": "ip", "kind": "block", "control": "none", "note": ""} ], "dead": [] }
JSON

sub failover_world {
    my ($f, %opt) = @_;

    my $w = { f => $f };
    my $file = temp_dir() . '/lists.json';
    write_file($file, $LISTS);
    init_store($f, lists => $file);
    $w->{accounts} = [accounts_at($f, $opt{accounts} // 1)];
    $w->{nginx} = start_nginx(store => $f, %{ $opt{nginx} // {} });
    if ($opt{checkd} // 1) {
        $w->{dns} = start_rbldnsd(zones => [['a.test', 'ip4set',
            "\$SOA 0 ns.test h.test 1 60 60 60 0\n\$TTL 1\n127.0.0.2\n"]]);
        $w->{checkd} = start_checkd(store => $f, resolver => $w->{dns},
            conf => { check_timeout => '3s', lease => '7s', dns_timeout =>
            '300ms', dns_tries => 2, store_timeout => '2s', deliver => 'off' });
    }
    wait_for {
        !grep { http($w->{nginx}, 'GET', '/3.0/hosts.json', auth => $_)
            ->{status} != 200 } @{ $w->{accounts} };
    } 20, 'the store of nginx' or die 'nginx has no store';
    return $w;
}

# So many accounts at each master.
sub accounts_at {
    my ($f, $n) = @_;

    return map { make_account($f, name => "Account $_") } 1 .. $n
        if $f->{kind} eq 'sentinel';
    my @masters = $f->{masters}->($f);
    pop @masters if $f->{arbiter};
    my (%at, @all);
    for (1 .. 200) {
        return @all if @all == $n * @masters;
        my $acct = make_account($f, name => "Account $_");
        my $node = node_of($f, slot_of_account($f, $acct));
        push @all, $acct if $at{ $node->{index} }++ < $n;
    }
    die 'no accounts at some masters';
}

# Kills a master, waits for another one, starts the old one and waits until all
# servers are in step.  Returns how long the store took no writes, in seconds.
sub kill_one {
    my ($f, $node) = @_;

    my @masters = $f->{masters}->($f);
    $node //= $masters[rand @masters] // die 'no master';
    my $start = time;
    my $new;
    if ($f->{kind} eq 'sentinel') {
        kill_server($node);
        $new = wait_master($f, $node) // die 'no other master';
    } else {
        $new = fail_node($f, $node) // die 'no failover';
        restart_member($f, $node);
    }
    wait_for {
        $f->{min_replicas}
            <= (info_of($new, 'replication')->{min_slaves_good_slaves} // 0);
    } 20, 'a master that takes writes';
    my $away = time - $start;
    restart_member($f, $node) if $f->{kind} eq 'sentinel';
    wait_ok($f) if $f->{kind} eq 'cluster';
    wait_replicas($f);
    return $away;
}

# As kill_one, by SIGSTOP: what clients have sent to the server is still done
# when it goes on.
sub stop_one {
    my ($f, $node) = @_;

    my @masters = $f->{masters}->($f);
    $node //= $masters[rand @masters] // die 'no master';
    my $start = time;
    my ($slot) = RblFailover::Cluster::slots_at($f, $node);
    pause_server($node);
    my $new;
    wait_for {
        $new = $f->{kind} eq 'sentinel' ? master($f) : node_of($f, $slot);
        $new && $new != $node;
    } 20, 'another master' or die 'no other master';
    my $away = time - $start;
    cont_server($node);
    wait_ok($f) if $f->{kind} eq 'cluster';
    wait_replicas($f);
    return $away;
}

# So many failovers, one every `every` seconds; how long each took.  Every third
# server is stopped instead of killed.
sub drill {
    my ($f, $n, $every, $kill) = @_;

    my @away;
    for my $i (1 .. $n) {
        my $next = time + $every;
        my $how = $kill // ($i % 3 == 0 ? \&stop_one : \&kill_one);
        push @away, $how->($f);
        my $left = $next - time;
        sleep $left if $left > 0;
    }
    Test::More::note(sprintf 'failovers took %s s', join ', ',
        map { sprintf '%.2f', $_ } @away);
    return @away;
}

# Tests: so many failovers while clients write and daemons check, with so many
# accounts at each master.
sub endures {
    my ($f, $failovers, $accounts) = @_;

    my $w = failover_world($f, accounts => $accounts);
    open_at_rest($w);
    my $load = start_load($w->{nginx}, accounts => $w->{accounts},
        clients => 9, ops => { add => 2, update => 5, read => 3, check => 1 },
        rate => 200);
    sleep 1;
    my @away = drill($f, $failovers, 5);
    my $records = stop_load($load);
    my $report = load_report($w->{nginx}, $records, $w->{accounts});
    Test::More::note(away_text($report));
    is_clean($report, 'the clients were told the truth');
    Test::More::cmp_ok($report->{acked}, '>', 200,
        'writes were acknowledged');
    my ($longest) = sort { $b <=> $a } @away;
    Test::More::cmp_ok($report->{longest}, '<', $longest + 2,
        'the API is back soon after the store');
    Test::More::is(scalar unfinished($w, $records), 0, 'all checks end');
    fsck_clean($f, 'fsck finds nothing');
    none_left_open($w, 'no connection is left');
}

# Checks of the records that were acknowledged and do not end: [record, state]
sub unfinished {
    my ($w, $records, $seconds) = @_;

    my @open = map { [$_, ''] } grep { $_->{op} eq 'check'
        && $_->{said} eq 'done' } @$records;
    wait_for {
        @open = grep {
            my $r = http($w->{nginx}, 'GET', "/3.0/check/status/$_->[0]{id}"
                . '.json', auth => $w->{accounts}[$_->[0]{account}]);
            my $data = (eval { json($r) } // {})->{data};
            $_->[1] = ref $data eq 'HASH' ? $data->{status} : $r->{status};
            $_->[1] ne 'completed';
        } @open;
        !@open;
    } $seconds // 30, 'the end of all checks';
    return @open;
}

# fsck finds nothing.  Work in progress may be in the store, so it may take a
# second look.
sub fsck_clean {
    my ($f, $name) = @_;

    my $r;
    wait_for { ($r = rblctl($f, 'fsck'))->{status} == 0 } 5;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return Test::More::is($r->{status}, 0, $name)
        || Test::More::diag("$r->{out}$r->{err}");
}

1;
