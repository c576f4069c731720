package RblSoak;

# Runs a world of the soak (RblSoakWorld): its servers, unbound, Redis, which
# writes to its append-only file before it replies (without waiting for the
# disk), and one to three daemons, which are killed by the plan; and reads the
# daemons' events.  RblSoakJudge checks these.
#
#     my ($world, $run) = soak(seed => 7, mode => 'resolver', seconds => 60);

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(sum0 max min);
use Time::HiRes qw(sleep time);

use RblCheckd;
use RblSoakJudge;
use RblSoakServer;
use RblSoakWorld;
use RblTest;

our @EXPORT = qw(soak soak_over soak_text soak_modes);

use constant { PARTITIONS => 2, LOOK => 0.5, STARVED => 0.2 };


# "direct" only if the daemon supports it.
sub soak_modes {
    return read_file(build_dir() . '/rbl-checkd') =~ /list_server_allow/
        ? qw(resolver direct) : ('resolver');
}

# Options: seed, mode, seconds, unit, unbound, unbounds, often, dns_timeout (ms).
sub soak {
    my (%o) = @_;

    my $w = soak_world(%o, net => RblSoakServer::free_net());
    my $run = { mode => $o{mode}, events => [], down => [], ids => {},
        seen => {}, last => {}, count => {} };
    $run->{store} = world(no_dns => 1, partitions => PARTITIONS,
        redis => { appendonly => 1, args => ['--appendfsync', 'no'] },
        zones => { map { $_->{zone} => { control => 'ip' } }
            grep { !$_->{own} } @{ $w->{list} } },
        account => { args => ['--interval', int($w->{interval}) . 's'] });
    my $store = $run->{store};
    script_ok($store, 'hook_put', [RblCheckd::akey($store, 'acct')],
        hook => fresh_sid('WH'), name => 'n', url => 'https://hook.example/',
        secret => 's');
    own_lists($store, map { $_->{zone} => 'rbl' } grep { $_->{own} }
        @{ $w->{list} });
    $run->{dns_timeout} = $o{dns_timeout} // 300;
    $run->{start} = time;
    $run->{dns} = RblSoakServer->new($w, $run->{start},
        $run->{asked} = temp_dir() . "/asked-$o{seed}-$o{mode}");
    $run->{unbound} = [map { resolver($w) } 1 .. $w->{unbounds}];
    $run->{daemon} = [map { daemon($w, $run, $_) } 1 .. $w->{daemons}];
    $run->{sid} = add_many($store, @{ $w->{hosts} });
    $run->{host} = { reverse %{ $run->{sid} } };
    go($w, $run);
    return ($w, $run);
}

# Stops all of its servers; 0: one did not stop.
sub soak_over {
    my ($run) = @_;

    my @bad = grep { !stop_server($_) } @{ $run->{daemon} },
        @{ $run->{unbound} }, $run->{store}{redis};
    $run->{dns}->stop;
    return !@bad;
}

# It caches negative responses for the lists' TTL.
sub resolver {
    my ($w) = @_;

    return start_unbound(conf => <<"CONF");
  local-zone: "soak.test" transparent
  cache-max-ttl: 3600
  cache-max-negative-ttl: 3600
  infra-host-ttl: 1
  infra-keep-probing: yes
  discard-timeout: 0
stub-zone:
  name: "soak.test"
  stub-addr: $w->{parent}
  stub-prime: no
CONF
}

# The daemons begin with different resolvers, and know all of them.
sub daemon {
    my ($w, $run, $n) = @_;

    my $u = $w->{unit};
    my @unbound = map { '127.0.0.1@' . $_->{port} } @{ $run->{unbound} };
    push @unbound, shift @unbound for 2 .. (@unbound ? $n : 0);
    my %direct = $run->{mode} eq 'direct' ? (lookup => 'direct',
        list_server_allow => '127.0.0.0/8')
        : (soak_modes())[1] ? (lookup => 'resolver') : ();
    my $ms = sub { int($_[0] * $u) . 'ms' };
    return start_checkd(store => $run->{store}{redis},
        conf => { %direct, deliver => 'off', resolver => join(' ',
            $w->{resolver} ? "$w->{recursive}\@53" : @unbound),
        check_timeout => $ms->(2000), lease => $ms->(4500),
        dns_timeout => $ms->($run->{dns_timeout}),
        dns_tries => 2, dns_own_rate => 0,
        store_timeout => $ms->(1000), control_retry => $ms->(500),
        cache_size => '64m' });
}


# --- while it runs -----------------------------------------------------------

sub now { return time - $_[0]{start} }

sub go {
    my ($w, $run) = @_;

    my @accident = @{ $w->{accidents} };
    my @heal;
    while (now($run) < $w->{seconds}) {
        if (@accident && $accident[0]{at} <= now($run)) {
            push @heal, kill_one($run, shift @accident);
        }
        my @due = grep { $_->{back} <= now($run) } @heal;
        heal($run, $_) for @due;
        @heal = grep { !$_->{healed} } @heal;
        read_events($run);
        look_starved($w, $run);
        sleep 0.1;
    }
    heal($run, $_) for @heal;
    $run->{ended} = now($run);
    read_events($run);
}

# Seconds that a process was ready to run and got no processor.
sub starved {
    my ($pid) = @_;

    open my $fh, '<', "/proc/$pid/schedstat" or return 0;
    return (split ' ', <$fh> // '0 0')[1] / 1e9;
}

# Notes times at which the machine was too busy for the world: its processes
# together waited for a processor, so that responses came too late.
sub look_starved {
    my ($w, $run) = @_;

    my $now = now($run);
    my $from = $run->{looked} // 0;
    return if $now < $from + LOOK;
    my $sum = 0;
    for my $pid (map { $_->{pid} } @{ $run->{daemon} }, @{ $run->{unbound} },
        $run->{store}{redis}, $run->{dns})
    {
        my $is = starved($pid);
        $sum += max(0, $is - ($run->{starved}{$pid} // 0));
        $run->{starved}{$pid} = $is;
    }
    $run->{looked} = $now;
    return if $sum < STARVED * $w->{unit} * ($now - $from) / LOOK;
    my ($last) = grep { $_->[2] eq 'starved' } reverse @{ $run->{down} };
    if ($last && $last->[1] == $from) {
        $last->[1] = $now;
    } else {
        push @{ $run->{down} }, [$from, $now, 'starved'];
    }
}

sub one_of {
    my ($all, $which) = @_;

    return @$all ? $all->[$which % @$all] : undef;
}

sub kill_one {
    my ($run, $a) = @_;

    my $victim = $a->{what} eq 'store' ? $run->{store}{redis}
        : $a->{what} eq 'resolver' ? one_of($run->{unbound}, $a->{which})
        : one_of($run->{daemon}, $a->{which});
    return () if !$victim;
    my $down = [now($run), 1e9, $a->{what}];
    push @{ $run->{down} }, $down;
    kill_server($victim);
    return { victim => $victim, down => $down,
        back => $a->{at} + $a->{seconds} };
}

sub heal {
    my ($run, $h) = @_;

    restart_server($h->{victim}) if !alive($h->{victim});
    $h->{down}[1] = now($run);
    $h->{healed} = 1;
}

# Events of the daemons since the last call; none while the store is away.
sub read_events {
    my ($run) = @_;

    return if !alive($run->{store}{redis});
    eval {
        read_outbox($run);
        read_history($run, $_) for sort keys %{ $run->{host} };
        read_counts($run);
        1;
    } or $@ =~ /connect|connection|LOADING|short|write/ or die $@;
}

# The new entries of a stream; [id, fields] of each.
sub fresh {
    my ($run, $key) = @_;

    my $from = $run->{last}{$key};
    my $new = redis($run->{store}{redis}, 'XRANGE', $key,
        defined $from ? "($from" : '-', '+');
    $run->{last}{$key} = $new->[-1][0] if @$new;
    return map { [$_->[0], { @{ $_->[1] } }] } @$new;
}

sub read_outbox {
    my ($run) = @_;

    my $key = RblCheckd::pkey($run->{store}, 'outbox');
    $run->{ids}{ $_->[1]{e} }++ for fresh($run, $key);
}

sub read_history {
    my ($run, $sid) = @_;

    for my $e (fresh($run, RblCheckd::akey($run->{store}, 'hist', $sid))) {
        my ($ms) = $e->[0] =~ /^(\d+)-/;
        push @{ $run->{events} }, map { { at => $ms / 1000 - $run->{start},
            host => $run->{host}{$sid}, zone => $_->[1], check => $e->[1]{c},
            is => $_->[2] eq 'listed' ? 1 : 0 } } @{ mp_unpack($e->[1]{t}) };
    }
}

# Verdicts counted by each run of a daemon, by list: they stay in the store for
# some seconds after its end.
sub read_counts {
    my ($run) = @_;

    return if now($run) < ($run->{counted} // 0) + 2;
    $run->{counted} = now($run);
    for my $key (@{ redis($run->{store}{redis}, 'KEYS', 'rbl:{0}:daemon:*') }) {
        my $d = record('daemon', redis($run->{store}{redis}, 'GET', $key))
            // next;
        my %n;
        for my $l (@{ $d->{lists} }) {
            $n{listed} += $l->[7];
            $n{clear} += $l->[8];
            $n{unknown} += $l->[9];
        }
        $run->{count}{"$d->{name} $d->{started}"} = \%n if %n;
    }
}


# --- results -----------------------------------------------------------------

# (a line, the faults with their histories)
sub soak_text {
    my ($w, $run, $j) = @_;

    my %n = map { my $k = $_; $k => sum0(map { $_->{$k} // 0 }
        values %{ $run->{count} }) } qw(listed clear unknown);
    my @wait = sort { $a <=> $b } @{ $j->{wait} };
    my $line = sprintf '%-8s seed %-5d (%s) %6d verdicts (%d unknown), '
        . '%d listings, %d ends, %d due; false listings %d, '
        . 'false ends %d, missed %d, '
        . 'doubled %d, late %d; reported after %.1f s, at most %.1f s'
        . "; starved for %.0f s\n",
        $run->{mode}, $w->{seed}, $w->{resolver} ? "resolver: "
        . ($w->{resolver}[-2] // $w->{resolver}[-1])->[1]
        : "$w->{unbounds} unbound",
        sum0(values %n), $n{unknown},
        @$j{qw(listings ends due false_listing false_end missed doubled late)},
        @wait ? $wait[$#wait / 2] : 0, @wait ? $wait[-1] : 0, $j->{starved};
    return ($line, map { fault_text($w, $run, $_) } @{ $j->{faults} });
}

sub fault_text {
    my ($w, $run, $f) = @_;

    my $l = $f->{list} // return "  $f->{kind}: $f->{text}\n";
    (my $kind = $f->{kind}) =~ tr/_/ /;
    return join '', sprintf("  %s at %.3f: %s at %s (ttl %s, negative %s%s):"
        . " %s\n", $kind, $f->{at}, $f->{host}, $l->{zone}, $l->{ttl},
        $l->{negative}, $l->{own} ? ', own' : '', $f->{text}),
        story($w, $run, $f->{host}, $l, $f->{at}), map { "    query $_" }
        RblSoakServer::asked($run->{asked}, $f->{host}, $l->{zone},
            $f->{at} - 12 * $w->{unit}, $f->{at} + 1);
}

1;
