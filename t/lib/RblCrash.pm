package RblCrash;

# Many checks while processes die: a seeded generator chooses the moments at
# which three daemons and the store are killed, stopped and hung.  A model of
# each list's data gives the expected results.
#
# A host is checked again only when its last check is over, and its responses
# change only in between: this is a turn, with one expected result.  An
# unconfirmed change, as every end of a listing at first, is checked again soon,
# within the same turn.  A query or a test point may time out when a daemon or
# the machine stops, and a listing cannot be confirmed while the store is away.
# Such a list is unknown, which changes nothing, and the model follows.  A wrong
# verdict, or an effect that occurs twice or never, is a fault.
#
#     my $c = crash_world($seed);       # store, DNS, accounts, three daemons
#     crash_run($c);                    # until CHECKS checks are over
#     my %fault = crash_verify($c);     # what is wrong, by topic; each '' if
#                                       # nothing is

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(time sleep);

use RblCheckd;
use RblCrash::Verify qw(faults completed_host);
use RblDns;
use RblTest;

our @EXPORT = qw(crash_world crash_run crash_verify CHECKS);

use constant {
    CHECKS  => 500,
    HOSTS   => 90,
    KIDS    => 16,                      # hosts that are children of a range
    EACH    => 4,                       # turns per host
    AT_ONCE => 40,                      # turns in progress at a time
    LEASE   => 2,
    SOON    => 60,                      # s until open changes are checked again
    IDLE    => 6,                       # s to wait for that
    PATIENT => 150,                     # s that a run may take
};

my @ZONES = qw(a.test b.test);
my %CONF = (check_timeout => '900ms', lease => LEASE . 's',
    dns_timeout => '700ms', dns_tries => 1, store_timeout => '500ms',
    checks_max => 8, deliver => 'off', log_level => 'info',
    control_retry => '1s', lookup => 'direct');


# --- the generator ---------------------------------------------------------

# Numbers in [0, 1) from a generator of its own, because others call rand, too.
sub draw {
    my ($c) = @_;

    $c->{state} = ($c->{state} * 1103515245 + 12345) & 0x7fffffff;
    return ($c->{state} >> 8) / (1 << 23);
}

sub pick { return $_[1][ int(draw($_[0]) * @{ $_[1] }) ] }

sub between { return $_[1] + draw($_[0]) * ($_[2] - $_[1]) }


# --- the world -------------------------------------------------------------

# Even seeds disturb only the daemons, odd ones the store as well.
sub crash_world {
    my ($seed) = @_;

    my $c = { seed => $seed, state => $seed * 7919 + 1, did => {}, oneoff => [],
        host => [], range => [] };
    draw($c) for 1 .. 5;
    my $w = $c->{w} = world(no_dns => 1, partitions => 4,
        zones => { map { $_ => { control => 'ip' } } @ZONES },
        redis => { appendonly => 1, args => ['--appendfsync', 'always'] });
    my $other = { %$w, acct => make_account($w->{redis}, name => 'Other') };
    $c->{accounts} = [$w, $other];
    trust_lists($w);
    script_ok($_, 'hook_put', [RblCheckd::akey($_, 'acct')],
        hook => fresh_sid('WH'), name => 'hook', url => 'https://hook.test/',
        secret => 'secret') for $w, $other;
    plan_hosts($c);
    $c->{delay} = { map { $_ => between($c, 0.02, 0.2) } @ZONES };
    $c->{dns} = RblDns->new(rules => [dns_rules($c)]);
    rblctl($w->{redis}, 'lists', 'override', $_, '--server', '127.0.0.1@'
        . $c->{dns}->port)->{status} == 0 or die "$_ has no server" for @ZONES;
    for my $n (1 .. 3) {
        my $d = start_checkd(store => $w->{redis},
            resolver => { port => $c->{dns}->port },
            conf => { %CONF, name => "d$n" });
        $d->{called} = "d$n";
        push @{ $c->{daemon} }, $d;
    }
    return $c;
}

# Many hosts are listed at once here: sets the mass-listing guard's counters so
# high that it passes them.
sub trust_lists {
    my ($w) = @_;

    for my $sid (@{ redis($w->{redis}, 'ZRANGE', 'rbl:{0}:lists', 0, -1) }) {
        my $p = hex(substr $sid, 2, 4) % $w->{partitions};
        redis($w->{redis}, 'HSET', "rbl:{$p}:list:$sid", 'passes', 99,
            'passed', int(time * 1000));
    }
}

sub plan_hosts {
    my ($c) = @_;

    for my $n (1 .. HOSTS) {
        push @{ $c->{host} }, { w => pick($c, $c->{accounts}),
            value => "10.1.0.$n", left => EACH };
    }
    my @kids = map { { w => $c->{w}, value => "10.2.0.$_", left => EACH } }
        0 .. KIDS - 1;
    push @{ $c->{host} }, @kids;
    $c->{range} = { w => $c->{w}, value => '10.2.0.0/28', kids => \@kids,
        ht => fresh_sid('HT') };

    for my $n (1 .. CHECKS - EACH * (HOSTS + KIDS)) {
        push @{ $c->{oneoff} }, { w => pick($c, $c->{accounts}), left => 1,
            value => "10.3.0.$n", called => draw($c) < 0.5 };
    }
    new_truth($c, $_) for @{ $c->{host} }, @{ $c->{oneoff} };
}

# Sets the lists' new responses for a value.
sub new_truth {
    my ($c, $h) = @_;

    $h->{truth} = { map { my $x = draw($c);
        $_ => $x < 0.4 ? 'listed' : $x < 0.9 ? 'clear' : 'servfail' } @ZONES };
}

sub dns_rules {
    my ($c) = @_;

    my (@rules, %names);
    for my $h (@{ $c->{host} }, @{ $c->{oneoff} }) {
        my $name = join '\.', reverse split /\./, $h->{value};
        push @{ $names{$_}{ $h->{truth}{$_} } }, $name for @ZONES;
    }
    for my $zone (@ZONES) {
        my $delay = $c->{delay}{$zone};
        my %action = (
            listed => { aa => 1, a => ['127.0.0.2'], txt => ["on $zone"],
                delay => $delay },
            servfail => { rcode => 2, delay => $delay / 2 },
            clear => { aa => 1, rcode => 'nxdomain', soa => [$zone, 1, 1],
                delay => $delay });
        for my $is (sort keys %action) {
            my $any = join '|', @{ $names{$zone}{$is} // next };
            push @rules, [ "^(?:$any)\\.\Q$zone\E ", $action{$is} ];
        }
    }
    # Samples of the guard, and all other names, are on no list.
    return @rules, test_entry(aa => 1), map { [ "\Q$_\E ", { aa => 1,
        rcode => 'nxdomain', soa => [$_, 1, 1] } ] } @ZONES;
}


# --- the run ---------------------------------------------------------------

sub crash_run {
    my ($c) = @_;

    my $end = time + PATIENT;
    my $next = time + between($c, 0.1, 0.6);
    $c->{busy} = {};
    add_range($c);
    while (1) {
        go_on($c);
        last if !%{ $c->{busy} } && !waiting($c);
        if (time > $end) {
            $c->{stuck} = scalar keys %{ $c->{busy} };
            last;
        }
        restart_some($c);
        if (time >= $next) {
            hurt($c);
            $next = time + between($c, 0.1, 0.7);
        }
        sleep 0.01;
    }
    for my $d (@{ $c->{daemon} }) {
        restart_server($d) if !alive($d);
        cont_server($d);
    }
    # Leases of dead or sleeping daemons expire.
    wait_for { !left_over($c) } 3 * LEASE, 'the end of all jobs';
    return $c;
}

sub all { return (@{ $_[0]{host} }, @{ $_[0]{oneoff} }) }

sub waiting { return grep { $_->{left} } all($_[0]) }

# Members of due and running hosts.
sub due_soon {
    my ($w) = @_;

    return map { "$w->{acct}{sid}:$_" } @{ redis($w->{redis}, 'ZRANGEBYSCORE',
        RblCheckd::akey($w, 'due'), 0, (time + SOON) * 1000) };
}

sub in_flight {
    my ($w) = @_;

    return map { @{ redis($w->{redis}, 'HKEYS', RblCheckd::pkey($w, $_)) } }
        'flight', 'flight:due';
}

# Closes finished checks, and starts others in their place.
sub go_on {
    my ($c) = @_;

    # A claimed check, or one that ended and is requested again, is not missed.
    my %under_way = map { $_ => 1 } map { (due_soon($_), in_flight($_),
        due_soon($_)) } @{ $c->{accounts} };
    count_ended($c);                    # hosts not in progress
    check_again($c);
    for my $h (values %{ $c->{busy} }) {
        next if $h->{ht} ? $under_way{"$h->{w}{acct}{sid}:$h->{ht}"}
            : (check_state($h->{w}, $h->{pp})->{status} // '')
                !~ /completed|failed/;
        delete $c->{busy}{ $h->{value} };
        $h->{turns}[-1]{till} = $c->{ended}{ $h->{ht} } // 0 if $h->{ht};
        new_truth($c, $h) if $h->{left};
    }
    my @can = grep { !$c->{busy}{ $_->{value} } } waiting($c);
    my @now;
    while (@can && AT_ONCE > keys %{ $c->{busy} }) {
        my ($h) = splice @can, int(draw($c) * @can), 1;
        push @now, $h;
        $c->{busy}{ $h->{value} } = $h;
    }
    return if !@now;
    $c->{dns}->rules(dns_rules($c));
    begin($c, $_) for @now;
}

# Number of completed checks of each host, from the events.
sub count_ended {
    my ($c) = @_;

    for my $w (one_a_partition($c)) {
        my $key = RblCheckd::pkey($w, 'outbox');
        for my $entry (@{ redis($w->{redis}, 'XRANGE', $key,
            $c->{read}{$key} ? "($c->{read}{$key}" : '-', '+') })
        {
            my ($id, $fields) = @$entry;
            $c->{read}{$key} = $id;
            my $host = completed_host({ @$fields }->{d}) // next;
            $c->{ended}{$host}++;
        }
    }
}

# Makes hosts due whose next check would take too long.
sub check_again {
    my ($c) = @_;

    my $now = time;
    for my $h (grep { $_->{ht} } values %{ $c->{busy} }) {
        my $due = redis($h->{w}{redis}, 'ZSCORE',
            RblCheckd::akey($h->{w}, 'due'), $h->{ht}) // next;
        next if $due <= ($now + IDLE) * 1000 || $due > ($now + SOON) * 1000;
        next if host_record($h->{w}, $h->{ht})->{next_check} != $due;
        $c->{hurried}++;
        set_due($h->{w}, $h->{ht});
    }
}

sub one_a_partition {
    my ($c) = @_;

    my %seen;
    return grep { !$seen{ RblCheckd::pkey($_, 'due') }++ }
        @{ $c->{accounts} };
}

# The first check of a host is that of a new host.
sub begin {
    my ($c, $h) = @_;

    $h->{left}--;
    push @{ $h->{turns} }, { truth => { %{ $h->{truth} } } };
    if (exists $h->{called}) {
        $h->{pp} = script_ok($h->{w}, 'check_start', [RblCheckd::akey($h->{w},
            'acct')], check => fresh_sid('PP'), value => $h->{value},
            family => 1, callback => $h->{called} ? 'https://call.test/' : '',
            app => $h->{w}{acct}{app}, keep => 3_600_000)->[1];
    } elsif (!$h->{ht}) {
        $h->{ht} = add_host($h->{w}, $h->{value});
    } elsif (draw($c) < 0.5) {
        $h->{turns}[-1]{pp} = check_host($h->{w}, $h->{ht});
    } else {
        set_due($h->{w}, $h->{ht});
    }
}

# Children of a range are added at once.
sub add_range {
    my ($c) = @_;

    my $r = $c->{range};
    for my $kid (@{ $r->{kids} }) {
        $kid->{ht} = fresh_sid('HT');
        $kid->{left}--;
        $c->{busy}{ $kid->{value} } = $kid;
        push @{ $kid->{turns} }, { truth => { %{ $kid->{truth} } } };
    }
    script_ok($r->{w}, 'host_add', [RblCheckd::akey($r->{w}, 'acct')],
        name => 'range', type => 'ip_range', family => 1, range => $r->{ht},
        net => $r->{value}, host => [map { $_->{ht} } @{ $r->{kids} }],
        value => [map { $_->{value} } @{ $r->{kids} }]);
}


# --- faults ----------------------------------------------------------------

sub hurt {
    my ($c) = @_;

    my $what = draw($c);
    if (($c->{did}{'with jobs'} // 0) < 3 && $c->{hurts}++ > 6) {
        kill_one($c);                   # every run has one
    } elsif ($c->{seed} % 2 && $what < 0.12) {
        kill_store($c);
    } elsif ($c->{seed} % 2 && $what < 0.24) {
        hang_store($c);
    } elsif ($what < 0.4) {
        sleepwalk($c);
    } else {
        kill_one($c);
    }
}

# Picks a running daemon and stops it to look at its jobs; not one with a job
# that was given out three times: such a job is ended if it is left once more,
# which is right, but it would not complete.
sub halt_one {
    my ($c) = @_;

    my $d = pick($c, $c->{daemon});
    return undef if !alive($d) || $d->{asleep};
    pause_server($d);
    $d->{holds} = 0;
    for (1 .. 2) {                      # its last commands are executed by now
        for my $entry (pending($c, $d->{called})) {
            $d->{holds}++;
            next if $entry->[3] < 3;
            cont_server($d);
            return undef;
        }
    }
    return $d;
}

sub pending {
    my ($c, $consumer) = @_;

    my @all;
    my $redis = $c->{w}{redis};
    for my $key (@{ redis_try($redis, 'KEYS', 'rbl:*:leases') // [] }) {
        my $r = redis_try($redis, 'ZRANGE', $key, 0, -1);
        next if ref $r ne 'ARRAY';
        for my $handle (@$r) {
            my ($times, $name) = (split /:/, $handle)[4, 5];
            push @all, [$handle, $name, 0, $times]
                if !defined $consumer || $name eq $consumer;
        }
    }
    for my $key (@{ redis_try($redis, 'KEYS', 'rbl:*:flight:due') // [] }) {
        my $r = redis_try($redis, 'HGETALL', $key);
        next if ref $r ne 'ARRAY';
        my %begun = @$r;
        for my $member (sort keys %begun) {
            my ($times, $till, $name) = split /:/, substr $begun{$member}, 67;
            push @all, ["$member $begun{$member}", $name, 0, $times]
                if !defined $consumer || $name eq $consumer;
        }
    }
    return @all;
}

sub kill_one {
    my ($c) = @_;

    my $d = halt_one($c) or return;
    bury($c, $d);
}

sub bury {
    my ($c, $d) = @_;

    kill_server($d);
    $c->{did}{'daemon killed'}++;
    $c->{did}{'with jobs'}++ if $d->{holds};
    $d->{back} = time + between($c, 0, 0.8);
}

# Stops a daemon for longer than its lease: other daemons have its jobs when it
# continues.
sub sleepwalk {
    my ($c) = @_;

    return if grep { $_->{asleep} } @{ $c->{daemon} };
    my $d = halt_one($c) or return;
    $c->{did}{'daemon asleep'}++;
    $d->{asleep} = time + between($c, 1.1, 1.6) * LEASE;
}

# A fault of the store costs every job an attempt: skipped if it may be the
# last.
sub spare_store { return grep { $_->[3] > 1 } pending($_[0]) }

sub kill_store {
    my ($c) = @_;

    return if spare_store($c);
    my $d = draw($c) < 0.5 ? halt_one($c) : undef;
    kill_server($c->{w}{redis});
    $c->{did}{'store killed'}++;
    if ($d) {
        bury($c, $d);
        $c->{did}{'both killed'}++;
    }
    sleep between($c, 0, 0.5);
    restart_server($c->{w}{redis});
}

# For longer than the command timeout: the commands are executed, and sent
# again.
sub hang_store {
    my ($c) = @_;

    return if spare_store($c);
    pause_server($c->{w}{redis});
    $c->{did}{'store hung'}++;
    sleep between($c, 0.6, 0.9);
    cont_server($c->{w}{redis});
}

# A restarted daemon has its old name and takes its jobs back at once, or it has
# a new name and waits for the lease.
sub restart_some {
    my ($c) = @_;

    for my $d (@{ $c->{daemon} }) {
        if ($d->{asleep} && time >= $d->{asleep}) {
            delete $d->{asleep};
            cont_server($d);
        }
        if ($d->{back} && time >= $d->{back}) {
            delete $d->{back};
            rename_daemon($c, $d) if draw($c) < 0.5;
            restart_server($d);
        }
    }
}

sub rename_daemon {
    my ($c, $d) = @_;

    my $text = read_file($d->{conf_path});
    $d->{called} = 'd' . (4 + $c->{names}++);
    $text =~ s/^name .*/name $d->{called}/m;
    write_file($d->{conf_path}, $text);
}


# --- results ---------------------------------------------------------------

# Checks that are waiting, claimed, and in flight.
sub left_over {
    my ($c) = @_;

    my $redis = $c->{w}{redis};
    my @left = map { "$_ waits" } @{ redis($redis, 'KEYS', 'rbl:*manual*') };
    push @left, map { "pending: @$_" } pending($c);
    push @left, map { "in flight: $_" } grep { redis($redis, 'EXISTS', $_) }
        @{ redis($redis, 'KEYS', 'rbl:*flight*') };
    return @left;
}

sub crash_verify {
    my ($c) = @_;

    return faults($c, left => [left_over($c)], zones => \@ZONES, each => EACH,
        worlds => [one_a_partition($c)]);
}

1;
