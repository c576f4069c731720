#!/usr/bin/perl

# The wrongness table for others: each checker is asked, as its own manual
# says, about every scenario that it can take, through the same resolver and
# the same zones as ours in resolver mode; in direct mode ours queries the
# zones' servers, and right is what these say.  Right is "listed" and "clear"
# where they are true, and anything else (an error, a warning, "timed out")
# where nothing is known.
# LAB="emptied world": these scenarios alone.  See lab.mk: port 53 and
# /etc/resolv.conf are this program's.

use strict;
use warnings;

use FindBin;
use IO::Select;
use IO::Socket::INET;
use POSIX ();
use RblLab;
use RblNode;
use RblTest;

my $perl = $^X;
my $plugin = '/usr/lib/nagios/plugins/check_rbl';
my $ip = qr/^[\d.]+$/;

my $client = <<'PERL';
my ($module, $zone, $value) = @ARGV;
if ($module eq 'Net::RBLClient') {
    require Net::RBLClient;
    my $c = Net::RBLClient->new(lists => [$zone], max_time => 3);
    $c->lookup($value);
    my @by = $c->listed_by;
    print @by ? "listed\n" : "clear\n";
} else {
    require Mail::RBL;
    my $r = Net::DNS::Resolver->new(udp_timeout => 2, tcp_timeout => 2,
        retry => 2, retrans => 1);
    my $c = Mail::RBL->new($zone, $r);
    my ($a) = $value =~ /[a-z]/i ? $c->check_rhsbl($value)
        : $c->check($value);
    print defined $a ? "listed\n" : "clear\n";
}
PERL

my $node = <<'NODE';
import { lookup } from 'dnsbl';
const [value, zone] = process.argv.slice(2);
const listed = await lookup(value, zone,
    { servers: ['127.0.0.1'], timeout: 3000 });
console.log(listed ? 'listed' : 'clear');
NODE

# [name, what it takes, code that gives its verdict or undef]
my @checkers = (
    ['rblcheck', $ip, sub {
        my ($s) = @_;
        my $out = says('rblcheck', '-c', '-s', $s->{served}, $s->{value});
        return $out =~ /\bnot listed\b/ ? 'clear'
            : $out =~ /\blisted by\b/ ? 'listed' : 'unknown';
    }],
    ['Net::RBLClient', $ip, sub { perl_client('Net::RBLClient', @_) }],
    ['Mail::RBL', qr/^[\x21-\x39\x3b-\x7e]+$/, sub {
        perl_client('Mail::RBL', @_) }],
    ['check_rbl (Nagios)', qr/^[\x21-\x39\x3b-\x7e]+$/, sub {
        my ($s) = @_;
        my $out = says($perl, $plugin, '-t', 20, '--query-timeout', 2, '-r',
            1, '-n', '127.0.0.1', '-w', 1, '-c', 1, '-s', $s->{served},
            $s->{value} =~ $ip ? '-H' : '-U', $s->{value});
        return 'unknown' if $out =~ /^\S+ UNKNOWN|\btimed? ?out/m;
        return $out =~ / OK/ ? 'clear'
            : $out =~ /CRITICAL|WARNING/ ? 'listed' : 'unknown';
    }],
    ['dnsbl (npm)', qr/^[\d.]+$|:/, \&npm_dnsbl],
);

sub perl_client {
    my ($module, $s) = @_;

    my $out = says($perl, '-e', $client, $module, $s->{served}, $s->{value});
    return $out =~ /^(listed|clear)$/m ? $1 : 'unknown';
}

# The output of a program.
sub says {
    my (@command) = @_;

    open(my $fh, '-|', 'timeout', 30, @command) or return '';
    local $/;
    return readline($fh) // '';
}

# {name => verdict} of those that take the value, all at the same time.
sub ask_all {
    my ($s) = @_;

    my (%from, %verdict);
    for my $c (grep { $s->{value} =~ $_->[1] } @checkers) {
        my $pid = open(my $fh, '-|') // die "fork: $!";
        if ($pid == 0) {
            open STDERR, '>', '/dev/null';
            print $c->[2]->($s);
            close STDOUT;
            POSIX::_exit(0);
        }
        $from{ $c->[0] } = $fh;
    }
    for my $name (keys %from) {
        $verdict{$name} = readline($from{$name}) // 'unknown';
        close $from{$name};
    }
    return \%verdict;
}

my $modules;

sub npm_dnsbl {
    my ($s) = @_;

    my $dir = "$modules/..";
    my $out = says('node', "$dir/ask.mjs", $s->{value}, $s->{served});
    return $out =~ /^(listed|clear)$/m ? $1 : 'unknown';
}


# --- the DNS of this network -----------------------------------------------

# Port 53, UDP and TCP, in front of the scenario's resolver.
my ($udp, $tcp, $front);

sub in_front {
    my ($port) = @_;

    return if ($front // 0) == $port;
    if ($udp) {
        stop_server($udp);
        kill 'TERM', $tcp;
        waitpid $tcp, 0;
    }
    $front = $port;
    $udp = spawn('dnsdelay', {}, build_dir() . '/t/tools/dnsdelay', 53,
        $port, 0);
    wait_log($udp, qr/ready/);
    $tcp = tcp_relay($port);
}

sub tcp_relay {
    my ($port) = @_;

    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
        LocalPort => 53, Proto => 'tcp', Listen => 16, ReuseAddr => 1)
        or die "tcp port 53: $!\n";
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    $SIG{TERM} = 'DEFAULT';
    while (my $c = $listen->accept) {
        my $up = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $port, Proto => 'tcp') or next;
        my %to = ($c => $up, $up => $c);
        my $select = IO::Select->new($c, $up);
        while (my @can = $select->can_read(3)) {
            last if grep { !forward($_, $to{$_}) } @can;
        }
    }
    POSIX::_exit(0);
}


sub forward {
    my ($from, $to) = @_;

    my $n = sysread $from, my $data, 65536;
    return $n && syswrite $to, $data;
}


# --- the table -------------------------------------------------------------

die "needs root: make lab\n" if $> != 0;
# Packages first: there is no network in here.
$modules = build_dir() . '/node/lab/node_modules';
die "no $modules\n" if !-d $modules;
write_file("$modules/../ask.mjs", $node);
run_cmd('ip', 'link', 'set', 'lo', 'up')->{status} == 0 or die "no ip\n";
write_file(temp_dir() . '/resolv.conf',
    "nameserver 127.0.0.1\noptions timeout:1 attempts:2\n");
run_cmd('mount', '--bind', temp_dir() . '/resolv.conf', '/etc/resolv.conf')
    ->{status} == 0 or die "cannot change resolv.conf\n";

my $lab = lab();
my %only = map { $_ => 1 } split ' ', $ENV{LAB} // '';
my @scenarios = sort { resolver_port($lab, $a) <=> resolver_port($lab, $b) }
    grep { !%only || $only{ $_->{name} } } @{ $lab->{scenarios} };
my (%wrong, %cannot, %got);
my %ours = (direct => 'direct mode', resolver => 'resolver mode');

for my $s (@scenarios) {
    in_front(resolver_port($lab, $s));
    for my $mode (keys %ours) {
        my ($verdict, $error) = lab_check($lab, $s, $mode);
        $got{ $ours{$mode} }{ $s->{name} } = $verdict;
        $wrong{ $ours{$mode} }++
            if !verdict_fits(in_mode($s, $mode), $verdict, $error);
    }
    my $verdict_of = ask_all($s);
    for my $name (map { $_->[0] } @checkers) {
        my $v = $verdict_of->{$name};
        $got{$name}{ $s->{name} } = $v // '-';
        if (!defined $v) {
            $cannot{$name}++;
        } else {
            my $right = $s->{verdict} =~ /^(listed|clear)$/ ? $s->{verdict}
                : 'unknown';
            $wrong{$name}++ if $v ne $right && $s->{verdict} !~ /\b$v\b/;
        }
    }
}
kill 'TERM', $tcp;
waitpid $tcp, 0;
lab_stop($lab);

my @names = ((sort values %ours), map { $_->[0] } @checkers);
my %short = (listed => 'listed', clear => 'clear', unknown => '?',
    skipped => 'skip', none => 'none', '-' => '-');
printf "%-20s %-9s%s\n", 'scenario', 'right', join '', map {
    sprintf ' %-9.9s', $_ } @names;
for my $s (sort { $a->{name} cmp $b->{name} } @scenarios) {
    printf "%-20s %-9.9s%s\n", $s->{name}, join('/', map { $short{$_} }
        split ' ', $s->{verdict}), join '', map {
        my $v = $got{$_}{ $s->{name} }; sprintf ' %-9.9s', $short{$v} // $v
    } @names;
}
print "\n";
for my $name (@names) {
    my $asked = @scenarios - ($cannot{$name} // 0);
    printf "%s: %d of %d wrong%s\n", $name, $wrong{$name} // 0, $asked,
        $cannot{$name} ? ", $cannot{$name} that it cannot be queried" : '';
}
exit((grep { $wrong{$_} } values %ours) ? 1 : 0);
