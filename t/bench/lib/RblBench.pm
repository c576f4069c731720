package RblBench;

# Common code of all benchmarks: interleaved rounds, CPU time of processes,
# medians, tables, targets.  A benchmark is a program t/bench/NAME.pl that `make
# bench` runs (`make bench BENCH=NAME` runs it alone):
#
#     use RblTest;                      # servers, see t/lib/RblTest.pm
#     use RblBench;
#
#     bench('store', 'What the store costs');
#     my $r = interleave(rounds(5), [
#         floor => sub { ... return { us => 2.1, rps => 40_000 } },
#         ours  => sub { ... return { us => 2.9, rps => 30_000 } },
#     ]);
#     table([ 'what', 'us', 'a second' ],
#         map { [ $_, figure($r->{$_}{us}), figure($r->{$_}{rps}) ] }
#             qw(floor ours));
#     my $v = ratio($r, 'ours', 'floor', 'us');
#     target('a result written: Redis CPU of the floor', $v, '<=', 2.0);
#     bench_end();                      # exit status 1: a target was missed
#
# A target is a fixed bound.  t/bench/known lists those that are missed for now,
# with the value that is accepted meanwhile.
#
# A statistic ("stat") is a hash {median, min, max, n, all}.  BENCH_ROUNDS in
# the environment sets the number of rounds, BENCH_SECONDS (whole) the length of
# a timed measurement.  Loops of the benchmark use CPU in this process, not in
# the servers; spend() counts them separately.
#
# BENCH_SMOKE=1 shows that a benchmark runs through and prints its tables: one
# round of one second, small sizes by smoke(), targets that are not judged.
#
# A benchmark and its children have priority over everything else on the machine
# (SCHED_RR), if permitted: its few processes wait only for each other, never
# for the time slice of another process.  BENCH_FIRST=0 disables this.  The
# kernel would stop a benchmark that leaves no idle time, for 50 ms in each
# second; such a benchmark uses bench(.., beside => 1), and go_first() in the
# processes that measure.

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(sum0 max);
use POSIX ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

use RblTest::Process;
use RblTest::Servers qw(store_program);

our @EXPORT = qw(bench bench_end rounds seconds smoke interleave stat_of ratio figure
    table remark target cpu_ns spend private_kb wrk program others_share
    go_first);

our $KNOWN = repo_dir() . '/t/bench/known';

my ($title, @targets, $known);
my ($measured, $foreign) = (0, 0);      # CPU time, in ns, while in spend()
my ($again, $disturbed) = (0, 0);       # numbers of measurements

use constant {
    TRIES     => 4,
    DISTURBED => 0.02,                  # share of the processors
    IDLE      => 3,                     # in processor_ns()
    IOWAIT    => 4,
    STEAL     => 7,
};


# --- begin and end ---------------------------------------------------------

# Prints the title and the conditions of the figures.
sub bench {
    my ($name, $text, %o) = @_;

    $title = $name;
    $known = known_misses($name);
    $| = 1;
    my ($load) = read_file('/proc/loadavg') =~ /^(\S+)/;
    my $cores = () = read_file('/proc/cpuinfo') =~ /^processor/mg;
    my ($cpu) = read_file('/proc/cpuinfo') =~ /^model name\s*:\s*(.*)/m;
    my $store = first_line(program(store_program('server')), '--version');
    my $nginx = first_line(program('nginx'), '-v');
    print "\n=== $name: $text\n\n";
    my $first = $o{beside} || go_first();
    remark(join '; ', "$cores cores of " . ($cpu // 'an unknown processor'),
        $store =~ /^(\w+) server v=(\S+)/ ? lc "$1 $2" : (),
        $nginx =~ m{nginx/(\S+)} ? "nginx $1" : (),
        "load before the run $load");
    remark('these processes wait for others too, so times of waiting do not'
        . ' hold') if !$first;
}

# Gives this process and its later children priority; 0: not permitted.
sub go_first {
    my $chrt = program('chrt');
    return 0 if !$chrt || !($ENV{BENCH_FIRST} // 1) || smoke(1);
    return run_cmd($chrt, '-r', '-p', 1, $$)->{status} == 0;
}

# The path of a program, also in /usr/sbin; undef: not found.
sub program {
    my ($name) = @_;

    for my $dir (split(/:/, $ENV{PATH}), '/usr/sbin', '/usr/local/bin') {
        return "$dir/$name" if -f "$dir/$name" && -x _;
    }
    return undef;
}

sub first_line {
    my ($path, @args) = @_;

    return '' if !defined $path;
    my $r = run_cmd($path, @args);
    return (split /\n/, $r->{out} . $r->{err})[0] // '';
}

# Prints the targets; exits with 1 if one was missed that is not known.  A smoke
# run has only come this far.
sub bench_end {
    my $missed = grep { $_->{state} eq 'MISS' } @targets;

    if ($again) {
        print "\n";
        remark("measured again for what another machine took: $again times; "
            . "kept none the less: $disturbed");
    }
    if ($measured) {
        my $share = 100 * max(0, $foreign) / $measured;
        print "\n";
        remark(sprintf 'others used %.0f %% of the CPU during the measurements'
            . '%s', $share, $share > 10 ? ': only figures of CPU hold' : '');
    }
    if (@targets) {
        print "\ntargets of $title\n";
        my $width = max map { length $_->{name} } @targets;
        printf "  %-5s  %-*s  %s  (target %s)\n", $_->{state}, $width,
            @$_{qw(name text limit)} for @targets;
        my $met = grep { $_->{state} eq 'pass' } @targets;
        printf "  %d of %d met, %d known to be missed\n", $met,
            scalar @targets, @targets - $met - $missed;
    }
    for my $name (sort keys %$known) {
        remark("t/bench/known: $title has no target '$name'")
            if !grep { $_->{name} eq $name } @targets;
    }
    exit($missed && !smoke(1) ? 1 : 0);
}


# --- rounds ----------------------------------------------------------------

sub rounds { return $ENV{BENCH_ROUNDS} || smoke(1) || $_[0] }

sub seconds { return $ENV{BENCH_SECONDS} || smoke(1) || $_[0] }

# The size of something in a smoke run; else undef.
sub smoke { return $ENV{BENCH_SMOKE} ? $_[0] : undef }

# interleave(N, [name => code, ...], warm => 1?): each code once, in order, N
# times over.  A code returns a hash of numbers.  Returns {name => {key =>
# stat}}; all[i] is round i.  With warm => 1 an unmeasured round comes first.
#
# A measurement during which another machine used the processors of this one
# (steal) is repeated.
sub interleave {
    my ($n, $rows, %opt) = @_;

    my (@names, %code, %seen);
    my @list = @$rows;
    while (my ($name, $code) = splice @list, 0, 2) {
        push @names, $name;
        $code{$name} = $code;
    }
    for my $round (($opt{warm} && !smoke(1) ? 0 : 1) .. $n) {
        for my $name (@names) {
            my $v = $round == 0 ? $code{$name}->() : undisturbed($code{$name});
            next if $round == 0;
            push @{ $seen{$name}{$_} }, $v->{$_} for keys %$v;
        }
    }
    my %result;
    for my $name (@names) {
        $result{$name}{$_} = stat_of(@{ $seen{$name}{$_} })
            for keys %{ $seen{$name} };
    }
    return \%result;
}

# Repeats a measurement until the machine had nearly all its processor time, if
# that happens.
sub undisturbed {
    my ($code) = @_;

    my ($best, $least);
    for (1 .. smoke(1) // TRIES) {
        my ($stolen, $all) = stolen_ns();
        my $v = $code->();
        my ($stolen_then, $all_then) = stolen_ns();
        my $share = ($stolen_then - $stolen) / (($all_then - $all) || 1);
        ($best, $least) = ($v, $share) if !defined $least || $share < $least;
        last if $share <= DISTURBED;
        $again++;
    }
    $disturbed++ if $least > DISTURBED;
    return $best;
}

# The result of the code, and the share of the processors used meanwhile by
# other machines (steal) or by other processes on this one.
sub others_share {
    my ($code) = @_;

    my $others = sub {
        my @ns = processor_ns();
        my $all = sum0(@ns);
        return ($all - $ns[IDLE] - $ns[IOWAIT] - family_ns(), $all);
    };
    my ($used, $all) = $others->();
    my $v = $code->();
    my ($used_then, $all_then) = $others->();
    return ($v, max(0, $used_then - $used) / (($all_then - $all) || 1));
}

# CPU time of this process, its descendants, and all children waited for.
sub family_ns {
    my (%children, %ticks);
    for my $file (glob '/proc/[0-9]*/stat') {
        open my $fh, '<', $file or next;
        my ($pid, $rest) = (readline($fh) // '') =~ /^(\d+) \(.*\) (.*)/ or next;
        my @field = split ' ', $rest;   # from field 3, the state, on
        push @{ $children{ $field[1] } }, $pid;
        $ticks{$pid} = sum0(@field[11 .. 14]);
    }
    my ($sum, @left) = (0, $$);
    while (defined(my $pid = shift @left)) {
        $sum += $ticks{$pid} // 0;
        push @left, @{ $children{$pid} // [] };
    }
    return $sum * 1e9 / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

sub stat_of {
    my (@all) = @_;

    my @s = sort { $a <=> $b } @all;
    my $n = @s;
    die "no measurement\n" if !$n;
    my $median = $n % 2 ? $s[$n / 2] : ($s[$n / 2 - 1] + $s[$n / 2]) / 2;
    return { median => $median, min => $s[0], max => $s[-1], n => $n,
        all => [@all] };
}

# The ratios of two rows, round by round, as a stat: a disturbance affects both
# rows of a round.
sub ratio {
    my ($r, $name, $base, $key) = @_;

    my ($x, $y) = map { $r->{$_}{$key}{all} // die "no $key of $_\n" }
        $name, $base;
    return stat_of(map { $y->[$_] ? $x->[$_] / $y->[$_] : 0 } 0 .. $#$x);
}


# --- CPU, memory -----------------------------------------------------------

# CPU time of the processes in ns, with all threads.
sub cpu_ns {
    my (@pids) = @_;

    my $ns = 0;
    for my $pid (@pids) {
        my @tasks = glob "/proc/$pid/task/*/schedstat";
        die "process $pid has exited\n" if !@tasks;
        for my $task (@tasks) {
            my ($run) = split ' ', read_file($task);
            $ns += $run // 0;
        }
    }
    return $ns;
}

# spend(code, name => [pids] ...): runs the code; returns its result as {value},
# the seconds as {wall} and the CPU time of each group in ns as {name}.
sub spend {
    my ($code, %group) = @_;

    my %before = map { $_ => cpu_ns(@{ $group{$_} }) } keys %group;
    my ($used, $all) = machine_ns();
    my $start = clock_gettime(CLOCK_MONOTONIC);
    my $value = $code->();
    my $wall = clock_gettime(CLOCK_MONOTONIC) - $start;
    my ($used_then, $all_then) = machine_ns();
    my %cost = map { $_ => cpu_ns(@{ $group{$_} }) - $before{$_} }
        keys %group;
    $foreign += $used_then - $used - sum0(values %cost);
    $measured += $all_then - $all;
    return { %cost, value => $value, wall => $wall };
}

# CPU time of this machine without this process and its ended children, and the
# total, in ns.
sub machine_ns {
    my @ns = processor_ns();
    my $all = sum0(@ns);
    my $own = sum0((times)[0 .. 3]);
    return ($all - $ns[IDLE] - $ns[IOWAIT] - $own * 1e9, $all);
}

# CPU time of this machine used by others, and the total, in ns.
sub stolen_ns {
    my @ns = processor_ns();
    return ($ns[STEAL], sum0(@ns));
}

# The times of the processors since boot in ns, in the order of proc(5): user,
# nice, system, idle, iowait, irq, softirq, steal; user includes guests.
sub processor_ns {
    my ($times) = read_file('/proc/stat') =~ /^cpu +(.*)/m;
    my $tick = 1e9 / POSIX::sysconf(POSIX::_SC_CLK_TCK());
    return map { ($_ // 0) * $tick } (split ' ', $times)[0 .. STEAL];
}

# Private memory of these processes in KiB.
sub private_kb {
    my (@pids) = @_;

    return sum0 map { read_file("/proc/$_/smaps_rollup")
        =~ /^Private_\w+:\s+(\d+) kB/mg } @pids;
}


# --- load ------------------------------------------------------------------

# wrk({connections, seconds, url, headers => [..], script}): one thread; returns
# {requests, rps}.  Dies on an answer other than success, or on a socket error.
sub wrk {
    my ($o) = @_;

    my @args = ('-t1', "-c$o->{connections}", "-d$o->{seconds}s",
        map { ('-H', $_) } @{ $o->{headers} // [] });
    push @args, '-s', $o->{script} if $o->{script};
    my $r = run_cmd({ timeout => $o->{seconds} + 30 },
        program('wrk') // die("wrk is missing\n"), @args, $o->{url});
    my ($requests) = $r->{out} =~ /(\d+) requests in /;
    my ($rps) = $r->{out} =~ m{Requests/sec:\s+([\d.]+)};
    if ($r->{status} != 0 || !$requests
        || $r->{out} =~ /Non-2xx|Socket errors/)
    {
        die "wrk $o->{url}:\n$r->{out}$r->{err}";
    }
    return { requests => $requests, rps => $rps };
}


# --- output ----------------------------------------------------------------

# "12.3 (11.9-14.0)"; digits follow the size.  A plain number alone.
sub figure {
    my ($v) = @_;

    return '-' if !defined $v;
    return number($v) if !ref $v;
    return number($v->{median}) if $v->{n} == 1;
    return sprintf '%s (%s-%s)', map { number($v->{$_}) }
        qw(median min max);
}

sub number {
    my ($v) = @_;

    return '0' if $v == 0;
    if (abs $v >= 1000) {
        my $text = sprintf '%.0f', $v;
        1 while $text =~ s/^(-?\d+)(\d{3})/$1,$2/;
        return $text;
    }
    return sprintf abs $v >= 100 ? '%.0f' : abs $v >= 10 ? '%.1f' : '%.2f',
        $v;
}

# table([headers], [cells], ...): the first column is aligned left, all others
# right.
sub table {
    my ($head, @rows) = @_;

    my @width;
    for my $row ($head, @rows) {
        for my $i (0 .. $#$row) {
            my $n = length($row->[$i] // '-');
            $width[$i] = $n if $n > ($width[$i] // 0);
        }
    }
    print "\n";
    for my $row ($head, undef, @rows) {
        my @cells = $row ? map { $_ // '-' } @$row : map { '-' x $_ } @width;
        push @cells, '' while @cells < @width;
        print '  ', join('  ', map { sprintf $_ ? '%*s' : '%-*s', $_
            ? ($width[$_], $cells[$_]) : ($width[0], $cells[0]) }
            0 .. $#width), "\n";
    }
}

# Prints an explanation.
sub remark {
    my ($text) = @_;

    print "  $text\n";
}

# target(name, stat or number, '>=' or '<=' or '<', limit, unit): judged by the
# median, printed by bench_end().
sub target {
    my ($name, $v, $op, $limit, $unit) = @_;

    my $value = ref $v ? $v->{median} : $v;
    my $k = $known->{$name};
    my $met = within($value, $op, $limit);
    my $state = $met ? 'pass'
        : $k && within($value, $op, $k->{accepted}) ? 'KNOWN' : 'MISS';
    $unit = defined $unit ? " $unit" : '';
    my $text = "$op $limit$unit";
    $text .= $met ? '; its line in t/bench/known can be removed'
        : "; $op $k->{accepted}$unit until \"$k->{until}\"" if $k;
    push @targets, { name => $name, state => $state, limit => $text,
        text => figure($v) . $unit };
    return $met;
}

sub within {
    my ($value, $op, $limit) = @_;

    return $op eq '>=' ? $value >= $limit : $op eq '<=' ? $value <= $limit
        : $op eq '<' ? $value < $limit : die "no operator $op\n";
}

# The lines of t/bench/known for a benchmark: {target => {accepted, until}}.
sub known_misses {
    my ($bench) = @_;

    my %found;
    for my $line (grep { !/^(?:#|$)/ } split /\n/, read_file($KNOWN)) {
        my ($of, $name, $accepted, $until) = $line
            =~ /^(\w+) \| (.+?) \| (\d+(?:\.\d+)?) \| ([^|]*\S)$/
            or die "$KNOWN: not 'bench | target | value | issue': $line\n";
        $found{$name} = { accepted => $accepted, until => $until }
            if $of eq $bench;
    }
    return \%found;
}

1;
